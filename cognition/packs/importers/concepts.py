"""What importers have in common: concepts with their names and definitions, made into senses with ids and forms."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from cognition.packs.load import PackError
from cognition.packs.material import Material, Progress, default_stop_words, known_types, quiet, statement_key
from cognition.packs.schema import (
    POS_LETTERS,
    Countability,
    GlossForm,
    PartOfSpeech,
    Relation,
    RelationType,
    Sense,
    Source,
    id_stem,
)
from cognition.packs.tables import MOST_TERMS, validated
from recognition.english import gerund, noun_number, participle, past, plural, third_person

Link = tuple[str, str, str]
"""Subject, relation type, object; the ends are keys of concepts."""

_BINOMIAL = re.compile(r"[A-Z][a-z]+(?: [a-z]+)? ([a-z]+(?:us|a|um|is|i|ae|es|ans|ens|on|ax|ix|ex|or))")
_NOT_DOMAIN = re.compile(r"[^a-z0-9]+")


@dataclass(frozen=True, slots=True, kw_only=True)
class Concept:
    """A concept of a source.

    Attributes:
        key: its id there.
        names: what it is called, the preferred name first.
        gloss: its definition; "" where the source has none.
        number: which sense of its preferred name it is, the most usual first.
        rank: the mean of that over all its names.
        countability: of a noun; None leaves it to `counted`.
        note: kept beside the sense.
        where: the row or node it comes from.
    """

    key: str
    names: tuple[str, ...]
    pos: PartOfSpeech
    gloss: str
    domains: tuple[str, ...]
    number: int = 1
    rank: float = 1.0
    countability: Countability | None = None
    note: str | None = None
    where: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Vocabulary:
    """Concepts of a source and the links between them, before they are a pack.

    Attributes:
        irregular: plurals and verb forms that the source gives, by (lemma, letter of the part of speech).
        notes: what was left out.
    """

    source: Source
    language: str
    gloss_form: GlossForm
    concepts: Sequence[Concept]
    links: Iterable[Link]
    irregular: Mapping[tuple[str, str], tuple[str, ...]] = field(default_factory=dict)
    notes: tuple[str, ...] = ()


def clean_gloss(text: str) -> str:
    """A definition as a gloss: one line, without an example at its end, without final punctuation."""
    gloss = " ".join(text.split())
    example = gloss.find('; "')
    if example > 0:
        gloss = gloss[:example]
    return gloss.rstrip(" .;:,!?").strip()


def domain_of(name: str) -> str | None:
    """A name shaped as a part of a domain; None where nothing is left of it."""
    shaped = _NOT_DOMAIN.sub("_", name.lower()).strip("_")
    if shaped and not shaped[0].isalpha():
        shaped = f"d_{shaped}"
    return shaped[:60].strip("_") or None


def is_binomial(name: str) -> bool:
    """Whether a name is that of a species in Latin, as Canis familiaris: its second word is no English noun."""
    found = _BINOMIAL.fullmatch(name)
    return found is not None and not noun_number(found[1])


def counted(name: str) -> Countability:
    """How a noun counts, by its form alone: mass (said without article) where it has no plural, or is one."""
    number = noun_number(name)
    if is_binomial(name):
        return "proper"
    return "mass" if number == {"plural"} or (number <= {"singular"} and plural(name) == name) else "count"


def material_of_vocabulary(
    vocabulary: Vocabulary,
    *,
    id: str,  # noqa: A002 - the manifest's word
    version: str,
    title: str | None,
    break_cycles: bool = False,
    progress: Progress = quiet,
) -> Material:
    """The material of a pack that holds a vocabulary.

    A concept is one sense. Those of one preferred name and part of speech keep the order of their numbers there.

    Args:
        vocabulary: as read.
        id, version, title: of the pack.
        break_cycles: leave out the links that close a cycle of taxonomic relations; otherwise a cycle is an error.
        progress: told of each stage.

    Raises:
        PackError: no concept, too many, or one that makes no sense.
    """
    concepts = vocabulary.concepts
    if not concepts:
        raise PackError(vocabulary.source.title, "", "no concept is left to import; widen the selection")
    if len(concepts) > MOST_TERMS:
        raise PackError(
            vocabulary.source.title,
            "",
            f"{len(concepts):,} concepts; one pack takes {MOST_TERMS:,}: import a part",
        )
    ids = numbered(concepts)
    senses = []
    where = {}
    for done, concept in enumerate(concepts):
        if done % 1000 == 0:
            progress("making senses", done, len(concepts))
        senses.append(_sense(concept, ids[concept.key], vocabulary))
        where[ids[concept.key]] = concept.where
    types = known_types()
    relations, notes = _relations(vocabulary.links, ids, types, vocabulary.source.id, break_cycles)
    used = {row.relation for row in relations} | {"is_a"}
    return Material(
        id=id,
        version=version,
        language=vocabulary.language,
        title=title or vocabulary.source.title,
        gloss_form=vocabulary.gloss_form,
        sources=(vocabulary.source,),
        senses=tuple(sorted(senses, key=lambda sense: sense.id)),
        relation_types=tuple(types[name] for name in sorted(used)),
        relations=tuple(relations),
        stop_words=default_stop_words(),
        where=where,
        notes=(*vocabulary.notes, *notes),
    )


def numbered(concepts: Sequence[Concept]) -> dict[str, str]:
    """The sense ids of concepts, by key."""
    homographs: dict[str, list[Concept]] = defaultdict(list)
    for concept in concepts:
        homographs[f"{id_stem(concept.names[0])}.{POS_LETTERS[concept.pos]}"].append(concept)
    return {
        concept.key: f"{stem}.{number}"
        for stem, found in homographs.items()
        for number, concept in enumerate(sorted(found, key=lambda one: (one.number, one.rank, one.key)), 1)
    }


def _sense(concept: Concept, sense_id: str, vocabulary: Vocabulary) -> Sense:
    lemma = concept.names[0]
    english = vocabulary.language == "en"
    countability: Countability | None = None
    if concept.pos == "noun":
        countability = concept.countability or (counted(lemma) if english else "proper")
    forms: dict[str, str] = {}
    surfaces: dict[str, None] = {lemma: None}
    for name in concept.names:
        surfaces[name] = None
        made: dict[str, str] = {}
        if (english or concept.pos == "verb") and (name == lemma or not _has_no_forms(name, concept.pos)):
            made = _forms(name, concept.pos, countability, vocabulary)
        if name == lemma:
            forms = made
        surfaces |= dict.fromkeys(made.values())
    record = {
        "id": sense_id,
        "lemma": lemma,
        "pos": concept.pos,
        "countability": countability,
        "forms": forms,
        "surfaces": list(surfaces),
        "domains": list(dict.fromkeys(concept.domains))[:8],
        "gloss": concept.gloss,
        "salience": salience_of(concept.rank),
        "language": vocabulary.language,
        "status": "reviewed",
        "provenance": {"source": vocabulary.source.id, "note": concept.note},
    }
    return validated(Sense, record, concept.where)


def _has_no_forms(name: str, pos: PartOfSpeech) -> bool:
    return pos == "noun" and (is_binomial(name) or noun_number(name) == {"plural"})


def salience_of(rank: float) -> int:
    """The salience of a sense from its rank: 60 where all names mean it first, and 8 less for each place after."""
    return max(5, round(68 - 8 * rank))


def _forms(
    name: str, pos: PartOfSpeech, countability: Countability | None, vocabulary: Vocabulary
) -> dict[str, str]:
    if vocabulary.language != "en":
        return dict.fromkeys(("third", "past", "participle", "ing"), name)
    if pos == "verb":
        return {
            "third": third_person(name),
            "past": past(name),
            "participle": participle(name),
            "ing": gerund(name),
        }
    if countability == "count":
        irregular = vocabulary.irregular.get((name, "n"), ())
        regular = plural(name)
        return {"plural": irregular[0] if len(irregular) == 1 and regular not in irregular else regular}
    return {}


def _relations(
    links: Iterable[Link],
    ids: Mapping[str, str],
    types: Mapping[str, RelationType],
    source: str,
    break_cycles: bool,
) -> tuple[list[Relation], list[str]]:
    symmetric = frozenset(kind.id for kind in types.values() if kind.symmetric)
    rows: dict[tuple[str, str, str], Relation] = {}
    lost: Counter[str] = Counter()
    for subject, relation, obj in links:
        if subject not in ids or obj not in ids:
            lost["lead outside of what was imported"] += 1
            continue
        if ids[subject] == ids[obj]:
            lost["lead from a concept to itself"] += 1
            continue
        row = Relation.model_validate(
            {
                "subject": ids[subject],
                "relation": relation,
                "object": ids[obj],
                "polarity": "positive",
                "order": None,
                "status": "reviewed",
                "provenance": {"source": source},
            }
        )
        rows.setdefault(statement_key(row, symmetric), row)
    found = sorted(rows.values(), key=lambda row: (row.subject, row.relation, row.object))
    if break_cycles:
        closing = _closing({kind.id for kind in types.values() if kind.kind == "taxonomic"}, found)
        lost["would close a cycle"] = len(closing)
        found = [row for row in found if row.id not in closing]
    return found, [f"{count:,} links are left out that {why}" for why, count in lost.items() if count]


def _closing(taxonomic: Collection[str], relations: Sequence[Relation]) -> set[str]:
    """Statements without which taxonomic relations have no cycle: those that lead back to a word on the way to them."""
    onward: dict[str, list[Relation]] = defaultdict(list)
    for row in relations:
        if row.relation in taxonomic:
            onward[row.subject].append(row)
    done: set[str] = set()
    closing: set[str] = set()
    for root in list(onward):
        path, rest = [root], [iter(onward[root])]
        on_path = {root}
        while path and root not in done:
            row: Any = next(rest[-1], None)
            if row is None:
                on_path.discard(path[-1])
                done.add(path.pop())
                rest.pop()
            elif row.object in on_path:
                closing.add(row.id)
            elif row.object not in done:
                path.append(row.object)
                on_path.add(row.object)
                rest.append(iter(onward.get(row.object, ())))
    return closing
