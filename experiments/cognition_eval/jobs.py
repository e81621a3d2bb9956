"""A long run shared out to processes of this machine, or of several: each runs a range of the numbers."""

from __future__ import annotations

import multiprocessing
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from multiprocessing.connection import Connection, wait
from pathlib import Path
from threading import BrokenBarrierError
from typing import TYPE_CHECKING, Any

from cognition.packs.load import PackError
from experiments.cognition_eval.batch import Ran, Tally, run_numbers
from experiments.cognition_eval.stream import Plan, Stream
from experiments.harness import UsageError
from experiments.metrics.cases import CaseError
from experiments.runs.samples import SHARD_FIELD, merge_shards, shard_range

if TYPE_CHECKING:
    from multiprocessing.process import BaseProcess
    from multiprocessing.synchronize import Barrier

# One process a core: a thread pool in each would only get in the others' way.
_ONE_THREAD = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What a long run did, all processes together.

    Attributes:
        tallies: by arm.
        turns, walked: how many turns were timed, and how many of them walked.
        seconds: from the moment when all processes were ready until the last was done.
        memory: for each process, MiB in memory after a tenth of its turns, and at the end.
    """

    tallies: dict[str, Tally]
    turns: int
    walked: int
    seconds: float
    memory: tuple[tuple[float, float], ...]

    @classmethod
    def of(cls, ran: Sequence[Ran]) -> Outcome:
        """Puts the parts together."""
        tallies: dict[str, Tally] = {}
        for part in ran:
            for arm, tally in part.tallies.items():
                tallies.setdefault(arm, Tally()).merge(tally)
        return cls(
            tallies=tallies,
            turns=sum(part.fresh[0] for part in ran),
            walked=sum(part.fresh[1] for part in ran),
            seconds=max(part.seconds for part in ran),
            memory=tuple(part.memory for part in ran),
        )

    def as_dict(self) -> dict[str, Any]:
        """Ready for JSON; rates are None where nothing was left to run."""
        rate = 1 / self.seconds if self.turns and self.seconds else None
        return {
            "turns": self.turns,
            "turns_walked": self.walked,
            "seconds": self.seconds,
            "turns_per_second": None if rate is None else self.turns * rate,
            "walked_turns_per_second": None if rate is None else self.walked * rate,
            "memory_mib": [{"early": early, "end": end} for early, end in self.memory],
        }


def run_here(plan: Plan, jobs: int, samples: Path | None) -> Outcome:
    """Runs a plan in processes of this machine, and writes the rows of all of them to one file.

    Args:
        plan: what is to be run.
        jobs: how many processes; 1 is this one.
        samples: the file; None writes none. While several processes run, each writes one of its own beside it.

    Raises:
        UsageError: the file can't be used, or was begun by another number of processes; a process was killed.
        CaseError, PackError: see `Stream`.
    """
    parts = [] if samples is None else shard_paths(samples, jobs)
    if samples is not None:
        _check_begun(samples, parts)
    if jobs == 1 or (samples is not None and samples.exists()):
        stream = Stream(plan)
        return Outcome.of([run_numbers(stream, range(len(stream)), samples, stream.header)])
    outcome = Outcome.of(_in_processes(plan, jobs, parts))
    if samples is not None:
        merge_shards(parts, samples)
        for part in parts:
            part.unlink()
    return outcome


def shard_paths(samples: Path, shards: int) -> list[Path]:
    """Where each process writes its rows until all are done; a single one writes to the file itself."""
    if shards == 1:
        return [samples]
    return [samples.with_name(f"{samples.name}.{shard}-of-{shards}") for shard in range(shards)]


def shard_header(header: Mapping[str, Any], shard: int, shards: int) -> dict[str, Any]:
    """The header of the file of one process."""
    return {**header, SHARD_FIELD: [shard, shards]}


def _check_begun(samples: Path, parts: Sequence[Path]) -> None:
    """Raises UsageError where another number of processes began the file."""
    others = [path for path in samples.parent.glob(f"{samples.name}.*-of-*") if path not in parts]
    if others:
        begun = others[0].name.rpartition("-of-")[2]
        raise UsageError(f"{samples}: was begun with --jobs {begun}: go on with that, or remove {others[0]}")


def _in_processes(plan: Plan, jobs: int, parts: Sequence[Path]) -> list[Ran]:
    context = multiprocessing.get_context("spawn")
    barrier = context.Barrier(jobs)
    ends: dict[Connection, BaseProcess] = {}
    with _environment(_ONE_THREAD):
        for job in range(jobs):
            mine, theirs = context.Pipe(duplex=False)
            path = parts[job] if parts else None
            process = context.Process(
                target=_work, args=(plan, job, jobs, path, barrier, theirs), daemon=True
            )
            process.start()
            theirs.close()
            ends[mine] = process
    try:
        return _collected(ends, barrier)
    finally:
        for process in ends.values():
            process.terminate()
            process.join()


def _collected(ends: Mapping[Connection, BaseProcess], barrier: Barrier) -> list[Ran]:
    found: dict[Connection, Ran] = {}
    while len(found) < len(ends):
        for ready in wait([end for end in ends if end not in found]):
            assert isinstance(ready, Connection)
            try:
                said = ready.recv()
            except EOFError:
                process = ends[ready]
                process.join()
                barrier.abort()
                raise UsageError(
                    f"a process of the run ended with status {process.exitcode} (-9: killed, perhaps for its memory); "
                    "rows that were written are safe, and the same command goes on from there"
                ) from None
            if isinstance(said, Exception):
                raise said
            found[ready] = said
    return [found[end] for end in ends]


def _work(plan: Plan, job: int, jobs: int, path: Path | None, barrier: Barrier, parent: Connection) -> None:
    """What a process of the run does; its end of the pipe gets a `Ran`, or the error that a user can act on."""
    try:
        stream = Stream(plan)
        numbers = shard_range(len(stream), job, jobs)
        parent.send(run_numbers(stream, numbers, path, shard_header(stream.header, job, jobs), barrier.wait))
    except BrokenBarrierError:
        return  # another process failed, and says why
    except (UsageError, CaseError, PackError) as error:
        parent.send(UsageError(str(error)))
        barrier.abort()


@contextmanager
def _environment(values: Mapping[str, str]) -> Iterator[None]:
    """Variables that processes started inside begin with, where they are not set already."""
    added = {name: value for name, value in values.items() if name not in os.environ}
    os.environ.update(added)
    try:
        yield
    finally:
        for name in added:
            del os.environ[name]
