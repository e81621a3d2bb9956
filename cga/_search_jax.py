"""Exact nearest neighbours and walks in JAX: the same decisions as `cga._search`, bit for bit.

Every kernel runs under ``jax.enable_x64(True)``, takes 1/rho as data (XLA may turn a broadcast division into a
multiplication by its own reciprocal, which rounds differently) and multiplies exact integers D < 2**52 by it
once. Shapes are padded to a few static sizes, so that few programs are compiled.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jaxtyping import Array, Bool, Float64, Int32

from cga._field import FieldState, closure, field_start, field_update
from cga._vocabulary import Vocabulary

TILE = 8192
"""Words a tile: its keys for a chunk of queries stay in cache while all queries pass over it."""
BLOCK = 32
"""Words a block: within a tile the k least keys lie in the k blocks of least ``(minimum, index)``."""
QUERIES = 256
"""Most queries in one kernel call."""
WALK_KEYS = 1 << 24
"""Most keys (turns times words) that one walk call holds."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class DeviceVocabulary:
    """A vocabulary's arrays on the device.

    Attributes:
        host: the same on the host.
        tiles: ``(tiles, 4, tile)`` coordinates, padded with zeros.
        tile_inv_rho: ``(tiles, tile)`` 1/rho, padded with zeros.
        coordinates: ``(4, words)``, unpadded, for walks.
        inv_rho: ``(words,)``.
        origin: ``(4,)``, see `cga._vocabulary.Vocabulary`.
    """

    host: Vocabulary
    tiles: Float64[Array, "tiles 4 tile"]
    tile_inv_rho: Float64[Array, "tiles tile"]
    coordinates: Float64[Array, "4 words"]
    inv_rho: Float64[Array, " words"]
    origin: Float64[Array, "4"]


def to_device(host: Vocabulary) -> DeviceVocabulary:
    """Copies a vocabulary to JAX's default device."""
    tile = min(TILE, -(-host.size // BLOCK) * BLOCK)
    count = -(-host.size // tile)
    padding = count * tile - host.size
    tiles = np.pad(host.coordinates, ((0, 0), (0, padding))).reshape(4, count, tile).transpose(1, 0, 2)
    inv_rho = np.pad(host.inv_rho, (0, padding)).reshape(count, tile)
    with jax.enable_x64(True):
        return DeviceVocabulary(
            host=host,
            tiles=jnp.asarray(tiles),
            tile_inv_rho=jnp.asarray(inv_rho),
            coordinates=jnp.asarray(host.coordinates),
            inv_rho=jnp.asarray(host.inv_rho),
            origin=jnp.asarray(host.origin),
        )


def bucket(count: int) -> int:
    """The least power of two that is at least ``count`` (and at least 1)."""
    return 1 << max(count - 1, 0).bit_length()


def top_k(
    vocabulary: DeviceVocabulary, locations: Float64[np.ndarray, "queries 4"], k: int
) -> list[tuple[int, ...]]:
    """The k words of least ``(key, index)`` from each location, in that order; all words if k exceeds them."""
    k = min(k, vocabulary.host.size)
    if k == 0:
        return [()] * len(locations)
    result: list[tuple[int, ...]] = []
    for start in range(0, len(locations), QUERIES):
        chunk = locations[start : start + QUERIES]
        padded = np.pad(chunk, ((0, bucket(len(chunk)) - len(chunk)), (0, 0)))
        with jax.enable_x64(True):
            found = _top_k(vocabulary.tiles, vocabulary.tile_inv_rho, vocabulary.host.size, padded, k=k)
        result += map(tuple, np.asarray(found)[: len(chunk)].tolist())
    return result


@partial(jax.jit, static_argnames="k")
def _top_k(
    tiles: Float64[Array, "tiles 4 tile"],
    inv_rho: Float64[Array, "tiles tile"],
    size: int | Array,
    locations: Float64[Array, "queries 4"],
    *,
    k: int,
) -> Int32[Array, "queries k"]:
    return rank_tiles(tiles, inv_rho, size, locations, k=k)[0]


def ranked(
    rows: Float64[Array, "points axes"],
    weight: Float64[Array, " points"],
    queries: Float64[Array, "queries axes"],
    *,
    k: int,
) -> tuple[Int32[Array, "queries k"], Float64[Array, "queries k"]]:
    """The k points of least ``(key, index)`` and their keys, for points of any dimension, one a row."""
    size, axes = rows.shape
    tile = min(TILE, -(-size // BLOCK) * BLOCK)
    count = -(-size // tile)
    padding = count * tile - size
    tiles = jnp.pad(rows, ((0, padding), (0, 0))).reshape(count, tile, axes).transpose(0, 2, 1)
    return rank_tiles(tiles, jnp.pad(weight, (0, padding)).reshape(count, tile), size, queries, k=k)


def rank_tiles(
    tiles: Float64[Array, "tiles axes tile"],
    inv_rho: Float64[Array, "tiles tile"],
    size: int | Array,
    locations: Float64[Array, "queries axes"],
    *,
    k: int,
) -> tuple[Int32[Array, "queries k"], Float64[Array, "queries k"]]:
    """The k words of least ``(key, index)``, and their keys; tile by tile."""
    count, _, tile = tiles.shape
    queries = len(locations)
    nothing = (jnp.full((queries, k), jnp.inf), jnp.full((queries, k), jnp.iinfo(jnp.int32).max, jnp.int32))

    def merge(best, tile_data):
        coordinates, inverse, first = tile_data
        index = first + jnp.arange(tile, dtype=jnp.int32)
        keys = jnp.where(index[None, :] < size, rank_keys(coordinates, inverse, locations), jnp.inf)
        indices = jnp.broadcast_to(index, keys.shape)
        if tile // BLOCK > k:
            keys, indices = _best_blocks(keys, indices, k)
        keys = jnp.concatenate([best[0], keys], axis=-1)
        indices = jnp.concatenate([best[1], indices], axis=-1)
        keys, indices = lax.sort((keys, indices), num_keys=2)
        return (keys[:, :k], indices[:, :k]), None

    firsts = tile * jnp.arange(count, dtype=jnp.int32)
    (keys, indices), _ = lax.scan(merge, nothing, (tiles, inv_rho, firsts))
    return indices, keys


def rank_keys(coordinates: Array, inv_rho: Array, locations: Array) -> Float64[Array, "queries words"]:
    """Exact D, then one rounding; the squares are unrolled so that XLA fuses them into one pass."""
    squares = [
        jnp.square(coordinates[i][None, :] - locations[:, i][:, None]) for i in range(len(coordinates))
    ]
    return sum(squares[1:], squares[0]) * inv_rho[None, :]


def _best_blocks(keys: Array, indices: Array, k: int) -> tuple[Array, Array]:
    """Keeps the k blocks of least ``(minimum, position)``.

    If a word is not in one of them, each of these k blocks has a word that comes before it: one of smaller key, or
    of equal key and lower index. So no word of the true top-k is lost, ties included.
    """
    queries = keys.shape[0]
    blocks = keys.reshape(queries, -1, BLOCK)
    position = jnp.broadcast_to(jnp.arange(blocks.shape[1], dtype=jnp.int32), blocks.shape[:2])
    _, position = lax.sort((blocks.min(axis=-1), position), num_keys=2)
    chosen = position[:, :k, None]
    keys = jnp.take_along_axis(blocks, chosen, axis=1)
    indices = jnp.take_along_axis(indices.reshape(blocks.shape), chosen, axis=1)
    return keys.reshape(queries, -1), indices.reshape(queries, -1)


@partial(jax.jit, static_argnames="steps")
def walks(
    coordinates: Float64[Array, "4 words"],
    inv_rho: Float64[Array, " words"],
    origin: Float64[Array, "4"],
    starts: Float64[Array, "turns 4"],
    masks: Bool[Array, "turns words"],
    *,
    steps: int,
) -> tuple[Int32[Array, "turns steps"], Float64[Array, "turns states"], FieldState]:
    """Greedy walks of ``steps`` steps, and the fields along them.

    Once a turn's words are used up it selects word 0 on and on; the caller cuts the walk there.

    Args:
        coordinates: the words' lattice points.
        inv_rho: 1/rho of the words.
        origin: see `cga._vocabulary.Vocabulary`.
        starts: the first locations.
        masks: the words each turn may stand on.
        steps: number of steps.

    Returns:
        The selected words; for each state from the start on the largest versor condition up to there; and the
        field states, batch axes ``(turns, steps + 1)``.
    """
    words = coordinates.T
    turns = jnp.arange(len(starts))

    def step(carry, _):
        location, free = carry
        keys = jnp.where(free, rank_keys(coordinates, inv_rho, location), jnp.inf)
        chosen = jnp.argmin(keys, axis=-1).astype(jnp.int32)
        return (words[chosen], free.at[turns, chosen].set(False)), chosen

    _, selected = lax.scan(step, (starts, masks), None, length=steps)
    path = jnp.concatenate([starts[None], words[selected]])
    center = (path[..., :3] - jnp.broadcast_to(origin[:3], (*path.shape[:-1], 3))) / origin[3]
    breadth = path[..., 3] / origin[3]
    first = field_start(center[0], breadth[0])

    def move(field, point):
        field = field_update(field, *point)
        return field, field

    _, rest = lax.scan(move, first, (center[1:], breadth[1:]))
    states = FieldState(
        *(jnp.moveaxis(jnp.concatenate([a[None], b]), 0, 1) for a, b in zip(first, rest, strict=True))
    )
    return selected.T, lax.cummax(closure(states), axis=1), states
