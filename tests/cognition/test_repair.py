"""Slips of speech: what is taken back is not read, and places stay those of the prompt."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cognition import IntentTag, Vocabulary, classify
from cognition.repair import mended
from recognition.tokens import normal_form, tokenize

pytestmark = pytest.mark.cognition

WORDS = st.lists(
    st.sampled_from("what is memory no wait , i mean sorry recall the uh or rather ? . actually".split()),
    max_size=14,
)


@pytest.mark.parametrize(
    ("said", "meant"),
    [
        ("what is memory , no wait , recall", "what is recall"),
        ("what is memory , i mean recall ?", "what is recall ?"),
        ("why does recall require memory , i mean attention", "why does recall require attention"),
        ("define truth or rather belief", "define belief"),
        ("what is the cause of doubt no the cause of error", "what is the cause of error"),
        ("who is , um , what is truth", "what is truth"),
        ("when did no wait what is truth", "what is truth"),
        ("what is wisdom oops i meant knowledge", "what is knowledge"),
        ("what is uh memory", "what is memory"),
    ],
)
def test_what_is_taken_back_is_left_out(said: str, meant: str) -> None:
    words = said.split()
    assert " ".join(words[at] for at in mended(words)) == meant


@pytest.mark.parametrize(
    "said",
    [
        "does belief require no evidence", "what needs no evidence", "is there no truth", "is knowledge no belief",
        "no , memory is recall", "i mean recall", "what is memory , sorry", "sorry , what is truth", "no no",
        "what is light ? no , i meant darkness", "what is truth , memory , and recall", "no wait", "",
        "do you actually know what truth is", "i would rather know what truth is",
    ],
)  # fmt: skip
def test_what_takes_nothing_back_is_kept_whole(said: str) -> None:
    words = said.split()
    assert mended(words) == tuple(range(len(words)))


@given(WORDS)
def test_places_ascend_and_a_prompt_never_becomes_empty(words: list[str]) -> None:
    found = mended(words)
    assert list(found) == sorted(set(found))
    assert all(0 <= at < len(words) for at in found)
    assert bool(found) == bool(words)


def test_spans_are_those_of_the_prompt(shipped: Vocabulary) -> None:
    prompt = "Why does recall require memory, no wait, attention?"
    tokens = tokenize(prompt)
    clause = classify(prompt, tokens, shipped).clause
    assert (clause.intent, clause.form) == (IntentTag.CAUSE, "claim")
    assert clause.object is not None
    assert prompt[clause.object.start : clause.object.end] == "attention"
    assert (clause.start, clause.end) == (0, len(tokens))
    for match in clause.words:
        surface = [normal_form(token.text) for token in tokens[match.start : match.end]]
        assert set(match.indices) <= set(shipped.lookup(" ".join(surface)))
