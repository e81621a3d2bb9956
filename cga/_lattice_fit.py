"""From a fit to a pack's geometry: reading the problem, turning, scaling and rounding the points, the report."""

from __future__ import annotations

from dataclasses import dataclass
from math import isfinite

import numpy as np
from jaxtyping import Bool, Float

from cga._lattice import LIMIT
from cga._search import top_k
from cga._vocabulary import open_vocabulary
from cga._words import cosh_minus_one
from cga.backend import FitError, FitProblem, FitReport, FittedGeometry, Point

MOST_POINTS = 4096
MOST_REPAIRED = 0.01
"""Share of points that may be clamped, and that may be nudged off another's place."""
DIRECTIONS = 2048


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Problem:
    """A `FitProblem` as arrays.

    Attributes:
        weights: ``(points, points)``, symmetric, 0 on the diagonal.
        strong: which pairs must be among each other's k nearest.
        k: how many nearest count, the point itself included; at most the number of points.
    """

    weights: Float[np.ndarray, "n n"]
    strong: Bool[np.ndarray, "n n"]
    k: int


def read_problem(problem: FitProblem) -> Problem:
    """Checks a problem and lays it out.

    Raises:
        ValueError: no two points or more than `MOST_POINTS`, k below 2, a pair that names no two points, names a pair
            twice, or has a weight that is not positive and finite.
    """
    size = problem.size
    if not 2 <= size <= MOST_POINTS:
        raise ValueError(f"size: {size}; a full-batch fit takes 2..{MOST_POINTS} points")
    if problem.k < 2:
        raise ValueError(f"k: {problem.k}; a point is its own first neighbour, so give at least 2")
    weights = np.zeros((size, size))
    for number, (i, j, weight) in enumerate(problem.pairs):
        where = f"pairs[{number}]: {(i, j, weight)}"
        if not (0 <= i < size and 0 <= j < size) or i == j:
            raise ValueError(f"{where} names no two of the points 0..{size - 1}")
        if not (isfinite(weight) and weight > 0):
            raise ValueError(f"{where} needs a positive, finite weight; leave the pair out for none")
        if weights[i, j]:
            raise ValueError(f"{where} repeats a pair; add the weights up")
        weights[i, j] = weights[j, i] = weight
    return Problem(weights=weights, strong=weights >= problem.strong, k=min(problem.k, size))


def to_lattice(
    problem: Problem, vectors: Float[np.ndarray, "n 4"], *, losses: list[float], seconds: float
) -> FittedGeometry:
    """Turns the emptiest direction to e4, scales, rounds, and reports what that changed.

    Args:
        problem: what was fitted.
        vectors: tangent vectors at the origin.
        losses: the loss at every step.
        seconds: how long the descent took.

    Raises:
        FitError: ``clamped_fit`` or ``colliding_fit``, where more than `MOST_REPAIRED` of the points do not fit the
            lattice as they are.
    """
    turn = _emptiest_turn(vectors)
    center, breadth = half_space(vectors @ turn.T)
    scale = (LIMIT - 1) / max(np.abs(center).max(), breadth.max())
    rounded = np.rint(np.column_stack([center, breadth]) * scale).astype(int)
    clamped = int(np.sum(rounded[:, 3] < 1))
    rounded[:, 3] = np.maximum(rounded[:, 3], 1)
    points, collisions = separate([Point(*map(int, row)) for row in rounded])
    repaired(clamped, collisions, len(points))
    near = _neighbours(points, problem.k)
    exact = _float_neighbours(center, breadth, problem.k)
    partners = near & (problem.weights > 0)
    others = near & ~np.eye(len(points), dtype=bool)
    return FittedGeometry(
        points=points,
        turn=tuple(turn.ravel().tolist()),
        scale=float(scale),
        report=FitReport(
            steps=len(losses),
            seconds=seconds,
            first_loss=losses[0],
            last_loss=losses[-1],
            radius=float(np.linalg.norm(vectors, axis=1).max()),
            clamped=clamped,
            collisions=collisions,
            checked=len(points),
            changed_neighbourhoods=int(np.any(near != exact, axis=1).sum()),
            strong_share=_share(near & problem.strong, problem.strong),
            related_share=_share(partners, others),
        ),
    )


def repaired(clamped: int, collisions: int, size: int) -> None:
    """Raises `FitError`, ``clamped_fit`` or ``colliding_fit``, where more than `MOST_REPAIRED` were."""
    for code, count in (("clamped_fit", clamped), ("colliding_fit", collisions)):
        if count > MOST_REPAIRED * size:
            raise FitError(code, f"{count} of {size} points do not fit the lattice: fit for fewer steps")


def _share(part: Bool[np.ndarray, "n n"], whole: Bool[np.ndarray, "n n"]) -> float:
    return float(part.sum() / whole.sum()) if whole.any() else 1.0


def half_space(vectors: Float[np.ndarray, "n 4"]) -> tuple[np.ndarray, np.ndarray]:
    """Centre and breadth of tangent vectors at the origin (0, 1); the fourth axis points to infinity."""
    radius = np.linalg.norm(vectors, axis=1)
    direction = vectors / np.maximum(radius, np.finfo(float).tiny)[:, None]
    height = direction[:, 3]
    # cosh r - h sinh r, as e^-r (1 + h)/2 + e^r (1 - h)/2: a sum of positive terms.
    breadth = 2 / (np.exp(-radius) * (1 + height) + np.exp(radius) * (1 - height))
    return direction[:, :3] * (np.sinh(radius) * breadth)[:, None], breadth


def _emptiest_turn(vectors: Float[np.ndarray, "n 4"]) -> Float[np.ndarray, "4 4"]:
    """The rotation of the fit that leaves the lattice most room: the ratio of least breadth to extent is largest.

    Of fixed random directions (and away from each axis) the best one is turned to e4, in their common plane.
    """
    directions = np.random.default_rng(0).normal(size=(DIRECTIONS, 4))
    directions = np.concatenate([np.eye(4)[::-1], -np.eye(4), directions])
    directions /= np.linalg.norm(directions, axis=1, keepdims=True)
    room = np.array([_room(vectors, direction) for direction in directions])
    best, axis = directions[int(room.argmax())], np.eye(4)[3]
    cosine = best @ axis
    if cosine < -1 + 1e-12:
        return np.diag([-1.0, 1.0, 1.0, -1.0])
    both = best + axis
    return np.eye(4) - np.outer(both, both) / (1 + cosine) + 2 * np.outer(axis, best)


def _room(vectors: Float[np.ndarray, "n 4"], direction: Float[np.ndarray, "4"]) -> float:
    along = vectors @ direction
    across = np.sqrt(np.maximum(np.sum(vectors**2, axis=1) - along**2, 0))
    zero = np.zeros_like(along)
    center, breadth = half_space(np.column_stack([across, zero, zero, along]))
    return float(breadth.min() / max(center.max(), breadth.max()))


def separate(points: list[Point]) -> tuple[tuple[Point, ...], int]:
    """Moves each point whose place is taken to the next free place along x1, towards the inside."""
    taken: set[Point] = set()
    result = []
    collisions = 0
    for point in points:
        step = -1 if point.x1 > 0 else 1
        collisions += point in taken
        while point in taken:
            point = point._replace(x1=point.x1 + step)
        taken.add(point)
        result.append(point)
    return tuple(result), collisions


def _neighbours(points: tuple[Point, ...], k: int) -> Bool[np.ndarray, "n n"]:
    vocabulary = open_vocabulary(points)
    return _as_mask(top_k(vocabulary, vocabulary.coordinates.T, k), len(points))


def _float_neighbours(center: np.ndarray, breadth: np.ndarray, k: int) -> Bool[np.ndarray, "n n"]:
    distances = [
        cosh_minus_one(c[None], b[None], center, breadth) for c, b in zip(center, breadth, strict=True)
    ]
    order = np.argsort(np.array(distances), axis=1, kind="stable")[:, :k]
    return _as_mask(order.tolist(), len(center))


def _as_mask(rows: list, size: int) -> Bool[np.ndarray, "n n"]:
    mask = np.zeros((size, size), bool)
    for i, row in enumerate(rows):
        mask[i, list(row)] = True
    return mask
