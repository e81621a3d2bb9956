"""ADR-0047's table comes out row by row under its contract."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from cognition.packs.vocabulary import Vocabulary
from experiments.engagement import PUBLISHED_FILE, engagement
from experiments.metrics.cases import load_suite
from experiments.metrics.lexicon import Lexicon
from tests.experiments.cases import case_row

pytestmark = pytest.mark.cognition


@pytest.fixture(scope="module")
def report(shipped: Vocabulary) -> dict[str, Any]:
    return engagement(load_suite("public", Lexicon(shipped)), shipped)


def test_the_published_table_has_six_constrained_rows() -> None:
    rows = [json.loads(line) for line in PUBLISHED_FILE.read_text(encoding="utf-8").splitlines()]
    assert [i for i, row in enumerate(rows, 1) if row["region"] == "graph:p0"] == [3, 4, 5, 6, 7, 11]
    assert len(rows) == 13


def test_the_phrase_contract_gives_the_published_table(report: dict[str, Any]) -> None:
    phrase = report["contracts"]["phrase"]
    assert [row["prompt"] for row in phrase["rows"] if not row["as_published"]] == []
    assert (phrase["as_published"], phrase["published"], phrase["constrained"]) == (13, 13, 6)


def test_the_head_contract_constrains_them_all(report: dict[str, Any]) -> None:
    head = report["contracts"]["head"]
    assert head["constrained"] == 13
    assert "light.n.1" in next(row for row in head["rows"] if row["prompt"] == "What is light?")["words"]


def test_other_prompts_are_not_compared(bakery: Vocabulary, case_file: Callable[..., Path]) -> None:
    rows = [
        case_row(),
        case_row(id="empty", prompt=" ", intent="unknown", expect=[], refusal="empty_input"),
    ]
    found = engagement(load_suite(case_file(*rows), Lexicon(bakery)), bakery)["contracts"]["phrase"]
    assert (found["published"], found["as_published"], len(found["rows"])) == (0, 0, 1)
