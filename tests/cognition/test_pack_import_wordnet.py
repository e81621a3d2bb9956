"""`core pack import oewn`: wordnets become packs, the same from each form of a release; what is unsafe is refused."""

from __future__ import annotations

import gzip
import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from cognition import Runtime, load_pack
from cognition.packs.assemble import build
from cognition.packs.importers.concepts import (
    clean_gloss,
    domain_of,
    is_binomial,
    material_of_vocabulary,
    salience_of,
)
from cognition.packs.importers.release import read_release
from cognition.packs.importers.wordnet import Synset, _countability, vocabulary_of
from cognition.packs.load import Pack, PackError
from cognition.packs.material import Material, check_material
from tests.cognition.built_packs import contents, without_fit
from tests.cognition.command import Core

pytestmark = pytest.mark.packs


def said(material: Material | Pack) -> set[str]:
    return {row.id.removeprefix("rel:") for row in material.relations}


# Three synsets of animals, one of a city, two verbs, two adjectives: the same in each form of a release.
SYNSETS = (
    ("01-n", "n", "noun.animal", "animal|beast", "", "a living thing that moves; \"the animals fled\""),
    ("02-n", "n", "noun.animal", "dog|domestic dog|Canis familiaris", "01-n", "a member of the genus Canis."),
    ("03-n", "n", "noun.person", "cad|dog", "", "someone who is morally reprehensible"),
    ("04-n", "n", "noun.location", "city", "", "a large town"),
    ("05-n", "n", "noun.location", "Paris", "04-n", "the capital of France"),
    ("06-v", "v", "verb.motion", "move", "", "change place"),
    ("07-v", "v", "verb.motion", "walk", "06-v", "move on foot"),
    ("08-a", "a", "adj.all", "hot", "", "of a high temperature"),
    ("09-s", "s", "adj.all", "and/or torrid", "", "very hot"),
    ("10-n", "n", "noun.animal", "tail", "", "the rear part of a dog"),
)  # fmt: skip


def flat(folder: Path, packed: bool = False) -> Path:
    lines = ["synset\tpos\tlexfile\tmembers\thypernyms\tdefinition", *("\t".join(row) for row in SYNSETS)]
    raw = "\n".join(lines).encode() + b"\n"
    path = folder / ("synsets.tsv.gz" if packed else "synsets.tsv")
    path.write_bytes(gzip.compress(raw) if packed else raw)
    (folder / "word_senses.tsv").write_text(
        "word\tpos\tsense_no\tsynset\tlexfile\ndog\tn\t1\t02-n\tnoun.animal\ndog\tn\t2\t03-n\tnoun.person\n"
    )
    (folder / "irregular_forms.tsv").write_text("lemma\tpos\tform\nbeast\tn\tbeasten\n")
    return path


def release_yaml(folder: Path) -> Path:
    """The YAML release; newer and older names of its keys both occur in the wild."""
    folder.mkdir()
    entries: dict[str, dict[str, list[tuple[str, str]]]] = {}
    for key, pos, _, members, _, _ in SYNSETS:
        for name in members.split("|"):
            entries.setdefault(name, {}).setdefault(pos, []).append((f"{name}%{key}", key))
    lines = []
    for name, parts in sorted(entries.items()):
        lines.append(f"'{name}':")
        for pos, senses in parts.items():
            lines += [f"  {pos}:", "    sense:"]
            for sense, key in senses:
                lines += [f"    - id: '{sense}'", f"      synset: {key}"]
                if name == "hot":
                    lines += ["      antonym:", "      - 'and/or torrid%09-s'"]
            if name == "beast":
                lines += ["    form:", "    - beasten"]
    (folder / "entries-a.yaml").write_text("\n".join(lines) + "\n")
    files: dict[str, list[str]] = {}
    for key, pos, lexfile, members, up, definition in SYNSETS:
        old = key == "04-n"
        found = files.setdefault(lexfile, [])
        found += [f"{key}:", f"  {'definitions' if old else 'definition'}:", f"  - '{definition}'"]
        found += [f"  {'entries' if old else 'members'}:", *(f"  - {name}" for name in members.split("|"))]
        found += [f"  {'pos' if old else 'partOfSpeech'}: {pos}"]
        if up:
            found += [f"  {'instance_hypernym' if key == '05-n' else 'hypernym'}:", f"  - {up}"]
        if key == "02-n":
            found += ["  mero_part:", "  - 10-n"]
    for lexfile, found in files.items():
        (folder / f"{lexfile}.yaml").write_text("\n".join(found) + "\n")
    return folder


def lmf(path: Path, packed: bool = False) -> Path:
    """WN-LMF with the same content."""
    entries: dict[tuple[str, str], list[str]] = {}
    for key, pos, _, members, _, _ in SYNSETS:
        for name in members.split("|"):
            entries.setdefault((name, pos), []).append(key)
    parts = [
        '<?xml version="1.0" encoding="UTF-8"?>',
        '<!DOCTYPE LexicalResource SYSTEM "http://globalwordnet.github.io/schemas/WN-LMF-1.3.dtd">',
        '<LexicalResource xmlns:dc="https://globalwordnet.github.io/schemas/dc/">',
        '<Lexicon id="w" label="A wordnet" language="en" email="a@b" license="CC-BY-4.0" version="7" url="http://w.org">',
    ]
    for number, ((name, pos), keys) in enumerate(entries.items()):
        parts.append(f'<LexicalEntry id="e{number}"><Lemma writtenForm="{name}" partOfSpeech="{pos}"/>')
        parts += ['<Form writtenForm="beasten"/>'] if name == "beast" else []
        for key in keys:
            inner = (
                '<SenseRelation relType="antonym" target="s-and/or torrid-09-s"/>' if name == "hot" else ""
            )
            parts.append(f'<Sense id="s-{name}-{key}" synset="{key}">{inner}</Sense>')
        parts.append("</LexicalEntry>")
    ids = {name: f"e{number}" for number, (name, _) in enumerate(entries)}
    for key, pos, lexfile, members, up, definition in SYNSETS:
        listed = " ".join(ids[name] for name in members.split("|"))
        parts.append(
            f'<Synset id="{key}" ili="" partOfSpeech="{pos}" lexfile="{lexfile}" members="{listed}">'
        )
        parts.append(f"<Definition>{definition.replace('<', '')}</Definition>")
        if up:
            kind = "instance_hypernym" if key == "05-n" else "hypernym"
            parts.append(f'<SynsetRelation relType="{kind}" target="{up}"/>')
        if key == "10-n":
            parts.append('<SynsetRelation relType="holo_part" target="02-n"/>')
        parts.append("</Synset>")
    raw = "\n".join([*parts, "</Lexicon></LexicalResource>"]).encode()
    path.write_bytes(gzip.compress(raw) if packed else raw)
    return path


def wordnet_material(path: Path, **selection: Any) -> Material:
    wordnet, source, language = read_release(path)
    vocabulary = vocabulary_of(wordnet, source, language=language, **selection)
    material = material_of_vocabulary(vocabulary, id="w", version="1.0.0", title=None)
    check_material(material)
    return material


ANYWHERE = {
    "dog.n.1:is_a:animal.n.1",
    "Paris.n.1:instance_of:city.n.1",
    "walk.v.1:manner_of:move.v.1",
}


@pytest.mark.parametrize(
    ("lemma", "lexfile", "definition", "counts"),
    [
        ("water", "noun.food", "a liquid necessary for the life of most animals and plants", "mass"),
        ("gold", "noun.substance", "a soft yellow malleable ductile metallic element", "mass"),
        ("milk", "noun.food", "a white nutritious liquid secreted by mammals", "mass"),
        ("sugarloaf", "noun.food", "a large conical loaf of concentrated refined sugar", "count"),
        ("water ice", "noun.food", "an ice containing no milk, usually made from fruit juice", "count"),
        ("jug", "noun.artifact", "a liquid container", "count"),
    ],
)
def test_stuffs_are_mass_nouns_whatever_defines_them(
    lemma: str, lexfile: str, definition: str, counts: str
) -> None:
    one = Synset(
        key="1-n", pos="n", lexfile=lexfile, members=(lemma,), definition=definition, links=(), where="1"
    )
    assert _countability(one, named=False) == counts


def test_a_flat_wordnet(tmp_path: Path) -> None:
    material = wordnet_material(flat(tmp_path))
    senses = {sense.id: sense for sense in material.senses}
    assert len(senses) == len(SYNSETS)
    assert said(material) == ANYWHERE
    assert senses["animal.n.1"].gloss == "a living thing that moves"
    assert senses["animal.n.1"].surfaces == ("animal", "animals", "beast", "beasten")
    assert senses["dog.n.1"].gloss == "a member of the genus Canis"
    assert senses["dog.n.1"].surfaces == ("dog", "dogs", "domestic dog", "domestic dogs", "Canis familiaris")
    assert senses["dog.n.1"].domains == ("animal",)
    assert senses["dog.n.1"].provenance.note == "synset 02-n"
    assert senses["dog.n.1"].salience > senses["cad.n.1"].salience
    assert (senses["Paris.n.1"].countability, senses["city.n.1"].countability) == ("proper", "count")
    assert senses["walk.v.1"].forms["past"] == "walked"
    assert senses["and_or_torrid.a.1"].domains == ("adjective",)
    assert material.gloss_form == "definition"
    assert (material.sources[0].id, material.language) == ("oewn", "en")


def test_all_forms_of_a_release_agree(tmp_path: Path) -> None:
    """What the flat table lacks (parts, antonyms, irregular forms) the others add."""
    found = {
        "flat": wordnet_material(flat(tmp_path)),
        "packed": wordnet_material(flat(tmp_path, packed=True)),
        "yaml": wordnet_material(release_yaml(tmp_path / "yaml")),
        "xml": wordnet_material(lmf(tmp_path / "w.xml")),
        "xml.gz": wordnet_material(lmf(tmp_path / "w.xml.gz", packed=True)),
    }
    for name, material in found.items():
        assert ANYWHERE <= said(material), name
        flat_senses = {s.id: (s.gloss, s.surfaces, s.domains, s.countability) for s in found["flat"].senses}
        assert {
            s.id: (s.gloss, s.surfaces, s.domains, s.countability) for s in material.senses
        } == flat_senses, name
    for name in ("yaml", "xml", "xml.gz"):
        assert said(found[name]) == ANYWHERE | {
            "tail.n.1:part_of:dog.n.1",
            "and_or_torrid.a.1:opposite_of:hot.a.1",
        } or (
            said(found[name])
            == ANYWHERE | {"tail.n.1:part_of:dog.n.1", "hot.a.1:opposite_of:and_or_torrid.a.1"}
        )
    assert found["xml"].sources[0].title == "A wordnet 7"
    assert found["xml"].sources[0].licence == "CC-BY-4.0"


def test_slices(tmp_path: Path) -> None:
    path = flat(tmp_path)
    assert {s.pos for s in wordnet_material(path, parts=("v",)).senses} == {"verb"}
    assert {s.pos for s in wordnet_material(path, parts=("a",)).senses} == {"adjective"}
    for name in ("noun.animal", "animal"):
        assert len(wordnet_material(path, lexfiles=(name,)).senses) == 3
    few = wordnet_material(path, limit=2)
    assert [s.id for s in few.senses] == ["animal.n.1", "dog.n.1"]
    assert wordnet_material(path, lexfiles=("location",), limit=1).notes == ()
    with pytest.raises(PackError, match=r"no file 'noun\.planet'; there are adj\.all"):
        wordnet_material(path, lexfiles=("noun.planet",))


def test_an_imported_pack_opens_and_answers(
    core: Core, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    without_fit(monkeypatch)
    path = flat(tmp_path, packed=True)
    done = core("pack", "import", "oewn", str(path), "-o", str(tmp_path / "w"))
    assert done.code == 0, done.err
    pack = load_pack(tmp_path / "w")
    assert pack.manifest.gloss_form == "definition"
    assert core("pack", "validate", str(tmp_path / "w")).code == 0
    turn = Runtime.open([tmp_path / "w"]).ask("What is a dog?")
    assert "a member of the genus Canis" in turn.surface
    again = core("pack", "import", "oewn", str(path), "-o", str(tmp_path / "v"), "--id", "w", "--json")
    assert json.loads(again.out)["sha256"] == pack.sha256
    assert contents(tmp_path / "v") == contents(tmp_path / "w")
    assert core("pack", "import", "oewn", str(path), "-o", str(tmp_path / "x"), "--pos", "n,z").code == 2
    assert core("pack", "import", "oewn", str(tmp_path / "none.tsv"), "-o", str(tmp_path / "x")).code == 2


HEADER = b"synset\tpos\tlexfile\tmembers\thypernyms\tdefinition\n"


@pytest.mark.parametrize(
    ("name", "raw", "message"),
    [
        ("w.tsv", b"a\tb\n", r"w\.tsv:1: synset: no such column; found: a, b"),
        ("w.tsv", b"", r"w\.tsv:1: synset: no such column; found: nothing"),
        ("w.tsv", HEADER + b"1\tn\n", r"w\.tsv:2: 2 cells, the header has 6"),
        ("w.tsv", HEADER + b"1\tn\tx\t\t\tgloss\n", r"w\.tsv:2: members: none"),
        ("w.tsv", HEADER + b"1\tz\tx\ta\t\tgloss\n", r"w\.tsv:2: pos: 'z' is none"),
        ("w.tsv", HEADER + b"1\tn\tx\t\xe9\t\tg\n", r"w\.tsv:2: byte 6 .* not UTF-8"),
        ("w.tsv", b"synset\tpos\0", r"w\.tsv:1: holds a NUL byte"),
        ("w.tsv", HEADER + b"", r"no concept is left to import"),
        ("w.tsv.gz", b"no gzip", r"w\.tsv\.gz: can't be read"),
        ("w.tsv.gz", gzip.compress(b"synset" * 99, mtime=0)[:20], r"w\.tsv\.gz: can't be read"),
        ("w.xml", b"<LexicalResource>", r"w\.xml:1: not XML: "),
        ("w.xml", b"<LexicalResource/>", r"w\.xml: holds no <Lexicon>"),
        ("w.xml", b'<Lexicon><Lemma writtenForm="a"/></Lexicon>', r"w\.xml:1: Lemma: has no attribute 'partOfSpeech'"),
        ("w.xml", b"<a><Lexicon/><Lexicon/></a>", r"w\.xml:1: Lexicon: a second lexicon"),
        ("w.xml", b'<!DOCTYPE a [<!ENTITY b "c">]>\n<a>&b;</a>', r"w\.xml:1: declares an entity of its own"),
        ("w.zip", b"PK\x03\x04", r"w\.zip: is neither \.tsv"),
    ],
)  # fmt: skip
def test_what_is_no_wordnet_or_not_safe(tmp_path: Path, name: str, raw: bytes, message: str) -> None:
    (tmp_path / name).write_bytes(raw)
    with pytest.raises(PackError, match=message) as caught:
        wordnet_material(tmp_path / name)
    assert "\n" not in str(caught.value)


def test_a_bomb_is_refused_when_it_has_unpacked_too_much(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from cognition.packs.importers import oewn_flat, wn_lmf

    monkeypatch.setattr(oewn_flat, "MOST_BYTES", 100_000)
    monkeypatch.setattr(wn_lmf, "MOST_BYTES", 2_000_000)
    row = "1\tn\tnoun.act\ta\t\tg\n"
    table = "\t".join(("synset", "pos", "lexfile", "members", "hypernyms", "definition")) + "\n" + row * 9000
    for name, text in (("w.tsv.gz", table), ("w.xml.gz", "<a>" + "x" * 3_000_000)):
        (tmp_path / name).write_bytes(gzip.compress(text.encode()))
        with pytest.raises(PackError, match="bytes unpacked; is this a wordnet"):
            read_release(tmp_path / name)
    (tmp_path / "w.tsv.gz").write_bytes(gzip.compress(b"x" * 50_000_000))
    with pytest.raises(PackError, match=r"w\.tsv\.gz:1: a line of more than 1,048,576 bytes"):
        read_release(tmp_path / "w.tsv.gz")


@pytest.mark.parametrize(
    ("file", "text", "message"),
    [
        ("entries-a.yaml", "a: [", r"entries-a\.yaml:\d: not YAML: "),
        ("entries-a.yaml", "- a\n", r"entries-a\.yaml: holds no mapping"),
        ("entries-a.yaml", "a: b\n", r"entries-a\.yaml: a: is no mapping"),
        ("entries-a.yaml", "a:\n  n: {}\n", r"entries-a\.yaml: a: n\.sense: no list of senses"),
        ("entries-a.yaml", "a:\n  n:\n    sense:\n    - id: x\n", r"names no synset"),
        ("noun.animal.yaml", "01-n: x\n", r"noun\.animal\.yaml: 01-n: is no mapping"),
        ("noun.animal.yaml", "01-n:\n  definition: [a]\n", r"01-n: members: none"),
        ("noun.animal.yaml", "? [a]\n: b\n", r"noun\.animal\.yaml"),
    ],
)
def test_a_yaml_release_with_a_fault(tmp_path: Path, file: str, text: str, message: str) -> None:
    folder = release_yaml(tmp_path / "yaml")
    (folder / file).write_text(text)
    with pytest.raises(PackError, match=message):
        wordnet_material(folder)


def test_a_folder_without_a_release(tmp_path: Path) -> None:
    with pytest.raises(PackError, match=r"holds no entries-\*\.yaml"):
        wordnet_material(tmp_path)


def test_yaml_reads_no_as_a_word(tmp_path: Path) -> None:
    """`no: 1` would be false: one in YAML 1.1; an entry may be called so."""
    folder = release_yaml(tmp_path / "yaml")
    text = (folder / "entries-a.yaml").read_text()
    (folder / "entries-a.yaml").write_text(
        text + "no:\n  n:\n    sense:\n    - id: no%1\n      synset: 04-n\n"
    )
    wordnet, _, _ = read_release(folder)
    assert wordnet.ranks["no", "04-n"] == 1


@pytest.mark.parametrize(
    ("text", "gloss"),
    [
        ("a thing.", "a thing"),
        ("a thing; \"I saw a thing\"", "a thing"),
        ("ends in etc.", "ends in etc"),
        ("  two\n lines ", "two lines"),
        ("what?!", "what"),
        ("...", ""),
    ],
)  # fmt: skip
def test_glosses_are_cleaned(text: str, gloss: str) -> None:
    assert clean_gloss(text) == gloss


def test_small_rules() -> None:
    assert domain_of("Birds of the shore!") == "birds_of_the_shore"
    assert domain_of("3D") == "d_3d"
    assert domain_of("鳥") is None
    assert is_binomial("Canis familiaris")
    assert not is_binomial("Labrador retriever")
    assert not is_binomial("Canis")
    assert salience_of(1.0) == 60
    assert [salience_of(r) for r in (1.0, 1.5, 2.0, 50.0)] == sorted(
        (salience_of(r) for r in (1.0, 1.5, 2.0, 50.0)), reverse=True
    )


@pytest.mark.slow
def test_all_of_open_english_wordnet(data_dir: Path) -> None:
    """Every synset is one sense, every hypernym one statement, and nothing of it makes a cycle."""
    material = wordnet_material(data_dir / "oewn" / "synsets.tsv.gz")
    assert len(material.senses) == 107_525
    assert len({sense.id for sense in material.senses}) == 107_525
    assert Counter(s.pos for s in material.senses) == {
        "noun": 71_873, "verb": 13_821, "adjective": 18_216, "adverb": 3_615,
    }  # fmt: skip
    assert len(material.relations) == 88_090
    senses = {sense.id: sense for sense in material.senses}
    assert (
        senses["wombat.n.1"].gloss == "burrowing herbivorous Australian marsupials about the size of a badger"
    )
    assert "wombat.n.1:is_a:marsupial.n.1" in said(material)


def test_a_slice_of_open_english_wordnet(
    data_dir: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    without_fit(monkeypatch)
    material = wordnet_material(data_dir / "oewn" / "synsets.tsv.gz", lexfiles=("noun.animal",), limit=500)
    build(material, tmp_path / "animals")
    pack = load_pack(tmp_path / "animals")
    assert len(pack.senses) == 500
    assert {sense.domains for sense in pack.senses} == {("animal",)}
