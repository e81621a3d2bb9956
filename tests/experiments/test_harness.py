"""The record of a run, and results that are whole or not there."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from experiments import harness


def git(folder: Path, *arguments: str) -> str:
    name = ["-c", "user.name=t", "-c", "user.email=t@example.org"]
    done = subprocess.run(
        ["git", "-C", str(folder), *name, *arguments], capture_output=True, text=True, check=True
    )
    return done.stdout.strip()


def test_a_checkout_has_a_commit_and_may_be_dirty(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(harness, "ROOT", tmp_path)
    git(tmp_path, "init", "--quiet")
    assert harness.git_state() == {"commit": None, "dirty": False}
    (tmp_path / "a").write_text("a")
    git(tmp_path, "add", "a")
    git(tmp_path, "commit", "--quiet", "-m", "a")
    assert harness.git_state() == {"commit": git(tmp_path, "rev-parse", "HEAD"), "dirty": False}
    (tmp_path / "a").write_text("b")
    assert harness.git_state()["dirty"] is True


def test_an_installation_inside_another_checkout_has_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    git(tmp_path, "init", "--quiet")
    (tmp_path / "site-packages").mkdir()
    for root in (tmp_path / "site-packages", tmp_path / "nowhere"):
        monkeypatch.setattr(harness, "ROOT", root)
        assert harness.git_state() == {"commit": None, "dirty": None}


def test_a_result_replaces_the_file_as_a_whole(tmp_path: Path) -> None:
    path = tmp_path / "result.json"
    path.write_text("old")
    harness.write_json(path, {"é": None})
    assert json.loads(path.read_text(encoding="utf-8")) == {"é": None}
    with pytest.raises(ValueError, match="not JSON compliant"):
        harness.write_json(path, {"rate": float("nan")})
    assert json.loads(path.read_text(encoding="utf-8")) == {"é": None}
    assert list(tmp_path.iterdir()) == [path]


def test_a_folder_that_is_not_there_is_an_error_of_the_user(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"--out .*: can't be written \(No such file or directory\)"):
        harness.write_json(tmp_path / "none" / "result.json", {})
    (tmp_path / "folder").mkdir()
    with pytest.raises(ValueError, match="can't be written"):
        harness.write_json(tmp_path / "folder", {})
    assert [path.name for path in tmp_path.iterdir()] == ["folder"]


def test_a_rate_that_is_undefined_is_a_dash() -> None:
    assert (harness.percent(None), harness.percent(0.0), harness.percent(1 / 3)) == ("-", "0.0", "33.3")
