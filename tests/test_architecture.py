"""The shape of the house: each module imports first, the light packages stay light, each file has a place."""

from __future__ import annotations

import configparser
import json
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PACKAGES = ("cga", "recognition", "cognition", "experiments")
FILES = sorted(path for package in PACKAGES for path in (ROOT / package).rglob("*.py"))
MODULES = [".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__") for path in FILES]
MOST_LINES = 400

# Loads the libraries once, then forks one process for each module, so that each is the first of ours to be
# imported in its process. Threads of the libraries don't matter to a child that only imports.
IMPORT_EACH = """
import importlib, json, os, sys, traceback, warnings
warnings.simplefilter("ignore")
libraries, modules = json.loads(sys.argv[1])
for name in libraries:
    importlib.import_module(name)
ours = {module.partition(".")[0] for module in modules}
assert not ours & sys.modules.keys(), "a library loaded one of the packages"
failures = {}
for module in modules:
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reader)
        text = ""
        try:
            importlib.import_module(module)
        except BaseException:
            text = traceback.format_exc()
        os.write(writer, text[-4000:].encode())
        os._exit(0)
    os.close(writer)
    with os.fdopen(reader, "rb") as pipe:
        text = pipe.read().decode()
    status = os.waitpid(child, 0)[1]
    if text or status:
        failures[module] = text or f"exit status {status}"
print(json.dumps(failures))
"""
LIBRARIES = ("numpy", "jax", "jaxtyping", "equinox", "optax", "pydantic", "lemminflect", "typer", "rich")


def python(code: str, *arguments: str, env: dict[str, str]) -> str:
    done = subprocess.run(
        [sys.executable, "-c", code, *arguments],
        capture_output=True,
        text=True,
        timeout=120,
        cwd=ROOT,
        env=env,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def loaded(modules: list[str], among: tuple[str, ...], env: dict[str, str]) -> list[str]:
    """Which of the libraries `among` are loaded once `modules` have been imported in a fresh process."""
    code = "\n".join(f"import {module}" for module in modules)
    code += f"\nimport json, sys; print(json.dumps([name for name in {among!r} if name in sys.modules]))"
    return json.loads(python(code, env=env))


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="forks")
def test_each_module_can_be_the_first_to_be_imported(user_env: dict[str, str]) -> None:
    failures = json.loads(python(IMPORT_EACH, json.dumps([LIBRARIES, MODULES]), env=user_env))
    assert not failures, "\n\n".join(f"import {module}\n{text}" for module, text in failures.items())


@pytest.mark.smoke
@pytest.mark.parametrize(
    ("modules", "libraries"),
    [
        pytest.param(["cga"], ("jax", "numpy"), id="cga"),
        pytest.param(["cga.backend"], ("jax", "numpy"), id="cga.backend"),
        pytest.param(["cga.backend.numpy"], ("jax", "equinox"), id="cga.backend.numpy"),
        pytest.param(["cognition", "recognition"], ("jax", "jaxlib", "equinox"), id="the pure packages"),
        pytest.param(
            [m for m in MODULES if m.split(".")[0] in ("cognition", "recognition")],
            ("jax", "jaxlib", "equinox", "optax"),
            id="each module of the pure packages",
        ),
        pytest.param(["experiments.cli"], ("jax", "jaxlib", "equinox", "lemminflect"), id="the command"),
    ],
)
def test_light_modules_load_no_heavy_library(
    modules: list[str], libraries: tuple[str, ...], user_env: dict[str, str]
) -> None:
    assert loaded(modules, libraries, user_env) == []


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(ROOT)))
def test_a_file_fits_in_the_head(path: Path) -> None:
    lines = len(path.read_text(encoding="utf-8").splitlines())
    assert lines <= MOST_LINES, f"{lines} lines: would a reader want two rooms?"


def test_the_layers_of_every_package_are_exhaustive() -> None:
    """import-linter refuses a file that no layer names, as long as the contracts say so."""
    contracts = configparser.ConfigParser()
    contracts.read(ROOT / ".importlinter", encoding="utf-8")
    exhaustive = {
        container
        for name in contracts.sections()
        if contracts[name].get("type") == "layers"
        and contracts[name].getboolean("exhaustive", fallback=False)
        for container in contracts[name]["containers"].split()
    }
    assert set(PACKAGES) <= exhaustive
