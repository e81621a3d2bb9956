"""`nearest`: the exact k nearest points, of Euclidean space or of the word lattice.

Small sets, and queries that the float32 filter of `cga._filter` does not certify, are ranked in float64 over all
points, tile by tile; no array of all queries times all points is made. Points sharded over devices are ranked where
they are, and the k best of each shard merged by ``(key, index)``. All ways give one answer.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any, Literal

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.core import Tracer
from jax.sharding import NamedSharding, PartitionSpec
from jaxtyping import Array, Float, Float64, Int32, Shaped

from cga import _filter
from cga._lattice import LIMIT, LOCATION_LIMIT
from cga._multivector import Multivector
from cga._numerics import safe_sqrt
from cga._search_jax import bucket, merged, ranked

Kind = Literal["lattice", "euclidean"]
QUERIES = 64
"""Most queries in one kernel call."""
FILTERED_FROM = 1 << 16
"""Fewer points are ranked without the filter."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PointIndex:
    """Points laid out for `nearest`; make one with `point_index` if many calls ask the same points.

    Attributes:
        kind: ``lattice`` (integers x1, x2, x3, rho) or ``euclidean`` (three coordinates).
        size: number of points.
        rows: ``(points, axes)`` coordinates, float32 if they are float32 numbers.
        weight: ``(points,)`` 1/rho, or ones.
        tiles: the filter's layout, if there is one.
    """

    kind: Kind
    size: int
    rows: Float[Array, "points axes"]
    weight: Float64[Array, " points"]
    tiles: tuple[Array, Array] | None


def point_index(points: Any) -> PointIndex:
    """Lays points out for `nearest`.

    Args:
        points: see `nearest`.

    Raises:
        ValueError: see `nearest`.
    """
    kind, rows = _read(points, "points", LIMIT)
    weight = 1.0 / rows[:, 3] if kind == "lattice" else np.ones(len(rows))
    single = kind == "lattice" or rows.dtype == np.float32
    stored = rows.astype(np.float32 if single else np.float64)
    with jax.enable_x64(True):
        tiles = None
        if single and len(rows) >= FILTERED_FROM:
            first, second = _filter.tiles_of(stored, weight)
            tiles = (jnp.asarray(first), jnp.asarray(second))
        return PointIndex(
            kind=kind, size=len(rows), rows=jnp.asarray(stored), weight=jnp.asarray(weight), tiles=tiles
        )


def nearest(queries: Any, points: Any, k: int) -> tuple[Int32[Array, "*batch k"], Shaped[Array, "*batch k"]]:
    """The k nearest points of each query, nearest first, ties to the lowest index.

    Points and queries are of one kind:

    - integer arrays ``(*batch, 4)`` are lattice words (x1, x2, x3, rho), ranked by their exact key
      ``D * (1/rho)``; the distances returned are hyperbolic. ``|x_i| < 2**24``, ``1 <= rho < 2**24`` (``2**25`` for a
      query).
    - floating arrays ``(*batch, 3)``, or `Multivector` null vectors, are points of Euclidean space, ranked by the
      square of their distance in float64 arithmetic, whatever JAX's x64 mode. Squares that differ in their last bit
      alone, as float64 coordinates may give, can come in either order; float32 coordinates leave no such doubt.

    Inside `jax.jit` and the like the values are not checked, and the filter is not used.

    The answer does not depend on how queries are batched, or points are sharded: over the first axis, by
    `jax.sharding.NamedSharding` or over processes.

    Args:
        queries: the queries.
        points: ``(points, 4)`` or ``(points, 3)``, a `Multivector` of one batch axis, or what `point_index` made of one
            of them.
        k: how many, 1..points.

    Returns:
        Indices (int32) and distances, in JAX's default floating dtype.

    Raises:
        ValueError: k out of range, kinds that differ, coordinates out of range or not finite, a wrong last axis.
    """
    if any(isinstance(x, Tracer) for x in jax.tree.leaves((queries, points))):
        return _nearest_traced(queries, points, k)
    if isinstance(points, jax.Array) and len(points.sharding.device_set) > 1:
        return _nearest_sharded(queries, points, k)
    index = points if isinstance(points, PointIndex) else point_index(points)
    kind, rows = _read(queries, "queries", LOCATION_LIMIT)
    batch = _batch(queries)
    _check(kind, index.kind, k, index.size)
    found = [np.zeros((0, k), np.int32)]
    keys = [np.zeros((0, k))]
    for start in range(0, len(rows), QUERIES):
        chunk = rows[start : start + QUERIES].astype(float)
        padded = np.pad(chunk, ((0, bucket(len(chunk)) - len(chunk)), (0, 0)), mode="edge")
        near, key = _search(index, padded, k)
        found.append(near[: len(chunk)])
        keys.append(key[: len(chunk)])
    near, key = np.concatenate(found), np.concatenate(keys)
    distance = _distances(kind, key, rows)
    default = jnp.result_type(float)
    return jnp.asarray(near.reshape(*batch, k)), jnp.asarray(distance.reshape(*batch, k), default)


def _nearest_traced(queries: Any, points: Any, k: int) -> tuple[Array, Array]:
    default = jnp.result_type(float)
    with jax.enable_x64(True):
        (kind, asked), (other, rows) = _coordinates(queries, jnp), _coordinates(points, jnp)
        _check(kind, other, k, len(rows))
        asked, rows = asked.astype(jnp.float64), rows.astype(jnp.float64)
        flat = asked.reshape(-1, asked.shape[-1])
        near, key = _rank(rows, _weight(kind, rows), flat, k=k)
        if kind == "euclidean":
            distance = safe_sqrt(key)
        else:
            distance = 2 * jnp.arcsinh(safe_sqrt(key / jnp.broadcast_to(4.0 * flat[:, 3:], key.shape)))
        batch = asked.shape[:-1]
        return near.reshape(*batch, k), distance.reshape(*batch, k).astype(default)


def _weight(kind: Kind, rows: Array) -> Array:
    # A broadcast division would be turned into a product; see `cga._search_jax`.
    return lax.optimization_barrier(1.0 / rows[:, 3]) if kind == "lattice" else jnp.ones(len(rows))


def _search(index: PointIndex, queries: np.ndarray, k: int) -> tuple[np.ndarray, np.ndarray]:
    with jax.enable_x64(True):
        exact_in_single = np.array_equal(queries.astype(np.float32), queries)
        if index.tiles is None or k > _filter.MOST_K or not exact_in_single:
            near, key = _rank(index.rows, index.weight, queries, k=k)
            return np.asarray(near), np.asarray(key)
        near, key, certified = map(
            np.array, _filter.filtered(*index.tiles, index.rows, index.weight, queries, k=k)
        )
        if not certified.all():
            rest = np.flatnonzero(~certified)
            again = np.pad(queries[rest], ((0, bucket(len(rest)) - len(rest)), (0, 0)), mode="edge")
            exact, keys = _rank(index.rows, index.weight, again, k=k)
            near[rest], key[rest] = exact[: len(rest)], keys[: len(rest)]
        return near, key


@partial(jax.jit, static_argnames="k")
def _rank(
    rows: Array, weight: Array, queries: Array, first: int | Array = 0, *, k: int
) -> tuple[Int32[Array, "queries k"], Float64[Array, "queries k"]]:
    """The k least ``(key, index)`` over all points, in float64; ``first`` is the index of the first one."""
    near, key = ranked(rows.astype(jnp.float64), weight, queries, k=min(k, len(rows)))
    near = jnp.pad(near + jnp.int32(first), ((0, 0), (0, k - near.shape[1])), constant_values=-1)
    return near, jnp.pad(key, ((0, 0), (0, k - key.shape[1])), constant_values=jnp.inf)


def _nearest_sharded(queries: Any, points: jax.Array, k: int) -> tuple[Array, Array]:
    kind: Kind = "lattice" if jnp.issubdtype(points.dtype, jnp.integer) else "euclidean"
    sharding = points.sharding
    if not isinstance(sharding, NamedSharding) or points.ndim != 2 or sharding.spec[1:] not in ((), (None,)):
        raise ValueError(f"points: sharding {sharding}; shard (points, axes) over the first axis alone")
    for shard in points.addressable_shards:
        _read(np.asarray(shard.data), "points", LIMIT)
    query_kind, rows = _read(queries, "queries", LOCATION_LIMIT)
    _check(query_kind, kind, k, len(points))
    axes = sharding.spec[0]
    with jax.enable_x64(True):
        near, key = _ranked_shards(points, rows.astype(float), kind, sharding.mesh, axes, k)
        near, key = np.asarray(near.addressable_data(0)), np.asarray(key.addressable_data(0))
    distance = _distances(kind, key, rows)
    batch = _batch(queries)
    return jnp.asarray(near.reshape(*batch, k)), jnp.asarray(
        distance.reshape(*batch, k), jnp.result_type(float)
    )


@partial(jax.jit, static_argnums=(2, 3, 4, 5))
def _ranked_shards(
    points: Array, queries: Array, kind: Kind, mesh: Any, axes: Any, k: int
) -> tuple[Array, Array]:
    def local(shard: Array, queries: Array) -> tuple[Array, Array]:
        rows = shard.astype(jnp.float64)
        near, key = _rank(rows, _weight(kind, rows), queries, lax.axis_index(axes) * len(rows), k=k)
        return merged(near, key, axes, k)

    whole = PartitionSpec()
    return jax.shard_map(
        local, mesh=mesh, in_specs=(PartitionSpec(axes), whole), out_specs=whole, check_vma=False
    )(points, queries)


def _coordinates(values: Any, xp: Any) -> tuple[Kind, Any]:
    """The kind, and an array of coordinates in the namespace ``xp``."""
    if isinstance(values, Multivector):
        if values.grades != (1,):
            raise ValueError(f"grades {values.grades}; points are null vectors, take .grade(1)")
        x, y, z, e4, e5 = (xp.asarray(part) for part in values.components)
        return "euclidean", xp.stack([x, y, z], axis=-1) / (e5 - e4)[..., None]
    array = values.rows if isinstance(values, PointIndex) else xp.asarray(values)
    if isinstance(values, PointIndex):
        return values.kind, array
    if xp.issubdtype(array.dtype, xp.integer):
        return "lattice", array
    if not xp.issubdtype(array.dtype, xp.floating):
        raise ValueError(f"dtype {array.dtype}; give integers (words) or floats (points of space)")
    return "euclidean", array


def _read(values: Any, name: str, breadth_limit: int) -> tuple[Kind, np.ndarray]:
    """The kind, and the coordinates, checked, as rows of a host array."""
    try:
        with np.errstate(divide="ignore", invalid="ignore"):
            kind, array = _coordinates(values, np)
    except ValueError as error:
        raise ValueError(f"{name}: {error}") from None
    lattice = kind == "lattice"
    axes = 4 if lattice else 3
    if array.ndim == 0 or array.shape[-1] != axes or (name == "points" and array.ndim != 2):
        shape = f"(points, {axes})" if name == "points" else f"(*batch, {axes})"
        raise ValueError(f"{name}: shape {array.shape}; {array.dtype} coordinates have the shape {shape}")
    rows = array.reshape(-1, axes)
    if lattice:
        wrong = (np.abs(rows[:, :3].astype(np.int64)) >= LIMIT).any(axis=1) | (rows[:, 3] < 1)
        wrong |= rows[:, 3] >= breadth_limit
        need = f"off the lattice; need |x_i| < {LIMIT} and 1 <= rho < {breadth_limit}"
    else:
        wrong = ~np.isfinite(rows).all(axis=1)
        need = "not finite; a point at infinity has no distance"
    if wrong.any():
        first = int(np.argmax(wrong))
        raise ValueError(f"{name}[{first}]: {rows[first].tolist()} is {need}")
    if not lattice and rows.dtype not in (np.float32, np.float64):
        rows = rows.astype(np.float32)
    return kind, rows


def _batch(queries: Any) -> tuple[int, ...]:
    return queries.shape if isinstance(queries, Multivector) else np.shape(queries)[:-1]


def _check(queries: Kind, points: Kind, k: int, size: int) -> None:
    if queries != points:
        raise ValueError(
            f"queries are {queries} and points {points}: give integers for both, or floats for both"
        )
    if not 1 <= k <= size:
        raise ValueError(f"k: {k}; there are {size} points, give 1..{size}")


def _distances(kind: Kind, key: np.ndarray, rows: np.ndarray) -> np.ndarray:
    """Of the keys: ``cosh d - 1 = key / (2 rho_query)`` on the lattice, ``d^2 = key`` in space."""
    if kind == "euclidean":
        return np.sqrt(key)
    return 2 * np.arcsinh(np.sqrt(key / (4.0 * rows[:, 3:].astype(float))))
