"""The walk: from the prompt's location to the nearest admissible word, step by step."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from cga.backend import (
    MOST_ANCHORS,
    Attempt,
    Blade,
    InnerLoop,
    InnerLoopMode,
    Point,
    WalkEnd,
    WalkOutcome,
    WalkRequest,
)
from cognition.admissibility import AdmissibilityRegion, InnerLoopExhaustion
from cognition.clause import ArticulationPlan
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
        final_state: opaque handle of the field after the last step; two results are equal without it.
        admissibility_trace: per step, the word taken and how many words it was chosen from.
        region_was_unconstrained: whether no region narrowed the choice.
        end: why it ended.
        versor_condition: the largest |F ~F - 1| of its field states, as measured.
        attempts: per step, the words that the inner loop rejected before the one taken; empty without an inner loop.
        unscored: whether an inner loop was asked for and the region had no blade to score words by.
    """

    tokens: tuple[str, ...]
    indices: tuple[int, ...]
    final_state: Any = field(compare=False)
    admissibility_trace: tuple[tuple[int, int], ...]
    region_was_unconstrained: bool
    end: WalkEnd
    versor_condition: float
    attempts: tuple[tuple[Attempt, ...], ...] = ()
    unscored: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Filters:
    """Which words a walk may stand on whatever the region says.

    Attributes:
        blocked: the words it may not, ascending.
        label: names the filters that are not at their default, for the label of an exhaustion.
        record: the same for the trace; empty at the defaults.
    """

    blocked: tuple[int, ...]
    label: str = ""
    record: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Admission:
    """The settings of an inner loop.

    Attributes:
        mode: see `cga.backend.InnerLoop`.
        levels: the threshold for a blade of 1, 2, 3 words, in parts per million.
        margin: for ``margin``, in parts per million.
    """

    mode: InnerLoopMode
    levels: tuple[int, ...] = ()
    margin: int = 1

    @classmethod
    def threshold(cls, vocab: Vocabulary, percent: int) -> Admission:
        """Admits words that score above a share of random words, given in per cent."""
        counts = range(1, MOST_ANCHORS + 1)
        return cls(
            mode="threshold",
            levels=tuple(vocab.backend.score_level(vocab.handle, count, percent) for count in counts),
        )

    def loop(self, blades: tuple[Blade, ...]) -> InnerLoop:
        """The inner loop of one walk."""
        if self.mode == "margin":
            return InnerLoop(mode=self.mode, blades=blades, margin=self.margin)
        levels = tuple(self.levels[len(blade.anchors) - 1] for blade in blades)
        return InnerLoop(mode=self.mode, blades=blades, levels=levels)


def prompt_words(plan: ArticulationPlan, vocab: Vocabulary) -> list[int]:
    """The words that place a prompt: of each of its clauses, one sense a word, stop words left out."""
    return [
        vocab.choose(match.indices, "noun")
        for clause in plan.clauses
        for match in clause.words
        if not all(vocab.is_stop(i) for i in match.indices)
    ]


def generate(
    state: FieldState,
    vocab: Vocabulary,
    *,
    region: AdmissibilityRegion | None = None,
    max_tokens: int = 256,
    languages: Sequence[str] = ("en",),
    salience: int = 0,
    stop_words: frozenset[str] | None = None,
    inner_loop: Admission | None = None,
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
        inner_loop: scores the words by the region's blades and rejects some; None admits all.

    Raises:
        InnerLoopExhaustion: no admissible word was left, or the inner loop rejected every one of a step.
    """
    filters = filters_of(vocab, languages=languages, salience=salience, stop_words=stop_words)
    result = generate_all(
        [(state, region)], vocab, max_tokens=max_tokens, filters=filters, inner_loop=inner_loop
    )[0]
    if isinstance(result, InnerLoopExhaustion):
        raise result
    return result


def generate_all(
    turns: Sequence[tuple[FieldState, AdmissibilityRegion | None]],
    vocab: Vocabulary,
    *,
    max_tokens: int,
    filters: Filters,
    inner_loop: Admission | None = None,
) -> list[GenerationResult | InnerLoopExhaustion]:
    """`generate` for many turns in one call of the backend; an exhausted walk is a value here."""
    requests = [
        WalkRequest(
            start=state.location,
            allowed=None if region is None else region.allowed_indices,
            blocked=filters.blocked,
            max_steps=max_tokens if state.goals else min(max_tokens, IDLE_STEPS),
            goals=state.goals,
            inner_loop=inner_loop.loop(region.blades)
            if inner_loop is not None and region is not None and region.blades
            else None,
        )
        for state, region in turns
    ]
    outcomes = vocab.backend.walk(vocab.handle, requests)
    return [
        _result(vocab, region, outcome, filters, inner_loop is not None and request.inner_loop is None)
        for (_, region), request, outcome in zip(turns, requests, outcomes, strict=True)
    ]


def filters_of(
    vocab: Vocabulary,
    *,
    languages: Sequence[str],
    salience: int = 0,
    stop_words: frozenset[str] | None = None,
) -> Filters:
    """The filters of language, salience and stop words; none is dropped because it emptied the pool."""
    record: dict[str, Any] = {}
    if tuple(languages) != (vocab.pack.manifest.language,):
        record["languages"] = list(languages)
    if salience > 0:
        record["salience"] = salience
    names = [f"language:{'+'.join(languages)}"] if "languages" in record else []
    names += [f"salience:{salience}"] if "salience" in record else []
    blocked = vocab.blocked(languages, salience=salience, stop_words=stop_words)
    return Filters(blocked=blocked, label="&".join(names), record=record)


def _result(
    vocab: Vocabulary,
    region: AdmissibilityRegion | None,
    outcome: WalkOutcome,
    filters: Filters,
    unscored: bool,
) -> GenerationResult | InnerLoopExhaustion:
    if outcome.end in ("no_candidate", "all_rejected"):
        label = region.label if region is not None else "vocabulary"
        before = outcome.end == "no_candidate"
        return InnerLoopExhaustion(
            reason="no_candidate_before_walk" if before else "all_rejected",
            label=f"{label}&{filters.label}" if filters.label else label,
            step=-1 if before else len(outcome.indices),
            rejected=tuple(attempt.word for attempt in outcome.attempts[-1]) if outcome.attempts else (),
            attempts=outcome.attempts,
        )
    return GenerationResult(
        tokens=tuple(map(vocab.lemma, outcome.indices)),
        indices=outcome.indices,
        final_state=outcome.final_field,
        admissibility_trace=tuple(zip(outcome.indices, outcome.pool_sizes, strict=True)),
        region_was_unconstrained=region is None or region.is_unconstrained,
        end=outcome.end,
        versor_condition=outcome.versor_condition,
        attempts=outcome.attempts,
        unscored=unscored,
    )
