"""A further version of a pack: its number, its changelog, the points that stay and those that are new."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from cga.backend import Point, place_points
from cognition.packs.build import DOMAIN_WEIGHT, RELATION_WEIGHT, geometry_rows
from cognition.packs.load import Pack, PackError
from cognition.packs.material import Material
from cognition.packs.schema import GeometryRow, Relation, Sense

CHANGELOG_FILE = "CHANGELOG.md"
MATES = 8
"""Most mates of a domain that a new point is drawn to; of a larger domain evenly spaced ones."""
_VERSION = re.compile(r"[0-9]+\.[0-9]+\.[0-9]+")


def next_version(old: str, wanted: str | None) -> str:
    """The version after another one: the next patch, unless a later one is wanted.

    Raises:
        PackError: one that is not later.
    """
    numbers = [int(part) for part in old.split(".")]
    if wanted is None:
        return f"{numbers[0]}.{numbers[1]}.{numbers[2] + 1}"
    if not _VERSION.fullmatch(wanted) or [int(part) for part in wanted.split(".")] <= numbers:
        raise PackError(
            "--version", "", f"{wanted!r} is no version after {old}; as {next_version(old, None)}"
        )
    return wanted


def material_of(pack: Pack) -> Material:
    """The rows of a pack."""
    manifest = pack.manifest
    return Material(
        id=manifest.id,
        version=manifest.version,
        language=manifest.language,
        title=manifest.title,
        gloss_form=manifest.gloss_form,
        sources=manifest.sources,
        senses=tuple(pack.senses),
        relation_types=pack.relation_types,
        relations=tuple(pack.relations),
        stop_words=pack.stop_words,
    )


def chart_as_it_is(pack: Pack) -> dict[str, Any]:
    """The chart of a pack, for the manifest of a version that keeps it."""
    return pack.manifest.chart.model_dump(mode="json")


def changelog(folder: Path, pack: Pack, version: str, changes: Mapping[str, Sequence[str]]) -> bytes:
    """The changelog of a further version: an entry on top of the older ones."""
    title = f"# Changelog of {pack.manifest.id}\n"
    before = folder / CHANGELOG_FILE
    older = before.read_text(encoding="utf-8").removeprefix(title) if before.is_file() else ""
    parts = [title, f"\n## {version}\n\nMade from {pack.manifest.version} (sha256 {pack.sha256}).\n"]
    for heading, lines in changes.items():
        parts.append(f"\n### {heading}\n\n" + "".join(f"- {line}\n" for line in lines))
    return ("".join(parts) + older).encode("utf-8")


def extended_geometry(
    kept: Sequence[GeometryRow],
    content: bytes,
    senses: Sequence[Sense],
    relations: Sequence[Relation],
    *,
    seed: int = 0,
) -> tuple[bytes, int]:
    """The geometry of more senses: the lines of those that have points stay byte for byte, new points go beside them.

    Args:
        kept: rows of the geometry so far.
        content: their lines.
        senses, relations: rows of the new version.
        seed: of the placement.

    Returns:
        `geometry.jsonl`, and how many points were placed.
    """
    lines = {row.id: line + b"\n" for row, line in zip(kept, content.split(b"\n"), strict=False)}
    new = [sense for sense in senses if sense.id not in lines]
    if new:
        known = [Point(*row.x, row.rho) for row in kept]
        pairs = attachments([row.id for row in kept], new, senses, relations)
        points = place_points(known, len(new), pairs, seed=seed)
        found = geometry_rows([sense.id for sense in new], points).splitlines(keepends=True)
        lines |= dict(zip((sense.id for sense in new), found, strict=True))
    return b"".join(lines[sense.id] for sense in senses), len(new)


def attachments(
    known: Sequence[str], new: Sequence[Sense], senses: Sequence[Sense], relations: Sequence[Relation]
) -> list[tuple[int, int, float]]:
    """What new points should be near: (new, other, weight), the known ones first by index, then the new ones.

    A positive reviewed relation weighs `RELATION_WEIGHT`, and mates of a domain share `DOMAIN_WEIGHT`, as for
    `affinities`. A sense that has neither is drawn to the domains that its own one is part of.
    """
    index = {name: i for i, name in enumerate([*known, *(sense.id for sense in new)])}
    members: dict[str, list[int]] = defaultdict(list)
    for sense in senses:
        for domain in sense.domains:
            parts = domain.split(".")
            for size in range(1, len(parts) + 1):
                members[".".join(parts[:size])].append(index[sense.id])
    weights: dict[tuple[int, int], float] = defaultdict(float)
    first = len(known)
    for relation in relations:
        if relation.polarity == "positive" and relation.status == "reviewed":
            ends = (index[relation.subject], index[relation.object])
            if max(ends) >= first:
                weights[max(ends), min(ends)] += RELATION_WEIGHT
    related = {i for pair in weights for i in pair}
    for sense in new:
        at = index[sense.id]
        for domain in sense.domains:
            mates = _spaced([i for i in members[domain] if i != at])
            while not mates and at not in related and "." in domain:
                domain = domain.rpartition(".")[0]
                mates = _spaced([i for i in members[domain] if i != at])
            for mate in mates:
                weights[max(at, mate), min(at, mate)] += DOMAIN_WEIGHT / len(mates)
    return [(new_point, other, weight) for (new_point, other), weight in sorted(weights.items())]


def _spaced(found: list[int]) -> list[int]:
    step = -(-len(found) // MATES) or 1
    return found[::step]
