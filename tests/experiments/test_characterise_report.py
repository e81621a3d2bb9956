"""What the characterisation concludes and writes: verdicts, the page, its pictures, the command."""

from __future__ import annotations

import copy
import json
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from cognition.config import RuntimeConfig
from cognition.packs.vocabulary import Vocabulary
from experiments import cli
from experiments.characterise import (
    characterise,
    follows,
    held_out,
    losses,
)
from experiments.characterise.figures import PICTURES, save_figures
from experiments.characterise.markdown import NO_PICTURES, markdown
from experiments.characterise.report import write_report
from experiments.characterise.run import PARTS
from experiments.characterise.verdict import sizes
from experiments.harness import UsageError
from experiments.metrics.cases import Suite
from tests.experiments.bakery_cases import ROWS, TOP_KS, bakery_suite

PNG_MOST = 100_000


@pytest.fixture(scope="module")
def suite(bakery: Vocabulary, tmp_path_factory: pytest.TempPathFactory) -> Suite:
    return bakery_suite(bakery, tmp_path_factory.mktemp("cases"))


def shares(value: Any) -> Iterator[dict[str, Any]]:
    """Every share with an interval that a report holds."""
    if isinstance(value, dict):
        if {"mean", "low", "high"} <= set(value):
            yield value
        for inner in value.values():
            yield from shares(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from shares(inner)


@pytest.mark.slow
def test_every_part_has_its_place_on_the_page(
    report: dict[str, Any], suite: Suite, bakery: Vocabulary, tmp_path: Path
) -> None:
    pytest.importorskip("matplotlib")
    whole = copy.deepcopy(report)
    whole["held_out"] = held_out(bakery, folds=2, top_ks=TOP_KS, refit=lambda vocabulary, _: vocabulary)
    whole["losses"] = losses(suite, bakery, top_k=3, fit=lambda problem, without: bakery.points)
    assert save_figures(whole, tmp_path) == list(PICTURES)
    page = markdown(whole, PICTURES)
    assert page.count("\n## ") == len(PARTS) + 2
    assert page.count("![") == len(PICTURES)
    check_tables(page)


def difference(value: float, spread: float = 0.01) -> dict[str, Any]:
    return {"n": 9, "difference": value, "low": value - spread, "high": value + spread}


def share(value: float) -> dict[str, Any]:
    return {"n": 9, "mean": value, "low": value - 0.01, "high": value + 0.01}


def judged(gains: float, answers: float, unseen: float | None) -> dict[str, Any]:
    """A report with nothing but the figures that the default rests on."""
    usual = RuntimeConfig().top_k
    row = {
        "top_k": usual,
        "terms": share(0.5),
        "answered": share(0.9),
        "grounded": share(1.0),
        "changed": share(0.1),
        "exhausted": 0,
        "minus_off": {"terms": difference(gains), "answered": difference(answers)},
        "minus_default": {"terms": difference(0.0)},
    }
    report: dict[str, Any] = {
        "top_k": {
            "default": usual,
            "terms": 9,
            "rows": [row],
            "off": {"terms": share(0.4), "grounded": share(1.0)},
        }
    }
    if unseen is not None:
        other = {"top_k": usual, "said": share(0.5), "minus_off": {"said": difference(unseen)}}
        report["held_out"] = {"sizes": {"held_out": {"rows": [other], "off": {"said": share(0.5)}}}}
    return report


@pytest.mark.parametrize(
    ("gains", "answers", "unseen", "default"),
    [
        (0.3, 0.0, 0.0, "on"),
        (0.3, 0.1, 0.1, "on"),
        (0.3, 0.0, -0.2, "off"),
        (0.3, -0.2, 0.0, "off"),
        (0.0, 0.0, 0.0, "off"),
        (-0.3, 0.0, 0.0, "off"),
        (0.3, 0.0, None, "open"),
        (0.3, -0.2, None, "off"),
        (0.0, 0.0, None, "off"),
    ],
)
def test_the_default_follows_from_the_figures(
    gains: float, answers: float, unseen: float | None, default: str
) -> None:
    found = follows(judged(gains, answers, unseen))
    assert found["default"] == default
    assert found["as_shipped"] == (default != "on")
    heading = {"on": "On; it ships off.", "off": "Off; it ships off.", "open": "None yet; it stays off."}
    assert f"**{heading[default]}**" in found["answers"]["default"]
    ground = "A default must not lose what is on record"
    assert (ground in found["answers"]["default"]) == (unseen is not None and unseen < 0)


def test_nothing_measured_leaves_the_default_open() -> None:
    found = follows({})
    assert (found["default"], found["as_shipped"], found["top_k"]) == ("open", True, None)


def test_the_best_size_loses_no_answer() -> None:
    def row(top_k: int, met: float, answers: float, gains: float) -> dict[str, Any]:
        gaps = {"answered": difference(answers), "terms": difference(gains)}
        return {"top_k": top_k, "terms": share(met), "minus_off": gaps}

    rows = [row(1, 0.99, -0.3, 0.5), row(2, 0.8, 0.0, 0.4), row(4, 0.8, 0.0, 0.4), row(8, 0.6, 0.0, 0.2)]
    found = sizes([*rows, row(16, 0.4, 0.0, 0.0), row(32, 0.5, 0.0, 0.1)], "terms")
    assert found == {"loses_up_to": 1, "best": 2, "gains_up_to": 8}
    assert sizes(rows[:1], "terms") == {"loses_up_to": 1, "best": None, "gains_up_to": None}


def check_tables(page: str) -> None:
    """Every row of a table has its columns, and something in each that says a thing."""
    table: list[int] = []
    for line in page.splitlines():
        table = [*table, line.count("|")] if line.startswith("|") else []
        assert len(set(table)) <= 1, line
        assert not table or "None" not in line


@pytest.fixture(scope="module")
def report(suite: Suite, bakery: Vocabulary) -> dict[str, Any]:
    return characterise(suite, bakery, quick=True, top_ks=(1, 3, 8))


def test_a_quick_report_holds_shares_and_comes_out_the_same(
    report: dict[str, Any], suite: Suite, bakery: Vocabulary
) -> None:
    assert {"engagement", "top_k", "overlap", "exhaustion", "lift", "follows"} <= set(report)
    assert not {"held_out", "losses"} & set(report)
    found = [value for value in shares(report) if value["mean"] is not None]
    assert len(found) > 50
    assert all(0 <= value["low"] <= value["mean"] <= value["high"] <= 1 for value in found)
    parts = ("engagement", "top_k", "overlap", "lift")
    again = characterise(suite, bakery, quick=True, top_ks=(1, 3, 8), parts=parts)
    for part in (*parts, "follows"):
        assert json.dumps(again[part], allow_nan=False) == json.dumps(report[part], allow_nan=False)


def test_the_page_answers_first_and_names_what_was_measured(report: dict[str, Any]) -> None:
    page = markdown(report, {"top_k"})
    headings = [line for line in page.splitlines() if line.startswith("#")]
    assert headings[1] == "## The answers"
    assert headings[-1] == "## How it was measured"
    assert page.count("\n- ") >= 5
    assert page.count("![") == page.count("](images/characterise/top_k.png)") == 1
    assert report["run"]["pack"]["sha256"] in page
    assert report["suite"]["sha256"] in page
    assert NO_PICTURES not in page
    check_tables(page)
    assert NO_PICTURES in markdown(report, ())


def test_pictures_are_small_and_come_out_the_same(report: dict[str, Any], tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    made = [save_figures(report, folder) for folder in (_made(tmp_path / "a"), _made(tmp_path / "b"))]
    assert made[0] == made[1] == ["engagement", "top_k", "overlap", "wanted", "lift"]
    for name in made[0]:
        first, second = ((tmp_path / folder / f"{name}.png").read_bytes() for folder in "ab")
        assert first == second
        assert len(first) < PNG_MOST


def test_without_matplotlib_the_page_says_what_to_install(
    report: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    page = write_report(report, tmp_path).read_text(encoding="utf-8")
    assert "pip install core-cognition[notebooks]" in page
    assert "![" not in page


def test_saved_parts_are_taken_over_and_strangers_refused(
    report: dict[str, Any], suite: Suite, bakery: Vocabulary
) -> None:
    measured: list[str] = []
    saved = copy.deepcopy(report)
    saved["overlap"]["prompts"] = 77
    found = characterise(suite, bakery, parts=("lift",), saved=saved, progress=measured.append)
    assert (measured, found["overlap"]["prompts"]) == ([], 77)
    saved["suite"]["sha256"] = "0" * 64
    with pytest.raises(UsageError, match="of another suite"):
        characterise(suite, bakery, parts=("lift",), saved=saved)
    with pytest.raises(UsageError, match="format None"):
        characterise(suite, bakery, parts=("lift",), saved={"suite": {}, "run": {}})
    with pytest.raises(UsageError, match="part: unknown 'lifts'"):
        characterise(suite, bakery, parts=("lifts",))


def _made(folder: Path) -> Path:
    folder.mkdir()
    return folder


@pytest.fixture
def core(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Callable[..., tuple[int, str, str]]:
    """Runs `core characterise` in this process: exit code, stdout, stderr."""

    def run(*arguments: str) -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "argv", ["core", "characterise", *arguments])
        with pytest.raises(SystemExit) as ended:
            cli.main()
        captured = capsys.readouterr()
        code = ended.value.code
        return (code if isinstance(code, int) else 0, captured.out, captured.err)

    return run


@pytest.fixture
def asked(case_file: Callable[..., Path], bakery_folder: Path) -> list[str]:
    return ["--split", str(case_file(*ROWS)), "--pack", str(bakery_folder)]


def test_the_command_writes_a_report_and_writes_it_again(
    core: Callable[..., tuple[int, str, str]], asked: list[str], tmp_path: Path
) -> None:
    sizes_of = ("--top-k", "2", "--top-k", "8", "--part", "top_k")
    code, out, err = core(*asked, *sizes_of, "--json", "--out", str(tmp_path / "new"))
    assert (code, err.splitlines()[0]) == (0, "measuring top_k ...")
    saved = tmp_path / "saved.json"
    saved.write_text(out, encoding="utf-8")
    assert [row["top_k"] for row in json.loads(out)["top_k"]["rows"]] == [2, 8]
    page = (tmp_path / "new" / "characterisation.md").read_text(encoding="utf-8")
    code, out, err = core(*asked, "--part", "top_k", "--from", str(saved), "--out", str(tmp_path / "again"))
    assert (code, "measuring" in err) == (0, False)
    assert "Which default follows?" in out
    again = (tmp_path / "again" / "characterisation.md").read_text(encoding="utf-8")
    assert again.splitlines()[:-1] == page.splitlines()[:-1]  # the last line has the date


@pytest.mark.slow
def test_quick_measures_all_that_needs_no_fit(
    core: Callable[..., tuple[int, str, str]], asked: list[str], tmp_path: Path
) -> None:
    code, out, err = core(*asked, "--quick", "--out", str(tmp_path))
    assert code == 0
    assert [line.split()[1] for line in err.splitlines()[:-1]] == [
        "engagement",
        "top_k",
        "overlap",
        "exhaustion",
        "lift",
    ]
    assert "Which default follows?" in out
    page = (tmp_path / "characterisation.md").read_text(encoding="utf-8")
    assert "was not measured, and decides" in page


@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        (["--split", "none.jsonl"], "core: none.jsonl: can't be read"),
        (["--part", "lifts"], "core: part: unknown 'lifts'"),
        (["--from", "none.json"], "core: --from none.json: can't be read"),
        (["--out", "/dev/null/report"], "core: --out /dev/null/report: can't be written"),
        (["--pack", "no_such_pack"], "core: no_such_pack: no pack of this id"),
    ],
)
def test_what_can_t_be_used_is_one_line(
    arguments: list[str], line: str, core: Callable[..., tuple[int, str, str]], asked: list[str]
) -> None:
    code, out, err = core(*asked, "--quick", *arguments)
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert err.startswith(line)


@pytest.mark.parametrize("arguments", [["--top-k", "0"], ["--folds", "1"], ["--quick", "now"]])
def test_wrong_usage_exits_with_2(
    arguments: list[str], core: Callable[..., tuple[int, str, str]], asked: list[str]
) -> None:
    code, out, err = core(*asked, *arguments)
    assert (code, out) == (2, "")
    assert "Traceback" not in err


@pytest.mark.parametrize("content", ["{", "[]", '{"suite": {}}'])
def test_a_file_that_is_no_report_is_one_line(
    content: str, core: Callable[..., tuple[int, str, str]], asked: list[str], tmp_path: Path
) -> None:
    path = tmp_path / "saved.json"
    path.write_text(content, encoding="utf-8")
    code, out, err = core(*asked, "--from", str(path))
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert err.startswith(f"core: --from {path}: no")
