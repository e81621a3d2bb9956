"""What can fill slots in a sentence: found once, however many shapes have the slot."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from recognition._phrases import alone, begins, phrases
from recognition._recognizer import Slot
from recognition._terms import Sentence, head_of, may_be_plural, same_value, values_of
from recognition.outcome import JSONValue

__all__ = ["Fillings"]


class Fillings:
    """The words of a sentence that can fill the slots of a recogniser, which live as long as this does."""

    def __init__(self, given: Sentence) -> None:
        self.given = given
        # A dash apart from its number is no sign.
        self.numerals = {
            numeral.start: numeral
            for numeral in given.numerals
            if given.keys[numeral.start] != "-"
            or given.words[numeral.start].end == given.words[numeral.start + 1].start
        }
        self.counts = {numeral.end: numeral.value for numeral in given.numerals}
        self.found: dict[tuple[int, int], Sequence[tuple[int, JSONValue]]] = {}
        self.begun: dict[int, Iterable[int]] = {}

    def of(self, slot: Slot, at: int) -> Sequence[tuple[int, JSONValue]]:
        """(end, value) of whatever can fill a slot from a word on."""
        found = self.found.get((id(slot), at))
        if found is not None:
            return found
        if slot.rule == "number":
            numeral = self.numerals.get(at)
            found = () if numeral is None or numeral.value is None else ((numeral.end, numeral.value),)
        elif slot.rule == "verb":
            found = [(at + 1, value) for value in values_of(self.given, at, at + 1, "verb")]
        else:
            found = [
                (end, value)
                for end in self._phrases(slot, at)
                for value in values_of(self.given, at, end, slot.rule)
                if not slot.others or self._settled(slot, at, end, value)
            ]
        if slot.constant:
            found = [held for held in found if same_value(held[1], slot.constant[0])]
        self.found[id(slot), at] = found
        return found

    def beginnings(self, slot: Slot) -> Iterable[int]:
        """The words at which something that fills a slot can begin, and perhaps others."""
        begun = self.begun.get(id(slot))
        if begun is None:
            keys = self.given.keys
            if slot.rule == "number":
                begun = self.numerals
            elif slot.phrases:
                first = {phrase.partition(" ")[0] for phrase in slot.phrases}
                begun = [at for at, key in enumerate(keys) if key in first or begins(key, slot.rule)]
            else:
                begun = [at for at, key in enumerate(keys) if begins(key, slot.rule)]
            if slot.measures:
                begun = sorted({*begun, *self.numerals})
            if slot.leads:
                begun = sorted({*begun, *(at for at, key in enumerate(keys) if key in slot.leads)})
            self.begun[id(slot)] = begun
        return begun

    def _phrases(self, slot: Slot, at: int) -> list[int]:
        if slot.longest > 1 or slot.phrases:
            ends = phrases(self.given, at, slot)
        else:
            ends = [at + 1] if alone(self.given.words[at], slot.rule) else []
        if slot.rule == "noun" and ends:
            count = self.counts.get(at)
            if count is not None and abs(count) > 1:
                keys = self.given.keys
                return [end for end in ends if may_be_plural(keys[head_of(keys, at, end)])]
        return ends

    def _settled(self, slot: Slot, at: int, end: int, value: JSONValue) -> bool:
        """Whether every rule that fits the teaching gives a filling this value, if it gives one."""
        for rule in slot.others:
            said = values_of(self.given, at, end, rule)
            if said and not any(same_value(value, other) for other in said):
                return False
        return True
