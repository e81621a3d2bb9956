"""Random hierarchies and points for the tests of their evaluation."""

from __future__ import annotations

import random

from cga.backend import Point
from experiments.closure.pairs import Closure, closure_of

Pairs = list[tuple[int, int]]


def random_pairs(draw: random.Random, size: int) -> Pairs:
    """A transitively closed order of some nodes, in a random numbering."""
    names = list(range(size))
    draw.shuffle(names)
    above: list[set[int]] = [set() for _ in range(size)]
    for node in range(1, size):
        for parent in draw.sample(range(node), min(node, draw.randint(0, 2))):
            above[node] |= {parent} | above[parent]
    return sorted((names[node], names[a]) for node, found in enumerate(above) for a in found) or [(0, 1)]


def random_points(draw: random.Random, size: int, extent: int) -> list[Point]:
    """Different points; on a small extent they are full of equal distances."""
    found: dict[Point, None] = {}
    while len(found) < size:
        x1, x2, x3 = (draw.randint(-extent, extent) for _ in range(3))
        found[Point(x1, x2, x3, draw.randint(1, extent))] = None
    return list(found)


def closure_from(pairs: Pairs) -> Closure:
    size = 1 + max(map(max, pairs))
    return closure_of(tuple(f"n{i}" for i in range(size)), pairs, "test")
