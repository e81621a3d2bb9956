"""Freezing a pack: fit the geometry to what its rows assert, round it, and write the manifest."""

from __future__ import annotations

import hashlib
import json
import os
import random
import tempfile
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from cga.backend import FitError, FitProblem, FittedGeometry, Point, fit_points, open_backend
from cognition.packs.load import Pack, PackError, load_pack, parse_file, parse_json, read_file
from cognition.packs.schema import MANIFEST_FILE, PACK_FILES, Relation, Sense

GEOMETRY_FILE = "geometry.jsonl"
NEIGHBOURS = 8
"""Nearest words that a relation's ends should be among, a word counted as its own first, as in a region."""
LONG_WALK = 1000
FARTHEST = 64
CLOSED = 1e-6
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
        problem = FitProblem(
            size=len(senses),
            pairs=tuple(affinities(senses, parse_file(path, "relations.jsonl"))),
            strong=RELATION_WEIGHT,
            k=NEIGHBOURS,
        )
        try:
            fitted = fit_points(problem, seed=seed)
        except FitError as error:
            raise PackError(GEOMETRY_FILE, "", str(error)) from None
        geometry = _geometry_rows([sense.id for sense in senses], fitted)
        manifest["chart"] = {
            "turn": [repr(value) for value in fitted.turn],
            "scale": repr(fitted.scale),
            "radius": f"{fitted.report.radius:.6f}",
        }
        r = fitted.report
        report = {
            "steps": r.steps,
            "seconds": f"{r.seconds:.1f}",
            "loss": f"{r.first_loss:.4f} -> {r.last_loss:.4f}",
            "radius": f"{r.radius:.2f}",
            "clamped": r.clamped,
            "collisions": r.collisions,
            "changed by rounding": r.changed_neighbourhoods,
            "related word in top 8": f"{r.strong_share:.3f}",
            "mates among top 8": f"{r.related_share:.3f}",
        }
    else:
        geometry = read_file(path, GEOMETRY_FILE)
        report = {"points kept": len(parse_file(path, GEOMETRY_FILE))}
    contents = {name: geometry if name == GEOMETRY_FILE else read_file(path, name) for name in PACK_FILES}
    manifest["files"] = {
        name: {"sha256": hashlib.sha256(content).hexdigest(), "rows": content.count(b"\n")}
        for name, content in sorted(contents.items())
    }
    raw = (json.dumps(manifest, ensure_ascii=False, indent=1) + "\n").encode()
    with tempfile.TemporaryDirectory(dir=path.parent) as room:
        for name, content in {**contents, MANIFEST_FILE: raw}.items():
            (Path(room) / name).write_bytes(content)
        pack = load_pack(Path(room))
        condition = long_walk_closure(pack)
        if condition >= CLOSED:
            what = f"a field walked {LONG_WALK} steps among the farthest words breaks closure ({condition:.1e}): refit"
            raise PackError(GEOMETRY_FILE, "", what)
        for name in (GEOMETRY_FILE, MANIFEST_FILE):
            os.replace(Path(room) / name, path / name)
    report[f"closure, {LONG_WALK} steps"] = f"{condition:.1e}"
    return report | {"sha256": hashlib.sha256(raw).hexdigest()}


def long_walk_closure(pack: Pack) -> float:
    """The largest |F ~F - 1| over a long walk to and fro among the words farthest from the middle of a pack.

    The middle is the Lorentz centroid of all words on the lattice; distances rank by their exact key.
    """
    backend = open_backend("numpy")
    vocabulary = backend.open_vocabulary([Point(*row.x, row.rho) for row in pack.geometry])
    (middle,) = backend.locate(vocabulary, [range(len(pack.geometry))])
    (ranked,) = backend.nearest(vocabulary, [middle], len(pack.geometry))
    far = ranked[-FARTHEST:]
    steps = random.Random(0)
    return backend.path_closure(vocabulary, [steps.choice(far) for _ in range(LONG_WALK + 1)])


def _geometry_rows(ids: Sequence[str], fitted: FittedGeometry) -> bytes:
    rows = (
        json.dumps({"id": sense, "x": list(point[:3]), "rho": point.rho})
        for sense, point in zip(ids, fitted.points, strict=True)
    )
    return "".join(row + "\n" for row in rows).encode()
