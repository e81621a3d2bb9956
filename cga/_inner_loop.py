"""Walks with admissibility inside: each step tries the open words nearest first, and may reject them all.

On the host and in exact arithmetic, for both backends: scores are integers beyond 64 bits.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from cga._scores import Scorer
from cga._search import Goals, keys_from
from cga._vocabulary import Vocabulary
from cga._walks import Walked, admissible, outcomes
from cga.backend import Attempt, InnerLoop, WalkEnd, WalkOutcome, WalkRequest


def inner_walk(vocabulary: Vocabulary, request: WalkRequest, loop: InnerLoop) -> WalkOutcome:
    """Walks a checked request; see `cga.backend.InnerLoop` for what admits a word."""
    admit = _Admission(vocabulary, loop)
    left = np.flatnonzero(admissible(request, vocabulary)).tolist()
    location = np.array(request.start, float)
    unmet = Goals(request.goals)
    selected: list[int] = []
    pools: list[int] = []
    attempts: list[tuple[Attempt, ...]] = []
    end: WalkEnd = "all_visited" if left else "no_candidate"
    while left:
        if len(selected) >= request.max_steps:
            end = "max_steps"
            break
        keys = keys_from(vocabulary.coordinates[:, left], vocabulary.inv_rho[left], location)
        chosen, rejected = admit.first((left[i] for i in np.argsort(keys, kind="stable")), left)
        attempts.append(rejected)
        if chosen is None:
            end = "all_rejected"
            break
        selected.append(chosen)
        pools.append(len(left))
        gone = {chosen} if loop.mode == "margin" else {chosen, *(attempt.word for attempt in rejected)}
        left = [word for word in left if word not in gone]
        location = vocabulary.coordinates[:, chosen]
        if unmet.met_by(chosen):
            end = "grounded"
            break
    return outcomes(vocabulary, [Walked(request.start, selected, pools, end, tuple(attempts))])[0]


class _Admission:
    def __init__(self, vocabulary: Vocabulary, loop: InnerLoop) -> None:
        self._loop = loop
        self._scorers = [Scorer(vocabulary.points, blade) for blade in loop.blades]
        # A blade that was carried elsewhere is no longer spanned by its anchors.
        self._spanning = [frozenset(blade.anchors if blade.frame is None else ()) for blade in loop.blades]

    def first(self, ranked: Iterable[int], left: list[int]) -> tuple[int | None, tuple[Attempt, ...]]:
        """The first word that every blade admits, and the ones rejected before it."""
        best = [self._rivals(number, left) for number in range(len(self._scorers))]
        rejected: list[Attempt] = []
        for word in ranked:
            attempt = self._rejection(word, best)
            if attempt is None:
                return word, tuple(rejected)
            rejected.append(attempt)
        return None, tuple(rejected)

    def _rivals(self, number: int, left: list[int]) -> list[tuple[int, int]]:
        """The two best (score, word) among the open words that don't span the blade."""
        if self._loop.mode == "threshold":
            return []
        scorer, spanning = self._scorers[number], self._spanning[number]
        return sorted(((scorer.score(word), word) for word in left if word not in spanning), reverse=True)[:2]

    def _rejection(self, word: int, best: list[list[tuple[int, int]]]) -> Attempt | None:
        for number, scorer in enumerate(self._scorers):
            if self._loop.mode == "threshold":
                needed = self._loop.levels[number]
            else:
                rivals = [score for score, other in best[number] if other != word]
                needed = rivals[0] + self._loop.margin if rivals else 0
            score = scorer.score(word)
            if score < needed:
                return Attempt(word, score, needed)
        return None
