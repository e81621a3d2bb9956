"""Answers and refusals read aloud: what is said to prompts of every intent, word for word where it matters."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from cognition import CognitiveTurnResult, IntentTag, Runtime
from recognition.english import check_english
from tests.cognition.small_pack import BAKERY, BAKERY_SAYS, runtime_of, said, word

pytestmark = pytest.mark.cognition

Ask = Callable[[str], CognitiveTurnResult]

ROWS = [
    json.loads(line)
    for line in (Path(__file__).parent / "data/answers.jsonl").read_text(encoding="utf-8").splitlines()
]
OUTSIDE = (
    "What is 2 + 2?", "Who wrote Hamlet?", "What's the weather like today?", "Book a flight to Paris",
    "Is the earth flat?", "Why do cats purr?", "How do I cook rice?", "Compare cats and dogs", "What causes rain?",
    "Remember my birthday", "Give me an example of a mammal", "No, the sky is green", "Does water require hydrogen?",
    "Paris is to France as Rome is to what?", "Tell me about elephants", "Translate hello to French",
    "Play some music", "Set an alarm for seven", "How many planets are there?", "What is the capital of France?",
    "Can cats exist without mice?", "Is Paris the same as Rome?", "When did the war end?", "Find me a cheap hotel",
    "I want to hear some jazz", "Show me the way home", "What does rain require?", "Describe a giraffe",
    "Is there a difference between jam and jelly?", "Which is better, tea or coffee?", "why", "asdf qwer zxcv",
)  # fmt: skip


@pytest.mark.parametrize("row", ROWS, ids=[row["prompt"] for row in ROWS])
def test_what_is_said(ask: Ask, row: dict[str, str]) -> None:
    result = ask(row["prompt"])
    assert result.refusal_reason == row.get("refusal", "")
    assert result.surface.startswith(row["begins"])
    assert check_english(result.surface) == ()


@pytest.mark.parametrize("prompt", OUTSIDE)
def test_what_lies_outside_the_packs_is_not_known(ask: Ask, prompt: str) -> None:
    result = ask(prompt)
    assert not result.answered
    assert result.citations == ()
    assert check_english(result.surface) == ()


def test_more_than_one_step_is_asked_for(ask: Ask) -> None:
    near, far = ask("What does correction require?"), ask("What does correction ultimately require?")
    assert "steps" not in near.surface
    assert "In two steps: correction requires a diagnosis, and a diagnosis requires" in far.surface
    assert "In three steps: correction requires a diagnosis" in far.surface


def test_what_is_beyond_may_lie_on_a_loop() -> None:
    loop = (*BAKERY_SAYS, said("wheat.n.1 requires toast.n.1"))
    surface = runtime_of(relations=loop).ask("What does toast ultimately require?").surface
    assert surface.count("toast requires bread") <= 4
    assert "wheat requires toast" not in surface


def test_a_setting_that_changes_nothing_is_left_aside(ask: Ask) -> None:
    result = ask("I was reading about truth, why does truth matter?")
    assert result.intent is IntentTag.CAUSE
    assert result.surface.endswith(
        "I answer one question at a time and left “I was reading about truth” aside."
    )


def test_a_report_asks_nothing(ask: Ask) -> None:
    for prompt in ("I know why light exists.", "She explained why light exists"):
        assert ask(prompt).intent is IntentTag.UNKNOWN


def two_senses(salience: int, *causes: str) -> Runtime:
    """Toast in a second sense of some salience, and what enables which sense."""
    other = word("toast", 60, n=2, gloss="a drink to the health of someone", salience=salience)
    return runtime_of((*BAKERY, other), (*BAKERY_SAYS, *map(said, causes)))


FIRST, SECOND = "oven.n.1 enables toast.n.1", "wheat.n.1 enables toast.n.2"


def test_two_senses_that_fit_equally_are_asked_back() -> None:
    result = two_senses(50, FIRST, SECOND).ask("Why does toast exist?")
    assert result.refusal_reason == "ambiguous_word"
    assert result.surface.startswith(
        "I can answer this in more than one sense of “toast”. Toast is bread made brown"
    )
    assert "Toast is a drink to the health of someone." in result.surface
    assert [citation.id for citation in result.citations] == ["gloss:toast.n.1", "gloss:toast.n.2"]


def test_the_more_salient_sense_is_taken_where_both_could_answer() -> None:
    assert two_senses(40, FIRST, SECOND).ask("Why does toast exist?").surface == (
        "Toast exists because an oven enables it."
    )


@pytest.mark.parametrize("salience", [40, 50])
def test_the_sense_that_can_answer_is_taken_and_said(salience: int) -> None:
    result = two_senses(salience, SECOND).ask("Why does toast exist?")
    assert result.surface == (
        "Toast exists because wheat enables it. Here, toast is a drink to the health of someone."
    )


def test_no_sense_answers_where_none_has_evidence() -> None:
    assert two_senses(50).ask("Why does toast exist?").refusal_reason == "no_evidence"


def test_a_term_of_several_words_goes_before_its_head_noun() -> None:
    term = word("salt of bread", 65, gloss="salt kept for bread")
    runtime = runtime_of((*BAKERY, term))
    assert runtime.ask("What is the salt of bread?").surface.startswith(
        "Salt of bread is salt kept for bread."
    )
    clause = runtime.ask("What is good salt of bread?").plan
    assert clause is not None
    assert clause.clause.subject is not None
    assert (clause.clause.subject.lemma, clause.clause.subject.modifier) == ("salt of bread", "good")
