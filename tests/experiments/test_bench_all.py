"""The table beside the peers: what a row says, what is left of it without the peer, and that nothing is lost."""

from __future__ import annotations

import io
import json
from typing import Any

import pytest
from rich.console import Console

from experiments.bench import all as table
from experiments.bench import correct, masked, rows
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
