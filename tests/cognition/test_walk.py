"""Walks, against a walk in plain Python; and walks on a line, against the eye."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cga.backend import Point
from cognition import AdmissibilityRegion, FieldState, InnerLoopExhaustion, Vocabulary, generate
from cognition.walk import IDLE_STEPS
from tests.cognition import oracle, small_pack

pytestmark = pytest.mark.cognition

POINTS = st.lists(
    st.builds(Point, *[st.integers(-2, 2)] * 3, st.integers(1, 3)), min_size=1, max_size=12, unique=True
)


def region_of(*indices: int) -> AdmissibilityRegion:
    return AdmissibilityRegion(allowed_indices=tuple(sorted(indices)), label="graph:p0", source="test")


def named(vocabulary: Vocabulary, *lemmas: str) -> AdmissibilityRegion:
    return region_of(*(vocabulary.lookup(lemma)[0] for lemma in lemmas))


def at(vocabulary: Vocabulary, lemma: str, goals: Sequence[Sequence[str]] = ([],)) -> FieldState:
    """Standing on a word, looking for words of each goal; by default for what no word is, so that it never ends."""
    groups = tuple(tuple(sorted(vocabulary.lookup(word)[0] for word in goal)) for goal in goals)
    return FieldState(location=vocabulary.points[vocabulary.lookup(lemma)[0]], goals=groups)


@given(points=POINTS, data=st.data())
@settings(max_examples=80)
def test_a_walk_is_the_walk_of_the_oracle(points: list[Point], data: st.DataObject) -> None:
    vocabulary = small_pack.vocabulary_of(small_pack.points_as_words(points), ())
    everything = range(len(points))
    start = data.draw(st.builds(Point, *[st.integers(-3, 3)] * 3, st.integers(1, 5)))
    allowed = data.draw(st.none() | st.lists(st.sampled_from(everything), unique=True))
    stops = data.draw(st.sets(st.sampled_from([f"w{i:03}" for i in everything])))
    most = data.draw(st.integers(0, len(points) + 1))
    group = st.sets(st.sampled_from(everything), min_size=1).map(lambda g: tuple(sorted(g)))
    goals = data.draw(st.lists(group, max_size=2).map(tuple))
    admissible = [i for i in (everything if allowed is None else allowed) if f"w{i:03}" not in stops]
    steps = most if goals else min(most, IDLE_STEPS)
    expected, end = oracle.walk(points, start, admissible, most=steps, goals=goals)

    def go() -> Any:
        return generate(
            FieldState(location=start, goals=goals),
            vocabulary,
            region=None if allowed is None else region_of(*allowed),
            max_tokens=most,
            stop_words=frozenset(stops),
        )

    if end == "no_candidate":
        with pytest.raises(InnerLoopExhaustion) as caught:
            go()
        assert caught.value.step == -1
        return
    result = go()
    assert list(result.admissibility_trace) == expected
    assert result.indices == tuple(index for index, _ in expected)
    assert result.tokens == tuple(f"w{i:03}" for i in result.indices)
    assert result.end == end
    assert result.region_was_unconstrained == (allowed is None)
    assert result.versor_condition < 1e-6


@pytest.mark.parametrize(
    ("start", "most", "expected"),
    [
        ("bread", 4, ["bread", "oven", "flour", "water"]),
        ("oven", 3, ["oven", "bread", "toast"]),
        ("salt", 2, ["salt", "mix"]),
        ("wheat", 9, ["wheat", "cake", "water", "flour", "oven", "bread", "toast", "baker", "bake"]),
    ],
)
def test_on_the_line_a_walk_goes_to_what_is_nearest(
    bakery: Vocabulary, start: str, most: int, expected: list[str]
) -> None:
    result = generate(at(bakery, start), bakery, max_tokens=most)
    assert list(result.tokens) == expected
    assert result.end == "max_steps"


def test_a_walk_never_stands_on_a_word_twice(bakery: Vocabulary) -> None:
    result = generate(at(bakery, "bread"), bakery, max_tokens=100)
    assert sorted(result.indices) == list(range(len(bakery)))
    assert result.end == "all_visited"


def test_a_walk_that_looks_for_nothing_takes_few_steps(bakery: Vocabulary) -> None:
    looking = generate(at(bakery, "bread"), bakery, max_tokens=100)
    idle = generate(at(bakery, "bread", []), bakery, max_tokens=100)
    assert idle.indices == looking.indices[:IDLE_STEPS]
    assert idle.end == "max_steps"
    assert generate(at(bakery, "bread", []), bakery, max_tokens=3).indices == looking.indices[:3]


def test_pools_shrink_by_one_a_step(bakery: Vocabulary) -> None:
    result = generate(at(bakery, "bread"), bakery, region=named(bakery, "oven", "cake", "salt"), max_tokens=9)
    assert [size for _, size in result.admissibility_trace] == [3, 2, 1]


def test_a_walk_ends_once_every_goal_is_met(bakery: Vocabulary) -> None:
    result = generate(at(bakery, "bread", [["flour", "salt"], ["water"]]), bakery, max_tokens=12)
    assert result.tokens == ("bread", "oven", "flour", "water")
    assert result.end == "grounded"


def test_a_goal_outside_the_region_is_never_met(bakery: Vocabulary) -> None:
    state = at(bakery, "bread", [["salt"]])
    result = generate(state, bakery, region=named(bakery, "oven", "flour"), max_tokens=12)
    assert result.tokens == ("oven", "flour")
    assert result.end == "all_visited"


def test_a_region_of_one_word(bakery: Vocabulary) -> None:
    result = generate(at(bakery, "bread"), bakery, region=named(bakery, "salt"), max_tokens=5)
    assert result.tokens == ("salt",)
    assert result.end == "all_visited"


def test_no_step_at_all(bakery: Vocabulary) -> None:
    result = generate(at(bakery, "bread"), bakery, max_tokens=0)
    assert result.tokens == ()
    assert result.end == "max_steps"


def test_an_empty_region_exhausts_the_walk_even_where_no_step_is_wanted(bakery: Vocabulary) -> None:
    for most in (0, 1, 16):
        with pytest.raises(InnerLoopExhaustion) as caught:
            generate(at(bakery, "bread"), bakery, region=region_of(), max_tokens=most)
        assert (caught.value.reason, caught.value.step) == ("no_candidate_before_walk", -1)
        assert caught.value.label == "graph:p0"


@pytest.mark.parametrize(
    "filters",
    [
        {"languages": ("de",)},
        {"languages": ()},
        {"salience": 51},
        {"stop_words": frozenset(("oven", "flour"))},
    ],
)
def test_no_filter_is_dropped_because_it_emptied_the_pool(
    bakery: Vocabulary, filters: dict[str, Any]
) -> None:
    region = named(bakery, "oven", "flour")
    with pytest.raises(InnerLoopExhaustion) as caught:
        generate(at(bakery, "bread"), bakery, region=region, **filters)
    assert caught.value.step == -1
    if "stop_words" not in filters:
        with pytest.raises(InnerLoopExhaustion, match="vocabulary"):
            generate(at(bakery, "bread"), bakery, **filters)


def test_filters_and_region_are_intersected() -> None:
    words = [dict(row) for row in small_pack.BAKERY]
    for row in words:
        row["language"] = "de" if row["lemma"] in ("oven", "flour") else "en"
        row["salience"] = 10 if row["lemma"] == "water" else 50
        row["status"] = "retracted" if row["lemma"] == "cake" else "reviewed"
    vocabulary = small_pack.vocabulary_of(words)
    everything = generate(at(vocabulary, "bread"), vocabulary, salience=20, max_tokens=99)
    assert {"oven", "flour", "water", "cake"}.isdisjoint(everything.tokens)
    both = generate(at(vocabulary, "bread"), vocabulary, languages=("en", "de"), salience=10, max_tokens=99)
    assert {"oven", "flour", "water"} <= set(both.tokens)
    assert "cake" not in both.tokens
    region = named(vocabulary, "oven", "water", "wheat", "salt")
    assert generate(at(vocabulary, "bread"), vocabulary, region=region, salience=20).tokens == (
        "wheat",
        "salt",
    )


def test_salience_is_a_least_value(bakery: Vocabulary) -> None:
    assert generate(at(bakery, "bread"), bakery, salience=50, max_tokens=1).tokens == ("bread",)


def test_the_pack_s_stop_words_are_never_stood_on() -> None:
    words = (*small_pack.BAKERY, small_pack.word("the", 1, pos="function"), small_pack.word("How", 2))
    vocabulary = small_pack.vocabulary_of(words)
    tokens = generate(at(vocabulary, "bread"), vocabulary, max_tokens=99).tokens
    assert "the" not in tokens
    assert "How" not in tokens
    assert len(tokens) == len(small_pack.BAKERY)


def test_the_shipped_pack_blocks_its_stop_words_and_nothing_else(shipped: Vocabulary) -> None:
    blocked = set(shipped.blocked(("en",)))
    stops = set(shipped.pack.stop_words)
    assert blocked == {i for i, s in enumerate(shipped.senses) if s.pos == "function" or s.lemma in stops}
    assert 0 < len(blocked) < len(shipped) / 4


def test_the_state_is_not_changed_by_a_walk(bakery: Vocabulary) -> None:
    state = at(bakery, "bread", [["flour"]])
    first = generate(state, bakery)
    assert generate(state, bakery).admissibility_trace == first.admissibility_trace
    assert state == at(bakery, "bread", [["flour"]])
