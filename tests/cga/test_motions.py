"""Rotors given by what they do: each moves points as its formula says; rotors between objects; fitted motions."""

from __future__ import annotations

import itertools

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import cga
from cga import mv

pytestmark = pytest.mark.algebra


@pytest.fixture
def rng():
    return np.random.default_rng(99)


def move(versor, points):
    return np.asarray(cga.down(versor >> cga.up(jnp.asarray(points))))


def rodrigues(angle, axis):
    x, y, z = np.asarray(axis) / np.linalg.norm(axis)
    k = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    return np.eye(3) + np.sin(angle) * k + (1 - np.cos(angle)) * k @ k


def test_each_motion_moves_points_by_its_formula(rng):
    p = rng.normal(size=(20, 3))
    t = np.array([1.0, -2.0, 0.5])
    np.testing.assert_allclose(move(cga.translator(t), p), p + t, atol=1e-13)
    np.testing.assert_allclose(move(cga.dilator(2.5), p), 2.5 * p, atol=1e-13)
    square = (p**2).sum(1, keepdims=True)
    expected = (p - square * t) / (1 - 2 * (p @ t)[:, None] + (t @ t) * square)
    np.testing.assert_allclose(move(cga.transversor(t), p), expected, rtol=1e-10, atol=1e-10)
    np.testing.assert_allclose(
        move(cga.rotor(0.7, mv("2 e12")), p), p @ rodrigues(0.7, [0, 0, 1]).T, atol=1e-13
    )
    n, place = np.array([1.0, 2.0, -2.0]), np.array([0.5, 0.0, 1.0])
    unit = n / 3
    expected = p - 2 * ((p - place) @ unit)[:, None] * unit
    np.testing.assert_allclose(move(cga.reflector(n, place), p), expected, atol=1e-13)


@pytest.mark.parametrize("angle", [0.0, 1e-9, 0.4, np.pi, 3.5, -1.0])
def test_a_motor_turns_about_its_line_and_then_translates(angle, rng):
    p = rng.normal(size=(5, 3))
    axis, place, shift = rng.normal(size=(3, 3))
    expected = (p - place) @ rodrigues(angle, axis).T + place + shift
    found = cga.motor(angle, axis, point=place, translation=shift)
    np.testing.assert_allclose(move(found, p), expected, atol=1e-12)
    assert float(cga.versor_condition(found)) < 1e-13


@pytest.mark.slow
def test_motions_broadcast_and_differentiate(rng):
    angles, axes = jnp.asarray(rng.normal(size=(4, 1))), jnp.asarray(rng.normal(size=(3, 3)))
    assert cga.motor(angles, axes).shape == (4, 3)
    assert cga.rotor(angles, mv(rng.normal(size=(3, 10)) * np.isin(np.arange(10), [0, 1, 4]), 2)).shape == (
        4,
        3,
    )
    single = cga.translator(np.ones((2, 3), np.float32))
    assert single.dtype == np.float32 and single.shape == (2,)
    gradient = jax.grad(lambda a: cga.motor(a, axes[0], point=axes[1])["e12"])(0.0)
    assert np.isfinite(gradient)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: cga.rotor(1.0, mv("e45")), "a boost"),
        (lambda: cga.rotor(1.0, mv("e12 + e34")), "not simple"),
        (lambda: cga.rotor(1.0, mv("e14 + e15")), "null"),
        (lambda: cga.rotor(1.0, mv("e1")), "take .grade"),
        (lambda: cga.translator([1.0, 2.0]), "x, y, z"),
        (lambda: cga.dilator(-1.0), "rho > 0"),
        (lambda: cga.dilator(0.0), "rho > 0"),
        (lambda: cga.motor(1.0, [0.0, 0.0, 0.0]), "length zero"),
        (lambda: cga.reflector([0.0, 0.0, 0.0]), "length zero"),
        (lambda: cga.rotor_between(mv("e1"), mv("e12")), "same one grade"),
        (lambda: cga.rotor_between(mv("e1"), mv("e5")), "differ in sign"),
        (lambda: cga.estimate_motor(np.ones((3, 3)), np.ones((4, 3))), "same number"),
        (lambda: cga.estimate_motor(np.ones((3, 3)), np.ones((3, 3)), [1.0, -1.0, 1.0]), "negative"),
    ],
)
def test_bad_input_is_refused(call, message):
    with pytest.raises(ValueError, match=message):
        call()


def test_traced_bad_input_gives_nan():
    assert np.isnan(jax.jit(cga.dilator)(-1.0).values).all()
    assert np.isnan(jax.jit(cga.rotor)(1.0, mv("e45")).values).any()


OBJECTS = {
    "vector": lambda p: mv(np.concatenate([p[0], [0.0, 0.0]]), 1),
    "word": lambda p: cga.word(p[0], abs(p[1, 0]) + 0.5),
    "line": lambda p: cga.line(p[0], p[1]),
    "plane": lambda p: cga.plane(p[0], p[1], p[2]),
    "circle": lambda p: cga.circle(p[0], p[1], p[2]),
    "sphere": lambda p: cga.sphere(center=p[0], radius=abs(p[1, 0]) + 0.5),
    "point pair": lambda p: cga.point_pair(p[0], p[1]),
    "point": lambda p: cga.up(jnp.asarray(p[0])),
}


def check_between(a, b, tolerance=1e-10):
    found = cga.rotor_between(a, b)
    assert float(cga.versor_condition(found)) < 1e-11
    moved = (found >> a).values
    # Up to a positive scale.
    one, other = (np.asarray(x) / np.linalg.norm(x) for x in (moved, b.values))
    np.testing.assert_allclose(one, other, atol=tolerance)


@pytest.mark.parametrize("kind", sorted(OBJECTS))
def test_a_rotor_joins_two_like_objects(kind, rng):
    for _ in range(3):
        a, b = (OBJECTS[kind](rng.normal(size=(3, 3))) for _ in range(2))
        check_between(a, b)
        check_between(a, a)
        np.testing.assert_allclose(
            cga.rotor_between(a, a).values, mv("1").with_grades((0, 2, 4)).values, atol=1e-12
        )


@pytest.mark.parametrize("kind", sorted(set(OBJECTS) - {"word", "point"}))
def test_a_rotor_joins_opposite_objects(kind, rng):
    for _ in range(3):
        a = OBJECTS[kind](rng.normal(size=(3, 3)))
        check_between(a, -a)
        check_between(a, cga.translator(rng.normal(size=3)) >> -a)


def test_rotors_between_known_objects():
    assert str(cga.rotor_between(mv("e1"), mv("-e1"))).strip("-+ ").endswith("e12")
    for first, second in itertools.product(["e12", "-e12", "e34", "e14", "-e34", "e23"], repeat=2):
        check_between(mv(first), mv(second))
    start, end = cga.word(np.array([0.3, 1.0, 2.0]), 0.7), cga.word(np.array([-0.3, 0.5, 1.0]), 2.0)
    np.testing.assert_allclose(
        cga.rotor_between(start, end).grade(0, 2).values, cga.transition(start, end).values, atol=1e-14
    )


@pytest.mark.slow
def test_rotors_between_batches(rng):
    a, b = (
        mv(rng.normal(size=(4, 1, 5)) * [1, 1, 1, 1, 0], 1),
        mv(rng.normal(size=(3, 5)) * [1, 1, 1, 1, 0], 1),
    )
    found = cga.rotor_between(a, b)
    assert found.shape == (4, 3)
    again = jax.jit(jax.vmap(cga.rotor_between, in_axes=(0, None)))(mv(a.values[:, 0], 1), b)
    np.testing.assert_allclose(again.values, found.values, atol=1e-14)


def same_motion(found, expected, tolerance=1e-12):
    sign = np.sign(np.sum(np.asarray(found.values) * np.asarray(expected.values), -1, keepdims=True))
    np.testing.assert_allclose(found.values, sign * np.asarray(expected.values), atol=tolerance)


@pytest.mark.parametrize("angle", [0.3, np.pi, 3.0, -2.0])
@pytest.mark.parametrize("count", [3, 4, 20])
def test_the_motion_between_point_sets_is_found(angle, count, rng):
    # Three points are coplanar.
    p = rng.normal(size=(2, count, 3))
    motor = cga.motor(angle, rng.normal(size=3), point=rng.normal(size=3), translation=rng.normal(size=3))
    q = np.stack([move(motor, x) for x in p])
    for found in (cga.estimate_motor(p, q), jax.jit(cga.estimate_motor)(p, q)):
        assert found.shape == (2,)
        same_motion(found, mv(np.broadcast_to(motor.values, (2, 16)), (0, 2, 4)))


def test_noisy_and_mirrored_points_give_the_best_rotation(rng):
    p, q = rng.normal(size=(10, 3)), rng.normal(size=(10, 3))
    mirrored = p * [1, 1, -1]
    for target in (q, mirrored):
        found = cga.estimate_motor(p, target)
        cost = ((move(found, p) - target) ** 2).sum()
        assert float(cga.versor_condition(found)) < 1e-13
        for _ in range(50):
            other = cga.exp(mv(rng.normal(size=10) * 0.05 * np.isin(np.arange(10), [0, 1, 4]), 2)) * found
            other = cga.translator(rng.normal(size=3) * 0.05) * other
            assert ((move(other.with_grades((0, 2, 4)), p) - target) ** 2).sum() > cost


def test_weights_count(rng):
    p = rng.normal(size=(6, 3))
    motor = cga.motor(1.0, [1.0, 2.0, 3.0], translation=[0.0, 1.0, 0.0])
    q = move(motor, p).copy()
    q[0] += 100
    same_motion(cga.estimate_motor(p, q, [0.0, 1, 1, 1, 2, 3]), motor)


def test_points_that_leave_the_rotation_open(rng):
    t = rng.normal(size=(5, 1))
    p = t * np.array([1.0, 0.0, 0.0])
    found = cga.estimate_motor(p, t * np.array([0.0, 1.0, 0.0]) + 1.0)
    np.testing.assert_allclose(move(found, p), t * np.array([0.0, 1.0, 0.0]) + 1.0, atol=1e-12)
    np.testing.assert_allclose(found["s"], np.cos(np.pi / 4), atol=1e-12)
    np.testing.assert_allclose(move(cga.estimate_motor(p, -p), p), -p, atol=1e-12)
    single = cga.estimate_motor(np.ones((1, 3)), np.zeros((1, 3)))
    np.testing.assert_allclose(
        single.values, cga.translator(-np.ones(3)).with_grades((0, 2, 4)).values, atol=1e-14
    )


@pytest.mark.slow
@pytest.mark.parametrize("shape", ["generic", "cube", "coplanar"])
def test_derivatives_of_the_fitted_motion(shape, rng):
    p = {
        "generic": rng.normal(size=(6, 3)),
        "cube": np.array(list(itertools.product([-1.0, 1.0], repeat=3))),
        "coplanar": np.concatenate([rng.normal(size=(5, 2)), np.zeros((5, 1))], axis=1),
    }[shape]
    q = move(cga.motor(0.5, [1.0, 2.0, 3.0], translation=[1.0, 0.0, 2.0]), p)
    direction = rng.normal(size=q.shape)
    estimate = jax.jit(lambda x: cga.estimate_motor(jnp.asarray(p), x).values)
    _, forward = jax.jvp(estimate, (jnp.asarray(q),), (jnp.asarray(direction),))
    differences = (estimate(q + 1e-6 * direction) - estimate(q - 1e-6 * direction)) / 2e-6
    np.testing.assert_allclose(forward, differences, atol=1e-8)
    reverse = jax.grad(lambda x: jnp.sum(estimate(x)))(jnp.asarray(q))
    np.testing.assert_allclose(jnp.sum(reverse * direction), jnp.sum(forward), atol=1e-12)


def test_float32_moves_a_point_one_kilometre_out_to_an_eighth_of_a_metre(rng):
    """As turn and shift, M = T R: the point's components e4, e5 are 5e5, so its own sandwich loses the metres."""
    p = (rng.normal(size=(50, 3)) * 600).astype(np.float32)
    exact = cga.motor(0.8, [1.0, 2.0, 3.0], point=[300.0, -700.0, 1000.0], translation=[10.0, 900.0, -500.0])
    single = cga.motor(
        np.float32(0.8),
        np.array([1.0, 2.0, 3.0], np.float32),
        point=np.array([300.0, -700.0, 1000.0], np.float32),
        translation=np.array([10.0, 900.0, -500.0], np.float32),
    )
    turn = mv({name: single[name] for name in ("1", "e12", "e13", "e23")})
    shift = single * ~turn
    shift = np.stack([-2 * shift[name] for name in ("e15", "e25", "e35")])
    flat = mv(np.concatenate([p, np.zeros((50, 2), np.float32)], axis=1), 1)
    found = np.asarray((turn >> flat).values)[:, :3] + shift
    assert found.dtype == np.float32
    assert np.abs(found - move(exact, p.astype(float))).max() < 1 / 8
