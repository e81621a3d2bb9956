"""Neighbourhoods against chance, on points where the answer is known."""

from __future__ import annotations

from itertools import permutations

import pytest

from cognition.packs.vocabulary import Vocabulary
from experiments.geometry_eval import evaluate_geometry
from tests.cognition import small_pack

NAMES = ("ant", "bee", "cow", "dog", "elk", "fox", "gnu", "hen", "ibis", "jay", "kid", "lark")


def lined_up(domains: list[str], *relations: str) -> Vocabulary:
    """Words on a line, each with the domain of its place."""
    words = [
        small_pack.word(name, 50 * i, domains=[domain])
        for i, (name, domain) in enumerate(zip(NAMES, domains, strict=True))
    ]
    return small_pack.vocabulary_of(words, [small_pack.said(text) for text in relations])


def test_domains_that_lie_together_are_found() -> None:
    found = evaluate_geometry(lined_up(["a"] * 6 + ["b"] * 6), k=2)
    assert found["own_nearest"] == 1
    assert found["common_domain"]["share"] == pytest.approx(22 / 24)  # all but one neighbour at the border
    assert found["common_domain"]["chance"] == pytest.approx(5 / 11)
    assert found["common_domain"]["p"] < 0.01


def test_domains_that_alternate_are_not() -> None:
    found = evaluate_geometry(lined_up(["a", "b"] * 6), k=2)
    assert found["common_domain"]["share"] < 0.2
    assert found["common_domain"]["p"] > 0.9


def test_chance_is_the_mean_over_all_placements() -> None:
    """By brute force: four words, two domains, one neighbour each; every order of the words on the points."""
    domains = "aabb"
    nearest = [1, 0, 3, 2]
    shares = [sum(order[i] == order[j] for i, j in enumerate(nearest)) / 4 for order in permutations(domains)]
    words = [small_pack.word(NAMES[i], x, domains=[domains[i]]) for i, x in enumerate((0, 10, 1000, 1010))]
    found = evaluate_geometry(small_pack.vocabulary_of(words, ()), k=1, permutations=2000)["common_domain"]
    assert found["share"] == 1
    assert found["chance"] == pytest.approx(sum(shares) / len(shares))
    as_good = sum(share >= 1 for share in shares) / len(shares)
    assert found["p"] == pytest.approx(as_good, abs=0.04)


def test_relations_count_where_they_are_asserted() -> None:
    found = evaluate_geometry(
        lined_up(
            list("abcdefghijkl"),
            "ant.n.1 requires bee.n.1",
            "cow.n.1 requires lark.n.1",
            "dog.n.1 not requires elk.n.1",
        ),
        k=2,
    )
    assert found["related_pairs"] == 4
    assert found["related_within_k"] == 0.5
    assert found["common_domain"]["share"] == 0
    assert found["common_domain_or_relation"]["share"] == pytest.approx(2 / 24)


def test_no_relation_no_share() -> None:
    assert evaluate_geometry(lined_up(["a"] * 12), k=2, permutations=10)["related_within_k"] is None
