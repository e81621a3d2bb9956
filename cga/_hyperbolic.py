"""Words and fields on `Multivector`; the array-level formulas are in `cga._words` and `cga._field`.

A word is a unit timelike vector of Cl(4,1), a point of hyperbolic 4-space; see `cga._words`.
"""

from __future__ import annotations

from typing import Any

import jax.numpy as jnp
from jaxtyping import Array, Shaped

from cga import _field, _words
from cga._field import FieldState
from cga._multivector import Multivector
from cga._types import as_float


def word(center: Any, breadth: Any) -> Multivector:
    """The word at a point of the half-space model: ``w = (x + eo + (x^2 + rho^2)/2 einf) / rho``, w.w = -1.

    Args:
        center: ``(*batch, 3)`` x, in units of length.
        breadth: ``(*batch,)`` rho > 0, in the same unit. Not checked: a traced value has no sign.

    Raises:
        ValueError: a centre without three coordinates, or batch axes that differ.
    """
    x, rho = _pair(center, breadth)
    return Multivector(_words.word(x, rho), (1,))


def center_breadth(words: Multivector) -> tuple[Shaped[Array, "*batch 3"], Shaped[Array, "*batch"]]:
    """The inverse of `word`: the centre x and the breadth rho.

    For a word at distance d from e5 the result loses about d/ln(10) decimal digits, as e4 and e5 cancel.
    """
    return _words.center_breadth(_vector(words, "words"))


def centroid(words: Multivector, weights: Any = None) -> Multivector:
    """The Lorentz centroid over the last batch axis: the weighted sum of the words, rescaled to w.w = -1.

    Args:
        words: batch ``(*batch, n)``.
        weights: ``(*batch, n)``, non-negative, not all zero; by default all 1.

    Raises:
        ValueError: words that are not vectors, or a single word without a batch axis.
    """
    values = _vector(words, "words")
    if not words.shape:
        raise ValueError("words: one word without a batch axis; give a batch (*batch, n)")
    if weights is not None:
        weights = jnp.broadcast_to(as_float(weights, words.dtype), words.shape)
    return Multivector(_words.centroid(values, weights), (1,))


def transition(start: Multivector, end: Multivector) -> Multivector:
    """The unit rotor that takes one word to another along their geodesic: ``R = (1 - b a) / sqrt(2 (1 - a.b))``.

    In exact arithmetic ``R >> a = b`` and ``R ~R = 1``. Words are never antipodal, so it always exists.

    Raises:
        ValueError: an operand that is not stored as a vector.
    """
    first, second = jnp.broadcast_arrays(_vector(start, "start"), _vector(end, "end"))
    return Multivector(_words.transition(first, second), (0, 2))


def hyperbolic_distance(center1: Any, breadth1: Any, center2: Any, breadth2: Any) -> Shaped[Array, "*batch"]:
    """Distance in H^4 of two words given by centre and breadth, where nothing cancels, unlike in ``-w1.w2``.

    Its derivative where the words meet is taken as 0.
    """
    first, second = _pair(center1, breadth1), _pair(center2, breadth2)
    shape = jnp.broadcast_shapes(first[1].shape, second[1].shape)
    center = [jnp.broadcast_to(x, (*shape, 3)) for x, _ in (first, second)]
    breadth = [jnp.broadcast_to(rho, shape) for _, rho in (first, second)]
    return _words.distance(center[0], breadth[0], center[1], breadth[1])


def field_start(center: Any, breadth: Any) -> FieldState:
    """The field at a word, not turned (Q = 1): F is the boost from the origin e5 to the word."""
    return _field.field_start(*_pair(center, breadth))


def field_update(field: FieldState, center: Any, breadth: Any) -> FieldState:
    """Moves the field to another word: F becomes R F, R the transition rotor between the words.

    The words are given by centre and breadth, in which nothing cancels far out; see `cga._field`.
    """
    return _field.field_update(field, *_pair(center, breadth))


def field_rotor(field: FieldState) -> Multivector:
    """The multivector F = B_w Q of a field; `versor_condition` of it measures how well it closes."""
    return Multivector(_field.rotor(field), (0, 2, 4))


def _vector(x: Multivector, name: str) -> Array:
    if x.grades != (1,):
        raise ValueError(f"{name}: grades {x.grades}; a word is a vector, take .grade(1)")
    return x.values


def _pair(center: Any, breadth: Any) -> tuple[Array, Array]:
    x = as_float(center)
    rho = as_float(breadth, x.dtype)
    if x.ndim == 0 or x.shape[-1] != 3:
        raise ValueError(f"center: shape {x.shape}; the last axis must have the 3 coordinates")
    if x.shape[:-1] != rho.shape:
        raise ValueError(f"breadth: shape {rho.shape}; the batch of center is {x.shape[:-1]}")
    return x, rho
