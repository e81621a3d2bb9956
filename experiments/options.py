"""What the commands of `experiments` share: options, the vocabulary of a pack, and how a report is given."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from cognition.cli import BackendChoice

if TYPE_CHECKING:
    from rich.console import Console

    from cognition.packs.vocabulary import Vocabulary

OutOption = Annotated[
    Path | None, typer.Option("--out", metavar="FILE", help="Write the JSON object to a file as well.")
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


def give_report(
    report: dict[str, Any],
    show: Callable[[dict[str, Any], Console], None],
    as_json: bool,
    out: Path | None,
) -> None:
    """Prints a report, for people or as one JSON object, and writes it to a file where that is asked for.

    Raises:
        UsageError: the file can't be written.
    """
    from experiments.harness import console, to_json, write_json

    if out is not None:
        write_json(out, report)
    if as_json:
        typer.echo(to_json(report))
    else:
        show(report, console())
