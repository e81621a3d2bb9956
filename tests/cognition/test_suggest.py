"""Words offered for a slip: near by edits, from the pack alone, and never answered."""

from __future__ import annotations

from functools import cache
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cognition import Runtime, Vocabulary
from cognition.suggest import MOST_SUGGESTED, edit_distance, suggestions

pytestmark = pytest.mark.cognition

LETTERS = st.text("abc", max_size=6)


@cache
def oracle(a: str, b: str) -> int:
    """The optimal string alignment distance by its recursion."""
    if not a or not b:
        return len(a) + len(b)
    found = min(oracle(a[1:], b) + 1, oracle(a, b[1:]) + 1, oracle(a[1:], b[1:]) + (a[0] != b[0]))
    if len(a) > 1 and len(b) > 1 and a[0] == b[1] and a[1] == b[0]:
        found = min(found, oracle(a[2:], b[2:]) + 1)
    return found


@given(LETTERS, LETTERS, st.integers(0, 4))
def test_the_distance_is_that_of_its_recursion(a: str, b: str, most: int) -> None:
    true = oracle(a, b)
    assert edit_distance(a, b, most) == (true if true <= most else None)


@given(LETTERS, LETTERS)
def test_the_distance_is_symmetric_and_zero_for_equals_alone(a: str, b: str) -> None:
    assert edit_distance(a, b, 9) == edit_distance(b, a, 9)
    assert (edit_distance(a, b, 9) == 0) == (a == b)


def test_each_kind_of_slip_is_mended(shipped: Vocabulary) -> None:
    for slip in ("knowlege", "knowlledge", "knowlebge", "konwledge"):
        assert suggestions(slip, shipped) == ("knowledge",)
    assert suggestions("memroy", shipped) == ("memory",)


def test_what_is_offered_is_a_surface_of_the_pack(shipped: Vocabulary) -> None:
    for head, tail in product(("trut", "sens", "thin", "reas", "wor"), "abcdefghijklmnopqrstuvwxyz"):
        found = suggestions(head + tail, shipped)
        assert len(found) <= MOST_SUGGESTED
        assert all(shipped.lookup(surface) for surface in found)
        if shipped.lookup(head + tail):
            assert found == ()


@pytest.mark.parametrize("word", ["wombat", "house", "cat", "the", "xyzzy", "42", "", "Socrates"])
def test_nothing_is_offered_for_what_is_no_slip(shipped: Vocabulary, word: str) -> None:
    assert suggestions(word, shipped) == ()


@pytest.mark.parametrize(
    "prompt",
    [
        "What is knowlege?",
        "Why does memroy exist?",
        "Compare truht and belief",
        "Does recall require memroy?",
    ],
)
def test_a_slip_is_refused_with_an_offer_and_no_evidence(runtime: Runtime, prompt: str) -> None:
    result = runtime.ask(prompt)
    assert result.refusal_reason == "unknown_subject"
    assert result.sentences[-1].text.startswith("Did you mean “")
    assert result.citations == ()


def test_a_word_without_a_neighbour_gets_the_remedy(runtime: Runtime) -> None:
    assert "Did you mean" not in runtime.ask("What is a wombat?").surface
