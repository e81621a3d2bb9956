"""Packs of a dozen words with points chosen by hand, so that regions, walks and answers can be predicted on paper."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from cga.backend import Point, open_backend
from cognition import PackError, RuntimeConfig, Vocabulary, load_pack
from cognition.packs.load import Pack
from cognition.packs.schema import JSONL_FILES, Manifest, PartOfSpeech
from cognition.runtime import Runtime

Row = dict[str, Any]
LETTERS = {"noun": "n", "verb": "v", "adjective": "a", "adverb": "r", "function": "f"}
FILES = ("senses.jsonl", "relation_types.jsonl", "relations.jsonl", "geometry.jsonl", "stop_words.txt")
BY = {"source": "us"}
STOP_WORDS = ("a", "do", "does", "how", "is", "of", "requires", "the", "to", "what", "why")


def relation_type(id: str, verb: str, third: str, **more: Any) -> Row:  # noqa: A002
    row = {
        "id": id,
        "verb": verb,
        "third": third,
        "plural": "are" if verb == "be" else verb,
        "preposition": "",
        "object_number": "singular",
        "symmetric": False,
        "transitive": False,
        "kind": "dependence",
        "inverse_phrase": f"is {id} by",
        "gloss": f"the subject {third} the object",
    }
    return row | more


TYPES = (
    relation_type(
        "contrasts_with", "contrast", "contrasts", preposition="with", symmetric=True, kind="contrast"
    ),
    relation_type("enables", "enable", "enables", kind="causal", inverse_phrase="is made possible by"),
    relation_type(
        "is_a", "be", "is", preposition="a kind of", transitive=True, kind="taxonomic", object_number="bare"
    ),
    relation_type("produces", "produce", "produces", kind="causal", inverse_phrase="is produced by"),
    relation_type("requires", "require", "requires", transitive=True, inverse_phrase="is required by"),
    relation_type("step_of", "be", "is", preposition="a step of", kind="procedural"),
)


def word(
    lemma: str, x: int = 0, *, at: Sequence[int] | None = None, pos: PartOfSpeech = "noun", **more: Any
) -> Row:
    """A sense's row with its point under ``"point"``: on the first axis at breadth 100 unless ``at`` says."""
    forms: dict[str, str] = more.pop("forms", {})
    if pos == "verb" and not forms:
        stem = lemma.removesuffix("e")
        forms = {"third": f"{lemma}s", "past": f"{stem}ed", "participle": f"{stem}ed", "ing": f"{stem}ing"}
    plural = more.pop("plural", None)
    if plural:
        forms = {"plural": plural}
    surfaces = [lemma, *(form for form in forms.values() if form != lemma), *more.pop("surfaces", ())]
    row = {
        "id": f"{lemma.replace(' ', '_')}.{LETTERS[pos]}.{more.pop('n', 1)}",
        "lemma": lemma,
        "pos": pos,
        "countability": ("count" if plural else "mass") if pos == "noun" else None,
        "forms": forms,
        "surfaces": list(dict.fromkeys(surfaces)),
        "domains": ["food"],
        "gloss": f"what cooks know as number {x}",
        "salience": 50,
        "language": "en",
        "status": "reviewed",
        "provenance": BY,
    }
    return {**row, **more, "point": list(at) if at is not None else [x, 0, 0, 100]}


def said(text: str, *, order: int | None = None, status: str = "reviewed") -> Row:
    """A relation's row from "bread.n.1 requires flour.n.1", or "bread.n.1 not requires salt.n.1"."""
    subject, *denial, relation, obj = text.split()
    return {
        "subject": subject,
        "relation": relation,
        "object": obj,
        "polarity": "negative" if denial else "positive",
        "order": order,
        "status": status,
        "provenance": BY,
    }


MIX = {"third": "mixes", "past": "mixed", "participle": "mixed", "ing": "mixing"}
BAKERY = (
    word("bake", 400, pos="verb", gloss="make food ready in dry heat"),
    word("baker", 300, plural="bakers", gloss="a person who makes bread"),
    word("bread", 0, gloss="food made of flour and water"),
    word("cake", 90, plural="cakes", gloss="a sweet soft food"),
    word("flour", 30, gloss="grain ground to powder"),
    word("knead", 410, pos="verb", gloss="work dough with the hands"),
    word("mix", 425, pos="verb", gloss="stir things together", forms=MIX),
    word("oven", 10, plural="ovens", gloss="a hot closed box for cooking"),
    word("salt", 1000, gloss="white grains from the sea"),
    word("toast", -20, gloss="bread made brown by heat"),
    word("water", 55, gloss="the clear liquid of rivers and rain"),
    word("wheat", 75, gloss="a tall grass with seeds"),
)  # fmt: skip
BAKERY_SAYS = (
    said("bread.n.1 contrasts_with cake.n.1"),
    said("bread.n.1 requires flour.n.1"),
    said("bread.n.1 not requires salt.n.1"),
    said("bread.n.1 requires water.n.1"),
    said("cake.n.1 requires flour.n.1"),
    said("cake.n.1 requires salt.n.1", status="speculative"),
    said("flour.n.1 requires wheat.n.1"),
    said("knead.v.1 step_of bake.v.1", order=2),
    said("mix.v.1 step_of bake.v.1", order=1),
    said("oven.n.1 enables bread.n.1"),
    said("toast.n.1 is_a bread.n.1"),
    said("toast.n.1 requires bread.n.1"),
)


def rows_of(
    words: Iterable[Mapping[str, Any]], relations: Iterable[Row] = (), types: Iterable[Row] = TYPES
) -> dict[str, list[Row]]:
    """The rows of a pack's files, sorted as the format asks."""
    senses = sorted(words, key=lambda row: row["id"])
    return {
        "senses.jsonl": [{k: v for k, v in row.items() if k != "point"} for row in senses],
        "relation_types.jsonl": sorted(types, key=lambda row: row["id"]),
        "relations.jsonl": sorted(
            relations, key=lambda row: (row["subject"], row["relation"], row["object"])
        ),
        "geometry.jsonl": [{"id": r["id"], "x": r["point"][:3], "rho": r["point"][3]} for r in senses],
    }


def manifest_of(files: Mapping[str, bytes]) -> Row:
    digests = {
        name: {"sha256": hashlib.sha256(content).hexdigest(), "rows": content.count(b"\n")}
        for name, content in sorted(files.items())
    }
    source = {"id": "us", "title": "the test", "licence": "CC0-1.0", "attribution": "the test's author"}
    return {
        "schema_version": 1,
        "id": "small",
        "version": "1.0.0",
        "language": "en",
        "title": "A small pack",
        "sources": [source],
        "chart": {"turn": ["1"] * 16, "scale": "1", "radius": "1"},
        "files": digests,
    }


def write_pack(
    folder: Path,
    words: Iterable[Mapping[str, Any]] = BAKERY,
    relations: Iterable[Row] = BAKERY_SAYS,
    *,
    stop_words: Iterable[str] = STOP_WORDS,
    types: Iterable[Row] = TYPES,
) -> Path:
    """Writes a pack and seals it."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, rows in rows_of(words, relations, types).items():
        (folder / name).write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    (folder / "stop_words.txt").write_text("".join(f"{w}\n" for w in sorted(stop_words)), encoding="utf-8")
    return seal(folder)


def seal(folder: Path) -> Path:
    """Writes the manifest that fits the files as they are: a fault in them is then no tampering."""
    files = {path.name: path.read_bytes() for path in folder.iterdir() if path.name != "manifest.json"}
    (folder / "manifest.json").write_text(json.dumps(manifest_of(files), indent=1) + "\n", encoding="utf-8")
    return folder


def vocabulary_of(
    words: Iterable[Mapping[str, Any]] = BAKERY,
    relations: Iterable[Row] = BAKERY_SAYS,
    *,
    stop_words: Iterable[str] = STOP_WORDS,
) -> Vocabulary:
    """The same pack opened without a file."""
    rows = rows_of(words, relations)
    models = {
        name: tuple(JSONL_FILES[name].model_validate(row) for row in found) for name, found in rows.items()
    }
    pack = Pack(
        manifest=Manifest.model_validate(manifest_of({})),
        senses=models["senses.jsonl"],
        relation_types=models["relation_types.jsonl"],
        relations=models["relations.jsonl"],
        geometry=models["geometry.jsonl"],
        stop_words=tuple(sorted(stop_words)),
        sha256="0" * 64,
    )
    return Vocabulary(pack, open_backend("numpy"))


def runtime_of(
    words: Iterable[Mapping[str, Any]] = BAKERY, relations: Iterable[Row] = BAKERY_SAYS, **config: Any
) -> Runtime:
    return Runtime(vocabulary_of(words, relations), RuntimeConfig(**config))


def points_as_words(points: Sequence[Point]) -> list[Row]:
    """A word for each point, in the order of the points."""
    return [word(f"w{i:03}", at=list(point)) for i, point in enumerate(points)]


def lines(folder: Path, name: str) -> list[str]:
    return (folder / name).read_text(encoding="utf-8").splitlines()


def refused(folder: Path) -> str:
    """The one line by which a pack is refused."""
    with pytest.raises(PackError) as caught:
        load_pack(folder)
    message = str(caught.value)
    assert "\n" not in message
    assert len(message) < 400
    return message
