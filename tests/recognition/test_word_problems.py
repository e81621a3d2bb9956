"""Twenty taught sentences and word problems: hand-read readings, traps, and the public sentences without labels."""

from __future__ import annotations

import json
import random
import re
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from experiments.recognition_eval import word_problems
from experiments.recognition_eval.suite import sentences_of
from recognition import (
    DerivedRecognizer,
    FeatureEvidence,
    derive_recognizer,
    read_examples,
    recognize,
    tokenize,
)
from tests.recognition.helpers import family, published
from tests.recognition.test_recognizer_laws import WORDS, check

pytestmark = pytest.mark.recognition


@cache
def taught() -> DerivedRecognizer:
    return derive_recognizer(read_examples(word_problems.TEACHING.read_text(encoding="utf-8"), "taught"))


def said(text: str) -> dict[str, Any] | None:
    """The values that are not those of absence."""
    got = recognize(taught(), text).proposition
    if got is None:
        return None
    return {f.name: f.value for f in got if isinstance(f.evidence, FeatureEvidence)}


def test_there_are_twenty_and_all_return() -> None:
    assert len(taught().examples) == 20
    for example in taught().examples:
        got = recognize(taught(), example.text).proposition
        assert got is not None
        assert (got.values, got.spans) == (example.bundle.values, example.bundle.spans)


@pytest.mark.parametrize(
    ("text", "values"),
    [
        (
            "Each jar of jam also had 24 sweet cherries and 3 pieces of ginger in it.",
            (
                "distribution=individual|agent=jar of jam|aspect=additional|tense=past|relation=have|count=24|"
                "unit=sweet cherry|count_2=3|unit_2=piece of ginger|preposition=in|adjunct=it"
            ),
        ),
        (
            "Now the baker still has $12.50 in his drawer",
            (
                "when=at present|agent=baker|aspect=continuing|tense=present|relation=have|unit=$|count=12.5|"
                "preposition=in|adjunct=drawer"
            ),
        ),
        (
            "Randy has caught seven fish.",
            "agent=Randy|tense=present|relation=catch|perfect=true|count=7|unit=fish",
        ),
        (
            "The second class had four times as many chairs as the library",
            "agent=second class|tense=past|relation=have|count=4|comparison=times|unit=chair|standard=library",
        ),
        (
            "Last week her friends had 40 dollars and each boy had 3 coins left.",
            (
                "when=last week|agent=friends|tense=past|relation=have|count=40|unit=dollar|distribution_2=individual|"
                "agent_2=boy|tense_2=past|relation_2=have|count_2=3|unit_2=coin|left=true"
            ),
        ),
        (
            "On Friday she had 12 bars of soap",
            (
                "leading_preposition=On|leading_adjunct=Friday|agent=she|tense=past|relation=have|count=12|"
                "unit=bar of soap"
            ),
        ),
    ],
)
def test_readings(text: str, values: str) -> None:
    expected = dict(item.split("=", 1) for item in values.split("|"))
    got = said(text)
    assert got is not None
    assert {name: json.dumps(value).strip('"') for name, value in got.items()} == expected


TRAPS = """\
Tom has at least 5 stamps
Tom has more than 5 stamps
Tom has about 5 stamps
Tom has 5 more stamps
Tom doesn't have 5 stamps
Tom has never had 5 stamps
Tom used to have 5 stamps
Tom would have 5 stamps
Tom will have 5 stamps
If Tom has 5 stamps, how many does Ann have?
If Tom has 5 stamps
Does Tom have 5 stamps?
Tom has 5 stamps?
Tom has 5 stamps or 6 stamps
Tom has 5 stamps and some pens
Tom has 5 stamps each
Tom has 5 stamps per page
Tom has 5 stamps in each box
Tom has 5 of the stamps
Tom has only 5 stamps
Tom has 5 stamps to sell
Tom has 5 stamps that Ann wants
Tom has 5 times more stamps than Ann
Tom has twice as many stamps as Ann
Tom has 5 more stamps than Ann and Bob have
Tom has 5 stamps less than Ann
No boy has 5 stamps
Tom or Ann has 5 stamps
Tom thinks Ann has 5 stamps
Tom has 5% more stamps than Ann
Tom has $5 less than Ann
Tom has $ 5 and 3 pens
Tom has between 5 and 7 stamps
Tom has eating 5 stamps
Tom has not lost 5 stamps
Tom has been sold 5 stamps
Tom wants 5 stamps
Tom lost 5 stamps
Last year Tom had 5 stamps
Tom has 5 stamps and Ann has none
Tom has 5 stamps and Ann doesn't have 3 pens
Tom has 5 stamps and Ann wants 3 pens
Tom has 5 packs of 3 stamps
Tom has 5 fake stamps
Tom has 5 stamps left over
Tom has 5 stamps at most
Tom has 5 cups of tea gone""".splitlines()


@pytest.mark.parametrize("text", TRAPS)
def test_traps(text: str) -> None:
    assert said(text) is None


def test_which_sentences_are_chosen() -> None:
    for text in ("He has $5.", "She had only two left.", "We have 1/2 of it", "They have twenty-one"):
        assert word_problems.holds_a_number(text)
    for text in ("He has a few.", "She had sold all but two.", "I am 5.", "Behave 5 times"):
        assert not word_problems.holds_a_number(text)


def test_thousands_of_random_strings() -> None:
    """Nothing raises, every refusal is typed, every span lies inside; many shapes, shared markers."""
    draw = random.Random(971)
    said_here = sorted({token.text for example in taught().examples for token in example.tokens})
    said_here += [*WORDS, "$", "%", "each", "if", "last", "week", "left", "more", "than", "as", "-", "\u200b"]
    recognizers = (taught(), published("phase2"), family("pump"))
    for number in range(3_000):
        check(recognizers[number % 3], " ".join(draw.choices(said_here, k=draw.randrange(1, 14))))


def _texts(folder: Path) -> dict[str, list[str]]:
    return {
        name: read((folder / name / file).read_text(encoding="utf-8"))
        for name, (file, read) in word_problems.PROBLEMS.items()
    }


def test_public_sentences(data_dir: Path) -> None:
    """Nothing raises, every refusal is typed, every span lies inside; no taught sentence is one of them."""
    texts = _texts(data_dir)
    counts = {
        name: sum(map(word_problems.holds_a_number, sentences_of(held))) for name, held in texts.items()
    }
    assert counts == {"gsm8k": 435, "svamp": 547}
    chosen = word_problems.chosen(texts)
    assert not {example.text for example in taught().examples} & {text.rstrip(".?!") for text in chosen}
    admitted = 0
    for text in chosen:
        outcome = recognize(taught(), text)
        assert outcome.admitted == (outcome.refusal_reason is None)
        if outcome.proposition is None:
            continue
        admitted += 1
        tokens = tokenize(text)
        spans = [
            f.evidence.characters(tokens)
            for f in outcome.proposition
            if isinstance(f.evidence, FeatureEvidence)
        ]
        rest = "".join(" " if any(s <= i < e for s, e in spans) else char for i, char in enumerate(text))
        # What no feature is evidenced by: determiners, and the words that were taught between two slots.
        assert set(re.findall(r"\w+", rest.lower())) <= set(
            "a an the his her my their and as many than".split()
        )
    assert admitted >= 400
