"""The table beside the peers: what a row says, what is left of it without the peer, and that nothing is lost."""

from __future__ import annotations

import io
import json
import sys
from math import cos, sin
from pathlib import Path
from typing import Any

import jax
import numpy as np
import pytest
from rich.console import Console

from experiments.bench import all as table
from experiments.bench import correct, masked, peers, rows, timing
from experiments.bench.all import Section, bench_all, markdown, show
from experiments.bench.rows import CLIFFORD, INSTALL, PEERS, Row, judged_row, timed_row
from tests.cognition.command import Core, runner

pytestmark = pytest.mark.runtime


@pytest.fixture
def core(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Core:
    return runner(monkeypatch, capsys)


@pytest.fixture
def two_sections(monkeypatch: pytest.MonkeyPatch) -> None:
    """In the place of the real ones, which take minutes."""

    def timed(*, quick: bool) -> list[Row]:
        return [timed_row("a product", CLIFFORD, [1.0, 2.0], [4.0, 6.0] if quick else None)]

    def published(*, quick: bool) -> list[Row]:
        return [
            Row(what="a turn", unit="ms", ours=None, peer="predecessor", published="650-1,500", note="old")
        ]

    sections = (
        Section(title="Algebra", rows=timed, note="Alike."),
        Section(title="Turns", rows=published, note="Not alike."),
    )
    monkeypatch.setattr(table, "SECTIONS", sections)


def test_a_ratio_is_that_of_neighbouring_calls_in_one_unit() -> None:
    row = timed_row("steps", CLIFFORD, [2.0, 4.0, 1.0], [4.0, 4.0, 8.0], unit="µs", shares=(1000.0, 500.0))
    assert row.ours == {"median": 2000.0, "min": 1000.0, "max": 4000.0, "n": 3}
    assert row.theirs == {"median": 2000.0, "min": 2000.0, "max": 4000.0, "n": 3}
    assert row.ratio == {"median": 1.0, "min": 0.5, "max": 4.0, "n": 3}


def test_a_peer_that_is_not_installed_has_a_row_that_says_how_to_have_it() -> None:
    for row in (timed_row("x", CLIFFORD, [1.0], None), judged_row("x", "MAP", CLIFFORD, [1.0], None)):
        assert (row.theirs, row.ratio, row.version, row.note) == (None, None, None, INSTALL)
        assert row.ours is not None


def test_no_ratio_is_drawn_of_figures_of_quality() -> None:
    assert judged_row("x", "MAP", CLIFFORD, [1.0], [0.5]).ratio is None


@pytest.mark.usefixtures("two_sections")
def test_the_report_prints_as_a_table_and_as_a_page() -> None:
    told: list[str] = []
    report = bench_all(quick=True, progress=told.append)
    assert json.loads(json.dumps(report)) == report
    assert [line.split(":")[0] for line in told] == ["Algebra", "Turns"]
    assert set(report["run"]["versions"]) >= {peer.distribution for peer in PEERS}
    shown = io.StringIO()
    show(report, Console(file=shown, width=200))
    page = markdown(report)
    for text in (shown.getvalue(), page):
        assert "650-1,500 ms" in text
        assert report["run"]["machine"] in text
        assert "--quick" in text
    assert "| a product | 1.5 ms (1-2) |" in page
    assert "| 3.5 (3-4) |" in page
    assert page.count("\n| ") == 2 + 2 + 2  # head, two titles, two rows


@pytest.mark.usefixtures("two_sections")
def test_the_report_is_printed_where_the_page_can_t_be_written(core: Core, tmp_path: Any) -> None:
    done = core("bench", "all", "--json", "--write", str(tmp_path / "nowhere" / "peers.md"))
    assert done.code == 2
    assert json.loads(done.out)["sections"][0]["rows"][0]["note"] == INSTALL
    assert done.err.splitlines()[-1].startswith("core: --write ")
    assert core("bench", "all", "--write", str(tmp_path / "peers.md")).code == 0
    assert (tmp_path / "peers.md").read_text(encoding="utf-8").startswith("# Beside the peers")


@pytest.mark.slow
def test_our_answers_are_all_right_and_our_steps_timed_without_any_peer(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(rows.Peer, "load", lambda self: None)
    monkeypatch.setattr(masked, "SIZES", (334,))
    for row in correct.correct_rows(quick=True):
        assert row.ours is not None
        assert row.unit == f"of {row.ours['median']:.0f} right"
        assert row.note == INSTALL
    timed = masked.masked_rows(quick=True)
    assert timed
    assert all(row.ours is not None and row.ours["min"] > 0 for row in timed)


@pytest.mark.usefixtures("two_sections")
def test_a_report_that_can_t_be_written_does_not_keep_the_page_from_being(core: Core, tmp_path: Path) -> None:
    gone = tmp_path / "gone"
    done = core("bench", "all", "--out", str(gone / "report.json"), "--write", str(gone / "page.md"))
    assert done.code == 2
    assert done.err.splitlines()[-1].startswith(f"core: --out {gone}")
    assert f"; --write {gone}" in done.err.splitlines()[-1]
    assert (
        core("bench", "all", "--out", str(gone / "report.json"), "--write", str(tmp_path / "page.md")).code
        == 2
    )
    assert (tmp_path / "page.md").exists()


def test_no_token_begins_another_one() -> None:
    tokens = [masked._token(number) for number in range(max(masked.SIZES))]
    assert len(set(tokens)) == len(tokens)
    assert all(text.endswith(" ") and text.count(" ") == 1 for text in tokens)


def test_our_walks_take_all_their_steps_inside_the_region() -> None:
    ours = masked._Ours(60)
    numbers = [0, 3, 3]
    outcomes = ours.walks(numbers)()
    for number, outcome in zip(numbers, outcomes, strict=True):
        assert len(set(outcome.indices)) == masked.STEPS
        assert set(outcome.indices) <= set(ours.regions[number])
        assert (
            outcome.indices[0] == ours.anchors[number][0]
        )  # the walk starts there, and a word is nearest to itself


def test_the_masked_walk_runs_without_its_peers(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(timing, "SECONDS", 0.0)
    monkeypatch.setattr(masked, "SIZES", (40,))
    monkeypatch.setattr(masked, "WALKS", (1, 2))
    for peer in masked.SIDES:
        monkeypatch.setitem(sys.modules, peer.module, None)
    found = masked.masked_rows(quick=True)
    assert len(found) == 3 * len(masked.SIDES)
    assert {row.note for row in found} == {INSTALL}
    assert all(row.ours is not None and row.ours["min"] > 0 for row in found)
    assert "lmformatenforcer is not installed" in capsys.readouterr().err


@pytest.mark.oracle
@pytest.mark.parametrize("peer", masked.SIDES, ids=lambda peer: peer.name)
def test_masks_of_the_peers_hold_the_region_and_no_other_word(peer: rows.Peer) -> None:
    module = pytest.importorskip(peer.module)
    ours = masked._Ours(100)
    side = masked.SIDES[peer](module, [masked._token(number) for number in range(100)])
    assert masked._same(side, ours.regions) == len(ours.regions)
    path = ours.regions[0][: masked.STEPS]
    side.begin([side.compile(ours.regions[0])] * 2, [path, path[::-1]])()


def test_an_answer_is_right_wrong_not_finite_or_refused() -> None:
    wanted = np.array([2.0, 0.0])

    def refuse(given: Any) -> Any:
        raise NotImplementedError

    answers = {
        "right": lambda given: wanted + 1e-9,
        "off by up to 1e-08": lambda given: wanted + 1e-8,
        "off by up to 10": lambda given: -wanted - 1.0,
        "of the opposite sign": lambda given: -wanted,
        "not finite": lambda given: wanted * np.nan,
        "NotImplementedError": refuse,
    }
    for verdict, answer in answers.items():
        assert correct._verdict(answer, wanted, wanted) == verdict
    row = correct._judged("x", CLIFFORD, lambda x: x, refuse, [wanted] * 3, [wanted] * 3)
    assert (row.ours, row.theirs) == (
        {"median": 3, "min": 3, "max": 3, "n": 1},
        {"median": 0, "min": 0, "max": 0, "n": 1},
    )
    assert row.note == "3 NotImplementedError"


@pytest.mark.slow
def test_the_judge_knows_turns_and_boosts() -> None:
    with jax.enable_x64(True):
        judge = correct._Judge()
        for terms, wanted in (
            ({"e12": 0.4}, {"1": cos(0.4), "e12": sin(0.4)}),
            ({"e15": 0.4}, {"1": np.cosh(0.4), "e15": np.sinh(0.4)}),
            ({"e14": 1.5, "e15": 1.5}, {"1": 1.0, "e14": 1.5, "e15": 1.5}),
        ):
            found = judge.exp(correct._components(terms))
            np.testing.assert_allclose(found, correct._components(wanted), atol=1e-13)
        slope = judge.derivative(correct._components({"e12": 0.4}))
        np.testing.assert_allclose(slope, correct._components({"1": -sin(0.4), "e12": cos(0.4)}), atol=1e-13)


def test_a_random_tree_is_closed_and_has_one_root() -> None:
    tree = peers.random_tree(40)
    assert len(tree) == 40
    assert tree.closed
    assert int(tree.roots.sum()) == 1
