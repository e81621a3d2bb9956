"""Several recognisers over one input: one reading is evidence, two that differ are none."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from recognition._match import recognize_each
from recognition._recognizer import DerivedRecognizer
from recognition.outcome import AmbiguityRefusal, RecognitionOutcome, RecognitionProvenance, ShapeRefusal
from recognition.tokens import Token

__all__ = ["RecognizerRegistry"]


@dataclass(frozen=True, slots=True)
class RecognizerRegistry:
    """Recognisers in the order of their teaching set ids, each once."""

    recognizers: tuple[DerivedRecognizer, ...] = ()

    def __post_init__(self) -> None:
        held = {recognizer.teaching_set_id: recognizer for recognizer in self.recognizers}
        object.__setattr__(self, "recognizers", tuple(held[key] for key in sorted(held)))

    def __iter__(self) -> Iterator[DerivedRecognizer]:
        return iter(self.recognizers)

    def __len__(self) -> int:
        return len(self.recognizers)

    def add(self, recognizer: DerivedRecognizer) -> RecognizerRegistry:
        """A new registry with one more recogniser."""
        return RecognizerRegistry((*self.recognizers, recognizer))

    def get(self, teaching_set_id: str) -> DerivedRecognizer | None:
        """The recogniser of this id, or None."""
        return next((r for r in self.recognizers if r.teaching_set_id == teaching_set_id), None)

    def outcomes(self, tokens: str | Sequence[str | Token]) -> tuple[RecognitionOutcome, ...]:
        """What each recogniser gives, in their order."""
        return recognize_each(self.recognizers, tokens)

    def recognize(self, tokens: str | Sequence[str | Token]) -> RecognitionOutcome:
        """One outcome for all.

        Returns:
            The bundle if those that admit agree on it (`evidenced`); `AmbiguityRefusal` with all readings if they
            differ; else the refusal of the highest layer, of the first recogniser that has one.
        """
        outcomes = self.outcomes(tokens)
        if not outcomes:
            reason = ShapeRefusal(nearest=())
            return RecognitionOutcome(
                state=reason.state,
                proposition=None,
                refusal_reason=reason,
                provenance=RecognitionProvenance(teaching_set_id=""),
            )
        admitted = [outcome for outcome in outcomes if outcome.proposition is not None]
        readings = {
            repr(sorted(o.proposition.values.items())): o for o in reversed(admitted) if o.proposition
        }
        if len(readings) == 1:
            return admitted[0]
        if not readings:
            return max(outcomes, key=lambda o: o.refusal_reason.layer if o.refusal_reason else 0)
        held = [outcome for outcome in admitted if outcome in readings.values()]
        ambiguity = AmbiguityRefusal(readings=tuple(o.proposition for o in held if o.proposition))
        return RecognitionOutcome(
            state=ambiguity.state,
            proposition=None,
            refusal_reason=ambiguity,
            provenance=RecognitionProvenance(
                teaching_set_id="+".join(o.provenance.teaching_set_id for o in held)
            ),
        )
