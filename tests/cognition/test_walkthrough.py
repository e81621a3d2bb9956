"""docs/packs.md is run: its commands in order, its errors row by row, its Python, and its tables against the code."""

from __future__ import annotations

import itertools
import re
import runpy
import shlex
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from cognition.packs.load import available_packs, load_pack
from cognition.packs.material import common_types
from cognition.packs.schema import StatementRow, TermRow
from tests.cognition.command import Core

pytestmark = pytest.mark.packs

ROOT = Path(__file__).parents[2]
FILES = ROOT / "examples" / "walkthrough"
PAGE = (ROOT / "docs" / "packs.md").read_text(encoding="utf-8")
DATA = "$CORE_DATA"
BLOCKS = re.findall(r"^```(\w+)\n(.*?)^```", PAGE, re.DOTALL | re.MULTILINE)
ERRORS = [
    (given, said.strip())
    for (kind, given), (other, said) in itertools.pairwise(BLOCKS)
    if (kind, other) == ("csv", "text")
]


def commands(*, on_data: bool) -> Iterator[tuple[str, list[str]]]:
    """Each command of the console blocks, with the lines that it is shown to print; "..." stands for others.

    Args:
        on_data: of the blocks that need public data, or of the others.
    """
    for kind, block in BLOCKS:
        if kind == "console" and (DATA in block) == on_data:
            for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
                command, *shown = part.splitlines()
                yield command, shown


def missing(shown: list[str], printed: str) -> list[str]:
    """Shown lines that were not printed, in their order; a line after "..." may stand anywhere below."""
    lines = [line.rstrip() for line in printed.splitlines()]
    at, gap, lost = 0, False, list[str]()
    for line in shown:
        if line == "...":
            gap = True
            continue
        found = lines.index(line.rstrip(), at) if line.rstrip() in lines[at:] else None
        if found is None or (not gap and found != at):
            lost.append(line)
        else:
            at, gap = found + 1, False
    return lost if gap or lost or at == len(lines) else [f"no “...”, and then: {lines[at]}"]


def test_missing_lines_are_found() -> None:
    assert missing(["a", "...", "c"], "a\nb\nc\n") == []
    assert missing(["a", "c"], "a\nb\nc\n") == ["c"]
    assert missing(["...", "c", "...", "a"], "a\nb\nc\n") == ["a"]
    assert missing(["a"], "a\nb\n") == ["no “...”, and then: b"]
    assert missing(["..."], "a\n") == []


@pytest.fixture
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with the files of the page, to work in."""
    for path in FILES.iterdir():
        shutil.copy(path, tmp_path)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def run(core: Core, command: str, shown: list[str]) -> None:
    done = core(*shlex.split(command)[1:])
    assert done.code == 0, (command, done.err)
    assert missing(shown, done.out + done.err) == [], (command, done.out + done.err)


@pytest.mark.slow
def test_the_commands_of_the_page_print_what_it_shows(desk: Path, core: Core) -> None:
    """In the order of the page, in one folder."""
    for command, shown in commands(on_data=False):
        if command.startswith("cp -r "):
            shutil.copytree(desk / command.split()[2], desk / command.split()[3])
        else:
            run(core, command, shown)


@pytest.mark.slow
def test_the_commands_on_public_data_print_what_the_page_shows(
    desk: Path, core: Core, data_dir: Path
) -> None:
    for command, shown in commands(on_data=True):
        run(core, command.replace(DATA, shlex.quote(str(data_dir.resolve()))), shown)


def test_the_page_shows_commands_of_every_kind() -> None:
    shown = [command.split() for on_data in (False, True) for command, _ in commands(on_data=on_data)]
    assert {words[0] for words in shown} == {"core", "cp"}
    assert {tuple(words[2:4]) if words[2] == "import" else words[2] for words in shown if words[1] == "pack"} == {
        "build", "show", "diff", "retract", "merge", ("import", "skos"), ("import", "oewn"),
    }  # fmt: skip


@pytest.mark.parametrize(("given", "said"), ERRORS, ids=[said[:50] for _, said in ERRORS])
def test_an_error_reads_as_the_page_says_and_leaves_nothing(
    given: str, said: str, desk: Path, core: Core
) -> None:
    (desk / "bad.csv").write_text(given, encoding="utf-8")
    before = sorted(path.name for path in desk.iterdir())
    tables = ["bad.csv"] if "gloss" in given.splitlines()[0] else ["terms.csv", "--relations", "bad.csv"]
    done = core("pack", "build", *tables, "-o", "bad")
    assert (done.code, done.err.strip()) == (2, said)
    assert sorted(path.name for path in desk.iterdir()) == before


def test_the_page_shows_errors() -> None:
    assert len(ERRORS) >= 6


@pytest.mark.parametrize("block", [block for kind, block in BLOCKS if kind == "python"])
def test_the_python_of_the_page_runs(block: str, tmp_path: Path) -> None:
    (tmp_path / "example.py").write_text(block, encoding="utf-8")
    runpy.run_path(str(tmp_path / "example.py"))


def columns(heading: str) -> set[str]:
    """The names in the first column of the table under a heading row."""
    table = PAGE[PAGE.index(f"| {heading} |") :].split("\n\n")[0].splitlines()[2:]
    return {name for row in table for name in re.findall(r"`(\w+)`", row.split("|")[1])}


def test_the_tables_of_the_page_name_every_column() -> None:
    assert columns("column of the terms") == set(TermRow.model_fields)
    assert columns("column of the relations") == set(StatementRow.model_fields)


def test_the_page_names_what_ships() -> None:
    (named,) = (part for part in PAGE.split("## ") if part.startswith("Packs that ship"))
    assert set(re.findall(r"^\| `(\w+)` \| (\d+)?", named, re.MULTILINE)) == {
        (name, str(len(load_pack(name).senses)) if name.startswith("en_") else "24")
        for name in available_packs()
    }
    assert set(re.findall(r"`(\w+)`", PAGE[PAGE.index("Fifteen relations") :].split(".")[0])) == {
        kind.id for kind in common_types()
    }
    assert len(common_types()) == 15
