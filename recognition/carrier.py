"""The epistemic carrier: recognised propositions with the history of their state, per turn."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from typing import Any

from recognition.outcome import RecognitionOutcome

__all__ = ["EpistemicGraph", "EpistemicNode", "EpistemicTransition"]


@dataclass(frozen=True, slots=True)
class EpistemicTransition:
    """One change of state and who caused it.

    Attributes:
        from_state, to_state: of the taxonomy (`evidenced`, `verified`, `decoded`, ...).
        source: the subsystem, as `verifier`.
        reason: for people who audit; nothing depends on it.
        evidence: ids of what the change rests on.
    """

    from_state: str
    to_state: str
    source: str
    reason: str
    evidence: tuple[str, ...] = ()

    def as_dict(self) -> dict[str, Any]:
        record: dict[str, Any] = {
            "from_state": self.from_state,
            "to_state": self.to_state,
            "source": self.source,
            "reason": self.reason,
        }
        return record | ({"evidence": list(self.evidence)} if self.evidence else {})


@dataclass(frozen=True, slots=True)
class EpistemicNode:
    """A recognised proposition and its transitions, oldest first; append-only.

    Attributes:
        node_id: the recogniser's teaching set, a colon, the index of the turn; see `of`.
        recognition_outcome: what the recogniser gave; its state is where the history begins.
        transitions: each begins in the state in which the one before ended.

    Raises:
        ValueError: a transition begins in another state than the current one.
    """

    node_id: str
    recognition_outcome: RecognitionOutcome
    transitions: tuple[EpistemicTransition, ...] = ()

    def __post_init__(self) -> None:
        state = self.recognition_outcome.state
        for index, transition in enumerate(self.transitions):
            if transition.from_state != state:
                raise ValueError(
                    f"node {self.node_id}: transition {index} from {transition.from_state!r}, "
                    f"but the state is {state!r}"
                )
            state = transition.to_state

    @classmethod
    def of(cls, outcome: RecognitionOutcome, turn_index: int) -> EpistemicNode:
        """The node of an outcome in a turn."""
        return cls(f"{outcome.provenance.teaching_set_id}:{turn_index}", outcome)

    @property
    def epistemic_state(self) -> str:
        """The state after the last transition, or the recogniser's."""
        return self.transitions[-1].to_state if self.transitions else self.recognition_outcome.state

    def with_transition(self, transition: EpistemicTransition) -> EpistemicNode:
        """A new node with the transition appended.

        Raises:
            ValueError: it begins in another state than the current one.
        """
        return replace(self, transitions=(*self.transitions, transition))

    def as_dict(self) -> dict[str, Any]:
        return {
            "node_id": self.node_id,
            "epistemic_state": self.epistemic_state,
            "recognition_outcome": self.recognition_outcome.as_dict(),
            "transitions": [transition.as_dict() for transition in self.transitions],
        }


@dataclass(frozen=True, slots=True)
class EpistemicGraph:
    """What was recognised in one turn, in the order of recognition.

    Raises:
        ValueError: two nodes have one id.
    """

    nodes: tuple[EpistemicNode, ...]
    recognizer_id: str

    def __post_init__(self) -> None:
        seen: set[str] = set()
        for node in self.nodes:
            if node.node_id in seen:
                raise ValueError(f"epistemic graph: node id {node.node_id!r} is taken")
            seen.add(node.node_id)

    def get(self, node_id: str) -> EpistemicNode | None:
        """The node of this id, or None."""
        return next((node for node in self.nodes if node.node_id == node_id), None)

    def as_dict(self) -> dict[str, Any]:
        return {"recognizer_id": self.recognizer_id, "nodes": [node.as_dict() for node in self.nodes]}

    def to_json(self) -> str:
        """Canonical JSON: the same bytes in every run and process."""
        return json.dumps(self.as_dict(), ensure_ascii=False, separators=(",", ":"), sort_keys=True)
