"""Regions of graphs, against neighbourhoods counted out with fractions."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise, product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cga.backend import Point
from cognition import (
    GraphNode,
    IntentTag,
    PropositionGraph,
    Runtime,
    Vocabulary,
    build_graph_constraint,
    build_graph_constraints,
)
from cognition.admissibility import UNCONSTRAINED
from cognition.articulation import LABELS
from cognition.graph import PENDING
from tests.cognition import oracle, small_pack

pytestmark = pytest.mark.cognition

# A small lattice is full of ties, where an order other than (key, index) shows.
POINTS = st.lists(
    st.builds(Point, *[st.integers(-2, 2)] * 3, st.integers(1, 3)), min_size=2, max_size=14, unique=True
)


def node(
    subject: str, obj: str = PENDING, predicate: str = "is_defined_as", *, at: int = 0, anchors: bool = True
) -> GraphNode:
    return GraphNode(
        node_id=f"p{at}",
        subject=subject,
        predicate=predicate,
        obj=obj,
        source_intent=IntentTag.DEFINITION,
        predicate_anchors=anchors,
    )


def neighbourhoods(points: Sequence[Point], anchors: Sequence[int], k: int) -> tuple[int, ...]:
    return tuple(sorted({i for anchor in anchors for i in oracle.ranked(points, points[anchor])[:k]}))


@given(points=POINTS, data=st.data())
@settings(max_examples=60)
def test_a_region_is_the_union_of_the_exact_neighbourhoods(points: list[Point], data: st.DataObject) -> None:
    vocabulary = small_pack.vocabulary_of(small_pack.points_as_words(points), ())
    k = data.draw(st.integers(1, len(points) + 2))
    slots = data.draw(st.lists(st.integers(0, len(points) - 1), min_size=2, max_size=4))
    if len(slots) % 2:
        slots.append(slots[0])
    graph = PropositionGraph()
    for at in range(0, len(slots), 2):
        graph = graph.add_node(node(f"w{slots[at]:03}", f"w{slots[at + 1]:03}", at=at // 2))
    region = build_graph_constraint(graph, vocabulary, top_k=k)
    assert region.allowed_indices == neighbourhoods(points, slots, k)
    assert set(slots) <= set(region.allowed_indices)
    assert region.label == "graph:" + ",".join(graph.root_ids)


@pytest.mark.parametrize("k", [1, 2, 8, 40])
def test_regions_of_the_shipped_pack_are_exact(shipped: Vocabulary, k: int) -> None:
    for anchor in range(0, len(shipped), 23):
        sense = shipped.senses[anchor]
        graph = PropositionGraph((node(sense.lemma),))
        region = build_graph_constraint(graph, shipped, top_k=k)
        assert region.allowed_indices == neighbourhoods(shipped.points, shipped.lookup(sense.lemma), k)


def test_on_the_line_the_neighbours_are_those_beside_the_anchor(bakery: Vocabulary) -> None:
    region = build_graph_constraint(PropositionGraph((node("bread"),)), bakery, top_k=4)
    assert region.allowed_indices is not None
    assert {bakery.senses[i].lemma for i in region.allowed_indices} == {"bread", "oven", "toast", "flour"}


@pytest.mark.parametrize(
    ("subject", "obj"),
    [
        (PENDING, PENDING),
        ("unheard of", PENDING),
        ("bread oven", "breadth"),
        ("", PENDING),
        ("is_defined_as", "?"),
    ],
)
def test_a_graph_that_names_nothing_known_is_unconstrained(
    bakery: Vocabulary, subject: str, obj: str
) -> None:
    region = build_graph_constraint(PropositionGraph((node(subject, obj),)), bakery)
    assert region.allowed_indices is None
    assert region.label == UNCONSTRAINED == "graph:unconstrained"


def test_an_empty_graph_is_unconstrained(bakery: Vocabulary) -> None:
    assert build_graph_constraint(PropositionGraph(), bakery).label == UNCONSTRAINED


@pytest.mark.parametrize(
    ("subject", "obj"), [("bread", PENDING), ("unheard of", "bread"), ("Bread", "BREAD")]
)
def test_pending_and_unknown_slots_are_skipped(bakery: Vocabulary, subject: str, obj: str) -> None:
    alone = build_graph_constraint(PropositionGraph((node("bread"),)), bakery)
    assert build_graph_constraint(PropositionGraph((node(subject, obj),)), bakery) == alone


def test_a_word_called_pending_is_no_open_slot() -> None:
    words = (*small_pack.BAKERY, small_pack.word("<pending>", 77))
    vocabulary = small_pack.vocabulary_of(words)
    assert build_graph_constraint(PropositionGraph((node(PENDING),)), vocabulary).label == UNCONSTRAINED


def test_every_root_is_in_the_label_and_in_the_region(bakery: Vocabulary) -> None:
    graph = PropositionGraph((node("bread"), node("bake", at=1), node("unheard of", at=2)))
    region = build_graph_constraint(graph, bakery, top_k=2)
    assert region.label == "graph:p0,p1,p2"
    assert region.allowed_indices == neighbourhoods(
        bakery.points, [*bakery.lookup("bread"), *bakery.lookup("bake")], 2
    )


@pytest.mark.parametrize("k", [0, -1])
def test_top_k_below_one_raises(bakery: Vocabulary, k: int) -> None:
    with pytest.raises(ValueError, match="top_k"):
        build_graph_constraint(PropositionGraph((node("bread"),)), bakery, top_k=k)
    with pytest.raises(ValueError, match="top_k"):
        build_graph_constraints([], bakery, top_k=k)


def test_a_wider_k_never_loses_a_word(bakery: Vocabulary) -> None:
    graph = PropositionGraph((node("bread", "bake"),))
    regions = [build_graph_constraint(graph, bakery, top_k=k).allowed_indices for k in range(1, 15)]
    for narrow, wide in pairwise(regions):
        assert narrow is not None
        assert set(narrow) <= set(wide or ())
    assert regions[-1] == tuple(range(len(bakery)))


def test_a_sense_given_by_id_is_the_only_one_that_anchors(bakery: Vocabulary) -> None:
    words = (*small_pack.BAKERY, small_pack.word("bread", 5000, n=2, gloss="money"))
    vocabulary = small_pack.vocabulary_of(words)
    free = build_graph_constraint(PropositionGraph((node("bread"),)), vocabulary, top_k=1)
    bound = GraphNode(
        node_id="p0",
        subject="bread",
        predicate="is_defined_as",
        obj=PENDING,
        source_intent=IntentTag.DEFINITION,
        subject_sense="bread.n.2",
    )
    region = build_graph_constraint(PropositionGraph((bound,)), vocabulary, top_k=1)
    assert region.allowed_indices == (vocabulary.index["bread.n.2"],)
    assert free.allowed_indices == tuple(sorted(vocabulary.lookup("bread")))


def test_a_batch_of_graphs_gives_the_regions_each_has_alone(shipped: Vocabulary) -> None:
    surfaces = [sense.lemma for sense in shipped.senses[::9]] + ["unheard of", PENDING]
    graphs = [PropositionGraph((node(a, b),)) for a, b in zip(surfaces, reversed(surfaces), strict=True)]
    graphs.append(PropositionGraph())
    together = build_graph_constraints(graphs, shipped)
    assert together == [build_graph_constraint(graph, shipped) for graph in graphs]
    assert build_graph_constraints([], shipped) == []


def test_no_label_of_an_intent_but_corrects_is_a_surface(shipped: Vocabulary) -> None:
    known = {label for label in LABELS.values() if shipped.lookup(label)}
    assert known == {"corrects"}


@pytest.mark.parametrize(
    "prompt",
    [
        "Does memory require recall?",
        "Why does knowledge require evidence?",
        "Does fire cause light?",
        "Does evidence ground belief?",
        "No, correction means reviewed repair",
        "What is light?",
    ],
)
def test_under_the_head_contract_no_relation_or_label_anchors(shipped: Vocabulary, prompt: str) -> None:
    """`requires`, `causes` or `grounds` may be surfaces of the pack: as relation ids they name no word."""
    result = Runtime(shipped).ask(prompt)
    assert result.graph is not None
    (first, *_) = result.graph.nodes
    assert not first.predicate_anchors
    named = [first.subject_sense, first.object_sense]
    anchors = [shipped.index[sense] for sense in named if sense is not None]
    region = build_graph_constraint(PropositionGraph((first,)), shipped, top_k=1)
    assert region.allowed_indices == tuple(sorted(set(anchors)))


def test_under_the_phrase_contract_corrects_anchors(shipped: Vocabulary) -> None:
    words = shipped.lookup("corrects")
    assert words
    graph = PropositionGraph((node(", correction means reviewed repair", predicate="corrects"),))
    region = build_graph_constraint(graph, shipped, top_k=1)
    assert region.allowed_indices == tuple(sorted(words))
    silent = PropositionGraph(
        (node(", correction means reviewed repair", predicate="corrects", anchors=False),)
    )
    assert build_graph_constraint(silent, shipped, top_k=1).label == UNCONSTRAINED


def test_the_region_does_not_depend_on_the_order_of_slots(bakery: Vocabulary) -> None:
    lemmas = [sense.lemma for sense in bakery.senses]
    for a, b in product(lemmas, repeat=2):
        one = build_graph_constraint(PropositionGraph((node(a, b),)), bakery, top_k=3)
        assert one == build_graph_constraint(PropositionGraph((node(b, a),)), bakery, top_k=3)
