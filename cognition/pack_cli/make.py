"""`core pack build`, `merge`, `retract`, `freeze` and `compile`: packs made, and further versions of them."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

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
    say_notes,
    watched,
)


class GlossChoice(StrEnum):
    """What the glosses of a table are."""

    phrase = "phrase"
    definition = "definition"


FolderArgument = Annotated[Path, typer.Argument(metavar="DIR", help="The folder of the pack.")]


@app.command("build")
def pack_build(
    terms: Annotated[Path, typer.Argument(metavar="TERMS.csv|jsonl", help="A row a term, with its gloss.")],
    out: OutOption,
    relations: Annotated[
        Path | None, typer.Option("--relations", metavar="FILE", help="A row a statement about two terms.")
    ] = None,
    sources: Annotated[
        Path | None, typer.Option("--sources", metavar="FILE", help="A row a source, with its licence.")
    ] = None,
    pack_id: IdOption = None,
    version: VersionOption = None,
    title: TitleOption = None,
    language: Annotated[
        str | None, typer.Option("--language", metavar="xx", help="Of the pack, and of terms that name none.")
    ] = None,
    licence: LicenceOption = None,
    attribution: AttributionOption = None,
    domain: Annotated[str | None, typer.Option("--domain", help="Of terms that name none.")] = None,
    gloss_form: Annotated[
        GlossChoice, typer.Option("--gloss-form", help="Phrases after “X is”, or definitions to be quoted.")
    ] = GlossChoice.phrase,
    relation_types: Annotated[
        Path | None,
        typer.Option("--relation-types", metavar="FILE.jsonl", help="Further kinds of relations."),
    ] = None,
    stop_words: Annotated[
        Path | None,
        typer.Option("--stop-words", metavar="FILE", help="A word a line, in place of the English list."),
    ] = None,
    allow_formulas: Annotated[
        bool, typer.Option("--allow-formulas", help="Keep cells that a spreadsheet would take for formulas.")
    ] = False,
    update: Annotated[
        bool,
        typer.Option("--update", help="The next version of the pack at DIR; the tables hold all its rows."),
    ] = False,
    add: Annotated[
        bool, typer.Option("--add", help="The next version of the pack at DIR; the tables hold further rows.")
    ] = False,
    force: ForceOption = False,
    seed: SeedOption = 0,
    effort: EffortOption = 1.0,
    as_json: JsonOption = False,
) -> None:
    """Build a pack from a table of terms, and one of relations between them.

    A sense's point is fitted to what it shares a domain or a relation with. --update and --add keep the points that
    are there, and place new ones beside them. Nothing is at DIR before all of it is good.
    """
    from cognition.packs.assemble import build, check_target, pack_id_of
    from cognition.packs.grow import grow
    from cognition.packs.load import read_manifest
    from cognition.packs.schema import MANIFEST_FILE
    from cognition.packs.terms import NOT_STATED, Request, read_material

    if update + add + force > 1:
        raise typer.BadParameter("give one of them", param_hint="--update, --add, --force")
    further = (update or add) and (out / MANIFEST_FILE).is_file()
    old = read_manifest(out)[0] if further else None
    if not (update or add):
        check_target(out, force=force)
    request = Request(
        terms=terms,
        relations=relations,
        sources=sources,
        id=pack_id or (old.id if old else pack_id_of(out)),
        version=version or "1.0.0",
        title=title,
        language=language or (old.language if old else "en"),
        gloss_form=gloss_form.value,
        licence=licence or NOT_STATED,
        attribution=attribution,
        domain=domain,
        relation_types=relation_types,
        stop_words=stop_words,
        allow_formulas=allow_formulas,
    )
    with watched() as progress:
        if update or add:
            built = grow(request, out, whole=update, version=version, seed=seed, progress=progress)
        else:
            material = read_material(request, progress)
            built = build(material, out, force=force, seed=seed, effort=effort, progress=progress)
    if as_json:
        emit(built.as_dict(), indent=2)
    else:
        say_built(built, first=not (update or add))


@app.command("merge")
def pack_merge(
    first: Annotated[str, typer.Argument(metavar="ID|DIR", help="The pack that takes precedence.")],
    second: Annotated[str, typer.Argument(metavar="ID|DIR", help="The other pack.")],
    out: OutOption,
    pack_id: IdOption = None,
    version: VersionOption = None,
    title: TitleOption = None,
    align: Annotated[
        bool,
        typer.Option("--align", help="Keep the first pack's points and place the second one's beside them."),
    ] = False,
    force: ForceOption = False,
    seed: SeedOption = 0,
    effort: EffortOption = 1.0,
    as_json: JsonOption = False,
) -> None:
    """Make one pack of two, in one geometry; where they disagree, the first one counts."""
    from cognition.packs.assemble import pack_id_of
    from cognition.packs.merge import merge

    with watched() as progress:
        merged = merge(
            first,
            second,
            out,
            id=pack_id or pack_id_of(out),
            version=version or "1.0.0",
            title=title,
            align=align,
            force=force,
            seed=seed,
            effort=effort,
            progress=progress,
        )
    if as_json:
        emit(merged.as_dict(), indent=2)
        return
    say_notes(
        [
            *(
                f"{conflict.about} ({conflict.difference}): {conflict.first!r} counts, not {conflict.second!r}"
                for conflict in merged.conflicts
            ),
            *(f"{old} of {second} is {new} now" for old, new in merged.renamed),
            *(f"{one} of {second} is left out for what {first} says" for one in merged.left_out),
        ]
    )
    say_built(merged.built, first=True)
    if merged.quoted:
        typer.echo("glosses of both are quoted, as those of one pack are definitions")
    typer.echo(f"{len(merged.same)} senses are in both")


@app.command("retract")
def pack_retract(
    folder: FolderArgument,
    names: Annotated[
        list[str], typer.Argument(metavar="SENSE|RELATION...", help="Ids, as hive.n.1 or rel:bee.n.1:...")
    ],
    reason: Annotated[str | None, typer.Option("--reason", help="Kept beside what is retracted.")] = None,
    version: VersionOption = None,
    as_json: JsonOption = False,
) -> None:
    """Make the next version of a pack, in which senses or statements are retracted, and list what rested on them.

    Nothing is deleted and no point moves. Statements about a retracted sense go with it.
    """
    from cognition.packs.retract import retract

    with watched() as progress:
        built, rested = retract(folder, names, reason=reason, version=version, progress=progress)
    if as_json:
        emit(built.as_dict() | {"rested": rested.as_dict()}, indent=2)
        return
    say_built(built, first=False)
    for one in rested.statements:
        typer.echo(f"retracted with it: {one}")
    for step, goal, before, now in rested.steps:
        typer.echo(f"step {before} of {goal} is step {now} now: {step}")
    for name, relation, lost in rested.chains:
        typer.echo(f"no longer follows: {name} {relation} {lost}")
    for name in rested.glosses:
        typer.echo(f"its gloss names it: {name}")


@app.command("freeze")
def pack_freeze(
    folder: Annotated[str, typer.Argument(metavar="DIR", help="A pack's folder with its rows.")],
    refit: Annotated[
        bool, typer.Option("--refit/--keep-points", help="Fit the points anew, or keep them.")
    ] = True,
    seed: SeedOption = 0,
) -> None:
    """Fit the points of a pack to what its rows assert, round them, and write the manifest with all digests."""
    from cognition.packs.build import freeze

    report = freeze(folder, refit=refit, seed=seed)
    for name, value in report.items():
        typer.echo(f"{name:24} {value}")


@app.command("compile")
def pack_compile(folder: FolderArgument) -> None:
    """Check the text of a pack, and write the compiled form that a large pack opens by."""
    from cognition.packs.compiled import write_compiled

    written = write_compiled(folder)
    typer.echo(f"{written}: {written.stat().st_size:,} bytes")
