"""A handful of cases about the bakery, for the characterisation."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from cognition.packs.vocabulary import Vocabulary
from experiments.metrics.cases import Suite, load_suite
from experiments.metrics.lexicon import Lexicon
from tests.experiments.cases import OVEN, case_row

TOP_KS = (1, 2, 3, 6, 12)
ROWS: tuple[dict[str, Any], ...] = (
    case_row(),
    {
        "id": "does",
        "prompt": "Does bread require flour?",
        "category": "verification",
        "intent": "verification",
        "expect": [{"term": "oven", "evidence": OVEN, "by": "walk"}],
    },
    {"id": "wombat", "prompt": "What is a wombat?", "category": "refusal"},
    {"id": "cake", "prompt": "What is cake?", "category": "more"},
    {"id": "toast", "prompt": "What is toast?", "category": "more"},
)


def bakery_suite(bakery: Vocabulary, folder: Path) -> Suite:
    path = folder / "cases.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in ROWS), encoding="utf-8")
    return load_suite(path, Lexicon(bakery))
