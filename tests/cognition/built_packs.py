"""Packs built from small tables; a fit that costs nothing, where a test is not about the fit."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from cga.backend import FitProblem, FitReport, FittedGeometry, HierarchyProblem, Point
from cognition.packs import build as building
from cognition.packs.assemble import Built, build
from cognition.packs.grow import grow
from cognition.packs.terms import Request, read_material

Row = Mapping[str, Any]

TERMS: tuple[Row, ...] = (
    {"term": "bee", "gloss": "an insect that makes honey", "domains": "bees.insect", "surfaces": "honey bee"},
    {"term": "hive", "gloss": "a box where bees live", "domains": "bees.home"},
    {
        "term": "honey",
        "gloss": "the sweet food that bees make",
        "domains": "bees.food",
        "countability": "mass",
    },
    {"term": "insect", "gloss": "a small animal with six legs", "domains": "bees.insect"},
    {"term": "queen", "gloss": "the one bee that lays all eggs", "domains": "bees.insect|bees.home"},
    {"term": "smoke", "gloss": "blow smoke into", "domains": "bees.work", "pos": "verb"},
    {"term": "open", "gloss": "take the lid off", "domains": "bees.work", "pos": "verb"},
    {"term": "inspect", "gloss": "look at closely", "domains": "bees.work", "pos": "verb"},
)
RELATIONS: tuple[Row, ...] = (
    {"subject": "bee", "relation": "produces", "object": "honey"},
    {"subject": "bee", "relation": "is_a", "object": "insect"},
    {"subject": "queen", "relation": "is_a", "object": "bee"},
    {"subject": "queen", "relation": "produces", "object": "honey", "polarity": "negative"},
    {"subject": "smoke", "relation": "step_of", "object": "inspect", "order": 1},
    {"subject": "open", "relation": "step_of", "object": "inspect", "order": 2},
)


def table(path: Path, rows: Iterable[Row]) -> Path:
    """Writes a CSV with the columns that the rows use."""
    found = list(rows)
    columns = list(dict.fromkeys(name for row in found for name in row))
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, columns, restval="")
        writer.writeheader()
        writer.writerows(found)
    return path


def request_of(
    folder: Path, terms: Sequence[Row] = TERMS, relations: Sequence[Row] | None = RELATIONS, **more: Any
) -> Request:
    """A request over tables written into a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    said = table(folder / "relations.csv", relations) if relations else None
    return Request(**{"terms": table(folder / "terms.csv", terms), "relations": said, "id": "bees", **more})


def build_pack(
    folder: Path,
    terms: Sequence[Row] = TERMS,
    relations: Sequence[Row] | None = RELATIONS,
    *,
    name: str = "pack",
    force: bool = False,
    **more: Any,
) -> Path:
    """Builds a pack of tables, with whatever fit is in place, and a short one where it is the true one."""
    material = read_material(request_of(folder, terms, relations, **more))
    return Path(build(material, folder / name, force=force, effort=0.05).folder)


def grow_pack(
    pack: Path, terms: Sequence[Row], relations: Sequence[Row] | None = None, *, whole: bool, **more: Any
) -> Built:
    """The next version of a pack."""
    version = more.pop("version", None)
    request = request_of(pack.parent / "next", terms, relations, **more)
    return grow(request, pack, whole=whole, version=version)


def contents(folder: Path) -> dict[str, bytes]:
    """All files of a folder."""
    return {path.name: path.read_bytes() for path in sorted(folder.iterdir())}


def geometry_of(folder: Path) -> dict[str, bytes]:
    """The lines of a pack's points, by sense."""
    lines = (folder / "geometry.jsonl").read_bytes().splitlines()
    return {json.loads(line)["id"]: line for line in lines}


def points_in_a_row(problem: FitProblem | HierarchyProblem, **_: Any) -> FittedGeometry:
    """A fit that puts points where their numbers say."""
    points = tuple(Point(7 * i - 1000, i % 5, i % 3, 100_000 + i) for i in range(problem.size))
    report = FitReport(
        steps=1,
        seconds=0.0,
        first_loss=1.0,
        last_loss=0.5,
        radius=1.0,
        clamped=0,
        collisions=0,
        checked=problem.size,
        changed_neighbourhoods=0,
        strong_share=1.0,
        related_share=1.0,
    )
    turn = tuple(float(i % 5 == 0) for i in range(16))
    return FittedGeometry(points=points, turn=turn, scale=1.0, report=report)


def without_fit(monkeypatch: pytest.MonkeyPatch) -> None:
    """Packs are built with `points_in_a_row` from here on."""
    monkeypatch.setattr(building, "fit_points", points_in_a_row)
    monkeypatch.setattr(building, "fit_hierarchy", points_in_a_row)
