"""The curve of ratification, by hand and on the development cases."""

from __future__ import annotations

import json
from typing import Any

import pytest
from rich.console import Console

from cognition.packs.vocabulary import Vocabulary
from experiments.metrics.cases import load_suite
from experiments.metrics.lexicon import Lexicon
from experiments.ratify_roc import ANCHORS, Scores, _curve, ratify_roc, show

pytestmark = pytest.mark.cognition


@pytest.fixture(scope="module")
def report(shipped: Vocabulary) -> dict[str, Any]:
    return ratify_roc(load_suite("dev", Lexicon(shipped)), shipped)


def test_a_curve_by_hand() -> None:
    curve = _curve([Scores(right=10, wrong=(20, 5)), Scores(right=30, wrong=(40, 30))])
    assert curve["area"]["mean"] == pytest.approx((0.5 + 0.75) / 2)
    assert curve["demotes_no_right_one"] == {"threshold": 30, "right_demoted": 0.0, "wrong_demoted": 0.25}
    assert curve["best"]["wrong_demoted"] - curve["best"]["right_demoted"] == pytest.approx(0.25)
    assert curve["curve"][0] == {"threshold": 50, "right_demoted": 0.0, "wrong_demoted": 0.0}


def test_a_curve_that_separates_is_seen() -> None:
    curve = _curve([Scores(right=1, wrong=(9, 8)), Scores(right=2, wrong=(7,))])
    assert curve["area"]["mean"] == 1.0
    assert curve["demotes_no_right_one"]["wrong_demoted"] == 1.0


def test_the_threshold_in_force_demotes_no_right_case(report: dict[str, Any]) -> None:
    assert report["prompts"] > 100
    curve = report["anchors"]["cue senses"]
    assert curve["in_force"]["threshold"] == report["threshold"]
    assert curve["in_force"]["right_demoted"] == 0


def test_the_field_does_not_separate_intents_well_enough_for_a_gate(report: dict[str, Any]) -> None:
    """Should this fail, the decision that ratification is a record has to be looked at again."""
    for name in ANCHORS:
        assert report["anchors"][name]["demotes_no_right_one"]["wrong_demoted"] < 0.1
        assert report["anchors"][name]["area"]["mean"] < 0.7


def test_the_report_is_json_and_can_be_read(report: dict[str, Any]) -> None:
    json.dumps(report, allow_nan=False)
    console = Console(width=120, record=True)
    show(report, console)
    assert "swapped demoted" in console.export_text()


def test_no_case_no_curve(shipped: Vocabulary) -> None:
    assert _curve([])["area"]["mean"] is None
