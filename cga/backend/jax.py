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
from cga._inner_loop import inner_walk
from cga._lattice import check_point
from cga._scores import score_level
from cga._search import lattice_array
from cga._search_jax import WALK_KEYS, DeviceVocabulary, bucket, to_device, top_k, walks
from cga._vocabulary import check_count, check_indices, locate, open_vocabulary
from cga._walks import (
    Walked,
    admissible,
    check_requests,
    host_walks,
    in_order,
    outcomes,
    path_closure,
    read_end,
    scores,
)
from cga.backend import BackendName, Blade, Point, WalkOutcome, WalkRequest

MOST_GROUPS = 8
"""Groups of goals that a walk on the device can have: a bit each."""


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
    if vocabulary.on_host or any(len(request.goals) > MOST_GROUPS for request in requests):
        return host_walks(vocabulary.host, requests)
    chunk = max(1, WALK_KEYS // vocabulary.host.size)
    walked = [
        walk
        for first in range(0, len(requests), chunk)
        for walk in _walk(vocabulary, requests[first : first + chunk])
    ]
    return outcomes(vocabulary.host, walked)


def _walk(vocabulary: DeviceVocabulary, requests: Sequence[WalkRequest]) -> list[Walked]:
    rows, size = bucket(len(requests)), vocabulary.host.size
    starts = np.ones((rows, 4))
    masks = np.zeros((rows, size), bool)
    goals = np.zeros((rows, size), np.uint8)
    for row, request in enumerate(requests):
        starts[row] = request.start
        masks[row] = admissible(request, vocabulary.host)
        if all(request.goals):  # an empty group is never met: nothing ends such a walk early
            for number, group in enumerate(request.goals):
                goals[row, list(group)] |= np.uint8(1 << number)
    pools = masks.sum(axis=1)
    limits = np.zeros(rows, np.int32)
    limits[: len(requests)] = np.minimum([request.max_steps for request in requests], pools[: len(requests)])
    with jax.enable_x64(True):
        selected = walks(
            vocabulary.coordinates,
            vocabulary.inv_rho,
            starts,
            masks,
            goals,
            limits,
            steps=bucket(int(limits.max())),
        )
    found: list[Walked] = []
    for request, pool, words in zip(
        requests, pools.tolist(), jax.device_get(selected).tolist(), strict=False
    ):
        count, end = read_end(request, words, pool)
        found.append(Walked(request.start, words[:count], range(pool, pool - count, -1), end))
    return found


def open() -> JaxBackend:  # noqa: A001 - the name that `cga.backend.open_backend` calls
    """Opens the backend."""
    return JaxBackend()
