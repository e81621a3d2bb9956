"""Numbers and quantities on public test sets; the floors are what was measured, and what counts is in the harness."""

import json
from pathlib import Path

import pytest

from experiments.quantity_eval import Mention, case_is_exact, evaluate_quantities, read_cases, score

pytestmark = pytest.mark.recognition

# Exact cases, all cases; then the mentions found that have to be right among those found.
FLOORS = {
    "recognizers_numbers": ((153, 157), 0.98),
    "recognizers_dimensions": ((56, 61), 0.96),
    "recognizers_currency": ((111, 123), 0.96),
    "recognizers_temperature": ((22, 32), 0.93),
    "recognizers_age": ((18, 19), 1.0),
    "recognizers_percent": ((13, 17), 1.0),
    "quantulum3": ((67, 101), 0.70),
    "quantulum3_ambiguity": ((12, 20), 0.66),
}


@pytest.mark.parametrize("suite", FLOORS)
def test_suite(data_dir: Path, suite: str) -> None:
    (exact, cases), right = FLOORS[suite]
    report = evaluate_quantities(data_dir)[suite]
    assert report["cases"][1] == cases
    assert report["cases"][0] >= exact
    assert report["precision"][0] / report["precision"][1] >= right


WANT = [Mention(5, "mile", 0, 7), Mention(2, "", 8, 9)]


@pytest.mark.parametrize(
    ("got", "exact"),
    [
        (WANT, True),
        (WANT[:1], False),
        ([*WANT, Mention(3, "", 10, 11)], False),
        ([WANT[0]._replace(value=6), WANT[1]], False),
        ([WANT[0]._replace(unit="meter"), WANT[1]], False),
        ([WANT[0]._replace(end=6), WANT[1]], False),
        ([WANT[0]._replace(value=None), WANT[1]], False),
    ],
)
def test_a_case_is_exact_or_not(got: list[Mention], exact: bool) -> None:
    assert case_is_exact(WANT, got) is exact
    assert score([(WANT, got)])["cases"] == [int(exact), 1]


def test_false_mentions_count_against_precision() -> None:
    got = [WANT[0], Mention(2, "", 8, 10), Mention(9, "", 20, 21)]
    assert score([(WANT, got), ([], [])]) == {
        "value": [2, 2],
        "span": [1, 2],
        "both": [1, 2],
        "precision": [1, 3],
        "cases": [1, 2],
    }


def test_cases_of_both_formats(tmp_path: Path) -> None:
    (tmp_path / "recognizers_specs_en").mkdir()
    (tmp_path / "quantulum3_tests").mkdir()
    result = {"Text": "3 km", "Start": 0, "End": 3, "Resolution": {"value": "3", "unit": "Kilometer"}}
    rows = [
        {"Input": "3 km and 5", "Results": [result]},
        {"Input": "x", "Results": [], "NotSupported": "java, Python"},
    ]
    (tmp_path / "recognizers_specs_en" / "DimensionModel.json").write_text(json.dumps(rows), "utf-8-sig")
    wanted = [
        {"value": 3, "unit": "kilometre", "surface": "3 km"},
        {"value": 5, "unit": "dimensionless", "surface": "5"},
    ]
    rows = [{"req": "3 km and 5", "res": wanted}]
    (tmp_path / "quantulum3_tests" / "quantities.json").write_text(json.dumps(rows), "utf-8")
    kilometers = Mention(3.0, "kilometer", 0, 4)
    assert read_cases("recognizers_dimensions", tmp_path) == [("3 km and 5", [kilometers])]
    assert read_cases("quantulum3", tmp_path) == [("3 km and 5", [kilometers, Mention(5.0, "", 9, 10)])]
    report = evaluate_quantities(tmp_path)
    assert {name: suite["cases"] for name, suite in report.items()} == {
        "recognizers_dimensions": [1, 1],
        "quantulum3": [1, 1],
    }
