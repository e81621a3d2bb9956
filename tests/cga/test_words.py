"""Words: unit timelike vectors, their distances, centroids and transition rotors; NumPy and JAX alike."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from cga import _words, mv
from cga._numerics import namespace
from cga._words import ball
from tests.cga.conftest import far_points
from tests.cga.oracles import dense_product, reverse32, vector32

pytestmark = pytest.mark.algebra


def pairs(most, size=50):
    return far_points(size, 1, 0.0, most), far_points(size, 2, 0.0, most)


def inner(a, b):
    return np.sum(a[..., :4] * b[..., :4], axis=-1) - a[..., 4] * b[..., 4]


def test_a_word_is_the_documented_unit_timelike_vector():
    (x, rho), _ = pairs(3.0)
    w = _words.word(x, rho)
    eo, einf = np.array([0, 0, 0, -0.5, 0.5]), np.array([0, 0, 0, 1.0, 1.0])
    square = np.sum(x**2, axis=1) + rho**2
    expected = (np.pad(x, ((0, 0), (0, 2))) + eo + square[:, None] / 2 * einf) / rho[:, None]
    np.testing.assert_allclose(w, expected, atol=1e-12)
    np.testing.assert_allclose(inner(w, w), -1, atol=1e-10)
    assert (w[:, 4] > 0).all()
    np.testing.assert_allclose(_words.center_breadth(w)[0], x, atol=1e-10)
    np.testing.assert_allclose(_words.center_breadth(w)[1], rho, rtol=1e-10)


def test_the_inner_product_is_minus_cosh_of_the_distance():
    (x, rho), (y, sigma) = pairs(4.0)
    d = _words.distance(x, rho, y, sigma)
    np.testing.assert_allclose(inner(_words.word(x, rho), _words.word(y, sigma)), -np.cosh(d), rtol=1e-9)
    np.testing.assert_array_equal(_words.distance(x, rho, x, rho), 0)
    np.testing.assert_allclose(d, _words.distance(y, sigma, x, rho), rtol=1e-14)


def test_distances_do_not_cancel_far_out():
    x, rho = np.zeros(3), np.array(1e-8)
    near = _words.distance(x, rho, x + np.array([1e-12, 0, 0]), rho)
    np.testing.assert_allclose(near, 1e-4, rtol=1e-8)


def test_the_distance_is_a_metric_that_isometries_keep():
    (x, rho), (y, sigma) = pairs(5.0)
    z, tau = far_points(50, 3, 0.0, 5.0)
    d = _words.distance(x, rho, y, sigma)
    assert (d <= _words.distance(x, rho, z, tau) + _words.distance(z, tau, y, sigma) + 1e-12).all()
    np.testing.assert_allclose(_words.distance(7 * x + 2, 7 * rho, 7 * y + 2, 7 * sigma), d, rtol=1e-9)


def test_the_distance_has_finite_derivatives_where_points_meet():
    x, rho = jnp.asarray([0.5, 0.0, -1.0]), jnp.asarray(2.0)
    gradients = jax.grad(_words.distance, argnums=(0, 1, 2, 3))(x, rho, x, rho)
    assert all(np.array_equal(g, np.zeros_like(g)) for g in gradients)


def test_the_ball_point_has_length_tanh_of_half_the_radius():
    (x, rho), _ = pairs(6.0)
    w = _words.word(x, rho)
    np.testing.assert_allclose(ball(x, rho), w[:, :4] / (1 + w[:, 4:]), atol=1e-9)
    radius = _words.distance(x, rho, np.zeros_like(x), np.ones_like(rho))
    np.testing.assert_allclose(np.linalg.norm(ball(x, rho), axis=1), np.tanh(radius / 2), atol=1e-12)


def test_the_transition_rotor_is_a_unit_rotor_from_a_to_b():
    (x, rho), (y, sigma) = pairs(3.0)
    a, b = _words.word(x, rho), _words.word(y, sigma)
    rotor = np.zeros((50, 32))
    rotor[:, [0, *range(6, 16)]] = _words.transition(a, b)
    moved = dense_product(dense_product(rotor, vector32(a)), reverse32(rotor))
    np.testing.assert_allclose(moved, vector32(b), atol=1e-6)
    unit = np.zeros(32)
    unit[0] = 1
    np.testing.assert_allclose(dense_product(rotor, reverse32(rotor)), np.tile(unit, (50, 1)), atol=1e-6)
    back = _words.transition(b, a)
    np.testing.assert_allclose(back[:, 1:], -_words.transition(a, b)[:, 1:], atol=1e-9)
    np.testing.assert_array_equal(_words.transition(a[:1], a[:1])[:, 1:], 0)


def test_the_transition_moves_along_the_geodesic():
    a, b = (
        _words.word(np.array([0.0, 0, 0]), np.array(1.0)),
        _words.word(np.array([1.0, 2, 0]), np.array(0.5)),
    )
    middle = _words.centroid(np.stack([a, b]))
    to_middle = mv(_words.transition(a, middle), (0, 2))
    np.testing.assert_allclose((to_middle * to_middle).values[..., :11], _words.transition(a, b), atol=1e-12)


def test_the_centroid_is_a_word_nearest_in_the_lorentz_sense():
    (x, rho), _ = pairs(2.0, 5)
    words = _words.word(x, rho)
    middle = _words.centroid(words)
    np.testing.assert_allclose(inner(middle, middle), -1, atol=1e-12)
    cost = -inner(words, middle).sum()
    others = _words.word(*far_points(200, 9, 0.0, 2.0))
    assert all(-inner(words, other).sum() >= cost for other in others)
    np.testing.assert_allclose(_words.centroid(words, np.array([2.0, 0, 0, 0, 0])), words[0], atol=1e-12)


def test_numpy_and_jax_agree_also_in_float32():
    (x, rho), (y, sigma) = pairs(2.0)
    for function, arguments in [
        (_words.word, (x, rho)),
        (_words.distance, (x, rho, y, sigma)),
        (ball, (x, rho)),
    ]:
        found = jax.jit(function)(*map(jnp.asarray, arguments))
        np.testing.assert_allclose(found, function(*arguments), atol=1e-12)
        single = function(*(jnp.asarray(a, jnp.float32) for a in arguments))
        assert single.dtype == jnp.float32
        np.testing.assert_allclose(single, found, rtol=1e-4, atol=1e-4)


def test_a_list_is_refused_with_advice():
    with pytest.raises(ValueError, match="asarray"):
        namespace([1.0])
