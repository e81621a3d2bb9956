"""The pack format: pydantic models of every row, published as JSON Schema by `json_schemas`.

A pack is a folder of text files, each with its SHA-256 in `manifest.json`:

    manifest.json         id, version, language, sources with licences, files with digests, chart of the geometry
    senses.jsonl          one `Sense` a line, ascending by id
    relation_types.jsonl  one `RelationType` a line, ascending by id
    relations.jsonl       one `Relation` a line, ascending by (subject, relation, object)
    geometry.jsonl        one `GeometryRow` a line, in the order of the senses
    stop_words.txt        one surface a line, ascending

What a pack is built from (`core pack build`) is described here too: `TermRow`, `StatementRow` and `Source` are the
rows of the tables that a user writes.
"""

from __future__ import annotations

import re
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, field_validator, model_validator

SCHEMA_VERSION = 1
LATTICE_BOUND = 2**24

PartOfSpeech = Literal["noun", "verb", "adjective", "adverb", "function"]
Countability = Literal["count", "mass", "proper", "unique"]
FormName = Literal["plural", "third", "past", "participle", "ing"]
Status = Literal["reviewed", "speculative", "retracted"]
GlossForm = Literal["phrase", "definition"]
Polarity = Literal["positive", "negative"]
RelationKind = Literal[
    "causal", "contrast", "dependence", "evidential", "opposition", "procedural", "purpose", "showing",
    "structural", "support", "taxonomic", "temporal",
]  # fmt: skip

POS_LETTERS: dict[str, str] = {"noun": "n", "verb": "v", "adjective": "a", "adverb": "r", "function": "f"}

Text = Annotated[str, StringConstraints(min_length=1, pattern=r"^\S(.*\S)?$")]
SenseId = Annotated[str, StringConstraints(pattern=r"^[^\s/\\]+\.[nvarf]\.[1-9][0-9]*$")]
PackId = Annotated[str, StringConstraints(pattern=r"^[a-z][a-z0-9_]{0,63}$")]
RelationTypeId = Annotated[str, StringConstraints(pattern=r"^[a-z][a-z0-9_]{0,39}$")]
Domain = Annotated[str, StringConstraints(pattern=r"^[a-z][a-z0-9_-]*(\.[a-z][a-z0-9_-]*)*$")]
Language = Annotated[str, StringConstraints(pattern=r"^[a-z]{2,3}$")]
Sha256 = Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{64}$")]
Coordinate = Annotated[int, Field(gt=-LATTICE_BOUND, lt=LATTICE_BOUND)]


def id_stem(lemma: str) -> str:
    """The part of a sense id that names the lemma: blanks and slashes are underscores."""
    return re.sub(r"[\s/\\]+", "_", lemma)


def _as_tuple(value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else value


class Row(BaseModel):
    """Base of all rows: unknown fields are errors, types are not coerced, values are frozen."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


class Provenance(Row):
    """Where an entry comes from: a source id of the manifest, and a free note."""

    source: Text
    note: str | None = None


class Source(Row):
    """A source of entries with its licence and the attribution that licence asks for."""

    id: Text
    title: Text
    licence: Text
    attribution: Text
    url: str | None = None


class FileEntry(Row):
    """Digest and number of rows of one file of the pack."""

    sha256: Sha256
    rows: Annotated[int, Field(ge=0)]


class Chart(Row):
    """How fitted points became lattice points: the turn applied (4 x 4, row-major) and the scale.

    Decimals are strings, so that the manifest is canonical JSON on every platform. `radius` is the largest
    distance of a word from the origin of the fit.
    """

    turn: Annotated[tuple[str, ...], Field(min_length=16, max_length=16)]
    scale: Text
    radius: Text

    _as_tuple = field_validator("turn", mode="before")(_as_tuple)


class Manifest(Row):
    """`manifest.json`.

    `gloss_form` says what the glosses are: phrases that complete "a hive is ..." and "to swarm is to ...", or a
    dictionary's definitions, which are quoted.
    """

    schema_version: Literal[1]
    id: PackId
    version: Annotated[str, StringConstraints(pattern=r"^[0-9]+\.[0-9]+\.[0-9]+$")]
    language: Language
    title: Text
    gloss_form: GlossForm = "phrase"
    sources: Annotated[tuple[Source, ...], Field(min_length=1)]
    chart: Chart
    files: dict[str, FileEntry]

    _as_tuple = field_validator("sources", mode="before")(_as_tuple)


class Sense(Row):
    """One meaning of one lemma. Points and evidence belong to senses; surfaces map to senses.

    A noun's countability says which article it takes: a step (count), knowledge (mass), Socrates (proper),
    the sun (unique).
    """

    id: SenseId
    lemma: Text
    pos: PartOfSpeech
    countability: Countability | None = None
    forms: dict[FormName, Text] = {}
    surfaces: Annotated[tuple[Text, ...], Field(min_length=1)]
    domains: Annotated[tuple[Domain, ...], Field(min_length=1, max_length=8)]
    gloss: Text
    salience: Annotated[int, Field(ge=0, le=100)]
    language: Language
    status: Status
    provenance: Provenance

    _as_tuple = field_validator("surfaces", "domains", mode="before")(_as_tuple)

    @field_validator("surfaces", "domains")
    @classmethod
    def _unique(cls, value: tuple[str, ...]) -> tuple[str, ...]:
        if len(set(value)) != len(value):
            raise ValueError("names one value twice")
        return value

    @field_validator("gloss")
    @classmethod
    def _gloss(cls, value: str) -> str:
        if value[-1] in ".!?":
            raise ValueError("a gloss is a phrase: leave out the final punctuation")
        return value

    @model_validator(mode="after")
    def _consistent(self) -> Sense:
        stem, letter, _ = self.id.rsplit(".", 2)
        if letter != POS_LETTERS[self.pos]:
            raise ValueError(f"id: letter {letter!r} does not stand for pos {self.pos!r}")
        if stem != id_stem(self.lemma):
            raise ValueError(f"id: {stem!r} is not the lemma {self.lemma!r}")
        if (self.countability is None) == (self.pos == "noun"):
            raise ValueError("countability: nouns have one, other words have none")
        for form in (self.lemma, *self.forms.values()):
            if form not in self.surfaces:
                raise ValueError(f"surfaces: {form!r} is missing")
        if self.pos == "verb" and set(self.forms) != {"third", "past", "participle", "ing"}:
            raise ValueError("forms: a verb needs third, past, participle and ing")
        if self.countability == "count" and set(self.forms) != {"plural"}:
            raise ValueError("forms: a count noun needs its plural")
        return self


class RelationType(Row):
    """A kind of statement: SUBJECT verb [preposition] OBJECT.

    `third` and `plural` are the verb's present forms ("requires", "require"; "is", "are"); a pack asserts
    nothing about words the type does not join. `object_number` says how a count noun stands as object: "a step"
    (singular), "errors" (plural), or without article, as after "a kind of" (bare). `functional` says that a subject
    has one object at most.
    """

    id: RelationTypeId
    verb: Text
    third: Text
    plural: Text
    preposition: str
    object_number: Literal["singular", "plural", "bare"]
    symmetric: bool
    transitive: bool
    functional: bool = False
    kind: RelationKind
    inverse_phrase: Text
    gloss: Text


class Relation(Row):
    """One reviewed (or speculative) statement about two senses."""

    subject: SenseId
    relation: RelationTypeId
    object: SenseId
    polarity: Polarity
    order: Annotated[int, Field(ge=1)] | None = None
    status: Status
    provenance: Provenance

    @property
    def id(self) -> str:
        """The evidence id: stable while the statement is the same."""
        sign = "" if self.polarity == "positive" else "not:"
        return f"rel:{self.subject}:{sign}{self.relation}:{self.object}"


class GeometryRow(Row):
    """A sense's lattice point: centre x and breadth rho (see `cga.backend.Point`)."""

    id: SenseId
    x: Annotated[tuple[Coordinate, Coordinate, Coordinate], Field()]
    rho: Annotated[int, Field(ge=1, lt=LATTICE_BOUND)]

    _as_tuple = field_validator("x", mode="before")(_as_tuple)


class TermRow(Row):
    """A row of the table of terms that a pack is built from; in a CSV a cell holds several values as ``a|b``.

    What is left out is made: the forms of an English word by `recognition.english`, `countability` as count, and
    `domains`, `language` and `source` as the build says. A gloss completes "a TERM is ...", "to TERM is to ..." or
    "“TERM” means ...".
    """

    term: Text
    gloss: Text
    pos: PartOfSpeech = "noun"
    sense: Annotated[int, Field(ge=1)] = 1
    domains: Annotated[tuple[Domain, ...], Field(max_length=8)] = ()
    surfaces: tuple[Text, ...] = ()
    plural: Text | None = None
    countability: Countability | None = None
    third: Text | None = None
    past: Text | None = None
    participle: Text | None = None
    ing: Text | None = None
    salience: Annotated[int, Field(ge=0, le=100)] = 50
    language: Language | None = None
    status: Status | None = None
    source: Text | None = None
    note: Text | None = None

    _as_tuple = field_validator("surfaces", "domains", mode="before")(_as_tuple)


class StatementRow(Row):
    """A row of the table of relations: its ends are a term, ``term (verb)``, or a sense id such as ``swarm.v.1``."""

    subject: Text
    relation: Text
    object: Text
    polarity: Polarity = "positive"
    order: Annotated[int, Field(ge=1)] | None = None
    status: Status | None = None
    source: Text | None = None
    note: Text | None = None


JSONL_FILES: dict[str, type[Row]] = {
    "senses.jsonl": Sense,
    "relation_types.jsonl": RelationType,
    "relations.jsonl": Relation,
    "geometry.jsonl": GeometryRow,
}
INPUT_TABLES: dict[str, type[Row]] = {"terms": TermRow, "relations": StatementRow, "sources": Source}
STOP_WORDS_FILE = "stop_words.txt"
MANIFEST_FILE = "manifest.json"
PACK_FILES: tuple[str, ...] = (*JSONL_FILES, STOP_WORDS_FILE)


def json_schemas() -> dict[str, dict[str, Any]]:
    """The JSON Schema of each file's rows, by file name, and of the rows that a pack is built from, by table."""
    models: dict[str, type[Row]] = {MANIFEST_FILE: Manifest, **JSONL_FILES, **INPUT_TABLES}
    return {name: model.model_json_schema() for name, model in models.items()}
