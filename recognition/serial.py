"""Recognisers as canonical JSON: what is read back is derived again from its examples and compared."""

from __future__ import annotations

import hashlib
import json
from dataclasses import replace
from typing import Any

from recognition._recognizer import DerivedRecognizer, TaughtExample, TeachingError, canonical_json
from recognition.anti_unifier import derive_recognizer
from recognition.outcome import Feature, FeatureBundle, FeatureEvidence, NegativeEvidence
from recognition.tokens import Token

__all__ = ["SCHEMA", "RecognizerFormatError", "recognizer_from_json", "recognizer_to_json"]

SCHEMA = "core.recognizer/2"
_KEYS = {"schema", "digest", "teaching_set_id", "parents", "examples", "patterns"}


class RecognizerFormatError(ValueError):
    """A stored recogniser that is damaged, changed, or of another version; the message says what."""


def _digest(record: dict[str, Any]) -> str:
    body = {key: value for key, value in record.items() if key != "digest"}
    return hashlib.sha256(canonical_json(body).encode(errors="surrogatepass")).hexdigest()


def recognizer_to_json(recognizer: DerivedRecognizer) -> str:
    """Canonical JSON with the schema's version and a digest: the same bytes for the same teaching."""
    record: dict[str, Any] = {"schema": SCHEMA} | recognizer.as_dict()
    return canonical_json(record | {"digest": _digest(record)})


def _example(record: Any, where: str) -> TaughtExample:
    try:
        text = record["text"]
        tokens = tuple(Token(text[start:end], start, end) for start, end in record["tokens"])
        features = tuple(
            Feature(
                name,
                given["value"],
                NegativeEvidence() if given.get("absent") else FeatureEvidence(*given["evidence"]),
            )
            for name, given in record["features"].items()
        )
        return TaughtExample(tokens, FeatureBundle(features))
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise RecognizerFormatError(f"{where}: no taught example: {error!r}") from None


def _difference(stored: Any, derived: Any, path: str) -> str:
    """The path of the first place where two JSON values differ."""
    if isinstance(stored, dict) and isinstance(derived, dict):
        for key in sorted({*stored, *derived}):
            if key not in stored or key not in derived or stored[key] != derived[key]:
                return _difference(stored.get(key), derived.get(key), f"{path}.{key}")
    if isinstance(stored, list) and isinstance(derived, list):
        for index, (left, right) in enumerate(zip(stored, derived, strict=False)):
            if left != right:
                return _difference(left, right, f"{path}[{index}]")
    return path


def recognizer_from_json(text: str) -> DerivedRecognizer:
    """Read what `recognizer_to_json` wrote.

    Raises:
        RecognizerFormatError: no JSON, another schema version, a key too many or too few, or a content that is not
            what the stored examples teach; the message names the place.
    """
    try:
        record = json.loads(text)
    except ValueError as error:
        raise RecognizerFormatError(f"recognizer: no JSON: {error}") from None
    if not isinstance(record, dict):
        raise RecognizerFormatError("recognizer: no JSON object")
    if record.get("schema") != SCHEMA:
        raise RecognizerFormatError(f"recognizer: schema {record.get('schema')!r}, expected {SCHEMA!r}")
    if set(record) != _KEYS:
        raise RecognizerFormatError(
            f"recognizer: keys {', '.join(sorted(set(record) ^ _KEYS))}: missing or unknown"
        )
    examples, parents = record["examples"], record["parents"]
    if not isinstance(examples, list) or not examples:
        raise RecognizerFormatError("recognizer: examples: no list of examples")
    if not isinstance(parents, list) or not all(isinstance(parent, str) for parent in parents):
        raise RecognizerFormatError("recognizer: parents: no list of ids")
    taught = [_example(item, f"recognizer: examples[{index}]") for index, item in enumerate(examples)]
    try:
        derived = replace(derive_recognizer(taught), parents=tuple(parents))
    except TeachingError as error:
        raise RecognizerFormatError(f"recognizer: examples: {error}") from None
    expected = json.loads(recognizer_to_json(derived))
    for key in ("examples", "teaching_set_id", "patterns"):
        if record[key] != expected[key]:
            place = _difference(record[key], expected[key], key)
            raise RecognizerFormatError(f"recognizer: {place}: not what the examples teach")
    if record["digest"] != _digest(record):
        raise RecognizerFormatError("recognizer: digest: the content was changed")
    return derived
