"""`core pack import skos`: thesauri become packs, the same from each form of RDF; what is unsafe is refused."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from cognition import Runtime
from cognition.packs.importers.concepts import (
    material_of_vocabulary,
)
from cognition.packs.importers.skos import Choice, read_skos
from cognition.packs.load import Pack, PackError
from cognition.packs.material import Material, check_material
from tests.cognition.built_packs import without_fit
from tests.cognition.command import Core

pytestmark = pytest.mark.packs

THESAURUS = """
@prefix skos: <http://www.w3.org/2004/02/skos/core#> .
@prefix dct: <http://purl.org/dc/terms/> .
@prefix owl: <http://www.w3.org/2002/07/owl#> .
@prefix ex: <http://example.org/> .
ex:birds a skos:ConceptScheme ; dct:title "Birds of the shore"@en, "Vögel"@de ;
  dct:license <http://creativecommons.org/licenses/by/4.0/> ; dct:creator "A. Birder" .
ex:trades a skos:ConceptScheme ; skos:prefLabel "Trades"@en .
ex:bird a skos:Concept ; skos:topConceptOf ex:birds ; skos:prefLabel "birds"@en, "Vogel"@de ;
  skos:definition "animals with feathers."@en ; skos:notation "1" .
ex:gull skos:broader ex:bird ; skos:inScheme ex:birds ; skos:prefLabel "gull"@en, "Möwe"@de ;
  skos:altLabel "sea gull"@en ; skos:hiddenLabel "seagull"@en ;
  skos:scopeNote "white birds of the coast; \\"gulls followed the ship\\""@en ; skos:related ex:crane .
ex:crane a skos:Concept ; skos:broader ex:bird ; skos:inScheme ex:birds ; skos:prefLabel "crane (bird)"@en ;
  skos:related ex:gull ; skos:exactMatch <http://other.org/crane> .
ex:lifter a skos:Concept ; skos:inScheme ex:trades ; skos:prefLabel "crane (machine)"@en-GB ;
  skos:definition "a machine that lifts loads" .
ex:bird skos:narrower ex:duck .
ex:duck a skos:Concept ; skos:inScheme ex:birds ; skos:prefLabel "duck" ; skos:definition "a bird that swims"@en .
ex:gone a skos:Concept ; skos:prefLabel "dodo"@en ; owl:deprecated true .
ex:stumm a skos:Concept ; skos:prefLabel "Stummvogel"@de ; skos:broader ex:bird .
"""
CYCLE = THESAURUS + "ex:bird skos:broader ex:gull .\n"


@pytest.fixture
def thesaurus(tmp_path: Path) -> Path:
    path = tmp_path / "birds.ttl"
    path.write_text(THESAURUS, encoding="utf-8")
    return path


def material_of(path: Path, **choice: Any) -> Material:
    found = material_of_vocabulary(read_skos(path, Choice(**choice)), id="birds", version="1.0.0", title=None)
    check_material(found)
    return found


def said(material: Material | Pack) -> set[str]:
    return {row.id.removeprefix("rel:") for row in material.relations}


def test_a_thesaurus(thesaurus: Path) -> None:
    material = material_of(thesaurus)
    senses = {sense.id: sense for sense in material.senses}
    assert set(senses) == {"bird.n.1", "gull.n.1", "crane.n.1", "crane.n.2", "duck.n.1"}
    assert senses["bird.n.1"].surfaces == ("bird", "birds")
    assert senses["bird.n.1"].gloss == "animals with feathers"
    assert senses["gull.n.1"].surfaces == ("gull", "gulls", "sea gull", "sea gulls", "seagull", "seagulls")
    assert senses["gull.n.1"].gloss == "white birds of the coast"
    assert senses["gull.n.1"].domains == ("birds_of_the_shore.birds",)
    assert "crane (bird)" in senses["crane.n.1"].surfaces
    assert senses["crane.n.1"].gloss == "a narrower concept of “birds”"
    assert senses["crane.n.2"].gloss == "a machine that lifts loads"
    assert senses["crane.n.2"].domains == ("trades.crane_machine",)
    assert said(material) == {
        "gull.n.1:is_a:bird.n.1",
        "crane.n.1:is_a:bird.n.1",
        "duck.n.1:is_a:bird.n.1",
        "crane.n.1:related_to:gull.n.1",
    }
    assert material.gloss_form == "definition"
    (source,) = material.sources
    assert (source.title, source.attribution) == ("Birds of the shore; Trades", "A. Birder")
    assert "creativecommons" in source.licence
    assert senses["bird.n.1"].provenance.note == "http://example.org/bird; notation 1"
    assert "exactMatch http://other.org/crane" in (senses["crane.n.1"].provenance.note or "")
    assert "1 concepts are left out that are deprecated" in material.notes
    assert "1 concepts are left out that have no label in the language" in material.notes


def test_another_language_another_relation_and_one_scheme(thesaurus: Path) -> None:
    german = material_of(thesaurus, language="de")
    assert {sense.lemma for sense in german.senses} == {"Vogel", "Möwe", "Stummvogel", "duck"}
    assert {sense.countability for sense in german.senses} == {"proper"}
    assert german.language == "de"
    assert "gull.n.1:part_of:bird.n.1" in said(material_of(thesaurus, broader="part_of"))
    trades = material_of(thesaurus, schemes=("http://example.org/trades",))
    assert [sense.id for sense in trades.senses] == ["crane.n.1"]
    assert [sense.lemma for sense in material_of(thesaurus, language="fr").senses] == ["duck"]
    thesaurus.write_text(THESAURUS.replace('"duck"', '"duck"@en'), encoding="utf-8")
    with pytest.raises(PackError, match=r"no concept has a label in 'fr'; there are labels in de, en"):
        read_skos(thesaurus, Choice(language="fr"))
    with pytest.raises(PackError, match="no skos:Concept in these schemes"):
        read_skos(thesaurus, Choice(schemes=("http://example.org/none",)))


@pytest.mark.parametrize(("suffix", "kind"), [("rdf", "xml"), ("nt", "nt"), ("jsonld", "json-ld")])
def test_every_form_of_rdf_gives_the_same(thesaurus: Path, tmp_path: Path, suffix: str, kind: str) -> None:
    from rdflib import Graph

    other = tmp_path / f"birds.{suffix}"
    Graph().parse(thesaurus).serialize(other, format=kind, encoding="utf-8")
    a, b = material_of(thesaurus), material_of(other)
    assert (a.senses, a.relations, a.sources) == (b.senses, b.relations, b.sources)


def test_a_cycle_of_broader_is_named_or_broken(tmp_path: Path) -> None:
    path = tmp_path / "cycle.ttl"
    path.write_text(CYCLE, encoding="utf-8")
    with pytest.raises(PackError, match=r"is_a: a cycle: .*gull\.n\.1 is_a bird\.n\.1"):
        material_of(path)
    vocabulary = read_skos(path, Choice())
    broken = material_of_vocabulary(vocabulary, id="birds", version="1.0.0", title=None, break_cycles=True)
    check_material(broken)
    assert "1 links are left out that would close a cycle" in broken.notes
    assert len(broken.relations) == 4


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("a.ttl", "@prefix skos: <x> .\n\nthis is no turtle", r"a\.ttl(:\d+)?: not turtle: "),
        ("a.nt", "no triples", r"a\.nt: not nt: "),
        ("a.rdf", "<rdf>", r"a\.rdf:1: not XML: "),
        ("a.jsonld", "{", r"a\.jsonld: not JSON: "),
        ("a.ttl", "", r"a\.ttl: no skos:Concept"),
        ("a.txt", "", r"a\.txt: not a name that tells a form of RDF"),
        ("a.zip", "PK", r"a\.zip: not a name that tells a form of RDF"),
        ("a.jsonld", '{"@context": "http://example.org/context.json"}', r"'http://.*' would be fetched"),
        ("a.jsonld", '{"x": [{"@context": ["http://example.org/context.json"]}]}', "would be fetched"),
        ("a.rdf", '<!DOCTYPE r [<!ENTITY a SYSTEM "file:///etc/passwd">]><r>&a;</r>', "an entity that leads elsewhere"),
        ("a.rdf", '<!DOCTYPE r [<!ENTITY a "b"><!ENTITY c "&a;&a;">]><r>&c;</r>', "an entity that leads elsewhere"),
    ],
)  # fmt: skip
def test_what_is_no_thesaurus_or_not_safe(tmp_path: Path, name: str, text: str, message: str) -> None:
    (tmp_path / name).write_text(text, encoding="utf-8")
    with pytest.raises(PackError, match=message) as caught:
        read_skos(tmp_path / name, Choice())
    assert "\n" not in str(caught.value)
    assert "root:" not in str(caught.value)


def test_a_missing_library_is_named(thesaurus: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import sys

    monkeypatch.setitem(sys.modules, "rdflib", None)
    with pytest.raises(PackError, match=r"needs rdflib: pip install 'core-cognition\[import\]'"):
        read_skos(thesaurus, Choice())


def test_a_thesaurus_by_the_command(
    core: Core, thesaurus: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    without_fit(monkeypatch)
    done = core("pack", "import", "skos", str(thesaurus), "-o", str(tmp_path / "birds"))
    assert done.code == 0, done.err
    assert "concepts without a definition are described by their place" in done.err
    assert "A gull" in Runtime.open([tmp_path / "birds"]).ask("Is a gull a bird?").surface.replace(
        "a gull", "A gull"
    )
