"""Multivectors to and from other forms: text, NumPy arrays, complex matrices, quaternions, rigid-motion matrices.

Conventions. A quaternion is ``(w, x, y, z)``, Hamilton's (i j = k), and the rotor of a turn by theta about the unit
axis n, ``cos(theta/2) - sin(theta/2) (n1 e23 - n2 e13 + n3 e12)``, is ``(cos(theta/2), sin(theta/2) n)``; so i = -e23,
j = e13, k = -e12, products are kept, and q and -q are the same turn. A 4x4 matrix of SE(3) acts on columns
``(x, y, z, 1)``. Complex matrices are a faithful representation: Cl(4,1) is the algebra of complex 4x4 matrices, with
the pseudoscalar e12345 as the imaginary unit.
Reference: Dorst, Fontijne & Mann, *Geometric Algebra for Computer Science*, 2007, chapters 7 and 13; Lounesto,
*Clifford Algebras and Spinors*, 2001 (matrices).
"""

from __future__ import annotations

from functools import cache
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Complex, Shaped

from cga._algebra import CGA, Grades
from cga._conformal import eo, epsilon, guard, square
from cga._multivector import Multivector, from_components, mv, sandwich
from cga._types import as_float


def parse(text: str) -> Multivector:
    """Reads a sum of scaled blades, such as ``"1.5 + 2e12 - 3*e45"``; the inverse of ``str``, exactly.

    A blade may list its indices in any order (e21 is -e12); ``einf`` and ``eo`` are known. ``2e12`` is twice e12; a
    power of ten is written with a sign, ``2e+12``, or before a blade, ``2e3*e1``.

    Args:
        text: the sum.

    Returns:
        In JAX's default dtype, with the grades that are named.

    Raises:
        ValueError: text that cannot be read or a blade that does not exist, with its position.

    Examples:
        >>> print(parse("1.5 + 2e12 - 3e45"))
        1.5 + 2 e12 - 3 e45
        >>> print(parse("e21 + einf"))
        1 e4 + 1 e5 - 1 e12
    """
    return mv(text)


def to_numpy(x: Multivector) -> Shaped[np.ndarray, "*batch 32"]:
    """All 32 components in blade order, on the host; the order is that of clifford and kingdon."""
    return np.asarray(x.to_array())


def from_numpy(values: Any, grades: Grades | int | None = None) -> Multivector:
    """A multivector of an array whose last axis runs over all 32 blades, or over those of ``grades``.

    Raises:
        ValueError: a last axis of the wrong size, or what `mv` refuses.
    """
    return mv(np.asarray(values), grades)


@cache
def _matrices() -> np.ndarray:
    """The 32 blades as 4x4 matrices: e1..e4 Hermitian, e5 = i e1 e2 e3 e4."""
    one, x = np.eye(2), np.array([[0, 1], [1, 0]])
    y, z = np.array([[0, -1j], [1j, 0]]), np.diag([1, -1])
    vectors = [np.kron(x, x), np.kron(x, y), np.kron(x, z), np.kron(y, one)]
    vectors.append(1j * np.linalg.multi_dot(vectors))
    result = []
    for blade in CGA.blade_indices:
        matrix = np.eye(4, dtype=complex)
        for index in blade:
            matrix = matrix @ vectors[index - 1]
        result.append(matrix)
    return np.array(result)


def _complex(dtype: Any) -> Any:
    return np.complex128 if dtype == np.float64 else np.complex64


def to_matrix(x: Multivector) -> Complex[Array, "*batch 4 4"]:
    """The complex 4x4 matrix of an element of Cl(4,1); products become products of matrices.

    The scalar is the real part of the trace over 4. e1..e4 are Hermitian, e5 is anti-Hermitian, e12345 is i.

    Returns:
        complex128 for float64, complex64 otherwise.
    """
    dtype = _complex(x.dtype)
    return jnp.einsum("...a,aij->...ij", x.to_array().astype(dtype), jnp.asarray(_matrices(), dtype))


def from_matrix(matrix: Any) -> Multivector:
    """The element of a complex 4x4 matrix, the inverse of `to_matrix`; every matrix has one.

    Args:
        matrix: ``(*batch, 4, 4)``, complex or real.

    Raises:
        ValueError: no 4x4 matrices.
    """
    matrix = _square(matrix, "matrix")
    real = jnp.float64 if matrix.dtype in (np.complex128, np.float64) else jnp.float32
    inverses = np.linalg.inv(_matrices())
    values = jnp.einsum(
        "aij,...ji->...a", jnp.asarray(inverses, _complex(real)), matrix.astype(_complex(real))
    )
    return Multivector((values.real / 4).astype(real), CGA.all_grades)


def _square(matrix: Any, name: str) -> Array:
    array = matrix if hasattr(matrix, "dtype") and hasattr(matrix, "shape") else np.asarray(matrix)
    if array.shape[-2:] != (4, 4):
        raise ValueError(f"{name}: shape {array.shape}; the last two axes must be 4 and 4")
    if jnp.issubdtype(array.dtype, jnp.complexfloating):
        return jnp.asarray(array)
    return as_float(array)


_TURN = ("e23", "e13", "e12")
_TURN_SIGNS = (-1.0, 1.0, -1.0)


def to_quaternion(rotor: Multivector) -> Shaped[Array, "*batch 4"]:
    """The quaternion ``(w, x, y, z)`` of a rotor about the origin, of the same norm.

    Args:
        rotor: on the blades 1, e12, e13, e23; the others must be 0 up to rounding.

    Raises:
        ValueError: (eager) other parts, as of a motion that translates; traced NaN.
    """
    full = rotor.to_array()
    place = [CGA.position(name) for name in ("1", *_TURN)]
    kept = full[..., np.array(place)]
    signs = jnp.broadcast_to(jnp.asarray((1.0, *_TURN_SIGNS), rotor.dtype), kept.shape)
    other = np.setdiff1d(np.arange(32), place)
    rest = square(full[..., other])
    bad = rest > (64 * epsilon(rotor.dtype)) ** 2 * square(kept)
    return guard(
        kept * signs, bad, "rotor: has parts besides 1, e12, e13, e23; split off its translation first", 1
    )


def from_quaternion(quaternion: Any) -> Multivector:
    """The rotor of a quaternion ``(w, x, y, z)``, of the same norm; the inverse of `to_quaternion`.

    Args:
        quaternion: ``(*batch, 4)``; a unit one gives a unit rotor.

    Returns:
        Grades 0 and 2.

    Raises:
        ValueError: a last axis that is not of size 4.
    """
    q = as_float(quaternion)
    if q.ndim == 0 or q.shape[-1] != 4:
        raise ValueError(f"quaternion: shape {q.shape}; the last axis must hold the 4 components w, x, y, z")
    return from_components(("1", *_TURN), (q[..., 0], -q[..., 1], q[..., 2], -q[..., 3]))


def to_se3(motor: Multivector) -> Shaped[Array, "*batch 4 4"]:
    """The 4x4 matrix of a rigid motion: ``down(motor >> up(x))`` is its upper rows times ``(x, 1)``.

    Args:
        motor: a rotor of any norm and sign that moves rigidly: rotations, translations and their products.

    Raises:
        ValueError: (eager) a versor that is odd, dilates or inverts, or no versor; traced NaN.
    """
    if any(grade % 2 for grade in motor.grades):
        raise ValueError(f"motor: of grades {motor.grades}; a rigid motion is even, take .grade(0, 2, 4)")
    result, bad = _se3_of(motor)
    message = (
        "motor: does not move rigidly (it dilates, inverts or is no versor); normalise or take its rigid part"
    )
    return guard(result, bad, message, 2)


@jax.jit
def _se3_of(motor: Multivector) -> tuple[Array, Array]:
    values = motor.to_array()
    norm = motor.norm_squared()
    size = square(values)
    eps = epsilon(motor.dtype)
    null = norm <= eps * size
    unit = Multivector(values, CGA.all_grades).grade(0, 2, 4) / jnp.sqrt(jnp.where(null, 1, norm))
    dtype = motor.dtype
    basis = Multivector(jnp.eye(5, dtype=dtype)[:3], (1,))
    moved = sandwich(Multivector(unit.values[..., None, :], unit.grades), basis).values
    turn = jnp.swapaxes(moved[..., :3], -1, -2)
    fixed = sandwich(unit, from_components(("e4", "e5"), (jnp.ones((), dtype), jnp.ones((), dtype)))).values
    lifted = sandwich(unit, eo.astype(dtype)).values
    # A rigid motion keeps einf, and its turn is orthogonal.
    wanted = jnp.broadcast_to(jnp.asarray([0, 0, 0, 1, 1], dtype), fixed.shape)
    gram = jnp.einsum("...ij,...ik->...jk", turn, turn)
    skew = jnp.max(jnp.abs(gram - jnp.broadcast_to(jnp.eye(3, dtype=dtype), gram.shape)), axis=(-2, -1))
    scale = 1e4 * eps * (1 + size / jnp.where(null, 1, norm))
    bad = null | (jnp.max(jnp.abs(fixed - wanted), axis=-1) > scale) | (skew > scale)
    shift = lifted[..., :3] / (lifted[..., 4] - lifted[..., 3])[..., None]
    upper = jnp.concatenate([turn, shift[..., None]], axis=-1)
    last = jnp.broadcast_to(jnp.asarray([[0, 0, 0, 1]], dtype), (*upper.shape[:-2], 1, 4))
    return jnp.concatenate([upper, last], axis=-2), bad


def from_se3(matrix: Any) -> Multivector:
    """The unit motor of a 4x4 matrix of SE(3), translation after rotation; the inverse of `to_se3` up to sign.

    Of the two motors of a motion it is the one with a non-negative scalar part (for half-turns, the one whose first of
    -e23, e13, -e12 that is not 0 is positive). Its gradient is finite, half-turns included.

    Args:
        matrix: ``(*batch, 4, 4)``, orthogonal turn of determinant 1, last row 0 0 0 1, all up to rounding.

    Returns:
        Grades 0, 2 and 4.

    Raises:
        ValueError: no 4x4 matrices, or (eager) none of SE(3): a reflection, a scaling; traced NaN.
    """
    matrix = as_float(_square(matrix, "matrix"))
    motor, bad = _motor_of(matrix)
    message = "matrix: not of SE(3); its turn must be orthogonal of determinant 1 and its last row 0 0 0 1"
    return Multivector(guard(motor.values, bad, message, 1), motor.grades)


@jax.jit
def _motor_of(matrix: Array) -> tuple[Multivector, Array]:
    turn, half = matrix[..., :3, :3], matrix[..., :3, 3] / 2
    q = _turn_quaternion(turn)
    near = epsilon(matrix.dtype) ** 0.5
    gram = jnp.einsum("...ij,...ik->...jk", turn, turn)
    off = jnp.max(jnp.abs(gram - jnp.broadcast_to(jnp.eye(3, dtype=gram.dtype), gram.shape)), axis=(-2, -1))
    last = jnp.broadcast_to(jnp.asarray([0, 0, 0, 1], matrix.dtype), matrix[..., 3, :].shape)
    row = jnp.max(jnp.abs(matrix[..., 3, :] - last), axis=-1)
    x, y, z = (half[..., i] for i in range(3))
    names = ("1", "e14", "e15", "e24", "e25", "e34", "e35")
    translator = from_components(names, (jnp.ones_like(x), -x, -x, -y, -y, -z, -z))
    motor = (translator * from_quaternion(q)).with_grades((0, 2, 4))
    return motor, (off > near) | (row > near) | (jnp.linalg.det(turn) < 0)


def _turn_quaternion(m: Shaped[Array, "*batch 3 3"]) -> Shaped[Array, "*batch 4"]:
    """The quaternion of a rotation matrix: of Shepperd's four forms, the one whose root is largest."""
    a, b, c = m[..., 0, 0], m[..., 1, 1], m[..., 2, 2]
    # Four times the outer product of (w, x, y, z) with itself; the row of the largest diagonal entry is taken.
    wx, wy, wz = m[..., 2, 1] - m[..., 1, 2], m[..., 0, 2] - m[..., 2, 0], m[..., 1, 0] - m[..., 0, 1]
    xy, xz, yz = m[..., 0, 1] + m[..., 1, 0], m[..., 0, 2] + m[..., 2, 0], m[..., 1, 2] + m[..., 2, 1]
    rows = [
        [1 + a + b + c, wx, wy, wz],
        [wx, 1 + a - b - c, xy, xz],
        [wy, xy, 1 - a + b - c, yz],
        [wz, xz, yz, 1 - a - b + c],
    ]
    outer = jnp.stack([jnp.stack(row, axis=-1) for row in rows], axis=-2)
    diagonal = jnp.stack([rows[i][i] for i in range(4)], axis=-1)
    best = jnp.argmax(diagonal, axis=-1)
    row = jnp.take_along_axis(outer, best[..., None, None], axis=-2)[..., 0, :]
    top = jnp.take_along_axis(diagonal, best[..., None], axis=-1)
    q = row / (2 * jnp.sqrt(jnp.where(top > 0, top, 1)))
    q = q / jnp.sqrt(square(q))[..., None]
    leading = jnp.argmax(jnp.abs(q) > 8 * epsilon(q.dtype), axis=-1)
    sign = jnp.sign(jnp.take_along_axis(q, leading[..., None], axis=-1))
    return q * jnp.where(sign < 0, -1, 1)
