"""Whether points say which end of a pair is the more general one: by breadth, and by distance from the middle."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cga.backend import Point
from experiments.closure.pairs import Closure

CHANCE = 0.5


def read_outs(points: Sequence[Point]) -> dict[str, NDArray[np.float64]]:
    """What may say how general each point is: the breadth rho, and `nearness_to_middle`."""
    return {
        "breadth": np.array([point.rho for point in points], float),
        "middle": nearness_to_middle(points),
    }


def nearness_to_middle(points: Sequence[Point]) -> NDArray[np.float64]:
    """Minus cosh of each point's distance from the Lorentz centroid of all: the greater, the nearer.

    The centroid is that of `cga.backend.Backend.locate`, in float64 and not rounded: the least common multiple of many
    thousand breadths is too long to compute with.
    """
    coordinates = np.array(points, float)
    center, breadth = coordinates[:, :3], coordinates[:, 3]
    weights = 1 / breadth
    weights /= weights.sum()
    middle = weights @ center
    # Around the middle, so that the square of it does not cancel.
    offsets = np.square(center - middle).sum(axis=1)
    wide = np.sqrt(weights @ (offsets + np.square(breadth)))
    return -1 - (offsets + np.square(breadth - wide)) / (2 * breadth * wide)


def direction_accuracy(generality: NDArray[np.float64], pairs: NDArray[np.int64]) -> float | None:
    """The share of (node, ancestor) pairs whose ancestor is strictly the more general; None without a pair."""
    if not len(pairs):
        return None
    return float(np.mean(generality[pairs[:, 1]] > generality[pairs[:, 0]]))


def measure_direction(closure: Closure, points: Sequence[Point]) -> dict[str, Any]:
    """Accuracy of both read-outs over all pairs and over links to parents, beside chance and depth.

    Returns:
        For each kind of pairs its number and the accuracies: ``breadth``, ``middle``, and ``depth``, the length of the
        shortest chain to a root, which the points don't know. ``rank_correlation`` is Spearman's, of the normalised
        rank of Nickel & Kiela arXiv:1806.03417 (section 4.1) with narrowness, distance from the middle and depth.
    """
    shortest, normalised = _levels(closure)
    generality = {**read_outs(points), "depth": -shortest}
    direct = np.array(
        [(node, parent) for node, found in enumerate(closure.parents) for parent in found], np.int64
    )
    kinds = {"all": closure.pairs, "to_parents": direct}
    return {
        "chance": CHANCE,
        **{
            kind: {
                "pairs": len(pairs),
                **{name: direction_accuracy(values, pairs) for name, values in generality.items()},
            }
            for kind, pairs in kinds.items()
        },
        "rank_correlation": {
            name: rank_correlation(-values, normalised) for name, values in generality.items()
        },
    }


def _levels(closure: Closure) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """For each node the shortest chain to a root, sp, and sp / (sp + lp) with lp the longest chain downwards."""
    shortest, longest = np.zeros(len(closure)), np.zeros(len(closure))
    for node in closure.order:
        if closure.parents[node]:
            shortest[node] = 1 + min(shortest[parent] for parent in closure.parents[node])
    for node in reversed(closure.order):
        for parent in closure.parents[node]:
            longest[parent] = max(longest[parent], 1 + longest[node])
    return shortest, shortest / (shortest + longest)


def rank_correlation(first: NDArray[np.float64], second: NDArray[np.float64]) -> float | None:
    """Spearman's rank correlation, ties at their mean rank; None where one side is constant."""
    ranks = [_mean_ranks(values) for values in (first, second)]
    a, b = (values - values.mean() for values in ranks)
    if not (a.any() and b.any()):
        return None
    return float(a @ b / np.sqrt((a @ a) * (b @ b)))


def _mean_ranks(values: NDArray[np.float64]) -> NDArray[np.float64]:
    _, which, counts = np.unique(values, return_inverse=True, return_counts=True)
    return (np.cumsum(counts) - (counts - 1) / 2)[which]
