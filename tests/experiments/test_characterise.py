"""What the characterisation measures: its laws on a dozen words, its figures against exact chance."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from math import sqrt

import pytest

from cga.backend import FitProblem, Point, fit_points
from cognition.config import RuntimeConfig
from cognition.packs.vocabulary import Vocabulary
from experiments.characterise import (
    engagement_by_form,
    exhaustion,
    held_out,
    lift,
    losses,
    overlap,
    top_k_sweep,
)
from experiments.characterise.ablation import (
    AS_BUILT,
    DEALT,
    NO_DOMAINS,
    NO_ENTROPY,
    NO_RELATIONS,
    NO_STRAY,
    NO_STRONG,
    fitted_without,
    geometries,
    with_points,
)
from experiments.characterise.arms import generated_suite, level, run_arm, suite_of
from experiments.characterise.exhaust import ODDS, PUBLISHED, published
from experiments.characterise.nearness import miss_chance
from experiments.harness import UsageError
from experiments.metrics.cases import Suite, load_suite
from experiments.metrics.lexicon import Lexicon
from tests.experiments.bakery_cases import TOP_KS, bakery_suite


@pytest.fixture(scope="module")
def suite(bakery: Vocabulary, tmp_path_factory: pytest.TempPathFactory) -> Suite:
    return bakery_suite(bakery, tmp_path_factory.mktemp("cases"))


def test_a_region_grows_with_top_k_and_the_whole_vocabulary_is_no_region(
    suite: Suite, bakery: Vocabulary
) -> None:
    report = top_k_sweep(suite, bakery, top_ks=TOP_KS)
    found = [row["region"] for row in report["rows"]]
    assert found == sorted(found)
    assert found[0] < found[-1] == len(bakery)
    whole = report["rows"][-1]
    assert whole["changed"]["mean"] == 0
    for name in (
        "answered",
        "grounded",
        "terms",
        "slots",
        "terms_within",
        "slots_within",
        "length",
        "refused",
    ):
        assert whole[name] == report["off"][name]
    assert all(gap["difference"] == 0 for gap in whole["minus_off"].values())
    alone = report["rows"][0]  # nothing but the anchors: a word of the prompt never grounds
    assert alone["slots"]["mean"] == 0
    assert alone["changed"]["mean"] > 0


def test_the_step_of_a_slot_is_that_of_the_walk(suite: Suite, bakery: Vocabulary) -> None:
    """Free from bread: bread, oven, which enables it. Its three nearest: bread, oven, toast."""
    free = run_arm(suite, bakery, RuntimeConfig())
    assert (free[0].form, free[0].slots, free[0].region) == ("definition", (2,), None)
    assert free[0].terms == (None,)  # flour or water is what the case expects, and oven ends the walk
    assert (free[2].answered, free[2].refusal, free[2].slots) == (False, "unknown_subject", ())
    inside = run_arm(suite, bakery, RuntimeConfig(forward_graph_constraint=True, top_k=3))
    assert (inside[0].region, inside[0].slots) == (3, (2,))
    drawn = run_arm(suite, bakery, RuntimeConfig(forward_graph_constraint=True, top_k=3), pool="vocabulary")
    assert [one.region for one in drawn] == [one.region for one in inside]


@pytest.mark.parametrize("top_ks", [(), (0,), (4, -1)])
def test_a_size_below_one_is_refused(top_ks: Sequence[int], suite: Suite, bakery: Vocabulary) -> None:
    with pytest.raises(UsageError, match="give sizes of at least 1"):
        top_k_sweep(suite, bakery, top_ks=top_ks)


def test_the_free_walk_is_followed_over_the_region_by_hand(suite: Suite, bakery: Vocabulary) -> None:
    """From bread the free walk goes bread, oven, flour, water, wheat, cake, toast, baker, ..."""
    report = overlap(suite, bakery, top_k=3)
    row = next(row for row in report["rows"] if row["prompt"] == "What is bread?")
    assert (row["placing"], row["beside"], row["region"]) == ("one anchor alone", [], 3)
    assert row["shared"] == {"8": 3, "16": 3, "32": 3, "64": 3}
    assert (row["wanted_free"], row["wanted_inside"], row["wanted_from_anchors"]) == ([2], [2], [2])
    assert row["nearest"] == row["nearest_of_region"] == 0.0
    assert row["nearest"] < row["farthest_of_region"] < row["middle"]
    several = next(row for row in report["rows"] if row["prompt"].startswith("Does"))
    assert several["placing"] == "several anchors alone"
    assert report["prompts"] == len(report["rows"]) == len(suite.cases) - 1
    assert sum(group["n"] for group in report["forms"].values()) == report["prompts"]


def test_a_word_beside_the_anchor_is_named(bakery: Vocabulary) -> None:
    asked = suite_of(["What is bread?", "Knead, and say what bread is", "What is knead?"], "asked")
    report = overlap(asked, bakery, top_k=2)
    rows = {row["prompt"]: row for row in report["rows"]}
    assert rows["What is bread?"]["beside"] == []
    beside = [row for row in rows.values() if row["beside"]]
    for row in beside:
        assert row["placing"].endswith("and other words")
    for one in report["beside"]:
        assert 0 < one["strangers"] <= one["prompts"]


def test_a_suite_without_a_region_is_refused(bakery: Vocabulary) -> None:
    with pytest.raises(UsageError, match="asked: no prompt has a region"):
        overlap(suite_of(["What is a wombat?"], "asked"), bakery)


def test_random_regions_share_what_chance_gives(shipped: Vocabulary) -> None:
    asked = suite_of([f"What is {sense.lemma}?" for sense in shipped.senses[::4]], "senses")
    report = overlap(asked, shipped)
    for steps in ("8", "64"):
        drawn = report["random"][steps]
        spread = sqrt(drawn["chance"] / report["prompts"])  # a hypergeometric varies less than its mean
        assert abs(drawn["shared"] - drawn["chance"]) < 4 * spread
        assert report["region"][steps]["shared"] > drawn["shared"] + 4 * spread


@pytest.mark.parametrize(("region", "pool"), [(0, 3), (2, 0), (1, 1), (3, 4), (5, 3), (7, 7)])
def test_the_chance_to_miss_is_counted(region: int, pool: int) -> None:
    words = range(7)
    pools = list(combinations(words, pool))
    missed = sum(not set(one) & set(range(region)) for one in pools)
    assert miss_chance(7, region, pool) == pytest.approx(missed / len(pools))


def test_the_published_exhaustion_takes_a_pool_of_next_to_nothing() -> None:
    most = published()["most_pool"]
    chances = [miss_chance(PUBLISHED["words"], PUBLISHED["top_k"], pool) for pool in (most, most + 1)]
    assert chances[0] ** PUBLISHED["turns"] >= ODDS > chances[1] ** PUBLISHED["turns"]


def test_both_contracts_constrain_the_prompts_they_should(shipped: Vocabulary) -> None:
    spans = engagement_by_form(load_suite("public", Lexicon(shipped)), shipped)["spans"]
    assert spans["head"]["interval"]["mean"] == 1.0
    assert round(13 * spans["phrase"]["constrained"]) == 6
    assert (spans["phrase"]["unconstrained"], len(spans["phrase"]["unconstrained_prompts"])) == (7, 7)
    assert spans["phrase"]["forms"]["correction"]["constrained"] == 1.0
    assert spans["phrase"]["forms"]["procedure"]["constrained"] == 0.0
    for span in spans.values():
        for groups in (span["forms"], span["categories"]):
            assert sum(group["n"] for group in groups.values()) == 13


def test_a_refusal_has_no_region_and_is_counted_apart(suite: Suite, bakery: Vocabulary) -> None:
    head = engagement_by_form(suite, bakery)["spans"]["head"]
    assert head["refused"] == {"unknown_subject": 1}
    assert (head["constrained"], head["unconstrained"]) == (0.8, 0)
    assert head["categories"]["refusal"]["region"] is None


def test_filters_exhaust_and_regions_do_not(suite: Suite, bakery: Vocabulary) -> None:
    report = exhaustion(suite, bakery, top_k=3, loops=({"inner_loop": "margin", "inner_loop_margin": 10**6},))
    assert (report["regions"]["n"], report["regions"]["emptied"]) == (4, 0)
    by_salience = {row["salience"]: row["on"] for row in report["salience"]}
    assert by_salience[50]["exhausted"]["mean"] == 0  # every word of the bakery has salience 50
    assert by_salience[75]["exhausted"]["mean"] == 1.0
    assert by_salience[75]["before"] == by_salience[75]["walks"] == 4
    assert report["inner_loop"][0]["on"]["exhausted"]["mean"] > 0
    assert report["inner_loop"][0]["on"]["before"] == 0  # words were there, and rejected


def test_lift_compares_like_with_like(suite: Suite, bakery: Vocabulary) -> None:
    report = lift(suite, bakery, config=RuntimeConfig(top_k=len(bakery)))
    assert report["what"] == "terms"
    for name in ("answered", "terms", "slots"):  # every region is the whole vocabulary
        assert report["differences"]["on-off"][name]["difference"] == 0
        assert report["differences"]["on-null_vocab"][name]["difference"] == 0
    assert list(report["categories"]) == ["definition", "verification"]
    assert all(group["n"] == 1 for group in report["categories"].values())


def test_generated_prompts_are_a_suite_of_the_pack(bakery: Vocabulary) -> None:
    made = generated_suite(bakery, 30)
    assert len({case.prompt for case in made.cases}) == len(made.cases) == 30
    assert made == generated_suite(bakery, 30)
    assert {"definition", "comparison"} <= {case.category for case in made.cases}
    assert lift(made, bakery)["what"] == "slots"  # nothing is expected of them but what the turn looks for


def test_levels_are_shares_of_what_is_defined() -> None:
    found = level([True, None, False, True])
    assert (found["n"], found["mean"]) == (3, pytest.approx(2 / 3))
    assert 0 <= found["low"] <= found["mean"] <= found["high"] <= 1
    assert level([None]) == {"n": 0, "mean": None, "low": None, "high": None}


def test_each_ablation_leaves_out_its_part(suite: Suite, bakery: Vocabulary) -> None:
    asked: dict[str, list[tuple[int, int, float]]] = {}

    def fit(problem: FitProblem, without: str) -> Sequence[Point]:
        name = without or ("relations" if max(weight for *_, weight in problem.pairs) < 1 else "domains")
        asked[name] = list(problem.pairs)
        return bakery.points

    report = losses(suite, bakery, top_k=3, fit=fit)
    names = [row["name"] for row in report["rows"]]
    assert names == [AS_BUILT, NO_RELATIONS, NO_DOMAINS, NO_ENTROPY, NO_STRONG, NO_STRAY, DEALT]
    positive = {tuple(sorted((s.subject, s.object))) for s in bakery.statements if s.positive}
    assert {(i, j) for i, j, _ in asked["domains"]} == positive
    assert all(weight < 1 for *_, weight in asked["relations"])  # one domain joins all twelve
    assert len(asked["relations"]) == len(bakery) * (len(bakery) - 1) / 2
    assert asked[NO_ENTROPY] == asked[NO_STRONG] == asked[NO_STRAY]
    built, *others = report["rows"]
    for row in others[:-1]:  # these were given the pack's own points
        assert row == built | {"name": row["name"]}
    dealt = geometries(bakery, fit)[DEALT]
    assert sorted(dealt) == sorted(bakery.points)
    assert list(dealt) != list(bakery.points)


def test_points_dealt_at_random_are_the_packs_points(bakery: Vocabulary) -> None:
    moved = with_points(bakery, list(reversed(bakery.points)))
    assert list(moved.points) == list(reversed(bakery.points))
    assert [sense.id for sense in moved.senses] == [sense.id for sense in bakery.senses]


@pytest.mark.slow
def test_a_fit_that_lacks_nothing_is_the_fit_of_a_pack() -> None:
    pairs = [(i, j, 0.1) for i, j in combinations(range(12), 2) if i // 4 == j // 4]
    problem = FitProblem(size=14, pairs=[*pairs, (0, 5, 1.0), (12, 13, 1.0)], k=4)
    whole = tuple(fitted_without(problem, "", steps=60))
    assert whole == fit_points(problem, steps=60).points
    for name in (NO_ENTROPY, NO_STRONG, NO_STRAY):
        assert tuple(fitted_without(problem, name, steps=60)) != whole


@pytest.mark.slow
def test_held_out_relations_are_counted_by_size(bakery: Vocabulary) -> None:
    report = held_out(bakery, folds=2, top_ks=TOP_KS, refit=lambda vocabulary, _: vocabulary)
    for part in report["sizes"].values():
        said = [row["said"]["mean"] for row in part["rows"]]
        assert said == sorted(said)
        assert said[0] == 0.0  # the subject alone says nothing
        assert said[-1] == part["off"]["said"]["mean"]
        assert part["rows"][-1]["minus_off"]["said"]["difference"] == 0
        assert all(0 <= row["in_domain"] <= 1 for row in part["rows"])
    assert report["constraint"]["folds"] == 2
