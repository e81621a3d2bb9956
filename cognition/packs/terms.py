"""From the tables that a user writes to the material of a pack: senses with ids and forms, relations between them."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from cognition.packs.load import PackError
from cognition.packs.material import (
    Material,
    Progress,
    common_types,
    default_stop_words,
    known_types,
    quiet,
)
from cognition.packs.schema import (
    POS_LETTERS,
    GlossForm,
    Relation,
    RelationType,
    Sense,
    Source,
    StatementRow,
    Status,
    TermRow,
    id_stem,
)
from cognition.packs.tables import MOST_RELATIONS, MOST_TERMS, Table, open_table, suggestion, validated
from cognition.packs.words import surface_key
from recognition.english import gerund, participle, past, plural, third_person

OWN_SOURCE = "own"
NOT_STATED = "not stated"
_MANY = 50_000
_WITH_POS = re.compile(r"(.*\S)\s*\((noun|verb|adjective|adverb|function)\)")


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """What `core pack build` is asked for.

    Attributes:
        terms, relations, sources: the tables; the last two may be missing.
        id, version, title, language, gloss_form: of the manifest.
        licence, attribution: of the rows that name no source of their own.
        domain: of terms that name none; None asks each term for its own.
        relation_types: a file with further ones.
        stop_words: a file with the pack's own, a word a line.
        allow_formulas: keep cells that a spreadsheet would take for formulas.
        known: further senses that relations may name: those of the pack that is added to.
        statuses: of senses and statements, by id, whose row names none.
    """

    terms: Path
    relations: Path | None = None
    sources: Path | None = None
    id: str
    version: str = "1.0.0"
    title: str | None = None
    language: str = "en"
    gloss_form: GlossForm = "phrase"
    licence: str = NOT_STATED
    attribution: str | None = None
    domain: str | None = None
    relation_types: Path | None = None
    stop_words: Path | None = None
    allow_formulas: bool = False
    known: Sequence[Sense] = ()
    statuses: Mapping[str, Status] = field(default_factory=dict)


def read_material(request: Request, progress: Progress = quiet) -> Material:
    """Reads the tables of a request.

    Raises:
        PackError: the first fault, with file, line and column.
    """
    table = _open(request, request.terms, TermRow, MOST_TERMS, "terms")
    sources = _sources(request)
    senses: list[Sense] = []
    where: dict[str, str] = {}
    notes = _Notes()
    for at, values in table:
        if len(senses) % 1000 == 0:
            progress("reading terms", len(senses), table.rows)
        values = _trimmed(values, notes)
        row = validated(TermRow, values, at)
        sense = _sense(row, request, sources, at, notes)
        if sense.id in where:
            raise PackError(
                at,
                "term",
                f"{row.term!r} stands in {where[sense.id]} too; number its senses in a column 'sense'",
            )
        where[sense.id] = at
        senses.append(sense)
    senses.sort(key=lambda sense: sense.id)
    types = known_types(request.relation_types)
    relations: list[Relation] = []
    if request.relations is not None:
        names = _Names([*senses, *(sense for sense in request.known if sense.id not in where)])
        statements = _open(request, request.relations, StatementRow, MOST_RELATIONS, "relations")
        for at, values in statements:
            if len(relations) % 1000 == 0:
                progress("reading relations", len(relations), statements.rows)
            relation = _relation(validated(StatementRow, values, at), names, types, request, sources, at)
            if relation.id in where:
                raise PackError(at, "", f"says again what {where[relation.id]} says; delete one of them")
            where[relation.id] = at
            relations.append(relation)
        relations.sort(key=lambda row: (row.subject, row.relation, row.object))
    used = {row.relation for row in relations} | {kind.id for kind in common_types()}
    used |= _own_types(request, types)
    credited = {row.provenance.source for row in (*senses, *relations)}
    notes.surfaces(senses)
    return Material(
        id=request.id,
        version=request.version,
        language=request.language,
        title=request.title or request.id.replace("_", " ").capitalize(),
        gloss_form=request.gloss_form,
        sources=tuple(sources[name] for name in sorted(sources) if name in credited),
        senses=tuple(senses),
        relation_types=tuple(types[name] for name in sorted(used)),
        relations=tuple(relations),
        stop_words=_stop_words(request.stop_words),
        where=where,
        notes=notes.lines(),
    )


def _open(request: Request, path: Path, model: Any, most: int, what: str) -> Table:
    return open_table(path, model, most=most, what=what, allow_formulas=request.allow_formulas)


def _own_types(request: Request, types: dict[str, RelationType]) -> set[str]:
    """Types of the user's own file: they are in the pack even before a statement uses them."""
    return set(types) - set(known_types()) if request.relation_types is not None else set()


def _sources(request: Request) -> dict[str, Source]:
    found: dict[str, Source] = {}
    if request.sources is not None:
        for at, values in _open(request, request.sources, Source, 10_000, "sources"):
            source = validated(Source, values, at)
            if found.setdefault(source.id, source) is not source:
                raise PackError(at, "id", f"{source.id!r} is there already; each source has one row")
    if OWN_SOURCE not in found:
        own = {
            "id": OWN_SOURCE,
            "title": request.title or f"The table {request.terms.name}",
            "licence": request.licence,
            "attribution": request.attribution or f"the authors of {request.terms.name}",
        }
        found[OWN_SOURCE] = validated(Source, own, "--title, --licence, --attribution")
    return found


def _source(name: str | None, sources: dict[str, Source], at: str) -> str:
    if name is None:
        listed = [source for source in sources if source != OWN_SOURCE]
        return listed[0] if len(listed) == 1 else OWN_SOURCE
    if name not in sources:
        known = ", ".join(source for source in sources if source != OWN_SOURCE) or "none; give --sources"
        raise PackError(at, "source", f"no source {name!r}{suggestion(name, list(sources))}; known: {known}")
    return name


def _trimmed(values: dict[str, Any], notes: _Notes) -> dict[str, Any]:
    gloss = values.get("gloss")
    if isinstance(gloss, str) and gloss.endswith(".") and not gloss.endswith("..") and len(gloss) > 1:
        notes.full_stops += 1
        return values | {"gloss": gloss[:-1].rstrip()}
    return values


def _sense(row: TermRow, request: Request, sources: dict[str, Source], at: str, notes: _Notes) -> Sense:
    language = row.language or request.language
    english = language == "en"
    domains = row.domains or ((request.domain,) if request.domain else ())
    if not domains:
        raise PackError(
            at, "domains", "none; fill the column 'domains', or give --domain for terms without one"
        )
    countability = row.countability
    if row.pos == "noun" and countability is None:
        countability = "count" if english or row.plural else "proper"
        if english and row.term[0].isupper() and not row.term.isupper():
            notes.names.append(row.term)
    forms: dict[str, str] = {}
    if row.pos == "verb":
        forms = {
            "third": row.third or (third_person(row.term) if english else row.term),
            "past": row.past or (past(row.term) if english else row.term),
            "participle": row.participle or row.past or (participle(row.term) if english else row.term),
            "ing": row.ing or (gerund(row.term) if english else row.term),
        }
    elif countability == "count":
        forms = {"plural": row.plural or (plural(row.term) if english else row.term)}
    given = (row.plural,) if row.plural else ()
    sense_id = f"{id_stem(row.term)}.{POS_LETTERS[row.pos]}.{row.sense}"
    record = {
        "id": sense_id,
        "lemma": row.term,
        "pos": row.pos,
        "countability": countability,
        "forms": forms,
        "surfaces": list(dict.fromkeys((row.term, *forms.values(), *given, *row.surfaces))),
        "domains": list(dict.fromkeys(domains)),
        "gloss": row.gloss,
        "salience": row.salience,
        "language": language,
        "status": row.status or request.statuses.get(sense_id, "reviewed"),
        "provenance": {"source": _source(row.source, sources, at), "note": row.note},
    }
    return validated(Sense, record, at)


def _relation(
    row: StatementRow,
    names: _Names,
    types: dict[str, RelationType],
    request: Request,
    sources: dict[str, Source],
    at: str,
) -> Relation:
    if row.relation not in types:
        near = suggestion(row.relation, list(types))
        raise PackError(
            at,
            "relation",
            f"no relation {row.relation!r}{near}; known: {', '.join(types)}; --relation-types adds others",
        )
    record = {
        "subject": names.sense(row.subject, at, "subject"),
        "relation": row.relation,
        "object": names.sense(row.object, at, "object"),
        "polarity": row.polarity,
        "order": row.order,
        "status": row.status or "reviewed",
        "provenance": {"source": _source(row.source, sources, at), "note": row.note},
    }
    relation = validated(Relation, record, at)
    status = row.status or request.statuses.get(relation.id, "reviewed")
    return relation if relation.status == status else relation.model_copy(update={"status": status})


class _Names:
    """What the ends of relations may be called."""

    def __init__(self, senses: Sequence[Sense]) -> None:
        self._senses = {sense.id: sense for sense in senses}
        self._lemmas: dict[tuple[str, ...], list[str]] = defaultdict(list)
        self._surfaces: dict[tuple[str, ...], list[str]] = defaultdict(list)
        for sense in senses:
            self._lemmas[surface_key(sense.lemma)].append(sense.id)
            for key in dict.fromkeys(map(surface_key, sense.surfaces)):
                self._surfaces[key].append(sense.id)

    def sense(self, name: str, at: str, field: str) -> str:
        """The id of the sense that a cell names."""
        if name in self._senses:
            return name
        found = self._find(name)
        with_pos = _WITH_POS.fullmatch(name)
        if not found and with_pos:
            found = [one for one in self._find(with_pos[1]) if self._senses[one].pos == with_pos[2]]
        if len(found) == 1:
            return found[0]
        if found:
            raise PackError(at, field, f"{name!r} names {len(found)} senses; write one of {', '.join(found)}")
        known = [sense.lemma for sense in self._senses.values()][:_MANY]
        raise PackError(at, field, f"no term {name!r}{suggestion(name, known)}; add it to the terms")

    def _find(self, name: str) -> list[str]:
        key = surface_key(name)
        return self._lemmas.get(key) or self._surfaces.get(key) or []


class _Notes:
    """What was made or assumed, counted, and said once."""

    def __init__(self) -> None:
        self.full_stops = 0
        self.names: list[str] = []
        self._clashes: list[str] = []

    def surfaces(self, senses: Sequence[Sense]) -> None:
        """Words that several equally salient senses share, so that only the order of rows decides between them."""
        found: dict[tuple[str, ...], list[Sense]] = defaultdict(list)
        for sense in senses:
            for key in dict.fromkeys(map(surface_key, sense.surfaces)):
                found[key].append(sense)
        for key, shared in found.items():
            if len({(sense.pos, sense.salience) for sense in shared}) < len(shared):
                self._clashes.append(f"{' '.join(key)} ({', '.join(sense.id for sense in shared)})")

    def lines(self) -> tuple[str, ...]:
        lines = []
        if self.full_stops:
            lines.append(f"a gloss is a phrase: the full stop at the end of {self.full_stops} was left out")
        if self.names:
            lines.append(
                f"taken as count nouns though they begin with a capital: {_some(self.names)}; "
                "where one is a name, say proper in the column 'countability'"
            )
        if self._clashes:
            lines.append(
                f"words of several senses with one salience: {_some(self._clashes)}; "
                "the higher number in the column 'salience' is taken first"
            )
        return tuple(lines)


def _some(found: list[str]) -> str:
    return ", ".join(found[:5]) + (f" and {len(found) - 5} more" if len(found) > 5 else "")


def _stop_words(path: Path | None) -> tuple[str, ...]:
    if path is None:
        return default_stop_words()
    try:
        words = path.read_text(encoding="utf-8-sig").split("\n")
    except OSError as error:
        raise PackError(str(path), "", f"can't be read ({error.strerror})") from None
    except UnicodeDecodeError as error:
        raise PackError(path.name, "", f"byte {error.start}: not UTF-8; save the file as UTF-8") from None
    return tuple(sorted({word.strip() for word in words if word.strip()}))
