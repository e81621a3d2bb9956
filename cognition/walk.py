"""The walk: from the prompt's location to the nearest admissible word, step by step."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from cga.backend import Point, WalkEnd, WalkOutcome, WalkRequest
from cognition.admissibility import AdmissibilityRegion, InnerLoopExhaustion
from cognition.packs.vocabulary import Vocabulary

VERSION = 1
IDLE_STEPS = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class FieldState:
    """Where a turn stands before its walk.

    Attributes:
        location: the prompt's location on the lattice.
        goals: words that would ground each open slot, one ascending group a slot.
    """

    location: Point
    goals: tuple[tuple[int, ...], ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class GenerationResult:
    """What a walk did.

    Attributes:
        tokens: lemmas of the words it stood on, in order.
        indices: those words.
        final_state: opaque handle of the field after the last step.
        admissibility_trace: per step, the word taken and how many words it was chosen from.
        region_was_unconstrained: whether no region narrowed the choice.
        end: why it ended.
        versor_condition: the largest |F ~F - 1| of its field states, as measured.
    """

    tokens: tuple[str, ...]
    indices: tuple[int, ...]
    final_state: Any
    admissibility_trace: tuple[tuple[int, int], ...]
    region_was_unconstrained: bool
    end: WalkEnd
    versor_condition: float


def generate(
    state: FieldState,
    vocab: Vocabulary,
    *,
    region: AdmissibilityRegion | None = None,
    max_tokens: int = 256,
    languages: Sequence[str] = ("en",),
    salience: int = 0,
    stop_words: frozenset[str] | None = None,
) -> GenerationResult:
    """Walks from the state's location, each step to the nearest admissible word not visited in this walk.

    It ends when every goal group was met, at ``max_tokens``, or when every admissible word was visited. A walk with
    no goals has nothing to look for: it takes at most `IDLE_STEPS` steps.

    Admissible is what the region, the languages and the salience all admit and what is no stop word. No filter
    is widened or dropped because it emptied the pool.

    Args:
        state: location and goals.
        vocab: the words.
        region: None admits the whole vocabulary.
        max_tokens: most steps.
        languages: of the words it may stand on.
        salience: least salience of a word it may stand on.
        stop_words: lemmas it never stands on; None takes the pack's list.

    Raises:
        InnerLoopExhaustion: no admissible word was left.
    """
    blocked = blocked_words(vocab, languages=languages, salience=salience, stop_words=stop_words)
    result = generate_all([(state, region)], vocab, max_tokens=max_tokens, blocked=blocked)[0]
    if isinstance(result, InnerLoopExhaustion):
        raise result
    return result


def generate_all(
    turns: Sequence[tuple[FieldState, AdmissibilityRegion | None]],
    vocab: Vocabulary,
    *,
    max_tokens: int,
    blocked: tuple[int, ...],
) -> list[GenerationResult | InnerLoopExhaustion]:
    """`generate` for many turns in one call of the backend; an exhausted walk is a value here."""
    requests = [
        WalkRequest(
            start=state.location,
            allowed=None if region is None else region.allowed_indices,
            blocked=blocked,
            max_steps=max_tokens if state.goals else min(max_tokens, IDLE_STEPS),
            goals=state.goals,
        )
        for state, region in turns
    ]
    outcomes = vocab.backend.walk(vocab.handle, requests)
    return [_result(vocab, region, outcome) for (_, region), outcome in zip(turns, outcomes, strict=True)]


def blocked_words(
    vocab: Vocabulary,
    *,
    languages: Sequence[str],
    salience: int = 0,
    stop_words: frozenset[str] | None = None,
) -> tuple[int, ...]:
    """The words a walk never stands on: stop words, unreviewed senses, other languages, below the salience."""
    return tuple(
        i
        for i, sense in enumerate(vocab.senses)
        if sense.status != "reviewed"
        or sense.language not in languages
        or sense.salience < salience
        or (vocab.is_stop(i) if stop_words is None else sense.lemma in stop_words)
    )


def _result(
    vocab: Vocabulary, region: AdmissibilityRegion | None, outcome: WalkOutcome
) -> GenerationResult | InnerLoopExhaustion:
    if outcome.end == "no_candidate":
        return InnerLoopExhaustion(
            reason="no_candidate_before_walk",
            label=region.label if region is not None else "vocabulary",
            step=-1,
        )
    return GenerationResult(
        tokens=tuple(vocab.senses[i].lemma for i in outcome.indices),
        indices=outcome.indices,
        final_state=outcome.final_field,
        admissibility_trace=tuple(zip(outcome.indices, outcome.pool_sizes, strict=True)),
        region_was_unconstrained=region is None or region.is_unconstrained,
        end=outcome.end,
        versor_condition=outcome.versor_condition,
    )
