"""A vocabulary's arrays on the host, shared by both backends (NumPy only)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any, overload

import numpy as np
from jaxtyping import Bool, Float64, Int16, Int32, Int64

from cga._blocks import Blocks, make_blocks
from cga._lattice import LIMIT, centroid, check_words
from cga._words import center_breadth, word
from cga._words import centroid as word_centroid
from cga.backend import Point

TABLED = 1024
"""Most words of a vocabulary that keeps a table of all rank keys (8 MB)."""
NEAR = 32
"""Words of a word's list of near ones, of which walks take the first that is free."""
KEPT_FROM = 1024
"""Words of a tuple from which on its mask is kept, as long as the same tuple comes again."""
KEPT_MASKS = 8


class Rows(Sequence[Point]):
    """Lattice points read from an array of rows when they are asked for, so that a large pack keeps no list of them.

    Args:
        rows: ``(points, 4)`` x1, x2, x3, rho.
    """

    __slots__ = ("_rows",)

    def __init__(self, rows: Int32[np.ndarray, "points 4"]) -> None:
        self._rows = rows

    def __len__(self) -> int:
        return len(self._rows)

    @overload
    def __getitem__(self, index: int) -> Point: ...
    @overload
    def __getitem__(self, index: slice) -> Rows: ...
    def __getitem__(self, index: int | slice) -> Point | Rows:
        if isinstance(index, slice):
            return Rows(self._rows[index])
        return Point(*self._rows[index].tolist())


class _Same:
    """A tuple as a key by its identity: comparing a hundred thousand words costs more than the walk they are for."""

    __slots__ = ("indices",)

    def __init__(self, indices: tuple[int, ...]) -> None:
        self.indices = indices

    def __hash__(self) -> int:
        return id(self.indices)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Same) and self.indices is other.indices


@dataclass(frozen=True, kw_only=True, eq=False)  # without slots, for what is made when it is first asked for
class Vocabulary:
    """The words of one pack, index = position.

    Attributes:
        points: the lattice points.
        coordinates: ``(4, words)`` the same as exact float64 integers: x1, x2, x3, rho.
        inv_rho: ``(words,)`` 1/rho, divided once on the host and given to every kernel as data.
        origin: ``(4,)`` centre and breadth of the point about which the fields of this vocabulary are measured,
            the Lorentz centroid of all words, so that the boosts stay as small as they can be.
        key_table: ``(words, words)`` the rank key of each word (column) from each other (row), where the vocabulary
            has at most `TABLED` words: a step of a walk is then one look-up.
    """

    points: Sequence[Point]
    coordinates: Float64[np.ndarray, "4 words"]
    inv_rho: Float64[np.ndarray, " words"]
    origin: Float64[np.ndarray, "4"]
    key_table: Float64[np.ndarray, "words words"] | None

    @property
    def size(self) -> int:
        return len(self.points)

    @cached_property
    def blocks(self) -> Blocks:
        """The words in blocks of near ones, for search that looks at few of them."""
        return make_blocks(self.coordinates, self.inv_rho)

    @cached_property
    def around(self) -> dict[int, Int64[np.ndarray, " near"]]:
        """The nearest words of words that walks came from, kept by `cga._block_search`."""
        return {}

    @cached_property
    def _ranked(self) -> dict[int, Int16[np.ndarray, " words"]]:
        return {}

    def ranked(self, word: int) -> Int16[np.ndarray, " words"]:
        """All words from the nearest of a word on, itself first; kept, where the vocabulary has a table of keys."""
        assert self.key_table is not None
        found = self._ranked.get(word)
        if found is None:
            found = np.argsort(self.key_table[word], kind="stable").astype(np.int16)
            self._ranked[word] = found
        return found

    @cached_property
    def near(self) -> Int64[np.ndarray, "words near"]:
        """The first `NEAR` of `ranked` of every word."""
        return np.stack([self.ranked(word)[:NEAR] for word in range(self.size)]).astype(np.int64)

    def check(self, indices: tuple[int, ...], where: str) -> None:
        """Raises ValueError if an index is not that of a word; quick where a large tuple comes again and again."""
        if len(indices) >= KEPT_FROM:
            try:
                self.mask(indices)
                return
            except IndexError:
                pass
        check_indices(indices, self.size, where)

    def mask(self, indices: tuple[int, ...]) -> Bool[np.ndarray, " words"]:
        """True at the words of checked indices. Kept for a large tuple that comes again and again, as stop words do."""
        return self._masks(_Same(indices)) if len(indices) >= KEPT_FROM else self._mask(indices)

    @cached_property
    def _masks(self) -> Callable[[_Same], Bool[np.ndarray, " words"]]:
        return lru_cache(KEPT_MASKS)(lambda same: self._mask(same.indices))

    def _mask(self, indices: tuple[int, ...]) -> Bool[np.ndarray, " words"]:
        mask = np.zeros(self.size, bool)
        places = np.array(indices, np.intp)
        if len(places) and places.min() < 0:
            raise IndexError("a negative index would count from the end")
        mask[places] = True
        mask.flags.writeable = False
        return mask

    def chart(self, points: Float64[np.ndarray, "*batch 4"]) -> tuple[np.ndarray, np.ndarray]:
        """Half-space centre and breadth of lattice points about `origin` (an isometry of H^4)."""
        return (points[..., :3] - self.origin[:3]) / self.origin[3], points[..., 3] / self.origin[3]


def open_vocabulary(points: Sequence[Point] | memoryview) -> Vocabulary:
    """Checks the points and lays out their arrays.

    Args:
        points: the points, or a buffer of them (format ``i``, shape ``(words, 4)``), of which no list is made; it has
            to stay as it is for as long as the vocabulary is used.

    Raises:
        ValueError: see `cga._lattice.check_words`; a buffer of another form.
    """
    if isinstance(points, memoryview):
        rows = _rows_of(points)
        columns = np.ascontiguousarray(rows.T)
        if not _are_words(columns):
            check_words(rows.tolist())  # raises, and says what is wrong
        checked, coordinates = Rows(rows), columns.astype(float)
    else:
        checked = check_words(points)
        coordinates = np.array(checked, float).T.copy()
    shift, scale = coordinates[:3].mean(axis=1), np.exp(np.log(coordinates[3]).mean())
    center, breadth = center_breadth(
        word_centroid(word((coordinates[:3].T - shift) / scale, coordinates[3] / scale))
    )
    inv_rho, origin = 1.0 / coordinates[3], np.append(center * scale + shift, breadth * scale)
    table = _key_table(coordinates, inv_rho) if len(checked) <= TABLED else None
    for array in (coordinates, inv_rho, origin, table):
        if array is not None:
            array.flags.writeable = False
    return Vocabulary(
        points=checked, coordinates=coordinates, inv_rho=inv_rho, origin=origin, key_table=table
    )


def _rows_of(points: memoryview[Any]) -> Int32[np.ndarray, "words 4"]:
    if points.format != "i" or points.ndim != 2 or points.shape is None or points.shape[1] != 4:
        raise ValueError(
            f"points: a buffer of format {points.format!r} and shape {points.shape}; give format 'i' and shape "
            "(words, 4): memoryview(data).cast('i', (words, 4))"
        )
    return np.asarray(points)


def _are_words(columns: Int32[np.ndarray, "4 words"]) -> bool:
    """Whether `check_words` has nothing against these points."""
    if not columns.size or columns.max() >= LIMIT:
        return False
    return bool(columns[:3].min() > -LIMIT and columns[3].min() >= 1) and _all_differ(columns)


def _all_differ(columns: Int32[np.ndarray, "4 words"]) -> bool:
    """Whether no two points are equal; sorting one number a point is quicker than sorting points."""
    x1, x2, x3, rho = columns.astype(np.int64)
    first, second = (x1 << 25) + x2, (x3 << 25) + rho  # coordinates below 2**24: no two pairs share a number
    # Points that differ nearly always differ in this sum, which may overflow, and often nothing else is needed.
    mixed = np.sort(first * 0x5851F42D4C957F2D + second)
    if (mixed[1:] != mixed[:-1]).all():
        return True
    order = np.lexsort((second, first))
    first, second = first[order], second[order]
    return bool(((first[1:] != first[:-1]) | (second[1:] != second[:-1])).all())


def _key_table(coordinates: np.ndarray, inv_rho: np.ndarray) -> Float64[np.ndarray, "words words"]:
    squares = np.zeros((len(inv_rho), len(inv_rho)))
    for axis in coordinates:
        squares += np.square(
            axis[None, :] - axis[:, None]
        )  # exact integers: any order of adding gives the same
    return squares * inv_rho


def locate(vocabulary: Vocabulary, prompts: Sequence[Sequence[int]]) -> list[Point]:
    """The exact Lorentz centroid of each prompt's words.

    Raises:
        ValueError: an empty prompt, or an index that is not in the vocabulary.
    """
    for number, prompt in enumerate(prompts):
        if not prompt:
            raise ValueError(f"prompts[{number}]: empty; a location needs at least one word")
        check_indices(prompt, vocabulary.size, f"prompts[{number}]")
    return [centroid(vocabulary.points[i] for i in prompt) for prompt in prompts]


def check_indices(indices: Sequence[int], size: int, where: str) -> None:
    """Raises ValueError if an index is not in 0..size-1 (a negative one would silently count from the end)."""
    if indices and (min(indices) < 0 or max(indices) >= size):
        wrong = next(i for i in indices if not 0 <= i < size)
        raise ValueError(f"{where}: no word {wrong}; the vocabulary has the words 0..{size - 1}")


def check_count(count: int, where: str) -> None:
    """Raises ValueError if a count is negative."""
    if count < 0:
        raise ValueError(f"{where}: {count} is negative; give 0 or more")
