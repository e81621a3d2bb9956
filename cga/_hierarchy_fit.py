"""Fitting points of H^4 to a hierarchy of any size: a node's ancestors, and its partners, nearer than all else.

The start is a layout of nested balls (`cga._hierarchy`), which by itself is close. It is then polished by gradient
descent in half-space coordinates. Pairs are scored by ``log 2(cosh d - 1)``, monotone in the distance d, as
``log((|x_u - x_v|^2 + (rho_u - rho_v)^2) / (rho_u rho_v))``, in which nothing cancels, so float32 is enough. The loss
of a node is the mean over its positives p of ``T softplus(s_p/T + logsumexp_n(-s_n/T))`` over its negatives n, the
nearest of them first: which these are is looked up again every `REFRESH` steps, and some random leaves are added. T is
annealed. On top comes a small cross entropy of the direct parent among the ancestors.

A step moves a centre by a multiple of ``sqrt(rho)``, not of rho as the metric of H^4 would have it: that is the radius
of the ball in which a point is seen (see `cga._hierarchy`), and with rho the leaves, far out, would never leave their
start.

Deterministic on one device for one seed.
"""

from __future__ import annotations

from functools import partial
from time import perf_counter
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jaxtyping import Array, Float, Float32, Float64, Int, Int32

from cga._hierarchy import Hierarchy, layout, read_hierarchy
from cga._lattice import LIMIT
from cga._lattice_fit import repaired, separate
from cga._search import top_k
from cga._vocabulary import open_vocabulary
from cga.backend import FitError, FitReport, FittedGeometry, HierarchyProblem, Point

STEPS = 1000
ALL_NEGATIVES = 256
"""Up to so many nodes each is compared with all others in every step."""
SMALL = 4096
"""Up to so many nodes twice the steps are taken, as they cost next to nothing, and no random leaves."""
NEAREST = 24
RANDOM = 32
REFRESH = 100
CHUNK = 512
LANES = 2304
"""Nodes are dealt out to so many lanes, of each of which the nearest node is looked up."""
TEMPERATURE = (0.3, 0.05)
ANNEAL = 0.8
LEARNING_RATE = 0.05
MOMENTS = (0.9, 0.99)
PARENT_WEIGHT = 0.1
LEAST_BREADTH = 2.0**-20
"""Sixteen units of the lattice: further out the order no longer changes, and no room is left to tell points apart."""
CHECKED = 2048
"""Nodes whose neighbourhoods are compared before and after rounding."""
K = 8


class _Pairs(NamedTuple):
    """What the loss compares; positives are sorted by node.

    Attributes:
        node, positive: ``(positives,)`` ancestors and partners.
        weight: ``(positives,)`` sums to 1 over a node's positives.
        lower, upper: ``(ancestors,)`` the ancestors alone.
        child, parent: ``(children,)`` nodes with a parent, and it.
        leaves: ``(leaves,)`` what random negatives are drawn from.
    """

    node: Int32[Array, " positives"]
    positive: Int32[Array, " positives"]
    weight: Float32[Array, " positives"]
    lower: Int32[Array, " ancestors"]
    upper: Int32[Array, " ancestors"]
    child: Int32[Array, " children"]
    parent: Int32[Array, " children"]
    leaves: Int32[Array, " leaves"]


def fit_hierarchy(problem: HierarchyProblem, *, seed: int = 0, effort: float = 1.0) -> FittedGeometry:
    """Fits lattice points to a hierarchy; see `cga.backend.fit_hierarchy`."""
    started = perf_counter()
    if not 0 < effort <= 100:
        raise ValueError(f"effort: {effort}; give more than 0, 1 for the usual number of steps")
    hierarchy = read_hierarchy(problem)
    steps = max(1, round(STEPS * effort * (2 if hierarchy.size <= SMALL else 1)))
    # One precision and NumPy's rules of broadcasting, whatever the caller's settings.
    with (
        jax.enable_x64(False),
        jax.numpy_dtype_promotion("standard"),
        jax.numpy_rank_promotion("allow"),
    ):
        points, losses = _descend(hierarchy, layout(hierarchy), steps, seed)
    return _to_lattice(hierarchy, points, losses, perf_counter() - started)


def _pairs(hierarchy: Hierarchy) -> _Pairs:
    size = hierarchy.size
    lower = np.repeat(np.arange(size), np.diff(hierarchy.start))
    node = np.concatenate([lower, hierarchy.partners[:, 0]])
    positive = np.concatenate([hierarchy.ancestors, hierarchy.partners[:, 1]])
    order = np.lexsort((positive, node))
    count = np.bincount(node, minlength=size)
    child = np.flatnonzero(hierarchy.parent >= 0)
    as_index = partial(jnp.asarray, dtype=jnp.int32)
    return _Pairs(
        node=as_index(node[order]),
        positive=as_index(positive[order]),
        weight=jnp.asarray((1 / np.maximum(count, 1))[node[order]], jnp.float32),
        lower=as_index(lower),
        upper=as_index(hierarchy.ancestors),
        child=as_index(child),
        parent=as_index(hierarchy.parent[child]),
        leaves=as_index(np.flatnonzero(hierarchy.leaf)),
    )


def _score(x: Array, breadth: Array, other_x: Array, other_breadth: Array) -> Array:
    """``log 2(cosh d - 1)`` of points that are not the same."""
    squares = jnp.sum(jnp.square(x - other_x), axis=-1) + jnp.square(breadth - other_breadth)
    return jnp.log(squares + 1e-30) - jnp.log(breadth) - jnp.log(other_breadth)


def _loss(
    move: tuple[Array, Array],
    point: tuple[Array, Array],
    pairs: _Pairs,
    negatives: Array,
    drawn: Array,
    temperature: Array,
) -> Float[Array, ""]:
    """The loss at points moved by so many ball radii, and by a change of ``log rho``.

    Args:
        move: ``(nodes, 3)`` and ``(nodes,)``.
        point: ``(nodes, 3)`` centre and ``(nodes,)`` log rho.
        pairs: what is compared.
        negatives: ``(nodes, negatives)`` node indices; or a mask ``(nodes, nodes)`` where all nodes are compared.
        drawn: ``(random,)`` leaves that all nodes are compared with.
        temperature: T.
    """
    logs = point[1] + move[1]
    x, breadth = point[0] + move[0] * jnp.exp(point[1] / 2)[:, None], jnp.exp(logs)

    def score(a: Array, b: Array) -> Array:
        return _score(x[a], breadth[a], x[b], breadth[b])

    everyone = jnp.arange(len(x))
    if negatives.dtype == bool:
        against = _score(x[:, None], breadth[:, None], x[None], breadth[None])
        against = jnp.where(negatives, against, jnp.inf)
    else:
        near = _score(x[:, None], breadth[:, None], x[negatives], breadth[negatives])
        far = _score(x[:, None], breadth[:, None], x[drawn][None], breadth[drawn][None])
        far = jnp.where(drawn[None, :] == everyone[:, None], jnp.inf, far)
        against = jnp.concatenate([near, far], axis=1)
    barrier = jax.nn.logsumexp(-against / temperature, axis=1)
    positive = score(pairs.node, pairs.positive) / temperature
    ranking = jnp.sum(pairs.weight * jax.nn.softplus(positive + barrier[pairs.node]))
    logits = -score(pairs.lower, pairs.upper) / temperature
    nodes = len(x)
    most = jax.ops.segment_max(lax.stop_gradient(logits), pairs.lower, nodes, indices_are_sorted=True)
    sums = jax.ops.segment_sum(
        jnp.exp(logits - most[pairs.lower]), pairs.lower, nodes, indices_are_sorted=True
    )
    first = score(pairs.child, pairs.parent) / temperature
    parent = jnp.sum(most[pairs.child] + jnp.log(sums[pairs.child]) + first)
    return temperature * (ranking + PARENT_WEIGHT * parent) / nodes


def _descend(
    hierarchy: Hierarchy, start: Float64[np.ndarray, "nodes 4"], steps: int, seed: int
) -> tuple[Float64[np.ndarray, "nodes 4"], list[float]]:
    """Adam, one rate a point, with cosine decay.

    Returns:
        Centres and breadths, and the loss at every step.

    Raises:
        FitError: ``non_finite_fit``.
    """
    pairs = _pairs(hierarchy)
    first, second = MOMENTS
    draws = RANDOM if hierarchy.size > SMALL else 0
    key = jax.random.key(seed)

    @partial(jax.jit, static_argnames="length")
    def chunk(carry, pairs, negatives, begin, *, length):
        def step(carry, number):
            point, mean, square = carry
            progress = number / steps
            cooling = jnp.minimum(progress / ANNEAL, 1.0)
            temperature = TEMPERATURE[0] * (TEMPERATURE[1] / TEMPERATURE[0]) ** cooling
            rate = LEARNING_RATE * (0.02 + 0.49 * (1 + jnp.cos(jnp.pi * progress)))
            drawn = pairs.leaves[
                jax.random.randint(jax.random.fold_in(key, number), (draws,), 0, len(pairs.leaves))
            ]
            still = jax.tree.map(jnp.zeros_like, point)
            loss, gradient = jax.value_and_grad(_loss)(still, point, pairs, negatives, drawn, temperature)
            mean = jax.tree.map(lambda m, g: first * m + (1 - first) * g, mean, gradient)
            length2 = jnp.sum(jnp.square(gradient[0]), axis=1) + jnp.square(gradient[1])
            square = second * square + (1 - second) * length2
            scale = rate / (jnp.sqrt(square / (1 - second ** (number + 1))) + 1e-12)
            scale = scale / (1 - first ** (number + 1))
            x = point[0] - (scale * jnp.exp(point[1] / 2))[:, None] * mean[0]
            logs = point[1] - scale * mean[1]
            point = (jnp.clip(x, -1.0, 1.0), jnp.clip(logs, np.log(LEAST_BREADTH), 0.0))
            return (point, mean, square), loss

        return lax.scan(step, carry, begin + jnp.arange(length))

    point = (jnp.asarray(start[:, :3], jnp.float32), jnp.asarray(np.log(start[:, 3]), jnp.float32))
    carry = (point, jax.tree.map(jnp.zeros_like, point), jnp.zeros(hierarchy.size, jnp.float32))
    find = _Negatives(hierarchy)
    losses: list[float] = []
    for begin in range(0, steps, REFRESH):
        negatives = find(*carry[0])
        carry, found = chunk(carry, pairs, negatives, begin, length=min(REFRESH, steps - begin))
        values = np.asarray(found, float)
        bad = np.flatnonzero(~np.isfinite(values))
        if len(bad):
            raise FitError("non_finite_fit", f"the loss is not finite at step {begin + int(bad[0])}")
        losses += values.tolist()
    x, logs = (np.asarray(part, float) for part in carry[0])
    return np.column_stack([x, np.exp(logs)]), losses


class _Negatives:
    """What each node is compared with: all others or those nearest by now; no ancestors, partners or open pairs."""

    def __init__(self, hierarchy: Hierarchy) -> None:
        self.size = hierarchy.size
        lower = np.repeat(np.arange(self.size), np.diff(hierarchy.start))
        node = np.concatenate([lower, hierarchy.partners[:, 0], hierarchy.open_pairs[:, 0]])
        positive = np.concatenate([hierarchy.ancestors, hierarchy.partners[:, 1], hierarchy.open_pairs[:, 1]])
        if self.size <= ALL_NEGATIVES:
            mask = ~np.eye(self.size, dtype=bool)
            mask[node, positive] = False
            self.mask = jnp.asarray(mask)
            return
        order = np.argsort(node, kind="stable")
        count = np.bincount(node, minlength=self.size)
        place = np.arange(len(node)) - np.repeat(np.cumsum(count) - count, count)
        # A node is its own positive, which fills the table up.
        self.positives = np.repeat(
            np.arange(self.size, dtype=np.int32)[:, None], int(count.max()) + 1, axis=1
        )
        self.positives[node[order], place] = positive[order]

    def __call__(self, x: Array, logs: Array) -> Array:
        if self.size <= ALL_NEGATIVES:
            return self.mask
        rows = -(-self.size // LANES)
        padding = rows * LANES - self.size
        breadth = jnp.exp(logs)
        columns = jnp.concatenate([x, breadth[:, None]], axis=1)
        columns = jnp.pad(columns, ((0, padding), (0, 0)), constant_values=1e9).T
        weight = jnp.pad(1 / breadth, (0, padding), constant_values=1.0)
        found = []
        for begin in range(0, self.size, CHUNK):
            nodes = np.arange(begin, begin + CHUNK) % self.size
            found.append(np.asarray(_nearest_others(columns, weight, nodes, self.positives[nodes])))
        return jnp.asarray(np.concatenate(found)[: self.size])


@jax.jit
def _nearest_others(
    columns: Float32[Array, "4 padded"],
    weight: Float32[Array, " padded"],
    nodes: Int[Array, " chunk"],
    positives: Int32[Array, "chunk most"],
) -> Int32[Array, "chunk nearest"]:
    """Almost the `NEAREST` nearest: of each lane the nearest one, and of these the first.

    The number of a lane's row goes into the last bits of its key (positive floats order as their bits do), so that one
    minimum finds both.
    """
    keys = sum(jnp.square(row[None, :] - row[nodes][:, None]) for row in columns) * weight[None, :]
    keys = keys.at[jnp.arange(len(nodes))[:, None], positives].set(jnp.inf)
    bits = lax.bitcast_convert_type(keys, jnp.int32).reshape(len(nodes), -1, LANES)
    rows = bits.shape[1]
    low = (rows - 1).bit_length()
    bits = ((bits >> low) << low) | jnp.arange(rows, dtype=jnp.int32)[None, :, None]
    least, lane = lax.top_k(-bits.min(axis=1), NEAREST)
    return (-least & ((1 << low) - 1)) * LANES + lane


def _to_lattice(
    hierarchy: Hierarchy, points: Float64[np.ndarray, "nodes 4"], losses: list[float], seconds: float
) -> FittedGeometry:
    """Rounds the points to the lattice and reports what that changed for `CHECKED` of them."""
    scale = float(LIMIT - 1)
    rounded = np.rint(points * scale).astype(int)
    clamped = int(np.sum(rounded[:, 3] < 1))
    rounded[:, 3] = np.maximum(rounded[:, 3], 1)
    lattice, collisions = separate([Point(*row) for row in rounded.tolist()])
    repaired(clamped, collisions, len(points))
    vocabulary = open_vocabulary(lattice)
    checked = np.unique(np.linspace(0, hierarchy.size - 1, min(CHECKED, hierarchy.size)).astype(int))
    near = top_k(vocabulary, vocabulary.coordinates[:, checked].T, K)
    changed = strong = stronger = related = others = 0
    columns, weight = points.T.copy(), 1 / points[:, 3]
    partners: dict[int, set[int]] = {}
    for node, other in hierarchy.partners.tolist():
        partners.setdefault(node, set()).add(other)
    for node, found in zip(checked.tolist(), near, strict=True):
        keys = np.square(columns - columns[:, node, None]).sum(axis=0) * weight
        least = np.argpartition(keys, min(K, len(keys)) - 1)[:K]
        changed += set(found) != set(least.tolist())
        positives = set(hierarchy.ancestors[hierarchy.start[node] : hierarchy.start[node + 1]].tolist())
        positives |= partners.get(node, set())
        parent = int(hierarchy.parent[node])
        strong += parent >= 0
        stronger += parent in found
        others += len(found) - 1
        related += len(positives.intersection(found))
    # The distance of (x, rho) from (0, 1).
    squares = np.sum(points[:, :3] ** 2, axis=1) + (points[:, 3] - 1) ** 2
    radius = float(np.arccosh(1 + squares / (2 * points[:, 3])).max())
    return FittedGeometry(
        points=lattice,
        turn=tuple(np.eye(4).ravel().tolist()),
        scale=scale,
        report=FitReport(
            steps=len(losses),
            seconds=seconds,
            first_loss=losses[0],
            last_loss=losses[-1],
            radius=radius,
            clamped=clamped,
            collisions=collisions,
            checked=len(checked),
            changed_neighbourhoods=changed,
            strong_share=stronger / strong if strong else 1.0,
            related_share=related / others if others else 1.0,
        ),
    )
