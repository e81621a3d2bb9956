"""Settings that every test shares: strict JAX, run-time types for `cga`, keys, public data, snapshots."""

from __future__ import annotations

import os
import zlib
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, settings
from jaxtyping import install_import_hook

from experiments.lanes import LANES

if TYPE_CHECKING:
    from jax import Array

ROOT = Path(__file__).parent.parent

# Read by JAX when a test imports it. Variables instead of jax.config: most tests never load JAX.
# JAX_ENABLE_X64=0 in the environment gives the run with x64 off.
STRICT_JAX = {
    "JAX_ENABLE_X64": "1",
    "JAX_NUMPY_DTYPE_PROMOTION": "strict",
    "JAX_NUMPY_RANK_PROMOTION": "raise",
    "XLA_FLAGS": "--xla_force_host_platform_device_count=2",
}
for _name, _value in STRICT_JAX.items():
    os.environ.setdefault(_name, _value)

# The array annotations of `cga` are checked by beartype here, and nowhere else.
install_import_hook("cga", "beartype.beartype")

settings.register_profile("dev", deadline=None)
settings.register_profile(
    "ci", deadline=None, derandomize=True, print_blob=True, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "ci"))

# The lane of the tests in a folder that name none themselves; see `experiments.lanes`.
FOLDERS = {
    "notebooks": "runtime",
    "tests": "runtime",
    "tests/cga": "algebra",
    "tests/cognition": "cognition",
    "tests/experiments": "runtime",
    "tests/recognition": "recognition",
}

NO_DATA = "no public data: pass --data DIR or set CORE_DATA"


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--data",
        metavar="DIR",
        type=Path,
        default=os.environ.get("CORE_DATA"),
        help="folder of public data sets, one sub-folder each (default: the variable CORE_DATA)",
    )
    parser.addoption("--update-snapshots", action="store_true", help="accept what the snapshot tests see")


@pytest.hookimpl(tryfirst=True)  # before -m chooses
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Every test is in a lane of `core test` that says what it is about: one of its markers, or that of its folder."""
    topics = LANES.keys() - {"smoke", "slow"}
    for item in items:
        folder = item.path.parent.relative_to(ROOT).as_posix()
        if not any(item.get_closest_marker(topic) for topic in topics):
            if folder not in FOLDERS:
                raise pytest.UsageError(
                    f"{folder}: no lane; give its tests a pytestmark, or name it in FOLDERS"
                )
            item.add_marker(FOLDERS[folder])


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    skipped = [r for r in terminalreporter.stats.get("skipped", []) if NO_DATA in str(r.longrepr)]
    if skipped:
        terminalreporter.section("public data")
        terminalreporter.line(f"{len(skipped)} tests did not run, {NO_DATA}", yellow=True)


@pytest.fixture(scope="session")
def data_dir(request: pytest.FixtureRequest) -> Path:
    """The folder of public data sets; a test that asks for it is skipped where there is none."""
    folder = request.config.getoption("--data")
    if folder is None:
        pytest.skip(NO_DATA)
    folder = Path(folder)
    if not folder.is_dir():
        raise pytest.UsageError(f"--data: no such folder: {folder}")
    return folder


@pytest.fixture
def update_snapshots(request: pytest.FixtureRequest) -> bool:
    return request.config.getoption("--update-snapshots")


@pytest.fixture
def key(request: pytest.FixtureRequest) -> Array:
    """The test's own PRNG key: the same in every run, another one in every test."""
    import jax

    return jax.random.key(zlib.crc32(request.node.nodeid.encode()))


@pytest.fixture(scope="session")
def user_env() -> dict[str, str]:
    """The environment for a subprocess that should see JAX as a user does, without the settings above."""
    return {name: value for name, value in os.environ.items() if name not in STRICT_JAX}
