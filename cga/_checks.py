"""Bad input: an error where values are known, NaN where they are traced; and algebras inside Cl(4,1)."""

from __future__ import annotations

from typing import Any

import jax.numpy as jnp
from jax.core import Tracer
from jaxtyping import Array, Bool, Shaped

from cga._algebra import CGA, Algebra
from cga._multivector import Multivector


def reject(
    values: Shaped[Array, "*batch blades"], bad: Bool[Array, "*batch"], message: str
) -> Shaped[Array, "*batch blades"]:
    """The values, NaN where they are bad and the condition is traced.

    Raises:
        ValueError: a bad element, where the condition isn't traced.
    """
    if not isinstance(bad, Tracer):
        count = int(jnp.sum(bad))
        if count == 0:
            return values
        raise ValueError(message + (f" ({count} of the {bad.size} elements)" if bad.ndim else ""))
    nan = jnp.full_like(values, jnp.nan)
    return jnp.where(jnp.broadcast_to(bad[..., None], values.shape), nan, values)


def inside_cga(algebra: Algebra) -> bool:
    """Whether the algebra is Cl(p, q) with p <= 4 and q <= 1, a subalgebra of Cl(4,1)."""
    return algebra.p <= CGA.p and algebra.q <= CGA.q and algebra.r == 0


def to_cga(x: Multivector, what: str) -> Multivector:
    """The element of Cl(4,1) that stands for x: e1..ep stay, the negative vector of x becomes e5.

    Raises:
        ValueError: an algebra that isn't inside Cl(4,1).
    """
    algebra = x.algebra
    if algebra == CGA:
        return x
    if not inside_cga(algebra):
        raise ValueError(
            f"{what}: Cl{algebra.p, algebra.q, algebra.r} isn't inside Cl(4,1); take p <= 4, q <= 1, r = 0"
        )
    names = ["".join(str(i if i <= algebra.p else 5) for i in b) for b in algebra.blade_indices]
    positions = [CGA.position("e" + name if name else "1") for name in names]
    values = x.with_grades(algebra.all_grades).values
    full = jnp.zeros((*x.shape, CGA.size), x.dtype).at[..., jnp.asarray(positions)].set(values)
    return Multivector(full, CGA.all_grades).grade(*x.grades)


def from_cga(x: Multivector, algebra: Algebra) -> Multivector:
    """The inverse of `to_cga`; components outside the algebra, zero in exact arithmetic, are dropped."""
    if algebra == CGA:
        return x
    names = ["".join(str(i if i <= algebra.p else 5) for i in b) for b in algebra.blade_indices]
    full = jnp.stack([x["e" + name if name else "1"] for name in names], axis=-1)
    return Multivector(full, algebra.all_grades, algebra).grade(
        *(g for g in x.grades if g <= algebra.dimension)
    )


def as_power(t: Any, like: Multivector) -> Shaped[Array, "..."]:
    """An exponent or blend weight as an array of the dtype of ``like``."""
    return jnp.asarray(t, like.dtype)
