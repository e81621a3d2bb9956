"""Words as points of hyperbolic 4-space inside Cl(4,1).

A word is a unit timelike vector w, w.w = -1, with positive e5 component:
``w = (x + eo + (x^2 + rho^2)/2 einf) / rho`` with centre x in R^3 and breadth rho > 0. That is the upper
half-space model of H^4, and an imaginary dual sphere of conformal geometry. ``w1.w2 = -cosh d(w1, w2)``.

The formulas are written over the array standard's namespace of their arguments, so they serve NumPy and JAX
alike (under jit, vmap and grad too). Lengths are in the unit of x; distances are those of curvature -1.
References: Nickel & Kiela arXiv:1705.08039; Dorst, Fontijne & Mann 2007, chapter 14.
"""

from __future__ import annotations

from typing import Any

from jaxtyping import Float

from cga._algebra import CGA, multiply, product_table
from cga._numerics import namespace, safe_sqrt

Array = Any

_VECTOR = CGA.grade_blades((1,))
_ROTOR = CGA.grade_blades((0, 2))
_PRODUCT = product_table(CGA, "geometric", _VECTOR, _VECTOR, _ROTOR)


def word(center: Float[Array, "*batch 3"], breadth: Float[Array, "*batch"]) -> Float[Array, "*batch 5"]:
    """The unit timelike vector of a point of the half-space model.

    Args:
        center: x, in units of length.
        breadth: rho > 0, in the same unit. Not checked: a traced value has no sign.

    Returns:
        The components on e1..e5. They grow like e^d with the distance d from e5.
    """
    xp = namespace(center)
    square = xp.sum(center * center, axis=-1) + breadth * breadth
    last = xp.stack([(square - 1) / (2 * breadth), (square + 1) / (2 * breadth)], axis=-1)
    return xp.concatenate([center / breadth[..., None], last], axis=-1)


def center_breadth(
    words: Float[Array, "*batch 5"],
) -> tuple[Float[Array, "*batch 3"], Float[Array, "*batch"]]:
    """The inverse of `word`: ``rho = -1/(w.einf)``, x = rho times the e1..e3 part.

    For a word at distance d from e5 the result loses about d/ln(10) decimal digits, as e4 and e5 cancel.
    """
    breadth = 1 / (words[..., 4] - words[..., 3])
    return words[..., :3] * breadth[..., None], breadth


def centroid(
    words: Float[Array, "*batch n 5"], weights: Float[Array, "*batch n"] | None = None
) -> Float[Array, "*batch 5"]:
    """The Lorentz centroid: the (weighted) sum of the words, rescaled to w.w = -1.

    Args:
        words: unit timelike vectors.
        weights: non-negative, not all zero; by default all 1.
    """
    xp = namespace(words)
    total = xp.sum(words if weights is None else words * weights[..., None], axis=-2)
    space, time = total[..., :4], total[..., 4]
    return total / xp.sqrt(time * time - xp.sum(space * space, axis=-1))[..., None]


def transition(start: Float[Array, "*batch 5"], end: Float[Array, "*batch 5"]) -> Float[Array, "*batch 11"]:
    """The rotor that takes one word to another along their geodesic: ``R = (1 - b a) / sqrt(2 (1 - a.b))``.

    In exact arithmetic ``R a ~R = b`` and ``R ~R = 1``. Words are never antipodal, so it always exists.

    Returns:
        Components of grades 0 and 2, in blade order (the bivectors follow the scalar).
    """
    xp = namespace(start)
    product = multiply(_PRODUCT, end, start)
    scalar = 1 - product[..., :1]
    return xp.concatenate([scalar, -product[..., 1:]], axis=-1) / xp.sqrt(2 * scalar)


def cosh_minus_one(
    center1: Float[Array, "*#batch 3"],
    breadth1: Float[Array, "*#batch"],
    center2: Float[Array, "*#batch 3"],
    breadth2: Float[Array, "*#batch"],
) -> Float[Array, "*batch"]:
    """``cosh d - 1 = (|x1 - x2|^2 + (rho1 - rho2)^2) / (2 rho1 rho2)``: nothing cancels, unlike in -w1.w2 - 1."""
    xp = namespace(center1)
    difference, spread = center1 - center2, breadth1 - breadth2
    return (xp.sum(difference * difference, axis=-1) + spread * spread) / (2 * breadth1 * breadth2)


def distance(
    center1: Float[Array, "*#batch 3"],
    breadth1: Float[Array, "*#batch"],
    center2: Float[Array, "*#batch 3"],
    breadth2: Float[Array, "*#batch"],
) -> Float[Array, "*batch"]:
    """Hyperbolic distance ``d = 2 asinh(sqrt((cosh d - 1)/2))``; its derivative at d = 0 is taken as 0."""
    xp = namespace(center1)
    return 2 * xp.asinh(safe_sqrt(cosh_minus_one(center1, breadth1, center2, breadth2) / 2))


def ball(center: Float[Array, "*batch 3"], breadth: Float[Array, "*batch"]) -> Float[Array, "*batch 4"]:
    """The point of the Poincare ball: ``(w - (w5) e5)/(1 + w5)``, of length tanh(d/2), d the distance from e5.

    In half-space terms ``(2x, x^2 + rho^2 - 1) / (x^2 + (1 + rho)^2)`` (the Cayley transform).
    """
    xp = namespace(center)
    square = xp.sum(center * center, axis=-1)
    scale = square + (1 + breadth) ** 2
    last = square + (breadth - 1) * (breadth + 1)
    return xp.concatenate([2 * center, last[..., None]], axis=-1) / scale[..., None]
