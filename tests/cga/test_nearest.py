"""`nearest`: the exact order, ties included, whichever way it is computed."""

from __future__ import annotations

import json
import socket
import subprocess
import sys
from pathlib import Path

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import cga
from cga import Multivector, _filter, _nearest, _search
from cga._lattice import LIMIT, LOCATION_LIMIT
from cga._vocabulary import open_vocabulary
from cga.backend import Point

pytestmark = pytest.mark.algebra
ROOT = Path(__file__).parents[2]


def coarse(size, seed, reach=6, breadths=5):
    """Words of a small lattice with repeats: most distances occur many times."""
    rng = np.random.default_rng(seed)
    return np.column_stack([rng.integers(-reach, reach + 1, (size, 3)), rng.integers(1, breadths + 1, size)])


def plain(queries, words, k):
    """Every key, sorted; in Python's integers and floats where it matters."""
    found = []
    for q in np.asarray(queries, object).reshape(-1, 4):
        key = np.array([float(sum((a - b) ** 2 for a, b in zip(w, q, strict=True))) for w in words.tolist()])
        found.append(np.lexsort((np.arange(len(words)), key * (1.0 / words[:, 3])))[:k])
    return np.array(found)


def small_filter(monkeypatch):
    """The filter on sets that a test can rank by hand."""
    monkeypatch.setattr(_nearest, "FILTERED_FROM", 1)


@pytest.mark.parametrize("k", [1, 8, 30])
def test_the_order_is_that_of_the_exact_keys(k):
    words = coarse(500, 1)
    queries = words[::37]
    near, distance = cga.nearest(queries, words, k)
    np.testing.assert_array_equal(near, plain(queries, words, k))
    assert near.dtype == jnp.int32
    assert (jnp.diff(distance, axis=1) >= 0).all()
    center, breadth = words[:, :3].astype(float), words[:, 3].astype(float)
    x, rho = (np.repeat(part[::37, None], k, axis=1) for part in (center, breadth))
    expected = cga.hyperbolic_distance(x, rho, center[near], breadth[near])
    np.testing.assert_allclose(distance, expected, rtol=1e-13, atol=1e-15)


def test_the_numpy_search_gives_the_same():
    words = np.unique(coarse(900, 2), axis=0)
    queries = coarse(40, 3)
    host = open_vocabulary([Point(*row) for row in words.tolist()])
    assert _search.top_k(host, queries.astype(float), 8) == [
        tuple(row) for row in np.asarray(cga.nearest(queries, words, 8)[0]).tolist()
    ]


def test_how_queries_are_batched_changes_nothing():
    words, queries = coarse(700, 4), coarse(150, 5)
    whole = cga.nearest(queries, words, 8)
    index = cga.point_index(words)
    for size in (1, 7, 64, 149):
        parts = [cga.nearest(queries[i : i + size], index, 8) for i in range(0, 150, size)]
        for ours, theirs in zip(whole, zip(*parts, strict=True), strict=True):
            np.testing.assert_array_equal(ours, np.concatenate(theirs))
    shaped = cga.nearest(queries.reshape(3, 50, 4), index, 8)
    np.testing.assert_array_equal(shaped[0], np.asarray(whole[0]).reshape(3, 50, 8))
    assert cga.nearest(queries[0], index, 8)[1].shape == (8,)
    assert cga.nearest(queries[:0], index, 8)[0].shape == (0, 8)


def test_the_filter_drops_nothing(monkeypatch):
    rng = np.random.default_rng(6)
    size = 3 * _filter.ROWS * _filter.LANES - 100
    edge = LIMIT - 1
    spread = np.column_stack([rng.integers(-edge, edge + 1, (size, 3)), rng.integers(1, edge + 1, size)])
    # Words that float32 keys hardly tell apart: far from the queries, close to one another.
    near_edge = np.array([edge, edge, edge, 1]) - rng.integers(0, 200, (size, 4)) * np.array([1, 1, 1, 0])
    for words in (spread, near_edge):
        index = cga.point_index(words)
        assert index.tiles is not None
        queries = np.concatenate([words[:3], [[0, 0, 0, edge], [-edge, edge, 0, 1]]])
        with jax.enable_x64(True):
            found = _filter.filtered(*index.tiles, index.rows, index.weight, queries.astype(float), k=8)
            exact = _nearest._rank(index.rows, index.weight, queries.astype(float), k=8)
        certified = np.asarray(found[2])
        assert certified[:3].all() or words is near_edge
        np.testing.assert_array_equal(np.asarray(found[0])[certified], np.asarray(exact[0])[certified])
        key = ((words - queries[3]) ** 2).sum(axis=1) * (1.0 / words[:, 3])
        expected = np.lexsort((np.arange(size), key))[:8]
        np.testing.assert_array_equal(cga.nearest(queries, index, 8)[0][3], expected)


def test_ties_beyond_the_filter_are_ranked_exactly():
    # Every key is tied some thousand times, so that the filter cannot prove anything.
    words = coarse(70_000, 7, reach=2, breadths=2)
    index = cga.point_index(words)
    assert index.tiles is not None
    queries = words[:5]
    with jax.enable_x64(True):
        found = _filter.filtered(*index.tiles, index.rows, index.weight, queries.astype(float), k=8)
    assert not np.asarray(found[2]).any()
    near, _ = cga.nearest(queries, index, 8)
    for q, row in zip(queries, np.asarray(near), strict=True):
        key = ((words - q) ** 2).sum(axis=1) * (1.0 / words[:, 3])
        np.testing.assert_array_equal(row, np.lexsort((np.arange(len(words)), key))[:8])


def test_a_location_may_be_broader_than_float32_counts(monkeypatch):
    small_filter(monkeypatch)
    words = np.column_stack([np.zeros((40_000, 3), int), LIMIT - 1 - np.arange(40_000)])
    query = np.array([[0, 0, 0, LOCATION_LIMIT - 1]])  # odd, and so no float32 number
    near, _ = cga.nearest(query, words, 3)
    np.testing.assert_array_equal(near, [[0, 1, 2]])


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("filtered", [False, True])
def test_points_of_space_are_ranked_by_euclidean_distance(dtype, filtered, monkeypatch):
    if filtered:
        small_filter(monkeypatch)
    rng = np.random.default_rng(8)
    points = rng.integers(-4, 5, (40_000 if filtered else 400, 3)).astype(dtype) / 4
    points[:2] += dtype(1 / 64)
    queries = points[:6]
    near, distance = cga.nearest(queries, points, 8)
    squares = ((points[None].astype(float) - queries[:, None].astype(float)) ** 2).sum(axis=-1)
    expected = np.argsort(squares, axis=1, kind="stable")[:, :8]
    np.testing.assert_array_equal(near, expected)
    np.testing.assert_allclose(distance, np.sqrt(np.take_along_axis(squares, expected, 1)), atol=1e-7)


def test_null_vectors_are_points_of_space():
    rng = np.random.default_rng(9)
    points = rng.integers(-3, 4, (60, 3)) / 2
    scale = np.exp2(rng.integers(-2, 3, 60))[:, None]
    square = (points**2).sum(axis=1, keepdims=True) / 2
    null = Multivector(jnp.asarray(scale * np.hstack([points, square - 0.5, square + 0.5])), (1,))
    for ours, theirs in zip(cga.nearest(null, null, 5), cga.nearest(points, points, 5), strict=True):
        np.testing.assert_array_equal(ours, theirs)


def test_jit_and_vmap_give_the_same_and_distances_have_derivatives():
    words = coarse(300, 10)
    plain_call = cga.nearest(words[:20], words, 6)
    compiled = jax.jit(cga.nearest, static_argnums=2)(jnp.asarray(words[:20]), jnp.asarray(words), 6)
    mapped = jax.vmap(lambda q: cga.nearest(q, jnp.asarray(words), 6))(jnp.asarray(words[:20]))
    for found in (compiled, mapped):
        np.testing.assert_array_equal(found[0], plain_call[0])
        np.testing.assert_allclose(found[1], plain_call[1], rtol=1e-12)
    points = jnp.asarray([[0.0, 0, 0], [3.0, 4.0, 0]])
    gradient = jax.grad(lambda q: cga.nearest(q, points, 2)[1].sum())(jnp.zeros(3))
    np.testing.assert_allclose(gradient, [-0.6, -0.8, 0], atol=1e-15)


@pytest.mark.parametrize(
    ("queries", "points", "k", "message"),
    [
        ([[0, 0, 0, 1]], [[0, 0, 0, 1]], 0, "k: 0"),
        ([[0, 0, 0, 1]], [[0, 0, 0, 1]], 2, "give 1..1"),
        ([[0.0, 0, 0]], [[0, 0, 0, 1]], 1, "queries are euclidean and points lattice"),
        ([[0, 0, 0, 1]], [[0, 0, 0, 1], [0, 0, 0, 0]], 1, r"points\[1\].*off the lattice"),
        ([[0, LIMIT, 0, 1]], [[0, 0, 0, 1]], 1, r"queries\[0\].*off the lattice"),
        ([[0.0, np.inf, 0]], [[0.0, 0, 0]], 1, r"queries\[0\].*not finite"),
        ([[0.0, 0]], [[0.0, 0, 0]], 1, r"queries: shape \(1, 2\)"),
        ([0, 0, 0, 1], [0, 0, 0, 1], 1, r"points: shape \(4,\)"),
        ([[0j, 0, 0]], [[0.0, 0, 0]], 1, "queries: dtype complex128"),
    ],
)
def test_bad_input_is_refused(queries, points, k, message):
    with pytest.raises(ValueError, match=message):
        cga.nearest(np.array(queries), np.array(points), k)


SHARDED = """
import json, sys
import numpy as np, jax
from jax.sharding import Mesh, NamedSharding, PartitionSpec
import cga
words, queries = (np.array(x, np.int32) for x in json.loads(sys.argv[1]))
assert jax.device_count() == 8
near = [np.asarray(cga.nearest(queries, words, 8)[0])]
for devices in (8, 2):
    mesh = Mesh(np.array(jax.devices()[:devices]), ("points",))
    spread = jax.device_put(words, NamedSharding(mesh, PartitionSpec("points")))
    near.append(np.asarray(cga.nearest(queries, spread, 8)[0]))
    try:
        cga.nearest(queries, spread, 0)
    except ValueError:
        pass
    else:
        raise AssertionError("k = 0 was taken")
print(json.dumps([x.tolist() for x in near]))
"""


def test_points_sharded_over_devices_give_the_same(user_env):
    words, queries = coarse(800, 11), coarse(20, 12)
    done = subprocess.run(
        [sys.executable, "-c", SHARDED, json.dumps([words.tolist(), queries.tolist()])],
        env={**user_env, "XLA_FLAGS": "--xla_force_host_platform_device_count=8"},
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    expected = plain(queries, words, 8).tolist()
    assert json.loads(done.stdout) == [expected] * 3


PROCESS = """
import json, sys
import numpy as np, jax
address, number, data = sys.argv[1], int(sys.argv[2]), sys.argv[3]
jax.distributed.initialize(address, num_processes=2, process_id=number)
from jax.sharding import Mesh, NamedSharding, PartitionSpec
import cga
words, queries = (np.array(x, np.int32) for x in json.loads(data))
assert jax.device_count() == 2 and jax.local_device_count() == 1
sharding = NamedSharding(Mesh(np.array(jax.devices()), ("points",)), PartitionSpec("points"))
spread = jax.make_array_from_callback(words.shape, sharding, lambda place: words[place])
print(json.dumps(np.asarray(cga.nearest(queries, spread, 8)[0]).tolist()))
"""


@pytest.mark.slow
def test_points_spread_over_two_processes_give_the_same(user_env):
    words, queries = coarse(800, 13), coarse(20, 14)
    with socket.socket() as free:
        free.bind(("localhost", 0))
        address = f"localhost:{free.getsockname()[1]}"
    data = json.dumps([words.tolist(), queries.tolist()])
    workers = [
        subprocess.Popen(
            [sys.executable, "-c", PROCESS, address, str(number), data],
            env=user_env,
            cwd=ROOT,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        for number in range(2)
    ]
    try:
        found = [worker.communicate(timeout=180) for worker in workers]
    finally:
        for worker in workers:
            worker.kill()
    expected = plain(queries, words, 8).tolist()
    for worker, (output, errors) in zip(workers, found, strict=True):
        assert worker.returncode == 0, errors
        assert json.loads(output.splitlines()[-1]) == expected
