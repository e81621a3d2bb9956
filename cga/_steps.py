"""Walks that take their steps together (NumPy), in a vocabulary that has a table of keys.

Each stands where it would stand alone: what is nearest is decided by the same keys, ties by the lowest index.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from jaxtyping import Float64, Int64

from cga._search import Goals
from cga._vocabulary import Vocabulary

NARROW = 64
"""A walk among at most so many words looks at those alone; among more, at all words that are admissible."""
WALKS = 1 << 10
"""Most walks that take their steps together."""
SPARSE = 0.7
"""Walks that go on are gathered anew once they are fewer than this share of those that are carried along."""


def select_walks(
    vocabulary: Vocabulary,
    starts: Float64[np.ndarray, "walks 4"],
    pools: Sequence[Int64[np.ndarray, " _"]],
    steps: Sequence[int],
    goals: Sequence[tuple[tuple[int, ...], ...]],
) -> list[list[int]]:
    """`cga._search.select_walk` for many walks, with the same words; a step of all of them is a few calls.

    Args:
        vocabulary: the words, few enough for a table of keys.
        starts: the first locations.
        pools: for each walk its admissible words, ascending; walks that share one share the array.
        steps: for each walk, most steps.
        goals: for each walk, as in `select_walk`.
    """
    under_way = [
        _Walk(number, Goals(goals[number]), min(steps[number], len(pool)))
        for number, pool in enumerate(pools)
    ]
    alike: dict[int, list[_Walk]] = {}
    for walk, pool in zip(under_way, pools, strict=True):
        if walk.most:
            alike.setdefault(id(pool) if len(pool) > NARROW else 0, []).append(walk)
    for kind, walks in alike.items():
        for first in range(0, len(walks), WALKS):
            some = walks[first : first + WALKS]
            numbers = [walk.number for walk in some]
            if kind:
                choose = _Wide(vocabulary, starts[numbers], pools[numbers[0]])
            else:
                choose = _Narrow(vocabulary, starts[numbers], [pools[number] for number in numbers])
            _take_steps(some, choose)
    return [walk.words for walk in under_way]


class _Walk:
    """A walk that is under way: what it looks for, how many steps it may take, and the words it stood on."""

    __slots__ = ("most", "number", "row", "unmet", "words")

    def __init__(self, number: int, unmet: Goals, most: int) -> None:
        self.number = number
        self.unmet = unmet
        self.most = most
        self.row = 0
        self.words: list[int] = []


def _take_steps(walks: Sequence[_Walk], choose: _Narrow | _Wide) -> None:
    """Steps of all walks, one after the other, until each has ended."""
    going = list(walks)
    for row, walk in enumerate(going):
        walk.row = row
    carried = len(going)
    while going:
        chosen = choose.next().tolist()
        still: list[_Walk] = []
        for walk in going:
            word = chosen[walk.row]
            walk.words.append(word)
            if len(walk.words) < walk.most and not (word in walk.unmet.wanted and walk.unmet.met_by(word)):
                still.append(walk)
        going = still
        if len(going) < SPARSE * carried:
            # Rows of walks that have ended are carried along until they are many.
            choose.keep([walk.row for walk in going])
            carried = len(going)
            for row, walk in enumerate(going):
                walk.row = row


class _Narrow:
    """The next words of walks that have few words each to stand on: the keys of those alone are looked at."""

    def __init__(
        self,
        vocabulary: Vocabulary,
        starts: Float64[np.ndarray, "walks 4"],
        pools: Sequence[Int64[np.ndarray, " _"]],
    ) -> None:
        assert vocabulary.key_table is not None
        self._table = vocabulary.key_table
        sizes = np.array([len(pool) for pool in pools])
        within = np.arange(sizes.max()) < sizes[:, None]
        self._columns = np.zeros(within.shape, np.int64)
        self._columns[within] = np.concatenate(pools)
        self._closed = np.where(within, 0.0, np.inf)
        self._keys = _keys_among(vocabulary, starts, self._columns)
        self._rows = np.arange(len(starts))

    def next(self) -> Int64[np.ndarray, " walks"]:
        """The nearest word of each walk that it has not stood on; it stands on it from now on."""
        self._keys += self._closed
        places = self._keys.argmin(axis=1)
        self._words = self._columns[self._rows, places]
        self._closed[self._rows, places] = np.inf
        self._keys = self._table[self._words[:, None], self._columns]
        return self._words

    def keep(self, rows: list[int]) -> None:
        """Goes on with these walks alone."""
        self._columns, self._closed, self._keys = self._columns[rows], self._closed[rows], self._keys[rows]
        self._rows = self._rows[: len(rows)]


class _Wide:
    """The next words of walks among the same many words: the first free one in a word's list of near ones.

    A list that has none left, and the first step, which starts at no word, take the keys of all words.
    """

    def __init__(
        self, vocabulary: Vocabulary, starts: Float64[np.ndarray, "walks 4"], pool: Int64[np.ndarray, " pool"]
    ) -> None:
        assert vocabulary.key_table is not None
        self._table = vocabulary.key_table
        self._near = vocabulary.near
        self._free = np.zeros((len(starts), vocabulary.size), bool)
        self._free[:, pool] = True
        self._rows = np.arange(len(starts))
        self._words = pool[_keys_among(vocabulary, starts, pool[None]).argmin(axis=1)]
        self._first = True

    def next(self) -> Int64[np.ndarray, " walks"]:
        """As that of `_Narrow`."""
        if not self._first:
            near = self._near[self._words]
            free = self._free.reshape(-1).take(near + (self._rows * self._free.shape[1])[:, None])
            places = free.argmax(axis=1)
            words = near[self._rows, places]
            lost = np.flatnonzero(~free[self._rows, places])
            if len(lost):
                keys = np.where(self._free[lost], self._table[self._words[lost]], np.inf)
                words[lost] = keys.argmin(axis=1)
            self._words = words
        self._first = False
        self._free[self._rows, self._words] = False
        return self._words

    def keep(self, rows: list[int]) -> None:
        """Goes on with these walks alone."""
        self._free, self._words = self._free[rows], self._words[rows]
        self._rows = self._rows[: len(rows)]


def _keys_among(
    vocabulary: Vocabulary,
    starts: Float64[np.ndarray, "walks 4"],
    columns: Int64[np.ndarray, "#walks columns"],
) -> Float64[np.ndarray, "walks columns"]:
    """The rank keys of some words from each start."""
    keys = np.zeros((len(starts), columns.shape[1]))
    for axis, start in zip(vocabulary.coordinates, starts.T, strict=True):
        keys += np.square(axis[columns] - start[:, None])  # exact integers: any order gives the same
    keys *= vocabulary.inv_rho[columns]
    return keys
