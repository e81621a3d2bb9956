"""Cases and answers made by hand about the bakery of `tests.cognition.small_pack`."""

from __future__ import annotations

from typing import Any

from experiments.metrics.answer import Answer
from experiments.metrics.cases import Case

FLOUR, WATER = "rel:bread.n.1:requires:flour.n.1", "rel:bread.n.1:requires:water.n.1"
OVEN, CAKE_FLOUR = "rel:oven.n.1:enables:bread.n.1", "rel:cake.n.1:requires:flour.n.1"
BREAD_IS = "gloss:bread.n.1"


def case_row(**changes: Any) -> dict[str, Any]:
    row = {
        "id": "one",
        "prompt": "What is bread?",
        "category": "definition",
        "intent": "definition",
        "expect": [
            {"term": "food", "evidence": BREAD_IS, "by": "gloss"},
            {"any_of": ["flour", "water"], "any_evidence": [FLOUR, WATER], "by": "walk"},
        ],
    }
    return row | changes


def case(**changes: Any) -> Case:
    return Case.model_validate(case_row(**changes))


def answer(*sentences: tuple[str, tuple[str, ...]], **more: Any) -> Answer:
    return Answer(surface=" ".join(text for text, _ in sentences), sentences=sentences, **more)


GLOSS = ("Bread is food made of flour and water.", (BREAD_IS,))
RELATION = ("Bread requires flour.", (FLOUR,))
RIGHT = answer(GLOSS, RELATION, intent="definition", walk=("bread", "flour"))
