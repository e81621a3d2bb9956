"""From a recognised proposition to a node that articulation can say; the only file here that knows `cognition`."""

from __future__ import annotations

from cognition.graph import GraphNode, IntentTag
from recognition.carrier import EpistemicNode
from recognition.english import agree, noun_number, past, plural
from recognition.outcome import EVIDENCED, FeatureBundle, JSONValue

__all__ = ["epistemic_node_to_graph_node"]

_NEEDED = ("agent", "relation", "count", "unit")
# Feature -> values that a surface can carry; the first is the one that changes nothing.
_CARRIED: dict[str, tuple[str, ...]] = {
    "polarity": ("positive", "negative"),
    "modality": ("actual", "possible", "certain"),
    "tense": ("present", "past", "future"),
}
# What a relation's own kind is called; the relation says it already.
_IMPLIED = ("intentionality",)
_PLURAL = ("i", "you", "we", "they")


def _value(bundle: FeatureBundle, name: str) -> str:
    """The value of a feature that a surface carries."""
    feature = bundle.get(name)
    value: JSONValue = feature.value if feature else _CARRIED[name][0]
    if not isinstance(value, str) or value not in _CARRIED[name]:
        known = ", ".join(_CARRIED[name])
        raise ValueError(f"connector: {name}: value {value!r} has no surface (known: {known})")
    return value


def _predicate(subject: str, relation: str, bundle: FeatureBundle) -> str:
    """The relation as a verb phrase that carries polarity, modality and tense; bare where there is nothing to carry."""
    polarity, modality, tense = (_value(bundle, name) for name in ("polarity", "modality", "tense"))
    if (polarity, modality, tense) == ("positive", "actual", "present"):
        return relation
    negative = polarity == "negative"
    deny = " not" if negative else ""
    if modality == "possible" and tense == "present":
        return f"may{deny} {relation}"
    if tense == "future" and modality in ("actual", "certain"):
        return f"will{deny} {relation}"
    if tense == "past" and modality == "actual":
        return f"did not {relation}" if negative else past(relation)
    if tense == "present" and modality == "actual":
        words = subject.lower().split()
        many = subject.lower() in _PLURAL or noun_number(words[-1]) == {"plural"}
        return agree(relation, "plural" if many else "singular", negative=True)
    raise ValueError(f"connector: modality {modality!r} with tense {tense!r} has no surface")


def epistemic_node_to_graph_node(
    node: EpistemicNode, *, source_intent: IntentTag, node_id: str | None = None
) -> GraphNode:
    """A node for articulation from a recognised proposition: agent, relation, count of units.

    A predicate that is negated, modal or not in the present is the verb phrase that says so (`does not have`).

    Args:
        node: its outcome is `evidenced`.
        source_intent: the intent of the turn.
        node_id: by default the node's own.

    Raises:
        ValueError: the outcome has no bundle, or a feature is missing, unknown, or has a value no surface carries;
            the message names it.
    """
    outcome = node.recognition_outcome
    bundle = outcome.proposition
    if outcome.state != EVIDENCED or bundle is None:
        raise ValueError(f"connector: node {node.node_id}: state {outcome.state!r}, expected {EVIDENCED!r}")
    for name in _NEEDED:
        if bundle.get(name) is None:
            raise ValueError(f"connector: feature {name!r} is missing")
    for name in bundle.names:
        if name not in (*_NEEDED, *_CARRIED, *_IMPLIED):
            raise ValueError(f"connector: feature {name!r} is unknown")
    values = bundle.values
    for name in ("agent", "relation", "unit"):
        if not isinstance(values[name], str) or not values[name]:
            raise ValueError(f"connector: {name}: value {values[name]!r} is no text")
    count = values["count"]
    if isinstance(count, bool) or not isinstance(count, int | float):
        raise ValueError(f"connector: count: value {count!r} is no number")
    subject, unit = str(values["agent"]), str(values["unit"])
    return GraphNode(
        node_id=node.node_id if node_id is None else node_id,
        subject=subject,
        predicate=_predicate(subject, str(values["relation"]), bundle),
        obj=f"{count} {unit if count == 1 else plural(unit)}",
        source_intent=source_intent,
        polarity=_value(bundle, "polarity"),
        modality=_value(bundle, "modality"),
        tense=_value(bundle, "tense"),
    )
