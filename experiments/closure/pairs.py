"""Hierarchies as (node, ancestor) pairs: read from a file, checked, and what follows from them alone."""

from __future__ import annotations

import csv
import gzip
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from experiments.harness import UsageError

HEADS = {
    ("child", "ancestor"),
    ("child", "parent"),
    ("node", "ancestor"),
    ("hyponym", "hypernym"),
    ("id1", "id2"),
}
"""First rows that are headings, case aside; any other first row is a pair."""
SYNSET_COLUMNS = ("synset", "pos", "hypernyms")

Lists = tuple[tuple[int, ...], ...]


@dataclass(frozen=True, kw_only=True, eq=False)
class Closure:
    """Named nodes and which of them are ancestors of which.

    Attributes:
        names: of the nodes, which are numbered 0..len-1.
        pairs: ``(pairs, 2)`` node and ancestor, each pair once, ascending.
        repeated: pairs that the file gave more than once.
    """

    names: tuple[str, ...]
    pairs: NDArray[np.int64]
    repeated: int = 0

    def __len__(self) -> int:
        return len(self.names)

    @cached_property
    def ancestors(self) -> tuple[frozenset[int], ...]:
        """The ancestors of each node."""
        found: list[list[int]] = [[] for _ in self.names]
        for node, ancestor in self.pairs.tolist():
            found[node].append(ancestor)
        return tuple(map(frozenset, found))

    @cached_property
    def order(self) -> tuple[int, ...]:
        """The nodes, every ancestor before its descendants (see `in_order`)."""
        return in_order(self.names, [sorted(found) for found in self.ancestors])

    @cached_property
    def closed(self) -> bool:
        """Whether an ancestor of an ancestor is always an ancestor."""
        return all(self.ancestors[a] <= found for found in self.ancestors for a in found)

    @cached_property
    def parents(self) -> Lists:
        """For each node the ancestors with no other ancestor of it between: the transitive reduction."""
        result = []
        for found in self.ancestors:
            above = frozenset().union(*(self.ancestors[a] for a in found))
            result.append(tuple(sorted(found - above)))
        return tuple(result)

    @cached_property
    def roots(self) -> NDArray[np.bool_]:
        """Nodes without ancestor."""
        return np.array([not found for found in self.ancestors])

    @cached_property
    def leaves(self) -> NDArray[np.bool_]:
        """Nodes that are nobody's ancestor."""
        found = np.ones(len(self), bool)
        found[self.pairs[:, 1]] = False
        return found


def in_order(names: Sequence[str], above: Sequence[Sequence[int]]) -> tuple[int, ...]:
    """The nodes, each after all that are above it.

    Raises:
        UsageError: a cycle; its nodes are named.
    """
    below: list[list[int]] = [[] for _ in names]
    waiting = [len(found) for found in above]
    for node, found in enumerate(above):
        for other in found:
            below[other].append(node)
    order = [node for node, count in enumerate(waiting) if not count]
    for node in order:
        for other in below[node]:
            waiting[other] -= 1
            if not waiting[other]:
                order.append(other)
    if len(order) < len(names):
        raise UsageError(f"a cycle: {' < '.join(_cycle(names, above, waiting))}; no node is its own ancestor")
    return tuple(order)


def _cycle(names: Sequence[str], above: Sequence[Sequence[int]], waiting: Sequence[int]) -> list[str]:
    """A cycle among the nodes that still wait: each has another waiting one above it."""
    at = next(node for node, count in enumerate(waiting) if count)
    seen: dict[int, int] = {}
    while at not in seen:
        seen[at] = len(seen)
        at = next(other for other in above[at] if waiting[other])
    path = list(seen)[seen[at] :]
    return [names[node] for node in (*path, at)]


def read_closure(path: Path) -> Closure:
    """Reads (node, ancestor) pairs from a TSV or CSV file, which may end in .gz.

    The first row may be one of the headings of `HEADS`. A third column, the weight in the files of Nickel and Kiela, is
    left aside under a heading that names it. Pairs are taken as they stand: nothing is closed under transitivity.

    Raises:
        UsageError: missing, unreadable, no pair, a row that is no pair (its number is given), or a cycle.
    """
    numbers: dict[str, int] = {}
    pairs: list[tuple[int, int]] = []
    columns = 2
    for row, cells in _rows(path):
        if row == 1 and tuple(cell.strip().lower() for cell in cells[:2]) in HEADS:
            if len(cells) == 3 and cells[2].strip().lower() == "weight":
                columns = 3
            continue
        if not cells:
            continue
        where = f"{path.name}:{row}"
        if len(cells) != columns or not all(cells[:2]):
            raise UsageError(f"{where}: {cells!r} is no pair of node and ancestor, separated by tab or comma")
        if cells[0] == cells[1]:
            raise UsageError(f"{where}: {cells[0]!r} as its own ancestor; leave such pairs out")
        pairs.append((numbers.setdefault(cells[0], len(numbers)), numbers.setdefault(cells[1], len(numbers))))
    return closure_of(tuple(numbers), pairs, path.name)


def closure_of(names: tuple[str, ...], pairs: Sequence[tuple[int, int]], where: str) -> Closure:
    """The checked hierarchy of some pairs.

    Raises:
        UsageError: no pair, or a cycle.
    """
    if not pairs:
        raise UsageError(f"{where}: no pair of node and ancestor")
    unique = np.unique(np.array(pairs, np.int64), axis=0)
    found = Closure(names=names, pairs=unique, repeated=len(pairs) - len(unique))
    try:
        _ = found.order
    except UsageError as error:
        raise UsageError(f"{where}: {error}") from None
    return found


def read_synsets(path: Path, pos: str = "n") -> Closure:
    """The transitive closure of hypernymy over the synsets of a part of speech.

    Args:
        path: a table with a heading and at least the columns `SYNSET_COLUMNS`, tab-separated, several hypernyms
            separated by ``|``; it may end in .gz.
        pos: which synsets.

    Raises:
        UsageError: not such a table, a hypernym that is not in it, or a cycle.
    """
    rows = _rows(path)
    _, head = next(rows, (1, []))
    if any(name not in head for name in SYNSET_COLUMNS):
        raise UsageError(f"{path.name}:1: needs the columns {', '.join(SYNSET_COLUMNS)}; found {head!r}")
    synset, kind, hypernyms = (head.index(name) for name in SYNSET_COLUMNS)
    above: dict[str, tuple[int, list[str]]] = {}
    for row, cells in rows:
        if len(cells) != len(head):
            raise UsageError(f"{path.name}:{row}: {len(cells)} cells, the heading has {len(head)}")
        if cells[kind] == pos:
            above[cells[synset]] = (row, [name for name in cells[hypernyms].split("|") if name])
    for row, found in above.values():
        for name in found:
            if name not in above:
                raise UsageError(
                    f"{path.name}:{row}: hypernym {name!r} is no synset of part of speech {pos!r}"
                )
    joined = {name: None for node, (_, found) in above.items() if found for name in (node, *found)}
    numbers = {name: i for i, name in enumerate(joined)}
    direct = [[numbers[name] for name in above[node][1]] for node in numbers]
    closed: list[frozenset[int]] = [frozenset()] * len(numbers)
    names = tuple(numbers)
    for node in in_order(names, direct):
        closed[node] = frozenset(direct[node]).union(*(closed[a] for a in direct[node]))
    return closure_of(names, [(node, a) for node, found in enumerate(closed) for a in found], path.name)


def _rows(path: Path) -> Iterator[tuple[int, list[str]]]:
    """The rows of a table with their numbers from 1; tabs separate the cells if the first line has one, else commas."""
    opened = gzip.open if path.suffix == ".gz" else open
    row = 0
    try:
        with opened(path, "rt", encoding="utf-8-sig", newline="") as lines:
            tabs = "\t" in lines.readline()
            lines.seek(0)
            # Tab-separated tables are written without quoting: a quotation mark there is a letter of a definition.
            table = csv.reader(lines, delimiter="\t", quoting=csv.QUOTE_NONE) if tabs else csv.reader(lines)
            for row, cells in enumerate(table, 1):
                yield row, cells
    except UnicodeDecodeError:
        raise UsageError(f"{path.name}:{row + 1}: not UTF-8; save the file as UTF-8") from None
    except (OSError, EOFError) as error:
        what = getattr(error, "strerror", None) or error
        raise UsageError(f"{path}: can't be read ({what})") from None
    except csv.Error as error:
        raise UsageError(f"{path.name}:{row + 1}: {error}") from None
