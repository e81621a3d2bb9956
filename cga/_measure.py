"""Sizes, places and relations of conformal objects: centre, radius, direction, distance, angle, incidence.

All take OPNS objects of any weight. Lengths are in the unit of the coordinates, angles in radians. A motion V leaves
distances, angles, radii and incidence alone, a dilation scales lengths; centres move with V, directions and normals
turn with it. Values that an object doesn't have (the radius of an imaginary sphere, the angle of two that stay apart)
are NaN. What is no object at all raises ValueError, or under a JAX transformation gives NaN. Gradients are finite where
the quantity is smooth; of a distance that is 0 and of an angle that is 0 or pi they are taken as 0.

Everything rests on the Euclidean parameters of `cga._conformal.Locus`, not on products of the blades themselves, whose
components grow with the square of the distance from the origin and cancel.
Reference: Dorst, Fontijne & Mann, *Geometric Algebra for Computer Science*, 2007, chapters 13 to 15.
"""

from __future__ import annotations

from functools import partial

import jax
import jax.numpy as jnp
from jax.core import Tracer
from jaxtyping import Array, Shaped

from cga._conformal import Locus, as_vector, common, epsilon, euclidean, guard, locus, single, square, up
from cga._multivector import Multivector
from cga._numerics import safe_sqrt

_NAMES = ("", "points", "point pairs or flat points", "circles or lines", "spheres or planes")


def center(x: Multivector) -> Multivector:
    """The centre of a round, as a point of weight 1; of a flat point the point itself.

    Args:
        x: a point, point pair, circle or sphere, real or imaginary, or a flat point.

    Raises:
        ValueError: (eager) a line or plane, which has no centre; `support` gives a point of it.
    """
    found = locus(x, "x")
    flat = ~found.round & (single(x, "x").grades[0] != 2)
    return up(guard(found.place, flat, "x: a line or plane has no centre; see support", 1))


def support(x: Multivector) -> Multivector:
    """The point of a flat that is nearest the origin, of weight 1; of a round its centre.

    Turning about the origin moves it along; a translation does not, as another point may then be nearest.
    """
    return up(locus(x, "x").place)


def radius_squared(x: Multivector) -> Shaped[Array, "*batch"]:
    """The squared radius of a round: negative for an imaginary one, 0 for a point.

    Raises:
        ValueError: (eager) a flat, which has none.
    """
    found = locus(x, "x")
    return guard(found.radius2, ~found.round, "x: a flat (line, plane or flat point) has no radius")


def radius(x: Multivector) -> Shaped[Array, "*batch"]:
    """The radius of a round, in the unit of length; NaN for an imaginary one (see `is_imaginary`).

    A squared radius that is negative by rounding alone counts as 0, where the derivative is taken as 0.

    Raises:
        ValueError: (eager) a flat.
    """
    found = locus(x, "x")
    value = jnp.where(found.radius2 < -found.noise, jnp.nan, safe_sqrt(found.radius2))
    value = jnp.where(jnp.isnan(found.radius2), jnp.nan, value)
    return guard(value, ~found.round, "x: a flat (line, plane or flat point) has no radius")


def direction(x: Multivector) -> Multivector:
    """The unit Euclidean blade that an object spans, oriented as it is.

    Returns:
        A vector along a line, or from the first to the second point of a pair; the bivector of a plane or circle;
        +-e123 for a sphere; +-1 for a point or flat point. It turns with the object and ignores where it is.
    """
    found, grade = locus(x, "x"), single(x, "x").grades[0]
    # A flat spans one dimension less than a round of its grade is made of points: both are grade - 1 or grade - 2.
    if grade == 1:
        return Multivector(found.span[..., :1], (0,))
    full = jnp.zeros((*found.span.shape[:-1], 32), x.dtype).at[..., list(_PLACES)].set(found.span)
    flat = grade - 2
    kinds = _one_kind(found)
    return Multivector(full, (0, 1, 2, 3, 4, 5)).grade(
        *((flat, flat + 1) if kinds is None else (flat + kinds,))
    )


_PLACES = (0, 1, 2, 3, 6, 7, 10, 16)


def _one_kind(found: Locus) -> int | None:
    """1 if all are rounds, 0 if all are flats, None if that is not known (traced) or differs within the batch."""
    if isinstance(found.round, Tracer):
        return None
    kinds = set(found.round.ravel().tolist())
    return int(kinds.pop()) if len(kinds) == 1 else None


def normal(x: Multivector) -> Multivector:
    """The unit normal of a plane or circle, a Euclidean vector of grade 1, by the right-hand rule.

    Of three points it is along ``(Q - P) x (R - P)``. It turns with the object and ignores where it is.

    Raises:
        ValueError: an object of another kind (static by grade, or eager).
    """
    found, grade = locus(x, "x"), single(x, "x", (3, 4)).grades[0]
    wrong = found.round if grade == 4 else ~found.round
    span = guard(found.span, wrong, "x: only a plane or a circle has one normal; see direction", 1)
    n = jnp.stack([span[..., 6], -span[..., 5], span[..., 4]], axis=-1)
    return Multivector(jnp.concatenate([n, jnp.zeros_like(n[..., :2])], axis=-1), (1,))


def distance(x: Multivector, y: Multivector) -> Shaped[Array, "*batch"]:
    """The Euclidean distance between the nearest points of two objects, in the unit of length; 0 where they meet.

    Points, flat points, lines, planes and spheres in any pairing (a sphere is a surface); circles with points only.
    Lines and planes whose directions differ by less than the root of a rounding (1.5e-8 in float64) count as parallel.

    Args:
        x: one object, of any weight.
        y: another; batches broadcast.

    Raises:
        ValueError: (eager) a pairing that is not listed, a point pair, an imaginary sphere or circle; traced NaN.
    """
    low, high, first, second = _sorted_pair(x, y)
    result, bad = _distance(first, second, low, high)
    message = (
        "x, y: no distance between these: point pairs, imaginary rounds, a circle with anything but a point"
    )
    return guard(result, bad, message)


@partial(jax.jit, static_argnums=(2, 3))
def _distance(first: Locus, second: Locus, low: int, high: int) -> tuple[Array, Array]:
    pair = (first.round & (low == 2)) | (second.round & (high == 2))
    ring = (first.round & (low == 3)) | (second.round & (high == 3) & (low > 1))
    imaginary = (first.radius2 < -first.noise) | (second.radius2 < -second.noise)
    step = as_vector(second.place - first.place)
    base = _flat_distance(step, _carrier(first, low), _carrier(second, high), planes=low == 4)
    r, s = safe_sqrt(first.radius2), safe_sqrt(second.radius2)
    bounded = (first.round | (low < 3)) & (second.round | (high < 3))
    shells = jnp.maximum(jnp.maximum(base - r - s, r - base - s), s - base - r)
    result = jnp.maximum(jnp.where(bounded, shells, base - r - s), 0)
    if (low, high) == (1, 3):
        height = _length(euclidean("outer", step, second.span))
        across = _length(euclidean("left", step, second.span)) - s
        result = jnp.where(second.round, safe_sqrt(height * height + across * across), result)
    return result, pair | ring | imaginary


def angle(x: Multivector, y: Multivector) -> Shaped[Array, "*batch"]:
    """The angle between two objects of one grade that meet, in radians from 0 to pi.

    Between lines that of their directions, between planes of their normals, between spheres, circles or one of these
    and a flat that of their normals (tangents) where they meet: 0 for an object and itself, pi for it and its opposite.
    The cosine is the normalised scalar product; for two circles of neither one plane nor one sphere it is no angle at
    a point.

    Args:
        x: a line, circle, plane or sphere.
        y: an object of the same grade; batches broadcast.

    Returns:
        Radians; NaN for two that stay apart (a cosine beyond 1) and for imaginary ones.

    Raises:
        ValueError: different grades, points, point pairs.
    """
    grades = single(x, "x").grades[0], single(y, "y").grades[0]
    if grades[0] != grades[1] or grades[0] < 3:
        raise ValueError(
            f"x and y of grades {grades}: an angle is between two {_NAMES[3]} or two {_NAMES[4]}"
        )
    return _angle(*_pair(x, y), grades[0])


@partial(jax.jit, static_argnums=2)
def _angle(first: Locus, second: Locus, grade: int) -> Array:
    less, more = square(first.span - second.span), square(first.span + second.span)
    r, s = safe_sqrt(first.radius2), safe_sqrt(second.radius2)
    shift = second.place - first.place
    step = as_vector(shift)
    # Two rounds: (1 -+ cos) 2 r s, written so that equal and opposite ones give an exact 0.
    both = jnp.sum(euclidean("left", step, first.span) * euclidean("left", step, second.span), axis=-1)
    total = (r * r + s * s + square(shift)) / 2
    apart = square(shift) + (r - s) ** 2
    rounds = 2 * both - apart + total * less, -2 * both - apart + total * more
    # A round and a flat of grade k: r cos = (-1)^(k+1) <E1 ~((p - c) ^ E2)>.
    sign = (-1) ** (grade + 1)
    mixed = []
    for one, other, toward in ((first, second, step), (second, first, -step)):
        lifted = euclidean("outer", toward, other.span)
        mixed.append(sign * jnp.sum(one.span * lifted, axis=-1))
    reach = jnp.where(first.round, mixed[0], mixed[1])
    size = jnp.where(first.round, r, s)
    crossing = 2 * (size - reach), 2 * (size + reach)
    flats = ~first.round & ~second.round
    minus, plus = (
        jnp.where(first.round & second.round, a, jnp.where(flats, b, c))
        for a, b, c in zip(rounds, (less, more), crossing, strict=True)
    )
    # Rounding may leave a little below 0 where they touch.
    slack = 256 * epsilon(minus.dtype) * (jnp.abs(minus) + jnp.abs(plus) + square(first.place))
    none = (
        (minus < -slack) | (plus < -slack) | (first.radius2 < -first.noise) | (second.radius2 < -second.noise)
    )
    none = none | jnp.isnan(minus) | jnp.isnan(plus)
    return jnp.where(none, jnp.nan, 2 * _arctan2(safe_sqrt(minus), safe_sqrt(plus)))


def incidence(x: Multivector, y: Multivector) -> Shaped[Array, "*batch"]:
    """How far an object is from lying in another: 0 if one contains the other, and a length.

    The object of lower grade is the part; of equal grades each has to lie in the other, so that 0 means coincident.
    For a point it is its distance to first order: exact from points, lines and planes, ``|d^2 - r^2|/2r`` from a
    sphere, with d its distance from the centre. For other objects it is the root of the sum of squares of what keeps
    the part out: the distance between the two, the sine of the angle by which the part leaves the span of the whole
    (times its radius, if it has one), and the offset of the centres. A flat never lies in a round: infinity.

    Args:
        x: an object of any weight.
        y: another; batches broadcast.

    Returns:
        Non-negative, the same for moved objects.
    """
    low, high, part, whole = _sorted_pair(x, y)
    return _incidence(part, whole, low, high)


@partial(jax.jit, static_argnums=(2, 3))
def _incidence(part: Locus, whole: Locus, low: int, high: int) -> Array:
    step = as_vector(part.place - whole.place)
    r2, s2 = part.radius2, whole.radius2
    # What of the part's span leaves the whole's: its vectors are v = (e_i _| E), sum of |v ^ W|^2.
    leaving = jnp.zeros_like(r2)
    for axis in range(1, 4):
        basis = jnp.zeros_like(step).at[..., axis].set(1)
        inside = euclidean("left", euclidean("left", basis, part.span), part.span)
        leaving = leaving + square(euclidean("outer", inside, whole.span))
    beyond = square(euclidean("outer", step, whole.span))
    within = square(euclidean("left", step, part.span))
    planes = low == 4
    near = _flat_distance(step, _carrier(part, low), _carrier(whole, high), planes=planes) ** 2
    flat_flat = near + leaving
    round_flat = beyond + jnp.abs(r2) * leaving
    scale = jnp.where(jnp.abs(s2) > 0, 4 * jnp.abs(s2), 1)
    power = square(step) + r2 - s2
    deep = jnp.where(jnp.abs(s2) > 0, power * power / scale, square(step) + jnp.abs(r2))
    beyond = jnp.where(jnp.abs(s2) > 0, beyond, 0)
    round_round = beyond + (within if low > 1 else 0) + jnp.abs(r2) * leaving + deep
    result = jnp.where(
        whole.round,
        jnp.where(part.round, safe_sqrt(round_round), jnp.inf),
        jnp.where(part.round, safe_sqrt(round_flat), safe_sqrt(flat_flat)),
    )
    return jnp.where(jnp.isnan(step[..., 1] + r2 + s2), jnp.nan, result)


def _pair(x: Multivector, y: Multivector) -> tuple[Locus, Locus]:
    """The parameters of two objects over their common batch."""
    first, second = locus(x, "x"), locus(y, "y")
    axes = (0, 1, 1, 0, 0, 0)
    pairs = [common(a, b, axes=(n, n)) for a, b, n in zip(first, second, axes, strict=True)]
    return Locus(*(a for a, _ in pairs)), Locus(*(b for _, b in pairs))


def _sorted_pair(x: Multivector, y: Multivector) -> tuple[int, int, Locus, Locus]:
    """The grades of two objects, ascending, and their parameters in that order."""
    grades = single(x, "x").grades[0], single(y, "y").grades[0]
    if grades[0] > grades[1]:
        x, y = y, x
    return min(grades), max(grades), *_pair(x, y)


def _carrier(found: Locus, grade: int) -> Shaped[Array, "*batch 8"]:
    """The span of a flat; 1 for a round, which is its centre and a radius."""
    one = jnp.zeros_like(found.span).at[..., 0].set(1)
    return one if grade == 1 else jnp.where(found.round[..., None], one, found.span)


def _length(m: Array) -> Array:
    return safe_sqrt(square(m))


def _flat_distance(step: Array, first: Array, second: Array, planes: bool) -> Array:
    """The distance of two flats: of the step between them, the part that leaves both spans.

    Args:
        step: from a point of one to a point of the other, in Cl(3).
        first: span of the one, of no more dimensions than the other.
        second: span of the other.
        planes: whether both may be planes.
    """
    near = epsilon(step.dtype) ** 0.5
    joint = euclidean("outer", first, second)
    size = jnp.sqrt(square(joint))
    parallel = size <= near
    whole = jnp.where(parallel[..., None], second, joint / jnp.where(parallel, 1, size)[..., None])
    result = _length(euclidean("outer", step, whole))
    if planes:
        # Two bivectors have no outer product in space; planes that are not parallel meet.
        turned = (euclidean("geometric", first, second) - euclidean("geometric", second, first)) / 2
        result = jnp.where(square(turned) > near * near, 0, result)
    return result


def _arctan2(y: Array, x: Array) -> Array:
    """``arctan2`` with derivative 0 at the origin."""
    none = (x == 0) & (y == 0)
    return jnp.where(none, 0, jnp.arctan2(jnp.where(none, 0, y), jnp.where(none, 1, x)))
