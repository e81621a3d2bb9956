"""Lattice points of named nodes in a file, and what they ask of the lattice."""

from __future__ import annotations

import json
from collections.abc import Sequence
from math import acosh, log2
from pathlib import Path
from typing import Any

from cga.backend import Point
from experiments.closure.direction import nearness_to_middle
from experiments.harness import UsageError, write_text

COARSE = 16
"""Below this breadth rounding to a whole number may change a breadth by more than 3 %."""


def write_points(path: Path, names: Sequence[str], points: Sequence[Point]) -> None:
    """Writes one JSON row a node, as in a pack's geometry: id, x, rho.

    Raises:
        UsageError: the file can't be written.
    """
    rows = (
        json.dumps({"id": name, "x": point[:3], "rho": point.rho}, ensure_ascii=False) + "\n"
        for name, point in zip(names, points, strict=True)
    )
    write_text(path, "".join(rows), "--save-points")


def read_points(path: Path, names: Sequence[str]) -> tuple[Point, ...]:
    """The points of some nodes, in their order, from a file of `write_points`; it may have further ones.

    Raises:
        UsageError: unreadable, a row that is no point (its number is given), or a node without point.
    """
    found: dict[str, Point] = {}
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"--points {path}: can't be read ({error})") from None
    for number, line in enumerate(text.splitlines(), 1):
        try:
            row = json.loads(line)
            found[row["id"]] = Point(*map(int, (*row["x"], row["rho"])))
        except (ValueError, TypeError, KeyError):
            what = 'no {"id": ..., "x": [x1, x2, x3], "rho": ...}'
            raise UsageError(f"--points {path.name}:{number}: {what}") from None
    missing = [name for name in names if name not in found]
    if missing:
        raise UsageError(
            f"--points {path.name}: no point of {missing[0]!r} ({len(missing)} of {len(names)} missing)"
        )
    return tuple(found[name] for name in names)


def lattice_use(points: Sequence[Point]) -> dict[str, Any]:
    """What points take of the lattice.

    Returns:
        ``bits``: the logarithm of the greatest coordinate over the least breadth, what a lattice must resolve to hold
        them; ``least_breadth``; ``coarse``: how many breadths are below `COARSE`; ``radius``: the greatest distance
        from the Lorentz centroid of all.
    """
    extent = max(max(map(abs, point)) for point in points)
    least = min(point.rho for point in points)
    return {
        "bits": log2(extent / least),
        "least_breadth": least,
        "coarse": sum(point.rho < COARSE for point in points),
        "radius": acosh(-min(nearness_to_middle(points).tolist())),
    }
