"""Kernels on components: an element is a tuple of arrays of the batch's shape, one a blade.

That layout is what a measurement on two cores chose (even times even elements, float32, batch 1e5, millions a second):
leading batch axes with the blades last 10, one array with the blades first 18-30, a tuple of components 14-31, a tuple
in tiles that stay in cache 38. A tuple needs no transpose on the way in or out, its sign changes and grade selections
cost nothing, and `jax.vmap`, `jax.lax.scan` and shardings see the batch axes first.

On a single CPU device a large batch runs in tiles: one pass over the whole batch for each result component would fetch
all operands from memory once per component. A GPU, and a batch spread over devices, get the plain form.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from math import prod
from typing import Any, TypeAlias

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jaxtyping import Array

from cga._algebra import Algebra, Grades, ProductTable, product_table, row_form

Components: TypeAlias = tuple[Any, ...]

TILE_BYTES = 16_384
"""Bytes of one component in a tile: some sixty of them fit in a core's second-level cache."""
UNROLL_LIMIT = 1_024
"""Most terms that are unrolled in a tile: that takes two seconds to compile."""
FUSED_TERMS = 64
"""Outside of tiles a product of more terms runs as a loop. That is as fast, compiles at once, and is not fused: XLA
would compute the operands again for each term, and a chain of such products would compile for minutes."""


@jax.jit
def unstack(values: Array) -> Components:
    """The components of an array whose last axis runs over blades."""
    return tuple(values[..., i] for i in range(values.shape[-1]))


@jax.jit
def stack(components: Components) -> Array:
    """The inverse of `unstack`."""
    return jnp.stack(components, axis=-1)


@partial(jax.jit, static_argnums=0)
def signed(signs: tuple[int, ...], components: Components) -> Components:
    """Each component with a sign."""
    return tuple(x if sign > 0 else -x for sign, x in zip(signs, components, strict=True))


@partial(jax.jit, static_argnums=0)
def signed_squares(signs: tuple[int, ...], components: Components) -> Array:
    """The sum of the signed squares of the components."""
    total = jnp.zeros_like(components[0])
    for sign, x in zip(signs, components, strict=True):
        total = total + x * x if sign > 0 else total - x * x if sign < 0 else total
    return total


@partial(jax.jit, static_argnums=0)
def add(places: tuple[tuple[int, int], ...], left: Components, right: Components) -> Components:
    """For each ``(i, j)`` the sum of left component i and right component j; -1 stands for zero."""
    shape = np.broadcast_shapes(left[0].shape, right[0].shape)
    zero = jnp.zeros(shape, left[0].dtype)
    a = (*(jnp.broadcast_to(x, shape) for x in left), zero)
    b = (*(jnp.broadcast_to(x, shape) for x in right), zero)
    return tuple(a[i] if j < 0 else b[j] if i < 0 else a[i] + b[j] for i, j in places)


@jax.jit
def divide(components: Components, divisor: Array) -> Components:
    """Each component over an array; the batch axes broadcast."""
    shape = np.broadcast_shapes(components[0].shape, divisor.shape)
    divisor = jnp.broadcast_to(divisor, shape)
    return tuple(jnp.broadcast_to(x, shape) / divisor for x in components)


@partial(jax.jit, static_argnums=0)
def multiply(table: ProductTable, left: Components, right: Components) -> Components:
    """Applies a product table; batch axes broadcast."""
    work = sum(map(len, table.terms))
    return in_tiles(partial(_terms, table), left, right, len(table.terms), work)


@partial(jax.jit, static_argnums=(0, 1, 2))
def sandwich(
    algebra: Algebra, versor_grades: Grades, grades: Grades, versor: Components, x: Components
) -> Components:
    """``V x ~V`` for even V, ``involute(V x ~V) / (V ~V)`` up to sign for odd V; see `cga.sandwich`.

    A single versor on a batch acts as a matrix on each grade, which is computed once.
    """
    one, batch = prod(versor[0].shape), prod(x[0].shape)
    if one == 1 and batch >= algebra.size:
        single = tuple(v.reshape(()) for v in versor)
        entries = _matrices(algebra, versor_grades, grades, single)
        return in_tiles(partial(_apply, algebra, grades), entries, x, len(x), len(entries))
    act = partial(_sandwich, algebra, versor_grades, grades)
    return in_tiles(act, versor, x, len(x), len(versor) * len(x))


def _sandwich(
    algebra: Algebra, versor_grades: Grades, grades: Grades, versor: Components, x: Components
) -> Components:
    blades, moved = algebra.grade_blades(versor_grades), algebra.grade_blades(grades)
    first = product_table(algebra, "geometric", blades, moved)
    second = product_table(algebra, "geometric", first.out_blades, blades, moved)
    signs = algebra.signs("reverse")
    reverse = tuple(v if signs[b] > 0 else -v for v, b in zip(versor, blades, strict=True))
    result = _terms(second, _terms(first, versor, x), reverse)
    if versor_grades[0] % 2 == 0:
        return result
    square = signed_squares(tuple(int(algebra.blade_norms[b]) for b in blades), versor)
    odd = [algebra.blade_grades[b] % 2 for b in moved]
    return tuple((-y if sign else y) / square for y, sign in zip(result, odd, strict=True))


def _matrices(algebra: Algebra, versor_grades: Grades, grades: Grades, versor: Components) -> Components:
    """The entries of the matrices by which a versor acts on each grade, row by row."""
    entries: list[Array] = []
    for grade in grades:
        size = len(algebra.grade_blades((grade,)))
        basis = tuple(jnp.eye(size, dtype=versor[0].dtype)[i] for i in range(size))
        rows = _sandwich(algebra, versor_grades, (grade,), versor, basis)
        entries += [row[i] for row in rows for i in range(size)]
    return tuple(entries)


def _apply(algebra: Algebra, grades: Grades, entries: Components, x: Components) -> Components:
    result: list[Array] = []
    rest = iter(entries)
    first = 0
    for grade in grades:
        size = len(algebra.grade_blades((grade,)))
        part = x[first : first + size]
        first += size
        for _ in range(size):
            total = next(rest) * part[0]
            for c in part[1:]:
                total = total + next(rest) * c
            result.append(total)
    return tuple(result)


def _terms(table: ProductTable, left: Components, right: Components) -> Components:
    """The products of a table, of components of one shape or of shape ()."""
    shape = np.broadcast_shapes(left[0].shape, right[0].shape)
    in_tile = len(shape) == 1 and 2 * shape[0] * left[0].dtype.itemsize >= TILE_BYTES
    limit = UNROLL_LIMIT if in_tile or jax.default_backend() != "cpu" else FUSED_TERMS
    if sum(map(len, table.terms)) > limit:
        return _rows(table, left, right, shape)
    result = []
    for row in table.terms:
        total = None
        for i, j, sign in row:
            term = left[i] * right[j]
            if total is None:
                total = term if sign > 0 else -term
            else:
                total = total + term if sign > 0 else total - term
        result.append(jnp.zeros(shape, left[0].dtype) if total is None else total)
    return tuple(result)


def _rows(table: ProductTable, left: Components, right: Components, shape: tuple[int, ...]) -> Components:
    """``sum_i left_i * (sign_i * right[permutation_i])`` in a loop, which compiles fast however many the terms."""
    rights = jnp.stack([jnp.broadcast_to(x, shape) for x in right])
    lefts = jnp.stack([jnp.broadcast_to(x, shape) for x in left])
    indices, signs = row_form(table, len(left))
    spread = (-1,) + (1,) * len(shape)

    def step(total: Array, row: tuple[Array, Array, Array]) -> tuple[Array, None]:
        x, index, sign = row
        term = rights[index] * jnp.broadcast_to(sign.reshape(spread), total.shape)
        return total + jnp.broadcast_to(x[None], total.shape) * term, None

    zero = jnp.zeros((len(table.terms), *shape), rights.dtype)
    rows = (lefts, jnp.asarray(indices), jnp.asarray(signs, rights.dtype))
    total, _ = lax.scan(step, zero, rows)
    return tuple(total[k] for k in range(len(table.terms)))


def in_tiles(
    function: Callable[[Components, Components], Components],
    left: Components,
    right: Components,
    outputs: int,
    work: int,
) -> Components:
    """Applies an elementwise function of components over broadcast batch axes, in tiles where that pays.

    Args:
        function: takes components of one shape or of shape (), and gives components of that shape.
        left: components of the first operand.
        right: components of the second operand.
        outputs: how many components the function gives.
        work: multiplications for each element of the batch.
    """
    shape = np.broadcast_shapes(left[0].shape, right[0].shape)
    size = prod(shape)
    length = _tile(size, left[0].dtype.itemsize)
    moved = outputs + sum(x.size == size for x in (*left, *right))
    if length == 0 or work < moved or not single_cpu():
        spread = [tuple(_spread(x, shape) for x in side) for side in (left, right)]
        return tuple(y.reshape(shape) for y in function(*spread))
    count = size // length
    flat = [tuple(_flat(x, shape) for x in side) for side in (left, right)]
    # A component of one element takes part in every tile as it is.
    whole = [[x.ndim == 0 for x in side] for side in flat]

    def step(_: None, tile: list[list[Array]]) -> tuple[None, Components]:
        sides = []
        for side, single, cut in zip(flat, whole, tile, strict=True):
            rest = iter(cut)
            sides.append(tuple(x if one else next(rest) for x, one in zip(side, single, strict=True)))
        return None, function(sides[0], sides[1])

    def cut(first: int, last: int, rows: int) -> list[list[Array]]:
        return [
            [x[first:last].reshape(rows, -1) for x, one in zip(side, single, strict=True) if not one]
            for side, single in zip(flat, whole, strict=True)
        ]

    end = count * length
    _, tiles = lax.scan(step, None, cut(0, end, count))
    result = [y.reshape(end) for y in tiles]
    if end < size:
        _, tail = step(None, [[x[0] for x in side] for side in cut(end, size, 1)])
        result = [jnp.concatenate([y, z]) for y, z in zip(result, tail, strict=True)]
    return tuple(y.reshape(shape) for y in result)


def _spread(x: Array, shape: tuple[int, ...]) -> Array:
    return x if x.ndim == 0 else jnp.broadcast_to(x, shape)


def _flat(x: Array, shape: tuple[int, ...]) -> Array:
    return x.reshape(()) if x.size == 1 else jnp.broadcast_to(x, shape).reshape(-1)


def _tile(size: int, itemsize: int) -> int:
    """Elements a tile, if possible a divisor of the size; 0 for a batch that is not worth cutting."""
    target = TILE_BYTES // itemsize
    if size < 2 * target:
        return 0
    divisors = [
        size // count
        for count in range(size // (2 * target), 2 * size // target)
        if count and size % count == 0
    ]
    return min(divisors, key=lambda d: abs(d - target), default=target)


def single_cpu() -> bool:
    """Whether work in pieces pays: a GPU and a batch spread over devices get plain forms."""
    return jax.default_backend() == "cpu" and jax.device_count() == 1
