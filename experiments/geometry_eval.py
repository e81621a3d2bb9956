"""`core eval geometry`: whether words that belong together are near one another, beside what chance would give."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import lcm
from typing import Any

import numpy as np
from numpy.typing import NDArray
from rich import box
from rich.console import Console
from rich.table import Table

from cga.backend import Point
from cognition.packs.build import NEIGHBOURS, fit_geometry
from cognition.packs.vocabulary import Vocabulary
from cognition.runtime import Runtime
from experiments.closure.direction import CHANCE, direction_accuracy, read_outs
from experiments.harness import percent, run_record

K = 8
PERMUTATIONS = 1000
MOST_LOOKED_AT = 50_000_000
"""Pairs of neighbours looked at over all permutations: a large vocabulary gets fewer of them."""
FEWEST_PERMUTATIONS = 99
SEED = 0
MASK_BITS = 64
TAXONOMIC = "taxonomic"

Flags = NDArray[np.bool_]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Mates:
    """Which words belong together: those that share a domain, and those that a positive statement joins.

    Attributes:
        domains: ``(words, blocks)`` bit masks of each word's domains, 64 to a block.
        related: ``i * words + j`` for each ordered pair that is joined, ascending.
        counts: ``(words,)`` how many others belong to each word, by domain or relation.
        domain_counts: the same by domain alone.
    """

    domains: NDArray[np.uint64]
    related: NDArray[np.int64]
    counts: NDArray[np.int64]
    domain_counts: NDArray[np.int64]

    def share_domain(self, words: NDArray[np.int64], others: NDArray[np.int64]) -> Flags:
        """Whether each pair shares a domain."""
        return np.any(self.domains[words] & self.domains[others], axis=-1)

    def are_related(self, words: NDArray[np.int64], others: NDArray[np.int64]) -> Flags:
        """Whether each pair is joined by a positive statement."""
        wanted = words * len(self.domains) + others
        if not len(self.related):
            return np.zeros(wanted.shape, bool)
        places = np.minimum(np.searchsorted(self.related, wanted), len(self.related) - 1)
        return self.related[places] == wanted


def evaluate_geometry(
    vocabulary: Vocabulary,
    *,
    k: int = K,
    permutations: int = PERMUTATIONS,
    refit: bool = False,
    seed: int = 0,
) -> dict[str, Any]:
    """Measures the neighbourhoods of all words; a word's own place among them is not counted.

    Args:
        vocabulary: an opened pack.
        k: neighbours of a word, itself aside.
        permutations: of the words over the points, for the p-values; a large vocabulary gets fewer.
        refit: fit the pack anew, as it was built, to count the neighbourhoods that rounding changes.
        seed: of that fit.

    Returns:
        The report, ready for JSON: shares, the exact shares that random neighbours would have, p-values. ``mates`` is
        the mean over the words with m > 0 mates (by domain or relation) of the share of mates among their min(k, m)
        nearest.

    Raises:
        PackError: ``refit`` of a pack whose rows no longer give a geometry.
    """
    size = len(vocabulary)
    found = vocabulary.backend.neighbourhoods(vocabulary.handle, range(size), k + 1)
    width = min(k, size - 1)
    near = np.array([[j for j in row if j != i][:width] for i, row in enumerate(found)], np.int64)
    near = near.reshape(size, width)
    mates = mates_of(vocabulary)
    words = np.arange(size)
    together = mates.are_related(words[:, None], near)
    permutations = max(
        min(permutations, FEWEST_PERMUTATIONS), min(permutations, MOST_LOOKED_AT // max(near.size, 1))
    )
    return {
        "run": run_record(Runtime(vocabulary)),
        "words": size,
        "k": k,
        "permutations": permutations,
        "own_nearest": sum(row[0] == i for i, row in enumerate(found)) / size,
        **_against_chance(near, mates, k, permutations),
        "related_pairs": len(mates.related),
        "related_within_k": int(together.sum()) / len(mates.related) if len(mates.related) else None,
        "direction": _direction(vocabulary),
        "rounding": _refit(vocabulary, seed) if refit else None,
    }


def mates_of(vocabulary: Vocabulary) -> Mates:
    """Lays out which words of a vocabulary belong together, without a table of all pairs."""
    size = len(vocabulary)
    numbers: dict[str, int] = {}
    combinations: dict[tuple[str, ...], list[int]] = {}
    for i, sense in enumerate(vocabulary.senses):
        combinations.setdefault(tuple(sorted(sense.domains)), []).append(i)
        for name in sense.domains:
            numbers.setdefault(name, len(numbers))
    domains = np.zeros((size, 1 + len(numbers) // MASK_BITS), np.uint64)
    for names, members in combinations.items():
        for name in names:
            block, bit = divmod(numbers[name], MASK_BITS)
            domains[members, block] |= np.uint64(1 << bit)
    by_domain = np.zeros(size, np.int64)
    for members in combinations.values():
        by_domain[members] = np.count_nonzero(np.any(domains & domains[members[0]], axis=1)) - 1
    ends = {
        pair
        for said in vocabulary.statements
        if said.positive
        for pair in ((said.subject, said.object), (said.object, said.subject))
    }
    pairs = np.array(sorted(ends), np.int64).reshape(-1, 2)
    mates = Mates(
        domains=domains, related=pairs[:, 0] * size + pairs[:, 1], counts=by_domain, domain_counts=by_domain
    )
    beyond = pairs[~mates.share_domain(pairs[:, 0], pairs[:, 1]), 0]
    return Mates(
        domains=domains,
        related=mates.related,
        counts=by_domain + np.bincount(beyond, minlength=size),
        domain_counts=by_domain,
    )


def _against_chance(near: NDArray[np.int64], mates: Mates, k: int, permutations: int) -> dict[str, Any]:
    """Shares of neighbours that belong together, their expectation for random neighbours, and p-values.

    What is compared are whole numbers throughout. The null puts the words on the points in a random order; the p-value
    is that of Phipson and Smyth, (1 + as good or better) / (1 + permutations).
    """
    size, width = near.shape
    slots = np.minimum(mates.counts, width)
    having = int(np.count_nonzero(mates.counts))
    unit = lcm(*range(1, k + 1))

    def measure(words: NDArray[np.int64]) -> tuple[int, int, int]:
        first, others = words[:, None], words[near]
        domain = mates.share_domain(first, others)
        either = domain | mates.are_related(first, others)
        wanted = slots[words]
        hits = (either & (np.arange(width) < wanted[:, None])).sum(axis=1)
        return int(domain.sum()), int(either.sum()), int(np.sum(hits * unit // np.maximum(wanted, 1)))

    observed = measure(np.arange(size))
    p_values = _p_values(measure, observed, size, permutations)
    others = size - 1
    everywhere = near.size
    wholes = (everywhere, everywhere, having * unit)
    expected = (
        mates.domain_counts.sum() / size,
        mates.counts.sum() / size,
        mates.counts.sum() / max(having, 1),
    )
    return {
        key: {
            "share": count / whole if whole else None,
            "chance": float(mean / others) if others and whole else None,
            "p": p,
        }
        for key, count, whole, mean, p in zip(
            ("common_domain", "common_domain_or_relation", "mates"),
            observed,
            wholes,
            expected,
            p_values,
            strict=True,
        )
    } | {"words_with_mates": having}


def _p_values(
    measure: Callable[[NDArray[np.int64]], tuple[int, ...]],
    observed: Sequence[int],
    size: int,
    permutations: int,
) -> list[float]:
    draw = np.random.default_rng(SEED)
    as_good = np.zeros(len(observed), int)
    for _ in range(permutations):
        as_good += np.array(measure(draw.permutation(size))) >= np.array(observed)
    return [(1 + int(count)) / (1 + permutations) for count in as_good]


def _direction(vocabulary: Vocabulary) -> dict[str, Any]:
    """Whether breadth, or nearness to the middle, says which end of a taxonomic statement is the more general one."""
    kinds = {name for name, kind in vocabulary.relation_types.items() if kind.kind == TAXONOMIC}
    pairs = [
        (said.subject, said.object)
        for said in vocabulary.statements
        if said.positive and said.relation in kinds
    ]
    return {
        "pairs": len(pairs),
        "chance": CHANCE,
        **{
            name: direction_accuracy(values, np.array(pairs, np.int64).reshape(-1, 2))
            for name, values in read_outs(vocabulary.points).items()
        },
    }


def _refit(vocabulary: Vocabulary, seed: int) -> dict[str, Any]:
    """What rounding changes: the pack's fit again, whose points before rounding no pack keeps.

    Only where all points come out the same is it known of the pack itself; a pack that grew has points from elsewhere.
    """
    pack = vocabulary.pack
    fitted = fit_geometry(pack.senses, pack.relations, pack.relation_types, seed=seed)
    same = sum(Point(*ours) == again for ours, again in zip(vocabulary.points, fitted.points, strict=True))
    return {
        "k": NEIGHBOURS,
        "changed": fitted.report.changed_neighbourhoods,
        "checked": fitted.report.checked,
        "same_points": same,
    }


def show(report: dict[str, Any], console: Console) -> None:
    """Prints the report for people."""
    run = report["run"]
    pack = run["pack"]
    console.print(
        f"geometry of {pack['id']} {pack['version']}: {report['words']} words, {report['k']} neighbours each, "
        f"backend {run['backend']}"
    )
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, padding=(0, 2, 0, 0))
    for heading in ("", "measured, %", "chance, %", "p"):
        table.add_column(heading, justify="right" if heading else "left")
    for label, key in (
        ("neighbours with a common domain", "common_domain"),
        ("neighbours with a common domain or a relation", "common_domain_or_relation"),
        (f"mates among the min({report['k']}, mates) nearest", "mates"),
    ):
        measured = report[key]
        table.add_row(label, percent(measured["share"]), percent(measured["chance"]), f"{measured['p']:.3g}")
    table.add_row("words that are their own nearest", percent(report["own_nearest"]))
    related = f"related words among the {report['k']} nearest ({report['related_pairs']} pairs)"
    table.add_row(related, percent(report["related_within_k"]))
    direction = report["direction"]
    for label, name in (("broader", "breadth"), ("nearer to the middle", "middle")):
        label = f"general words are {label} ({direction['pairs']} pairs)"
        table.add_row(label, percent(direction[name]), percent(direction["chance"]))
    console.print(table)
    console.print(f"p from {report['permutations']} permutations of the words over the points, seed {SEED}")
    rounding = report["rounding"]
    if rounding is not None:
        console.print(
            f"refitted: rounding changed {rounding['changed']} of {rounding['checked']} sets of the {rounding['k']} "
            f"nearest (a word among its own); {rounding['same_points']} points are the pack's"
        )
