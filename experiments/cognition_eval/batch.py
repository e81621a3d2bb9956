"""A long run in one process: rows counted, written and timed, with memory that stays as it is."""

from __future__ import annotations

import gc
import os
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import orjson

from experiments.cognition_eval.stream import Stream
from experiments.runs.samples import SampleLog


def line_of(row: Mapping[str, Any]) -> str:
    """A row as one line of JSON; half of a surrogate pair, which only a prompt may hold, as its escape."""
    try:
        return orjson.dumps(row).decode()
    except TypeError:
        import json

        return json.dumps(row, ensure_ascii=True, separators=(",", ":"))


@dataclass(slots=True, kw_only=True)
class Tally:
    """What is counted of the rows of one arm.

    Attributes:
        turns, walked, answered, constrained, exhausted, closed: how many rows are, or were, so.
        steps: of all walks.
        refusals: how many of each code.
        scored: of the cases of the suite, for each score its sum and how many define it.
    """

    turns: int = 0
    walked: int = 0
    answered: int = 0
    constrained: int = 0
    exhausted: int = 0
    closed: int = 0
    steps: int = 0
    refusals: dict[str, int] = field(default_factory=dict)
    scored: dict[str, tuple[float, int]] = field(default_factory=dict)

    def add(self, row: Mapping[str, Any]) -> None:
        """Counts one row."""
        self.turns += 1
        self.constrained += row["constrained"]
        self.exhausted += row["exhausted"]
        self.closed += bool(row["closed"])
        if row["steps"] is not None:
            self.walked += 1
            self.steps += row["steps"]
        if row["refusal"] is None:
            self.answered += 1
        else:
            self.refusals[row["refusal"]] = self.refusals.get(row["refusal"], 0) + 1
        if "capture" in row:
            for name in ("groundedness", "capture", "right_intent", "right_refusal"):
                if row[name] is not None:
                    total, count = self.scored.get(name, (0.0, 0))
                    self.scored[name] = (total + float(row[name]), count + 1)

    def merge(self, other: Tally) -> None:
        """Adds what was counted elsewhere."""
        for name in ("turns", "walked", "answered", "constrained", "exhausted", "closed", "steps"):
            setattr(self, name, getattr(self, name) + getattr(other, name))
        for code, count in other.refusals.items():
            self.refusals[code] = self.refusals.get(code, 0) + count
        for name, (total, count) in other.scored.items():
            mine = self.scored.get(name, (0.0, 0))
            self.scored[name] = (mine[0] + total, mine[1] + count)

    def as_dict(self) -> dict[str, Any]:
        """Ready for JSON; shares are None where nothing defines them."""
        return {
            "turns": self.turns,
            "turns_walked": self.walked,
            "answered": self.answered,
            "constraints_engaged": self.constrained,
            "exhaustions": self.exhausted,
            "walk_length": self.steps / self.walked if self.walked else None,
            "versor_closure_rate": self.closed / self.walked if self.walked else None,
            "refusals": dict(sorted(self.refusals.items())),
            "cases": {name: total / count for name, (total, count) in sorted(self.scored.items())},
        }


@dataclass(slots=True, kw_only=True)
class Ran:
    """What one process did.

    Attributes:
        tallies: by arm, rows of an earlier, broken-off run among them.
        fresh: turns and walked turns that were timed: those of varied prompts, or of the cases where there are no
            others.
        seconds: that they took, with the writing of their rows; of cases, without their scoring.
        memory: MiB of resident memory after a tenth of them, and at the end.
    """

    tallies: dict[str, Tally]
    fresh: tuple[int, int]
    seconds: float
    memory: tuple[float, float]


def run_numbers(
    stream: Stream,
    numbers: range,
    path: Path | None = None,
    header: Mapping[str, Any] | None = None,
    ready: Callable[[], object] = lambda: None,
) -> Ran:
    """Runs some numbers of a stream, and writes their rows where a file is given; goes on with what it has.

    Args:
        stream: the prompts.
        numbers: which of them.
        path: a file of samples.
        header: of that file.
        ready: called when the cases are scored and the rest is warm, before the clock starts.

    Raises:
        UsageError: the file can't be used or written; what was written before is safe in it.
    """
    tallies = {arm: Tally() for arm in stream.plan.arms}
    log = None if path is None else SampleLog.open(path, header or {})
    try:
        if log is not None:
            for row in log.rows():
                tallies[row["arm"]].add(row)
            numbers = numbers[log.done :]
        scored = range(numbers.start, max(numbers.start, min(numbers.stop, stream.scored)))
        timed = range(scored.stop, numbers.stop)
        progress = _Progress(tallies, log)
        with _few_collections():
            for rows in stream.batches(scored, whole=log is not None):
                progress.took(rows)
            fresh, seconds = progress.turns, stream.answering
            if timed:
                next(
                    stream.batches(timed, whole=False)
                )  # warms up: what is compiled or kept from now on does not count
            ready()
            early, start, before = resident_memory(), time.perf_counter(), progress.turns
            for rows in stream.batches(timed, whole=log is not None):
                progress.took(rows)
                if progress.turns[0] - before[0] <= len(timed) // 10:
                    early = resident_memory()
            if timed:
                fresh = (progress.turns[0] - before[0], progress.turns[1] - before[1])
                seconds = time.perf_counter() - start
    finally:
        if log is not None:
            log.close()
    return Ran(tallies=tallies, fresh=fresh, seconds=seconds, memory=(early, resident_memory()))


class _Progress:
    """Rows as they come: counted, and written where there is a file."""

    def __init__(self, tallies: Mapping[str, Tally], log: SampleLog | None) -> None:
        self._tallies = tallies
        self._log = log
        self.turns = (0, 0)

    def took(self, rows: Sequence[Mapping[str, Any]]) -> None:
        if self._log is not None:
            self._log.append([line_of(row) for row in rows])
        for row in rows:
            self._tallies[row["arm"]].add(row)
        walked = sum(row["steps"] is not None for row in rows)
        self.turns = (self.turns[0] + len(rows), self.turns[1] + walked)


@contextmanager
def _few_collections() -> Iterator[None]:
    """Without Python's search for cycles: results have none, and it would look through each batch again and again."""
    was_on = gc.isenabled()
    gc.collect()
    gc.freeze()
    gc.disable()
    try:
        yield
    finally:
        gc.unfreeze()
        if was_on:
            gc.enable()


def resident_memory() -> float:
    """MiB of this process in memory now; where the system doesn't say, the most it ever had."""
    try:
        pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
        return pages * os.sysconf("SC_PAGE_SIZE") / 2**20
    except (OSError, ValueError):
        import resource

        most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        return most / (2**20 if sys.platform == "darwin" else 2**10)  # bytes there, KiB elsewhere
