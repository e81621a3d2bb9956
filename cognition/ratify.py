"""Ratification: does the field speak for the intent that the words of a prompt gave?

The cue senses of an intent are words such as "cause" and "reason", or "step" and "method". The score is where the
nearest of them stands among all words, nearest to the prompt's location first, in thousandths of the vocabulary. It
is a record beside the answer and changes none: ADR-0006 says how little it separates.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from pathlib import Path
from typing import Any

from cga.backend import Point
from cognition.clause import ArticulationPlan
from cognition.graph import IntentTag
from cognition.packs.vocabulary import Vocabulary

VERSION = 1
THRESHOLD = 679
"""The least that demotes no dev case that is read right; `core ratify-roc` measures it."""

_ANCHORS_FILE = Path(__file__).parent / "data" / "intent_anchors_en.tsv"


class RatificationOutcome(StrEnum):
    """What the field says of an intent, or what was missing to ask it."""

    RATIFIED = "ratified"
    DEMOTED = "demoted"
    PASSTHROUGH_NO_FIELD = "passthrough_no_field"
    """No field was asked: ratification is off, or the turn ended before it."""
    PASSTHROUGH_NO_VOCAB = "passthrough_no_vocab"
    """The vocabulary has no cue sense of the intent."""
    PASSTHROUGH_NO_VERSOR = "passthrough_no_versor"
    """The prompt names no word that has a place in the field."""

    @property
    def folded(self) -> str:
        """The value in a trace: the three ways to pass through are one."""
        return "passthrough" if self.value.startswith("passthrough") else self.value


@dataclass(frozen=True, slots=True, kw_only=True)
class Ratification:
    """An outcome with what it rests on.

    Attributes:
        outcome: the outcome.
        score: thousandths of the vocabulary that lie nearer to the prompt than the nearest cue sense of its intent;
            None where the field was not asked.
        threshold: the score above which an intent is demoted.
        subject: the same as ``score`` for the subject's sense; None where it has none.
    """

    outcome: RatificationOutcome
    score: int | None = None
    threshold: int | None = None
    subject: int | None = None

    def as_dict(self) -> dict[str, Any]:
        """Ints and strings for the trace."""
        record: dict[str, Any] = {"outcome": self.outcome.folded}
        for name in ("score", "threshold", "subject"):
            if getattr(self, name) is not None:
                record[name] = getattr(self, name)
        return record


NOT_ASKED = Ratification(outcome=RatificationOutcome.PASSTHROUGH_NO_FIELD)


def ratify_intents(
    plans: Sequence[ArticulationPlan],
    locations: Sequence[Point | None],
    vocabulary: Vocabulary,
    *,
    threshold: int = THRESHOLD,
) -> list[Ratification]:
    """`ratify_intent` for many prompts, in one call of the backend."""
    placed = [location for location in locations if location is not None]
    found = vocabulary.backend.nearest(vocabulary.handle, placed, len(vocabulary)) if placed else ()
    nearest = iter(found)
    return [
        _ratified(plan, None if location is None else next(nearest), vocabulary, threshold)
        for plan, location in zip(plans, locations, strict=True)
    ]


def ratify_intent(
    plan: ArticulationPlan, location: Point | None, vocabulary: Vocabulary, *, threshold: int = THRESHOLD
) -> Ratification:
    """What the field says of the intent of a plan.

    Args:
        plan: as classification gives it.
        location: the prompt's, or None where it names no word of the vocabulary.
        vocabulary: the words and their places.
        threshold: the score above which the intent is demoted.
    """
    return ratify_intents((plan,), (location,), vocabulary, threshold=threshold)[0]


def cue_senses(tag: IntentTag, vocabulary: Vocabulary) -> tuple[int, ...]:
    """The words of the vocabulary that name what an intent asks for, stop words left out."""
    found = (index for surface in _surfaces().get(tag, ()) for index in vocabulary.lookup(surface))
    return tuple(dict.fromkeys(index for index in found if not vocabulary.is_stop(index)))


def standing(words: Sequence[int], nearest: Sequence[int]) -> int:
    """Thousandths of the vocabulary that lie nearer than the nearest of the words.

    Args:
        words: at least one.
        nearest: the whole vocabulary, nearest to the location first.
    """
    wanted = frozenset(words)
    rank = next(place for place, index in enumerate(nearest) if index in wanted)
    return 1000 * rank // len(nearest)


def _ratified(
    plan: ArticulationPlan, nearest: Sequence[int] | None, vocabulary: Vocabulary, threshold: int
) -> Ratification:
    cues = cue_senses(plan.intent, vocabulary)
    if not cues:
        return Ratification(outcome=RatificationOutcome.PASSTHROUGH_NO_VOCAB)
    if nearest is None:
        return Ratification(outcome=RatificationOutcome.PASSTHROUGH_NO_VERSOR)
    score = standing(cues, nearest)
    subject = plan.clause.subject
    return Ratification(
        outcome=RatificationOutcome.RATIFIED if score <= threshold else RatificationOutcome.DEMOTED,
        score=score,
        threshold=threshold,
        subject=None if subject is None or subject.index is None else standing((subject.index,), nearest),
    )


@cache
def _surfaces() -> dict[IntentTag, tuple[str, ...]]:
    lines = _ANCHORS_FILE.read_text(encoding="utf-8").splitlines()
    rows = (line.split("\t") for line in lines if line and not line.startswith("#"))
    return {IntentTag(tag): tuple(surfaces.split()) for tag, surfaces in rows}
