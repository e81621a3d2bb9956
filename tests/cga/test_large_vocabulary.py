"""Vocabularies of any size: opened from a buffer, filtered by large tuples, spread over devices."""

from __future__ import annotations

import random

import jax
import numpy as np
import pytest

from cga import _search, _search_jax, _vocabulary
from cga._lattice import LIMIT
from cga._vocabulary import Rows, Vocabulary, open_vocabulary
from cga.backend import Point, WalkRequest, open_backend
from cga.backend.jax import JaxBackend
from tests.cga.conftest import coarse_points
from tests.cga.large import buffer_of, tree_points
from tests.cga.oracles import rank

pytestmark = pytest.mark.algebra

TREE = tree_points(1500, 11)
WORDS = [Point(*row) for row in TREE.tolist()]


@pytest.mark.parametrize("size", [1, 300, 1500])
def test_a_buffer_opens_as_its_points_do(size):
    ours, theirs = open_vocabulary(buffer_of(TREE[:size])), open_vocabulary(WORDS[:size])
    assert list(ours.points) == list(theirs.points) == WORDS[:size]
    for name in ("coordinates", "inv_rho", "origin", "key_table"):
        np.testing.assert_array_equal(getattr(ours, name), getattr(theirs, name))
    assert (ours.key_table is None) == (size > _vocabulary.TABLED)


def test_the_points_of_a_buffer_are_read_when_asked_for():
    points = open_vocabulary(buffer_of(TREE)).points
    assert isinstance(points, Rows)
    assert (points[0], points[-1], len(points)) == (WORDS[0], WORDS[-1], 1500)
    assert isinstance(points[7], Point)
    assert all(type(value) is int for value in points[7])
    assert list(points[3:9:2]) == WORDS[3:9:2]
    with pytest.raises(IndexError):
        points[1500]


def spoiled(changes):
    rows = TREE.copy()
    for index, values in changes.items():
        rows[index] = TREE[values] if isinstance(values, int) else values
    return rows


@pytest.mark.parametrize(
    "changes",
    [
        {40: (LIMIT, 0, 0, 1)},
        {40: (0, 0, -LIMIT, 1)},
        {40: (0, -(2**31), 0, 1)},
        {40: (0, 0, 0, 0)},
        {40: (0, 0, 0, -5)},
        {1499: (0, 0, 0, LIMIT), 900: (0, 0, 0, LIMIT)},
        {1000: 10},
        {1000: 10, 400: 20},
        {1000: 10, 400: 20, 700: (LIMIT, 0, 0, 1)},
    ],
)
def test_a_buffer_is_refused_as_its_points_are(backend, changes):
    rows = spoiled(changes)
    with pytest.raises(ValueError, match=r"points\[") as theirs:
        backend.open_vocabulary([Point(*row) for row in rows.tolist()])
    with pytest.raises(ValueError, match=r"points\[") as ours:
        backend.open_vocabulary(buffer_of(rows))
    assert str(ours.value) == str(theirs.value)


@pytest.mark.parametrize(
    "buffer",
    [
        memoryview(b""),
        memoryview(bytes(32)).cast("i"),
        memoryview(bytes(32)).cast("i", (2, 2, 2)),
        memoryview(bytes(24)).cast("i", (2, 3)),
        memoryview(bytes(32)).cast("f", (2, 4)),
        memoryview(np.zeros((0, 4), np.int32)),  # pyright: ignore[reportArgumentType]
    ],
)
def test_a_buffer_of_another_form_is_refused(backend, buffer):
    with pytest.raises(ValueError, match="points: "):
        backend.open_vocabulary(buffer)


def test_points_with_one_sum_are_still_told_apart(monkeypatch):
    """The sum by which points are compared first, made the same for all."""
    same = np.zeros(1500, np.int64)
    monkeypatch.setattr(_vocabulary.np, "sort", lambda values: same[: len(values)])
    assert _vocabulary._all_differ(np.ascontiguousarray(TREE.T))
    assert not _vocabulary._all_differ(np.ascontiguousarray(spoiled({1000: 10}).T))


@pytest.fixture
def made(monkeypatch):
    """Counts the masks made, of any length."""
    monkeypatch.setattr(_vocabulary, "KEPT_FROM", 2)
    counts = []
    make = Vocabulary._mask
    monkeypatch.setattr(
        Vocabulary, "_mask", lambda self, indices: counts.append(len(indices)) or make(self, indices)
    )
    return counts


def test_a_tuple_that_comes_again_is_read_once(made):
    backend = open_backend("numpy")
    vocabulary = backend.open_vocabulary(WORDS)
    blocked = tuple(range(0, 1500, 2))
    request = WalkRequest(start=WORDS[4], allowed=None, blocked=blocked, max_steps=9)
    first = backend.walk(vocabulary, [request, request])
    again = backend.walk(vocabulary, [request])
    assert made.count(len(blocked)) == 1
    assert first[0].indices == again[0].indices
    assert all(i % 2 for i in first[0].indices)
    # Another tuple is another filter, whatever address it has; a small one is not worth keeping.
    for start in range(1, 40):
        other = tuple(range(1, 1500, 2))
        shorter = WalkRequest(start=WORDS[start], allowed=None, blocked=other, max_steps=3)
        assert not any(i % 2 for i in backend.walk(vocabulary, [shorter])[0].indices)
        del other, shorter


def test_what_a_large_tuple_holds_is_checked_each_time(made):
    backend = open_backend("numpy")
    vocabulary = backend.open_vocabulary(WORDS)
    for wrong in (1500, -1, 2**40):
        request = WalkRequest(start=WORDS[4], allowed=None, blocked=(1, 2, wrong), max_steps=9)
        for _ in range(2):
            with pytest.raises(ValueError, match=rf"requests\[0\]\.blocked: no word {wrong}"):
                backend.walk(vocabulary, [request])


@pytest.mark.parametrize("on_host", [True, False])
def test_a_large_vocabulary_answers_alike_on_host_and_device(on_host, monkeypatch):
    monkeypatch.setattr(_search, "BLOCKED", 1 if on_host else 10_000)
    backend = open_backend("jax")
    vocabulary = backend.open_vocabulary(buffer_of(TREE))
    assert vocabulary.on_host is on_host
    rng = random.Random(1)
    anchors = rng.sample(range(1500), 12)
    assert backend.neighbourhoods(vocabulary, anchors, 8) == [
        tuple(rank(WORDS, WORDS[a], range(1500))[:8]) for a in anchors
    ]
    blocked = tuple(sorted(rng.sample(range(1500), 700)))
    request = WalkRequest(start=Point(5, 6, 7, 2**24), allowed=None, blocked=blocked, max_steps=40)
    plain = open_backend("numpy")
    [ours], [theirs] = (
        backend.walk(vocabulary, [request]),
        plain.walk(plain.open_vocabulary(WORDS), [request]),
    )
    assert (ours.indices, ours.pool_sizes, ours.end) == (theirs.indices, theirs.pool_sizes, theirs.end)
    assert ours.versor_condition == pytest.approx(theirs.versor_condition, abs=1e-9)


@pytest.mark.parametrize("k", [1, 8, 700])
def test_words_spread_over_two_devices_rank_the_same(k):
    devices = jax.devices()
    assert len(devices) == 2
    backend, points = JaxBackend(devices), coarse_points(701, 4)
    vocabulary = backend.open_vocabulary(points)
    assert len(vocabulary.tiles.sharding.device_set) == 2
    assert not vocabulary.on_host
    anchors = range(0, len(points), 31)
    expected = [tuple(rank(points, points[a], range(len(points)))[:k]) for a in anchors]
    assert backend.neighbourhoods(vocabulary, anchors, k) == expected
    assert backend.nearest(vocabulary, [points[a] for a in anchors], k) == expected


def test_walks_of_words_spread_over_two_devices_are_the_same():
    points = coarse_points(701, 4)
    request = WalkRequest(start=points[0], allowed=None, max_steps=9)
    ways = (JaxBackend(jax.devices()), open_backend("numpy"))
    ours, theirs = (backend.walk(backend.open_vocabulary(points), [request])[0] for backend in ways)
    assert ours.indices == theirs.indices


def test_tiles_are_spread_evenly(monkeypatch):
    monkeypatch.setattr(_search_jax, "TILE", 64)
    device = _search_jax.to_device(open_vocabulary(WORDS[:650]), jax.devices())
    assert device.tiles.shape == (12, 4, 64)
    assert {shard.data.shape[0] for shard in device.tiles.addressable_shards} == {6}
    locations = device.host.coordinates[:, ::90].T
    assert _search_jax.top_k(device, locations, 8) == _search.top_k(device.host, locations, 8)
