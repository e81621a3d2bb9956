"""Adding to a pack: a further version from the tables, in which every point that was there stays where it was."""

from __future__ import annotations

import dataclasses
from collections.abc import Collection, Iterable, Sequence
from pathlib import Path
from typing import Any

from cognition.packs.assemble import Built, write
from cognition.packs.load import Pack, PackError, pack_folder, read_pack
from cognition.packs.material import (
    Material,
    Progress,
    check_material,
    quiet,
    renumbered,
    statement_key,
)
from cognition.packs.schema import MANIFEST_FILE, Relation, RelationType, Sense, Source
from cognition.packs.terms import NOT_STATED, OWN_SOURCE, Request, read_material
from cognition.packs.versions import (
    CHANGELOG_FILE,
    changelog,
    chart_as_it_is,
    extended_geometry,
    next_version,
)

_SHOWN = 5


def grow(
    request: Request,
    out: Path,
    *,
    whole: bool,
    version: str | None = None,
    seed: int = 0,
    progress: Progress = quiet,
) -> Built:
    """Makes the next version of a pack from its tables.

    New senses get points beside the old ones, whose lines stay byte for byte, as does the chart. A row that changed
    (a gloss, a domain, a status) changes no point. A retracted entry stays so unless its row names another status.
    Where nothing changed, nothing is written.

    Args:
        request: the tables; its id, language and gloss form are those of the pack.
        out: the pack's folder.
        whole: the tables hold all rows, so that a missing one is an error; otherwise they hold further ones only.
        version: of the new pack; None takes the next patch.
        seed: of the placement of new points.
        progress: told of each stage.

    Raises:
        PackError: no pack, a row that is gone, a fault in the tables, or a version that is not later.
    """
    if not (out / MANIFEST_FILE).is_file():
        raise PackError(str(out), "", "holds no pack to add to; leave out --update or --add to build it")
    base, contents = read_pack(pack_folder(out))
    manifest = base.manifest
    if request.id != manifest.id:
        raise PackError(
            "--id", "", f"{request.id!r} is not the pack's own id, {manifest.id!r}; build another pack"
        )
    later = next_version(manifest.version, version)
    statuses = {row.id: row.status for rows in (base.senses, base.relations) for row in rows}
    read = read_material(
        dataclasses.replace(
            request, known=tuple(base.senses), statuses=statuses, gloss_form=manifest.gloss_form
        ),
        progress,
    )
    own = _own_source(base, read.sources, request, later)
    senses = _settled(base.senses, _united(base.senses, read.senses), own)
    kinds = {kind.id: kind for kind in (*read.relation_types, *base.relation_types)}
    stated = _without_what_gave_way(kinds.values(), read.relations, _united(base.relations, read.relations))
    relations = _settled(base.relations, stated, own)
    if whole:
        _check_gone(base.senses, read.senses, request.terms)
        if request.relations is not None:
            _check_gone(base.relations, read.relations, request.relations)
    old = {row.id: row for row in (*base.senses, *base.relations)}
    new = [*senses, *relations]
    changes = {
        "Added": [row.id for row in new if row.id not in old],
        "Changed": [row.id for row in new if old.get(row.id, row) != row],
    }
    changes = {heading: lines for heading, lines in changes.items() if lines}
    material = Material(
        id=manifest.id,
        version=later,
        language=manifest.language,
        title=request.title or manifest.title,
        gloss_form=manifest.gloss_form,
        sources=_sources(base, read.sources, own, (*senses, *relations)),
        senses=tuple(sorted(senses, key=lambda row: row.id)),
        relation_types=tuple(kinds[name] for name in sorted(kinds)),
        relations=tuple(relations),
        stop_words=base.stop_words if request.stop_words is None else read.stop_words,
        where=read.where,
        notes=read.notes,
    )
    if not changes and material.title == manifest.title and material.stop_words == base.stop_words:
        return Built(
            folder=str(out),
            pack=manifest.id,
            version=manifest.version,
            sha256=base.sha256,
            terms=len(base.senses),
            relations=len(base.relations),
            report={},
            notes=(*read.notes, "the pack holds all of this already; nothing was written"),
        )
    check_material(material)
    progress("placing new points", 0, 0)
    geometry, placed = extended_geometry(
        base.geometry, contents["geometry.jsonl"], material.senses, material.relations, seed=seed
    )
    return write(
        material,
        chart_as_it_is(base),
        geometry,
        out,
        base=base,
        base_contents=contents | {CHANGELOG_FILE: changelog(out, base, later, changes)},
        replace=True,
        report={"points kept": len(base.geometry), "points placed": placed},
        changes=changes,
        progress=progress,
    )


def _own_source(base: Pack, read: Sequence[Source], request: Request, version: str) -> str:
    """The source of new rows that name none: the pack's own, unless other terms are stated for them."""
    listed = {source.id: source for source in base.manifest.sources}
    if OWN_SOURCE not in listed:
        return OWN_SOURCE
    stated = next((source for source in read if source.id == OWN_SOURCE), listed[OWN_SOURCE])
    same_licence = request.licence in (NOT_STATED, listed[OWN_SOURCE].licence)
    same_credit = request.attribution in (None, listed[OWN_SOURCE].attribution)
    if (same_licence and same_credit) or stated == listed[OWN_SOURCE]:
        return OWN_SOURCE
    return f"{OWN_SOURCE}-{version}"


def _united(old: Iterable[Any], new: Iterable[Any]) -> list[Any]:
    """The rows of both, new ones in place of old ones."""
    return list(({row.id: row for row in old} | {row.id: row for row in new}).values())


def _settled(old: Iterable[Any], rows: Iterable[Any], own: str) -> list[Any]:
    """Rows of the new version: as they were where they say what they said, else under the source of new rows."""
    before = {row.id: row for row in old}
    found = []
    for row in rows:
        known = before.get(row.id)
        if row.provenance.source == OWN_SOURCE and row.provenance.note is None:
            if known is not None and row.model_copy(update={"provenance": known.provenance}) == known:
                row = known
            elif own != OWN_SOURCE:
                row = row.model_copy(update={"provenance": row.provenance.model_copy(update={"source": own})})
        found.append(row)
    return found


def _check_gone(old: Iterable[Sense | Relation], new: Iterable[Sense | Relation], path: Path) -> None:
    """Raises `PackError` where a row of the pack is missing from its table: nothing disappears in silence."""
    there = {row.id for row in new}
    gone = [row.id for row in old if row.id not in there and row.status != "retracted"]
    if gone:
        shown = ", ".join(gone[:_SHOWN]) + (f" and {len(gone) - _SHOWN} more" if len(gone) > _SHOWN else "")
        raise PackError(
            path.name,
            "",
            f"lacks rows of the pack: {shown}; `core pack retract` takes back what no longer holds, and --add takes a "
            "table of further rows alone",
        )


def _without_what_gave_way(
    kinds: Collection[RelationType], stated: Iterable[Relation], relations: Iterable[Relation]
) -> list[Relation]:
    """Statements sorted; a retracted one gives way to a new one about the same ends, as a pack says a thing once."""
    symmetric = frozenset(kind.id for kind in kinds if kind.symmetric)
    new = {statement_key(row, symmetric): row.id for row in stated}
    kept = [
        row
        for row in relations
        if row.status != "retracted" or new.get(statement_key(row, symmetric), row.id) == row.id
    ]
    return sorted(renumbered(kept, kinds), key=lambda row: (row.subject, row.relation, row.object))


def _sources(
    base: Pack, read: Sequence[Source], own: str, rows: Iterable[Sense | Relation]
) -> tuple[Source, ...]:
    """The sources of both versions that are credited; those of the old one first, as they were."""
    found = {source.id: source for source in base.manifest.sources}
    for source in read:
        named = source.model_copy(update={"id": own}) if source.id == OWN_SOURCE else source
        if found.setdefault(named.id, named) != named and named.id != OWN_SOURCE:
            raise PackError(
                "sources", "id", f"{named.id!r} is another source in the pack; give it another id"
            )
    credited = {row.provenance.source for row in rows} | {source.id for source in base.manifest.sources}
    return tuple(source for name, source in found.items() if name in credited)
