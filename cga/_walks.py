"""What both backends share about walks: checking a request, and reading the end off the selected words.

The kernels only select: nearest admissible word that was not visited, again and again. Whether and where a walk
ends is decided here, on ints, so that the two backends cannot disagree about it.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from jaxtyping import Bool

from cga._field import FieldState, closure, walk_turns
from cga._lattice import check_point
from cga._vocabulary import Vocabulary, check_count, check_indices
from cga.backend import WalkEnd, WalkRequest


def check_request(request: WalkRequest, size: int, where: str) -> None:
    """Checks one walk request against a vocabulary of ``size`` words.

    Raises:
        ValueError: a start off the lattice, a negative ``max_steps``, an index without a word.
    """
    check_point(request.start, f"{where}.start")
    check_count(request.max_steps, f"{where}.max_steps")
    if request.allowed is not None:
        check_indices(request.allowed, size, f"{where}.allowed")
    check_indices(request.blocked, size, f"{where}.blocked")
    for number, group in enumerate(request.goals):
        check_indices(group, size, f"{where}.goals[{number}]")


def admissible(request: WalkRequest, size: int) -> Bool[np.ndarray, " words"]:
    """The words the walk may stand on: allowed and not blocked."""
    if request.allowed is None:
        mask = np.ones(size, bool)
    else:
        mask = np.zeros(size, bool)
        mask[list(request.allowed)] = True
    mask[list(request.blocked)] = False
    return mask


def read_end(request: WalkRequest, selected: Sequence[int], pool: int) -> tuple[int, WalkEnd]:
    """Where a walk ends.

    Args:
        request: the request.
        selected: the words that selection gave, in order: at least as many as the walk takes.
        pool: number of admissible words before the first step.

    Returns:
        How many of the selected words the walk stood on, and why it ended there. Of several reasons the first of
        grounded, all_visited (or no_candidate), max_steps counts.
    """
    unmet = [set(group) for group in request.goals]
    limit = min(request.max_steps, pool)
    if unmet:
        for count, index in enumerate(selected[:limit], start=1):
            unmet = [group for group in unmet if index not in group]
            if not unmet:
                return count, "grounded"
    if pool == 0:
        return 0, "no_candidate"
    return limit, "all_visited" if limit == pool else "max_steps"


def path_closure(vocabulary: Vocabulary, path: Sequence[int]) -> float:
    """See `cga.backend.Backend.path_closure`."""
    if not path:
        raise ValueError("path: empty; a field stands at a word")
    check_indices(path, vocabulary.size, "path")
    center, breadth = vocabulary.chart(vocabulary.coordinates[:, list(path)].T)
    return float(closure(FieldState(center, breadth, walk_turns(center, breadth))).max())
