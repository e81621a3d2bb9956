"""What a teaching set left open or settled, in lines for the person who wrote it."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence

from recognition._align import align
from recognition._evidence import Group, found_markers
from recognition._recognizer import DerivedRecognizer, Marker, Pattern, Slot
from recognition._rules import Read, read_example, signature, slot_rules
from recognition._terms import RULES, same_value, values_of
from recognition.outcome import JSONValue

__all__ = ["RULE_MEANING", "identity", "open_points", "report"]

RULE_MEANING = {
    "number": "the number that the words say",
    "text": "the words as written",
    "noun": "the lemma of the noun",
    "verb": "the lemma of the verb",
}
# What example tells two rules apart that fit all examples so far.
_SEPARATES = {
    ("text", "noun"): "one whose noun is a plural",
    ("text", "verb"): "one whose verb is inflected",
    ("noun", "verb"): "one whose word is only a noun, or only a verb",
}


def shown(value: JSONValue) -> str:
    """A value as JSON."""
    return json.dumps(value, ensure_ascii=False)


def _slot(slot: Slot) -> str:
    text = RULE_MEANING[slot.rule]
    measured = ("a noun" if measure == "*" else repr(measure) for measure in slot.measures)
    listed = ", ".join((*(f"any number with {what}" for what in measured), *map(repr, slot.phrases)))
    if not slot.open:
        return f"{text}; none but {listed}"
    if slot.rule in ("text", "noun"):
        text += ", one word" if slot.longest == 1 else f", up to {slot.longest} words"
    if slot.leads:
        text += f"; may begin with {', '.join(map(repr, slot.leads))}"
    if slot.joints:
        text += f"; nouns may be joined by {', '.join(map(repr, slot.joints))}"
    if listed:
        text += f"; taught as they are: {listed}"
    return text + (f"; only {shown(slot.constant[0])}" if slot.constant else "")


def _place(place: str) -> str:
    if place == "group":
        return "in the verb group"
    kind, _, name = place.partition(":")
    return f"in the words of {name}" if kind == "slot" else f"in gap {name}"


def _marked(pattern: Pattern, feature: str) -> Iterator[str]:
    by_value: dict[str, list[str]] = {}
    for marker in pattern.markers:
        if marker.feature == feature:
            by_value.setdefault(shown(marker.value), []).append(f"{marker} {_place(marker.place)}")
    for value, markers in by_value.items():
        yield f"{value} <- {', '.join(dict.fromkeys(markers))}"
    if default := pattern.default(feature):
        yield f"{shown(default.value)} by default, where the whole sentence has no marker of another value"


def _by_shape(recognizer: DerivedRecognizer) -> list[tuple[Pattern, list[Read]]]:
    rules = slot_rules(recognizer.examples)
    return [
        (
            pattern,
            [
                read_example(example)
                for example in recognizer.examples
                if signature(example, rules) == tuple(slot.feature for slot in pattern.slots)
            ],
        )
        for pattern in recognizer.patterns
    ]


def identity(recognizer: DerivedRecognizer) -> list[str]:
    """How much was learned, from which teaching set, and the teaching sets that it grew from, oldest first."""
    counts = [
        count(len(recognizer.examples), "example"),
        count(len(recognizer.patterns), "shape"),
        count(len(recognizer.features), "feature"),
    ]
    lines = [f"{', '.join(counts)}; teaching set {recognizer.teaching_set_id[:12]}"]
    if recognizer.parents:
        lines.append(f"grown from {', '.join(parent[:12] for parent in recognizer.parents)}")
    return lines


def report(recognizer: DerivedRecognizer) -> list[str]:
    """For each shape its slots with their rules, and its markers and defaults."""
    lines: list[str] = []
    width = max(map(len, recognizer.features))
    for pattern, reads in _by_shape(recognizer):
        lines.append(f"shape {pattern}  ({count(len(reads), 'example')})")
        lines += [f"  {slot.feature:{width}}  {_slot(slot)}" for slot in pattern.slots]
        bound = {slot.feature for slot in pattern.slots}
        for feature in pattern.features:
            if feature not in bound:
                for index, text in enumerate(_marked(pattern, feature)):
                    lines.append(f"  {'' if index else feature:{width}}  {text}")
    return lines


def count(number: int, noun: str) -> str:
    """`1 shape`, `2 shapes`."""
    return f"{number} {noun}{'' if number == 1 else 's'}"


def _fitting(reads: Sequence[Read], feature: str) -> list[str]:
    """The rules by which every taught span gives its value."""
    return [
        rule
        for rule in RULES
        if all(
            any(same_value(value, read.value(feature)) for value in values_of(read.sentence, *span, rule))
            for read in reads
            if (span := read.spans[feature])
        )
    ]


def _open_slots(pattern: Pattern, reads: Sequence[Read]) -> Iterator[str]:
    for slot in pattern.slots:
        others = [rule for rule in _fitting(reads, slot.feature) if rule != slot.rule]
        for rule in others:
            pair = tuple(sorted((slot.rule, rule), key=RULES.index))
            by = _SEPARATES.get((pair[0], pair[1]), "one where the two differ")
            yield (
                f"{slot.feature}: read as {RULE_MEANING[slot.rule]}; {RULE_MEANING[rule]} fits as well: "
                f"{by} would tell"
            )
        if slot.constant:
            only = shown(slot.constant[0])
            yield f"{slot.feature}: only {only} is read: an example with another value would open it"


def _holding(pattern: Pattern, reads: Sequence[Read]) -> dict[Marker, list[Read]]:
    """For each marker the taught examples in which it stands."""
    held: dict[Marker, list[Read]] = {marker: [] for marker in pattern.markers}
    for read in reads:
        hits = {
            hit.marker
            for alignment in align(read.sentence, pattern)
            if not alignment.cost
            for form in Group(read.sentence, pattern, alignment).forms()
            for hit in found_markers(read.sentence, pattern, alignment, form)
        }
        for marker in pattern.markers:
            if marker in hits:
                held[marker].append(read)
    return held


def _open_markers(pattern: Pattern, reads: Sequence[Read]) -> Iterator[str]:
    slots = {slot.feature for slot in pattern.slots}
    once = {marker: found for marker, found in _holding(pattern, reads).items() if len(found) == 1}
    for feature in pattern.features:
        if feature in slots:
            continue
        held: dict[str, list[Read]] = {}
        for read in reads:
            held.setdefault(shown(read.value(feature)), []).append(read)
        if len(held) == 1:
            yield f"{feature}: only {next(iter(held))} is taught: nothing can mark another value"
            continue
        for value, found in held.items():
            if len(found) == 1:
                yield f"{feature}={value}: taught by one example, {found[0].example.text!r}"
                continue
            for marker, where in once.items():
                if marker.feature == feature and shown(marker.value) == value:
                    yield f"{feature}={value} <- {marker}: taught by one example, {where[0].example.text!r}"


def open_points(recognizer: DerivedRecognizer) -> list[str]:
    """What one more example would settle: rules that fit alike, slots with one value, values taught once."""
    points: list[str] = []
    for pattern, reads in _by_shape(recognizer):
        points += _open_slots(pattern, reads)
        if len(reads) == 1:
            points.append(f"shape {pattern}: taught by one example, {reads[0].example.text!r}")
            continue
        points += _open_markers(pattern, reads)
    return list(dict.fromkeys(points))
