"""Blocks of near words: no bound exceeds a key, and what search leaves out is never missed."""

from __future__ import annotations

import random

import numpy as np
import pytest

from cga import _block_search, _blocks, _search, _vocabulary
from cga._blocks import lift, make_blocks, seen_from
from cga._lattice import LIMIT, LOCATION_LIMIT, key
from cga._vocabulary import open_vocabulary
from cga.backend import Point, WalkRequest, open_backend
from tests.cga.conftest import coarse_points
from tests.cga.large import buffer_of, tree_points
from tests.cga.oracles import rank, walk

pytestmark = pytest.mark.algebra

EDGE = LIMIT - 1


def edge_points(size, seed):
    """Corners of the lattice, where the numbers are largest."""
    rng = np.random.default_rng(seed)
    center = rng.choice([-1, 0, 1], (size, 3)) * (EDGE - rng.integers(0, 9, (size, 3)))
    breadth = np.where(rng.random(size) < 0.5, rng.integers(1, 9, size), EDGE - rng.integers(0, 9, size))
    return np.unique(np.column_stack([center, breadth]), axis=0)


SETS = {
    "tree": tree_points(1500, 1),
    "coarse": np.array(coarse_points(900, 2)),
    "edge": np.random.default_rng(0).permutation(edge_points(1200, 3)),
    "line": np.column_stack([np.arange(700) % 50, np.zeros((700, 2), int), 1 + np.arange(700) // 50]),
}


@pytest.fixture(params=list(SETS))
def points(request):
    return [Point(*row) for row in SETS[request.param].tolist()]


@pytest.fixture
def small(monkeypatch):
    """Blocks for vocabularies that a test can rank by hand."""
    monkeypatch.setattr(_vocabulary, "TABLED", 0)
    monkeypatch.setattr(_search, "BLOCKED", 1)
    monkeypatch.setattr(_blocks, "ROWS", 16)
    monkeypatch.setattr(_block_search, "FRONT", 3)


def locations_among(points, seed, count=40):
    rng = random.Random(seed)
    wild = [
        Point(
            rng.randint(-EDGE, EDGE),
            rng.randint(-EDGE, EDGE),
            rng.randint(-EDGE, EDGE),
            int(2 ** rng.uniform(0, 24.99)),
        )
        for _ in range(count // 2)
    ]
    corner = Point(EDGE, -EDGE, EDGE, LOCATION_LIMIT - 1)
    return [*rng.sample(points, count // 2), *wild, corner, Point(0, 0, 0, 1)]


def test_squares_by_one_product_are_exact(points):
    locations = locations_among(points, 1)
    lifted, asked = lift(np.array(points, float).T), lift(np.array(locations, float).T)
    found = seen_from(asked) @ lifted.T
    for row, location in zip(found.tolist(), locations, strict=True):
        assert row == [sum((a - b) ** 2 for a, b in zip(p, location, strict=True)) for p in points]
    # In whatever order the terms are added.
    for order in (np.arange(6)[::-1], np.random.default_rng(1).permutation(6)):
        total = np.zeros_like(found)
        for i in order:
            total += seen_from(asked)[:, i, None] * lifted[None, :, i]
        np.testing.assert_array_equal(total, found)


@pytest.mark.parametrize("rows", [1, 5, 64, 5000])
def test_blocks_hold_every_word_once_within_their_boxes(points, rows, monkeypatch):
    monkeypatch.setattr(_blocks, "ROWS", rows)
    host = open_vocabulary(points)
    blocks = make_blocks(host.coordinates, host.inv_rho)
    real = blocks.words[blocks.words < host.size]
    assert sorted(real.tolist()) == list(range(host.size))
    assert blocks.words.shape[1] <= rows
    for block, words in enumerate(blocks.words):
        inside = host.coordinates[:, words[words < host.size]]
        assert (blocks.low[:, block, None] <= inside).all()
        assert (inside <= blocks.high[:, block, None]).all()


@pytest.mark.parametrize("rows", [1, 16])
def test_no_bound_exceeds_a_key(points, rows, monkeypatch):
    monkeypatch.setattr(_blocks, "ROWS", rows)
    host = open_vocabulary(points)
    blocks = make_blocks(host.coordinates, host.inv_rho)
    locations = locations_among(points, 2)
    bounds = blocks.bounds(np.array(locations, float))
    least = np.full(bounds.shape, np.inf)
    for block, words in enumerate(blocks.words):
        for word in words[words < host.size]:
            for number, location in enumerate(locations):
                least[number, block] = min(least[number, block], key(points[word], location))
    assert (bounds <= least).all()
    if rows == 1:  # a box that is one word: nothing is given away but the rounding
        full = np.isfinite(least)
        np.testing.assert_allclose(bounds[full], least[full], rtol=1e-13)
        assert (bounds[full] / _blocks.BELOW > least[full]).any()  # without it a bound would exceed a key


@pytest.mark.parametrize("k", [1, 8, 40])
def test_the_nearest_by_blocks_are_the_nearest(points, k, small, monkeypatch):
    monkeypatch.setattr(_search, "FEW", 2)
    host = open_vocabulary(points)
    locations = locations_among(points, 3)
    expected = [tuple(rank(points, q, range(len(points)))[:k]) for q in locations]
    queries = _search.lattice_array(locations)
    assert _search.top_k(host, queries, k) == expected
    assert [_search.top_k(host, q[None], k)[0] for q in queries] == expected
    # And when what the bounds leave does not fit one pass, nor the queries one chunk.
    monkeypatch.setattr(_block_search, "KEYS", 100)
    monkeypatch.setattr(_block_search, "BOUNDS", 300)
    assert _search.top_k(host, queries, k) == expected


def test_few_words_are_looked_at():
    """Or blocks would be of no use; as the tests above would not notice."""
    points = tree_points(20_000, 5)
    host = open_vocabulary(buffer_of(points))
    looked = []

    class Counted(np.ndarray):
        def take(self, *args, **kwargs):
            looked.append(np.size(args[0]))
            return np.asarray(self).take(*args, **kwargs)

    blocks = host.blocks
    object.__setattr__(blocks, "lifted", blocks.lifted.view(Counted))
    _block_search.top_k(blocks, host.coordinates[:, ::200].T, 8)
    assert 0 < sum(looked) / 100 < 0.1 * host.size


def some(rng, size, share):
    return tuple(i for i in range(size) if rng.random() < share)


def requests_on(points, seed, count):
    rng = random.Random(seed)
    size = len(points)
    for _ in range(count):
        yield WalkRequest(
            start=rng.choice(locations_among(points, seed)),
            allowed=rng.choice([None, None, some(rng, size, 0.3), some(rng, size, 0.02)]),
            blocked=rng.choice([(), some(rng, size, 0.1), some(rng, size, 0.9)]),
            max_steps=rng.choice([0, 1, 12, 60]),
            goals=rng.choice([(), (some(rng, size, 0.05),), (some(rng, size, 0.1), some(rng, size, 0.1))]),
        )


@pytest.mark.parametrize("seed", range(3))
def test_walks_by_blocks_follow_their_description(points, seed, small):
    backend = open_backend("numpy")
    requests = list(requests_on(points, seed, 10))
    outcomes = backend.walk(backend.open_vocabulary(points), requests)
    for request, outcome in zip(requests, outcomes, strict=True):
        expected = walk(
            points, request.start, request.allowed, request.blocked, request.max_steps, request.goals
        )
        assert (outcome.indices, outcome.pool_sizes, outcome.end) == expected


def test_a_walk_by_blocks_visits_every_word(points, small):
    host = open_vocabulary(points[:400])
    everywhere = np.ones(host.size, bool)
    found = _search.select_walk(host, host.coordinates[:, 7], everywhere, 1000, ())
    assert tuple(found) == walk(points[:400], points[7], None, (), 1000, ())[0]


def test_a_front_serves_several_steps_and_is_left(small, monkeypatch):
    """Both branches of the walk are taken in the tests above."""
    monkeypatch.setattr(_block_search, "FRONT", 8)
    monkeypatch.setattr(_block_search, "AROUND", 1)
    made = []
    front = _block_search._front
    monkeypatch.setattr(_block_search, "_front", lambda *args: made.append(1) or front(*args))
    host = open_vocabulary(buffer_of(SETS["tree"]))
    steps = _search.select_walk(host, host.coordinates[:, 3], np.ones(host.size, bool), 200, ())
    assert len(steps) == 200
    assert 3 < len(made) < 150


@pytest.mark.parametrize(("around", "kept"), [(1, 100), (4, 3), (16, 1), (64, 1 << 14)])
def test_what_is_kept_around_words_changes_no_walk(points, around, kept, small, monkeypatch):
    monkeypatch.setattr(_block_search, "AROUND", around)
    monkeypatch.setattr(_block_search, "MOST_KEPT", kept)
    backend = open_backend("numpy")
    opened = backend.open_vocabulary(points)
    requests = list(requests_on(points, 5, 6))
    for _ in range(2):
        for request, outcome in zip(requests, backend.walk(opened, requests), strict=True):
            expected = walk(
                points, request.start, request.allowed, request.blocked, request.max_steps, request.goals
            )
            assert (outcome.indices, outcome.pool_sizes, outcome.end) == expected
    assert len(opened.around) <= kept


def test_a_second_walk_from_a_place_searches_nothing(small, monkeypatch):
    host = open_vocabulary(buffer_of(SETS["tree"]))
    everywhere = np.ones(host.size, bool)
    first = _search.select_walk(host, host.coordinates[:, 3], everywhere, 40, ())
    searched = []
    top_k = _block_search.top_k
    monkeypatch.setattr(_block_search, "top_k", lambda *args: searched.append(1) or top_k(*args))
    assert _search.select_walk(host, host.coordinates[:, 3], everywhere, 40, ()) == first
    assert not searched
