"""Rows of a pack that are read when they are asked for, each checked against the digest of its line."""

from __future__ import annotations

import hashlib
import mmap
from abc import abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Generic, TypeVar, overload

from cga.backend import Point
from cognition.packs.columns import Strings
from cognition.packs.load import PackError, parse_row
from cognition.packs.schema import GeometryRow, Row

CACHED = 4096
"""Rows of a file that stay in memory."""
LINE_DIGEST = 16

T = TypeVar("T")
R = TypeVar("R", bound=Row)


def mapped(path: Path) -> memoryview:
    """The bytes of a file, mapped into memory read-only. Raises OSError."""
    with path.open("rb") as file:
        if not path.stat().st_size:
            return memoryview(b"")  # an empty file can't be mapped
        return memoryview(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ))


def line_digest(line: bytes) -> bytes:
    """The digest of a line, by which it is known again when it is read."""
    return hashlib.blake2b(line, digest_size=LINE_DIGEST).digest()


class Rows(Sequence[T]):
    """A sequence whose items are made one by one; `read` makes the item of an index in range."""

    @abstractmethod
    def read(self, index: int) -> T: ...

    def fetch(self, index: int) -> T:
        """The item of an index in range; may be a kept one."""
        return self.read(index)

    @overload
    def __getitem__(self, index: int) -> T: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[T, ...]: ...
    def __getitem__(self, index: int | slice) -> T | tuple[T, ...]:
        if isinstance(index, slice):
            return tuple(self.read(i) for i in range(*index.indices(len(self))))
        if not -len(self) <= index < len(self):
            raise IndexError(f"row {index} of {len(self)}")
        return self.fetch(index % len(self))

    def __iter__(self) -> Iterator[T]:
        return map(self.read, range(len(self)))


class TextRows(Rows[R], Generic[R]):
    """The rows of a JSONL file, each parsed and checked when it is read; the last `CACHED` read singly are kept.

    Args:
        name: of the file, for errors.
        model: of its rows.
        text: its bytes.
        starts: where each line begins; one number more than lines: where a next one would.
        digests: the `line_digest` of each line, in a row.
    """

    def __init__(
        self, name: str, model: type[R], text: memoryview, starts: memoryview, digests: memoryview
    ) -> None:
        self._name = name
        self._model = model
        self._text = text
        self._starts = starts
        self._digests = digests
        self.fetch = lru_cache(maxsize=CACHED)(self.read)

    def __len__(self) -> int:
        return len(self._starts) - 1

    def read(self, index: int) -> R:
        """The row of an index in range.

        Raises:
            PackError: the line is not the one that was compiled.
        """
        line = bytes(self._text[self._starts[index] : self._starts[index + 1] - 1])
        where = f"{self._name}:{index + 1}"
        if line_digest(line) != self._digests[LINE_DIGEST * index : LINE_DIGEST * (index + 1)]:
            raise PackError(
                where, "", "changed since the pack was compiled; restore it, or freeze the pack anew"
            )
        return parse_row(self._model, line, where)


class Ids(Mapping[str, int]):
    """Sense id -> index, by ids in ascending order."""

    def __init__(self, ids: Strings) -> None:
        self._ids = ids
        self._find = lru_cache(maxsize=CACHED)(self._ids.find)
        self.name = lru_cache(maxsize=CACHED)(self._name)

    def _name(self, index: int) -> str:
        """The id of an index."""
        return self._ids[index].decode()

    def __getitem__(self, sense_id: str) -> int:
        found = self._find(sense_id.encode("utf-8", "surrogatepass"))
        if found is None:
            raise KeyError(sense_id)
        return found

    def __iter__(self) -> Iterator[str]:
        return map(self._name, range(len(self)))

    def __len__(self) -> int:
        return len(self._ids)


class Points(Rows[Point]):
    """Lattice points, by index, of a block of n x 4 numbers in a row."""

    def __init__(self, numbers: memoryview) -> None:
        self._numbers = numbers

    def __len__(self) -> int:
        return len(self._numbers) // 4

    def read(self, index: int) -> Point:
        """The point of an index in range."""
        return Point(*self._numbers[4 * index : 4 * index + 4])


class GeometryRows(Rows[GeometryRow]):
    """The rows of `geometry.jsonl`, made from points and ids."""

    def __init__(self, ids: Ids, points: Points) -> None:
        self._ids = ids
        self._points = points

    def __len__(self) -> int:
        return len(self._points)

    def read(self, index: int) -> GeometryRow:
        """The row of an index in range."""
        *x, rho = self._points.read(index)
        return GeometryRow(id=self._ids.name(index), x=(x[0], x[1], x[2]), rho=rho)
