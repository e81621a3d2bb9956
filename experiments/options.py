"""What the commands of `experiments` share: options, the vocabulary of a pack, and how a report is given."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from cognition.cli import BackendChoice

if TYPE_CHECKING:
    from rich.console import Console

    from cognition.packs.vocabulary import Vocabulary
    from experiments.metrics.suites import SuiteVersion

OutOption = Annotated[
    Path | None, typer.Option("--out", metavar="FILE", help="Write the JSON object to a file as well.")
]
RecordOption = Annotated[
    bool, typer.Option("--record", help="Keep the run in the folder of results: see `core runs`.")
]
RecordDirOption = Annotated[
    Path | None, typer.Option("--record-dir", metavar="DIR", help="Keep the run in this folder instead.")
]
SplitOption = Annotated[
    str, typer.Option("--split", metavar="public|dev|FILE", help="Which cases: a split, or a JSONL file.")
]
EvalBackendOption = Annotated[BackendChoice, typer.Option("--backend", help="Where the geometry runs.")]


def open_vocabulary(pack: str, backend: BackendChoice) -> Vocabulary:
    """Opens a pack, by id or folder, in a backend.

    Raises:
        PackError: the pack can't be used.
    """
    from cga.backend import open_backend
    from cognition.packs.load import load_pack
    from cognition.packs.vocabulary import Vocabulary

    return Vocabulary(load_pack(pack), open_backend(backend.value))


def record_folder(record: bool, folder: Path | None) -> Path | None:
    """Where the options of recording want a run to be kept; None where they don't."""
    if not record and folder is None:
        return None
    from experiments.runs.store import results_folder

    return results_folder(folder)


def give_report(
    report: dict[str, Any],
    show: Callable[[dict[str, Any], Console], None],
    as_json: bool,
    out: Path | None,
    *,
    record: Path | None = None,
    samples: Path | Iterable[Mapping[str, Any]] | None = None,
    suite: SuiteVersion | None = None,
) -> None:
    """Prints a report, for people or as one JSON object; then writes it to a file and records the run, as asked for.

    Args:
        report: what an evaluation gives.
        show: prints it for people.
        as_json: print it as JSON.
        out: a file for the JSON object.
        record: folder of results.
        samples, suite: of the run, as in `experiments.runs.store.record_report`.

    Raises:
        UsageError: a file can't be written; the report is printed all the same.
    """
    from experiments.harness import UsageError, console, to_json, write_json

    if as_json:
        typer.echo(to_json(report))
    else:
        show(report, console())
    problems: list[str] = []
    try:
        if out is not None:
            write_json(out, report)
    except UsageError as error:
        problems.append(str(error))
    if record is not None:
        from experiments.runs.store import record_report

        try:
            path = record_report(report, samples, record, suite=suite)
            typer.echo(f"recorded: {path}", err=True)
        except UsageError as error:
            problems.append(str(error))
    if problems:
        raise UsageError("; ".join(problems))
