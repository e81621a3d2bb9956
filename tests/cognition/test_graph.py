"""Graphs of propositions, and the plan of what to say."""

from __future__ import annotations

import pytest

from cognition import (
    GraphNode,
    IntentTag,
    PropositionGraph,
    Vocabulary,
    build_graph_from_input,
    classify,
    plan_articulation,
)
from cognition.articulation import LABELS
from cognition.graph import PENDING
from recognition.tokens import tokenize

pytestmark = pytest.mark.cognition


def node(name: str, **slots: str) -> GraphNode:
    slots = {"subject": "light", "predicate": "is_defined_as", "obj": PENDING} | slots
    return GraphNode(node_id=name, source_intent=IntentTag.DEFINITION, **slots)


def graph_of(prompt: str, vocabulary: Vocabulary, span: str = "head") -> PropositionGraph:
    plan = classify(prompt, tokenize(prompt), vocabulary, subject_span=span)  # pyright: ignore[reportArgumentType]
    return build_graph_from_input(prompt, plan, vocabulary)


def test_the_twelve_intents_are_those_of_the_design() -> None:
    names = "definition cause procedure comparison correction recall verification transitive_query"
    assert {tag.value for tag in IntentTag} == {
        *names.split(),
        "frame_transfer",
        "narrative",
        "example",
        "unknown",
    }
    assert set(LABELS) == set(IntentTag)


def test_a_graph_grows_by_copies() -> None:
    empty = PropositionGraph()
    one = empty.add_node(node("p0"))
    two = one.add_node(node("p1"))
    assert (empty.nodes, one.root_ids, two.root_ids) == ((), ("p0",), ("p0", "p1"))
    assert two.get("p1") == node("p1")
    assert two.get("p2") is None


def test_a_node_id_is_taken_once() -> None:
    with pytest.raises(ValueError, match="p0"):
        PropositionGraph((node("p0"),)).add_node(node("p0", subject="doubt"))


def test_graphs_and_nodes_are_frozen() -> None:
    with pytest.raises(AttributeError):
        node("p0").subject = "doubt"  # pyright: ignore[reportAttributeAccessIssue]
    with pytest.raises(AttributeError):
        PropositionGraph().nodes = ()  # pyright: ignore[reportAttributeAccessIssue]


def test_the_plan_of_articulation_lists_the_open_slots() -> None:
    graph = PropositionGraph((node("p0"), node("p1", subject=PENDING, obj="doubt"), node("p2", obj="doubt")))
    target = plan_articulation(graph)
    assert target.node_ids == ("p0", "p1", "p2")
    assert target.open_slots == (("p0", "object"), ("p1", "subject"))


def test_a_graph_without_a_node_has_nothing_to_say() -> None:
    with pytest.raises(ValueError, match="no node"):
        plan_articulation(PropositionGraph())


def test_a_plan_belongs_to_its_text(shipped: Vocabulary) -> None:
    prompt = "What is the meaning of knowledge?"
    plan = classify(prompt, tokenize(prompt), shipped)
    with pytest.raises(ValueError, match="not made from this text"):
        build_graph_from_input("What is", plan, shipped)


@pytest.mark.parametrize(
    ("prompt", "subject", "predicate", "obj"),
    [
        ("What is light?", "light", "is_defined_as", PENDING),
        ("What are memories?", "memory", "is_defined_as", PENDING),
        ("Does memory require recall?", "memory", "requires", "recall"),
        ("Is memory required by recall?", "recall", "requires", "memory"),
        ("What does knowledge require?", "knowledge", "requires", PENDING),
        ("What requires evidence?", PENDING, "requires", "evidence"),
        ("Compare memory and recall", "memory", "is_compared_with", "recall"),
        ("How can I correct an error?", "error", "correct", PENDING),
        ("How do I learn?", "learn", "has_steps", PENDING),
    ],
)
def test_slots_under_the_head_contract(
    shipped: Vocabulary, prompt: str, subject: str, predicate: str, obj: str
) -> None:
    first = graph_of(prompt, shipped).nodes[0]
    assert (first.subject, first.predicate, first.obj) == (subject, predicate, obj)


def test_the_sense_taken_is_in_the_node(shipped: Vocabulary) -> None:
    first = graph_of("Does memory require recall?", shipped).nodes[0]
    assert (first.subject_sense, first.object_sense) == ("memory.n.1", "recall.n.1")
    assert graph_of("What is light?", shipped, "phrase").nodes[0].subject_sense is None


def test_an_action_anchors_and_a_relation_does_not(shipped: Vocabulary) -> None:
    action = graph_of("How can I correct an error?", shipped).nodes[0]
    assert action.predicate_anchors
    assert action.predicate_sense == "correct.v.1"
    assert not graph_of("Does memory require recall?", shipped).nodes[0].predicate_anchors


def test_words_beside_an_unknown_subject_are_named_too(shipped: Vocabulary) -> None:
    graph = graph_of("light logos", shipped)
    assert {n.subject for n in graph.nodes} | {n.obj for n in graph.nodes} >= {"light", "logos"}
    assert len({n.node_id for n in graph.nodes}) == len(graph.nodes)


def test_a_graph_is_ints_and_strings_without_defaults() -> None:
    bare = node("p0").as_dict()
    assert bare == {
        "id": "p0",
        "subject": "light",
        "predicate": "is_defined_as",
        "object": PENDING,
        "intent": "definition",
    }
    assert node("p0", subject_sense="light.n.1").as_dict() == bare | {"subject_sense": "light.n.1"}
    assert PropositionGraph((node("p0"),)).as_dict() == [bare]


def test_the_graph_without_a_vocabulary_carries_surfaces_alone(shipped: Vocabulary) -> None:
    prompt = "What is light?"
    plan = classify(prompt, tokenize(prompt), shipped)
    (only,) = build_graph_from_input(prompt, plan).nodes
    assert (only.subject, only.subject_sense) == ("light", None)
