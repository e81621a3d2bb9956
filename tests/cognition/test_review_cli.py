"""`core review` and `core pack compare`: what they print, where, and how they exit."""

from __future__ import annotations

import io
import json
import shutil
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from cognition import load_pack
from cognition.packs.load import pack_folder
from experiments import cli

pytestmark = [pytest.mark.teaching, pytest.mark.runtime]

Done = tuple[int, str, str]
Core = Callable[..., Done]


@pytest.fixture
def core(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path, folder: Path
) -> Core:
    """Runs the command on a store and the bakery's pack, in a folder of its own."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("CORE_TEACHING", str(tmp_path / "t.db"))
    golden = tmp_path / "golden.jsonl"
    golden.write_text('{"prompt": "What is bread?"}\n{"prompt": "Does bread require flour?"}\n')

    def run(*arguments: str) -> Done:
        monkeypatch.setattr(sys, "argv", ["core", *arguments])
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b""), encoding="utf-8"))
        with pytest.raises(SystemExit) as ended:
            cli.main()
        captured = capsys.readouterr()
        return ended.value.code if isinstance(ended.value.code, int) else 0, captured.out, captured.err

    return run


SMALL = ("--pack", "./pack")
GATE = (*SMALL, "--golden", "golden.jsonl")


def proposed(core: Core, *arguments: str) -> str:
    code, out, err = core("review", "propose", *arguments, *SMALL, "--by", "ann", "--json")
    assert (code, err) == (0, "")
    return json.loads(out)["id"]


def parsed(done: Done) -> Any:
    assert (done[0], done[2]) == (0, "")
    return json.loads(done[1])


def test_no_arguments_print_help(core: Core) -> None:
    for arguments in (("review",), ("review", "--help")):
        _, out, err = core(*arguments)
        text = out + err
        for command in ("list", "show", "propose", "accept", "reject", "retract", "build", "golden"):
            assert command in text


def test_a_correction_from_proposal_to_answer_and_back(core: Core) -> None:
    item = proposed(core, "cake requires an oven")
    assert core("review", "list") == (0, f"{item}  candidate  cake.n.1 requires oven.n.1\n", "")
    assert "proposed by ann at " in core("review", "show", item, *SMALL)[1]
    code, out, err = core("review", "accept", item, "--by", "bob", *GATE)
    assert (code, out, err) == (0, f"{item}  accepted   cake.n.1 requires oven.n.1\n", "")
    assert core("review", "accept", item, "--by", "eve", *GATE)[:2] == (0, out)  # again: nothing changes
    shown = parsed(core("review", "show", item, *SMALL, "--json"))
    assert (shown["state"], shown["decision"]["by"]) == ("accepted", "bob")
    assert core("review", "reject", item, "--by", "bob")[0] == 2
    assert "retracted" in core("review", "retract", item, "--by", "bob")[1]
    assert parsed(core("review", "list", "--json"))["items"][0]["state"] == "retracted"
    assert core("review", "list", "--state", "accepted") == (0, "nothing is proposed\n", "")


def test_what_was_taught_answers_with_its_source_and_licence(core: Core, tmp_path: Path) -> None:
    given = (*SMALL, "--teaching", str(tmp_path / "t.db"))
    asked = ("ask", "Does cake require an oven?", *given)
    assert "I don't know" in core(*asked)[1]
    code, out, _ = core("ask", "No, cake requires an oven", *given)
    item = json.loads(core("review", "list", "--json")[1])["items"][0]["id"]
    assert (code, f"candidate {item}, for review" in out) == (0, True)
    proposed(core, "cake requires an oven", "--licence", "CC0-1.0")
    assert core("review", "accept", item, "--by", "bob", *GATE)[0] == 0
    out = core(*asked)[1]
    assert f"[1] {item} (taught by prompt and ann, reviewed by bob, CC0-1.0)" in out
    cited = parsed(core(*asked, "--json"))["citations"][0]
    assert (cited["source"], cited["licence"]) == ("taught by prompt and ann, reviewed by bob", "CC0-1.0")


def test_a_contradiction_is_shown_and_not_accepted_in_silence(core: Core) -> None:
    item = proposed(core, "bread does not require flour")
    _, out, _ = core("review", "show", item, *SMALL)
    assert "contradicts Bread requires flour. (denied; rel:bread.n.1:requires:flour.n.1)" in out
    shown = parsed(core("review", "show", item, *SMALL, "--json"))
    assert shown["contradicts"] == [
        {
            "ground": "denied",
            "evidence": ["rel:bread.n.1:requires:flour.n.1"],
            "says": ["Bread requires flour."],
        }
    ]
    code, out, err = core("review", "accept", item, *GATE)
    assert (code, out) == (2, "")
    assert err.startswith("core: item ") and "--replace" in err and err.count("\n") == 1


def test_changes_of_golden_answers_are_listed_before_they_are_accepted(core: Core) -> None:
    item = proposed(core, "bread does not require flour")
    code, out, err = core("review", "accept", item, "--replace", *GATE)
    assert code == 2
    assert "Does bread require flour?\n  - Yes: bread requires flour." in out
    assert "\n  + No: bread does not require flour." in out
    assert "--accept-changes" in err
    assert parsed(core("review", "list", "--json"))["items"][0]["state"] == "candidate"
    code, out, err = core("review", "accept", item, "--replace", "--json", *GATE)
    assert (code, json.loads(out)["changes"][0]["prompt"]) == (2, "Does bread require flour?")
    record = parsed(core("review", "accept", item, "--replace", "--accept-changes", "--json", *GATE))
    assert (record["state"], record["replaces"]) == ("accepted", ["rel:bread.n.1:requires:flour.n.1"])


def test_the_prompts_of_the_evaluation_are_the_gate_if_none_is_given(core: Core) -> None:
    code, out, _ = core("review", "propose", "truth requires knowledge", "--json")
    assert code == 0
    code, out, err = core("review", "accept", json.loads(out)["id"], "--replace")
    assert code == 2
    assert "wisdom" in out  # an answer of the development prompts rests on what would be replaced
    assert "golden answers" in err


def test_a_pack_is_built_with_a_changelog(core: Core, tmp_path: Path) -> None:
    item = proposed(core, "cake requires an oven")
    assert core("review", "accept", item, "--by", "bob", *GATE)[0] == 0
    before = {path.name: path.read_bytes() for path in (tmp_path / "pack").iterdir()}
    code, _, err = core("review", "build", "new", *GATE)
    assert (code, "--licence" in err, (tmp_path / "new").exists()) == (2, True, False)
    code, out, err = core("review", "build", "new", "--licence", "CC0-1.0", *GATE)
    assert (code, err) == (0, "")
    assert f"small 1.1.0 in new, sha256 {load_pack(tmp_path / 'new').sha256}" in out
    assert "A cake requires an oven." in out
    assert {path.name: path.read_bytes() for path in (tmp_path / "pack").iterdir()} == before
    assert core("review", "build", "new", "--licence", "CC0-1.0", *GATE)[0] == 2
    assert core("ask", "Does cake require an oven?", "--pack", "./new")[1].startswith(
        "Yes: a cake requires an oven."
    )
    code, out, _ = core("pack", "compare", "./pack", "./new")
    assert (code, out) == (0, "small 1.0.0 takes precedence over small 1.1.0; 0 differences\n")


def test_golden_answers_are_recorded_and_guarded(core: Core, tmp_path: Path) -> None:
    code, out, _ = core("review", "golden", "golden.jsonl", *SMALL)
    assert code == 0
    rows = [json.loads(line) for line in out.splitlines()]
    assert [row["prompt"] for row in rows] == ["What is bread?", "Does bread require flour?"]
    assert all(row["surface"] and row["citations"] for row in rows)
    rows[0]["surface"] = "Bread is stone."
    (tmp_path / "edited.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    item = proposed(core, "cake requires an oven")
    code, out, _ = core("review", "accept", item, *SMALL, "--golden", "edited.jsonl")
    assert (code, "- Bread is stone." in out) == (2, True)


@pytest.mark.parametrize(
    ("arguments", "what"),
    [
        (("propose", "bread requires wombats"), "'wombats': The word is not in the pack"),
        (("propose", "hello there"), "The words name no statement"),
        (("propose", "--retract", "rel:../../etc/passwd"), "No reviewed statement of the pack has this id"),
        (("propose", "bread requires salt", "--by", "a\nb"), "Who teaches or reviews"),
        (("show", "taught:../../etc"), "An id of the store is"),
        (("accept", "taught:00000000"), "The store has no such item"),
        (("reject", "../../etc"), "An id of the store is"),
        (("retract", "taught:0000"), "The store has no such item"),
        (("build", "new", "--golden", "golden.jsonl"), "No reviewed item adds to this pack"),
        (("build", "new", "--golden", "missing.jsonl"), "missing.jsonl: can't be read"),
        (("list", "--store", "golden.jsonl"), "golden.jsonl"),
        (("list", "--store", "no/such/folder/t.db"), "can't be opened"),
    ],
)
def test_bad_input_is_one_line_and_exit_2(core: Core, arguments: tuple[str, ...], what: str) -> None:
    packs = SMALL if arguments[0] in ("propose", "show", "accept", "build") else ()
    code, out, err = core("review", *arguments, *packs)
    assert (code, out) == (2, "")
    assert err.startswith("core: ") and err.count("\n") == 1
    assert what in err


def test_a_store_is_needed_and_a_sentence(core: Core, monkeypatch: pytest.MonkeyPatch) -> None:
    assert core("review", "propose", *SMALL)[0] == 2
    assert core("review", "propose", "bread requires salt", "--retract", "rel:x", *SMALL)[0] == 2
    monkeypatch.delenv("CORE_TEACHING")
    code, _, err = core("review", "list")
    assert (code, "--store" in err) == (2, True)


def test_packs_that_define_a_word_differently_are_reported(core: Core, tmp_path: Path) -> None:
    shutil.copytree(pack_folder("en_core_cognition_v1"), tmp_path / "other")
    item = json.loads(
        core("review", "propose", "light means what lamps give", "--licence", "CC0-1.0", "--json")[1]
    )
    assert core("review", "accept", item["id"], "--replace", "--accept-changes")[0] == 0
    assert core("review", "build", "newer", "--accept-changes")[0] == 0
    code, out, _ = core("pack", "compare", "en_core_cognition_v1", "./newer")
    assert code == 0
    assert out.startswith(
        "en_core_cognition_v1 1.0.0 takes precedence over en_core_cognition_v1 1.1.0; 1 diff"
    )
    assert "gloss         light.n.1: " in out and "'what lamps give'" in out
    record = parsed(core("pack", "compare", "./newer", "en_core_cognition_v1", "--json"))
    assert record["precedence"][0] == "en_core_cognition_v1 1.1.0"
    assert record["conflicts"][0]["first"] == "what lamps give"
