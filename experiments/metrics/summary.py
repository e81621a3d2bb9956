"""From the scores of cases to the figures of an arm, and to the differences between two arms."""

from __future__ import annotations

import hashlib
import random
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

from experiments.metrics.answer import Answer
from experiments.metrics.cases import SUPPLIERS, Case
from experiments.metrics.score import Score

CLOSED = 1e-6
RESAMPLES = 2000
SEED = 0
RATES = (
    "intent_accuracy",
    "surface_groundedness",
    "term_capture_rate",
    "term_precision",
    "provenance_coverage",
    "versor_closure_rate",
)
BUDGETS = (8, 16, 32)
"""Numbers of steps after which the share of terms that the walk has supplied is given."""


def mean(values: Iterable[float | bool | None]) -> float | None:
    """The mean of the values that are defined; None where none is."""
    defined = [float(value) for value in values if value is not None]
    return sum(defined) / len(defined) if defined else None


def summarise(cases: Sequence[Case], answers: Sequence[Answer], scores: Sequence[Score]) -> dict[str, Any]:
    """The figures of one arm.

    The `RATES` are numbers in 0..1; one that nothing defines in this arm is 0 and named in ``undefined``. Other
    figures are None where nothing defines them.
    """
    conditions = [answer.versor_condition for answer in answers if answer.versor_condition is not None]
    words = sum(score.words for score in scores)
    figures: dict[str, Any] = {
        "n": len(cases),
        "answered": sum(answer.answered for answer in answers),
        "intent_accuracy": mean(score.intent for score in scores),
        "surface_groundedness": mean(score.grounded for score in scores),
        "term_capture_rate": mean(score.capture for score in scores),
        "term_precision": mean(score.precision for score in scores),
        "provenance_coverage": sum(score.covered for score in scores) / words if words else None,
        "versor_closure_rate": mean(condition < CLOSED for condition in conditions),
        "max_versor_condition": max(conditions, default=None),
        "turns_walked": sum(answer.walked for answer in answers),
        "walk_length": mean(len(answer.walk) for answer in answers if answer.walk is not None),
        "regions_built": sum(answer.regions_built for answer in answers),
        "constraints_engaged": sum(answer.constrained for answer in answers),
        "exhaustions": sum(answer.exhausted for answer in answers),
        "refusals": dict(sorted(Counter(a.refusal for a in answers if a.refusal is not None).items())),
        "refusal_accuracy": mean(score.refusal for score in scores),
        "capture_by_supplier": {
            supplier: mean(
                got
                for case, score in zip(cases, scores, strict=True)
                for expectation, got in zip(case.expect, score.captured, strict=True)
                if expectation.by == supplier
            )
            for supplier in SUPPLIERS
        },
        "walk_capture_within": {
            str(steps): mean(at is not None and at <= steps for score in scores for at in score.met_at)
            for steps in BUDGETS
        },
        "capture_by_category": {
            category: mean(
                score.capture for case, score in zip(cases, scores, strict=True) if case.category == category
            )
            for category in dict.fromkeys(case.category for case in cases)
        },
    }
    undefined = [name for name in RATES if figures[name] is None]
    return figures | dict.fromkeys(undefined, 0.0) | {"undefined": undefined}


def difference(first: Sequence[Score], second: Sequence[Score]) -> dict[str, Any]:
    """First minus second, over the cases that define both, with a paired bootstrap interval."""
    return {
        "term_capture_rate": paired([s.capture for s in first], [s.capture for s in second]),
        "surface_groundedness": paired([s.grounded for s in first], [s.grounded for s in second]),
        f"walk_capture_within_{BUDGETS[0]}": paired(_within(first), _within(second)),
    }


def _within(scores: Sequence[Score]) -> list[float | None]:
    """For each case, the share of its walked terms that the first few steps supplied."""
    return [mean(at is not None and at <= BUDGETS[0] for at in score.met_at) for score in scores]


def paired(first: Sequence[float | bool | None], second: Sequence[float | bool | None]) -> dict[str, Any]:
    """Mean difference of pairs, and the 95 % percentile interval of `RESAMPLES` means of resampled pairs."""
    gaps = [
        float(a) - float(b) for a, b in zip(first, second, strict=True) if a is not None and b is not None
    ]
    if not gaps:
        return {"n": 0, "difference": None, "low": None, "high": None}
    draw = random.Random(int.from_bytes(hashlib.sha256(f"bootstrap:{SEED}".encode()).digest()))
    size = len(gaps)
    means = sorted(sum(gaps[int(draw.random() * size)] for _ in range(size)) / size for _ in range(RESAMPLES))
    tail = RESAMPLES // 40
    return {"n": size, "difference": sum(gaps) / size, "low": means[tail], "high": means[-tail - 1]}
