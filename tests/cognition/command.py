"""The `core` command, run in the process of the tests."""

from __future__ import annotations

import io
import sys
from collections.abc import Callable
from dataclasses import dataclass

import pytest

from experiments import cli


@dataclass(frozen=True, slots=True)
class Done:
    code: int
    out: str
    err: str


Core = Callable[..., Done]


def runner(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Core:
    """Runs the command with bytes on its standard input."""

    def run(*arguments: str, given: bytes = b"") -> Done:
        monkeypatch.setattr(sys, "argv", ["core", *arguments])
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(given), encoding="utf-8"))
        with pytest.raises(SystemExit) as ended:
            cli.main()
        captured = capsys.readouterr()
        return Done(ended.value.code if isinstance(ended.value.code, int) else 0, captured.out, captured.err)

    return run
