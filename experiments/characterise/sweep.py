"""What top_k does: the same prompts in regions of growing size, beside the free walk."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from cognition.config import RuntimeConfig
from cognition.packs.vocabulary import Vocabulary
from experiments.characterise.arms import (
    MEASURES,
    Outcome,
    compared,
    each,
    level,
    run_arm,
    suite_record,
    within,
)
from experiments.harness import UsageError
from experiments.metrics.cases import Suite
from experiments.metrics.summary import BUDGETS, mean

TOP_KS = (1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64)
QUICK_TOP_KS = (1, 4, 8, 16, 64)


def top_k_sweep(
    suite: Suite,
    vocabulary: Vocabulary,
    *,
    top_ks: Sequence[int] = TOP_KS,
    config: RuntimeConfig | None = None,
    off: Sequence[Outcome] | None = None,
) -> dict[str, Any]:
    """Asks a suite in the graph's regions at each ``top_k``, and free.

    Args:
        suite: the cases.
        vocabulary: an opened pack.
        top_ks: sizes of one anchor's neighbourhood.
        config: other settings; whether the constraint is on, and its size, are left to the arms.
        off: the outcomes of the free walk, where they are there already.

    Returns:
        ``suite``, ``words`` (of the vocabulary), ``default`` (the size that ships), ``terms`` and ``slots`` (how many
        the walk is asked for), ``off`` and ``rows``, one a ``top_k``: ``region`` (mean size where a region constrains),
        ``length`` (mean steps), ``exhausted``, ``refused`` (by code), each of `MEASURES` with its interval,
        ``terms_within`` and ``slots_within`` so many steps, ``changed`` (share of prompts whose surface is not that of
        the free walk), ``minus_off`` and ``minus_default``, the paired differences from the free walk and from the
        default size.

    Raises:
        UsageError: no size, or one below 1.
    """
    if not top_ks or min(top_ks) < 1:
        raise UsageError(f"top_k: {', '.join(map(str, top_ks)) or 'none'}; give sizes of at least 1")
    settings = config if config is not None else RuntimeConfig()
    free = run_arm(suite, vocabulary, unconstrained(settings)) if off is None else off
    default = RuntimeConfig().top_k
    usual = run_arm(suite, vocabulary, constrained(settings, default))
    rows: list[dict[str, Any]] = []
    for top_k in top_ks:
        found = usual if top_k == default else run_arm(suite, vocabulary, constrained(settings, top_k))
        changed = [one.surface != other.surface for one, other in zip(found, free, strict=True)]
        rows.append(
            {
                "top_k": top_k,
                **figures(found),
                "changed": level(changed),
                "minus_off": {name: compared(found, free, name) for name in MEASURES},
                "minus_default": {name: compared(found, usual, name) for name in MEASURES},
            }
        )
    return {
        "suite": suite_record(suite),
        "words": len(vocabulary),
        "default": default,
        "terms": sum(len(one.terms) for one in free),
        "slots": sum(len(one.slots) for one in free),
        "off": figures(free),
        "rows": rows,
    }


def figures(found: Sequence[Outcome]) -> dict[str, Any]:
    """The figures of one arm."""
    refused = sorted(one.refusal for one in found if one.refusal)
    return {
        "region": mean(one.region for one in found),
        "length": mean(one.length for one in found if one.length),
        "exhausted": sum(one.exhausted for one in found),
        "refused": {code: refused.count(code) for code in dict.fromkeys(refused)},
        **{name: level(each(found, value)) for name, value in MEASURES.items()},
        "terms_within": {str(most): mean(within(one.terms, most) for one in found) for most in BUDGETS},
        "slots_within": {str(most): mean(within(one.slots, most) for one in found) for most in BUDGETS},
    }


def unconstrained(config: RuntimeConfig) -> RuntimeConfig:
    """The same settings with the constraint off."""
    return replace(config, forward_graph_constraint=False)


def constrained(config: RuntimeConfig, top_k: int | None = None) -> RuntimeConfig:
    """The same settings with the constraint on, at another size of its neighbourhoods."""
    return replace(config, forward_graph_constraint=True, top_k=config.top_k if top_k is None else top_k)
