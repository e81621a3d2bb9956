"""What a pack is made of before it has points, and the checks that name the row at fault."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path

from cognition.packs.load import DATA, PackError, parse_lines
from cognition.packs.schema import GlossForm, Relation, RelationType, Sense, Source

Progress = Callable[[str, int, int], None]
"""Told of (stage, done, total) while a pack is made; a total of 0 is one that nobody knows."""

NO_CYCLES = frozenset(("structural", "temporal"))
"""Kinds of transitive relations that, as taxonomic ones, lead nowhere twice: nothing is its own part or forerunner."""
_MOST_SHOWN = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class Material:
    """The rows of a pack without its geometry, sorted as the format asks.

    Attributes:
        where: for the id of a sense or a statement, the row of a user's table that it comes from.
        notes: what was made or left out on the way, in words; a pack is good in spite of them.
    """

    id: str
    version: str
    language: str
    title: str
    gloss_form: GlossForm = "phrase"
    sources: tuple[Source, ...]
    senses: tuple[Sense, ...]
    relation_types: tuple[RelationType, ...]
    relations: tuple[Relation, ...]
    stop_words: tuple[str, ...]
    where: Mapping[str, str] = field(default_factory=dict)
    notes: tuple[str, ...] = ()


def quiet(stage: str, done: int, total: int) -> None:
    """Progress that nobody watches."""


def known_types(more: Path | None = None) -> dict[str, RelationType]:
    """The relation types that any pack may use, by id: the common ones, those of importers, and a file's.

    Raises:
        PackError: a file that can't be read, a row that is none, or an id with another meaning than the common one.
    """
    found = {kind.id: kind for kind in (*common_types(), *_types(DATA / "relation_types_more.jsonl"))}
    if more is not None:
        for line, kind in enumerate(_types(more), 1):
            if found.setdefault(kind.id, kind) != kind:
                raise PackError(
                    f"{more.name}:{line}", "id", f"{kind.id!r} has a common meaning already; take another id"
                )
    return found


def common_types() -> tuple[RelationType, ...]:
    """The relation types that every pack gets."""
    return _types(DATA / "relation_types.jsonl")


def default_stop_words() -> tuple[str, ...]:
    """English words that a walk does not stand on."""
    return tuple((DATA / "stop_words.txt").read_text(encoding="utf-8").splitlines())


def _types(path: Path) -> tuple[RelationType, ...]:
    try:
        return tuple(parse_lines(RelationType, path.read_bytes(), path.name))
    except OSError as error:
        raise PackError(str(path), "", f"can't be read ({error.strerror})") from None


def statement_key(relation: Relation, symmetric: frozenset[str]) -> tuple[str, str, str]:
    """What a statement is about, whoever asserts or denies it: a symmetric one is the same from both ends."""
    ends = (relation.subject, relation.object)
    first, second = sorted(ends) if relation.relation in symmetric else ends
    return first, relation.relation, second


def check_material(material: Material) -> None:
    """Checks what no single row shows: statements said twice or denied, cycles, gaps in ordered steps.

    Raises:
        PackError: the first fault, with the row that it comes from.
    """
    where = material.where
    kinds = {kind.id: kind for kind in material.relation_types}
    symmetric = frozenset(kind.id for kind in material.relation_types if kind.symmetric)
    seen: dict[tuple[str, str, str], Relation] = {}
    for relation in material.relations:
        at = where.get(relation.id, relation.id)
        if relation.subject == relation.object:
            raise PackError(at, "object", f"{relation.subject} does not stand in a relation to itself")
        other = seen.setdefault(statement_key(relation, symmetric), relation)
        if other is not relation:
            what = "says again what" if other.polarity == relation.polarity else "contradicts what"
            raise PackError(at, "", f"{what} {where.get(other.id, other.id)} says; delete one of them")
        if relation.order is not None and kinds[relation.relation].kind != "procedural":
            raise PackError(
                at, "order", f"only steps of a procedure are ordered; {relation.relation} has no order"
            )
    _check_steps(material, kinds)
    taxonomic = {kind.id for kind in kinds.values() if kind.kind == "taxonomic"}
    others = [{k.id} for k in kinds.values() if k.transitive and k.kind in NO_CYCLES]
    for group in (taxonomic, *others):
        _check_cycle(material, group)


def _check_cycle(material: Material, relations: Collection[str]) -> None:
    """Raises `PackError` where a chain of the relations comes back to where it began: the steps and a row of it."""
    rows = {
        (row.subject, row.object): row
        for name in sorted(relations)
        for row in asserted(material.relations, name)
    }
    found = cycle(rows)
    if found:
        steps = [rows[pair] for pair in pairwise(found)]
        named = "".join(f"{row.subject} {row.relation} " for row in steps[:_MOST_SHOWN])
        end = "..." if len(steps) > _MOST_SHOWN else found[-1]
        at = material.where.get(steps[-1].id, steps[-1].id)
        raise PackError(at, steps[-1].relation, f"a cycle: {named}{end}; delete one of these rows")


def asserted(relations: Iterable[Relation], relation: str) -> list[Relation]:
    """The statements of one type that are neither denied nor retracted."""
    return [
        row
        for row in relations
        if row.relation == relation and row.polarity == "positive" and row.status != "retracted"
    ]


def renumbered(relations: Iterable[Relation], kinds: Iterable[RelationType]) -> list[Relation]:
    """Statements in which retracted steps come after those that count, which are then numbered without a gap."""
    procedural = {kind.id for kind in kinds if kind.kind == "procedural"}
    rows = list(relations)
    steps: dict[tuple[str, str], list[int]] = {}
    for at, row in enumerate(rows):
        if row.relation in procedural and row.polarity == "positive" and row.order is not None:
            steps.setdefault((row.relation, row.object), []).append(at)
    for found in steps.values():
        if any(rows[at].status == "retracted" for at in found):
            found.sort(key=lambda at: (rows[at].status == "retracted", rows[at].order))
            for place, at in enumerate(found, 1):
                if rows[at].order != place:
                    rows[at] = rows[at].model_copy(update={"order": place})
    return rows


def _check_steps(material: Material, kinds: Mapping[str, RelationType]) -> None:
    orders: dict[tuple[str, str], list[tuple[int, str]]] = {}
    for row in material.relations:
        if kinds[row.relation].kind == "procedural" and row.polarity == "positive":
            at = material.where.get(row.id, row.id)
            if row.order is None:
                raise PackError(at, "order", f"a step of {row.object} needs its place, from 1")
            orders.setdefault((row.relation, row.object), []).append((row.order, at))
    for (_, goal), found in sorted(orders.items()):
        for place, (order, at) in enumerate(sorted(found), 1):
            if order != place:
                raise PackError(
                    at, "order", f"steps of {goal}: expected {place}, found {order}; number them 1, 2, 3"
                )


def cycle(edges: Iterable[tuple[str, str]]) -> list[str]:
    """A cycle of a directed graph as the nodes passed, the first one again at the end; [] where there is none."""
    onward: dict[str, list[str]] = {}
    for a, b in edges:
        onward.setdefault(a, []).append(b)
    done: set[str] = set()
    for root in onward:
        path, rest = [root], [iter(onward[root])]
        on_path = {root}
        while path and root not in done:
            step = next(rest[-1], None)
            if step is None:
                on_path.discard(path[-1])
                done.add(path.pop())
                rest.pop()
            elif step in on_path:
                return [*path[path.index(step) :], step]
            elif step not in done:
                path.append(step)
                on_path.add(step)
                rest.append(iter(onward.get(step, ())))
    return []
