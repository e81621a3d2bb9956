"""What the region gives: over the free walk, over random regions, by category, and for what no fit has seen."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from cognition.config import RuntimeConfig
from cognition.packs.vocabulary import Vocabulary
from cognition.runtime import Runtime
from experiments.characterise.arms import (
    FEW,
    MEASURES,
    Outcome,
    compared,
    each,
    first_of,
    level,
    run_arm,
    suite_record,
    within,
)
from experiments.characterise.sweep import TOP_KS, constrained, figures, unconstrained
from experiments.constraint_ab import Prompt, evaluate_constraint, refitted, relation_prompts
from experiments.controls import same_domain
from experiments.metrics.cases import Suite
from experiments.metrics.summary import mean, paired

ARMS = ("off", "on", "null_vocab", "null_domain")
FOLDS = 5
Refit = Callable[[Vocabulary, frozenset[str]], Vocabulary]


def lift(
    suite: Suite,
    vocabulary: Vocabulary,
    *,
    config: RuntimeConfig | None = None,
    off: Sequence[Outcome] | None = None,
) -> dict[str, Any]:
    """Compares the graph's region with no region and with random ones of its size.

    Args:
        suite: the cases.
        vocabulary: an opened pack.
        config: settings; whether the constraint is on is left to the arms.
        off: the outcomes of the free walk, where they are there already.

    Returns:
        ``suite``; ``arms`` (figures of each of `ARMS`); ``differences`` (``on-off``, ...), with paired intervals, in
        each of `MEASURES`; ``categories``, for each category what the arms did and the difference of on and off in
        what the walk met within `FEW` steps (``what``: ``terms`` where the suite expects any, else ``slots``).
    """
    settings = config if config is not None else RuntimeConfig()
    on = constrained(settings)
    found: dict[str, Sequence[Outcome]] = {
        "off": run_arm(suite, vocabulary, unconstrained(settings)) if off is None else off,
        "on": run_arm(suite, vocabulary, on),
        "null_vocab": run_arm(suite, vocabulary, on, pool="vocabulary"),
        "null_domain": run_arm(suite, vocabulary, on, pool="domain"),
    }
    what = "terms" if any(one.terms for one in found["off"]) else "slots"
    return {
        "suite": suite_record(suite),
        "what": what,
        "few": FEW,
        "arms": {arm: figures(outcomes) for arm, outcomes in found.items()},
        "differences": {
            f"on-{other}": {name: compared(found["on"], found[other], name) for name in MEASURES}
            for other in ARMS
            if other != "on"
        },
        "categories": _categories(found, what),
    }


def _categories(found: dict[str, Sequence[Outcome]], what: str) -> dict[str, dict[str, Any]]:
    """The categories whose cases ask something of the walk, the largest first."""
    places: dict[str, list[int]] = {}
    for place, outcome in enumerate(found["off"]):
        if getattr(outcome, what):
            places.setdefault(outcome.case.category, []).append(place)
    return {
        category: {
            "n": len(chosen),
            **{arm: level(_chosen(found[arm], chosen, what)) for arm in ARMS},
            "on-off": paired(_chosen(found["on"], chosen, what), _chosen(found["off"], chosen, what)),
        }
        for category, chosen in sorted(places.items(), key=lambda item: (-len(item[1]), item[0]))
    }


def _chosen(outcomes: Sequence[Outcome], chosen: Sequence[int], what: str) -> Sequence[float | bool | None]:
    return each([outcomes[place] for place in chosen], MEASURES[what])


def held_out(
    vocabulary: Vocabulary,
    *,
    folds: int = FOLDS,
    top_ks: Sequence[int] = TOP_KS,
    refit: Refit = refitted,
) -> dict[str, Any]:
    """What `core eval constraint` measures, and how it changes with the size of the region.

    Args:
        vocabulary: an opened pack.
        folds: refits that share out the relations; each takes some 15 s.
        top_ks: sizes of one anchor's neighbourhood.
        refit: gives the vocabulary fitted without the statements of these ids.

    Returns:
        ``constraint``, the report of `evaluate_constraint`; and ``sizes``, for the relations that the fit ``seen`` and
        those ``held_out`` of it: ``off`` and a row a ``top_k``, with ``said`` (share of the relations that the answer
        says), ``within`` (met within `FEW` steps), ``in_domain`` (what a random region of its size from the subject's
        domains would hold) and the paired differences from off.

    Raises:
        UsageError: one fold, or more folds than pairs.
    """
    fits: list[tuple[frozenset[str], Vocabulary]] = []

    def kept(given: Vocabulary, without: frozenset[str]) -> Vocabulary:
        made = refit(given, without)
        fits.append((without, made))
        return made

    report = evaluate_constraint(vocabulary, folds=folds, refit=kept)
    prompts, _ = relation_prompts(vocabulary)
    every = frozenset(said.id for said in vocabulary.statements)
    return {
        "constraint": report,
        "sizes": {
            "seen": _sizes([(every, vocabulary)], prompts, top_ks),
            "held_out": _sizes(fits, prompts, top_ks),
        },
    }


def _sizes(
    fits: Sequence[tuple[frozenset[str], Vocabulary]], prompts: Sequence[Prompt], top_ks: Sequence[int]
) -> dict[str, Any]:
    free = _relations(fits, prompts, RuntimeConfig())
    rows = []
    for top_k in top_ks:
        found = _relations(fits, prompts, constrained(RuntimeConfig(), top_k))
        rows.append(
            {
                "top_k": top_k,
                "region": mean(found["region"]),
                "in_domain": mean(found["in_domain"]),
                **{name: level(found[name]) for name in ("said", "within")},
                "minus_off": {name: paired(found[name], free[name]) for name in ("said", "within")},
            }
        )
    return {
        "prompts": len(free["said"]),
        "off": {name: level(free[name]) for name in ("said", "within")},
        "rows": rows,
    }


def _relations(
    fits: Sequence[tuple[frozenset[str], Vocabulary]], prompts: Sequence[Prompt], config: RuntimeConfig
) -> dict[str, list[float | None]]:
    """For each prompt of each fit, over the relations that count in it."""
    found: dict[str, list[float | None]] = {"said": [], "within": [], "region": [], "in_domain": []}
    for group, vocabulary in fits:
        asked = [prompt for prompt in prompts if any(said.id in group for said in prompt.targets)]
        turns = Runtime(vocabulary, config).ask_batch([prompt.text for prompt in asked])
        for prompt, turn in zip(asked, turns, strict=True):
            targets = [said for said in prompt.targets if said.id in group]
            cited = {evidence.id for evidence in turn.citations} if turn.answered else set()
            walked = turn.walk.indices if turn.walk is not None else ()
            allowed = turn.region.allowed_indices if turn.region is not None else None
            near = same_domain(vocabulary, prompt.subject)
            found["said"].append(mean(said.id in cited for said in targets))
            found["within"].append(within((first_of((said.object,), walked) for said in targets), FEW))
            found["region"].append(None if allowed is None else len(allowed))
            found["in_domain"].append(
                None
                if allowed is None
                else mean(
                    min(1.0, len(allowed) / len(near)) if said.object in near else 0.0 for said in targets
                )
            )
    return found
