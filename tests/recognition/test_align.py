"""Alignments: the search for free ones and the table of costs agree, and work grows with the words."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recognition import RecognizerRegistry, read_examples, recognize
from recognition import _plan as plan
from recognition._align import MISSING, Aligner, Alignment, align
from recognition._match import recognize_each
from recognition._terms import sentence
from recognition.anti_unifier import _patterns
from tests.recognition.helpers import FAMILIES, family, published, quantity

WORDS = (
    "John Mary the a baker has have had hasn't not may might will do doesn't want need offered 5 24 two half apples "
    "loaves sheep books and but or either . ! room is booked from Monday to Sunday never leaves York for at 9 pump "
    "moves litres in minutes lamp red out of low on bread their no Nobody"
).split()
RECOGNIZERS = [published("phase1"), published("phase2"), quantity(), *map(family, sorted(FAMILIES))]
PATTERNS = [pattern for recognizer in RECOGNIZERS for pattern in recognizer.patterns]
TEXTS = st.one_of(
    st.lists(st.sampled_from(WORDS), min_size=1, max_size=14).map(" ".join),
    st.sampled_from([example.text for recognizer in RECOGNIZERS for example in recognizer.examples]),
)


def price(alignment: Alignment) -> int:
    """What an alignment leaves over or lacks, counted from its parts."""
    left = sum(len(alignment.left(gap)) for gap in range(len(alignment.gaps)))
    return left + len(alignment.owed) + MISSING * len(alignment.missing)


def covered(alignment: Alignment) -> list[int]:
    words = [word for row in alignment.gaps for word, _ in row]
    return sorted(words + [word for slot in alignment.slots if slot for word in range(slot[0], slot[1])])


@given(TEXTS, st.sampled_from(PATTERNS))
def test_an_alignment_costs_what_it_leaves_over_and_covers_each_word_once(text: str, pattern: Any) -> None:
    read = sentence(text)
    for alignment in align(read, pattern):
        assert alignment.cost == price(alignment)
        assert covered(alignment) == list(range(len(read.words)))


@given(TEXTS, st.sampled_from(PATTERNS))
def test_the_search_finds_a_free_alignment_exactly_where_the_table_has_one(text: str, pattern: Any) -> None:
    aligner = Aligner(sentence(text), pattern)
    free, cheapest = aligner.free(), aligner.cheapest()
    assert bool(free) == (aligner.cost() == 0)
    assert cheapest.cost == aligner.cost() == price(cheapest)
    if free:
        assert cheapest == free[0]
    assert len(set(map(repr, free))) == len(free) <= 4


@given(TEXTS, st.sampled_from(RECOGNIZERS))
def test_what_was_read_before_changes_nothing(text: str, recognizer: Any) -> None:
    before = recognize(recognizer, text)
    for pattern in recognizer.patterns:
        pattern.compiled.clear()
    assert recognize(recognizer, text) == before == recognize(recognizer, text)


@pytest.mark.parametrize(
    "first", ["The pumps put 40 litres in 3 minutes", "The pump put 40 litres in 3 minutes"]
)
def test_a_verb_group_is_kept_with_the_number_of_its_subject(first: str) -> None:
    second = {"The pumps put 40 litres in 3 minutes", "The pump put 40 litres in 3 minutes"} - {first}
    recognizer = family("pump")
    for pattern in recognizer.patterns:
        pattern.compiled.clear()
    (alone,) = (recognize(recognizer, text) for text in second)
    for pattern in recognizer.patterns:
        pattern.compiled.clear()
    assert recognize(recognizer, first) != alone
    assert [recognize(recognizer, text) for text in second] == [alone]


ROW = """\
[red fox|a] [old king|b] [tall tree|c] [cold lake|d] stop
[blue cat|a] [young queen|b] [small house|c] [wide field|d] stop
[green dog|a] [proud baker|b] [low wall|c] [deep river|d] stop
"""
NOUNS = "fox king tree lake cat queen house field dog baker wall river".split()


def test_of_many_free_alignments_the_first_four_are_given() -> None:
    (pattern,) = _patterns(read_examples(ROW))  # unchecked: it reads its examples in several ways
    aligner = Aligner(sentence(" ".join([*NOUNS[:7], "stop"])), pattern)
    free = aligner.free()
    spans = [[slot and slot[:2] for slot in alignment.slots] for alignment in free]
    # The longest first slot first, and among those the longest second one.
    assert spans == [
        [(0, 4), (4, 5), (5, 6), (6, 7)],
        [(0, 3), (3, 5), (5, 6), (6, 7)],
        [(0, 3), (3, 4), (4, 6), (6, 7)],
        [(0, 3), (3, 4), (4, 5), (5, 7)],
    ]
    assert aligner.cheapest() == free[0]


def test_a_search_that_fails_does_not_try_a_place_twice() -> None:
    (pattern,) = _patterns(read_examples(ROW))  # unchecked: it reads its examples in several ways

    aligner = Aligner(sentence(" ".join((NOUNS * 3)[:32])), pattern)
    assert not aligner.free()  # the phrases are kept now
    places = (len(pattern.slots) + 1) * 33
    assert calls(aligner.free) < 30 * places  # of 8 ** 4 ways through


def test_full_tables_begin_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    recognizer = published("phase2")
    texts = [
        f"{agent} {verb} 5 apples" for agent in ("John", "They", "The sheep") for verb in ("has", "may want")
    ]
    expected = [recognize(recognizer, text) for text in texts]
    monkeypatch.setattr(plan, "KEPT", 1)
    for pattern in recognizer.patterns:
        pattern.compiled.clear()
    assert [recognize(recognizer, text) for text in texts] == expected
    tables = [plan.plan_of(pattern) for pattern in recognizer.patterns]
    assert all(len(held.groups) <= 1 and len(held.absent) <= 1 for held in tables)


def test_a_shape_that_was_used_is_equal_to_one_that_was_not() -> None:
    used = published("phase1").patterns[0]
    recognize(published("phase1"), "A baker has 24 loaves")
    fresh = type(used)(*(getattr(used, name) for name in used.__slots__ if name != "compiled"))
    assert used.compiled and not fresh.compiled
    assert used == fresh and hash(used) == hash(fresh) and repr(used) == repr(fresh)


@given(TEXTS)
def test_several_recognisers_read_as_each_alone(text: str) -> None:
    registry = RecognizerRegistry(tuple(RECOGNIZERS))
    alone = tuple(recognize(recognizer, text) for recognizer in registry)
    assert registry.outcomes(text) == alone == recognize_each(registry, text)


def calls(run: Callable[[], object]) -> int:
    """How many functions are called, those written in C included."""
    count = 0

    def called(frame: object, event: str, argument: object) -> None:
        nonlocal count
        count += event in ("call", "c_call")

    held = sys.getprofile()
    sys.setprofile(called)
    try:
        run()
    finally:
        sys.setprofile(held)
    return count


@pytest.mark.parametrize(
    "repeated",
    [
        "John has 5 apples and Mary may need 3 books of the baker who will not offer 24 loaves ,",
        "John has 5 apples but doesn't ,",
        "and or but",
        "5 apples ; 6",
        "John",
        "not",
        "has",
        "may have or want",
        ".",
        "this is a lie",
    ],
)
@pytest.mark.parametrize("recognizer", [published("phase2"), quantity()], ids=["phase2", "quantity"])
def test_work_grows_with_the_words(recognizer: Any, repeated: str) -> None:
    def work(length: int) -> int:
        words = (repeated.split() * length)[: length - 4]
        text = " ".join(["John", "has", *words, "5", "apples"])
        recognize(recognizer, text)
        return calls(lambda: recognize(recognizer, text))

    assert work(240) < 2.4 * work(120)
