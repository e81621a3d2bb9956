"""The plane of a turn beside a boost or a shift: what a logarithm near minus a rotor needs.

``R = -exp(B)`` with small ``B = delta P + N`` has the logarithm ``B - pi P``. Of P only its small multiple is in B, and
beside a null N (a translation) in a general frame rounding hides even the square of that. But any unit plane that
commutes with B up to rounding serves as well. Such a plane is read off in a frame in which N is a similarity:
N with real squares fixes a null direction k, ``N . k = beta k``; a reflection takes k to einf, and then B has the form
``r + p einf + w e45``, in which the plane of r, its place and the rest stand apart.

Vectors of R(4,1) are held as four Euclidean components and one on e5; ``x -> B . x`` acts on them by the bivector's
Euclidean part, a 4x4 matrix M, and ``v_i = -B_i5``:  (y, y5) -> (M y + v y5, v . y).
"""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp

from cga._null import Parts

_NOISE = 32.0
"""A number below this many rounding errors of its terms is taken as zero."""

_STEPS = 3
"""Newton steps for the null direction."""


def commuting_plane(b: Parts, l1: Any, l2: Any) -> tuple[Parts, Any]:
    """A unit plane P, ``P^2 = -1``, that commutes with b up to rounding, where b turns beside a boost or a shift.

    Args:
        b: a bivector in null coordinates (`cga._null`).
        l1: the square of its part that turns, <= 0.
        l2: the square of the rest, >= 0; negative values count as 0.

    Returns:
        P, oriented like b, and whether it is there: b may have no part that turns, up to rounding.
    """
    m, v = _matrix(b)
    eps = jnp.finfo(l2.dtype).eps
    size = jnp.sqrt(_dot(v, v) + _dot(m, m).sum(-1) / 2)
    # Rounding leaves eps size^3 / delta of l2; a start that is too far along the axis would tilt the turn.
    beta = _safe_sqrt(jnp.where(l2 * _safe_sqrt(-l1) > 2 * _NOISE * eps * size**3, l2, 0))
    rigid = sum((jnp.abs(x) for x in b[6:9]), start=jnp.zeros_like(beta)) == 0
    last = jnp.array([0.0, 0.0, 0.0, 1.0], dtype=beta.dtype)

    def direction(y: Any) -> Any:
        square = _dot(y, y)
        some = (square > 0) & ~rigid
        unit = y / jnp.sqrt(jnp.where(some, square, 1))[..., None]
        return jnp.where(some[..., None], unit, last)

    def better(u: Any, _: None) -> tuple[Any, None]:
        turn, p, rest, w = _seen_from(u, m, v)
        turned = _dot(turn, turn)
        # The block of the axis and e45 holds the boost: its square, and its null direction, are exact there.
        some = turned > (_NOISE * eps * size) ** 2
        axis = turn / jnp.sqrt(jnp.where(some, turned, 1))[..., None]
        p, q = _dot(axis, p), _dot(axis, rest)
        beta = jnp.where(w > 0, -1, 1) * _safe_sqrt(w * w + p * q)
        down = (p * p - q * q) / 4 - beta * w
        along = -((w + beta) * p + (beta - w) * q) / (2 * jnp.where(down > 0, down, jnp.inf))
        # (beta - turn)^-1 of what is across. What is only rounding stays: 1 / delta would blow it up.
        below = beta * beta + turned
        across = rest - q[..., None] * axis
        step = -(beta[..., None] * across + _cross(across, turn)) / jnp.where(some, below, 1)[..., None]
        firm = 16 * eps * size
        step = jnp.where((_dot(across, across) > firm * firm)[..., None], step, 0)
        step = step + jnp.where(jnp.abs(q) > firm, along, 0)[..., None] * axis
        step = jnp.where((some & (_dot(step, step) < 0.01))[..., None], step, 0)
        return direction(_reflected(u, jnp.concatenate([step, jnp.ones_like(step[..., :1])], -1))), None

    y, y5 = _times(m, v) + beta[..., None] * v, _dot(v, v)
    # A(A + beta) leaves of e5 the null direction, and the turn's delta^2; A^2 + delta^2 takes that away where it can.
    z, z5 = _times(m, y) + v * y5[..., None], _dot(v, y)
    z, z5 = _times(m, z) + v * z5[..., None] - l1[..., None] * y, _dot(v, z) - l1 * y5
    firm = beta * beta - l1 > jnp.sqrt(eps) * size * size
    y, y5 = jnp.where(firm[..., None], z, y), jnp.where(firm, z5, y5)
    start = direction(jnp.where(y5 < 0, -1, 1)[..., None] * y)
    u = jax.lax.scan(better, start, None, length=_STEPS)[0]
    turn, p, _, w = _seen_from(u, m, v)
    square = _dot(turn, turn)
    there = square > (_NOISE * eps * size) ** 2
    delta = jnp.sqrt(jnp.where(there, square, 1))
    unit = turn / delta[..., None]
    across = _cross(p, unit)
    shift = -(w[..., None] * across + delta[..., None] * _cross(across, unit))
    shift = shift / jnp.where(there, w * w + delta * delta, 1)[..., None]
    shift = shift - _dot(shift, unit)[..., None] * unit
    there = there & (eps * _dot(shift, shift) < 0.01)
    return _parts(u, unit, shift), there


def _safe_sqrt(x: Any) -> Any:
    """The root, 0 for x <= 0, with a finite derivative."""
    return jnp.where(x > 0, jnp.sqrt(jnp.where(x > 0, x, 1)), 0)


def _dot(x: Any, y: Any) -> Any:
    return (x * y).sum(-1)


def _times(m: Any, y: Any) -> Any:
    return (m * y[..., None, :]).sum(-1)


def _cross(x: Any, y: Any) -> Any:
    """``x`` cross ``y``. A turn about y takes x there: no component is computed twice with different rounding."""
    return jnp.stack(
        [
            x[..., 1] * y[..., 2] - x[..., 2] * y[..., 1],
            x[..., 2] * y[..., 0] - x[..., 0] * y[..., 2],
            x[..., 0] * y[..., 1] - x[..., 1] * y[..., 0],
        ],
        axis=-1,
    )


def _matrix(b: Parts) -> tuple[Any, Any]:
    """The action of b on vectors: its Euclidean part (..., 4, 4), and minus its components on e_i5 (..., 4)."""
    r12, r13, r23, p1, p2, p3, m1, m2, m3, w = b
    x1, x2, x3 = ((p - m) / 2 for p, m in ((p1, m1), (p2, m2), (p3, m3)))
    o = jnp.zeros_like(w)
    rows = ((o, r12, r13, x1), (-r12, o, r23, x2), (-r13, -r23, o, x3), (-x1, -x2, -x3, o))
    matrix = jnp.stack([jnp.stack(row, axis=-1) for row in rows], axis=-2)
    return matrix, -jnp.stack([(p1 + m1) / 2, (p2 + m2) / 2, (p3 + m3) / 2, w], axis=-1)


def _mirror(u: Any) -> tuple[Any, Any, Any]:
    """A vector h whose reflection takes the unit vector u to +e4 or -e4, 2/h^2, and the sign that makes it +e4."""
    sign = jnp.where(u[..., 3] < 0, 1.0, -1.0).astype(u.dtype)
    h = u.at[..., 3].add(-sign)
    return h, 2 / _dot(h, h), sign


def _reflected(u: Any, y: Any) -> Any:
    """``y``, given in the frame of u, in the frame of the whole."""
    h, factor, sign = _mirror(u)
    y = y.at[..., 3].multiply(sign)
    return y - (factor * _dot(h, y))[..., None] * h


def _seen_from(u: Any, m: Any, v: Any) -> tuple[Any, Any, Any, Any]:
    """The parts of a bivector where u + e5 is einf: axis of the turn, on einf, on eo (each (..., 3)), on e45."""
    h, factor, sign = _mirror(u)
    w = _times(m, h) * factor[..., None]
    m = m + h[..., :, None] * w[..., None, :] - w[..., :, None] * h[..., None, :]
    v = v - (factor * _dot(h, v))[..., None] * h
    fourth = m[..., :3, 3] * sign[..., None]
    turn = jnp.stack([m[..., 1, 2], -m[..., 0, 2], m[..., 0, 1]], axis=-1)
    return turn, fourth - v[..., :3], -v[..., :3] - fourth, -v[..., 3] * sign


def _parts(u: Any, turn: Any, shift: Any) -> Parts:
    """The plane ``turn + shift einf`` of the frame of u, in null coordinates of the whole."""
    half = shift / 2
    o = jnp.zeros_like(half[..., :1])
    _, _, sign = _mirror(u)
    x, y, z = (turn[..., i] for i in range(3))
    zero = jnp.zeros_like(x)
    m = jnp.stack([jnp.stack(row, -1) for row in ((zero, z, -y), (-z, zero, x), (y, -x, zero))], -2)
    m = jnp.concatenate([m, (half * sign[..., None])[..., None]], -1)
    m = jnp.concatenate([m, jnp.concatenate([-half * sign[..., None], o], -1)[..., None, :]], -2)
    v = jnp.concatenate([-half, o], -1)
    h, factor, _ = _mirror(u)
    w = _times(m, h) * factor[..., None]
    m = m + h[..., :, None] * w[..., None, :] - w[..., :, None] * h[..., None, :]
    v = v - (factor * _dot(h, v))[..., None] * h
    fourth, fifth = m[..., :3, 3], -v[..., :3]
    p, q = fifth + fourth, fifth - fourth
    return (
        m[..., 0, 1],
        m[..., 0, 2],
        m[..., 1, 2],
        *(p[..., i] for i in range(3)),
        *(q[..., i] for i in range(3)),
        -v[..., 3],
    )
