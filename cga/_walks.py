"""What both backends share about walks: checking a request, and reading the end off the selected words.

The kernels only select: nearest admissible word that was not visited, again and again. Whether and where a walk
ends is decided here, on ints, so that the two backends cannot disagree about it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
from jaxtyping import Bool, Int64

from cga._field import FieldState
from cga._lattice import check_point
from cga._paths import by_step, fields_along
from cga._scores import Scorer, check_blade
from cga._search import Goals, select_walk
from cga._steps import select_walks
from cga._vocabulary import Vocabulary, check_count, check_indices
from cga.backend import Attempt, Blade, InnerLoop, Point, WalkEnd, WalkOutcome, WalkRequest

TOGETHER = 4
"""Walks from which on their steps are taken together, where the vocabulary has a table of keys."""
STATES = 1 << 15
"""States of which the fields are computed at once."""


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


def check_requests(requests: Sequence[WalkRequest], vocabulary: Vocabulary) -> None:
    """`check_request` for each of them.

    Raises:
        ValueError: see `check_request`.
    """
    for number, request in enumerate(requests):
        check_request(request, vocabulary, f"requests[{number}]")


def in_order(
    requests: Sequence[WalkRequest],
    plain: Callable[[Sequence[WalkRequest]], Sequence[WalkOutcome]],
    inner: Callable[[WalkRequest, InnerLoop], WalkOutcome],
) -> list[WalkOutcome]:
    """The outcomes of requests of which some have an inner loop.

    Args:
        requests: checked.
        plain: runs those without an inner loop, all at once.
        inner: runs one with an inner loop.
    """
    done = iter(plain([request for request in requests if request.inner_loop is None]))
    return [
        next(done) if request.inner_loop is None else inner(request, request.inner_loop)
        for request in requests
    ]


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
    unmet = Goals(request.goals)
    limit = min(request.max_steps, pool)
    for count in [at for at, word in enumerate(selected[:limit], start=1) if word in unmet.wanted]:
        if unmet.met_by(selected[count - 1]):
            return count, "grounded"
    if pool == 0:
        return 0, "no_candidate"
    return limit, "all_visited" if limit == pool else "max_steps"


def host_walks(vocabulary: Vocabulary, requests: Sequence[WalkRequest]) -> list[WalkOutcome]:
    """Runs checked requests without an inner loop on the host, each with the outcome it has alone."""
    starts = np.array([request.start for request in requests], float).reshape(-1, 4)
    if vocabulary.key_table is None or len(requests) < TOGETHER:
        masks = [admissible(request, vocabulary) for request in requests]
        sizes = [int(np.count_nonzero(mask)) for mask in masks]
        selected = [
            select_walk(vocabulary, start, mask, request.max_steps, request.goals)
            for request, start, mask in zip(requests, starts, masks, strict=True)
        ]
    else:
        pools = _pools(vocabulary, requests)
        sizes = list(map(len, pools))
        selected = select_walks(
            vocabulary, starts, pools, [r.max_steps for r in requests], [r.goals for r in requests]
        )
    ends = [
        read_end(request, words, size) for request, words, size in zip(requests, selected, sizes, strict=True)
    ]
    walked = [
        Walked(r.start, words[:count], range(size, size - count, -1), end)
        for r, words, size, (count, end) in zip(requests, selected, sizes, ends, strict=True)
    ]
    return outcomes(vocabulary, walked)


def _pools(vocabulary: Vocabulary, requests: Sequence[WalkRequest]) -> list[Int64[np.ndarray, " _"]]:
    """The admissible words of each request; one array for those that admit the same."""
    free: dict[tuple[int, ...], tuple[Bool[np.ndarray, " words"], Int64[np.ndarray, " _"]]] = {}
    blocked, known = None, None
    found: list[Int64[np.ndarray, " _"]] = []
    for request in requests:
        if request.blocked is not blocked or known is None:
            blocked = request.blocked
            known = free.get(blocked)
            if known is None:
                mask = ~vocabulary.mask(blocked)
                known = free[blocked] = (mask, np.flatnonzero(mask))
        mask, all_free = known
        if request.allowed is None:
            found.append(all_free)
        else:
            allowed = np.array(request.allowed, np.int64)
            found.append(allowed[mask[allowed]])
    return found


def scores(vocabulary: Vocabulary, blade: Blade, words: Sequence[int]) -> list[int]:
    """See `cga.backend.Backend.scores`."""
    check_blade(blade, vocabulary.size, "blade")
    check_indices(words, vocabulary.size, "words")
    scorer = Scorer(vocabulary.points, blade)
    return [scorer.score(word) for word in words]


class Walked(NamedTuple):
    """A walk that was taken, before its fields are computed.

    Attributes:
        start: the first location.
        words: the words it stood on.
        pool_sizes, end, attempts: as in `cga.backend.WalkOutcome`.
    """

    start: Point
    words: Sequence[int]
    pool_sizes: Sequence[int]
    end: WalkEnd
    attempts: tuple[tuple[Attempt, ...], ...] = ()


def outcomes(vocabulary: Vocabulary, walked: Sequence[Walked]) -> list[WalkOutcome]:
    """The outcomes of walks, with their fields computed on the host, a fixed number of states at a time."""
    order = sorted(range(len(walked)), key=lambda walk: -len(walked[walk].words))
    found: list[WalkOutcome | None] = [None] * len(walked)
    first = 0
    while first < len(order):
        states, last = 0, first
        while last < len(order) and (last == first or states < STATES):
            states += len(walked[order[last]].words) + 1
            last += 1
        some = order[first:last]
        for walk, outcome in zip(some, _outcomes(vocabulary, [walked[walk] for walk in some]), strict=True):
            found[walk] = outcome
        first = last
    return [outcome for outcome in found if outcome is not None]


def _outcomes(vocabulary: Vocabulary, walked: Sequence[Walked]) -> list[WalkOutcome]:
    """`outcomes` of walks by descending length, all at once."""
    counts = [len(walk.words) + 1 for walk in walked]
    states = by_step(counts)
    size = len(walked)
    rows = np.empty((4, len(states.walk)))
    rows[:, :size] = np.array([walk.start for walk in walked], float).T
    begins = np.cumsum([0, *counts[:-1]]) - np.arange(1, size + 1)
    words = np.array([word for walk in walked for word in walk.words], np.intp)
    rows[:, size:] = vocabulary.coordinates[:, words[begins[states.walk[size:]] + states.step[size:]]]
    center, breadth = vocabulary.chart(rows.T)
    conditions, turn = fields_along(center.T, breadth, states)
    final = (center[states.last], breadth[states.last], turn[states.last])
    return [
        WalkOutcome(
            indices=tuple(walk.words),
            pool_sizes=tuple(walk.pool_sizes),
            end=walk.end,
            versor_condition=condition,
            final_field=FieldState(*state),
            attempts=walk.attempts,
        )
        for walk, condition, *state in zip(walked, conditions.tolist(), *final, strict=True)
    ]


def path_closure(vocabulary: Vocabulary, path: Sequence[int]) -> float:
    """See `cga.backend.Backend.path_closure`."""
    if not path:
        raise ValueError("path: empty; a field stands at a word")
    check_indices(path, vocabulary.size, "path")
    center, breadth = vocabulary.chart(vocabulary.coordinates[:, list(path)].T)
    return float(fields_along(center.T, breadth, by_step([len(path)]))[0][0])
