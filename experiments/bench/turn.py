"""`core bench turn`: a warm turn, its parts, batches, and a cold start, all in one run of one process."""

from __future__ import annotations

import os
import platform
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from statistics import median
from typing import Any

from rich import box
from rich.console import Console
from rich.table import Table

from cga.backend import BACKENDS, BackendName, open_backend
from cognition.articulation import build_graph_from_input
from cognition.config import RuntimeConfig
from cognition.constraint import build_graph_constraint
from cognition.packs.load import Pack, load_pack
from cognition.packs.vocabulary import Vocabulary
from cognition.runtime import Runtime
from experiments.cognition_eval.prompts import VariedPrompts
from experiments.harness import device, git_state, machine, pack_record, versions

PROMPTS = (
    "Why does knowledge require evidence?",
    "Compare memory and recall",
    "What is light?",
    "How can I correct an error?",
    "Does memory require recall?",
)
BATCHES = (1, 64, 1024)
SAMPLES = 200
COLD_STARTS = 5
SECONDS_A_BATCH = 2.0
# Figures the predecessor published; measured on another machine, so no ratio is drawn from them.
PREDECESSOR = {"turn_ms": "650-1,500", "constraint_ms": "12.6", "first_answer_ms": "2,300-4,000"}
# What it published (ADR-0047) of the thirteen public prompts, in per cent; the constraint changed none of it.
PREDECESSOR_RATES = {"surface_groundedness": "15.4", "term_capture_rate": "0.0"}

Times = Sequence[float]


def bench_turn(pack: str) -> dict[str, Any]:
    """Times turns on both backends.

    Args:
        pack: id or folder.

    Returns:
        The report, ready for JSON; times in milliseconds as median, 99th percentile and number of samples.

    Raises:
        PackError: the pack can't be opened.
    """
    loads = _times(lambda: load_pack(pack), 5)
    loaded = load_pack(pack)
    return {
        "run": {
            "git": git_state(),
            "versions": versions(),
            "platform": platform.platform(),
            "machine": machine(),
            "devices": {name: device(name) for name in BACKENDS},
            "pack": pack_record(loaded),
            "prompts": list(PROMPTS),
        },
        "pack_load_ms": _summary(loads),
        "first_answer_ms": _summary(_cold_starts(pack)),
        "backends": {name: _bench_backend(loaded, name) for name in BACKENDS},
        "predecessor": PREDECESSOR,
    }


def _bench_backend(pack: Pack, name: BackendName) -> dict[str, Any]:
    off, on = _runtimes(Vocabulary(pack, open_backend(name)))
    return {
        **{key: _summary(times) for key, times in _single_turns(off, on).items()},
        "turns_per_second": {
            state: {str(size): _throughput(runtime, size) for size in BATCHES}
            for state, runtime in (("off", off), ("on", on))
        },
    }


def _runtimes(vocabulary: Vocabulary) -> tuple[Runtime, Runtime]:
    """With the constraint off, and on."""
    config = RuntimeConfig()
    return Runtime(vocabulary, config), Runtime(vocabulary, replace(config, forward_graph_constraint=True))


def _single_turns(off: Runtime, on: Runtime) -> dict[str, Times]:
    """Milliseconds of warm turns, one by one, and of the constraint's region alone."""
    vocabulary = off.vocabulary
    plan = off.ask(PROMPTS[0]).plan
    assert plan is not None
    graph = build_graph_from_input(PROMPTS[0], plan, vocabulary)
    return {
        "turn_off_ms": _turns(off),
        "turn_on_ms": _turns(on),
        "constraint_ms": _times(lambda: build_graph_constraint(graph, vocabulary), SAMPLES),
    }


def _turns(runtime: Runtime) -> Times:
    """Times of single turns, the prompts in turn, after one round that warms up."""
    found: list[float] = []
    for _ in range(SAMPLES // len(PROMPTS)):
        for prompt in PROMPTS:
            found.extend(_times(lambda prompt=prompt: runtime.ask(prompt), 1, warm=not found))
    return found


def _throughput(runtime: Runtime, size: int) -> float:
    """Turns a second in batches of one size, of prompts that are all different: the median over a fixed time."""
    prompts = VariedPrompts(runtime.vocabulary)
    runtime.run_batch(prompts[:size])
    times: list[float] = []
    end = time.perf_counter() + SECONDS_A_BATCH
    while not times or time.perf_counter() < end:
        first = size * (len(times) + 1)
        batch = prompts[first : first + size]
        times += _times(lambda batch=batch: runtime.run_batch(batch), 1, warm=False)
    return 1000 * size / median(times)


def _cold_starts(pack: str) -> Times:
    """Times from the start of a process to the end of its one answer."""
    code = "from experiments.cli import main; main()"
    command = [sys.executable, "-c", code, "ask", PROMPTS[2], "--pack", pack]
    return _times(
        lambda: subprocess.run(command, env=os.environ, check=True, stdout=subprocess.DEVNULL), COLD_STARTS
    )


def _times(run: Callable[[], Any], count: int, *, warm: bool = True) -> list[float]:
    """Milliseconds of each of ``count`` runs; one run before them is not counted if ``warm``."""
    if warm:
        run()
    found: list[float] = []
    for _ in range(count):
        start = time.perf_counter()
        run()
        found.append(1000 * (time.perf_counter() - start))
    return found


def _summary(times: Times) -> dict[str, float]:
    ordered = sorted(times)
    return {
        "median": median(ordered),
        "p99": ordered[min(len(ordered) - 1, int(0.99 * len(ordered)))],
        "n": len(ordered),
    }


def show(report: dict[str, Any], console: Console) -> None:
    """Prints the report for people."""
    run = report["run"]
    known = ", ".join(f"{name} {version}" for name, version in run["versions"].items() if version)
    console.print(
        f"{run['machine']}; {run['platform']}; {known}; pack {run['pack']['id']} {run['pack']['version']}"
    )
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, padding=(0, 2, 0, 0))
    table.add_column("milliseconds, median (p99)")
    for name in BACKENDS:
        table.add_column(name, justify="right")
    table.add_column("predecessor, as published", justify="right")
    backends, published = report["backends"], report["predecessor"]
    for label, key, theirs in (
        ("warm turn, constraint off", "turn_off_ms", published["turn_ms"]),
        ("warm turn, constraint on", "turn_on_ms", published["turn_ms"]),
        ("build_graph_constraint", "constraint_ms", published["constraint_ms"]),
    ):
        table.add_row(label, *(_shown(backends[name][key]) for name in BACKENDS), theirs)
    table.add_row(
        "core ask, start to answer", *_only_numpy(report["first_answer_ms"]), published["first_answer_ms"]
    )
    table.add_row("pack load and check", *_only_numpy(report["pack_load_ms"]), "-")
    console.print(table)
    rates = Table(box=box.SIMPLE_HEAD, pad_edge=False, padding=(0, 2, 0, 0))
    rates.add_column("turns a second, batch of")
    for name in BACKENDS:
        for state in ("off", "on"):
            rates.add_column(f"{name} {state}", justify="right")
    for size in map(str, BATCHES):
        found = (
            backends[name]["turns_per_second"][state][size] for name in BACKENDS for state in ("off", "on")
        )
        rates.add_row(size, *(f"{rate:,.0f}" for rate in found))
    console.print(rates)


def _shown(times: dict[str, float]) -> str:
    return f"{times['median']:.2f} ({times['p99']:.2f})"


def _only_numpy(times: dict[str, float]) -> list[str]:
    return [_shown(times) if name == "numpy" else "-" for name in BACKENDS]
