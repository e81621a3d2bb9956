"""The cheapest alignments of a sentence with a shape, by dynamic programming over places and words.

Linear in the words: a shape has a fixed number of states, and a noun phrase a greatest length.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal, TypeAlias

from recognition._recognizer import Item, Pattern, Slot
from recognition._terms import (
    Sentence,
    Word,
    determiner_class,
    english,
    fits,
    gap_morphs,
    is_adverb,
    is_head,
    is_name,
    is_nominal,
    may_be_plural,
    same_value,
    stem_of,
    values_of,
    verb_readings,
)
from recognition.english import noun_number
from recognition.outcome import JSONValue

__all__ = ["MISSING", "Alignment", "align", "fillings"]

# What an empty slot costs, in left-over words.
MISSING = 2
# Ties that are followed: as many as show that a reading isn't the only one.
_TIES = 4

Status: TypeAlias = Literal["accounted", "literal", "left"]
_State: TypeAlias = tuple[str, int, int]
_Step: TypeAlias = tuple[int, _State, int, tuple[str, JSONValue]]


@dataclass(frozen=True, slots=True)
class Alignment:
    """One way to lay a shape over a sentence.

    Attributes:
        cost: 0 where every word and every slot has its place.
        slots: (start, end, value) for each slot, None where it is empty.
        gaps: for each gap its words as (index, status).
        owed: (gap, item) of what a gap lacks.
    """

    cost: int
    slots: tuple[tuple[int, int, JSONValue] | None, ...]
    gaps: tuple[tuple[tuple[int, Status], ...], ...]
    owed: tuple[tuple[int, Item], ...] = ()

    def left(self, gap: int) -> list[int]:
        """The words of a gap that nothing accounts for."""
        return [word for word, status in self.gaps[gap] if status == "left"]

    @property
    def missing(self) -> list[int]:
        """The slots that are empty."""
        return [index for index, slot in enumerate(self.slots) if slot is None]


def _phrases(given: Sentence, at: int, slot: Slot) -> Iterator[int]:
    """Ends of the noun phrases that begin at a word, longest first."""
    words, ends = given.words, []
    for end in range(at + 1, min(at + slot.longest, len(words)) + 1):
        key = words[end - 1].key
        if " ".join(word.key for word in words[at:end]) in slot.phrases:
            ends.append(end)
        elif is_nominal(key):
            if is_head(key):
                ends.append(end)
        elif end == at + 1 and slot.rule == "text" and key in english("pronoun"):
            ends.append(end)
            break
        elif end == at + 1 and slot.rule == "text" and is_name(words[at]):
            ends.append(end)
        elif not slot.phrases:
            break
    for end in reversed(ends):
        phrase = words[at:end]
        taught = " ".join(word.key for word in words[at:end]) in slot.phrases
        if taught or all(is_nominal(w.key) and _joins(w, v) for w, v in pairwise(phrase)):
            yield end


def _joins(first: Word, second: Word) -> bool:
    """Whether two words stand together in one phrase: not `apples left`, `say John`, `week John`."""
    if noun_number(first.key) == {"plural"}:
        return False
    name = second.text[:1].isupper() and not second.text.isupper()
    if not name:
        return True
    return first.text[:1].isupper() and not any(m.inflection == "BASE" for m in verb_readings(first.key))


def fillings(given: Sentence, at: int, slot: Slot) -> Iterator[tuple[int, JSONValue]]:
    """(end, value) of whatever can fill a slot from a word on."""
    if slot.rule == "number":
        ends = [numeral.end for numeral in given.numerals if numeral.start == at]
    elif slot.rule == "verb":
        ends = [at + 1] if verb_readings(given.words[at].key) else []
    else:
        ends = list(_phrases(given, at, slot))
        counted = [numeral.value for numeral in given.numerals if numeral.end == at]
        if slot.rule == "noun" and counted and counted[0] is not None and abs(counted[0]) > 1:
            ends = [end for end in ends if may_be_plural(given.words[end - 1].key)]
    for end in ends:
        for value in values_of(given, at, end, slot.rule):
            if not slot.constant or same_value(value, slot.constant[0]):
                yield end, value


class _Trie:
    """The rows that may fill a gap, as one machine."""

    def __init__(self, rows: tuple[tuple[Item, ...], ...]) -> None:
        self.next: list[dict[Item, int]] = [{}]
        self.ends: set[int] = set()
        for row in rows:
            node = 0
            for item in row:
                if item not in self.next[node]:
                    self.next[node][item] = len(self.next)
                    self.next.append({})
                node = self.next[node][item]
            self.ends.add(node)


class _Aligner:
    def __init__(self, given: Sentence, pattern: Pattern) -> None:
        self.given, self.pattern = given, pattern
        self.tries = [_Trie(rows) for rows in pattern.gaps]
        self.after_adverbs = {stem for stem in pattern.stems[1] if is_adverb(stem)}
        self.best: list[dict[_State, tuple[int, list[_Step]]]] = []

    def _accounted(self, gap: int, word: int) -> bool:
        """Whether a word of a gap is a marker's, or the support of one."""
        key, pattern = self.given.words[word].key, self.pattern
        stem = stem_of(key)
        if pattern.verb is not None and gap == pattern.verb:
            return stem in pattern.stems[0] or stem in self.after_adverbs or key in english("support")
        if pattern.verb is not None and gap == pattern.verb + 1:
            return stem in pattern.stems[1]
        return False

    def _marks(self, gap: int, feature: str, word: int) -> bool:
        """Whether a word can be a part of a marker of a feature in a gap."""
        morphs = gap_morphs(self.given.words[word].key, False)
        return any(
            marker.feature == feature
            and marker.place == f"gap:{gap}"
            and any(fits(p, morphs) for p in marker.parts)
            for marker in self.pattern.markers
        )

    def _gap_steps(self, gap: int, node: int, at: int) -> Iterator[_Step]:
        words, state = self.given.words, ("gap", gap, node)
        last = gap == len(self.pattern.slots)
        if at < len(words):
            key = words[at].key
            if self._accounted(gap, at):
                yield 0, state, at + 1, ("accounted", None)
            kind = determiner_class(key)
            for item, after in self.tries[gap].next[node].items():
                if item[0] == "mark":
                    if self._marks(gap, item[1], at):
                        yield 0, ("gap", gap, after), at + 1, ("accounted", None)
                elif item in (("word", key), ("class", kind)):
                    yield 0, ("gap", gap, after), at + 1, ("literal", None)
            if last and all(word.key in english("stop") for word in words[at:]):
                yield 0, state, at + 1, ("literal", None)
        if not last and node in self.tries[gap].ends:
            yield 0, ("slot", gap, 0), at, ("", None)
        for item, after in self.tries[gap].next[node].items():
            yield 1, ("gap", gap, after), at, (item[0], item[1])
        if at < len(words):
            yield 1, state, at + 1, ("left", None)

    def _slot_steps(self, index: int, at: int) -> Iterator[_Step]:
        if at < len(self.given.words):
            for end, value in fillings(self.given, at, self.pattern.slots[index]):
                yield 0, ("gap", index + 1, 0), end, ("slot", value)
        yield MISSING, ("gap", index + 1, 0), at, ("missing", None)

    def fill(self) -> None:
        size = len(self.given.words)
        self.best = [{} for _ in range(size + 1)]
        count = len(self.pattern.slots)
        for at in range(size, -1, -1):
            for gap in range(count, -1, -1):
                # A gap's exit leads to its slot, the slot's absence to the next gap: both before this one.
                if gap < count:
                    self._settle(("slot", gap, 0), at, self._slot_steps(gap, at))
                # A row's next item is a later node, and may be left out.
                for node in reversed(range(len(self.tries[gap].next))):
                    if gap == count and at == size and node in self.tries[gap].ends:
                        self.best[at]["gap", gap, node] = (0, [])
                    else:
                        self._settle(("gap", gap, node), at, self._gap_steps(gap, node, at))

    def _settle(self, state: _State, at: int, steps: Iterator[_Step]) -> None:
        least, kept = 1 << 30, []
        for step in steps:
            cost = step[0] + self.best[step[2]][step[1]][0]
            if cost < least:
                least, kept = cost, [step]
            elif cost == least and len(kept) < _TIES:
                kept.append(step)
        self.best[at][state] = (least, kept)

    def paths(self) -> Iterator[Alignment]:
        """The cheapest alignments; of those that leave something over, the first."""
        start: _State = ("gap", 0, 0)
        cost = self.best[0][start][0]
        limit = _TIES if cost == 0 else 1
        frontier: list[tuple[_State, int, list[tuple[int, _Step]]]] = [(start, 0, [])]
        done = 0
        while frontier and done < limit:
            state, at, trail = frontier.pop()
            steps = self.best[at][state][1]
            while len(steps) == 1 or (steps and limit == 1):
                trail.append((at, steps[0]))
                state, at = steps[0][1], steps[0][2]
                steps = self.best[at][state][1]
            if not steps:
                done += 1
                yield self._alignment(cost, trail)
                continue
            frontier.extend((step[1], step[2], [*trail, (at, step)]) for step in reversed(steps))

    def _alignment(self, cost: int, trail: list[tuple[int, _Step]]) -> Alignment:
        slots: list[tuple[int, int, JSONValue] | None] = []
        gaps: list[list[tuple[int, Status]]] = [[]]
        owed: list[tuple[int, Item]] = []
        for at, (_, _, end, (what, value)) in trail:
            if what in ("slot", "missing"):
                slots.append((at, end, value) if what == "slot" else None)
                gaps.append([])
            elif what in ("accounted", "literal", "left"):
                gaps[-1].append((at, what))
            elif what:
                owed.append((len(gaps) - 1, (what, str(value))))
        return Alignment(cost, tuple(slots), tuple(map(tuple, gaps)), tuple(owed))


def align(given: Sentence, pattern: Pattern) -> tuple[Alignment, ...]:
    """The cheapest alignments, in a fixed order: up to four where they cost nothing, else one."""
    aligner = _Aligner(given, pattern)
    aligner.fill()
    return tuple(aligner.paths())
