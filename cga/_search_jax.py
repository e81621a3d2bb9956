"""Exact nearest neighbours and walks in JAX: the same decisions as `cga._search`, bit for bit.

Every kernel runs under ``jax.enable_x64(True)``, takes 1/rho as data (XLA may turn a broadcast division into a
multiplication by its own reciprocal, which rounds differently) and multiplies exact integers D < 2**52 by it
once. Shapes are padded to a few static sizes, so that few programs are compiled.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.sharding import Mesh, NamedSharding, PartitionSpec
from jaxtyping import Array, Bool, Float64, Int32, UInt8

from cga import _search
from cga._vocabulary import Vocabulary

TILE = 8192
"""Words a tile: its keys for a chunk of queries stay in cache while all queries pass over it."""
BLOCK = 32
"""Words a block: within a tile the k least keys lie in the k blocks of least ``(minimum, index)``."""
QUERIES = 256
"""Most queries in one kernel call."""
SHARDS = "shards"
"""The axis of devices over which tiles are spread."""
WALK_KEYS = 1 << 24
"""Most turns times words of one walk call. XLA keeps no key, but two masks and the goals, of a byte each (48 MB)."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class DeviceVocabulary:
    """A vocabulary's arrays on the device.

    Attributes:
        host: the same on the host.
        tiles: ``(tiles, 4, tile)`` coordinates, padded with zeros.
        tile_inv_rho: ``(tiles, tile)`` 1/rho, padded with zeros.
        coordinates: ``(4, words)``, unpadded, for walks.
        inv_rho: ``(words,)``.
        mesh: the devices over which the tiles are spread, if they are several.
    """

    host: Vocabulary
    tiles: Float64[Array, "tiles 4 tile"]
    tile_inv_rho: Float64[Array, "tiles tile"]
    coordinates: Float64[Array, "4 words"]
    inv_rho: Float64[Array, " words"]
    mesh: Mesh | None

    @property
    def on_host(self) -> bool:
        """Whether searching by blocks on the host is quicker: for many words, on one CPU device."""
        [device, *others] = self.tiles.devices()
        return not others and device.platform == "cpu" and self.host.size >= _search.BLOCKED


def to_device(host: Vocabulary, devices: Sequence[Any] = ()) -> DeviceVocabulary:
    """Copies a vocabulary to devices, JAX's default one if none is given.

    Several devices get the same number of tiles each; walks run on the first.
    """
    tile = min(TILE, -(-host.size // (BLOCK * max(1, len(devices)))) * BLOCK)
    count = -(-host.size // tile)
    count += -count % max(1, len(devices))
    padding = count * tile - host.size
    tiles = np.pad(host.coordinates, ((0, 0), (0, padding))).reshape(4, count, tile).transpose(1, 0, 2)
    inv_rho = np.pad(host.inv_rho, (0, padding)).reshape(count, tile)
    mesh = Mesh(np.array(devices), (SHARDS,)) if len(devices) > 1 else None
    first = devices[0] if devices else None
    place = first if mesh is None else NamedSharding(mesh, PartitionSpec(SHARDS))
    with jax.enable_x64(True):
        return DeviceVocabulary(
            host=host,
            tiles=jax.device_put(tiles, place),
            tile_inv_rho=jax.device_put(inv_rho, place),
            coordinates=jax.device_put(host.coordinates, first),
            inv_rho=jax.device_put(host.inv_rho, first),
            mesh=mesh,
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
            data = (vocabulary.tiles, vocabulary.tile_inv_rho, vocabulary.host.size, padded)
            mesh = vocabulary.mesh
            found = _top_k(*data, k=k) if mesh is None else _top_k_sharded(*data, k=k, mesh=mesh)
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
    return _rank_words(tiles, inv_rho, size, locations, k=k)[0]


@partial(jax.jit, static_argnames=("k", "mesh"))
def _top_k_sharded(
    tiles: Float64[Array, "tiles 4 tile"],
    inv_rho: Float64[Array, "tiles tile"],
    size: int | Array,
    locations: Float64[Array, "queries 4"],
    *,
    k: int,
    mesh: Mesh,
) -> Int32[Array, "queries k"]:
    def local(tiles: Array, inv_rho: Array, locations: Array) -> Array:
        first = lax.axis_index(SHARDS) * inv_rho.size
        return merged(*_rank_words(tiles, inv_rho, size, locations, k=k, first=first), SHARDS, k)[0]

    spread, whole = PartitionSpec(SHARDS), PartitionSpec()
    return jax.shard_map(
        local, mesh=mesh, in_specs=(spread, spread, whole), out_specs=whole, check_vma=False
    )(tiles, inv_rho, locations)


def merged(indices: Array, keys: Array, axes: Any, k: int) -> tuple[Array, Array]:
    """Inside a `jax.shard_map`: the k words of least ``(key, index)`` over all shards, and their keys."""
    indices, keys = (lax.all_gather(x, axes, axis=1, tiled=True) for x in (indices, keys))
    keys, indices = lax.sort((keys, indices), num_keys=2)
    return indices[:, :k], keys[:, :k]


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


def _rank_words(
    tiles: Float64[Array, "tiles 4 tile"],
    inv_rho: Float64[Array, "tiles tile"],
    size: int | Array,
    locations: Float64[Array, "queries 4"],
    *,
    k: int,
    first: int | Array = 0,
) -> tuple[Int32[Array, "queries k"], Float64[Array, "queries k"]]:
    """`rank_tiles` for lattice words: only the least key of each block is kept, and sorted once for all tiles.

    The keys of the k best blocks are computed again. They are the same bits, as D is an exact integer; for points whose
    squares are rounded that would not be sure.
    """
    count, _, tile = tiles.shape
    each = tile // BLOCK
    if k * BLOCK > count * each or each % BLOCK:
        return rank_tiles(tiles, inv_rho, size, locations, k=k, first=first)
    begins = jnp.asarray(first, jnp.int32) + tile * jnp.arange(count, dtype=jnp.int32)

    def least(_: None, tile_data: tuple[Array, Array, Array]) -> tuple[None, Array]:
        coordinates, inverse, begin = tile_data
        inside = begin + jnp.arange(tile, dtype=jnp.int32) < size
        keys = jnp.where(inside[None, :], rank_keys(coordinates, inverse, locations), jnp.inf)
        return None, keys.reshape(len(locations), each, BLOCK).min(axis=-1)

    _, minima = lax.scan(least, None, (tiles, inv_rho, begins))
    minima = jnp.moveaxis(minima, 0, 1).reshape(len(locations), -1)
    position = jnp.broadcast_to(jnp.arange(count * each, dtype=jnp.int32), minima.shape)
    _, position = lax.sort(_best_blocks(minima, position, k), num_keys=2)
    chosen, block = position[:, :k] // each, position[:, :k] % each
    coordinates = tiles.reshape(count, 4, each, BLOCK)[chosen, :, block]  # queries, k, 4, BLOCK
    differences = coordinates - locations[:, None, :, None]
    keys = jnp.sum(differences * differences, axis=2) * inv_rho.reshape(count, each, BLOCK)[chosen, block]
    begin = begins[chosen] + BLOCK * block
    indices = begin[..., None] + jnp.arange(BLOCK, dtype=jnp.int32)[None, None, :]
    keys = jnp.where(indices < size, keys, jnp.inf)
    keys, indices = lax.sort(
        (keys.reshape(len(locations), -1), indices.reshape(len(locations), -1)), num_keys=2
    )
    return indices[:, :k], keys[:, :k]


def rank_tiles(
    tiles: Float64[Array, "tiles axes tile"],
    inv_rho: Float64[Array, "tiles tile"],
    size: int | Array,
    locations: Float64[Array, "queries axes"],
    *,
    k: int,
    first: int | Array = 0,
) -> tuple[Int32[Array, "queries k"], Float64[Array, "queries k"]]:
    """The k words of least ``(key, index)``, and their keys; tile by tile.

    The tiles begin with the word ``first``; of all words there are ``size``.
    """
    count, _, tile = tiles.shape
    queries = len(locations)
    nothing = (jnp.full((queries, k), jnp.inf), jnp.full((queries, k), jnp.iinfo(jnp.int32).max, jnp.int32))

    def merge(best, tile_data):
        coordinates, inverse, begin = tile_data
        index = begin + jnp.arange(tile, dtype=jnp.int32)
        keys = jnp.where(index[None, :] < size, rank_keys(coordinates, inverse, locations), jnp.inf)
        indices = jnp.broadcast_to(index, keys.shape)
        if tile // BLOCK > k:
            keys, indices = _best_blocks(keys, indices, k)
        keys = jnp.concatenate([best[0], keys], axis=-1)
        indices = jnp.concatenate([best[1], indices], axis=-1)
        keys, indices = lax.sort((keys, indices), num_keys=2)
        return (keys[:, :k], indices[:, :k]), None

    begins = jnp.asarray(first, jnp.int32) + tile * jnp.arange(count, dtype=jnp.int32)
    (keys, indices), _ = lax.scan(merge, nothing, (tiles, inv_rho, begins))
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
    starts: Float64[Array, "turns 4"],
    masks: Bool[Array, "turns words"],
    goals: UInt8[Array, "turns words"],
    limits: Int32[Array, " turns"],
    *,
    steps: int,
) -> Int32[Array, "turns steps"]:
    """The words of greedy walks, until every one of them has ended.

    Args:
        coordinates: the words' lattice points.
        inv_rho: 1/rho of the words.
        starts: the first locations.
        masks: the words each turn may stand on.
        goals: for each word the groups of goals that it is in, as bits; a turn has ended once it met them all. The
            groups of a turn are those of its words; one without any has nothing to meet.
        limits: most steps of each turn, no more than it has words to stand on.
        steps: no less than any limit.

    Returns:
        The selected words; what lies behind the end of a turn has no meaning.
    """
    words = coordinates.T
    turns = jnp.arange(len(starts))
    wanted = lax.reduce(goals, jnp.uint8(0), lax.bitwise_or, (1,))

    def under_way(state):
        number, *_, active = state
        return jnp.any(active) & (number < steps)

    def step(state):
        number, location, free, unmet, selected, active = state
        keys = jnp.where(free, rank_keys(coordinates, inv_rho, location), jnp.inf)
        chosen = jnp.argmin(keys, axis=-1).astype(jnp.int32)
        unmet = unmet & ~goals[turns, chosen]
        number = number + 1
        met = (wanted != 0) & (unmet == 0)
        return (
            number,
            words[chosen],
            free.at[turns, chosen].set(False),
            unmet,
            lax.dynamic_update_index_in_dim(selected, chosen, number - 1, axis=0),
            active & (number < limits) & ~met,
        )

    selected = jnp.zeros((steps, len(starts)), jnp.int32)
    state = (jnp.int32(0), starts, masks, wanted, selected, limits > 0)
    return lax.while_loop(under_way, step, state)[4].T
