"""`core runs` and `--record`: what is printed, in which format, with which exit status."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cognition.command import Core, runner
from tests.experiments.runs import SUITE, case, recorded

LATER = "2026-06-01T00:00:00+00:00"


@pytest.fixture
def core(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> Core:
    """Runs the command in this process; results go to a folder of the test's own."""
    monkeypatch.setenv("CORE_RESULTS", str(tmp_path / "results"))
    return runner(monkeypatch, capsys)


@pytest.fixture
def results(tmp_path: Path) -> Path:
    return tmp_path / "results"


def test_an_empty_folder_says_how_to_make_a_run(core: Core, results: Path) -> None:
    done = core("runs", "list")
    assert (done.code, done.err) == (0, "")
    assert done.out == f"{results} has no runs; core eval cognition --record makes one\n"
    for arguments in (["show", "latest"], ["compare", "a", "b"]):
        done = core("runs", *arguments)
        assert (done.code, done.out) == (2, "")
        assert "has no runs; core eval cognition --record makes one" in done.err
        assert done.err.count("\n") == 1


def test_runs_are_listed_and_shown(core: Core, results: Path) -> None:
    old = recorded(results, case("bread"))
    new = recorded(results, case("bread"), case("cake"), time=LATER, git={"commit": "a" * 40, "dirty": True})
    (results / "x.json").write_text("{")
    (results / "unfinished-x.samples.jsonl").write_text("")
    lines = core("runs", "list").out.splitlines()
    assert lines[0] == f"{new.id}  bakery 1, 2 samples  aaaaaaa*"
    assert lines[3] == f"{old.id}  bakery 1, 1 samples  c0ffeec"
    assert lines[6].startswith("damaged: x.json: not JSON")
    assert lines[7].startswith("unfinished: unfinished-x.samples.jsonl")
    listed = json.loads(core("runs", "list", "--json").out)
    assert [run["id"] for run in listed["runs"]] == [new.id, old.id]
    assert (len(listed["damaged"]), len(listed["unfinished"])) == (1, 1)
    shown = core("runs", "show", "latest", "--dir", str(results)).out
    for text in (new.id, "core eval", "bakery version 1", "a" * 40, "top_k 8", "arms.on.n"):
        assert text in shown
    assert json.loads(core("runs", "show", old.id[:8], "--json").out) == old.model_dump()


def test_a_comparison_says_what_changed_and_may_fail(core: Core, results: Path) -> None:
    first = recorded(results, case("bread"), case("cake"))
    second = recorded(results, case("bread"), case("cake", surface="[x]", capture=0.0), time=LATER)
    done = core("runs", "compare", first.id, "latest")
    assert (done.code, done.err) == (0, "")
    for text in (
        f"{first.id} -> {second.id}, suite bakery version 1",
        "same commit, versions, pack, configuration and machine",
        "samples: 1 the same, 1 changed, 0 only in the first, 0 only in the second",
        "cake [on] What is cake?\n  surface: It is cake.\n    -> [x]\n",
        "capture, on",
        "no figure of the report differs",
    ):
        assert text in done.out
    report = json.loads(core("runs", "compare", first.id, "latest", "--json").out)
    assert (report["samples"]["changed"], report["changed"]) == (1, True)
    assert core("runs", "compare", first.id, "latest", "--fail-on-change").code == 1
    assert core("runs", "compare", "latest", "latest", "--fail-on-change").code == 0


def test_a_hash_alone_is_shown_and_else_left_out(core: Core, results: Path) -> None:
    first = recorded(results, case("bread"), case("cake"))
    recorded(results, case("bread", trace_hash="x"), case("cake", surface="x", trace_hash="y"), time=LATER)
    out = core("runs", "compare", first.id, "latest").out
    assert "  hash: hash of bread\n    -> x\n" in out
    assert "hash of cake" not in out


def test_other_versions_of_a_suite_are_refused_with_one_line(core: Core, results: Path) -> None:
    import dataclasses

    first = recorded(results, case("bread"))
    recorded(results, case("bread"), suite=dataclasses.replace(SUITE, version=2), time=LATER)
    done = core("runs", "compare", first.id, "latest")
    assert (done.code, done.out, done.err.count("\n")) == (2, "", 1)
    assert "is of suite bakery version 1" in done.err and "of version 2" in done.err


@pytest.mark.parametrize(
    "arguments",
    [["nonsense"], ["show"], ["compare", "a"], ["compare", "a", "b", "--limit", "-1"], ["list", "x"]],
)
def test_wrong_usage_exits_with_2(arguments: list[str], core: Core) -> None:
    done = core("runs", *arguments)
    assert (done.code, done.out) == (2, "")
    assert done.err and "Traceback" not in done.err


def test_an_evaluation_is_recorded_where_it_is_asked_for(
    core: Core, results: Path, bakery_folder: Path, tmp_path: Path
) -> None:
    evaluation = ["eval", "geometry", "--pack", str(bakery_folder), "--backend", "numpy"]
    assert core(*evaluation).code == 0
    assert not results.exists()
    done = core(*evaluation, "--record", "--json")
    assert done.code == 0
    report = json.loads(done.out)
    run = json.loads(core("runs", "show", "latest", "--json").out)
    assert done.err == f"recorded: {results / run['id']}.json\n"
    assert run["suite"]["name"] == "geometry" and run["samples"] is None
    assert run["metrics"]["own_nearest"] == report["own_nearest"]
    assert run["command"] == ["core", *evaluation, "--record", "--json"]
    assert core(*evaluation, "--record-dir", str(tmp_path / "other")).code == 0
    assert len(list((tmp_path / "other").glob("*.json"))) == 1


def test_what_was_reported_is_printed_though_it_can_not_be_recorded(
    core: Core, bakery_folder: Path, tmp_path: Path
) -> None:
    (tmp_path / "file").write_text("x")
    evaluation = ["eval", "geometry", "--pack", str(bakery_folder), "--backend", "numpy", "--json"]
    done = core(*evaluation, "--out", "none/x.json")
    assert (done.code, done.err) == (
        2,
        "core: --out none/x.json: can't be written (No such file or directory)\n",
    )
    assert json.loads(done.out)["own_nearest"] == 1.0
    done = core(*evaluation, "--record-dir", str(tmp_path / "file"), "--out", str(tmp_path / "none" / "x"))
    assert done.code == 2
    assert json.loads(done.out)["own_nearest"] == 1.0
    assert done.err.count("\n") == 1
    assert "--out" in done.err and "the run is not recorded, but its report is whole" in done.err


def test_recognition_keeps_its_sentences_as_samples(
    core: Core, results: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("CORE_DATA", raising=False)
    assert core("eval", "recognition", "--record").code == 0
    run = json.loads(core("runs", "show", "latest", "--json").out)
    assert (run["suite"]["name"], run["suite"]["version"]) == ("recognition", 1)
    rows = [json.loads(line) for line in (results / run["samples"]["file"]).read_text().splitlines()[1:]]
    metrics = run["metrics"]
    counted = {
        "published": [f"published.{name}" for name in ("positives", "refused_at_layer", "phase1")],
        "dev": ["dev"],
    }
    for arm, names in counted.items():
        of_arm = [row["right"] for row in rows if row["arm"] == arm]
        assert [sum(of_arm), len(of_arm)] == [sum(metrics[f"{name}.{i}"] for name in names) for i in (0, 1)]
    families = [row for row in rows if row["arm"] == "families"]
    assert sum(row["right"] for row in families) == metrics["families.all.right"]
    assert len({(row["arm"], row["id"]) for row in rows}) == len(rows)
