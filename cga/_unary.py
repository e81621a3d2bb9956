"""Involutions and duality on `Multivector`."""

from __future__ import annotations

import jax.numpy as jnp
from jaxtyping import Array, Shaped

from cga._algebra import CGA
from cga._multivector import Multivector, product

_PSEUDOSCALAR = CGA.dimension


def reverse(x: Multivector) -> Multivector:
    """The reverse ``~x``: grade k gets the sign (-1)**(k(k-1)/2)."""
    return x.signed("reverse")


def involute(x: Multivector) -> Multivector:
    """The grade involution: grade k gets the sign (-1)**k."""
    return x.signed("involute")


def conjugate(x: Multivector) -> Multivector:
    """The Clifford conjugate: grade k gets the sign (-1)**(k(k+1)/2)."""
    return x.signed("conjugate")


def dual(x: Multivector) -> Multivector:
    """The dual ``x I^-1``, with I = e12345 and I^2 = -1: it turns an OPNS object into its IPNS form."""
    return product("geometric", x, Multivector(-jnp.ones(1, x.dtype), (_PSEUDOSCALAR,)))


def undual(x: Multivector) -> Multivector:
    """The inverse of `dual`, ``x I``."""
    return product("geometric", x, Multivector(jnp.ones(1, x.dtype), (_PSEUDOSCALAR,)))


def norm_squared(x: Multivector) -> Shaped[Array, "*batch"]:
    """``<x ~x>_0``; negative for some elements, as the signature is mixed."""
    return x.norm_squared()
