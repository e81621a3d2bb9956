"""Tables that a user writes, CSV or JSONL, row by row: every fault is one line that names file, line and column.

A file is read as a stream, twice: once to count its rows, so that one too large is refused before it fills the memory.
"""

from __future__ import annotations

import csv
import difflib
import json
import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO, TypeVar

from pydantic import ValidationError

from cognition.packs.load import PackError, first_fault, parse_json
from cognition.packs.schema import Row

MOST_TERMS = 250_000
"""Terms of one pack: what a build holds in memory at once, twice the size of the largest English wordnet."""
MOST_RELATIONS = 10 * MOST_TERMS
LONGEST_LINE = 1 << 20
"""Bytes of one line; a file without line ends is no table."""

_LISTS = ("surfaces", "domains")
_NUMBERS = ("sense", "order", "salience")
_NUMBER = re.compile(r"[+-]?\d+(?:[.,]\d+)*%?")
_FORMULA = ("=", "+", "-", "@")
_SIGNATURES = (
    (b"\xff\xfe\x00\x00", "UTF-32"),
    (b"\x00\x00\xfe\xff", "UTF-32"),
    (b"\xff\xfe", "UTF-16"),
    (b"\xfe\xff", "UTF-16"),
)
_ARCHIVES = (
    (b"PK\x03\x04", "a zip archive or a workbook"),
    (b"PK\x05\x06", "a zip archive or a workbook"),
    (b"\x1f\x8b", "compressed by gzip"),
    (b"BZh", "compressed by bzip2"),
    (b"\xfd7zXZ", "compressed by xz"),
    (b"\x28\xb5\x2f\xfd", "compressed by zstd"),
    (b"\xd0\xcf\x11\xe0", "an old workbook"),
    (b"%PDF", "a PDF"),
)

_PLAIN = {
    "domains": "a domain is written in small letters, with dots between its parts, as bees.home",
    "language": "a language is its code of two or three small letters, as en or grc",
    "id": "an id of a pack is written in small letters, digits and _, and begins with a letter",
    "version": "a version is three numbers, as 1.0.0",
}

R = TypeVar("R", bound=Row)


@dataclass(frozen=True, slots=True)
class Table:
    """A table that opens and has no more rows than it may.

    Attributes:
        path: the file.
        columns: the names that its rows may have.
        needed: those without which a row says nothing.
        rows: how many there are.
        allow_formulas: keep cells that a spreadsheet would take for formulas as they are.
    """

    path: Path
    columns: tuple[str, ...]
    needed: tuple[str, ...]
    rows: int
    allow_formulas: bool

    def __iter__(self) -> Iterator[tuple[str, dict[str, Any]]]:
        """Each row that is not blank, as ("terms.csv:12", values by column); cells left empty are left out."""
        for where, values in _rows(self.path, self.columns, self.needed):
            cells = {name: _cell(value, where, name) for name, value in values.items()}
            if self.path.suffix.lower() != ".jsonl" and not self.allow_formulas:
                for name, value in cells.items():
                    _check_formula(value, where, name)
            yield where, {name: _typed(name, value, where) for name, value in cells.items() if value != ""}


def open_table(path: Path, model: type[Row], *, most: int, what: str, allow_formulas: bool = False) -> Table:
    """Opens a table, and counts its rows.

    Args:
        path: a CSV (comma, semicolon or tab between cells), or JSONL by its name's ending.
        model: of its rows.
        most: how many rows it may have.
        what: what its rows are, in words.
        allow_formulas: see `Table`.

    Raises:
        PackError: no file, no table, wrong columns, or too many rows.
    """
    columns = tuple(model.model_fields)
    needed = tuple(name for name, field in model.model_fields.items() if field.is_required())
    count = 0
    for _ in _rows(path, columns, needed):
        count += 1
        if count > most:
            raise PackError(
                path.name,
                "",
                f"more than {most:,} {what}, the most that one pack takes; split it into several",
            )
    if not count:
        raise PackError(path.name, "", f"no {what}: the table is empty")
    return Table(path, columns, needed, count, allow_formulas)


def validated(model: type[R], values: dict[str, Any], where: str) -> R:
    """A row as its model; raises `PackError` with the field of the first fault."""
    try:
        return model.model_validate(values)
    except ValidationError as error:
        field, message, first = first_fault(error)
        if first["type"] == "missing":
            message = "is empty; fill it in"
        elif first["type"] == "string_pattern_mismatch" and field.partition(".")[0] in _PLAIN:
            message = _PLAIN[field.partition(".")[0]]
        given = first.get("input")
        said = f"; found {given!r:.60}" if isinstance(given, str | int | float) and given != "" else ""
        raise PackError(where, field, message + said) from None


def suggestion(wanted: str, known: list[str]) -> str:
    """`": did you mean x?"`, or "" where nothing is near."""
    near = difflib.get_close_matches(wanted, known, 1)
    return f"; did you mean {near[0]!r}?" if near else ""


def _rows(
    path: Path, columns: tuple[str, ...], needed: tuple[str, ...]
) -> Iterator[tuple[str, dict[str, Any]]]:
    try:
        with path.open("rb") as file:
            _check_signature(path, file)
            if path.suffix.lower() == ".jsonl":
                yield from _jsonl(path, file, columns, needed)
            else:
                yield from _csv(path, file, columns, needed)
    except FileNotFoundError:
        raise PackError(str(path), "", "no such file") from None
    except OSError as error:
        raise PackError(str(path), "", f"can't be read ({error.strerror})") from None


def _check_signature(path: Path, file: BinaryIO) -> None:
    head = file.read(8)
    for signature, name in _SIGNATURES:
        if head.startswith(signature):
            raise PackError(f"{path.name}:1", "", f"byte 0: the file is {name}; save it as UTF-8")
    for signature, name in _ARCHIVES:
        if head.startswith(signature):
            raise PackError(
                path.name, "", f"is {name}, no table; give the CSV or JSONL itself, as UTF-8 text"
            )
    file.seek(3 if head.startswith(b"\xef\xbb\xbf") else 0)


def _lines(path: Path, file: BinaryIO) -> Iterator[str]:
    number = 0
    while raw := file.readline(LONGEST_LINE + 1):
        number += 1
        where = f"{path.name}:{number}"
        if len(raw) > LONGEST_LINE:
            raise PackError(where, "", f"a line of more than {LONGEST_LINE:,} bytes; is this a table?")
        if b"\0" in raw:
            at = raw.index(b"\0")
            raise PackError(where, "", f"byte {at} of the line is NUL; save the file as UTF-8 text")
        try:
            yield raw.decode("utf-8")
        except UnicodeDecodeError as error:
            found = f"byte {error.start} of the line (0x{raw[error.start]:02x}) is not UTF-8"
            guess = raw[error.start : error.start + 1].decode("cp1252", "replace")
            hint = f" (it is {guess!r} in Windows-1252)" if guess.isprintable() and guess != "\ufffd" else ""
            raise PackError(where, "", f"{found}{hint}; save the file as UTF-8") from None


def _jsonl(
    path: Path, file: BinaryIO, columns: tuple[str, ...], needed: tuple[str, ...]
) -> Iterator[tuple[str, dict[str, Any]]]:
    for number, line in enumerate(_lines(path, file), 1):
        if not line.strip():
            continue
        where = f"{path.name}:{number}"
        row = parse_json(line.encode("utf-8"), where)
        if not isinstance(row, dict):
            raise PackError(where, "", 'not an object; a row is {"term": ..., ...}')
        for name in row:
            if name not in columns:
                raise PackError(where, name, _no_column(name, columns))
        for name in needed:
            if name not in row:
                raise PackError(where, name, f"missing; found: {', '.join(row) or 'nothing'}")
        yield where, {name: value for name, value in row.items() if value is not None}


def _csv(
    path: Path, file: BinaryIO, columns: tuple[str, ...], needed: tuple[str, ...]
) -> Iterator[tuple[str, dict[str, Any]]]:
    lines = _lines(path, file)
    first = next(lines, "")
    if not first.strip():
        raise PackError(
            f"{path.name}:1", "", f"no header; the first line names the columns, as {', '.join(needed)}"
        )
    delimiter = max(",;\t", key=first.count)

    def again() -> Iterator[str]:
        yield first
        yield from lines

    reader = csv.reader(again(), delimiter=delimiter, strict=True)
    at = 1
    try:
        header = [unicodedata.normalize("NFC", name.strip()).lower() for name in next(reader)]
        _check_header(path, header, columns, needed)
        at = reader.line_num + 1
        for cells in reader:
            where = f"{path.name}:{at}"
            at = reader.line_num + 1
            if not any(cell.strip() for cell in cells):
                continue
            if len(cells) != len(header):
                raise PackError(
                    where,
                    "",
                    f"{len(cells)} cells, the header has {len(header)}; a cell that holds {delimiter!r} is quoted",
                )
            yield where, dict(zip(header, cells, strict=True))
    except csv.Error as error:
        text = str(error)
        if "unexpected end" in text or "field limit" in text:
            text = "a quote that is opened in this row is never closed"
        raise PackError(
            f"{path.name}:{at}", "", f"not CSV: {text}; double a quote inside a quoted cell"
        ) from None


def _check_header(path: Path, header: list[str], columns: tuple[str, ...], needed: tuple[str, ...]) -> None:
    where = f"{path.name}:1"
    for place, name in enumerate(header, 1):
        if not name:
            raise PackError(where, "", f"column {place} has no name")
        if header.index(name) != place - 1:
            raise PackError(where, name, f"columns {header.index(name) + 1} and {place} have one name")
    for name in needed:
        if name not in header:
            raise PackError(where, name, f"no such column; found: {', '.join(header)[:200]}")
    for name in header:
        if name not in columns:
            raise PackError(where, name, _no_column(name, columns))


def _no_column(name: str, columns: tuple[str, ...]) -> str:
    return f"no column of this table{suggestion(name, list(columns))}; columns: {', '.join(columns)}"


def _cell(value: Any, where: str, name: str) -> Any:
    """A cell's text in normal form C, with single blanks; what is no text as it is."""
    if isinstance(value, list):
        return [_cell(one, where, name) for one in value]
    if not isinstance(value, str):
        return value
    text = unicodedata.normalize("NFC", " ".join(value.split()))
    bad = next((char for char in text if unicodedata.category(char) in ("Cc", "Cs")), None)
    if bad is not None:
        raise PackError(where, name, f"holds the control character U+{ord(bad):04X}; delete it")
    return text


def _check_formula(value: Any, where: str, name: str) -> None:
    if (
        isinstance(value, str)
        and value.startswith(_FORMULA)
        and len(value) > 1
        and not _NUMBER.fullmatch(value)
    ):
        raise PackError(
            where,
            name,
            f"{value[:20]!r} would be a formula in a spreadsheet; write the text, or give --allow-formulas to keep it",
        )


def _typed(name: str, value: Any, where: str) -> Any:
    """Lists and whole numbers from their text."""
    if not isinstance(value, str):
        return value
    if name in _LISTS:
        return [part.strip() for part in value.split("|") if part.strip()]
    if name in _NUMBERS:
        if not re.fullmatch(r"\d{1,6}", value):
            raise PackError(where, name, f"{value!r} is no whole number")
        return int(value)
    return value


def row_line(row: Row) -> bytes:
    """A row of a pack's file as its line; a note that says nothing is left out."""
    record = row.model_dump(mode="json")
    if "provenance" in record and record["provenance"]["note"] is None:
        del record["provenance"]["note"]
    return json.dumps(record, ensure_ascii=False).encode("utf-8") + b"\n"
