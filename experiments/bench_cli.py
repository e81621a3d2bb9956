"""`core bench`: benchmarks, with machine and versions."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from cognition.cli import DEFAULT_PACK, JsonOption, PackOption
from experiments.options import OutOption, give_report

if TYPE_CHECKING:
    from rich.console import Console

app = typer.Typer(no_args_is_help=True, help="Benchmarks, with machine and versions.")

QuickOption = Annotated[bool, typer.Option("--quick", help="Fewer sizes and repeats: under a minute or two.")]
WriteOption = Annotated[
    Path | None, typer.Option("--write", metavar="FILE", help="Write the tables to a Markdown file as well.")
]


@app.command("all")
def bench_all_command(
    quick: QuickOption = False, as_json: JsonOption = False, out: OutOption = None, write: WriteOption = None
) -> None:
    """Measure everything beside its peers, in one table.

    A peer that is not installed has a row that says so (pip install '.[bench]'). Takes some minutes on two cores.
    """
    from experiments.bench.all import bench_all, markdown, show

    report = bench_all(quick=quick, progress=lambda line: typer.echo(line, err=True))
    _give(report, show, markdown, as_json, out, write)


@app.command("turn")
def bench_turn_command(
    pack: PackOption = DEFAULT_PACK, as_json: JsonOption = False, out: OutOption = None
) -> None:
    """Time warm turns, batches and a cold start."""
    from experiments.bench.turn import bench_turn, show

    give_report(bench_turn(pack), show, as_json, out)


@app.command("session")
def bench_session_command(
    pack: PackOption = DEFAULT_PACK,
    events: Annotated[int, typer.Option("--events", min=1, help="How long the session is.")] = 100_000,
    as_json: JsonOption = False,
    out: OutOption = None,
) -> None:
    """Time a long session: opening it, asking in it, taking back."""
    from experiments.bench.session import bench_session, show

    give_report(bench_session(pack, events=events), show, as_json, out)


@app.command("cga")
def bench_cga_command(
    quick: QuickOption = False, as_json: JsonOption = False, out: OutOption = None, write: WriteOption = None
) -> None:
    """Time the algebra beside kingdon and clifford."""
    from experiments.bench.cga import bench_cga
    from experiments.bench.tables import markdown_cga, show_cga

    _give(bench_cga(quick=quick), show_cga, markdown_cga, as_json, out, write)


@app.command("search")
def bench_search_command(
    quick: QuickOption = False, as_json: JsonOption = False, out: OutOption = None, write: WriteOption = None
) -> None:
    """Time the exact nearest words beside FAISS, hnswlib and NumPy."""
    from experiments.bench.search import bench_search
    from experiments.bench.tables import markdown_search, show_search

    _give(bench_search(quick=quick), show_search, markdown_search, as_json, out, write)


@app.command("recognition")
def bench_recognition_command(
    quick: QuickOption = False, as_json: JsonOption = False, out: OutOption = None, write: WriteOption = None
) -> None:
    """Time recognition, admitted and refused, beside spaCy's Matcher."""
    from experiments.bench.recognition import bench_recognition, markdown, show

    _give(bench_recognition(quick=quick), show, markdown, as_json, out, write)


def _give(
    report: dict[str, Any],
    show: Callable[[dict[str, Any], Console], None],
    markdown: Callable[[dict[str, Any]], str],
    as_json: bool,
    out: Path | None,
    write: Path | None,
) -> None:
    """`give_report`, and the page; a file that can't be written doesn't keep the other from being written."""
    from experiments.harness import UsageError, write_text

    problems: list[str] = []
    try:
        give_report(report, show, as_json, out)
    except UsageError as error:
        problems.append(str(error))
    try:
        if write is not None:
            write_text(write, markdown(report), "--write")
    except UsageError as error:
        problems.append(str(error))
    if problems:
        raise UsageError("; ".join(problems))
