"""The evaluation as a whole: every arm on the same cases, the same hashes however it is run."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from cga.backend import BackendName, open_backend
from cognition.config import RuntimeConfig
from cognition.packs.load import load_pack
from cognition.packs.vocabulary import Vocabulary
from cognition.runtime import Runtime
from experiments.cognition_eval.run import ARMS, answer_of, evaluate
from experiments.harness import to_json
from experiments.metrics.cases import load_suite
from experiments.metrics.lexicon import Lexicon
from tests.experiments.cases import BREAD_IS, FLOUR, case_row

pytestmark = pytest.mark.cognition

SYSTEM = ("off", "on", "null_vocab", "null_domain")
NO_WALK = ("echo", "dump", "gloss")


def public(vocabulary: Vocabulary, **more: Any) -> dict[str, Any]:
    return evaluate(load_suite("public", Lexicon(vocabulary)), vocabulary, **more)


def hashes(report: dict[str, Any]) -> dict[str, list[str]]:
    return {arm: [case["trace_hash"] for case in found["cases"]] for arm, found in report["arms"].items()}


@pytest.fixture(scope="module")
def report(shipped: Vocabulary) -> dict[str, Any]:
    return public(shipped)


def test_every_arm_answers_every_case(report: dict[str, Any]) -> None:
    assert tuple(report["arms"]) == ARMS
    for arm in ARMS:
        figures = report["arms"][arm]
        assert figures["n"] == len(figures["cases"]) == 13
        assert figures["answered"] + sum(figures["refusals"].values()) == 13


def test_the_code_under_test_ran(report: dict[str, Any]) -> None:
    arms = report["arms"]
    assert arms["off"]["regions_built"] == arms["off"]["constraints_engaged"] == 0
    assert arms["off"]["turns_walked"] == 13
    for arm in SYSTEM[1:]:
        assert arms[arm]["regions_built"] == 13
        assert arms[arm]["constraints_engaged"] == 13
    for arm in NO_WALK:
        assert arms[arm]["turns_walked"] == arms[arm]["regions_built"] == 0
        assert "intent_accuracy" in arms[arm]["undefined"]


def test_null_regions_have_the_size_of_the_true_ones(report: dict[str, Any]) -> None:
    true = [len(case["region"]["allowed"]) for case in report["arms"]["on"]["cases"]]
    for arm in ("null_vocab", "null_domain"):
        assert [len(case["region"]["allowed"]) for case in report["arms"][arm]["cases"]] == true


def test_an_echo_scores_nothing_and_a_dump_is_imprecise(report: dict[str, Any]) -> None:
    arms = report["arms"]
    assert arms["echo"]["surface_groundedness"] == arms["echo"]["term_capture_rate"] == 0
    assert arms["dump"]["term_precision"] < arms["on"]["term_precision"]
    assert arms["dump"]["surface_groundedness"] < 1


def test_the_report_is_json_and_names_what_ran(report: dict[str, Any], shipped: Vocabulary) -> None:
    to_json(report)
    assert report["run"]["pack"]["sha256"] == shipped.pack.sha256
    assert report["run"]["config"]["subject_span"] == "head"
    assert set(report["differences"]) == {
        "on-off",
        "on-null_vocab",
        "on-null_domain",
        "on-gloss",
        "off-gloss",
    }


def test_the_same_hashes_twice_and_one_by_one(report: dict[str, Any], shipped: Vocabulary) -> None:
    assert hashes(public(shipped, arms=SYSTEM)) == {arm: hashes(report)[arm] for arm in SYSTEM}
    cases = load_suite("public", Lexicon(shipped)).cases
    for arm, constraint in (("off", False), ("on", True)):
        runtime = Runtime(shipped, RuntimeConfig(forward_graph_constraint=constraint))
        alone = [answer_of(runtime.ask(case.prompt)).trace_hash for case in cases]
        assert alone == hashes(report)[arm]


@pytest.mark.slow
def test_the_same_hashes_on_jax(report: dict[str, Any]) -> None:
    name: BackendName = "jax"
    on_jax = public(Vocabulary(load_pack(), open_backend(name)), arms=SYSTEM)
    assert hashes(on_jax) == {arm: hashes(report)[arm] for arm in SYSTEM}


def test_a_case_may_name_the_subject_of_the_baselines(
    bakery: Vocabulary, case_file: Callable[..., Path]
) -> None:
    suite = load_suite(case_file(case_row(id="read"), case_row(id="named", subject="toast")), Lexicon(bakery))
    said = evaluate(suite, bakery, arms=["gloss", "dump"])["arms"]
    assert [case["citations"] for case in said["gloss"]["cases"]] == [[BREAD_IS], ["gloss:toast.n.1"]]
    assert FLOUR in said["dump"]["cases"][0]["citations"]
    assert FLOUR not in said["dump"]["cases"][1]["citations"]


def test_an_expected_refusal_is_counted_apart(bakery: Vocabulary, case_file: Callable[..., Path]) -> None:
    rows = [
        case_row(id="empty", prompt="", intent="unknown", expect=[], refusal="empty_input"),
        case_row(id="foreign", prompt="What is a zeppelin?", expect=[], refusal="unknown_subject"),
        case_row(id="wrong", expect=[], refusal="no_evidence"),
    ]
    found = evaluate(load_suite(case_file(*rows), Lexicon(bakery)), bakery, arms=SYSTEM)["arms"]
    for arm in SYSTEM:
        assert found[arm]["refusal_accuracy"] == pytest.approx(2 / 3)
        assert "term_capture_rate" in found[arm]["undefined"]


def test_an_unknown_arm_is_refused(bakery: Vocabulary, case_file: Callable[..., Path]) -> None:
    suite = load_suite(case_file(case_row()), Lexicon(bakery))
    with pytest.raises(ValueError, match="arms: unknown 'oracle'; known: off, on"):
        evaluate(suite, bakery, arms=["off", "oracle"])
