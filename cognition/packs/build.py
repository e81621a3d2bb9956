"""Freezing a pack: fit the geometry to what its rows assert, round it, and write the manifest."""

from __future__ import annotations

import dataclasses
import hashlib
import json
import os
import random
import tempfile
from collections import defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from cga.backend import (
    FitError,
    FitProblem,
    FitReport,
    FittedGeometry,
    HierarchyProblem,
    Point,
    fit_hierarchy,
    fit_points,
    open_backend,
)
from cognition.packs.compiled import COMPILED_FILE, write_compiled
from cognition.packs.load import Pack, PackError, load_pack, parse_file, parse_json, read_file
from cognition.packs.schema import MANIFEST_FILE, PACK_FILES, Relation, RelationType, Sense

GEOMETRY_FILE = "geometry.jsonl"
NEIGHBOURS = 8
"""Nearest words that a relation's ends should be among, a word counted as its own first, as in a region."""
LONG_WALK = 1000
FARTHEST = 64
CLOSED = 1e-6
MIDDLE_OF = 512
"""Most words that the middle of a pack is computed from: exact rationals of more grow too long."""
FULL_BATCH = 1024
"""Most senses that are fitted all at once, which costs their square at every step."""
FULL_BATCH_STEPS = 2000
RELATION_WEIGHT = 1.0
DOMAIN_WEIGHT = 0.3


def affinities(senses: Sequence[Sense], relations: Sequence[Relation]) -> list[tuple[int, int, float]]:
    """What the fit is asked to bring together: (i, j, weight), i < j.

    A positive reviewed relation weighs `RELATION_WEIGHT`. Sharing a domain weighs `DOMAIN_WEIGHT` / (members - 1),
    so that small domains bind more than large ones; shares of several domains add up.
    """
    index = {sense.id: i for i, sense in enumerate(senses)}
    members: dict[str, list[int]] = defaultdict(list)
    for i, sense in enumerate(senses):
        for domain in sense.domains:
            members[domain].append(i)
    weights: dict[tuple[int, int], float] = defaultdict(float)
    for found in members.values():
        for a, i in enumerate(found):
            for j in found[a + 1 :]:
                weights[i, j] += DOMAIN_WEIGHT / (len(found) - 1)
    for relation in relations:
        if relation.polarity == "positive" and relation.status == "reviewed":
            i, j = sorted((index[relation.subject], index[relation.object]))
            weights[i, j] += RELATION_WEIGHT
    return [(i, j, weight) for (i, j), weight in sorted(weights.items())]


def freeze(folder: str | Path, *, refit: bool = True, seed: int = 0) -> dict[str, Any]:
    """Writes `geometry.jsonl` and the digests of `manifest.json` of a pack's folder, in place.

    The rows and the manifest's id, version, title and sources are taken as they are. Nothing is written unless the
    whole pack is valid; files are replaced atomically, the manifest last.

    Args:
        folder: with all files of a pack; `geometry.jsonl` may be missing where ``refit`` is set.
        refit: fit the points anew; otherwise keep them and write digests only.
        seed: of the fit.

    Returns:
        What was done: the fit's report, or the number of points kept.

    Raises:
        PackError: rows that are not valid, or a fit that must not be a pack's geometry.
    """
    path = Path(folder)
    if not path.is_dir():
        raise PackError(str(path), "", "no such folder; a pack is a folder with its rows and a manifest.json")
    manifest = parse_json(read_file(path, MANIFEST_FILE), MANIFEST_FILE)
    senses = parse_file(path, "senses.jsonl")
    report: dict[str, Any]
    if refit:
        kinds = parse_file(path, "relation_types.jsonl")
        fitted = fit_geometry(senses, parse_file(path, "relations.jsonl"), kinds, seed=seed)
        geometry = geometry_rows([sense.id for sense in senses], fitted.points)
        manifest["chart"] = chart_of(fitted)
        report = report_of(fitted.report)
    else:
        geometry = read_file(path, GEOMETRY_FILE)
        report = {"points kept": len(parse_file(path, GEOMETRY_FILE))}
    contents = {name: geometry if name == GEOMETRY_FILE else read_file(path, name) for name in PACK_FILES}
    raw = sealed(manifest, contents)
    with tempfile.TemporaryDirectory(dir=path.parent) as room:
        for name, content in {**contents, MANIFEST_FILE: raw}.items():
            (Path(room) / name).write_bytes(content)
        pack = load_pack(Path(room))
        condition = check_closure(pack)
        for name in (GEOMETRY_FILE, MANIFEST_FILE):
            os.replace(Path(room) / name, path / name)
    if (path / COMPILED_FILE).is_file():
        write_compiled(path)
    report[f"closure, {LONG_WALK} steps"] = f"{condition:.1e}"
    return report | {"sha256": hashlib.sha256(raw).hexdigest()}


def fit_geometry(
    senses: Sequence[Sense],
    relations: Sequence[Relation],
    kinds: Sequence[RelationType],
    *,
    seed: int = 0,
    effort: float = 1.0,
) -> FittedGeometry:
    """Points for senses, near to those that they share a domain or a relation with.

    Up to `FULL_BATCH` senses are fitted all at once to `affinities`. More are fitted as a hierarchy: taxonomic
    statements and domains lead upwards, other statements join partners. A domain is a node of the fit, and so is each
    domain that its dotted name begins with; a sense hangs from its domain unless a sense above it does. Those nodes are
    dropped after the fit.

    Args:
        senses, relations, kinds: rows of a pack.
        seed: of the fit.
        effort: scales the number of steps; 1 is chosen for quality.

    Raises:
        PackError: fewer than two senses, a hierarchy with a cycle, or a fit that must not be a pack's geometry.
    """
    if len(senses) < 2:
        raise PackError(
            "senses.jsonl", "", f"{len(senses)} senses; a geometry needs two at least: add a term"
        )
    try:
        if len(senses) <= FULL_BATCH:
            problem = FitProblem(
                size=len(senses),
                pairs=tuple(affinities(senses, relations)),
                strong=RELATION_WEIGHT,
                k=NEIGHBOURS,
            )
            return fit_points(problem, seed=seed, steps=max(1, round(FULL_BATCH_STEPS * effort)))
        fitted = fit_hierarchy(hierarchy(senses, relations, kinds), seed=seed, effort=effort)
        return dataclasses.replace(fitted, points=fitted.points[: len(senses)])
    except (FitError, ValueError) as error:
        raise PackError(GEOMETRY_FILE, "", str(error)) from None


def hierarchy(
    senses: Sequence[Sense], relations: Sequence[Relation], kinds: Sequence[RelationType]
) -> HierarchyProblem:
    """The hierarchy that many senses are fitted to; nodes after the senses are domains (see `fit_geometry`)."""
    index = {sense.id: i for i, sense in enumerate(senses)}
    upward = {kind.id for kind in kinds if kind.kind == "taxonomic"}
    ancestors: list[tuple[int, int]] = []
    partners: list[tuple[int, int]] = []
    above: dict[int, set[str]] = defaultdict(set)
    for row in relations:
        if row.polarity == "positive" and row.status == "reviewed":
            pair = (index[row.subject], index[row.object])
            if row.relation in upward:
                ancestors.append(pair)
                above[pair[0]].update(senses[pair[1]].domains)
            else:
                partners.append(pair)
    nodes: dict[str, int] = {}

    def node(domain: str) -> int:
        if domain not in nodes:
            nodes[domain] = len(senses) + len(nodes)
            parent = domain.rpartition(".")[0]
            if parent:
                ancestors.append((nodes[domain], node(parent)))
        return nodes[domain]

    for i, sense in enumerate(senses):
        ancestors.extend((i, node(domain)) for domain in sense.domains if domain not in above[i])
    return HierarchyProblem(size=len(senses) + len(nodes), ancestors=ancestors, partners=partners)


def long_walk_closure(pack: Pack) -> float:
    """The largest |F ~F - 1| over a long walk to and fro among the words farthest from the middle of a pack.

    The middle is the Lorentz centroid of all words on the lattice, or of `MIDDLE_OF` of them, evenly spaced; distances
    rank by their exact key.
    """
    backend = open_backend("numpy")
    vocabulary = backend.open_vocabulary([Point(*row.x, row.rho) for row in pack.geometry])
    size = len(pack.geometry)
    (middle,) = backend.locate(vocabulary, [range(0, size, -(-size // MIDDLE_OF))])
    (ranked,) = backend.nearest(vocabulary, [middle], size)
    far = ranked[-FARTHEST:]
    steps = random.Random(0)
    return backend.path_closure(vocabulary, [steps.choice(far) for _ in range(LONG_WALK + 1)])


def check_closure(pack: Pack) -> float:
    """`long_walk_closure`, below `CLOSED`.

    Raises:
        PackError: it is not.
    """
    condition = long_walk_closure(pack)
    if condition >= CLOSED:
        what = f"a field walked {LONG_WALK} steps among the farthest words breaks closure ({condition:.1e}): refit"
        raise PackError(GEOMETRY_FILE, "", what)
    return condition


def chart_of(fitted: FittedGeometry) -> dict[str, Any]:
    """The manifest's chart of a fit."""
    return {
        "turn": [repr(value) for value in fitted.turn],
        "scale": repr(fitted.scale),
        "radius": f"{fitted.report.radius:.6f}",
    }


def report_of(report: FitReport) -> dict[str, Any]:
    """What a fit did, by name."""
    return {
        "steps": report.steps,
        "seconds": f"{report.seconds:.1f}",
        "loss": f"{report.first_loss:.4f} -> {report.last_loss:.4f}",
        "radius": f"{report.radius:.2f}",
        "clamped": report.clamped,
        "collisions": report.collisions,
        "neighbourhoods checked": report.checked,
        "changed by rounding": report.changed_neighbourhoods,
        "related word in top 8": f"{report.strong_share:.3f}",
        "mates among top 8": f"{report.related_share:.3f}",
    }


def geometry_rows(ids: Sequence[str], points: Sequence[Point]) -> bytes:
    """The lines of `geometry.jsonl`."""
    rows = (
        json.dumps({"id": sense, "x": list(point[:3]), "rho": point.rho})
        for sense, point in zip(ids, points, strict=True)
    )
    return "".join(row + "\n" for row in rows).encode()


def sealed(manifest: dict[str, Any], contents: Mapping[str, bytes]) -> bytes:
    """`manifest.json` with the digests of all files."""
    files = {
        name: {"sha256": hashlib.sha256(content).hexdigest(), "rows": content.count(b"\n")}
        for name, content in sorted(contents.items())
    }
    return (json.dumps(manifest | {"files": files}, ensure_ascii=False, indent=1) + "\n").encode()
