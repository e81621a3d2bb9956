"""Versors: products of invertible vectors, acting on the algebra by the twisted sandwich.

An even versor R acts as ``X -> R X R^-1``, an odd one V as ``X -> involute(X)`` between V and its inverse,
``(-1)^grade(X) V X V^-1``. For a unit rotor (R ~R = 1) that is ``R X ~R``.
Reference: Dorst, Fontijne & Mann, *Geometric Algebra for Computer Science*, 2007, chapter 7.
"""

from __future__ import annotations

import jax.numpy as jnp
from jaxtyping import Array, Bool, Shaped

from cga._algebra import CGA
from cga._multivector import Multivector, product


def versor_inverse(versor: Multivector) -> Multivector:
    """``V^-1 = ~V / (V ~V)``; NaN where V is null.

    Only for versors: for any other element ``V ~V`` is not a scalar and the result is no inverse; `is_versor` tells.
    """
    square = versor.norm_squared()
    return ~versor / jnp.where(square == 0, jnp.nan, square)


def normalize(versor: Multivector) -> Multivector:
    """``V / sqrt(|V ~V|)``, so that V ~V = 1 or -1; NaN where V is null, as nothing can be divided out there."""
    square = jnp.abs(versor.norm_squared())
    return versor / jnp.sqrt(jnp.where(square > 0, square, jnp.nan))


def versor_condition(versor: Multivector) -> Shaped[Array, "*batch"]:
    """``|V ~V - 1|``, the root of the sum of its squared components: 0 for a unit rotor. Measured, never repaired."""
    residual = product("geometric", versor, ~versor) - 1
    return jnp.sqrt(jnp.sum(residual.values * residual.values, axis=-1))


def is_versor(x: Multivector, tolerance: float = 1e-5) -> Bool[Array, "*batch"]:
    """Whether x is a versor, of any norm but zero.

    It is even or odd, ``x ~x`` is a non-zero scalar, and x takes vectors to vectors (in five dimensions the first two
    do not imply the third).

    Args:
        x: the element.
        tolerance: bound on what should vanish, relative to the sum of squared components of x.
    """
    values = x.values
    scale = jnp.sum(values * values, axis=-1)
    square = product("geometric", x, ~x)
    invertible = jnp.abs(x.norm_squared()) > tolerance * scale
    odd = jnp.asarray([CGA.blade_grades[b] % 2 == 1 for b in x.blades])
    parts = [
        jnp.sum(jnp.where(jnp.broadcast_to(mask, values.shape), values * values, 0), -1)
        for mask in (odd, ~odd)
    ]
    pure = jnp.minimum(*parts) <= tolerance * tolerance * scale
    basis = Multivector(jnp.eye(5, dtype=x.dtype), (1,))
    each = Multivector(values[..., None, :], x.grades)
    moved = product("geometric", product("geometric", each, basis), ~each)
    stray = [_largest(square, (0,)), jnp.max(_largest(moved, (1,)), axis=-1, initial=0)]
    return pure & invertible & (jnp.maximum(*stray) <= tolerance * scale)


def _largest(x: Multivector, expected: tuple[int, ...]) -> Shaped[Array, "*batch"]:
    """Largest component outside the expected grades."""
    rest = x.grade(*(g for g in x.grades if g not in expected))
    return jnp.max(jnp.abs(rest.values), axis=-1, initial=0)
