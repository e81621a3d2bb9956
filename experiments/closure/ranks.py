"""Where ancestors rank among all other nodes by distance: mean rank and mean average precision, exactly.

For a node u with ancestors A, each a of A is ranked among the nodes that are not in A, u itself aside (Nickel & Kiela
arXiv:1705.08039, section 4.1). The rank is 1 + the number of those as near as a or nearer, so ties count against the
points. The average precision of u is the mean over A of P / (P + N), P ancestors and N others being as near as a or
nearer; that is what `sklearn.metrics.average_precision_score`, which their code calls, makes of the distances.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from cga.backend import Point

TILE = 1 << 18
"""Keys that are computed at a time: they stay in the cache."""

Keys = Callable[[NDArray[np.int64]], NDArray[np.float64]]
"""From some nodes to ``(those nodes, all nodes)`` numbers that order the nodes by distance from each."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Ranks:
    """Where the pairs of a ranking stand; all arrays have one entry a pair, in the order of the pairs.

    Attributes:
        nodes: whose ancestor it is.
        nearer: other nodes that are strictly nearer.
        near: other nodes at most as far.
        place: ranked ancestors of the same node at most as far, itself counted.
        apart: whether it is at a distance from the node at all.
    """

    nodes: NDArray[np.int64]
    nearer: NDArray[np.int64]
    near: NDArray[np.int64]
    place: NDArray[np.int64]
    apart: NDArray[np.bool_]

    def figures(self) -> dict[str, float]:
        """``map``, the mean over the nodes of their average precision, and ``mean_rank`` over all pairs; 1 at best."""
        precision = self.place / (self.place + self.near)
        return {"map": self._mean_of_nodes(precision), "mean_rank": float(1 + self.near.mean())}

    def spread(self) -> dict[str, float]:
        """``first``, the share of pairs at rank 1, and the ranks that 95 % and 99 % of the pairs reach."""
        p95, p99 = (int(rank) for rank in np.quantile(1 + self.near, (0.95, 0.99), method="higher"))
        return {"first": float(np.mean(self.near == 0)), "p95": p95, "p99": p99}

    def as_gensim(self) -> dict[str, float]:
        """What gensim's `ReconstructionEvaluation` makes of the same distances.

        It leaves the node itself among the others, at distance 0, which adds 1 to every rank; and a tie counts for the
        points, not against them.
        """
        ranks = self.nearer + 1 + self.apart
        order = np.lexsort((ranks, self.nodes))
        nodes = self.nodes[order]
        starts = np.flatnonzero(np.append(True, nodes[1:] != nodes[:-1]))
        place = np.arange(len(nodes)) - np.repeat(starts, np.diff(np.append(starts, len(nodes)))) + 1
        precision = np.empty(len(nodes))
        precision[order] = place / (ranks[order] + place - 1)
        return {"map": self._mean_of_nodes(precision), "mean_rank": float(ranks.mean())}

    def _mean_of_nodes(self, precision: NDArray[np.float64]) -> float:
        _, which, counts = np.unique(self.nodes, return_inverse=True, return_counts=True)
        return float(np.mean(np.bincount(which, precision) / counts))


def lattice_keys(points: Sequence[Point]) -> Keys:
    """The rank keys of lattice points, ``D * (1/rho)`` with D an exact integer: the order a vocabulary searches by.

    D is one matrix product, ``|p|^2 + |q|^2 - 2 p.q``: all its terms and partial sums are integers below 2**53, so that
    float64 has them exactly, whatever the order of the additions.
    """
    coordinates = np.array(points, float)
    squares = np.square(coordinates).sum(axis=1)
    ones = np.ones(len(coordinates))
    right = np.column_stack([coordinates, squares, ones]).T.copy()
    inverse = 1.0 / coordinates[:, 3]

    def keys(nodes: NDArray[np.int64]) -> NDArray[np.float64]:
        left = np.column_stack([-2 * coordinates[nodes], ones[nodes], squares[nodes]])
        found = left @ right
        found *= inverse
        return found

    return keys


def ball_keys(vectors: NDArray[np.float64]) -> Keys:
    """Keys of points in the Poincaré ball: ``|u - v|^2 / (1 - |v|^2)`` grows with the distance from u."""
    room = 1 - np.square(vectors).sum(axis=1)

    def keys(nodes: NDArray[np.int64]) -> NDArray[np.float64]:
        difference = vectors[nodes, None, :] - vectors[None, :, :]
        return np.einsum("qvd,qvd->qv", difference, difference) / room

    return keys


def rank_pairs(
    keys: Keys, size: int, pairs: NDArray[np.int64], known: NDArray[np.int64] | None = None
) -> Ranks:
    """Ranks each pair among the nodes that are in no pair with its node.

    Args:
        keys: the order by distance.
        size: number of nodes.
        pairs: ``(pairs, 2)`` node and ancestor, ascending: what is ranked.
        known: further pairs, ascending: ancestors that are neither ranked nor ranked among.
    """
    nodes, starts = np.unique(pairs[:, 0], return_index=True)
    ends = np.append(starts[1:], len(pairs))
    aside = pairs if known is None else np.concatenate([pairs, known])
    aside = aside[np.argsort(aside[:, 0], kind="stable")]
    first, last = (np.searchsorted(aside[:, 0], nodes, side) for side in ("left", "right"))
    nearer, near, place = (np.empty(len(pairs), np.int64) for _ in range(3))
    apart = np.empty(len(pairs), bool)
    tile = max(1, TILE // size)
    for begin in range(0, len(nodes), tile):
        some = slice(begin, begin + tile)
        table = keys(nodes[some])
        for row, node, start, end, left, right in zip(
            table, nodes[some], starts[some], ends[some], first[some], last[some], strict=True
        ):
            of_pairs = row[pairs[start:end, 1]]
            apart[start:end] = of_pairs > row[node]
            row[aside[left:right, 1]] = np.inf
            row[node] = np.inf
            levels = np.sort(of_pairs)
            at = np.searchsorted(levels, of_pairs)
            others = row[row <= levels[-1]]
            reached = np.searchsorted(levels, others)
            tied = reached[others == levels[reached]]
            near[start:end] = np.bincount(reached, minlength=len(levels)).cumsum()[at]
            nearer[start:end] = near[start:end] - np.bincount(tied, minlength=len(levels))[at]
            place[start:end] = np.searchsorted(levels, of_pairs, "right")
    return Ranks(nodes=pairs[:, 0], nearer=nearer, near=near, place=place, apart=apart)
