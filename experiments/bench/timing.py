"""Timing two sides of a ratio in one process: in turns, median and spread, compile time apart."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from statistics import median
from typing import Any

REPEATS = 9
QUICK_REPEATS = 5
SECONDS = 1.5
"""Once the repeats of one case took this long no more are run (at least three are)."""

Run = Callable[[], Any]


def first_call(run: Run) -> float:
    """Milliseconds of the first call, which compiles."""
    return _milliseconds(run)


def side_by_side(ours: Run, theirs: Run | None, repeats: int) -> dict[str, Any]:
    """Times both sides in turns, after one call of each that is not counted.

    Returns:
        Medians in milliseconds, least and greatest, and the ratio theirs / ours of neighbouring calls.
    """
    ours()
    if theirs is not None:
        theirs()
    first: list[float] = []
    second: list[float] = []
    end = time.perf_counter() + SECONDS
    while len(first) < repeats and (len(first) < 3 or time.perf_counter() < end):
        first.append(_milliseconds(ours))
        if theirs is not None:
            second.append(_milliseconds(theirs))
    found: dict[str, Any] = {"ours_ms": summary(first)}
    if theirs is not None:
        found["theirs_ms"] = summary(second)
        found["ratio"] = summary([b / a for a, b in zip(first, second, strict=True)])
    return found


def in_turns(runs: Mapping[str, Run], repeats: int) -> dict[str, list[float]]:
    """Times several sides in turns, after one call of each that is not counted.

    Returns:
        For each side its milliseconds, one a turn.
    """
    for run in runs.values():
        run()
    found: dict[str, list[float]] = {name: [] for name in runs}
    end = time.perf_counter() + SECONDS * len(runs)
    turns = 0
    while turns < repeats and (turns < 3 or time.perf_counter() < end):
        for name, run in runs.items():
            found[name].append(_milliseconds(run))
        turns += 1
    return found


def summary(values: list[float]) -> dict[str, float]:
    """Median, least and greatest of some values, and how many there are."""
    return {"median": median(values), "min": min(values), "max": max(values), "n": len(values)}


def _milliseconds(run: Run) -> float:
    start = time.perf_counter()
    run()
    return 1000 * (time.perf_counter() - start)
