"""Involutions and duality on `Multivector`."""

from __future__ import annotations

import numpy as np
from jaxtyping import Array, Shaped

from cga._multivector import Multivector, from_components, product


def reverse(x: Multivector) -> Multivector:
    """The reverse ``~x``: grade k gets the sign (-1)**(k(k-1)/2)."""
    return x.signed("reverse")


def involute(x: Multivector) -> Multivector:
    """The grade involution: grade k gets the sign (-1)**k."""
    return x.signed("involute")


def conjugate(x: Multivector) -> Multivector:
    """The Clifford conjugate: grade k gets the sign (-1)**(k(k+1)/2)."""
    return x.signed("conjugate")


def grade(x: Multivector, *grades: int) -> Multivector:
    """The part of the given grades; grades that are not stored are left out."""
    return x.grade(*grades)


def dual(x: Multivector, within: Multivector | None = None) -> Multivector:
    """The dual ``x B^-1`` in the blade ``within``, by default the pseudoscalar I = e12345 with I^2 = -1.

    In conformal geometry the dual by I turns an OPNS object into its IPNS form.

    Args:
        x: what is turned; in a smaller blade, an element of its subalgebra.
        within: an invertible blade B.

    Raises:
        ValueError: the pseudoscalar of a degenerate algebra, which has no inverse.
    """
    if within is not None:
        return product("geometric", x, ~within / within.norm_squared())
    algebra = x.algebra
    square = int(algebra.blade_norms[-1])
    if square == 0:
        raise ValueError(f"{algebra}: its pseudoscalar squares to 0, so there is no dual by it")
    pseudoscalar = from_components((algebra.blade_names[-1],), (np.ones((), x.dtype),), algebra=algebra)
    return product("geometric", x, (~pseudoscalar) * square)


def undual(x: Multivector, within: Multivector | None = None) -> Multivector:
    """The inverse of `dual`: ``x B``, by default ``x I``."""
    if within is not None:
        return product("geometric", x, within)
    algebra = x.algebra
    pseudoscalar = from_components((algebra.blade_names[-1],), (np.ones((), x.dtype),), algebra=algebra)
    return product("geometric", x, pseudoscalar)


def norm_squared(x: Multivector) -> Shaped[Array, "*batch"]:
    """``<x ~x>_0``; negative for some elements, as the signature is mixed."""
    return x.norm_squared()
