"""Exact nearest neighbours in NumPy: top-k under ``(key, index)`` and the walk's greedy selection.

Keys are those of `cga._lattice.key`; `cga._search_jax` takes the same decisions.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice

import numpy as np
from jaxtyping import Bool, Float64, Int64

from cga import _block_search
from cga._blocks import NOWHERE, lift, seen_from
from cga._vocabulary import Vocabulary

_TILE = 1 << 20
BLOCKED = 1 << 13
"""With fewer words, in all or to walk among, every one is looked at: that is as quick."""
FEW = 16
"""A k-th part of the words, from which on blocks save nothing."""


def rank_keys(
    vocabulary: Vocabulary, locations: Float64[np.ndarray, "queries 4"]
) -> Float64[np.ndarray, "queries words"]:
    """The rank keys of all words from each location: exact D, then one rounding."""
    difference = vocabulary.coordinates - locations[:, :, None]
    return np.einsum("qcw,qcw->qw", difference, difference) * vocabulary.inv_rho


def top_k(
    vocabulary: Vocabulary, locations: Float64[np.ndarray, "queries 4"], k: int
) -> list[tuple[int, ...]]:
    """The k words of least ``(key, index)`` from each location, in that order; all words if k exceeds them."""
    if vocabulary.size >= BLOCKED and 1 <= k <= vocabulary.size // FEW:
        return _block_search.top_k(vocabulary.blocks, locations, k)
    return rank_all(vocabulary, locations, k)


def rank_all(
    vocabulary: Vocabulary, locations: Float64[np.ndarray, "queries 4"], k: int
) -> list[tuple[int, ...]]:
    """`top_k` by the key of every word, which is what the ways that look at fewer are compared with."""
    tile = max(1, _TILE // vocabulary.size)
    result: list[tuple[int, ...]] = []
    for start in range(0, len(locations), tile):
        keys = rank_keys(vocabulary, locations[start : start + tile])
        result += [_least(row, k) for row in keys]
    return result


def _least(keys: Float64[np.ndarray, " words"], k: int) -> tuple[int, ...]:
    if k < len(keys):
        if k == 0:
            return ()
        # Everything up to the k-th least key, so that of the words tied there the first ones win:
        # `argpartition` alone would keep any of them.
        candidates = np.flatnonzero(keys <= np.partition(keys, k - 1)[k - 1])
        order = np.argsort(keys[candidates], kind="stable")[:k]
        return tuple(candidates[order].tolist())
    return tuple(np.argsort(keys, kind="stable").tolist())


def select_walk(
    vocabulary: Vocabulary,
    start: Float64[np.ndarray, "4"],
    mask: Bool[np.ndarray, " words"],
    steps: int,
    goals: tuple[tuple[int, ...], ...],
) -> list[int]:
    """The words of a greedy walk: each the least ``(key, index)`` among admissible words not yet visited.

    Args:
        vocabulary: the words.
        start: the first location; after a step the location is the word itself.
        mask: the admissible words.
        steps: most steps; fewer are taken if no word is left.
        goals: selection may stop once a word of each group was selected; no group never stops it.
    """
    unmet = Goals(goals)
    selected: list[int] = []
    for word in islice(_steps(vocabulary, start, mask), steps):
        selected.append(word)
        if unmet.met_by(word):
            break
    return selected


def _steps(
    vocabulary: Vocabulary, start: Float64[np.ndarray, "4"], mask: Bool[np.ndarray, " words"]
) -> Iterator[int]:
    if vocabulary.key_table is not None:
        return _tabled_steps(vocabulary, vocabulary.key_table, start, mask)
    if vocabulary.size >= BLOCKED and np.count_nonzero(mask) >= BLOCKED:
        return _block_search.steps(vocabulary.blocks, start, mask, vocabulary.around)
    return _steps_among(vocabulary, start, np.flatnonzero(mask))


def _tabled_steps(
    vocabulary: Vocabulary,
    table: Float64[np.ndarray, "words words"],
    start: Float64[np.ndarray, "4"],
    mask: Bool[np.ndarray, " words"],
) -> Iterator[int]:
    closed = np.where(mask, 0.0, np.inf)
    keys = keys_from(vocabulary.coordinates, vocabulary.inv_rho, start)
    keys += closed
    for _ in range(int(np.count_nonzero(mask))):
        chosen = int(keys.argmin())
        yield chosen
        closed[chosen] = np.inf
        np.add(table[chosen], closed, out=keys)


def _steps_among(
    vocabulary: Vocabulary, start: Float64[np.ndarray, "4"], pool: Int64[np.ndarray, " pool"]
) -> Iterator[int]:
    """Without a table of keys: what the admissible words are few of is computed for them alone."""
    lifted, inverse = lift(vocabulary.coordinates[:, pool]), vocabulary.inv_rho[pool]
    place = lift(start[:, None])[0]
    for _ in range(len(pool)):
        keys = lifted @ seen_from(place)
        keys *= inverse
        chosen = int(keys.argmin())
        yield int(pool[chosen])
        place = lifted[chosen].copy()
        lifted[chosen, NOWHERE] = np.inf


class Goals:
    """The groups of which a walk has met no word yet.

    Args:
        groups: of word indices; without a group nothing is ever met.

    Attributes:
        wanted: the words of all groups.
    """

    def __init__(self, groups: Iterable[Iterable[int]]) -> None:
        self._unmet = [set(group) for group in groups]
        self.wanted: set[int] = set().union(*self._unmet)

    def met_by(self, word: int) -> bool:
        """Whether this word meets the last of them."""
        if word not in self.wanted:
            return False
        self._unmet = [group for group in self._unmet if word not in group]
        return not self._unmet


def keys_from(
    coordinates: Float64[np.ndarray, "4 words"],
    inv_rho: Float64[np.ndarray, " words"],
    location: Float64[np.ndarray, "4"],
) -> Float64[np.ndarray, " words"]:
    """The rank keys of some words from one location."""
    difference = coordinates - location[:, None]
    difference *= difference
    return difference.sum(axis=0) * inv_rho


def lattice_array(points: list) -> Float64[np.ndarray, "points 4"]:
    """Lattice points as exact float64 integers."""
    return np.array(points, float).reshape(-1, 4)
