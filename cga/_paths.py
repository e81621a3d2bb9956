"""The fields along many walks at once, on the host (NumPy).

The formulas are those of `cga._field`; here they are laid out for NumPy, where a call costs more than a flop:
components first, all states of all walks in one row, the first states before the second ones. A walk's numbers don't
depend on the walks beside it, to the last bit: whatever is summed is summed over an axis of its own, in one order, and
the one matrix product is taken walk by walk.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from jaxtyping import Float64, Int64

from cga._algebra import CGA, ProductTable
from cga._field import (
    BOOST_TIMES_TURN,
    EVEN_BLADES,
    EVEN_REVERSE,
    FIRST,
    SECOND,
    SQUARE,
    TURN_PRODUCT,
)

IN_CACHE = 1 << 11
"""States whose products are made at a time, so that they stay in cache."""

# A step is a row vector times a matrix whose entries are components of G: (turn @ M)_j, M_ij = sign G_index.
_INDEX, _SIGN = np.zeros((8, 8), int), np.zeros((8, 8))
for _out, _row in enumerate(TURN_PRODUCT.terms):
    for _left, _right, _sign in _row:
        _INDEX[_right, _out], _SIGN[_right, _out] = _left, _sign


def _gathered(table: ProductTable, outs: Sequence[int]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The terms of some components of a product, all of one length: left and right components, and signs."""
    terms = np.array([table.terms[out] for out in outs])
    return terms[..., 0], terms[..., 1], terms[..., 2, None].astype(float)


_SHORT = [k for k, row in enumerate(BOOST_TIMES_TURN.terms) if len(row) == 1]
_LONG = [k for k, row in enumerate(BOOST_TIMES_TURN.terms) if len(row) != 1]
_SHORT_TERMS, _LONG_TERMS = _gathered(BOOST_TIMES_TURN, _SHORT), _gathered(BOOST_TIMES_TURN, _LONG)
# F ~F is its own reverse: beside the scalar only grade 4 is left, where each product of two components comes twice.
_SCALAR_SIGN = np.array([sign * EVEN_REVERSE[j] for _, j, sign in SQUARE.terms[0]])[:, None]
_PAIRS = np.array(
    [
        [(i, j, sign * EVEN_REVERSE[j]) for i, j, sign in row if i < j]
        for k, row in enumerate(SQUARE.terms)
        if CGA.blade_grades[EVEN_BLADES[k]] == 4
    ]
)
_ONE_OF, _OTHER_OF, _TWICE = _PAIRS[..., 0].astype(int), _PAIRS[..., 1].astype(int), 2 * _PAIRS[..., 2, None]


class ByStep(NamedTuple):
    """The states of walks, first all first ones, then all second ones, and so on.

    Attributes:
        walk: of each state its walk; walks go from the longest to the shortest.
        step: of each state its place in the walk, from 0.
        starts: where each step's states begin, and at last their number.
        before: of each state that is no first one the row of the state before it.
        last: of each walk the row of its last state.
    """

    walk: Int64[np.ndarray, " states"]
    step: Int64[np.ndarray, " states"]
    starts: list[int]
    before: Int64[np.ndarray, " steps"]
    last: Int64[np.ndarray, " walks"]


def by_step(counts: Sequence[int]) -> ByStep:
    """Lays out walks of so many states each: at least 1, descending."""
    sizes = np.array(counts)
    alive = len(counts) - np.cumsum(np.bincount(sizes))[:-1]
    starts = np.zeros(len(alive) + 1, np.int64)
    np.cumsum(alive, out=starts[1:])
    step = np.repeat(np.arange(len(alive)), alive)
    rows = np.arange(len(step))
    return ByStep(
        walk=rows - starts[step],
        step=step,
        starts=starts.tolist(),
        before=rows[len(counts) :] - np.repeat(alive[:-1], alive[1:]),
        last=starts[sizes - 1] + np.arange(len(counts)),
    )


def fields_along(
    center: Float64[np.ndarray, "3 states"], breadth: Float64[np.ndarray, " states"], states: ByStep
) -> tuple[Float64[np.ndarray, " walks"], Float64[np.ndarray, "states 8"]]:
    """The fields of walks that start unturned at their first word.

    Args:
        center: the words, in half-space coordinates about the field's origin.
        breadth: of the same.
        states: how they are laid out.

    Returns:
        For each walk the largest ``|F ~F - 1|`` of its states; and Q of every state.
    """
    starts = states.starts
    first = starts[1]
    ball, gap = _ball(center, breadth)
    turn = np.zeros((center.shape[1], 1, 8))
    turn[:first, :, 0] = 1
    steps = list(zip(starts, starts[1:], starts[2:], strict=False))
    if steps:
        # `take` lays out one matrix after the other, which the products by BLAS need to be alike.
        matrices = _holonomy(ball, gap, states.before, first).T.take(_INDEX, axis=1)
        matrices *= _SIGN
        for a, b, c in steps:
            if c - b == 1:  # the same product, for which NumPy takes half the time
                np.dot(turn[a, 0], matrices[b - first], out=turn[b, 0])
            else:
                np.matmul(turn[a : a + c - b], matrices[b - first : c - first], out=turn[b:c])
    turns = turn[:, 0]
    condition = np.empty(len(turns))
    for at in range(0, len(turns), IN_CACHE):
        some = slice(at, at + IN_CACHE)
        condition[some] = _closure(ball[:, some], gap[some], turns[some].T)
    worst = condition[:first].copy()
    for _, b, c in steps:
        np.maximum(worst[: c - b], condition[b:c], out=worst[: c - b])
    return worst, turns


def _ball(
    center: Float64[np.ndarray, "3 states"], breadth: Float64[np.ndarray, " states"]
) -> tuple[Float64[np.ndarray, "4 states"], Float64[np.ndarray, " states"]]:
    """The points of the Poincare ball, and 1 less their squared length."""
    square = center[0] * center[0] + center[1] * center[1] + center[2] * center[2]
    scale = square + (1 + breadth) ** 2
    ball = np.empty((4, len(breadth)))
    np.multiply(center, 2, out=ball[:3])
    np.add(square, (breadth - 1) * (breadth + 1), out=ball[3])
    ball /= scale
    return ball, 4 * breadth / scale


def _holonomy(
    ball: Float64[np.ndarray, "4 states"],
    gap: Float64[np.ndarray, " states"],
    before: Int64[np.ndarray, " steps"],
    first: int,
) -> Float64[np.ndarray, "8 steps"]:
    """The rotors of all steps; see `cga._field.holonomy`."""
    start = ball[:, before]
    difference = ball[:, first:] - start
    squares = difference * difference
    turned = np.empty((8, len(before)))
    scalar = gap[before] + gap[first:] + (squares[0] + squares[1] + squares[2] + squares[3])
    scalar /= 2
    plane = start[FIRST] * difference[SECOND]
    plane -= start[SECOND] * difference[FIRST]
    length = scalar * scalar
    for part in plane * plane:
        length += part
    np.sqrt(length, out=length)
    np.divide(scalar, length, out=turned[0])
    np.divide(plane, length, out=turned[1:7])
    turned[7] = 0
    return turned


def _closure(
    ball: Float64[np.ndarray, "4 states"],
    gap: Float64[np.ndarray, " states"],
    turn: Float64[np.ndarray, "8 states"],
) -> Float64[np.ndarray, " states"]:
    """``|F ~F - 1|`` of the multivector F = B_w Q; see `cga._field.closure`."""
    boost = np.empty((5, len(gap)))
    np.divide(1, np.sqrt(gap), out=boost[0])
    np.multiply(ball, -boost[0], out=boost[1:])
    field = np.empty((16, len(gap)))
    left, right, sign = _SHORT_TERMS
    field[_SHORT] = (boost[left[:, 0]] * sign[:, 0]) * turn[right[:, 0]]
    left, right, sign = _LONG_TERMS
    field[_LONG] = _summed((boost[left] * sign) * turn[right])
    residual = _summed(field[_ONE_OF] * field[_OTHER_OF] * _TWICE)
    scalar = _summed((field * field * _SCALAR_SIGN)[None])[0] - 1
    total = scalar * scalar
    for part in residual * residual:
        total += part
    return np.sqrt(total)


def _summed(terms: Float64[np.ndarray, "sums terms states"]) -> Float64[np.ndarray, "sums states"]:
    """Sums over the middle axis, in its order whatever the number of states is."""
    total = terms[:, 0].copy()
    for number in range(1, terms.shape[1]):
        total += terms[:, number]
    return total
