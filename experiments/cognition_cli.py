"""`core eval cognition`: the answers to a suite, scored beside controls; and long runs in batches."""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from cognition.cli import DEFAULT_PACK, BackendChoice, JsonOption, PackOption, Span, SpanOption
from experiments.options import (
    OutOption,
    RecordDirOption,
    RecordOption,
    SplitOption,
    give_report,
    record_folder,
)

if TYPE_CHECKING:
    from experiments.cognition_eval.jobs import Outcome
    from experiments.cognition_eval.stream import Plan

BATCH = 1024
MANY = 5000
"""Turns from which on starting further processes pays."""


class Flag(StrEnum):
    """The states of the constraint that an evaluation runs."""

    off = "off"
    on = "on"
    both = "both"


class DeviceChoice(StrEnum):
    """Where JAX computes."""

    cpu = "cpu"
    gpu = "gpu"


def eval_cognition(
    split: SplitOption = "public",
    forward_graph_constraint: Annotated[
        Flag, typer.Option("--forward-graph-constraint", help="Which states of the constraint to run.")
    ] = Flag.both,
    backend: Annotated[
        BackendChoice | None,
        typer.Option(
            "--backend", help="Where the geometry runs; numpy, or jax on a GPU.", show_default=False
        ),
    ] = None,
    device: Annotated[DeviceChoice, typer.Option("--device", help="What JAX runs on.")] = DeviceChoice.cpu,
    pack: PackOption = DEFAULT_PACK,
    subject_span: SpanOption = Span.head,
    arms: Annotated[
        str | None,
        typer.Option(
            "--arms", metavar="ARM,...", help="off, on, null_vocab, null_domain, echo, dump, gloss."
        ),
    ] = None,
    top_k: Annotated[int | None, typer.Option("--top-k", min=1, help="Other than the default.")] = None,
    max_tokens: Annotated[
        int | None, typer.Option("--max-tokens", min=0, max=4096, help="Other than the default.")
    ] = None,
    batch: Annotated[
        int | None,
        typer.Option("--batch", min=1, metavar="N", help=f"Turns that run together; else {BATCH:,}."),
    ] = None,
    repeat: Annotated[
        int,
        typer.Option(
            "--repeat", min=1, metavar="R", help="R times as many prompts: the cases, then varied ones."
        ),
    ] = 1,
    jobs: Annotated[
        int | None,
        typer.Option(
            "--jobs",
            min=1,
            metavar="J",
            help=f"Processes that share the run; else one, or one a core from {MANY:,} turns on.",
        ),
    ] = None,
    samples: Annotated[
        Path | None,
        typer.Option(
            "--samples", metavar="FILE", help="Write a line for each turn; what is there already is not run."
        ),
    ] = None,
    distributed: Annotated[
        bool, typer.Option("--distributed", help="Share the run with the processes of jax.distributed.")
    ] = False,
    coordinator: Annotated[
        str | None, typer.Option("--coordinator", metavar="HOST:PORT", help="Of the process number 0.")
    ] = None,
    processes: Annotated[
        int | None, typer.Option("--processes", min=1, metavar="N", help="How many there are.")
    ] = None,
    process: Annotated[
        int | None, typer.Option("--process", min=0, metavar="I", help="The number of this one, from 0.")
    ] = None,
    as_json: JsonOption = False,
    out: OutOption = None,
    record: RecordOption = False,
    record_dir: RecordDirOption = None,
) -> None:
    """Score the answers to a split, beside controls.

    Baselines and null controls answer the same cases and are scored by the same code.

    --arms chooses arms one by one; without it "both" runs all of them, "off" and "on" that arm and the
    baselines that answer without a walk.

    With --batch, --repeat, --jobs, --samples or --distributed the arms "off" and "on" then run as a stream: the
    cases, and R - 1 times as many different prompts from templates over the pack. It is timed, and a line for each
    turn goes to --samples; a run that was broken off goes on from there.
    """
    from cognition.config import RuntimeConfig
    from experiments.cognition_eval.run import ARMS, BASELINES
    from experiments.cognition_eval.stream import STREAMED, Plan
    from experiments.harness import UsageError

    chosen: Sequence[str] = ARMS
    if arms is not None:
        chosen = arms.split(",")
    elif forward_graph_constraint is not Flag.both:
        chosen = (forward_graph_constraint.value, *BASELINES)
    given = {"top_k": top_k, "max_tokens": max_tokens}
    settings = {name: value for name, value in given.items() if value is not None}
    config = RuntimeConfig.from_mapping({"subject_span": subject_span.value, **settings})
    default = BackendChoice.jax if device is DeviceChoice.gpu else BackendChoice.numpy
    plan = Plan(
        split=split,
        pack=pack,
        backend=(backend or default).value,
        device=device.value,
        config=config,
        arms=tuple(arm for arm in STREAMED if arm in chosen),
        repeat=repeat,
        batch=batch or BATCH,
    )
    if not distributed and (coordinator, processes, process) != (None, None, None):
        raise UsageError("--coordinator, --processes and --process go with --distributed")
    if distributed and jobs is not None and jobs > 1:
        raise UsageError("--jobs: with --distributed start more processes instead")
    streamed = distributed or samples is not None or (batch, repeat, jobs) != (None, 1, None)
    if streamed and not plan.arms:
        raise UsageError(f"--arms {arms}: a stream needs one of {', '.join(STREAMED)}")
    if distributed:
        from experiments.cognition_eval.distributed import connect

        first = connect(coordinator, processes, process)[0] == 0
    else:
        first = True
    folder = record_folder(record, record_dir)
    if streamed and folder is not None and samples is None:
        samples = _unfinished(plan, folder)
    report = _scored(plan, chosen) if first else {}
    if streamed:
        if jobs is None and first:
            jobs = _processes(plan, report["suite"]["n"])
        report |= _streamed(plan, jobs or 1, samples, distributed)
        if first:
            report["run"] |= {"batch": plan.batch, "processes": report["throughput"]["processes"]}
    if first:
        from experiments.cognition_eval.show import show

        kept = samples if streamed else None
        give_report(report, show, as_json, out, record=folder, samples=kept)


def _scored(plan: Plan, arms: Sequence[str]) -> dict[str, Any]:
    """The report of the cases, all arms beside one another."""
    from cognition.packs.load import load_pack
    from cognition.packs.vocabulary import Vocabulary
    from experiments.cognition_eval.run import evaluate
    from experiments.cognition_eval.stream import open_on
    from experiments.metrics.cases import load_suite
    from experiments.metrics.lexicon import Lexicon

    vocabulary = Vocabulary(load_pack(plan.pack), open_on(plan.backend, plan.device))
    suite = load_suite(plan.split, Lexicon(vocabulary))
    return evaluate(suite, vocabulary, config=plan.config, arms=arms, batch=plan.batch)


def _processes(plan: Plan, cases: int) -> int:
    """One process, or for a long run on NumPy one a core; JAX takes the cores, or the device, by itself."""
    from experiments.harness import cores

    many = plan.backend == "numpy" and cases * plan.repeat * len(plan.arms) >= MANY
    return cores() if many else 1


def _streamed(plan: Plan, jobs: int, samples: Path | None, distributed: bool) -> dict[str, Any]:
    """What a long run adds to the report."""
    if distributed:
        from experiments.cognition_eval.distributed import run_distributed

        outcome = run_distributed(plan, samples)
    else:
        from experiments.cognition_eval.jobs import run_here

        outcome = run_here(plan, jobs, samples)
    return _of_stream(plan, outcome)


def _of_stream(plan: Plan, outcome: Outcome) -> dict[str, Any]:
    throughput = outcome.as_dict() | {
        "batch": plan.batch,
        "processes": len(outcome.memory),
        "backend": plan.backend,
        "device": plan.device,
    }
    return {
        "stream": {arm: tally.as_dict() for arm, tally in outcome.tallies.items()},
        "throughput": throughput,
        "turns_per_second": throughput["turns_per_second"],
        "walked_turns_per_second": throughput["walked_turns_per_second"],
    }


def _unfinished(plan: Plan, folder: Path) -> Path:
    """The file of samples in a folder of results, where the same command finds it again."""
    from experiments.cognition_eval.stream import Stream
    from experiments.harness import UsageError
    from experiments.runs.store import unfinished_path

    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UsageError(f"results {folder}: can't be written ({error.strerror})") from None
    return unfinished_path(folder, Stream(plan).header)
