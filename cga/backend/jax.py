"""The JAX backend: batched and compiled. See `cga.backend.Backend` for the contract.

On a single CPU device a large vocabulary is searched on the host, by blocks (see `cga._block_search`), which look at
few words where a kernel would stream through all. Accelerators, and several devices, stream.

Importing this module does not switch JAX's x64 mode; the kernels turn it on for themselves.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import jax
import numpy as np
from jaxtyping import Float64

from cga import _search
from cga._field import FieldState
from cga._inner_loop import inner_walk
from cga._lattice import check_point
from cga._scores import score_level
from cga._search import lattice_array
from cga._search_jax import WALK_KEYS, DeviceVocabulary, bucket, to_device, top_k, walks
from cga._vocabulary import check_count, check_indices, locate, open_vocabulary
from cga._walks import admissible, check_requests, host_walks, in_order, path_closure, read_end, scores
from cga.backend import BackendName, Blade, Point, WalkOutcome, WalkRequest


class JaxBackend:
    """`cga.backend.Backend` on JAX.

    Args:
        devices: JAX devices over which the words of a vocabulary are spread for `neighbourhoods` and `nearest`, with
            the same answers; walks run on the first. Without any it is JAX's default device.
    """

    def __init__(self, devices: Sequence[Any] = ()) -> None:
        self._devices = tuple(devices)

    @property
    def name(self) -> BackendName:
        return "jax"

    def open_vocabulary(self, points: Sequence[Point] | memoryview) -> DeviceVocabulary:
        return to_device(open_vocabulary(points), self._devices)

    def locate(self, vocabulary: DeviceVocabulary, prompts: Sequence[Sequence[int]]) -> list[Point]:
        return locate(vocabulary.host, prompts)

    def neighbourhoods(
        self, vocabulary: DeviceVocabulary, anchors: Sequence[int], k: int
    ) -> list[tuple[int, ...]]:
        check_indices(anchors, vocabulary.host.size, "anchors")
        check_count(k, "k")
        return _nearest(vocabulary, vocabulary.host.coordinates[:, list(anchors)].T, k)

    def nearest(
        self, vocabulary: DeviceVocabulary, locations: Sequence[Point], k: int
    ) -> list[tuple[int, ...]]:
        checked = [check_point(p, f"locations[{i}]") for i, p in enumerate(locations)]
        check_count(k, "k")
        return _nearest(vocabulary, lattice_array(checked), k)

    def walk(self, vocabulary: DeviceVocabulary, requests: Sequence[WalkRequest]) -> list[WalkOutcome]:
        check_requests(requests, vocabulary.host)
        # Scores are integers beyond 64 bits: a walk with an inner loop runs on the host.
        return in_order(requests, partial(_walks, vocabulary), partial(inner_walk, vocabulary.host))

    def scores(self, vocabulary: DeviceVocabulary, blade: Blade, words: Sequence[int]) -> list[int]:
        return scores(vocabulary.host, blade, words)

    def score_level(self, vocabulary: DeviceVocabulary, anchors: int, percent: int) -> int:
        return score_level(vocabulary.host.points, anchors, percent)

    def path_closure(self, vocabulary: DeviceVocabulary, path: Sequence[int]) -> float:
        return path_closure(vocabulary.host, path)


def _nearest(
    vocabulary: DeviceVocabulary, locations: Float64[np.ndarray, "queries 4"], k: int
) -> list[tuple[int, ...]]:
    if vocabulary.on_host:
        return _search.top_k(vocabulary.host, locations, k)
    return top_k(vocabulary, locations, k)


def _walks(vocabulary: DeviceVocabulary, requests: Sequence[WalkRequest]) -> list[WalkOutcome]:
    if vocabulary.on_host:
        return host_walks(vocabulary.host, requests)
    chunk = max(1, WALK_KEYS // vocabulary.host.size)
    return [
        outcome
        for first in range(0, len(requests), chunk)
        for outcome in _walk(vocabulary, requests[first : first + chunk])
    ]


def _walk(vocabulary: DeviceVocabulary, requests: Sequence[WalkRequest]) -> list[WalkOutcome]:
    rows = bucket(len(requests))
    starts = np.ones((rows, 4))
    masks = np.zeros((rows, vocabulary.host.size), bool)
    for row, request in enumerate(requests):
        starts[row] = request.start
        masks[row] = admissible(request, vocabulary.host)
    pools = masks.sum(axis=1).tolist()
    steps = bucket(max(min(request.max_steps, pool) for request, pool in zip(requests, pools, strict=False)))
    with jax.enable_x64(True):
        found = walks(
            vocabulary.coordinates, vocabulary.inv_rho, vocabulary.origin, starts, masks, steps=steps
        )
    selected, conditions, states = jax.device_get(found)
    outcomes = []
    for row, (request, pool, words) in enumerate(zip(requests, pools, selected.tolist(), strict=False)):
        count, end = read_end(request, words, pool)
        outcomes.append(
            WalkOutcome(
                indices=tuple(words[:count]),
                pool_sizes=tuple(range(pool, pool - count, -1)),
                end=end,
                versor_condition=float(conditions[row, count]),
                final_field=FieldState(*(part[row, count] for part in states)),
            )
        )
    return outcomes


def open() -> JaxBackend:  # noqa: A001 - the name that `cga.backend.open_backend` calls
    """Opens the backend."""
    return JaxBackend()
