"""From material to a pack's folder: fit, write beside the target, check, and put in place in one step."""

from __future__ import annotations

import ctypes
import hashlib
import os
import re
import shutil
import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from cognition.packs.build import (
    GEOMETRY_FILE,
    LONG_WALK,
    chart_of,
    check_closure,
    fit_geometry,
    geometry_rows,
    report_of,
    sealed,
)
from cognition.packs.compiled import COMPILED_FILE, write_compiled
from cognition.packs.load import Pack, PackError, load_pack
from cognition.packs.material import Material, Progress, check_material, quiet
from cognition.packs.schema import MANIFEST_FILE, PACK_FILES, STOP_WORDS_FILE, Manifest, Row
from cognition.packs.tables import row_line, validated

COMPILED_FROM = 2048
"""A pack of more senses gets its compiled form at once; a smaller one opens quickly from its text."""
_EXCHANGE = 2  # RENAME_EXCHANGE of renameat2(2)
_HERE = -100  # AT_FDCWD
_NO_ID = re.compile(r"[^a-z0-9]+")


@dataclass(frozen=True, slots=True, kw_only=True)
class Built:
    """A pack that was built.

    Attributes:
        folder: where it is.
        pack, version, sha256: of its manifest.
        terms, relations: how many rows it has.
        report: what the fit and the check of the field did.
        changes: what a further version adds and changes, by heading; empty for a new pack.
        notes: see `Material`.
    """

    folder: str
    pack: str
    version: str
    sha256: str
    terms: int
    relations: int
    report: Mapping[str, Any]
    changes: Mapping[str, Sequence[str]] = field(default_factory=dict)
    notes: tuple[str, ...] = ()

    def as_dict(self) -> dict[str, Any]:
        """For JSON output."""
        return {
            "folder": self.folder,
            "pack": self.pack,
            "version": self.version,
            "sha256": self.sha256,
            "terms": self.terms,
            "relations": self.relations,
            "report": dict(self.report),
            "changes": {heading: list(lines) for heading, lines in self.changes.items()},
            "notes": list(self.notes),
        }


def pack_id_of(folder: Path) -> str:
    """The id that a pack gets from its folder's name.

    Raises:
        PackError: a name that gives none.
    """
    name = _NO_ID.sub("_", folder.resolve().name.lower()).strip("_")[:64]
    if not name or not name[0].isalpha():
        raise PackError(str(folder), "", "its name gives no id for the pack; give --id, as my_words_v1")
    return name


def build(
    material: Material,
    out: Path,
    *,
    force: bool = False,
    seed: int = 0,
    effort: float = 1.0,
    progress: Progress = quiet,
) -> Built:
    """Fits the points of a pack and writes its folder.

    Args:
        material: rows.
        out: the folder; must not hold anything, unless ``force`` is set and it holds a pack, which is replaced.
        force: replace a pack.
        seed: of the fit.
        effort: of the fit.
        progress: told of each stage.

    Raises:
        PackError: something stands at ``out``, or what would be written is no valid pack. Nothing is written then.
    """
    check_target(out, force=force)
    _check(material)
    progress(f"fitting {len(material.senses):,} points", 0, 0)
    fitted = fit_geometry(
        material.senses, material.relations, material.relation_types, seed=seed, effort=effort
    )
    geometry = geometry_rows([sense.id for sense in material.senses], fitted.points)
    return write(
        material,
        chart_of(fitted),
        geometry,
        out,
        replace=force,
        report=report_of(fitted.report),
        progress=progress,
    )


def check_target(out: Path, *, force: bool) -> None:
    """Raises `PackError` where a new pack can't go: better said before the fit than after it."""
    if out.resolve() == Path.cwd():
        raise PackError(str(out), "", "is the folder that you are in; give the pack a folder of its own")
    above = next(path for path in out.resolve().parents if path.exists())
    if not os.access(above, os.W_OK | os.X_OK):
        raise PackError(str(out), "", f"can't be written: no right to make a folder in {above}")
    if out.is_symlink() or (out.exists() and not out.is_dir()):
        raise PackError(str(out), "", "is no folder; choose another name")
    if out.is_dir() and any(out.iterdir()):
        if not (out / MANIFEST_FILE).is_file():
            raise PackError(str(out), "", "holds other things than a pack; choose another folder")
        if not force:
            raise PackError(
                str(out),
                "",
                "holds a pack; --update adds to it, --force builds it anew, or choose another folder",
            )


def write(
    material: Material,
    chart: Mapping[str, Any],
    geometry: bytes,
    out: Path,
    *,
    base: Pack | None = None,
    base_contents: Mapping[str, bytes] | None = None,
    replace: bool,
    report: Mapping[str, Any],
    changes: Mapping[str, Sequence[str]] | None = None,
    progress: Progress = quiet,
) -> Built:
    """Writes a pack of rows and points, checked as a whole; see `build`.

    Args:
        material, chart, geometry: the pack.
        out: its folder.
        base, base_contents: the version it comes from, whose lines stay as they are where their rows do; further
            files of the contents go with it.
        replace: put it in the place of the pack that is there.
        report: what is reported of the points.
        changes: see `Built`.
        progress: told of each stage.
    """
    progress("writing", 0, 0)
    old = base_contents or {}
    rows: dict[str, tuple[Sequence[Row], Sequence[Row]]] = {
        "senses.jsonl": (material.senses, base.senses if base else ()),
        "relation_types.jsonl": (material.relation_types, base.relation_types if base else ()),
        "relations.jsonl": (material.relations, base.relations if base else ()),
    }
    contents = {name: lines_of(new, before, old.get(name, b"")) for name, (new, before) in rows.items()}
    contents |= {name: content for name, content in old.items() if name not in PACK_FILES}
    contents[GEOMETRY_FILE] = geometry
    contents[STOP_WORDS_FILE] = "".join(f"{word}\n" for word in material.stop_words).encode("utf-8")
    manifest = _head(material) | {"chart": dict(chart)}
    raw = sealed(manifest, {name: contents[name] for name in PACK_FILES})
    condition = install(out, {**contents, MANIFEST_FILE: raw}, replace=replace, progress=progress)
    return Built(
        folder=str(out),
        pack=material.id,
        version=material.version,
        sha256=hashlib.sha256(raw).hexdigest(),
        terms=len(material.senses),
        relations=len(material.relations),
        report={**report, f"closure, {LONG_WALK} steps": f"{condition:.1e}"},
        changes=changes or {},
        notes=material.notes,
    )


def _check(material: Material) -> None:
    """Checks all that can be checked before the fit, which takes long."""
    empty = {"chart": {"turn": ["1"] * 16, "scale": "1", "radius": "1"}, "files": {}}
    validated(Manifest, _head(material) | empty, "manifest")
    check_material(material)


def _head(material: Material) -> dict[str, Any]:
    """The manifest as far as the rows give it."""
    head: dict[str, Any] = {
        "schema_version": 1,
        "id": material.id,
        "version": material.version,
        "language": material.language,
        "title": material.title,
    }
    if material.gloss_form != "phrase":
        head["gloss_form"] = material.gloss_form
    return head | {"sources": [source.model_dump(exclude_none=True) for source in material.sources]}


def lines_of(new: Sequence[Row], before: Sequence[Row], content: bytes) -> bytes:
    """The lines of a file: as they were for rows that did not change, so that a diff shows what did."""
    if not before:
        return b"".join(map(row_line, new))
    lines = {_key(row): (row, line) for row, line in zip(before, content.split(b"\n"), strict=False)}
    found = []
    for row in new:
        kept, line = lines.get(_key(row), (None, b""))
        found.append(line + b"\n" if kept == row else row_line(row))
    return b"".join(found)


def _key(row: Any) -> str:
    return row.id


def install(out: Path, contents: Mapping[str, bytes], *, replace: bool, progress: Progress = quiet) -> float:
    """Writes files into a new folder beside the target, checks them as a pack, and puts the folder in place.

    Whatever ends this early leaves what was there; at worst a hidden folder stays beside it. Other files of a pack
    that is replaced are kept.

    Returns:
        The largest |F ~F - 1| of a long walk in it.

    Raises:
        PackError: no valid pack, or something stands at the target by now.
    """
    try:
        out.parent.mkdir(parents=True, exist_ok=True)
        room = Path(tempfile.mkdtemp(prefix=f".{out.name}-", dir=out.parent))
    except OSError as error:
        raise PackError(str(out), "", f"can't be written ({error.strerror})") from None
    try:
        made = room / "pack"
        made.mkdir()
        for name, content in contents.items():
            (made / name).write_bytes(content)
        progress("checking", 0, 0)
        if contents["senses.jsonl"].count(b"\n") > COMPILED_FROM or (out / COMPILED_FILE).is_file():
            write_compiled(made)
        condition = check_closure(load_pack(made))
        if replace and out.is_dir():
            _keep_others(out, made, contents)
            exchange(made, out)
        else:
            os.rename(made, out)
    except OSError as error:
        raise PackError(str(out), "", f"can't be written ({error.strerror})") from None
    finally:
        shutil.rmtree(room, ignore_errors=True)
    return condition


def _keep_others(old: Path, new: Path, contents: Mapping[str, bytes]) -> None:
    """Files that a user put beside a pack's own go with it."""
    for path in sorted(old.iterdir()):
        if path.name not in contents and not (new / path.name).exists():
            if path.is_dir() and not path.is_symlink():
                shutil.copytree(path, new / path.name, symlinks=True)
            else:
                shutil.copy2(path, new / path.name, follow_symlinks=False)


def exchange(new: Path, old: Path) -> None:
    """Makes two folders change places: in one step where the system can, else in two that are undone together."""
    call = getattr(ctypes.CDLL(None, use_errno=True), "renameat2", None) if sys.platform == "linux" else None
    if call is not None and call(_HERE, os.fsencode(new), _HERE, os.fsencode(old), _EXCHANGE) == 0:
        return
    aside = new.parent / "replaced"
    os.rename(old, aside)
    try:
        os.rename(new, old)
    except BaseException:
        os.rename(aside, old)
        raise
