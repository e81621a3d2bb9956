"""Kernels of the exponential, logarithm and split of bivectors of Cl(4,1), on null coordinates (`cga._null`).

Let ``B^2 = s + Q`` with a scalar s and a 4-vector Q, ``Q^2 = g``. Then ``B = B1 + B2`` with commuting simple parts,
``B1^2 = l1 <= B2^2 = l2``, ``l1 + l2 = s``, ``4 l1 l2 = g``, ``Q = 2 B1 B2``; in signature (4,1) s^2 >= g, so all is
real. Every function of B wanted here is f(s + Q) or f(s + Q) B with f entire or analytic, and has removable
singularities only. Three forms cover them, each smooth where it is used: a power series in s + Q near 0; the
eigenvalues ``s +- sqrt(g)`` where g is large, which passes through the isoclinic case l1 = l2; and l1, l2 elsewhere,
which passes through the simple case g = 0. Arguments of a form that isn't used are replaced ("double where"), so that
derivatives are finite.

The logarithm works the same way on ``R = C + b``, C = <R>_0 + <R>_4 = cosh(sqrt(s + Q)):
``log R = f(C) b`` with ``f(y) = acos(y)/sqrt(1 - y^2)``, which is analytic but for y <= -1. There the half-angles sum
to pi and no logarithm is unique.

References: Dorst & Valkenburg, "Square root and logarithm of rotors in 3D conformal geometric algebra using polar
decomposition", 2011; Roelfs & De Keninck, "Graded symmetry groups: plane and simple", arXiv:2107.03771.
"""

from __future__ import annotations

from functools import reduce
from math import factorial, pi
from typing import Any

import jax
import jax.numpy as jnp

from cga import _null as null
from cga._null import Parts
from cga._turn import half_turn, roots

_COSH = [1 / factorial(2 * k) for k in range(12)]
_SINH = [1 / factorial(2 * k + 1) for k in range(12)]
_ARC = reduce(lambda found, k: [*found, found[-1] * 2 * k / (2 * k + 1)], range(1, 20), [1.0])
_ARC_REACH = 0.125
"""The series of `arc` is used up to this argument; 8**-20 is below rounding."""

_NOISE = 32.0
"""A part of a rotor below this many rounding errors has no direction of its own."""

_NULL_NOISE = 256.0
"""A bivector whose squares l1, l2 differ by less than this many rounding errors of their terms is taken as null."""


def _horner(coefficients: list[float], x: Any) -> Any:
    total = jnp.full_like(x, coefficients[-1])
    for c in reversed(coefficients[:-1]):
        total = total * x + c
    return total


def _ring_horner(coefficients: list[float], x: Any, y: Any, g: Any) -> tuple[Any, Any]:
    """A polynomial of ``x + y Q`` with Q^2 = g, as scalar part and factor of Q."""
    u, v = jnp.full_like(x, coefficients[-1]), jnp.zeros_like(x)
    for c in reversed(coefficients[:-1]):
        u, v = u * x + v * y * g + c, v * x + u * y
    return u, v


def _cosh_sinch(x: Any) -> tuple[Any, Any]:
    """``cosh(sqrt x)`` and ``sinh(sqrt x)/sqrt x``, entire in x (cos and sin for x < 0)."""
    near = jnp.where(jnp.abs(x) <= 1, x, 0)
    up, down = jnp.sqrt(jnp.where(x > 1, x, 1)), jnp.sqrt(jnp.where(x < -1, -x, 1))
    cosh = jnp.where(x > 1, jnp.cosh(up), jnp.where(x < -1, jnp.cos(down), _horner(_COSH, near)))
    sinch = jnp.where(x > 1, jnp.sinh(up) / up, jnp.where(x < -1, jnp.sin(down) / down, _horner(_SINH, near)))
    return cosh, sinch


def arc(w: Any) -> Any:
    """``acos(y)/sqrt(1 - y^2)`` at y = 1 - 2w, for w < 1 (acosh for w < 0): analytic, 1 at w = 0."""
    near = jnp.where(jnp.abs(w) <= _ARC_REACH, w, 0)
    low, high = jnp.where(w < -_ARC_REACH, -w, 1), jnp.where(w > _ARC_REACH, jnp.minimum(w, 0.9), 0.5)
    boost = jnp.arcsinh(jnp.sqrt(low)) / jnp.sqrt(low * (1 + low))
    turn = jnp.arcsin(jnp.sqrt(high)) / jnp.sqrt(high * (1 - high))
    return jnp.where(w > _ARC_REACH, turn, jnp.where(w < -_ARC_REACH, boost, _horner(_ARC, near)))


def exp(b: Parts) -> tuple[Any, Parts, Parts]:
    """``exp(B)``: scalar, bivector, 4-vector."""
    s, q = null.square(b)
    g = null.quad_square(q)
    near = (jnp.abs(s) <= 0.5) & (jnp.abs(g) <= 0.25)
    paired = ~near & (g > s * s / 2)
    apart = ~near & ~paired
    s0, g0 = jnp.where(near, s, 0), jnp.where(near, g, 0)
    one = jnp.ones_like(s)
    series = (*_ring_horner(_COSH, s0, one, g0), *_ring_horner(_SINH, s0, one, g0))
    root = jnp.sqrt(jnp.where(paired, g, 1))
    s1 = jnp.where(paired, s, 0)
    l1, l2, h = roots(s, g / 4, apart)
    # One call on a stack compiles in a quarter of the time of four.
    (c_up, c_down, c1, c2), (s_up, s_down, sh1, sh2) = _cosh_sinch(jnp.stack([s1 + root, s1 - root, l1, l2]))
    eigen = (
        (c_up + c_down) / 2,
        (c_up - c_down) / (2 * root),
        (s_up + s_down) / 2,
        (s_up - s_down) / (2 * root),
    )
    split = c1 * c2, sh1 * sh2 / 2, (c1 * sh2 * l2 - sh1 * c2 * l1) / h, (sh1 * c2 - c1 * sh2) / (2 * h)
    cu, cv, su, sv = null.select(near, series, null.select(paired, eigen, split))
    bivector = null.add(null.scale(su, b), null.scale(sv, null.quad_times(q, b)))
    return cu, bivector, null.scale(cv, q)


def split(b: Parts) -> tuple[Parts, Parts]:
    """The commuting simple parts of B, the more negative square first.

    Where both squares are equal, the parts lie along the isoclinic parts of e12 (see `_isoclinic`); where B is null it
    is the first part and the second is zero.
    """
    s, q = null.square(b)
    g = null.quad_square(q)
    eps = jnp.finfo(s.dtype).eps
    paired = g > s * s / 2
    apart = ~paired & (s * s - g > (_NULL_NOISE * eps * null.magnitude(b)) ** 2)
    l1, _, h = roots(s, g / 4, apart)
    d = null.scale(0.5, null.quad_times(q, b))
    first = tuple((x - l1 * y) / h for x, y in zip(d, b, strict=True))
    first = null.select(apart, first, b)
    second = tuple(x - y for x, y in zip(b, first, strict=True))
    _, parts, n, by = _isoclinic(_unit_quad(q, g, paired), b, paired)
    units = null.scale(1 / by, parts)
    unit_up, unit_down = (tuple(x[i] for x in units) for i in range(2))
    outer, inner = (n[1] + n[0]) / 2, (n[1] - n[0]) / 2
    both = null.scale(outer, null.add(unit_down, unit_up))
    rest = null.scale(inner, null.add(unit_down, null.scale(-1.0, unit_up)))
    return null.select(paired, both, first), null.select(paired, rest, second)


def _unit_quad(q: Parts, g: Any, use: Any) -> Parts:
    """q / sqrt(q^2), and e1234 where not used."""
    root = jnp.sqrt(jnp.where(use, g, 1))
    e1234 = (jnp.ones_like(g), -jnp.ones_like(g), *[jnp.zeros_like(g)] * 3)
    return null.select(use, null.scale(1 / root, q), e1234)


def _isoclinic(unit: Parts, b: Parts, use: Any) -> tuple[Parts, Parts, Any, Any]:
    """The parts of b on which the 4-vector ``unit`` acts as +1 and as -1; a part's square is ``-n^2 (1 +- unit)/2``.

    Projected twice, so that what rounding leaves is relative to the part; as a loop, so that each result is stored
    before it is used. (A compiler that fuses may compute one part twice with different rounding, as fused
    multiply-adds or not; where a part is a small difference of large numbers, those two would not agree.) Where a part
    is only rounding noise, the part of e12 stands in for its direction.

    Returns:
        For both signs, along a first axis: the part projected once; the part, or its stand-in; its size n, 0 for a
        stand-in; and the size to divide the part by.
    """
    plane = null.basis_bivector("e12", b[0])
    unit = tuple(x[None] for x in unit)
    signs = jnp.array([1.0, -1.0, 1.0, -1.0], dtype=b[0].dtype).reshape(4, *[1] * b[0].ndim)

    def project(x: Parts, _: None) -> tuple[Parts, Parts]:
        once = null.quad_times(unit, x)
        new = tuple((y + signs * z) / 2 for y, z in zip(null.quad_times(unit, once), once, strict=True))
        return new, new

    start = tuple(jnp.stack([x, x, e, e]) for x, e in zip(b, plane, strict=True))
    parts = jax.lax.scan(project, start, None, length=2)[1]
    once, twice, stand_in = (tuple(x[index] for x in parts) for index in (_ONCE, _TWICE, _STAND_IN))
    floor = (_NOISE * jnp.finfo(b[0].dtype).eps) ** 2 * null.magnitude(b)
    square = -2 * null.inner(tuple(x[1] for x in parts), tuple(x[1] for x in parts))
    lost = ~(square[:2] > floor[None]) | ~use[None]
    size = jnp.sqrt(jnp.where(lost, 1, square[:2]))
    length = jnp.sqrt(jnp.where(lost, square[2:], 1))
    return once, null.select(lost, stand_in, twice), jnp.where(lost, 0, size), jnp.where(lost, length, size)


_ONCE, _TWICE, _STAND_IN = (0, slice(0, 2)), (1, slice(0, 2)), (1, slice(2, 4))


def log(a: Any, b: Parts, q: Parts) -> Parts:
    """The principal logarithm of a unit rotor a + b + q; see `cga.log` for the rule where it isn't unique."""
    s, wedge = null.square(b)
    # R ~R = 1 gives b ^ b = 2 a q. Near -1 and its like b is small, and q, its square, is lost in rounding.
    # Elsewhere a may be near 0, and the quotient of two rounding errors.
    from_b = (a < -0.5) & (a * a > jnp.abs(null.quad_square(q)))
    q = null.select(from_b, null.scale(1 / jnp.where(from_b, 2 * a, 1), wedge), q)
    g = null.quad_square(q)
    sigma = (
        s - 2 * g
    )  # x1 + x2, with x1 = -sin^2 of the half-angle, x2 = sinh^2 (or -sin^2) of the other; g = x1 x2
    near = (jnp.abs(1 - jnp.abs(a)) <= _ARC_REACH) & (jnp.abs(g) <= _ARC_REACH**2)
    # What rounding leaves of sigma^2 - 4 g where l1 = l2 = 0.
    noise = _NOISE * jnp.finfo(a.dtype).eps * null.magnitude(b)
    length = sum((jnp.abs(x) for x in q), start=jnp.zeros_like(a))
    floor = noise * (noise + 4 * length)
    # Near minus one a small b has the rounding of R, eps, not that of its own size.
    rough = _NOISE * jnp.finfo(a.dtype).eps * sum((jnp.abs(x) for x in b), start=jnp.zeros_like(a))
    lost = from_b & (g <= floor + rough * (rough + 4 * length))
    paired = ~((a > 0) & near) & (g > sigma * sigma / 8) & ~lost
    apart = _log_apart(a, b, q, g, sigma, floor, near & ~paired, ~paired)
    found = jax.lax.cond(
        jnp.any(paired), _log_paired, lambda a, b, q, g, use: jnp.zeros_like(apart), a, b, q, g, paired
    )
    found = jnp.where(paired[..., None], found, apart)
    return tuple(found[..., i] for i in range(10))


def _log_paired(a: Any, b: Parts, q: Parts, g: Any, use: Any) -> Any:
    """Two rotations: the sum over the two isoclinic parts, each with its own angle; (..., 10)."""
    root = jnp.sqrt(jnp.where(use, g, 1))
    once, part, size, length = _isoclinic(_unit_quad(q, g, use), b, use)
    y = jnp.where(use, a, 0)[None] + jnp.stack([root, -root])
    far = y < -0.5
    # At an exact tie the size is 0 and the angle pi.
    angle = jnp.arctan2(jnp.where(far, size, 1), jnp.where(far, y, 0))
    factor = jnp.where(far, angle / length, arc(jnp.where(far, 0, (1 - y) / 2)))
    # On a stacked array: a compiler that fuses would write the code of the factor again for each of ten.
    chosen = jnp.where(far[..., None], jnp.stack(part, -1), jnp.stack(once, -1))
    return (factor[..., None] * chosen).sum(0)


def _log_apart(a: Any, b: Parts, q: Parts, g: Any, sigma: Any, floor: Any, near: Any, use: Any) -> Any:
    """A rotation and a boost, a translation or a much smaller rotation; (..., 10).

    A half-angle beyond 120 degrees is taken through -R: the logarithm of that, and half a turn in a plane that commutes
    with it. An error of R would be multiplied by pi / sin otherwise.
    """
    solvable = use & ~near & (sigma * sigma - 4 * g > floor)
    x1, x2, h = roots(sigma, g, solvable)
    x1, x2 = jnp.where(solvable, x1, 0), jnp.where(solvable, x2, 0)
    c2 = jnp.sqrt(1 + jnp.maximum(x2, -0.5))
    c1 = jnp.where(use, a, 1) / c2
    far = c1 < -0.5
    c1 = jnp.where(far, -c1, c1)
    b = null.select(far, null.scale(-1.0, b), b)
    qb = null.scale(jnp.where(far, -1.0, 1.0), null.quad_times(q, b))
    by_s1, by_s2 = arc((1 - c1) / 2), arc((1 - c2) / 2)
    w = jnp.where(near, (1 - jnp.abs(a)) / 2, 0)
    series = _ring_horner(_ARC, w, jnp.full_like(w, -0.5), jnp.where(near, g, 0))
    u, v = null.select(near, series, ((x2 * c1 * by_s2 - x1 * c2 * by_s1) / h, (c1 * by_s1 - c2 * by_s2) / h))
    plain = u[..., None] * jnp.stack(b, -1) + v[..., None] * jnp.stack(qb, -1)
    return plain - jax.lax.cond(jnp.any(far), _far_turns, lambda x, far: jnp.zeros_like(x), plain, far)


def _far_turns(b: Any, far: Any) -> Any:
    """Half a turn, pi P, in a plane that commutes with b (..., 10), where ``far``."""
    b = jnp.where(far[..., None], b, jnp.stack(null.basis_bivector("e12", b[..., 0]), axis=-1))
    return jnp.where(far[..., None], pi, 0).astype(b.dtype) * half_turn(b)


def inverse_root(a: Any, q: Parts) -> tuple[Any, Parts, Any]:
    """``(a + q)^(-1/2)`` with positive scalar part, as scalar and 4-vector; and whether it exists."""
    g = null.quad_square(q)
    ok = (a > 0) & (a * a > g)
    a, g = jnp.where(ok, a, 1), jnp.where(ok, g, 0)
    n = jnp.sqrt(a * a - g)
    below = n * jnp.sqrt(2 * (a + n))
    return (a + n) / below, null.scale(-1 / below, q), ok
