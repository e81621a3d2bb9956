"""Logarithms, roots, powers, interpolation: the way back from the exponential by regime, ties, derivatives."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import cga
from cga import _null as null
from cga import mv
from cga._algebra import Algebra
from cga._turn import half_turn
from tests.cga.regimes import FIXED, PARTS, TIES, bivector, translation

pytestmark = pytest.mark.algebra


@jax.jit
def exp16(values):
    return cga.exp(mv(values, 2)).values


@jax.jit
def log10(values):
    return cga.log(mv(values, (0, 2, 4))).values


@jax.jit
def move10(frame, values):
    return (mv(exp16(frame), (0, 2, 4)) >> mv(values, 2)).values


def error(values):
    """|exp(log R) - R| / |R| for R = exp(values)."""
    rotor = np.asarray(exp16(values))
    return np.abs(np.asarray(exp16(log10(rotor))) - rotor).max() / np.abs(rotor).max()


def invariants(values):
    b = mv(values, 2)
    return float((b * b)["s"])


@pytest.mark.parametrize("name", sorted(FIXED))
def test_log_is_the_inverse_of_exp(name):
    values = FIXED[name]
    np.testing.assert_allclose(log10(exp16(values)), values, rtol=1e-13, atol=1e-13 * np.abs(values).max())


@pytest.mark.parametrize("name", sorted(TIES))
def test_where_no_logarithm_is_unique_one_of_least_norm_is_taken(name):
    found = np.asarray(log10(exp16(TIES[name])))
    assert error(TIES[name]) < 1e-14
    np.testing.assert_allclose(invariants(found), invariants(TIES[name]), rtol=1e-13)


@pytest.mark.parametrize(
    ("rotor", "expected"),
    [
        ("-1", np.pi * bivector(e12=1)),
        ("e1234", np.pi / 2 * bivector(e12=1, e34=1)),
        ("-e1234", np.pi / 2 * bivector(e12=1, e34=-1)),
        ("-1 - 1.5 e14 - 1.5 e15", translation(1.5) + np.pi * bivector(e23=1)),
        ("-1.25 + 0.75 e45", bivector(e12=np.pi, e45=-np.log(2))),
    ],
)
def test_the_rules_at_ties(rotor, expected):
    found = cga.log(mv(rotor).with_grades((0, 2, 4))).values
    # A plane may come with either orientation; the rule fixes which, and it stays.
    flipped = np.where(np.abs(np.abs(expected) - np.pi) < 1e-9, -expected, expected)
    assert min(np.abs(found - e).max() for e in (expected, flipped)) < 1e-14


# Regimes as they are, and seen from a general frame (where rounding hides what cancels exactly in special ones).
@pytest.mark.parametrize("regime", sorted(PARTS))
def test_exp_of_log_by_regime(regime):
    @given(PARTS[regime])
    @settings(max_examples=60)
    def check(values):
        assert error(values) < 5e-12

    check()


@pytest.mark.parametrize("regime", sorted(PARTS))
def test_exp_of_log_by_regime_in_a_general_frame(regime):
    frame = st.lists(st.floats(-0.3, 0.3), min_size=10, max_size=10).map(np.array)

    @given(PARTS[regime], frame)
    @settings(max_examples=60)
    def check(values, frame):
        if regime in ("screw", "translation", "nearly minus screw"):
            values = np.where(np.abs(values) > 10, values / 1e3, values)
        # Where the axis of the turn can be anywhere, rounding counts for more; see `cga.log`.
        limit = 1e-8 if regime == "nearly minus screw" else 1e-11
        assert error(np.asarray(move10(frame, values))) < limit

    check()


@pytest.mark.parametrize("gap", [0.0, 1e-15, 1e-13, 1e-12, 1e-11, 1e-9, 1e-6, 1e-3])
def test_a_turn_close_to_pi_beside_a_shift_of_any_size_in_many_frames(gap):
    """Where turn and shift are both small, the rounding of R, not that of its small parts, decides what can be told."""
    frames = np.random.default_rng(0).uniform(-0.3, 0.3, (13, 10))
    sizes = [1e-12, 1e-10, 1e-9, 1e-8, 1e-6, 1e-4, 1e-2, 1.0, 10.0]
    cases = [
        np.asarray(move10(frame, bivector(e12=np.pi - gap) + rest))
        for frame in frames
        for size in sizes
        for rest in (translation(0.0, 0.0, size), bivector(e34=min(size, 0.5)))
    ]
    rotors = np.asarray(exp16(np.array(cases)))
    again = np.asarray(exp16(log10(rotors)))
    assert (np.abs(again - rotors).max(axis=1) / np.abs(rotors).max(axis=1)).max() < 1e-9


def test_log_in_float32_and_batches():
    values = np.stack([v for k, v in (FIXED | TIES).items() if k != "far axis"])
    rotor = exp16(values.astype(np.float32))
    found = log10(rotor)
    assert found.dtype == np.float32
    np.testing.assert_allclose(exp16(found), rotor, atol=2e-5)
    both = np.asarray(log10(exp16(values)))
    np.testing.assert_allclose(both, np.stack([log10(exp16(v)) for v in values]), atol=1e-13)


ROUND_TRIP = [jax.jit(jac(lambda v: log10(exp16(v)))) for jac in (jax.jacfwd,)]


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(set(FIXED) - {"far axis"}))
def test_the_derivative_of_the_round_trip_is_the_identity(name):
    for jacobian in ROUND_TRIP:
        np.testing.assert_allclose(jacobian(jnp.asarray(FIXED[name])), np.eye(10), atol=1e-8)


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(set(FIXED) - {"far axis"}))
def test_reverse_derivatives_are_forward_derivatives(name):
    rotor = exp16(FIXED[name])
    forward, reverse = jax.jacfwd(log10)(rotor), jax.jacrev(log10)(rotor)
    assert np.isfinite(forward).all()
    np.testing.assert_allclose(reverse, forward, atol=1e-9 * np.abs(forward).max())


@pytest.mark.parametrize("text", ["e45", "2", "e1", "1 + e12", "0", "e14 + e15"])
def test_what_is_no_rotor_has_no_logarithm(text):
    x = mv(text)
    with pytest.raises(ValueError, match="unitize"):
        cga.log(x)
    assert np.isnan(jax.jit(cga.log)(x).values).all()


def test_a_batch_says_how_many_are_bad():
    with pytest.raises(ValueError, match="1 of the 2"):
        cga.log(mv([[1.0, *[0] * 10], [2.0, *[0] * 10]], (0, 2)))


@pytest.mark.parametrize("name", sorted(set(FIXED) | set(TIES)))
def test_roots_and_powers(name):
    rotor = mv(exp16((FIXED | TIES)[name]), (0, 2, 4))
    scale = float(jnp.max(jnp.abs(rotor.values)))
    root = cga.sqrt(rotor)
    np.testing.assert_allclose((root * root).with_grades((0, 2, 4)).values, rotor.values, atol=1e-12 * scale)
    third = cga.power(rotor, 1 / 3)
    np.testing.assert_allclose(
        cga.power(third, 3).with_grades((0, 2, 4)).values, rotor.values, atol=1e-12 * scale
    )


def test_powers_of_any_element():
    assert str(cga.power(mv("e1"), 0)) == "1"
    assert cga.power(mv("e1").astype(np.float32), 0).dtype == np.float32
    np.testing.assert_allclose(cga.power(mv("2 e1"), -2)["s"], 0.25)
    x = mv(np.random.default_rng(1).normal(size=(3, 32)) * 0.3)
    np.testing.assert_allclose(cga.power(x, 5).to_array(), (x * x * x * x * x).to_array(), atol=1e-12)
    t = jnp.asarray([0.0, 0.5, 1.0])
    rotor = cga.rotor(1.0, mv("e12"))
    np.testing.assert_allclose(cga.power(rotor, t)["s"], np.cos([0.0, 0.25, 0.5]), atol=1e-15)


def test_interpolation_goes_along_the_screw_the_shorter_way():
    start = cga.motor(0.3, [1.0, 2.0, 0.5], point=[1.0, 0.0, 2.0], translation=[0.1, 0.2, 0.3])
    end = cga.motor(2.0, [0.0, 1.0, 0.5], point=[0.0, 3.0, 2.0], translation=[1.0, -2.0, 0.3])
    np.testing.assert_allclose(cga.interpolate(start, end, 0.0).values, start.values, atol=1e-14)
    np.testing.assert_allclose(cga.interpolate(start, end, 1.0).values, end.values, atol=1e-13)
    for other in (end, -end):
        half = cga.interpolate(start, other, 0.5)
        np.testing.assert_allclose(half.values, cga.interpolate(start, end, 0.5).values, atol=1e-13)
    first, second = half * ~start, end * ~half
    np.testing.assert_allclose(first.values, second.values, atol=1e-13)
    path = cga.interpolate(start, end, jnp.linspace(0, 1, 5))
    assert path.shape == (5,) and float(jnp.max(cga.versor_condition(path))) < 1e-13
    # A half turn each way is a tie; a turn by 270 degrees is one by 90 the other way.
    turn = cga.interpolate(mv("1"), cga.rotor(1.5 * np.pi, mv("e12")), 1 / 3)
    np.testing.assert_allclose(
        turn.values, cga.rotor(-np.pi / 6, mv("e12")).with_grades((0, 2, 4)).values, atol=1e-14
    )


def test_log_in_a_subalgebra():
    space = Algebra(3)
    b = mv([0.3, -0.2, 0.9], 2, algebra=space)
    found = cga.log(cga.exp(b))
    assert found.algebra == space
    np.testing.assert_allclose(found.values, b.values, atol=1e-15)
    with pytest.raises(ValueError, match="isn't inside"):
        cga.log(mv("1", algebra=Algebra(3, 0, 1)))


@pytest.mark.parametrize("gap", [1e-5, 1e-4, 1e-3, 1e-2])
@pytest.mark.parametrize("z", [0.001, 0.091, 1.0])
def test_a_turn_close_to_pi_beside_a_small_shift(gap, z):
    """Seen from a turned and scaled frame, the rounding of the shift was once taken for a boost."""
    frame = bivector(e23=0.18359375, e45=0.125)
    assert error(np.asarray(move10(frame, bivector(e12=np.pi - gap) + translation(0.0, 0.0, z)))) < 1e-6


@pytest.mark.parametrize("boost", [0.0, 1e-8, 1e-4, 1e-2, 0.3])
@pytest.mark.parametrize("shift", [1e-6, 1e-3, 0.1, 1.0, 10.0])
def test_close_to_minus_a_shift_or_a_boost_in_a_general_frame(shift, boost):
    """-exp(delta P + N): rounding once hid the plane of the turn beside a null N, for all delta < 1e-3 |N|."""
    deltas = np.array([0.0, 1e-14, 1e-12, 1e-10, 1e-8, 1e-7, 1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 0.1, 0.7])
    base = np.stack(
        [bivector(e12=np.pi - d, e45=boost * shift) + translation(0.0, 0.0, shift) for d in deltas]
    )
    frames = np.random.default_rng(7).uniform(-0.3, 0.3, (20, 1, 10))
    values = np.asarray(move10(frames, base))
    rotor = np.asarray(exp16(values))
    worst = (np.abs(np.asarray(exp16(log10(rotor))) - rotor).max(-1) / np.abs(rotor).max(-1)).max(0)
    # Where delta < sqrt(eps |N|) the axis of the turn is as far off as 1 / delta, and rounding is multiplied by that.
    assert (worst[deltas > 1e-7 * max(1, shift)] < 2e-12).all()
    assert (worst < 1e-7).all()


PLANE = jax.jit(lambda v: half_turn(jnp.stack(null.from_bivector(v), axis=-1)))
PLANE_FORWARD, PLANE_REVERSE = jax.jit(jax.jacfwd(PLANE)), jax.jit(jax.jacrev(PLANE))


@pytest.mark.parametrize(
    "values",
    [
        bivector(e12=-0.7) + translation(0.0, 0.0, 0.3),
        bivector(e12=-0.3, e45=0.2),
        bivector(e12=-1.0, e34=0.1),
        bivector(e12=-1.0),
    ],
)
def test_the_derivative_of_the_plane_of_a_turn(values):
    """The derivative of the plane is written by hand: it agrees with finite differences, and reverse with forward."""
    at = np.asarray(move10(np.random.default_rng(1).uniform(-0.3, 0.3, 10), values))
    numeric = np.stack([(PLANE(at + 1e-6 * e) - PLANE(at - 1e-6 * e)) / 2e-6 for e in np.eye(10)], axis=1)
    forward = PLANE_FORWARD(jnp.asarray(at))
    np.testing.assert_allclose(forward, numeric, atol=1e-8 * np.abs(numeric).max())
    np.testing.assert_allclose(PLANE_REVERSE(jnp.asarray(at)), forward, atol=1e-12 * np.abs(numeric).max())
