"""The NumPy backend: no compilation, fast for single turns. See `cga.backend.Backend` for the contract."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from cga._inner_loop import inner_walk
from cga._lattice import check_point
from cga._scores import score_level
from cga._search import lattice_array, top_k
from cga._vocabulary import Vocabulary, check_count, check_indices, locate, open_vocabulary
from cga._walks import check_requests, host_walks, in_order, path_closure, scores
from cga.backend import BackendName, Blade, Point, WalkOutcome, WalkRequest


class NumpyBackend:
    """`cga.backend.Backend` on NumPy."""

    @property
    def name(self) -> BackendName:
        return "numpy"

    def open_vocabulary(self, points: Sequence[Point] | memoryview) -> Vocabulary:
        return open_vocabulary(points)

    def locate(self, vocabulary: Vocabulary, prompts: Sequence[Sequence[int]]) -> list[Point]:
        return locate(vocabulary, prompts)

    def neighbourhoods(self, vocabulary: Vocabulary, anchors: Sequence[int], k: int) -> list[tuple[int, ...]]:
        check_indices(anchors, vocabulary.size, "anchors")
        check_count(k, "k")
        if vocabulary.key_table is not None:
            return [tuple(vocabulary.ranked(anchor)[:k].tolist()) for anchor in anchors]
        return top_k(vocabulary, vocabulary.coordinates[:, list(anchors)].T, k)

    def nearest(self, vocabulary: Vocabulary, locations: Sequence[Point], k: int) -> list[tuple[int, ...]]:
        checked = [check_point(p, f"locations[{i}]") for i, p in enumerate(locations)]
        check_count(k, "k")
        return top_k(vocabulary, lattice_array(checked), k)

    def walk(self, vocabulary: Vocabulary, requests: Sequence[WalkRequest]) -> list[WalkOutcome]:
        check_requests(requests, vocabulary)
        return in_order(requests, partial(host_walks, vocabulary), partial(inner_walk, vocabulary))

    def scores(self, vocabulary: Vocabulary, blade: Blade, words: Sequence[int]) -> list[int]:
        return scores(vocabulary, blade, words)

    def score_level(self, vocabulary: Vocabulary, anchors: int, percent: int) -> int:
        return score_level(vocabulary.points, anchors, percent)

    def path_closure(self, vocabulary: Vocabulary, path: Sequence[int]) -> float:
        return path_closure(vocabulary, path)


def open() -> NumpyBackend:  # noqa: A001 - the name that `cga.backend.open_backend` calls
    """Opens the backend."""
    return NumpyBackend()
