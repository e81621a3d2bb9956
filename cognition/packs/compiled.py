"""The compiled form of a pack: indexes and points beside its text, so that a large pack opens at once (ADR 0011).

`compiled.bin` is derived from the text and is no authority. It holds what a turn looks words up by, the points in one
block, and for each line of `senses.jsonl` and `relations.jsonl` its place and its digest. Rows are read from the text
when they are asked for.
"""

from __future__ import annotations

import os
import tempfile
import warnings
from collections.abc import Iterable, Sequence
from functools import lru_cache
from hashlib import sha256
from itertools import accumulate, compress
from pathlib import Path
from typing import Any

from cognition.packs.columns import Columns, OtherVersion, column, strings, write_columns
from cognition.packs.lazy import CACHED, GeometryRows, Ids, Points, Rows, TextRows, line_digest, mapped
from cognition.packs.load import (
    Pack,
    PackError,
    check_digests,
    pack_folder,
    parse_lines,
    parse_stop_words,
    read_file,
    read_manifest,
    read_pack,
)
from cognition.packs.schema import STOP_WORDS_FILE, Provenance, Relation, RelationType, Sense
from cognition.packs.summary import summary
from cognition.packs.words import (
    Statement,
    SurfaceKey,
    by_surface,
    letters_of,
    near_places,
    spelled,
    stops,
)
from recognition.tokens import normal_form

COMPILED_FILE = "compiled.bin"
_SENSES, _RELATIONS, _TYPES, _GEOMETRY = (
    "senses.jsonl",
    "relations.jsonl",
    "relation_types.jsonl",
    "geometry.jsonl",
)
_SEPARATOR = "\n"  # no form of a token holds white space
_UNREVIEWED, _STOP = 1, 2
_MOST_LANGUAGES = 256
_WIDTH = 5
"""Numbers a statement: its row, subject, relation, object, and 2 * order + whether it asserts."""
_REMEDY = (
    "compile the pack anew (`core pack compile`), or delete this file; the text of the pack is not touched"
)


class PackWarning(UserWarning):
    """A compiled form that was left aside, and why."""


def write_compiled(folder: str | Path) -> Path:
    """Checks the whole text of a pack and writes its compiled form beside it, atomically.

    Returns:
        The file that was written.

    Raises:
        PackError: the text is malformed, inconsistent or tampered.
    """
    path = pack_folder(Path(folder))
    raw = _derived(*read_pack(path))
    handle, name = tempfile.mkstemp(dir=path, prefix=f".{COMPILED_FILE}.")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(raw)
        os.chmod(name, 0o644)
        os.replace(name, path / COMPILED_FILE)
    except BaseException:
        os.unlink(name)
        raise
    return path / COMPILED_FILE


def check_pack(pack: str | Path) -> Pack:
    """Reads and checks the whole text of a pack, and that its compiled form, if it has one, is what the text gives.

    Raises:
        PackError: the first fault.
    """
    folder = pack_folder(pack)
    found, contents = read_pack(folder)
    if (folder / COMPILED_FILE).is_file() and read_file(folder, COMPILED_FILE) != _derived(found, contents):
        raise PackError(COMPILED_FILE, "", f"is not what the text gives; {_REMEDY}")
    return found


def open_compiled(folder: Path) -> Pack | None:
    """Opens a pack by its compiled form; None where there is none, or where it is of another text.

    A form of another version of the pack or of this program is left aside with a `PackWarning`. The digests of the long
    files are not taken: their sizes are compared, and each of their lines when it is read.

    Raises:
        PackError: the compiled form, the manifest or a short file is damaged.
    """
    try:
        raw = mapped(folder / COMPILED_FILE)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise PackError(COMPILED_FILE, "", f"can't be read ({error.strerror}); {_REMEDY}") from None
    manifest, manifest_bytes = read_manifest(folder)
    identity = sha256(manifest_bytes).hexdigest()
    try:
        columns = Columns(raw)
    except OtherVersion as error:
        return _left_aside(f"{error}")
    except ValueError as error:
        raise PackError(COMPILED_FILE, "", f"damaged: {error}; {_REMEDY}") from None
    if columns.header["pack"] != identity:
        return _left_aside("made from another version of this pack")
    sizes: dict[str, int] = columns.header["sizes"]
    if any(not (folder / n).is_file() or (folder / n).stat().st_size != s for n, s in sizes.items()):
        return None  # reading the text says what is wrong with it
    short = {name: read_file(folder, name) for name in (_TYPES, STOP_WORDS_FILE)}
    kinds = tuple(parse_lines(RelationType, short[_TYPES], _TYPES))
    stop_words = parse_stop_words(short[STOP_WORDS_FILE])
    counts = {_TYPES: len(kinds), STOP_WORDS_FILE: len(stop_words)}
    check_digests(manifest, manifest_bytes, short, counts)
    record = CompiledRecord(columns, mapped(folder / _SENSES), mapped(folder / _RELATIONS))
    return Pack(
        manifest=manifest,
        senses=record.senses,
        relation_types=kinds,
        relations=record.relations,
        geometry=GeometryRows(record.index, record.points),
        stop_words=stop_words,
        sha256=identity,
        compiled=record,
    )


def _left_aside(why: str) -> None:
    warnings.warn(f"{COMPILED_FILE}: {why}: the text is read instead; {_REMEDY}", PackWarning, stacklevel=4)


class CompiledRecord:
    """`cognition.packs.words.Record` of a compiled pack: nothing is in memory that no call has asked for.

    Args:
        columns: the compiled form.
        senses, relations: the bytes of those files.

    Attributes:
        summary: what the pack holds, as `cognition.packs.summary.summary` counted it.
    """

    def __init__(self, columns: Columns, senses: memoryview, relations: memoryview) -> None:
        header = columns.header
        self.index = Ids(columns.strings("ids"))
        self.senses = _text_rows(columns, _SENSES, Sense, senses)
        self.relations = _text_rows(columns, _RELATIONS, Relation, relations)
        self.points = Points(columns.numbers("points", "i"))
        self.block = columns.numbers("points", "i").cast("B").cast("i", (len(self.points), 4))
        self.summary: dict[str, Any] = header["summary"]
        self._longest: int = header["longest"]
        self._languages: list[str] = header["languages"]
        self._lengths: list[tuple[int, int, int]] = header["lengths"]
        self._lemmas = columns.strings("lemmas")
        self._surfaces = columns.strings("surfaces")
        self._spelled = columns.strings("spelled")
        self._kinds: list[str] = header["relations"]
        self._columns = columns
        self.said = columns.numbers("said", "I")
        self._flags = columns.bytes("flags")
        self._touching = _Groups(columns, "touching")
        self._named = _Groups(columns, "named")
        self.statements = _Statements(self)
        self._find = lru_cache(maxsize=CACHED)(self._read_named)
        self._about = lru_cache(maxsize=CACHED)(self._read_touching)
        self._of_subject = lru_cache(maxsize=CACHED)(self._read_said_of)

    def lemma(self, index: int) -> str:
        return self._lemmas[index].decode()

    def reach(self, first: str) -> int:
        return self._longest

    def named(self, key: SurfaceKey) -> tuple[int, ...]:
        return self._find(key)

    def _read_named(self, key: SurfaceKey) -> tuple[int, ...]:
        at = self._surfaces.find(_SEPARATOR.join(key).encode("utf-8", "surrogatepass"))
        return () if at is None else tuple(self._named.of(at))

    def touching(self, index: int) -> tuple[Statement, ...]:
        return self._about(index)

    def _read_touching(self, index: int) -> tuple[Statement, ...]:
        return tuple(map(self.statement_at, self._touching.of(index)))

    def said_of(self, index: int) -> tuple[Statement, ...]:
        return self._of_subject(index)

    def _read_said_of(self, index: int) -> tuple[Statement, ...]:
        return tuple(map(self.statement_at, self._places(index)))

    def _places(self, subject: int) -> list[int]:
        """The places of the statements that say something of a word."""
        return [p for p in self._touching.of(subject) if self.said[_WIDTH * p + 1] == subject]

    def statement_at(self, place: int) -> Statement:
        """The reviewed statement at a place among all of them."""
        _, subject, kind, obj, mark = self.said[_WIDTH * place : _WIDTH * (place + 1)]
        relation, positive = self._kinds[kind], bool(mark & 1)
        sign = "" if positive else "not:"
        return Statement(
            id=f"rel:{self.index.name(subject)}:{sign}{relation}:{self.index.name(obj)}",
            subject=subject,
            relation=relation,
            object=obj,
            positive=positive,
            order=mark >> 1 or None,
        )

    def denials(self) -> tuple[Statement, ...]:
        marks = self.said[_WIDTH - 1 :: _WIDTH]
        return tuple(self.statement_at(place) for place, mark in enumerate(marks) if not mark & 1)

    def statement(self, evidence_id: str) -> tuple[Statement, Provenance]:
        name = evidence_id.removeprefix("rel:")
        ends = [at for at, char in enumerate(name) if char == ":"]
        for subject in (self.index[name[:at]] for at in ends if name[:at] in self.index):
            for place in self._places(subject):
                said = self.statement_at(place)
                if said.id == evidence_id:
                    return said, self.relations[self.said[_WIDTH * place]].provenance
        raise KeyError(evidence_id)

    def is_stop(self, index: int) -> bool:
        return bool(self._flags[index] & _STOP)

    def blocked(self, languages: Sequence[str], salience: int) -> tuple[int, ...]:
        count = len(self.senses)
        other = {place for place, name in enumerate(self._languages) if name not in languages}
        found: set[int] = set()
        for name, bad in (
            ("flags", set(range(1, 4))),
            ("language", other),
            ("salience", set(range(max(0, min(salience, 256))))),
        ):
            if bad:
                table = bytes(value in bad for value in range(256))
                found.update(compress(range(count), bytes(self._columns.bytes(name)).translate(table)))
        return tuple(sorted(found))

    def spellings(self, word: str, most: int) -> Iterable[tuple[str, int]]:
        letters, saliences = letters_of(word), self._columns.bytes("spelled.salience")
        masks = self._columns.numbers("spelled.letters", "Q")
        for length, first, end in self._lengths:
            if abs(length - len(word)) <= most:
                for at in near_places(letters, masks[first:end].tolist(), most):
                    yield self._spelled[first + at].decode(), saliences[first + at]


class _Statements(Rows[Statement]):
    def __init__(self, record: CompiledRecord) -> None:
        self._record = record

    def __len__(self) -> int:
        return len(self._record.said) // _WIDTH

    def read(self, index: int) -> Statement:
        return self._record.statement_at(index)


class _Groups:
    """Groups of numbers, each by its index: two sections, ``name.first`` and ``name.items``."""

    def __init__(self, columns: Columns, name: str) -> None:
        self._first = columns.numbers(f"{name}.first", "I")
        self._items = columns.numbers(f"{name}.items", "I")

    def of(self, index: int) -> memoryview:
        return self._items[self._first[index] : self._first[index + 1]]


def _grouped(name: str, groups: Sequence[Sequence[int]]) -> dict[str, bytes]:
    return {
        f"{name}.first": column("I", accumulate(map(len, groups), initial=0)),
        f"{name}.items": column("I", (item for group in groups for item in group)),
    }


def _text_rows(columns: Columns, name: str, model: Any, text: memoryview) -> TextRows[Any]:
    starts, digests = columns.numbers(f"{name}.starts", "Q"), columns.bytes(f"{name}.digests")
    return TextRows(name, model, text, starts, digests)


def _lines(name: str, content: bytes) -> dict[str, bytes]:
    lines = content.split(b"\n")
    if lines[-1] == b"":
        lines.pop()
    return {
        f"{name}.starts": column("Q", accumulate((len(line) + 1 for line in lines), initial=0)),
        f"{name}.digests": b"".join(map(line_digest, lines)),
    }


def _derived(pack: Pack, contents: dict[str, bytes]) -> bytes:
    """The compiled form of a checked pack, from its rows and the bytes of its files."""
    stop_words = frozenset(normal_form(word) for word in pack.stop_words)
    index = {sense.id: i for i, sense in enumerate(pack.senses)}
    kinds = [kind.id for kind in pack.relation_types]
    languages = sorted({sense.language for sense in pack.senses})
    if len(languages) > _MOST_LANGUAGES:
        raise PackError(_SENSES, "language", f"{len(languages)} languages; at most {_MOST_LANGUAGES}")
    named = by_surface(pack.senses)
    surfaces = {_SEPARATOR.join(key).encode(): indices for key, indices in named.items()}
    keys = sorted(surfaces)
    touching: list[list[int]] = [[] for _ in pack.senses]
    said: list[int] = []
    for at, row in enumerate(pack.relations):
        if row.status == "reviewed":
            place, subject, obj = len(said) // _WIDTH, index[row.subject], index[row.object]
            mark = 2 * (row.order or 0) + (row.polarity == "positive")
            said += (at, subject, kinds.index(row.relation), obj, mark)
            touching[subject].append(place)
            touching[obj].append(place)
    near = sorted(spelled(named, pack.senses, stop_words).items(), key=lambda item: (len(item[0]), item[0]))
    lengths: list[tuple[int, int, int]] = []
    for at, (word, _) in enumerate(near):
        if not lengths or lengths[-1][0] != len(word):
            lengths.append((len(word), at, at))
        lengths[-1] = (*lengths[-1][:2], at + 1)
    flags = bytes(
        _UNREVIEWED * (sense.status != "reviewed") + _STOP * stops(sense, stop_words) for sense in pack.senses
    )
    sections: dict[str, bytes] = {
        "points": column("i", (value for row in pack.geometry for value in (*row.x, row.rho))),
        "flags": flags,
        "language": bytes(languages.index(sense.language) for sense in pack.senses),
        "salience": bytes(sense.salience for sense in pack.senses),
        "said": column("I", said),
        **_grouped("touching", touching),
        **_grouped("named", [surfaces[key] for key in keys]),
        **_lines(_SENSES, contents[_SENSES]),
        **_lines(_RELATIONS, contents[_RELATIONS]),
        "spelled.letters": column("Q", (letters_of(word) for word, _ in near)),
        "spelled.salience": bytes(salience for _, salience in near),
    }
    for name, values in (
        ("ids", [sense.id.encode() for sense in pack.senses]),
        ("lemmas", [sense.lemma.encode() for sense in pack.senses]),
        ("surfaces", keys),
        ("spelled", [word.encode() for word, _ in near]),
    ):
        sections[f"{name}.text"], sections[f"{name}.at"] = strings(values)
    header = {
        "pack": pack.sha256,
        "summary": summary(pack),
        "sizes": {name: len(contents[name]) for name in (_SENSES, _RELATIONS, _GEOMETRY)},
        "languages": languages,
        "relations": kinds,
        "longest": max((key.count(b"\n") + 1 for key in keys), default=1),
        "lengths": lengths,
    }
    return write_columns(header, sections)
