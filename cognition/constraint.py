"""The forward graph constraint: a proposition graph's neighbourhoods, before the walk."""

from __future__ import annotations

from collections.abc import Sequence

from cognition.admissibility import UNCONSTRAINED, AdmissibilityRegion
from cognition.graph import PENDING, GraphNode, PropositionGraph
from cognition.packs.vocabulary import Vocabulary

VERSION = 1
SOURCE = "graph_constraint"


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
