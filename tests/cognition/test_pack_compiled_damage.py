"""A compiled form that does not fit is never used: it is refused or left aside, and the text answers."""

from __future__ import annotations

import json
import os
import shutil
import struct
import warnings
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cga.backend import open_backend
from cognition import PackError, Runtime, Vocabulary, load_pack
from cognition.packs import compiled as module
from cognition.packs.columns import MAGIC, VERSION, Columns, OtherVersion, column, strings, write_columns
from cognition.packs.compiled import COMPILED_FILE, PackWarning, check_pack, write_compiled
from cognition.packs.load import Pack, read_pack
from cognition.packs.schema import MANIFEST_FILE
from tests.cognition import small_pack

pytestmark = pytest.mark.cognition

SENSES, RELATIONS, GEOMETRY = "senses.jsonl", "relations.jsonl", "geometry.jsonl"


@pytest.fixture
def made(folder: Path) -> Path:
    """The bakery with its compiled form, to break."""
    write_compiled(folder)
    return folder


def said_by(pack: Pack, prompt: str = "What is bread?") -> str:
    return Runtime(Vocabulary(pack, open_backend("numpy"))).ask(prompt).surface


def refused(folder: Path) -> PackError:
    with pytest.raises(PackError) as caught:
        load_pack(folder)
    assert "\n" not in str(caught.value)
    return caught.value


def left_aside(folder: Path) -> Pack:
    """The pack that the text gives, after a warning."""
    with pytest.warns(PackWarning, match=r"compiled.bin.*text is read instead.*core pack compile"):
        pack = load_pack(folder)
    assert pack.compiled is None
    return pack


def changed(path: Path, old: bytes, new: bytes) -> None:
    raw = path.read_bytes()
    assert raw.count(old) >= 1
    path.write_bytes(raw.replace(old, new, 1))


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = small_pack.write_pack(tmp_path_factory.mktemp("whole") / "pack")
    write_compiled(folder)
    return folder


@given(data=st.data())
def test_any_flipped_bit_is_noticed_at_opening(whole: Path, data: st.DataObject) -> None:
    path = whole / COMPILED_FILE
    good = path.read_bytes()
    at = data.draw(
        st.integers(0, len(good) - 1) | st.integers(0, 64) | st.integers(len(good) - 40, len(good) - 1)
    )
    bad = bytearray(good)
    bad[at] ^= 1 << data.draw(st.integers(0, 7))
    path.write_bytes(bad)
    try:
        unusable(whole)
    finally:
        path.write_bytes(good)
    assert load_pack(whole).compiled is not None


@given(data=st.data())
def test_any_cut_or_longer_file_is_noticed_at_opening(whole: Path, data: st.DataObject) -> None:
    path = whole / COMPILED_FILE
    good = path.read_bytes()
    cut = data.draw(st.integers(0, len(good) - 1) | st.integers(0, 60))
    more = data.draw(st.binary(min_size=1, max_size=40))
    for bad in (good[:cut], good + more):
        path.write_bytes(bad)
        try:
            unusable(whole)
        finally:
            path.write_bytes(good)


def unusable(folder: Path) -> None:
    """Refused, or left aside where the version alone differs; never opened."""
    refusal: PackError | None = None
    pack: Pack | None = None
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        try:
            pack = load_pack(folder)
        except PackError as error:
            refusal = error
    if refusal is not None:
        assert refusal.where == COMPILED_FILE
        assert "core pack compile" in refusal.what
    else:
        assert pack is not None
        assert pack.compiled is None
        assert [warning.category for warning in told] == [PackWarning]


def test_the_form_of_another_pack_is_left_aside(made: Path, tmp_path: Path) -> None:
    other = small_pack.write_pack(tmp_path / "other", small_pack.BAKERY[:-1], ())
    shutil.copy(made / COMPILED_FILE, other / COMPILED_FILE)
    assert said_by(left_aside(other), "What is wheat?").startswith("I don't know")
    with pytest.raises(PackError, match="not what the text gives"):
        check_pack(other)


def test_a_form_older_than_the_text_is_left_aside_and_the_new_text_answers(made: Path) -> None:
    changed(made / SENSES, b"food made of flour and water", b"what the baker sells at dawn")
    (made / COMPILED_FILE).rename(made.parent / "kept")
    small_pack.seal(made)
    (made.parent / "kept").rename(made / COMPILED_FILE)
    assert "what the baker sells at dawn" in said_by(left_aside(made))
    write_compiled(made)
    assert load_pack(made).compiled is not None
    assert "what the baker sells at dawn" in said_by(load_pack(made))


def test_a_form_of_another_version_of_the_program_is_left_aside(
    made: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("cognition.packs.columns.VERSION", VERSION + 1)
    assert "flour" in said_by(left_aside(made))
    with pytest.raises(PackError, match="not what the text gives"):
        check_pack(made)


@pytest.mark.parametrize("name", [SENSES, RELATIONS, GEOMETRY, "stop_words.txt", "relation_types.jsonl"])
def test_text_that_grew_is_tampered_as_without_a_compiled_form(made: Path, name: str) -> None:
    (made / name).write_bytes((made / name).read_bytes() + b"\n" * (name == "stop_words.txt") + b"x\n")
    with_form = str(refused(made))
    (made / COMPILED_FILE).unlink()
    assert str(refused(made)) == with_form


@pytest.mark.parametrize("name", small_pack.FILES)
def test_a_missing_file_is_missing(made: Path, name: str) -> None:
    (made / name).unlink()
    assert "missing file" in str(refused(made))


def test_a_line_changed_in_place_is_noticed_when_it_is_read(made: Path) -> None:
    changed(made / SENSES, b"food made of flour and water", b"food made of flour and sawdu")
    pack = load_pack(made)
    assert said_by(pack, "What is wheat?").startswith("Wheat is a tall grass")
    with pytest.raises(PackError, match=r"senses.jsonl:3: changed since the pack was compiled"):
        said_by(pack)
    with pytest.raises(PackError, match=r"senses.jsonl: tampered"):
        check_pack(made)


def test_a_statement_changed_in_place_is_noticed_when_it_is_cited(made: Path) -> None:
    changed(
        made / RELATIONS,
        b'"note": null' if b'"note"' in (made / RELATIONS).read_bytes() else b'"us"',
        b'"uz"',
    )
    pack = load_pack(made)
    first = pack.relations
    with pytest.raises(PackError, match=r"relations.jsonl:1: changed since"):
        first[0]
    assert first[1].subject == "bread.n.1"
    with pytest.raises(PackError, match=r"relations.jsonl: tampered"):
        check_pack(made)


def test_geometry_changed_in_place_changes_no_answer_and_is_not_valid(made: Path) -> None:
    before = tuple(load_pack(made).geometry)
    changed(made / GEOMETRY, b'"rho": 100', b'"rho": 999')
    assert tuple(load_pack(made).geometry) == before
    with pytest.raises(PackError, match=r"geometry.jsonl: tampered"):
        check_pack(made)


def test_a_form_that_was_made_up_with_a_digest_of_its_own_is_not_valid(made: Path) -> None:
    """Its digest shows damage; that it is what the text gives only the whole text shows."""
    pack, contents = read_pack(made)
    forged = module._derived(pack, {**contents, RELATIONS: contents[RELATIONS].replace(b'"us"', b'"uz"')})
    (made / COMPILED_FILE).write_bytes(forged)
    with pytest.raises(PackError, match="not what the text gives"):
        check_pack(made)


def test_a_pack_that_is_not_valid_is_not_compiled(folder: Path) -> None:
    changed(folder / RELATIONS, b"flour.n.1", b"floor.n.1")
    with pytest.raises(PackError, match="tampered"):
        write_compiled(folder)
    assert not (folder / COMPILED_FILE).exists()
    assert len(list(folder.iterdir())) == len(small_pack.FILES) + 1


def test_a_write_that_fails_leaves_the_old_form(made: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = (made / COMPILED_FILE).read_bytes()

    def fail(*_: object) -> None:
        raise OSError("no space")

    monkeypatch.setattr(os, "replace", fail)
    with pytest.raises(OSError, match="no space"):
        write_compiled(made)
    monkeypatch.undo()
    assert (made / COMPILED_FILE).read_bytes() == before
    assert not list(made.glob(".compiled*"))


def test_a_directory_in_its_place_is_an_error(folder: Path) -> None:
    (folder / COMPILED_FILE).mkdir()
    assert "can't be read" in str(refused(folder))


def test_a_damaged_manifest_is_named_first(made: Path) -> None:
    manifest = json.loads((made / MANIFEST_FILE).read_text())
    (made / MANIFEST_FILE).write_text(json.dumps(manifest | {"extra": 1}))
    assert str(refused(made)).startswith(f"{MANIFEST_FILE}: extra")


class TestContainer:
    """The format by itself."""

    @given(
        numbers=st.lists(st.integers(-(2**31), 2**31 - 1), max_size=30),
        large=st.lists(st.integers(0, 2**64 - 1), max_size=9),
        words=st.lists(st.binary(max_size=9), max_size=20),
    )
    def test_what_is_written_is_read(self, numbers: list[int], large: list[int], words: list[bytes]) -> None:
        text, at = strings(words)
        sections = {"n": column("i", numbers), "q": column("Q", large), "w.text": text, "w.at": at}
        raw = write_columns({"a": [1, "\u00e9"]}, sections)
        found = Columns(memoryview(raw))
        assert found.header == {"a": [1, "\u00e9"]}
        assert found.numbers("n", "i").tolist() == numbers
        assert found.numbers("q", "Q").tolist() == large
        assert list(found.strings("w")) == words
        assert found.strings("w")[1:] == tuple(words[1:])

    def test_a_machine_of_the_other_byte_order_reads_its_numbers(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        plain = column("I", [1, 2**31])
        monkeypatch.setattr("cognition.packs.columns._SWAPPED", True)
        assert column("I", [1, 2**31]) == b"".join(plain[at : at + 4][::-1] for at in (0, 4))
        found = Columns(memoryview(write_columns({}, {"n": column("i", [-2, 3]), "q": column("Q", [2**40])})))
        assert (found.numbers("n", "i").tolist(), found.numbers("q", "Q").tolist()) == ([-2, 3], [2**40])

    @given(words=st.sets(st.binary(max_size=4), max_size=30), wanted=st.binary(max_size=4))
    def test_a_string_is_found_where_it_stands(self, words: set[bytes], wanted: bytes) -> None:
        text, at = strings(sorted(words))
        raw = write_columns({}, {"w.text": text, "w.at": at})
        table = Columns(memoryview(raw)).strings("w")
        for word in (wanted, *words):
            place = table.find(word)
            assert (place is not None) == (word in words)
            assert place is None or table[place] == word

    def test_another_version_is_told_from_damage(self) -> None:
        raw = write_columns({}, {})
        other = raw[:8] + struct.pack("<I", VERSION + 1) + raw[12:]
        assert raw[:8] == MAGIC
        with pytest.raises(OtherVersion, match=f"format {VERSION + 1}"):
            Columns(memoryview(other))
