"""ADR-0144, acceptance phases 1 to 3, through the pipeline."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from cognition import CognitiveTurnPipeline, CognitiveTurnResult, PropositionGraph, Runtime, RuntimeConfig
from cognition.articulation import plan_articulation
from cognition.graph import IntentTag
from recognition import DerivedRecognizer, derive_recognizer, read_examples, recognize
from recognition.connector import epistemic_node_to_graph_node

pytestmark = [pytest.mark.cognition, pytest.mark.recognition]

CASES = [
    json.loads(line)
    for line in (Path(__file__).parent.parent / "recognition" / "data" / "published_recognition.jsonl")
    .read_text(encoding="utf-8")
    .splitlines()
]
PHASE_2 = [case for case in CASES if case["set"] == "phase2"]
ADMITTED = [case["text"] for case in PHASE_2 if case["role"] != "refuse"]
REFUSED = [case for case in PHASE_2 if case["role"] == "refuse"]


def taught(*, but: str | None = None) -> DerivedRecognizer:
    """The recogniser of the eight sentences; features named ``but`` are taught under another name."""
    rows = []
    for case in PHASE_2:
        if case["role"] == "teach":
            features = {(f"{n}_x" if n == but else n): value for n, value in case["features"].items()}
            rows.append(json.dumps({"text": case["text"], "features": features}))
    return derive_recognizer(read_examples("\n".join(rows), "published"))


@pytest.fixture(scope="module")
def recognizer() -> DerivedRecognizer:
    return taught()


def pipeline(recognizer: DerivedRecognizer | None, **config: Any) -> CognitiveTurnPipeline:
    return CognitiveTurnPipeline(Runtime.open(config=RuntimeConfig(**config)), recognizer=recognizer)


@pytest.fixture(scope="module")
def attached(recognizer: DerivedRecognizer) -> CognitiveTurnPipeline:
    return pipeline(recognizer)


@pytest.mark.parametrize("text", ADMITTED)
def test_what_is_admitted_has_a_carrier(
    attached: CognitiveTurnPipeline, recognizer: DerivedRecognizer, text: str
) -> None:
    result = attached.run(text)
    assert result.epistemic_graph is not None
    (node,) = result.epistemic_graph.nodes
    assert node.epistemic_state == "evidenced"
    assert node.node_id == f"{recognizer.teaching_set_id}:0"
    assert node.recognition_outcome.proposition == recognize(recognizer, text).proposition
    assert node.recognition_outcome.provenance.teaching_set_id == recognizer.teaching_set_id
    again = attached.run(text).epistemic_graph
    assert again is not None
    assert again.to_json() == result.epistemic_graph.to_json()


@pytest.mark.parametrize("case", REFUSED, ids=lambda case: case["text"])
def test_what_is_refused_has_no_carrier_and_a_typed_reason(
    attached: CognitiveTurnPipeline, case: dict[str, Any]
) -> None:
    result = attached.run(case["text"])
    assert result.epistemic_graph is None
    assert result.recognition is not None
    assert result.recognition.refusal_reason is not None
    assert result.recognition.refusal_reason.layer == case["layer"]
    own = result.refusal.code if result.refusal is not None else None
    assert result.refusal_reason == (own or f"recognition:{result.recognition.refusal_reason.code}")
    assert attached.run(case["text"]).trace_hash == result.trace_hash


@pytest.mark.parametrize(
    "text", [*ADMITTED, *(case["text"] for case in REFUSED), "What is light?", "", "\ud800"]
)
def test_attaching_a_recogniser_changes_no_surface_and_no_hash(
    attached: CognitiveTurnPipeline, text: str
) -> None:
    bare, read = pipeline(None).run(text), attached.run(text)
    assert (read.surface, read.trace_hash, read.folded) == (bare.surface, bare.trace_hash, bare.folded)
    assert bare.recognition is None


SAID = {
    "John has 5 apples": "John has 5 apples.",
    "Mary hasn't 3 books": "Mary does not have 3 books.",
    "The school has not 100 students": "The school does not have 100 students.",
    "John will have 5 apples": "John will have 5 apples.",
    "Mary wants 3 books": "Mary wants 3 books.",
    "The school might need 100 students": "The school may need 100 students.",
    "A baker offered 24 loaves": "A baker offered 24 loaves.",
    "John doesn't have 5 apples": "John does not have 5 apples.",
    "A baker will offer 24 loaves": "A baker will offer 24 loaves.",
    "John has 1 apple": "John has 1 apple.",
}


@pytest.mark.parametrize(("text", "surface"), SAID.items())
def test_a_grounded_graph_says_what_was_recognised(
    recognizer: DerivedRecognizer, text: str, surface: str
) -> None:
    result = pipeline(recognizer, recognition_grounded_graph=True).run(text)
    assert (result.surface, result.refusal) == (surface, None)
    assert {evidence.id for evidence in result.citations} >= {
        "feature:agent",
        "feature:count",
        "feature:unit",
    }
    assert result.graph is not None
    assert plan_articulation(result.graph).node_ids == ("p0",)


def test_the_connector_gives_a_node_that_articulation_takes(attached: CognitiveTurnPipeline) -> None:
    graph = attached.run("John doesn't have 5 apples").epistemic_graph
    assert graph is not None
    node = epistemic_node_to_graph_node(graph.nodes[0], source_intent=IntentTag.RECALL)
    assert (node.subject, node.predicate, node.obj) == ("John", "does not have", "5 apples")
    assert (node.polarity, node.modality, node.tense) == ("negative", "actual", "present")
    plan_articulation(PropositionGraph().add_node(node))


def test_features_that_no_surface_carries_refuse_the_turn() -> None:
    result = pipeline(taught(but="unit"), recognition_grounded_graph=True).run("John has 5 apples")
    assert result.refusal is not None
    assert (result.refusal.code, "unit" in result.refusal.about) == ("not_articulated", True)
    assert result.epistemic_graph is not None


def test_a_batch_reads_each_text_as_alone(recognizer: DerivedRecognizer) -> None:
    for grounded in (False, True):
        run = pipeline(recognizer, recognition_grounded_graph=grounded)
        texts = [
            *ADMITTED,
            "What is light?",
            *(case["text"] for case in REFUSED),
            "",
            "John has 5 books of light",
        ]
        alone: list[CognitiveTurnResult] = [run.run(text) for text in texts]
        together = run.run_batch(texts)
        assert [r.trace_hash for r in together] == [r.trace_hash for r in alone]
        assert [r.surface for r in together] == [r.surface for r in alone]


def test_a_store_of_corrections_is_not_taken_in_silence(attached: CognitiveTurnPipeline) -> None:
    with pytest.raises(ValueError, match="teaching_store"):
        CognitiveTurnPipeline(attached.runtime, object())  # pyright: ignore[reportArgumentType]
