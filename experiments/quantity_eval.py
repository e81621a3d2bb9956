"""Numbers and quantities in text against public test sets: value, unit and span of every mention."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

from recognition.quantities import numbers, quantities, unit_named

__all__ = ["SUITES", "Mention", "Score", "case_is_exact", "evaluate_quantities", "read_cases", "score"]

SUITES = {
    "recognizers_numbers": "recognizers_specs_en/NumberModel.json",
    "recognizers_dimensions": "recognizers_specs_en/DimensionModel.json",
    "recognizers_currency": "recognizers_specs_en/CurrencyModel.json",
    "recognizers_temperature": "recognizers_specs_en/TemperatureModel.json",
    "recognizers_age": "recognizers_specs_en/AgeModel.json",
    "recognizers_percent": "recognizers_specs_en/PercentModel.json",
    "quantulum3": "quantulum3_tests/quantities.json",
    "quantulum3_ambiguity": "quantulum3_tests/quantities.ambiguity.json",
}
# What a set asks for; what we find of other kinds is neither right nor wrong there.
_KINDS = {
    "recognizers_dimensions": frozenset(
        [*"length area volume mass speed information angle".split(), "data rate"]
    ),
    "recognizers_currency": frozenset(("currency",)),
    "recognizers_temperature": frozenset(("temperature", "angle")),
    "recognizers_age": frozenset(("age",)),
    "recognizers_percent": frozenset(("ratio",)),
}
# Names of the sets that are neither a name nor a symbol in our table.
_NAMES = {
    "recognizers_currency": {"Pound": "pound sterling", "Pence": "pence"},
    "recognizers_temperature": {
        "F": "degree Fahrenheit",
        "C": "degree Celsius",
        "Degree": "degree",
        "K": "kelvin",
    },
    "quantulum3": {"pound-mass": "pound"},
    "quantulum3_ambiguity": {"pound-mass": "pound"},
}
Score = dict[str, list[int]]


class Mention(NamedTuple):
    """A number with a unit at `text[start:end]`; no unit for a bare number, no value for a bare unit."""

    value: float | None
    unit: str
    start: int
    end: int


def evaluate_quantities(data: Path) -> dict[str, Score]:
    """Runs every suite whose file is there.

    A case of the Microsoft Recognizers specifications counts unless it is marked as not supported for Python. A case
    is exact only if the mentions found are those expected, all of them and no others, each with its unit, its value
    (to a relative 1e-9, since the sets print 15 digits or fewer) and its span. Where a set asks for some kinds of
    quantity only, quantities of other kinds are left out on our side. In quantulum3 a number outside every quantity
    is `dimensionless`, a surface without a place is sought from left to right, and a range is wanted as its mean.

    Args:
        data: a folder with `recognizers_specs_en` and `quantulum3_tests`.

    Returns:
        For each suite, as [right, all]: `value` and `span`, of the mentions expected, those that overlap a mention
        found which has their value and unit, or the same span; `both`, with value, unit and span; `precision`, of the
        mentions found those with all three right; `cases`, the exact ones.
    """
    return {
        name: score([(want, answer(name, text)) for text, want in read_cases(name, data)])
        for name, file in SUITES.items()
        if (data / file).is_file()
    }


def read_cases(suite: str, data: Path) -> list[tuple[str, list[Mention]]]:
    """The texts of a suite, each with the mentions expected, in order."""
    rows = json.loads((data / SUITES[suite]).read_text(encoding="utf-8-sig"))
    if suite.startswith("quantulum3"):
        return [(row["req"], _surfaces(suite, row)) for row in rows]
    return [
        (
            row["Input"],
            sorted((_specified(suite, result) for result in row["Results"]), key=lambda m: m.start),
        )
        for row in rows
        if "python" not in row.get("NotSupported", "").lower()
    ]


def _specified(suite: str, result: dict[str, Any]) -> Mention:
    resolution = result["Resolution"]
    value = resolution["value"]
    unit = "percent" if suite == "recognizers_percent" else _unit(suite, resolution.get("unit", ""))
    return Mention(
        None if value is None else float(value.rstrip("%")), unit, result["Start"], result["End"] + 1
    )


def _surfaces(suite: str, row: dict[str, Any]) -> list[Mention]:
    found: list[Mention] = []
    at = 0
    for result in row["res"]:
        start = row["req"].find(result["surface"], at)
        if start < 0:
            start = row["req"].index(result["surface"])
        at = start + len(result["surface"])
        unit = "" if result["unit"] == "dimensionless" else _unit(suite, result["unit"])
        found.append(Mention(float(result["value"]), unit, start, at))
    return sorted(found, key=lambda mention: mention.start)


def _unit(suite: str, name: str) -> str:
    """Our name of a unit; where we have none, theirs, which then equals nothing found."""
    alias = _NAMES.get(suite, {}).get(name)
    if alias is not None or not name:
        return alias or ""
    known = unit_named(name)
    return known[0] if known else name


def answer(suite: str, text: str) -> list[Mention]:
    """What we find in a text that a suite asks for."""
    if suite == "recognizers_numbers":
        return [Mention(found.value, "", found.start, found.end) for found in numbers(text)]
    measured = quantities(text)
    kinds = _KINDS.get(suite)
    found = [
        Mention(each.value, each.unit, each.start, each.end)
        for each in measured
        if not kinds or each.kind in kinds
    ]
    if kinds is None:
        bare = [
            each
            for each in numbers(text)
            if not any(q.start < each.end and each.start < q.end for q in measured)
        ]
        found += [Mention(each.value, "", each.start, each.end) for each in bare]
    return sorted(found, key=lambda mention: mention.start)


def _says_the_same(want: Mention, got: Mention) -> bool:
    if want.value is None or got.value is None:
        return want.value is got.value and want.unit == got.unit
    return want.unit == got.unit and math.isclose(want.value, got.value, rel_tol=1e-9)


def case_is_exact(want: list[Mention], got: list[Mention]) -> bool:
    """Whether the mentions found are the expected ones, all and no others."""
    return len(want) == len(got) and all(
        (a.start, a.end) == (b.start, b.end) and _says_the_same(a, b) for a, b in zip(want, got, strict=True)
    )


def score(cases: list[tuple[list[Mention], list[Mention]]]) -> Score:
    """The counts over cases of expected and found mentions; see `evaluate_quantities`."""

    def count(right: Callable[[Mention, Mention], bool]) -> int:
        return sum(any(right(a, b) for b in got) for want, got in cases for a in want)

    expected = sum(len(want) for want, _ in cases)
    both = count(lambda a, b: (a.start, a.end) == (b.start, b.end) and _says_the_same(a, b))
    return {
        "value": [count(lambda a, b: a.start < b.end and b.start < a.end and _says_the_same(a, b)), expected],
        "span": [count(lambda a, b: (a.start, a.end) == (b.start, b.end)), expected],
        "both": [both, expected],
        "precision": [both, sum(len(got) for _, got in cases)],
        "cases": [sum(case_is_exact(want, got) for want, got in cases), len(cases)],
    }
