"""Laws of generalisation over several shapes: what is shared between them is sound, and grows with the teaching."""

from __future__ import annotations

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from recognition import (
    DerivedRecognizer,
    TaughtExample,
    derive_recognizer,
    read_examples,
    recognize,
    recognizer_from_json,
    recognizer_to_json,
)
from recognition._verbs import finite

pytestmark = pytest.mark.recognition

ABSENT = "// when=null, way=null, left=false, count_2=null, unit_2=null, link=null, place=null\n"
OPENINGS = ["", "[Now|when=at present] ", "[Last week|when=a week ago] "]
AGENTS = ["[John|agent]", "The [old school|agent]", "my [uncle|agent]", "[Ann's box of toys|agent]"]
VERBS = [
    "[has|verb=have, tense=present]",
    "[still|way=continuing] [had|verb=have, tense=past]",
    "[wants|verb=want, tense=present]",
    "[has|tense=present] [sold|verb=sell, way=done]",
]
COUNTED = ["[5|count] [apples|unit=apple]", "[forty|count] [cups of tea|unit=cup of tea]"]
SECONDS = ["", " and [3|count_2] [knives|unit_2=knife]", ", [12|count_2] [red boxes|unit_2=red box]"]
PLACES = ["", " [in|link] his [yard|place]", " [on|link] the [shelf|place]", " [at|link] [home|place]"]
ENDS = ["", " [left|left=true]"]

EXAMPLES = st.builds(
    lambda *parts: read_examples(ABSENT + "{}{} {} {}{}{}{}".format(*parts))[0],
    *map(st.sampled_from, (OPENINGS, AGENTS, VERBS, COUNTED, SECONDS, PLACES, ENDS)),
)
TEACHING = st.lists(EXAMPLES, min_size=1, max_size=7)


def reading(recognizer: DerivedRecognizer, example: TaughtExample) -> tuple[object, object] | None:
    got = recognize(recognizer, example.tokens).proposition
    return None if got is None else (got.values, got.spans)


def taught(example: TaughtExample) -> tuple[object, object]:
    return example.bundle.values, example.bundle.spans


@given(TEACHING, EXAMPLES)
def test_every_taught_example_is_returned_and_none_is_unlearned(
    examples: list[TaughtExample], another: TaughtExample
) -> None:
    below = derive_recognizer(examples)
    above = derive_recognizer([another], parent=below)
    assert all(reading(below, example) == taught(example) for example in examples)
    assert all(reading(above, example) == taught(example) for example in [*examples, another])


@given(TEACHING, TEACHING, st.lists(EXAMPLES, min_size=1, max_size=4))
def test_what_is_read_is_right_and_stays_so_above(
    examples: list[TaughtExample], more: list[TaughtExample], asked: list[TaughtExample]
) -> None:
    below, above = derive_recognizer(examples), derive_recognizer([*examples, *more])
    for example in asked:
        first, second = reading(below, example), reading(above, example)
        assert first in (None, taught(example))
        assert second in (None, taught(example))
        assert first is None or second is not None


@settings(max_examples=30)
@given(TEACHING, st.randoms(use_true_random=False))
def test_order_and_storage_change_nothing(examples: list[TaughtExample], draw: random.Random) -> None:
    stored = recognizer_to_json(derive_recognizer(examples))
    shuffled = draw.sample(examples, len(examples))
    assert recognizer_to_json(derive_recognizer(shuffled)) == stored
    assert recognizer_from_json(stored) == derive_recognizer(examples)


def test_a_marker_of_the_clause_is_known_in_every_shape() -> None:
    """`Now` and `left` were taught without a place, `still` without a second count."""
    lines = [
        "[John|agent] [has|verb=have, tense=present] [5|count] [apples|unit=apple]",
        (
            "[Now|when=at present] [Eve|agent] [still|way=continuing] [had|verb=have, tense=past] [2|count] "
            "[pens|unit=pen] [left|left=true]"
        ),
        (
            "The [shop|agent] [had|verb=have, tense=past] [7|count] [cups|unit=cup] and [3|count_2] [pots|unit_2=pot] "
            "[in|link] the [yard|place]"
        ),
        (
            "The [farm|agent] [had|verb=have, tense=past] [9|count] [hens|unit=hen] and [4|count_2] [cows|unit_2=cow] "
            "[in|link] a [field|place]"
        ),
    ]
    recognizer = derive_recognizer(read_examples(ABSENT + "\n".join(lines)))
    got = recognize(
        recognizer, "Now the bakery still has 40 loaves and 6 knives in the kitchen left."
    ).proposition
    assert got is not None
    assert got.values == {
        "when": "at present",
        "agent": "bakery",
        "way": "continuing",
        "verb": "have",
        "tense": "present",
        "count": 40,
        "unit": "loaf",
        "count_2": 6,
        "unit_2": "knife",
        "link": "in",
        "place": "kitchen",
        "left": True,
    }


def test_a_value_by_absence_is_not_shared() -> None:
    """What a shape says by its own default says nothing of another shape."""
    lines = [
        "[John|agent] gave [5|count] [apples|unit=apple] to [Mary|place] // kind=gift",
        "[John|agent] gave [5|count] [apples|unit=apple] // kind=offer, place=null",
        "[Now|kind=report] [Eve|agent] gave [2|count] // unit=null, place=null",
    ]
    recognizer = derive_recognizer(read_examples("\n".join(lines)))
    assert len(recognizer.patterns) == 3
    assert not recognize(recognizer, "Eve gave 2").admitted
    got = recognize(recognizer, "John gave 5 apples to Mary").proposition
    assert got is not None
    assert got["kind"].value == "gift"


def test_words_between_two_slots_stay_with_their_shape() -> None:
    """`more ... than` and the plain count share neighbours, and no words."""
    lines = [
        "[John|agent] has [5|count] [apples|unit=apple] // than=null, more=no",
        "[Ann|agent] has [7|count] [knives|unit=knife] // than=null, more=no",
        "[John|agent] has [5|count] [more|more=yes] [apples|unit=apple] than [Eve|than]",
        "[Bob|agent] has [4|count] [more|more=yes] [pens|unit=pen] than [Sue|than]",
    ]
    recognizer = derive_recognizer(read_examples("\n".join(lines)))
    assert recognize(recognizer, "Eve has 3 more boxes than Tom").admitted
    assert not recognize(recognizer, "Eve has 3 more boxes").admitted
    assert not recognize(recognizer, "Eve has 3 boxes than Tom").admitted


def test_a_form_taught_as_evidence_is_none_without_it() -> None:
    """`sold` marked the past, so `had` is not the present that holds by absence."""
    lines = [
        "[Ann|agent] [sells|verb=sell] [5|count] [eggs|unit=egg] // tense=present",
        "[Bob|agent] [buys|verb=buy] [7|count] [pens|unit=pen] // tense=present",
        "[Eve|agent] [sold|verb=sell, tense=past] [3|count] [cups|unit=cup]",
    ]
    recognizer = derive_recognizer(read_examples("\n".join(lines)))
    outcome = recognize(recognizer, "Tom had 4 knives")
    assert outcome.refusal_reason is not None
    assert outcome.refusal_reason.code == "feature_evidence"
    for text, tense in (("Tom sells 4 knives", "present"), ("Tom sold 4 knives", "past")):
        got = recognize(recognizer, text).proposition
        assert got is not None
        assert got["tense"].value == tense
    assert not recognize(recognizer, "Tom has sold 4 knives").admitted


def test_a_participle_taught_as_evidence_is_none_without_it() -> None:
    """`won` alone was taught as perfect: of `sold` nothing is known until another verb shows what they share."""
    lines = """\
[Ann|agent] [has|verb=have, tense=present] [5|count] [eggs|unit=egg] // perfect=false
[Bob|agent] [had|verb=have, tense=past] [7|count] [pens|unit=pen] // perfect=false
[Eve|agent] [has|tense=present] [won|verb=win, perfect=true] [3|count] [cups|unit=cup]
"""
    asked = "Tom had sold 4 knives"
    assert not recognize(derive_recognizer(read_examples(lines)), asked).admitted
    another = "[Sue|agent] [has|tense=present] [lost|verb=lose, perfect=true] [6|count] [keys|unit=key]"
    recognizer = derive_recognizer(read_examples(lines + another))
    got = recognize(recognizer, asked).proposition
    assert got is not None
    assert (got["perfect"].value, got["tense"].value, got["verb"].value) == (True, "past", "sell")
    assert not recognize(recognizer, "Tom had selling 4 knives").admitted


def test_what_follows_an_auxiliary() -> None:
    assert finite(("has",), "eating", "eat", "tom") == ()
    assert finite(("has",), "eaten", "eat", "tom") == ("PART",)
    assert finite(("has", "been"), "eating", "eat", "tom") == ("GER",)


def test_an_ordinal_stands_before_its_noun() -> None:
    lines = "The [pump|what] is in [Leeds|where]\nThe [old mills|what] are in [New York|where]"
    recognizer = derive_recognizer(read_examples(lines))
    got = recognize(recognizer, "The third mill is in Bath").proposition
    assert got is not None
    assert got["what"].value == "third mill"
    assert not recognize(recognizer, "The mill is in Bath second").admitted


def test_rules_that_fit_alike_have_to_agree() -> None:
    """Taught singulars alone, a plural could be meant as written or by its lemma."""
    lines = "[Ann|who] feeds the [goat|what]\n[Bob|who] feeds the [cow|what]\n"
    recognizer = derive_recognizer(read_examples(lines))
    assert recognize(recognizer, "Eve feeds the hen").admitted
    outcome = recognize(recognizer, "Eve feeds the hens")
    assert outcome.refusal_reason is not None
    assert outcome.refusal_reason.as_dict()["feature"] == "what"
    for line, value in (
        ("[Tom|who] feeds the [pigs|what]", "hens"),
        ("[Tom|who] feeds the [pigs|what=pig]", "hen"),
    ):
        settled = derive_recognizer(read_examples(lines + line))
        got = recognize(settled, "Eve feeds the hens").proposition
        assert got is not None
        assert got["what"].value == value


def test_a_closed_list_stays_closed() -> None:
    """Of `in` and `on` no noun is learned, nor another preposition."""
    lines = "[Ann|who] sits [in|link] the [tent|place]\n[Bob|who] sits [on|link] the [Alps|place]\n"
    recognizer = derive_recognizer(read_examples(lines))
    assert recognize(recognizer, "Eve sits in the boat").admitted
    for text in ("Eve sits under the boat", "Eve sits hen the boat", "Eve sits the boat"):
        assert not recognize(recognizer, text).admitted
