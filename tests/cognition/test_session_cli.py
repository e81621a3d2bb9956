"""`core chat`, `core session` and `core replay`: what they print, keep and exit with."""

from __future__ import annotations

import json
import os
import pty
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from cognition import Runtime, Vocabulary
from cognition.session import SessionStore
from cognition.session.export import export_session
from cognition.vault import Vault
from recognition import recognizer_to_json
from tests.cognition.command import Core, Done
from tests.recognition.helpers import published

pytestmark = pytest.mark.runtime

ROOT = Path(__file__).parents[2]
HAS = "John has 5 apples"


def talk(core: Core, *lines: str, options: tuple[str, ...] = ()) -> list[str]:
    done = core("chat", *options, given="\n".join(lines).encode("utf-8", "surrogateescape"))
    assert (done.code, done.err) == (0, "")
    assert "\x1b" not in done.out
    return done.out.splitlines()


@pytest.fixture
def kept(core: Core, tmp_path: Path) -> Path:
    """A file with a session of two turns and a teaching, the last turn undone."""
    path = tmp_path / "kept"
    talk(
        core,
        "What is light?",
        "/teach Light requires darkness.",
        "What is memory?",
        "/undo",
        options=("--session", str(path)),
    )
    return path


# chat


@pytest.mark.smoke
def test_a_chat_answers_each_line_and_acknowledges_each_turn(core: Core, runtime: Runtime) -> None:
    prompts = ["What is light?", "Does memory require recall?", "What is a wombat?"]
    out = talk(core, *prompts)
    assert len(out) == 2 * len(prompts)
    for number, prompt in enumerate(prompts, 1):
        answer, mark = out[2 * number - 2 : 2 * number]
        result = runtime.ask(prompt)
        assert re.sub(r" (?:\[\d+\])+", "", answer) == result.surface
        assert mark == f"  turn {number}  {result.trace_hash[:12]}"


def test_why_shows_the_evidence_with_source_and_licence(core: Core, runtime: Runtime) -> None:
    out = talk(core, "What is light?", "What is a wombat?", "/why", "/why 1")
    for evidence in runtime.ask("What is light?").citations:
        assert any(
            evidence.id in line and evidence.source in line and evidence.licence in line for line in out[7:]
        )
    assert out[4:6] == ["  turn 2: What is a wombat?", "  refused: unknown_subject (wombat)"]
    assert "teach it" in out[6]


def test_trace_shows_every_stage_and_the_hash(core: Core, runtime: Runtime) -> None:
    result = runtime.ask("What is light?")
    out = talk(core, "What is light?", "/trace")[2:]
    assert [line.split()[0] for line in out] == [*(s["stage"] for s in result.folded["steps"]), "trace"]
    assert out[-1].split()[-1] == result.trace_hash


def test_history_and_undo(core: Core) -> None:
    out = talk(
        core, "What is light?", "/teach Light requires darkness.", "/undo", "/undo", "/history", "/undo"
    )
    assert out[2].startswith("  recorded for review taught:")
    assert out[3].startswith("  undone:   -  taught: Light requires darkness.")
    assert out[4].startswith("  undone:   1  What is light?  ->  Light is ")
    assert out[5:] == ["  session 'main': nothing is left to undo"]
    out = talk(core, "What is light?", "What is memory?", "What is recall?", "/history 2")
    assert [line.split()[0] for line in out[6:]] == ["2", "3"]


def test_what_is_taught_and_contradicts_the_record_is_shown(core: Core) -> None:
    out = talk(core, "/teach Knowledge does not require evidence.")
    assert out[1:] == ["  it contradicts rel:knowledge.n.1:requires:evidence.n.1 (denied)"]


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("/foo", "no command /foo; /help lists them"),
        ("/", "no command /; /help lists them"),
        ("/why", "nothing was asked yet"),
        ("/why 3", "no turn 3"),
        ("/why 0", "'0': a number, at least 1"),
        ("/trace -1", "'-1': a number"),
        ("/history ²", "'²': a number"),
        ("/why 99999999999999999999", "a number, at least 1"),
        ("/teach", "say what is to be learned"),
        ("/teach Wombats require light.", "not in the pack"),
        ("/undo", "nothing is left to undo"),
        ("/verify", "nothing was asked yet"),
        ("/save", "name a new file"),
        ("/save /no/such/folder/x", "no folder"),
    ],
)
def test_what_cannot_be_done_is_said_and_the_chat_goes_on(core: Core, line: str, says: str) -> None:
    out = talk(core, line, "What is light?")
    assert says in out[0]
    assert out[1].startswith("Light is ")


def test_help_lists_every_command(core: Core) -> None:
    names = [line.split()[0] for line in talk(core, "/help")]
    assert set(names) >= {"/why", "/trace", "/history", "/teach", "/undo", "/save", "/help", "/quit"}


def test_nothing_is_read_after_quit_and_blank_lines_are_no_turns(core: Core) -> None:
    out = talk(core, "", "   ", "What is light?", "/quit", "What is memory?")
    assert len(out) == 2
    assert talk(core) == []


def test_bytes_that_are_no_text_are_a_refused_turn(core: Core, tmp_path: Path) -> None:
    path = str(tmp_path / "s")
    done = core("chat", "--session", path, given=b"What is \xff?\r\nWhat is light?\r\n")
    assert (done.code, done.err) == (0, "")
    assert "turn 2" in done.out
    assert core("session", "export", path, "-o", f"{path}.json").code == 0
    assert core("replay", f"{path}.json").out == "match: 2 turns run again\n"


def test_a_session_is_kept_and_taken_up_again(core: Core, kept: Path) -> None:
    out = talk(core, "/history", "What is recall?", options=("--session", str(kept)))
    assert [line.split()[0] for line in out[:2]] == ["1", "-"]
    assert out[-1].startswith("  turn 3  ")


def test_what_was_accepted_in_the_file_answers(core: Core, kept: Path) -> None:
    from cognition.teaching import TeachingStore

    with TeachingStore(kept) as store:
        (item,) = store.items("candidate")
        store.accept(item.id, by="reviewer")
    out = talk(core, "Does light require darkness?", "/why", options=("--session", str(kept)))
    assert out[0].startswith("Yes")
    assert any(item.id in line for line in out[2:])


def test_a_saved_chat_can_be_replayed(core: Core, tmp_path: Path) -> None:
    copy = str(tmp_path / "copy")
    talk(core, "What is light?", f"/save {copy}", "What is memory?")
    done = core("session", "export", copy)
    assert core("replay", "-", given=done.out.encode()).out == "match: 1 turn run again\n"


def test_a_recognised_statement_can_be_verified(core: Core, tmp_path: Path) -> None:
    recognizer = tmp_path / "has.json"
    recognizer.write_text(recognizer_to_json(published("phase1")), encoding="utf-8")
    out = talk(core, HAS, "/verify", "What is light?", "/verify", options=("-r", str(recognizer)))
    assert out[2].strip().startswith("unverified_")
    assert out[-1] == "  turn 2 stated nothing that a recogniser admits"


def test_a_vault_is_consulted_and_needed_for_the_replay(
    core: Core, tmp_path: Path, shipped: Vocabulary
) -> None:
    vault, path = str(tmp_path / "vault"), str(tmp_path / "s")
    with Vault(shipped, vault) as kept_there:
        item = kept_there.put("Wombats dig.", key="wombat", source="us", status="reviewed")
    out = talk(core, "What is a wombat?", "/why", options=("--session", path, "--vault", vault))
    assert "Wombats dig" in out[0]
    assert item.id in out[-1]
    assert core("session", "export", path, "-o", f"{path}.json").code == 0
    done = core("replay", f"{path}.json")
    assert (done.code, "vault" in done.out) == (3, True)
    assert core("replay", f"{path}.json", "--vault", vault).out == "match: 1 turn run again\n"


# sessions of a file


def test_sessions_are_listed_shown_and_exported(core: Core, kept: Path, runtime: Runtime) -> None:
    listed = core("session", "list", str(kept))
    assert listed.out.startswith("main  2 turns  6 events") or listed.out.startswith(
        "main  2 turns  4 events"
    )
    shown = core("session", "show", str(kept)).out.splitlines()
    assert [line.split()[0] for line in shown] == ["1", "-"]
    with_undone = core("session", "show", str(kept), "main", "--undone").out.splitlines()
    assert with_undone[-1].endswith("(undone)")
    record = json.loads(core("session", "show", str(kept), "--json").out)
    assert [event["undone"] for event in record["events"]] == [False, False]
    with SessionStore(kept) as store:
        expected = json.loads(json.dumps(export_session(store, "main")))
    assert json.loads(core("session", "export", str(kept)).out) == expected
    assert json.loads(core("session", "list", str(kept), "--json").out)["sessions"][0]["turns"] == 2


def test_a_deleted_session_is_not_shown(core: Core, kept: Path) -> None:
    talk(core, "What is light?", options=("--session", str(kept), "--id", "b"))
    several = core("session", "show", str(kept))
    assert (several.code, several.out) == (2, "")
    assert "several sessions, say which: b, main" in several.err
    assert core("session", "delete", str(kept), "main").out == "main: deleted\n"
    assert core("session", "list", str(kept)).out.startswith("b ")
    assert "main" in core("session", "list", str(kept), "--deleted").out
    for arguments in (["session", "show"], ["session", "export"], ["session", "delete"]):
        done = core(*arguments, str(kept), "main")
        assert (done.code, done.out) == (2, "")
        assert "was deleted" in done.err
    assert "What is light?" in core("session", "show", str(kept), "main", "--deleted").out
    done = core("session", "delete", str(kept), "main", "--purge")
    assert (done.code, done.out) == (0, "main: deleted, its text removed\n")
    assert core("session", "show", str(kept), "main", "--deleted").out == ""


# replay


def written(path: Path, record: Any) -> str:
    path.write_text(json.dumps(record), encoding="utf-8")
    return str(path)


def test_a_trace_is_replayed_with_0_1_and_3(core: Core, tmp_path: Path) -> None:
    record = json.loads(core("trace", "What is light?", "--json").out)
    file = tmp_path / "trace.json"
    done = core("replay", written(file, record))
    assert (done.code, done.out, done.err) == (0, "match: 1 turn run again\n", "")
    record["folded"]["steps"][4]["steps"][0][0] += 1
    done = core("replay", written(file, record))
    assert done.code == 1
    assert done.out.startswith("mismatch: step 5 (walk): steps[0][0]: recorded ")
    record["pack"]["sha256"] = "0" * 64
    done = core("replay", written(file, record))
    assert done.code == 3
    assert "0" * 64 in done.out
    assert done.out.startswith("cannot replay: pack en_core_cognition_v1 1.0.0")


@pytest.mark.parametrize("prompt", ["What is \udcff?", "light " * 2000, "", "Что такое свет?"])
@pytest.mark.parametrize("flag", ["off", "on"])
def test_the_trace_of_any_prompt_can_be_replayed(core: Core, prompt: str, flag: str) -> None:
    done = core("trace", prompt, "--json", "--forward-graph-constraint", flag)
    assert core("replay", "-", given=done.out.encode()).code == 0


def test_what_is_missing_can_be_given(core: Core, tmp_path: Path, sound: Path, shipped: Vocabulary) -> None:
    recognizer = tmp_path / "has.json"
    recognizer.write_text(recognizer_to_json(published("phase1")), encoding="utf-8")
    path = str(tmp_path / "s")
    talk(core, HAS, options=("--session", path, "-r", str(recognizer), "--pack", str(sound)))
    assert core("session", "export", path, "-o", f"{path}.json").code == 0
    assert core("replay", f"{path}.json").code == 3
    done = core("replay", f"{path}.json", "--pack", str(sound))
    assert done.code == 3
    assert published("phase1").teaching_set_id in done.out
    done = core("replay", f"{path}.json", "--pack", str(sound), "-r", str(recognizer))
    assert (done.code, done.out) == (0, "match: 1 turn run again\n")


# wrong usage, files that can't be used


@pytest.mark.parametrize(
    "arguments",
    [
        ["chat", "--id", "../x"],
        ["chat", "--session", "/no/such/folder/s"],
        ["chat", "--session", "{text}"],
        ["chat", "--session", "{folder}"],
        ["chat", "--session", "{file}", "--id", "a/b"],
        ["chat", "--pack", "no_such_pack"],
        ["chat", "--recognizer", "{text}"],
        ["session", "list"],
        ["session", "list", "{missing}"],
        ["session", "list", "{text}"],
        ["session", "show", "{missing}"],
        ["session", "show", "{file}", "nobody"],
        ["session", "show", "{file}", "../main"],
        ["session", "export", "{file}", "nobody"],
        ["session", "export", "{file}", "--format", "xml"],
        ["session", "export", "{file}", "-o", "/no/such/folder/x"],
        ["session", "delete", "{file}"],
        ["session", "delete", "{file}", "nobody"],
        ["session", "delete", "{missing}", "main"],
        ["replay"],
        ["replay", "{missing}"],
        ["replay", "{text}"],
        ["replay", "{folder}"],
        ["replay", "{list}"],
        ["replay", "{trace}", "--pack", "./no/such/pack"],
        ["replay", "{trace}", "--recognizer", "{missing}"],
        ["replay", "{trace}", "--teaching", "{missing}"],
        ["replay", "{trace}", "--teaching", "{text}"],
        ["replay", "{trace}", "--vault", "{missing}"],
    ],
    ids=" ".join,
)
def test_wrong_usage_exits_with_2_and_one_line(
    core: Core, kept: Path, tmp_path: Path, arguments: list[str]
) -> None:
    names = {name: str(tmp_path / name) for name in ("text", "folder", "missing", "list", "trace")}
    Path(names["text"]).write_text("no JSON, no database", encoding="utf-8")
    Path(names["folder"]).mkdir()
    Path(names["list"]).write_text("[1]", encoding="utf-8")
    Path(names["trace"]).write_text(core("trace", "What is light?", "--json").out, encoding="utf-8")
    record = json.loads(Path(names["trace"]).read_text(encoding="utf-8"))
    record["pack"]["sha256"] = "0" * 64
    Path(names["trace"]).write_text(json.dumps(record), encoding="utf-8")
    done = core(*(argument.format(file=kept, **names) for argument in arguments))
    assert (done.code, done.out) == (2, "")
    assert done.err.strip()
    assert "Traceback" not in done.err
    assert not Path(names["missing"]).exists()


@pytest.mark.parametrize(
    "arguments", [["chat"], ["session"], ["session", "show"], ["session", "export"], ["replay"]]
)
def test_help(core: Core, arguments: list[str]) -> None:
    done = core(*arguments, "--help")
    assert done.code == 0
    assert done.out.lstrip().lower().startswith("usage")


# a terminal


def on_a_terminal(arguments: list[str], given: bytes = b"", **env: str) -> Done:
    """Runs the command on a pseudo-terminal."""
    leader, follower = pty.openpty()
    code = "from experiments.cli import main; main()"
    process = subprocess.Popen(
        [sys.executable, "-c", code, *arguments],
        stdin=follower,
        stdout=follower,
        stderr=follower,
        cwd=ROOT,
        env={name: value for name, value in os.environ.items() if name != "NO_COLOR"}
        | {"TERM": "xterm-256color", "COLUMNS": "200"}
        | env,
    )
    os.close(follower)
    os.write(leader, given)
    parts = []
    try:
        while part := os.read(leader, 4096):
            parts.append(part)
    except OSError:  # the other side is closed
        pass
    os.close(leader)
    return Done(process.wait(), b"".join(parts).decode(), "")


def test_styles_on_a_terminal_and_none_under_no_color() -> None:
    styled = on_a_terminal(["ask", "What is light?"])
    plain = on_a_terminal(["ask", "What is light?"], NO_COLOR="1")
    assert (styled.code, plain.code) == (0, 0)
    assert "\x1b[" in styled.out
    assert "\x1b" not in plain.out
    assert re.sub(r"\x1b\[[0-9;]*m", "", styled.out) == plain.out


def test_a_chat_on_a_terminal_prompts() -> None:
    done = on_a_terminal(["chat"], given=b"What is light?\n/quit\n", NO_COLOR="1", TERM="dumb")
    assert done.code == 0
    assert "/help lists what else can be said" in done.out
    assert "> " in done.out
    assert "turn 1" in done.out
