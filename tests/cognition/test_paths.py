"""Chains of one relation against an oracle that lists every simple path."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cognition import Vocabulary
from cognition.paths import MOST_STEPS, beyond, chains
from tests.cognition.small_pack import said, vocabulary_of, word

pytestmark = pytest.mark.cognition

NAMES = ("ale", "bun", "cob", "dip", "egg", "fig")
WORDS = tuple(word(name, 10 * i) for i, name in enumerate(NAMES))
LINKS = st.sets(
    st.tuples(st.integers(0, 5), st.integers(0, 5)).filter(lambda link: link[0] != link[1]), max_size=12
)


def pack_of(links: set[tuple[int, int]], relation: str = "requires") -> Vocabulary:
    rows = [said(f"{NAMES[a]}.n.1 {relation} {NAMES[b]}.n.1") for a, b in sorted(links)]
    return vocabulary_of(WORDS, rows)


def simple_paths(
    links: set[tuple[int, int]], at: int, path: tuple[int, ...] = ()
) -> Iterator[tuple[int, ...]]:
    path = (*path, at)
    yield path
    for a, b in sorted(links):
        if a == at and b not in path:
            yield from simple_paths(links, b, path)


@given(LINKS)
def test_words_beyond_are_those_that_paths_reach_each_by_a_shortest(links: set[tuple[int, int]]) -> None:
    vocabulary = pack_of(links)
    for start in range(len(NAMES)):
        shortest: dict[int, int] = {}
        for path in simple_paths(links, start):
            end = path[-1]
            shortest[end] = min(shortest.get(end, 99), len(path) - 1)
        found = beyond(vocabulary, start, "requires", frozenset(), forward=True)
        assert {word: len(path) for word, path in found.items()} == {
            word: steps for word, steps in shortest.items() if steps > 1
        }
        for word_, path in found.items():
            assert (path[0].subject, path[-1].object) == (start, word_)
            assert all(one.object == two.subject for one, two in pairwise(path))


@given(LINKS)
def test_backwards_is_forwards_along_turned_links(links: set[tuple[int, int]]) -> None:
    turned = {(b, a) for a, b in links}
    one, other = pack_of(links), pack_of(turned)
    for start in range(len(NAMES)):
        back = beyond(one, start, "requires", frozenset(), forward=False)
        forth = beyond(other, start, "requires", frozenset(), forward=True)
        assert {w: len(p) for w, p in back.items()} == {w: len(p) for w, p in forth.items()}
        assert all(path[-1].object == start for path in back.values())


@given(LINKS)
def test_chains_are_all_shortest_and_begin_with_every_first_word_of_one(links: set[tuple[int, int]]) -> None:
    vocabulary = pack_of(links)
    for start, end in ((0, 5), (2, 3)):
        paths = [p for p in simple_paths(links, start) if p[-1] == end and len(p) > 2]
        least = min(map(len, paths), default=0)
        found = chains(vocabulary, start, "requires", end, frozenset())
        assert set(found) == {p[1] for p in paths if len(p) == least}
        assert all(len(path) == least - 1 for path in found.values())


def test_a_chain_has_a_longest_length() -> None:
    names = tuple(f"w{chr(97 + i)}" for i in range(MOST_STEPS + 2))
    rows = [said(f"{a}.n.1 requires {b}.n.1") for a, b in pairwise(names)]
    vocabulary = vocabulary_of([word(name, 10 * i) for i, name in enumerate(names)], rows)
    ends = range(2, len(names))
    reached = [end for end in ends if chains(vocabulary, 0, "requires", end, frozenset())]
    assert reached == list(range(2, MOST_STEPS + 1))
    far = beyond(vocabulary, 0, "requires", frozenset(), forward=True)
    assert sorted(far) == list(range(2, MOST_STEPS + 1))


def test_only_assertions_of_a_transitive_relation_chain() -> None:
    assert beyond(pack_of({(0, 1), (1, 2)}, "enables"), 0, "enables", frozenset(), forward=True) == {}
    rows = [said("ale.n.1 requires bun.n.1"), said("bun.n.1 not requires cob.n.1")]
    assert beyond(vocabulary_of(WORDS, rows), 0, "requires", frozenset(), forward=True) == {}
