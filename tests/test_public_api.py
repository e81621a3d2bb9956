"""The public names. `make snapshots` accepts the present ones; a name that goes needs a changelog entry."""

from __future__ import annotations

import inspect
import json
from importlib import import_module
from pathlib import Path

import pytest

PACKAGES = ("cga", "recognition", "cognition", "experiments")
SNAPSHOT = Path(__file__).parent / "snapshots" / "public_api.json"


@pytest.mark.parametrize("package", PACKAGES)
def test_every_public_name_exists_and_shows_in_dir(package: str) -> None:
    module = import_module(package)
    assert len(set(module.__all__)) == len(module.__all__)
    assert [name for name in module.__all__ if not hasattr(module, name)] == []
    assert set(module.__all__) <= set(dir(module))


@pytest.mark.parametrize("package", PACKAGES)
def test_public_classes_and_functions_are_documented(package: str) -> None:
    module = import_module(package)
    named = {name: getattr(module, name) for name in module.__all__}
    # A dataclass without a docstring is given its signature for one.
    silent = [
        name
        for name, value in named.items()
        if (inspect.isclass(value) or inspect.isfunction(value))
        and (not value.__doc__ or value.__doc__.startswith(f"{value.__name__}("))
    ]
    assert silent == []


@pytest.mark.parametrize("package", PACKAGES)
def test_an_unknown_name_is_an_attribute_error(package: str) -> None:
    with pytest.raises(AttributeError, match="no_such_name"):
        getattr(import_module(package), "no_such_name")  # noqa: B009  (the lazy packages answer it themselves)


def test_public_names_are_the_snapshot(update_snapshots: bool) -> None:
    present = {package: sorted(import_module(package).__all__) for package in PACKAGES}
    if update_snapshots:
        SNAPSHOT.write_text(json.dumps(present, indent=2) + "\n")
    accepted = json.loads(SNAPSHOT.read_text())
    gone = {package: sorted(set(accepted[package]) - set(present[package])) for package in PACKAGES}
    new = {package: sorted(set(present[package]) - set(accepted[package])) for package in PACKAGES}
    assert (gone, new) == ({package: [] for package in PACKAGES},) * 2, "run `make snapshots` if you mean it"
