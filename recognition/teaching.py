"""Readers of taught examples: JSON lines with character spans, and an inline notation for people.

[John|agent] [has|relation=have, tense=present] [5|count] [apples|unit=apple] // polarity=positive
"""

from __future__ import annotations

import json
from math import isfinite
from typing import Any

from recognition._bracket import absent_from_notation, record_from_brackets
from recognition._recognizer import TaughtExample, TeachingError
from recognition.outcome import Feature, FeatureBundle, FeatureEvidence, NegativeEvidence
from recognition.tokens import Token, tokenize

__all__ = ["example_from_record", "read_examples"]


def _evidence(
    where: str, record: Any, tokens: tuple[Token, ...], text: str
) -> FeatureEvidence | NegativeEvidence:
    if not isinstance(record, dict) or "value" not in record:
        raise TeachingError("bad_record", f"{where}: needs a value")
    if record.get("absent") is True and "evidence" not in record:
        return NegativeEvidence()
    span = record.get("evidence")
    if not (isinstance(span, list) and len(span) == 2 and all(type(end) is int for end in span)):
        raise TeachingError("bad_record", f'{where}: needs "evidence": [start, end] or "absent": true')
    start, end = span
    if not 0 <= start < end <= len(text):
        raise TeachingError(
            "span_out_of_range", f"{where}: evidence [{start}, {end}) of {len(text)} characters"
        )
    first = next((index for index, token in enumerate(tokens) if token.start == start), None)
    last = next((index for index, token in enumerate(tokens) if token.end == end), None)
    if first is None or last is None or last < first:
        raise TeachingError(
            "span_in_token", f"{where}: evidence [{start}, {end}) {text[start:end]!r} cuts a token"
        )
    return FeatureEvidence(first, last + 1)


def example_from_record(record: Any, where: str = "example") -> TaughtExample:
    """An example from `{"text": .., "features": {name: feature}}`, spans in characters of the text, half-open.

    A feature is `{"value": .., "evidence": [start, end]}` or `{"value": .., "absent": true}`.

    Raises:
        TeachingError: naming example, feature and span.
    """
    if not isinstance(record, dict) or not isinstance(record.get("text"), str):
        raise TeachingError("bad_record", f"{where}: needs a text")
    if not isinstance(record.get("features"), dict):
        raise TeachingError("bad_record", f"{where}: needs features")
    text = record["text"]
    tokens = tokenize(text)
    features: list[Feature] = []
    for name, feature in record["features"].items():
        evidence = _evidence(f"{where}: {name}", feature, tokens, text)
        value = feature["value"]
        number = isinstance(value, float) and not isfinite(value)
        if number or (value is not None and not isinstance(value, str | int | float | bool)):
            raise TeachingError(
                "bad_record", f"{where}: {name}: a value is a string, a finite number, true, false or null"
            )
        features.append(Feature(name, value, evidence))
    return TaughtExample(tokens, FeatureBundle(tuple(features)))


def _no_twice(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    names = [name for name, _ in pairs]
    twice = sorted(name for name in set(names) if names.count(name) > 1)
    if twice:
        raise TeachingError("duplicate_name", f"{twice[0]}: twice")
    return dict(pairs)


def read_examples(text: str, source: str = "teaching") -> tuple[TaughtExample, ...]:
    """Examples, one a line, as JSON or in the inline notation; empty lines and those that begin with # are skipped.

    A line that begins with // holds values that nothing marks, for the features that a later line doesn't name.

    Args:
        text: on each line a JSON object, or a sentence with brackets.
        source: the name that errors begin with.

    Raises:
        TeachingError: `source:line: feature: what is wrong`.
    """
    found: list[TaughtExample] = []
    absent: dict[str, Any] = {}
    for number, line in enumerate(text.splitlines(), 1):
        where = f"{source}:{number}"
        if line.startswith("//"):
            absent = absent_from_notation(line[2:], where)
        elif line.strip() and not line.startswith("#"):
            record = _record(line, where)
            if isinstance(record, dict) and isinstance(record.get("features"), dict):
                record = record | {"features": absent | record["features"]}
            found.append(example_from_record(record, where))
    return tuple(found)


def _record(line: str, where: str) -> Any:
    if not line.lstrip().startswith("{"):
        return record_from_brackets(line, where)
    try:
        return json.loads(line, object_pairs_hook=_no_twice)
    except TeachingError as error:
        raise TeachingError(error.code, f"{where}: {error}") from None
    except ValueError as error:
        raise TeachingError("bad_record", f"{where}: no JSON: {error}") from None
