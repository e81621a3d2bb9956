"""Outcomes for programs and for people: a JSON record, carets under the evidence, a skeleton to teach."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

from recognition._align import Alignment, align
from recognition._bracket import record_from_brackets
from recognition._evidence import Group, found_markers
from recognition._recognizer import DerivedRecognizer, Pattern, TeachingError
from recognition._terms import Sentence, sentence
from recognition.outcome import (
    AmbiguityRefusal,
    FeatureBundle,
    FeatureConsistencyRefusal,
    FeatureEvidence,
    FeatureEvidenceRefusal,
    JSONValue,
    LengthRefusal,
    NegativeEvidence,
    RecognitionOutcome,
    Refusal,
    ShapeRefusal,
)
from recognition.registry import RecognizerRegistry
from recognition.tokens import Token, tokenize

__all__ = ["explain", "record", "template"]

_LAYERS = (1, 2, 3)
_NAME = re.compile(r"[^\s,=\\/|\[\]]+")


def _span(tokens: tuple[Token, ...], span: tuple[int, int]) -> tuple[int, int]:
    return tokens[span[0]].start, tokens[span[1] - 1].end


def _at(refusal: Refusal) -> tuple[int, int] | None:
    """The tokens that a refusal points at; where two disagree, the later one."""
    if isinstance(refusal, FeatureConsistencyRefusal):
        return max((span for span in refusal.spans if span), default=None)
    return refusal.span if isinstance(refusal, ShapeRefusal | FeatureEvidenceRefusal) else None


def _feature(refusal: Refusal) -> str | None:
    typed = isinstance(refusal, FeatureEvidenceRefusal | FeatureConsistencyRefusal)
    return refusal.feature if typed else None


def _token(refusal: Refusal, text: str, tokens: tuple[Token, ...]) -> str | None:
    """The word of the input that a refusal names: of a contraction only the part that is meant."""
    if isinstance(refusal, ShapeRefusal | FeatureEvidenceRefusal):
        return refusal.token
    span = _at(refusal)
    if span is None:
        return None
    start, end = _span(tokens, span)
    return text[start:end]


def record(text: str, outcome: RecognitionOutcome) -> dict[str, Any]:
    """The line of `core recognize` for an input: values, spans in characters of the input, or the refusal."""
    tokens = tokenize(text)
    found: dict[str, Any] = {"input": text, "state": outcome.state}
    bundle, refusal = outcome.proposition, outcome.refusal_reason
    spans = bundle.spans if bundle else {}
    found["proposition"] = bundle.values if bundle else None
    found["evidence"] = {name: list(_span(tokens, span)) if span else None for name, span in spans.items()}
    found["refusal"] = None
    if refusal is not None:
        found["refusal"] = {
            "layer": refusal.layer if refusal.layer in _LAYERS else None,
            "code": refusal.code,
            "feature": _feature(refusal),
            "token": _token(refusal, text, tokens),
            "nearest": [near.as_dict() for near in refusal.nearest]
            if isinstance(refusal, ShapeRefusal)
            else None,
        }
    return found


def _carets(text: str, start: int, end: int, label: str) -> str:
    from rich.cells import cell_len

    return f"  {' ' * cell_len(text[:start])}{'^' * max(1, cell_len(text[start:end]))} {label}"


def _one_line(text: str) -> str:
    """The text with a blank for each character that would move the cursor."""
    return "".join(char if char.isprintable() else " " for char in text)


def _said(name: str, value: JSONValue) -> str:
    return f"{name}={json.dumps(value, ensure_ascii=False)}"


def _admitted(text: str, bundle: FeatureBundle, tokens: tuple[Token, ...]) -> Iterator[str]:
    at: dict[tuple[int, int], list[str]] = {}
    for feature in bundle:
        if isinstance(feature.evidence, FeatureEvidence):
            span = _span(tokens, (feature.evidence.start, feature.evidence.end))
            at.setdefault(span, []).append(_said(feature.name, feature.value))
    yield from (_carets(text, *span, ", ".join(at[span])) for span in sorted(at))
    for feature in bundle:
        if isinstance(feature.evidence, NegativeEvidence):
            sought = ", ".join(feature.evidence.markers) or "any marker: none is taught"
            yield f"  {_said(feature.name, feature.value)} by absence of {sought}"


def _nearest(registry: RecognizerRegistry, given: Sentence) -> tuple[DerivedRecognizer, Pattern, Alignment]:
    choices = [
        (alignment.cost, number, str(pattern), recognizer, pattern, alignment)
        for number, recognizer in enumerate(registry)
        for pattern in recognizer.patterns
        for alignment in align(given, pattern)
    ]
    *_, recognizer, pattern, alignment = min(choices, key=lambda choice: choice[:3])
    return recognizer, pattern, alignment


def _refused(text: str, refusal: Refusal, tokens: tuple[Token, ...]) -> str:
    """A refusal in one line."""
    layer = f"at layer {refusal.layer}, " if refusal.layer in _LAYERS else ""
    about = _feature(refusal)
    token = _token(refusal, text, tokens)
    if isinstance(refusal, FeatureConsistencyRefusal):
        values = " and ".join(json.dumps(value, ensure_ascii=False) for value in refusal.values)
        reason = f"{about} would be {values}"
    elif isinstance(refusal, FeatureEvidenceRefusal):
        reason = f"{about} has no evidence" + (f" in {token!r}" if token else "")
    elif isinstance(refusal, ShapeRefusal):
        reason = "no taught shape" + (f" has a place for {token!r}" if token else "")
    elif isinstance(refusal, LengthRefusal):
        reason = f"{refusal.tokens} tokens, at most {refusal.limit} are read"
    else:
        reason = "two readings or more" if isinstance(refusal, AmbiguityRefusal) else "nothing to read"
    return f"refused {layer}{refusal.code}: {reason}"


def explain(registry: RecognizerRegistry, text: str, outcome: RecognitionOutcome) -> list[str]:
    """The text with carets under its evidence; or the refusal, the nearest shape, and the word to teach."""
    tokens = tokenize(text)
    plain = _one_line(text)
    lines = [f"  {plain}"]
    refusal = outcome.refusal_reason
    if outcome.proposition is not None:
        return [*lines, *_admitted(plain, outcome.proposition, tokens)]
    assert refusal is not None
    token = _token(refusal, text, tokens)
    if span := _at(refusal):
        lines.append(_carets(plain, *_span(tokens, span), _feature(refusal) or "has no place"))
    lines.append(_refused(text, refusal, tokens))
    if isinstance(refusal, AmbiguityRefusal):
        for number, reading in enumerate(refusal.readings, 1):
            said = ", ".join(_said(name, value) for name, value in reading.values.items())
            lines.append(f"  reading {number}: {said}")
    elif refusal.layer in _LAYERS and any(recognizer.patterns for recognizer in registry):
        given = sentence(text)
        _, pattern, alignment = _nearest(registry, given)
        lines.append(f"nearest shape, {alignment.cost} away: {pattern}")
        if alignment.missing:
            names = ", ".join(pattern.slots[index].feature for index in alignment.missing)
            lines.append(f"nothing in the text fills: {names}")
    if token:
        lines.append(f"to teach: {token!r}, in an example (--teach-template writes its skeleton)")
    return lines


class _Skeleton:
    """A record to edit: features with values, and the names of those that a person has to settle."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.features: dict[str, Any] = {}
        self.open: list[str] = []

    def put(self, name: str, value: JSONValue, span: tuple[int, int] | None) -> None:
        self.features[name] = {"value": value} | (
            {"evidence": list(span)} if span is not None else {"absent": True}
        )

    def line(self) -> str:
        """In the inline notation where it can say this, else as JSON."""
        written = self._inline()
        if all(_NAME.fullmatch(name) for name in self.open) and self._says(written):
            names = ", ".join(self.open)
            absent = any("absent" in entry for entry in self.features.values())
            return written + (f"{', ' if absent else ' // '}{names}" if names else "")
        unsettled = {name: {"value": None} for name in self.open}
        record = {"text": self.text, "features": self.features | unsettled}
        line = json.dumps(record, ensure_ascii=False)
        return line if _is_line(line) else json.dumps(record)

    def _says(self, line: str) -> bool:
        if not _is_line(line):
            return False
        try:
            said = record_from_brackets(line)
        except TeachingError:
            return False
        # 1 and True are equal, but not the same value.
        return repr(sorted(said["features"].items())) == repr(sorted(self.features.items())) and (
            said["text"] == self.text
        )

    def _label(self, name: str, value: JSONValue, words: str | None) -> str:
        if words is not None:
            bare = f"[{_escape(words)}|{name}]"
            try:
                if repr(record_from_brackets(bare)["features"][name]["value"]) == repr(value):
                    return name
            except (TeachingError, KeyError):
                pass
        plain = isinstance(value, str) and value == value.strip() and value and not _is_json(value)
        return f"{name}={value if plain else json.dumps(value, ensure_ascii=False)}"

    def _inline(self) -> str:
        at: dict[tuple[int, int], list[str]] = {}
        absent: list[str] = []
        for name, entry in self.features.items():
            if "absent" in entry:
                absent.append(self._label(name, entry["value"], None))
            else:
                start, end = entry["evidence"]
                at.setdefault((start, end), []).append(
                    self._label(name, entry["value"], self.text[start:end])
                )
        parts: list[str] = []
        done = 0
        for (start, end), labels in sorted(at.items()):
            if start < done:
                return ""  # brackets can't overlap
            parts.append(_escape(self.text[done:start]))
            parts.append(f"[{_escape(self.text[start:end])}|{_escape(', '.join(labels))}]")
            done = end
        parts.append(_escape(self.text[done:]))
        line = "".join(parts)
        if line.startswith(("#", "{")):
            line = "\\" + line
        return line + (f" // {', '.join(absent)}" if absent else "")


def _escape(text: str) -> str:
    return re.sub(r"([\\\[\]|])", r"\\\1", text).replace(" // ", " \\// ")


def _is_line(text: str) -> bool:
    """Whether a text file gives this back as one line."""
    return len(text.splitlines()) == 1 and not any("\ud800" <= char <= "\udfff" for char in text)


def _is_json(text: str) -> bool:
    try:
        json.loads(text)
    except ValueError:
        return False
    return True


def _of_reading(text: str, bundle: FeatureBundle, tokens: tuple[Token, ...]) -> _Skeleton:
    made = _Skeleton(text)
    for feature in bundle:
        span = bundle.spans[feature.name]
        made.put(feature.name, feature.value, _span(tokens, span) if span else None)
    return made


def _of_nearest(text: str, registry: RecognizerRegistry, refused: str | None) -> _Skeleton:
    given = sentence(text)
    recognizer, pattern, alignment = _nearest(registry, given)
    made = _Skeleton(text)
    for slot, filled in zip(pattern.slots, alignment.slots, strict=True):
        if filled is not None and slot.feature != refused:
            made.put(slot.feature, filled[2], _span(given.tokens, given.token_span(*filled[:2])))
    form = Group(given, pattern, alignment).forms()[0]
    bound = {slot.feature for slot in pattern.slots}
    for hit in found_markers(given, pattern, alignment, form):
        name = hit.marker.feature
        if name not in bound and name not in made.features and name != refused:
            span = _span(given.tokens, given.token_span(hit.start, hit.end))
            made.put(name, hit.marker.value, span)
    for default in pattern.defaults:
        if default.feature not in made.features and default.feature != refused:
            made.put(default.feature, default.value, None)
    if set(recognizer.features) == set(made.features):
        # Nothing is missing, but words are left over, and they may be markers of what else holds by absence.
        for name in [name for name, entry in made.features.items() if "absent" in entry]:
            del made.features[name]
    made.open = [name for name in recognizer.features if name not in made.features]
    return made


def template(registry: RecognizerRegistry, text: str, outcome: RecognitionOutcome) -> list[str]:
    """Lines to edit and to teach: why the text was refused, and an example as its nearest reading would have it.

    A feature that the refusal is about stands after `//` without a value, so that teaching the unedited line fails;
    where it is about none and nothing is missing, those that would hold by absence do.
    An ambiguous text has one line for each reading. An admitted text has none.
    """
    refusal = outcome.refusal_reason
    if refusal is None:
        return []
    tokens = tokenize(text)
    trimmed = tokenize(text.strip())
    if [token.text for token in trimmed] == [token.text for token in tokens]:
        text, tokens = text.strip(), trimmed
    lines = [f"# {_one_line(_refused(text, refusal, tokens))}"]
    if isinstance(refusal, AmbiguityRefusal):
        lines.append("# Keep the line that is meant.")
        return lines + [_of_reading(text, reading, tokens).line() for reading in refusal.readings]
    if refusal.layer not in _LAYERS or not any(recognizer.patterns for recognizer in registry):
        return [*lines, "# Nothing to teach."]
    lines.append(
        "# Check every value; a name that ends without one needs brackets around its words, or a value."
    )
    return [*lines, _of_nearest(text, registry, _feature(refusal)).line()]
