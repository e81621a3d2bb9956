"""`core eval geometry`: whether words that belong together are near one another, beside what chance would give."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any

from rich import box
from rich.console import Console
from rich.table import Table

from cognition.packs.vocabulary import Vocabulary
from cognition.runtime import Runtime
from experiments.harness import percent, run_record

K = 8
PERMUTATIONS = 1000
SEED = 0

Related = list[frozenset[int]]


def evaluate_geometry(
    vocabulary: Vocabulary, *, k: int = K, permutations: int = PERMUTATIONS
) -> dict[str, Any]:
    """Measures the neighbourhoods of all words; a word's own place among them is not counted.

    Args:
        vocabulary: an opened pack.
        k: neighbours of a word, itself aside.
        permutations: of the words over the points, for the p-value.

    Returns:
        The report, ready for JSON: shares, the exact shares that random neighbours would have, p-values.
    """
    size = len(vocabulary)
    found = vocabulary.backend.neighbourhoods(vocabulary.handle, range(size), k + 1)
    near = [tuple(j for j in row if j != i)[:k] for i, row in enumerate(found)]
    domain = _domain_partners(vocabulary)
    relation = _relation_partners(vocabulary)
    either = [a | b for a, b in zip(domain, relation, strict=True)]
    partners = sum(map(len, relation))
    together = sum(len(relation[i].intersection(row)) for i, row in enumerate(near))
    return {
        "run": run_record(Runtime(vocabulary)),
        "words": size,
        "k": k,
        "permutations": permutations,
        "own_nearest": sum(row[0] == i for i, row in enumerate(found)) / size,
        "common_domain": _against_chance(near, domain, permutations),
        "common_domain_or_relation": _against_chance(near, either, permutations),
        "related_pairs": partners,
        "related_within_k": together / partners if partners else None,
    }


def _domain_partners(vocabulary: Vocabulary) -> Related:
    """For each word the others that share a domain with it."""
    members: dict[str, set[int]] = {}
    for i, sense in enumerate(vocabulary.senses):
        for name in sense.domains:
            members.setdefault(name, set()).add(i)
    return [
        frozenset().union(*(members[name] for name in sense.domains)) - {i}
        for i, sense in enumerate(vocabulary.senses)
    ]


def _relation_partners(vocabulary: Vocabulary) -> Related:
    """For each word those that a reviewed, positive statement joins to it."""
    return [
        frozenset(said.other(i) for said in vocabulary.statements_of(i) if said.positive)
        for i in range(len(vocabulary))
    ]


def _against_chance(near: Sequence[Sequence[int]], together: Related, permutations: int) -> dict[str, Any]:
    """Share of neighbours that belong together, its expectation for random neighbours, and the p-value.

    Counts are whole numbers throughout. The null puts the words on the points in a random order; the p-value is
    that of Phipson and Smyth, (1 + as good or better) / (1 + permutations).
    """
    size = len(near)
    pairs = [(i, j) for i, row in enumerate(near) for j in row]
    observed = sum(j in together[i] for i, j in pairs)
    expected = sum(len(partners) for partners in together) / (size * (size - 1)) if size > 1 else None
    draw = random.Random(SEED)
    words = list(range(size))
    as_good = 0
    for _ in range(permutations):
        draw.shuffle(words)
        as_good += sum(words[j] in together[words[i]] for i, j in pairs) >= observed
    return {
        "share": observed / len(pairs) if pairs else None,
        "chance": expected,
        "p": (1 + as_good) / (1 + permutations),
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
    ):
        measured = report[key]
        table.add_row(label, percent(measured["share"]), percent(measured["chance"]), f"{measured['p']:.3g}")
    table.add_row("words that are their own nearest", percent(report["own_nearest"]))
    related = f"related words among the {report['k']} nearest ({report['related_pairs']} pairs)"
    table.add_row(related, percent(report["related_within_k"]))
    console.print(table)
    console.print(f"p from {report['permutations']} permutations of the words over the points, seed {SEED}")
