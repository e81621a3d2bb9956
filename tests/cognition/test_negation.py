"""A negated question is never answered as if its negation had not been read."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from cognition import CognitiveTurnResult

pytestmark = pytest.mark.cognition

Ask = Callable[[str], CognitiveTurnResult]


@pytest.mark.parametrize(
    "prompt",
    [
        "Is it true that knowledge does not require evidence?",
        "Is it true that knowledge doesn’t require evidence?",
        "Knowledge does not require evidence, right?",
        "Does knowledge require no evidence?",
        "Does no knowledge require evidence?",
        "Does only knowledge require evidence?",
        "Does knowledge require only evidence?",
        "Is it false that knowledge requires evidence?",
        "Is it not true that memory requires recall?",
        "Is wisdom no virtue?",
        "Is wisdom never a virtue?",
        "Is it true that wisdom is not a virtue?",
        "Why doesn't knowledge require evidence?",
        "Why does knowledge not require evidence?",
        "Why isn't evidence important?",
        "Why doesn’t light exist?",
        "What isn't light?",
        "What is not light?",
        "What is no light?",
        "What doesn't light enable?",
        "What requires no evidence?",
        "What doesn't require evidence?",
        "Give me an example of no emotion",
        "How do I not learn?",
        "Don't remember light",
    ],
)
def test_what_is_asserted_is_no_answer_to_its_negation(ask: Ask, prompt: str) -> None:
    """Refusing is right, and so is an answer that says "no" or "not"; the answer to the opposite is wrong."""
    result = ask(prompt)
    surface = result.surface
    assert (
        result.refusal is not None
        or "can't tell" in surface
        or surface.startswith("No")
        or " not " in surface
    ), surface
    assert not surface.startswith("Yes: knowledge requires"), surface


@pytest.mark.parametrize(
    "prompt",
    [
        "Is it true that memory does not require recall?",
        "Is it true that memory doesn't require recall?",
        "Memory does not require recall, right?",
        "Memory doesn't require recall, true?",
        "Confirm that memory does not require recall",
    ],
)
def test_a_denial_on_record_is_not_denied_once_more(ask: Ask, prompt: str) -> None:
    """ "No: memory does not require recall" would say two things at once."""
    assert not ask(prompt).surface.startswith("No"), ask(prompt).surface


@pytest.mark.parametrize(
    "prompt",
    [
        "Doesn't knowledge require evidence?",
        "Doesn’t knowledge require evidence?",
        "Isn't wisdom a virtue?",
        "Isn’t doubt an attitude?",
    ],
)
def test_a_question_that_expects_yes_is_no_negation(ask: Ask, prompt: str) -> None:
    assert ask(prompt).surface.startswith("Yes: "), ask(prompt).surface
