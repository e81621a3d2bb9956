"""Least general generalisation of taught examples of one shape: slots, gaps, markers, defaults."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

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
from recognition._terms import (
    RULES,
    Morph,
    Sentence,
    determiner_class,
    english,
    gap_morphs,
    is_head,
    is_modal,
    is_nominal,
    same_value,
    stem_of,
    values_of,
    verb_readings,
)
from recognition.english import noun_number
from recognition.outcome import FeatureEvidence, JSONValue

__all__ = ["LONGEST", "finite", "generalize", "slot_rules"]

# The most words of a noun phrase, once phrases of more than one are taught.
LONGEST = 8


@dataclass(frozen=True, slots=True)
class _Read:
    """An example with its evidence in words: `spans` by feature, None for a value by absence."""

    example: TaughtExample
    sentence: Sentence
    spans: dict[str, tuple[int, int] | None]

    def value(self, feature: str) -> JSONValue:
        return self.example.bundle[feature].value


def _read(example: TaughtExample) -> _Read:
    given = example.sentence
    spans: dict[str, tuple[int, int] | None] = {}
    for feature in example.bundle:
        evidence = feature.evidence
        if not isinstance(evidence, FeatureEvidence):
            spans[feature.name] = None
            continue
        if evidence.end > len(given.tokens):
            raise TeachingError(
                "span_out_of_range",
                f"{example.text!r}: {feature.name}: evidence [{evidence.start}, {evidence.end}) "
                f"of {len(given.tokens)} tokens",
            )
        spans[feature.name] = given.word_span(evidence.start, evidence.end)
    return _Read(example, given, spans)


def _fits(read: _Read, feature: str, rule: str) -> bool:
    span = read.spans[feature]
    return span is None or any(
        same_value(value, read.value(feature)) for value in values_of(read.sentence, *span, rule)
    )


def _counted(read: _Read, feature: str) -> bool:
    span = read.spans[feature]
    return span is not None and any(numeral.end == span[0] for numeral in read.sentence.numerals)


def _check_yield(held: Sequence[_Read], feature: str) -> None:
    """Tell a slip of the teacher from a feature that is marked: a number that isn't the one written, or the one
    value of many that isn't what stands in the text.
    """
    written = [read for read in held if _fits(read, feature, "text") or _fits(read, feature, "number")]
    many = (
        len({canonical_json(read.value(feature)) for read in written}) >= 3
        and len(written) * 3 >= len(held) * 2
    )
    for read in held:
        span, value = read.spans[feature], read.value(feature)
        assert span is not None
        said = values_of(read.sentence, *span, "number")
        number = isinstance(value, int | float) and not isinstance(value, bool)
        if (said and number and not same_value(said[0], value)) or (many and read not in written):
            raise TeachingError(
                "evidence_value",
                f"{read.example.text!r}: {feature}: {value!r} does not follow from "
                f"{read.sentence.written(*span)!r}",
            )


def slot_rules(examples: Sequence[TaughtExample]) -> dict[str, str]:
    """For each feature whose values follow from their spans, the rule by which they do.

    Of two features with one span the first becomes the slot: the one with more values, then by name.
    """
    reads = [_read(example) for example in examples]
    fitting: dict[str, list[str]] = {}
    for feature in reads[0].spans:
        held = [read for read in reads if read.spans[feature]]
        fitting[feature] = [
            rule for rule in RULES if held and all(_fits(read, feature, rule) for read in held)
        ]
        if not fitting[feature]:
            _check_yield(held, feature)
        # What is counted stands in the plural, so its lemma is meant even where only `sheep` are taught.
        elif "noun" in fitting[feature] and all(_counted(read, feature) for read in held):
            fitting[feature] = [rule for rule in fitting[feature] if rule != "text"]
    marked = [feature for feature, fit in fitting.items() if not fit]
    rules: dict[str, str] = {}
    ranked = sorted(
        fitting, key=lambda name: (-len({canonical_json(read.value(name)) for read in reads}), name)
    )
    for feature in ranked:
        if not (fit := fitting[feature]):
            continue
        # A word that also shows another feature, which is no slot, is a verb before it is a noun.
        shared = any(
            read.spans[feature] and read.spans[other] == read.spans[feature]
            for read in reads
            for other in marked
        )
        rules[feature] = "verb" if shared and "verb" in fit and fit[0] in ("noun", "verb") else fit[0]
    return rules


def signature(example: TaughtExample, rules: dict[str, str]) -> tuple[str, ...]:
    """The slots of an example in the order of its text: examples of one signature share a shape."""
    read = _read(example)
    placed: dict[tuple[int, int], str] = {}
    for feature in rules:
        span = read.spans[feature]
        if span and span not in placed:
            if any(span[0] < end and start < span[1] for start, end in placed):
                other = next(f for (s, e), f in placed.items() if span[0] < e and s < span[1])
                raise TeachingError(
                    "overlap", f"{example.text!r}: {feature}: its evidence overlaps that of {other}"
                )
            placed[span] = feature
    return tuple(placed[span] for span in sorted(placed))


def finite(keys_before: Sequence[str], verb: str, lemma: JSONValue, subject: str) -> tuple[str, ...]:
    """The forms in which a verb can stand after the auxiliaries before it; none where it cannot.

    Args:
        keys_before: of the words between the subject and the verb.
        verb: the key of the verb.
        lemma: the reading to take.
        subject: the key of the last word of the subject; empty if there is none.
    """
    readings = verb_readings(verb)
    forms = tuple(m.inflection or "" for m in readings if m.stem == lemma)
    supported = any(is_modal(key) or key in english("support") for key in keys_before)
    if supported:
        return ("BASE",) if "BASE" in forms else ()
    if _singular(subject) and any(m.inflection == "PAST" for m in readings):
        forms = tuple(form for form in forms if form != "BASE")  # the engine saw: no present
    return tuple(
        dict.fromkeys(
            "PRES" if form == "BASE" else form for form in forms if form in ("BASE", "PRES", "PAST")
        )
    )


def _singular(key: str) -> bool:
    """Whether a subject whose last word this is takes a verb in -s in the present."""
    if key in english("pronoun"):
        return key in ("he", "she", "it")
    numbers = noun_number(key) if key else ("plural",)
    return "plural" not in numbers and (bool(numbers) or not key.endswith("s"))


class _Shape:
    """The examples of one signature, cut into slots and gaps."""

    def __init__(self, reads: list[_Read], slots: tuple[str, ...], rules: dict[str, str]) -> None:
        self.reads, self.slots, self.rules = reads, slots, rules
        verbs = [index for index, feature in enumerate(slots) if rules[feature] == "verb"]
        self.verb = verbs[0] if verbs else None

    def spans(self, read: _Read) -> list[tuple[int, int]]:
        return [span for feature in self.slots if (span := read.spans[feature])]

    def gap(self, read: _Read, index: int) -> range:
        spans = self.spans(read)
        start = spans[index - 1][1] if index else 0
        return range(start, spans[index][0] if index < len(spans) else len(read.sentence.words))

    def in_group(self, gap: int) -> bool:
        return self.verb is not None and gap in (self.verb, self.verb + 1)

    def place(self, read: _Read, word: int) -> str:
        for index, (start, end) in enumerate(self.spans(read)):
            if start <= word < end:
                return "group" if index == self.verb else f"slot:{self.slots[index]}"
        gap = next(index for index in range(len(self.slots) + 1) if word in self.gap(read, index))
        return "group" if self.in_group(gap) else f"gap:{gap}"

    def morph(self, read: _Read, word: int) -> Morph:
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
        if key in english("support"):
            return Morph("do", "PAST" if key == "did" else "PRES")
        return Morph(stem_of(key), None)

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

    def marked(self) -> set[tuple[int, int]]:
        """(read, word) of the words that are evidence of a feature that is no slot."""
        return {
            (number, word)
            for number, read in enumerate(self.reads)
            for feature, span in read.spans.items()
            if feature not in self.slots and span
            for word in range(*span)
        }

    def rows(self, index: int, marked: set[tuple[int, int]]) -> tuple[tuple[Item, ...], ...]:
        """What fills a gap beside markers and the support of `do`."""
        rows: set[tuple[Item, ...]] = set()
        for number, read in enumerate(self.reads):
            row: list[Item] = []
            for word in self.gap(read, index):
                key = read.sentence.words[word].key
                supports = self.verb == index and key in english("support")
                if (number, word) in marked or supports:
                    continue
                kind = determiner_class(key)
                row.append(("class", kind) if kind else ("word", key))
            while index == len(self.slots) and row and row[-1][1] in english("stop"):
                row.pop()
            rows.add(tuple(row))
        return tuple(sorted(rows))


def _evidence(shape: _Shape, feature: str) -> Iterator[tuple[_Read, JSONValue, tuple[Morph, ...], str, str]]:
    for read in shape.reads:
        span = read.spans[feature]
        if span:
            parts = tuple(shape.morph(read, word) for word in range(*span))
            # After a slot stands "{}", which no token is.
            filled = any(end == span[0] for _, end in shape.spans(read))
            before = "{}" if filled else read.sentence.words[span[0] - 1].key if span[0] else ""
            yield read, read.value(feature), parts, shape.place(read, span[0]), before


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
            for _, v, p, _, _ in evidence
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
        for read, value, parts, place, before in evidence:
            marker = Marker(feature, value, terms(parts, loose), place)
            key = canonical_json([place, [[p.stem, p.inflection] for p in marker.parts]])
            if key in found and not same_value(found[key].value, value):
                clash = (read, found[key], value)
            after = () if place == "group" or place.startswith("slot") else (before,)
            known = found.get(key, marker).after
            found[key] = replace(marker, after=tuple(sorted({*known, *after})))
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
    shape = _Shape([_read(example) for example in examples], slots, rules)
    others = [name for name in examples[0].bundle.names if name not in slots]
    markers = tuple(marker for feature in others for marker in _markers(shape, feature))
    marked = shape.marked()
    before: set[str] = set()
    after: set[str] = set()
    if shape.verb is not None:
        for number, word in marked:
            read = shape.reads[number]
            stem = stem_of(read.sentence.words[word].key)
            if word in shape.gap(read, shape.verb) and stem not in english("support"):
                before.add(stem)
            elif word in shape.gap(read, shape.verb + 1):
                after.add(stem)
    return Pattern(
        slots=tuple(shape.slot(index) for index in range(len(slots))),
        gaps=tuple(shape.rows(index, marked) for index in range(len(slots) + 1)),
        verb=shape.verb,
        stems=(tuple(sorted(before)), tuple(sorted(after))),
        markers=markers,
        defaults=tuple(default for feature in others for default in _default(shape, feature)),
    )
