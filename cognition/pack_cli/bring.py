"""`core pack import`: packs of public vocabularies."""

from __future__ import annotations

from collections.abc import Callable
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from cognition.cli import JsonOption, emit
from cognition.pack_cli.common import (
    AttributionOption,
    EffortOption,
    ForceOption,
    IdOption,
    LicenceOption,
    OutOption,
    SeedOption,
    TitleOption,
    VersionOption,
    app,
    say_built,
    watched,
)

if TYPE_CHECKING:
    from cognition.packs.importers.concepts import Vocabulary
    from cognition.packs.material import Progress

import_app = typer.Typer(no_args_is_help=True, help="Packs of public vocabularies.")
app.add_typer(import_app, name="import")


class Pos(StrEnum):
    """Parts of speech."""

    noun = "noun"
    verb = "verb"
    adjective = "adjective"
    adverb = "adverb"


class Broader(StrEnum):
    """What "broader" may say."""

    is_a = "is_a"
    part_of = "part_of"
    instance_of = "instance_of"


BreakOption = Annotated[
    bool, typer.Option("--break-cycles", help="Leave out the links that close a cycle, rather than refuse.")
]


@import_app.command("skos")
def import_skos(
    file: Annotated[
        Path, typer.Argument(metavar="FILE", help="Turtle, RDF/XML, N-Triples or JSON-LD, told by its name.")
    ],
    out: OutOption,
    pack_id: IdOption = None,
    version: VersionOption = None,
    title: TitleOption = None,
    licence: LicenceOption = None,
    attribution: AttributionOption = None,
    language: Annotated[
        str, typer.Option("--language", metavar="xx", help="Of the labels and definitions to take.")
    ] = "en",
    pos: Annotated[Pos, typer.Option("--pos", help="What the concepts are.")] = Pos.noun,
    broader: Annotated[
        Broader, typer.Option("--broader", help="What the thesaurus means by “broader”.")
    ] = Broader.is_a,
    scheme: Annotated[
        list[str] | None,
        typer.Option("--scheme", metavar="URI", help="Concepts of this scheme only; repeat it."),
    ] = None,
    break_cycles: BreakOption = False,
    force: ForceOption = False,
    seed: SeedOption = 0,
    effort: EffortOption = 1.0,
    as_json: JsonOption = False,
) -> None:
    """Make a pack of a SKOS thesaurus."""
    from cognition.packs.importers.skos import Choice, read_skos

    choice = Choice(
        language=language,
        pos=pos.value,
        broader=broader.value,
        schemes=tuple(scheme or ()),
        title=title,
        licence=licence,
        attribution=attribution,
    )

    def read(progress: Progress) -> Vocabulary:
        progress("reading RDF", 0, 0)
        return read_skos(file, choice)

    _bring(read, out, pack_id, version, title, break_cycles, force, seed, effort, as_json)


@import_app.command("oewn")
def import_oewn(
    path: Annotated[
        Path,
        typer.Argument(
            metavar="PATH", help="synsets.tsv(.gz), the folder of the YAML release, or WN-LMF XML(.gz)."
        ),
    ],
    out: OutOption,
    pack_id: IdOption = None,
    version: VersionOption = None,
    title: TitleOption = None,
    pos: Annotated[
        str, typer.Option("--pos", metavar="n,v,a,r", help="Parts of speech to take.")
    ] = "n,v,a,r",
    lexfile: Annotated[
        list[str] | None,
        typer.Option(
            "--lexfile", metavar="NAME", help="This lexicographer file only, as noun.animal; repeat it."
        ),
    ] = None,
    limit: Annotated[
        int | None, typer.Option("--limit", min=1, help="Take the first so many synsets.")
    ] = None,
    break_cycles: BreakOption = False,
    force: ForceOption = False,
    seed: SeedOption = 0,
    effort: EffortOption = 1.0,
    as_json: JsonOption = False,
) -> None:
    """Make a pack of Open English WordNet, or of another wordnet in WN-LMF."""
    from cognition.packs.importers.release import read_release
    from cognition.packs.importers.wordnet import vocabulary_of

    parts = [part.strip() for part in pos.split(",") if part.strip()]
    if not parts or any(part not in ("n", "v", "a", "r") for part in parts):
        raise typer.BadParameter(f"{pos!r} is no list of n, v, a, r", param_hint="--pos")

    def read(progress: Progress) -> Vocabulary:
        wordnet, source, language = read_release(path, progress)
        return vocabulary_of(
            wordnet, source, language=language, parts=parts, lexfiles=tuple(lexfile or ()), limit=limit
        )

    _bring(read, out, pack_id, version, title, break_cycles, force, seed, effort, as_json)


def _bring(
    read: Callable[[Progress], Vocabulary],
    out: Path,
    pack_id: str | None,
    version: str | None,
    title: str | None,
    break_cycles: bool,
    force: bool,
    seed: int,
    effort: float,
    as_json: bool,
) -> None:
    from cognition.packs.assemble import build, check_target, pack_id_of
    from cognition.packs.importers.concepts import material_of_vocabulary

    check_target(out, force=force)
    with watched() as progress:
        material = material_of_vocabulary(
            read(progress),
            id=pack_id or pack_id_of(out),
            version=version or "1.0.0",
            title=title,
            break_cycles=break_cycles,
            progress=progress,
        )
        built = build(material, out, force=force, seed=seed, effort=effort, progress=progress)
    if as_json:
        emit(built.as_dict(), indent=2)
    else:
        say_built(built, first=True)
