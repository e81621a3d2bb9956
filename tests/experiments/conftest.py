"""The bakery opened for scoring, and the shipped pack."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from cognition.packs.vocabulary import Vocabulary
from cognition.runtime import Runtime
from experiments.metrics.lexicon import Lexicon
from tests.cognition import small_pack

STOP_WORDS = ("a", "an", "and", "do", "does", "how", "i", "is", "it", "not", "of", "the", "to", "what", "why")


@pytest.fixture(scope="session")
def bakery() -> Vocabulary:
    """Twelve words on a line; see `tests.cognition.small_pack`."""
    return small_pack.vocabulary_of(stop_words=STOP_WORDS)


@pytest.fixture(scope="session")
def lexicon(bakery: Vocabulary) -> Lexicon:
    return Lexicon(bakery)


@pytest.fixture
def bakery_folder(tmp_path: Path) -> Path:
    """The same pack as a folder."""
    return small_pack.write_pack(tmp_path / "bakery", stop_words=STOP_WORDS)


@pytest.fixture
def case_file(tmp_path: Path) -> Callable[..., Path]:
    """Writes rows, or raw lines, to a case file."""

    def write(*rows: dict[str, Any] | str) -> Path:
        path = tmp_path / "cases.jsonl"
        lines = [row if isinstance(row, str) else json.dumps(row) for row in rows]
        path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
        return path

    return write


@pytest.fixture(scope="session")
def shipped() -> Vocabulary:
    """The shipped pack, on NumPy."""
    return Runtime.open().vocabulary
