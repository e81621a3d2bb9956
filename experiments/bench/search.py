"""`core bench search`: the exact nearest words beside FAISS's flat index, hnswlib and plain NumPy."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import jax
import numpy as np

from cga import nearest, point_index, word
from cga._block_search import top_k
from cga._search import keys_from, rank_keys
from cga._vocabulary import Vocabulary, open_vocabulary
from experiments.bench import timing
from experiments.bench.cga import _load, _record, _version

K = 8
SIZES = (10_000, 100_000, 1_000_000)
QUICK_SIZES = (100_000,)
BATCHES = (1, 64, 1024)
QUICK_BATCHES = (64,)
MOST_KEYS = 1 << 27
"""Batches with more queries times words are left out: looking at every word takes minutes a call."""
AIMED = (1_000_000, 64)
HNSW = {"M": 16, "ef_construction": 100}
HNSW_EF = 128
CANDIDATES = 64
"""Words that hnswlib is asked for; the nearest of them by the exact key are its answer."""
SCALE = 1 << 20

Search = Callable[[np.ndarray], timing.Run]
"""Takes the words asked for in the form of its index, and returns the search for them."""


def bench_search(
    *, quick: bool = False, sizes: Sequence[int] | None = None, batches: Sequence[int] | None = None
) -> dict[str, Any]:
    """Times the two exact searches of the project on random lattice words, and three others, in turns.

    ``blocks`` is the search on the host by blocks of near words, ``nearest`` is `cga.nearest` with its float32 filter.
    Both give the exact order. ``numpy`` does too: every key in float64, the least by `numpy.argpartition`. FAISS ranks
    by the float32 inner product of the words' vectors, which for words far out is not their exact order. hnswlib knows
    no hyperbolic distance: it searches the half-space coordinates by their Euclidean one, and the nearest of
    `CANDIDATES` by the exact key are taken. ``agree`` is the share of the exact nearest that these two find.

    Args:
        quick: one size and one batch.
        sizes: numbers of words, instead of the usual ones.
        batches: numbers of queries a call, instead of the usual ones.
    """
    repeats = timing.QUICK_REPEATS if quick else timing.REPEATS
    rows: list[dict[str, Any]] = []
    indices: list[dict[str, Any]] = []
    for size in sizes or (QUICK_SIZES if quick else SIZES):
        words = _words(size)
        found = _searches(words)
        indices.append({"words": size, **{name: ms for name, (_, ms) in found.items()}})
        for batch in batches or (QUICK_BATCHES if quick else BATCHES):
            if size * batch > MOST_KEYS:
                continue
            asked = words[np.random.default_rng(batch).integers(0, size, batch)]
            runs = {name: search(asked) for name, (search, _) in found.items()}
            exact = np.array(runs["blocks"]())
            compile_ms = timing.first_call(runs["nearest"])
            times = timing.in_turns(runs, repeats)
            rows.append(
                {
                    "words": size,
                    "queries": batch,
                    "k": K,
                    "compile_ms": compile_ms,
                    "agree": {name: _agree(run(), exact) for name, run in runs.items() if name != "blocks"},
                    "times_ms": {name: timing.summary(values) for name, values in times.items()},
                    "ratios": {
                        f"{theirs}/{ours}": timing.summary(
                            [b / a for a, b in zip(times[ours], times[theirs], strict=True)]
                        )
                        for ours in ("blocks", "nearest")
                        for theirs in times
                        if theirs not in ("blocks", "nearest")
                    },
                    "aim": 3.0 if (size, batch) == AIMED else None,
                }
            )
        del found
    return {"run": _record() | {"hnswlib": _version("hnswlib")}, "indices": indices, "rows": rows}


def _words(size: int) -> np.ndarray:
    """Random words whose breadths are spread evenly over their scales; no two at one place."""
    rng = np.random.default_rng(size)
    center = rng.integers(-SCALE, SCALE, (size, 3))
    breadth = np.exp2(rng.uniform(0, 20, size)).astype(int)
    words = np.column_stack([center, breadth]).astype(np.int32)
    assert len(np.unique(words, axis=0)) == size
    return words


def _searches(words: np.ndarray) -> dict[str, tuple[Search, float]]:
    """Each search by name, and the milliseconds that its index took."""
    host = open_vocabulary(memoryview(words))  # pyright: ignore[reportArgumentType]
    found: dict[str, tuple[Search, float]] = {}
    ms, blocks = _timed(lambda: host.blocks)
    found["blocks"] = (lambda asked: partial(top_k, blocks, asked.astype(float), K), ms)
    ms, index = _timed(lambda: jax.block_until_ready(point_index(words)))
    found["nearest"] = (lambda asked: lambda: jax.block_until_ready(nearest(asked, index, K)[0]), ms)
    found["numpy"] = (lambda asked: partial(_plain, host, asked), 0.0)
    if (faiss := _load("faiss")) is not None:
        vectors = _vectors(words, 1.0)
        ms, flat = _timed(lambda: _flat(faiss, vectors))
        found["faiss"] = (lambda asked: _flat_search(flat, asked), ms)
    if (hnswlib := _load("hnswlib")) is not None:
        ms, graph = _timed(lambda: _graph(hnswlib, words))
        found["hnswlib"] = (lambda asked: partial(_reranked, host, graph, asked), ms)
    return found


def _timed(make: Callable[[], Any]) -> tuple[float, Any]:
    start = time.perf_counter()
    made = make()
    return 1000 * (time.perf_counter() - start), made


def _plain(host: Vocabulary, asked: np.ndarray) -> np.ndarray:
    """All keys in float64, a few queries at a time so that they stay in memory."""
    rows = []
    tile = max(1, (1 << 22) // host.size)
    for start in range(0, len(asked), tile):
        keys = rank_keys(host, asked[start : start + tile].astype(float))
        near = np.argpartition(keys, K, axis=1)[:, :K]
        rows.append(np.take_along_axis(near, np.take_along_axis(keys, near, 1).argsort(axis=1), 1))
    return np.concatenate(rows)


def _vectors(points: np.ndarray, sign: float) -> np.ndarray:
    with jax.enable_x64(True):
        found = np.array(word(points[:, :3] / SCALE, points[:, 3] / SCALE).values)
    found[:, 4] *= sign
    return found.astype(np.float32)


def _flat(faiss: Any, vectors: np.ndarray) -> Any:
    index = faiss.IndexFlatIP(vectors.shape[1])
    index.add(vectors)
    return index


def _flat_search(index: Any, asked: np.ndarray) -> timing.Run:
    vectors = _vectors(asked, -1.0)
    return lambda: index.search(vectors, K)[1]


def _graph(hnswlib: Any, words: np.ndarray) -> Any:
    index = hnswlib.Index("l2", 4)
    index.init_index(len(words), **HNSW)
    index.add_items(words.astype(np.float32))
    index.set_ef(HNSW_EF)
    return index


def _reranked(host: Vocabulary, graph: Any, asked: np.ndarray) -> np.ndarray:
    near = graph.knn_query(asked.astype(np.float32), CANDIDATES)[0].astype(np.int64)
    keys = np.array(
        [
            keys_from(host.coordinates[:, row], host.inv_rho[row], place.astype(float))
            for row, place in zip(near, asked, strict=True)
        ]
    )
    return np.take_along_axis(near, keys.argsort(axis=1)[:, :K], 1)


def _agree(found: Any, exact: np.ndarray) -> float:
    pairs = zip(np.asarray(found).tolist(), exact.tolist(), strict=True)
    return float(np.mean([len(set(ours) & set(theirs)) / K for ours, theirs in pairs]))
