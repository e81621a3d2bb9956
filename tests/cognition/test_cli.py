"""`core ask`, `core trace` and `core pack`: what they print, where, and how they exit."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from cognition import Runtime, compute_trace_hash, load_pack
from tests.cognition.command import Core, Done
from tests.cognition.small_pack import lines

pytestmark = pytest.mark.runtime

ROOT = Path(__file__).parents[2]
ANSI = re.compile(r"\x1b\[")


def parsed(done: Done) -> dict[str, Any]:
    assert (done.code, done.err) == (0, "")
    return json.loads(done.out)


@pytest.mark.smoke
def test_an_answer_is_printed_with_its_citations_and_facts(core: Core, runtime: Runtime) -> None:
    done = core("ask", "What is knowledge?")
    result = runtime.ask("What is knowledge?")
    assert (done.code, done.err) == (0, "")
    plain = re.sub(r" \[\d\](?:\[\d\])*", "", done.out.splitlines()[0])
    assert plain == result.surface
    for evidence in result.citations:
        assert evidence.id in done.out
        assert evidence.licence in done.out
    assert result.trace_hash in done.out
    assert re.search(r"intent +definition", done.out)
    assert "none: the forward graph constraint is off" in done.out


@pytest.mark.parametrize(
    ("prompt", "code"),
    [
        ("What is a wombat?", "unknown_subject"),
        ("", "empty_input"),
        ("Что такое свет?", "language_not_supported"),
        ("Does light require doubt?", "no_evidence"),
        ("What is \udcff?", "invalid_unicode"),
        ("light " * 2000, "input_too_long"),
    ],
    ids=lambda text: text[:20].encode("ascii", "replace").decode() or "empty",
)
def test_a_refusal_is_an_answer_and_exits_with_0(core: Core, prompt: str, code: str) -> None:
    done = core("ask", prompt)
    assert (done.code, done.err) == (0, "")
    assert re.search(rf"refusal +{code}", done.out)
    record = parsed(core("ask", prompt, "--json"))
    assert record["refusal"]["code"] == code
    assert parsed(core("trace", prompt, "--json"))["folded"]["refusal"]["code"] == code


@pytest.mark.parametrize(
    "arguments",
    [
        ["ask"],
        ["ask", "What", "is", "light?"],
        ["ask", "What is light?", "--backend", "torch"],
        ["ask", "What is light?", "--forward-graph-constraint", "maybe"],
        ["ask", "What is light?", "--forward-graph-constraint"],
        ["ask", "What is light?", "--subject-span", "tail"],
        ["ask", "What is light?", "--top-k", "0"],
        ["ask", "What is light?", "--top-k", "eight"],
        ["ask", "What is light?", "--max-tokens", "-1"],
        ["ask", "What is light?", "--max-tokens", "4097"],
        ["ask", "What is light?", "--jsonl"],
        ["ask", "What is light?", "--pack", "no_such_pack"],
        ["ask", "What is light?", "--pack", "./no/such/folder"],
        ["ask", "--unknown", "What is light?"],
        ["trace"],
        ["trace", "What is light?", "--jsonl"],
        ["pack", "validate", "no_such_pack"],
        ["pack", "validate", "../../etc"],
        ["pack", "show", "--word", "wombat"],
        ["pack", "nonsense"],
        ["pack", "freeze"],
        ["pack", "freeze", "./no/such/folder"],
    ],
    ids=" ".join,
)
def test_wrong_usage_exits_with_2_and_prints_no_answer(core: Core, arguments: list[str]) -> None:
    done = core(*arguments)
    assert (done.code, done.out) == (2, "")
    assert done.err.strip()
    assert "Traceback" not in done.err


@pytest.mark.parametrize(
    "arguments", [["ask"], ["trace"], ["pack"], ["pack", "validate"], ["pack", "show"], ["pack", "freeze"]]
)
def test_help(core: Core, arguments: list[str]) -> None:
    done = core(*arguments, "--help")
    assert done.code == 0
    assert done.out.lstrip().lower().startswith("usage")
    assert " ".join(["core", *arguments]) in done.out


def test_pack_alone_prints_its_commands(core: Core) -> None:
    done = core("pack")
    for name in ("validate", "list", "show", "freeze"):
        assert name in done.out + done.err


@pytest.mark.parametrize("flag", ["off", "on"])
def test_json_is_the_result_and_nothing_else(
    core: Core, runtime_with: Callable[..., Runtime], flag: str
) -> None:
    for prompt in (
        "What is knowledge?",
        "Does memory require recall?",
        "What is a wombat?",
        "Why does light exist?",
    ):
        record = parsed(core("ask", prompt, "--forward-graph-constraint", flag, "--json"))
        result = runtime_with(forward_graph_constraint=flag == "on").ask(prompt)
        assert record == json.loads(json.dumps(result.as_dict()))
        assert record["prompt"] == prompt
        assert (record["region"] is None) == (flag == "off" or result.region is None)


def test_settings_reach_the_turn(core: Core, runtime_with: Callable[..., Runtime]) -> None:
    options = [
        "--forward-graph-constraint",
        "on",
        "--subject-span",
        "phrase",
        "--top-k",
        "3",
        "--max-tokens",
        "2",
    ]
    config = {"forward_graph_constraint": True, "subject_span": "phrase", "top_k": 3, "max_tokens": 2}
    record = parsed(core("trace", "What is light?", *options, "--json"))
    assert record["config"] == config
    assert record["trace_hash"] == runtime_with(**config).ask("What is light?").trace_hash
    assert parsed(core("trace", "What is light?", "--json"))["config"] == {}


def test_a_trace_hashes_to_what_it_says(core: Core) -> None:
    record = parsed(core("trace", "Why does knowledge require evidence?", "--json"))
    assert compute_trace_hash(record["folded"]) == record["trace_hash"]
    assert record["pack"]["sha256"] == record["folded"]["pack"] == load_pack().sha256
    assert (
        record["trace_hash"]
        == parsed(core("ask", "Why does knowledge require evidence?", "--json"))["trace_hash"]
    )
    assert record["measured"]["versor_condition"] < 1e-6
    shown = core("trace", "Why does knowledge require evidence?").out
    assert record["trace_hash"] in shown
    stages = [step["stage"] for step in record["folded"]["steps"]]
    assert [name for name in stages if re.search(rf"^{name} ", shown, re.MULTILINE)] == stages


def test_standard_input_is_a_prompt(core: Core, runtime: Runtime) -> None:
    given = "What’s light?\n".encode()
    assert parsed(core("ask", "-", "--json", given=given))["surface"] == runtime.ask("What’s light?").surface
    assert parsed(core("trace", "-", "--json", given=given))["folded"]["steps"][1]["intent"] == "definition"
    assert parsed(core("ask", "-", "--json", given=b""))["refusal"]["code"] == "empty_input"


def test_bytes_that_are_no_utf_8_are_a_refusal(core: Core) -> None:
    for given in (b"What is \xff light?", b"\xc3", b"\xed\xa0\x80"):
        record = parsed(core("ask", "-", "--json", given=given))
        assert record["refusal"]["code"] == "invalid_unicode"
        assert core("ask", "-", given=given).code == 0
        assert core("trace", "-", given=given).code == 0


def test_a_line_in_is_a_line_out(core: Core, runtime: Runtime) -> None:
    prompts = ["What is light?", "", "What is a wombat?", "Что это?", 'Remember "light"', "What is doubt?"]
    given = "\n".join(prompts).replace("Remember", "\r\nRemember").encode() + b"\nWhat is \xff?"
    done = core("ask", "-", "--jsonl", given=given)
    records = [json.loads(line) for line in done.out.splitlines()]
    assert done.code == 0
    assert len(records) == len(prompts) + 2
    by_prompt = {record["prompt"]: record for record in records[:-1]}
    for prompt in prompts:
        assert by_prompt[prompt]["trace_hash"] == runtime.ask(prompt).trace_hash
    assert records[-1]["refusal"]["code"] == "invalid_unicode"


def test_lines_are_answered_as_they_come(user_env: dict[str, str]) -> None:
    command = [sys.executable, "-c", "from experiments.cli import main; main()", "ask", "-", "--jsonl"]
    with subprocess.Popen(
        command,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env=user_env | {"PYTHONPATH": os.fspath(ROOT)},
        cwd=ROOT,
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        for prompt in ("What is light?", "What is doubt?"):
            process.stdin.write(f"{prompt}\n".encode())
            process.stdin.flush()
            assert json.loads(process.stdout.readline())["prompt"] == prompt
        process.stdin.close()
        assert process.stdout.read() == b""
        assert process.wait(timeout=60) == 0


@pytest.mark.parametrize(
    "variables", [{"NO_COLOR": "1"}, {"TERM": "dumb"}, {}], ids=["NO_COLOR", "dumb", "pipe"]
)
def test_a_pipe_gets_no_colour(user_env: dict[str, str], variables: dict[str, str]) -> None:
    code = "import sys; from experiments.cli import main; main()"
    done = subprocess.run(
        [sys.executable, "-c", code, "ask", "What is light?", "--forward-graph-constraint", "on"],
        capture_output=True,
        text=True,
        env=user_env | {"PYTHONPATH": os.fspath(ROOT)} | variables,
        cwd=ROOT,
        timeout=120,
        check=True,
    )
    assert not ANSI.search(done.stdout)
    assert done.stderr == ""
    assert done.stdout.startswith("Light is ")


def test_markup_in_a_prompt_is_text(core: Core) -> None:
    done = core("ask", "What is [bold]light[/bold]?")
    assert done.code == 0
    assert "bold]light[/bold" in done.out


def test_a_sound_pack_is_valid(core: Core, sound: Path) -> None:
    done = core("pack", "validate", str(sound))
    assert (done.code, done.err) == (0, "")
    assert done.out.startswith("small 1.0.0: valid. ")
    assert load_pack(sound).sha256 in done.out
    assert core("pack", "validate").out.startswith("en_core_cognition_v1 ")


def test_a_broken_pack_is_one_line(core: Core, folder: Path) -> None:
    text = (folder / "senses.jsonl").read_text().replace("grain ground to powder", "")
    (folder / "senses.jsonl").write_text(text)
    for command in (
        ["pack", "validate", str(folder)],
        ["ask", "What is flour?", "--pack", str(folder)],
        ["pack", "show", str(folder)],
    ):
        done = core(*command)
        assert (done.code, done.out) == (2, "")
        assert done.err == "core: senses.jsonl:5: gloss: String should have at least 1 character\n"


def test_packs_are_listed_and_shown(core: Core, sound: Path) -> None:
    assert core("pack", "list").out.startswith("en_core_cognition_v1 ")
    assert parsed(core("pack", "show", str(sound), "--json"))["senses"] == 12
    (sense,) = parsed(core("pack", "show", str(sound), "--word", "FLOUR", "--json"))["senses"]
    assert sense["sense"] == "flour.n.1"
    assert sense["gloss"] == "Flour is grain ground to powder."
    assert sense["statements"] == ["Bread requires flour.", "A cake requires flour.", "Flour requires wheat."]
    assert sense["nearest"][:3] == ["oven", "water", "bread"]
    assert "Flour requires wheat." in core("pack", "show", str(sound), "--word", "flour").out


def test_freezing_with_the_points_kept_seals_edited_rows(core: Core, folder: Path) -> None:
    found = [
        line.replace("grain ground to powder", "fine powder of grain")
        for line in lines(folder, "senses.jsonl")
    ]
    (folder / "senses.jsonl").write_text("".join(f"{line}\n" for line in found))
    assert core("pack", "validate", str(folder)).code == 2
    done = core("pack", "freeze", str(folder), "--keep-points")
    assert (done.code, done.err) == (0, "")
    assert load_pack(folder).sha256 in done.out
    assert "fine powder of grain" in core("ask", "What is flour?", "--pack", str(folder)).out


@pytest.mark.parametrize("name", ["senses.jsonl", "manifest.json", "geometry.jsonl"])
def test_freezing_a_broken_pack_changes_nothing(core: Core, folder: Path, name: str) -> None:
    (folder / name).write_text((folder / name).read_text()[:-20])
    before = {path.name: path.read_bytes() for path in folder.iterdir()}
    done = core("pack", "freeze", str(folder), "--keep-points")
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith(f"core: {name}:")
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == before
    assert [path.name for path in folder.parent.iterdir()] == [folder.name]
