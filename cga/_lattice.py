"""Exact arithmetic on the integer lattice of the half-space model (pure Python: neither NumPy nor JAX).

Words sit at integers ``|x_i| < 2**24``, ``1 <= rho < 2**24``. Neighbours of q rank by
``key = D * (1/rho_word)`` with ``D = |x_word - x_q|^2 + (rho_word - rho_q)^2 < 2**52``, an exact integer, so
float64 computes D without error in any order and the one multiplication rounds alike on every device.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import isqrt, lcm
from typing import Any

from cga.backend import Point

LIMIT = 1 << 24
LOCATION_LIMIT = 1 << 25


def check_words(points: Sequence[Any]) -> tuple[Point, ...]:
    """Returns the points as `Point` values of ints.

    Raises:
        ValueError: no point, a point off the lattice, or two words at one point; the message names the index.
    """
    if not points:
        raise ValueError("points: empty; a vocabulary needs at least one word")
    seen: dict[Point, int] = {}
    result = []
    for index, values in enumerate(points):
        point = check_point(values, f"points[{index}]", LIMIT)
        if seen.setdefault(point, index) != index:
            raise ValueError(
                f"points[{index}]: same lattice point {tuple(point)} as points[{seen[point]}]; "
                "no two words may share a point, move one of them"
            )
        result.append(point)
    return tuple(result)


def check_point(values: Sequence[Any], where: str, breadth_limit: int = LOCATION_LIMIT) -> Point:
    """Returns ``values`` as a `Point`.

    Args:
        values: x1, x2, x3, rho.
        where: what the message calls the point.
        breadth_limit: rho stays below this: `LIMIT` for words, `LOCATION_LIMIT` for locations.

    Raises:
        ValueError: not four ints within the lattice.
    """
    if len(values) != 4 or any(type(v) is not int for v in values):
        raise ValueError(
            f"{where}: {tuple(values)!r} is not four ints (x1, x2, x3, rho); round it to the lattice"
        )
    x1, x2, x3, rho = values
    if max(abs(x1), abs(x2), abs(x3)) >= LIMIT or not 1 <= rho < breadth_limit:
        raise ValueError(
            f"{where}: {(x1, x2, x3, rho)} is off the lattice; "
            f"need |x_i| < {LIMIT} and 1 <= rho < {breadth_limit}, scale the fit down"
        )
    return Point(x1, x2, x3, rho)


def centroid(words: Iterable[Point]) -> Point:
    """The Lorentz centroid of words, rounded half to even on the lattice; exact integer arithmetic.

    With weights 1/rho: ``X = sum(x/rho)/sum(1/rho)``, ``RHO^2 = sum((x^2 + rho^2)/rho)/sum(1/rho) - X^2``. All
    weights are put over the least common multiple of the breadths.

    Args:
        words: at least one; a word given twice counts twice.

    Raises:
        ValueError: no word.
    """
    points = list(words)
    if not points:
        raise ValueError("prompt: empty; a location needs at least one word")
    if len(points) == 1:
        return points[0]
    common = lcm(*(p.rho for p in points))
    weights = [common // p.rho for p in points]
    total = sum(weights)
    sums = [sum(w * p[axis] for w, p in zip(weights, points, strict=True)) for axis in range(3)]
    squares = sum(w * sum(v * v for v in p) for w, p in zip(weights, points, strict=True))
    breadth = _root_ratio(squares * total - sum(s * s for s in sums), total)
    x1, x2, x3 = (_round_ratio(s, total) for s in sums)
    return Point(x1, x2, x3, breadth)


def _round_ratio(numerator: int, denominator: int) -> int:
    """numerator / denominator rounded half to even, denominator > 0."""
    floor, rest = divmod(numerator, denominator)
    twice = 2 * rest
    return floor + (twice > denominator or (twice == denominator and floor % 2 == 1))


def _root_ratio(square: int, denominator: int) -> int:
    """sqrt(square) / denominator rounded half to even."""
    floor = isqrt(square) // denominator
    excess = 4 * square - ((2 * floor + 1) * denominator) ** 2
    return floor + (excess > 0 or (excess == 0 and floor % 2 == 1))


def key(word: Point, location: Point) -> float:
    """The rank key of a word seen from a location, 0 for the location's own point.

    The order of keys is the order of hyperbolic distances, up to the two roundings of ``D * (1/rho)``.
    """
    squares = sum((a - b) * (a - b) for a, b in zip(word, location, strict=True))
    return float(squares) * (1.0 / word.rho)
