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
from cga._scores import Scorer, check_blade
from cga._search import Goals, select_walk
from cga._vocabulary import Vocabulary, check_count, check_indices
from cga.backend import Attempt, Blade, Point, WalkEnd, WalkOutcome, WalkRequest


def check_request(request: WalkRequest, vocabulary: Vocabulary, where: str) -> None:
    """Checks one walk request against a vocabulary.

    Raises:
        ValueError: a start off the lattice, a negative ``max_steps``, an index without a word, an inner loop without
            a blade or a level.
    """
    check_point(request.start, f"{where}.start")
    check_count(request.max_steps, f"{where}.max_steps")
    if request.allowed is not None:
        vocabulary.check(request.allowed, f"{where}.allowed")
    vocabulary.check(request.blocked, f"{where}.blocked")
    for number, group in enumerate(request.goals):
        check_indices(group, vocabulary.size, f"{where}.goals[{number}]")
    inner = request.inner_loop
    if inner is None:
        return
    if not inner.blades or (inner.mode == "threshold" and len(inner.levels) != len(inner.blades)):
        raise ValueError(f"{where}.inner_loop: needs a blade, and in threshold mode a level for each")
    if inner.margin < 1:
        raise ValueError(f"{where}.inner_loop.margin: {inner.margin}; give at least 1")
    for number, blade in enumerate(inner.blades):
        check_blade(blade, vocabulary.size, f"{where}.inner_loop.blades[{number}]")


def admissible(request: WalkRequest, vocabulary: Vocabulary) -> Bool[np.ndarray, " words"]:
    """The words the walk may stand on: allowed and not blocked."""
    free = ~vocabulary.mask(request.blocked)
    return free if request.allowed is None else free & vocabulary.mask(request.allowed)


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
    met = Goals(request.goals)
    limit = min(request.max_steps, pool)
    for count, index in enumerate(selected[:limit], start=1):
        if met.by(index):
            return count, "grounded"
    if pool == 0:
        return 0, "no_candidate"
    return limit, "all_visited" if limit == pool else "max_steps"


def host_walk(vocabulary: Vocabulary, request: WalkRequest) -> WalkOutcome:
    """Walks a checked request without an inner loop, on the host."""
    mask = admissible(request, vocabulary)
    pool = int(np.count_nonzero(mask))
    selected = select_walk(vocabulary, np.array(request.start, float), mask, request.max_steps, request.goals)
    count, end = read_end(request, selected, pool)
    return outcome(vocabulary, request.start, selected, range(pool, pool - count, -1), end)


def scores(vocabulary: Vocabulary, blade: Blade, words: Sequence[int]) -> list[int]:
    """See `cga.backend.Backend.scores`."""
    check_blade(blade, vocabulary.size, "blade")
    check_indices(words, vocabulary.size, "words")
    scorer = Scorer(vocabulary.points, blade)
    return [scorer.score(word) for word in words]


def outcome(
    vocabulary: Vocabulary,
    start: Point,
    selected: Sequence[int],
    pool_sizes: Sequence[int],
    end: WalkEnd,
    attempts: tuple[tuple[Attempt, ...], ...] = (),
) -> WalkOutcome:
    """The outcome of a walk over the selected words, with its field computed on the host."""
    path = np.vstack([np.array(start, float), vocabulary.coordinates[:, list(selected)].T])
    center, breadth = vocabulary.chart(path)
    states = FieldState(center, breadth, walk_turns(center, breadth))
    return WalkOutcome(
        indices=tuple(selected),
        pool_sizes=tuple(pool_sizes),
        end=end,
        versor_condition=float(closure(states).max()),
        final_field=FieldState(center[-1], breadth[-1], states.turn[-1]),
        attempts=attempts,
    )


def path_closure(vocabulary: Vocabulary, path: Sequence[int]) -> float:
    """See `cga.backend.Backend.path_closure`."""
    if not path:
        raise ValueError("path: empty; a field stands at a word")
    check_indices(path, vocabulary.size, "path")
    center, breadth = vocabulary.chart(vocabulary.coordinates[:, list(path)].T)
    return float(closure(FieldState(center, breadth, walk_turns(center, breadth))).max())
