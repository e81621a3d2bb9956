"""From reviewed items to a new version of a pack: another folder, with a changelog; the old one stays as it is."""

from __future__ import annotations

import json
import os
import re
import shutil
import tempfile
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from cga.backend import Backend
from cognition import phrasing
from cognition.evidence import spoken
from cognition.packs.assemble import lines_of
from cognition.packs.build import freeze
from cognition.packs.compiled import COMPILED_FILE, write_compiled
from cognition.packs.load import Pack, pack_folder, read_file, read_pack
from cognition.packs.schema import MANIFEST_FILE, Relation, Sense
from cognition.packs.versions import CHANGELOG_FILE, changelog
from cognition.packs.vocabulary import Vocabulary
from cognition.teaching.errors import ReviewError
from cognition.teaching.items import UNSTATED, Item, Knowledge
from cognition.teaching.layer import overlay_of, source_of

_VERSION = re.compile(r"[0-9]+\.[0-9]+\.[0-9]+")


@dataclass(frozen=True, slots=True, kw_only=True)
class Built:
    """A pack that was built.

    Attributes:
        folder: where it is.
        pack: its id.
        version, sha256: of the new pack.
        base_sha256: of the pack it was built from.
        items: ids of the items in it.
        changes: lines of its changelog, by heading.
    """

    folder: str
    pack: str
    version: str
    sha256: str
    base_sha256: str
    items: tuple[str, ...]
    changes: dict[str, tuple[str, ...]]

    def as_dict(self) -> dict[str, Any]:
        """For JSON output and for the log."""
        return {
            "folder": self.folder,
            "pack": self.pack,
            "version": self.version,
            "sha256": self.sha256,
            "base_sha256": self.base_sha256,
            "items": list(self.items),
            "changes": {heading: list(lines) for heading, lines in self.changes.items()},
        }


def build_pack(
    knowledge: Knowledge,
    base: str | Path,
    out: str | Path,
    backend: Backend,
    *,
    version: str | None = None,
    licence: str = UNSTATED,
    refit: bool = False,
    seed: int = 0,
    approve: Callable[[Path], None] = lambda folder: None,
) -> Built:
    """Writes the new version of a pack that holds what is in force.

    Statements that were taken back stay as ``retracted`` rows; rows in the way of a taught one give way to it. Points
    are kept unless ``refit`` is set, so that walks change only where evidence does.

    Args:
        knowledge: reviewed items in force.
        base: the pack, by id or folder.
        out: the new folder; must not be there.
        backend: the geometry the old pack is read with.
        version: of the new pack; None takes the next minor one.
        licence: of the items that state none.
        refit: fit the points anew.
        seed: of the fit.
        approve: gets the finished folder before it is moved to ``out``; what it raises leaves nothing behind.

    Raises:
        ReviewError: ``out_exists``, ``version``, ``nothing_to_build`` or ``unstated_licence``.
        PackError: the old pack can't be used, or the new one would not be valid; nothing is written then.
    """
    folder, target = pack_folder(base), Path(out)
    if target.exists():
        raise ReviewError("out_exists", f"{target}")
    pack, texts = read_pack(folder)
    new_version = _next_version(pack.manifest.version, version)
    vocabulary = Vocabulary(pack, backend)
    overlay = overlay_of(knowledge, vocabulary)
    if not overlay.digest:
        raise ReviewError("nothing_to_build", f"{pack.manifest.id} {pack.manifest.version}")
    items = {item.id: item for item in knowledge.items if item.id in overlay.sources}
    sources = _sources(items, new_version, licence)
    taught = vocabulary.with_overlay(overlay)
    relations, gone = _relations(pack, taught, items, sources)
    senses = _senses(pack, taught, items, sources)
    changes = _changes(vocabulary, taught, items, gone)
    manifest = json.loads(read_file(folder, MANIFEST_FILE))
    manifest["version"] = new_version
    listed = {source["id"]: source for source in sources.values()}
    manifest["sources"] = [*manifest["sources"], *(listed[key] for key in sorted(listed))]
    contents = texts | {
        "relations.jsonl": lines_of(relations, pack.relations, texts["relations.jsonl"]),
        "senses.jsonl": lines_of(senses, pack.senses, texts["senses.jsonl"]),
        MANIFEST_FILE: (json.dumps(manifest, ensure_ascii=False, indent=1) + "\n").encode(),
        CHANGELOG_FILE: changelog(folder, pack, new_version, changes),
    }
    target.parent.mkdir(parents=True, exist_ok=True)
    room = Path(tempfile.mkdtemp(prefix=f".{target.name}-", dir=target.parent))
    try:
        made = room / "pack"
        made.mkdir()
        for name, content in contents.items():
            (made / name).write_bytes(content)
        report = freeze(made, refit=refit, seed=seed)
        if (folder / COMPILED_FILE).is_file():
            write_compiled(made)
        approve(made)
        os.rename(made, target)
    except FileExistsError:
        raise ReviewError("out_exists", f"{target}") from None
    finally:
        shutil.rmtree(room, ignore_errors=True)
    return Built(
        folder=str(target),
        pack=pack.manifest.id,
        version=new_version,
        sha256=str(report["sha256"]),
        base_sha256=pack.sha256,
        items=tuple(items),
        changes=changes,
    )


def _next_version(old: str, wanted: str | None) -> str:
    numbers = [int(part) for part in old.split(".")]
    if wanted is None:
        return f"{numbers[0]}.{numbers[1] + 1}.0"
    if not _VERSION.fullmatch(wanted) or [int(part) for part in wanted.split(".")] <= numbers:
        raise ReviewError("version", f"version {wanted!r} after {old}")
    return wanted


def _sources(items: dict[str, Item], version: str, licence: str) -> dict[str, dict[str, str]]:
    """For each item its source in the new manifest: one a licence, with the names of all who taught under it."""
    by_licence: dict[str, list[Item]] = defaultdict(list)
    for item in items.values():
        stated = source_of(item).licence
        given = licence if stated == UNSTATED else stated
        if given == UNSTATED:
            raise ReviewError("unstated_licence", f"item {item.id}")
        by_licence[given].append(item)
    found: dict[str, dict[str, str]] = {}
    for place, (given, under) in enumerate(sorted(by_licence.items()), 1):
        credits_ = dict.fromkeys(source_of(item).attribution for item in under)
        source = {
            "id": f"taught-{version}" + (f"-{place}" if len(by_licence) > 1 else ""),
            "title": f"Taught and reviewed for version {version}",
            "licence": given,
            "attribution": "; ".join(credits_),
        }
        found |= {item.id: source for item in under}
    return found


def _provenance(item: Item, sources: dict[str, dict[str, str]]) -> dict[str, str]:
    note = f"{item.id}: {source_of(item).attribution} on {item.decided_at[:10]}"
    return {"source": sources[item.id]["id"], "note": note}


def _relations(
    pack: Pack, taught: Vocabulary, items: dict[str, Item], sources: dict[str, dict[str, str]]
) -> tuple[list[Relation], list[Relation]]:
    """The rows of the new pack, and those of the old one that are out of force in it."""
    symmetric = {kind.id for kind in pack.relation_types if kind.symmetric}

    def ends(subject: str, relation: str, obj: str) -> tuple[str, ...]:
        return (relation, *(sorted((subject, obj)) if relation in symmetric else (subject, obj)))

    added = [
        Relation.model_validate(
            {
                "subject": one.subject,
                "relation": one.relation,
                "object": one.object,
                "polarity": "positive" if one.positive else "negative",
                "order": one.order,
                "status": "reviewed",
                "provenance": _provenance(items[one.id], sources),
            }
        )
        for one in taught.overlay.additions
    ]
    taken = {ends(row.subject, row.relation, row.object) for row in added}
    places = {(row.relation, row.object, row.order) for row in added if row.order is not None}
    kept: list[Relation] = []
    gone: list[Relation] = []
    for row in pack.relations:
        hidden = row.id in taught.overlay.hidden
        if hidden:
            gone.append(row)
        if ends(row.subject, row.relation, row.object) in taken:
            continue
        if hidden and (row.relation, row.object, row.order) in places:
            continue
        kept.append(row.model_copy(update={"status": "retracted"}) if hidden else row)
    rows = sorted([*kept, *added], key=lambda row: (row.subject, row.relation, row.object))
    return rows, gone


def _senses(
    pack: Pack, taught: Vocabulary, items: dict[str, Item], sources: dict[str, dict[str, str]]
) -> list[Sense]:
    rows: list[Sense] = []
    for sense in pack.senses:
        new = taught.overlay.glosses.get(sense.id)
        if new is None:
            rows.append(sense)
            continue
        record = sense.model_dump(mode="json")
        record |= {"gloss": new[1], "provenance": _provenance(items[new[0]], sources)}
        rows.append(Sense.model_validate(record))
    return rows


def _changes(
    vocabulary: Vocabulary, taught: Vocabulary, items: dict[str, Item], gone: list[Relation]
) -> dict[str, tuple[str, ...]]:
    def credit(evidence: str) -> str:
        item = items[evidence]
        return f"({evidence}; {source_of(item).attribution} on {item.decided_at[:10]})"

    added = []
    for one in taught.overlay.additions:
        said = taught.taught_statement(one.id)
        assert said is not None
        added.append(f"{spoken(taught, said)} {credit(one.id)}")
    changed = []
    for sense, (evidence, _) in sorted(taught.overlay.glosses.items()):
        at = vocabulary.index[sense]
        before = phrasing.sentence(phrasing.definition(vocabulary, at))
        after = phrasing.sentence(phrasing.definition(taught, at))
        changed.append(f"{sense}: “{before}” is now “{after}” {credit(evidence)}")
    removed = [f"{spoken(vocabulary, vocabulary.statement_by_id(row.id)[0])} ({row.id})" for row in gone]
    found = {"Added": added, "Changed": changed, "Out of force": removed}
    return {heading: tuple(lines) for heading, lines in found.items() if lines}
