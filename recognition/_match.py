"""Recognition: align a sentence with the taught shapes, prove every feature, or refuse with the layer that failed."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache

from recognition._align import Aligner
from recognition._evidence import readings
from recognition._fillings import Fillings
from recognition._plan import KEPT, plan_of
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

__all__ = ["LENGTH_LIMIT", "recognize", "recognize_each"]

# In tokens. A taught shape is a clause; a page is no clause.
LENGTH_LIMIT = 256
_NEAREST = 3


@lru_cache(KEPT)
def _provenance(teaching_set_id: str, pattern: str | None) -> RecognitionProvenance:
    return RecognitionProvenance(teaching_set_id=teaching_set_id, pattern=pattern)


def _refused(recognizer: DerivedRecognizer, reason: Refusal) -> RecognitionOutcome:
    return RecognitionOutcome(
        state=reason.state,
        proposition=None,
        refusal_reason=reason,
        provenance=_provenance(recognizer.teaching_set_id, None),
    )


def _distinct(read: list[tuple[FeatureBundle, Pattern]]) -> list[tuple[FeatureBundle, Pattern]]:
    found: dict[str, tuple[FeatureBundle, Pattern]] = {}
    for bundle, pattern in read:
        found.setdefault(repr(sorted(bundle.values.items(), key=lambda item: item[0])), (bundle, pattern))
    return list(found.values())


def _decide(given: Sentence, patterns: Sequence[Pattern]) -> tuple[FeatureBundle, Pattern] | Refusal:
    read: list[tuple[FeatureBundle, Pattern]] = []
    failed: Refusal | None = None
    held = Fillings(given)
    aligners = [Aligner(given, pattern, held) for pattern in patterns]
    for aligner in aligners:
        for alignment in aligner.free():
            for result in readings(given, aligner.pattern, alignment):
                if isinstance(result, FeatureBundle):
                    read.append((result, aligner.pattern))
                elif failed is None:
                    failed = result
    found = _distinct(read) if len(read) > 1 else read
    if len(found) > 1:
        return AmbiguityRefusal(readings=tuple(bundle for bundle, _ in found))
    return found[0] if found else failed or _far(aligners)


def _far(aligners: list[Aligner]) -> Refusal:
    """The refusal of a sentence that no shape covers: by the nearest, of which the first."""
    nearest = min(aligners, key=Aligner.cost)
    near = {aligner.plan.name: aligner.cost() for aligner in reversed(aligners)}
    shapes = tuple(
        NearPattern(pattern=name, distance=cost)
        for name, cost in sorted(near.items(), key=lambda item: (item[1], item[0]))[:_NEAREST]
    )
    return refuse(nearest.given, nearest.pattern, nearest.cheapest(), shapes)


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
    return recognize_each((recognizer,), tokens)[0]


def recognize_each(
    recognizers: Iterable[DerivedRecognizer], tokens: str | Sequence[str | Token]
) -> tuple[RecognitionOutcome, ...]:
    """What `recognize` gives with each recogniser; the input is read once."""
    length = 0 if isinstance(tokens, str) else len(tokens)
    given = sentence(tokens) if length <= LENGTH_LIMIT else None
    if given is not None:
        length = len(given.words)
    if given is None or length > LENGTH_LIMIT:
        reason = LengthRefusal(tokens=length, limit=LENGTH_LIMIT)
        return tuple(_refused(recognizer, reason) for recognizer in recognizers)
    return tuple(_read(recognizer, given) for recognizer in recognizers)


def _read(recognizer: DerivedRecognizer, given: Sentence) -> RecognitionOutcome:
    if not given.words:
        return _refused(recognizer, EmptyInputRefusal())
    decided = _decide(given, recognizer.patterns)
    if not isinstance(decided, tuple):
        return _refused(recognizer, decided)
    bundle, pattern = decided
    return RecognitionOutcome(
        state=EVIDENCED,
        proposition=bundle,
        refusal_reason=None,
        provenance=_provenance(recognizer.teaching_set_id, plan_of(pattern).name),
    )
