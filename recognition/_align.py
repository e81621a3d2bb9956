"""The cheapest alignments of a sentence with a shape, by dynamic programming over places and words.

Linear in the words: a shape has a fixed number of states, and a noun phrase a greatest length. Most sentences that
a shape covers are found by a search for alignments that cost nothing; only for the others a table of costs is made.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, NamedTuple, TypeAlias

from recognition._fillings import Fillings
from recognition._plan import Plan, make_room, plan_of
from recognition._recognizer import Item, Pattern
from recognition._terms import (
    Sentence,
    determiner_class,
    english,
    fits,
    gap_morphs,
)
from recognition.outcome import JSONValue

__all__ = ["MISSING", "Aligner", "Alignment", "align"]

# What an empty slot costs, in left-over words.
MISSING = 2
# Ties that are followed: as many as show that a reading isn't the only one.
_TIES = 4

Status: TypeAlias = Literal["accounted", "literal", "left"]
# The place of a slot among the nodes of the gap before it.
_SLOT = -1
# What is taken (accounted, literal, left, slot, missing, or an item of a row), the words, and the value.
_Taken: TypeAlias = tuple[str, int, int, JSONValue]
_NEVER = 1 << 30


class Alignment(NamedTuple):
    """One way to lay a shape over a sentence.

    Attributes:
        cost: 0 where every word and every slot has its place.
        slots: (start, end, value) for each slot, None where it is empty.
        gaps: for each gap its words as (index, status).
        owed: (gap, item) of what a gap lacks.
        unread: (word, feature) of words that stand where a marker was taught and are none.
    """

    cost: int
    slots: tuple[tuple[int, int, JSONValue] | None, ...]
    gaps: tuple[tuple[tuple[int, Status], ...], ...]
    owed: tuple[tuple[int, Item], ...] = ()
    unread: tuple[tuple[int, str], ...] = ()

    def left(self, gap: int) -> list[int]:
        """The words of a gap that nothing accounts for."""
        return [word for word, status in self.gaps[gap] if status == "left"]

    @property
    def missing(self) -> list[int]:
        """The slots that are empty."""
        return [index for index, slot in enumerate(self.slots) if slot is None]


class Aligner:
    """A sentence before a shape."""

    def __init__(self, given: Sentence, pattern: Pattern, held: Fillings | None = None) -> None:
        """Lays `pattern` over `given`; `held` is what can fill its slots, where shapes share them."""
        self.given, self.pattern = given, pattern
        self.plan: Plan = plan_of(pattern)
        self.last = len(pattern.slots)
        stop = english("stop")
        self.tail = len(given.keys)  # from here on nothing but full stops
        while self.tail and given.keys[self.tail - 1] in stop:
            self.tail -= 1
        self.held = Fillings(given) if held is None else held
        self.costs: list[list[list[int]]] = []

    def fillings(self, index: int, at: int) -> Sequence[tuple[int, JSONValue]]:
        """(end, value) of whatever can fill a slot from a word on."""
        return self.held.of(self.pattern.slots[index], at)

    def _follows(self, gap: int, item: Item, at: int) -> str | None:
        """What a word is to an item of a row: literal, accounted, or nothing."""
        kind, name = item
        if kind == "word":
            return "literal" if name == self.given.keys[at] else None
        if kind == "class":
            return "literal" if name == determiner_class(self.given.keys[at]) else None
        told, follows = (gap, name, self.given.keys[at]), self.plan.follows
        marks = follows.get(told)
        if marks is None:
            make_room(follows)
            morphs = gap_morphs(self.given.keys[at], False)
            marks = any(
                marker.feature == name and any(fits(part, morphs) for part in marker.parts)
                for _, marker in self.plan.placed.get(f"gap:{gap}", ())
            )
            follows[told] = marks
        return "accounted" if marks else None

    def _done(self, gap: int, node: int, at: int) -> bool:
        return gap == self.last and at == len(self.given.keys) and self.plan.tries[gap][node].ends

    def free(self) -> tuple[Alignment, ...]:
        """The alignments that cost nothing, in a fixed order, at most four."""
        found: list[Alignment] = []
        self._walk(0, 0, 0, [], set(), found)
        return tuple(found)

    def _walk(
        self,
        gap: int,
        node: int,
        at: int,
        trail: list[_Taken],
        dead: set[tuple[int, int, int]],
        found: list[Alignment],
    ) -> bool:
        """Whether anything was found from a place on.

        A slot's absence always costs something.
        """
        keys, size = self.given.keys, len(self.given.keys)
        passed: list[tuple[int, int, int]] = []
        while True:
            last, here = gap == self.last, self.plan.tries[gap][node]
            if last and at == size and here.ends:
                found.append(_alignment(0, trail))
                return True
            place = (gap, node, at)
            if place in dead:
                break
            passed.append(place)
            ways: list[tuple[int, int, _Taken]] = []
            if at < size:
                if keys[at] in self.plan.accounted[gap]:
                    ways.append((gap, node, ("accounted", at, at + 1, None)))
                for item, after in here.items:
                    if what := self._follows(gap, item, at):
                        ways.append((gap, after, (what, at, at + 1, None)))
                if last:
                    if at >= self.tail:
                        ways.append((gap, node, ("literal", at, at + 1, None)))
                elif here.ends:
                    for end, value in self.fillings(gap, at):
                        ways.append((gap + 1, 0, ("slot", at, end, value)))
            if len(ways) != 1:
                alive = False
                for gap, node, taken in ways:
                    if len(found) == _TIES:
                        break
                    kept = len(trail)
                    trail.append(taken)
                    alive |= self._walk(gap, node, taken[2], trail, dead, found)
                    del trail[kept:]
                if alive:
                    return True
                break
            gap, node, taken = ways[0]
            trail.append(taken)
            at = taken[2]
        dead.update(passed)
        return False

    def cost(self) -> int:
        """The least cost of any alignment, in words that nothing accounts for or that are missing."""
        if not self.costs:
            self._fill()
        return self.costs[0][0][0]

    def _fill(self) -> None:
        """The least cost from each state and word to the end: for each gap its nodes, then its slot."""
        keys, size, plan = self.given.keys, len(self.given.keys), self.plan
        self.costs = [[] for _ in plan.tries]
        for gap in range(self.last, -1, -1):
            last, accounted = gap == self.last, plan.accounted[gap]
            leave: list[int] = []
            if not last:
                after = self.costs[gap + 1][0]
                leave = [cost + MISSING for cost in after]
                for at in self.held.beginnings(self.pattern.slots[gap]):
                    for end, _ in self.fillings(gap, at):
                        if after[end] < leave[at]:
                            leave[at] = after[end]
            rows: list[list[int]] = [[] for _ in plan.tries[gap]]
            # What follows a node comes after it.
            for node in range(len(rows) - 1, -1, -1):
                here = plan.tries[gap][node]
                if not here.ends:
                    row = [_NEVER] * (size + 1)
                elif last:
                    row = [_NEVER] * size + [0]
                else:
                    row = leave.copy()
                for item, place in here.items:
                    then = rows[place]
                    row = [min(cost, 1 + other) for cost, other in zip(row, then, strict=True)]
                    for at in range(size):
                        if then[at + 1] < row[at]:
                            if self._follows(gap, item, at):
                                row[at] = then[at + 1]
                            elif item[0] == "mark":
                                row[at] = min(row[at], 1 + then[at + 1])
                cost = row[size]
                for at in range(size - 1, -1, -1):
                    if keys[at] not in accounted and not (last and at >= self.tail):
                        cost += 1
                    if row[at] < cost:
                        cost = row[at]
                    else:
                        row[at] = cost
                rows[node] = row
            self.costs[gap] = [*rows, leave]

    def cheapest(self) -> Alignment:
        """The first of the cheapest alignments."""
        cost = self.cost()
        gap, node, at = 0, 0, 0
        trail: list[_Taken] = []
        while not self._done(gap, node, at):
            gap, node, taken = self._cheapest_step(gap, node, at)
            trail.append(taken)
            at = taken[2]
        return _alignment(cost, trail)

    def _cheapest_step(self, gap: int, node: int, at: int) -> tuple[int, int, _Taken]:
        """The first step that costs what the table says; those that cost nothing come in the order of the search."""
        rows, size, last = self.costs[gap], len(self.given.keys), gap == self.last
        least = rows[node][at]
        if node == _SLOT:
            after = self.costs[gap + 1][0]
            for end, value in self.fillings(gap, at) if at < size else ():
                if after[end] == least:
                    return gap + 1, 0, ("slot", at, end, value)
            return gap + 1, 0, ("missing", at, at, None)
        here = self.plan.tries[gap][node]
        if at < size:
            if rows[node][at + 1] == least and self.given.keys[at] in self.plan.accounted[gap]:
                return gap, node, ("accounted", at, at + 1, None)
            for item, place in here.items:
                if rows[place][at + 1] == least and (what := self._follows(gap, item, at)):
                    return gap, place, (what, at, at + 1, None)
            if last and at >= self.tail and rows[node][at + 1] == least:
                return gap, node, ("literal", at, at + 1, None)
        if not last and here.ends and rows[_SLOT][at] == least:
            return gap, _SLOT, ("", at, at, None)
        for (kind, name), place in here.items:
            if kind == "mark" and at < size and 1 + rows[place][at + 1] == least:
                return gap, place, ("unread", at, at + 1, name)
            if 1 + rows[place][at] == least:
                return gap, place, (kind, at, at, name)
        return gap, node, ("left", at, at + 1, None)


def _alignment(cost: int, trail: list[_Taken]) -> Alignment:
    slots: list[tuple[int, int, JSONValue] | None] = []
    gaps: list[list[tuple[int, Status]]] = [[]]
    owed: list[tuple[int, Item]] = []
    unread: list[tuple[int, str]] = []
    for what, at, end, value in trail:
        if what == "slot":
            slots.append((at, end, value))
            gaps.append([])
        elif what == "missing":
            slots.append(None)
            gaps.append([])
        elif what == "unread":
            unread.append((at, str(value)))
            gaps[-1].append((at, "left"))
        elif what in ("accounted", "literal", "left"):
            gaps[-1].append((at, what))
        elif what:
            owed.append((len(gaps) - 1, (what, str(value))))
    return Alignment(cost, tuple(slots), tuple(map(tuple, gaps)), tuple(owed), tuple(unread))


def align(given: Sentence, pattern: Pattern) -> tuple[Alignment, ...]:
    """The cheapest alignments, in a fixed order: up to four where they cost nothing, else one."""
    aligner = Aligner(given, pattern)
    return aligner.free() or (aligner.cheapest(),)
