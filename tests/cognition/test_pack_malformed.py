"""A corpus of broken packs: each is refused by one line that names the file, the line and the field."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from cognition import PackError, Runtime, load_pack
from cognition.packs.load import pack_folder
from tests.cognition.small_pack import manifest_of, seal, write_pack

pytestmark = pytest.mark.packs

FILES = ("senses.jsonl", "relation_types.jsonl", "relations.jsonl", "geometry.jsonl", "stop_words.txt")
JSONL = FILES[:-1]
Edit = Callable[[dict[str, Any]], Any]


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_pack(tmp_path_factory.mktemp("sound") / "pack")


@pytest.fixture
def folder(sound: Path, tmp_path: Path) -> Path:
    """A copy to break."""
    return Path(shutil.copytree(sound, tmp_path / "pack"))


def refused(folder: Path) -> str:
    with pytest.raises(PackError) as caught:
        load_pack(folder)
    message = str(caught.value)
    assert "\n" not in message
    assert len(message) < 400
    return message


def lines(folder: Path, name: str) -> list[str]:
    return (folder / name).read_text(encoding="utf-8").splitlines()


def rewrite(folder: Path, name: str, found: list[str]) -> None:
    (folder / name).write_text("".join(f"{line}\n" for line in found), encoding="utf-8")


def change(folder: Path, name: str, line: int, edit: Edit) -> None:
    """Edits one row, from 1, and seals the pack again: nobody tampered, the row itself is wrong."""
    found = lines(folder, name)
    row = json.loads(found[line - 1])
    edit(row)
    found[line - 1] = json.dumps(row)
    rewrite(folder, name, found)
    seal(folder)


def put(**fields: Any) -> Edit:
    return lambda row: row.update(fields)


def test_the_sound_pack_is_sound(sound: Path) -> None:
    pack = load_pack(sound)
    assert (pack.manifest.id, len(pack.senses), len(pack.relations)) == ("small", 12, 12)
    assert Runtime.open([sound]).ask("What is flour?").answered
    assert load_pack(str(sound)) == pack


@pytest.mark.parametrize("name", [*FILES, "manifest.json"])
def test_a_missing_file(folder: Path, name: str) -> None:
    (folder / name).unlink()
    assert refused(folder) == f"pack/{name}: missing file; restore it or rebuild the pack"


@pytest.mark.parametrize("name", [*FILES, "manifest.json"])
def test_bytes_that_are_not_utf_8(folder: Path, name: str) -> None:
    raw = (folder / name).read_bytes().split(b"\n")
    raw[1] = b"\xff\xfe" + raw[1]
    (folder / name).write_bytes(b"\n".join(raw))
    if name != "manifest.json":
        seal(folder)
    assert refused(folder).startswith(f"{name}:2: byte ")


@pytest.mark.parametrize("name", JSONL)
@pytest.mark.parametrize(
    "text", ["{", "", "{} {}", "not json", '{"id": "a"', "\ufeff{}", '{"a": 1,}', "[" * 100_000]
)
def test_a_line_that_is_not_json(folder: Path, name: str, text: str) -> None:
    found = lines(folder, name)
    found[1] = text
    rewrite(folder, name, found)
    seal(folder)
    assert refused(folder).startswith(f"{name}:2: not JSON: ")


def test_a_manifest_that_is_not_json(folder: Path) -> None:
    text = (folder / "manifest.json").read_text().replace('"version": "1.0.0",', '"version": "1.0.0"')
    (folder / "manifest.json").write_text(text)
    assert refused(folder).startswith("manifest.json:5: not JSON: ")


@pytest.mark.parametrize("name", JSONL)
@pytest.mark.parametrize("text", ["1", "null", '"id"', "[]", "true"])
def test_a_line_that_is_no_object(folder: Path, name: str, text: str) -> None:
    found = lines(folder, name)
    found[2] = text
    rewrite(folder, name, found)
    seal(folder)
    assert refused(folder).startswith(f"{name}:3: ")


@pytest.mark.parametrize("name", JSONL)
def test_an_unknown_field(folder: Path, name: str) -> None:
    change(folder, name, 2, put(colour="red"))
    assert refused(folder) == f"{name}:2: colour: Extra inputs are not permitted"


@pytest.mark.parametrize(
    ("name", "field"),
    [("senses.jsonl", "gloss"), ("relation_types.jsonl", "verb"), ("relations.jsonl", "polarity"), ("geometry.jsonl", "rho")],
)  # fmt: skip
def test_a_missing_field(folder: Path, name: str, field: str) -> None:
    change(folder, name, 3, lambda row: row.pop(field))
    assert refused(folder) == f"{name}:3: {field}: Field required"


@pytest.mark.parametrize("name", JSONL)
def test_a_key_twice_in_one_row(folder: Path, name: str) -> None:
    found = lines(folder, name)
    found[1] = found[1][:-1] + ', "provenance": {"source": "us"}, "provenance": {"source": "us"}}'
    rewrite(folder, name, found)
    seal(folder)
    message = refused(folder)
    assert message.startswith(f"{name}:2: ")
    assert "'provenance' twice" in message


@pytest.mark.parametrize(
    ("name", "line", "fields", "where"),
    [
        ("senses.jsonl", 1, {"gloss": ""}, "gloss"),
        ("senses.jsonl", 1, {"gloss": "food."}, "gloss: a gloss is a phrase"),
        ("senses.jsonl", 1, {"gloss": " food"}, "gloss"),
        ("senses.jsonl", 1, {"gloss": "two\nlines"}, "gloss"),
        ("senses.jsonl", 1, {"gloss": "\ud800"}, "gloss"),
        ("senses.jsonl", 1, {"gloss": 3}, "gloss"),
        ("senses.jsonl", 1, {"gloss": None}, "gloss"),
        ("senses.jsonl", 1, {"id": "bake"}, "id"),
        ("senses.jsonl", 1, {"id": "bake.v.0"}, "id"),
        ("senses.jsonl", 1, {"id": "bake.v"}, "id"),
        ("senses.jsonl", 1, {"id": "bake.x.1"}, "id"),
        ("senses.jsonl", 1, {"id": "../bake.v.1"}, "id"),
        ("senses.jsonl", 1, {"id": "ba ke.v.1"}, "id"),
        ("senses.jsonl", 1, {"id": "bake.n.1"}, "id: letter 'n' does not stand for pos 'verb'"),
        ("senses.jsonl", 1, {"id": "bakery.v.1"}, "id: 'bakery' is not the lemma 'bake'"),
        ("senses.jsonl", 1, {"pos": "Verb"}, "pos"),
        ("senses.jsonl", 1, {"forms": {}}, "forms: a verb needs"),
        ("senses.jsonl", 1, {"forms": {"future": "bake"}}, "forms.future"),
        ("senses.jsonl", 2, {"forms": {}}, "forms: a count noun needs its plural"),
        ("senses.jsonl", 3, {"countability": None}, "countability"),
        ("senses.jsonl", 1, {"countability": "mass"}, "countability"),
        ("senses.jsonl", 3, {"countability": "uncountable"}, "countability"),
        ("senses.jsonl", 3, {"surfaces": []}, "surfaces"),
        ("senses.jsonl", 3, {"surfaces": ["breads"]}, "surfaces: 'bread' is missing"),
        ("senses.jsonl", 3, {"surfaces": ["bread", "bread"]}, "surfaces: names one value twice"),
        ("senses.jsonl", 3, {"surfaces": "bread"}, "surfaces"),
        ("senses.jsonl", 3, {"surfaces": ["bread", " loaf"]}, "surfaces.1"),
        ("senses.jsonl", 3, {"domains": []}, "domains"),
        ("senses.jsonl", 3, {"domains": ["Food"]}, "domains.0"),
        ("senses.jsonl", 3, {"domains": ["food", "food"]}, "domains: names one value twice"),
        ("senses.jsonl", 3, {"salience": 101}, "salience"),
        ("senses.jsonl", 3, {"salience": -1}, "salience"),
        ("senses.jsonl", 3, {"salience": 50.0}, "salience"),
        ("senses.jsonl", 3, {"salience": True}, "salience"),
        ("senses.jsonl", 3, {"salience": "50"}, "salience"),
        ("senses.jsonl", 3, {"language": "english"}, "language"),
        ("senses.jsonl", 3, {"status": "draft"}, "status"),
        ("senses.jsonl", 3, {"provenance": {"source": "them"}}, "provenance.source: 'them' is not in manifest.json"),
        ("senses.jsonl", 3, {"provenance": {}}, "provenance.source"),
        ("senses.jsonl", 3, {"provenance": "us"}, "provenance"),
        ("relation_types.jsonl", 2, {"id": "Enables"}, "id"),
        ("relation_types.jsonl", 2, {"kind": "magic"}, "kind"),
        ("relation_types.jsonl", 2, {"symmetric": "no"}, "symmetric"),
        ("relation_types.jsonl", 2, {"transitive": 1}, "transitive"),
        ("relation_types.jsonl", 2, {"object_number": "dual"}, "object_number"),
        ("relation_types.jsonl", 2, {"inverse_phrase": ""}, "inverse_phrase"),
        ("relations.jsonl", 2, {"subject": "brad.n.1"}, "subject: 'brad.n.1' is not in senses.jsonl"),
        ("relations.jsonl", 2, {"object": "flower.n.1"}, "object: 'flower.n.1' is not in senses.jsonl"),
        ("relations.jsonl", 2, {"relation": "relishes"}, "relation: 'relishes' is not in relation_types.jsonl"),
        ("relations.jsonl", 2, {"object": "bread.n.1"}, "object: a sense does not stand in a relation to itself"),
        ("relations.jsonl", 2, {"polarity": "neutral"}, "polarity"),
        ("relations.jsonl", 2, {"order": 1}, "order: only steps of a procedure are ordered"),
        ("relations.jsonl", 2, {"order": 0}, "order"),
        ("relations.jsonl", 2, {"status": ""}, "status"),
        ("relations.jsonl", 2, {"provenance": {"source": "them"}}, "provenance.source: 'them' is not in manifest.json"),
        ("relations.jsonl", 8, {"order": None}, "order: a step needs its place, from 1"),
        ("relations.jsonl", 8, {"order": 3}, "order: steps of bake.v.1: expected 2, found 3"),
        ("relations.jsonl", 8, {"order": 1}, "order: steps of bake.v.1: expected 2, found 1"),
        ("geometry.jsonl", 2, {"id": "bread.n.1"}, "id: expected baker.n.1"),
        ("geometry.jsonl", 2, {"x": [1, 2]}, "x"),
        ("geometry.jsonl", 2, {"x": [1, 2, 3, 4]}, "x"),
        ("geometry.jsonl", 2, {"x": [1, 2, 0.5]}, "x.2"),
        ("geometry.jsonl", 2, {"x": [2**24, 0, 0]}, "x.0"),
        ("geometry.jsonl", 2, {"x": [0, -(2**24), 0]}, "x.1"),
        ("geometry.jsonl", 2, {"rho": 0}, "rho"),
        ("geometry.jsonl", 2, {"rho": 2**24}, "rho"),
        ("geometry.jsonl", 2, {"rho": "9"}, "rho"),
        ("geometry.jsonl", 7, {"x": [30, 0, 0]}, "x: same lattice point as line 5"),
    ],
)  # fmt: skip
def test_a_row_that_is_wrong(folder: Path, name: str, line: int, fields: dict[str, Any], where: str) -> None:
    change(folder, name, line, put(**fields))
    assert refused(folder).startswith(f"{name}:{line}: {where}")


@pytest.mark.parametrize("name", [*FILES[:3], "stop_words.txt"])
def test_rows_out_of_order_and_twice(folder: Path, name: str) -> None:
    found = lines(folder, name)
    rewrite(folder, name, [found[1], found[0], *found[2:]])
    seal(folder)
    assert refused(folder).startswith(f"{name}:2: id: out of order after ")
    rewrite(folder, name, [found[0], found[0], *found[1:]])
    seal(folder)
    assert refused(folder).startswith(f"{name}:2: id: same as line 1: ")


def test_a_sense_without_a_point_and_a_point_without_a_sense(folder: Path) -> None:
    found = lines(folder, "geometry.jsonl")
    rewrite(folder, "geometry.jsonl", found[:-1])
    seal(folder)
    assert refused(folder) == "geometry.jsonl:12: id: wheat.n.1 has no point: refit the pack"
    rewrite(folder, "geometry.jsonl", [*found, '{"id": "yeast.n.1", "x": [7, 7, 7], "rho": 7}'])
    seal(folder)
    assert refused(folder).startswith("geometry.jsonl:13: id: expected nothing")


@pytest.mark.parametrize("text", ["", " a", "a ", "\u00a0a"])
def test_a_stop_word_with_blanks(folder: Path, text: str) -> None:
    rewrite(folder, "stop_words.txt", ["a", text, "the"])
    seal(folder)
    assert refused(folder).startswith("stop_words.txt:2: empty, or blanks")


@pytest.mark.parametrize("name", FILES)
def test_a_file_that_was_tampered_with(folder: Path, name: str) -> None:
    """One blank at the end of a line changes no value, and is found."""
    raw = (folder / name).read_bytes()
    (folder / name).write_bytes(
        raw + b"zebra\n" if name == "stop_words.txt" else raw.replace(b"}\n", b"} \n", 1)
    )
    message = refused(folder)
    at = next(i for i, t in enumerate(lines(folder, "manifest.json"), 1) if f'"{name}"' in t) + 1
    assert message.startswith(f"{name}: tampered: manifest.json:{at}: files.{name}.sha256: manifest says ")


@pytest.mark.parametrize(
    ("fields", "where"),
    [
        ({"schema_version": 2}, "schema_version"),
        ({"id": "../../etc"}, "id"),
        ({"id": "Small"}, "id"),
        ({"id": ""}, "id"),
        ({"version": "1.0"}, "version"),
        ({"language": "EN"}, "language"),
        ({"title": ""}, "title"),
        ({"sources": []}, "sources"),
        ({"sources": [{"id": "us"}]}, "sources.0.title"),
        ({"chart": None}, "chart"),
        ({"chart": {"turn": ["1"] * 15, "scale": "1", "radius": "1"}}, "chart.turn"),
        ({"chart": {"turn": [1.0] * 16, "scale": "1", "radius": "1"}}, "chart.turn.0"),
        ({"extra": 1}, "extra"),
        ({"files": {}}, "files.senses.jsonl: missing"),
        (
            {"files": {"../../../etc/passwd": {"sha256": "0" * 64, "rows": 1}}},
            "files.../../../etc/passwd: not a file",
        ),
        ({"files": {"senses.jsonl": {"sha256": "0" * 63, "rows": 1}}}, "files.senses.jsonl.sha256"),
        ({"files": {"senses.jsonl": {"sha256": "0" * 64, "rows": -1}}}, "files.senses.jsonl.rows"),
    ],
)
def test_a_manifest_that_is_wrong(folder: Path, fields: dict[str, Any], where: str) -> None:
    manifest = json.loads((folder / "manifest.json").read_text())
    (folder / "manifest.json").write_text(json.dumps(manifest | fields, indent=1))
    assert refused(folder).startswith(f"manifest.json: {where}")


@pytest.mark.parametrize("name", FILES)
def test_a_digest_or_a_count_edited_by_hand(folder: Path, name: str) -> None:
    files = {path.name: path.read_bytes() for path in folder.iterdir() if path.name != "manifest.json"}
    manifest = manifest_of(files)
    manifest["files"][name]["rows"] += 1
    (folder / "manifest.json").write_text(json.dumps(manifest, indent=1))
    rows = manifest["files"][name]["rows"]
    assert refused(folder) == f"manifest.json: files.{name}.rows: says {rows}, the file has {rows - 1}"
    manifest["files"][name]["sha256"] = "0" * 64
    (folder / "manifest.json").write_text(json.dumps(manifest, indent=1))
    assert f"files.{name}.sha256" in refused(folder)


def test_a_key_twice_in_the_manifest(folder: Path) -> None:
    text = (folder / "manifest.json").read_text().replace('"id": "small"', '"id": "small", "id": "small"', 1)
    (folder / "manifest.json").write_text(text)
    assert refused(folder).startswith("manifest.json: not JSON: key 'id' twice")


@pytest.mark.parametrize(
    "name",
    ["", "no_such_pack", "..", ".", "/", "../../etc", "..\\..\\etc", "./nowhere", "en_core_cognition_v1/..",
     "en_core_cognition_v1/../../../secret", "EN_CORE_COGNITION_V1", "en core", "en\x00core", "a" * 5000, "~", "file:///etc"],
)  # fmt: skip
def test_a_name_that_is_no_pack(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An id never leads outside the shipped packs; a path names a folder, and that is no pack."""
    monkeypatch.chdir(tmp_path)
    with pytest.raises(PackError) as caught:
        load_pack(name)
    assert "\n" not in str(caught.value)


def test_a_path_is_taken_only_where_it_is_written_as_one(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A folder that happens to be called like an id is not what the id means."""
    monkeypatch.chdir(tmp_path)
    with pytest.raises(PackError, match="no pack of this id"):
        load_pack("pack")
    assert load_pack("./pack").manifest.id == "small"
    assert load_pack(Path("pack")).manifest.id == "small"
    assert pack_folder("en_core_cognition_v1").is_dir()


@pytest.mark.parametrize("name", [*FILES, "manifest.json"])
def test_a_folder_or_a_loop_of_links_where_a_file_should_be(folder: Path, name: str) -> None:
    (folder / name).unlink()
    (folder / name).mkdir()
    assert refused(folder).startswith(f"pack/{name}: can't be read")
    (folder / name).rmdir()
    os.symlink(name, folder / name)
    assert refused(folder).startswith(f"pack/{name}: can't be read")


def test_a_link_to_other_content_is_found_by_its_digest(folder: Path, tmp_path: Path) -> None:
    other = tmp_path / "elsewhere.txt"
    other.write_text("a\nsecret\n")
    (folder / "stop_words.txt").unlink()
    os.symlink(other, folder / "stop_words.txt")
    message = refused(folder)
    assert message.startswith("stop_words.txt: tampered: ")
    assert "secret" not in message


def test_a_file_of_another_kind_is_no_pack(tmp_path: Path) -> None:
    archive = tmp_path / "pack.zip"
    archive.write_bytes(b"PK\x03\x04")
    with pytest.raises(PackError, match="no such folder"):
        load_pack(archive)


def test_other_files_beside_a_pack_are_left_alone(folder: Path) -> None:
    before = load_pack(folder)
    (folder / "README.md").write_text("notes")
    (folder / "senses.jsonl.bak").write_text("{")
    assert load_pack(folder) == before


def test_two_packs_are_not_opened_as_one(sound: Path) -> None:
    for packs in ([], [sound, sound]):
        with pytest.raises(ValueError, match="one pack at a time"):
            Runtime.open(packs)
