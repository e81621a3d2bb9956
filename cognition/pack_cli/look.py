"""`core pack validate`, `list`, `show`, `compare`, `diff` and `schema`: what packs are and hold."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from cognition.cli import DEFAULT_PACK, JsonOption, console, emit
from cognition.pack_cli.common import PackArgument, app


@app.command("validate")
def pack_validate(pack: PackArgument = DEFAULT_PACK) -> None:
    """Check every row, reference and digest of a pack; exit 2 and one line where something is wrong."""
    from cognition.packs.compiled import check_pack

    found = check_pack(pack)
    counts = ", ".join(f"{entry.rows} in {name}" for name, entry in sorted(found.manifest.files.items()))
    typer.echo(f"{found.manifest.id} {found.manifest.version}: valid. {counts}. sha256 {found.sha256}")


@app.command("list")
def pack_list(
    folders: Annotated[
        list[Path] | None, typer.Argument(metavar="[DIR]...", help="Folders to look for packs in, too.")
    ] = None,
) -> None:
    """List the packs that ship with this distribution, and those in the folders given."""
    from cognition.packs.load import DATA, PackError, available_packs, read_manifest

    found = [(name, DATA / name) for name in available_packs()]
    for folder in folders or ():
        if not folder.is_dir():
            raise PackError(str(folder), "", "no such folder")
        inside = [folder, *sorted(path for path in folder.iterdir() if path.is_dir())]
        found += [(str(path), path) for path in inside if (path / "manifest.json").is_file()]
    for name, path in found:
        manifest, _ = read_manifest(path)
        at = "" if name == manifest.id else f"  {name}"
        typer.echo(f"{manifest.id} {manifest.version}  {manifest.title} ({manifest.language}){at}")


@app.command("show")
def pack_show(
    pack: PackArgument = DEFAULT_PACK,
    word: Annotated[
        str | None, typer.Option("--word", metavar="SURFACE", help="Show the senses of this word.")
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Show what a pack holds, or all it says of one word: senses, glosses, statements, neighbours."""
    from cga.backend import open_backend
    from cognition.packs.load import load_pack
    from cognition.packs.vocabulary import Vocabulary
    from cognition.show import describe_pack, describe_word

    found = load_pack(pack)
    if word is None:
        record = describe_pack(found)
    else:
        record = describe_word(Vocabulary(found, open_backend("numpy")), word)
        if not record["senses"]:
            raise typer.BadParameter(f"{word!r} is no surface of {found.manifest.id}", param_hint="--word")
    if as_json:
        emit(record, indent=2)
    else:
        _show_record(record)


def _show_record(record: dict[str, Any]) -> None:
    from rich.markup import escape

    screen = console()
    for key, value in record.items():
        if isinstance(value, list) and value and isinstance(value[0], dict):
            for item in value:
                screen.print()
                _show_record(item)
        else:
            separator = " " if key == "statements" else "; "
            shown = separator.join(map(str, value)) if isinstance(value, list) else str(value)
            screen.print(f"[dim]{key:11}[/dim] {escape(shown)}")


@app.command("compare")
def pack_compare(
    first: Annotated[str, typer.Argument(metavar="ID|DIR", help="The pack that takes precedence.")],
    second: Annotated[str, typer.Argument(metavar="ID|DIR", help="The other pack.")],
    as_json: JsonOption = False,
) -> None:
    """Report where two packs define or state the same thing differently; what the first one says counts."""
    from cognition.packs.compare import compare_packs
    from cognition.packs.load import load_pack

    packs = [load_pack(pack) for pack in (first, second)]
    found = compare_packs(*packs)
    names = [f"{pack.manifest.id} {pack.manifest.version}" for pack in packs]
    if as_json:
        emit({"precedence": names, "conflicts": [conflict.as_dict() for conflict in found]}, indent=2)
        return
    typer.echo(f"{names[0]} takes precedence over {names[1]}; {len(found)} differences")
    for conflict in found:
        typer.echo(f"{conflict.difference:13} {conflict.about}: {conflict.first!r}, not {conflict.second!r}")


@app.command("diff")
def pack_diff(
    first: Annotated[str, typer.Argument(metavar="ID|DIR", help="The pack before.")],
    second: Annotated[str, typer.Argument(metavar="ID|DIR", help="The pack after.")],
    as_json: JsonOption = False,
) -> None:
    """Report what the second pack adds, removes and changes: senses, statements, sources, points."""
    from cognition.packs.diff import diff_packs, in_words
    from cognition.packs.load import load_pack

    found = diff_packs(load_pack(first), load_pack(second))
    if as_json:
        emit(found.as_dict(), indent=2)
        return
    for line in in_words(found):
        typer.echo(line)


@app.command("schema")
def pack_schema(
    name: Annotated[
        str | None,
        typer.Argument(metavar="[FILE|TABLE]", help="As senses.jsonl, or terms; else all of them."),
    ] = None,
) -> None:
    """Print the JSON Schema of the rows of a pack's files, and of the tables that a pack is built from."""
    from cognition.packs.schema import json_schemas

    schemas = json_schemas()
    if name is not None and name not in schemas:
        raise typer.BadParameter(f"{name!r} is none of {', '.join(schemas)}", param_hint="FILE")
    emit(schemas if name is None else schemas[name], indent=2)
