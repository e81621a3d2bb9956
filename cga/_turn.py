"""The plane of a turn beside a boost, a shift or another turn: what a logarithm near minus a rotor needs.

``R = -exp(B)`` with small ``B = delta P + N`` has the logarithm ``B - pi P``. Of P only its small multiple is in B, and
beside a null N (a translation) in a general frame rounding hides even the square of that. But any unit plane that
commutes with B up to rounding serves as well. Such a plane is read off in a frame in which N is a similarity:
N with real squares fixes a null direction k, ``N . k = beta k``; a reflection takes k to einf, and then B has the form
``r + p einf + w e45``, in which the plane of r, its place and the rest stand apart.

A bivector is held as what it does to vectors, ``x -> B . x``: as a 5x5 matrix on (e1, e2, e3, einf, eo), where a rigid
motion has exact zeros, or as a 4x4 matrix M on the Euclidean vectors and ``v_i = -B_i5``,
(y, y5) -> (M y + v y5, v . y).
Small arrays instead of named components: the code compiles in a fraction of the time.
"""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from cga import _null as null
from cga._null import Parts

_NOISE = 32.0
"""A number below this many rounding errors of its terms is taken as zero."""

_STEPS = 3
"""Newton steps for the null direction."""

_TIE_PLANES = ("e3", "e2", "e1", "e5", "e4")


@jax.custom_jvp
def half_turn(values: Any) -> Any:
    """A unit plane that commutes with b: that of its part of the more negative square, or by a rule where none is.

    Args:
        values: a bivector b, (..., 10) in null coordinates (`cga._null`).

    Returns:
        P with ``P^2 = -1``, oriented like its part of b, (..., 10).
    """
    b = tuple(values[..., i] for i in range(10))
    s, q = null.square(b)
    g = null.quad_square(q)
    eps = jnp.finfo(s.dtype).eps
    total = sum((x * x for x in b), start=jnp.zeros_like(s))
    apart = s * s - g > (_NOISE * eps * total) ** 2
    l1, l2, h = roots(s, g / 4, apart)
    l1, l2 = jnp.where(apart, l1, 0), jnp.where(apart, l2, 0)
    a = _action(b)
    projected, some = _projected(a, l1, l2, h, total)
    seen, there = commuting_plane(b, jnp.minimum(l1, 0), l2)
    # The projection is exact where the turn outweighs the rest, and all there is where the rest turns too.
    planes = _simplified(jnp.stack([projected, _action(seen), _action(tie_plane(b))]))
    sizes = jnp.finfo(s.dtype).eps * jnp.abs(planes).sum((-1, -2))
    fault = _fault(planes, a[None]) + sizes * jnp.maximum(1, _magnitude(planes))
    by_projection, by_sight = jnp.where(some, fault[0], jnp.inf), jnp.where(there, fault[1], jnp.inf)
    sight = by_sight <= by_projection
    best = jnp.where(sight, by_sight, by_projection)
    rounding = jnp.where(sight, sizes[1], sizes[0])
    # The rule of ties neglects the turn, so only where that is small and its plane can't be told.
    small = -l1 < 4096 * eps * jnp.maximum(1, total)
    told = best <= jnp.minimum(64 * rounding, 4096 * eps)
    unknown = (small & ~told & (fault[2] < best)) | jnp.isinf(best)
    found = jnp.where(sight[..., None, None], planes[1], planes[0])
    return _coordinates(jnp.where(unknown[..., None, None], planes[2], found))


def _simplified(plane: Any) -> Any:
    """A unit plane that rounding left not quite simple: its powers make it so. Far out they would only round more."""
    square = _times_matrix(plane, plane)
    simple = -_times_matrix(_times_matrix(plane, square), (5 * _constant(np.eye(5), plane) + 3 * square) / 2)
    near = (jnp.abs(plane).sum((-1, -2)) < 256) & (jnp.abs(simple - plane).sum((-1, -2)) < 0.01)
    return jnp.where(near[..., None, None], (simple - _metric_transpose(simple)) / 2, plane)


@half_turn.defjvp
def _half_turn_derivative(primals: tuple[Any], tangents: tuple[Any]) -> tuple[Any, Any]:
    """``[dP, b] + [P, db] = 0`` solved for the dP that anticommutes with P; 0 at a tie, where P isn't unique.

    b = c P + N, and ``x -> [x, N]`` has the eigenvalues 0 and +-2 sqrt(N^2) on what anticommutes with P.
    """
    found = half_turn(*primals)
    a, plane, change = (_action(tuple(x[..., i] for i in range(10))) for x in (*primals, found, *tangents))
    c = _along(plane, a)
    rest = a - c[..., None, None] * plane
    firm = jnp.abs(c) > _NOISE * jnp.finfo(c.dtype).eps * jnp.sqrt((a * a).sum((-1, -2)))
    c = jnp.where(firm, c, 1)
    # Commutators of the matrices are half those of the bivectors.
    across = -_commutator(plane, _commutator(plane, change))
    once = _commutator(across, rest)
    below = c * c + _square(rest)
    below = jnp.where(firm & (below != 0), below, 1)[..., None, None]
    away = (across - _commutator(once, rest) / below) / c[..., None, None] - _commutator(plane, once) / below
    return found, _coordinates(jnp.where(firm[..., None, None], away, 0))


def _projected(a: Any, l1: Any, l2: Any, h: Any, total: Any) -> tuple[Any, Any]:
    """The part of square l1 made a unit plane, and whether it is more than rounding."""
    eps = jnp.finfo(l1.dtype).eps
    plane = (l2[..., None, None] * a - _times_matrix(a, _times_matrix(a, a))) / h[..., None, None]
    square = -_square(plane)
    some = square > (_NOISE * eps) ** 2 * total
    plane = jnp.where(some[..., None, None], plane / jnp.sqrt(jnp.where(some, square, 1))[..., None, None], 0)

    def purified(plane: Any, _: None) -> tuple[Any, None]:
        # What it shares with a firm rest is taken out, then its powers make it simple and a unit.
        turn = _along(plane, a)[..., None, None] * plane
        rest = a - turn
        n = _square(rest)
        weight = (rest * rest).sum((-1, -2))
        firm = (jnp.abs(n) > 1e-3 * weight) & ((turn * turn).sum((-1, -2)) < 10 * weight)
        one = _constant(np.eye(5), a)
        outer = one - jnp.where(
            firm[..., None, None], _times_matrix(rest, rest) / jnp.where(firm, n, 1)[..., None, None], 0
        )
        plane = _times_matrix(outer, _times_matrix(plane, outer))
        square = _times_matrix(plane, plane)
        plane = -_times_matrix(_times_matrix(plane, square), (5 * one + 3 * square) / 2)
        return (plane - _metric_transpose(plane)) / 2, None

    return jax.lax.scan(purified, plane, None, length=2)[0], some


def _constant(values: np.ndarray, like: Any) -> jax.Array:
    """An array in the dtype and number of axes of another, its batch axes of length 1."""
    return jnp.asarray(values, like.dtype).reshape((1,) * (like.ndim - values.ndim) + values.shape)


def _times_matrix(x: Any, y: Any) -> Any:
    return (x[..., :, :, None] * y[..., None, :, :]).sum(-2)


def _commutator(x: Any, y: Any) -> Any:
    return _times_matrix(x, y) - _times_matrix(y, x)


def _square(x: Any) -> Any:
    """``<X^2>_0`` of the bivector X: half the trace of its matrix squared."""
    return _trace(x, x) / 2


def _along(plane: Any, x: Any) -> Any:
    """The component of X along a unit plane."""
    return -_trace(plane, x) / 2


def _trace(x: Any, y: Any) -> Any:
    return (x * jnp.swapaxes(y, -1, -2)).sum((-1, -2))


def _magnitude(x: Any) -> Any:
    """The sum of the absolute values of the terms of ``<X^2>_0``."""
    return jnp.abs(x * jnp.swapaxes(x, -1, -2)).sum((-1, -2)) / 2


def _fault(plane: Any, a: Any) -> Any:
    """How far a plane is from commuting with a bivector, and from being simple and a unit, P^3 = -P and P^2 = -1."""
    cube = _times_matrix(plane, _times_matrix(plane, plane))
    fault = jnp.abs(_commutator(plane, a)).sum((-1, -2)) + jnp.abs(cube + plane).sum((-1, -2))
    fault = fault + jnp.abs(_square(plane) + 1)
    return jnp.where(jnp.isfinite(fault), fault, jnp.inf)


def _action(b: Parts) -> Any:
    """The matrix (..., 5, 5) of ``x -> B . x`` on (e1, e2, e3, einf, eo), einf = e4 + e5, eo = (e5 - e4)/2."""
    r12, r13, r23, p1, p2, p3, m1, m2, m3, w = b
    p1, p2, p3 = p1 / 2, p2 / 2, p3 / 2
    o = jnp.zeros_like(w)
    rows = (
        (o, r12, r13, -m1, -p1),
        (-r12, o, r23, -m2, -p2),
        (-r13, -r23, o, -m3, -p3),
        (-p1, -p2, -p3, -w, o),
        (-m1, -m2, -m3, o, w),
    )
    return jnp.stack([jnp.stack(row, axis=-1) for row in rows], axis=-2)


def _metric_transpose(a: Any) -> Any:
    """The adjoint of a matrix on (e1, e2, e3, einf, eo): minus itself for the matrix of a bivector."""
    swapped = jnp.array([0, 1, 2, 4, 3])
    signs = np.array([1.0, 1.0, 1.0, -1.0, -1.0])
    return jnp.swapaxes(a[..., swapped, :][..., swapped], -1, -2) * _constant(np.outer(signs, signs), a)


def _coordinates(a: Any) -> Any:
    """The null coordinates (..., 10) of the bivector of a matrix: the inverse of `_action`."""
    entries = a.reshape(*a.shape[:-2], 25)
    index = jnp.array([1, 2, 7, 15, 16, 17, 20, 21, 22, 24])
    picked = entries[..., index]
    return picked * _constant(np.array([1.0] * 3 + [-2.0] * 3 + [-1.0] * 3 + [1.0]), picked)


def roots(s: Any, g: Any, use: Any) -> tuple[Any, Any, Any]:
    """The roots ``x1 <= x2`` of ``x^2 - s x + g = 0`` and ``x2 - x1``, without cancellation; dummies where not used."""
    s, g = jnp.where(use, s, 1), jnp.where(use, g, 0)
    h = jnp.sqrt(s * s - 4 * g)
    up = s >= 0
    large = jnp.where(up, s + h, s - h) / 2
    other = g / large
    return jnp.where(up, other, large), jnp.where(up, large, other), h


def tie_plane(n: Parts) -> Parts:
    """A unit plane in the complement of the simple bivector n: the one orthogonal there to e3, e2, e1, e5 or e4.

    Of these vectors that is taken whose plane has the largest square, the first if equal; the plane is e12 if n = 0.
    """
    b = jnp.stack(n, axis=-1)
    size = jnp.abs(b).sum(-1)
    some = size > 0
    plane12, plane45 = (_constant(np.eye(10)[i], b) for i in (0, 9))
    unit = jnp.where(some[..., None], b / jnp.where(some, size, 1)[..., None], plane45)
    table = np.stack([null.complement(vector) for vector in _TIE_PLANES])
    unit = unit[..., None, None, :]
    planes = (_constant(table, unit) * unit).sum(-1)
    r, p, m, w = planes[..., :3], planes[..., 3:6], planes[..., 6:9], planes[..., 9]
    square = (r * r).sum(-1) - (p * m).sum(-1) - w * w
    # An earlier vector is preferred to one that is better by less than 0.1 % of the square.
    score = square * _constant(1.001 ** -np.arange(len(_TIE_PLANES)), square)
    index = jnp.argmax(score, axis=-1)[..., None]
    best_square = jnp.take_along_axis(square, index, axis=-1)[..., 0]
    best = jnp.take_along_axis(planes, index[..., None], axis=-2)[..., 0, :]
    best = jnp.where((best_square > 0)[..., None], best, plane12)
    root = jnp.sqrt(jnp.where(best_square > 0, best_square, 1))
    return tuple(best[..., i] / root for i in range(10))


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

    def direction(y: Any) -> Any:
        square = _dot(y, y)
        some = (square > 0) & ~rigid
        unit = y / jnp.sqrt(jnp.where(some, square, 1))[..., None]
        return jnp.where(some[..., None], unit, _constant(np.eye(4)[3], y))

    def look(at: tuple[Any, ...], _: None) -> tuple[tuple[Any, ...], None]:
        # The frame is a result too, so that the code that makes it stands here once.
        u = at[0]
        turn, shift, rest, w = _seen_from(u, m, v)
        turned = _dot(turn, turn)
        # The block of the axis and e45 holds the boost: its square, and its null direction, are exact there.
        some = turned > (_NOISE * eps * size) ** 2
        axis = turn / jnp.sqrt(jnp.where(some, turned, 1))[..., None]
        p, q = _dot(axis, shift), _dot(axis, rest)
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
        better = direction(_reflected(u, jnp.concatenate([step, jnp.ones_like(step[..., :1])], -1)))
        return (better, u, turn, shift, w), None

    y, y5 = _times(m, v) + beta[..., None] * v, _dot(v, v)
    # A(A + beta) leaves of e5 the null direction, and the turn's delta^2; A^2 + delta^2 takes that away where it can.
    z, z5 = _times(m, y) + v * y5[..., None], _dot(v, y)
    z, z5 = _times(m, z) + v * z5[..., None] - l1[..., None] * y, _dot(v, z) - l1 * y5
    firm = beta * beta - l1 > jnp.sqrt(eps) * size * size
    y, y5 = jnp.where(firm[..., None], z, y), jnp.where(firm, z5, y5)
    start = direction(jnp.where(y5 < 0, -1, 1)[..., None] * y)
    empty = jnp.zeros_like(start[..., :3])
    frame = (start, start, empty, empty, jnp.zeros_like(beta))
    _, u, turn, p, w = jax.lax.scan(look, frame, None, length=_STEPS + 1)[0]
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
