"""Nearest words and walks, computed apart from `cga`: fractions, sets and a loop."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction

from cga.backend import Point


def key(word: Point, place: Point) -> float:
    """D / rho as both backends must round it: the reciprocal once, the product once (`float` rounds correctly)."""
    squares = sum((a - b) ** 2 for a, b in zip(word, place, strict=True))
    return float(squares * Fraction(float(Fraction(1, word.rho))))


def ranked(points: Sequence[Point], place: Point) -> list[int]:
    """All words, nearest first, ties to the lowest index."""
    return sorted(range(len(points)), key=lambda i: (key(points[i], place), i))


def walk(
    points: Sequence[Point],
    start: Point,
    admissible: Iterable[int],
    *,
    most: int,
    goals: Sequence[Sequence[int]] = (),
) -> tuple[list[tuple[int, int]], str]:
    """Steps as (word, size of the pool) and the end, as the protocol of `cga.backend` words them."""
    left = set(admissible)
    if not left:
        return [], "no_candidate"
    open_goals = [set(goal) for goal in goals]
    steps: list[tuple[int, int]] = []
    place = start
    while left and len(steps) < most:
        nearest = min(left, key=lambda i: (key(points[i], place), i))
        steps.append((nearest, len(left)))
        left.remove(nearest)
        place = points[nearest]
        had_goals = bool(open_goals)
        open_goals = [goal for goal in open_goals if nearest not in goal]
        if had_goals and not open_goals:
            return steps, "grounded"
    return steps, "all_visited" if not left else "max_steps"


def centroid(points: Sequence[Point]) -> tuple[Fraction, Fraction, Fraction, Fraction]:
    """Centre and squared breadth of the Lorentz centroid, unrounded: sums of points weighted by 1/rho."""
    total = sum(Fraction(1, p.rho) for p in points)
    centre = [sum(Fraction(p[axis], p.rho) for p in points) / total for axis in range(3)]
    square = sum(Fraction(sum(v * v for v in p), p.rho) for p in points) / total
    return centre[0], centre[1], centre[2], square - sum(c * c for c in centre)
