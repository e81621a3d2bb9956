"""Rotors that are given by what they do: rotations, translations, dilations, transversions, rigid motions, reflections.

Everywhere X moves to ``R X ~R``, by a reflector V to ``(-1)^grade(X) V X V^-1``; ``A B`` moves by B first.
References: Dorst, Fontijne & Mann, *Geometric Algebra for Computer Science*, 2007, chapters 13 and 16; Hadfield &
Lasenby, "Direct linear interpolation of geometric objects in conformal geometric algebra", 2019.
"""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
from jaxtyping import Array, Shaped

from cga import _null as null
from cga import _spin
from cga._algebra import CGA
from cga._checks import reject
from cga._exp import split
from cga._multivector import Multivector, product
from cga._types import as_float

_EVEN = (0, 2, 4)
_PLACES = {name: CGA.position(name) - CGA.position("e12") for name in CGA.blade_names if len(name) == 3}
_SIMPLE = 1e-6
"""How far a plane's ``B ^ B`` may be from 0, relative to its components squared."""


def _rotor(scalar: Array, parts: dict[str, Array]) -> Multivector:
    zero = jnp.zeros_like(scalar)
    columns = [zero] * 10
    for name, value in parts.items():
        columns[_PLACES[name]] = value
    return Multivector(jnp.stack([scalar, *columns], axis=-1), (0, 2))


def _vector3(value: Any, name: str, dtype: Any = None) -> Shaped[Array, "*batch 3"]:
    array = as_float(value, dtype)
    if array.ndim == 0 or array.shape[-1] != 3:
        raise ValueError(
            f"{name}: shape {array.shape}; the last axis must have the three coordinates x, y, z"
        )
    return array


def rotor(angle: Any, plane: Multivector) -> Multivector:
    """The rotation ``exp(-angle/2 plane)``; in e12 it turns e1 towards e2.

    Args:
        angle: radians, a number or an array that broadcasts with the batch.
        plane: a simple bivector with negative square, of any norm: only its direction and orientation count.

    Raises:
        ValueError: not a bivector, or one that is null, not simple, or a boost (e45; see `exp`); NaN when traced.
    """
    if plane.grades != (2,):
        raise ValueError(f"plane: grades {plane.grades}; a plane of rotation is a bivector, take .grade(2)")
    square, wedge = null.square(null.from_bivector(plane.values))
    size = jnp.sum(plane.values * plane.values, axis=-1)
    rough = jnp.max(jnp.abs(jnp.stack(wedge)), axis=0) > _SIMPLE * size
    bad = ~(square < -_SIMPLE * _SIMPLE * size) | rough
    values = plane.values / jnp.sqrt(jnp.where(bad, 1, -square))[..., None]
    message = "plane: null, a boost or not simple, so there is no angle in it; use exp for those"
    values = reject(values, bad, message)
    half = as_float(angle, plane.dtype) / 2
    shape = jnp.broadcast_shapes(half.shape, values.shape[:-1])
    half, values = jnp.broadcast_to(half, shape), jnp.broadcast_to(values, (*shape, 10))
    turned = -jnp.broadcast_to(jnp.sin(half)[..., None], values.shape) * values
    return Multivector(jnp.concatenate([jnp.cos(half)[..., None], turned], axis=-1), (0, 2))


def translator(displacement: Any) -> Multivector:
    """The translation ``1 - t einf/2`` by t.

    Args:
        displacement: ``(*batch, 3)``, in units of length.

    Raises:
        ValueError: a last axis that isn't x, y, z.
    """
    half = _vector3(displacement, "displacement") / -2
    parts = {f"e{i + 1}{k}": half[..., i] for i in range(3) for k in (4, 5)}
    return _rotor(jnp.ones_like(half[..., 0]), parts)


def dilator(scale: Any) -> Multivector:
    """The dilation ``exp(-ln(rho)/2 e45)`` about the origin by the factor rho.

    Raises:
        ValueError: a factor that isn't positive (a reflection in a sphere inverts); NaN when traced.
    """
    rho = as_float(scale)
    bad = ~(rho > 0)
    rho = jnp.where(bad, 1, rho)
    root = jnp.sqrt(rho)
    found = _rotor((rho + 1) / (2 * root), {"e45": (1 - rho) / (2 * root)})
    return Multivector(reject(found.values, bad, "scale: not positive; a dilation needs rho > 0"), (0, 2))


def transversor(vector: Any) -> Multivector:
    """The transversion ``1 + a eo``: inversion in the unit sphere, translation by -a, inversion.

    A point x goes to ``(x - x^2 a)/(1 - 2 a.x + a^2 x^2)``.

    Args:
        vector: ``(*batch, 3)`` a, in units of one over length.

    Raises:
        ValueError: a last axis that isn't x, y, z.
    """
    half = _vector3(vector, "vector") / 2
    parts = {f"e{i + 1}{k}": half[..., i] * (1 if k == 5 else -1) for i in range(3) for k in (4, 5)}
    return _rotor(jnp.ones_like(half[..., 0]), parts)


def _turn(angle: Array, axis: Array) -> Multivector:
    """The rotation about a unit axis through the origin, right-handed."""
    sine = -jnp.sin(angle / 2)
    x, y, z = (axis[..., i] * sine for i in range(3))
    return _rotor(jnp.cos(angle / 2), {"e23": x, "e13": -y, "e12": z})


def motor(angle: Any, axis: Any, *, point: Any = None, translation: Any = None) -> Multivector:
    """A rigid motion: a rotation about a line, then a translation; all arguments broadcast.

    ``motor(angle, axis, point=p, translation=d * axis)`` is the screw about the line through p. For a rotation in a
    plane see `rotor`.

    Args:
        angle: radians, right-handed about the axis.
        axis: ``(*batch, 3)`` direction of the line, of any length but zero.
        point: ``(*batch, 3)`` a point of the line; the origin by default.
        translation: ``(*batch, 3)``; none by default.

    Raises:
        ValueError: an axis of length zero (NaN when traced), or a last axis that isn't x, y, z.
    """
    direction = _vector3(axis, "axis")
    dtype = direction.dtype
    theta = as_float(angle, dtype)
    place = jnp.zeros(3, dtype) if point is None else _vector3(point, "point", dtype)
    shift = jnp.zeros(3, dtype) if translation is None else _vector3(translation, "translation", dtype)
    shape = jnp.broadcast_shapes(theta.shape, *(x.shape[:-1] for x in (direction, place, shift)))
    theta = jnp.broadcast_to(theta, shape)
    direction, place, shift = (jnp.broadcast_to(x, (*shape, 3)) for x in (direction, place, shift))
    square = jnp.sum(direction * direction, axis=-1)
    bad = ~(square > 0)
    direction = direction / jnp.sqrt(jnp.where(bad, 1, square))[..., None]
    direction = reject(direction, bad, "axis: of length zero; give the direction of the line")
    # T(v) T(p) R T(-p) = T(v + p - R p) R, with p - R p without cancellation for small angles.
    once = jnp.cross(direction, place)
    twice = jnp.cross(direction, once)
    sine, versine = jnp.sin(theta)[..., None], 2 * (jnp.sin(theta / 2) ** 2)[..., None]
    shift = shift - jnp.broadcast_to(sine, once.shape) * once - jnp.broadcast_to(versine, once.shape) * twice
    return product("geometric", translator(shift), _turn(theta, direction), _EVEN)


def reflector(normal: Any, point: Any = None) -> Multivector:
    """The reflection in a plane, as the vector ``n + (n.p) einf``: a point x goes to ``x - 2 (n.(x - p)) n``.

    Args:
        normal: ``(*batch, 3)`` of any length but zero.
        point: ``(*batch, 3)`` a point of the plane; the origin by default.

    Raises:
        ValueError: a normal of length zero (NaN when traced), or a last axis that isn't x, y, z.
    """
    n = _vector3(normal, "normal")
    p = jnp.zeros(3, n.dtype) if point is None else _vector3(point, "point", n.dtype)
    n, p = jnp.broadcast_arrays(
        *(jnp.broadcast_to(x, jnp.broadcast_shapes(n.shape, p.shape)) for x in (n, p))
    )
    square = jnp.sum(n * n, axis=-1)
    bad = ~(square > 0)
    n = n / jnp.sqrt(jnp.where(bad, 1, square))[..., None]
    offset = jnp.sum(n * p, axis=-1)[..., None]
    values = jnp.concatenate([n, offset, offset], axis=-1)
    return Multivector(
        reject(values, bad, "normal: of length zero; give the direction across the plane"), (1,)
    )


def _scalar(left: Multivector, right: Multivector) -> Array:
    return product("geometric", left, right, (0,))["1"]


def _scaled(x: Multivector, factor: Array) -> Multivector:
    return Multivector(x.values * factor[..., None], x.grades)


def rotor_between(start: Multivector, end: Multivector) -> Multivector:
    """A unit rotor R with ``R a ~R = b`` up to scale, for two like objects of any norm.

    Vectors, words, dual or direct lines, circles, planes, spheres, point pairs: ``R = 1 + b a^-1``, made unit, which is
    the shortest. Between spheres it includes the dilation. Points, being null, are joined by the translator.
    Orientation counts: -a is another object than a. Where ``1 + b a^-1`` has no inverse (opposite orientation) the
    object is first turned by 180 degrees, or else 90, in a plane that meets it at right angles: of the parts of
    e12, e13, .., e45 that anticommute with a, the largest (the first of nearly equal ones).

    Args:
        start: a, of one grade.
        end: b, of the same grade; batch axes broadcast.

    Raises:
        ValueError: objects of different grades, squares of different sign (a real and an imaginary sphere), or null
            ones that aren't points. NaN when traced.
    """
    if start.grades != end.grades or len(start.grades) != 1:
        raise ValueError(
            f"start: grades {start.grades}, end: grades {end.grades}; give two objects stored in the same one grade"
        )
    values, bad = _between(start, end)
    message = (
        "start, end: no rotor joins them; their squares differ in sign or vanish (only points may be null)"
    )
    return Multivector(reject(values, bad, message), _EVEN)


@jax.jit
def _between(start: Multivector, end: Multivector) -> tuple[Array, Array]:
    shape = jnp.broadcast_shapes(start.shape, end.shape)
    a, b = (
        Multivector(jnp.broadcast_to(x.values, (*shape, x.values.shape[-1])), x.grades) for x in (start, end)
    )
    eps = jnp.finfo(a.dtype).eps
    squares = [_scalar(x, x) for x in (a, b)]
    noise = [64 * eps * jnp.sum(x.values * x.values, axis=-1) for x in (a, b)]
    flat = [jnp.abs(s) <= n for s, n in zip(squares, noise, strict=True)]
    bad = (flat[0] != flat[1]) | (~flat[0] & (squares[0] * squares[1] < 0))
    usable = ~(flat[0] | bad)
    a, b = (
        _scaled(x, 1 / jnp.sqrt(jnp.where(usable, jnp.abs(s), 1)))
        for x, s in zip((a, b), squares, strict=True)
    )
    sign = jnp.where(squares[0] < 0, -jnp.ones_like(squares[0]), jnp.ones_like(squares[0]))
    ratio = _scaled(product("geometric", b, a, _EVEN), sign)
    plane = _anticommuting_plane(a, sign)
    turned = product("geometric", plane, a, a.grades)
    candidates = [
        (ratio, None),
        (-ratio, plane),
        (
            _scaled(product("geometric", b, turned, _EVEN), sign),
            _scaled(1 + plane, jnp.full(shape, 0.5**0.5, a.dtype)),
        ),
    ]
    values, best = jnp.zeros((*shape, 16), a.dtype), jnp.zeros(shape, bool)
    for move, first in candidates:
        found, good = _half_way(move)
        if first is not None:
            found = product("geometric", found, first, _EVEN)
        values = jnp.where((good & ~best)[..., None], found.values, values)
        best = best | good
    bad = bad | (usable & ~best)
    if start.grades == (1,):
        moved, finite = _between_points(a, b)
        bad = bad | (flat[0] & flat[1] & ~finite)
        values = jnp.where((flat[0] & flat[1])[..., None], moved.values, values)
    else:
        bad = bad | flat[0]
    return values, bad


def _half_way(ratio: Multivector) -> tuple[Multivector, Array]:
    """``(1 + M)`` made unit, and whether it is well away from the elements that can't be."""
    full = (1 + ratio).with_grades(_EVEN)
    scalar = 2 + 2 * ratio["1"]
    quad = null.from_quad(2 * ratio.with_grades((4,)).values)
    g = null.quad_square(quad)
    threshold = jnp.finfo(scalar.dtype).eps ** 0.5
    good = (scalar > 0) & (scalar * scalar - g > threshold * scalar * scalar) & (scalar > threshold)
    root, other, _ = _spin.inverse_root(
        jnp.where(good, scalar, 1), null.scale(jnp.where(good, 1.0, 0.0).astype(scalar.dtype), quad)
    )
    correction = Multivector(jnp.concatenate([root[..., None], null.to_quad(other)], axis=-1), (0, 4))
    return product("geometric", full, correction, _EVEN), good


def _anticommuting_plane(a: Multivector, sign: Array) -> Multivector:
    """A unit plane J with ``J a = -a J``."""
    basis = Multivector(jnp.eye(10, dtype=a.dtype), (2,))
    each = Multivector(a.values[..., None, :], a.grades)
    moved = product("geometric", product("geometric", each, basis), each, (2,))
    moved_back = moved.values * sign[..., None, None]
    parts = Multivector((jnp.broadcast_to(basis.values, moved_back.shape) - moved_back) / 2, (2,))
    first, _ = split(parts)
    size = -_scalar(first, first)
    rank = jnp.argmax(
        size * jnp.broadcast_to(jnp.asarray([1 - 0.01 * i for i in range(10)], a.dtype), size.shape), -1
    )
    chosen = jnp.take_along_axis(first.values, rank[..., None, None], axis=-2)[..., 0, :]
    square = jnp.take_along_axis(size, rank[..., None], axis=-1)[..., 0]
    return _scaled(Multivector(chosen, (2,)), 1 / jnp.sqrt(jnp.where(square > 0, square, 1)))


def _between_points(a: Multivector, b: Multivector) -> tuple[Multivector, Array]:
    weights = [x.values[..., 4] - x.values[..., 3] for x in (a, b)]
    finite = (weights[0] != 0) & (weights[1] != 0)
    places = [
        x.values[..., :3] / jnp.where(w == 0, 1, w)[..., None] for x, w in zip((a, b), weights, strict=True)
    ]
    return translator(places[1] - places[0]).with_grades(_EVEN), finite
