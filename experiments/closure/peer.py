"""gensim's PoincareModel on the same pairs, in the same process run, scored by the same code."""

from __future__ import annotations

import csv
import logging
import tempfile
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from importlib import import_module
from importlib.metadata import version
from pathlib import Path
from time import perf_counter, process_time
from typing import Any

import numpy as np
from numpy.typing import NDArray

from experiments.closure.ranks import ball_keys, rank_pairs
from experiments.harness import UsageError


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """How gensim trains; the names are those of its `PoincareModel` and of its `train`.

    Attributes:
        size: dimensions.
        epochs: passes over all pairs, after the burn-in.
        negative: nodes sampled against each pair.
        burn_in: passes at a tenth of the learning rate before.
        alpha: learning rate.
        batch_size: pairs a step.
    """

    size: int = 5
    epochs: int = 50
    negative: int = 10
    burn_in: int = 10
    alpha: float = 0.1
    batch_size: int = 10


def settings_of(dims: int) -> tuple[Settings, ...]:
    """Two trainings: gensim's defaults with the fifty epochs of its documentation, and a longer, bolder one.

    Twenty negatives instead of ten take 16 times as long on the mammals, 13 s of processor an epoch: gensim draws each
    node's negatives again until all differ and none is an ancestor, and the frequent ones, which it prefers, are.
    """
    return (
        Settings(size=dims),
        Settings(size=dims, epochs=100, burn_in=20, alpha=0.3),
    )


def bench_gensim(
    names: Sequence[str],
    kept: NDArray[np.int64],
    held: NDArray[np.int64] | None,
    settings: Settings,
    *,
    seed: int = 0,
) -> dict[str, Any]:
    """Trains and scores one model.

    Args:
        names: of the nodes.
        kept: ``(pairs, 2)`` node and ancestor, ascending: what it is trained on.
        held: pairs that it should predict, or None.
        settings: of the training.
        seed: of its start and of its samples.

    Returns:
        The settings, seconds of training by the clock and of the processor, ``map`` and ``mean_rank`` by `rank_pairs`,
        the same for the pairs held out, ``own`` with what gensim's `ReconstructionEvaluation` says of the same vectors,
        and gensim's version.

    Raises:
        UsageError: gensim is not installed.
    """
    try:
        poincare = import_module("gensim.models.poincare")
    except ImportError:
        raise UsageError("--peer gensim: gensim is not installed (pip install '.[bench]')") from None
    named = [(names[node], names[ancestor]) for node, ancestor in kept.tolist()]
    logging.getLogger("gensim").setLevel(logging.WARNING)
    start, busy = perf_counter(), process_time()
    model = poincare.PoincareModel(
        named,
        size=settings.size,
        alpha=settings.alpha,
        negative=settings.negative,
        burn_in=settings.burn_in,
        seed=seed,
    )
    model.train(epochs=settings.epochs, batch_size=settings.batch_size)
    seconds, cpu_seconds = perf_counter() - start, process_time() - busy
    # A node all of whose pairs are held out is unknown to gensim: it stays where all start, at the origin.
    vectors = np.zeros((len(names), settings.size))
    for place, name in enumerate(names):
        if name in model.kv.key_to_index:
            vectors[place] = model.kv[name]
    keys = ball_keys(vectors)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "pairs.tsv"
        with path.open("w", encoding="utf-8", newline="") as out:
            csv.writer(out, delimiter="\t").writerows(named)
        own = poincare.ReconstructionEvaluation(str(path), model.kv).evaluate()
    return {
        "settings": asdict(settings),
        "seconds": seconds,
        "cpu_seconds": cpu_seconds,
        **rank_pairs(keys, len(names), kept, held).figures(),
        "own": {"map": float(own["MAP"]), "mean_rank": float(own["mean_rank"])},
        "held_out": None if held is None else rank_pairs(keys, len(names), held, kept).figures(),
        "version": version("gensim"),
    }
