"""A hierarchy read and laid out as nested balls: the start of `cga._hierarchy_fit` (NumPy only).

Why balls. In the half-space model a point u far out ranks the points b it looks at by
``|x_u - x_b|^2 / rho_b + rho_b`` (its own breadth falls out of the order). So the points that see b nearer than the
root, of breadth about 1, lie in the Euclidean ball about x_b of radius ``sqrt(rho_b)``. A tree is right where u lies in
b's ball just when b is an ancestor of u: nested balls in R^3, whose breadths are the squares of their radii.
The layout cuts a cube into boxes, a box a subtree, volume by the number of its leaves, and puts into each box a ball.

In the spirit of the combinatorial constructions of Sarkar (2011) and Sala et al. (arXiv:1804.03329); the ball rule is
what the ranking of Nickel & Kiela (arXiv:1705.08039) asks for.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from jaxtyping import Bool, Float64, Int64

from cga.backend import HierarchyProblem

SHRINK = 0.8
"""What a level adds to the volume its leaves ask for; below 1 deep subtrees are packed closer than shallow ones."""
INNER = 0.4
"""Radius of a ball that holds others, and of a leaf's, in sides of its box."""
LEAF = 0.1
ONLY = 0.8
"""Side of an only child's box, in sides of its parent's."""
NAMED = 8


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Hierarchy:
    """A `HierarchyProblem` as arrays.

    Attributes:
        size: number of nodes.
        start: ``(size + 1,)`` the ancestors of node u are ``ancestors[start[u]:start[u + 1]]``.
        ancestors: ``(pairs,)``, ascending for each node.
        parent: ``(size,)`` the ancestor that has the most ancestors itself (a direct parent), or -1 at a root.
        partners: ``(partners, 2)`` in both directions, without ancestors and descendants.
        open_pairs: ``(open, 2)`` where the pairs are not closed: (node, other) that may be a pair left unsaid, because
            it follows from the others, or because both are ancestors of one node. They may be near or far.
    """

    size: int
    start: Int64[np.ndarray, " starts"]
    ancestors: Int64[np.ndarray, " pairs"]
    parent: Int64[np.ndarray, " size"]
    partners: Int64[np.ndarray, "partners 2"]
    open_pairs: Int64[np.ndarray, "open 2"]

    @property
    def leaf(self) -> Bool[np.ndarray, " size"]:
        """Which nodes are nobody's ancestor."""
        return np.bincount(self.ancestors, minlength=self.size) == 0


def read_hierarchy(problem: HierarchyProblem) -> Hierarchy:
    """Checks a problem and lays it out.

    Raises:
        ValueError: fewer than two nodes, a pair that does not name two of them, or a cycle.
    """
    size = problem.size
    if size < 2:
        raise ValueError(f"size: {size}; a fit takes at least 2 nodes")
    for name in ("ancestors", "partners"):
        for number, (i, j) in enumerate(getattr(problem, name)):
            if not (0 <= i < size and 0 <= j < size) or i == j:
                raise ValueError(f"{name}[{number}]: {(i, j)} names no two of the nodes 0..{size - 1}")
    given: list[set[int]] = [set() for _ in range(size)]
    for node, ancestor in problem.ancestors:
        given[node].add(ancestor)
    closed = [set(found) for found in given]
    for node in _ancestors_first(given):
        for ancestor in given[node]:
            closed[node] |= closed[ancestor]
    above = closed if problem.close else given
    counts = np.array([len(found) for found in above], np.int64)
    depth = [len(found) for found in closed]
    start = np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)
    ancestors = np.fromiter((a for found in above for a in sorted(found)), np.int64, int(start[-1]))
    parent = np.array(
        [max(found, key=lambda a: (depth[a], -a)) if found else -1 for found in above], np.int64
    )
    partners = {
        (i, j)
        for a, b in problem.partners
        for i, j in ((a, b), (b, a))
        if j not in above[i] and i not in above[j]
    }
    return Hierarchy(
        size=size,
        start=start,
        ancestors=ancestors,
        parent=parent,
        partners=np.array(sorted(partners), np.int64).reshape(-1, 2),
        open_pairs=np.array([] if problem.close else sorted(_open_pairs(given, closed)), np.int64).reshape(
            -1, 2
        ),
    )


def _open_pairs(given: Sequence[set[int]], closed: Sequence[set[int]]) -> set[tuple[int, int]]:
    """The pairs of which nothing is known; see `Hierarchy`."""
    found = {(node, ancestor) for node, known in enumerate(closed) for ancestor in known - given[node]}
    for known in given:
        for node in known:
            found.update(
                (node, other)
                for other in known
                if other != node and other not in closed[node] and node not in closed[other]
            )
    return found


def _ancestors_first(above: Sequence[set[int]]) -> list[int]:
    """The nodes, each after all its ancestors.

    Raises:
        ValueError: a cycle.
    """
    below: dict[int, list[int]] = defaultdict(list)
    waiting = [len(found) for found in above]
    for node, found in enumerate(above):
        for ancestor in found:
            below[ancestor].append(node)
    order = [node for node, count in enumerate(waiting) if count == 0]
    for node in order:
        for descendant in below[node]:
            waiting[descendant] -= 1
            if waiting[descendant] == 0:
                order.append(descendant)
    if len(order) < len(above):
        cycle = _cycle(above, [count > 0 for count in waiting])
        shown = " -> ".join(map(str, [*cycle[:NAMED], *(["..."] if len(cycle) > NAMED else []), cycle[0]]))
        raise ValueError(f"ancestors: a cycle, {shown}: a node can't be its own ancestor")
    return order


def _cycle(above: Sequence[set[int]], stuck: Sequence[bool]) -> list[int]:
    """A cycle among nodes of which each has an ancestor that is one of them too; it begins with its least node."""
    path: list[int] = []
    node = next(node for node, left in enumerate(stuck) if left)
    while node not in path:
        path.append(node)
        node = min(ancestor for ancestor in above[node] if stuck[ancestor])
    cycle = path[path.index(node) :]
    first = cycle.index(min(cycle))
    return cycle[first:] + cycle[:first]


def layout(hierarchy: Hierarchy) -> Float64[np.ndarray, "size 4"]:
    """Centre (in [-1/2, 1/2]^3) and breadth of each node, by nested boxes."""
    children: list[list[int]] = [[] for _ in range(hierarchy.size)]
    roots: list[int] = []
    for node, parent in enumerate(hierarchy.parent.tolist()):
        (roots if parent < 0 else children[parent]).append(node)
    order = list(roots)
    for node in order:
        order.extend(children[node])
    volume = np.ones(hierarchy.size)
    for node in reversed(order):
        if children[node]:
            volume[node] = SHRINK * volume[children[node]].sum()
    points = np.zeros((hierarchy.size, 4))
    boxes = _cut(roots, volume, np.full(3, -0.5), np.full(3, 0.5))
    for node in order:
        low, high = boxes.pop(node)
        side = float(np.prod(high - low)) ** (1 / 3)
        points[node, :3] = (low + high) / 2
        points[node, 3] = ((INNER if children[node] else LEAF) * side) ** 2
        if len(children[node]) == 1:
            high = low + ONLY * (high - low)  # off the middle, where the parent is
        if children[node]:
            boxes |= _cut(children[node], volume, low, high)
    return points


def _cut(
    nodes: Sequence[int], volume: np.ndarray, low: np.ndarray, high: np.ndarray
) -> dict[int, tuple[np.ndarray, np.ndarray]]:
    """Cuts a box among nodes, again and again across its longest side, so that each gets its share."""
    boxes: dict[int, tuple[np.ndarray, np.ndarray]] = {}
    ordered = np.array(sorted(nodes, key=lambda node: (-volume[node], node)), np.int64)
    stack = [(ordered, low, high)]
    while stack:
        some, low, high = stack.pop()
        if len(some) == 1:
            boxes[int(some[0])] = (low, high)
            continue
        axis = int(np.argmax(high - low))
        total = np.cumsum(volume[some])
        first = int(np.argmin(np.abs(total[:-1] - total[-1] / 2))) + 1
        middle = low[axis] + total[first - 1] / total[-1] * (high[axis] - low[axis])
        left, right = high.copy(), low.copy()
        left[axis] = right[axis] = middle
        stack += [(some[:first], low, left), (some[first:], right, high)]
    return boxes
