"""The few coarse, batched calls through which the pure-Python packages reach geometry.

`cognition` and `recognition` hold ints, strings and frozen dataclasses; arrays and fields stay behind a
backend as opaque handles. Two implementations exist, `jax` and `numpy`; both take the same decisions bit
for bit, because every decision rests on `key = D * (1 / rho_word)`, where D is an exact integer below 2**52
(see `cga._lattice`) and the single multiplication rounds alike everywhere.

Importing this module loads neither jax nor numpy; `open_backend` loads the one that is asked for.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any, Literal, NamedTuple, Protocol, cast, runtime_checkable

BackendName = Literal["jax", "numpy"]
BACKENDS: tuple[BackendName, ...] = ("jax", "numpy")


class Point(NamedTuple):
    """A lattice point of the upper half-space model of H^4: centre (x1, x2, x3) and breadth rho.

    Words have ``|x_i| < 2**24`` and ``1 <= rho < 2**24``; the location of a prompt may have rho up to 2**25.
    """

    x1: int
    x2: int
    x3: int
    rho: int


MOST_ANCHORS = 3
InnerLoopMode = Literal["threshold", "margin"]


@dataclass(frozen=True, slots=True)
class Blade:
    """A relation blade: the span of a few words, a plane of H^4 that other words are near to or far from.

    Attributes:
        anchors: 1 to `MOST_ANCHORS` word indices that span it.
        frame: (start, end) words whose transition rotor carries the blade before anything is scored by it; None
            leaves it in place.
    """

    anchors: tuple[int, ...]
    frame: tuple[int, int] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class InnerLoop:
    """Admissibility inside a walk: every step's candidates are tried nearest first, and may be rejected.

    Scores are those of `Backend.scores`. Where there are several blades, every one must admit a word.

    Attributes:
        mode: ``threshold`` admits a word whose score is at least the blade's level. ``margin`` admits a word whose
            score leads that of every other open word by at least the margin (the anchors of a blade, which span it,
            are nobody's rivals).
        blades: what words are scored by; at least one.
        levels: for ``threshold``, the level of each blade, in parts per million.
        margin: for ``margin``, in parts per million, at least 1.
    """

    mode: InnerLoopMode
    blades: tuple[Blade, ...]
    levels: tuple[int, ...] = ()
    margin: int = 1


class Attempt(NamedTuple):
    """A word that the inner loop rejected: its score, and the least score that would have admitted it."""

    word: int
    score: int
    needed: int


@dataclass(frozen=True, slots=True, kw_only=True)
class WalkRequest:
    """One walk: from ``start``, to the nearest admissible word that was not visited, step by step.

    Attributes:
        start: the prompt's location (see `Backend.locate`).
        allowed: word indices the walk may stand on, ascending and unique; ``None`` admits the whole vocabulary.
        blocked: word indices it may never stand on (stop words and words of other languages), ascending. Where they
            are many, give the same tuple again rather than an equal one: a backend keeps what it made of it.
        max_steps: most steps, >= 0.
        goals: one ascending tuple of word indices a slot; the walk ends once it has stood on at least one
            word of every group. No group means that the walk has nothing to ground: it then runs to
            ``max_steps`` or until every admissible word was visited.
        inner_loop: rejects words inside the walk; None admits every word of the pool.
    """

    start: Point
    allowed: tuple[int, ...] | None
    blocked: tuple[int, ...] = ()
    max_steps: int
    goals: tuple[tuple[int, ...], ...] = ()
    inner_loop: InnerLoop | None = None


WalkEnd = Literal["grounded", "max_steps", "all_visited", "no_candidate", "all_rejected"]


@dataclass(frozen=True, slots=True, kw_only=True)
class WalkOutcome:
    """What a walk did.

    Attributes:
        indices: the words it stood on, in order.
        pool_sizes: for each step, how many admissible, unvisited words it chose from.
        end: ``grounded`` (every goal group was met), ``max_steps``, ``all_visited`` (at least one step was
            taken and nothing is left), or ``no_candidate`` (no admissible word before the first step). Where several
            hold, ``grounded`` goes first and ``max_steps`` last. ``all_rejected``: a step had open words, and the
            inner loop rejected every one.
        versor_condition: the largest ``|F ~F - 1|`` over the field states of this walk, the starting one
            included, in float64; measured on the multivector F, never repaired.
        final_field: opaque handle of the field state after the last step; two outcomes are equal without it.
        attempts: for each step, and for one that took no word, the words that the inner loop rejected before, in
            the order they were tried; empty without an inner loop. A word below its threshold is tried once a walk.
    """

    indices: tuple[int, ...]
    pool_sizes: tuple[int, ...]
    end: WalkEnd
    versor_condition: float
    final_field: Any = field(compare=False)
    attempts: tuple[tuple[Attempt, ...], ...] = ()


@runtime_checkable
class Backend(Protocol):
    """Geometry for the pure-Python packages. Stateless; a vocabulary is an opaque handle."""

    @property
    def name(self) -> BackendName: ...

    def open_vocabulary(self, points: Sequence[Point] | memoryview) -> Any:
        """Takes the words' lattice points, index = position: as `Point` values, or as a buffer of native 32-bit ints
        (format ``i``, shape ``(words, 4)``, perhaps mapped from a file) that stays as it is while the handle is used.
        Raises ValueError (index, what) on a point off the lattice and on two words with one point."""
        ...

    def locate(self, vocabulary: Any, prompts: Sequence[Sequence[int]]) -> list[Point]:
        """The Lorentz centroid of each prompt's words (a word named twice counts twice), rounded half to even
        on the lattice. Exact rational arithmetic on the host. Raises ValueError on an empty prompt."""
        ...

    def neighbourhoods(self, vocabulary: Any, anchors: Sequence[int], k: int) -> list[tuple[int, ...]]:
        """The exact k nearest words of each anchor, nearest first, ties to the lowest index; an anchor is its
        own first neighbour. k > size gives the whole vocabulary."""
        ...

    def nearest(self, vocabulary: Any, locations: Sequence[Point], k: int) -> list[tuple[int, ...]]:
        """The exact k nearest words of each location, nearest first, ties to the lowest index."""
        ...

    def walk(self, vocabulary: Any, requests: Sequence[WalkRequest]) -> list[WalkOutcome]:
        """Runs all walks; each outcome depends on its own request alone."""
        ...

    def scores(self, vocabulary: Any, blade: Blade, words: Sequence[int]) -> list[int]:
        """The sech of each word's distance to a blade, in parts per million, rounded down: exact integers.

        Raises ValueError on a blade of no word or of more than `MOST_ANCHORS`, and on an index without a word."""
        ...

    def score_level(self, vocabulary: Any, anchors: int, percent: int) -> int:
        """The score that ``percent`` (0..100) of random words stay below, against blades of ``anchors`` random words.

        A fixed number of draws from a fixed seed: a property of the vocabulary's points alone."""
        ...

    def path_closure(self, vocabulary: Any, path: Sequence[int]) -> float:
        """The largest ``|F ~F - 1|`` of a field that starts at the first word of a path and steps along it.

        Float64, measured on the multivector, never repaired. Words may come again, so a path may be of any length.
        Raises ValueError on an empty path or an index without a word.
        """
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class FitProblem:
    """Points of H^4 wanted for a weight graph: for each point, partners of high weight should be nearest.

    Attributes:
        size: number of points, named 0..size-1.
        pairs: (i, j, weight), each unordered pair at most once, weight > 0.
        strong: pairs of at least this weight should be among each other's k nearest.
        k: how many nearest count; as in `Backend.neighbourhoods` a point is its own first.
    """

    size: int
    pairs: Sequence[tuple[int, int, float]]
    strong: float = 1.0
    k: int = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class FitReport:
    """What a fit did.

    Attributes:
        steps: gradient steps taken.
        seconds: wall-clock time of the descent.
        first_loss: the loss at the first step (its temperature is higher than the last one's).
        last_loss: the loss at the last step.
        radius: largest hyperbolic distance of a point from the origin of the fit.
        clamped: points whose breadth rounded below 1 and was set to 1.
        collisions: points moved because another one had rounded to their place.
        checked: points for which the figures below are counted: all, or of many points some, evenly spaced.
        changed_neighbourhoods: points whose k nearest, as a set, rounding changed.
        strong_share: of the strong partners of a point (in a hierarchy, the direct parent) the share among its k
            nearest lattice points.
        related_share: of the k nearest lattice points the share that has some weight (is an ancestor or partner).
    """

    steps: int
    seconds: float
    first_loss: float
    last_loss: float
    radius: float
    clamped: int
    collisions: int
    checked: int
    changed_neighbourhoods: int
    strong_share: float
    related_share: float


@dataclass(frozen=True, slots=True, kw_only=True)
class FittedGeometry:
    """Fitted points on the lattice, all different.

    Attributes:
        points: one a point of the problem.
        turn: the rotation applied to the fit, 4 x 4, row-major; its fourth row points to infinity.
        scale: lattice units a unit of the fit's half-space chart.
        report: what the fit did.
    """

    points: tuple[Point, ...]
    turn: tuple[float, ...]
    scale: float
    report: FitReport


class FitError(RuntimeError):
    """A fit that must not become a pack's geometry.

    Attributes:
        code: ``non_finite_fit``, ``clamped_fit`` or ``colliding_fit``.
    """

    def __init__(self, code: str, message: str) -> None:
        super().__init__(f"{code}: {message}")
        self.code = code


def fit_points(problem: FitProblem, *, seed: int = 0, steps: int = 2000) -> FittedGeometry:
    """Fits lattice points to a weight graph by gradient descent in JAX; deterministic on one device for one seed.

    Raises:
        ValueError: a problem that is not one (which pair, and why).
        FitError: a loss that is not finite, or too many points that do not fit the lattice.
    """
    return import_module("cga._fit").fit_points(problem, seed=seed, steps=steps)


@dataclass(frozen=True, slots=True, kw_only=True)
class HierarchyProblem:
    """Points of H^4 wanted for a hierarchy of any size: a node's ancestors and partners nearer to it than all else.

    Attributes:
        size: number of nodes, named 0..size-1.
        ancestors: (node, ancestor) pairs.
        partners: (i, j) pairs that should be near each other besides, in both directions.
        close: close ``ancestors`` under transitivity, so that direct parents are enough. Otherwise they are taken as
            they are, and of what may be a pair left unsaid neither near nor far is asked.
    """

    size: int
    ancestors: Sequence[tuple[int, int]]
    partners: Sequence[tuple[int, int]] = ()
    close: bool = True


def fit_hierarchy(problem: HierarchyProblem, *, seed: int = 0, effort: float = 1.0) -> FittedGeometry:
    """Fits lattice points to a hierarchy of up to some 100,000 nodes; deterministic on one device for one seed.

    Args:
        problem: the hierarchy.
        seed: of the start and of the samples.
        effort: scales the number of gradient steps; 1 is chosen for quality, 0.1 gives a draft.

    Raises:
        ValueError: a problem that is not one: a pair that names no two nodes, or a cycle (its nodes are named).
        FitError: a loss that is not finite, or too many points that do not fit the lattice.
    """
    return import_module("cga._hierarchy_fit").fit_hierarchy(problem, seed=seed, effort=effort)


def place_points(
    known: Sequence[Point], count: int, pairs: Sequence[tuple[int, int, float]], *, seed: int = 0
) -> tuple[Point, ...]:
    """Places further points beside known ones, which all stay where they are; deterministic.

    Args:
        known: lattice points, named 0..len(known)-1.
        count: how many points to place, named from len(known) on.
        pairs: (new, other, weight) with weight > 0: what the new points should be near, known or new.
        seed: of the start.

    Returns:
        The new points, on the lattice, none of them where another is.

    Raises:
        ValueError: a pair that names no new point or no other one, or a weight that is not positive and finite.
    """
    return import_module("cga._place").place_points(known, count, pairs, seed=seed)


def open_backend(name: BackendName) -> Backend:
    """Loads and returns a backend.

    Raises:
        ValueError: ``name`` is not one of `BACKENDS`.
    """
    if name not in BACKENDS:
        raise ValueError(f"unknown backend {name!r}: choose one of {', '.join(BACKENDS)}")
    return cast(Backend, import_module(f"cga.backend.{name}").open())
