"""What an arm of the characterisation did with each prompt: the one measure that all parts share.

Two things are counted at the step at which a walk first stands on them. The *terms* that a case expects of the walk are
those of `core eval cognition`, scored by the same code. The *slots* are what the turn itself looks for: groups of words
of which one would ground the answer. Slots need no case, so they are counted for any prompt.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from cognition.config import RuntimeConfig
from cognition.grounding import inquire
from cognition.packs.vocabulary import Vocabulary
from cognition.pipeline import CognitiveTurnPipeline
from cognition.result import CognitiveTurnResult
from cognition.runtime import Runtime
from experiments.cognition_eval.prompts import VariedPrompts
from experiments.cognition_eval.run import answer_of
from experiments.controls import Pool, random_regions
from experiments.metrics.cases import Case, Suite
from experiments.metrics.lexicon import Lexicon
from experiments.metrics.score import met_at, score
from experiments.metrics.summary import BUDGETS, mean, paired

FEW = BUDGETS[0]
MOST = BUDGETS[-1]
GENERATED = "generated"
"""The split of prompts that are made from templates."""
Values = Sequence[float | bool | None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What one turn did.

    Attributes:
        case: what was asked.
        form: the intent that was read, with its reading where it has several: ``cause, claim``.
        answered: whether it is an answer.
        refusal: code of the refusal, "" for an answer.
        surface: what was said.
        grounded: whether that is what it cites and nothing else; None for a refusal.
        terms: the step, from 1, at which the walk had supplied each term that the case expects of it; None for one
            that it had not after `MOST` steps, or that the turn did not say.
        slots: the step at which the walk first stood on a word that grounds each open slot; None if it never did.
        region: size of the region; None where there is none, or where it is the whole vocabulary.
        exhausted: whether no admissible word was left.
        length: steps walked.
    """

    case: Case
    form: str
    answered: bool
    refusal: str
    surface: str
    grounded: bool | None
    terms: tuple[int | None, ...]
    slots: tuple[int | None, ...]
    region: int | None
    exhausted: bool
    length: int


def run_arm(
    suite: Suite, vocabulary: Vocabulary, config: RuntimeConfig, *, pool: Pool | None = None
) -> list[Outcome]:
    """Asks all prompts of a suite, one outcome a case.

    Args:
        suite: the cases.
        vocabulary: an opened pack.
        config: settings of the runtime, among them whether the constraint is on.
        pool: puts a random region of the same size, from there, in the place of each region.
    """
    runtime = Runtime(vocabulary, config)
    if pool is None:
        turns = runtime.ask_batch([case.prompt for case in suite.cases])
    else:
        turns = [
            CognitiveTurnPipeline(runtime, constrain=random_regions(case.id, pool)).run(case.prompt)
            for case in suite.cases
        ]
    lexicon = Lexicon(vocabulary)
    return [_outcome(case, turn, lexicon) for case, turn in zip(suite.cases, turns, strict=True)]


def slots_of(turn: CognitiveTurnResult, vocabulary: Vocabulary) -> tuple[tuple[int, ...], ...]:
    """For each open slot of a turn that got as far as its walk, the words that would ground it."""
    if turn.plan is None or (turn.walk is None and turn.exhaustion is None):
        return ()
    return inquire(turn.plan.clause, vocabulary).goals


def form_of(turn: CognitiveTurnResult) -> str:
    """The intent that was read, with its reading where the table of cues has several."""
    reading = turn.plan.clause.form if turn.plan is not None else ""
    return f"{turn.intent.value}, {reading}" if reading else turn.intent.value


def _outcome(case: Case, turn: CognitiveTurnResult, lexicon: Lexicon) -> Outcome:
    answer = answer_of(turn)
    # A walk of hundreds of steps is scored by its first ones: what came later counts as never.
    shown = replace(answer, walk=None if answer.walk is None else answer.walk[:MOST])
    walked = turn.walk.indices if turn.walk is not None else ()
    allowed = turn.region.allowed_indices if turn.region is not None else None
    return Outcome(
        case=case,
        form=form_of(turn),
        answered=turn.answered,
        refusal=turn.refusal.code if turn.refusal is not None else "",
        surface=turn.surface,
        grounded=score(shown, case, lexicon).grounded,
        terms=tuple(
            met_at(wanted, shown, lexicon) if turn.answered else None
            for wanted in case.expect
            if wanted.by == "walk"
        ),
        slots=tuple(first_of(group, walked) for group in slots_of(turn, lexicon.vocabulary)),
        region=None if allowed is None else len(allowed),
        exhausted=turn.exhaustion is not None,
        length=len(walked),
    )


def first_of(group: Iterable[int], walked: Sequence[int]) -> int | None:
    """The step, from 1, at which one of the words is first stood on."""
    wanted = frozenset(group)
    return next((step for step, word in enumerate(walked, 1) if word in wanted), None)


def within(steps: Iterable[int | None], most: int) -> float | None:
    """The share of steps that came within so many; None where there are none."""
    return mean(step is not None and step <= most for step in steps)


def level(values: Values) -> dict[str, Any]:
    """A mean with its 95 % bootstrap interval: ``n``, ``mean``, ``low``, ``high``."""
    found = paired(values, [None if value is None else 0.0 for value in values])
    return {"n": found["n"], "mean": found["difference"], "low": found["low"], "high": found["high"]}


def each(outcomes: Sequence[Outcome], value: Callable[[Outcome], float | bool | None]) -> Values:
    """A value of each outcome."""
    return [value(outcome) for outcome in outcomes]


MEASURES: dict[str, Callable[[Outcome], float | bool | None]] = {
    "answered": lambda outcome: outcome.answered,
    "grounded": lambda outcome: outcome.grounded,
    "terms": lambda outcome: within(outcome.terms, FEW),
    "slots": lambda outcome: within(outcome.slots, FEW),
}
"""What is compared between arms, each a share of a case; terms and slots are those met within `FEW` steps."""


def compared(first: Sequence[Outcome], second: Sequence[Outcome], name: str) -> dict[str, Any]:
    """First minus second in one of the `MEASURES`, with its paired bootstrap interval."""
    return paired(each(first, MEASURES[name]), each(second, MEASURES[name]))


def suite_record(suite: Suite) -> dict[str, Any]:
    """Which cases: split, number and digest."""
    return {"split": suite.split, "n": len(suite.cases), "sha256": suite.sha256}


def suite_of(prompts: Sequence[str], name: str, categories: Sequence[str] | None = None) -> Suite:
    """Prompts as a suite of cases that expect nothing in particular."""
    digest = hashlib.sha256("\n".join(prompts).encode()).hexdigest()
    kinds = categories if categories is not None else ["other"] * len(prompts)
    cases = tuple(
        Case(id=str(number), prompt=prompt, category=kind)
        for number, (prompt, kind) in enumerate(zip(prompts, kinds, strict=True), 1)
    )
    return Suite(split=name, sha256=digest, cases=cases)


def generated_suite(vocabulary: Vocabulary, count: int = 300) -> Suite:
    """The first prompts of `VariedPrompts`: templates filled with the pack's words and statements.

    Raises:
        UsageError: the pack has no two words to ask about.
    """
    varied = VariedPrompts(vocabulary)
    chosen = range(min(count, len(varied)))
    return suite_of([varied[i] for i in chosen], GENERATED, [varied.kind(i) for i in chosen])
