"""A corpus of broken packs: each is refused by one line that names the file, the line and the field."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from cognition import Runtime, load_pack
from tests.cognition.small_pack import FILES, lines, refused, seal

pytestmark = pytest.mark.packs

JSONL = FILES[:-1]
Edit = Callable[[dict[str, Any]], Any]


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
    [
        ("senses.jsonl", "gloss"),
        ("relation_types.jsonl", "verb"),
        ("relations.jsonl", "polarity"),
        ("geometry.jsonl", "rho"),
    ],
)
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
        ("relations.jsonl", 12, {"subject": "toast.n.9"}, "subject: 'toast.n.9' is not in senses.jsonl"),
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


def test_two_steps_in_one_place(folder: Path) -> None:
    change(folder, "relations.jsonl", 8, put(order=1))
    assert refused(folder) == "relations.jsonl:9: order: steps of bake.v.1: expected 2, found 1"


@pytest.mark.parametrize("name", [*FILES[:3], "stop_words.txt"])
def test_rows_out_of_order_and_twice(folder: Path, name: str) -> None:
    found = lines(folder, name)
    field = {"relations.jsonl": "subject, relation, object: ", "stop_words.txt": ""}.get(name, "id: ")
    rewrite(folder, name, [found[1], found[0], *found[2:]])
    seal(folder)
    assert refused(folder).startswith(f"{name}:2: {field}out of order after ")
    rewrite(folder, name, [found[0], found[0], *found[1:]])
    seal(folder)
    assert refused(folder).startswith(f"{name}:2: {field}same as line 1: ")


def test_a_symmetric_statement_is_made_once(folder: Path) -> None:
    """Asserted from one end and denied from the other, it would say two things at once."""
    found = [json.loads(line) for line in lines(folder, "relations.jsonl")]
    at = next(i for i, row in enumerate(found) if row["relation"] == "contrasts_with")
    back = found[at] | {
        "subject": found[at]["object"],
        "object": found[at]["subject"],
        "polarity": "negative",
    }
    rows = sorted([*found, back], key=lambda row: (row["subject"], row["relation"], row["object"]))
    rewrite(folder, "relations.jsonl", [json.dumps(row) for row in rows])
    seal(folder)
    assert "says of the same pair what line" in refused(folder)


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
