"""Figures of an arm and differences of two, from scores made by hand."""

from __future__ import annotations

from dataclasses import replace

import pytest

from experiments.metrics.answer import Answer
from experiments.metrics.score import Score
from experiments.metrics.summary import difference, mean, summarise
from tests.experiments.cases import RIGHT, answer, case

pytestmark = pytest.mark.cognition

FULL = Score(
    grounded=True,
    faults=(),
    captured=(True, True),
    met_at=(12,),
    precision=1.0,
    words=4,
    covered=4,
    intent=True,
    refusal=None,
)
HALF = replace(
    FULL,
    grounded=False,
    captured=(True, False),
    met_at=(None,),
    precision=0.5,
    words=12,
    covered=8,
    intent=False,
)
REFUSED = replace(
    FULL, grounded=None, captured=(False, False), met_at=(None,), precision=None, words=0, covered=0
)


def test_a_mean_of_nothing_is_undefined() -> None:
    assert mean([]) is None
    assert mean([None, None]) is None
    assert mean([True, None, False]) == 0.5


def test_the_figures_of_an_arm() -> None:
    refusal = answer(("I don't know.", ()), refusal="region_exhausted", exhausted=True, regions_built=1)
    walked = replace(RIGHT, versor_condition=1e-5, regions_built=1, constrained=True)
    closed = replace(RIGHT, versor_condition=2e-16, walk=("bread",))
    cases = [case(id="a"), case(id="b", category="other"), case(id="c")]
    found = summarise(cases, [walked, closed, refusal], [FULL, HALF, REFUSED])
    assert found == {
        "n": 3,
        "answered": 2,
        "intent_accuracy": pytest.approx(2 / 3),
        "surface_groundedness": 0.5,
        "term_capture_rate": 0.5,
        "term_precision": 0.75,
        "provenance_coverage": 0.75,
        "versor_closure_rate": 0.5,
        "max_versor_condition": 1e-5,
        "turns_walked": 2,
        "walk_length": 1.5,
        "regions_built": 2,
        "constraints_engaged": 1,
        "exhaustions": 1,
        "refusals": {"region_exhausted": 1},
        "refusal_accuracy": None,
        "capture_by_supplier": {
            "gloss": pytest.approx(2 / 3),
            "relation": None,
            "walk": pytest.approx(1 / 3),
        },
        "walk_capture_within": {"8": 0.0, "16": pytest.approx(1 / 3), "32": pytest.approx(1 / 3)},
        "capture_by_category": {"definition": 0.5, "other": 0.5},
        "undefined": [],
    }


def test_an_arm_without_walk_or_intent_leaves_them_undefined() -> None:
    said = Answer(surface="x", sentences=(("x", ()),))
    found = summarise([case()], [said], [replace(FULL, intent=None, words=0, covered=0, precision=None)])
    undefined = ["intent_accuracy", "term_precision", "provenance_coverage", "versor_closure_rate"]
    assert found["undefined"] == undefined
    assert [found[name] for name in undefined] == [0.0] * 4
    assert (found["max_versor_condition"], found["walk_length"]) == (None, None)


def test_a_difference_pairs_the_cases_that_both_arms_define() -> None:
    found = difference([FULL, FULL, REFUSED], [HALF, REFUSED, HALF])
    assert found["term_capture_rate"]["n"] == 3
    assert found["term_capture_rate"]["difference"] == pytest.approx((0.5 + 1 - 0.5) / 3)
    assert found["surface_groundedness"] == {"n": 1, "difference": 1.0, "low": 1.0, "high": 1.0}


def test_no_pair_no_difference() -> None:
    found = difference([REFUSED], [FULL])["surface_groundedness"]
    assert found == {"n": 0, "difference": None, "low": None, "high": None}


def test_the_interval_covers_chance_and_excludes_it_where_it_should() -> None:
    level = difference([FULL, HALF] * 20, [HALF, FULL] * 20)["term_capture_rate"]
    assert level["low"] < level["difference"] == 0 < level["high"]
    ahead = difference([FULL] * 40, [HALF] * 36 + [FULL] * 4)["term_capture_rate"]
    assert 0 < ahead["low"] < ahead["difference"] < ahead["high"] <= 0.5
    assert ahead == difference([FULL] * 40, [HALF] * 36 + [FULL] * 4)["term_capture_rate"]
