"""From the plan of a prompt to its proposition graph, and from the graph to what an answer must say."""

from __future__ import annotations

from dataclasses import dataclass

from cognition.clause import ArticulationPlan, Clause, Mention
from cognition.graph import PENDING, GraphNode, IntentTag, PropositionGraph
from cognition.packs.vocabulary import Vocabulary

VERSION = 1

LABELS: dict[IntentTag, str] = {
    IntentTag.DEFINITION: "is_defined_as",
    IntentTag.CAUSE: "is_caused_by",
    IntentTag.PROCEDURE: "has_steps",
    IntentTag.COMPARISON: "is_compared_with",
    IntentTag.CORRECTION: "corrects",
    IntentTag.RECALL: "is_recalled_as",
    IntentTag.VERIFICATION: "is_verified_as",
    IntentTag.TRANSITIVE_QUERY: "is_related_to",
    IntentTag.FRAME_TRANSFER: "is_analogous_to",
    IntentTag.NARRATIVE: "is_told_as",
    IntentTag.EXAMPLE: "has_example",
    IntentTag.UNKNOWN: "is_asked_about",
}
_CONTEXT = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class ArticulationTarget:
    """What a surface has to say: the propositions in order, and which of their slots are open.

    Attributes:
        node_ids: in the order they are said.
        open_slots: (node id, ``"subject"`` or ``"object"``) of every pending slot.
    """

    node_ids: tuple[str, ...]
    open_slots: tuple[tuple[str, str], ...]


def build_graph_from_input(
    text: str, plan: ArticulationPlan, vocabulary: Vocabulary | None = None
) -> PropositionGraph:
    """The proposition graph of a prompt, before anything is walked or grounded.

    Under the head contract the slots are head nouns in dictionary form, with the sense taken, and relations'
    ids never anchor. Under the phrase contract (ADR-0047) the slots are the raw phrases.

    Args:
        text: the prompt the plan was made from.
        plan: the plan of that prompt, as classification gives it.
        vocabulary: gives sense ids; without it slots carry surfaces alone.

    Raises:
        ValueError: the plan's spans lie outside the text.
    """
    clause = plan.clause
    if any(mention.end > len(text) for mention in clause.mentions()):
        raise ValueError("articulation: the plan was not made from this text: a span lies outside it")
    if plan.subject_span == "phrase":
        return PropositionGraph().add_node(
            GraphNode(
                node_id="p0",
                subject=clause.phrase_subject,
                predicate=LABELS[clause.intent],
                obj=clause.phrase_object or PENDING,
                source_intent=clause.intent,
            )
        )
    graph = PropositionGraph().add_node(_head_node(clause, vocabulary))
    if clause.third is not None:
        graph = graph.add_node(
            GraphNode(
                node_id="p1",
                subject=clause.third.lemma,
                predicate=LABELS[clause.intent],
                obj=PENDING,
                source_intent=clause.intent,
                predicate_anchors=False,
                subject_sense=_sense_id(clause.third, vocabulary),
            )
        )
    if vocabulary is None:
        return graph
    taken = {m.index for m in clause.mentions()}
    if clause.intent is not IntentTag.UNKNOWN and taken - {None}:
        return graph
    for match in clause.words[: _CONTEXT + 2]:
        index = vocabulary.choose(match.indices, "noun")
        if index in taken or vocabulary.is_stop(index) or len(graph.nodes) > _CONTEXT:
            continue
        taken.add(index)
        sense = vocabulary.senses[index]
        graph = graph.add_node(
            GraphNode(
                node_id=f"p{len(graph.nodes)}",
                subject=sense.lemma,
                predicate=LABELS[IntentTag.UNKNOWN],
                obj=PENDING,
                source_intent=clause.intent,
                predicate_anchors=False,
                subject_sense=sense.id,
            )
        )
    return graph


def _head_node(clause: Clause, vocabulary: Vocabulary | None) -> GraphNode:
    action = clause.verb if clause.verb is not None and clause.verb is not clause.subject else None
    predicate = clause.relation or (action.lemma if action is not None else LABELS[clause.intent])
    return GraphNode(
        node_id="p0",
        subject=clause.subject.lemma if clause.subject is not None else PENDING,
        predicate=predicate,
        obj=clause.object.lemma
        if clause.object is not None and clause.object is not clause.subject
        else PENDING,
        source_intent=clause.intent,
        predicate_anchors=clause.relation is None and action is not None,
        subject_sense=_sense_id(clause.subject, vocabulary),
        object_sense=_sense_id(clause.object if clause.object is not clause.subject else None, vocabulary),
        predicate_sense=_sense_id(action, vocabulary),
    )


def _sense_id(mention: Mention | None, vocabulary: Vocabulary | None) -> str | None:
    if mention is None or mention.index is None or vocabulary is None:
        return None
    return vocabulary.senses[mention.index].id


def plan_articulation(graph: PropositionGraph) -> ArticulationTarget:
    """What the surface of a graph has to say.

    Raises:
        ValueError: the graph has no node.
    """
    if not graph.nodes:
        raise ValueError("articulation: the graph has no node: nothing to say")
    return ArticulationTarget(
        node_ids=graph.root_ids,
        open_slots=tuple(
            (node.node_id, slot)
            for node in graph.nodes
            for slot, value in (("subject", node.subject), ("object", node.obj))
            if value == PENDING
        ),
    )
