"""Where two packs disagree about the words they share, and which of them goes first."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from cognition.packs.load import Pack
from cognition.packs.schema import Relation, RelationType

Difference = Literal["gloss", "senses", "polarity", "order", "relation_type"]


@dataclass(frozen=True, slots=True, kw_only=True)
class PackConflict:
    """A disagreement of two packs.

    Attributes:
        difference: ``gloss`` (one sense defined twice), ``senses`` (one surface, no sense in common), ``polarity`` (one
            asserts what the other denies), ``order`` (a step in two places) or ``relation_type`` (one relation, two
            meanings).
        about: the sense, surface, statement or relation.
        first, second: what each says, in the order of precedence.
    """

    difference: Difference
    about: str
    first: str
    second: str

    def as_dict(self) -> dict[str, Any]:
        """For JSON output."""
        return {
            "difference": self.difference,
            "about": self.about,
            "first": self.first,
            "second": self.second,
        }


def compare_packs(first: Pack, second: Pack) -> tuple[PackConflict, ...]:
    """The disagreements of two packs over reviewed rows, sorted; the first has precedence over the second.

    Nothing is merged: a ranking never mixes the points of two packs, so one pack is opened at a time, and what it says
    is what counts.
    """
    found = [*_glosses(first, second), *_surfaces(first, second), *_types(first, second)]
    theirs = _reviewed(second)
    for key, row in _reviewed(first).items():
        other = theirs.get(key)
        if other is None:
            continue
        about = f"{row.subject} {row.relation} {row.object}"
        if row.polarity != other.polarity:
            found.append(_conflict("polarity", about, row.polarity, other.polarity))
        elif row.order != other.order:
            found.append(_conflict("order", about, str(row.order), str(other.order)))
    return tuple(sorted(found, key=lambda conflict: (conflict.difference, conflict.about)))


def _conflict(difference: Difference, about: str, first: str, second: str) -> PackConflict:
    return PackConflict(difference=difference, about=about, first=first, second=second)


def _glosses(first: Pack, second: Pack) -> list[PackConflict]:
    theirs = {sense.id: sense.gloss for sense in second.senses if sense.status == "reviewed"}
    return [
        _conflict("gloss", sense.id, sense.gloss, theirs[sense.id])
        for sense in first.senses
        if sense.status == "reviewed" and theirs.get(sense.id, sense.gloss) != sense.gloss
    ]


def _surfaces(first: Pack, second: Pack) -> list[PackConflict]:
    ours, theirs = _by_surface(first), _by_surface(second)
    return [
        _conflict("senses", surface, ", ".join(sorted(senses)), ", ".join(sorted(theirs[surface])))
        for surface, senses in ours.items()
        if surface in theirs and not senses & theirs[surface]
    ]


def _by_surface(pack: Pack) -> dict[str, set[str]]:
    found: dict[str, set[str]] = {}
    for sense in pack.senses:
        if sense.status == "reviewed":
            for surface in sense.surfaces:
                found.setdefault(surface, set()).add(sense.id)
    return found


def _types(first: Pack, second: Pack) -> list[PackConflict]:
    theirs = {kind.id: kind for kind in second.relation_types}
    return [
        _conflict("relation_type", kind.id, _meaning(kind), _meaning(theirs[kind.id]))
        for kind in first.relation_types
        if kind.id in theirs and _meaning(kind) != _meaning(theirs[kind.id])
    ]


def _meaning(kind: RelationType) -> str:
    """What a relation type implies; how it is worded may differ."""
    marks = [name for name in ("symmetric", "transitive", "functional") if getattr(kind, name)]
    return ", ".join([kind.kind, *marks])


def _reviewed(pack: Pack) -> dict[tuple[str, ...], Relation]:
    """The reviewed statements by relation and ends; a symmetric one by its ends in either order."""
    symmetric = {kind.id for kind in pack.relation_types if kind.symmetric}
    found: dict[tuple[str, ...], Relation] = {}
    for row in pack.relations:
        if row.status == "reviewed":
            ends = (row.subject, row.object)
            found[row.relation, *(sorted(ends) if row.relation in symmetric else ends)] = row
    return found
