"""Meet and join of any two objects: parallel, touching, contained and coincident ones too.

An object is a linear subspace of the five-dimensional space; the meet is the intersection of two, the join their sum,
and ``grade(a) + grade(b) = grade(meet) + grade(join)``. Both are independent of the metric, so they are computed in the
Euclidean one, where no blade is null. A join of grade r is ``a ^ (e_I _| b)`` for whichever blade e_I of the grade of
the meet gives most, and the meet is the regressive product in the subspace of the join. Where the join is the whole
space, this is the regressive product ``a & b`` itself.
Reference: Dorst, Fontijne & Mann, *Geometric Algebra for Computer Science*, 2007, chapters 5 and 13.
"""

from __future__ import annotations

from functools import cache, partial

import jax
import jax.numpy as jnp
import numpy as np
from jax.core import Tracer
from jaxtyping import Array

from cga._algebra import CGA, Algebra, ProductKind, multiply, product_table
from cga._conformal import _locus, assemble, common, contract, epsilon, guard, single, split, translate
from cga._multivector import Multivector, product

_EUCLID = Algebra(5)
_ALL_GRADES = (0, 1, 2, 3, 4, 5)


def meet(
    a: Multivector, b: Multivector, grade: int | None = None, *, tolerance: float | None = None
) -> Multivector:
    """What two objects have in common.

    Two spheres or a sphere and a plane meet in a circle (imaginary if they stay apart), two planes in a line (at
    infinity if parallel, themselves if coincident), a line and a plane in a flat point, a line and a sphere in a point
    pair, two lines that cross in a flat point, parallel ones in their direction ``v ^ einf``, skew ones in ``einf``.

    Args:
        a: a blade of any grade, a point to a sphere.
        b: another one.
        grade: the grade of the meet. By default the true one (eager; all pairs of a batch must agree) or, for traced
            values, that of objects in general position, ``max(0, grade(a) + grade(b) - 5)``.
        tolerance: how small an outer product counts as 0, relative to its factors; by default 4096 roundings.

    Returns:
        The regressive product ``a & b`` where the two together span everything, which moves as they do. Elsewhere
        its sign and its weight carry no meaning. Pairs that do not meet in the wanted grade give NaN if traced.

    Raises:
        ValueError: (eager) a zero operand, pairs of several grades, pairs whose meet is not of the grade wanted.
    """
    return _both(a, b, grade, tolerance, True)


def join(
    a: Multivector, b: Multivector, grade: int | None = None, *, tolerance: float | None = None
) -> Multivector:
    """The smallest object that holds both.

    Of two crossing or parallel lines that is their plane, of a part and a whole the whole.

    Args:
        a: a blade of any grade.
        b: another one.
        grade: the grade of the join. By default the true one (eager; all pairs of a batch must agree) or, for traced
            values, that of objects in general position, ``min(5, grade(a) + grade(b))``.
        tolerance: as in `meet`.

    Returns:
        The outer product ``a ^ b`` where the two have nothing in common; elsewhere a blade of free sign and weight.
        Pairs whose join is not of the wanted grade give NaN if traced.

    Raises:
        ValueError: as `meet`.
    """
    return _both(a, b, grade, tolerance, False)


def _both(
    a: Multivector, b: Multivector, grade: int | None, tolerance: float | None, want_meet: bool
) -> Multivector:
    a, b = single(a, "a", _ALL_GRADES), single(b, "b", _ALL_GRADES)
    first, second = a.grades[0], b.grades[0]
    left, right = common(a.values, b.values, axes=(1, 1))
    tolerance = 4096 * epsilon(left.dtype) if tolerance is None else tolerance
    least, most = max(0, first + second - 5), min(first, second)
    left, right, shift, empty, true = _survey(left, right, tolerance, first, second)
    if grade is not None:
        wanted = grade if want_meet else first + second - grade
        if not least <= wanted <= most:
            low, high = (least, most) if want_meet else (first + second - most, first + second - least)
            raise ValueError(f"grade={grade}: for grades {first} and {second} it is {low} to {high}")
    elif isinstance(true, Tracer):
        wanted = least
    else:
        found = sorted(set(np.asarray(true)[~np.asarray(empty)].ravel().tolist())) or [least]
        if len(found) > 1:
            raise ValueError(
                f"pairs of this batch meet in the grades {found}: take them one grade at a time, or give tolerance="
            )
        wanted = found[0]
    out = wanted if want_meet else first + second - wanted
    values = _result(left, right, shift, first, second, wanted, want_meet)
    values = guard(values, empty, "a or b: is zero, so it is no object", 1)
    name, shown = ("meet", wanted) if want_meet else ("join", out)
    values = guard(
        values, (true != wanted) & ~empty, f"the {name} is not of grade {shown}; leave grade= out", 1
    )
    return Multivector(values, (out,))


@partial(jax.jit, static_argnums=(3, 4))
def _survey(left: Array, right: Array, tolerance: Array, first: int, second: int) -> tuple[Array, ...]:
    """Both seen from the first; the shift from there; whether one is zero; the true grade of their meet."""
    shift = _frame(left, first)
    left, right = _move(left, first, -shift), _move(right, second, -shift)
    empty = (jnp.max(jnp.abs(left), axis=-1) == 0) | (jnp.max(jnp.abs(right), axis=-1) == 0)
    least, most = max(0, first + second - 5), min(first, second)
    sizes = jnp.stack([_joins(left, right, first, second, m)[1] for m in range(least, most + 1)], axis=-1)
    # The true grade of the meet is the least that has a join.
    true = least + jnp.argmax(sizes > tolerance, axis=-1)
    return left, right, shift, empty, true


@partial(jax.jit, static_argnums=(3, 4, 5, 6))
def _result(
    left: Array, right: Array, shift: Array, first: int, second: int, common_grade: int, want_meet: bool
) -> Array:
    joined, _ = _joins(left, right, first, second, common_grade)
    if want_meet:
        return _move(_meet_in(left, right, joined, first, second, common_grade), common_grade, shift)
    return _move(joined, first + second - common_grade, shift)


def _frame(values: Array, grade: int) -> Array:
    """Where the object is, so that little cancels when both are seen from there; the origin for what has no place."""
    if grade in (0, 5):
        return jnp.zeros((*values.shape[:-1], 3), values.dtype)
    place = jax.lax.stop_gradient(_locus(values, grade)[0].place)
    return jnp.where(jnp.isfinite(place), place, 0)


def _move(values: Array, grade: int, shift: Array) -> Array:
    return assemble(translate(split(Multivector(values, (grade,))), shift), grade).values


def _joins(left: Array, right: Array, first: int, second: int, common_grade: int) -> tuple[Array, Array]:
    """The join if the meet has this grade, and its size relative to the operands.

    Of weight 1 and free sign, but ``a ^ b`` for a meet of grade 0 and the pseudoscalar for a join of grade 5.
    """
    scale = jnp.sqrt(jnp.sum(left * left, axis=-1) * jnp.sum(right * right, axis=-1))
    scale = jnp.where(scale > 0, scale, 1)
    probes = CGA.grade_blades((common_grade,))
    table = product_table(
        _EUCLID, "left", probes, CGA.grade_blades((second,)), CGA.grade_blades((second - common_grade,))
    )
    rows = jnp.broadcast_to(
        jnp.eye(len(probes), dtype=left.dtype), (*right.shape[:-1], len(probes), len(probes))
    )
    rests = contract(table, rows, right[..., None, :])
    every = _euclid("outer", left[..., None, :], rests, first, second - common_grade)
    sizes = jnp.sqrt(jnp.max(jnp.sum(every * every, axis=-1), axis=-1))
    if common_grade == 0:
        return every[..., 0, :], sizes / scale
    if first + second - common_grade == 5:
        return jnp.ones_like(every[..., 0, :]), sizes / scale
    best = jnp.argmax(jnp.sum(every * every, axis=-1), axis=-1)
    chosen = jnp.take_along_axis(every, best[..., None, None], axis=-2)[..., 0, :]
    length = jnp.where(sizes > 0, sizes, 1)
    return chosen / length[..., None], sizes / scale


def _meet_in(left: Array, right: Array, joined: Array, first: int, second: int, out: int) -> Array:
    """The regressive product in the subspace of the join, taken as the unit pseudoscalar there."""
    whole = first + second - out
    if whole == 5:
        return product(
            "regressive", Multivector(left, (first,)), Multivector(right, (second,)), (out,)
        ).values
    length = jnp.sqrt(jnp.sum(joined * joined, axis=-1, keepdims=True))
    unit = joined / jnp.where(length > 0, length, 1)
    rest = _euclid("left", right, unit, second, whole)
    return _sign(first, second, whole) * _euclid("left", rest, left, whole - second, first)


def _euclid(kind: ProductKind, left: Array, right: Array, first: int, second: int) -> Array:
    out = CGA.grade_blades((first + second if kind == "outer" else second - first,))
    return multiply(
        product_table(_EUCLID, kind, CGA.grade_blades((first,)), CGA.grade_blades((second,)), out),
        left,
        right,
    )


@cache
def _sign(first: int, second: int, whole: int) -> float:
    """The sign of the regressive product against ``(b _| J) _| a``, by example in the algebra of J."""
    algebra = Algebra(whole)
    every = tuple(range(algebra.size))

    def blade(indices: range) -> np.ndarray:
        return np.eye(algebra.size)[algebra.blade_indices.index(tuple(indices))]

    def times(kind: ProductKind, x: np.ndarray, y: np.ndarray) -> np.ndarray:
        return multiply(product_table(algebra, kind, every, every, every), x, y)

    a, b = blade(range(1, first + 1)), blade(range(whole - second + 1, whole + 1))
    expected = times("regressive", a, b)
    found = times("left", times("left", b, blade(range(1, whole + 1))), a)
    return float(np.sign(expected @ found))
