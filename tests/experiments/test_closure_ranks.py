"""Ranks of ancestors, and read-outs of generality, against slow, plain implementations and by hand."""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cga._lattice import LIMIT, centroid, key
from cga.backend import Point
from experiments.closure import direction
from experiments.closure.ranks import ball_keys, lattice_keys, rank_pairs
from tests.experiments.hierarchies import Pairs, closure_from, random_pairs, random_points

pytestmark = pytest.mark.algebra


def slow_ranks(
    distance: Callable[[int, int], float], size: int, pairs: Pairs, known: Sequence[tuple[int, int]] = ()
) -> dict[str, Any]:
    """The definition, pair by pair: what ranks an ancestor, and what its precision is."""
    above: dict[int, set[int]] = {}
    aside: dict[int, set[int]] = {}
    for node, ancestor in pairs:
        above.setdefault(node, set()).add(ancestor)
    for node, ancestor in [*pairs, *known]:
        aside.setdefault(node, set()).add(ancestor)
    ranks, averages, gensim_ranks, gensim_averages = [], [], [], []
    for node, ancestors in above.items():
        others = [distance(node, other) for other in range(size) if other not in aside[node] | {node}]
        precisions, of_node = [], []
        for ancestor in ancestors:
            far = distance(node, ancestor)
            near = sum(other <= far for other in others)
            found = sum(distance(node, other) <= far for other in ancestors)
            ranks.append(1 + near)
            precisions.append(found / (found + near))
            of_node.append(1 + sum(other < far for other in [*others, distance(node, node)]))
        averages.append(sum(precisions) / len(precisions))
        gensim_ranks += of_node
        of_node.sort()
        gensim_averages.append(sum((i + 1) / (rank + i) for i, rank in enumerate(of_node)) / len(of_node))
    return {
        "map": sum(averages) / len(averages),
        "mean_rank": sum(ranks) / len(ranks),
        "gensim": {
            "map": sum(gensim_averages) / len(gensim_averages),
            "mean_rank": sum(gensim_ranks) / len(gensim_ranks),
        },
    }


@given(st.integers(0, 10**6), st.integers(2, 24), st.sampled_from([2, 5, 100, LIMIT - 1]))
def test_ranks_are_those_of_the_definition(seed: int, size: int, extent: int) -> None:
    draw = random.Random(seed)
    points, pairs = random_points(draw, size, extent), random_pairs(draw, size)
    hidden = {pair for pair in pairs if draw.random() < 0.3}
    ranked = [pair for pair in pairs if pair not in hidden] or pairs
    known = sorted(set(pairs) - set(ranked))
    found = rank_pairs(lattice_keys(points), size, np.array(ranked), np.array(known, int).reshape(-1, 2))
    expected = slow_ranks(lambda a, b: key(points[b], points[a]), size, ranked, known)
    assert found.figures() == pytest.approx({name: expected[name] for name in ("map", "mean_rank")})
    assert found.as_gensim() == pytest.approx(expected["gensim"])


@given(st.integers(0, 10**6), st.sampled_from([1, 40, 2**20, LIMIT - 1]))
def test_keys_are_exactly_those_of_the_search(seed: int, extent: int) -> None:
    draw = random.Random(seed)
    points = random_points(draw, 3, extent)
    corner = [
        Point(s * (LIMIT - 1), s * (LIMIT - 1), s * (LIMIT - 1), rho) for s, rho in ((1, 1), (-1, LIMIT - 1))
    ]
    points += corner if extent == LIMIT - 1 else []
    table = lattice_keys(points)(np.arange(len(points)))
    assert table.tolist() == [[key(word, location) for word in points] for location in points]


def test_ranks_by_hand() -> None:
    """On a line at breadth 100: 0 is nearest to 1, then 2, then 3."""
    points = [Point(x, 0, 0, 100) for x in (0, 10, 30, 70)]
    ranks = rank_pairs(lattice_keys(points), 4, np.array([(0, 1), (0, 3), (1, 3)]))
    # Of node 0: 1 before all others; 3 after the one other, 2. Of node 1: 3 after both others, 0 and 2.
    assert ranks.figures() == {"map": (((1 / 1 + 2 / 3) / 2) + 1 / 3) / 2, "mean_rank": (1 + 2 + 3) / 3}
    assert ranks.spread() == {"first": 1 / 3, "p95": 3, "p99": 3}
    assert ranks.as_gensim()["mean_rank"] == (2 + 3 + 4) / 3


def test_ties_count_against_the_points() -> None:
    points = [Point(0, 0, 0, 9), Point(5, 0, 0, 9), Point(-5, 0, 0, 9)]
    ranks = rank_pairs(lattice_keys(points), 3, np.array([(0, 1)]))
    assert ranks.figures() == {"map": 0.5, "mean_rank": 2}
    assert ranks.as_gensim() == {
        "map": 0.5,
        "mean_rank": 2,
    }  # the node itself, and a tie that counts for them


def test_many_tiles_are_as_one(monkeypatch: pytest.MonkeyPatch) -> None:
    draw = random.Random(0)
    points, pairs = random_points(draw, 40, 30), np.array(random_pairs(draw, 40))
    whole = rank_pairs(lattice_keys(points), 40, pairs)
    monkeypatch.setattr("experiments.closure.ranks.TILE", 3 * 40)
    parts = rank_pairs(lattice_keys(points), 40, pairs)
    assert (whole.near.tolist(), whole.place.tolist()) == (parts.near.tolist(), parts.place.tolist())


def test_ball_keys_order_by_distance() -> None:
    rng = np.random.default_rng(0)
    vectors = rng.uniform(-0.55, 0.55, (20, 3))

    def distance(a: int, b: int) -> float:
        u, v = vectors[a], vectors[b]
        return math.acosh(1 + 2 * ((u - v) @ (u - v)) / ((1 - u @ u) * (1 - v @ v)))

    pairs = random_pairs(random.Random(1), 20)
    found = rank_pairs(ball_keys(vectors), 20, np.array(pairs)).figures()
    expected = slow_ranks(distance, 20, pairs)
    assert found == pytest.approx({name: expected[name] for name in ("map", "mean_rank")})


@pytest.mark.oracle
def test_gensim_says_the_same_of_its_vectors() -> None:
    pytest.importorskip("gensim")
    from experiments.closure.peer import Settings, bench_gensim

    pairs = np.array(random_pairs(random.Random(3), 30))
    names = [f"node{i}" for i in range(30)]
    used = sorted(set(pairs.ravel().tolist()))
    pairs = np.searchsorted(used, pairs)
    found = bench_gensim([names[i] for i in used], pairs, None, Settings(size=2, epochs=3, burn_in=1))
    assert found["own"]["mean_rank"] == pytest.approx(found["mean_rank"] + 1)
    assert found["own"]["map"] < found["map"]
    assert (found["held_out"], found["settings"]["size"]) == (None, 2)


def test_direction_by_hand() -> None:
    """A root in the middle, its children around it, and a grandchild that is broader than its parent."""
    closure = closure_from([(1, 0), (2, 0), (3, 0), (3, 1)])
    points = [Point(0, 0, 0, 1000), Point(800, 0, 0, 90), Point(-800, 0, 0, 95), Point(900, 0, 0, 91)]
    found = direction.measure_direction(closure, points)
    assert found["all"] == {"pairs": 4, "breadth": 3 / 4, "middle": 1, "depth": 1}
    assert found["to_parents"]["pairs"] == 3
    assert found["rank_correlation"]["breadth"] > 0
    assert direction.direction_accuracy(np.zeros(2), np.array([(0, 1)])) == 0  # a tie says nothing
    assert direction.direction_accuracy(np.zeros(2), np.zeros((0, 2), int)) is None


def test_the_middle_is_the_centroid_of_the_system() -> None:
    points = [Point(0, 5000, 0, 9000), Point(-7000, 0, 300, 800), Point(4000, 4000, 0, 12000)]
    near = direction.nearness_to_middle(points)
    middle = centroid(points)
    for value, point in zip(near, points, strict=True):
        squares = sum((a - b) ** 2 for a, b in zip(point, middle, strict=True))
        assert -value - 1 == pytest.approx(squares / (2 * point.rho * middle.rho), rel=1e-3)


@pytest.mark.oracle
@given(st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), min_size=3, max_size=30))
def test_rank_correlation_is_spearmans(values: list[tuple[int, int]]) -> None:
    stats = pytest.importorskip("scipy.stats")
    first, second = (np.array(side, float) for side in zip(*values, strict=True))
    found = direction.rank_correlation(first, second)
    if np.ptp(first) == 0 or np.ptp(second) == 0:
        assert found is None
    else:
        assert found == pytest.approx(stats.spearmanr(first, second).statistic)
