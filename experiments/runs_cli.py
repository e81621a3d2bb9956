"""`core runs`: what was run, with which result, and what changed from one run to another."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from cognition.cli import JsonOption

app = typer.Typer(no_args_is_help=True, help="Runs that --record kept: list, show, compare.")

DirOption = Annotated[
    Path | None,
    typer.Option(
        "--dir",
        metavar="DIR",
        help="Folder of results: CORE_RESULTS, else experiments/results of a checkout, else ./core-results.",
    ),
]
RUN = "latest, or the beginning of an id or of the digest at its end."


@app.command("list")
def list_command(folder: DirOption = None, as_json: JsonOption = False) -> None:
    """List the runs, the newest first; a star marks a checkout that differed from its commit."""
    from dataclasses import asdict

    from experiments.options import give_report
    from experiments.runs.show import show_list
    from experiments.runs.store import HOW_TO, read_runs, results_folder

    where = results_folder(folder)
    runs = read_runs(where)
    report = {
        "folder": str(where),
        "runs": [record.model_dump(exclude={"summary"}) for record in runs.records],
        "damaged": [asdict(broken) for broken in runs.damaged],
        "unfinished": list(runs.unfinished),
        "how_to": HOW_TO,
    }
    give_report(report, show_list, as_json, None)


@app.command("show")
def show_command(
    run: Annotated[str, typer.Argument(metavar="ID", help=f"Which: {RUN}")],
    folder: DirOption = None,
    as_json: JsonOption = False,
) -> None:
    """Show the record of a run."""
    from experiments.options import give_report
    from experiments.runs.show import show_run
    from experiments.runs.store import find_run, results_folder

    give_report(find_run(results_folder(folder), run).model_dump(), show_run, as_json, None)


@app.command("compare")
def compare_command(
    first: Annotated[str, typer.Argument(metavar="A", help=f"The run before: {RUN}")],
    second: Annotated[str, typer.Argument(metavar="B", help="The run after, named alike.")],
    folder: DirOption = None,
    limit: Annotated[int, typer.Option("--limit", min=0, help="How many changed samples to list.")] = 20,
    fail_on_change: Annotated[
        bool, typer.Option("--fail-on-change", help="Exit with 1 where a sample changed.")
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """Compare two runs of one suite: the samples that changed, scores with intervals, what else was not the same.

    Runs of other suites or of another version of the suite are refused. Where the runs have no samples,
    --fail-on-change looks at the figures.
    """
    from experiments.options import give_report
    from experiments.runs.compare import compare_runs
    from experiments.runs.show import show_comparison
    from experiments.runs.store import find_run, results_folder

    where = results_folder(folder)
    report = compare_runs(where, find_run(where, first), find_run(where, second), limit=limit)
    give_report(report, show_comparison, as_json, None)
    if fail_on_change and report["changed"]:
        raise typer.Exit(1)
