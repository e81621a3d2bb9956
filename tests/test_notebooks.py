"""Notebooks are kept as text, and run from top to bottom as a reader would run them."""

from __future__ import annotations

import ast
import importlib.util
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parent.parent
FOLDER = ROOT / "notebooks"
NAMES = [path.stem for path in sorted(FOLDER.glob("*.py"))]
HEADER = """\
# ---
# jupyter:
#   jupytext:
#     formats: ipynb,py:percent
#     notebook_metadata_filter: -jupytext.text_representation.jupytext_version
#     text_representation:
#       extension: .py
#       format_name: percent
#       format_version: '1.3'
#   kernelspec:
#     display_name: Python 3
#     language: python
#     name: python3
# ---

# %% [markdown]
# # """
NEEDED = ("ipykernel", "jupytext", "nbmake")
CELL_LIMIT = 240
"""Seconds after which a cell is taken to hang."""


def source(name: str) -> str:
    return (FOLDER / f"{name}.py").read_text(encoding="utf-8")


def test_the_readme_lists_every_notebook_once() -> None:
    listed = re.findall(r"^\| \[`(\w+)\.py`\]\(\1\.py\) \|", (FOLDER / "README.md").read_text(), re.MULTILINE)
    assert sorted(listed) == NAMES


@pytest.mark.parametrize("name", NAMES)
def test_a_notebook_says_what_it_is_and_how_long_it_takes(name: str) -> None:
    text = source(name)
    assert text.startswith(HEADER)
    opening = text.removeprefix(HEADER).partition("# %%\n")[0]
    assert re.search(r"^# \*Reading: [\w ]+\. Running: [\w ,]+\.\*$", opening, re.MULTILINE)


@pytest.mark.parametrize("name", NAMES)
def test_a_notebook_asserts_what_it_claims(name: str) -> None:
    checks = [
        node
        for node in ast.walk(ast.parse(source(name)))
        if isinstance(node, ast.Assert)
        or (isinstance(node, ast.Attribute) and node.attr == "assert_allclose")
    ]
    assert len(checks) >= 5


def test_no_notebook_with_outputs_is_kept() -> None:
    if shutil.which("git") is None or not (ROOT / ".git").exists():
        pytest.skip("no checkout: nothing is kept here")

    def git(*arguments: str) -> str:
        return subprocess.run(["git", "-C", ROOT, *arguments], capture_output=True, text=True).stdout

    assert git("ls-files", "*.ipynb") == ""
    assert git("check-ignore", "notebooks/x.ipynb") == "notebooks/x.ipynb\n"


@pytest.fixture
def as_reader(user_env: dict[str, str]) -> dict[str, str]:
    """The environment of a reader. Without what runs a notebook the test is skipped, where CI runs it fails."""
    missing = [name for name in NEEDED if importlib.util.find_spec(name) is None]
    if missing:
        message = f"no {', '.join(missing)}: pip install -e '.[notebooks]', as `make test-slow` does"
        (pytest.fail if os.environ.get("CI") else pytest.skip)(message)
    return {key: value for key, value in user_env.items() if not key.startswith(("PYTEST_", "MPLBACKEND"))}


def jupytext(file: Path, kind: str, env: dict[str, str]) -> None:
    """The command that the readme names; what it writes goes beside the file."""
    command = [Path(sys.executable).with_name("jupytext"), "--to", kind, file.name]
    done = subprocess.run(command, cwd=file.parent, env=env, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def run(made: Path, env: dict[str, str]) -> tuple[subprocess.CompletedProcess[str], list[Any]]:
    """Runs a notebook by nbmake, as `make notebooks` does; what came of it, and the outputs of its cells."""
    command = [sys.executable, "-m", "pytest", "--nbmake", f"--nbmake-timeout={CELL_LIMIT}", "--overwrite"]
    alone = ["-c", os.devnull, "--rootdir", ".", "-p", "no:cacheprovider", "--color=no"]
    done = subprocess.run(
        [*command, *alone, made.name], cwd=made.parent, env=env, capture_output=True, text=True
    )
    return done, outputs_of(made)


def outputs_of(made: Path) -> list[Any]:
    cells = json.loads(made.read_text(encoding="utf-8"))["cells"]
    return [output for cell in cells for output in cell.get("outputs", ())]


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_a_notebook_runs_from_top_to_bottom(name: str, tmp_path: Path, as_reader: dict[str, str]) -> None:
    text, made = tmp_path / f"{name}.py", tmp_path / f"{name}.ipynb"
    text.write_text(source(name), encoding="utf-8")
    jupytext(text, "notebook", as_reader)
    assert outputs_of(made) == []
    done, outputs = run(made, as_reader)
    assert done.returncode == 0, done.stdout + done.stderr
    assert not [said for o in outputs if o.get("name") == "stderr" for said in o["text"] if "Warning" in said]
    pictures = sum("image/png" in output.get("data", {}) for output in outputs)
    assert pictures == len(re.findall(r"plt\.subplots\(|plot\.axes\(", source(name)))
    jupytext(made, "py:percent", as_reader)
    assert text.read_text(encoding="utf-8") == source(name), "text and notebook are a pair"
    assert sorted(tmp_path.iterdir()) == [made, text], "nothing is left behind"


@pytest.mark.slow
def test_a_false_claim_in_a_notebook_is_found(tmp_path: Path, as_reader: dict[str, str]) -> None:
    text = source("teach_a_recogniser")
    false = text.replace("assert len(examples) == 8", "assert len(examples) == 9")
    assert false != text
    (tmp_path / "false.py").write_text(false, encoding="utf-8")
    jupytext(tmp_path / "false.py", "notebook", as_reader)
    done, _ = run(tmp_path / "false.ipynb", as_reader)
    assert done.returncode == 1
    assert "AssertionError" in done.stdout
    assert "assert len(examples) == 9" in done.stdout
