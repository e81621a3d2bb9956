"""Conformal objects: made of points or of parameters, told apart, met and joined.

Every object is a direct (OPNS) blade: X holds the points P with ``P ^ X = 0``, and its grade says what it is: point 1,
point pair and flat point 2, circle and line 3, sphere and plane 4. `cga.dual` gives the dual (IPNS) blade. Scale never
matters to what an object is, sign is its orientation. Points are given as coordinates ``(*batch, 3)`` or as
multivectors of grade 1; all arguments broadcast over their batches.

What makes no object (coincident points, a zero normal, a negative radius) raises ValueError, or under a JAX
transformation gives NaN in every component.
Reference: Dorst, Fontijne & Mann, *Geometric Algebra for Computer Science*, 2007, chapters 13 and 14.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
from jax.core import Tracer
from jaxtyping import Array, Bool, Shaped

from cga._conformal import (
    Parts,
    as_vector,
    assemble,
    common,
    coordinates,
    epsilon,
    euclidean,
    guard,
    locus,
    single,
    square,
    translate,
    up,
)
from cga._multivector import Multivector
from cga._numerics import safe_sqrt
from cga._types import as_float

_SAME = "{}: the points coincide or do not span one; give {} points in general position"


def flat_point(point: Any) -> Multivector:
    """The flat point ``P ^ einf``: a point together with infinity, what a line and a plane have in common.

    Args:
        point: coordinates or a conformal point.

    Returns:
        Grade 2.
    """
    return _through("flat point", (point,), flat=True)


def point_pair(*points: Any, center: Any = None, direction: Any = None, radius: Any = None) -> Multivector:
    """The pair of two points ``P ^ Q``, or by ``center=``, ``direction=`` (from first to second) and ``radius=``.

    Returns:
        Grade 2; `split_point_pair` gives the points back in order.

    Raises:
        ValueError: points that coincide, a zero direction, a radius that is not positive, or both ways at once.
    """
    if _by_points("point_pair", points, 2, center=center, direction=direction, radius=radius):
        return _through("point_pair", points)
    dtype = _dtype(center, direction, radius)
    return _round("point_pair", center, radius, as_vector(_unit(direction, "direction", dtype)), dtype)


def line(*points: Any, point: Any = None, direction: Any = None) -> Multivector:
    """The line through two points ``P ^ Q ^ einf``, or by ``point=`` and ``direction=`` (of any length but 0).

    Returns:
        Grade 3, of weight |Q - P| or 1.

    Raises:
        ValueError: points that coincide, a zero direction, or both ways at once.
    """
    if _by_points("line", points, 2, point=point, direction=direction):
        return _through("line", points, flat=True)
    dtype = _dtype(point, direction)
    return _flat(_place(point, "point", dtype), as_vector(_unit(direction, "direction", dtype)), 3)


def circle(*points: Any, center: Any = None, normal: Any = None, radius: Any = None) -> Multivector:
    """The circle through three points ``P ^ Q ^ R``, or by ``center=``, ``normal=`` and ``radius=``.

    It runs counterclockwise about its normal, ``(Q - P) x (R - P)``. Three points on a line give that line, which is
    the circle through them.

    Returns:
        Grade 3.

    Raises:
        ValueError: points that coincide, a zero normal, a radius that is not positive, or both ways at once.
    """
    if _by_points("circle", points, 3, center=center, normal=normal, radius=radius):
        return _through("circle", points)
    dtype = _dtype(center, normal, radius)
    return _round("circle", center, radius, _plane_of(_unit(normal, "normal", dtype)), dtype)


def plane(*points: Any, normal: Any = None, offset: Any = None, point: Any = None) -> Multivector:
    """The plane through three points ``P ^ Q ^ R ^ einf``, or by ``normal=`` and ``offset=`` or ``point=``.

    Args:
        points: three points; the normal is ``(Q - P) x (R - P)``.
        normal: of any length but 0.
        offset: signed distance of the plane from the origin along the normal, in the unit of length: the plane is
            ``{x : n.x = offset}`` with n the unit normal.
        point: a point on the plane, instead of the offset.

    Returns:
        Grade 4; its dual is ``-(n + offset einf)`` for a unit weight.

    Raises:
        ValueError: points on one line, a zero normal, or several ways at once.
    """
    if _by_points("plane", points, 3, normal=normal, offset=offset if point is None else point):
        return _through("plane", points, flat=True)
    dtype = _dtype(normal, offset, point)
    n = _unit(normal, "normal", dtype)
    if point is None:
        n, distance = common(n, as_float(offset, n.dtype), axes=(1, 0))
        place = n * distance[..., None]
    elif offset is None:
        place = _place(point, "point", dtype)
    else:
        raise ValueError("plane: give offset= or point=, not both")
    return _flat(place, _plane_of(n), 4)


def sphere(*points: Any, center: Any = None, radius: Any = None) -> Multivector:
    """The sphere through four points ``P ^ Q ^ R ^ S``, or by ``center=`` and ``radius=``.

    Four points of a plane that lie on no circle give that plane.

    Returns:
        Grade 4; its dual is ``-(up(center) - radius^2/2 einf)`` for a unit weight.

    Raises:
        ValueError: points that coincide or lie on one circle, a radius that is not positive, or both ways at once.
    """
    if _by_points("sphere", points, 4, center=center, radius=radius):
        return _through("sphere", points)
    dtype = _dtype(center, radius)
    c = _place(center, "center", dtype)
    volume = jnp.zeros((*c.shape[:-1], 8), c.dtype).at[..., 7].set(1)
    return _round("sphere", c, radius, volume, dtype)


def split_point_pair(pair: Multivector) -> tuple[Multivector, Multivector]:
    """The two points of a point pair, in the order of its factors: ``P ^ Q`` gives P and Q, of weight 1.

    A tangent pair, whose squared radius is 0 up to rounding, gives its point twice; the derivative with respect to
    the radius is taken as 0 there. Equivariant: moving the pair moves its points.

    Args:
        pair: a real point pair.

    Raises:
        ValueError: no pair, or (eager) an imaginary one or a flat point; traced, those give NaN.
    """
    single(pair, "pair", (2,))
    found = locus(pair, "pair")
    radius = guard(
        safe_sqrt(found.radius2),
        found.radius2 < -found.noise,
        "pair: imaginary, as of two objects that do not intersect; see radius_squared",
    )
    radius = guard(radius, ~found.round, "pair: a flat point, whose other point is infinity; see center")
    step = radius[..., None] * found.span[..., 1:4]
    return up(found.place - step), up(found.place + step)


def kind(x: Multivector) -> str:
    """What an object is: "point", "point pair", "flat point", "circle", "line", "sphere" or "plane".

    Raises:
        ValueError: no object, a batch of several kinds, or a traced value, whose kind is not known yet.
    """
    rounds = is_round(x)
    if isinstance(rounds, Tracer):
        raise ValueError("x: traced, so its kind is not known; use is_round, which gives an array")
    found = set(rounds.ravel().tolist())
    if len(found) > 1:
        raise ValueError("x: a batch of rounds and flats; use is_round, which tells for each")
    names = (
        ("point", "point pair", "circle", "sphere") if True in found else ("", "flat point", "line", "plane")
    )
    return names[single(x, "x").grades[0] - 1]


def is_point(x: Multivector) -> Bool[Array, "*batch"]:
    """Whether x is a finite point: a null vector of a weight that is not 0. False for all grades but 1."""
    if x.grades != (1,):
        return jnp.zeros(x.shape, bool)
    v = x.values
    size = square(v)
    weight = jnp.abs(v[..., 4] - v[..., 3]) > epsilon(x.dtype) / 2 * jnp.sqrt(size)
    return (jnp.abs(x.norm_squared()) <= 1e4 * epsilon(x.dtype) * size) & weight


def is_flat(x: Multivector) -> Bool[Array, "*batch"]:
    """Whether an object passes through infinity (``einf ^ X = 0``): flat point, line, plane.

    Raises:
        ValueError: (eager) no object; see `locus`.
    """
    found = locus(x, "x")
    return ~found.round & ~jnp.isnan(found.weight)


def is_round(x: Multivector) -> Bool[Array, "*batch"]:
    """Whether an object is finite: point, point pair, circle, sphere, imaginary ones included."""
    found = locus(x, "x")
    return found.round & ~jnp.isnan(found.weight)


def is_imaginary(x: Multivector) -> Bool[Array, "*batch"]:
    """Whether an object has no real point: a round whose squared radius is negative beyond rounding."""
    found = locus(x, "x")
    return found.radius2 < -found.noise


def _by_points(name: str, points: tuple[Any, ...], count: int, **parameters: Any) -> bool:
    given = [key for key, value in parameters.items() if value is not None]
    ways = f"give {count} points, or {', '.join(f'{key}=' for key in parameters)}"
    if points and given:
        raise ValueError(f"{name}: points and {', '.join(given)} at once; {ways}")
    if points and len(points) != count:
        raise ValueError(f"{name}: {len(points)} points; {ways}")
    missing = [key for key in parameters if key not in given]
    if not points and missing:
        raise ValueError(f"{name}: {', '.join(missing)} is missing; {ways}")
    return bool(points)


def _place(value: Any, name: str, dtype: Any = None) -> Shaped[Array, "*batch 3"]:
    """Coordinates of a point given either way."""
    if isinstance(value, Multivector):
        single(value, name, (1,))
        return locus(value, name).place
    return coordinates(value, name, dtype)


def _unit(value: Any, name: str, dtype: Any = None) -> Shaped[Array, "*batch 3"]:
    """A direction, given as coordinates or as a Euclidean vector of grade 1, at length 1."""
    if isinstance(value, Multivector):
        value = single(value, name, (1,)).values[..., :3]
    v = coordinates(value, name, dtype)
    largest = jnp.max(jnp.abs(v), axis=-1)
    largest = guard(largest, largest == 0, f"{name}: of length 0, so it points nowhere; give another")
    return _normalised(v, largest)


@jax.jit
def _normalised(v: Array, largest: Array) -> Array:
    # Divided by the largest component first: no square overflows or vanishes. A zero vector becomes NaN.
    v = v / jnp.where(largest == 0, 1, largest)[..., None]
    return v / jnp.sqrt(square(v))[..., None]


def _plane_of(normal: Shaped[Array, "*batch 3"]) -> Shaped[Array, "*batch 8"]:
    """The unit bivector of Cl(3) with this unit normal, counterclockwise: e12 for e3."""
    x, y, z = normal[..., 0], normal[..., 1], normal[..., 2]
    o = jnp.zeros_like(x)
    return jnp.stack([o, o, o, o, z, -y, x, o], axis=-1)


def _dtype(*values: Any) -> Any:
    """The floating dtype of the first argument that has one, for those without."""
    for value in values:
        dtype = getattr(value, "dtype", None)
        if dtype is not None and jnp.issubdtype(dtype, jnp.floating):
            return dtype
    return None


def _made(parts: Parts, grade: int) -> Multivector:
    """The object of its parts, NaN as a whole where a part is."""
    values = assemble(parts, grade).values
    broken = jnp.isnan(values).any(axis=-1, keepdims=True)
    return Multivector(jnp.where(jnp.broadcast_to(broken, values.shape), jnp.nan, values), (grade,))


def _round(name: str, center: Any, radius: Any, span: Array, dtype: Any) -> Multivector:
    place = _place(center, "center", dtype)
    size = as_float(radius, place.dtype)
    place, size, span = common(place, size, span, axes=(1, 0, 1))
    size = guard(size, size <= 0, f"{name}: the radius is not positive; give one > 0, in the unit of length")
    return _round_of(place, size, span, {"point_pair": 2, "circle": 3, "sphere": 4}[name])


@partial(jax.jit, static_argnums=3)
def _round_of(place: Array, size: Array, span: Array, grade: int) -> Multivector:
    zero = jnp.zeros_like(span)
    return _made(translate(Parts(span, zero, (size * size / 2)[..., None] * span, zero), place), grade)


def _flat(place: Array, span: Array, grade: int) -> Multivector:
    return _flat_of(*common(place, span, axes=(1, 1)), grade)


@partial(jax.jit, static_argnums=2)
def _flat_of(place: Array, span: Array, grade: int) -> Multivector:
    zero = jnp.zeros_like(span)
    return _made(translate(Parts(zero, zero, zero, (-1) ** grade * span), place), grade)


def _through(name: str, points: tuple[Any, ...], flat: bool = False) -> Multivector:
    """The outer product of points, and of infinity if `flat`."""
    places, weights, dtype = [], [], _dtype(*points)
    for number, value in enumerate(points):
        label = f"{name}, point {number + 1}"
        places.append(_place(value, label, dtype))
        if isinstance(value, Multivector):
            v = single(value, label, (1,)).values
            weights.append(v[..., 4] - v[..., 3])
    count = len(places)
    arrays = common(*places, *weights, axes=(1,) * count + (0,) * len(weights))
    made, bad = _wedge(tuple(arrays[:count]), tuple(arrays[count:]), flat)
    return Multivector(guard(made.values, bad, _SAME.format(name, count), 1), made.grades)


@partial(jax.jit, static_argnums=2)
def _wedge(
    places: tuple[Array, ...], weights: tuple[Array, ...], flat: bool
) -> tuple[Multivector, Bool[Array, "*batch"]]:
    """The outer product, taken about the first point, where little cancels; and whether it vanishes."""
    first, steps = places[0], [p - places[0] for p in places[1:]]
    # eo ^ (d1 + d1^2/2 einf) ^ ... = eo ^ (wedge + einf ^ rest)
    wedge = jnp.zeros((*first.shape[:-1], 8), first.dtype).at[..., 0].set(1)
    rest = jnp.zeros_like(wedge)
    extent = jnp.ones(first.shape[:-1], first.dtype)
    for number, step in enumerate(steps):
        half = (square(step) / 2)[..., None]
        rest = euclidean("outer", rest, as_vector(step)) + (-1) ** number * half * wedge
        wedge = euclidean("outer", wedge, as_vector(step))
        length = jnp.sqrt(square(step))
        extent = extent * (length if flat else length * jnp.maximum(1, length / 2))
    zero = jnp.zeros_like(wedge)
    grade = len(places) + flat
    if flat:
        parts, size = Parts(zero, zero, zero, (-1) ** grade * wedge), square(wedge)
    else:
        parts, size = Parts(wedge, zero, zero, rest), square(wedge) + square(rest)
    bad = jnp.sqrt(size) <= (16 * epsilon(first.dtype) * extent if steps else -1)
    made = _made(translate(parts, first), grade)
    for weight in weights:
        made = Multivector(made.values * weight[..., None], made.grades)
    return made, bad
