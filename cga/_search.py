"""Exact nearest neighbours in NumPy: top-k under ``(key, index)`` and the walk's greedy selection.

Keys are those of `cga._lattice.key`; `cga._search_jax` takes the same decisions.
"""

from __future__ import annotations

import numpy as np
from jaxtyping import Bool, Float64

from cga._vocabulary import Vocabulary

_TILE = 1 << 20


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
    pool = np.flatnonzero(mask)
    coordinates, inv_rho = vocabulary.coordinates[:, pool], vocabulary.inv_rho[pool]
    location = start[:, None]
    visited = np.zeros(len(pool))
    unmet = [set(group) for group in goals]
    selected: list[int] = []
    for _ in range(min(steps, len(pool))):
        difference = coordinates - location
        difference *= difference
        keys = difference.sum(axis=0)
        keys *= inv_rho
        keys += visited
        chosen = int(keys.argmin())
        visited[chosen] = np.inf
        location = coordinates[:, chosen, None]
        selected.append(int(pool[chosen]))
        if unmet:
            unmet = [group for group in unmet if selected[-1] not in group]
            if not unmet:
                break
    return selected


def lattice_array(points: list) -> Float64[np.ndarray, "points 4"]:
    """Lattice points as exact float64 integers."""
    return np.array(points, float).reshape(-1, 4)
