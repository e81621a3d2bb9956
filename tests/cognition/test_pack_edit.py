"""Further versions of a pack: what is added, taken back, merged and told apart, and that nothing else moves."""

from __future__ import annotations

import json
import random
import shutil
from pathlib import Path
from typing import Any

import pytest

from cognition import Runtime, load_pack
from cognition.packs.diff import diff_packs, in_words
from cognition.packs.load import PackError
from cognition.packs.retract import retract
from cognition.packs.versions import attachments
from tests.cognition.built_packs import (
    RELATIONS,
    TERMS,
    Row,
    build_pack,
    contents,
    geometry_of,
    grow_pack,
    without_fit,
)
from tests.cognition.command import Core

pytestmark = pytest.mark.packs

MORE: tuple[Row, ...] = (
    {"term": "drone", "gloss": "a male bee that does no work", "domains": "bees.insect"},
    {"term": "skep", "gloss": "a hive made of straw", "domains": "bees.home"},
    {"term": "wax", "gloss": "the soft solid that combs are made of", "domains": "bees.stuff", "countability": "mass"},
    {"term": "ether", "gloss": "what fills the sky", "domains": "sky", "countability": "mass"},
    *({"term": f"tool {i}", "gloss": f"tool number {i}", "domains": "bees.work"} for i in range(6)),
)  # fmt: skip
MORE_SAID: tuple[Row, ...] = (
    {"subject": "drone", "relation": "is_a", "object": "bee"},
    {"subject": "skep", "relation": "is_a", "object": "hive"},
    {"subject": "tool 1", "relation": "used_for", "object": "inspect (verb)"},
)


@pytest.fixture(autouse=True)
def _quick(monkeypatch: pytest.MonkeyPatch) -> None:
    without_fit(monkeypatch)


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> Path:
    with pytest.MonkeyPatch.context() as patch:
        without_fit(patch)
        return build_pack(tmp_path_factory.mktemp("edit"))


@pytest.fixture
def pack(base: Path, tmp_path: Path) -> Path:
    """A copy to change."""
    return Path(shutil.copytree(base, tmp_path / "pack"))


def version(folder: Path) -> str:
    return load_pack(folder).manifest.version


@pytest.mark.parametrize("whole", [True, False], ids=["--update", "--add"])
def test_ten_more_terms_move_no_point(pack: Path, whole: bool) -> None:
    """Lines, not only numbers: what stays is the same bytes, and so is the chart."""
    points, chart = geometry_of(pack), load_pack(pack).manifest.chart
    lines = {
        line
        for name in ("senses", "relations")
        for line in (pack / f"{name}.jsonl").read_bytes().splitlines()
    }
    if whole:
        built = grow_pack(pack, [*TERMS, *MORE], [*RELATIONS, *MORE_SAID], whole=True)
    else:
        built = grow_pack(pack, MORE, MORE_SAID, whole=False)
    after = geometry_of(pack)
    assert {name: after[name] for name in points} == points
    assert len(after) == len(points) + 10
    assert load_pack(pack).manifest.chart == chart
    assert lines <= {
        line
        for name in ("senses", "relations")
        for line in (pack / f"{name}.jsonl").read_bytes().splitlines()
    }
    assert (built.version, version(pack)) == ("1.0.1", "1.0.1")
    assert built.report["points placed"] == 10
    assert len(built.changes["Added"]) == 13
    runtime = Runtime.open([pack])
    assert runtime.ask("Is a drone an insect?").surface.startswith("Yes")
    assert runtime.ask("What is a skep?").surface.startswith("A skep is a hive made of straw.")


def test_both_ways_of_adding_give_the_same_pack(base: Path, tmp_path: Path) -> None:
    both = []
    for name in ("a", "b"):
        folder = Path(shutil.copytree(base, tmp_path / name / "pack"))
        if name == "a":
            grow_pack(folder, [*TERMS, *MORE], [*RELATIONS, *MORE_SAID], whole=True)
        else:
            grow_pack(folder, MORE, MORE_SAID, whole=False)
        both.append(contents(folder))
    assert both[0] == both[1]


def test_lines_written_by_hand_stay_as_they_are(pack: Path, core: Core) -> None:
    text = (pack / "senses.jsonl").read_text().replace('"domains": [', '"domains":  [')
    (pack / "senses.jsonl").write_text(text)
    assert core("pack", "freeze", str(pack), "--keep-points").code == 0
    grow_pack(pack, MORE, MORE_SAID, whole=False)
    assert set(text.splitlines()) < set((pack / "senses.jsonl").read_text().splitlines())


def test_nothing_new_writes_nothing(pack: Path) -> None:
    before = contents(pack)
    built = grow_pack(pack, TERMS, RELATIONS, whole=True)
    assert contents(pack) == before
    assert built.version == "1.0.0"
    assert "holds all of this already" in built.notes[-1]


def test_a_new_gloss_changes_a_row_and_no_point(pack: Path) -> None:
    points = (pack / "geometry.jsonl").read_bytes()
    terms = [{**row, "gloss": "a house for bees"} if row["term"] == "hive" else row for row in TERMS]
    built = grow_pack(pack, terms, RELATIONS, whole=True)
    assert built.changes == {"Changed": ["hive.n.1"]}
    assert (pack / "geometry.jsonl").read_bytes() == points
    assert "- hive.n.1" in (pack / "CHANGELOG.md").read_text()


def test_a_row_that_is_gone_is_refused(pack: Path) -> None:
    before = contents(pack)
    with pytest.raises(
        PackError, match=r"terms\.csv: lacks rows of the pack: hive\.n\.1; `core pack retract`"
    ):
        grow_pack(pack, [row for row in TERMS if row["term"] != "hive"], RELATIONS, whole=True)
    with pytest.raises(
        PackError, match=r"relations\.csv: lacks rows of the pack: rel:bee\.n\.1:produces:honey\.n\.1"
    ):
        grow_pack(pack, TERMS, RELATIONS[1:], whole=True)
    assert contents(pack) == before


def test_relations_that_are_not_given_stay(pack: Path) -> None:
    grow_pack(pack, [*TERMS, MORE[0]], None, whole=True)
    assert len(load_pack(pack).relations) == len(RELATIONS)


def test_a_step_can_be_added_after_the_last_one_and_nowhere_else(pack: Path) -> None:
    step = {"subject": "tool 1", "relation": "step_of", "object": "inspect (verb)", "order": 3}
    with pytest.raises(
        PackError, match=r"relations\.csv:2: order: steps of inspect\.v\.1: expected 3, found 4"
    ):
        grow_pack(pack, MORE[5:6], [{**step, "order": 4}], whole=False)
    grow_pack(pack, MORE[5:6], [step], whole=False)
    assert len(load_pack(pack).relations) == len(RELATIONS) + 1


@pytest.mark.parametrize(
    ("more", "message"),
    [
        ({"version": "1.0.0"}, "'1.0.0' is no version after 1.0.0; as 1.0.1"),
        ({"version": "0.9.9"}, "'0.9.9' is no version after 1.0.0"),
        ({"version": "two"}, "'two' is no version after 1.0.0"),
        ({"id": "wasps"}, "'wasps' is not the pack's own id, 'bees'"),
    ],
)
def test_what_does_not_go_on_from_the_pack_is_refused(pack: Path, more: dict[str, Any], message: str) -> None:
    before = contents(pack)
    with pytest.raises(PackError, match=message):
        grow_pack(pack, MORE, whole=False, **more)
    assert contents(pack) == before


def test_there_must_be_a_pack_to_add_to(tmp_path: Path) -> None:
    with pytest.raises(PackError, match="holds no pack to add to"):
        grow_pack(tmp_path / "none", TERMS, whole=True)


def test_new_rows_under_another_licence_have_a_source_of_their_own(pack: Path) -> None:
    grow_pack(pack, [*TERMS, MORE[0]], RELATIONS, whole=True, licence="CC0-1.0", attribution="Zoe")
    after = load_pack(pack)
    assert [(source.id, source.attribution) for source in after.manifest.sources] == [
        ("own", "the authors of terms.csv"),
        ("own-1.0.1", "Zoe"),
    ]
    credited = {sense.id: sense.provenance.source for sense in after.senses}
    assert credited["drone.n.1"] == "own-1.0.1"
    assert {source for name, source in credited.items() if name != "drone.n.1"} == {"own"}


def test_new_points_are_drawn_to_relations_and_to_mates_of_their_domains(pack: Path) -> None:
    known = [row.id for row in load_pack(pack).geometry]
    grow_pack(pack, MORE, MORE_SAID, whole=False)
    after = load_pack(pack)
    new = [sense for sense in after.senses if sense.id not in known]
    names = [*known, *(sense.id for sense in new)]
    drawn = {
        (names[i], names[j]): weight
        for i, j, weight in attachments(known, new, after.senses, after.relations)
    }
    assert drawn["drone.n.1", "bee.n.1"] > 1.0
    assert 0 < drawn["drone.n.1", "insect.n.1"] < 0.3
    assert ("drone.n.1", "hive.n.1") not in drawn
    assert any(a == "wax.n.1" for a, _ in drawn), "bees.stuff is new: its mates are those of bees"
    assert not any("ether.n.1" in pair for pair in drawn), "nothing is known of it"


def test_a_retracted_sense_answers_no_more_and_what_rested_on_it_is_told(pack: Path) -> None:
    points = (pack / "geometry.jsonl").read_bytes()
    built, rested = retract(pack, ["bee.n.1"], reason="a wasp, in truth")
    assert (pack / "geometry.jsonl").read_bytes() == points
    assert rested.statements == (
        "rel:bee.n.1:is_a:insect.n.1",
        "rel:bee.n.1:produces:honey.n.1",
        "rel:queen.n.1:is_a:bee.n.1",
    )
    assert rested.glosses == ("hive.n.1", "honey.n.1", "queen.n.1")
    assert rested.chains == (("queen.n.1", "is_a", "insect.n.1"),)
    assert rested.steps == ()
    after = load_pack(pack)
    assert len(after.senses) == len(TERMS)
    assert len(after.relations) == len(RELATIONS)
    gone = {row.id for rows in (after.senses, after.relations) for row in rows if row.status == "retracted"}
    assert gone == {"bee.n.1", *rested.statements}
    assert next(s for s in after.senses if s.id == "bee.n.1").provenance.note == (
        "retracted in 1.0.1: a wasp, in truth"
    )
    assert (built.version, version(pack)) == ("1.0.1", "1.0.1")
    assert "bee.n.1 (a wasp, in truth)" in (pack / "CHANGELOG.md").read_text()
    runtime = Runtime.open([pack])
    assert runtime.ask("What is a bee?").refusal is not None
    assert not runtime.ask("Is a queen an insect?").surface.startswith("Yes")


def test_a_chain_that_has_another_way_still_holds(tmp_path: Path) -> None:
    said = [*RELATIONS, {"subject": "queen", "relation": "is_a", "object": "insect"}]
    folder = build_pack(tmp_path, TERMS, said)
    _, rested = retract(folder, ["rel:queen.n.1:is_a:bee.n.1"])
    assert rested.chains == (("queen.n.1", "is_a", "bee.n.1"),)
    assert rested.statements == ()


def test_steps_after_a_retracted_one_move_up(pack: Path) -> None:
    _, rested = retract(pack, ["rel:smoke.v.1:step_of:inspect.v.1"])
    assert rested.steps == (("open.v.1", "inspect.v.1", 2, 1),)
    orders = {row.subject: (row.order, row.status) for row in load_pack(pack).relations if row.order}
    assert orders == {"open.v.1": (1, "reviewed"), "smoke.v.1": (2, "retracted")}


def test_what_is_retracted_stays_so_until_its_row_says_otherwise(pack: Path) -> None:
    retract(pack, ["hive.n.1", "rel:smoke.v.1:step_of:inspect.v.1"])
    before = contents(pack)
    grow_pack(pack, TERMS, RELATIONS, whole=True)
    assert contents(pack) == before
    terms = [{**row, "status": "reviewed"} if row["term"] == "hive" else row for row in TERMS]
    built = grow_pack(pack, terms, RELATIONS, whole=True)
    assert built.changes == {"Changed": ["hive.n.1"]}
    assert Runtime.open([pack]).ask("What is a hive?").answered


def test_a_retracted_statement_gives_way_to_its_denial(pack: Path) -> None:
    retract(pack, ["rel:bee.n.1:produces:honey.n.1"])
    denial = {"subject": "bee", "relation": "produces", "object": "honey", "polarity": "negative"}
    grow_pack(pack, [{**TERMS[0]}], [denial], whole=False)
    ids = {row.id for row in load_pack(pack).relations}
    assert "rel:bee.n.1:not:produces:honey.n.1" in ids
    assert "rel:bee.n.1:produces:honey.n.1" not in ids


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("bees.n.1", r"bees\.n\.1: is no sense and no statement of bees; did you mean 'bee\.n\.1'"),
        ("rel:bee.n.1:produces:hony.n.1", "did you mean 'rel:bee.n.1:produces:honey.n.1'"),
        ("smoke.v.1", "smoke.v.1: is retracted already"),
    ],
)
def test_what_can_not_be_retracted(pack: Path, name: str, message: str) -> None:
    retract(pack, ["smoke.v.1"])
    before = contents(pack)
    with pytest.raises(PackError, match=message):
        retract(pack, ["hive.n.1", name])
    assert contents(pack) == before


def test_a_diff_says_what_a_version_adds_changes_and_takes_back(pack: Path, base: Path) -> None:
    grow_pack(pack, MORE, MORE_SAID, whole=False)
    retract(pack, ["hive.n.1"])
    found = diff_packs(load_pack(base), load_pack(pack))
    assert len(found.parts["senses"].added) == 10
    assert found.parts["senses"].removed == ()
    (change,) = found.parts["senses"].changed
    assert change.id == "hive.n.1"
    assert change.fields["status"] == ("reviewed", "retracted")
    assert found.same_chart
    assert found.moved == ()
    assert found.manifest == {"version": ("1.0.0", "1.0.2")}
    lines = in_words(found)
    assert "senses added: 10" in lines
    assert "  + drone.n.1" in lines
    json.dumps(found.as_dict())
    back = diff_packs(load_pack(pack), load_pack(base))
    assert back.parts["senses"].removed == found.parts["senses"].added


def test_a_diff_of_a_pack_with_itself_is_empty(base: Path) -> None:
    found = diff_packs(load_pack(base), load_pack(base))
    assert in_words(found) == ["bees 1.0.0 -> bees 1.0.0", "no difference"]


def test_points_that_a_refit_moved_are_counted(base: Path, pack: Path, core: Core) -> None:
    rows = (pack / "geometry.jsonl").read_text().replace('"rho": 100003', '"rho": 100303')
    (pack / "geometry.jsonl").write_text(rows)
    assert core("pack", "freeze", str(pack), "--keep-points").code == 0
    assert len(diff_packs(load_pack(base), load_pack(pack)).moved) == 1


def test_the_commands(core: Core, pack: Path, base: Path, tmp_path: Path) -> None:
    done = core("pack", "retract", str(pack), "bee.n.1", "--reason", "no")
    assert done.code == 0
    assert "retracted with it: rel:bee.n.1:is_a:insect.n.1" in done.out
    assert "no longer follows: queen.n.1 is_a insect.n.1" in done.out
    assert "its gloss names it: hive.n.1" in done.out
    done = core("pack", "diff", str(base), str(pack))
    assert "senses changed: 1" in done.out.splitlines()
    assert json.loads(core("pack", "diff", str(base), str(pack), "--json").out)["moved"] == []
    done = core("pack", "merge", str(base), str(pack), "-o", str(tmp_path / "m"), "--align")
    assert done.code == 0
    assert "8 points kept, 0 placed" in done.out
    assert core("pack", "build", "x.csv", "-o", str(pack), "--update", "--add").code == 2


def test_any_selection_of_entries_can_be_retracted(base: Path, tmp_path: Path) -> None:
    """Whatever is taken back, in whichever order, the pack stays valid, nothing is deleted, and no point moves."""
    draw = random.Random(0)
    everything = [row.id for rows in (load_pack(base).senses, load_pack(base).relations) for row in rows]
    points = (base / "geometry.jsonl").read_bytes()
    for trial in range(6):
        folder = Path(shutil.copytree(base, tmp_path / str(trial)))
        for name in draw.sample(everything, 5):
            status = {
                r.id: r.status
                for rows in (load_pack(folder).senses, load_pack(folder).relations)
                for r in rows
            }
            if status[name] != "retracted":
                retract(folder, [name])
        after = load_pack(folder)
        assert {r.id for rows in (after.senses, after.relations) for r in rows} == set(everything)
        assert (folder / "geometry.jsonl").read_bytes() == points
        live = [row for row in after.relations if row.status != "retracted"]
        gone = {sense.id for sense in after.senses if sense.status == "retracted"}
        assert not any({row.subject, row.object} & gone for row in live)
