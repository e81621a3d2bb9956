"""Whether the graph's region and the free walk are in the same place, and what would leave a walk without a word.

The free walk is followed on, past where its turn would have ended, so that its order over the vocabulary is seen: how
many of its first words lie in the region, how many of the region's words it comes by, and where in its order the
wanted words stand. Chance is a region of the same size drawn from the words that a walk may stand on: the number of
its words among the first n of a walk is then hypergeometric, exactly.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import comb
from statistics import median
from typing import Any

import numpy as np

from cga._words import distance
from cga.backend import Point, WalkRequest
from cognition.config import RuntimeConfig
from cognition.constraint import anchors_of
from cognition.packs.vocabulary import Vocabulary
from cognition.result import CognitiveTurnResult
from cognition.runtime import Runtime
from cognition.walk import prompt_words
from experiments.characterise.arms import FEW, first_of, form_of, level, slots_of, suite_record
from experiments.controls import random_regions
from experiments.harness import UsageError
from experiments.metrics.cases import Case, Suite
from experiments.metrics.summary import mean

STEPS = (8, 16, 32, 64)
FOLLOWED = 512
"""Steps that a walk is followed; in a vocabulary of more words, one met later counts as never met."""
PLACINGS = (
    "one anchor alone",
    "one anchor and other words",
    "several anchors alone",
    "several anchors and other words",
)
MOST_WORDS = 5
"""Words beside the anchors that are named, those of the most strangers first."""
CURVE = 64
"""Steps of the curve of how often the free walk's n-th word lies in the region."""


def overlap(suite: Suite, vocabulary: Vocabulary, *, top_k: int = 8) -> dict[str, Any]:
    """Compares, prompt by prompt, the graph's region with the order in which the free walk meets words.

    Args:
        suite: the cases; only their prompts and categories count.
        vocabulary: an opened pack.
        top_k: size of one anchor's neighbourhood.

    Returns:
        ``suite``, ``prompts`` (that a region constrains and that have a place to walk from), ``open_words`` (that a
        walk may stand on), then for the graph's region (``region``) and for a random one of its size (``random``) by
        number of steps: ``shared`` (mean number of words common to the region and the first n of the free walk),
        ``chance`` (its expectation), ``none`` (share of prompts with none, with interval), ``none_by_chance`` and
        ``reached`` (share of the region); ``curve``, the share of prompts whose n-th free word lies in the region;
        ``wanted``, where the words stand that would ground an open slot; ``distance``; the same by ``forms`` and by
        ``placing``: whether the graph's anchors alone place the prompt, or other words of it do as well (`PLACINGS`);
        ``from_anchors``, the free walk from the centroid of the anchors instead; ``beside``, the other words of most
        prompts that are strangers to their region; and ``rows``.

    Raises:
        UsageError: no prompt has a region.
    """
    config = RuntimeConfig(forward_graph_constraint=True, top_k=top_k, max_tokens=0)
    turns = Runtime(vocabulary, config).ask_batch([case.prompt for case in suite.cases])
    walked = [
        (case, turn)
        for case, turn in zip(suite.cases, turns, strict=True)
        if turn.region is not None and not turn.region.is_unconstrained and _words(turn, vocabulary)
    ]
    if not walked:
        raise UsageError(f"{suite.split}: no prompt has a region: give prompts that name words of the pack")
    blocked = vocabulary.blocked((config.output_language,))
    locate = vocabulary.backend.locate
    anchors = [_anchors(turn, vocabulary) for _, turn in walked]
    places = locate(vocabulary.handle, [_words(turn, vocabulary) for _, turn in walked])
    aside = _orders(vocabulary, locate(vocabulary.handle, anchors), blocked, [None] * len(walked))
    free = _orders(vocabulary, places, blocked, [None] * len(walked))
    regions = [turn.region.allowed_indices or () for _, turn in walked if turn.region is not None]
    inside = _orders(vocabulary, places, blocked, regions)
    count = len(vocabulary) - len(blocked)
    open_regions = [frozenset(region).difference(blocked) for region in regions]
    drawn = [
        frozenset(_random_region(case, turn, vocabulary, top_k)).difference(blocked) for case, turn in walked
    ]
    rows = [
        _row(case, turn, vocabulary, place, (order, near, other), region)
        for (case, turn), place, order, near, other, region in zip(
            walked, places, free, inside, aside, open_regions, strict=True
        )
    ]
    return {
        "suite": suite_record(suite),
        "top_k": top_k,
        "prompts": len(walked),
        "open_words": count,
        "region": _common(free, open_regions, count),
        "random": _common(free, drawn, count),
        "curve": [_at(free, open_regions, step) for step in range(min(CURVE, count))],
        "curve_by_chance": mean(len(region) / count for region in open_regions),
        "wanted": _wanted(rows),
        "distance": _distances(rows),
        "from_anchors": {
            **_common(aside, open_regions, count)[str(FEW)],
            "wanted": _ranks([step for row in rows for step in row["wanted_from_anchors"]]),
        },
        "forms": _grouped(rows, "form"),
        "placing": _grouped(rows, "placing"),
        "beside": _beside(rows),
        "rows": rows,
    }


def miss_chance(open_words: int, region: int, pool: int) -> float:
    """The chance that a random region has no word in common with a pool, both drawn from so many words."""
    return comb(open_words - region, pool) / comb(open_words, pool) if pool <= open_words else 0.0


def _words(turn: CognitiveTurnResult, vocabulary: Vocabulary) -> list[int]:
    return [] if turn.plan is None else prompt_words(turn.plan, vocabulary)


def _anchors(turn: CognitiveTurnResult, vocabulary: Vocabulary) -> tuple[int, ...]:
    assert turn.graph is not None  # it has a region
    return anchors_of(turn.graph, vocabulary)


def _orders(
    vocabulary: Vocabulary,
    places: Sequence[Point],
    blocked: tuple[int, ...],
    allowed: Sequence[tuple[int, ...] | None],
) -> list[tuple[int, ...]]:
    """The words in the order in which walks that look for nothing meet them."""
    requests = [
        WalkRequest(start=place, allowed=region, blocked=blocked, max_steps=min(len(vocabulary), FOLLOWED))
        for place, region in zip(places, allowed, strict=True)
    ]
    return [outcome.indices for outcome in vocabulary.backend.walk(vocabulary.handle, requests)]


def _random_region(
    case: Case, turn: CognitiveTurnResult, vocabulary: Vocabulary, top_k: int
) -> tuple[int, ...]:
    assert turn.graph is not None
    constrain = random_regions(case.id, "vocabulary")
    return constrain([turn.graph], vocabulary, top_k=top_k)[0].allowed_indices or ()


def _common(
    orders: Sequence[tuple[int, ...]], regions: Sequence[frozenset[int]], count: int
) -> dict[str, dict[str, Any]]:
    found: dict[str, dict[str, Any]] = {}
    for steps in STEPS:
        n = min(steps, count)
        shared = [len(region.intersection(order[:n])) for order, region in zip(orders, regions, strict=True)]
        found[str(steps)] = {
            "shared": mean(shared),
            "chance": mean(n * len(region) / count for region in regions),
            "none": level([not words for words in shared]),
            "none_by_chance": mean(miss_chance(count, len(region), n) for region in regions),
            "reached": mean(
                words / len(region) for words, region in zip(shared, regions, strict=True) if region
            ),
        }
    return found


def _at(orders: Sequence[tuple[int, ...]], regions: Sequence[frozenset[int]], step: int) -> float | None:
    return mean(
        order[step] in region for order, region in zip(orders, regions, strict=True) if step < len(order)
    )


def _row(
    case: Case,
    turn: CognitiveTurnResult,
    vocabulary: Vocabulary,
    place: Point,
    orders: tuple[tuple[int, ...], tuple[int, ...], tuple[int, ...]],
    region: frozenset[int],
) -> dict[str, Any]:
    free, inside, aside = orders
    groups = slots_of(turn, vocabulary)
    far = _far(vocabulary, place)
    anchors = _anchors(turn, vocabulary)
    beside = [word for word in _words(turn, vocabulary) if word not in anchors]
    return {
        "prompt": case.prompt,
        "form": form_of(turn),
        "category": case.category,
        "placing": PLACINGS[2 * (len(anchors) > 1) + bool(beside)],
        "beside": list(dict.fromkeys(map(vocabulary.lemma, beside))),
        "region": len(region),
        "shared": {str(steps): len(region.intersection(free[:steps])) for steps in STEPS},
        "wanted_free": [first_of(group, free) for group in groups],
        "wanted_inside": [first_of(group, inside) for group in groups],
        "wanted_from_anchors": [first_of(group, aside) for group in groups],
        "nearest": float(far.min()),
        "nearest_of_region": float(far[sorted(region)].min()) if region else None,
        "farthest_of_region": float(far[sorted(region)].max()) if region else None,
        "middle": float(np.median(far)),
    }


def _far(vocabulary: Vocabulary, place: Point) -> np.ndarray:
    """The distance of each word from a place."""
    points = np.array(vocabulary.points, float)
    here = np.array(place, float)
    return np.asarray(distance(points[:, :3], points[:, 3], here[:3], here[3]))


def _wanted(rows: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """Where the first word that would ground a slot stands, in the order of the free walk and inside the region."""
    free = [step for row in rows for step in row["wanted_free"]]
    inside = [step for row in rows for step in row["wanted_inside"]]
    return {
        "slots": len(free),
        "in_region": mean(step is not None for step in inside),
        "free": _ranks(free),
        "inside": _ranks(inside),
        "later_inside": mean(
            here is None or (there is not None and here > there)
            for here, there in zip(inside, free, strict=True)
        ),
    }


def _ranks(steps: Sequence[int | None]) -> dict[str, Any]:
    met = sorted(step for step in steps if step is not None)
    return {
        "median": median(met) if met else None,
        "last": met[-1] if met else None,
        "within": {str(most): sum(step <= most for step in met) / len(steps) for most in STEPS}
        if steps
        else {},
    }


def _distances(rows: Sequence[dict[str, Any]]) -> dict[str, float | None]:
    """Medians over the prompts, in the unit of curvature -1."""
    found: dict[str, float | None] = {}
    for name in ("nearest", "nearest_of_region", "farthest_of_region", "middle"):
        values = [row[name] for row in rows if row[name] is not None]
        found[name] = median(values) if values else None
    found["holds_nearest"] = mean(row["nearest_of_region"] == row["nearest"] for row in rows)
    return found


def _grouped(rows: Sequence[dict[str, Any]], key: str) -> dict[str, dict[str, Any]]:
    """By group, in their own order or the largest first: whether the walk's first words meet region and wanted."""
    groups: dict[str, list[dict[str, Any]]] = {}
    for row in rows:
        groups.setdefault(row[key], []).append(row)
    return {
        name: {
            "n": len(members),
            "shared": mean(row["shared"][str(FEW)] for row in members),
            "none": level([not row["shared"][str(FEW)] for row in members]),
            "in_region": mean(step is not None for row in members for step in row["wanted_inside"]),
            **{
                f"within_{name}": mean(
                    step is not None and step <= FEW for row in members for step in row[f"wanted_{name}"]
                )
                for name in ("free", "inside", "from_anchors")
            },
        }
        for name, members in sorted(groups.items(), key=lambda item: _place(key, item[0], len(item[1])))
    }


def _place(key: str, name: str, size: int) -> tuple[int, str]:
    return (PLACINGS.index(name), name) if key == "placing" else (-size, name)


def _beside(rows: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    found: dict[str, list[bool]] = {}
    for row in rows:
        for word in row["beside"]:
            found.setdefault(word, []).append(not row["shared"][str(FEW)])
    ranked = sorted(found.items(), key=lambda item: (-sum(item[1]), len(item[1]), item[0]))
    return [
        {"word": word, "prompts": len(strange), "strangers": sum(strange)}
        for word, strange in ranked[:MOST_WORDS]
        if any(strange)
    ]
