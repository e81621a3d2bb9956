"""The Clifford algebras Cl(p, q, r) as tables: signature, blade order, signs of products and involutions.

NumPy only, so that the NumPy backend can use the tables without loading JAX. Every table is built once for
each algebra and is read-only. Basis vectors e1..ep square to +1, the next q to -1, the last r to 0. Blades run
grade-then-lexicographic: 1, e1, .., e5, e12, e13, .., e45, e123, .., e12345 (as in clifford and kingdon).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from itertools import combinations
from math import prod
from typing import Any, Literal

import numpy as np
from jaxtyping import Bool, Float, Int

MAX_DIMENSION = 6

ProductKind = Literal[
    "geometric",
    "outer",
    "inner",
    "left",
    "right",
    "scalar",
    "regressive",
    "commutator",
    "anticommutator",
]
UnaryKind = Literal["reverse", "involute", "conjugate"]
Grades = tuple[int, ...]
Blades = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Algebra:
    """The Clifford algebra of a quadratic form with p squares +1, q squares -1 and r squares 0.

    Two algebras of one signature are equal and share their tables.

    Attributes:
        p: number of basis vectors that square to +1.
        q: number of basis vectors that square to -1.
        r: number of basis vectors that square to 0.

    Raises:
        ValueError: a negative count, or p + q + r beyond `MAX_DIMENSION`.
    """

    p: int
    q: int = 0
    r: int = 0

    def __post_init__(self) -> None:
        if min(self.p, self.q, self.r) < 0 or self.dimension > MAX_DIMENSION:
            raise ValueError(
                f"Algebra({self.p}, {self.q}, {self.r}): counts must be >= 0 and sum to at most "
                f"{MAX_DIMENSION}; take a smaller signature"
            )

    @property
    def dimension(self) -> int:
        """Number of basis vectors, n = p + q + r."""
        return self.p + self.q + self.r

    @property
    def size(self) -> int:
        """Number of basis blades, 2**n."""
        return 1 << self.dimension

    @property
    def signature(self) -> tuple[int, ...]:
        """The squares of e1, .., en."""
        return (1,) * self.p + (-1,) * self.q + (0,) * self.r

    @property
    def all_grades(self) -> Grades:
        """The grades 0..n."""
        return tuple(range(self.dimension + 1))

    @property
    def blade_indices(self) -> tuple[tuple[int, ...], ...]:
        """For each blade, in blade order, its ascending basis indices counted from 1."""
        return _blade_indices(self.dimension)

    @property
    def blade_names(self) -> tuple[str, ...]:
        """For each blade its name: ``"1"``, ``"e1"``, .., ``"e12345"``."""
        return tuple("e" + "".join(map(str, b)) if b else "1" for b in self.blade_indices)

    @property
    def blade_grades(self) -> tuple[int, ...]:
        """For each blade its grade."""
        return tuple(len(b) for b in self.blade_indices)

    def grade_blades(self, grades: Grades) -> Blades:
        """Positions of the blades of the given grades, in blade order."""
        wanted = set(grades)
        return tuple(i for i, grade in enumerate(self.blade_grades) if grade in wanted)

    def check_grades(self, grades: Iterable[int]) -> Grades:
        """Returns the grades ascending and unique.

        Raises:
            ValueError: a grade outside 0..n.
        """
        result = tuple(sorted(set(grades)))
        if result and (result[0] < 0 or result[-1] > self.dimension):
            raise ValueError(f"grades {result}: this algebra has the grades 0..{self.dimension}")
        return result

    def position(self, name: str) -> int:
        """Position of the blade called ``name`` (``"1"`` or ``"s"`` is the scalar, ``"e12"`` a bivector).

        Raises:
            ValueError: no such blade, or indices that do not ascend.
        """
        try:
            return _positions(self.dimension)["1" if name == "s" else name]
        except KeyError:
            raise ValueError(
                f"unknown blade {name!r}: write 1 (or s) for the scalar, or e followed by ascending digits "
                f"from 1 to {self.dimension}, such as e12"
            ) from None

    def signs(self, kind: UnaryKind) -> Int[np.ndarray, " size"]:
        """Sign of each blade under reversion, grade involution or Clifford conjugation.

        The signs by grade k are (-1)**(k(k-1)/2), (-1)**k and (-1)**(k(k+1)/2).
        """
        return _unary_signs(self, kind)

    @property
    def blade_norms(self) -> Int[np.ndarray, " size"]:
        """For each blade A the scalar A ~A: the product of the squares of its basis vectors."""
        return _blade_norms(self)

    def multivector(self, value: Any, grades: Any = None) -> Any:
        """A `cga.Multivector` of this algebra; see `cga.mv`. Loads JAX."""
        return import_module("cga._multivector").mv(value, grades, algebra=self)

    def grade_mask(self, grades: Grades) -> Bool[np.ndarray, " size"]:
        """Which blades have one of the given grades."""
        mask = np.zeros(self.size, bool)
        mask[list(self.grade_blades(grades))] = True
        return mask


CGA = Algebra(4, 1)
"""Conformal geometric algebra of 3-space, Cl(4,1): e5 squares to -1."""


@cache
def _blade_indices(dimension: int) -> tuple[tuple[int, ...], ...]:
    basis = range(1, dimension + 1)
    return tuple(blade for grade in range(dimension + 1) for blade in combinations(basis, grade))


@cache
def _positions(dimension: int) -> dict[str, int]:
    return {"e" + "".join(map(str, b)) if b else "1": i for i, b in enumerate(_blade_indices(dimension))}


@cache
def _bits(dimension: int) -> tuple[np.ndarray, np.ndarray]:
    """Bit mask of each blade, and the position of each bit mask."""
    masks = np.array([sum(1 << (i - 1) for i in blade) for blade in _blade_indices(dimension)])
    return masks, np.argsort(masks)


@cache
def _unary_signs(algebra: Algebra, kind: UnaryKind) -> np.ndarray:
    grade = np.array(algebra.blade_grades)
    exponent = {
        "reverse": grade * (grade - 1) // 2,
        "involute": grade,
        "conjugate": grade * (grade + 1) // 2,
    }[kind]
    signs = 1 - 2 * (exponent % 2)
    signs.flags.writeable = False
    return signs


@cache
def _blade_norms(algebra: Algebra) -> np.ndarray:
    norms = np.array([prod(algebra.signature[i - 1] for i in blade) for blade in algebra.blade_indices])
    norms.flags.writeable = False
    return norms


def _swap_signs(left: np.ndarray, right: np.ndarray, dimension: int) -> np.ndarray:
    """Sign of sorting the concatenated basis vectors of two blades, given as bit masks."""
    swaps = np.zeros(np.broadcast_shapes(left.shape, right.shape), int)
    for shift in range(1, dimension):
        swaps += np.bitwise_count((left >> shift) & right)
    return 1 - 2 * (swaps % 2)


@cache
def multiplication_table(algebra: Algebra) -> tuple[np.ndarray, np.ndarray]:
    """The geometric product of basis blades.

    Returns:
        ``(position, sign)``, both ``(size, size)``: blade i times blade j is ``sign[i, j]`` (one of -1, 0, 1)
        times the blade at ``position[i, j]``.
    """
    masks, positions = _bits(algebra.dimension)
    left, right = masks[:, None], masks[None, :]
    sign = _swap_signs(left, right, algebra.dimension)
    for axis, square in enumerate(algebra.signature):
        if square != 1:
            sign = np.where((left & right) >> axis & 1, sign * square, sign)
    position = positions[left ^ right]
    for table in (position, sign):
        table.flags.writeable = False
    return position, sign


@cache
def complement_signs(algebra: Algebra) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Right and left complement with the pseudoscalar I as unit.

    Returns:
        ``(position, right, left)``, each ``(size,)``: with A the i-th blade and C the blade at
        ``position[i]``, ``A ^ (right[i] C) = I`` and ``(left[i] C) ^ A = I``.
    """
    masks, positions = _bits(algebra.dimension)
    others = masks[-1] ^ masks
    right = _swap_signs(masks, others, algebra.dimension)
    left = _swap_signs(others, masks, algebra.dimension)
    return positions[others], right, left


@cache
def _signed_product(algebra: Algebra, kind: ProductKind) -> tuple[np.ndarray, np.ndarray]:
    """As `multiplication_table`, for any kind of product: signs are 0 where the kind drops a term."""
    position, sign = multiplication_table(algebra)
    grade = np.array(algebra.blade_grades)
    left, right, out = grade[:, None], grade[None, :], grade[position]
    if kind == "regressive":
        complement, rights, lefts = complement_signs(algebra)
        outer_position, outer_sign = _signed_product(algebra, "outer")
        inner = np.ix_(complement, complement)
        met = outer_position[inner]
        sign = rights[:, None] * rights[None, :] * outer_sign[inner] * lefts[met]
        return complement[met], sign
    keep = {
        "geometric": np.ones_like(out, bool),
        "outer": out == left + right,
        "inner": out == abs(left - right),
        "left": out == right - left,
        "right": out == left - right,
        "scalar": out == 0,
        # Blades either commute or anticommute, so (ab -+ ba)/2 keeps a term whole or drops it.
        "commutator": sign != sign.T,
        "anticommutator": sign == sign.T,
    }[kind]
    return position, np.where(keep, sign, 0)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ProductTable:
    """A bilinear product between two sets of blades, with zero terms left out.

    Attributes:
        out_blades: positions of the blades of the result, in blade order.
        terms: for each blade of the result, its terms ``(i, j, sign)``: component i of the left operand
            times component j of the right one.
        dense: the same as an array ``(len(left) * len(right), len(out))``.
    """

    out_blades: Blades
    terms: tuple[tuple[tuple[int, int, int], ...], ...]
    dense: Float[np.ndarray, "pairs out"]


@cache
def product_table(
    algebra: Algebra, kind: ProductKind, left: Blades, right: Blades, out: Blades | None = None
) -> ProductTable:
    """Table of a product of the blades ``left`` with the blades ``right``.

    Args:
        algebra: the algebra.
        kind: which product.
        left: positions of the blades of the left operand.
        right: positions of the blades of the right operand.
        out: positions of the blades to compute; by default all blades of every grade that can be non-zero.
    """
    position, sign = (table[np.ix_(left, right)] for table in _signed_product(algebra, kind))
    if out is None:
        grade = algebra.blade_grades
        out = algebra.grade_blades(tuple({grade[k] for k in position[sign != 0]}))
    terms = tuple(
        tuple((int(i), int(j), int(sign[i, j])) for i, j in np.argwhere((position == k) & (sign != 0)))
        for k in out
    )
    dense = np.zeros((len(left), len(right), len(out)))
    for k, row in enumerate(terms):
        for i, j, value in row:
            dense[i, j, k] = value
    dense = dense.reshape(len(left) * len(right), len(out))
    dense.flags.writeable = False
    return ProductTable(out_blades=out, terms=terms, dense=dense)


UNROLL_LIMIT = 512
"""Most terms that `multiply` unrolls: beyond, XLA takes seconds to compile and gains nothing."""


def multiply(table: ProductTable, left: Any, right: Any) -> Any:
    """Applies a product table to arrays of either namespace, over leading batch axes.

    NumPy pays for each call, so it takes one matrix product. XLA fuses, so it gets the non-zero terms: unrolled
    where they are few, and otherwise as ``sum_i left_i * (sign_i * right[..., permutation_i])``.

    Args:
        table: see `product_table`.
        left: ``(*batch, left)``.
        right: ``(*batch, right)``; the batch axes broadcast.

    Returns:
        ``(*batch, out)``, in the common dtype of the operands.
    """
    xp = left.__array_namespace__()
    if xp is np:
        pairs = left[..., :, None] * right[..., None, :]
        flat = pairs.reshape(*pairs.shape[:-2], table.dense.shape[0])
        return flat @ table.dense.astype(flat.dtype, copy=False)
    shape = np.broadcast_shapes(left.shape[:-1], right.shape[:-1])
    left = xp.broadcast_to(left, (*shape, left.shape[-1]))
    right = xp.broadcast_to(right, (*shape, right.shape[-1]))
    zero = xp.zeros((*shape, len(table.terms)), xp.result_type(left, right))
    if not table.terms:
        return zero
    if sum(map(len, table.terms)) <= UNROLL_LIMIT:
        columns = [_signed_sum(left, right, row, zero[..., 0]) for row in table.terms]
        return xp.stack(columns, axis=-1)
    indices, signs = row_form(table, left.shape[-1])
    total = zero
    for i, (index, sign) in enumerate(zip(indices, signs, strict=True)):
        sign = xp.broadcast_to(xp.asarray(sign, dtype=zero.dtype), zero.shape)
        total = total + left[..., i, None] * (right[..., index] * sign)
    return total


def _signed_sum(left: Any, right: Any, row: tuple[tuple[int, int, int], ...], zero: Any) -> Any:
    total = zero
    for count, (i, j, sign) in enumerate(row):
        term = left[..., i] * right[..., j]
        if count == 0:
            total = term if sign > 0 else -term
        else:
            total = total + term if sign > 0 else total - term
    return total


def row_form(table: ProductTable, left: int) -> tuple[np.ndarray, np.ndarray]:
    """For each left component and each result: the right component it meets, and the sign (0 for none)."""
    indices = np.zeros((left, len(table.terms)), int)
    signs = np.zeros((left, len(table.terms)), int)
    for k, row in enumerate(table.terms):
        for i, j, sign in row:
            indices[i, k], signs[i, k] = j, sign
    return indices, signs
