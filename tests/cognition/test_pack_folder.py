"""Folders, manifests and names of packs: what was tampered with, what leads outside, what is no pack."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from cognition import PackError, Runtime, load_pack
from cognition.packs.load import pack_folder
from tests.cognition.small_pack import FILES, lines, manifest_of, refused

pytestmark = pytest.mark.packs


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
