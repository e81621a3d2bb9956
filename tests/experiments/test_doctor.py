"""`core doctor`: what is wrong is found, is said with its remedy, and never takes the command down."""

from __future__ import annotations

import json
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from packaging.requirements import Requirement as Oracle
from packaging.specifiers import SpecifierSet

from cognition import Runtime
from cognition.packs import load
from cognition.teaching import TeachingStore
from experiments import cli
from experiments.doctor import checks, requirements
from experiments.doctor.checks import examine
from experiments.doctor.findings import Finding, run_check, shown
from experiments.doctor.requirements import Requirement, fits, read_requirement
from experiments.doctor.stores import check_files

pytestmark = pytest.mark.runtime
ROOT = Path(__file__).parents[2]


def states(findings: list[Finding]) -> list[str]:
    return [finding.state for finding in findings]


@pytest.mark.smoke
def test_here_everything_that_matters_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    report = examine()
    assert report["usable"], [f for f in report["findings"] if f["state"] == "broken"]
    areas = dict.fromkeys(finding["area"] for finding in report["findings"])
    assert list(areas) == [
        *("python", "packages", "extras", "machine", "devices", "cache", "packs", "results", "sessions"),
        *("command", "terminal"),
    ]
    assert sum(report["counts"].values()) == len(report["findings"])
    assert sum(finding["area"] == "packs" for finding in report["findings"]) == 3
    assert all(finding["mend"] for finding in report["findings"] if finding["state"] in ("warning", "broken"))


def test_a_check_that_fails_is_a_finding(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken() -> Any:
        yield Finding(area="x", state="ok", what="first")
        raise RuntimeError("a bug\nin two lines")

    found = run_check("x", broken)
    assert states(found) == ["ok", "broken"]
    assert "RuntimeError: a bug in two lines" in found[1].what
    monkeypatch.setitem(sys.modules, "jax", None)
    report = examine()
    assert not report["usable"]
    assert [f["area"] for f in report["findings"] if f["state"] == "broken"] == ["devices"]


@pytest.fixture
def command(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Callable[..., Any]:
    def run(*arguments: str) -> tuple[int, str]:
        monkeypatch.setattr(sys, "argv", ["core", *arguments])
        with pytest.raises(SystemExit) as ended:
            cli.main()
        return int(ended.value.code or 0), capsys.readouterr().out

    return run


def test_the_command_exits_with_1_where_something_is_broken(
    command: Callable[..., Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    code, out = command("doctor", "--json")
    assert (code, json.loads(out)["usable"]) == (0, True)
    code, out = command("doctor", "none.sqlite")
    assert code == 1
    assert "BROKEN  none.sqlite: no such file" in out
    assert "mend: check the name" in out
    assert out.splitlines()[-1] == "1 broken: mend what is marked BROKEN, from the top."
    code, out = command("doctor", "none.sqlite", "--json")
    assert (code, json.loads(out)["counts"]["broken"]) == (1, 1)


REQUIRES = (
    "numpy<3,>=2.2",
    "jax<0.11,>=0.10; python_version < '3.12'",
    "jax<0.13,>=0.11; python_version >= '3.12'",
    "jax[cuda12]; extra == 'cuda'",
    "pyright[nodejs]==1.1.414; extra == 'dev'",
    "typing-extensions (>=4.1) ; python_version<'3.11'",
    "tensorstore ~= 0.1.3",
    "six",
    "core @ https://example.org/core.whl",
    "scipy != 1.15.*, >=1.13; python_version >= \"3.11\" and extra == 'x'",
)


@pytest.mark.parametrize("text", REQUIRES)
def test_requirements_are_read_as_packaging_reads_them(text: str) -> None:
    oracle = Oracle(text)
    found = read_requirement(text)
    held = oracle.marker is None or any(
        oracle.marker.evaluate({"extra": e}) for e in ("", "cuda", "dev", "x")
    )
    assert (found is not None) == held
    if found is not None:
        assert found.name == oracle.name
        assert SpecifierSet(found.wanted) == oracle.specifier
        assert (found.extra is None) == (oracle.marker is None or oracle.marker.evaluate({"extra": ""}))


def test_all_that_is_asked_for_here_can_be_read() -> None:
    assert {found.name for found in requirements.requirements()} >= {"numpy", "jax", "pytest"}
    with pytest.raises(ValueError, match="can't be read"):
        read_requirement("numpy >> 3")
    with pytest.raises(ValueError, match="can't be read"):
        fits("1.0", "newer")


@pytest.mark.parametrize(
    "wanted",
    [">=2.2,<3", "==2.4.6", "!=2.4.6", "~=2.4", "~=2.4.6", "<=2.4", ">2.4", "==2.4.*", "!=2.4.*", ""],
)
def test_ranges_are_those_of_packaging(wanted: str) -> None:
    for version in ("2.1.9", "2.2", "2.4", "2.4.0", "2.4.6", "2.4.10", "2.10", "3", "3.0.1"):
        assert fits(version, wanted) == (version in SpecifierSet(wanted)), version


def test_a_package_that_is_missing_or_of_another_version_is_broken(monkeypatch: pytest.MonkeyPatch) -> None:
    versions = {"core-cognition": "0.1.0", "numpy": "1.26", "rich": "15.0"}
    asked = [
        Requirement(name="numpy", wanted=">=2.2,<3", extra=None),
        Requirement(name="rich", wanted=">=14", extra=None),
        Requirement(name="typer", wanted="", extra=None),
        Requirement(name="rdflib", wanted="==7", extra="import"),
    ]
    monkeypatch.setattr(checks, "installed", versions.get)
    monkeypatch.setattr(checks, "requirements", lambda name="": asked)
    found = list(checks.check_packages())
    assert states(found) == ["ok", "broken", "ok", "broken"]
    assert found[1].mend == "pip install 'numpy>=2.2,<3'"
    assert found[3].what == "typer is missing"
    (extra,) = checks.check_extras()
    assert (extra.state, extra.mend) == ("note", "pip install 'core-cognition[import]'")
    versions["rdflib"] = "7.0"
    assert states(list(checks.check_extras())) == ["ok"]
    versions.clear()
    assert states(list(checks.check_packages())) == ["warning"]


def test_a_gpu_that_jax_does_not_see_is_a_warning(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("JAX_PLATFORMS", raising=False)
    monkeypatch.setattr(checks, "_cuda_plugin", lambda: False)
    monkeypatch.setattr(checks, "NVIDIA", (tmp_path,))
    found = list(checks.check_devices())
    if any("cuda" in finding.what for finding in found):
        pytest.skip("JAX sees a GPU here")
    assert states(found) == ["ok", "warning"]
    assert found[1].mend == "pip install 'core-cognition[cuda]'"
    monkeypatch.setenv("JAX_PLATFORMS", "cpu")
    assert list(checks.check_devices())[1].mend == "unset JAX_PLATFORMS, which is 'cpu'"
    monkeypatch.setattr(checks, "NVIDIA", ())
    monkeypatch.setattr(shutil, "which", lambda name: None)
    assert states(list(checks.check_devices())) == ["ok"]


def test_the_cache_is_looked_at_where_one_is_set(tmp_path: Path) -> None:
    assert states(list(checks.check_cache({}))) == ["note"]
    assert states(list(checks.check_cache({checks.CACHE: str(tmp_path / "new" / "folder")}))) == ["ok"]
    (tmp_path / "file").touch()
    (found,) = checks.check_cache({checks.CACHE: str(tmp_path / "file")})
    assert (found.state, found.mend) == (
        "warning",
        "name a folder of your own, or unset JAX_COMPILATION_CACHE_DIR",
    )


def test_a_tampered_pack_is_broken_and_the_others_are_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    data = tmp_path / "data"
    for name in ("en_lab_safety_v1", "koine_hebrew_v1"):
        shutil.copytree(load.DATA / name, data / name)
    senses = data / "koine_hebrew_v1" / "senses.jsonl"
    senses.write_bytes(senses.read_bytes().replace(b'"gloss": "', b'"gloss": "not ', 1))
    monkeypatch.setattr(load, "DATA", data)
    found = list(checks.check_packs())
    assert states(found) == ["ok", "broken"]
    assert "senses.jsonl: tampered" in found[1].what
    assert "git restore" in found[1].mend
    shutil.rmtree(data)
    assert states(list(checks.check_packs())) == ["broken"]


def test_the_command_and_the_terminal(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    beside = Path(sys.executable).parent
    monkeypatch.setattr(shutil, "which", lambda name: str(beside / "core"))
    assert states(list(checks.check_command())) == ["ok"]
    for other in (None, str(tmp_path / "core")):
        monkeypatch.setattr(shutil, "which", lambda name, other=other: other)
        (found,) = checks.check_command()
        assert found.state == "warning"
        assert found.mend.startswith('export PATH="')
    done = subprocess.run(
        [
            sys.executable,
            "-c",
            "from experiments.doctor.checks import *; print([f.state for f in check_terminal()])",
        ],
        env={"PYTHONIOENCODING": "latin-1"},
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.strip() == "['warning']"


def test_paths_do_not_name_the_user(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    assert shown(tmp_path / "packs") == "~/packs"
    assert shown(tmp_path / "packs", "$HOME") == "$HOME/packs"
    assert shown(Path("/opt/packs")) == "/opt/packs"


@pytest.fixture
def kept(tmp_path: Path) -> Path:
    """A file of two sessions, one of them with three turns."""
    path = tmp_path / "kept.sqlite"
    runtime = Runtime.open()
    for name, asked in (
        ("one", ["What is light?", "What is a wombat?", "Why?"]),
        ("two", ["What is truth?"]),
    ):
        with runtime.session(path, name) as session:
            for text in asked:
                session.ask(text)
    return path


def test_a_whole_session_file(kept: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = kept.read_bytes()
    (found,) = check_files([kept])
    assert found.state == "ok"
    assert "schema 1, sessions: 2, events: " in found.what
    monkeypatch.chdir(kept.parent)
    (found,) = check_files([])
    assert found.what.startswith("kept.sqlite: schema 1")
    assert kept.read_bytes() == before


def tampered(path: Path, statement: str) -> None:
    """Changes a log behind its triggers."""
    with sqlite3.connect(path) as db:
        for trigger in ("session_event_never_changes", "session_event_never_goes"):
            db.execute(f"DROP TRIGGER {trigger}")
        db.execute(statement)
    db.close()


@pytest.mark.parametrize(
    ("statement", "what"),
    [
        ("DELETE FROM session_event WHERE session = 'one' AND seq = 2", "event 2 of a session is missing"),
        ("UPDATE session_event SET body = replace(body, 'wombat', 'dingo')", "not that of its trace"),
        ("UPDATE session_event SET body = '{' WHERE seq = 1", "event 1 of a session can't be read"),
        ("UPDATE session_event SET body = '{}' WHERE kind = 'turn'", "event 1 of a session can't be read"),
        ("UPDATE session_schema SET version = 9", "session_schema 9, this version reads up to 1"),
    ],
)
def test_a_log_that_was_changed_is_broken(kept: Path, statement: str, what: str) -> None:
    tampered(kept, statement)
    (found,) = check_files([kept])
    assert found.state == "broken"
    assert what in found.what
    assert found.mend


def test_other_files_are_ours_or_are_not(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    TeachingStore(tmp_path / "taught.sqlite").close()
    (found,) = check_files([])
    assert (found.state, found.what) == ("ok", "taught.sqlite: teaching log, no sessions")
    with sqlite3.connect("other.sqlite") as db:
        db.execute("CREATE TABLE t (x)")
    db.close()
    Path("text.sqlite").write_text("no database")
    assert states(list(check_files([]))) == ["note", "ok", "note"]
    assert (
        states(list(check_files([Path("other.sqlite"), Path("text.sqlite"), Path("none")]))) == ["broken"] * 3
    )


def test_a_purged_session_is_no_gap(kept: Path) -> None:
    from cognition import SessionStore

    with SessionStore(kept) as store:
        store.take_back("one", purge=True)
    assert states(list(check_files([kept]))) == ["ok"]


def test_a_damaged_page_is_found(kept: Path) -> None:
    raw = bytearray(kept.read_bytes())
    middle = len(raw) // 2
    raw[middle : middle + 600] = b"\xff" * 600
    kept.write_bytes(raw)
    (found,) = check_files([kept])
    assert found.state == "broken"
