"""Which features are slots, and by which rule their values follow from their spans."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from recognition._recognizer import TaughtExample, TeachingError, canonical_json
from recognition._terms import RULES, Sentence, same_value, values_of
from recognition.outcome import FeatureEvidence, JSONValue

__all__ = ["Read", "Rules", "read_example", "signature", "slot_rules"]


@dataclass(frozen=True, slots=True)
class Rules:
    """The rules by which the values of slots follow from their words.

    Attributes:
        rule: feature -> the rule taken.
        others: feature -> the other rules that fit all examples: a value counts only where they agree.
    """

    rule: dict[str, str]
    others: dict[str, tuple[str, ...]]


@dataclass(frozen=True, slots=True)
class Read:
    """An example with its evidence in words: `spans` by feature, None for a value by absence."""

    example: TaughtExample
    sentence: Sentence
    spans: dict[str, tuple[int, int] | None]

    def value(self, feature: str) -> JSONValue:
        return self.example.bundle[feature].value


def read_example(example: TaughtExample) -> Read:
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
    return Read(example, given, spans)


def _fits(read: Read, feature: str, rule: str) -> bool:
    span = read.spans[feature]
    return span is None or any(
        same_value(value, read.value(feature)) for value in values_of(read.sentence, *span, rule)
    )


def _counted(read: Read, feature: str) -> bool:
    span = read.spans[feature]
    return span is not None and any(numeral.end == span[0] for numeral in read.sentence.numerals)


def _check_yield(held: Sequence[Read], feature: str) -> None:
    """Tell a slip of the teacher from a feature that is marked: a number that isn't the one written, or the one
    value of many that isn't what stands in the text.
    """
    written = [
        read for read in held if any(_fits(read, feature, rule) for rule in ("text", "number", "noun"))
    ]
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


def slot_rules(examples: Sequence[TaughtExample]) -> Rules:
    """For each feature whose values follow from their spans, the rule by which they do.

    Of two features with one span the first becomes the slot: the one with more values, then by name.
    """
    reads = [read_example(example) for example in examples]
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
    # A verb is read with its group, which settles what else the word could be.
    others = {
        feature: tuple(other for other in fitting[feature] if other != rule)
        if rule in ("text", "noun")
        else ()
        for feature, rule in rules.items()
    }
    return Rules(rules, others)


def signature(example: TaughtExample, rules: Rules) -> tuple[str, ...]:
    """The slots of an example in the order of its text: examples of one signature share a shape."""
    read = read_example(example)
    placed: dict[tuple[int, int], str] = {}
    for feature in rules.rule:
        span = read.spans[feature]
        if span and span not in placed:
            if any(span[0] < end and start < span[1] for start, end in placed):
                other = next(f for (s, e), f in placed.items() if span[0] < e and s < span[1])
                raise TeachingError(
                    "overlap", f"{example.text!r}: {feature}: its evidence overlaps that of {other}"
                )
            placed[span] = feature
    return tuple(placed[span] for span in sorted(placed))
