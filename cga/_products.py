"""The products of the algebra on `Multivector`: each computes only the grades that can be non-zero.

Conventions (the field's majority): the inner product has grade |r - s| and keeps scalars; contractions are
Dorst's; the regressive product is the complement form ``lcomp(rcomp(a) ^ rcomp(b))`` with I as unit, so
e12 v e23 = e2 in a 3-dimensional subspace. It differs in sign from ``undual(dual(a) ^ dual(b))`` for the
grade pairs (2,4), (4,2) and (4,4).
References: Dorst, Fontijne & Mann, *Geometric Algebra for Computer Science*, 2007; Browne, *Grassmann Algebra*, 2012.
"""

from __future__ import annotations

from jaxtyping import Array, Shaped

from cga._multivector import Multivector, product


def geometric(left: Multivector, right: Multivector) -> Multivector:
    """The geometric product, ``left * right``."""
    return product("geometric", left, right)


def outer(left: Multivector, right: Multivector) -> Multivector:
    """The outer (wedge) product, ``left ^ right``: the grade r + s part."""
    return product("outer", left, right)


def inner(left: Multivector, right: Multivector) -> Multivector:
    """The inner product, ``left | right``: the grade |r - s| part, scalars kept."""
    return product("inner", left, right)


def left_contraction(left: Multivector, right: Multivector) -> Multivector:
    """The left contraction: the grade s - r part (zero where r > s)."""
    return product("left", left, right)


def right_contraction(left: Multivector, right: Multivector) -> Multivector:
    """The right contraction: the grade r - s part (zero where s > r)."""
    return product("right", left, right)


def scalar_product(left: Multivector, right: Multivector) -> Shaped[Array, "*batch"]:
    """The scalar product ``<left right>_0`` as a real array, without reversion: e12 with itself gives -1."""
    return product("scalar", left, right, (0,)).values[..., 0]


def regressive(left: Multivector, right: Multivector) -> Multivector:
    """The regressive product, ``left & right``: the grade r + s - 5 part."""
    return product("regressive", left, right)


def commutator(left: Multivector, right: Multivector) -> Multivector:
    """The commutator product ``(left right - right left) / 2``."""
    return product("commutator", left, right)


def anticommutator(left: Multivector, right: Multivector) -> Multivector:
    """The anticommutator product ``(left right + right left) / 2``."""
    return product("anticommutator", left, right)
