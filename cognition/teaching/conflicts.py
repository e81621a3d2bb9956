"""Where a proposal contradicts what is reviewed.

Grounds, all read from the relation types of the pack: a denial of the same statement; a statement the other way round,
or a cycle, where the relation is transitive (no sense stands in a relation to itself, so such a relation is an order);
a functional relation with another object; a step in a taken place; an effect of the same thing that opposes it; another
gloss.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Literal

from cognition.packs.vocabulary import Statement, Vocabulary
from cognition.teaching.items import Content

Ground = Literal["denied", "inverse", "functional", "step", "opposed", "gloss", "implied"]
_EFFECTS = frozenset(("causal", "support"))


@dataclass(frozen=True, slots=True, kw_only=True)
class Conflict:
    """A contradiction between a proposal and reviewed knowledge.

    Attributes:
        ground: why the two can't both hold. ``implied``: a chain of statements, no single one, says the opposite.
        evidence: ids of what contradicts it.
    """

    ground: Ground
    evidence: tuple[str, ...]

    def as_dict(self) -> dict[str, Any]:
        """For JSON output."""
        return {"ground": self.ground, "evidence": list(self.evidence)}


def conflicts(content: Content, vocabulary: Vocabulary) -> tuple[Conflict, ...]:
    """The contradictions of a proposal, in a fixed order.

    Args:
        content: about senses of the vocabulary.
        vocabulary: reviewed knowledge: the pack, under the overlay of what was accepted.
    """
    if content.kind == "gloss":
        if content.gloss == vocabulary.senses[vocabulary.index[content.subject]].gloss:
            return ()
        taught = vocabulary.overlay.glosses.get(content.subject)
        return (Conflict(ground="gloss", evidence=(taught[0] if taught else f"gloss:{content.subject}",)),)
    if content.kind != "relation":
        return ()
    subject, obj = vocabulary.index[content.subject], vocabulary.index[content.object]
    kind = vocabulary.relation_types[content.relation]
    positive = content.polarity == "positive"
    found: list[Conflict] = []

    def add(ground: Ground, statements: Iterable[Statement]) -> None:
        found.extend(Conflict(ground=ground, evidence=(said.id,)) for said in statements)

    about = [said for said in vocabulary.between(subject, obj) if said.relation == content.relation]
    same = [said for said in about if said.subject == subject or kind.symmetric]
    add("denied", (said for said in same if said.positive != positive))
    if positive:
        if kind.transitive and not kind.symmetric:
            add("inverse", (said for said in about if said.subject == obj and said.positive))
        outgoing = [s for s in vocabulary.statements_of(subject) if s.subject == subject and s.positive]
        if kind.functional:
            add("functional", (s for s in outgoing if s.relation == kind.id and s.object != obj))
        opposed = {"opposition"} if kind.kind in _EFFECTS else _EFFECTS if kind.kind == "opposition" else ()
        add(
            "opposed",
            (
                s
                for s in outgoing
                if s.object == obj and vocabulary.relation_types[s.relation].kind in opposed
            ),
        )
        if content.order is not None:
            steps = [s for s in vocabulary.statements_of(obj) if s.object == obj and s.relation == kind.id]
            add("step", (s for s in steps if s.order == content.order and s.subject != subject))
    if kind.transitive:
        found.extend(_implied(vocabulary, subject, content.relation, obj, positive))
    return tuple(found)


def known(content: Content, vocabulary: Vocabulary) -> str | None:
    """The evidence id by which the record says this already, or None."""
    if content.kind == "gloss":
        same = content.gloss == vocabulary.senses[vocabulary.index[content.subject]].gloss
        return f"gloss:{content.subject}" if same else None
    if content.kind != "relation":
        return None
    subject, obj = vocabulary.index[content.subject], vocabulary.index[content.object]
    symmetric = vocabulary.relation_types[content.relation].symmetric
    for said in vocabulary.between(subject, obj):
        same = said.relation == content.relation and (said.subject == subject or symmetric)
        if same and said.positive == (content.polarity == "positive") and said.order == content.order:
            return said.id
    return None


def _implied(vocabulary: Vocabulary, subject: int, relation: str, obj: int, positive: bool) -> list[Conflict]:
    """Chains of a transitive relation that say the opposite, the shortest of each, longer than one statement."""
    if not positive:
        chain = chain_between(vocabulary, subject, relation, obj)
        return [Conflict(ground="implied", evidence=chain)] if len(chain) > 1 else []
    cycle = chain_between(vocabulary, obj, relation, subject)
    found = [Conflict(ground="implied", evidence=cycle)] if len(cycle) > 1 else []
    before = _reach(vocabulary, subject, relation, forwards=False)
    after = _reach(vocabulary, obj, relation, forwards=True)
    for denial in vocabulary.denials():
        if (
            denial.relation == relation
            and denial.subject in before
            and denial.object in after
            and (denial.subject, denial.object) != (subject, obj)
        ):
            evidence = (*before[denial.subject], denial.id, *after[denial.object])
            found.append(Conflict(ground="implied", evidence=evidence))
    return found


def chain_between(vocabulary: Vocabulary, start: int, relation: str, end: int) -> tuple[str, ...]:
    """Evidence ids of a shortest chain of positive statements of a relation from one word to another; () for none."""
    return _reach(vocabulary, start, relation, forwards=True).get(end, ())


def _reach(
    vocabulary: Vocabulary, start: int, relation: str, *, forwards: bool
) -> dict[int, tuple[str, ...]]:
    """The words that positive statements of a relation lead to, each with the ids of a shortest chain; cycle-safe."""
    paths: dict[int, tuple[str, ...]] = {start: ()}
    queue = deque([start])
    while queue:
        at = queue.popleft()
        for said in vocabulary.statements_of(at):
            here, there = (said.subject, said.object) if forwards else (said.object, said.subject)
            if said.relation == relation and said.positive and here == at and there not in paths:
                paths[there] = (*paths[at], said.id)
                queue.append(there)
    return paths
