"""Two runs compared: which samples changed, by how much the scores did, and what can't be compared."""

from __future__ import annotations

import dataclasses
import random
from pathlib import Path
from typing import Any

import pytest

from experiments.harness import UsageError
from experiments.metrics.summary import paired
from experiments.runs import compare
from experiments.runs.compare import compare_runs
from experiments.runs.record import parse_record
from experiments.runs.store import record_report
from tests.experiments.runs import SUITE, case, recorded

LATER = "2026-06-01T00:00:00+00:00"
CASES = [case("bread"), case("cake"), case("flour"), case("oven", capture=None)]


def compared(folder: Path, before: list[dict[str, Any]], after: list[dict[str, Any]], **run: Any) -> Any:
    first, second = recorded(folder, *before), recorded(folder, *after, time=LATER, **run)
    return compare_runs(folder, first, second)


def test_a_run_has_not_changed_from_itself(tmp_path: Path) -> None:
    run = recorded(tmp_path, *CASES)
    found = compare_runs(tmp_path, run, run)
    assert not found["changed"] and not found["else"] and not found["metrics"]
    assert (found["samples"]["same"], found["samples"]["changed"]) == (4, 0)
    assert {score["difference"] for score in found["scores"]} == {0.0}


def test_what_changed_is_said_field_by_field(tmp_path: Path) -> None:
    after = [
        CASES[0],
        CASES[1] | {"trace_hash": "other"},
        CASES[2] | {"surface": "", "citations": [], "refusal": "no_evidence", "capture": 0.0},
        CASES[3],
    ]
    found = compared(tmp_path, CASES, after)
    samples = found["samples"]
    assert found["changed"]
    assert (samples["same"], samples["changed"]) == (2, 2)
    assert samples["by_field"] == {"hash": 1, "surface": 1, "citations": 1, "refusal": 1, "capture": 1}
    said, hashed = samples["listed"]
    assert (said["id"], said["arm"], said["prompt"]) == ("flour", "on", "What is flour?")
    assert said["fields"] == {
        "surface": ["It is flour.", ""],
        "citations": [["gloss:flour.n.1"], []],
        "refusal": [None, "no_evidence"],
        "capture": [1.0, 0.0],
    }
    assert hashed["fields"] == {"hash": ["hash of cake", "other"]}
    scores = {score["name"]: score for score in found["scores"]}
    assert scores.keys() == {"answered", "capture", "right_intent"}
    assert scores["capture"]["n"] == 3
    assert scores["capture"]["difference"] == pytest.approx(-1 / 3)
    assert scores["answered"]["difference"] == -0.25


def test_samples_that_one_run_lacks_are_counted_and_named(tmp_path: Path) -> None:
    found = compared(tmp_path, CASES[:3], [CASES[1], CASES[3]])
    samples = found["samples"]
    assert (samples["rows"], samples["same"], samples["changed"]) == ([3, 2], 1, 0)
    assert (samples["only_first"], samples["only_second"]) == (2, 1)
    assert [sample["id"] for sample in samples["listed_only_first"]] == ["bread", "flour"]
    assert samples["listed_only_second"] == [{"id": "oven", "arm": "on"}]
    assert found["changed"]
    assert [gap["name"] for gap in found["metrics"]] == ["arms.on.n"]
    for before, after in ((CASES, CASES[:2]), (CASES[:2], CASES)):
        found = compared(tmp_path, before, after)
        assert (found["samples"]["same"], found["changed"]) == (2, True)


def test_the_order_of_the_samples_is_no_change(tmp_path: Path) -> None:
    cases = [case(str(i), capture=i / 10) for i in range(10)]
    mixed = random.Random(0).sample(cases, len(cases))
    found = compared(tmp_path, cases, mixed)
    assert (found["samples"]["same"], found["changed"]) == (10, False)
    again = compared(tmp_path, [*cases, cases[3]], [cases[3], *mixed])
    assert (again["samples"]["same"], again["changed"]) == (11, False)


def test_few_are_listed_and_all_are_counted(tmp_path: Path) -> None:
    first = recorded(tmp_path, *CASES)
    after = [
        row | {"surface": "x" if i == 3 else row["surface"], "trace_hash": "x"} for i, row in enumerate(CASES)
    ]
    second = recorded(tmp_path, *after, time=LATER)
    for limit in range(6):
        samples = compare_runs(tmp_path, first, second, limit=limit)["samples"]
        assert samples["changed"] == 4
        assert [row["id"] for row in samples["listed"]] == ["oven", "bread", "cake", "flour"][:limit]


def test_what_else_differs_is_said(tmp_path: Path) -> None:
    git = {"commit": "decade" * 6, "dirty": True}
    found = compared(tmp_path, CASES, CASES, config={"top_k": 3}, git=git, batch=64)
    assert found["else"] == [
        {"field": "git.commit", "first": "c0ffee" * 6, "second": "decade" * 6},
        {"field": "git.dirty", "first": False, "second": True},
        {"field": "config.top_k", "first": 8, "second": 3},
        {"field": "execution.batch", "first": None, "second": 64},
    ]
    assert found["dirty"] and not found["changed"]


@pytest.mark.parametrize(
    ("changes", "what"),
    [
        ({"version": 2}, "is of suite bakery version 1, .* of version 2"),
        ({"version": "sha256:12"}, "is of suite bakery version 1, .* of version sha256:12"),
        ({"name": "public"}, "is of suite bakery, .* of public"),
        ({"sha256": "00" * 32}, "suite bakery version 1 has other cases"),
    ],
)
def test_runs_of_other_suites_or_versions_are_refused_with_both(
    changes: dict[str, Any], what: str, tmp_path: Path
) -> None:
    first = recorded(tmp_path, *CASES)
    second = recorded(tmp_path, *CASES, suite=dataclasses.replace(SUITE, **changes))
    with pytest.raises(UsageError, match=what):
        compare_runs(tmp_path, first, second)


def test_runs_without_samples_are_compared_by_their_figures(tmp_path: Path) -> None:
    def run(n: int | None) -> Any:
        path = record_report({"n": n, "same": 1}, None, tmp_path, suite=SUITE, command=[])
        return parse_record(path.read_bytes(), path.name)

    one, two, none = run(1), run(2), run(None)
    found = compare_runs(tmp_path, one, two)
    assert (found["samples"], found["scores"], found["changed"]) == (None, None, True)
    assert found["metrics"] == [{"name": "n", "first": 1, "second": 2, "difference": 1}]
    assert not compare_runs(tmp_path, one, one)["changed"]
    assert compare_runs(tmp_path, one, none)["metrics"][0]["difference"] is None


def test_intervals_are_those_of_paired_samples(tmp_path: Path) -> None:
    draw = random.Random(1)
    before, after = (
        [case(str(i), capture=draw.choice([0.0, 0.5, 1.0])) for i in range(60)] for _ in range(2)
    )
    found = compared(tmp_path, before, after)
    (score,) = [score for score in found["scores"] if score["name"] == "capture"]
    expected = paired([row["capture"] for row in after], [row["capture"] for row in before])
    assert {name: score[name] for name in expected} == expected
    assert score["interval"] == "bootstrap"
    assert score["first"] == pytest.approx(sum(row["capture"] for row in before) / 60)


@pytest.mark.parametrize("seed", [0, 1])
def test_the_interval_of_many_samples_is_near_that_of_a_bootstrap(
    seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    draw = random.Random(seed)
    score = compare._Score()
    for _ in range(400):
        score.add(0.0, draw.choice([-1.0, 0.0, 0.0, 0.5, 1.0]))
    resampled = score.difference()
    monkeypatch.setattr(compare, "MOST_RESAMPLED", 399)
    normal = score.difference()
    assert (resampled["interval"], normal["interval"]) == ("bootstrap", "normal")
    assert normal["n"] == resampled["n"] == 400
    for name in ("first", "second", "difference"):
        assert normal[name] == pytest.approx(resampled[name])
    for end in ("low", "high"):
        assert normal[end] == pytest.approx(resampled[end], abs=0.01)
