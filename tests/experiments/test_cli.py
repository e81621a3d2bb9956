"""The command: exit codes, one line for an error, one JSON object and nothing else."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from experiments import cli
from tests.experiments.cases import BREAD_IS, OVEN, case_row


@dataclass(frozen=True, slots=True)
class Done:
    code: int
    out: str
    err: str


@pytest.fixture
def core(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Callable[..., Done]:
    """Runs the command in this process."""

    def run(*arguments: str) -> Done:
        monkeypatch.setattr(sys, "argv", ["core", *arguments])
        with pytest.raises(SystemExit) as ended:
            cli.main()
        captured = capsys.readouterr()
        code = ended.value.code
        return Done(code if isinstance(code, int) else 0, captured.out, captured.err)

    return run


@pytest.fixture
def evaluation(bakery_folder: Path, case_file: Callable[..., Path]) -> list[str]:
    """Arguments that evaluate one case of the bakery."""
    path = case_file(case_row(), case_row(id="why", prompt="Why does bread require flour?", intent="cause"))
    rows = [json.loads(line) for line in path.read_text().splitlines()]
    rows[1]["expect"] = [{"term": "wheat", "evidence": "rel:flour.n.1:requires:wheat.n.1", "by": "walk"}]
    case_file(*rows)
    return ["--split", str(path), "--pack", str(bakery_folder), "--backend", "numpy"]


@pytest.mark.smoke
def test_no_arguments_print_help(core: Callable[..., Done]) -> None:
    done = core()
    assert (done.code, done.err) == (0, "")
    for command in ("ask", "trace", "pack", "eval", "engagement", "bench"):
        assert f"\n  {command} " in done.out
    assert core("--help") == done


@pytest.mark.parametrize(
    "arguments",
    [
        ["nonsense"],
        ["--nonsense"],
        ["eval"],
        ["eval", "cognition", "--backend", "torch"],
        ["eval", "cognition", "--forward-graph-constraint", "maybe"],
        ["eval", "cognition", "--subject-span", "tail"],
    ],
)
def test_wrong_usage_exits_with_2_and_says_nothing_on_stdout(
    arguments: list[str], core: Callable[..., Done]
) -> None:
    done = core(*arguments)
    assert done.code == 2
    assert "Traceback" not in done.err
    assert arguments == ["eval"] or (done.out == "" and done.err)


@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        (["--split", "none.jsonl"], "core: none.jsonl: can't be read"),
        (["--arms", "off,oracle"], "core: arms: unknown 'oracle'"),
        (["--pack", "no_such_pack"], "core: no_such_pack: no pack of this id"),
    ],
)
def test_what_can_t_be_used_is_one_line(
    arguments: list[str], line: str, core: Callable[..., Done], evaluation: list[str]
) -> None:
    done = core("eval", "cognition", *evaluation, *arguments)
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith(line)
    assert done.err.count("\n") == 1


def test_a_broken_case_file_says_where(
    core: Callable[..., Done], case_file: Callable[..., Path], bakery_folder: Path
) -> None:
    path = case_file(case_row(), case_row(id="two", intent="guess"))
    done = core("eval", "cognition", "--split", str(path), "--pack", str(bakery_folder), "--backend", "numpy")
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith("core: cases.jsonl:2: intent: ")
    assert done.err.count("\n") == 1


def test_a_bug_is_not_dressed_up(core: Callable[..., Done], monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(**_: object) -> None:
        raise RuntimeError("a bug")

    monkeypatch.setattr(cli, "app", broken)
    with pytest.raises(RuntimeError, match="a bug"):
        core()


def test_json_is_one_object_and_nothing_else(
    core: Callable[..., Done], evaluation: list[str], tmp_path: Path
) -> None:
    done = core("eval", "cognition", *evaluation, "--json", "--out", str(tmp_path / "out.json"))
    assert (done.code, done.err) == (0, "")
    report = json.loads(done.out)
    assert set(report) == {"suite", "run", "arms", "differences"}
    assert json.loads((tmp_path / "out.json").read_text(encoding="utf-8")) == report
    assert [case["id"] for case in report["arms"]["on"]["cases"]] == ["one", "why"]


@pytest.mark.parametrize(
    ("arguments", "arms"),
    [
        ([], ["off", "on", "null_vocab", "null_domain", "echo", "dump", "gloss"]),
        (["--forward-graph-constraint", "off"], ["off", "echo", "dump", "gloss"]),
        (["--forward-graph-constraint", "on"], ["on", "echo", "dump", "gloss"]),
        (["--arms", "gloss,on"], ["on", "gloss"]),
    ],
)
def test_the_flag_chooses_the_arms(
    arguments: list[str], arms: list[str], core: Callable[..., Done], evaluation: list[str]
) -> None:
    done = core("eval", "cognition", *evaluation, *arguments, "--json")
    assert list(json.loads(done.out)["arms"]) == arms


def test_settings_reach_the_runtime(core: Callable[..., Done], evaluation: list[str]) -> None:
    settings = ["--top-k", "2", "--max-tokens", "1", "--subject-span", "phrase"]
    report = json.loads(core("eval", "cognition", *evaluation, *settings, "--json").out)
    config = report["run"]["config"]
    assert (config["top_k"], config["max_tokens"], config["subject_span"]) == (2, 1, "phrase")
    assert report["arms"]["off"]["walk_length"] == 1
    assert [len(case["region"]["allowed"]) for case in report["arms"]["on"]["cases"][:1]] == [2]


def test_a_report_in_a_pipe_is_plain_and_narrow(core: Callable[..., Done], evaluation: list[str]) -> None:
    done = core("eval", "cognition", *evaluation)
    assert (done.code, done.err) == (0, "")
    assert "\x1b" not in done.out
    assert max(map(len, done.out.splitlines())) <= 100
    assert "term capture" in done.out
    assert "What is bread?\n  → Bread is food made of flour and water." in done.out


def test_of_many_cases_the_failures_and_a_few_are_shown(
    core: Callable[..., Done], case_file: Callable[..., Path], bakery_folder: Path
) -> None:
    expect = [
        {"term": "food", "evidence": BREAD_IS, "by": "gloss"},
        {"term": "oven", "evidence": OVEN, "by": "walk"},
    ]
    good = [case_row(id=f"good-{i}", expect=expect) for i in range(20)]
    bad = case_row(id="bad", category="other", intent="recall", expect=expect)
    path = case_file(*good, bad)
    done = core("eval", "cognition", "--split", str(path), "--pack", str(bakery_folder), "--backend", "numpy")
    assert "answers, arm on (6 of 21 cases)" in done.out
    assert "warning: bad, on and off: read as definition" in done.out
    assert "term capture in %" in done.out


@pytest.mark.parametrize(
    "command", [["engagement"], ["eval", "geometry"], ["ratify-roc"], ["eval", "constraint", "--folds", "0"]]
)
def test_the_other_reports_print_and_parse(
    command: list[str], core: Callable[..., Done], evaluation: list[str]
) -> None:
    arguments = evaluation[2:] if command[0] == "eval" else evaluation
    shown = core(*command, *arguments)
    assert (shown.code, shown.err) == (0, "")
    assert max(map(len, shown.out.splitlines())) <= 100
    assert "run" in json.loads(core(*command, *arguments, "--json").out)


def test_help_and_answers_load_no_array_library_they_do_not_need(
    bakery_folder: Path, user_env: dict[str, str]
) -> None:
    code = (
        "import sys\nfrom experiments.cli import main\n"
        "try:\n    main()\nfinally:\n"
        "    print([name for name in ('jax', 'numpy', 'experiments.metrics') if name in sys.modules], file=sys.stderr)"
    )

    def loaded(*arguments: str) -> str:
        done = subprocess.run(
            [sys.executable, "-c", code, *arguments], env=user_env, capture_output=True, text=True, check=True
        )
        return done.stderr.strip()

    assert loaded("--help") == "[]"
    assert loaded("ask", "What is bread?", "--pack", str(bakery_folder)) == "['numpy']"


def test_answers_do_not_depend_on_the_hash_seed(evaluation: list[str]) -> None:
    code = "from experiments.cli import main; main()"
    found = []
    for seed in ("0", "1"):
        done = subprocess.run(
            [sys.executable, "-c", code, "eval", "cognition", *evaluation, "--json"],
            env=os.environ | {"PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        )
        report = json.loads(done.stdout)
        found.append((report["arms"], report["differences"]))
    assert found[0] == found[1]
