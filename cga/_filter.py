"""Exact nearest neighbours of many points: a certified float32 filter, then exact keys for what it leaves.

The rank key of a point w seen from q is ``key = D * weight_w`` with D the sum of squared coordinate differences, in
float64 (for lattice words D is an exact integer and weight = 1/rho; see `cga._lattice`). The order is by
``(key, index)``.

Why the filter drops no member of the true top k. Let ``u = 2**-24``. The coordinates are float32 numbers, so in
float32 a difference has relative error <= u, its square 3u (to first order), a sum of at most four squares, all of one
sign, 3u more, the rounded weight u, and the last product u: with the roundings of the float64 key (below u together)
``key32 = key (1 + e) + f``, ``|e| <= 9u``, where |f| < 1e-36 stands for squares that underflow. Take blocks of points
and the least key32 of each. Let t be the k-th least of these minima. Then k different points have
``key32 <= t``, so the k-th least key is at most ``(t + 1e-36)/(1 - 9u)``, and each point of the true top k,
ties included, has ``key32 <= (t + 1e-36)(1 + 9u)/(1 - 9u) + 1e-36 < t (1 + 2**-19) + 1e-35``, and so has the minimum of
its block. The filter keeps `KEPT` blocks of least minimum. If the greatest minimum kept exceeds that bound, no block
within it was left out, and the exact keys of the kept blocks decide. If not (many ties, or numbers out of range, where
the comparison with infinity or NaN fails) the query is not certified, and the caller ranks all points for it.
"""

from __future__ import annotations

from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jaxtyping import Array, Bool, Float, Float32, Float64, Int32

ROWS = 32
"""Points a block: their keys are computed in registers, and one minimum is written."""
LANES = 1024
"""Blocks a tile: a tile of points stays in cache while all queries pass over it."""
GROUP = 32
"""Blocks a group, of which the minimum is kept as well, so that few minima have to be sorted."""
KEPT = 32
"""Blocks (and groups) kept for each query; so `KEPT` exceeds every k that the filter serves."""
MOST_K = 24
SLACK = 1 + 2.0**-19
FLOOR = 1e-35


def tiles_of(
    rows: Float[np.ndarray, "points axes"], weight: Float64[np.ndarray, " points"]
) -> tuple[Float32[np.ndarray, "tiles rows axes lanes"], Float32[np.ndarray, "tiles rows lanes"]]:
    """Lays points out for `filtered`, padded by points at infinity. The coordinates must be float32 numbers."""
    size = ROWS * LANES
    count = -(-len(rows) // size)
    padding = count * size - len(rows)
    padded = np.pad(rows.astype(np.float32), ((0, padding), (0, 0)), constant_values=np.inf)
    weights = np.pad(weight.astype(np.float32), (0, padding), constant_values=1)
    # Block b of a tile holds its points b, LANES + b, 2 LANES + b, ..: a minimum over rows is one over vectors.
    return (
        np.ascontiguousarray(padded.reshape(count, ROWS, LANES, -1).transpose(0, 1, 3, 2)),
        weights.reshape(count, ROWS, LANES),
    )


@partial(jax.jit, static_argnames="k")
def filtered(
    tiles: Float32[Array, "tiles rows axes lanes"],
    weights: Float32[Array, "tiles rows lanes"],
    rows: Float[Array, "points axes"],
    weight: Float64[Array, " points"],
    queries: Float64[Array, "queries axes"],
    *,
    k: int,
) -> tuple[Int32[Array, "queries k"], Float64[Array, "queries k"], Bool[Array, " queries"]]:
    """The k points of least ``(key, index)`` for each query, their keys, and whether that is proved.

    Args:
        tiles: see `tiles_of`; at least `KEPT` groups in all.
        weights: see `tiles_of`.
        rows: the points again, one a row.
        weight: their weights in float64.
        queries: float32 numbers in float64.
        k: at most `MOST_K`.
    """
    single = queries.astype(jnp.float32)

    def step(_: None, tile: tuple[Array, Array]) -> tuple[None, Array]:
        points, scale = tile
        least = _keys(points, scale, 0, single)
        for row in range(1, ROWS):
            least = jnp.minimum(least, _keys(points, scale, row, single))
        return None, least

    _, minima = lax.scan(step, None, (tiles, weights))  # tiles, queries, lanes
    groups = minima.reshape(len(tiles), len(queries), GROUP, LANES // GROUP).min(axis=2)
    groups = groups.transpose(1, 0, 2).reshape(len(queries), -1)
    # Without the barriers XLA turns a top-k of which one column is read into a full sort.
    group_least, group = lax.optimization_barrier(lax.top_k(-groups, KEPT))
    tile, lane = group // (LANES // GROUP), group % (LANES // GROUP)
    lanes = lane[:, :, None] + _range(GROUP, LANES // GROUP)[None, None, :]
    number = _range(len(queries))[:, None, None]
    blocks = minima[jnp.broadcast_to(tile[..., None], lanes.shape), number, lanes].reshape(len(queries), -1)
    block_least, block = lax.optimization_barrier(lax.top_k(-blocks, KEPT))
    bound = -block_least[:, k - 1] * SLACK + FLOOR
    certified = (-block_least[:, -1] > bound) & (-group_least[:, -1] > bound) & jnp.isfinite(bound)

    tile = jnp.take_along_axis(tile, block // GROUP, axis=1)
    lane = jnp.take_along_axis(lanes.reshape(len(queries), -1), block, axis=1)
    first = tile * (ROWS * LANES) + lane
    index = first[..., None] + _range(ROWS, LANES)[None, None, :]
    index = index.reshape(len(queries), -1)
    inside = index < len(rows)
    chosen = jnp.where(inside, index, 0)
    difference = rows[chosen].astype(jnp.float64) - queries[:, None, :]
    key = jnp.where(inside, jnp.sum(difference * difference, axis=-1) * weight[chosen], jnp.inf)
    index, key = _least(key, index, k)
    return index, key, certified


def _keys(points: Array, scale: Array, row: int, queries: Array) -> Array:
    """The float32 keys of one row of a tile, ``(queries, lanes)``.

    One slice a number: with more instructions in the loop XLA splits it, which costs seven times the time.
    """
    squares = [
        jnp.square(points[row, axis][None, :] - queries[:, axis][:, None]) for axis in range(points.shape[1])
    ]
    return sum(squares[1:], squares[0]) * scale[row][None, :]


def _range(count: int, step: int = 1) -> Int32[Array, " count"]:
    return step * jnp.arange(count, dtype=jnp.int32)


def _least(
    key: Float64[Array, "queries points"], index: Int32[Array, "queries points"], k: int
) -> tuple[Int32[Array, "queries k"], Float64[Array, "queries k"]]:
    """The k least ``(key, index)``, in order: k passes, where a sort would cost more than the filter."""
    none = jnp.iinfo(jnp.int32).max
    index = index.T  # a minimum over the first axis is one over vectors

    def step(key: Array, _: None) -> tuple[Array, tuple[Array, Array]]:
        least = jnp.min(key, axis=0)
        first = jnp.min(jnp.where(key == least[None, :], index, none), axis=0)
        return jnp.where(index == first[None, :], jnp.inf, key), (first, least)

    _, (first, least) = lax.scan(step, key.T, None, length=k)
    return first.T, least.T
