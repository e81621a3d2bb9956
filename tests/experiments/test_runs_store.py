"""Records of runs: what is in one, how it is found again, and what is said of one that is damaged."""

from __future__ import annotations

import errno
import json
import os
from pathlib import Path
from typing import Any

import pytest

from experiments.harness import UsageError
from experiments.metrics.suites import shipped_version
from experiments.runs import store
from experiments.runs.record import metrics_of, parse_record, suite_in
from experiments.runs.samples import SampleLog, iter_rows, read_header
from experiments.runs.store import (
    find_run,
    open_samples,
    read_runs,
    record_report,
    results_folder,
    unfinished_path,
)
from tests.experiments.runs import SUITE, case, recorded, report

BREAD, CAKE = case("bread"), case("cake", refusal="no_evidence", trace_hash=None)


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_a_record_says_what_ran_on_what_with_which_figures(tmp_path: Path) -> None:
    record = recorded(tmp_path, BREAD, CAKE, batch=64)
    assert record.id.startswith("20260102T030405Z-")
    assert record.suite.model_dump() == {"name": "bakery", "version": 1, "sha256": "ab" * 32}
    assert (record.pack is not None and record.pack.id, record.backend, record.config) == (
        "small",
        "numpy",
        {"top_k": 8},
    )
    assert record.command == ["core", "eval"]
    assert record.execution == {"batch": 64}
    assert record.versions["python"] and record.machine and record.platform
    assert record.metrics == {"arms.on.n": 2, "arms.on.rate": None}
    assert record.summary == {"arms": {"on": {"n": 2, "rate": 0.5, "undefined": ["rate"]}}}
    assert record.samples is not None and record.samples.rows == 2
    assert names(tmp_path) == [f"{record.id}.json", f"{record.id}.samples.jsonl"]


def test_each_sample_has_a_hash_of_its_trace_or_else_of_itself(tmp_path: Path) -> None:
    record = recorded(tmp_path, BREAD, CAKE)
    rows = open_samples(tmp_path, record)
    assert rows is not None
    bread, cake = rows
    assert bread == {k: v for k, v in BREAD.items() if k != "trace_hash"} | {
        "arm": "on",
        "hash": "hash of bread",
    }
    assert len(cake["hash"]) == 64
    other = recorded(tmp_path, BREAD, CAKE | {"surface": "else"})
    assert other.samples is not None and record.samples is not None
    assert other.samples.sha256 != record.samples.sha256
    rows = open_samples(tmp_path, other)
    assert rows is not None and [row["hash"] for row in rows][1] != cake["hash"]


def test_figures_are_every_number_of_a_report_under_its_path() -> None:
    given = {
        "run": {"time": 1},
        "suite": {"n": 1},
        "n": 3,
        "flag": True,
        "text": "x",
        "rate": float("nan"),
        "none": None,
        "pair": [1, 2],
        "quantities": {"one": {"cases": [3, 4]}},
        "arms": {"on": {"rate": 0.0, "undefined": ["rate"], "cases": [{"capture": 1.0}]}},
        "top": [["1", None, 2]],
    }
    assert metrics_of(given) == {
        "n": 3,
        "rate": None,
        "none": None,
        "pair.0": 1,
        "pair.1": 2,
        "quantities.one.cases.0": 3,
        "quantities.one.cases.1": 4,
        "arms.on.rate": None,
    }


def test_the_suite_is_the_one_that_the_report_names() -> None:
    public = shipped_version("public")
    assert suite_in({"suite": {"split": "public", "sha256": public.sha256}}) == public
    assert suite_in({"suite": {"split": "mine.jsonl", "sha256": "ab" * 32}}).version == "sha256:abababababab"


def test_a_finished_file_of_samples_in_the_folder_is_moved_and_another_copied(tmp_path: Path) -> None:
    header = {"suite": {"name": "bakery"}}
    for folder, left in ((tmp_path / "results", False), (tmp_path, True)):
        (tmp_path / "results").mkdir(exist_ok=True)
        path = unfinished_path(folder, header)
        with SampleLog.open(path, header) as log:
            log.append([json.dumps({"id": "one", "arm": "on", "hash": "x"})])
        content = path.read_bytes()
        assert read_runs(tmp_path / "results").unfinished == (() if left else (path.name,))
        written = record_report(report(), path, tmp_path / "results", suite=SUITE)
        record = parse_record(written.read_bytes(), written.name)
        assert record.samples is not None
        assert (tmp_path / "results" / record.samples.file).read_bytes() == content
        assert path.exists() == left
        assert not read_runs(tmp_path / "results").unfinished
    assert unfinished_path(tmp_path, header) != unfinished_path(tmp_path, header | {"arm": "on"})


def test_rows_may_be_given_and_a_report_without_cases_has_no_samples(tmp_path: Path) -> None:
    path = record_report({"n": 1}, iter([{"id": "a"}, {"id": "b"}]), tmp_path, suite=SUITE)
    samples = tmp_path / f"{path.stem}.samples.jsonl"
    assert [row["id"] for row in iter_rows(samples)] == ["a", "b"]
    assert read_header(samples)["suite"]["version"] == 1
    path = record_report({"n": 2}, None, tmp_path, suite=SUITE)
    record = parse_record(path.read_bytes(), path.name)
    assert record.samples is None and record.backend is None and record.git is not None
    assert open_samples(tmp_path, record) is None
    assert len(names(tmp_path)) == 3


@pytest.mark.parametrize(("name", "nth"), [("replace", 1), ("replace", 2), ("replace", 3), ("fsync", 1)])
def test_a_full_disk_leaves_the_samples_where_they_were(
    name: str, nth: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = unfinished_path(tmp_path, {})
    with SampleLog.open(path, {}) as log:
        log.append(['{"id": "one"}'])
    real, calls = getattr(os, name), 0

    def fail(*arguments: Any) -> Any:
        nonlocal calls
        calls += 1
        if calls == nth:
            raise OSError(errno.ENOSPC, "No space left on device")
        return real(*arguments)

    monkeypatch.setattr(os, name, fail)
    samples = path if name == "replace" else [{"id": "one"}]
    with pytest.raises(
        UsageError, match=r"the run is not recorded, but its report is whole: .*No space left"
    ):
        record_report(report(), samples, tmp_path, suite=SUITE)
    assert names(tmp_path) == [path.name]
    assert [row["id"] for row in iter_rows(path)] == ["one"]


def test_a_folder_that_can_not_be_one_is_an_error_of_the_user(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    for folder in (tmp_path / "file", tmp_path / "file" / "below"):
        with pytest.raises(UsageError, match="the run is not recorded, but its report is whole"):
            record_report(report(BREAD), None, folder, suite=SUITE)
    with pytest.raises(UsageError, match="can't be read"):
        read_runs(tmp_path / "file")


def test_runs_are_listed_the_newest_first_and_found_by_prefix(tmp_path: Path) -> None:
    old = recorded(tmp_path, BREAD, time="2025-01-01T00:00:00+00:00")
    new = recorded(tmp_path, BREAD, time="2026-03-01T00:00:00+00:00")
    middle = recorded(tmp_path, BREAD, time="2026-02-01T00:00:00+00:00")
    assert read_runs(tmp_path).records == (new, middle, old)
    assert find_run(tmp_path, "latest") == new
    assert find_run(tmp_path, "2025") == find_run(tmp_path, old.id) == old
    assert find_run(tmp_path, middle.id.rpartition("-")[2]) == middle
    with pytest.raises(UsageError, match="run 2026: 2 are called so: 20260201"):
        find_run(tmp_path, "2026")
    for name in ("x", ""):
        with pytest.raises(UsageError, match=r"none in .* is called so"):
            find_run(tmp_path, name)
    with pytest.raises(UsageError, match="has no runs; core eval cognition --record makes one"):
        find_run(tmp_path / "none", "latest")


def changed(path: Path, **changes: Any) -> None:
    path.write_text(json.dumps(json.loads(path.read_text()) | changes))


@pytest.mark.parametrize(
    ("damage", "reason"),
    [
        (lambda path: path.write_text("{"), "not JSON"),
        (lambda path: path.write_text("[]"), "is no record of a run"),
        (lambda path: changed(path, format=2), "is in format 2 of records; this core reads 1"),
        (lambda path: changed(path, note="x"), "note: Extra inputs are not permitted"),
        (lambda path: changed(path, metrics={"n": "x"}), "metrics.n"),
        (lambda path: changed(path, metrics={"n": 7}), "was changed after it was written"),
    ],
)
def test_a_damaged_record_is_listed_as_such_beside_the_others(
    damage: Any, reason: str, tmp_path: Path
) -> None:
    good = recorded(tmp_path, BREAD)
    bad = recorded(tmp_path, CAKE, time="2026-05-01T00:00:00+00:00")
    damage(tmp_path / f"{bad.id}.json")
    runs = read_runs(tmp_path)
    assert runs.records == (good,)
    (broken,) = runs.damaged
    assert broken.file == f"{bad.id}.json"
    assert broken.reason.startswith(reason)
    with pytest.raises(UsageError, match="run 202605"):
        find_run(tmp_path, "202605")


def test_samples_that_are_gone_or_changed_are_not_used(tmp_path: Path) -> None:
    record = recorded(tmp_path, BREAD)
    assert record.samples is not None
    path = tmp_path / record.samples.file
    path.write_bytes(path.read_bytes().replace(b"It is", b"It was"))
    with pytest.raises(UsageError, match="was changed after it was recorded"):
        open_samples(tmp_path, record)
    path.unlink()
    with pytest.raises(UsageError, match="can't be read"):
        open_samples(tmp_path, record)


def test_the_folder_of_results_is_the_one_given_or_named_or_of_the_checkout(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(store, "ROOT", tmp_path)
    monkeypatch.setenv("CORE_RESULTS", "named")
    assert results_folder(Path("given")) == Path("given")
    assert results_folder() == Path("named")
    monkeypatch.delenv("CORE_RESULTS")
    assert results_folder() == Path("core-results")
    (tmp_path / ".git").mkdir()
    assert results_folder() == tmp_path / "experiments" / "results"
