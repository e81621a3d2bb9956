"""`core pack build`: what it makes of tables, twice the same, and nothing at all where it is broken off."""

from __future__ import annotations

import dataclasses
import json
import tempfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from cognition import Runtime, load_pack
from cognition.packs.assemble import build
from cognition.packs.build import FULL_BATCH, affinities, fit_geometry, hierarchy
from cognition.packs.load import DATA, DEFAULT_PACK, parse_lines
from cognition.packs.material import common_types, default_stop_words, known_types
from cognition.packs.schema import INPUT_TABLES, RelationType, json_schemas
from cognition.packs.terms import read_material
from tests.cognition.built_packs import (
    RELATIONS,
    TERMS,
    build_pack,
    contents,
    request_of,
    table,
    without_fit,
)
from tests.cognition.command import Core
from tests.cognition.schema_check import faults

pytestmark = pytest.mark.packs


@pytest.fixture(scope="module")
def bees(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A pack of the tables, with a true fit."""
    return build_pack(tmp_path_factory.mktemp("built"))


def test_a_built_pack_answers_from_its_tables(bees: Path) -> None:
    runtime = Runtime.open([bees])
    assert runtime.ask("What is a bee?").surface.startswith("A bee is an insect that makes honey.")
    assert runtime.ask("Is a queen an insect?").surface.startswith("Yes")
    assert runtime.ask("Does a queen produce honey?").surface.startswith("No")
    steps = runtime.ask("How do I inspect?").surface
    assert 0 <= steps.find("smok") < steps.find("open")


def test_what_is_left_out_is_made(bees: Path) -> None:
    pack = load_pack(bees)
    senses = {sense.id: sense for sense in pack.senses}
    assert senses["bee.n.1"].surfaces == ("bee", "bees", "honey bee")
    assert senses["bee.n.1"].countability == "count"
    assert senses["honey.n.1"].forms == {}
    assert senses["open.v.1"].surfaces == ("open", "opens", "opened", "opening")
    assert senses["queen.n.1"].domains == ("bees.insect", "bees.home")
    assert pack.manifest.model_dump()["version"] == "1.0.0"
    assert pack.manifest.gloss_form == "phrase"
    (source,) = pack.manifest.sources
    assert (source.licence, source.attribution) == ("not stated", "the authors of terms.csv")
    assert pack.stop_words == load_pack().stop_words


def test_two_builds_give_the_same_bytes(bees: Path, tmp_path: Path) -> None:
    assert contents(build_pack(tmp_path)) == contents(bees)


def test_the_order_of_rows_makes_no_difference(bees: Path, tmp_path: Path) -> None:
    assert contents(build_pack(tmp_path, TERMS[::-1], RELATIONS[::-1])) == contents(bees)


def test_csv_and_jsonl_give_the_same_pack(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    without_fit(monkeypatch)
    built = build_pack(tmp_path / "csv", title="Bees", attribution="us")
    rows: list[dict[str, Any]] = [dict(row) for row in TERMS]
    for row in rows:
        row["domains"] = row["domains"].split("|")
    terms = tmp_path / "terms.jsonl"
    terms.write_text("".join(json.dumps(row) + "\n" for row in rows))
    relations = tmp_path / "relations.jsonl"
    relations.write_text("".join(json.dumps(row) + "\n" for row in RELATIONS))
    request = request_of(tmp_path / "x", terms=TERMS, title="Bees", attribution="us")
    other = dataclasses.replace(request, terms=terms, relations=relations)
    build(read_material(other), tmp_path / "pack")
    assert contents(tmp_path / "pack") == contents(built)


def test_the_published_schemas_of_the_tables_accept_what_is_read(tmp_path: Path) -> None:
    schemas = json_schemas()
    assert set(INPUT_TABLES) <= set(schemas)
    row = {"term": "bee", "gloss": "an insect", "domains": ["bees"], "salience": 60}
    assert faults(row, schemas["terms"], schemas["terms"]) == []
    assert faults({**row, "salience": 101}, schemas["terms"], schemas["terms"])
    assert faults({**row, "colour": "red"}, schemas["terms"], schemas["terms"])
    said = {"subject": "a", "relation": "is_a", "object": "b", "order": 1}
    assert faults(said, schemas["relations"], schemas["relations"]) == []


def test_the_common_relations_and_stop_words_are_those_of_the_shipped_pack() -> None:
    """Its own files are its own; the common ones must not drift away from them."""
    for name, shared in (
        ("relation_types.jsonl", "relation_types.jsonl"),
        ("stop_words.txt", "stop_words.txt"),
    ):
        assert (DATA / DEFAULT_PACK / name).read_bytes() == (DATA / shared).read_bytes()
    assert tuple(default_stop_words()) == load_pack().stop_words
    assert len(common_types()) == 15
    rows = list(parse_lines(RelationType, (DATA / "relation_types_more.jsonl").read_bytes(), "more"))
    assert [row.id for row in rows] == sorted(row.id for row in rows)
    assert len(known_types()) == 15 + len(rows)


def test_ones_own_relation_types_sources_and_stop_words(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    without_fit(monkeypatch)
    kinds = tmp_path / "kinds.jsonl"
    row = {"id": "stings", "verb": "sting", "third": "stings", "plural": "sting", "preposition": "", "kind": "causal",
           "object_number": "plural", "symmetric": False, "transitive": False, "inverse_phrase": "is stung by",
           "gloss": "the subject pricks the object"}  # fmt: skip
    kinds.write_text(json.dumps(row) + "\n")
    words = tmp_path / "stop.txt"
    words.write_text("the\na\n\n")
    sources = table(
        tmp_path / "sources.csv",
        [{"id": "book", "title": "A book", "licence": "CC-BY-4.0", "attribution": "Its author", "url": ""}],
    )
    folder = build_pack(
        tmp_path,
        TERMS,
        [{"subject": "bee", "relation": "stings", "object": "queen"}],
        relation_types=kinds,
        stop_words=words,
        sources=sources,
    )
    pack = load_pack(folder)
    assert "stings" in {kind.id for kind in pack.relation_types}
    assert pack.stop_words == ("a", "the")
    assert [source.id for source in pack.manifest.sources] == ["book"]
    assert {sense.provenance.source for sense in pack.senses} == {"book"}


def test_words_of_another_language_are_not_inflected(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    without_fit(monkeypatch)
    terms = [
        {"term": "λόγος", "gloss": "word or reason", "domains": "speech", "language": "grc"},
        {"term": "λέγω", "gloss": "say", "domains": "speech", "language": "grc", "pos": "verb"},
        {"term": "word", "gloss": "a unit of speech", "domains": "speech"},
    ]
    senses = {sense.lemma: sense for sense in load_pack(build_pack(tmp_path, terms, None)).senses}
    assert senses["λόγος"].surfaces == ("λόγος",)
    assert senses["λόγος"].countability == "proper"
    assert senses["λέγω"].surfaces == ("λέγω",)
    assert senses["word"].surfaces == ("word", "words")


def test_composed_and_decomposed_letters_are_one_term(tmp_path: Path) -> None:
    terms = [{"term": "cafe\u0301", "gloss": "a place for coffee", "domains": "food"}, *TERMS]
    said = [{"subject": "caf\u00e9", "relation": "produces", "object": "honey"}]
    (relation,) = read_material(request_of(tmp_path, terms, said)).relations
    assert relation.subject == "caf\u00e9.n.1"


def test_notes_say_what_was_assumed(tmp_path: Path) -> None:
    terms = [
        *TERMS,
        {"term": "London", "gloss": "a large city.", "domains": "places"},
        {"term": "mead", "gloss": "a drink of honey", "domains": "bees.food", "surfaces": "honey"},
    ]
    notes = read_material(request_of(tmp_path, terms, None)).notes
    assert len(notes) == 3
    assert "the full stop at the end of 1" in notes[0]
    assert "London" in notes[1]
    assert "honey (honey.n.1, mead.n.1)" in notes[2]


NAMES = (
    st.text("abcdefgh -'é語λ", min_size=1, max_size=12)
    .map(lambda text: " ".join(text.split()))
    .filter(lambda text: text and text[0] not in "-" and any(char.isalpha() for char in text))
)
GLOSSES = st.text("abc de,;()'", min_size=1, max_size=30).map(lambda text: f"x{' '.join(text.split())}x")
DOMAINS = st.lists(
    st.sampled_from(["a", "a.b", "a.b.c", "b", "c-d", "e_f.g"]), min_size=1, max_size=3, unique=True
)
RANDOM_TERMS = st.lists(
    st.fixed_dictionaries(
        {
            "term": NAMES,
            "gloss": GLOSSES,
            "domains": DOMAINS.map("|".join),
            "pos": st.sampled_from(["noun", "verb", "adjective", "adverb"]),
            "salience": st.integers(0, 100),
            "sense": st.integers(1, 3),
        }
    ),
    min_size=2,
    max_size=12,
    unique_by=lambda row: (row["term"], row["pos"], row["sense"]),
)


@settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(rows=RANDOM_TERMS)
def test_what_is_written_is_what_was_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, rows: list[dict[str, Any]]
) -> None:
    """Whatever the terms: the pack opens, and holds each of them with its gloss, domains and salience."""
    without_fit(monkeypatch)
    folder = Path(tempfile.mkdtemp(dir=tmp_path))
    material = read_material(request_of(folder, rows, None))
    built = build(material, folder / "pack")
    pack = load_pack(folder / "pack")
    assert tuple(pack.senses) == material.senses
    assert pack.sha256 == built.sha256
    by_meaning = {(s.lemma, s.pos, int(s.id.rpartition(".")[2])): s for s in pack.senses}
    assert len(by_meaning) == len(rows)
    for row in rows:
        sense = by_meaning[row["term"], row["pos"], row["sense"]]
        assert (sense.gloss, "|".join(sense.domains), sense.salience) == (
            row["gloss"],
            row["domains"],
            row["salience"],
        )
        assert row["term"] in sense.surfaces


def test_many_senses_are_fitted_as_a_hierarchy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    terms = [
        {"term": f"thing {i}", "gloss": "a thing", "domains": "things.small"} for i in range(FULL_BATCH + 1)
    ]
    said = [
        {"subject": "thing 1", "relation": "is_a", "object": "thing 0"},
        {"subject": "thing 2", "relation": "causes", "object": "thing 0"},
        {"subject": "thing 3", "relation": "is_a", "object": "thing 0", "polarity": "negative"},
    ]
    material = read_material(request_of(tmp_path, terms, said))
    at = {sense.id: i for i, sense in enumerate(material.senses)}
    size = len(at)
    problem = hierarchy(material.senses, material.relations, material.relation_types)
    assert problem.size == size + 2
    assert (at["thing_1.n.1"], at["thing_0.n.1"]) in problem.ancestors
    assert list(problem.partners) == [(at["thing_2.n.1"], at["thing_0.n.1"])]
    assert (size, size + 1) in problem.ancestors, "things.small hangs from things"
    below = {node for node, domain in problem.ancestors if domain == size}
    assert below == set(range(size)) - {at["thing_1.n.1"]}, "whose parent hangs there"
    without_fit(monkeypatch)
    fitted = fit_geometry(material.senses, material.relations, material.relation_types)
    assert len(fitted.points) == size


def test_small_packs_are_fitted_to_their_affinities(tmp_path: Path) -> None:
    material = read_material(request_of(tmp_path))
    index = {sense.id: i for i, sense in enumerate(material.senses)}
    pairs = {(i, j): weight for i, j, weight in affinities(material.senses, material.relations)}
    related = tuple(sorted((index["bee.n.1"], index["honey.n.1"])))
    denied = tuple(sorted((index["queen.n.1"], index["honey.n.1"])))
    assert pairs[related] == 1.0
    assert denied not in pairs


def test_files_of_the_user_stay_beside_a_pack_that_is_replaced(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    without_fit(monkeypatch)
    pack = build_pack(tmp_path)
    (pack / "notes.txt").write_text("mine")
    build_pack(tmp_path, TERMS[1:], RELATIONS[4:], force=True)
    assert (pack / "notes.txt").read_text() == "mine"
    assert len(load_pack(pack).senses) == len(TERMS) - 1


def test_the_command_says_what_it_did_and_what_to_try(
    core: Core, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    without_fit(monkeypatch)
    request = request_of(tmp_path)
    monkeypatch.chdir(tmp_path)
    done = core("pack", "build", "terms.csv", "--relations", "relations.csv", "-o", "My-Bees 2")
    assert done.code == 0
    assert done.err == ""
    lines = done.out.splitlines()
    assert lines[0] == "my_bees_2 1.0.0: 8 terms, 6 relations in My-Bees 2"
    assert "100% of the words that statements put nearest to a word are among its 8 nearest" in lines[1]
    assert "changed none of 8 neighbourhoods" in lines[2]
    assert lines[-1] == """next: core ask "What is a bee?" --pack './My-Bees 2'"""
    assert core("pack", "validate", "./My-Bees 2").code == 0
    assert request.relations is not None
    listed = core("pack", "list", ".").out.splitlines()
    assert any(line.startswith("my_bees_2 1.0.0") and line.endswith("My-Bees 2") for line in listed)
    record = json.loads(core("pack", "build", "terms.csv", "-o", "other", "--json").out)
    assert (record["pack"], record["terms"], record["relations"]) == ("other", 8, 0)


def test_schemas_are_printed(core: Core) -> None:
    assert json.loads(core("pack", "schema").out).keys() == json_schemas().keys()
    assert json.loads(core("pack", "schema", "terms").out)["required"] == ["term", "gloss"]
    assert core("pack", "schema", "nothing").code == 2
