"""A taught shape as the aligner and the prover run it: made once a shape, kept with it."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from recognition._recognizer import Item, Marker, Pattern
from recognition._terms import Morph, english, fits, is_adverb, same_value
from recognition._verbs import group_morph

__all__ = ["KEPT", "Node", "Plan", "make_room", "plan_of"]

# Entries of each table that a shape keeps of what it has read; a table that is full begins anew.
KEPT = 1 << 12


@dataclass(slots=True)
class Node:
    """A place in the rows of a gap.

    Attributes:
        items: what may follow, each with the place after it, in the order of the rows.
        ends: whether a row is complete here.
    """

    items: list[tuple[Item, int]] = field(default_factory=list)
    ends: bool = False


def _trie(rows: tuple[tuple[Item, ...], ...]) -> tuple[Node, ...]:
    """The rows that may fill a gap, as one machine; what follows a place comes after it."""
    nodes = [Node()]
    for row in rows:
        at = 0
        for item in row:
            after = next((place for held, place in nodes[at].items if held == item), None)
            if after is None:
                after = len(nodes)
                nodes[at].items.append((item, after))
                nodes.append(Node())
            at = after
        nodes[at].ends = True
    return tuple(nodes)


def make_room(table: dict[Any, Any]) -> None:
    """Empties a table that is full."""
    if len(table) >= KEPT:
        table.clear()


class Plan:
    """What is looked up in a shape for every word.

    Attributes:
        name: the shape as text.
        tries: for each gap the rows that may fill it.
        accounted: for each gap the keys of words that are a marker's or the support of one.
        placed: the markers by their place, each with its number.
        elsewhere: whether there are markers outside the verb group.
        long: whether there are markers of more than one word.
        names: the features, each with the index of its slot or None, sorted by name.
        sought: for each feature that may hold by absence, the markers of other values.
        groups, marked, absent, said, begun, follows: tables that fill as sentences are read.
    """

    def __init__(self, pattern: Pattern) -> None:
        self.pattern = pattern
        self.name = str(pattern)
        self.tries = tuple(map(_trie, pattern.gaps))
        self.accounted = tuple(_accounted(pattern, gap) for gap in range(len(pattern.gaps)))
        self.placed: dict[str, list[tuple[int, Marker]]] = {}
        for number, marker in enumerate(pattern.markers):
            self.placed.setdefault(marker.place, []).append((number, marker))
        self.elsewhere = bool(self.placed.keys() - {"group"})
        self.long = any(len(marker.parts) > 1 for marker in pattern.markers)
        slots = {slot.feature: index for index, slot in enumerate(pattern.slots)}
        self.names = tuple((name, slots.get(name)) for name in pattern.features)
        self.sought = {
            default.feature: tuple(
                sorted(
                    {
                        str(marker)
                        for marker in pattern.markers
                        if marker.feature == default.feature and not same_value(marker.value, default.value)
                    }
                )
            )
            for default in pattern.defaults
        }
        self.groups: dict[Any, Any] = {}
        self.marked: dict[Any, Any] = {}
        self.absent: dict[Any, Any] = {}
        self.follows: dict[tuple[int, str, str], bool] = {}
        self.said: dict[str, tuple[Marker, ...]] = {}
        self.begun: dict[tuple[str, tuple[Morph, ...]], tuple[tuple[int, Marker], ...]] = {}

    @cached_property
    def rivals(self) -> tuple[tuple[Marker, Marker], ...]:
        """The pairs of markers that give one feature two values."""
        return tuple(
            (first, second)
            for first in self.pattern.markers
            for second in self.pattern.markers
            if first.feature == second.feature and not same_value(first.value, second.value)
        )

    def beginning(self, place: str, morphs: tuple[Morph, ...]) -> tuple[tuple[int, Marker], ...]:
        """The markers of a place, with their numbers, that a word of these readings can begin."""
        begun = self.begun.get((place, morphs))
        if begun is None:
            make_room(self.begun)
            begun = tuple(held for held in self.placed.get(place, ()) if fits(held[1].parts[0], morphs))
            self.begun[place, morphs] = begun
        return begun


def _accounted(pattern: Pattern, gap: int) -> frozenset[str]:
    if pattern.verb is None or gap not in (pattern.verb, pattern.verb + 1):
        return frozenset()
    stems = set(pattern.stems[1])
    if gap == pattern.verb:
        stems = {*pattern.stems[0], *filter(is_adverb, stems)}
    contractions = {entry.partition("=")[0] for entry in english("contraction")}
    known = {*stems, *contractions, *english("be"), "have", "has", "had"}
    keys = {key for key in known if group_morph(key).stem in stems}
    return frozenset(keys | english("support") if gap == pattern.verb else keys)


def plan_of(pattern: Pattern) -> Plan:
    """The plan of a shape."""
    if not pattern.compiled:
        pattern.compiled.append(Plan(pattern))
    return pattern.compiled[0]
