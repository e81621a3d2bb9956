"""Exponential, logarithm, square root, power and interpolation of rotors of Cl(4,1); the split of a bivector.

The formulas are closed, with finite derivatives of every order wherever the function is smooth; see `cga._spin` for the
mathematics and its sources. Everything works under jit, vmap and grad, over leading batch axes, in float32 and float64.
"""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import jax.scipy.linalg
from jaxtyping import Array, Bool, Shaped

from cga import _null as null
from cga import _spin
from cga._algebra import multiply, product_table
from cga._checks import as_power, from_cga, inside_cga, reject, to_cga
from cga._multivector import Multivector, product
from cga._versors import inverse

_EVEN = (0, 2, 4)


@jax.jit
def _exp_values(values: Shaped[Array, "*batch 10"]) -> Shaped[Array, "*batch 16"]:
    scalar, bivector, quad = _spin.exp(null.from_bivector(values))
    return jnp.concatenate([scalar[..., None], null.to_bivector(bivector), null.to_quad(quad)], axis=-1)


def exp(x: Multivector) -> Multivector:
    """The exponential, ``sum x^n / n!``.

    For a bivector of Cl(4,1) (or scalar and bivector, as scalars commute) it is a closed form, right at zero, null,
    simple, isoclinic and mixed bivectors, with finite derivatives everywhere. ``exp(-angle/2 plane)`` is the rotor that
    turns by ``angle`` in the unit plane; see `rotor`. Any other element goes through the exponential of its
    matrix of left multiplication, which costs far more.

    Args:
        x: bivectors in radians (half-angles) on planes, in logarithms (half) on boosts.

    Returns:
        Grades 0, 2, 4 for a bivector. Beyond half-boosts of 88 (float32) or 709 (float64) it overflows to inf.
    """
    if not set(x.grades) <= {0, 2} or not inside_cga(x.algebra):
        return _exp_dense(x)
    if 2 not in x.grades:
        return Multivector(jnp.exp(x.with_grades((0,)).values), (0,), x.algebra)
    inner = to_cga(x, "exp")
    result = Multivector(_exp_values(inner.grade(2).values), _EVEN)
    if 0 in inner.grades:
        result = result * jnp.exp(inner["1"])
    return from_cga(result, x.algebra)


def _exp_dense(x: Multivector) -> Multivector:
    blades = tuple(range(x.algebra.size))
    table = product_table(x.algebra, "geometric", blades, blades, blades)
    identity = jnp.eye(x.algebra.size, dtype=x.dtype)
    rows = multiply(table, x.with_grades(x.algebra.all_grades).values[..., None, :], identity)
    # The matrix acts on rows: x times the i-th blade is row i.
    flat = rows.reshape(-1, x.algebra.size, x.algebra.size)
    found = jax.vmap(jax.scipy.linalg.expm)(flat)[:, 0, :]
    even = all(g % 2 == 0 for g in x.grades)
    kept = tuple(g for g in x.algebra.all_grades if not even or g % 2 == 0)
    return Multivector(found.reshape(*x.shape, x.algebra.size), x.algebra.all_grades, x.algebra).grade(*kept)


@jax.jit
def _log_values(
    values: Shaped[Array, "*batch 16"],
) -> tuple[Shaped[Array, "*batch 10"], Bool[Array, "*batch"]]:
    a, b, q = values[..., 0], null.from_bivector(values[..., 1:11]), null.from_quad(values[..., 11:])
    s, wedge = null.square(b)
    size = jnp.sum(values * values, axis=-1)
    residual = [a * a + null.quad_square(q) - s - 1, *(2 * a * x - y for x, y in zip(q, wedge, strict=True))]
    worst = jnp.max(jnp.abs(jnp.stack(residual)), axis=0)
    ok = worst <= LOG_TOLERANCE + 64 * jnp.finfo(values.dtype).eps * size
    return null.to_bivector(_spin.log(a, b, q)), ~ok


LOG_TOLERANCE = 1e-3
"""How far ``R ~R`` may be from 1, component by component, for `log` to take R as a rotor; rounding is allowed for."""


def log(rotor: Multivector) -> Multivector:
    """The principal logarithm: the bivector B of least norm with ``exp(B) = R``.

    Half-turns, screws at 180 degrees, half-angles in (90, 180] degrees (R and -R have different logarithms), isoclinic
    rotations, dilations, translators and transversors are all regular. No logarithm is unique where the half-angles
    of R sum to pi. The rules there, all of least norm:

    - R = -1: ``pi e12``.
    - R = -exp(N), N simple with N^2 >= 0 (-translator, -dilator): ``N + pi J``, with J the unit plane in the
      orthogonal complement of N that is orthogonal there to e3, else e2, e1, e5, e4 (the one best defined, the first
      of equals). For a translator J is the plane through the origin perpendicular to the translation.
    - Two rotations (e1234): the isoclinic part with half-angles sum pi is taken along the isoclinic part of e12; the
      logarithm of e1234 is ``pi/2 (e12 + e34)``.

    Beside those, B is as ill-conditioned as the axis of the turn is far: for ``R = -exp(delta P + N)`` with N null and
    ``delta < sqrt(eps |N|)`` the axis may lie 1 / delta away, and ``exp(B)`` is off by more than rounding (2e-10 at
    worst, as found). Elsewhere it agrees to rounding, in any frame.

    Args:
        rotor: R in Spin+(4,1): even, ``R ~R = 1`` within `LOG_TOLERANCE`; what drifted further goes to `unitize` first.

    Raises:
        ValueError: not in Spin+(4,1), such as e45 (``R ~R = -1``), a vector, or a rotor of another norm. Traced values
            give NaN.
    """
    inner = to_cga(rotor, "log")
    values, bad = _log_values(inner.with_grades(_EVEN).values)
    odd = inner.grade(1, 3, 5).values
    bad = bad | jnp.any(odd != 0, axis=-1)
    message = (
        "log: not in Spin+(4,1), as R is not even with R ~R = 1: call unitize for a rotor of another norm; reflections "
        "and elements such as e45 (R ~R = -1) have no logarithm"
    )
    return from_cga(Multivector(reject(values, bad, message), (2,)), rotor.algebra)


@jax.jit
def _split_values(
    values: Shaped[Array, "*batch 10"],
) -> tuple[Shaped[Array, "*batch 10"], Shaped[Array, "*batch 10"]]:
    first, second = _spin.split(null.from_bivector(values))
    return null.to_bivector(first), null.to_bivector(second)


def split(bivector: Multivector) -> tuple[Multivector, Multivector]:
    """Splits a bivector into commuting simple parts: ``B = B1 + B2``, ``B1 B2 = B2 B1``, both squares scalar.

    Of a null bivector B1 is all. Where the squares are equal (isoclinic) the split isn't unique: the missing isoclinic
    part is taken along that of e12, so ``e12 + e34`` gives e12 and e34. Nearly null, with squares that differ by h, the
    parts are large and their errors grow as eps |B|^2 / h.

    Returns:
        B1 and B2, the more negative square first (a rotation before a boost).

    Raises:
        ValueError: an element that isn't stored as a bivector.
    """
    if bivector.grades != (2,):
        raise ValueError(f"split: grades {bivector.grades}; only bivectors split, take .grade(2)")
    inner = to_cga(bivector, "split")
    first, second = (Multivector(v, (2,)) for v in _split_values(inner.values))
    return from_cga(first, bivector.algebra), from_cga(second, bivector.algebra)


def sqrt(rotor: Multivector) -> Multivector:
    """The principal square root ``exp(log(R)/2)``: half the motion. See `log` for where it isn't unique.

    Raises:
        ValueError: as `log`; NaN when traced.
    """
    return exp(0.5 * log(rotor))


def power(x: Multivector, exponent: Any) -> Multivector:
    """A power.

    Args:
        x: any element for an integer exponent (an invertible one if it is negative); otherwise a rotor.
        exponent: a Python integer multiplies x by itself, ``x^0 = 1``; a float or an array of the batch's shape gives
            ``exp(t log x)``, the same motion t times.

    Raises:
        ValueError: as `inverse` for a negative integer, as `log` for a real exponent; NaN when traced.
    """
    if isinstance(exponent, int) and not isinstance(exponent, bool):
        return _integer_power(x, exponent)
    return exp(as_power(exponent, x) * log(x))


def _integer_power(x: Multivector, exponent: int) -> Multivector:
    if exponent < 0:
        return _integer_power(inverse(x), -exponent)
    result = Multivector(jnp.ones((*x.shape, 1), x.dtype), (0,), x.algebra)
    factor = x
    while exponent:
        if exponent & 1:
            result = product("geometric", result, factor)
        exponent >>= 1
        if exponent:
            factor = product("geometric", factor, factor)
    return result


def interpolate(start: Multivector, end: Multivector, t: Any) -> Multivector:
    """The point at t of the screw path from one rotor to another, ``exp(t log(R1 ~R0)) R0``.

    The shorter of the two ways, to R1 or to -R1, which are the same motion; at a tie (``<R1 ~R0>_0 = 0``) to R1.
    Constant speed: equal steps of t are equal motions.

    Args:
        start: R0, the result at t = 0.
        end: R1, the result at t = 1 up to sign.
        t: a number, or an array that broadcasts with the batch; outside [0, 1] it extrapolates.

    Raises:
        ValueError: as `log`; NaN when traced.
    """
    ratio = product("geometric", end, ~start, _EVEN)
    ratio = ratio * jnp.where(ratio["1"] < 0, -jnp.ones_like(ratio["1"]), jnp.ones_like(ratio["1"]))
    return product("geometric", exp(as_power(t, start) * log(ratio)), start, _EVEN)
