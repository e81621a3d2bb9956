"""A long run shared out to the processes of `jax.distributed`, on one host or on several without a common disk."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any

import jax
import numpy as np
import orjson
from jax.experimental import multihost_utils

from experiments.cognition_eval.batch import Ran, Tally, run_numbers
from experiments.cognition_eval.jobs import Outcome, shard_header, shard_paths
from experiments.cognition_eval.stream import Plan, Stream
from experiments.harness import UsageError
from experiments.runs.samples import merge_shards, shard_range

PROBLEM = "problem"
CHUNK = 1 << 22
"""Bytes that every process sends at a time."""


def connect(coordinator: str | None, processes: int | None, process: int | None) -> tuple[int, int]:
    """Joins the run; what is not given is taken from the cluster's environment, where JAX knows it.

    Returns:
        The number of this process, and how many there are.

    Raises:
        UsageError: the others can't be found.
    """
    try:
        jax.distributed.initialize(coordinator, num_processes=processes, process_id=process)
    except (RuntimeError, ValueError) as error:
        reason = str(error).splitlines()[0]
        raise UsageError(
            f"--distributed: {reason}; give --coordinator HOST:PORT, --processes N and --process I to each process"
        ) from None
    return jax.process_index(), jax.process_count()


def run_distributed(plan: Plan, samples: Path | None) -> Outcome:
    """Runs this process's share; every process gets the outcome of all, and the first one writes the rows of all.

    Args:
        plan: the same in all processes.
        samples: the file. Each process keeps its own rows beside it, on its own disk, until they are put together.

    Raises:
        UsageError: the file can't be used, here or in another process.
        CaseError, PackError: see `Stream`.
    """
    shard, shards = jax.process_index(), jax.process_count()
    stream = Stream(plan)
    header = shard_header(stream.header, shard, shards) if shards > 1 else stream.header
    mine = None if samples is None else shard_paths(samples, shards)[shard]
    numbers = shard_range(len(stream), shard, shards)
    try:
        said = orjson.dumps(asdict(run_numbers(stream, numbers, mine, header)))
    except UsageError as error:  # the others are told, rather than left waiting
        said = orjson.dumps({PROBLEM: str(error)})
    heard = [orjson.loads(one) for one in _gathered(said)]
    if problems := [one[PROBLEM] for one in heard if PROBLEM in one]:
        raise UsageError("; ".join(dict.fromkeys(problems)))
    if samples is not None and mine is not None and shards > 1:
        _put_together(samples, mine, shard, shards)
    return Outcome.of([_ran(one) for one in heard])


def _put_together(samples: Path, mine: Path, shard: int, shards: int) -> None:
    """Sends the rows of all processes to the first one, which writes them to one file."""
    copies = [samples.with_name(f".{samples.name}.{number}-of-{shards}.copy") for number in range(shards)]
    sizes = [int(said) for said in _gathered(str(mine.stat().st_size).encode())]
    with mine.open("rb") as file:
        targets = [copy.open("wb") for copy in copies] if shard == 0 else []
        try:
            for _ in range(-(-max(sizes) // CHUNK)):
                for number, chunk in enumerate(_gathered(file.read(CHUNK))):
                    if targets:
                        targets[number].write(chunk)
        finally:
            for target in targets:
                target.close()
    if shard == 0:
        merge_shards(copies, samples)
        for copy in copies:
            copy.unlink()
    multihost_utils.sync_global_devices("merged")
    mine.unlink()


def _gathered(content: bytes) -> Iterator[bytes]:
    """What every process gives, in the order of the processes."""
    sizes = np.ravel(multihost_utils.process_allgather(np.array([len(content)], np.int32)))
    padded = np.zeros(max(1, int(sizes.max())), np.uint8)
    padded[: len(content)] = np.frombuffer(content, np.uint8)
    rows = np.reshape(multihost_utils.process_allgather(padded), (len(sizes), len(padded)))
    return (row[:size].tobytes() for row, size in zip(rows, sizes.tolist(), strict=True))


def _ran(said: dict[str, Any]) -> Ran:
    tallies = {arm: Tally(**tally) for arm, tally in said["tallies"].items()}
    return Ran(
        tallies=tallies, fresh=tuple(said["fresh"]), seconds=said["seconds"], memory=tuple(said["memory"])
    )
