"""Conformal points: up, down, the null basis, and taking objects apart."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import cga
from cga import mv
from cga._conformal import assemble, locus, split, translate
from tests.cga.shapes import SHAPES_AND_TYPES, motions, points, tolerance

pytestmark = pytest.mark.algebra


@pytest.fixture
def rng():
    return np.random.default_rng(11)


def test_the_null_basis():
    assert str(cga.einf) == "1 e4 + 1 e5"
    assert str(cga.eo) == "- 0.5 e4 + 0.5 e5"
    assert str(cga.einf * cga.einf) == str(cga.eo * cga.eo) == "0"
    assert str(cga.eo | cga.einf) == "- 1"
    assert str(cga.einf ^ cga.eo) == "1 e45"


@pytest.mark.parametrize(("shape", "dtype"), SHAPES_AND_TYPES)
def test_up_is_null_and_down_undoes_it_at_any_weight(shape, dtype, rng):
    x, y = points(rng, shape, dtype), points(rng, shape, dtype)
    p = cga.up(x)
    assert (p.grades, p.shape, p.dtype) == ((1,), shape, dtype)
    tol = tolerance(dtype)
    np.testing.assert_allclose(p.norm_squared(), 0, atol=tol)
    for weight in (1, -2, 1e-20, 1e15):
        found = cga.down(p * weight)
        assert found.shape == (*shape, 3)
        assert found.dtype == dtype
        np.testing.assert_allclose(found, x, atol=tol)
    np.testing.assert_allclose(
        (p | cga.up(y)).values[..., 0], -np.sum((x - y) ** 2, axis=-1) / 2, atol=tol * 10
    )


def test_up_moves_as_points_do(rng):
    x = points(rng, (4,))
    for motion in motions(rng).values():
        np.testing.assert_allclose(cga.down(motion.versor >> cga.up(x)), motion(x), atol=1e-12)


def test_null_coordinates():
    found = cga.null_coordinates(mv({"e1": 1.0, "e2": 2.0, "e3": 3.0, "e4": 6.5, "e5": 7.5}))
    assert {k: float(v) for k, v in found.items()} == {"e1": 1, "e2": 2, "e3": 3, "eo": 1, "einf": 7}


def test_down_of_the_dual_of_a_sphere_is_its_centre():
    np.testing.assert_allclose(cga.down(mv("e1 + 2 e2 + 3 e3 + 8.5 e4 + 9.5 e5")), [1, 2, 3])


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: cga.up(np.ones(2)), "3 coordinates"),
        (lambda: cga.up(1.0), "3 coordinates"),
        (lambda: cga.down(cga.einf), "infinity"),
        (lambda: cga.down(mv([[0, 0, 0, 0, 1.0], [0, 0, 0, 1.0, 1.0]], 1)), "infinity"),
        (lambda: cga.down(mv("e12")), "grade 2"),
        (lambda: cga.null_coordinates(mv("1 + e1")), "grades"),
    ],
)
def test_bad_points_are_refused(call, message):
    with pytest.raises(ValueError, match=message):
        call()


def test_a_traced_point_at_infinity_is_nan_and_its_neighbours_are_not():
    batch = mv(np.stack([cga.einf.values, cga.up([1.0, 2, 3]).values]), 1)
    for transformed in (jax.jit(cga.down), jax.vmap(cga.down)):
        found = transformed(batch)
        assert np.isnan(found[0]).all()
        np.testing.assert_allclose(found[1], [1, 2, 3])


def test_derivatives(rng):
    x = jnp.asarray(points(rng))
    np.testing.assert_allclose(jax.jacobian(lambda v: cga.down(cga.up(v) * 3.0))(x), np.eye(3), atol=1e-12)
    np.testing.assert_allclose(jax.jacobian(lambda v: cga.up(v).values)(x)[3], x)


def test_small_floats():
    assert np.isposinf(cga.up(np.array([400, 0, 0], np.float16)).values[3])
    for dtype in (np.float16, jnp.bfloat16):
        x = jnp.asarray([1.5, -2, 3], dtype)
        assert cga.up(x).dtype == dtype
        np.testing.assert_array_equal(cga.down(cga.up(x)).astype(np.float32), [1.5, -2, 3])


@pytest.mark.parametrize("grade", range(6))
def test_split_and_assemble_are_inverse_and_translate_is_the_sandwich(grade, rng):
    x = mv(rng.normal(size=(3, 32))).grade(grade)
    np.testing.assert_allclose(assemble(split(x), grade).values, x.values, atol=1e-14)
    motion = motions(rng)["translate"]
    moved = assemble(translate(split(x), jnp.asarray(np.broadcast_to(motion.shift, (3, 3)))), grade)
    np.testing.assert_allclose(moved.values, (motion.versor >> x).values, atol=1e-12)


def test_what_is_no_object_has_nan_everywhere_when_traced():
    for bad in ("0 e1", "einf", "e1 + 5 e4", "e12 + e34", "e123 + e345", "e14 + e15"):
        found = jax.jit(locus)(mv(bad))
        for value in found[1:]:
            assert np.isnan(value).all(), bad


def test_the_module_may_be_loaded_first_inside_a_trace(user_env):
    import subprocess
    import sys

    code = "import jax, cga; jax.jit(lambda x: cga.up(x).values)(jax.numpy.ones(3)); print(cga.einf * cga.eo)"
    done = subprocess.run(
        [sys.executable, "-c", code], env=user_env, capture_output=True, text=True, check=False
    )
    assert done.stdout.strip() == "- 1 + 1 e45", done.stderr
