"""The shipped pack, opened once, and turns under the settings that tests ask for."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from cognition import CognitiveTurnResult, Runtime, RuntimeConfig, Vocabulary
from tests.cognition import small_pack
from tests.cognition.command import Core, runner

EVERY_WORD = 4096


@pytest.fixture(scope="session")
def shipped() -> Vocabulary:
    """The shipped pack, on NumPy."""
    return Runtime.open().vocabulary


@pytest.fixture(scope="session")
def runtime(shipped: Vocabulary) -> Runtime:
    """The shipped pack under default settings."""
    return Runtime(shipped)


@pytest.fixture(scope="session")
def runtime_with(shipped: Vocabulary) -> Callable[..., Runtime]:
    """The shipped pack under other settings, given as keywords of `RuntimeConfig`."""

    @cache
    def build(**config: Any) -> Runtime:
        return Runtime(shipped, RuntimeConfig(**config))

    return build


@pytest.fixture(scope="session")
def far_runtime(runtime_with: Callable[..., Runtime]) -> Runtime:
    """A walk long enough to stand on every word, so that an answer rests on evidence and not on nearness."""
    return runtime_with(max_tokens=EVERY_WORD)


@pytest.fixture(scope="session")
def ask(far_runtime: Runtime) -> Callable[[str], CognitiveTurnResult]:
    return far_runtime.ask


@pytest.fixture(scope="session")
def bakery() -> Vocabulary:
    """Twelve words on a line; see `small_pack.BAKERY`."""
    return small_pack.vocabulary_of()


@pytest.fixture(scope="session")
def sound(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The bakery as a pack on disk."""
    return small_pack.write_pack(tmp_path_factory.mktemp("sound") / "pack")


@pytest.fixture
def folder(sound: Path, tmp_path: Path) -> Path:
    """A copy of it to break."""
    return Path(shutil.copytree(sound, tmp_path / "pack"))


@pytest.fixture
def core(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Core:
    """Runs the command in this process, with bytes on its standard input."""
    return runner(monkeypatch, capsys)
