"""The rigid motion that takes one set of points to another best, in the sense of least squares.

With both sets centred the rotation maximises ``tr(R^T H)``, H = sum w q p^T: it is the polar factor of H, without
reflections.
References: Horn, "Closed-form solution of absolute orientation using unit quaternions", 1987; Umeyama 1991 (the sign);
Kabsch 1976.
"""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
from jaxtyping import Array, Bool, Shaped

from cga._checks import reject
from cga._motions import translator
from cga._multivector import Multivector, product
from cga._types import as_float

_RANK = 1e-10
"""Points whose second singular value is below this share of the first count as collinear (its root in float32)."""


@jax.custom_jvp
def polar_rotation(h: Shaped[Array, "*batch 3 3"]) -> Shaped[Array, "*batch 3 3"]:
    """The rotation R (determinant 1) that maximises ``tr(R^T H)``."""
    return _polar(h)[0]


def _polar(h: Array) -> tuple[Array, Array, Array]:
    u, s, vt = jnp.linalg.svd(h)
    sign = jnp.where(
        jnp.linalg.det(u) * jnp.linalg.det(vt) < 0, -jnp.ones_like(s[..., 0]), jnp.ones_like(s[..., 0])
    )
    ones = jnp.ones_like(sign)
    d = jnp.stack([ones, ones, sign], axis=-1)
    return (u * d[..., None, :]) @ vt, s * d, vt


@polar_rotation.defjvp
def _(primals: tuple[Array], tangents: tuple[Array]) -> tuple[Array, Array]:
    # H = R P with P symmetric: R^T dH - dH^T R = A P + P A, A = R^T dR; in P's eigenbasis A_ij = K_ij / (s_i + s_j).
    rotation, s, vt = _polar(primals[0])
    k = jnp.swapaxes(rotation, -1, -2) @ tangents[0]
    k = vt @ (k - jnp.swapaxes(k, -1, -2)) @ jnp.swapaxes(vt, -1, -2)
    below = s[..., :, None] + s[..., None, :]
    off = ~jnp.eye(3, dtype=bool)
    safe = jnp.where(jnp.broadcast_to(off, below.shape), below, 1)
    spin = jnp.swapaxes(vt, -1, -2) @ (k / safe) @ vt
    return rotation, rotation @ spin


def estimate_motor(source: Any, target: Any, weights: Any = None) -> Multivector:
    """The unit motor M that minimises ``sum w |M(p) - q|^2`` over rigid motions, never a reflection.

    Coplanar points are no exception. Collinear points leave the turn about their line open: the rotation is then the
    one of least angle that lines them up, and for coincident points there is none. The sign is such that the scalar
    part is not negative. Derivatives are finite except where the best rotation jumps (collinear or mirrored points).

    Args:
        source: ``(*batch, n, 3)`` points p.
        target: ``(*batch, n, 3)`` points q; batch axes broadcast.
        weights: ``(*batch, n)``, not negative, not all zero; by default all 1.

    Raises:
        ValueError: shapes that don't fit, no points, or bad weights; NaN for bad weights when traced.
    """
    p = as_float(source)
    q = as_float(target, p.dtype)
    if min(p.ndim, q.ndim) < 2 or p.shape[-1] != 3 or q.shape[-2:] != p.shape[-2:] or p.shape[-2] == 0:
        raise ValueError(
            f"source {p.shape}, target {q.shape}: give the same number n > 0 of points, (*batch, n, 3)"
        )
    shape = jnp.broadcast_shapes(p.shape[:-2], q.shape[:-2])
    count = p.shape[-2]
    w = jnp.ones(count, p.dtype) if weights is None else as_float(weights, p.dtype)
    if w.ndim == 0 or w.shape[-1] != count:
        raise ValueError(f"weights {w.shape}: give one for each of the {count} points")
    shape = jnp.broadcast_shapes(shape, w.shape[:-1])
    p, q, w = (
        jnp.broadcast_to(p, (*shape, count, 3)),
        jnp.broadcast_to(q, (*shape, count, 3)),
        jnp.broadcast_to(w, (*shape, count)),
    )
    total = jnp.sum(w, axis=-1)
    bad = ~(jnp.all(w >= 0, axis=-1) & (total > 0))
    share = (w / jnp.where(bad, 1, total)[..., None])[..., None]
    center_p, center_q = jnp.sum(p * share, axis=-2), jnp.sum(q * share, axis=-2)
    from_p, from_q = p - center_p[..., None, :], q - center_q[..., None, :]
    h = jnp.swapaxes(from_q * share, -1, -2) @ from_p
    rotation = polar_rotation(h)
    turn = _quaternion(rotation)
    collinear, least = _line_turn(h)
    turn = jnp.where(collinear[..., None], least, turn)
    turn = turn * jnp.where(turn[..., :1] < 0, -jnp.ones_like(turn[..., :1]), jnp.ones_like(turn[..., :1]))
    shift = center_q - _rotate(turn, center_p)
    zero = jnp.zeros_like(turn[..., 0])
    a, x, y, z = (turn[..., i] for i in range(4))
    parts = jnp.stack([a, -z, y, zero, zero, -x, *[zero] * 5], axis=-1)
    found = product("geometric", translator(shift), Multivector(parts, (0, 2)), (0, 2, 4))
    return Multivector(reject(found.values, bad, "weights: negative or all zero"), (0, 2, 4))


def _rotate(turn: Array, x: Array) -> Array:
    axis = turn[..., 1:]
    once = 2 * jnp.cross(axis, x)
    return x + turn[..., :1] * once + jnp.cross(axis, once)


def _quaternion(r: Array) -> Array:
    """The unit quaternion (w, x, y, z) of a rotation matrix: the largest row of ``4 q q^T``, made unit."""
    (a, b, c), (d, e, f), (g, h, i) = ([r[..., j, k] for k in range(3)] for j in range(3))
    rows = [
        [1 + a + e + i, h - f, c - g, d - b],
        [h - f, 1 + a - e - i, b + d, c + g],
        [c - g, b + d, 1 - a + e - i, f + h],
        [d - b, c + g, f + h, 1 - a - e + i],
    ]
    outer = jnp.stack([jnp.stack(row, axis=-1) for row in rows], axis=-2)
    largest = jnp.argmax(jnp.diagonal(outer, axis1=-2, axis2=-1), axis=-1)
    row = jnp.take_along_axis(outer, largest[..., None, None], axis=-2)[..., 0, :]
    return row / jnp.sqrt(jnp.sum(row * row, axis=-1, keepdims=True))


def _line_turn(h: Array) -> tuple[Bool[Array, "*batch"], Array]:
    """Whether H has rank one or zero, and the quaternion of least angle that lines its two directions up."""
    u, s, vt = jnp.linalg.svd(jax.lax.stop_gradient(h))
    tolerance = _RANK if h.dtype == jnp.float64 else 1e-5
    some = s[..., 0] > 0
    collinear = s[..., 1] <= tolerance * s[..., 0]
    after, before = u[..., :, 0], vt[..., 0, :]
    axis = jnp.cross(before, after)
    scalar = 1 + jnp.sum(before * after, axis=-1)
    # Opposite directions: any axis across them; across the one on the coordinate axis it has least of.
    least = jnp.argmin(jnp.abs(before), axis=-1)
    across = jnp.cross(before, jnp.eye(3, dtype=h.dtype)[least])
    opposite = scalar < 1e-12
    axis = jnp.where(opposite[..., None], across, axis)
    scalar = jnp.where(opposite, 0, scalar)
    turn = jnp.concatenate([scalar[..., None], axis], axis=-1)
    turn = turn / jnp.sqrt(jnp.sum(turn * turn, axis=-1, keepdims=True))
    identity = jnp.broadcast_to(jnp.asarray([1.0, 0, 0, 0], h.dtype), turn.shape)
    return collinear, jnp.where(some[..., None], turn, identity)
