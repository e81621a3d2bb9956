"""Whether every way of search gives one answer: both backends, any batch, any number of devices, any filter.

All rest on one order, that of ``(key, index)`` (see `cga._lattice`). The plain way, which ranks every word by its key,
is what the others are compared with:

- ``numpy``: the NumPy backend, by blocks of near words where the vocabulary is large;
- ``jax``: the JAX backend's kernel on one device, and with the words spread over several;
- ``nearest``: `cga.nearest` with its float32 filter, and without it over several devices that share the words evenly;
- ``walk``: the steps of a greedy walk by blocks.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from rich import box
from rich.console import Console
from rich.table import Table

from cga.backend import Point

SHARDS = (1, 2, 8)
BATCHES = (1, 4096)
K = 8
CHECKED_FROM = 16
"""Least batch of `cga.nearest` over several devices, where each call checks the points of every device again."""
WALKS, STEPS = 20, 64
SEED = 0

Answers = list[tuple[int, ...]]
Search = Callable[[np.ndarray], Answers]


@dataclass(frozen=True, slots=True, kw_only=True)
class Way:
    """One way of search, compared with the plain one.

    Attributes:
        name: ``numpy``, ``jax``, ``nearest`` or ``walk``.
        shards: devices over which the words were spread.
        batch: queries a call.
        queries: how many were asked; walks for ``walk``.
        differ: how many answers were not the plain way's, indices and their order.
        seconds: wall-clock time of all of them.
    """

    name: str
    shards: int
    batch: int
    queries: int
    differ: int
    seconds: float


@dataclass(frozen=True, slots=True, kw_only=True)
class ExactnessReport:
    """What was compared.

    Attributes:
        words: size of the vocabulary.
        queries: a third each of words, centroids of a few words, and points anywhere on the lattice.
        k: nearest words asked of each.
        ties: queries of which the k-th nearest word and the next have one key.
        ways: the ways.
    """

    words: int
    queries: int
    k: int
    ties: int
    ways: tuple[Way, ...]

    @property
    def shards(self) -> tuple[int, ...]:
        return tuple(sorted({way.shards for way in self.ways}))

    @property
    def failed(self) -> tuple[Way, ...]:
        """The ways that gave another answer anywhere."""
        return tuple(way for way in self.ways if way.differ)


def simulate_devices(count: int) -> None:
    """Has JAX split a CPU into so many devices; only before JAX is first used in the process."""
    flags = f"{os.environ.get('XLA_FLAGS', '')} --xla_force_host_platform_device_count={count}"
    os.environ["XLA_FLAGS"] = flags.strip()


def check_exactness(
    points: Sequence[Point] | memoryview | np.ndarray,
    *,
    queries: int = 10_000,
    k: int = K,
    seed: int = SEED,
    shards: Sequence[int] = SHARDS,
    batches: Sequence[int] = BATCHES,
    progress: Callable[[Way], None] = lambda way: None,
) -> ExactnessReport:
    """Asks the same random queries in every way, and counts the answers that differ from the plain one.

    Args:
        points: the words of a vocabulary; an array is ``(words, 4)`` int32.
        queries: how many.
        k: nearest words asked of each.
        seed: of the queries.
        shards: numbers of devices; those that JAX does not have are left out (see `simulate_devices`).
        batches: queries a call.
        progress: is given each way when it is done.

    Raises:
        ValueError: points that are no vocabulary.
    """
    import jax

    from cga._search import lattice_array, rank_all
    from cga._vocabulary import open_vocabulary

    if isinstance(points, np.ndarray):
        points = memoryview(np.ascontiguousarray(points, np.int32))  # pyright: ignore[reportArgumentType]
    host = open_vocabulary(points)
    asked = lattice_array(list(_queries(host, queries, seed)))
    further = rank_all(host, asked, min(k + 1, host.size))
    expected = [row[:k] for row in further]
    ways: list[Way] = []
    counts = [count for count in shards if count <= jax.device_count()]
    for name, count, search in _searches(host, counts, k):
        for batch in batches:
            if name == "nearest" and count > 1 and batch < CHECKED_FROM:
                continue
            search(asked[:batch])  # compiles
            start = time.perf_counter()
            found = [
                row for first in range(0, queries, batch) for row in search(asked[first : first + batch])
            ]
            seconds = time.perf_counter() - start
            differ = sum(a != b for a, b in zip(found, expected, strict=True))
            ways.append(
                Way(name=name, shards=count, batch=batch, queries=queries, differ=differ, seconds=seconds)
            )
            progress(ways[-1])
    ways.append(_walks(host, seed))
    progress(ways[-1])
    return ExactnessReport(
        words=host.size,
        queries=queries,
        k=k,
        ties=sum(_tied(host, q, row) for q, row in zip(asked, further, strict=True)) if k < host.size else 0,
        ways=tuple(ways),
    )


def _queries(host: Any, count: int, seed: int) -> Iterator[Point]:
    from cga._lattice import LIMIT, LOCATION_LIMIT
    from cga._vocabulary import locate

    rng = np.random.default_rng(seed)
    for number in range(count):
        if number % 3 == 0:
            yield host.points[int(rng.integers(host.size))]
        elif number % 3 == 1:
            yield locate(host, [rng.integers(host.size, size=rng.integers(2, 6)).tolist()])[0]
        else:
            x1, x2, x3 = rng.integers(-LIMIT + 1, LIMIT, 3).tolist()
            yield Point(x1, x2, x3, int(LOCATION_LIMIT ** rng.uniform(0, 1)))


def _searches(host: Any, shards: Sequence[int], k: int) -> Iterator[tuple[str, int, Search]]:
    import jax
    from jax.sharding import Mesh, NamedSharding, PartitionSpec

    from cga import _search, _search_jax, nearest, point_index

    words = host.coordinates.T.astype(np.int32)

    def by_nearest(points: Any) -> Search:
        return lambda asked: [
            tuple(row) for row in np.asarray(nearest(asked.astype(np.int32), points, k)[0]).tolist()
        ]

    yield "numpy", 1, lambda asked: _search.top_k(host, asked, k)
    for count in shards:
        device = _search_jax.to_device(host, jax.devices()[:count])
        yield "jax", count, lambda asked, device=device: _search_jax.top_k(device, asked, k)
        if count == 1:
            yield "nearest", 1, by_nearest(point_index(words))
        elif host.size % count == 0:
            sharding = NamedSharding(
                Mesh(np.array(jax.devices()[:count]), ("points",)), PartitionSpec("points")
            )
            yield "nearest", count, by_nearest(jax.device_put(words, sharding))


def _tied(host: Any, location: np.ndarray, row: tuple[int, ...]) -> bool:
    from cga._search import keys_from

    chosen = list(row[-2:])
    last, following = keys_from(host.coordinates[:, chosen], host.inv_rho[chosen], location)
    return bool(last == following)


def _walks(host: Any, seed: int) -> Way:
    """Free walks by blocks, beside steps that look at every word."""
    from cga._search import keys_from, select_walk

    rng = np.random.default_rng(seed)
    differ, seconds = 0, 0.0
    for first in rng.integers(host.size, size=WALKS):
        free = rng.random(host.size) < rng.choice([1.0, 0.5])
        start = time.perf_counter()
        found = select_walk(host, host.coordinates[:, first], free, STEPS, ())
        seconds += time.perf_counter() - start
        closed, place = np.where(free, 0.0, np.inf), host.coordinates[:, first]
        for word in found:
            chosen = int((keys_from(host.coordinates, host.inv_rho, place) + closed).argmin())
            if chosen != word:
                differ += 1
                break
            closed[chosen], place = np.inf, host.coordinates[:, chosen]
    return Way(name="walk", shards=1, batch=1, queries=WALKS, differ=differ, seconds=seconds)


def show(report: dict[str, Any], console: Console) -> None:
    """Prints a report (as a dict, with the pack's id) for people."""
    console.print(
        f"{report['pack']}: {report['words']:,} words, {report['queries']:,} queries for the {report['k']} nearest; "
        f"{report['ties']} of them with a tie at the end"
    )
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, padding=(0, 2, 0, 0))
    for heading in ("way of search", "devices", "batch", "queries", "answers that differ", "seconds"):
        table.add_column(heading, justify="left" if heading == "way of search" else "right")
    for way in report["ways"]:
        counts = (way[name] for name in ("shards", "batch", "queries", "differ"))
        table.add_row(way["name"], *(f"{count:,}" for count in counts), f"{way['seconds']:.1f}")
    console.print(table)
