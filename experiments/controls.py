"""Baselines and null controls: what the system's figures have to be read against.

The baselines answer without a walk: `echo` says the prompt, `dump` all that is on record of the subject, `gloss`
the subject's gloss. The null controls let the system walk in a random region of the size it would have built.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import Literal

from cognition.admissibility import AdmissibilityRegion
from cognition.constraint import anchors_of, build_graph_constraints
from cognition.evidence import gloss_id, resolve
from cognition.graph import PropositionGraph
from cognition.packs.vocabulary import Vocabulary
from experiments.metrics.answer import Answer

SEED = 20_260_518
Pool = Literal["vocabulary", "domain"]
Constrain = Callable[..., list[AdmissibilityRegion]]


def echo(prompt: str) -> Answer:
    """The prompt itself, without evidence."""
    return Answer(surface=prompt, sentences=((prompt, ()),))


def gloss(vocabulary: Vocabulary, subject: int | None) -> Answer:
    """The gloss of the subject, cited."""
    return _recited(vocabulary, [] if subject is None else [gloss_id(vocabulary, subject)])


def dump(vocabulary: Vocabulary, subjects: Sequence[int]) -> Answer:
    """All evidence of the senses in the order of the pack: their glosses, then the statements they stand in."""
    statements = (s.id for index in subjects for s in vocabulary.statements_of(index))
    return _recited(vocabulary, [*(gloss_id(vocabulary, index) for index in subjects), *statements])


def _recited(vocabulary: Vocabulary, ids: Iterable[str]) -> Answer:
    """Pieces of evidence as they stand, one a sentence; a refusal where there is none."""
    sentences = tuple((resolve(vocabulary, i, "").text, (i,)) for i in dict.fromkeys(ids))
    return Answer(
        surface=" ".join(text for text, _ in sentences),
        sentences=sentences,
        citations=tuple(i for _, ids in sentences for i in ids),
        refusal=None if sentences else "unknown_subject",
    )


def random_regions(case_id: str, pool: Pool, *, seed: int = SEED) -> Constrain:
    """A builder that puts a random region of the same size in the place of each region of one case.

    Args:
        case_id: seeds the choice, together with ``seed``; nothing else does.
        pool: ``vocabulary`` draws from all words; ``domain`` from those that share a domain with the subject
            (the graph's first anchor, which is among them), and where these are too few takes all of them and
            draws the rest from the vocabulary. Anchors get no special treatment: the region may miss them.
        seed: another seed, another draw.
    """

    def constrain(
        graphs: Sequence[PropositionGraph], vocabulary: Vocabulary, *, top_k: int
    ) -> list[AdmissibilityRegion]:
        ranked = shuffled(len(vocabulary), f"{seed}:{case_id}")
        regions: list[AdmissibilityRegion] = []
        for graph, region in zip(
            graphs, build_graph_constraints(graphs, vocabulary, top_k=top_k), strict=True
        ):
            if region.allowed_indices is not None:
                order = ranked
                if pool == "domain":
                    near = same_domain(vocabulary, anchors_of(graph, vocabulary)[0])
                    order = sorted(ranked, key=lambda index, near=near: index not in near)
                drawn = tuple(sorted(order[: len(region.allowed_indices)]))
                region = replace(region, allowed_indices=drawn, source=f"null_{pool}")
            regions.append(region)
        return regions

    return constrain


def topped_up(vocabulary: Vocabulary, graph: PropositionGraph, size: int) -> int:
    """How many words of a ``domain`` region of this size came from outside the subject's domains."""
    return max(0, size - len(same_domain(vocabulary, anchors_of(graph, vocabulary)[0])))


def same_domain(vocabulary: Vocabulary, index: int) -> frozenset[int]:
    """The words that share a domain with a word, itself among them."""
    domains = set(vocabulary.senses[index].domains)
    return frozenset(i for i, sense in enumerate(vocabulary.senses) if domains & set(sense.domains))


def shuffled(size: int, key: str) -> list[int]:
    """0 .. size - 1 in an order that the key alone decides, on any machine and version."""
    return sorted(range(size), key=lambda index: hashlib.sha256(f"{key}:{index}".encode()).digest())
