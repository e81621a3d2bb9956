"""Least general generalisation of taught examples of one shape: slots, gaps, markers, defaults."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from recognition._recognizer import (
    Default,
    Item,
    Marker,
    Pattern,
    Slot,
    TaughtExample,
    TeachingError,
    canonical_json,
)
from recognition._rules import Read, read_example
from recognition._terms import (
    Morph,
    determiner_class,
    english,
    gap_morphs,
    is_head,
    is_nominal,
    same_value,
    stem_of,
)
from recognition._verbs import finite, finite_form, group_morph
from recognition.outcome import JSONValue

__all__ = ["LONGEST", "generalize"]

# The most words of a noun phrase, once phrases of more than one are taught.
LONGEST = 8


class _Shape:
    """The examples of one signature, cut into slots and gaps."""

    def __init__(self, reads: list[Read], slots: tuple[str, ...], rules: dict[str, str]) -> None:
        self.reads, self.slots, self.rules = reads, slots, rules
        verbs = [index for index, feature in enumerate(slots) if rules[feature] == "verb"]
        self.verb = verbs[0] if verbs else None

    def spans(self, read: Read) -> list[tuple[int, int]]:
        return [span for feature in self.slots if (span := read.spans[feature])]

    def gap(self, read: Read, index: int) -> range:
        spans = self.spans(read)
        start = spans[index - 1][1] if index else 0
        return range(start, spans[index][0] if index < len(spans) else len(read.sentence.words))

    def in_group(self, gap: int) -> bool:
        return self.verb is not None and gap in (self.verb, self.verb + 1)

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

    def slot(self, index: int) -> Slot:
        feature = self.slots[index]
        rule = self.rules[feature]
        values = [read.value(feature) for read in self.reads]
        same = all(same_value(value, values[0]) for value in values)
        filled = [
            [word.key for word in read.sentence.words[start:end]]
            for read in self.reads
            for start, end in [self.spans(read)[index]]
        ]
        most = max(map(len, filled))
        odd = {" ".join(keys) for keys in filled if not (all(map(is_nominal, keys)) and is_head(keys[-1]))}
        longest = 1 if most == 1 else max(LONGEST, most)
        return Slot(
            feature,
            rule,
            (values[0],) if same else (),
            longest,
            tuple(sorted(odd)) if rule in ("text", "noun") else (),
        )

    def marks(self, read: Read) -> dict[int, str]:
        """The words that are evidence of a feature that is no slot -> the first such feature by name."""
        marks: dict[int, str] = {}
        for feature in sorted(read.spans):
            span = read.spans[feature]
            if feature not in self.slots and span:
                marks = dict.fromkeys(range(*span), feature) | marks
        return marks

    def rows(self, index: int) -> tuple[tuple[Item, ...], ...]:
        """What fills a gap; in the verb group beside markers and the support of `do`."""
        rows: set[tuple[Item, ...]] = set()
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
        return tuple(sorted(rows))

    def stems(self) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """The stems of markers before and after the verb."""
        found: tuple[set[str], set[str]] = (set(), set())
        if self.verb is None:
            return (), ()
        for read in self.reads:
            for word in self.marks(read):
                stem = stem_of(read.sentence.words[word].key)
                for side, gap in enumerate((self.verb, self.verb + 1)):
                    if word in self.gap(read, gap) and (side or stem not in english("support")):
                        found[side].add(stem)
        return tuple(sorted(found[0])), tuple(sorted(found[1]))

    def forms(self) -> tuple[str, ...]:
        """The finite forms of the verb group."""
        if self.verb is None:
            return ()
        found: set[str] = set()
        for read in self.reads:
            before = [read.sentence.words[word].key for word in self.gap(read, self.verb)]
            form = self.morph(read, self.spans(read)[self.verb][0]).inflection
            found.add(finite_form(before, form))
        return tuple(sorted(found))


def _evidence(shape: _Shape, feature: str) -> Iterator[tuple[Read, JSONValue, tuple[Morph, ...], str]]:
    for read in shape.reads:
        span = read.spans[feature]
        if span:
            parts = tuple(shape.morph(read, word) for word in range(*span))
            yield read, read.value(feature), parts, shape.place(read, span[0])


def _marker_terms(held: list[tuple[JSONValue, Morph]]) -> tuple[bool, bool]:
    """Whether the stem, and whether the inflection, of markers of one word says nothing about the value."""
    any_stem = any(
        a == b and type(a) is type(b) and m.inflection == n.inflection and m.inflection not in (None, "BASE")
        and m.stem != n.stem
        for a, m in held
        for b, n in held
    )  # fmt: skip
    any_inflection = any(
        a == b and type(a) is type(b) and m.stem == n.stem and m.inflection != n.inflection
        for a, m in held
        for b, n in held
    )
    return any_stem, any_inflection


def _markers(shape: _Shape, feature: str) -> tuple[Marker, ...]:
    evidence = list(_evidence(shape, feature))
    held = list(
        {
            canonical_json([v, p[0].stem, p[0].inflection]): (v, p[0])
            for _, v, p, _ in evidence
            if len(p) == 1
        }.values()
    )
    any_stem, any_inflection = _marker_terms(held)

    def terms(parts: tuple[Morph, ...], loose: bool) -> tuple[Morph, ...]:
        if len(parts) != 1 or not loose or any_stem == any_inflection:
            return parts
        part = parts[0]
        if any_stem:
            return parts if part.inflection in (None, "BASE") else (Morph(None, part.inflection),)
        return (Morph(part.stem, None),)

    found: dict[str, Marker] = {}
    for loose in (True, False):
        found, clash = {}, None
        for read, value, parts, place in evidence:
            marker = Marker(feature, value, terms(parts, loose), place)
            key = canonical_json([place, [[p.stem, p.inflection] for p in marker.parts]])
            if key in found and not same_value(found[key].value, value):
                clash = (read, found[key], value)
            found[key] = marker
        if clash is None:
            break
    else:
        assert clash is not None
        read, marker, value = clash
        raise TeachingError(
            "contradiction",
            f"{read.example.text!r}: {feature}: {str(marker)!r} is taught as {marker.value!r} and as {value!r}",
        )
    return tuple(found[key] for key in sorted(found))


def _default(shape: _Shape, feature: str) -> tuple[Default, ...]:
    absent = [read for read in shape.reads if read.spans[feature] is None]
    for read in absent:
        if not same_value(read.value(feature), absent[0].value(feature)):
            raise TeachingError(
                "contradiction",
                f"{read.example.text!r}: {feature}: absent as {read.value(feature)!r}, and as "
                f"{absent[0].value(feature)!r} in {absent[0].example.text!r}",
            )
    return (Default(feature, absent[0].value(feature)),) if absent else ()


def generalize(examples: Sequence[TaughtExample], slots: tuple[str, ...], rules: dict[str, str]) -> Pattern:
    """The least general shape that all examples of one signature have.

    Raises:
        TeachingError: two examples disagree on what a marker, or its absence, says.
    """
    shape = _Shape([read_example(example) for example in examples], slots, rules)
    others = [name for name in examples[0].bundle.names if name not in slots]
    markers = tuple(marker for feature in others for marker in _markers(shape, feature))
    return Pattern(
        slots=tuple(shape.slot(index) for index in range(len(slots))),
        gaps=tuple(shape.rows(index) for index in range(len(slots) + 1)),
        verb=shape.verb,
        forms=shape.forms(),
        stems=shape.stems(),
        markers=markers,
        defaults=tuple(default for feature in others for default in _default(shape, feature)),
    )
