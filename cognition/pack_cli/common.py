"""What the commands of `core pack` share: the app, options, the progress of a build, and what is said of it."""

from __future__ import annotations

import shlex
import signal
import sys
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from cognition.packs.assemble import Built
    from cognition.packs.material import Progress

app = typer.Typer(no_args_is_help=True, help="Knowledge packs: build, check, look up, change.")

_SHOWN_NOTES = 20
_LOOKED_AT = 5000

PackArgument = Annotated[str, typer.Argument(metavar="ID|DIR", help="The pack.")]
OutOption = Annotated[Path, typer.Option("--out", "-o", metavar="DIR", help="The folder of the pack.")]
IdOption = Annotated[str | None, typer.Option("--id", help="Of the pack; else its folder's name gives it.")]
VersionOption = Annotated[str | None, typer.Option("--version", metavar="N.N.N", help="Of the pack.")]
TitleOption = Annotated[str | None, typer.Option("--title", help="What the pack is about, in a few words.")]
LicenceOption = Annotated[str | None, typer.Option("--licence", help="Of rows that name no source.")]
AttributionOption = Annotated[
    str | None, typer.Option("--attribution", help="Whom to credit for rows that name no source.")
]
SeedOption = Annotated[int, typer.Option("--seed", help="Of the fit.")]
EffortOption = Annotated[
    float, typer.Option("--effort", min=0.01, max=10, help="Scales the steps of the fit; 0.1 gives a draft.")
]
ForceOption = Annotated[bool, typer.Option("--force", help="Replace a pack that is there.")]


@contextmanager
def watched() -> Iterator[Progress]:
    """Shows the stages of a build on a terminal's standard error; SIGTERM ends it as Ctrl-C does, tidied up."""
    from rich.console import Console
    from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

    def stop(number: int, _: Any) -> None:
        raise SystemExit(128 + number)

    before = signal.signal(signal.SIGTERM, stop)
    try:
        if not sys.stderr.isatty():
            yield lambda stage, done, total: None
            return
        columns = (
            SpinnerColumn(),
            TextColumn("{task.description}"),
            BarColumn(bar_width=30),
            TimeElapsedColumn(),
        )
        with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
            task = bar.add_task("", total=None)

            def show(stage: str, done: int, total: int) -> None:
                bar.update(task, description=stage, completed=done, total=total or None)

            yield show
    finally:
        signal.signal(signal.SIGTERM, before)


def say_notes(notes: Sequence[str]) -> None:
    """Notes on standard error, the first of them where there are many."""
    for note in notes[:_SHOWN_NOTES]:
        typer.echo(f"note: {note}", err=True)
    if len(notes) > _SHOWN_NOTES:
        typer.echo(f"note: and {len(notes) - _SHOWN_NOTES:,} more; --json lists all", err=True)


def say_built(built: Built, *, first: bool) -> None:
    """What was built, in words, and for a new pack what to try next."""
    say_notes(built.notes)
    typer.echo(
        f"{built.pack} {built.version}: {built.terms:,} terms, {built.relations:,} relations in {built.folder}"
    )
    for heading, lines in built.changes.items():
        shown = ", ".join(lines[:5]) + (f" and {len(lines) - 5:,} more" if len(lines) > 5 else "")
        typer.echo(f"{heading.lower()}: {shown}")
    for line in in_words(built.report):
        typer.echo(line)
    typer.echo(f"sha256 {built.sha256}")
    if first:
        folder = built.folder if built.folder.startswith(("/", ".")) else f"./{built.folder}"
        typer.echo(f"next: core ask {_question(built)} --pack {shlex.quote(folder)}")


def _question(built: Built) -> str:
    """A question that the pack answers: about the noun with most statements, of the first thousands."""
    from cognition.packs.load import load_pack
    from recognition.english import indefinite_article

    pack = load_pack(Path(built.folder))
    some = islice(pack.relations, _LOOKED_AT)
    nouns = Counter(end for row in some for end in (row.subject, row.object) if ".n." in end)
    wanted = max(nouns, key=lambda name: nouns[name], default=None)
    at = bisect_left(pack.senses, wanted, key=lambda sense: sense.id) if wanted else 0
    sense = pack.senses[at]
    if sense.pos == "verb":
        return f'"What does it mean to {sense.lemma}?"'
    if sense.countability == "count" and sense.language == "en":
        return f'"What is {indefinite_article(sense.lemma)} {sense.lemma}?"'
    return f'"What is {"the " if sense.countability == "unique" else ""}{sense.lemma}?"'


def in_words(report: Mapping[str, Any]) -> list[str]:
    """What a fit did, in plain words."""
    lines = []
    if "related word in top 8" in report:
        related = float(report["related word in top 8"])
        lines.append(
            f"fit: {report['steps']} steps in {report['seconds']} s; {related:.0%} of the words that statements put "
            "nearest to a word are among its 8 nearest"
        )
        changed, moved = report["changed by rounding"], report["clamped"] + report["collisions"]
        lines.append(
            f"rounding to the lattice changed {changed or 'none'} of {report['neighbourhoods checked']:,} "
            "neighbourhoods" + (f" and moved {moved:,} points to a free place" if moved else "")
        )
    if "points kept" in report:
        lines.append(f"{report['points kept']:,} points kept, {report['points placed']:,} placed beside them")
    return lines
