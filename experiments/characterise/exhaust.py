"""Why a walk in a region would be left without a word: which filter empties how many regions.

An anchor is always in its own neighbourhood, so a region has a word at least, and only a filter on top of it can take
the last one away: stop words, status, language, salience, or the inner loop. Each is tried, and counted by what the
turns themselves report.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from cognition.config import RuntimeConfig
from cognition.packs.vocabulary import Vocabulary
from cognition.runtime import Runtime
from experiments.characterise.arms import level, suite_record
from experiments.characterise.nearness import miss_chance
from experiments.characterise.sweep import constrained
from experiments.metrics.cases import Suite
from experiments.metrics.summary import mean

SALIENCES = (50, 75, 90, 95)
LOOPS: tuple[dict[str, Any], ...] = (
    {"inner_loop": "threshold", "inner_loop_percent": 90},
    {"inner_loop": "threshold", "inner_loop_percent": 95},
    {"inner_loop": "threshold", "inner_loop_percent": 99},
    {"inner_loop": "margin", "inner_loop_margin": 1},
    {"inner_loop": "margin", "inner_loop_margin": 10},
    {"inner_loop": "margin", "inner_loop_margin": 100},
)
QUICK_LOOPS = LOOPS[::3]
PUBLISHED = {"words": 91, "top_k": 8, "turns": 13, "exhausted": 13, "own_nearest": 3}
"""Measured on the system that ADR-0047 describes, once its region was passed to its walk."""
ODDS = 0.05


def exhaustion(
    suite: Suite,
    vocabulary: Vocabulary,
    *,
    top_k: int = 8,
    loops: Sequence[Mapping[str, Any]] = LOOPS,
) -> dict[str, Any]:
    """Asks a suite under each filter, with and without the graph's region, and counts the walks left without a word.

    Args:
        suite: the cases; only their prompts count.
        vocabulary: an opened pack.
        top_k: size of one anchor's neighbourhood.
        loops: settings of the inner loop, as fields of `RuntimeConfig`.

    Returns:
        ``suite``, ``top_k``; ``regions``, what of the words of the regions no walk may stand on, by reason;
        ``salience`` and ``inner_loop``: a row a setting, with the share of walks exhausted in the region (``on``) and
        free (``off``), each with its interval; and ``published``: what chance would make of the published exhaustion.
    """
    base = constrained(RuntimeConfig(), top_k)
    return {
        "suite": suite_record(suite),
        "top_k": top_k,
        "regions": _regions(suite, vocabulary, base),
        "salience": [
            {"salience": least, **_tried(suite, vocabulary, replace(base, min_salience=least))}
            for least in SALIENCES
        ],
        "inner_loop": [
            {
                "mode": loop["inner_loop"],
                "at": loop.get("inner_loop_percent", loop.get("inner_loop_margin")),
                **_tried(suite, vocabulary, replace(base, **loop)),
            }
            for loop in loops
        ],
        "published": published(),
    }


def published() -> dict[str, Any]:
    """How small a pool must be for a region to miss it in all turns by chance, at odds of `ODDS`.

    Returns:
        The published numbers, and ``most_pool``: the largest pool of words that random regions of ``top_k`` words would
        miss in all turns with a chance of `ODDS` at least; ``misses``, that chance by size of the pool.
    """
    misses = {
        pool: miss_chance(PUBLISHED["words"], PUBLISHED["top_k"], pool) ** PUBLISHED["turns"]
        for pool in range(1, 9)
    }
    return {
        **PUBLISHED,
        "odds": ODDS,
        "misses": {str(pool): chance for pool, chance in misses.items()},
        "most_pool": max((pool for pool, chance in misses.items() if chance >= ODDS), default=0),
    }


def _regions(suite: Suite, vocabulary: Vocabulary, config: RuntimeConfig) -> dict[str, Any]:
    turns = Runtime(vocabulary, replace(config, max_tokens=0)).ask_batch(_prompts(suite))
    found = [
        turn.region.allowed_indices
        for turn in turns
        if turn.region is not None and turn.region.allowed_indices is not None
    ]
    senses = vocabulary.senses
    reasons = {
        "stop_word": vocabulary.is_stop,
        "status": lambda word: senses[word].status != "reviewed",
        "language": lambda word: senses[word].language != config.output_language,
    }
    blocked = frozenset(vocabulary.blocked((config.output_language,)))
    return {
        "n": len(found),
        "blocked": {
            name: mean(sum(map(reason, region)) / len(region) for region in found)
            for name, reason in reasons.items()
        },
        "emptied": sum(blocked.issuperset(region) for region in found),
        "least_open": min((len(set(region) - blocked) for region in found), default=None),
    }


def _tried(suite: Suite, vocabulary: Vocabulary, config: RuntimeConfig) -> dict[str, Any]:
    found = {}
    for arm, on in (("on", True), ("off", False)):
        runtime = Runtime(vocabulary, replace(config, forward_graph_constraint=on))
        turns = runtime.ask_batch(_prompts(suite))
        walked = [turn for turn in turns if turn.walk is not None or turn.exhaustion is not None]
        found[arm] = {
            "walks": len(walked),
            "exhausted": level([turn.exhaustion is not None for turn in walked]),
            "before": sum(turn.exhaustion is not None and turn.exhaustion.step < 0 for turn in walked),
            "answered": mean(turn.answered for turn in turns),
        }
    return found


def _prompts(suite: Suite) -> Sequence[str]:
    return [case.prompt for case in suite.cases]
