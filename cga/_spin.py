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
from cga._turn import commuting_plane

_COSH = [1 / factorial(2 * k) for k in range(12)]
_SINH = [1 / factorial(2 * k + 1) for k in range(12)]
_ARC = reduce(lambda found, k: [*found, found[-1] * 2 * k / (2 * k + 1)], range(1, 20), [1.0])
_ARC_REACH = 0.125
"""The series of `arc` is used up to this argument; 8**-20 is below rounding."""

_NOISE = 32.0
"""A part of a rotor below this many rounding errors has no direction of its own."""

_NULL_NOISE = 256.0
"""A bivector whose squares l1, l2 differ by less than this many rounding errors of their terms is taken as null."""

_TIE_PLANES = ("e3", "e2", "e1", "e5", "e4")


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


def _roots(s: Any, g: Any, use: Any) -> tuple[Any, Any, Any]:
    """The roots ``x1 <= x2`` of ``x^2 - s x + g = 0`` and ``x2 - x1``, without cancellation; dummies where not used."""
    s, g = jnp.where(use, s, 1), jnp.where(use, g, 0)
    h = jnp.sqrt(s * s - 4 * g)
    up = s >= 0
    large = jnp.where(up, s + h, s - h) / 2
    other = g / large
    return jnp.where(up, other, large), jnp.where(up, large, other), h


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
    l1, l2, h = _roots(s, g / 4, apart)
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
    l1, _, h = _roots(s, g / 4, apart)
    d = null.scale(0.5, null.quad_times(q, b))
    first = tuple((x - l1 * y) / h for x, y in zip(d, b, strict=True))
    first = null.select(apart, first, b)
    second = tuple(x - y for x, y in zip(b, first, strict=True))
    (up, n_up, by_up), (down, n_down, by_down) = _isoclinic(_unit_quad(q, g, paired), b, paired)
    unit_up, unit_down = null.scale(1 / by_up, up), null.scale(1 / by_down, down)
    outer, inner = (n_down + n_up) / 2, (n_down - n_up) / 2
    both = null.scale(outer, null.add(unit_down, unit_up))
    rest = null.scale(inner, null.add(unit_down, null.scale(-1.0, unit_up)))
    return null.select(paired, both, first), null.select(paired, rest, second)


def _unit_quad(q: Parts, g: Any, use: Any) -> Parts:
    """q / sqrt(q^2), and e1234 where not used."""
    root = jnp.sqrt(jnp.where(use, g, 1))
    e1234 = (jnp.ones_like(g), -jnp.ones_like(g), *[jnp.zeros_like(g)] * 3)
    return null.select(use, null.scale(1 / root, q), e1234)


def _repeat(step: Any, start: Any, times: int = 2) -> Any:
    """``step`` applied again and again, as a loop, so that each result is stored before it is used.

    A compiler that fuses may compute one part twice with different rounding (as fused multiply-adds or not). Where a
    part is a small difference of large numbers, those two would not agree, and nothing that follows could be relative
    to the part.
    """
    return jax.lax.scan(lambda x, _: (step(x), None), start, None, length=times)[0]


def _isoclinic(unit: Parts, b: Parts, use: Any) -> tuple[tuple[Parts, Any, Any], tuple[Parts, Any, Any]]:
    """The parts of b on which the 4-vector ``unit`` acts as +1 and as -1; a part's square is ``-n^2 (1 +- unit)/2``.

    Projected twice, so that what rounding leaves is relative to the part. Where a part is only rounding noise, the part
    of e12 stands in for its direction.

    Returns:
        For each sign the part; its size n, 0 for a stand-in; and the size to divide the part by.
    """

    def project(x: Parts, sign: float) -> Parts:
        once = null.quad_times(unit, x)
        return tuple((y + sign * z) / 2 for y, z in zip(null.quad_times(unit, once), once, strict=True))

    def both(x: tuple[Parts, Parts]) -> tuple[Parts, Parts]:
        return project(x[0], 1.0), project(x[1], -1.0)

    plane = null.basis_bivector("e12", b[0])
    parts, stand_ins = _repeat(both, (b, b)), both((plane, plane))
    floor = (_NOISE * jnp.finfo(b[0].dtype).eps) ** 2 * null.magnitude(b)
    found = []
    for part, stand_in in zip(parts, stand_ins, strict=True):
        square = -2 * null.inner(part, part)
        lost = ~(square > floor) | ~use
        size = jnp.sqrt(jnp.where(lost, 1, square))
        length = jnp.sqrt(jnp.where(lost, -2 * null.inner(stand_in, stand_in), 1))
        found.append(
            (null.select(lost, stand_in, part), jnp.where(lost, 0, size), jnp.where(lost, length, size))
        )
    return found[0], found[1]


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
    floor = noise * (noise + 4 * sum((jnp.abs(x) for x in q), start=jnp.zeros_like(a)))
    paired = ~((a > 0) & near) & (g > sigma * sigma / 8) & ~(from_b & (g <= floor))
    return null.select(
        paired, _log_paired(a, b, q, g, paired), _log_apart(a, b, q, g, sigma, floor, near & ~paired, ~paired)
    )


def _log_paired(a: Any, b: Parts, q: Parts, g: Any, use: Any) -> Parts:
    """Two rotations: the sum over the two isoclinic parts, each with its own angle."""
    unit = _unit_quad(q, g, use)
    root = jnp.sqrt(jnp.where(use, g, 1))
    total = []
    once = null.quad_times(unit, b)
    twice = null.quad_times(unit, once)
    for sign, (part, size, length) in zip((1.0, -1.0), _isoclinic(unit, b, use), strict=True):
        y = jnp.where(use, a, 0) + sign * root
        far = y < -0.5
        # At an exact tie the size is 0 and the angle pi.
        angle = jnp.arctan2(jnp.where(far, size, 1), jnp.where(far, y, 0))
        factor = jnp.where(far, angle / length, arc(jnp.where(far, 0, (1 - y) / 2)))
        plain = tuple((x + sign * y) / 2 for x, y in zip(twice, once, strict=True))
        total.append(null.scale(factor, null.select(far, part, plain)))
    return null.add(*total)


def _log_apart(a: Any, b: Parts, q: Parts, g: Any, sigma: Any, floor: Any, near: Any, use: Any) -> Parts:
    """A rotation and a boost, a translation or a much smaller rotation.

    A half-angle beyond 120 degrees is taken through -R: the logarithm of that, and half a turn in a plane that commutes
    with it. An error of R would be multiplied by pi / sin otherwise.
    """
    solvable = use & ~near & (sigma * sigma - 4 * g > floor)
    x1, x2, h = _roots(sigma, g, solvable)
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
    plain = null.add(null.scale(u, b), null.scale(v, qb))
    half_turn = _half_turn(null.select(far, plain, null.basis_bivector("e12", a)))
    return null.add(plain, null.scale(jnp.where(far, -pi, 0.0).astype(a.dtype), half_turn))


@jax.custom_jvp
def _half_turn(b: Parts) -> Parts:
    """A unit plane that commutes with b: that of its part of the more negative square, or by a rule where none is."""
    s, q = null.square(b)
    g = null.quad_square(q)
    eps = jnp.finfo(s.dtype).eps
    apart = s * s - g > (_NOISE * eps * _total(b)) ** 2
    l1, l2, h = _roots(s, g / 4, apart)
    l1, l2 = jnp.where(apart, l1, 0), jnp.where(apart, l2, 0)
    d = null.scale(0.5, null.quad_times(q, b))
    plane = _repeat(lambda x: _purified(x, b), tuple((x - l1 * y) / h for x, y in zip(d, b, strict=True)))
    square = -null.inner(plane, plane)
    some = square > (_NOISE * eps) ** 2 * _total(b)
    projected = null.scale(1 / jnp.sqrt(jnp.where(some, square, 1)), plane)
    seen, there = commuting_plane(b, jnp.minimum(l1, 0), l2)
    tie = _tie_plane(b)
    # The projection is exact where the turn outweighs the rest, and all there is where the rest turns too.
    by_projection = jnp.where(some, _fault(projected, b), jnp.inf)
    by_sight = jnp.where(there, _fault(seen, b), jnp.inf)
    found = null.select(by_sight <= by_projection, seen, projected)
    fault = jnp.minimum(by_sight, by_projection)
    # The rule of ties neglects the turn, so only where that is small and its plane can't be told.
    small = -l1 < 4096 * eps * jnp.maximum(1, _total(b))
    unknown = (small & (fault > 64 * _rounding(found)) & (_fault(tie, b) < fault)) | jnp.isinf(fault)
    return null.select(unknown, tie, found)


@_half_turn.defjvp
def _half_turn_derivative(primals: tuple[Parts], tangents: tuple[Parts]) -> tuple[Parts, Parts]:
    """``[dP, b] + [P, db] = 0`` solved for the dP that anticommutes with P; 0 at a tie, where P isn't unique.

    b = c P + N, and ``x -> [x, N]`` has the eigenvalues 0 and +-2 sqrt(N^2) on what anticommutes with P.
    """
    (b,), (db,) = primals, tangents
    plane = _half_turn(b)
    c = -null.inner(plane, b)
    rest = tuple(x - c * y for x, y in zip(b, plane, strict=True))
    firm = jnp.abs(c) > _NOISE * jnp.finfo(c.dtype).eps * jnp.sqrt(_total(b))
    c = jnp.where(firm, c, 1)
    across = null.scale(-1.0, null.bracket(plane, null.bracket(plane, db)))
    once = null.bracket(across, rest)
    twice = null.bracket(once, rest)
    below = c * c + null.inner(rest, rest)
    below = jnp.where(firm & (below != 0), below, 1)
    turned = null.bracket(plane, once)
    change = tuple(
        jnp.where(firm, (x - z / below) / c - y / below, 0)
        for x, y, z in zip(across, turned, twice, strict=True)
    )
    return plane, change


def _fault(plane: Parts, b: Parts) -> Any:
    """How far a plane is from being simple and commuting with b, up to what rounding of the plane does to its turns."""
    parts = (*null.bracket(plane, b), *null.wedge(plane, plane))
    return sum((jnp.abs(x) for x in parts), start=_rounding(plane) * jnp.maximum(1, null.magnitude(plane)))


def _rounding(parts: Parts) -> Any:
    zero = jnp.zeros_like(parts[0])
    return jnp.finfo(zero.dtype).eps * sum((jnp.abs(x) for x in parts), start=zero)


def _total(parts: Parts) -> Any:
    return sum((x * x for x in parts), start=jnp.zeros_like(parts[0]))


def _purified(plane: Parts, b: Parts) -> Parts:
    """A simple part of b, made to commute with a smaller or larger rest and to share nothing with it."""
    rest = tuple(x - y for x, y in zip(b, plane, strict=True))
    n = null.inner(rest, rest)
    eps = jnp.finfo(n.dtype).eps
    firm = (jnp.abs(n) > 1e-3 * null.magnitude(rest)) & (jnp.abs(n) > _NOISE * eps * _total(rest))
    firm = firm & (_total(plane) < 10 * _total(rest))
    n = jnp.where(firm, n, 1)
    cleaned = null.commutant(rest, plane, n)
    along = null.inner(cleaned, rest) / n
    return null.select(firm, tuple(x - along * y for x, y in zip(cleaned, rest, strict=True)), plane)


def _tie_plane(n: Parts) -> Parts:
    """A unit plane in the complement of the simple bivector n: the one orthogonal there to e3, e2, e1, e5 or e4.

    Of these vectors that is taken whose plane has the largest square, the first if equal; the plane is e12 if n = 0.
    """
    size = sum((jnp.abs(x) for x in n), start=jnp.zeros_like(n[0]))
    some = size > 0
    unit = null.select(some, null.scale(1 / jnp.where(some, size, 1), n), null.basis_bivector("e45", size))
    best, best_square = null.basis_bivector("e12", size), jnp.zeros_like(size)
    for vector in _TIE_PLANES:
        plane = null.contract(vector, unit)
        square = -null.inner(plane, plane)
        better = square > best_square * (1 + 1e-3)
        best, best_square = null.select(better, plane, best), jnp.where(better, square, best_square)
    root = jnp.sqrt(jnp.where(best_square > 0, best_square, 1))
    return null.scale(1 / root, best)


def inverse_root(a: Any, q: Parts) -> tuple[Any, Parts, Any]:
    """``(a + q)^(-1/2)`` with positive scalar part, as scalar and 4-vector; and whether it exists."""
    g = null.quad_square(q)
    ok = (a > 0) & (a * a > g)
    a, g = jnp.where(ok, a, 1), jnp.where(ok, g, 0)
    n = jnp.sqrt(a * a - g)
    below = n * jnp.sqrt(2 * (a + n))
    return (a + n) / below, null.scale(-1 / below, q), ok
