r"""The inline notation of taught examples, for people who write them.

    [John|agent] [has|relation=have][n't|polarity=negative] [5|count] [apples|unit=apple] // modality=actual

A feature without a value takes the words as written, or the number they say. After ` // ` stand the values that hold
because nothing marks them. A backslash before a character takes it literally.
"""

from __future__ import annotations

import json
from typing import Any

from recognition._numbers import numerals
from recognition._recognizer import TeachingError
from recognition.tokens import normal_form, tokenize

__all__ = ["absent_from_notation", "record_from_brackets"]

_ABSENT = " // "


def _value(text: str) -> Any:
    """A JSON number, string or constant; else the text itself."""
    try:
        value = json.loads(text)
    except ValueError:
        return text
    if isinstance(value, list | dict) or (isinstance(value, float) and value != value):
        return text
    return value


def _written(text: str) -> Any:
    """The number that the words say, if they say one; else the words."""
    keys = [normal_form(token.text) for token in tokenize(text)]
    said = numerals(keys)
    whole = len(said) == 1 and (said[0].start, said[0].end) == (0, len(keys))
    return said[0].value if whole and said[0].value is not None else text


def _cut(line: str, marks: str) -> list[tuple[str, bool]]:
    """The characters of a line, each with whether it is one of the marks and not behind a backslash."""
    found: list[tuple[str, bool]] = []
    literal = False
    for char in line:
        if literal or char != "\\":
            found.append((char, char in marks and not literal))
            literal = False
        else:
            literal = True
    return found


def _features(where: str, text: str, written: str | None) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for part in text.split(","):
        name, equals, value = (piece.strip() for piece in part.partition("="))
        if not name:
            raise TeachingError("bad_notation", f"{where}: a feature without a name in {text!r}")
        if not equals and written is None:
            raise TeachingError("bad_notation", f"{where}: {name}: needs a value")
        if name in found:
            raise TeachingError("duplicate_name", f"{where}: {name}: twice")
        found[name] = _value(value) if equals else _written(written or "")
    return found


def absent_from_notation(text: str, where: str = "example") -> dict[str, Any]:
    """The features of `name=value, ...` that hold because nothing marks them, as a record has them.

    Raises:
        TeachingError: a feature without a name or a value, or one named twice.
    """
    if not text.strip():
        return {}
    return {name: {"value": value, "absent": True} for name, value in _features(where, text, None).items()}


def record_from_brackets(line: str, where: str = "example") -> dict[str, Any]:
    """The record of an example in the inline notation, as `example_from_record` takes it.

    Raises:
        TeachingError: an open or empty bracket, a feature without a name or a value, or one named twice.
    """
    body, _, absent = line.strip().partition(_ABSENT)
    text, labels = "", ""
    start: int | None = None
    label = False
    features: dict[str, Any] = {}

    def add(name: str, entry: dict[str, Any]) -> None:
        if name in features:
            raise TeachingError("duplicate_name", f"{where}: {name}: twice")
        features[name] = entry

    for char, mark in _cut(body, "[|]"):
        if mark and char == "[":
            if start is not None:
                raise TeachingError("bad_notation", f"{where}: a bracket inside a bracket after {text!r}")
            start, label, labels = len(text), False, ""
        elif mark and char == "|" and start is not None and not label:
            label = True
        elif mark and char == "]" and start is not None:
            if not label or start == len(text):
                raise TeachingError("bad_notation", f"{where}: a bracket needs words, | and features")
            for name, value in _features(where, labels, text[start:]).items():
                add(name, {"value": value, "evidence": [start, len(text)]})
            start = None
        elif label and start is not None:
            labels += char
        else:
            text += char
    if start is not None:
        raise TeachingError("bad_notation", f"{where}: a bracket is never closed after {text[:start]!r}")
    for name, entry in absent_from_notation(absent, where).items():
        add(name, entry)
    return {"text": text, "features": features}
