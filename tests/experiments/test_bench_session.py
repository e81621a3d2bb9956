"""The benchmark of a long session makes one of the asked length, and reports every row."""

from __future__ import annotations

import io
from pathlib import Path

import pytest
from rich.console import Console

from cognition import Runtime
from cognition.session import SessionStore
from experiments.bench import session
from experiments.harness import to_json


def test_every_row_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in {"OPENINGS": 2, "TURNS": 2, "CHUNK": 70}.items():
        monkeypatch.setattr(session, name, value)
    report = session.bench_session("en_core_cognition_v1", events=150)
    to_json(report)
    shown = io.StringIO()
    session.show(report, Console(file=shown, width=120))
    for label, key in session.ROWS:
        assert 0 < report[key]["median"] <= report[key]["p99"]
        assert label in shown.getvalue()
    assert report["run"]["machine"] in shown.getvalue()
    assert "150 events" in shown.getvalue()


def test_the_session_is_of_the_asked_length(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(session, "CHUNK", 70)
    session._make(tmp_path / "s", Runtime.open(), 150)
    with SessionStore(tmp_path / "s") as store:
        assert store.tail("main").seq == 150
        assert len(store.undone("main")) == 150 // session.UNDO_EVERY
