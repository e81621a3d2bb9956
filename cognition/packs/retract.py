"""Taking back what a pack says: a further version in which it has the status retracted, and what rested on it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, TypeVar

from cognition.packs.assemble import Built, write
from cognition.packs.load import Pack, PackError, pack_folder, read_pack
from cognition.packs.material import Progress, asserted, quiet, renumbered
from cognition.packs.schema import Relation, RelationType, Sense
from cognition.packs.tables import suggestion
from cognition.packs.versions import CHANGELOG_FILE, changelog, chart_as_it_is, material_of, next_version
from cognition.packs.words import surface_key

T = TypeVar("T", Sense, Relation)


@dataclass(frozen=True, slots=True, kw_only=True)
class Rested:
    """What rested on entries that are retracted.

    Attributes:
        statements: those that a retracted sense was an end of; they are retracted with it.
        glosses: senses whose gloss names a retracted one; they stay, and may have to be put otherwise.
        chains: (sense, relation, what it reaches no more): it was above the sense only through what is gone.
        steps: (step, goal, place before, place now) of steps that moved up.
    """

    statements: tuple[str, ...]
    glosses: tuple[str, ...]
    chains: tuple[tuple[str, str, str], ...]
    steps: tuple[tuple[str, str, int, int], ...]

    def as_dict(self) -> dict[str, Any]:
        """For JSON output."""
        return {
            "statements": list(self.statements),
            "glosses": list(self.glosses),
            "chains": [list(one) for one in self.chains],
            "steps": [list(one) for one in self.steps],
        }


def retract(
    folder: Path,
    names: Sequence[str],
    *,
    reason: str | None = None,
    version: str | None = None,
    progress: Progress = quiet,
) -> tuple[Built, Rested]:
    """Makes the next version of a pack, in which senses or statements are retracted.

    Nothing is deleted and no point moves. Statements about a retracted sense are retracted too. Steps of a procedure
    that follow a retracted one move up, so that their order has no gap.

    Args:
        folder: of the pack.
        names: ids of senses (``hive.n.1``) and of statements (``rel:...``).
        reason: kept in the changelog and beside each entry.
        version: of the new pack; None takes the next patch.
        progress: told of each stage.

    Raises:
        PackError: no pack, an id that it does not have, or one that is retracted already.
    """
    base, contents = read_pack(pack_folder(folder))
    later = next_version(base.manifest.version, version)
    gone = _wanted(base, names)
    with_them = tuple(
        row.id
        for row in base.relations
        if row.status != "retracted" and row.id not in gone and {row.subject, row.object} & gone
    )
    note = f"retracted in {later}" + (f": {reason}" if reason else "")
    senses = [_taken_back(row, note) if row.id in gone else row for row in base.senses]
    marked = gone | set(with_them)
    relations = renumbered(
        (_taken_back(row, note) if row.id in marked else row for row in base.relations), base.relation_types
    )
    rested = Rested(
        statements=with_them,
        glosses=_glosses(base.senses, gone),
        chains=tuple(
            chain
            for kind in base.relation_types
            if kind.transitive and kind.kind == "taxonomic"
            for chain in _chains(kind, base.relations, marked, gone)
        ),
        steps=_steps(base.relations, relations),
    )
    changes = {"Retracted": [f"{one} ({reason})" if reason else one for one in (*sorted(gone), *with_them)]}
    material = replace(material_of(base), version=later, senses=tuple(senses), relations=tuple(relations))
    built = write(
        material,
        chart_as_it_is(base),
        contents["geometry.jsonl"],
        folder,
        base=base,
        base_contents=contents | {CHANGELOG_FILE: changelog(folder, base, later, changes)},
        replace=True,
        report={"points kept": len(base.geometry), "points placed": 0},
        changes=changes,
        progress=progress,
    )
    return built, rested


def _wanted(pack: Pack, names: Sequence[str]) -> set[str]:
    known = {row.id: row.status for rows in (pack.senses, pack.relations) for row in rows}
    found = set()
    for given in names:
        name = given.removeprefix("gloss:")
        if name not in known:
            raise PackError(
                given,
                "",
                f"is no sense and no statement of {pack.manifest.id}{suggestion(name, list(known))}",
            )
        if known[name] == "retracted":
            raise PackError(given, "", "is retracted already")
        found.add(name)
    return found


def _taken_back(row: T, note: str) -> T:
    noted = "; ".join(filter(None, (row.provenance.note, note)))
    provenance = row.provenance.model_copy(update={"note": noted})
    return row.model_copy(update={"status": "retracted", "provenance": provenance})


def _glosses(senses: Iterable[Sense], gone: Collection[str]) -> tuple[str, ...]:
    rows = list(senses)
    names = {surface_key(surface) for row in rows if row.id in gone for surface in row.surfaces}
    longest = max(map(len, names), default=0)
    found = []
    for row in rows:
        if row.id not in gone and row.status != "retracted":
            words = surface_key(row.gloss)
            spans = (words[at : at + size] for size in range(1, longest + 1) for at in range(len(words)))
            if any(span in names for span in spans):
                found.append(row.id)
    return tuple(found)


def _chains(
    kind: RelationType, relations: Iterable[Relation], marked: Collection[str], gone: Collection[str]
) -> list[tuple[str, str, str]]:
    """What each sense below a retracted sense or statement reaches no more."""
    before: dict[str, list[str]] = defaultdict(list)
    after: dict[str, list[str]] = defaultdict(list)
    below: dict[str, list[str]] = defaultdict(list)
    starts: set[str] = set()
    for row in asserted(relations, kind.id):
        before[row.subject].append(row.object)
        below[row.object].append(row.subject)
        if row.id in marked:
            starts.add(row.subject)
        else:
            after[row.subject].append(row.object)
    found = []
    for name in sorted(_reached(starts, below) | starts):
        if name not in gone:
            lost = _reached({name}, before) - _reached({name}, after) - set(gone)
            found.extend((name, kind.id, one) for one in sorted(lost))
    return found


def _reached(starts: Iterable[str], onward: dict[str, list[str]]) -> set[str]:
    found: set[str] = set()
    rest = list(starts)
    while rest:
        for one in onward.get(rest.pop(), ()):
            if one not in found:
                found.add(one)
                rest.append(one)
    return found


def _steps(before: Iterable[Relation], after: Iterable[Relation]) -> tuple[tuple[str, str, int, int], ...]:
    old = {row.id: row.order for row in before}
    return tuple(
        (row.subject, row.object, old[row.id] or 0, row.order or 0)
        for row in after
        if row.status != "retracted" and row.order != old[row.id]
    )
