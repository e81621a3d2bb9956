"""Blocks of near words, and a lower bound of the rank keys of each: exact search that looks at few words (NumPy only).

**Squares by one product.** ``D = |w - q|^2 = |w|^2 - 2 w.q + |q|^2`` is the product of ``(-2 q, 1, |q|^2)`` and ``(w,
|w|^2, 1)``, so one call of BLAS gives D for many words. It is exact: words have coordinates below 2**24, locations
three below 2**24 and rho below 2**25 (see `cga._lattice`), so the sizes of the terms add up to at most ``(4 + 7 + 10)
2**48 < 2**53``. Every partial sum, in any order, fused or not, is an integer that float64 holds.

**The bound of a block.** Let the words of a block lie in a box, and c be the squared distance of q's centre from the
box's centres, an exact integer. A word of breadth r there has a key of at least ``f(r) = (c + (r - q)^2) / r``, which
is convex with its minimum at ``sqrt(c + q^2)``; so over the box's breadths it is least at r*, that number clipped to
them. Rounding: with s the rounded root, ``f(s) - f(r*) = (s - r*)^2 / s <= 2**-104 s``, and ``f(r*) >= c / s`` for a
root that was not clipped (it is exact, and f is 0, if c is 0); as ``s^2 = c + q^2 < 2**53`` and c is at least 1, that
error is below 2**-51 of f. The evaluation has five roundings, the key of a word two. So the computed bound times ``1 -
2**-48`` is never above the rounded key of any word of the block: a block whose bound exceeds a word's key holds no word
before it, and one whose bound equals it may hold one that ties.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from jaxtyping import Float32, Float64, Int64

ROWS = 64
"""Most words a block."""
BELOW = 1 - 2.0**-48
"""What a computed bound is multiplied by, so that no rounded key lies below it."""

NOWHERE = 4
"""Where a lifted word holds ``|w|^2``: infinity there puts it at infinity, whatever the location."""
_SCALE = np.array([-2.0, -2.0, -2.0, -2.0, 1.0, 1.0])


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Blocks:
    """The words of a vocabulary in blocks of near ones.

    Attributes:
        words: ``(blocks, rows)`` word indices; a row without a word holds the vocabulary's size.
        low: ``(4, blocks)`` the least x1, x2, x3 and rho of a block's words.
        high: ``(4, blocks)`` the greatest.
        lifted: ``(words + 1, 6)`` see `lift`; the last row is at infinity.
        inv_rho: ``(words + 1,)`` 1/rho, and 1 for the row at infinity.
    """

    words: Int64[np.ndarray, "blocks rows"]
    low: Float64[np.ndarray, "4 blocks"]
    high: Float64[np.ndarray, "4 blocks"]
    lifted: Float64[np.ndarray, "places 6"]
    inv_rho: Float64[np.ndarray, " places"]

    @property
    def size(self) -> int:
        return len(self.inv_rho) - 1

    def bounds(self, locations: Float64[np.ndarray, "queries 4"]) -> Float64[np.ndarray, "queries blocks"]:
        """What no rounded key of a word of each block lies below, from each location."""
        center = locations.T[:3, :, None]
        beside = self.low[:3, None, :] - center
        np.maximum(beside, center - self.high[:3, None, :], out=beside)
        np.maximum(beside, 0.0, out=beside)
        squares = np.einsum("aqb,aqb->qb", beside, beside)
        breadth = locations[:, 3:]
        least = np.sqrt(squares + breadth * breadth)
        np.maximum(least, self.low[3], out=least)
        np.minimum(least, self.high[3], out=least)
        found = least - breadth
        found *= found
        found += squares
        found /= least
        found *= BELOW
        return found


def lift(coordinates: Float64[np.ndarray, "4 words"]) -> Float64[np.ndarray, "words 6"]:
    """``(w, |w|^2, 1)`` of words w: what D is a product with."""
    squares = np.einsum("cw,cw->w", coordinates, coordinates)
    return np.ascontiguousarray(np.stack([*coordinates, squares, np.ones(len(squares))]).T)


def seen_from(lifted: Float64[np.ndarray, "*batch 6"]) -> Float64[np.ndarray, "*batch 6"]:
    """``(-2 q, 1, |q|^2)`` of lifted points q: its product with a lifted word is D, exactly."""
    seen = lifted * _SCALE
    seen[..., 4], seen[..., 5] = 1.0, lifted[..., 4]
    return seen


def make_blocks(
    coordinates: Float64[np.ndarray, "4 words"], inv_rho: Float64[np.ndarray, " words"]
) -> Blocks:
    """Halves the words again and again along the longest side of their box, as hyperbolic space measures it.

    A box's centres are measured at its greatest breadth: what is wide at a small breadth alone is split by breadth
    first, so that a block's words have one scale.
    """
    size = coordinates.shape[1]
    halvings = max(0, int(np.ceil(np.log2(size / ROWS))))
    rows = -(-size // (1 << halvings))
    total = rows << halvings
    numbers = np.arange(total)
    # Rows without a word lie where some words are, so that every block has about as many of them.
    places = np.concatenate([numbers[:size], np.linspace(0, size - 1, total - size).astype(int)])
    sides = coordinates[:, places].astype(np.float32)
    sides[3] = np.log(sides[3])
    for halving in range(halvings):
        boxes = sides.reshape(4, 1 << halving, -1)
        within = boxes[_longest(boxes), np.arange(1 << halving)]
        order = np.argpartition(within, within.shape[1] // 2, axis=1)
        order += within.shape[1] * np.arange(1 << halving)[:, None]
        sides, numbers = sides[:, order.ravel()], numbers[order.ravel()]
    inside = coordinates[:, places[numbers].reshape(-1, rows)]
    nowhere = np.array([[0.0, 0.0, 0.0, 0.0, np.inf, 1.0]])
    return Blocks(
        words=np.sort(np.minimum(numbers, size).reshape(-1, rows), axis=1),
        low=_halved(np.minimum, inside),
        high=_halved(np.maximum, inside),
        lifted=np.concatenate([lift(coordinates), nowhere]),
        inv_rho=np.append(inv_rho, 1.0),
    )


def _longest(boxes: Float32[np.ndarray, "4 nodes words"]) -> Int64[np.ndarray, " nodes"]:
    low, high = _halved(np.minimum, boxes), _halved(np.maximum, boxes)
    lengths = high - low
    lengths[:3] = 2 * np.arcsinh(lengths[:3] / (2 * np.exp(high[3])))
    return lengths.argmax(axis=0)


def _halved(least: np.ufunc, values: np.ndarray) -> np.ndarray:
    """A minimum or maximum over the last axis, half of it at a time: NumPy's own takes five times as long."""
    while (count := values.shape[-1]) > 1:
        half = (count + 1) // 2
        values = least(values[..., :half], values[..., count - half :])
    return np.ascontiguousarray(values[..., 0])
