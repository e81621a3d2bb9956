"""`core eval geometry --closure`: fit a hierarchy in H^4, round it to the lattice, and say what came of it."""

from __future__ import annotations

import platform
from collections.abc import Sequence
from datetime import UTC, datetime
from time import perf_counter, process_time
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cga.backend import FitError, HierarchyProblem, Point, fit_hierarchy
from experiments.closure.direction import CHANCE, direction_accuracy, measure_direction, read_outs
from experiments.closure.pairs import Closure
from experiments.closure.peer import bench_gensim, settings_of
from experiments.closure.points import lattice_use
from experiments.closure.ranks import Keys, lattice_keys, rank_pairs
from experiments.closure.split import Way, implied_share, split_pairs
from experiments.harness import UsageError, device, git_state, machine, versions

DIMS = 4


def evaluate_closure(
    closure: Closure,
    *,
    source: str,
    seed: int = 0,
    effort: float = 1.0,
    held_out: float | None = None,
    way: Way = "inner",
    points: Sequence[Point] | None = None,
    peer_dims: Sequence[int] = (),
) -> tuple[dict[str, Any], tuple[Point, ...]]:
    """Fits a hierarchy, or takes points that were fitted before, and measures how well they give it back.

    Exactly the pairs that are given are fitted: none is added by transitivity.

    Args:
        closure: the hierarchy.
        source: what the report calls it.
        seed: of the fit, of the split and of the peer.
        effort: of the fit.
        held_out: the share of the pairs that the fit does not see, to be predicted.
        way: how those are drawn (see `split_pairs`).
        points: one a node, instead of a fit.
        peer_dims: dimensions in which gensim's PoincareModel is trained on the same pairs.

    Returns:
        The report, ready for JSON, and the points. ``map`` and ``mean_rank`` are those of the pairs that were fitted,
        on the lattice; ``seconds`` is the fit with its rounding, from problem to lattice, or None.

    Raises:
        UsageError: a split that is not possible, or a fit that failed.
    """
    kept, held = closure.pairs, None
    if held_out is not None:
        kept, held = split_pairs(closure, held_out, way, seed)
    fit, seconds = None, None
    if points is None:
        start, busy = perf_counter(), process_time()
        # Closing a hierarchy that is closed adds nothing, and of pairs kept nothing may be filled in that follows.
        ancestors = list(map(tuple, kept.tolist()))
        problem = HierarchyProblem(
            size=len(closure), ancestors=ancestors, close=held is None and closure.closed
        )
        try:
            fitted = fit_hierarchy(problem, seed=seed, effort=effort)
        except FitError as error:
            raise UsageError(f"{source}: {error}") from None
        seconds = perf_counter() - start
        points = fitted.points
        done = fitted.report
        fit = {
            "seed": seed,
            "effort": effort,
            "cpu_seconds": process_time() - busy,
            "steps": done.steps,
            "first_loss": done.first_loss,
            "last_loss": done.last_loss,
            "radius": done.radius,
            "clamped": done.clamped,
            "collisions": done.collisions,
            "changed_neighbourhoods": done.changed_neighbourhoods,
            "checked": done.checked,
        }
    start = perf_counter()
    keys = lattice_keys(points)
    ranks = rank_pairs(keys, len(closure), kept, held)
    report = {
        "run": _record(),
        "source": source,
        **ranks.figures(),
        "dims": DIMS,
        "seconds": seconds,
        "evaluation_seconds": perf_counter() - start,
        "nodes": len(closure),
        "pairs": len(kept),
        "repeated": closure.repeated,
        "closed": closure.closed,
        "ranks": ranks.spread(),
        "as_gensim": ranks.as_gensim(),
        "fit": fit,
        "lattice": lattice_use(points),
        "direction": measure_direction(closure, points),
        "held_out": None
        if held is None
        else {
            "share": held_out,
            "way": way,
            "implied": implied_share(closure, kept, held),
            **_predicted(keys, closure, kept, held, points),
        },
        "peers": [
            bench_gensim(closure.names, kept, held, settings, seed=seed)
            for dims in peer_dims
            for settings in settings_of(dims)
        ],
    }
    return report, tuple(points)


def _predicted(
    keys: Keys,
    closure: Closure,
    kept: NDArray[np.int64],
    held: NDArray[np.int64],
    points: Sequence[Point],
) -> dict[str, Any]:
    """How the pairs that were held out rank among the non-ancestors of their nodes, beside random places."""
    others = len(closure) - 1 - np.array([len(closure.ancestors[node]) for node in held[:, 0].tolist()])
    return {
        "pairs": len(held),
        **rank_pairs(keys, len(closure), held, kept).figures(),
        "chance_mean_rank": float(1 + others.mean() / 2),
        "direction": {
            "chance": CHANCE,
            **{name: direction_accuracy(values, held) for name, values in read_outs(points).items()},
        },
    }


def _record() -> dict[str, Any]:
    return {
        "time": datetime.now(UTC).isoformat(timespec="seconds"),
        "git": git_state(),
        "versions": versions(),
        "platform": platform.platform(),
        "machine": machine(),
        "device": device("jax"),
    }
