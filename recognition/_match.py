"""Recognition: align a sentence with the taught shapes, prove every feature, or refuse with the layer that failed."""

from __future__ import annotations

from collections.abc import Sequence

from recognition._align import Alignment, align
from recognition._evidence import Group, prove
from recognition._recognizer import DerivedRecognizer, Pattern
from recognition._refuse import refuse
from recognition._terms import Sentence, sentence
from recognition.outcome import (
    EVIDENCED,
    AmbiguityRefusal,
    EmptyInputRefusal,
    FeatureBundle,
    LengthRefusal,
    NearPattern,
    RecognitionOutcome,
    RecognitionProvenance,
    Refusal,
)
from recognition.tokens import Token

__all__ = ["LENGTH_LIMIT", "recognize"]

# In tokens. A taught shape is a clause; a page is no clause.
LENGTH_LIMIT = 256
_NEAREST = 3


def _refused(recognizer: DerivedRecognizer, reason: Refusal) -> RecognitionOutcome:
    return RecognitionOutcome(
        state=reason.state,
        proposition=None,
        refusal_reason=reason,
        provenance=RecognitionProvenance(teaching_set_id=recognizer.teaching_set_id),
    )


def _distinct(read: list[tuple[FeatureBundle, Pattern]]) -> list[tuple[FeatureBundle, Pattern]]:
    found: dict[str, tuple[FeatureBundle, Pattern]] = {}
    for bundle, pattern in read:
        found.setdefault(repr(sorted(bundle.values.items(), key=lambda item: item[0])), (bundle, pattern))
    return list(found.values())


def _decide(given: Sentence, patterns: Sequence[Pattern]) -> tuple[FeatureBundle, Pattern] | Refusal:
    read: list[tuple[FeatureBundle, Pattern]] = []
    failed: list[tuple[int, int, Refusal]] = []
    alignments: list[tuple[Pattern, Alignment]] = [(p, a) for p in patterns for a in align(given, p)]
    near = {str(pattern): alignment.cost for pattern, alignment in reversed(alignments)}
    nearest = tuple(
        NearPattern(pattern=name, distance=cost)
        for name, cost in sorted(near.items(), key=lambda item: (item[1], item[0]))[:_NEAREST]
    )
    for number, (pattern, alignment) in enumerate(alignments):
        if alignment.cost:
            failed.append((alignment.cost, number, refuse(given, pattern, alignment, nearest)))
            continue
        for form in Group(given, pattern, alignment).forms():
            result = prove(given, pattern, alignment, form)
            if isinstance(result, FeatureBundle):
                read.append((result, pattern))
            else:
                failed.append((0, number, result))
    readings = _distinct(read)
    if len(readings) > 1:
        return AmbiguityRefusal(readings=tuple(bundle for bundle, _ in readings))
    return readings[0] if readings else min(failed, key=lambda failure: failure[:2])[2]


def recognize(recognizer: DerivedRecognizer, tokens: str | Sequence[str | Token]) -> RecognitionOutcome:
    """Read a sentence as one of the taught shapes.

    Every word is bound by a slot, a marker or a learned filling of a gap, or is the ground of the refusal.

    Args:
        recognizer: from `derive_recognizer`.
        tokens: a text; or its tokens (`Token`, with offsets); or plain strings, taken as apart by a space. Spans of
            the outcome count these tokens.

    Returns:
        State `evidenced` with a complete bundle, or one typed refusal. It does not raise on any string.
    """
    if not isinstance(tokens, str) and len(tokens) > LENGTH_LIMIT:
        return _refused(recognizer, LengthRefusal(tokens=len(tokens), limit=LENGTH_LIMIT))
    given = sentence(tokens)
    if not given.words:
        return _refused(recognizer, EmptyInputRefusal())
    if len(given.words) > LENGTH_LIMIT:
        return _refused(recognizer, LengthRefusal(tokens=len(given.words), limit=LENGTH_LIMIT))
    decided = _decide(given, recognizer.patterns)
    if not isinstance(decided, tuple):
        return _refused(recognizer, decided)
    bundle, pattern = decided
    return RecognitionOutcome(
        state=EVIDENCED,
        proposition=bundle,
        refusal_reason=None,
        provenance=RecognitionProvenance(teaching_set_id=recognizer.teaching_set_id, pattern=str(pattern)),
    )
