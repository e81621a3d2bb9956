"""`core test`: lanes over the markers of the tests; each test is in one, and none of them is empty."""

from __future__ import annotations

import importlib.util
import json
import subprocess
import sys
import tomllib
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from experiments import cli
from experiments.harness import UsageError
from experiments.lanes import CHECKOUT, LANES, expression, run_lane, smoke_files

pytestmark = pytest.mark.runtime


@pytest.fixture
def started(monkeypatch: pytest.MonkeyPatch) -> list[list[str]]:
    """The commands that were started; each ends with status 3."""
    commands: list[list[str]] = []

    def run(command: list[str], *, cwd: Path, check: bool) -> SimpleNamespace:
        assert (cwd, check) == (CHECKOUT, False)
        commands.append(command)
        return SimpleNamespace(returncode=3)

    monkeypatch.setattr(subprocess, "run", run)
    return commands


@pytest.fixture
def core(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Callable[..., Any]:
    def run(*arguments: str) -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "argv", ["core", "test", *arguments])
        with pytest.raises(SystemExit) as ended:
            cli.main()
        captured = capsys.readouterr()
        return int(ended.value.code or 0), captured.out, captured.err

    return run


def test_every_lane_is_a_marker_with_a_meaning() -> None:
    project = tomllib.loads((CHECKOUT / "pyproject.toml").read_text(encoding="utf-8"))
    markers = {text.partition(":")[0] for text in project["tool"]["pytest"]["ini_options"]["markers"]}
    assert set(LANES) == markers - {"oracle"}


def test_a_lane_is_chosen_by_its_marker_and_the_status_is_pytest_s(
    started: list[list[str]], core: Callable[..., Any]
) -> None:
    assert core("--suite", "packs", "-q", "--", "-k", "merge") == (3, "", "")
    assert started[-1][1:5] == ["-m", "pytest", "-m", "packs and not slow and not oracle"]
    assert started[-1][-3:] == ["-q", "-k", "merge"]
    assert core("--suite", "slow")[0] == 3
    assert started[-1][4] == "slow or oracle"
    assert core()[0] == 3
    assert started[-1][4] == "not slow and not oracle"
    assert "-q" not in started[-1]


def test_the_default_is_what_make_test_runs() -> None:
    makefile = (CHECKOUT / "Makefile").read_text(encoding="utf-8")
    assert f"-m '{expression(None)}'" in makefile
    assert f"-m '{expression('slow')}'" in makefile


def test_smoke_reads_only_the_files_that_have_some(
    started: list[list[str]], core: Callable[..., Any]
) -> None:
    core("--suite", "smoke")
    assert [str(path) for path in smoke_files()] == started[-1][5:]
    assert 3 < len(smoke_files()) < 20


def test_help_names_every_lane_and_a_wrong_one_is_one_line(
    started: list[list[str]], core: Callable[..., Any]
) -> None:
    code, out, _ = core("--help")
    assert code == 0
    assert all(f"{lane:13}{meaning}" in out for lane, meaning in LANES.items())
    code, out, err = core("--suite", "nonsense")
    assert (code, out) == (2, "")
    assert "no lane 'nonsense'; there are: smoke, cognition," in err
    assert started == []


def test_without_tests_or_pytest_it_says_what_to_do(
    tmp_path: Path, started: list[list[str]], core: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(UsageError, match="not part of the installed package; clone"):
        run_lane("smoke", checkout=tmp_path)
    there = importlib.util.find_spec
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None if name == "pytest" else there(name))
    line = "core: test: pytest is missing: pip install -e '.[dev]' in the checkout\n"
    assert core("--suite", "smoke") == (2, "", line)
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None if name == "xdist" else there(name))
    core()
    assert started == [[sys.executable, "-m", "pytest", "-m", expression(None)]]


PROBE = """
import json, os, pytest

@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items):
    found = [[item.path.as_posix(), sorted({mark.name for mark in item.iter_markers()})] for item in items]
    with open(os.environ["PROBE"], "w") as file:
        json.dump(found, file)
"""


@pytest.mark.slow
def test_every_test_is_in_a_lane_and_no_lane_is_empty(tmp_path: Path, user_env: dict[str, str]) -> None:
    (tmp_path / "lane_probe.py").write_text(PROBE)
    out = tmp_path / "marks.json"
    subprocess.run(
        [sys.executable, "-m", "pytest", "--collect-only", "-q", "-n", "0", "-p", "lane_probe"],
        cwd=CHECKOUT,
        env={**user_env, "PYTHONPATH": str(tmp_path), "PROBE": str(out)},
        stdout=subprocess.DEVNULL,
        check=True,
        timeout=600,
    )
    found = [(path, set(marks)) for path, marks in json.loads(out.read_text())]
    assert len(found) > 1000
    topics = LANES.keys() - {"smoke", "slow"}
    assert [path for path, marks in found if not marks & topics] == []
    quick = [marks for _, marks in found if not marks & {"slow", "oracle"}]
    sizes = {lane: sum(lane in marks for marks in quick) for lane in LANES if lane != "slow"}
    assert min(sizes.values()) > 10, sizes
    assert len(found) - len(quick) > 10
    assert {path for path, marks in found if "smoke" in marks} == {path.as_posix() for path in smoke_files()}
