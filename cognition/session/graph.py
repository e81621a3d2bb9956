"""The epistemic graph of a session: a proposition of one turn may change its state in a later one."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from typing import Any

from cognition.session.events import Draft, Event, SessionError
from recognition._recognizer import canonical_json
from recognition.carrier import EpistemicNode, EpistemicTransition
from recognition.outcome import (
    Feature,
    FeatureBundle,
    FeatureEvidence,
    NegativeEvidence,
    RecognitionOutcome,
    RecognitionProvenance,
)

VERSION = 1
MOST_NAMED = 5


class SessionGraph:
    """Nodes of all turns in force, in the order of the turns, rebuilt from the events of a session.

    Transitions are only ever appended: to change a state, write a `transition` event and apply it. An undone turn takes
    its nodes with it; the log keeps both.

    Attributes:
        seq: the last event that it knows.
    """

    def __init__(self) -> None:
        self.seq = 0
        self._nodes: dict[str, EpistemicNode] = {}
        self._turns: dict[int, list[str]] = {}
        self._digests: dict[str, str] = {}

    @property
    def nodes(self) -> tuple[EpistemicNode, ...]:
        """All nodes in force."""
        return tuple(self._nodes.values())

    def get(self, node_id: str) -> EpistemicNode:
        """The node of an id.

        Raises:
            SessionError: ``unknown_node``.
        """
        if node_id not in self._nodes:
            known = ", ".join(list(self._nodes)[-MOST_NAMED:]) or "none"
            raise SessionError("unknown_node", f"no proposition {node_id!r} in this session; known: {known}")
        return self._nodes[node_id]

    @property
    def sha256(self) -> str:
        """SHA-256 over the ids and the digests of all nodes, in order: the same for the same history."""
        parts = []
        for node_id, node in self._nodes.items():
            if node_id not in self._digests:
                self._digests[node_id] = _digest(canonical_json(node.as_dict()))
            parts.append([node_id, self._digests[node_id]])
        return _digest(canonical_json(parts))

    def copy(self) -> SessionGraph:
        """A graph of its own with the same history."""
        other = SessionGraph()
        other.seq = self.seq
        other._nodes, other._digests = dict(self._nodes), dict(self._digests)
        other._turns = {turn: list(ids) for turn, ids in self._turns.items()}
        return other

    def as_dict(self) -> dict[str, Any]:
        """For JSON output."""
        return {"sha256": self.sha256, "nodes": [node.as_dict() for node in self.nodes]}

    def apply(self, events: Iterable[Event]) -> None:
        """Brings the graph up to date with events that follow those it knows."""
        for event in events:
            self.seq = event.seq
            self.add(event)

    def add(self, event: Event | Draft) -> None:
        """What one event changes; kinds that don't concern the graph change nothing."""
        if event.kind == "proposition" and event.turn is not None:
            node_id = event.body["node_id"]
            self._put(EpistemicNode(node_id, read_outcome(event.body["recognition_outcome"])))
            self._turns.setdefault(event.turn, []).append(node_id)
        elif event.kind == "transition" and event.body["node_id"] in self._nodes:
            node = self._nodes[event.body["node_id"]]
            self._put(node.with_transition(_read_transition(event.body)))
        elif event.kind == "undo" and event.turn is not None:
            for node_id in self._turns.pop(event.turn, ()):
                del self._nodes[node_id]
                self._digests.pop(node_id, None)

    def _put(self, node: EpistemicNode) -> None:
        self._nodes[node.node_id] = node
        self._digests.pop(node.node_id, None)


def proposition(turn: int, node: EpistemicNode) -> Draft:
    """The event of a proposition that a turn recognised: its node, under the number of the turn."""
    renamed = EpistemicNode.of(node.recognition_outcome, turn)
    body = {"node_id": renamed.node_id, "recognition_outcome": renamed.recognition_outcome.as_dict()}
    return Draft(kind="proposition", turn=turn, body=body)


def transition(node: EpistemicNode, change: EpistemicTransition) -> Draft:
    """The event of a change of state.

    Raises:
        ValueError: it begins in another state than the node's.
    """
    node.with_transition(change)
    return Draft(kind="transition", body={"node_id": node.node_id, **change.as_dict()})


def graph_step(graph: SessionGraph) -> dict[str, Any]:
    """The step that folds a session's graph into the trace of a turn."""
    return {"stage": "session_graph", "version": VERSION, "sha256": graph.sha256}


def _read_transition(body: Mapping[str, Any]) -> EpistemicTransition:
    given: dict[str, Any] = {
        key: tuple(value) if isinstance(value, list) else value
        for key, value in body.items()
        if key != "node_id"
    }
    return EpistemicTransition(**given)


def read_outcome(record: Mapping[str, Any]) -> RecognitionOutcome:
    """An admitted outcome from what its `as_dict` gave.

    Raises:
        KeyError, TypeError, ValueError: it is none.
    """
    features = tuple(
        Feature(name, given["value"], _evidence(given["evidence"]))
        for name, given in record["proposition"].items()
    )
    return RecognitionOutcome(
        state=record["state"],
        proposition=FeatureBundle(features),
        refusal_reason=None,
        provenance=RecognitionProvenance(**record["provenance"]),
    )


def _evidence(record: Mapping[str, Any]) -> FeatureEvidence | NegativeEvidence:
    if not record.get("absent"):
        start, end = record["span"]
        return FeatureEvidence(start, end, record.get("rule", ""))
    if "scope" not in record:
        return NegativeEvidence()
    start, end = record["scope"]
    return NegativeEvidence((start, end), tuple(record["markers"]))


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
