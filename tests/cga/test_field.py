"""The field as a pair: it is the chain of transition rotors, and it closes where that chain does not."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import cga
from cga import FieldState, _field, _words, mv
from cga._paths import by_step, fields_along
from tests.cga.conftest import far_points

pytestmark = pytest.mark.algebra


def walk_turns(center, breadth):
    """Q after each word of one walk."""
    return fields_along(center.T, breadth, by_step([len(breadth)]))[1]


def walk(center, breadth):
    return FieldState(center, breadth, walk_turns(center, breadth))


def naive_chain(center, breadth):
    """F by multiplying transition rotors, from the boost to the first word on."""
    words = mv(_words.word(jnp.asarray(center), jnp.asarray(breadth)), 1)
    rotor = cga.transition(mv("e5"), mv(words.values[0], 1)).with_grades((0, 2, 4))
    chain = [rotor]
    for a, b in zip(words.values, words.values[1:], strict=False):
        rotor = (cga.transition(mv(a, 1), mv(b, 1)) * rotor).with_grades((0, 2, 4))
        chain.append(rotor)
    return chain


def test_f_is_the_chain_of_transition_rotors():
    center, breadth = far_points(8, 11, 0.0, 3.0)
    found = _field.rotor(walk(center, breadth))
    expected = np.stack([rotor.values for rotor in naive_chain(center, breadth)])
    np.testing.assert_allclose(found, expected, atol=1e-9)


def test_the_field_stands_on_its_word():
    center, breadth = far_points(20, 12, 0.0, 3.0)
    field = walk(center, breadth)
    moved = mv(_field.rotor(field), (0, 2, 4)) >> mv("e5")
    np.testing.assert_allclose(moved.values, _words.word(center, breadth), atol=1e-9)
    np.testing.assert_array_equal(field.word, _words.word(center, breadth))


def test_stepping_one_by_one_is_the_walk():
    center, breadth = far_points(12, 13, 0.0, 6.0)
    for convert in (np.asarray, jnp.asarray):
        field = _field.field_start(convert(center[0]), convert(breadth[0]))
        for x, rho in zip(center[1:], breadth[1:], strict=True):
            field = _field.field_update(field, convert(x), convert(rho))
        np.testing.assert_allclose(field.turn, walk_turns(center, breadth)[-1], atol=1e-12)


def test_walks_side_by_side_are_the_walks_alone_to_the_last_bit():
    lengths = [40, 17, 17, 16, 3, 2, 1, 1]
    paths = [far_points(length, 30 + number, 0.0, 9.0) for number, length in enumerate(lengths)]
    states = by_step(lengths)
    places = list(zip(states.walk, states.step, strict=True))
    center = np.array([paths[walk][0][step] for walk, step in places])
    breadth = np.array([paths[walk][1][step] for walk, step in places])
    worst, turn = fields_along(center.T, breadth, states)
    for number, (x, rho) in enumerate(paths):
        (alone,), turns = fields_along(x.T, rho, by_step([len(rho)]))
        np.testing.assert_array_equal(turn[states.walk == number], turns)
        assert worst[number] == alone
        np.testing.assert_allclose(alone, _field.closure(FieldState(x, rho, turns)).max(), atol=1e-9)
        np.testing.assert_array_equal(turn[states.last[number]], turns[-1])


def test_there_and_back_is_no_turn_and_a_triangle_is_one():
    center, breadth = far_points(3, 14, 1.0, 2.0)
    there_and_back = walk_turns(center[[0, 1, 0]], breadth[[0, 1, 0]])
    one = np.eye(8)[0]
    np.testing.assert_allclose(there_and_back[-1], one, atol=1e-14)
    round_trip = walk_turns(center[[0, 1, 2, 0]], breadth[[0, 1, 2, 0]])
    assert abs(round_trip[-1] - one).max() > 1e-2


def test_steps_through_the_origin_and_on_the_spot_are_regular():
    center, breadth = np.array([[0.0, 0, 0], [1, 0, 0], [1, 0, 0], [0, 0, 0]]), np.array([1.0, 2, 2, 1])
    np.testing.assert_allclose(walk_turns(center, breadth), np.tile(np.eye(8)[0], (4, 1)), atol=1e-15)


@pytest.mark.parametrize(("least", "most"), [(0.0, 6.0), (9.0, 12.0), (12.0, 18.0), (18.0, 18.0)])
def test_a_thousand_steps_close(least, most):
    center, breadth = far_points(1001, 15, least, most)
    conditions = _field.closure(walk(center, breadth))
    assert conditions.max() < 1e-6
    field = _field.field_start(jnp.asarray(center[0]), jnp.asarray(breadth[0]))

    @jax.jit
    def conditions_by_scan(field, center, breadth):
        def move(field, point):
            field = _field.field_update(field, *point)
            return field, _field.closure(field)

        return jax.lax.scan(move, field, (center, breadth))[1]

    scanned = conditions_by_scan(field, jnp.asarray(center[1:]), jnp.asarray(breadth[1:]))
    assert scanned.max() < 1e-6


def test_closure_is_measured_and_the_plain_chain_fails_it():
    center, breadth = far_points(12, 16, 12.0, 14.0)
    assert cga.versor_condition(naive_chain(center, breadth)[-1]) > 1e-6
    field = walk(center, breadth)
    assert (_field.closure(field._replace(turn=field.turn * 1.01)) > 1e-3).all()
    near = walk(center / 1e3, breadth / breadth)
    np.testing.assert_allclose(
        _field.closure(near._replace(turn=near.turn * 1.01)),
        cga.versor_condition(mv(_field.rotor(near._replace(turn=near.turn * 1.01)), (0, 2, 4))),
        rtol=1e-9,
    )
