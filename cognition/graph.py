"""Propositions as a graph of subject, predicate and object, immutable, for articulation.

Set once when a turn is planned and never changed; what a proposition's standing is (its epistemic state)
lives elsewhere, since it changes at every boundary between subsystems.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any

PENDING = "<pending>"


class IntentTag(StrEnum):
    """What a prompt asks for."""

    DEFINITION = "definition"
    CAUSE = "cause"
    PROCEDURE = "procedure"
    COMPARISON = "comparison"
    CORRECTION = "correction"
    RECALL = "recall"
    VERIFICATION = "verification"
    TRANSITIVE_QUERY = "transitive_query"
    FRAME_TRANSFER = "frame_transfer"
    NARRATIVE = "narrative"
    EXAMPLE = "example"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True, kw_only=True)
class GraphNode:
    """One proposition.

    Attributes:
        node_id: unique in its graph.
        subject, predicate, obj: surfaces, or `PENDING` where a slot is open.
        source_intent: the intent it was planned for.
        predicate_anchors: whether the predicate may anchor a region; False where it is a relation's id or an
            intent's label under the head-noun contract.
        subject_sense, object_sense, predicate_sense: the sense taken for a surface; None leaves all of them.
        polarity, modality, tense: of a recognised proposition; a predicate that is not at the defaults is the verb
            phrase that says so.
    """

    node_id: str
    subject: str
    predicate: str
    obj: str
    source_intent: IntentTag
    predicate_anchors: bool = True
    subject_sense: str | None = None
    object_sense: str | None = None
    predicate_sense: str | None = None
    polarity: str = "positive"
    modality: str = "actual"
    tense: str = "present"

    def as_dict(self) -> dict[str, Any]:
        """Ints and strings for the trace; fields at their default are left out."""
        record: dict[str, Any] = {
            "id": self.node_id,
            "subject": self.subject,
            "predicate": self.predicate,
            "object": self.obj,
            "intent": self.source_intent.value,
        }
        for name in ("subject_sense", "object_sense", "predicate_sense"):
            if getattr(self, name) is not None:
                record[name] = getattr(self, name)
        for name, default in (("polarity", "positive"), ("modality", "actual"), ("tense", "present")):
            if getattr(self, name) != default:
                record[name] = getattr(self, name)
        return record


@dataclass(frozen=True, slots=True)
class PropositionGraph:
    """Propositions in the order they were planned; every one is a root."""

    nodes: tuple[GraphNode, ...] = ()

    def add_node(self, node: GraphNode) -> PropositionGraph:
        """A new graph with the node appended.

        Raises:
            ValueError: the id is taken.
        """
        if self.get(node.node_id) is not None:
            raise ValueError(f"proposition graph: node id {node.node_id!r} is taken")
        return replace(self, nodes=(*self.nodes, node))

    def get(self, node_id: str) -> GraphNode | None:
        """The node of this id, or None."""
        return next((node for node in self.nodes if node.node_id == node_id), None)

    @property
    def root_ids(self) -> tuple[str, ...]:
        """Ids of the roots, in order."""
        return tuple(node.node_id for node in self.nodes)

    def as_dict(self) -> list[dict[str, Any]]:
        """The nodes for the trace."""
        return [node.as_dict() for node in self.nodes]
