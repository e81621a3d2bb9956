"""Versors: products of invertible vectors, acting on the algebra by the twisted sandwich; inverses of any element.

An even versor R acts as ``X -> R X R^-1``, an odd one V as ``X -> involute(X)`` between V and its inverse,
``(-1)^grade(X) V X V^-1``. For a unit rotor (R ~R = 1) that is ``R X ~R``.
References: Dorst, Fontijne & Mann, *Geometric Algebra for Computer Science*, 2007, chapter 7; Hitzer & Sangwine,
"Multivector and multivector matrix inverses in real Clifford algebras", 2017; Dorst & Valkenburg 2011 (unitize).
"""

from __future__ import annotations

from math import prod

import jax
import jax.numpy as jnp
from jax.core import Tracer
from jaxtyping import Array, Bool, Shaped

from cga import _null as null
from cga import _spin
from cga._checks import from_cga, reject, to_cga
from cga._kernels import single_cpu
from cga._multivector import Multivector, product

_VERSOR_TOLERANCE = 1e-5
_NULL_NOISE = 8.0
"""A norm below this many rounding errors of its terms counts as zero."""
_TOP_NOISE = 1e4
"""A grade of a versor below this many rounding errors of its largest component is empty for `factorize`."""


def inverse(x: Multivector) -> Multivector:
    """The inverse of any invertible element: ``x x^-1 = x^-1 x = 1``.

    ``x ~x`` is its own reverse, so it is Z + V with Z = alpha + beta I and V a vector plus a 4-vector. I is central
    and V^2 a combination of 1 and I, so ``x^-1 = ~x (Z - V) / (Z^2 - V^2)`` (Hitzer & Sangwine 2017, n = 5), followed
    by one Newton step where x mixes even and odd grades.

    Raises:
        ValueError: a null element or zero divisor, such as a conformal point or 1 + e1, up to rounding; NaN when
            traced. Or an algebra that isn't inside Cl(4,1).
    """
    inner = to_cga(x, "inverse")
    found, bad = _inverse(inner)
    message = "inverse: null or a zero divisor, such as a conformal point or 1 + e1: it has no inverse"
    return from_cga(Multivector(reject(found.values, bad, message), found.grades), x.algebra)


@jax.jit
def _inverse(x: Multivector) -> tuple[Multivector, Array]:
    # Scaled by a power of two, so that the fourth powers neither overflow nor vanish.
    _, exponent = jnp.frexp(jnp.max(jnp.abs(jax.lax.stop_gradient(x.values)), axis=-1, initial=0))
    shrink = jnp.ldexp(jnp.ones(x.shape, x.dtype), -exponent)[..., None]
    unit = Multivector(x.values * shrink, x.grades)
    pure = len({grade % 2 for grade in x.grades}) < 2
    found, bad = _inverse_pure(unit) if pure else _in_chunks(unit)
    return Multivector(found.values * shrink, found.grades), bad


def _noise(x: Multivector) -> Array:
    return _NULL_NOISE * jnp.finfo(x.dtype).eps * jnp.sum(x.values * x.values, axis=-1)


def _inverse_pure(x: Multivector) -> tuple[Multivector, Array]:
    """Of an even or an odd element: ``x ~x`` has grades 0 and 4."""
    square = product("geometric", x, ~x, (0, 4))
    scalar = square["1"]
    four = square.grade(4)
    norm = scalar * scalar - product("geometric", four, four, (0,))["1"]
    size = jnp.sqrt(jnp.sum(square.values * square.values, axis=-1))
    bad = ~(jnp.abs(norm) > _noise(x) * size)
    safe = jnp.where(bad, 1, norm)
    found = product("geometric", ~x, (scalar / safe) - four / safe, x.grades)
    return found, bad


_CHUNK = 512
"""Elements of a chunk in which products take their short form: less code to compile, a third more time to run."""


def _in_chunks(x: Multivector) -> tuple[Multivector, Array]:
    """`_inverse_mixed` of a large batch, chunk by chunk on a single CPU device."""
    size = prod(x.shape)
    if size < 2 * _CHUNK or not single_cpu():
        return _inverse_mixed(x)
    count = -(-size // _CHUNK)
    blades = x.values.shape[-1]
    flat = x.values.reshape(size, blades)
    flat = jnp.concatenate([flat, jnp.zeros((count * _CHUNK - size, blades), x.dtype)])
    chunks = Multivector(flat.reshape(count, _CHUNK, blades), x.grades, x.algebra)
    found, bad = jax.lax.map(_inverse_mixed, chunks)
    values = found.values.reshape(count * _CHUNK, -1)[:size].reshape(*x.shape, -1)
    return Multivector(values, found.grades, x.algebra), bad.reshape(-1)[:size].reshape(x.shape)


def _inverse_mixed(x: Multivector) -> tuple[Multivector, Array]:
    square = product("geometric", x, ~x, (0, 1, 4, 5))
    central, rest = square.grade(0, 5), square.grade(1, 4)
    norm = product("geometric", central, central, (0, 5)) - product("geometric", rest, rest, (0, 5))
    re, im = norm["1"], norm["e12345"]
    size = jnp.sqrt(jnp.sum(square.values * square.values, axis=-1))
    length = re * re + im * im
    bad = ~(jnp.sqrt(length) > _noise(x) * size)
    safe = jnp.where(bad, 1, length)
    one = jnp.stack([re / safe, -im / safe], axis=-1)
    adjoint = product("geometric", central - rest, Multivector(one, (0, 5)))
    return _refined(x, product("geometric", ~x, adjoint)), bad


def _refined(x: Multivector, found: Multivector) -> Multivector:
    """A Newton step for an inverse of x, ``found (2 - x found)``."""
    if x.grades != found.grades:
        return product("geometric", found, 2 - product("geometric", x, found))

    # Both products by one piece of code: a full product compiles for about a second.
    def step(right: Multivector, left: Multivector) -> tuple[Multivector, None]:
        return 2 - product("geometric", left, right).with_grades(x.grades), None

    lefts = jax.tree.map(lambda a, b: jnp.stack([a, b]), x, found)
    return 2 - jax.lax.scan(step, found, lefts)[0]


def versor_inverse(versor: Multivector) -> Multivector:
    """``V^-1 = ~V / (V ~V)``, cheaper than `inverse`; NaN where V is null.

    Only for versors: for any other element ``V ~V`` is not a scalar and the result is no inverse; `is_versor` tells.
    """
    square = versor.norm_squared()
    return ~versor / jnp.where(square == 0, jnp.nan, square)


def normalize(versor: Multivector) -> Multivector:
    """``V / sqrt(|V ~V|)``, so that V ~V = 1 or -1.

    Divides by a number only: of an element whose ``V ~V`` has a 4-vector part (a drifted rotor) that part stays; see
    `unitize`.

    Raises:
        ValueError: a null element, such as a conformal point: divide a point by ``-P.einf``. NaN when traced.
    """
    square = jnp.abs(versor.norm_squared())
    bad = ~(square > _noise(versor) / 2)
    root = jnp.sqrt(jnp.where(bad, 1, square))
    message = (
        "normalize: null, so V ~V is 0 and nothing can be divided out; divide a point by -P.einf instead"
    )
    values = versor.values / root[..., None]
    return Multivector(reject(values, bad, message), versor.grades, versor.algebra)


def unitize(rotor: Multivector) -> Multivector:
    """Projects a nearly unit rotor on the rotors: ``(R ~R)^(-1/2) R``, with a root of scalar and 4-vector.

    The result has R ~R = 1 to rounding, even where R has drifted off the versors altogether, which dividing by a number
    cannot mend. Composing many rotors, call it now and then: see `versor_condition`. Its derivative keeps only what is
    tangent to the rotors.

    Args:
        rotor: even, such that ``R ~R = alpha + Q`` has ``alpha > 0`` and ``alpha^2 > Q^2``; any norm.

    Raises:
        ValueError: another element, such as e45 or a null one; NaN when traced.
    """
    inner = to_cga(rotor, "unitize")
    if any(grade % 2 for grade in inner.grades):
        raise ValueError(f"unitize: grades {inner.grades}; a rotor is even, take .grade(0, 2, 4)")
    square = product("geometric", inner, ~inner, (0, 4))
    scalar = square["1"]
    root, quad, ok = _spin.inverse_root(scalar, null.from_quad(square.grade(4).with_grades((4,)).values))
    correction = Multivector(jnp.concatenate([root[..., None], null.to_quad(quad)], axis=-1), (0, 4))
    found = product("geometric", correction, inner, (0, 2, 4))
    message = (
        "unitize: R ~R has no positive root, so R is not near a rotor: it is null, or R ~R < 0 as for e45"
    )
    return from_cga(Multivector(reject(found.values, ~ok, message), found.grades), rotor.algebra)


def versor_condition(versor: Multivector) -> Shaped[Array, "*batch"]:
    """``|V ~V - 1|``, the root of the sum of its squared components: 0 for a unit rotor. Measured, never repaired."""
    residual = product("geometric", versor, ~versor) - 1
    return jnp.sqrt(jnp.sum(residual.values * residual.values, axis=-1))


def is_versor(x: Multivector, tolerance: float = _VERSOR_TOLERANCE) -> Bool[Array, "*batch"]:
    """Whether x is a versor, of any norm but zero.

    It is even or odd, ``x ~x`` is a non-zero scalar, and x takes vectors to vectors.

    Args:
        x: the element.
        tolerance: bound on what should vanish, relative to the sum of squared components of x.
    """
    values = x.values
    scale = jnp.sum(values * values, axis=-1)
    square = product("geometric", x, ~x)
    invertible = jnp.abs(x.norm_squared()) > tolerance * scale
    odd = jnp.asarray([x.algebra.blade_grades[b] % 2 == 1 for b in x.blades])
    parts = [
        jnp.sum(jnp.where(jnp.broadcast_to(mask, values.shape), values * values, 0), -1)
        for mask in (odd, ~odd)
    ]
    pure = jnp.minimum(*parts) <= tolerance * tolerance * scale
    basis = Multivector(jnp.eye(x.algebra.dimension, dtype=x.dtype), (1,), x.algebra)
    each = Multivector(values[..., None, :], x.grades, x.algebra)
    moved = product("geometric", product("geometric", each, basis), ~each)
    stray = [_largest(square, (0,)), jnp.max(_largest(moved, (1,)), axis=-1, initial=0)]
    return pure & invertible & (jnp.maximum(*stray) <= tolerance * scale)


def is_blade(x: Multivector, tolerance: float = _VERSOR_TOLERANCE) -> Bool[Array, "*batch"]:
    """Whether x is a blade, an outer product of vectors: of one grade, and of rank one there. Null blades and 0 count.

    In dimension n every element of grade 0, 1, n - 1 or n is a blade. For others ``(A _| x) ^ x = 0`` must hold for
    every basis blade A of one grade less (the Pluecker relations).

    Args:
        x: the element.
        tolerance: bound on what should vanish: components outside the largest grade relative to the root, the
            relations relative to the sum of squared components of x.
    """
    n = x.algebra.dimension
    scale = jnp.sum(x.values * x.values, axis=-1)
    found = jnp.zeros(x.shape, bool)
    for grade in x.grades:
        part = x.grade(grade)
        rest = scale - jnp.sum(part.values * part.values, axis=-1)
        good = rest <= tolerance * tolerance * scale
        if 1 < grade < n - 1:
            size = len(x.algebra.grade_blades((grade - 1,)))
            basis = Multivector(jnp.eye(size, dtype=x.dtype), (grade - 1,), x.algebra)
            each = Multivector(part.values[..., None, :], (grade,), x.algebra)
            relations = product("outer", product("left", basis, each), each).values
            worst = jnp.max(jnp.abs(relations), axis=(-2, -1), initial=0)
            good = good & (worst <= tolerance * scale)
        found = found | good
    return found


def _largest(x: Multivector, expected: tuple[int, ...]) -> Shaped[Array, "*batch"]:
    """Largest component outside the expected grades."""
    others = tuple(g for g in x.grades if g not in expected)
    if not others:
        return jnp.zeros(x.shape, x.dtype)
    rest = x.grade(*others)
    return jnp.max(jnp.abs(rest.values), axis=-1, initial=0)


def factorize(versor: Multivector) -> tuple[Multivector, ...]:
    """Vectors whose geometric product is the versor, in order; an even number for a rotor, none for the scalar 1.

    The part of highest grade is a blade, and dividing by an invertible vector in it lowers the grade by one, so there
    are as many vectors as that grade (Dorst, Fontijne & Mann 2007, section 21.4.4); a scalar other than 1 is c e1
    times e1. All but the first are units (squares 1 or -1).

    Args:
        versor: one versor, without batch axes, not traced: how many vectors there are depends on its values.

    Raises:
        ValueError: no versor, a batch, or traced values.
    """
    if isinstance(versor.values, Tracer) or versor.shape:
        raise ValueError(
            "factorize: give one versor outside jit, vmap and grad; the number of vectors depends on it"
        )
    if not bool(is_versor(versor)):
        raise ValueError(
            "factorize: no versor: it is null, of mixed parity, or does not take vectors to vectors"
        )
    eps = float(jnp.finfo(versor.dtype).eps)
    rest, factors = versor, []
    floor = _TOP_NOISE * eps * float(jnp.max(jnp.abs(versor.values)))
    while True:
        top = max(
            (g for g in rest.grades if float(jnp.max(jnp.abs(rest.grade(g).values))) > floor), default=0
        )
        if top == 0:
            break
        rest = rest.grade(*range(top % 2, top + 1, 2))
        vector = _vector_in(rest.grade(top))
        factors.insert(0, vector)
        rest = product("geometric", rest, versor_inverse(vector))
    scalar = rest["1"]
    if factors:
        return (factors[0] * scalar, *factors[1:])
    if float(jnp.abs(scalar - 1)) <= 4 * eps:
        return ()
    first = Multivector(jnp.eye(1, versor.algebra.dimension, dtype=versor.dtype)[0], (1,), versor.algebra)
    square = first.norm_squared()
    return (first * (scalar / square), first)


def _vector_in(blade: Multivector) -> Multivector:
    """A unit vector in a blade, as far from null as can be had by contracting basis blades."""
    grade = blade.grades[0]
    algebra = blade.algebra
    basis = Multivector(
        jnp.eye(len(algebra.grade_blades((grade - 1,))), dtype=blade.dtype), (grade - 1,), algebra
    )
    vectors = product("left", basis, Multivector(blade.values[None], (grade,), algebra), (1,))
    squares = vectors.norm_squared()
    lengths = jnp.sum(vectors.values * vectors.values, axis=-1)
    quality = jnp.abs(squares) / jnp.where(lengths > 0, lengths, 1)
    strong = lengths > 0.01 * jnp.max(lengths)
    best = int(jnp.argmax(jnp.where(strong, quality, 0)))
    return normalize(Multivector(vectors.values[best], (1,), algebra))
