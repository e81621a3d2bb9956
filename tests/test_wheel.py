"""The built wheel, installed alone and used from an empty folder: what a user gets who never sees the repository."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import sysconfig
import venv
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

pytestmark = [pytest.mark.runtime, pytest.mark.packs, pytest.mark.slow]

ROOT = Path(__file__).parent.parent
PACKAGES = ("cga", "recognition", "cognition", "experiments")
PACKS = ("en_core_cognition_v1", "en_lab_safety_v1", "koine_hebrew_v1")
Run = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    done = subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    (built,) = folder.glob("*.whl")
    return built


@pytest.fixture(scope="module")
def run(wheel: Path, tmp_path_factory: pytest.TempPathFactory, user_env: dict[str, str]) -> Run:
    """Runs a command of an environment that has the wheel, and its dependencies from the environment of the tests."""
    home = tmp_path_factory.mktemp("alone")
    venv.create(home / "env", with_pip=False, symlinks=True)
    scripts = home / "env" / "bin"
    subprocess.run(
        [
            *(
                sys.executable,
                "-m",
                "pip",
                "--python",
                str(scripts / "python"),
                "--disable-pip-version-check",
            ),
            *("install", "-q", "--no-deps", "--no-index", str(wheel)),
        ],
        check=True,
    )
    (site,) = (home / "env" / "lib").glob("python*/site-packages")
    # A .pth adds the folder behind this one, and the .pth files in it, such as that of the checkout, are not read.
    (site / "dependencies.pth").write_text(sysconfig.get_path("purelib") + "\n")
    empty = home / "empty"
    empty.mkdir()
    kept = {name: value for name, value in user_env.items() if not name.startswith(("PYTHON", "CORE_"))}
    env = {**kept, "PATH": f"{scripts}{os.pathsep}{kept['PATH']}", "HOME": str(home)}

    def command(*arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [str(scripts / arguments[0]), *arguments[1:]],
            cwd=empty,
            env=env,
            capture_output=True,
            text=True,
            check=False,
            timeout=120,
        )

    return command


def test_the_wheel_holds_the_packages_and_nothing_else(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
    tops = {name.partition("/")[0] for name in names}
    assert {top for top in tops if not top.endswith(".dist-info")} == set(PACKAGES)
    assert {f"{package}/py.typed" for package in PACKAGES} <= set(names)
    assert {f"cognition/packs/data/{pack}/manifest.json" for pack in PACKS} <= set(names)
    unwanted = ("__pycache__", "/tests/", "notebooks", ".sqlite")
    assert [name for name in names if any(part in name for part in unwanted)] == []
    runs = [name for name in names if name.startswith("experiments/results/")]
    assert set(runs) <= {"experiments/results/README.md"}
    assert any(name.endswith("licenses/LICENSE") for name in names)


def test_it_is_the_wheel_that_is_imported(run: Run) -> None:
    done = run(
        "python",
        "-c",
        "import cga, recognition, cognition, experiments as e; print(cognition.__file__, e.__file__)",
    )
    assert done.returncode == 0, done.stderr
    assert all(f"{os.sep}alone" in path and str(ROOT) not in path for path in done.stdout.split())


@pytest.mark.parametrize(
    ("pack", "prompt", "said"),
    [
        (PACKS[0], "What is light?", "Light is"),
        (PACKS[1], "Why do I need goggles?", "prevents eye injuries"),
        (PACKS[2], "What is a spirit?", "Spirit is"),
    ],
)
@pytest.mark.parametrize("backend", ["numpy", "jax"])
def test_it_answers_from_each_pack(run: Run, pack: str, prompt: str, said: str, backend: str) -> None:
    done = run("core", "ask", prompt, "--pack", pack, "--backend", backend, "--json")
    assert (done.returncode, done.stderr) == (0, "")
    answer = json.loads(done.stdout)
    assert said in answer["surface"]
    assert answer["refusal"] is None
    assert answer["citations"]


def test_the_doctor_finds_nothing_broken(run: Run) -> None:
    done = run("core", "doctor", "--json")
    report = json.loads(done.stdout)
    wrong = [finding for finding in report["findings"] if finding["state"] in ("warning", "broken")]
    assert (done.returncode, wrong) == (0, [])
    assert [f["what"].split()[0] for f in report["findings"] if f["area"] == "packs"] == list(PACKS)


def test_the_evaluations_are_there_and_the_tests_are_not(run: Run) -> None:
    done = run("core", "eval", "cognition", "--backend", "numpy", "--json")
    assert done.returncode == 0, done.stderr
    report = json.loads(done.stdout)
    assert len(report["arms"]["on"]["cases"]) == 13
    done = run("core", "test", "--suite", "smoke")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("core: test: the tests are not part of the installed package")
    assert done.stderr.count("\n") == 1
