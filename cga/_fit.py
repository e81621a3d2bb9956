"""Fitting points of H^4 to a weighted graph by gradient descent, and putting them on the lattice.

Parameters are tangent vectors at the origin (so radius is learned linearly), distances the cancellation-free polar
form ``cosh d - 1 = 2 sinh^2((r1 - r2)/2) + sinh r1 sinh r2 |u1 - u2|^2 / 2``. The loss of a point has three parts, all
at one temperature T that is annealed: the cross entropy between its normalised weights and softmax(-d/T) (Nickel &
Kiela arXiv:1705.08039, without sampling); a hinge that pulls each strong partner inside its k nearest; and a hinge
that keeps points without any weight outside them. The descent starts in `START_DIMENSION` dimensions, from the
leading eigenvectors of the normalised weights, and the spare ones are squeezed out early: with room to pass one
another, points end in better neighbourhoods than when they start in four.

Full batch, so memory is quadratic in the number of points. Deterministic on one device for one seed.
"""

from __future__ import annotations

from functools import partial
from time import perf_counter
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
import optax
from jaxtyping import Array, Bool, Float, Int

from cga._lattice_fit import Problem, read_problem, to_lattice
from cga._numerics import safe_sqrt
from cga.backend import FitError, FitProblem, FittedGeometry

DIMENSION = 4
START_DIMENSION = 8
SQUEEZE = (0.05, 0.35)
"""Between these fractions of the steps the spare dimensions shrink to nothing."""
TEMPERATURE = (0.3, 0.005)
ANNEAL = 0.8
"""Fraction of the steps after which the temperature stays at its end."""
STRONG_WEIGHT = 4.0
STRAY_WEIGHT = 0.4
MARGIN = 2.0
"""Margin of the hinges, in temperatures."""
CHUNK = 50
TOLERANCE = 0.02
"""The descent ends early once a chunk at the end temperature lowers the loss by less than this share."""
FAR = 1e6


class _Targets(NamedTuple):
    """What the loss compares with; all masks and weights are ``(points, points)``.

    Attributes:
        weights: rows sum to 1, or to 0 for a point without partners.
        strong: partners that must be among the k nearest.
        stray: points without any weight.
        related: partners of any weight.
        strong_slot: ``(points, 1)`` which of the nearest other points leaves exactly room for the strong partners.
        related_slot: ``(points, 1)`` which of the nearest partners fills the last place.
    """

    weights: Float[Array, "n n"]
    strong: Bool[Array, "n n"]
    stray: Bool[Array, "n n"]
    related: Bool[Array, "n n"]
    strong_slot: Int[Array, "n 1"]
    related_slot: Int[Array, "n 1"]


def fit_points(
    problem: FitProblem, *, seed: int = 0, steps: int = 2000, learning_rate: float = 0.1
) -> FittedGeometry:
    """Fits lattice points to a weight graph; see `cga.backend.fit_points`."""
    started = perf_counter()
    read = read_problem(problem)
    if steps < 1:
        raise ValueError(f"steps: {steps}; give at least 1")
    # One precision whatever the caller's setting: the polar form cancels nothing that float32 would miss.
    # optax multiplies its step count, an integer, with floats.
    with jax.enable_x64(False), jax.numpy_dtype_promotion("standard"):
        targets = _targets(read)
        vectors, losses = _descend(targets, _start(read, seed), steps, learning_rate, read.k)
    return to_lattice(read, vectors, losses=losses, seconds=perf_counter() - started)


def _targets(problem: Problem) -> _Targets:
    weights, strong, k = problem.weights, problem.strong, problem.k
    related = weights > 0
    others = k - 1
    degree = np.maximum(weights.sum(axis=1, keepdims=True), np.finfo(float).tiny)
    partners = related.sum(axis=1, keepdims=True)
    # A point without partners has nothing that strays.
    stray = ~related & ~np.eye(len(weights), dtype=bool) & (partners > 0)
    return _Targets(
        weights=jnp.asarray(weights / degree, jnp.float32),
        strong=jnp.asarray(strong),
        stray=jnp.asarray(stray),
        related=jnp.asarray(related),
        strong_slot=jnp.asarray(np.clip(others - strong.sum(axis=1, keepdims=True), 0, others), jnp.int32),
        related_slot=jnp.asarray(np.clip(partners, 1, others) - 1, jnp.int32),
    )


def _start(problem: Problem, seed: int) -> Float[Array, "n dimension"]:
    """Unit vectors: leading eigenvectors of the normalised weights, and some noise so that no two coincide."""
    weights = problem.weights
    count = len(weights)
    noise = np.random.default_rng(seed).normal(size=(count, START_DIMENSION))
    degree = weights.sum(axis=1)
    degree = np.where(degree > 0, degree, 1.0)
    _, eigenvectors = np.linalg.eigh(weights / np.sqrt(degree[:, None] * degree[None, :]))
    leading = eigenvectors[:, ::-1][:, 1 : START_DIMENSION + 1]
    leading = leading * np.where(np.sum(leading**3, axis=0) < 0, -1.0, 1.0)
    spectral = np.zeros((count, START_DIMENSION))
    spectral[:, : leading.shape[1]] = leading
    length = np.maximum(np.linalg.norm(spectral, axis=1, keepdims=True), np.finfo(float).tiny)
    vectors = spectral / length + 0.1 * noise
    return jnp.asarray(vectors / np.linalg.norm(vectors, axis=1, keepdims=True), jnp.float32)


def tangent_distances(vectors: Float[Array, "n dimension"]) -> Float[Array, "n n"]:
    """Hyperbolic distances between points given as tangent vectors at the origin."""
    radius = jnp.sqrt(jnp.sum(vectors * vectors, axis=-1) + 1e-12)
    direction = vectors / radius[:, None]
    gap = jnp.sum(jnp.square(direction[:, None, :] - direction[None, :, :]), axis=-1)
    sinh = jnp.sinh(radius)
    along = jnp.square(jnp.sinh((radius[:, None] - radius[None, :]) / 2))
    # (cosh d - 1) / 2
    half = along + sinh[:, None] * sinh[None, :] * gap / 4
    return 2 * jnp.arcsinh(safe_sqrt(half))


def _loss(vectors: Array, temperature: Array, squeeze: Array, targets: _Targets, k: int) -> Float[Array, ""]:
    count = len(vectors)
    scale = jnp.concatenate([jnp.ones(DIMENSION), jnp.full(START_DIMENSION - DIMENSION, squeeze)])
    distances = tangent_distances(vectors * scale[None, :])
    itself = jnp.eye(count, dtype=bool)

    def nearest(mask: Array, slot: Array) -> Array:
        near, _ = jax.lax.top_k(-jnp.where(mask, distances, FAR), min(k, count))
        return -jnp.take_along_axis(near, slot, axis=1)

    def hinge(gap: Array, mask: Array) -> Array:
        return jnp.sum(jnp.where(mask, jax.nn.softplus(gap / temperature + MARGIN), 0.0))

    logits = jax.nn.log_softmax(jnp.where(itself, -FAR, -distances / temperature), axis=-1)
    entropy = -jnp.sum(targets.weights * jnp.where(itself, 0.0, logits))
    strong = hinge(distances - nearest(~targets.strong & ~itself, targets.strong_slot), targets.strong)
    stray = hinge(nearest(targets.related, targets.related_slot) - distances, targets.stray)
    return temperature * (entropy + STRONG_WEIGHT * strong + STRAY_WEIGHT * stray) / count


def _descend(
    targets: _Targets, start: Array, steps: int, learning_rate: float, k: int
) -> tuple[Float[np.ndarray, "n 4"], list[float]]:
    """Adam with cosine decay, in compiled chunks.

    Returns:
        Tangent vectors, and the loss at every step.

    Raises:
        FitError: ``non_finite_fit``, with the step, once a loss or a parameter is not finite.
    """
    optimiser = optax.adam(optax.cosine_decay_schedule(learning_rate, steps, alpha=0.02))

    @partial(jax.jit, static_argnames="length")
    def chunk(carry, first, targets, *, length):
        def step(carry, number):
            vectors, state = carry
            progress = number / steps
            cooling = jnp.minimum(progress / ANNEAL, 1.0)
            temperature = TEMPERATURE[0] * (TEMPERATURE[1] / TEMPERATURE[0]) ** cooling
            squeeze = jnp.clip((SQUEEZE[1] - progress) / (SQUEEZE[1] - SQUEEZE[0]), 0.0, 1.0)
            loss, gradient = jax.value_and_grad(_loss)(vectors, temperature, squeeze, targets, k)
            updates, state = optimiser.update(gradient, state)
            return (optax.apply_updates(vectors, updates), state), loss

        return jax.lax.scan(step, carry, first + jnp.arange(length, dtype=jnp.float32))

    carry = (start, optimiser.init(start))
    losses: list[float] = []
    for first in range(0, steps, CHUNK):
        carry, found = chunk(carry, jnp.float32(first), targets, length=min(CHUNK, steps - first))
        values = np.asarray(found, float)
        bad = np.flatnonzero(~np.isfinite(values))
        if len(bad):
            raise FitError(
                "non_finite_fit", f"the loss is not finite at step {first + int(bad[0])}: lower learning_rate"
            )
        previous = np.mean(losses[-CHUNK:]) if losses else np.inf
        losses += values.tolist()
        if first >= ANNEAL * steps + CHUNK and np.mean(values) > (1 - TOLERANCE) * previous:
            break
    vectors = np.asarray(carry[0], float)[:, :DIMENSION]
    if not np.isfinite(vectors).all():
        raise FitError(
            "non_finite_fit", f"a point is not finite after step {len(losses)}: lower learning_rate"
        )
    return vectors, losses
