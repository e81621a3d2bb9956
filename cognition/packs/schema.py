"""The pack format: pydantic models of every row, published as JSON Schema by `json_schemas`.

A pack is a folder of text files, each with its SHA-256 in `manifest.json`:

    manifest.json         id, version, language, sources with licences, files with digests, chart of the geometry
    senses.jsonl          one `Sense` a line, ascending by id
    relation_types.jsonl  one `RelationType` a line, ascending by id
    relations.jsonl       one `Relation` a line, ascending by (subject, relation, object)
    geometry.jsonl        one `GeometryRow` a line, in the order of the senses
    stop_words.txt        one surface a line, ascending
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
Sha256 = Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{64}$")]
Coordinate = Annotated[int, Field(gt=-LATTICE_BOUND, lt=LATTICE_BOUND)]


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

    @field_validator("turn", mode="before")
    @classmethod
    def _as_tuple(cls, value: Any) -> Any:
        return tuple(value) if isinstance(value, list) else value


class Manifest(Row):
    """`manifest.json`."""

    schema_version: Literal[1]
    id: PackId
    version: Annotated[str, StringConstraints(pattern=r"^[0-9]+\.[0-9]+\.[0-9]+$")]
    language: Annotated[str, StringConstraints(pattern=r"^[a-z]{2,3}$")]
    title: Text
    sources: Annotated[tuple[Source, ...], Field(min_length=1)]
    chart: Chart
    files: dict[str, FileEntry]

    @field_validator("sources", mode="before")
    @classmethod
    def _as_tuple(cls, value: Any) -> Any:
        return tuple(value) if isinstance(value, list) else value


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
    language: Annotated[str, StringConstraints(pattern=r"^[a-z]{2,3}$")]
    status: Status
    provenance: Provenance

    @field_validator("surfaces", "domains", mode="before")
    @classmethod
    def _as_tuple(cls, value: Any) -> Any:
        return tuple(value) if isinstance(value, list) else value

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
        if stem != re.sub(r"\s+", "_", self.lemma):
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

    @field_validator("x", mode="before")
    @classmethod
    def _as_tuple(cls, value: Any) -> Any:
        return tuple(value) if isinstance(value, list) else value


JSONL_FILES: dict[str, type[Row]] = {
    "senses.jsonl": Sense,
    "relation_types.jsonl": RelationType,
    "relations.jsonl": Relation,
    "geometry.jsonl": GeometryRow,
}
STOP_WORDS_FILE = "stop_words.txt"
MANIFEST_FILE = "manifest.json"
PACK_FILES: tuple[str, ...] = (*JSONL_FILES, STOP_WORDS_FILE)


def json_schemas() -> dict[str, dict[str, Any]]:
    """The JSON Schema of each file's rows, by file name."""
    models: dict[str, type[Row]] = {MANIFEST_FILE: Manifest, **JSONL_FILES}
    return {name: model.model_json_schema() for name, model in models.items()}
