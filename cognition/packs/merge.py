"""One pack of two: their senses, statements and sources, and one geometry of all of it."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from cognition.packs.assemble import Built, build, check_target, write
from cognition.packs.compare import PackConflict, compare_packs
from cognition.packs.load import Pack, pack_folder, read_pack
from cognition.packs.material import (
    Material,
    Progress,
    check_material,
    quiet,
    statement_key,
)
from cognition.packs.schema import POS_LETTERS, Relation, RelationType, Sense, Source, id_stem
from cognition.packs.versions import chart_as_it_is, extended_geometry

_MOST_DOMAINS = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class Merged:
    """What a merge did.

    Attributes:
        built: the pack.
        conflicts: where the two disagreed; what the first one says stands.
        same: senses that both have, with one gloss.
        renamed: senses of the second pack that got another number, as (old id, new id).
        left_out: statements of the second pack that the first one contradicts or orders otherwise, by id.
        quoted: the glosses of one pack are definitions, those of the other phrases; all are quoted now.
    """

    built: Built
    conflicts: tuple[PackConflict, ...]
    same: tuple[str, ...]
    renamed: tuple[tuple[str, str], ...]
    left_out: tuple[str, ...]
    quoted: bool

    def as_dict(self) -> dict[str, Any]:
        """For JSON output."""
        return self.built.as_dict() | {
            "conflicts": [conflict.as_dict() for conflict in self.conflicts],
            "same": list(self.same),
            "renamed": [list(pair) for pair in self.renamed],
            "left_out": list(self.left_out),
            "quoted": self.quoted,
        }


def merge(
    first: str | Path,
    second: str | Path,
    out: Path,
    *,
    id: str,  # noqa: A002 - the manifest's word
    version: str = "1.0.0",
    title: str | None = None,
    align: bool = False,
    force: bool = False,
    seed: int = 0,
    effort: float = 1.0,
    progress: Progress = quiet,
) -> Merged:
    """Makes one pack of two.

    Senses of one lemma, part of speech and gloss are one sense, with the surfaces and domains of both. A sense of the
    second pack whose id the first one gives to another gloss takes the next free number, and its statements follow.
    Statements of the second pack that the first one says or denies are left out, and so are the steps of a procedure
    that the first one orders itself. Every entry keeps its source; a source id that both use for different sources is
    the first one's.

    Args:
        first, second: the packs, by id or folder; the first one has precedence.
        out: the folder of the new pack.
        id, version, title: of the new pack.
        align: keep the chart and the points of the first pack and place the second one's beside them; otherwise all
            points are fitted anew.
        force: replace a pack at ``out``.
        seed: of the fit.
        effort: of the fit.
        progress: told of each stage.

    Raises:
        PackError: a pack that can't be used, or a merged one that would not be valid.
    """
    check_target(out, force=force)
    a, contents = read_pack(pack_folder(first))
    b, _ = read_pack(pack_folder(second))
    senses, names, same = _senses(a.senses, b.senses)
    sources, source_names = _sources(a.manifest.sources, b)
    kinds = {kind.id: kind for kind in (*b.relation_types, *a.relation_types)}
    moved = [_credited(_renamed(row, names), source_names) for row in b.relations]
    forms = {a.manifest.gloss_form, b.manifest.gloss_form}
    relations, left_out = _relations(a.relations, moved, kinds)
    own = {row.id for row in a.senses}
    material = Material(
        id=id,
        version=version,
        language=a.manifest.language,
        title=title or f"{a.manifest.title}; {b.manifest.title}",
        gloss_form="phrase" if forms == {"phrase"} else "definition",
        sources=sources,
        senses=tuple(
            sorted(
                (row if row.id in own else _credited(row, source_names) for row in senses),
                key=lambda row: row.id,
            )
        ),
        relation_types=tuple(kinds[name] for name in sorted(kinds)),
        relations=relations,
        stop_words=tuple(sorted({*a.stop_words, *b.stop_words})),
        where={row.id: f"{b.manifest.id}: {row.id}" for row in moved},
    )
    if align:
        check_material(material)
        progress("placing points", 0, 0)
        geometry, placed = extended_geometry(
            a.geometry, contents["geometry.jsonl"], material.senses, material.relations, seed=seed
        )
        report = {"points kept": len(a.geometry), "points placed": placed}
        built = write(
            material, chart_as_it_is(a), geometry, out, replace=force, report=report, progress=progress
        )
    else:
        built = build(material, out, force=force, seed=seed, effort=effort, progress=progress)
    return Merged(
        built=built,
        conflicts=compare_packs(a, b),
        same=tuple(same),
        renamed=tuple((old, new) for old, new in names.items() if old != new),
        left_out=left_out,
        quoted=len(forms) > 1,
    )


def _senses(first: Iterable[Sense], second: Iterable[Sense]) -> tuple[list[Sense], dict[str, str], list[str]]:
    """All senses, the new id of each of the second pack, and the ids that both have."""
    rows = {row.id: row for row in first}
    by_meaning = {(row.lemma, row.pos, row.gloss): row.id for row in rows.values()}
    theirs = list(second)
    taken: dict[str, set[int]] = defaultdict(set)
    for row in (*rows.values(), *theirs):
        stem, number = _stem(row)
        taken[stem].add(number)
    names: dict[str, str] = {}
    same = []
    for row in theirs:
        known = by_meaning.get((row.lemma, row.pos, row.gloss))
        if known is not None:
            names[row.id] = known
            same.append(known)
            rows[known] = _together(rows[known], row)
            continue
        if row.id in rows:
            stem, _ = _stem(row)
            number = max(taken[stem]) + 1
            taken[stem].add(number)
            names[row.id] = f"{stem}.{number}"
            row = row.model_copy(update={"id": names[row.id]})
        else:
            names[row.id] = row.id
        rows[row.id] = row
    return list(rows.values()), names, same


def _stem(row: Sense) -> tuple[str, int]:
    return f"{id_stem(row.lemma)}.{POS_LETTERS[row.pos]}", int(row.id.rpartition(".")[2])


def _together(ours: Sense, theirs: Sense) -> Sense:
    surfaces = tuple(dict.fromkeys((*ours.surfaces, *theirs.surfaces)))
    domains = tuple(dict.fromkeys((*ours.domains, *theirs.domains)))[:_MOST_DOMAINS]
    return ours.model_copy(update={"surfaces": surfaces, "domains": domains})


def _sources(first: tuple[Source, ...], b: Pack) -> tuple[tuple[Source, ...], dict[str, str]]:
    """The sources of both, and the new id of each of the second pack."""
    found = {source.id: source for source in first}
    names: dict[str, str] = {}
    for source in b.manifest.sources:
        name = source.id
        if found.get(name, source) != source:
            name = f"{source.id}-{b.manifest.id}"
            while found.get(name, source) not in (source, source.model_copy(update={"id": name})):
                name = _counted(name)
        names[source.id] = name
        found[name] = source.model_copy(update={"id": name})
    return tuple(found.values()), names


def _counted(name: str) -> str:
    last = re.search(r"-(\d+)$", name)
    return f"{name[: last.start()]}-{int(last[1]) + 1}" if last else f"{name}-2"


def _credited(row: Any, names: Mapping[str, str]) -> Any:
    """A row of the second pack under the new id of its source."""
    name = names[row.provenance.source]
    return row.model_copy(update={"provenance": row.provenance.model_copy(update={"source": name})})


def _renamed(row: Relation, names: Mapping[str, str]) -> Relation:
    return row.model_copy(update={"subject": names[row.subject], "object": names[row.object]})


def _relations(
    first: Iterable[Relation], second: Iterable[Relation], kinds: Mapping[str, RelationType]
) -> tuple[tuple[Relation, ...], tuple[str, ...]]:
    """The statements of both, and those of the second pack that are left out for the first one's sake."""
    symmetric = frozenset(kind.id for kind in kinds.values() if kind.symmetric)
    rows = {statement_key(row, symmetric): row for row in first}
    ordered = {
        (row.relation, row.object)
        for row in rows.values()
        if kinds[row.relation].kind == "procedural" and row.polarity == "positive"
    }
    left_out = []
    for row in second:
        known = rows.get(statement_key(row, symmetric))
        if known is None and (row.relation, row.object) in ordered and row.polarity == "positive":
            left_out.append(row.id)
        elif known is None:
            if row.subject != row.object:
                rows[statement_key(row, symmetric)] = row
            else:
                left_out.append(row.id)
        elif (known.polarity, known.order) != (row.polarity, row.order):
            left_out.append(row.id)
    return tuple(sorted(rows.values(), key=lambda row: (row.subject, row.relation, row.object))), tuple(
        left_out
    )
