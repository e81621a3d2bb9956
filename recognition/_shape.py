"""The taught examples of one signature, cut into slots and gaps."""

from __future__ import annotations

from recognition._recognizer import Item
from recognition._rules import Read
from recognition._terms import Morph, determiner_class, english, gap_morphs
from recognition._verbs import finite, finite_form, finite_place, group_morph

__all__ = ["Row", "Shape"]

Row = tuple[Item, ...]


class Shape:
    """Examples whose slots stand in one order."""

    def __init__(self, reads: list[Read], slots: tuple[str, ...], rules: dict[str, str]) -> None:
        self.reads, self.slots, self.rules = reads, slots, rules
        verbs = [index for index, feature in enumerate(slots) if rules[feature] == "verb"]
        self.verb = verbs[0] if verbs else None

    @property
    def verb_slot(self) -> str:
        """The feature of the slot that holds the verb; empty if there is none."""
        return "" if self.verb is None else self.slots[self.verb]

    def spans(self, read: Read) -> list[tuple[int, int]]:
        return [span for feature in self.slots if (span := read.spans[feature])]

    def gap(self, read: Read, index: int) -> range:
        spans = self.spans(read)
        start = spans[index - 1][1] if index else 0
        return range(start, spans[index][0] if index < len(spans) else len(read.sentence.words))

    def in_group(self, gap: int) -> bool:
        return self.verb is not None and gap in (self.verb, self.verb + 1)

    def between(self, gap: int) -> tuple[str | None, str | None]:
        """The slots beside a gap, by which those of other shapes are found; nothing, beside the last."""
        if gap == len(self.slots):
            return None, None
        return self.slots[gap - 1] if gap else None, self.slots[gap]

    def place(self, read: Read, word: int) -> str:
        for index, (start, end) in enumerate(self.spans(read)):
            if start <= word < end:
                return "group" if index == self.verb else f"slot:{self.slots[index]}"
        gap = next(index for index in range(len(self.slots) + 1) if word in self.gap(read, index))
        return "group" if self.in_group(gap) else f"gap:{gap}"

    def morph(self, read: Read, word: int) -> Morph:
        """The word as a term, in the place it has."""
        key = read.sentence.words[word].key
        place = self.place(read, word)
        if place != "group":
            return gap_morphs(key, place.startswith("slot"))[0]
        assert self.verb is not None
        start = self.spans(read)[self.verb][0]
        if word == start:
            before = [read.sentence.words[index].key for index in self.gap(read, self.verb)]
            lemma = read.value(self.slots[self.verb])
            subject = self.spans(read)[self.verb - 1][1] - 1 if self.verb else None
            forms = finite(
                before, key, lemma, read.sentence.words[subject].key if subject is not None else ""
            )
            return Morph(str(lemma), forms[0] if forms else None)
        return group_morph(key)

    def fillings(self, feature: str) -> list[tuple[str, ...]]:
        """The keys of every taught filling of a slot."""
        index = self.slots.index(feature)
        spans = [(read, self.spans(read)[index]) for read in self.reads]
        return [tuple(word.key for word in read.sentence.words[start:end]) for read, (start, end) in spans]

    def marks(self, read: Read) -> dict[int, str]:
        """The words that are evidence of a feature that is no slot -> the first such feature by name."""
        marks: dict[int, str] = {}
        for feature in sorted(read.spans):
            span = read.spans[feature]
            if feature not in self.slots and span:
                marks = dict.fromkeys(range(*span), feature) | marks
        return marks

    def rows(self, index: int) -> set[Row]:
        """What fills a gap; in the verb group beside markers and the support of `do`."""
        rows: set[Row] = set()
        for read in self.reads:
            row: list[Item] = []
            marks = self.marks(read)
            for word in self.gap(read, index):
                key = read.sentence.words[word].key
                supports = self.verb == index and key in english("support")
                if self.in_group(index) and (word in marks or supports):
                    continue
                kind = determiner_class(key)
                row.append(
                    ("mark", marks[word]) if word in marks else ("class", kind) if kind else ("word", key)
                )
            while index == len(self.slots) and row and row[-1][1] in english("stop"):
                row.pop()
            rows.add(tuple(row))
        return rows

    def stems(self) -> tuple[set[str], set[str]]:
        """The stems of markers before and after the verb."""
        found: tuple[set[str], set[str]] = (set(), set())
        if self.verb is None:
            return found
        for read in self.reads:
            for word in self.marks(read):
                stem = group_morph(read.sentence.words[word].key).stem or ""
                for side, gap in enumerate((self.verb, self.verb + 1)):
                    if word in self.gap(read, gap) and (side or stem != "do"):
                        found[side].add(stem)
        return found

    def forms(self) -> set[str]:
        """The forms of the verb group that are evidence of nothing.

        Of its finite word, and of the verb where it stands after an auxiliary. A form that was taught as evidence
        alone is one that reading has to account for.
        """
        found: set[str] = set()
        if self.verb is None:
            return found
        for read in self.reads:
            marks = self.marks(read)
            gap, verb = self.gap(read, self.verb), self.spans(read)[self.verb][0]
            before = [read.sentence.words[word].key for word in gap]
            form = self.morph(read, verb).inflection
            place = finite_place(before)
            if (verb if place is None else gap[place]) not in marks:
                found.add(finite_form(before, form))
            if verb not in marks and form in ("PART", "GER"):
                found.add(form)
        return found
