"""Points of conformal space, and what every object of it is made of: its span, its place and its size.

An OPNS blade is taken apart over ``eo``, ``einf`` and Euclidean multivectors A, B, C, D of Cl(3),

    X = eo ^ A + B + einf ^ C + eo ^ einf ^ D,

which reads off all parameters in closed form, without the fourth powers of ``X einf X``. A round (point, point pair,
circle, sphere) is the translate by c of ``(eo + r^2/2 einf) ^ E``, so that A = E, B = c ^ E, D = c _| E; a flat (flat
point, line, plane) through p is ``up(p) ^ E ^ einf``, so that A = B = 0 and p ^ E and E are C and D up to a sign.
Reference: Dorst, Fontijne & Mann, *Geometric Algebra for Computer Science*, 2007, chapters 13 to 15.
"""

from __future__ import annotations

from functools import partial
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax.core import Tracer
from jaxtyping import Array, Bool, Shaped

from cga._algebra import CGA, Algebra, ProductKind, ProductTable, product_table
from cga._multivector import Multivector, mv, product
from cga._types import as_float
from cga._unary import dual

# This file may be loaded first while something is being traced; constants must not become tracers then.
with jax.ensure_compile_time_eval():
    einf = mv("e4 + e5")
    eo = mv("0.5 e5 - 0.5 e4")
"""The point at infinity and that at the origin, ``e4 + e5`` and ``(e5 - e4)/2``; in JAX's default dtype."""

_EUCLID = Algebra(3)
_NAMES = _EUCLID.blade_names
_SIGNS = np.array([(-1.0) ** g for g in _EUCLID.blade_grades])
_REVERSE = _EUCLID.signs("reverse")
_GRADES = np.array(_EUCLID.blade_grades)


def _places(suffix: str) -> np.ndarray:
    return np.array([CGA.position(("e" if name == "1" else name) + suffix or "1") for name in _NAMES])


_B = np.array([CGA.position(name) for name in _NAMES])
_F, _G, _D = _places("4"), _places("5"), _places("45")
_ORDER = np.argsort(np.concatenate([_B, _F, _G, _D]))


class Parts(NamedTuple):
    """A, B, C, D of the module's formula, each ``(*batch, 8)`` in the blade order of Cl(3)."""

    eo: Array
    euclid: Array
    einf: Array
    both: Array


class Locus(NamedTuple):
    """An OPNS object in Euclidean terms; a pytree.

    Attributes:
        round: whether it is a round, not a flat.
        place: ``(*batch, 3)`` the centre of a round; of a flat its point nearest the origin.
        span: ``(*batch, 8)`` the unit blade E of Cl(3) that it spans, oriented.
        radius2: the squared radius of a round, negative for an imaginary one; 0 for a flat.
        weight: the norm of E in the object.
        noise: how far `radius2` may be off by rounding.
    """

    round: Bool[Array, "*batch"]
    place: Shaped[Array, "*batch 3"]
    span: Shaped[Array, "*batch 8"]
    radius2: Shaped[Array, "*batch"]
    weight: Shaped[Array, "*batch"]
    noise: Shaped[Array, "*batch"]


def refuse(bad: Any, message: str) -> None:
    """Raises ValueError if any of `bad` is true; says nothing about traced values, which have no truth yet."""
    if not isinstance(bad, Tracer) and bool(np.any(np.asarray(bad))):
        raise ValueError(message)


def guard(values: Array, bad: Array, message: str, axes: int = 0) -> Array:
    """NaN where `bad` (traced), ValueError if any is (eager); `values` has `axes` more axes than `bad`."""
    refuse(bad, message)
    mask = bad.reshape(*bad.shape, *(1,) * axes)
    return jnp.where(jnp.broadcast_to(mask, values.shape), jnp.nan, values)


def epsilon(dtype: Any) -> float:
    """The spacing of numbers at 1."""
    return float(jnp.finfo(dtype).eps)


def common(*arrays: Array, axes: tuple[int, ...]) -> list[Array]:
    """Broadcasts the batches of arrays of one dtype that have so many axes of their own."""
    dtypes = sorted({str(a.dtype) for a in arrays})
    if len(dtypes) > 1:
        raise ValueError(f"arguments of the dtypes {', '.join(dtypes)}: convert them to one")
    shapes = [a.shape[: a.ndim - n] for a, n in zip(arrays, axes, strict=True)]
    try:
        batch = np.broadcast_shapes(*shapes)
    except ValueError:
        raise ValueError(
            f"batch shapes {shapes} do not broadcast: give equal ones, or 1 where it repeats"
        ) from None
    return [jnp.broadcast_to(a, (*batch, *a.shape[a.ndim - n :])) for a, n in zip(arrays, axes, strict=True)]


def coordinates(value: Any, name: str, dtype: Any = None) -> Shaped[Array, "*batch 3"]:
    """Euclidean coordinates as an array.

    Raises:
        ValueError: a last axis that is not of size 3, or what `as_float` refuses.
    """
    array = as_float(value, dtype)
    if array.ndim == 0 or array.shape[-1] != 3:
        raise ValueError(f"{name}: shape {array.shape}; the last axis must hold the 3 coordinates x, y, z")
    return array


def up(x: Any) -> Multivector:
    """The conformal point ``x + eo + x^2/2 einf``.

    Args:
        x: ``(*batch, 3)`` coordinates, in the unit of length. float16, bfloat16, float32 and float64 are kept, and
            a square beyond their range (|x| > 361 in float16) becomes infinite; integers become the default float.

    Returns:
        Points of grade 1, weight 1, batch ``(*batch)``. ``up(x) | up(y)`` is ``-|x - y|^2/2``.

    Raises:
        ValueError: a last axis that is not of size 3.
    """
    x = coordinates(x, "x")
    half = jnp.sum(x * x, axis=-1, keepdims=True) / 2
    return Multivector(jnp.concatenate([x, half - 0.5, half + 0.5], axis=-1), (1,))


def down(point: Multivector) -> Shaped[Array, "*batch 3"]:
    """The Euclidean coordinates of a conformal point of any weight but 0; the inverse of `up`.

    A vector that is not null is read as the dual (IPNS) of a sphere, whose centre this is.

    Args:
        point: a vector.

    Returns:
        ``(*batch, 3)`` coordinates; NaN for a point at infinity under a JAX transformation.

    Raises:
        ValueError: no vector, or (eager) a point at infinity: a weight ``-P | einf`` that rounding leaves no digit.
    """
    x = single(point, "point", (1,)).values
    weight = x[..., 4] - x[..., 3]
    size = jnp.maximum(jnp.abs(x[..., 3]), jnp.abs(x[..., 4]))
    bad = jnp.abs(weight) <= epsilon(x.dtype) / 2 * size
    result = x[..., :3] / jnp.where(bad, 1, weight)[..., None]
    return guard(
        result, bad, "point: at infinity (its weight -P|einf is 0), so it has no coordinates; leave it out", 1
    )


def null_coordinates(x: Multivector) -> dict[str, Shaped[Array, "*batch"]]:
    """The components of a vector on the null basis e1, e2, e3, eo, einf.

    Returns:
        By name ``"e1", "e2", "e3", "eo", "einf"``; a point of weight 1 has 1 on ``eo`` and ``x^2/2`` on ``einf``.

    Raises:
        ValueError: no vector.
    """
    v = single(x, "x", (1,)).values
    values = [v[..., 0], v[..., 1], v[..., 2], v[..., 4] - v[..., 3], (v[..., 3] + v[..., 4]) / 2]
    return dict(zip(("e1", "e2", "e3", "eo", "einf"), values, strict=True))


def single(x: Multivector, name: str, allowed: tuple[int, ...] = (1, 2, 3, 4)) -> Multivector:
    """The part of the one grade that x has.

    Raises:
        ValueError: another algebra, a grade that is not allowed, several grades (eager: several that are not zero).
    """
    if not isinstance(x, Multivector):
        raise ValueError(
            f"{name}: a {type(x).__name__}, expected a Multivector; cga.up makes points of coordinates"
        )
    if x.algebra != CGA:
        raise ValueError(f"{name}: of {x.algebra}; conformal objects live in Cl(4,1)")
    grades = x.grades
    if len(grades) > 1 and not isinstance(x.values, Tracer):
        grades = tuple(g for g in grades if bool(jnp.any(x.grade(g).values != 0))) or grades
    if len(grades) != 1:
        raise ValueError(f"{name}: of grades {grades}; an object has one: take it with .grade(...)")
    if grades[0] not in allowed:
        raise ValueError(f"{name}: of grade {grades[0]}, expected {' or '.join(map(str, allowed))}")
    return x.grade(*grades)


_ALL = tuple(range(8))


def contract(table: ProductTable, left: Array, right: Array) -> Array:
    """Applies a product table as one matrix product: small to compile, where `multiply` would be unrolled."""
    pairs = left[..., :, None] * right[..., None, :]
    flat = pairs.reshape(*pairs.shape[:-2], table.dense.shape[0])
    dense = jnp.asarray(table.dense, flat.dtype)
    return jnp.einsum("...p,po->...o", flat, dense, precision=jax.lax.Precision.HIGHEST)


def euclidean(kind: ProductKind, left: Array, right: Array) -> Shaped[Array, "*batch 8"]:
    """A product of Cl(3); both operands have the same batch."""
    return contract(product_table(_EUCLID, kind, _ALL, _ALL, _ALL), left, right)


def as_vector(v: Shaped[Array, "*batch 3"]) -> Shaped[Array, "*batch 8"]:
    """A vector as an element of Cl(3)."""
    return jnp.concatenate(
        [jnp.zeros_like(v[..., :1]), v, jnp.zeros_like(v), jnp.zeros_like(v[..., :1])], axis=-1
    )


def square(span: Shaped[Array, "*batch n"]) -> Shaped[Array, "*batch"]:
    """The sum of squares: of an element of Cl(3), ``<M ~M>``."""
    return jnp.sum(span * span, axis=-1)


def split(x: Multivector) -> Parts:
    """A, B, C, D of an element of Cl(4,1)."""
    full = x.to_array()
    signs = jnp.broadcast_to(jnp.asarray(_SIGNS, x.dtype), (*x.shape, 8))
    fourth, fifth = full[..., _F] * signs, full[..., _G] * signs
    return Parts(fifth - fourth, full[..., _B], (fourth + fifth) / 2, -full[..., _D])


def assemble(parts: Parts, grade: int) -> Multivector:
    """The inverse of `split`, for an element of one grade."""
    signs = jnp.broadcast_to(jnp.asarray(_SIGNS, parts.eo.dtype), parts.eo.shape)
    fourth, fifth = parts.einf - parts.eo / 2, parts.einf + parts.eo / 2
    full = jnp.concatenate([parts.euclid, fourth * signs, fifth * signs, -parts.both], axis=-1)[..., _ORDER]
    return Multivector(full, CGA.all_grades).grade(grade)


def translate(parts: Parts, shift: Shaped[Array, "*batch 3"]) -> Parts:
    """The parts after a translation: eo becomes ``eo + c + c^2/2 einf`` and E becomes ``E + einf ^ (c _| E)``."""
    c = as_vector(shift)
    inner = euclidean("left", c, parts.eo)
    infinity = (
        (square(shift) / 2)[..., None] * parts.eo
        - euclidean("outer", c, inner)
        + euclidean("left", c, parts.euclid)
        + parts.einf
        - euclidean("outer", c, parts.both)
    )
    return Parts(parts.eo, euclidean("outer", c, parts.eo) + parts.euclid, infinity, inner + parts.both)


def locus(x: Multivector, name: str = "object") -> Locus:
    """Takes an OPNS object apart.

    What is no object raises ValueError (eager) or has NaN in all its real numbers (traced): a zero blade, an element
    that is no blade, a direction (its part at finite places is 0), a vector that is not null.
    """
    x = single(x, name)
    result, empty, far, mixed = _locus(x.values, x.grades[0])
    refuse(empty, f"{name}: is zero, so it is no object; its defining points may coincide")
    refuse(mixed, _MIXED[x.grades[0] == 1].format(name))
    refuse(far, f"{name}: lies at infinity (a direction), so it has no place")
    bad = empty | far | mixed
    place, span = (jnp.where(bad[..., None], jnp.nan, v) for v in (result.place, result.span))
    radius2, weight, noise = (jnp.where(bad, jnp.nan, v) for v in result[3:])
    return Locus(result.round, place, span, radius2, weight, noise)


_MIXED = {
    False: "{}: is no blade (no outer product of vectors), so it stands for no object",
    True: "{}: a vector that is not null is no point; if it is the dual (IPNS) of a sphere or plane, pass undual of it",
}


@partial(jax.jit, static_argnums=1)
def _locus(values: Array, grade: int) -> tuple[Locus, Array, Array, Array]:
    # In half precision, 64 roundings would be everything.
    small = min(64 * epsilon(values.dtype), epsilon(values.dtype) ** 0.5)
    loose = min(1e4 * epsilon(values.dtype), 0.1)
    size = jnp.max(jnp.abs(values), axis=-1)
    empty = size == 0
    # Scaled by a power of two: exact, and no square of a component overflows.
    size = jax.lax.stop_gradient(jnp.where(empty, 1, size / jnp.frexp(size)[0]))
    scaled = Multivector(values / size[..., None], (grade,))
    parts = split(scaled)
    sign = (-1) ** grade
    is_round = jnp.sqrt(square(jax.lax.stop_gradient(parts.eo))) > small
    span = jnp.where(is_round[..., None], parts.eo, sign * parts.both)
    weight2 = square(span)
    far = ~is_round & ~(weight2 > small * small) & ~jnp.isnan(size) & ~empty
    none = empty | far | jnp.isnan(size)
    weight2 = jnp.where(none, 1, weight2)
    inverse = span * jnp.broadcast_to(jnp.asarray(_REVERSE, span.dtype), span.shape) / weight2[..., None]
    across = euclidean("geometric", parts.euclid, inverse)[..., 1:4]
    along = euclidean("geometric", parts.both, inverse)[..., 1:4]
    foot = -sign * euclidean("geometric", parts.einf, inverse)[..., 1:4]
    place = jnp.where(is_round[..., None], across + along, foot)
    height = 2 * jnp.sum(parts.einf * span, axis=-1) / weight2
    zero = jnp.zeros_like(height)
    radius2 = jnp.where(is_round, height + square(along) - square(across), zero)
    noise = small * (jnp.abs(height) + square(place))
    # Of a grade-1 or grade-4 element every one is a blade; of the others Y ^ Y = 0 tells, Y of grade 2.
    if grade == 1:
        stray = jnp.max(jnp.abs(parts.euclid), axis=-1) > small
        mixed = (is_round & (jnp.abs(radius2) > loose / small * noise)) | (far & stray)
        radius2 = zero
    elif grade == 4:
        mixed = jnp.zeros_like(empty)
    else:
        half = scaled if grade == 2 else dual(scaled)
        mixed = jnp.max(jnp.abs(product("outer", half, half).values), axis=-1) > loose
    weight = jnp.sqrt(weight2)
    found = Locus(is_round, place, span / weight[..., None], radius2, weight * size, noise)
    found = Locus(is_round, *(jnp.where(_like(jnp.isnan(size), v), jnp.nan, v) for v in found[1:]))
    return found, empty, far, mixed


def _like(mask: Array, values: Array) -> Array:
    return jnp.broadcast_to(mask.reshape(*mask.shape, *(1,) * (values.ndim - mask.ndim)), values.shape)
