"""Tables that can't be a pack: each fault is one line that names file, line and column, and nothing is written."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from cognition.packs import tables
from cognition.packs.load import PackError
from cognition.packs.material import check_material
from cognition.packs.schema import TermRow
from cognition.packs.tables import MOST_TERMS, open_table
from cognition.packs.terms import Request, read_material
from tests.cognition.built_packs import RELATIONS, TERMS, build_pack, contents, request_of, without_fit
from tests.cognition.command import Core

pytestmark = pytest.mark.packs

CORPUS = Path(__file__).parent / "malformed_terms"
EXPECTED = dict(
    line.split("\t", 1) for line in (CORPUS / "expected.tsv").read_text(encoding="utf-8").splitlines()
)


def fault(request: Request) -> str:
    with pytest.raises(PackError) as caught:
        check_material(read_material(request))
    message = str(caught.value)
    assert "\n" not in message
    return message


def test_every_file_of_the_corpus_has_its_message() -> None:
    there = {path.name for path in CORPUS.iterdir()} - {"expected.tsv", "good.csv"}
    assert there == set(EXPECTED)


@pytest.mark.parametrize("name", EXPECTED)
def test_a_malformed_table(name: str) -> None:
    if name.startswith("rel_"):
        request = Request(terms=CORPUS / "good.csv", relations=CORPUS / name, id="x")
    else:
        request = Request(terms=CORPUS / name, id="x")
    assert fault(request) == EXPECTED[name]


def test_the_sound_table_is_sound() -> None:
    assert len(read_material(Request(terms=CORPUS / "good.csv", id="x")).senses) == 3


@pytest.mark.parametrize("name", ["latin1.csv", "quote_open.csv", "term_twice.csv", "rel_cycle.csv"])
def test_a_fault_ends_the_command_and_leaves_nothing(core: Core, tmp_path: Path, name: str) -> None:
    where = ["--relations", str(CORPUS / name)] if name.startswith("rel_") else []
    terms = CORPUS / ("good.csv" if where else name)
    done = core("pack", "build", str(terms), *where, "-o", str(tmp_path / "out"))
    assert (done.code, done.out) == (2, "")
    assert done.err == f"core: {EXPECTED[name]}\n"
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("option", "value", "message"),
    [
        ("--id", "My Pack", "manifest: id: an id of a pack"),
        ("--version", "1.0", "manifest: version: a version is three numbers"),
        ("--language", "English", "language: a language is its code"),
        ("--title", " ", "--title, --licence, --attribution: title: "),
        ("--sources", "nowhere.csv", "nowhere.csv: no such file"),
        ("--relations", "nowhere.csv", "nowhere.csv: no such file"),
        ("--relation-types", "nowhere.jsonl", "nowhere.jsonl: can't be read"),
        ("--stop-words", "nowhere.txt", "nowhere.txt: can't be read"),
        ("--domain", "My Domain", ""),
    ],
)
def test_an_option_that_is_wrong(
    core: Core, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, option: str, value: str, message: str
) -> None:
    without_fit(monkeypatch)
    monkeypatch.chdir(tmp_path)
    done = core("pack", "build", str(CORPUS / "good.csv"), option, value, "-o", "out")
    if option == "--domain":  # all terms have their own
        assert done.code == 0
        return
    assert done.code == 2
    assert message in done.err
    assert list(tmp_path.iterdir()) == []


def test_one_term_is_no_pack(tmp_path: Path) -> None:
    with pytest.raises(PackError, match="1 senses; a geometry needs two at least"):
        build_pack(tmp_path, TERMS[:1], None)


def test_a_missing_table_and_a_folder_in_its_place(tmp_path: Path) -> None:
    assert fault(Request(terms=tmp_path / "none.csv", id="x")).endswith("none.csv: no such file")
    assert "can't be read" in fault(Request(terms=tmp_path, id="x"))


def test_too_many_rows_are_refused_before_any_is_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The table is counted as a stream, up to one row more than it may have."""
    path = tmp_path / "many.csv"
    with path.open("w") as file:
        file.write("term,gloss,domains\n")
        file.writelines(f"{i},a word,words\n" for i in range(2 * MOST_TERMS))
    counted = 0

    def rows(*arguments: object) -> Iterator[object]:
        nonlocal counted
        for row in read(*arguments):  # pyright: ignore[reportArgumentType]
            counted += 1
            yield row

    read = tables._rows
    monkeypatch.setattr(tables, "_rows", rows)
    message = fault(Request(terms=path, id="x"))
    assert message == "many.csv: more than 250,000 terms, the most that one pack takes; split it into several"
    assert counted == MOST_TERMS + 1


def test_a_line_without_end_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "long.csv"
    path.write_bytes(b"term,gloss,domains\n" + b"x" * (tables.LONGEST_LINE + 10))
    assert fault(Request(terms=path, id="x")).startswith("long.csv:2: a line of more than 1,048,576 bytes")


@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
def test_a_mark_of_utf_8_quotes_and_other_delimiters_are_read(tmp_path: Path, delimiter: str) -> None:
    path = tmp_path / "terms.csv"
    lines = (
        ["term", "gloss", "domains"],
        ["hive", f'"a box{delimiter} or ""home"""', "bees"],
        ["bee", '"an\ninsect"', "bees"],
    )
    path.write_bytes(b"\xef\xbb\xbf" + "\r\n".join(map(delimiter.join, lines)).encode())
    rows = dict(open_table(path, TermRow, most=9, what="terms"))
    assert rows == {
        "terms.csv:2": {
            "term": "hive",
            "gloss": f'a box{" " if delimiter == chr(9) else delimiter + " "}or "home"'.replace("  ", " "),
            "domains": ["bees"],
        },
        "terms.csv:3": {"term": "bee", "gloss": "an insect", "domains": ["bees"]},
    }


def test_a_fault_after_a_cell_of_several_lines_names_the_line_where_its_row_begins(tmp_path: Path) -> None:
    path = tmp_path / "terms.csv"
    path.write_text(
        'term,gloss,domains\nhive,"a\nbox\nfor bees",bees\n,"an\ninsect",bees\n', encoding="utf-8"
    )
    assert fault(Request(terms=path, id="x")) == "terms.csv:5: term: is empty; fill it in"


def test_formulas_are_kept_where_that_is_asked_for(tmp_path: Path) -> None:
    terms = [{"term": "-ology", "gloss": "= a field of study", "domains": "words"}, *TERMS]
    assert "would be a formula" in fault(request_of(tmp_path, terms))
    material = read_material(request_of(tmp_path, terms, allow_formulas=True))
    assert next(sense.gloss for sense in material.senses if sense.lemma == "-ology") == "= a field of study"


def test_numbers_with_a_sign_are_no_formulas(tmp_path: Path) -> None:
    terms = [{"term": "-40", "gloss": "where the two scales meet", "domains": "heat"}, *TERMS]
    assert "-40.n.1" in {sense.id for sense in read_material(request_of(tmp_path, terms)).senses}


def test_a_name_that_means_two_senses_asks_which(tmp_path: Path) -> None:
    terms = [
        *TERMS,
        {"term": "smoke", "gloss": "what rises from a fire", "domains": "bees.work", "countability": "mass"},
    ]
    said = [{"subject": "smoke", "relation": "prevents", "object": "bee"}]
    assert fault(request_of(tmp_path, terms, said)) == (
        "relations.csv:2: subject: 'smoke' names 2 senses; write one of smoke.n.1, smoke.v.1"
    )
    for name, sense in (("smoke (noun)", "smoke.n.1"), ("smoke.v.1", "smoke.v.1"), ("honey bee", "bee.n.1")):
        (relation,) = read_material(
            request_of(tmp_path, terms, [{**said[0], "subject": name, "object": "hive"}])
        ).relations
        assert relation.subject == sense


def test_a_fit_that_is_not_finite_is_no_pack(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from cga.backend import FitError
    from cognition.packs import build as building

    def fails(*_: object, **__: object) -> None:
        raise FitError("non_finite_fit", "the loss is not finite at step 3")

    monkeypatch.setattr(building, "fit_points", fails)
    with pytest.raises(PackError, match=r"geometry\.jsonl: non_finite_fit: the loss is not finite"):
        build_pack(tmp_path)
    assert not (tmp_path / "pack").exists()


def test_a_folder_that_holds_something_is_left_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    without_fit(monkeypatch)
    (tmp_path / "pack").mkdir()
    (tmp_path / "pack" / "thesis.txt").write_text("three years")
    for force in (False, True):
        with pytest.raises(PackError, match="holds other things than a pack"):
            build_pack(tmp_path, force=force)
    assert contents(tmp_path / "pack") == {"thesis.txt": b"three years"}
    monkeypatch.chdir(tmp_path)
    with pytest.raises(PackError, match="is the folder that you are in"):
        build_pack(tmp_path, name="")
    (tmp_path / "file").write_text("")
    with pytest.raises(PackError, match="is no folder; choose another name"):
        build_pack(tmp_path, name="file")
    other = tmp_path / "b"
    pack = build_pack(other)
    before = contents(pack)
    with pytest.raises(PackError, match="holds a pack; --update adds to it, --force builds it anew"):
        build_pack(other, TERMS[1:], RELATIONS[4:])
    assert contents(pack) == before
    build_pack(other, TERMS[1:], RELATIONS[4:], force=True)
    assert contents(pack) != before


def test_taxonomic_relations_make_no_cycle_together(tmp_path: Path) -> None:
    said = [
        {"subject": "bee", "relation": "is_a", "object": "insect"},
        {"subject": "insect", "relation": "instance_of", "object": "bee"},
    ]
    assert fault(request_of(tmp_path, TERMS, said)) == (
        "relations.csv:2: is_a: a cycle: insect.n.1 instance_of bee.n.1 is_a insect.n.1; delete one of these rows"
    )


def test_relation_types_of_ones_own_may_not_change_the_common_ones(tmp_path: Path) -> None:
    kinds = tmp_path / "kinds.jsonl"
    kinds.write_text(
        '{"id": "is_a", "verb": "be", "third": "is", "plural": "are", "preposition": "like", "object_number": "bare",'
        ' "symmetric": true, "transitive": false, "kind": "contrast", "inverse_phrase": "is like", "gloss": "alike"}\n'
    )
    assert fault(request_of(tmp_path, relation_types=kinds)) == (
        "kinds.jsonl:1: id: 'is_a' has a common meaning already; take another id"
    )
