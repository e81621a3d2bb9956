"""Which pairs of a hierarchy are kept from a fit, to be predicted by it.

Nickel & Kiela arXiv:1705.08039 hold out links at random, but none of a root or a leaf, "as these links would either be
trivial to predict or impossible to predict reliably". That is ``inner`` here: a link is eligible if its node has
descendants and its ancestor has ancestors. Where most nodes are leaves, a share of all links is then a large part of
those between inner nodes. ``any`` draws from all links. Of both, some links held out follow from kept ones by
transitivity; ``unimplied`` draws as ``inner`` does, and holds out every link between as well, so that none follows.
"""

from __future__ import annotations

import random
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from experiments.closure.pairs import Closure
from experiments.harness import UsageError

Way = Literal["any", "inner", "unimplied"]


def split_pairs(
    closure: Closure, share: float, way: Way, seed: int
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Holds out a share of all pairs, drawn at random from the eligible ones.

    Args:
        closure: the hierarchy.
        share: of all its pairs, between 0 and 1.
        way: ``any``: drawn from all pairs. ``inner``: from the pairs of no leaf and to no root. ``unimplied``: from
            these, and with a pair of u and v all pairs of u and nodes between u and v, so that what is kept, closed
            under transitivity, has none of them; a draw that would bring more pairs than are still missing is passed
            over.
        seed: of the draw.

    Returns:
        The pairs kept and the pairs held out, each ascending.

    Raises:
        UsageError: fewer eligible pairs than that, or a share that comes to no pair.
    """
    wanted = round(share * len(closure.pairs)) if 0 < share < 1 else 0
    inner = ~closure.leaves[closure.pairs[:, 0]] & ~closure.roots[closure.pairs[:, 1]]
    eligible = np.arange(len(closure.pairs)) if way == "any" else np.flatnonzero(inner)
    if not 1 <= wanted <= len(eligible) or wanted == len(closure.pairs):
        raise UsageError(
            f"--held-out {share}: comes to {wanted} of {len(closure.pairs)} pairs; give a share between 0 and 1 that "
            f"leaves some to fit ({len(eligible)} pairs are eligible)"
        )
    drawn = eligible.tolist()
    random.Random(seed).shuffle(drawn)
    held = _unimplied(closure, drawn, wanted) if way == "unimplied" else set(drawn[:wanted])
    mask = np.zeros(len(closure.pairs), bool)
    mask[sorted(held)] = True
    return closure.pairs[~mask], closure.pairs[mask]


def _unimplied(closure: Closure, drawn: list[int], wanted: int) -> set[int]:
    numbers = {pair: i for i, pair in enumerate(map(tuple, closure.pairs.tolist()))}
    held: set[int] = set()
    for index in drawn:
        node, ancestor = closure.pairs[index].tolist()
        between = [a for a in closure.ancestors[node] if a == ancestor or ancestor in closure.ancestors[a]]
        more = {numbers[node, a] for a in between} - held
        if len(held) + len(more) <= wanted:
            held |= more
    return held


def implied_share(closure: Closure, kept: NDArray[np.int64], held: NDArray[np.int64]) -> float:
    """The share of the pairs held out that follow from those kept, by transitivity."""
    above: list[list[int]] = [[] for _ in closure.names]
    for node, ancestor in kept.tolist():
        above[node].append(ancestor)
    closed: list[frozenset[int]] = [frozenset()] * len(above)
    for node in closure.order:
        closed[node] = frozenset(above[node]).union(*(closed[a] for a in above[node]))
    return sum(ancestor in closed[node] for node, ancestor in held.tolist()) / len(held)
