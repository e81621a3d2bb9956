"""Ratification: a record of where an intent's cue senses stand, which changes no answer and no default hash."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from cga.backend import Point
from cognition import RatificationOutcome, Runtime, Vocabulary
from cognition.clause import ArticulationPlan
from cognition.graph import IntentTag
from cognition.ratify import cue_senses, ratify_intent, standing
from tests.cognition import small_pack
from tests.cognition.oracle import ranked
from tests.cognition.prompts import FIXED

pytestmark = pytest.mark.cognition

Build = Callable[..., Runtime]


def plan_of(runtime: Runtime, prompt: str) -> ArticulationPlan:
    plan = runtime.ask(prompt).plan
    assert plan is not None
    return plan


def test_every_intent_but_unknown_has_cue_senses(shipped: Vocabulary) -> None:
    for tag in IntentTag:
        found = cue_senses(tag, shipped)
        assert bool(found) == (tag is not IntentTag.UNKNOWN)
        assert not any(shipped.is_stop(index) for index in found)
    lemmas = {shipped.senses[index].lemma for index in cue_senses(IntentTag.CAUSE, shipped)}
    assert lemmas == {"cause", "reason"}


@pytest.mark.parametrize(
    "prompt", ["What is light?", "Why does knowledge require evidence?", "Compare memory and recall"]
)
def test_the_score_is_the_rank_of_the_nearest_cue_sense(runtime_with: Build, prompt: str) -> None:
    result = runtime_with(ratify_intent=True).ask(prompt)
    vocabulary = runtime_with().vocabulary
    place = next(step["location"] for step in result.folded["steps"] if step["stage"] == "locate")
    order = ranked(vocabulary.points, Point(*place))
    rank = min(order.index(index) for index in cue_senses(result.intent, vocabulary))
    assert result.ratification.score == 1000 * rank // len(vocabulary)
    folded = next(step for step in result.folded["steps"] if step["stage"] == "ratify")
    assert folded["score"] == result.ratification.score
    assert folded["outcome"] == result.ratification.outcome.value


def test_above_the_threshold_an_intent_is_demoted(runtime: Runtime) -> None:
    plan, vocabulary = plan_of(runtime, "What is light?"), runtime.vocabulary
    place = vocabulary.points[vocabulary.lookup("light")[0]]
    score = ratify_intent(plan, place, vocabulary).score
    assert score is not None
    assert score > 0
    for threshold, outcome in (
        (score, RatificationOutcome.RATIFIED),
        (score - 1, RatificationOutcome.DEMOTED),
    ):
        found = ratify_intent(plan, place, vocabulary, threshold=threshold)
        assert (found.outcome, found.score, found.threshold) == (outcome, score, threshold)


def test_at_its_own_cue_sense_the_score_is_nought(runtime: Runtime) -> None:
    vocabulary = runtime.vocabulary
    place = vocabulary.points[cue_senses(IntentTag.DEFINITION, vocabulary)[0]]
    found = ratify_intent(plan_of(runtime, "What is light?"), place, vocabulary)
    assert (found.outcome, found.score) == (RatificationOutcome.RATIFIED, 0)


def test_what_is_missing_is_said_apart_and_folded_alike(runtime: Runtime, bakery: Vocabulary) -> None:
    plan = plan_of(runtime, "What is light?")
    clauses = (replace(plan.clause, intent=IntentTag.UNKNOWN),)
    unknown = replace(plan, clauses=clauses, dominant=0)
    place = runtime.vocabulary.points[0]
    found = [
        runtime.ask("What is light?").ratification,
        ratify_intent(unknown, place, runtime.vocabulary),
        ratify_intent(plan, bakery.points[0], bakery),
        ratify_intent(plan, None, runtime.vocabulary),
    ]
    assert [one.outcome.value for one in found] == [
        "passthrough_no_field",
        "passthrough_no_vocab",
        "passthrough_no_vocab",
        "passthrough_no_versor",
    ]
    assert all(one.as_dict() == {"outcome": "passthrough"} for one in found)


def test_a_passthrough_is_folded_where_ratification_is_on() -> None:
    result = small_pack.runtime_of(ratify_intent=True).ask("What is bread?")
    (step,) = [step for step in result.folded["steps"] if step["stage"] == "ratify"]
    assert step == {"stage": "ratify", "version": 1, "outcome": "passthrough"}
    assert result.ratification.outcome is RatificationOutcome.PASSTHROUGH_NO_VOCAB
    assert result.answered


def test_it_stands_between_classification_and_articulation(runtime_with: Build) -> None:
    result = runtime_with(ratify_intent=True).ask("What is light?")
    stages = [step["stage"] for step in result.folded["steps"]]
    assert stages[1:4] == ["classify", "ratify", "articulate"]


def test_it_changes_no_answer(runtime: Runtime, runtime_with: Build) -> None:
    on, off = runtime_with(ratify_intent=True).ask_batch(FIXED), runtime.ask_batch(FIXED)
    for with_it, without in zip(on, off, strict=True):
        assert with_it.surface == without.surface
        left = [step for step in with_it.folded["steps"] if step["stage"] != "ratify"]
        assert left == without.folded["steps"]
        assert without.ratification.outcome is RatificationOutcome.PASSTHROUGH_NO_FIELD
    assert any(turn.ratification.outcome is RatificationOutcome.RATIFIED for turn in on)


def test_standing_counts_thousandths(bakery: Vocabulary) -> None:
    assert standing((7,), range(20)) == 350
    assert standing((7, 3), range(20)) == 150
    assert standing((0,), range(20)) == 0
