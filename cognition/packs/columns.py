"""The container of a compiled pack: named sections of bytes behind one digest, read in place.

Layout: 8 bytes of magic, version and length of the header (two little-endian uint32), the header (JSON),
the sections (each from a multiple of 8), and the SHA-256 of all before. Numbers are little-endian. The bytes are a
function of the contents alone.
"""

from __future__ import annotations

import hashlib
import json
import struct
import sys
from array import array
from bisect import bisect_left
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal, overload

Code = Literal["i", "I", "Q"]
"""Types of numbers as `array` names them: signed and unsigned ones of 4 bytes, unsigned ones of 8."""

MAGIC = b"corepack"
VERSION = 1
_HEAD = struct.Struct("<8sII")
_DIGEST = hashlib.sha256().digest_size
_ALIGNED = 8
_SWAPPED = sys.byteorder == "big"


class OtherVersion(ValueError):
    """A container that another version of this program wrote."""


def column(code: Code, values: Iterable[int]) -> bytes:
    """Numbers as the bytes of a section."""
    found = array(code, values)
    if _SWAPPED:
        found.byteswap()
    return found.tobytes()


def strings(values: Iterable[bytes]) -> tuple[bytes, bytes]:
    """Byte strings as two sections for `Strings`: their text, and where each begins and the last ends."""
    parts = list(values)
    at = [0]
    for part in parts:
        at.append(at[-1] + len(part))
    return b"".join(parts), column("I", at)


def write_columns(header: Mapping[str, Any], sections: Mapping[str, bytes]) -> bytes:
    """The container that `Columns` opens."""
    places: dict[str, tuple[int, int]] = {}
    at = 0
    for name, content in sections.items():
        places[name] = (at, len(content))
        at += len(content) + -len(content) % _ALIGNED
    record = {"header": header, "sections": places}
    text = json.dumps(record, ensure_ascii=True, separators=(",", ":")).encode()
    text += b" " * (-(_HEAD.size + len(text)) % _ALIGNED)
    parts = [_HEAD.pack(MAGIC, VERSION, len(text)), text]
    for content in sections.values():
        parts += [content, bytes(-len(content) % _ALIGNED)]
    whole = b"".join(parts)
    return whole + hashlib.sha256(whole).digest()


class Columns:
    """An opened container; its sections are views of the bytes it was opened on.

    Attributes:
        header: as it was written.

    Raises:
        OtherVersion: of another version.
        ValueError: truncated, or not the bytes that were written (what is wrong).
    """

    def __init__(self, raw: memoryview) -> None:
        if len(raw) < _HEAD.size + _DIGEST:
            raise ValueError(f"{len(raw)} bytes are too few")
        magic, version, length = _HEAD.unpack(raw[: _HEAD.size])
        if magic != MAGIC:
            raise ValueError("does not begin as a compiled pack does")
        if version != VERSION:
            raise OtherVersion(f"format {version}, this program reads {VERSION}")
        if hashlib.sha256(raw[:-_DIGEST]).digest() != raw[-_DIGEST:]:
            raise ValueError("its digest is not that of its bytes")
        record = json.loads(bytes(raw[_HEAD.size : _HEAD.size + length]))
        self.header: dict[str, Any] = record["header"]
        self._places: dict[str, tuple[int, int]] = record["sections"]
        self._body = raw[_HEAD.size + length : -_DIGEST]

    def bytes(self, name: str) -> memoryview:
        """A section as bytes."""
        at, size = self._places[name]
        return self._body[at : at + size]

    def numbers(self, name: str, code: Code) -> memoryview:
        """A section as numbers."""
        raw = self.bytes(name)
        if not _SWAPPED:
            return raw.cast(code)
        found = array(code)
        found.frombytes(raw)
        found.byteswap()
        return memoryview(found)

    def strings(self, name: str) -> Strings:
        """The two sections ``name.text`` and ``name.at`` as byte strings."""
        return Strings(self.bytes(f"{name}.text"), self.numbers(f"{name}.at", "I"))


class Strings(Sequence[bytes]):
    """Byte strings in a row."""

    __slots__ = ("_at", "_text")

    def __init__(self, text: memoryview, at: memoryview) -> None:
        self._text = text
        self._at = at

    def __len__(self) -> int:
        return len(self._at) - 1

    @overload
    def __getitem__(self, index: int) -> bytes: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[bytes, ...]: ...
    def __getitem__(self, index: int | slice) -> bytes | tuple[bytes, ...]:
        if isinstance(index, slice):
            return tuple(self[i] for i in range(*index.indices(len(self))))
        return bytes(self._text[self._at[index] : self._at[index + 1]])

    def find(self, wanted: bytes) -> int | None:
        """Where a string stands among strings in ascending order; None where it does not."""
        at = bisect_left(self, wanted)
        return at if at < len(self) and self[at] == wanted else None
