"""A build that is broken off, or that would not open, leaves what was there: no half pack, no partly replaced one."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from cognition.packs import assemble
from cognition.packs.assemble import exchange, install
from cognition.packs.load import PackError
from tests.cognition.built_packs import RELATIONS, TERMS, build_pack, contents, request_of, without_fit

pytestmark = pytest.mark.packs

ROOT = Path(__file__).parents[2]


@pytest.fixture
def bees(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    without_fit(monkeypatch)
    return build_pack(tmp_path_factory.mktemp("built"))


@pytest.mark.parametrize("moment", ["write", "swap"])
@pytest.mark.parametrize("error", [KeyboardInterrupt, SystemExit, MemoryError])
def test_an_interrupted_build_leaves_what_was_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, moment: str, error: type[BaseException]
) -> None:
    without_fit(monkeypatch)
    pack = build_pack(tmp_path)
    before, beside = contents(pack), sorted(path.name for path in tmp_path.iterdir())

    def stop(*_: object, **__: object) -> None:
        raise error

    monkeypatch.setattr(assemble, "load_pack" if moment == "write" else "exchange", stop)
    with pytest.raises(error):
        build_pack(tmp_path, TERMS[1:], RELATIONS[4:], force=True)
    assert contents(pack) == before
    assert sorted(path.name for path in tmp_path.iterdir()) == beside


WORKER = """
import signal, sys, time
# As at a terminal: a shell has what runs in the background ignore it.
signal.signal(signal.SIGINT, signal.default_int_handler)
from cognition.packs import assemble
from tests.cognition import built_packs
from cognition.packs import build
build.fit_points = built_packs.points_in_a_row
ready = assemble.check_closure
def wait(pack):
    print("ready", flush=True)
    time.sleep(60)
    return ready(pack)
assemble.check_closure = wait
from experiments.cli import main
sys.argv = ["core", "pack", "build", *sys.argv[1:]]
main()
"""


@pytest.mark.parametrize("kind", [signal.SIGTERM, signal.SIGINT, signal.SIGKILL])
def test_a_killed_build_leaves_no_pack(tmp_path: Path, kind: signal.Signals) -> None:
    """In the middle of its work, with all files written beside the target; only SIGKILL leaves a hidden folder."""
    request = request_of(tmp_path)
    arguments = [str(request.terms), "--relations", str(request.relations), "-o", str(tmp_path / "out")]
    there = {path.name for path in tmp_path.iterdir()}
    with subprocess.Popen(
        [sys.executable, "-c", WORKER, *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=os.environ | {"PYTHONPATH": os.fspath(ROOT)},
        cwd=ROOT,
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"ready\n"
        process.send_signal(kind)
        process.communicate(timeout=60)
        assert process.returncode != 0
    left = {path.name for path in tmp_path.iterdir()} - there
    assert "out" not in left
    assert all(name.startswith(".out-") for name in left)
    assert bool(left) == (kind is signal.SIGKILL)


def test_folders_change_places_in_one_step_or_in_two(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for platform in (sys.platform, "other"):
        monkeypatch.setattr(sys, "platform", platform)
        room = tmp_path / platform
        for name in ("new", "old"):
            (room / name).mkdir(parents=True)
            (room / name / "file").write_text(name)
        exchange(room / "new", room / "old")
        assert (room / "old" / "file").read_text() == "new"


def test_a_swap_that_fails_half_way_is_undone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "old").mkdir()
    (tmp_path / "old" / "file").write_text("old")
    monkeypatch.setattr(sys, "platform", "other")
    with pytest.raises(FileNotFoundError):
        exchange(tmp_path / "missing", tmp_path / "old")
    assert (tmp_path / "old" / "file").read_text() == "old"


def test_a_pack_that_would_not_open_is_not_installed(tmp_path: Path, bees: Path) -> None:
    files = contents(bees)
    with pytest.raises(PackError, match="tampered"):
        install(
            tmp_path / "out",
            files | {"senses.jsonl": files["senses.jsonl"].replace(b"insect", b"animal")},
            replace=False,
        )
    assert list(tmp_path.iterdir()) == []
