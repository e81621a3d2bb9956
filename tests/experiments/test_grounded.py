"""A sentence is grounded where it says all its evidence and nothing else; each way to fail is tried."""

from __future__ import annotations

import pytest

from experiments.metrics.grounded import read
from experiments.metrics.lexicon import Lexicon

pytestmark = pytest.mark.cognition

PROMPT = "Why does bread require flour? How do I bake a cake?"
FLOUR, WATER = "rel:bread.n.1:requires:flour.n.1", "rel:bread.n.1:requires:water.n.1"
WHEAT, NO_SALT = "rel:flour.n.1:requires:wheat.n.1", "rel:bread.n.1:not:requires:salt.n.1"
CAKE, CAKE_FLOUR = "rel:bread.n.1:contrasts_with:cake.n.1", "rel:cake.n.1:requires:flour.n.1"
OVEN, TOAST = "rel:oven.n.1:enables:bread.n.1", "rel:toast.n.1:is_a:bread.n.1"
MIX, KNEAD = "rel:mix.v.1:step_of:bake.v.1", "rel:knead.v.1:step_of:bake.v.1"
BREAD_IS, CAKE_IS, MIX_IS = "gloss:bread.n.1", "gloss:cake.n.1", "gloss:mix.v.1"

GROUNDED = [
    ("Bread requires flour.", [FLOUR]),
    ("Bread does not require salt.", [NO_SALT]),
    ("Bread doesn’t require salt.", [NO_SALT]),
    ("Bread requires flour and water.", [FLOUR, WATER]),
    ("Bread and a cake require flour.", [FLOUR, CAKE_FLOUR]),
    ("Both bread and cake require flour.", [FLOUR, CAKE_FLOUR]),
    ("Bread requires flour, and flour requires wheat.", [FLOUR, WHEAT]),
    ("Bread does not require salt, but bread requires water.", [NO_SALT, WATER]),
    ("A cake contrasts with bread.", [CAKE]),
    ("Bread contrasts with cakes.", [CAKE]),
    ("Toast is a kind of bread.", [TOAST]),
    ("Bread exists because an oven enables it.", [OVEN]),
    ("Both are tied to flour: bread requires flour, and a cake requires flour.", [FLOUR, CAKE_FLOUR]),
    ("Yes: bread requires flour.", [FLOUR]),
    ("No: bread does not require salt.", [NO_SALT]),
    ("That is not so: bread does not require salt.", [NO_SALT]),
    ("Bread is food made of flour and water.", [BREAD_IS]),
    ("On record, bread is food made of flour and water.", [BREAD_IS]),
    ("From memory: bread is food made of flour and water.", [BREAD_IS]),
    ("Bread is food made of flour and water; a cake is a sweet soft food.", [BREAD_IS, CAKE_IS]),
    ("To mix is to stir things together.", [MIX_IS]),
    ("First, mix: stir things together.", [MIX, MIX_IS]),
    ("To bake, take two steps.", [MIX, KNEAD]),
    ("To bake a cake, take two steps.", [MIX, KNEAD, "prompt"]),
    ("I can't tell what is asked about “bread” and “cake”, so I offer what is on record.", ["prompt"]),
    ("I answer one question at a time and left “How do I bake a cake” aside.", ["prompt"]),
]
UNGROUNDED = [
    ("no evidence", "Bread requires flour.", []),
    ("evidence the pack lacks", "Bread requires flour.", ["rel:bread.n.1:requires:butter.n.1"]),
    ("evidence of another statement", "Bread requires flour.", [WATER]),
    ("evidence that it does not say", "Bread requires flour.", [FLOUR, WATER]),
    ("a denial in its place", "Bread requires salt.", [NO_SALT]),
    ("direction swapped", "Flour requires bread.", [FLOUR]),
    ("negation added", "Bread does not require flour.", [FLOUR]),
    ("negation added before the subject", "Not bread requires flour.", [FLOUR]),
    ("negation added after", "Bread requires flour never.", [FLOUR]),
    ("another verb", "Bread enables flour.", [FLOUR]),
    ("a narrower subject", "Sweet bread requires flour.", [FLOUR]),
    ("one claim too many", "Bread requires flour and salt.", [FLOUR]),
    ("one clause too many", "Bread requires flour, and flour requires bread.", [FLOUR]),
    ("ends exchanged between clauses", "Bread requires wheat, and flour requires flour.", [FLOUR, WHEAT]),
    ("a pronoun for a word not named before", "Because an oven enables it.", [OVEN]),
    ("a pronoun for a word not asked about", "Wheat: flour requires it.", [WHEAT]),
    ("a question", "Bread requires flour?", [FLOUR]),
    ("a yes to a denial", "Yes: bread does not require salt.", [NO_SALT]),
    ("a no to an assertion", "No: bread requires flour.", [FLOUR]),
    ("a gloss changed", "Bread is food made of salt and water.", [BREAD_IS]),
    ("a gloss cut short", "Bread is food.", [BREAD_IS]),
    ("a gloss denied", "Bread is not food made of flour and water.", [BREAD_IS]),
    ("a gloss of another word", "A cake is food made of flour and water.", [BREAD_IS]),
    (
        "glosses exchanged",
        "Bread is a sweet soft food; a cake is food made of flour and water.",
        [BREAD_IS, CAKE_IS],
    ),
    ("a step out of place", "Second, mix: stir things together.", [MIX, MIX_IS]),
    ("a wrong number of steps", "To bake, take three steps.", [MIX, KNEAD]),
    ("steps of another act", "To mix, take two steps.", [MIX, KNEAD]),
    ("words of the prompt uncited", "To bake a cake, take two steps.", [MIX, KNEAD]),
    ("words of the prompt outside a frame", "Flour requires bread.", ["prompt"]),
    ("words the prompt has not", "I recall “salt”.", ["prompt"]),
    ("a frame uncited", "I can't tell what is asked about “bread”, so I offer what is on record.", [FLOUR]),
    ("a frame around another word", "Both are tied to salt: bread requires flour.", [FLOUR]),
    ("a reason of the wrong end", "An oven exists because an oven enables bread.", [OVEN]),
]


@pytest.mark.parametrize(("text", "evidence"), GROUNDED, ids=[text for text, _ in GROUNDED])
def test_a_sentence_that_says_its_evidence_is_grounded(
    text: str, evidence: list[str], lexicon: Lexicon
) -> None:
    assert read(text, evidence, PROMPT, lexicon).faults == ()


@pytest.mark.parametrize(
    ("text", "evidence"), [case[1:] for case in UNGROUNDED], ids=[case[0] for case in UNGROUNDED]
)
def test_a_sentence_with_one_fault_is_not(text: str, evidence: list[str], lexicon: Lexicon) -> None:
    assert read(text, evidence, PROMPT, lexicon).faults != ()


def test_a_fault_says_what_is_missing_and_what_is_too_much(lexicon: Lexicon) -> None:
    reading = read("Bread requires salt.", [FLOUR], PROMPT, lexicon)
    assert reading.faults == (f"does not say {FLOUR}", "says beyond its evidence: bread, requires, salt")


def test_frames_are_told_from_what_is_said(lexicon: Lexicon) -> None:
    reading = read("On record, bread is food made of flour and water.", [BREAD_IS], PROMPT, lexicon)
    assert [reading.forms[i] for i in sorted(reading.framed)] == ["on", "record", "is"]
    assert not reading.verdict


@pytest.mark.parametrize("lead", ["No", "That is not so"])
def test_a_verdict_is_one_that_its_evidence_gives(lead: str, lexicon: Lexicon) -> None:
    assert read(f"{lead}: bread does not require salt.", [NO_SALT], PROMPT, lexicon).verdict
    assert not read(f"{lead}: bread requires flour.", [FLOUR], PROMPT, lexicon).verdict
