"""Exact nearest words and walks over `cga._blocks`: what the bounds leave is compared by its exact keys."""

from __future__ import annotations

from collections.abc import Iterator
from math import asinh, inf, sqrt

import numpy as np
from jaxtyping import Bool, Float64, Int64

from cga._blocks import NOWHERE, Blocks, lift, seen_from

BOUNDS = 1 << 16
"""Most bounds (queries times blocks) held at a time."""
KEYS = 1 << 19
"""Most keys of one pass over what the bounds leave."""
NEAR = 6
"""Blocks of least bound, beside those that k takes, by which the others are bounded: more make the limit closer."""
AROUND = 64
MOST_KEPT = 1 << 14
"""Nearest words kept of each word walked from, and of how many words: 8 MB."""
FRONT = 32
"""Blocks around a location among which a walk steps before it looks at the others again."""
INSIDE = 1 - 1e-9
"""What a front's radius is multiplied by, for the rounding of the lengths compared with it."""


def top_k(blocks: Blocks, locations: Float64[np.ndarray, "queries 4"], k: int) -> list[tuple[int, ...]]:
    """The k words of least ``(key, index)`` from each location, in that order; 1 <= k <= words."""
    chunk = max(1, BOUNDS // len(blocks.words))
    result: list[tuple[int, ...]] = []
    for start in range(0, len(locations), chunk):
        result += map(tuple, _top_k(blocks, locations[start : start + chunk], k).tolist())
    return result


def _top_k(
    blocks: Blocks, locations: Float64[np.ndarray, "queries 4"], k: int
) -> Int64[np.ndarray, "queries k"]:
    count, rows = blocks.words.shape
    queries = np.arange(len(locations))
    seen = seen_from(lift(locations.T))
    bounds = blocks.bounds(locations)
    enough = min(count, NEAR + -(-2 * k // rows))
    near = np.argpartition(bounds, enough - 1, axis=1)[:, :enough]
    keys = _keys(blocks, blocks.words[near].reshape(len(locations), -1), seen)
    # At least k words have keys up to this one, so every block that holds one of the k least has a bound up to it.
    limit = np.partition(keys, k - 1, axis=1)[:, k - 1] if keys.shape[1] >= k else np.full(len(queries), inf)
    asked, block = np.nonzero(bounds <= limit[:, None])
    found: list[tuple[np.ndarray, ...]] = []
    for start in range(0, len(asked), max(1, KEYS // rows)):
        query = asked[start : start + max(1, KEYS // rows)]
        words = blocks.words[block[start : start + max(1, KEYS // rows)]]
        keys = _keys(blocks, words, seen[query])
        pair, row = np.nonzero((keys <= limit[query, None]) & (words < blocks.size))
        found.append((words[pair, row], keys[pair, row], query[pair]))
    word, key, query = (np.concatenate(parts) for parts in zip(*found, strict=True))
    order = np.lexsort((word, key, query))
    first = np.searchsorted(query[order], queries)
    return word[order[first[:, None] + np.arange(k)]]


def _keys(
    blocks: Blocks, words: Int64[np.ndarray, "queries words"], seen: Float64[np.ndarray, "queries 6"]
) -> Float64[np.ndarray, "queries words"]:
    # `take` copies whole rows, which indexing by an array does not.
    squares = np.matmul(blocks.lifted.take(words, axis=0), seen[:, :, None])[..., 0]
    return squares * blocks.inv_rho.take(words)


def steps(
    blocks: Blocks,
    start: Float64[np.ndarray, "4"],
    mask: Bool[np.ndarray, " words"],
    around: dict[int, Int64[np.ndarray, " near"]],
) -> Iterator[int]:
    """The words of a greedy walk, each the least ``(key, index)`` among the words of the mask not yet given.

    Walks soon come to the same few broad words. So the `AROUND` nearest of each word walked from are kept, whatever the
    mask: the first of them that is open is the next step. Where none is, fronts are searched.

    A front is the open words of the blocks of least bound around a place c: every other open word has a key from c of
    at least the least bound left out, hence a distance from c of at least some R. From a location q the nearest word
    of the front, at distance d, is the nearest of all if ``d + d(c, q) < R``, since every other one has a distance of
    at least ``R - d(c, q)`` from q. The lengths are rounded, so R is lowered by 1e-9 of itself, a million times their
    roundings; then the other words are further by more than 1e-9 of d, and their keys greater by more than their
    roundings too: none ties. Where the test fails a new front is made around q.
    """
    free = np.append(mask, False)  # the row without a word is never free
    left = int(np.count_nonzero(free))
    closed = np.where(free[blocks.words].any(axis=1), 0.0, inf) if left < blocks.size else 0.0
    # Where few words are open a front takes more blocks.
    least = min(len(blocks.words), FRONT * blocks.size // max(1, left))
    place = lift(start[:, None])[0]
    word: int | None = None
    while left:
        if word is not None:
            near = _around(blocks, word, around)
            first = int(free[near].argmax())
            if free[near[first]]:
                word = int(near[first])
                yield word
                free[word] = False
                left -= 1
                continue
            place = blocks.lifted[word]
        words, lifted, inverse, reach = _front(blocks, place, free, closed, least)
        seen, middle = seen_from(place), place
        keys = lifted @ seen
        keys *= inverse
        chosen = int(keys.argmin())
        while True:
            word = int(words[chosen])
            yield word
            free[word] = False
            left -= 1
            place = blocks.lifted[word]
            lifted[chosen, NOWHERE] = inf
            seen = seen_from(place)
            np.dot(lifted, seen, out=keys)
            keys *= inverse
            chosen = int(keys.argmin())
            breadth = place[3]
            away = _length(float(middle @ seen), breadth * middle[3])
            if not away + _length(float(keys[chosen]), breadth) < reach:
                break


def _around(
    blocks: Blocks, word: int, kept: dict[int, Int64[np.ndarray, " near"]]
) -> Int64[np.ndarray, " near"]:
    """The `AROUND` nearest of a word, itself first; kept."""
    near = kept.get(word)
    if near is None:
        if len(kept) >= MOST_KEPT:
            kept.clear()
        location = blocks.lifted[word, None, :4]
        kept[word] = near = np.array(top_k(blocks, location, min(AROUND, blocks.size))[0])
    return near


def _front(
    blocks: Blocks,
    place: Float64[np.ndarray, "6"],
    free: Bool[np.ndarray, " places"],
    closed: Float64[np.ndarray, " blocks"] | float,
    count: int,
) -> tuple[Int64[np.ndarray, " front"], Float64[np.ndarray, "front 6"], Float64[np.ndarray, " front"], float]:
    """The open words around a place, ascending, and the distance that all others have at least.

    Blocks are added until the nearest word of all is among them.
    """
    bounds = blocks.bounds(place[None, :4])[0] + closed
    seen = seen_from(place)
    while True:
        if count < len(bounds):
            order = np.argpartition(bounds, count)
            near, limit = order[:count], float(bounds[order[count]])
        else:
            near, limit = np.arange(len(bounds)), inf
        words = blocks.words[near].ravel()
        words = words[free[words]]
        words.sort()
        lifted, inverse = blocks.lifted.take(words, axis=0), blocks.inv_rho.take(words)
        if len(words) and (limit == inf or (lifted @ seen * inverse).min() < limit):
            return words, lifted, inverse, INSIDE * _length(limit, float(place[3]))
        count *= 2


def _length(key: float, breadth: float) -> float:
    """The hyperbolic distance of a key seen from a location of this breadth: ``cosh d - 1 = key / (2 breadth)``."""
    return 2 * asinh(sqrt(key / (4 * breadth)))
