"""`core eval recognition`: the published figures exactly, and what is skipped without its data."""

from __future__ import annotations

import json
import sys
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from experiments import cli
from experiments.harness import UsageError
from experiments.quantity_eval import SUITES
from experiments.recognition_eval import (
    evaluate_recognition,
    families,
    published,
    sample_word_problems,
    show,
    word_problems,
)
from experiments.recognition_eval.suite import HERE

pytestmark = pytest.mark.recognition

TESTS = Path(__file__).parent.parent / "recognition" / "data"
PUBLISHED = {
    "taught_features": [64, 64],
    "positives": [3, 3],
    "refused_at_layer": [5, 5],
    "phase1": [2, 2],
}


@pytest.fixture
def small_data(tmp_path: Path) -> Path:
    (tmp_path / "gsm8k").mkdir()
    row = {"question": "Ann has 3 books. Ann never had 6 boxes. Ann never had 6 boxes. Does she read?"}
    (tmp_path / "gsm8k" / "test.jsonl").write_text(json.dumps(row) + "\n")
    return tmp_path


@pytest.mark.parametrize(
    "name", ["published_recognition.jsonl", "recognition_dev.json", "teaching_quantity.jsonl"]
)
def test_the_shipped_cases_are_those_of_the_tests(name: str) -> None:
    assert (HERE / name).read_bytes() == (TESTS / name).read_bytes()


@pytest.mark.smoke
def test_the_published_figures(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.delenv("CORE_DATA", raising=False)
    monkeypatch.setattr(sys, "argv", ["core", "eval", "recognition", "--json"])
    with pytest.raises(SystemExit) as ended:
        cli.main()
    done = capsys.readouterr()
    report = json.loads(done.out)
    assert not ended.value.code
    assert list(report) == ["run", "published", "dev", "dev_also_acceptable", "families"]
    assert report["published"] == PUBLISHED
    assert (report["dev"], report["dev_also_acceptable"]) == ([21, 23], 2)
    assert done.err.splitlines() == [
        f"{name}: skipped, pass --data DIR or set CORE_DATA"
        for name in ("gsm8k", "svamp", "word_problems", "quantities")
    ]


def test_unlabelled_text_is_counted_by_layer(small_data: Path, capsys: pytest.CaptureFixture[str]) -> None:
    report = evaluate_recognition(small_data)
    assert report["gsm8k"] == {
        "sentences": 3,
        "admitted": 1,
        "refused": {"1": 1, "2": 1, "3": 0, "none": 0},
    }
    assert "svamp" not in report
    said = capsys.readouterr().err.splitlines()
    assert said[0] == f"svamp: skipped, no file {small_data / 'svamp' / 'SVAMP.json'}"
    assert [line.partition(":")[0] for line in said[1:]] == list(SUITES)


def test_quantities_are_scored(small_data: Path) -> None:
    (small_data / "recognizers_specs_en").mkdir()
    file = small_data / SUITES["recognizers_numbers"]
    found = {"Text": "two", "TypeName": "number", "Resolution": {"value": "2"}, "Start": 7, "End": 9}
    file.write_text(json.dumps([{"Input": "I have two apples", "Results": [found]}]))
    report = evaluate_recognition(small_data)
    assert list(report["quantities"]) == ["recognizers_numbers"]
    assert report["quantities"]["recognizers_numbers"]["cases"] == [1, 1]
    file.write_text("[{}]")
    with pytest.raises(UsageError, match="quantities can't be used"):
        evaluate_recognition(small_data)


def test_damaged_data_is_one_error(small_data: Path) -> None:
    (small_data / "gsm8k" / "test.jsonl").write_text('{"answer": 1}\n')
    with pytest.raises(UsageError, match=r"test\.jsonl: can't be used: KeyError\('question'\)"):
        evaluate_recognition(small_data)


def test_what_isn_t_shipped_is_skipped(
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    small_data: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    for name in ("PUBLISHED", "DEV", "TEACHING"):
        monkeypatch.setattr(published, name, tmp_path / name)
    monkeypatch.setattr(families, "FAMILIES", tmp_path / "families")
    monkeypatch.setattr(word_problems, "TEACHING", tmp_path / "taught.txt")
    assert list(evaluate_recognition(small_data)) == ["run"]
    said = capsys.readouterr().err.splitlines()
    assert [line.partition(":")[0] for line in said] == [
        "published",
        "dev, gsm8k, svamp",
        "families",
        "svamp",
        "word_problems",
        *SUITES,
    ]
    with pytest.raises(UsageError, match=r"no taught\.txt"):
        sample_word_problems(small_data, 1, 0)
    with pytest.raises(UsageError, match="CORE_DATA"):
        sample_word_problems(None, 1, 0)


def test_a_case_that_comes_out_otherwise_counts_against() -> None:
    rows: list[dict[str, Any]] = list(map(json.loads, published.PUBLISHED.read_text().splitlines()))
    wrong = []
    for row in rows:
        features = dict(row.get("features", {}))
        if row["role"] == "admit":
            features["count"] = features["count"] | {"value": 25}
        wrong.append(row | {"features": features} | ({"layer": 2} if row["role"] == "refuse" else {}))
    figures = published.published(wrong)
    assert figures == {
        "taught_features": [64, 64],
        "positives": [0, 3],
        "refused_at_layer": [1, 5],
        "phase1": [0, 2],
    }


def test_a_sample_is_drawn_by_its_seed(small_data: Path) -> None:
    (row,) = sample_word_problems(small_data, 5, 1)
    assert row["input"] == "Ann has 3 books."
    assert row["proposition"]["count"] == 3
    assert row["evidence"]["count"] == (8, 9)


def test_the_command_prints_a_sample(
    small_data: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(
        sys, "argv", ["core", "eval", "recognition", "--data", str(small_data), "--sample", "1"]
    )
    with pytest.raises(SystemExit) as ended:
        cli.main()
    assert not ended.value.code
    assert json.loads(capsys.readouterr().out)["input"] == "Ann has 3 books."


def test_the_report_in_a_pipe_is_plain_and_narrow(small_data: Path) -> None:
    out = StringIO()
    show(evaluate_recognition(small_data), Console(file=out, width=100, color_system=None))
    lines = out.getvalue().splitlines()
    assert max(map(len, lines)) <= 100
    assert any(line.split()[-2:] == ["64", "64"] for line in lines)
    assert any(line.split() == ["gsm8k", "3", "1", "1", "1", "0", "0"] for line in lines)


def test_word_problems(data_dir: Path) -> None:
    report = evaluate_recognition(data_dir)
    for name in ("gsm8k", "svamp"):
        found = report[name]
        assert found["admitted"] + sum(found["refused"].values()) == found["sentences"]
        assert found["admitted"] >= 30
