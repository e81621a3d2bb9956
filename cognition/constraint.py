"""The forward graph constraint: a proposition graph's neighbourhoods, before the walk."""

from __future__ import annotations

from collections.abc import Sequence

from cga.backend import MOST_ANCHORS
from cognition.admissibility import UNCONSTRAINED, AdmissibilityRegion
from cognition.graph import PENDING, GraphNode, IntentTag, PropositionGraph
from cognition.packs.vocabulary import Vocabulary

VERSION = 1
SOURCE = "graph_constraint"
BLADE_VERSION = 1
BLADE_SOURCE = "relation_blade"


def build_graph_constraint(
    graph: PropositionGraph, vocab: Vocabulary, *, top_k: int = 8
) -> AdmissibilityRegion:
    """The union of the exact top-k neighbourhoods of every surface that the graph names.

    Pending slots and surfaces that the vocabulary does not have are skipped; a graph that names nothing known
    gives an unconstrained region. An anchor is always in its own neighbourhood.

    Raises:
        ValueError: top_k < 1.
    """
    return build_graph_constraints((graph,), vocab, top_k=top_k)[0]


def build_graph_constraints(
    graphs: Sequence[PropositionGraph], vocab: Vocabulary, *, top_k: int = 8
) -> list[AdmissibilityRegion]:
    """`build_graph_constraint` for many graphs: all anchors go through one kernel call."""
    if top_k < 1:
        raise ValueError(f"graph constraint: top_k must be at least 1, not {top_k}")
    anchors = [anchors_of(graph, vocab) for graph in graphs]
    flat = [index for found in anchors for index in found]
    neighbourhoods = iter(vocab.backend.neighbourhoods(vocab.handle, flat, top_k) if flat else ())
    regions: list[AdmissibilityRegion] = []
    for graph, found in zip(graphs, anchors, strict=True):
        if not found:
            regions.append(AdmissibilityRegion(allowed_indices=None, label=UNCONSTRAINED, source=SOURCE))
            continue
        allowed: set[int] = set()
        for _ in found:
            allowed.update(next(neighbourhoods))
        regions.append(
            AdmissibilityRegion(
                allowed_indices=tuple(sorted(allowed)),
                label="graph:" + ",".join(graph.root_ids),
                source=SOURCE,
            )
        )
    return regions


def build_relation_region(graph: PropositionGraph, vocab: Vocabulary) -> AdmissibilityRegion:
    """The region of a graph's relation blade: it admits every word, and scores words inside the walk.

    The blade is spanned by the subject, the relation word and the object, where the vocabulary has them, and where
    they are fewer by the subjects of the propositions that follow; one sense each. An analogy (A is to B as C is to
    what) has the blade of C, carried by the transition from A to B. A graph that names nothing known has no blade.
    """
    first = graph.nodes[0] if graph.nodes else None
    if first is None:
        return AdmissibilityRegion(allowed_indices=None, label=UNCONSTRAINED, source=BLADE_SOURCE)
    subject = _one(vocab, first.subject, first.subject_sense)
    obj = _one(vocab, first.obj, first.object_sense)
    later = [_one(vocab, node.subject, node.subject_sense) for node in graph.nodes[1:]]
    frame: tuple[int, int] | None = None
    spanning = [subject, _relation_word(first, vocab), obj, *later]
    if first.source_intent is IntentTag.FRAME_TRANSFER and later and later[0] is not None:
        if subject is not None and obj is not None and subject != obj:
            frame, spanning = (subject, obj), [later[0]]
    anchors = tuple(dict.fromkeys(index for index in spanning if index is not None))[:MOST_ANCHORS]
    return AdmissibilityRegion(
        allowed_indices=None,
        relation_blade=anchors or None,
        frame_versor=frame,
        label="blade:" + ",".join(graph.root_ids) if anchors else UNCONSTRAINED,
        source=BLADE_SOURCE,
    )


def _one(vocab: Vocabulary, surface: str, sense: str | None) -> int | None:
    if sense is not None and sense in vocab.index:
        return vocab.index[sense]
    found = vocab.lookup(surface) if surface != PENDING else ()
    return vocab.choose(found, "noun") if found else None


def _relation_word(node: GraphNode, vocab: Vocabulary) -> int | None:
    """The verb of the relation, where the vocabulary has it as a word."""
    relation = vocab.relation_types.get(node.predicate)
    if relation is None:
        return _one(vocab, node.predicate, node.predicate_sense) if node.predicate_anchors else None
    found = vocab.lookup(relation.verb)
    verb = vocab.choose(found, "verb") if found else None
    return verb if verb is not None and not vocab.is_stop(verb) else None


def anchors_of(graph: PropositionGraph, vocab: Vocabulary) -> tuple[int, ...]:
    """The words a graph names, in slot order, each once."""
    found: dict[int, None] = {}
    for node in graph.nodes:
        for surface, sense in _slots(node):
            if sense is not None and sense in vocab.index:
                found[vocab.index[sense]] = None
            elif sense is None and surface != PENDING:
                found.update(dict.fromkeys(vocab.lookup(surface)))
    return tuple(found)


def _slots(node: GraphNode) -> tuple[tuple[str, str | None], ...]:
    slots = [(node.subject, node.subject_sense)]
    if node.predicate_anchors:
        slots.append((node.predicate, node.predicate_sense))
    slots.append((node.obj, node.object_sense))
    return tuple(slots)
