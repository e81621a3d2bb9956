"""Neighbourhoods against chance, on points where the answer is known."""

from __future__ import annotations

import random
from collections.abc import Sequence
from itertools import permutations

import numpy as np
import pytest

from cga.backend import FitReport, FittedGeometry, Point, open_backend
from cognition.packs.load import load_pack
from cognition.packs.schema import Sense
from cognition.packs.vocabulary import Vocabulary
from experiments import geometry_eval
from experiments.geometry_eval import evaluate_geometry, mates_of
from tests.cognition import small_pack

pytestmark = pytest.mark.algebra

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


def test_mates_are_asked_for_as_many_as_there_are() -> None:
    """By hand: on a line, k = 3. The two of domain a have one mate each, the nearest; c and d are apart."""
    found = evaluate_geometry(lined_up(list("aabbbbefghij"), "elk.n.1 requires lark.n.1"), k=3)
    # ant and bee 1/1; cow (mates dog, elk, fox; nearest bee or dog first) 2/3; dog 3 of cow, elk and bee or fox.
    assert found["words_with_mates"] == 7
    near = {"ant": 1, "bee": 1, "cow": 2 / 3, "dog": 2 / 3, "elk": 2 / 3, "fox": 2 / 3, "lark": 0}
    assert found["mates"]["share"] == pytest.approx(sum(near.values()) / 7)
    assert found["mates"]["chance"] == pytest.approx((1 + 1 + 3 + 3 + 4 + 3 + 1) / 7 / 11)


def test_chance_of_mates_is_the_mean_over_all_placements() -> None:
    """By brute force over every order of four words on the points; two neighbours each."""
    domains, nearest = "aaab", [(1, 2), (0, 2), (3, 1), (2, 1)]
    count = {"a": 2, "b": 0}
    shares = []
    for order in permutations(range(4)):
        of_word = [
            sum(domains[order[j]] == domains[order[i]] for j in nearest[i][: count[domains[order[i]]]]) / 2
            for i in range(4)
            if count[domains[order[i]]]
        ]
        shares.append(sum(of_word) / 3)
    words = [small_pack.word(NAMES[i], x, domains=[domains[i]]) for i, x in enumerate((0, 100, 300, 330))]
    found = evaluate_geometry(small_pack.vocabulary_of(words, ()), k=2, permutations=2000)["mates"]
    assert found["chance"] == pytest.approx(sum(shares) / len(shares))
    measured = found["share"]
    assert found["p"] == pytest.approx(sum(s >= measured - 1e-9 for s in shares) / len(shares), abs=0.04)


def test_domains_beyond_one_block_of_bits() -> None:
    """More than 64 domains, several a word: who shares one is who the sets say."""
    draw = random.Random(0)
    names = [f"d{i}" for i in range(150)]
    domains = [draw.sample(names, draw.randint(1, 8)) for _ in range(60)]
    words = [small_pack.word(f"w{i}", 50 * i, domains=found) for i, found in enumerate(domains)]
    said = [small_pack.said(f"w{i}.n.1 requires w{(7 * i + 1) % 60}.n.1") for i in range(0, 60, 7)]
    vocabulary = small_pack.vocabulary_of(words, said)
    mates = mates_of(vocabulary)
    of = [set(sense.domains) for sense in vocabulary.senses]
    joined = {frozenset((s.subject, s.object)) for s in vocabulary.statements}
    for i in range(60):
        shared = [j for j in range(60) if j != i and of[i] & of[j]]
        assert mates.domain_counts[i] == len(shared)
        others = {j for j in range(60) if j != i and (j in shared or frozenset((i, j)) in joined)}
        assert mates.counts[i] == len(others)
        every = np.arange(60)
        found = mates.share_domain(np.full(60, i), every) | mates.are_related(np.full(60, i), every)
        assert set(np.flatnonzero(found).tolist()) - {i} == others


def test_a_large_vocabulary_gets_fewer_permutations(monkeypatch: pytest.MonkeyPatch) -> None:
    vocabulary = lined_up(["a"] * 6 + ["b"] * 6)
    assert evaluate_geometry(vocabulary, k=2, permutations=500)["permutations"] == 500
    monkeypatch.setattr(geometry_eval, "MOST_LOOKED_AT", 12 * 2 * 200)
    assert evaluate_geometry(vocabulary, k=2, permutations=500)["permutations"] == 200
    monkeypatch.setattr(geometry_eval, "MOST_LOOKED_AT", 1)
    assert evaluate_geometry(vocabulary, k=2, permutations=500)["permutations"] == 99
    assert evaluate_geometry(vocabulary, k=2, permutations=10)["permutations"] == 10


def test_direction_of_taxonomy_by_breadth() -> None:
    words = [
        small_pack.word("ant", 0, at=(0, 0, 0, 900)),
        small_pack.word("bee", 0, at=(300, 0, 0, 90)),
        small_pack.word("cow", 0, at=(-300, 0, 0, 95)),
        small_pack.word("dog", 0, at=(-330, 0, 0, 96)),
    ]
    said = [
        small_pack.said(text)
        for text in (
            "bee.n.1 is_a ant.n.1",
            "dog.n.1 is_a cow.n.1",
            "dog.n.1 not is_a ant.n.1",
            "ant.n.1 requires bee.n.1",
        )
    ]
    found = evaluate_geometry(small_pack.vocabulary_of(words, said), k=2, permutations=10)["direction"]
    assert found == {"pairs": 2, "chance": 0.5, "breadth": 0.5, "middle": 1}


def test_refitting_reads_what_rounding_changed(monkeypatch: pytest.MonkeyPatch) -> None:
    """The fit gives the pack's points but one, and its report."""
    vocabulary = lined_up(["a"] * 6 + ["b"] * 6, "ant.n.1 requires bee.n.1")

    def fit(senses: Sequence[Sense], *rows: object, seed: int) -> FittedGeometry:
        assert len(senses) == 12
        report = FitReport(
            steps=1, seconds=0.0, first_loss=1.0, last_loss=1.0, radius=1.0, clamped=0, collisions=0,
            checked=12, changed_neighbourhoods=3, strong_share=1.0, related_share=1.0,
        )  # fmt: skip
        moved = (Point(1, 1, 1, 1), *vocabulary.points[1:])
        return FittedGeometry(points=moved, turn=(1.0,) * 16, scale=1.0, report=report)

    monkeypatch.setattr(geometry_eval, "fit_geometry", fit)
    found = evaluate_geometry(vocabulary, k=2, permutations=10, refit=True)["rounding"]
    assert found == {"k": 8, "changed": 3, "checked": 12, "same_points": 11}


@pytest.mark.slow
def test_the_shipped_pack_meets_the_aims() -> None:
    vocabulary = Vocabulary(load_pack(), open_backend("numpy"))
    found = evaluate_geometry(vocabulary, permutations=10, refit=True)
    assert found["mates"]["share"] >= 0.9 and found["related_within_k"] >= 0.8
    assert found["rounding"]["changed"] == 0


def test_a_mate_further_than_as_many_as_there_are_does_not_count() -> None:
    """Ant and cow are each other's only mate; the nearest of both is bee."""
    assert evaluate_geometry(lined_up(list("abacdefghijk")), k=3)["mates"]["share"] == 0
