"""Conversions: inverse both ways, products kept, an oracle for each (scipy, plain matrices), refusals."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import cga
from cga import mv
from tests.cga.shapes import tolerance

pytestmark = pytest.mark.algebra


@pytest.fixture
def rng():
    return np.random.default_rng(15)


def rigid(rng, count, dtype=np.float64):
    """Matrices of SE(3), half-turns about the axes and about a diagonal and the identity among them."""
    turns = Rotation.random(count, rng).as_matrix()
    turns[:3] = [np.diag(d) for d in ([1, -1, -1], [-1, 1, -1], [-1, -1, 1])]
    turns[3] = Rotation.from_rotvec(np.pi * np.ones(3) / np.sqrt(3)).as_matrix()
    turns[4] = np.eye(3)
    result = np.zeros((count, 4, 4))
    result[:, :3, :3], result[:, :3, 3], result[:, 3, 3] = turns, rng.normal(size=(count, 3)), 1
    return result.astype(dtype)


@pytest.mark.parametrize("dtype", [np.float64, pytest.param(np.float32, marks=pytest.mark.slow)])
def test_matrices_represent_the_algebra(dtype, rng):
    a, b = (mv(rng.normal(size=(2, 3, 32)).astype(dtype)) for _ in range(2))
    tol = tolerance(dtype)
    product = cga.to_matrix(a * b)
    assert product.dtype == (np.complex64 if dtype == np.float32 else np.complex128)
    np.testing.assert_allclose(product, cga.to_matrix(a) @ cga.to_matrix(b), atol=tol)
    back = cga.from_matrix(cga.to_matrix(a))
    assert back.dtype == dtype
    np.testing.assert_allclose(back.to_array(), a.to_array(), atol=tol)
    matrix = rng.normal(size=(4, 4)) + 1j * rng.normal(size=(4, 4))
    np.testing.assert_allclose(cga.to_matrix(cga.from_matrix(matrix)), matrix, atol=1e-14)


def test_what_the_matrices_are():
    basis = [np.asarray(cga.to_matrix(mv({f"e{i}": 1.0}))) for i in range(1, 6)]
    for i, a in enumerate(basis):
        for j, b in enumerate(basis):
            square = 0 if i != j else 2 * (1, 1, 1, 1, -1)[i]
            np.testing.assert_allclose(a @ b + b @ a, square * np.eye(4), atol=1e-15)
        np.testing.assert_allclose(a.conj().T, a if i < 4 else -a, atol=1e-15)
    np.testing.assert_allclose(cga.to_matrix(mv("e12345")), 1j * np.eye(4), atol=1e-15)
    assert str(cga.from_matrix(np.eye(4))) == "1"


@pytest.mark.parametrize("dtype", [np.float64, pytest.param(np.float32, marks=pytest.mark.slow)])
def test_quaternions_turn_as_scipy_does(dtype, rng):
    turns = Rotation.random(6, rng)
    q = turns.as_quat(scalar_first=True).astype(dtype)
    rotor = cga.from_quaternion(q)
    x = rng.normal(size=(6, 3)).astype(dtype)
    np.testing.assert_allclose(cga.down(rotor >> cga.up(x)), turns.apply(x), atol=tolerance(dtype))
    np.testing.assert_array_equal(cga.to_quaternion(rotor), q)
    both = (turns[:3] * turns[3:]).as_quat(scalar_first=True)
    found = np.asarray(cga.to_quaternion(cga.from_quaternion(q[:3]) * cga.from_quaternion(q[3:])))
    sign = np.sign(np.sum(both * found, axis=-1, keepdims=True))
    np.testing.assert_allclose(found, sign * both, atol=tolerance(dtype))


def test_the_sign_convention_of_quaternions():
    assert str(cga.from_quaternion([0.0, 1, 0, 0])) == "- 1 e23"
    assert str(cga.from_quaternion([0.0, 0, 1, 0])) == "1 e13"
    assert str(cga.from_quaternion([0.0, 0, 0, 1])) == "- 1 e12"
    assert str(cga.from_quaternion([1, 0, 0, 0])) == "1"


@pytest.mark.parametrize("dtype", [np.float64, pytest.param(np.float32, marks=pytest.mark.slow)])
def test_motors_are_rigid_matrices_both_ways(dtype, rng):
    matrices = rigid(rng, 8, dtype)
    motor = cga.from_se3(matrices)
    tol = tolerance(dtype)
    assert (motor.grades, motor.shape, motor.dtype) == ((0, 2, 4), (8,), dtype)
    np.testing.assert_allclose(cga.versor_condition(motor), 0, atol=tol)
    np.testing.assert_allclose(cga.to_se3(motor), matrices, atol=tol)
    np.testing.assert_allclose(cga.to_se3(motor * -3), matrices, atol=tol)
    assert (np.asarray(motor.values)[:, 0] >= -tol).all()
    x = rng.normal(size=(8, 3)).astype(dtype)
    expected = np.einsum("nij,nj->ni", matrices[:, :3, :3], x) + matrices[:, :3, 3]
    np.testing.assert_allclose(cga.down(motor >> cga.up(x)), expected, atol=tol)
    np.testing.assert_allclose(
        cga.to_se3(motor * cga.from_se3(matrices[::-1])), matrices @ matrices[::-1], atol=tol
    )


def test_far_translations_are_rigid_in_float32():
    matrix = np.eye(4, dtype=np.float32)
    matrix[:3, 3] = [300, -200, 500]
    np.testing.assert_allclose(cga.to_se3(cga.from_se3(matrix)), matrix, rtol=1e-4, atol=1e-4)


def test_numpy_arrays(rng):
    values = rng.normal(size=(2, 32))
    assert isinstance(cga.to_numpy(cga.from_numpy(values)), np.ndarray)
    np.testing.assert_array_equal(cga.to_numpy(cga.from_numpy(values)), values)
    np.testing.assert_array_equal(cga.to_numpy(cga.from_numpy(values[:, :5], 1))[:, 1:6], values[:, :5])


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: cga.to_se3(mv("e45")), "rigidly"),
        (lambda: cga.to_se3(mv("2 + e45")), "rigidly"),
        (lambda: cga.to_se3(mv("1 + e1234")), "rigidly"),
        (lambda: cga.to_se3(mv("1 - e14 + e15")), "rigidly"),
        (lambda: cga.to_se3(mv("0")), "rigidly"),
        (lambda: cga.to_se3(mv("e1")), "even"),
        (lambda: cga.from_se3(np.diag([1, 1, -1, 1])), "determinant 1"),
        (lambda: cga.from_se3(np.diag([2, 2, 2, 1])), "orthogonal"),
        (lambda: cga.from_se3(np.eye(4) + np.eye(4)[::-1] * 0.1), "orthogonal"),
        (lambda: cga.from_se3(np.eye(3)), "last two axes"),
        (lambda: cga.from_se3(np.eye(4) * 1j), "real"),
        (lambda: cga.from_matrix(np.eye(3)), "last two axes"),
        (lambda: cga.from_quaternion([1, 2, 3]), "4 components"),
        (lambda: cga.to_quaternion(mv("1 + e14 + e15")), "translation"),
        (lambda: cga.to_quaternion(mv("1 + e1")), "parts besides"),
        (lambda: cga.from_numpy(np.ones(31)), "32 blades"),
    ],
)
def test_what_cannot_be_converted_is_refused(call, message):
    with pytest.raises(ValueError, match=message):
        call()


def test_traced_nonsense_is_nan():
    assert np.isnan(jax.jit(cga.to_se3)(mv("2 + e45"))).all()
    assert np.isnan(jax.jit(cga.to_quaternion)(mv("1 + e14 + e15"))).all()
    assert np.isnan(jax.jit(cga.from_se3)(jnp.diag(jnp.asarray([1.0, 1, -1, 1]))).values).all()


@pytest.mark.slow
def test_derivatives_are_finite_at_half_turns(rng):
    matrices = jnp.asarray(rigid(rng, 5))
    slope = jax.jit(jax.vmap(jax.jacobian(lambda m: cga.from_se3(m).values)))(matrices)
    assert np.isfinite(slope).all()
    slope = jax.jacobian(lambda t: cga.to_se3(mv({"1": jnp.cos(t), "e12": -jnp.sin(t)})))(jnp.asarray(0.0))
    np.testing.assert_allclose(slope[:2, :2], [[0, -2], [2, 0]], atol=1e-14)
