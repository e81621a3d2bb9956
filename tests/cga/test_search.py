"""Exact neighbours and walks: both backends against plain Python, on lattices full of ties."""

from __future__ import annotations

import json
import random
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from cga import _search, _search_jax, _steps, _vocabulary
from cga._lattice import LIMIT, LOCATION_LIMIT, key
from cga._vocabulary import open_vocabulary
from cga.backend import Point, WalkRequest, open_backend
from tests.cga.conftest import coarse_points
from tests.cga.oracles import rank, walk

pytestmark = pytest.mark.algebra

POINTS = coarse_points(130, 1)


def neighbours(points, location, k):
    return tuple(rank(points, location, range(len(points)))[:k])


@pytest.mark.parametrize("k", [0, 1, 2, 8, 129, 130, 131, 1000])
def test_neighbourhoods_are_exact_with_ties_to_the_lowest_index(backend, k):
    vocabulary = backend.open_vocabulary(POINTS)
    anchors = [0, 7, 64, 129, 7]
    found = backend.neighbourhoods(vocabulary, anchors, k)
    assert found == [neighbours(POINTS, POINTS[a], k) for a in anchors]
    assert all(type(i) is int for row in found for i in row)


def test_there_are_ties_at_the_boundary_of_k():
    """Or the test above could not fail."""
    tied = 0
    for location in POINTS:
        keys = sorted(_keys(POINTS, location))
        tied += keys[7] == keys[8]
    assert tied > 20


def _keys(points, location):
    return [sum((a - b) ** 2 for a, b in zip(p, location, strict=True)) * (1.0 / p.rho) for p in points]


def test_one_call_or_many_is_the_same(backend):
    vocabulary = backend.open_vocabulary(POINTS)
    anchors = [i % 130 for i in range(300)]
    together = backend.neighbourhoods(vocabulary, anchors, 8)
    assert together[:130] == [neighbours(POINTS, p, 8) for p in POINTS]
    assert together == together[:130] * 2 + together[:40]
    assert together[:3] == [backend.neighbourhoods(vocabulary, [a], 8)[0] for a in range(3)]
    assert together[5:8] == backend.neighbourhoods(vocabulary, [5, 6, 7], 8)
    assert backend.neighbourhoods(vocabulary, [], 8) == []


def test_locations_anywhere_on_the_lattice(backend):
    rng = random.Random(3)
    edge = LIMIT - 1
    words = [
        Point(*(rng.choice([-edge, 0, edge]) for _ in range(3)), rho) for rho in (1, 2, 3, edge - 1, edge)
    ]
    words += [p for p in coarse_points(20, 4) if p not in words]
    locations = [Point(-edge, edge, -edge, LOCATION_LIMIT - 1), Point(0, 0, 0, 1), Point(edge, edge, edge, 5)]
    vocabulary = backend.open_vocabulary(words)
    assert backend.nearest(vocabulary, locations, 6) == [neighbours(words, q, 6) for q in locations]


def test_keys_are_the_lattice_keys_to_the_last_bit():
    rng = random.Random(12)
    edge = LIMIT - 1
    words = sorted(
        {Point(*(rng.randint(-edge, edge) for _ in range(3)), rng.randint(1, edge)) for _ in range(400)}
    )
    locations = [*words[::40], Point(edge, -edge, 0, LOCATION_LIMIT - 1)]
    expected = [[key(word, location) for word in words] for location in locations]
    host = open_vocabulary(words)
    queries = _search.lattice_array(locations)
    np.testing.assert_array_equal(_search.rank_keys(host, queries), expected)
    found = jax.jit(_search_jax.rank_keys)(jnp.asarray(host.coordinates), jnp.asarray(host.inv_rho), queries)
    np.testing.assert_array_equal(found, expected)


def test_a_vocabulary_of_one_word(backend):
    vocabulary = backend.open_vocabulary([Point(1, 2, 3, 4)])
    assert backend.neighbourhoods(vocabulary, [0], 8) == [(0,)]
    [outcome] = backend.walk(vocabulary, [WalkRequest(start=Point(0, 0, 0, 1), allowed=None, max_steps=3)])
    assert (outcome.indices, outcome.end) == ((0,), "all_visited")


@pytest.mark.parametrize("tile", [60, 64])  # blocks of all tiles are sorted at once where they fill groups
@pytest.mark.parametrize("k", [1, 3, 8, 12, 14, 15, 40])
def test_tiles_and_blocks_lose_nothing(k, tile, monkeypatch):
    monkeypatch.setattr(_search_jax, "TILE", tile)
    monkeypatch.setattr(_search_jax, "BLOCK", 4)
    monkeypatch.setattr(_search, "_TILE", 300)
    host = open_vocabulary(POINTS)
    device = _search_jax.to_device(host)
    assert device.tiles.shape == (3, 4, tile)
    locations = _search.lattice_array(POINTS[:20])
    expected = [neighbours(POINTS, p, k) for p in POINTS[:20]]
    assert _search_jax.top_k(device, locations, k) == expected
    assert _search.top_k(host, locations, k) == expected


@pytest.mark.slow
def test_the_backends_agree_at_scale():
    rng = np.random.default_rng(5)
    rows = np.unique(
        np.column_stack([rng.integers(-40, 41, (30_000, 3)), rng.integers(1, 20, 30_000)]), axis=0
    )
    points = [Point(*map(int, row)) for row in rng.permutation(rows)]
    backends = [open_backend("numpy"), open_backend("jax")]
    anchors = list(range(0, len(points), 40))
    found = [b.neighbourhoods(b.open_vocabulary(points), anchors, 8) for b in backends]
    assert found[0] == found[1]
    assert found[0][:3] == [neighbours(points, points[a], 8) for a in anchors[:3]]


def test_the_table_of_keys_is_that_of_the_lattice():
    """To the last bit: a key that was rounded otherwise could turn a tie around."""
    rng = random.Random(6)
    points = {Point(*(rng.randint(-999, 999) for _ in range(3)), rng.randint(1, 999)) for _ in range(60)}
    words = sorted(points)
    table = open_vocabulary(words).key_table
    assert table is not None
    assert table.tolist() == [[key(word, place) for word in words] for place in words]
    assert open_vocabulary(coarse_points(_vocabulary.TABLED + 1, 1, reach=4)).key_table is None


def random_request(rng, size):
    def some(share):
        return tuple(i for i in range(size) if rng.random() < share)

    return WalkRequest(
        start=Point(*(rng.randint(-4, 4) for _ in range(3)), rng.randint(1, 4)),
        allowed=rng.choice([None, some(0.05), some(0.4), some(0.9), ()]),
        blocked=rng.choice([(), some(0.1), some(0.95)]),
        max_steps=rng.choice([0, 1, 5, 16, 16, 200]),
        goals=rng.choice([(), (some(0.05),), (some(0.1), some(0.05)), ((), some(0.5)), (some(0.3),) * 3]),
    )


def plain(outcome):
    return outcome.indices, outcome.pool_sizes, outcome.end


@pytest.mark.parametrize("tabled", [0, _vocabulary.TABLED])
@pytest.mark.parametrize("seed", range(4))
def test_walks_follow_their_description(backend, seed, tabled, monkeypatch):
    monkeypatch.setattr(_vocabulary, "TABLED", tabled)
    rng = random.Random(seed)
    requests = [random_request(rng, len(POINTS)) for _ in range(60)]
    outcomes = backend.walk(backend.open_vocabulary(POINTS), requests)
    assert [plain(o) for o in outcomes] == [
        walk(POINTS, r.start, r.allowed, r.blocked, r.max_steps, r.goals) for r in requests
    ]
    assert {o.end for o in outcomes} == {"grounded", "all_visited", "no_candidate", "max_steps"}
    assert all(0 <= o.versor_condition < 1e-12 for o in outcomes)


@pytest.mark.parametrize(("near", "narrow", "together"), [(1, 0, 60), (3, 0, 7), (32, 64, 60), (5, 500, 7)])
def test_steps_taken_together_follow_the_description_too(near, narrow, together, monkeypatch):
    """Lists of near words that run out, pools of every width, and rows of ended walks carried along."""
    monkeypatch.setattr(_vocabulary, "NEAR", near)
    monkeypatch.setattr(_steps, "NARROW", narrow)
    monkeypatch.setattr(_steps, "WALKS", together)
    backend = open_backend("numpy")
    rng = random.Random(100 * near + together)
    requests = [random_request(rng, len(POINTS)) for _ in range(60)]
    outcomes = backend.walk(backend.open_vocabulary(POINTS), requests)
    assert [plain(o) for o in outcomes] == [
        walk(POINTS, r.start, r.allowed, r.blocked, r.max_steps, r.goals) for r in requests
    ]


def test_a_walk_depends_on_its_own_request_alone(backend):
    rng = random.Random(9)
    requests = [replace(random_request(rng, len(POINTS)), max_steps=(16, 0, 14, 9)[i % 4]) for i in range(9)]
    vocabulary = backend.open_vocabulary(POINTS)
    together = backend.walk(vocabulary, requests)
    alone = [backend.walk(vocabulary, [request])[0] for request in requests]
    assert [plain(o) for o in together] == [plain(o) for o in alone]
    assert backend.walk(vocabulary, []) == []


def test_a_walk_split_by_memory_is_the_same(monkeypatch):
    from cga.backend import jax as jax_backend

    backend = open_backend("jax")
    vocabulary = backend.open_vocabulary(POINTS)
    requests = [replace(random_request(random.Random(i), len(POINTS)), max_steps=16) for i in range(7)]
    whole = backend.walk(vocabulary, requests)
    monkeypatch.setattr(jax_backend, "WALK_KEYS", 3 * len(POINTS))
    assert [plain(o) for o in backend.walk(vocabulary, requests)] == [plain(o) for o in whole]


def test_fields_agree_between_backends_and_close_far_out():
    rng = random.Random(10)
    edge = LIMIT - 1
    points = sorted(
        {
            Point(*(rng.randint(-edge, edge) for _ in range(3)), int(2 ** rng.uniform(0, 24)) or 1)
            for _ in range(1001)
        }
    )
    request = WalkRequest(start=Point(0, 0, 0, 2**24), allowed=None, max_steps=1000)
    outcomes = []
    for name in ("numpy", "jax"):
        backend = open_backend(name)
        [outcome] = backend.walk(backend.open_vocabulary(points), [request])
        assert len(outcome.indices) == 1000
        assert 0 < outcome.versor_condition < 1e-6
        outcomes.append(outcome)
    first, second = outcomes
    assert plain(first) == plain(second)
    for ours, theirs in zip(first.final_field, second.final_field, strict=True):
        np.testing.assert_allclose(ours, theirs, atol=1e-9)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"start": Point(0, 0, 0, 0)}, r"requests\[0\]\.start"),
        ({"max_steps": -1}, "max_steps"),
        ({"allowed": (0, 130)}, r"requests\[0\]\.allowed: no word 130"),
        ({"blocked": (-1,)}, r"requests\[0\]\.blocked: no word -1"),
        ({"goals": ((0,), (999,))}, r"goals\[1\]: no word 999"),
    ],
)
def test_bad_requests_are_refused(backend, changes, message):
    vocabulary = backend.open_vocabulary(POINTS)
    request = WalkRequest(**{"start": Point(0, 0, 0, 1), "allowed": None, "max_steps": 3, **changes})
    with pytest.raises(ValueError, match=message):
        backend.walk(vocabulary, [request])


def test_bad_queries_are_refused(backend):
    vocabulary = backend.open_vocabulary(POINTS)
    with pytest.raises(ValueError, match="anchors: no word 130"):
        backend.neighbourhoods(vocabulary, [130], 8)
    with pytest.raises(ValueError, match="k: -1"):
        backend.neighbourhoods(vocabulary, [0], -1)
    with pytest.raises(ValueError, match=r"locations\[0\]"):
        backend.nearest(vocabulary, [Point(LIMIT, 0, 0, 1)], 8)


WITHOUT_X64 = """
import json, sys
import jax
from cga.backend import Point, WalkRequest, open_backend
assert not jax.config.jax_enable_x64
points = [Point(*row) for row in json.loads(sys.argv[1])]
found = []
for name in ("numpy", "jax"):
    backend = open_backend(name)
    vocabulary = backend.open_vocabulary(points)
    [walk] = backend.walk(vocabulary, [WalkRequest(start=points[3], allowed=None, max_steps=16)])
    near = backend.neighbourhoods(vocabulary, range(len(points)), 8)
    found.append((near, walk.indices, walk.versor_condition < 1e-12))
assert found[0] == found[1] and found[0][2]
assert not jax.config.jax_enable_x64 and jax.numpy.ones(1).dtype == "float32"
"""


def test_the_library_works_while_x64_is_off(user_env):
    root = Path(__file__).parents[2]
    # Neighbouring integers near 2**24 that float32 cannot tell apart.
    points = [Point(LIMIT - 1 - i, i % 3, -(i % 5), LIMIT - 1 - i // 2) for i in range(64)]
    subprocess.run(
        [sys.executable, "-c", WITHOUT_X64, json.dumps(points)],
        cwd=root,
        env=user_env,
        check=True,
        timeout=120,
    )
