"""Reading a pack: every row checked, every digest checked, one line that says what is wrong and where."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from pydantic import ValidationError

from cognition.packs.schema import (
    JSONL_FILES,
    MANIFEST_FILE,
    PACK_FILES,
    STOP_WORDS_FILE,
    GeometryRow,
    Manifest,
    PackId,
    Relation,
    RelationType,
    Row,
    Sense,
)

if TYPE_CHECKING:
    from cognition.packs.compiled import CompiledRecord

DATA = Path(__file__).parent / "data"
DEFAULT_PACK = "en_core_cognition_v1"

R = TypeVar("R", bound=Row)


class PackError(Exception):
    """A pack that can't be used: where, which field, what, and what to do.

    Attributes:
        where: ``file`` or ``file:line``.
        field: dotted path of the field, or "" where the whole line or file is meant.
        what: the fault and its remedy.
    """

    def __init__(self, where: str, field: str, what: str) -> None:
        self.where, self.field, self.what = where, field, what
        super().__init__(": ".join(part for part in (where, field, what) if part))


@dataclass(frozen=True, slots=True, kw_only=True)
class Pack:
    """A pack as read from disk, checked row by row and across rows.

    Attributes:
        sha256: digest of `manifest.json`, which holds the digests of all files: the identity of the pack.
        compiled: the compiled form it was opened by, whose rows are read when they are asked for; None where the
            text was read.
    """

    manifest: Manifest
    senses: Sequence[Sense]
    relation_types: tuple[RelationType, ...]
    relations: Sequence[Relation]
    geometry: Sequence[GeometryRow]
    stop_words: tuple[str, ...]
    sha256: str
    compiled: CompiledRecord | None = None


def available_packs() -> tuple[str, ...]:
    """Ids of the packs that ship with the distribution."""
    return tuple(sorted(path.parent.name for path in DATA.glob(f"*/{MANIFEST_FILE}")))


def pack_folder(pack: str | Path) -> Path:
    """The folder of a pack named by id (shipped) or by path (anything with a separator, or a `Path`).

    Raises:
        PackError: no such pack.
    """
    if isinstance(pack, str) and not ("/" in pack or "\\" in pack or pack.startswith(".")):
        if not _is_pack_id(pack) or not (DATA / pack / MANIFEST_FILE).is_file():
            known = ", ".join(available_packs()) or "none"
            raise PackError(pack, "", f"no pack of this id; shipped: {known}; a folder is given as ./path")
        return DATA / pack
    folder = Path(pack)
    if not folder.is_dir():
        raise PackError(str(folder), "", "no such folder; a pack is a folder with a manifest.json")
    return folder


def load_pack(pack: str | Path = DEFAULT_PACK) -> Pack:
    """Opens a pack: by its compiled form where the folder has one that fits (ADR 0011), else by its checked text.

    Raises:
        PackError: missing, malformed, inconsistent or tampered.
    """
    from cognition.packs.compiled import open_compiled

    folder = pack_folder(pack)
    return open_compiled(folder) or read_pack(folder)[0]


def read_pack(folder: Path) -> tuple[Pack, dict[str, bytes]]:
    """Reads and checks the whole text of a pack.

    Returns:
        The pack, and the bytes of its files by name.

    Raises:
        PackError: missing, malformed, inconsistent or tampered.
    """
    manifest, manifest_bytes = read_manifest(folder)
    contents = {name: read_file(folder, name) for name in PACK_FILES}
    rows: dict[str, tuple[Any, ...]] = {
        name: tuple(parse_lines(model, contents[name], name)) for name, model in JSONL_FILES.items()
    }
    stop_words = parse_stop_words(contents[STOP_WORDS_FILE])
    counts = {name: len(rows.get(name, stop_words)) for name in PACK_FILES}
    check_digests(manifest, manifest_bytes, contents, counts)
    pack = Pack(
        manifest=manifest,
        senses=rows["senses.jsonl"],
        relation_types=rows["relation_types.jsonl"],
        relations=rows["relations.jsonl"],
        geometry=rows["geometry.jsonl"],
        stop_words=stop_words,
        sha256=hashlib.sha256(manifest_bytes).hexdigest(),
    )
    check_references(pack)
    return pack, contents


def read_manifest(folder: Path) -> tuple[Manifest, bytes]:
    """The manifest of a pack's folder, and its bytes.

    Raises:
        PackError: missing or malformed, or with a file that no pack has.
    """
    raw = read_file(folder, MANIFEST_FILE)
    manifest = parse_row(Manifest, raw, MANIFEST_FILE)
    for name in manifest.files:
        if name not in PACK_FILES:
            raise PackError(
                MANIFEST_FILE, f"files.{name}", f"not a file of a pack; known: {', '.join(PACK_FILES)}"
            )
    return manifest, raw


def check_references(pack: Pack) -> None:
    """Checks what no single row shows: order, unknown ids, points, contradictions, gaps in ordered steps.

    Raises:
        PackError: the first fault, with file and line.
    """
    _check_ascending("senses.jsonl", "id", [sense.id for sense in pack.senses])
    _check_ascending("relation_types.jsonl", "id", [kind.id for kind in pack.relation_types])
    triples = [(r.subject, r.relation, r.object) for r in pack.relations]
    _check_ascending("relations.jsonl", "subject, relation, object", triples)
    _check_ascending(STOP_WORDS_FILE, "", list(pack.stop_words))
    sources = {source.id for source in pack.manifest.sources}
    senses = {sense.id for sense in pack.senses}
    kinds = {kind.id for kind in pack.relation_types}
    for line, sense in enumerate(pack.senses, 1):
        if sense.provenance.source not in sources:
            raise PackError(
                f"senses.jsonl:{line}", "provenance.source", _unknown(sense.provenance.source, MANIFEST_FILE)
            )
    for line, relation in enumerate(pack.relations, 1):
        where = f"relations.jsonl:{line}"
        for field, value, known, home in (
            ("subject", relation.subject, senses, "senses.jsonl"),
            ("relation", relation.relation, kinds, "relation_types.jsonl"),
            ("object", relation.object, senses, "senses.jsonl"),
            ("provenance.source", relation.provenance.source, sources, MANIFEST_FILE),
        ):
            if value not in known:
                raise PackError(where, field, _unknown(value, home))
        if relation.subject == relation.object:
            raise PackError(where, "object", "a sense does not stand in a relation to itself")
    _check_symmetric(pack)
    _check_steps(pack)
    points: dict[tuple[int, int, int, int], int] = {}
    for line, row in enumerate(pack.geometry, 1):
        where = f"geometry.jsonl:{line}"
        expected = pack.senses[line - 1].id if line <= len(pack.senses) else "nothing"
        if row.id != expected:
            raise PackError(
                where, "id", f"expected {expected}: one row a sense, in the order of senses.jsonl"
            )
        point = (*row.x, row.rho)
        if point in points:
            raise PackError(where, "x", f"same lattice point as line {points[point]}: refit the pack")
        points[point] = line
    if len(pack.geometry) != len(pack.senses):
        missing = pack.senses[len(pack.geometry)].id
        raise PackError(
            f"geometry.jsonl:{len(pack.geometry) + 1}", "id", f"{missing} has no point: refit the pack"
        )


def _check_symmetric(pack: Pack) -> None:
    """A symmetric relation says the same from both ends: one row a pair, asserted or denied."""
    symmetric = {kind.id for kind in pack.relation_types if kind.symmetric}
    seen: dict[tuple[str, str, str], int] = {}
    for line, relation in enumerate(pack.relations, 1):
        if relation.relation in symmetric:
            first, second = sorted((relation.subject, relation.object))
            other = seen.setdefault((first, relation.relation, second), line)
            if other != line:
                raise PackError(
                    f"relations.jsonl:{line}",
                    "object",
                    f"says of the same pair what line {other} says or denies",
                )


def _check_steps(pack: Pack) -> None:
    procedural = {kind.id for kind in pack.relation_types if kind.kind == "procedural"}
    orders: dict[tuple[str, str], list[tuple[int, int]]] = {}
    for line, relation in enumerate(pack.relations, 1):
        if relation.relation not in procedural:
            if relation.order is not None:
                raise PackError(f"relations.jsonl:{line}", "order", "only steps of a procedure are ordered")
        elif relation.polarity == "positive":
            if relation.order is None:
                raise PackError(f"relations.jsonl:{line}", "order", "a step needs its place, from 1")
            orders.setdefault((relation.relation, relation.object), []).append((relation.order, line))
    for (_, goal), found in sorted(orders.items()):
        for place, (order, line) in enumerate(sorted(found), 1):
            if order != place:
                raise PackError(
                    f"relations.jsonl:{line}", "order", f"steps of {goal}: expected {place}, found {order}"
                )


def _check_ascending(name: str, field: str, keys: list[Any]) -> None:
    for line in range(1, len(keys)):
        if keys[line] == keys[line - 1]:
            raise PackError(f"{name}:{line + 1}", field, f"same as line {line}: {keys[line]}")
        if keys[line] < keys[line - 1]:
            raise PackError(
                f"{name}:{line + 1}", field, f"out of order after {keys[line - 1]}: sort the file"
            )


def check_digests(manifest: Manifest, raw: bytes, contents: dict[str, bytes], counts: dict[str, int]) -> None:
    """Checks files of a pack against the digests and row counts of its manifest.

    Args:
        manifest: the manifest.
        raw: its bytes, to name the line of a digest.
        contents: the bytes of the files to check, by name.
        counts: how many rows each of them has.

    Raises:
        PackError: the first that differs, or has no digest.
    """
    for name, content in contents.items():
        entry = manifest.files.get(name)
        if entry is None:
            raise PackError(MANIFEST_FILE, f"files.{name}", "missing: every file of a pack has its digest")
        found = hashlib.sha256(content).hexdigest()
        if found != entry.sha256:
            line = raw[: raw.find(entry.sha256.encode())].count(b"\n") + 1
            raise PackError(
                f"{name}: tampered: {MANIFEST_FILE}:{line}",
                f"files.{name}.sha256",
                f"manifest says {entry.sha256[:12]}..., the file has {found[:12]}...; restore it or freeze anew",
            )
        if counts[name] != entry.rows:
            raise PackError(
                MANIFEST_FILE, f"files.{name}.rows", f"says {entry.rows}, the file has {counts[name]}"
            )


def parse_file(folder: Path, name: str) -> tuple[Any, ...]:
    """The rows of one file of a pack's folder, each checked by itself.

    Raises:
        PackError: the first row that is not valid.
    """
    return tuple(parse_lines(JSONL_FILES[name], read_file(folder, name), name))


def read_file(folder: Path, name: str) -> bytes:
    """The bytes of one file of a pack's folder.

    Raises:
        PackError: missing or unreadable.
    """
    try:
        return (folder / name).read_bytes()
    except FileNotFoundError:
        raise PackError(f"{folder.name}/{name}", "", "missing file; restore it or rebuild the pack") from None
    except OSError as error:
        raise PackError(f"{folder.name}/{name}", "", f"can't be read ({error.strerror})") from None


def _decode(raw: bytes, name: str, line: int | None = None) -> str:
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError as error:
        at = line if line is not None else raw[: error.start].count(b"\n") + 1
        raise PackError(
            f"{name}:{at}", "", f"byte {error.start}: not UTF-8; save the file as UTF-8"
        ) from None


def parse_lines(model: type[R], content: bytes, name: str) -> Iterable[R]:
    """The rows of a JSONL file; raises `PackError` with the line of the first that is not valid."""
    lines = content.split(b"\n")
    if lines and lines[-1] == b"":
        lines.pop()
    for number, raw in enumerate(lines, 1):
        yield parse_row(model, raw, f"{name}:{number}")


def parse_json(raw: bytes, where: str) -> Any:
    """The JSON value of a file or a line; raises `PackError` for what is not JSON, or names a key twice."""
    text = _decode(raw, where.partition(":")[0], int(where.partition(":")[2] or 0) or None)
    try:
        # `loads` names a byte order mark, where the decoder alone expects a value.
        return json.loads(text) if text.startswith("\ufeff") else _DECODER.decode(text)
    except json.JSONDecodeError as error:
        at = where if ":" in where else f"{where}:{error.lineno}"
        raise PackError(at, "", f"not JSON: {error.msg} at column {error.colno}") from None
    except (ValueError, RecursionError) as error:
        raise PackError(where, "", f"not JSON: {error}") from None


def parse_row(model: type[R], raw: bytes, where: str) -> R:
    """The row that one line holds; raises `PackError` at ``where`` for one that is not valid."""
    data = parse_json(raw, where)
    try:
        return model.model_validate(data)
    except ValidationError as error:
        raise PackError(where, *first_fault(error)[:2]) from None


def first_fault(error: ValidationError) -> tuple[str, str, Mapping[str, Any]]:
    """Of what is wrong with a row the first: dotted field ("" for the row), message, and all that pydantic says."""
    first = error.errors(include_url=False)[0]
    field = ".".join(str(part) for part in first["loc"])
    message = first["msg"].removeprefix("Value error, ")
    if not field and ": " in message:
        field, message = message.split(": ", 1)
    return field, message, first


def _no_duplicates(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        keys = [key for key, _ in pairs]
        raise ValueError(f"key {next(key for key in keys if keys.count(key) > 1)!r} twice")
    return found


_DECODER = json.JSONDecoder(object_pairs_hook=_no_duplicates)


def parse_stop_words(content: bytes) -> tuple[str, ...]:
    """The words of a stop list; raises `PackError` with the line of an empty or padded one."""
    words = _decode(content, STOP_WORDS_FILE).splitlines()
    for line, word in enumerate(words, 1):
        if not word or word != word.strip():
            raise PackError(f"{STOP_WORDS_FILE}:{line}", "", "empty, or blanks around the word")
    return tuple(words)


def _unknown(value: str, home: str) -> str:
    return f"{value!r} is not in {home}"


def _is_pack_id(value: str) -> bool:
    from pydantic import TypeAdapter

    try:
        TypeAdapter(PackId).validate_python(value)
    except ValidationError:
        return False
    return True
