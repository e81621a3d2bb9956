"""The carrier's invariants, and the connector to the articulation graph."""

import dataclasses
import json

import pytest

from cognition.graph import IntentTag, PropositionGraph
from recognition import (
    EpistemicGraph,
    EpistemicNode,
    EpistemicTransition,
    Feature,
    FeatureBundle,
    FeatureEvidence,
    RecognitionOutcome,
    recognize,
)
from recognition.connector import epistemic_node_to_graph_node
from tests.recognition.helpers import family, published, quantity

pytestmark = pytest.mark.recognition


def node(text: str, turn: int = 0) -> EpistemicNode:
    return EpistemicNode.of(recognize(quantity(), text), turn)


VERIFIED = EpistemicTransition("evidenced", "verified", "verifier", "checked")


def test_states_follow_on_one_another() -> None:
    first = node("A baker has 24 loaves")
    second = first.with_transition(VERIFIED)
    assert (first.epistemic_state, second.epistemic_state) == ("evidenced", "verified")
    assert first.transitions == ()
    with pytest.raises(ValueError, match="transition 1 from 'evidenced', but the state is 'verified'"):
        second.with_transition(VERIFIED)
    with pytest.raises(ValueError, match="transition 0"):
        EpistemicNode(
            "x:0", first.recognition_outcome, (dataclasses.replace(VERIFIED, from_state="decoded"),)
        )
    with pytest.raises(dataclasses.FrozenInstanceError):
        first.node_id = "y"  # pyright: ignore[reportAttributeAccessIssue]


def test_node_ids_are_the_teaching_and_the_turn_and_unique() -> None:
    first = node("A baker has 24 loaves", 3)
    assert first.node_id == f"{quantity().teaching_set_id}:3"
    graph = EpistemicGraph((first, node("A baker has 24 loaves", 4)), quantity().teaching_set_id)
    assert graph.get(first.node_id) is first
    assert graph.get("x") is None
    with pytest.raises(ValueError, match="is taken"):
        EpistemicGraph((first, first), quantity().teaching_set_id)


def test_json_is_canonical() -> None:
    graph = EpistemicGraph((node("A café has 24 loaves").with_transition(VERIFIED),), "x")
    text = graph.to_json()
    assert "café" in text
    assert text == json.dumps(json.loads(text), ensure_ascii=False, separators=(",", ":"), sort_keys=True)
    assert json.loads(text) == graph.as_dict()
    assert graph.as_dict()["nodes"][0]["epistemic_state"] == "verified"


def test_an_outcome_is_a_bundle_or_a_refusal() -> None:
    outcome = node("A baker has 24 loaves").recognition_outcome
    with pytest.raises(ValueError, match="and not both"):
        dataclasses.replace(outcome, proposition=None)
    with pytest.raises(ValueError, match="expected 'evidenced'"):
        dataclasses.replace(outcome, state="verified")


@pytest.mark.parametrize(
    ("text", "subject", "predicate", "obj"),
    [
        ("A baker has 24 loaves", "baker", "have", "24 loaves"),
        ("Ann has 1 box", "Ann", "have", "1 box"),
        ("Ann has one red pen", "Ann", "have", "1 red pen"),
        ("Ann has 2 red pens", "Ann", "have", "2 red pens"),
        ("John doesn't have 5 apples", "John", "does not have", "5 apples"),
        ("They haven't 5 apples", "They", "do not have", "5 apples"),
        ("John had 5 apples", "John", "had", "5 apples"),
        ("John didn't have 5 apples", "John", "did not have", "5 apples"),
        ("John will have 5 apples", "John", "will have", "5 apples"),
        ("John won't have 5 apples", "John", "will not have", "5 apples"),
        ("John may have 5 apples", "John", "may have", "5 apples"),
        ("John might not have 5 knives", "John", "may not have", "5 knives"),
    ],
)
def test_a_node_for_articulation(text: str, subject: str, predicate: str, obj: str) -> None:
    made = epistemic_node_to_graph_node(node(text), source_intent=IntentTag.RECALL)
    assert (made.subject, made.predicate, made.obj) == (subject, predicate, obj)
    assert (made.node_id, made.source_intent) == (node(text).node_id, IntentTag.RECALL)
    assert PropositionGraph().add_node(made).root_ids == (made.node_id,)
    assert (
        epistemic_node_to_graph_node(node(text), source_intent=IntentTag.RECALL, node_id="n").node_id == "n"
    )


def test_the_kind_of_a_relation_is_said_by_the_relation() -> None:
    outcome = recognize(published("phase2"), "Mary may need 3 books")
    made = epistemic_node_to_graph_node(EpistemicNode.of(outcome, 0), source_intent=IntentTag.RECALL)
    assert (made.predicate, made.obj) == ("may need", "3 books")


def changed(outcome: RecognitionOutcome, name: str, value: object) -> EpistemicNode:
    assert outcome.proposition is not None
    features = [feature for feature in outcome.proposition if feature.name != name]
    if value is not None:
        features.append(Feature(name, value, FeatureEvidence(0, 1)))  # pyright: ignore[reportArgumentType]
    return EpistemicNode.of(dataclasses.replace(outcome, proposition=FeatureBundle(tuple(features))), 0)


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("agent", None, "feature 'agent' is missing"),
        ("unit", None, "feature 'unit' is missing"),
        ("colour", "red", "feature 'colour' is unknown"),
        ("polarity", "maybe", "polarity: value 'maybe'"),
        ("modality", "impossible", "modality: value 'impossible'"),
        ("count", "many", "count: value 'many'"),
        ("agent", 5, "agent: value 5"),
    ],
)
def test_what_it_cannot_carry_it_names(name: str, value: object, message: str) -> None:
    outcome = recognize(quantity(), "A baker has 24 loaves")
    with pytest.raises(ValueError, match=message):
        epistemic_node_to_graph_node(changed(outcome, name, value), source_intent=IntentTag.RECALL)


def test_refused_or_foreign_propositions_are_no_nodes() -> None:
    with pytest.raises(ValueError, match="state 'undetermined'"):
        epistemic_node_to_graph_node(node("Nobody has 5 apples"), source_intent=IntentTag.RECALL)
    other = EpistemicNode.of(recognize(family("booking"), "Room 5 is booked from Monday to Friday"), 0)
    with pytest.raises(ValueError, match="'agent' is missing"):
        epistemic_node_to_graph_node(other, source_intent=IntentTag.RECALL)
