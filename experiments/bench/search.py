"""`core bench search`: the exact nearest words beside FAISS's flat inner-product index."""

from __future__ import annotations

from typing import Any

import jax
import numpy as np

from cga import nearest, point_index, word
from experiments.bench import timing
from experiments.bench.cga import _load, _record

QUERIES, K = 64, 8
SIZES = (10_000, 100_000, 1_000_000)
QUICK_SIZES = (100_000,)


def bench_search(*, quick: bool = False) -> dict[str, Any]:
    """Times `cga.nearest` on random lattice words; index building is timed apart on both sides.

    FAISS ranks by the float32 inner product of the words' vectors, which for words far out is not their exact order;
    ``agree`` is the share of the exact nearest that it returned.
    """
    faiss = _load("faiss")
    rows = []
    for size in QUICK_SIZES if quick else SIZES:
        words, queries = _words(size)
        built = timing.side_by_side(lambda words=words: point_index(words), None, 3)["ours_ms"]
        index = point_index(words)
        ours = lambda index=index, queries=queries: jax.block_until_ready(nearest(queries, index, K))  # noqa: E731
        compile_ms = timing.first_call(ours)
        theirs, agree = _faiss(faiss, words, queries, np.asarray(ours()[0]))
        found = timing.side_by_side(ours, theirs, timing.QUICK_REPEATS if quick else timing.REPEATS)
        rows.append(
            {
                "words": size,
                "queries": QUERIES,
                "k": K,
                "compile_ms": compile_ms,
                "index_ms": built,
                **found,
                "agree": agree,
                "aim": 3.0 if size == SIZES[-1] else None,
            }
        )
    return {"run": _record(), "rows": rows}


def _words(size: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(size)
    center = rng.integers(-(1 << 20), 1 << 20, (size, 3))
    breadth = np.exp2(rng.uniform(0, 20, size)).astype(int)
    words = np.column_stack([center, breadth])
    return words, words[rng.integers(0, size, QUERIES)]


def _faiss(faiss: Any, words: np.ndarray, queries: np.ndarray, exact: np.ndarray) -> tuple[Any, float | None]:
    if faiss is None:
        return None, None
    scale = 1 << 20

    def vectors(points: np.ndarray, sign: float) -> np.ndarray:
        with jax.enable_x64(True):
            found = np.array(word(points[:, :3] / scale, points[:, 3] / scale).values)
        found[:, 4] *= sign
        return found.astype(np.float32)

    index = faiss.IndexFlatIP(5)
    index.add(vectors(words, 1.0))
    asked = vectors(queries, -1.0)
    found = index.search(asked, K)[1]
    agree = [len(set(a.tolist()) & set(b.tolist())) / K for a, b in zip(found, exact, strict=True)]
    return lambda: index.search(asked, K), float(np.mean(agree))
