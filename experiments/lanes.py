"""The lanes of the test suite: which tests `core test` runs, by the markers that they carry."""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

LANES = {
    "smoke": "the shortest proof that the whole thing runs: under half a minute",
    "cognition": "the stages of a turn, and how their answers are scored",
    "runtime": "sessions, replay, benchmarks and the command",
    "algebra": "products, exponentials, conformal objects and exact search",
    "recognition": "teaching by examples, recognising, refusing",
    "teaching": "corrections, proposals, the vault",
    "packs": "what the packs hold; building, importing and changing them",
    "slow": "what takes long, and comparisons with other implementations",
}
"""Marker -> what its tests are about. All but ``slow`` leave the slow tests out."""
QUICK = "not slow and not oracle"
CHECKOUT = Path(__file__).parent.parent


def expression(lane: str | None) -> str:
    """What pytest's ``-m`` selects for a lane; None is what `make test` runs."""
    if lane is None:
        return QUICK
    return "slow or oracle" if lane == "slow" else f"{lane} and {QUICK}"


def run_lane(
    lane: str | None, *, quiet: bool = False, arguments: Sequence[str] = (), checkout: Path = CHECKOUT
) -> int:
    """Runs a lane with pytest, on as many processes as `make test`.

    Args:
        lane: a key of `LANES`; None is what `make test` runs.
        quiet: passes ``-q``.
        arguments: more for pytest.
        checkout: where the tests are.

    Returns:
        The exit status of pytest: 0 all passed, 1 some failed, 5 none was selected, ...

    Raises:
        UsageError: there are no tests here, or no pytest.
    """
    from experiments.harness import UsageError

    if not (checkout / "tests" / "conftest.py").is_file():
        raise UsageError(
            "test: the tests are not part of the installed package; clone the repository and run it there"
        )
    if importlib.util.find_spec("pytest") is None:
        raise UsageError("test: pytest is missing: pip install -e '.[dev]' in the checkout")
    command = [sys.executable, "-m", "pytest", "-m", expression(lane)]
    if lane == "smoke":
        # Collecting all tests would take longer than these run.
        command += map(str, smoke_files(checkout))
    elif importlib.util.find_spec("xdist") is not None:
        command += ["-n", str(min(2, os.cpu_count() or 1))]
    if quiet:
        command.append("-q")
    return subprocess.run([*command, *arguments], cwd=checkout, check=False).returncode


def smoke_files(checkout: Path = CHECKOUT) -> list[Path]:
    """The files that have a test marked ``smoke``, by their text."""
    return [
        path
        for path in sorted((checkout / "tests").rglob("test_*.py"))
        if "pytest.mark.smoke" in path.read_text(encoding="utf-8")
    ]
