"""Admissibility inside the walk: blades of graphs, words rejected and admitted, and honest exhaustion."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from cga.backend import Blade
from cognition import (
    AdmissibilityRegion,
    FieldState,
    GraphNode,
    InnerLoopExhaustion,
    PropositionGraph,
    Runtime,
    RuntimeConfig,
    Vocabulary,
    generate,
)
from cognition.constraint import build_relation_region
from cognition.graph import PENDING, IntentTag
from cognition.walk import Admission
from tests.cognition import small_pack

pytestmark = pytest.mark.cognition

Build = Callable[..., Runtime]
ASKED = "Why does knowledge require evidence?"


def index(vocabulary: Vocabulary, lemma: str) -> int:
    return vocabulary.lookup(lemma)[0]


def blade_of(vocabulary: Vocabulary, *lemmas: str) -> AdmissibilityRegion:
    spanning = tuple(index(vocabulary, lemma) for lemma in lemmas)
    return AdmissibilityRegion(allowed_indices=None, relation_blade=spanning, label="blade:p0", source="test")


def level(vocabulary: Vocabulary, *, of: str, seen_from: str) -> int:
    scores = vocabulary.backend.scores(
        vocabulary.handle, Blade((index(vocabulary, seen_from),)), [index(vocabulary, of)]
    )
    return scores[0]


def from_word(vocabulary: Vocabulary, lemma: str, *goals: str) -> FieldState:
    groups = tuple((index(vocabulary, goal),) for goal in goals) or ((),)
    return FieldState(location=vocabulary.points[index(vocabulary, lemma)], goals=groups)


def test_the_nearest_word_is_rejected_and_the_next_admitted(bakery: Vocabulary) -> None:
    """From wheat (75 on the line) the walk would go to wheat and cake; flour (30) is near enough to bread (0)."""
    least = level(bakery, of="flour", seen_from="bread")
    inner = Admission(mode="threshold", levels=(least,) * 3)
    free = generate(from_word(bakery, "wheat"), bakery, max_tokens=2)
    assert free.tokens == ("wheat", "cake")
    assert free.attempts == ()
    state = from_word(bakery, "wheat", "oven")
    result = generate(state, bakery, region=blade_of(bakery, "bread"), inner_loop=inner)
    assert result.tokens == ("flour", "oven")
    assert result.end == "grounded"
    first, second = result.attempts
    assert [bakery.senses[attempt.word].lemma for attempt in first] == ["wheat", "cake", "water"]
    assert all(attempt.score < attempt.needed == least for attempt in first)
    assert second == ()


def test_the_threshold_exhausts_in_the_walk(bakery: Vocabulary) -> None:
    least = level(bakery, of="flour", seen_from="bread")
    inner = Admission(mode="threshold", levels=(least,) * 3)
    with pytest.raises(InnerLoopExhaustion) as caught:
        generate(from_word(bakery, "bread"), bakery, region=blade_of(bakery, "bread"), inner_loop=inner)
    error = caught.value
    assert (error.reason, error.label, error.step) == ("all_rejected", "blade:p0", 4)
    assert len(error.attempts) == 5
    rejected = [attempt.word for step in error.attempts for attempt in step]
    assert len(rejected) == len(set(rejected)) == len(bakery) - 4
    assert error.rejected == tuple(attempt.word for attempt in error.attempts[-1])
    assert "all_rejected" not in str(error)
    assert f"rejected {len(error.rejected)}" in str(error)


def test_the_margin_exhausts_where_two_words_are_as_good(bakery: Vocabulary) -> None:
    words = [small_pack.word("left", -10), small_pack.word("mid", 0), small_pack.word("right", 10)]
    vocabulary = small_pack.vocabulary_of(words, ())
    inner = Admission(mode="margin", margin=1)
    with pytest.raises(InnerLoopExhaustion) as caught:
        generate(
            from_word(vocabulary, "mid"), vocabulary, region=blade_of(vocabulary, "mid"), inner_loop=inner
        )
    error = caught.value
    assert (error.reason, error.step) == ("all_rejected", 1)
    assert error.attempts[0] == ()
    assert [attempt.needed - attempt.score for attempt in error.attempts[1]] == [1, 1]
    # One lattice unit of difference is lead enough.
    words[0] = small_pack.word("left", -11)
    nearer = small_pack.vocabulary_of(words, ())
    result = generate(from_word(nearer, "mid"), nearer, region=blade_of(nearer, "mid"), inner_loop=inner)
    assert result.tokens == ("mid", "right", "left")


def test_an_inner_loop_without_a_blade_says_that_it_scored_nothing(bakery: Vocabulary) -> None:
    inner = Admission(mode="margin", margin=10**6)
    result = generate(from_word(bakery, "bread", "oven"), bakery, inner_loop=inner)
    assert result.unscored
    assert result.tokens == ("bread", "oven")
    scored = generate(from_word(bakery, "bread", "bread"), bakery, region=blade_of(bakery, "bread"))
    assert not scored.unscored


def node(**fields: Any) -> GraphNode:
    given = {"node_id": "p0", "subject": PENDING, "predicate": "requires", "obj": PENDING} | fields
    return GraphNode(source_intent=IntentTag.VERIFICATION, **given)


def test_a_blade_is_spanned_by_subject_relation_word_and_object() -> None:
    words = (*small_pack.BAKERY, small_pack.word("require", 50, pos="verb"))
    vocabulary = small_pack.vocabulary_of(words)
    graph = PropositionGraph((node(subject="bread", obj="flour", predicate_anchors=False),))
    region = build_relation_region(graph, vocabulary)
    assert region.relation_blade == tuple(index(vocabulary, w) for w in ("bread", "require", "flour"))
    assert region.is_unconstrained
    assert (region.label, region.source) == ("blade:p0", "relation_blade")
    assert region.frame_versor is None


@pytest.mark.parametrize(
    ("fields", "spanning"),
    [
        ({"subject": "bread", "obj": "flour"}, ("bread", "flour")),
        ({"subject": "bread"}, ("bread",)),
        ({"subject": "bread", "obj": "bread"}, ("bread",)),
        ({"subject": "wombat", "obj": "flour"}, ("flour",)),
        ({"subject": "wombat"}, None),
        ({"subject": "bread", "predicate": "bake"}, ("bread", "bake")),
        ({"subject": "bread", "predicate": "bake", "predicate_anchors": False}, ("bread",)),
    ],
)
def test_what_the_vocabulary_lacks_spans_nothing(
    bakery: Vocabulary, fields: dict[str, Any], spanning: tuple[str, ...] | None
) -> None:
    region = build_relation_region(PropositionGraph((node(**fields),)), bakery)
    expected = None if spanning is None else tuple(index(bakery, lemma) for lemma in spanning)
    assert region.relation_blade == expected
    assert bool(region.blades) == (expected is not None)


def test_later_propositions_fill_a_blade_up_to_three_words(bakery: Vocabulary) -> None:
    names = ("bread", "flour", "oven", "salt")
    graph = PropositionGraph(tuple(node(node_id=f"p{i}", subject=name) for i, name in enumerate(names)))
    region = build_relation_region(graph, bakery)
    assert region.relation_blade == tuple(index(bakery, lemma) for lemma in names[:3])


def test_an_empty_graph_has_no_blade(bakery: Vocabulary) -> None:
    assert build_relation_region(PropositionGraph(), bakery).relation_blade is None


def test_an_analogy_carries_the_blade_of_its_third_term(runtime_with: Build) -> None:
    runtime = runtime_with(inner_loop="threshold", inner_loop_percent=0)
    vocabulary = runtime.vocabulary
    result = runtime.ask("Abstraction is to concept as cause is to what?")
    assert result.region is not None
    assert result.region.relation_blade == (vocabulary.index["cause.n.1"],)
    assert result.region.frame_versor == (
        vocabulary.index["abstraction.n.1"],
        vocabulary.index["concept.n.1"],
    )
    step = next(step for step in result.folded["steps"] if step["stage"] == "relate")
    assert step["frame"] == list(result.region.frame_versor)


def test_a_turn_is_refused_with_label_step_and_attempts(runtime_with: Build) -> None:
    runtime = runtime_with(inner_loop="threshold", inner_loop_percent=100)
    result = runtime.ask(ASKED)
    assert result.refusal is not None
    assert result.exhaustion is not None
    assert (result.refusal.code, result.refusal.about) == ("inner_loop_exhausted", "blade:p0")
    assert result.refusal.step == result.exhaustion.step >= 1
    assert result.walk is None
    step = next(step for step in result.folded["steps"] if step["stage"] == "walk")
    assert step["exhausted"] == "all_rejected"
    assert step["rejected"] == [[list(a) for a in attempts] for attempts in result.exhaustion.attempts]
    assert "blade:p0" in result.surface
    assert not any(sentence.evidence for sentence in result.sentences[:1])


def test_the_margin_refuses_a_turn_too(runtime_with: Build) -> None:
    result = runtime_with(inner_loop="margin", inner_loop_margin=1_000_000).ask(ASKED)
    assert result.refusal is not None
    assert (result.refusal.code, result.refusal.step) == ("inner_loop_exhausted", 0)
    assert result.exhaustion is not None
    assert len(result.exhaustion.rejected) > 300


def test_rejected_words_are_folded_and_the_answer_still_stands(runtime_with: Build) -> None:
    plain, inner = runtime_with().ask(ASKED), runtime_with(inner_loop="threshold").ask(ASKED)
    assert inner.answered
    assert inner.walk is not None
    assert plain.walk is not None
    assert len(inner.walk.indices) < len(plain.walk.indices)
    stages = {step["stage"]: step for step in inner.folded["steps"]}
    assert stages["relate"]["blade"]
    assert any(stages["walk"]["rejected"])
    assert inner.trace_hash != plain.trace_hash


def test_the_blade_narrows_inside_the_graph_s_region(runtime_with: Build) -> None:
    both = runtime_with(inner_loop="threshold", forward_graph_constraint=True).ask(ASKED)
    region = runtime_with(forward_graph_constraint=True).ask(ASKED).region
    assert both.region is not None
    assert region is not None
    assert both.region.allowed_indices == region.allowed_indices
    assert both.region.label == "graph:p0&blade:p0"
    assert both.region.blades


def test_a_percent_of_nothing_rejects_nothing(runtime_with: Build) -> None:
    free, inner = (
        runtime_with().ask(ASKED),
        runtime_with(inner_loop="threshold", inner_loop_percent=0).ask(ASKED),
    )
    assert free.walk is not None
    assert inner.walk is not None
    assert inner.walk.indices == free.walk.indices
    assert not any(inner.walk.attempts)


def test_settings_of_a_loop_that_is_off_leave_no_mark(runtime: Runtime, runtime_with: Build) -> None:
    other = runtime_with(inner_loop_percent=99, inner_loop_margin=7)
    assert other.ask(ASKED).trace_hash == runtime.ask(ASKED).trace_hash


def test_filters_that_are_not_at_their_default_are_named(bakery: Vocabulary) -> None:
    runtime = Runtime(bakery, RuntimeConfig(min_salience=90))
    result = runtime.ask("What is bread?")
    assert result.refusal is not None
    assert result.refusal.about == "vocabulary&salience:90"
    german = Runtime(bakery, RuntimeConfig(output_language="de")).ask("What is bread?")
    assert german.refusal is not None
    assert german.refusal.about == "vocabulary&language:de"
    walked = Runtime(bakery, RuntimeConfig(min_salience=1)).ask("What is bread?")
    step = next(step for step in walked.folded["steps"] if step["stage"] == "walk")
    assert step["filters"] == {"salience": 1}
