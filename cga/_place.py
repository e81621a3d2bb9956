"""Placing further points beside known ones that stay where they are (NumPy only).

A new point is wanted among the nearest of its partners and they among its own. So lattice points are tried, around the
partners and around the best one so far, ever closer, and the one of least cost is kept:
``sum_p w_p (c(rank of p from here) + c(rank of here from p))`` with ``c(r) = log(1 + max(r - ROOM, 0)) + r/1000``.
Ranks are those of the exact keys.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import isfinite

import numpy as np
from jaxtyping import Float64

from cga._lattice import LIMIT, centroid, check_words
from cga._lattice_fit import half_space
from cga.backend import Point

SPREAD = (1.0, 0.5, 0.25, 0.12, 0.06)
"""How far around a centre each round tries, in distances from there to its K-th nearest word."""
TRIED = 128
CENTERS = 6
"""Points tried a round around each centre, and partners that are taken as centres."""
K = 8
ROOM = K - 2
"""Ranks up to this one cost nothing; one place among the nearest is left to others."""
SWEEPS = 2
"""The second sweep places again those that have new partners, which by then have a place."""
KEYS = 1 << 22


def place_points(
    known: Sequence[Point], count: int, pairs: Sequence[tuple[int, int, float]], *, seed: int = 0
) -> tuple[Point, ...]:
    """Places further points; see `cga.backend.place_points`."""
    first = len(known)
    if count < 0:
        raise ValueError(f"count: {count} is negative; give the number of points to place")
    points = np.zeros((first + count, 4))
    points[:first] = np.array(check_words(known), float)
    wanted: list[dict[int, float]] = [{} for _ in range(count)]
    for number, (new, other, weight) in enumerate(pairs):
        where = f"pairs[{number}]: {(new, other, weight)}"
        if not first <= new < first + count:
            raise ValueError(f"{where} names no new point; they are {first}..{first + count - 1}")
        if not 0 <= other < first + count or other == new:
            raise ValueError(f"{where} names no other of the points 0..{first + count - 1}")
        if not (isfinite(weight) and weight > 0):
            raise ValueError(f"{where} needs a positive, finite weight")
        for a, b in ((new, other), (other, new)):
            if a >= first:
                wanted[a - first][b] = wanted[a - first].get(b, 0.0) + weight
    rng = np.random.default_rng(seed)
    taken = {tuple(row) for row in points[:first].astype(int).tolist()}
    placed = np.arange(first + count) < first
    again = {i for i in range(count) if any(other >= first for other in wanted[i])}
    for sweep in range(SWEEPS):
        waiting = set(range(count)) if sweep == 0 else again
        while waiting:
            # Whatever has most of its weight placed goes next, so that chains of new points grow from known ones.
            best = max(waiting, key=lambda i: (_share(wanted[i], placed), -i))
            waiting.remove(best)
            index = first + best
            if placed[index]:
                taken.discard(tuple(points[index].astype(int).tolist()))
                placed[index] = False
            partners = {other: weight for other, weight in wanted[best].items() if placed[other]}
            points[index] = _place(points[placed], _renumbered(partners, placed), taken, rng)
            placed[index] = True
            taken.add(tuple(points[index].astype(int).tolist()))
    return tuple(Point(*row) for row in points[first:].astype(int).tolist())


def _share(wanted: dict[int, float], placed: np.ndarray) -> float:
    total = sum(wanted.values())
    return sum(weight for other, weight in wanted.items() if placed[other]) / total if total else 0.0


def _renumbered(partners: dict[int, float], placed: np.ndarray) -> dict[int, float]:
    number = np.cumsum(placed) - 1
    return {int(number[other]): weight for other, weight in sorted(partners.items())}


def _place(
    points: Float64[np.ndarray, "points 4"],
    partners: dict[int, float],
    taken: set[tuple[int, ...]],
    rng: np.random.Generator,
) -> Float64[np.ndarray, "4"]:
    """The best of the points tried; where a point has no partner, one beside a random word."""
    strongest = sorted(partners, key=lambda partner: (-partners[partner], partner))[:CENTERS]
    centers = points[strongest] if partners else points[[rng.integers(len(points))]]
    if len(partners) > 1:
        middle = centroid(Point(*row) for row in centers.astype(int).tolist())
        centers = np.concatenate([centers, [[*middle[:3], min(middle.rho, LIMIT - 1)]]])
    seen_from = np.array([_keys(points, points[partner]) for partner in partners]).reshape(-1, len(points))
    seen_from.sort(axis=1)
    best: np.ndarray | None = None
    for spread in SPREAD:
        tried = _around(points, centers if best is None else best[None], spread, taken, rng)
        if best is not None:
            tried = np.concatenate([best[None], tried])
        cost = _cost(points, partners, seen_from, tried)
        best = tried[int(np.argmin(cost))]
    assert best is not None
    return best


def _around(
    points: Float64[np.ndarray, "points 4"],
    centers: Float64[np.ndarray, "centers 4"],
    spread: float,
    taken: set[tuple[int, ...]],
    rng: np.random.Generator,
) -> Float64[np.ndarray, "tried 4"]:
    """Free lattice points around centres, as far as the words there are from one another."""
    found = []
    for center in centers:
        keys = _keys(points, center)
        # key = 2 rho (cosh d - 1), rho that of the centre
        reach = np.arccosh(
            1 + np.partition(keys, min(K, len(keys) - 1))[min(K, len(keys) - 1)] / (2 * center[3])
        )
        steps = spread * reach * rng.normal(size=(TRIED, 4)) / 2
        x, breadth = half_space(steps)
        found.append(np.column_stack([center[:3] + center[3] * x, center[3] * breadth]))
    tried = np.rint(np.concatenate(found))
    tried[:, :3] = np.clip(tried[:, :3], 1 - LIMIT, LIMIT - 1)
    tried[:, 3] = np.clip(tried[:, 3], 1, LIMIT - 1)
    free = [tuple(row) not in taken for row in tried.astype(int).tolist()]
    return tried[free] if any(free) else _around(points, centers, 2 * spread + 1e-3, taken, rng)


def _keys(points: Float64[np.ndarray, "points 4"], location: Float64[np.ndarray, "4"]) -> np.ndarray:
    return np.square(points - location).sum(axis=1) / points[:, 3]


def _cost(
    points: Float64[np.ndarray, "points 4"],
    partners: dict[int, float],
    seen_from: Float64[np.ndarray, "partners points"],
    tried: Float64[np.ndarray, "tried 4"],
) -> Float64[np.ndarray, " tried"]:
    cost = np.zeros(len(tried))
    if not partners:
        return cost
    places, weights = list(partners), np.array(list(partners.values()))
    columns, inverse = points.T.copy(), 1 / points[:, 3]
    step = max(1, KEYS // len(points))
    for begin in range(0, len(tried), step):
        some = tried[begin : begin + step]
        squares = np.zeros((len(some), len(points)))
        for axis, column in enumerate(columns):
            squares += np.square(column[None, :] - some[:, axis, None])
        keys = squares * inverse
        outward = [np.sum(keys < keys[:, place, None], axis=1) for place in places]
        inward = [
            np.searchsorted(seen, squares[:, place] / some[:, 3])
            for place, seen in zip(places, seen_from, strict=True)
        ]
        ranks = np.array([outward, inward])
        cost[begin : begin + step] = weights @ (np.log1p(np.maximum(ranks - ROOM, 0)) + ranks / 1000).sum(
            axis=0
        )
    return cost
