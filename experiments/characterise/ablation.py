"""What each part of the fit is for: the pack's points fitted again without it, and points that mean nothing.

Two things can be left out: a class of the pairs that the fit is asked to bring together (see
`cognition.packs.build.affinities`), and one of the three terms of its loss (see `cga._fit`). The floor are the pack's
own points dealt to its words at random.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from cga.backend import FitProblem, Point
from cognition.config import RuntimeConfig
from cognition.packs.build import FULL_BATCH, NEIGHBOURS, RELATION_WEIGHT, affinities
from cognition.packs.schema import GeometryRow
from cognition.packs.vocabulary import Vocabulary
from experiments.characterise.arms import MEASURES, Outcome, compared, run_arm, suite_record
from experiments.characterise.nearness import overlap
from experiments.characterise.sweep import constrained, figures, unconstrained
from experiments.controls import shuffled
from experiments.geometry_eval import evaluate_geometry
from experiments.harness import UsageError
from experiments.metrics.cases import Suite

STEPS = 2000
SEED = "losses"
AS_BUILT = "as built"
DEALT = "points dealt at random"
NO_RELATIONS, NO_DOMAINS = "no pairs of relations", "no pairs of domains"
NO_ENTROPY, NO_STRONG, NO_STRAY = "no cross entropy", "no hinge for relations", "no hinge against strangers"
Points = Sequence[Point]
Fit = Callable[[FitProblem, str], Points]
_OFF = {NO_ENTROPY: "weights", NO_STRONG: "strong", NO_STRAY: "stray"}
"""The target of the loss that each term lives on; an empty one takes the term away."""


def losses(
    suite: Suite, vocabulary: Vocabulary, *, top_k: int = 8, steps: int = STEPS, fit: Fit | None = None
) -> dict[str, Any]:
    """Fits the points anew without one part of what they were fitted to at a time, and measures each geometry.

    Args:
        suite: the cases that the walk is measured on.
        vocabulary: an opened pack of up to `FULL_BATCH` senses.
        top_k: size of one anchor's neighbourhood.
        steps: most gradient steps of a fit; about 15 s for 2,000 on two cores.
        fit: places the points of a problem without the term of this name ("" leaves out none).

    Returns:
        ``suite``, ``top_k``, ``chance`` (share of random neighbours with a common domain), ``rows``, one a geometry:
        ``name``; ``common_domain`` and ``related`` (of the nearest eight, the share with a common domain; of related
        words, the share among each other's nearest eight); ``on`` and ``off``, figures of the arms;
        ``minus_built``, paired differences of ``on`` from the pack as built; ``in_region``
        (share of open slots with a word in the region that would ground it) and ``none`` (prompts whose region and
        first eight free words are strangers).

    Raises:
        UsageError: a pack that is not fitted at once, so that no term can be left out.
    """
    if len(vocabulary) > FULL_BATCH:
        raise UsageError(
            f"losses: {vocabulary.pack.manifest.id} has {len(vocabulary)} senses; only packs of up to "
            f"{FULL_BATCH} are fitted with these terms: leave this part out (--quick)"
        )
    placed = fit if fit is not None else (lambda problem, without: fitted_without(problem, without, steps))
    rows: list[dict[str, Any]] = []
    chance: float | None = None
    built: list[Outcome] = []
    for name, points in geometries(vocabulary, placed).items():
        changed = with_points(vocabulary, points)
        geometry = evaluate_geometry(changed, permutations=1)
        common = geometry["common_domain"]
        chance = common["chance"]
        near = overlap(suite, changed, top_k=top_k)
        on = run_arm(suite, changed, constrained(RuntimeConfig(), top_k))
        built = built or on
        rows.append(
            {
                "name": name,
                "common_domain": common["share"],
                "related": geometry["related_within_k"],
                "on": figures(on),
                "minus_built": {measure: compared(on, built, measure) for measure in MEASURES},
                "off": figures(run_arm(suite, changed, unconstrained(RuntimeConfig()))),
                "in_region": near["wanted"]["in_region"],
                "none": near["region"]["8"]["none"]["mean"],
            }
        )
    return {"suite": suite_record(suite), "top_k": top_k, "chance": chance, "rows": rows}


def geometries(vocabulary: Vocabulary, fit: Fit) -> Mapping[str, Points]:
    """The points of the pack as built, of each fit that lacks a part, and dealt at random, by name."""
    pack = vocabulary.pack
    whole = _problem(vocabulary, affinities(pack.senses, pack.relations))
    bare = [sense.model_copy(update={"domains": ()}) for sense in pack.senses]
    order = shuffled(len(vocabulary), SEED)
    return {
        AS_BUILT: tuple(vocabulary.points),
        NO_RELATIONS: fit(_problem(vocabulary, affinities(pack.senses, ())), ""),
        NO_DOMAINS: fit(_problem(vocabulary, affinities(bare, pack.relations)), ""),
        **{name: fit(whole, name) for name in _OFF},
        DEALT: [vocabulary.points[place] for place in order],
    }


def _problem(vocabulary: Vocabulary, pairs: Sequence[tuple[int, int, float]]) -> FitProblem:
    return FitProblem(size=len(vocabulary), pairs=tuple(pairs), strong=RELATION_WEIGHT, k=NEIGHBOURS)


def fitted_without(problem: FitProblem, without: str, steps: int = STEPS, seed: int = 0) -> Points:
    """Lattice points of a fit that lacks a term of its loss; "" leaves out none and is the fit of a pack."""
    import jax
    import jax.numpy as jnp

    from cga import _fit
    from cga._lattice_fit import read_problem, to_lattice

    read = read_problem(problem)
    with jax.enable_x64(False), jax.numpy_dtype_promotion("standard"):
        targets = _fit._targets(read)
        if without:
            empty = jnp.zeros_like(getattr(targets, _OFF[without]))
            targets = targets._replace(**{_OFF[without]: empty})
        vectors, found = _fit._descend(targets, _fit._start(read, seed), steps, 0.1, read.k)
    return to_lattice(read, vectors, losses=found, seconds=0.0).points


def with_points(vocabulary: Vocabulary, points: Points) -> Vocabulary:
    """The same pack with its words elsewhere."""
    rows = tuple(
        GeometryRow(id=sense.id, x=point[:3], rho=point.rho)
        for sense, point in zip(vocabulary.senses, points, strict=True)
    )
    return Vocabulary(replace(vocabulary.pack, geometry=rows), vocabulary.backend)
