"""Versions that are installed against the ranges that installed distributions ask for in their metadata.

A reader of the few forms of PEP 508 that occur there: `packaging` is no dependency of CORE.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, metadata, requires, version

DISTRIBUTION = "core-cognition"

_REQUIREMENT = re.compile(
    r"(?P<name>[A-Za-z0-9][A-Za-z0-9._-]*)\s*(?:\[[^\]]*\])?\s*(?P<range>\([^)]*\)|[^;]*)(?:;(?P<marker>.*))?"
)
_CLAUSE = re.compile(r"\s*(===|~=|==|!=|<=|>=|<|>)\s*([\w.*!+-]+)\s*")
_EXTRA = re.compile(r"""extra\s*==\s*['"]([^'"]+)['"]""")
_PYTHON = re.compile(r"""python_version\s*(==|!=|<=|>=|<|>)\s*['"]([^'"]+)['"]""")


@dataclass(frozen=True, slots=True, kw_only=True)
class Requirement:
    """A package that a distribution asks for.

    Attributes:
        name: of the package.
        wanted: the range of versions, as written; "" for any.
        extra: the extra that it belongs to; None where it is always needed.
    """

    name: str
    wanted: str
    extra: str | None

    @property
    def spec(self) -> str:
        """As pip takes it."""
        return f"{self.name}{self.wanted}"


def requirements(distribution: str = DISTRIBUTION) -> tuple[Requirement, ...]:
    """What an installed distribution asks for on this Python, extras included.

    Raises:
        PackageNotFoundError: it is not installed.
    """
    read = map(read_requirement, requires(distribution) or ())
    return tuple(found for found in read if found is not None)


def python_range(distribution: str = DISTRIBUTION) -> str:
    """The versions of Python that an installed distribution asks for; "" for any."""
    return str(metadata(distribution).json.get("requires_python", ""))


def installed(name: str) -> str | None:
    """The version of a package that is installed; None where it is not."""
    try:
        return version(name)
    except PackageNotFoundError:
        return None


def read_requirement(text: str) -> Requirement | None:
    """One line ``Requires-Dist``; None where it is for another Python.

    Raises:
        ValueError: not a requirement.
    """
    match = _REQUIREMENT.fullmatch(text.strip())
    if match is None:
        raise ValueError(f"requirement {text!r}: can't be read")
    marker = match["marker"] or ""
    running = ".".join(map(str, sys.version_info[:2]))
    if not all(_holds(running, operator, bound) for operator, bound in _PYTHON.findall(marker)):
        return None
    extra = _EXTRA.search(marker)
    wanted = match["range"].strip().strip("()").replace(" ", "")
    if wanted.startswith("@"):
        wanted = ""  # an address: whatever is there
    _clauses(wanted)
    return Requirement(name=match["name"], wanted=wanted, extra=extra[1] if extra else None)


def fits(found: str, wanted: str) -> bool:
    """Whether a version is in a range such as ``>=0.10,<0.11``, by its numbers: a pre-release counts as its release.

    Raises:
        ValueError: not a range.
    """
    return all(_holds(found, operator, bound) for operator, bound in _clauses(wanted))


def _clauses(wanted: str) -> list[tuple[str, str]]:
    """The operators of a range, and their versions."""
    found: list[tuple[str, str]] = []
    for clause in filter(str.strip, wanted.split(",")):
        match = _CLAUSE.fullmatch(clause)
        if match is None:
            raise ValueError(f"range {wanted!r}: can't be read")
        found.append((match[1], match[2]))
    return found


def _numbers(text: str) -> tuple[int, ...]:
    release = re.match(r"v?(?:\d+!)?(\d+(?:\.\d+)*)", text.strip())
    if release is None:
        raise ValueError(f"version {text!r}: can't be read")
    numbers = [int(part) for part in release[1].split(".")]
    while numbers and numbers[-1] == 0:
        numbers.pop()
    return tuple(numbers)


def _holds(found: str, operator: str, bound: str) -> bool:
    if bound.endswith(".*"):
        digits = [int(part) for part in bound.removesuffix(".*").split(".")]
        ours = [*_numbers(found), *[0] * len(digits)][: len(digits)]
        return (ours == digits) == (operator == "==")
    if operator == "~=":
        return _holds(found, ">=", bound) and _holds(found, "==", f"{bound.rpartition('.')[0]}.*")
    return _COMPARE[operator](_numbers(found), _numbers(bound))


_COMPARE: Mapping[str, Callable[[tuple[int, ...], tuple[int, ...]], bool]] = {
    "===": lambda a, b: a == b,
    "==": lambda a, b: a == b,
    "!=": lambda a, b: a != b,
    "<": lambda a, b: a < b,
    "<=": lambda a, b: a <= b,
    ">": lambda a, b: a > b,
    ">=": lambda a, b: a >= b,
}


def of_extra(found: Iterable[Requirement]) -> dict[str, list[Requirement]]:
    """The requirements of each extra, by its name."""
    extras: dict[str, list[Requirement]] = {}
    for requirement in found:
        if requirement.extra is not None:
            extras.setdefault(requirement.extra, []).append(requirement)
    return extras
