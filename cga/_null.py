"""Bivectors and 4-vectors of Cl(4,1) in null coordinates, and the products that exponentials and logarithms need.

Null coordinates replace the pair of components on (A e4, A e5) by its sum and difference, the components along einf
and eo. A rigid motion has no eo part, so its differences are exact zeros and none of its squares cancels, however far
it translates; in the basis e4, e5 a translation by t costs the rotation t^2 rounding errors.

A bivector is a tuple of ten arrays of one shape: r12, r13, r23 (Euclidean planes); p1, p2, p3 with p_i = b_i5 + b_i4;
m1, m2, m3 with m_i = b_i5 - b_i4; w on e45. A 4-vector is a tuple of five: p = q1235 + q1234, m = q1235 - q1234, and
the components on e1245, e1345, e2345.
"""

from __future__ import annotations

from functools import cache
from typing import Any, TypeAlias

import jax.numpy as jnp
import numpy as np

from cga._algebra import CGA, product_table

Parts: TypeAlias = tuple[Any, ...]
_Terms: TypeAlias = tuple[tuple[tuple[int, int, float], ...], ...]

_NULL_NAMES = {
    2: ("e12", "e13", "e23", "+e14e15", "+e24e25", "+e34e35", "-e14e15", "-e24e25", "-e34e35", "e45"),
    4: ("+e1234e1235", "-e1234e1235", "e1245", "e1345", "e2345"),
}


def from_bivector(values: Any) -> Parts:
    """Null coordinates of a bivector, ``(*batch, 10)`` in blade order."""
    r12, r13, b14, b15, r23, b24, b25, b34, b35, w = (values[..., i] for i in range(10))
    return r12, r13, r23, b15 + b14, b25 + b24, b35 + b34, b15 - b14, b25 - b24, b35 - b34, w


def to_bivector(parts: Parts) -> Any:
    """The components ``(*batch, 10)`` in blade order: the inverse of `from_bivector`."""
    r12, r13, r23, p1, p2, p3, m1, m2, m3, w = parts
    (b14, b15), (b24, b25), (b34, b35) = (
        ((p - m) / 2, (p + m) / 2) for p, m in ((p1, m1), (p2, m2), (p3, m3))
    )
    return jnp.stack([r12, r13, b14, b15, r23, b24, b25, b34, b35, w], axis=-1)


def from_quad(values: Any) -> Parts:
    """Null coordinates of a 4-vector, ``(*batch, 5)`` in blade order."""
    q1234, q1235, q12, q13, q23 = (values[..., i] for i in range(5))
    return q1235 + q1234, q1235 - q1234, q12, q13, q23


def to_quad(parts: Parts) -> Any:
    """The components ``(*batch, 5)`` in blade order: the inverse of `from_quad`."""
    p, m, q12, q13, q23 = parts
    return jnp.stack([(p - m) / 2, (p + m) / 2, q12, q13, q23], axis=-1)


def square(b: Parts) -> tuple[Any, Parts]:
    """``b^2`` of a bivector: its scalar part and its 4-vector ``b ^ b``."""
    r12, r13, r23, p1, p2, p3, m1, m2, m3, w = b
    scalar = (m1 * p1 + m2 * p2 + m3 * p3) + w * w - (r12 * r12 + r13 * r13 + r23 * r23)
    quad = (
        2 * (r12 * p3 - r13 * p2 + r23 * p1),
        2 * (r12 * m3 - r13 * m2 + r23 * m1),
        2 * r12 * w - (p1 * m2 - m1 * p2),
        2 * r13 * w - (p1 * m3 - m1 * p3),
        2 * r23 * w - (p2 * m3 - m2 * p3),
    )
    return scalar, quad


def magnitude(b: Parts) -> Any:
    """The sum of the absolute values of the terms of ``<b^2>_0``: eps times it is what rounding leaves there."""
    r12, r13, r23, p1, p2, p3, m1, m2, m3, w = b
    return (jnp.abs(m1 * p1) + jnp.abs(m2 * p2) + jnp.abs(m3 * p3)) + (
        w * w + (r12 * r12 + r13 * r13 + r23 * r23)
    )


def quad_square(q: Parts) -> Any:
    """``q^2`` of a 4-vector, a scalar."""
    p, m, q12, q13, q23 = q
    return -(p * m) - (q12 * q12 + q13 * q13 + q23 * q23)


def quad_times(q: Parts, b: Parts) -> Parts:
    """``<q b>_2``; all of ``q b`` where the two commute."""
    return _apply(_terms(4, 2, 2), q, b)


def inner(a: Parts, b: Parts) -> Any:
    """``<a b>_0`` of two bivectors."""
    return _apply(_terms(2, 2, 0), a, b)[0]


def wedge(a: Parts, b: Parts) -> Parts:
    """``<a b>_4`` of two bivectors, ``a ^ b``."""
    return _apply(_terms(2, 2, 4), a, b)


def add(*terms: Parts) -> Parts:
    return tuple(sum(parts[1:], start=parts[0]) for parts in zip(*terms, strict=True))


def scale(factor: Any, parts: Parts) -> Parts:
    return tuple(factor * x for x in parts)


def select(condition: Any, yes: Parts, no: Parts) -> Parts:
    return tuple(jnp.where(condition, x, y) for x, y in zip(yes, no, strict=True))


def basis_bivector(name: str, like: Any) -> Parts:
    """A Euclidean plane e12, e13 or e23, or e45, as constant arrays of the shape of ``like``."""
    return tuple(jnp.full_like(like, float(entry == name)) for entry in _NULL_NAMES[2])


def _apply(terms: _Terms, left: Parts, right: Parts) -> Parts:
    out = []
    for row in terms:
        total = jnp.zeros_like(right[0])
        for i, j, factor in row:
            term = left[i] * right[j]
            total = total + (term if factor == 1 else -term if factor == -1 else factor * term)
        out.append(total)
    return tuple(out)


@cache
def _change(grade: int) -> np.ndarray:
    """Rows: null coordinates as combinations of the components of the grade."""
    if grade not in _NULL_NAMES:
        return np.eye(len(CGA.grade_blades((grade,))))
    first = CGA.grade_blades((grade,))[0]
    rows = []
    for name in _NULL_NAMES[grade]:
        row = np.zeros(len(CGA.grade_blades((grade,))))
        if name[0] == "e":
            row[CGA.position(name) - first] = 1
        else:
            four, five = name[1:].replace("e", " e").split()
            row[CGA.position(five) - first] = 1
            row[CGA.position(four) - first] = 1 if name[0] == "+" else -1
        rows.append(row)
    return np.array(rows)


def _rows(dense: np.ndarray) -> _Terms:
    return tuple(
        tuple((int(i), int(j), float(dense[i, j, k])) for i, j in np.argwhere(abs(dense[..., k]) > 1e-12))
        for k in range(dense.shape[-1])
    )


def _dense(left: int, right: int, out: int) -> np.ndarray:
    blades = [CGA.grade_blades((grade,)) for grade in (left, right, out)]
    return product_table(CGA, "geometric", *blades).dense.reshape([len(b) for b in blades])


@cache
def _terms(left: int, right: int, out: int) -> _Terms:
    """A graded product in null coordinates, as terms ``(i, j, factor)`` for each coordinate of the result."""
    change = [_change(grade) for grade in (left, right, out)]
    dense = np.einsum(
        "abc,ai,bj,kc->ijk",
        _dense(left, right, out),
        np.linalg.inv(change[0]),
        np.linalg.inv(change[1]),
        change[2],
    )
    return _rows(dense)


@cache
def complement(vector: str) -> np.ndarray:
    """``e_i _| (n I^-1)`` of a basis vector and a bivector n, I^-1 = -I, a plane in n's complement: (10, 10) on n."""
    dual = -_dense(2, 5, 3)[:, 0, :]
    contraction = _dense(1, 3, 2)[CGA.position(vector) - 1]
    return np.einsum("ic,ia,kc->ka", dual @ contraction, np.linalg.inv(_change(2)), _change(2))
