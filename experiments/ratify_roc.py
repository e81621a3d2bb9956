"""`core ratify-roc`: whether the field tells a right intent from a wrong one.

Every case that is read right gives one right score, that of its intent, and a wrong one for each other intent that has
cue senses in the pack: the same prompt with the intent swapped. The curve is over all thresholds.
"""

from __future__ import annotations

import hashlib
import random
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from rich import box
from rich.console import Console
from rich.table import Table

from cognition.clause import ArticulationPlan
from cognition.graph import IntentTag
from cognition.packs.vocabulary import Vocabulary
from cognition.ratify import THRESHOLD, cue_senses, ratify_intents
from cognition.runtime import Runtime
from cognition.walk import prompt_words
from experiments.harness import percent, run_record
from experiments.metrics.cases import Suite
from experiments.metrics.summary import RESAMPLES

SHOWN = (50, 100, 200, 300, 500, 700, 900)
ANCHORS = ("cue senses", "subject and cue senses")


@dataclass(frozen=True, slots=True, kw_only=True)
class Scores:
    """The scores of one prompt: under its own intent, and under each other one."""

    right: int
    wrong: tuple[int, ...]


def ratify_roc(suite: Suite, vocabulary: Vocabulary) -> dict[str, Any]:
    """Measures the cases of a suite that are read right and have a place in the field.

    Returns:
        The report, ready for JSON: for both sets of anchors the area under the curve with a bootstrap interval over
        prompts, the least threshold that demotes no right intent with the share of wrong ones it demotes, the same
        for the threshold in force, and points of the curve.
    """
    runtime = Runtime(vocabulary)
    cases = [case for case in suite.cases if case.intent is not None]
    plans = [turn.plan for turn in runtime.ask_batch([case.prompt for case in cases])]
    read = [
        plan
        for case, plan in zip(cases, plans, strict=True)
        if plan is not None
        and plan.intent == case.intent
        and cue_senses(plan.intent, vocabulary)
        and prompt_words(plan, vocabulary)
    ]
    cue, both = _scores(read, vocabulary)
    return {
        "suite": {"split": suite.split, "n": len(suite.cases), "sha256": suite.sha256},
        "run": run_record(runtime),
        "prompts": len(read),
        "threshold": THRESHOLD,
        "anchors": {name: _curve(found) for name, found in zip(ANCHORS, (cue, both), strict=True)},
    }


def _scores(plans: Sequence[ArticulationPlan], vocabulary: Vocabulary) -> tuple[list[Scores], list[Scores]]:
    tags = [tag for tag in IntentTag if cue_senses(tag, vocabulary)]
    locations = vocabulary.backend.locate(
        vocabulary.handle, [prompt_words(plan, vocabulary) for plan in plans]
    )
    cue: list[Scores] = []
    both: list[Scores] = []
    for plan, location in zip(plans, locations, strict=True):
        swapped = [_with_intent(plan, tag) for tag in tags]
        found = ratify_intents(swapped, [location] * len(tags), vocabulary)
        near = {tag: one.score for tag, one in zip(tags, found, strict=True) if one.score is not None}
        subject = found[0].subject
        cue.append(_of(plan.intent, near))
        both.append(
            _of(plan.intent, near if subject is None else {t: min(s, subject) for t, s in near.items()})
        )
    return cue, both


def _with_intent(plan: ArticulationPlan, tag: IntentTag) -> ArticulationPlan:
    clauses = list(plan.clauses)
    clauses[plan.dominant] = replace(plan.clause, intent=tag)
    return replace(plan, clauses=tuple(clauses))


def _of(own: IntentTag, scores: dict[IntentTag, int]) -> Scores:
    return Scores(right=scores[own], wrong=tuple(score for tag, score in scores.items() if tag is not own))


def _curve(found: Sequence[Scores]) -> dict[str, Any]:
    right = [one.right for one in found]
    wrong = [score for one in found for score in one.wrong]
    safe = max(right, default=0)
    best = max(sorted({*right, *wrong}), key=lambda at: _above(wrong, at) - _above(right, at), default=0)
    return {
        "area": _area(found),
        "demotes_no_right_one": _at(right, wrong, safe),
        "in_force": _at(right, wrong, THRESHOLD),
        "best": _at(right, wrong, best),
        "curve": [_at(right, wrong, at) for at in SHOWN],
    }


def _at(right: Sequence[int], wrong: Sequence[int], threshold: int) -> dict[str, Any]:
    return {
        "threshold": threshold,
        "right_demoted": _above(right, threshold),
        "wrong_demoted": _above(wrong, threshold),
    }


def _above(scores: Sequence[int], threshold: int) -> float:
    return sum(score > threshold for score in scores) / len(scores) if scores else 0.0


def _area(found: Sequence[Scores]) -> dict[str, float | None]:
    """Mean over prompts of the share of wrong intents that score worse than the right one, ties half."""
    shares = [
        sum((score > one.right) + 0.5 * (score == one.right) for score in one.wrong) / len(one.wrong)
        for one in found
        if one.wrong
    ]
    if not shares:
        return {"mean": None, "low": None, "high": None}
    draw = random.Random(int.from_bytes(hashlib.sha256(b"ratify").digest()))
    means = sorted(sum(draw.choices(shares, k=len(shares))) / len(shares) for _ in range(RESAMPLES))
    tail = RESAMPLES // 40
    return {"mean": sum(shares) / len(shares), "low": means[tail], "high": means[-tail - 1]}


def show(report: dict[str, Any], console: Console) -> None:
    """Prints the report for people."""
    console.print(
        f"{report['suite']['split']}: {report['prompts']} prompts read right; "
        f"threshold in force {report['threshold']}"
    )
    for name, curve in report["anchors"].items():
        area = curve["area"]
        console.print(
            f"{name}: a right intent scores better than a swapped one in {percent(area['mean'])} % of pairs "
            f"({percent(area['low'])} to {percent(area['high'])}; chance 50)"
        )
        table = Table(box=box.SIMPLE_HEAD, pad_edge=False, padding=(0, 2, 0, 0))
        for heading in ("", "threshold", "right demoted, %", "swapped demoted, %"):
            table.add_column(heading, justify="right" if heading else "left")
        rows = [("demotes no right one", curve["demotes_no_right_one"]), ("in force", curve["in_force"])]
        rows += [("most apart", curve["best"]), *(("", point) for point in curve["curve"])]
        for label, row in rows:
            shares = (percent(row[key]) for key in ("right_demoted", "wrong_demoted"))
            table.add_row(label, str(row["threshold"]), *shares)
        console.print(table)
