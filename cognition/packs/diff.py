"""What one version of a pack, or another pack, adds to, removes from and changes of another."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from cognition.packs.load import Pack

_PARTS = ("senses", "relations", "relation_types", "sources", "stop_words")


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """A row that both packs have: which fields differ, as (before, after)."""

    id: str
    fields: Mapping[str, tuple[Any, Any]]


@dataclass(frozen=True, slots=True, kw_only=True)
class PartDifference:
    """The rows of one part of a pack that differ, by id, sorted."""

    added: tuple[str, ...]
    removed: tuple[str, ...]
    changed: tuple[Change, ...]

    def __bool__(self) -> bool:
        return bool(self.added or self.removed or self.changed)


@dataclass(frozen=True, slots=True, kw_only=True)
class PackDifference:
    """What the second of two packs does differently.

    Attributes:
        first, second: id and version.
        parts: by name, those of senses, relations, relation_types, sources and stop_words that differ.
        same_chart: whether points of both can be compared.
        moved: senses of both whose points differ.
        manifest: fields of the manifest that differ, as (before, after).
    """

    first: str
    second: str
    parts: Mapping[str, PartDifference]
    same_chart: bool
    moved: tuple[str, ...]
    manifest: Mapping[str, tuple[Any, Any]]

    def as_dict(self) -> dict[str, Any]:
        """For JSON output."""
        return {
            "first": self.first,
            "second": self.second,
            "manifest": {name: list(pair) for name, pair in self.manifest.items()},
            "same_chart": self.same_chart,
            "moved": list(self.moved),
        } | {
            name: {
                "added": list(part.added),
                "removed": list(part.removed),
                "changed": {
                    change.id: {field: list(pair) for field, pair in change.fields.items()}
                    for change in part.changed
                },
            }
            for name, part in self.parts.items()
        }


def diff_packs(first: Pack, second: Pack) -> PackDifference:
    """What the second pack adds, removes and changes."""
    parts = {}
    for name in _PARTS:
        if name == "stop_words":
            before = {word: {} for word in first.stop_words}
            after = {word: {} for word in second.stop_words}
        else:
            before, after = (_by_id(_rows(pack, name)) for pack in (first, second))
        part = _part(before, after)
        if part:
            parts[name] = part
    points = {row.id: (row.x, row.rho) for row in first.geometry}
    names = ("id", "version", "language", "title", "gloss_form")
    manifests = (first.manifest, second.manifest)
    return PackDifference(
        first=f"{first.manifest.id} {first.manifest.version}",
        second=f"{second.manifest.id} {second.manifest.version}",
        parts=parts,
        same_chart=first.manifest.chart == second.manifest.chart,
        moved=tuple(
            row.id for row in second.geometry if points.get(row.id, (row.x, row.rho)) != (row.x, row.rho)
        ),
        manifest=_fields(*({name: getattr(manifest, name) for name in names} for manifest in manifests)),
    )


def _rows(pack: Pack, name: str) -> Iterable[Any]:
    return pack.manifest.sources if name == "sources" else getattr(pack, name)


def _by_id(rows: Iterable[Any]) -> dict[str, dict[str, Any]]:
    return {row.id: row.model_dump(mode="json") for row in rows}


def _part(before: Mapping[str, dict[str, Any]], after: Mapping[str, dict[str, Any]]) -> PartDifference:
    return PartDifference(
        added=tuple(sorted(after.keys() - before.keys())),
        removed=tuple(sorted(before.keys() - after.keys())),
        changed=tuple(
            Change(id=key, fields=_fields(before[key], after[key]))
            for key in sorted(before.keys() & after.keys())
            if before[key] != after[key]
        ),
    )


def _fields(before: Mapping[str, Any], after: Mapping[str, Any]) -> dict[str, tuple[Any, Any]]:
    return {name: (before[name], after[name]) for name in before if before[name] != after[name]}


def in_words(found: PackDifference, most: int = 20) -> list[str]:
    """A difference as lines, so many at most of each kind."""
    lines = [f"{found.first} -> {found.second}"]
    lines += [f"manifest {name}: {before!r} -> {after!r}" for name, (before, after) in found.manifest.items()]
    for name, part in found.parts.items():
        shown = name.replace("_", " ")
        for sign, word, ids in (("+", "added", part.added), ("-", "removed", part.removed)):
            if ids:
                lines.append(f"{shown} {word}: {len(ids):,}")
                lines += _capped([f"  {sign} {one}" for one in ids], most)
        if part.changed:
            lines.append(f"{shown} changed: {len(part.changed):,}")
            lines += _capped(
                [
                    f"  ~ {change.id}: {field}: {before!r} -> {after!r}"
                    for change in part.changed
                    for field, (before, after) in change.fields.items()
                ],
                most,
            )
    if found.moved:
        why = "" if found.same_chart else ", as the charts differ"
        lines.append(f"points moved: {len(found.moved):,}{why}")
    if len(lines) == 1:
        lines.append("no difference")
    return lines


def _capped(lines: list[str], most: int) -> list[str]:
    return (
        [*lines[:most], f"  and {len(lines) - most:,} more; --json lists all"] if len(lines) > most else lines
    )
