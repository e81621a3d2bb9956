"""The field: a unit rotor F in Spin+(4,1) that carries the location e5 to the current word, kept as a pair.

``F = B_w Q``, with the boost ``B_w = (1 - w e5)/|1 - w e5|`` from the origin e5 to the word w, and Q in
Spin(4), the rotors that keep e5. A step from w to w' multiplies F by the transition rotor of `cga._words`; in
the pair that is ``Q' = G Q`` with G the holonomy of the triangle (e5, w, w'). With a, a' the Poincare-ball
points of w, w' (length tanh(r/2)), ``G = (1 - a' a)/|1 - a' a|``, the gyration: its half angle is
atan2(T sin t, 1 - T cos t), T = tanh(r/2) tanh(r'/2), t the angle at the origin, so it is the closed form
``e = 2 atan2(sin t, coth(r/2) coth(r'/2) - cos t)`` without a division at the origin (Ungar, *Analytic
hyperbolic geometry*, 2008). Multiplying F itself would cancel: a boost's entries grow like e^(r/2).

Nothing is ever renormalised between steps; `closure` measures what rounding left. The formulas serve NumPy
and JAX arrays alike; use float64, since at radius r the boost alone errs by about eps e^r/4.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from jaxtyping import Float

from cga._algebra import CGA, Algebra, multiply, product_table
from cga._numerics import namespace
from cga._words import ball, word

Array = Any

_FLAT = Algebra(4)
_SPIN4 = _FLAT.grade_blades((0, 2, 4))
_ONE = np.eye(1, len(_SPIN4))[0]
TURN_PRODUCT = product_table(_FLAT, "geometric", _SPIN4, _SPIN4)
_TURN_NAMES = tuple(_FLAT.blade_names[i] for i in _SPIN4)
FIRST, SECOND = np.array([_FLAT.blade_indices[i] for i in _SPIN4 if _FLAT.blade_grades[i] == 2]).T - 1

EVEN_BLADES = CGA.grade_blades((0, 2, 4))
_BOOST_BLADES = tuple(CGA.position(name) for name in ("1", "e15", "e25", "e35", "e45"))
_TURN_BLADES = tuple(CGA.position(name) for name in _TURN_NAMES)
BOOST_TIMES_TURN = product_table(CGA, "geometric", _BOOST_BLADES, _TURN_BLADES, EVEN_BLADES)
SQUARE = product_table(CGA, "geometric", EVEN_BLADES, EVEN_BLADES, EVEN_BLADES)
EVEN_REVERSE = CGA.signs("reverse")[list(EVEN_BLADES)].astype(float)


class FieldState(NamedTuple):
    """A field as a pair (word w, Q in Spin(4)); a pytree.

    Attributes:
        center: ``(*batch, 3)``, centre of the word in half-space coordinates about the field's origin (0, 1).
        breadth: ``(*batch,)``, breadth of the word, > 0.
        turn: ``(*batch, 8)``, Q on the even blades of e1..e4 in blade order.
    """

    center: Array
    breadth: Array
    turn: Array

    @property
    def word(self) -> Float[Array, "*batch 5"]:
        """The unit timelike vector w = F e5 ~F."""
        return word(self.center, self.breadth)


def field_start(center: Float[Array, "*batch 3"], breadth: Float[Array, "*batch"]) -> FieldState:
    """The field at a word, not turned (Q = 1): F is the boost from the origin."""
    xp = namespace(center)
    one = xp.asarray(_ONE, dtype=center.dtype)
    return FieldState(center, breadth, xp.broadcast_to(one, (*breadth.shape, len(_SPIN4))))


def field_update(
    field: FieldState, center: Float[Array, "*batch 3"], breadth: Float[Array, "*batch"]
) -> FieldState:
    """Moves the field to another word: F becomes R F, R the transition rotor between the words."""
    turn = multiply(TURN_PRODUCT, holonomy(field.center, field.breadth, center, breadth), field.turn)
    return FieldState(center, breadth, turn)


def holonomy(
    center1: Float[Array, "*batch 3"],
    breadth1: Float[Array, "*batch"],
    center2: Float[Array, "*batch 3"],
    breadth2: Float[Array, "*batch"],
) -> Float[Array, "*batch 8"]:
    """The rotor G in Spin(4) by which a step from word 1 to word 2 turns the field.

    ``1 - a.b`` is taken as ``(1 - a^2 + 1 - b^2 + |a - b|^2)/2`` and ``a^b`` as ``a^(b - a)``, so that
    nothing cancels when both points lie far out in one direction.
    """
    xp = namespace(center1)
    first, second = ball(center1, breadth1), ball(center2, breadth2)
    difference = second - first
    gap = _ball_gap(center1, breadth1) + _ball_gap(center2, breadth2)
    scalar = (gap + xp.sum(difference * difference, axis=-1)) / 2
    plane = first[..., FIRST] * difference[..., SECOND] - first[..., SECOND] * difference[..., FIRST]
    length = xp.sqrt(scalar * scalar + xp.sum(plane * plane, axis=-1))
    parts = xp.concatenate([scalar[..., None], plane, xp.zeros_like(plane[..., :1])], axis=-1)
    return parts / length[..., None]


def _ball_gap(center: Any, breadth: Any) -> Any:
    """1 - |a|^2 = 4 rho / (x^2 + (1 + rho)^2) for the ball point a."""
    xp = namespace(center)
    return 4 * breadth / (xp.sum(center * center, axis=-1) + (1 + breadth) ** 2)


def rotor(field: FieldState) -> Float[Array, "*batch 16"]:
    """The multivector F = B_w Q on the even blades of Cl(4,1), in blade order."""
    xp = namespace(field.center)
    cosh = 1 / xp.sqrt(_ball_gap(field.center, field.breadth))
    sinh = -ball(field.center, field.breadth) * cosh[..., None]
    return multiply(BOOST_TIMES_TURN, xp.concatenate([cosh[..., None], sinh], axis=-1), field.turn)


def closure(field: FieldState) -> Float[Array, "*batch"]:
    """``versor_condition``: the norm |F ~F - 1| of the multivector F, root of the sum of squared components."""
    return even_closure(rotor(field))


def even_closure(versor: Float[Array, "*batch 16"]) -> Float[Array, "*batch"]:
    """``|F ~F - 1|`` for an even element given on the even blades."""
    xp = namespace(versor)
    signs = xp.broadcast_to(xp.asarray(EVEN_REVERSE, dtype=versor.dtype), versor.shape)
    reverse = versor * signs
    product = multiply(SQUARE, versor, reverse)
    residual = xp.concatenate([product[..., :1] - 1, product[..., 1:]], axis=-1)
    return xp.sqrt(xp.sum(residual * residual, axis=-1))
