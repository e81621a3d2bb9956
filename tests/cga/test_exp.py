"""The exponential and the split: laws by regime, scipy's matrix exponential as oracle, derivatives."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from hypothesis import given, settings

import cga
from cga import mv
from cga._algebra import Algebra
from tests.cga.oracles import CGA_TABLE
from tests.cga.regimes import FIXED, PARTS, TIES, bivector, translation

scipy_linalg = pytest.importorskip("scipy.linalg")
pytestmark = pytest.mark.algebra
ALL = FIXED | TIES
NAMES = sorted(ALL)


def oracle(values):
    """exp by the matrix of left multiplication."""
    full = np.zeros(32)
    full[6:16] = values
    return scipy_linalg.expm(np.einsum("i,ijk->kj", full, CGA_TABLE))[:, 0]


@jax.jit
def exp32(values):
    return cga.exp(mv(values, 2)).to_array()


FORWARD, REVERSE = jax.jit(jax.jacfwd(exp32)), jax.jit(jax.jacrev(exp32))
SECOND = jax.jit(lambda v, w: jax.jvp(jax.grad(lambda u: exp32(u).sum()), (v,), (w,))[1])


def relative(found, expected):
    return np.abs(np.asarray(found) - expected).max() / np.abs(expected).max()


@pytest.mark.parametrize("name", NAMES)
def test_exp_is_the_matrix_exponential(name):
    # The oracle's own digits cancel where the axis is far away.
    tolerance = 1e-5 if name == "far axis" else 5e-14
    assert relative(exp32(ALL[name]), oracle(ALL[name])) < tolerance


@pytest.mark.parametrize("regime", sorted(PARTS))
def test_exp_is_the_matrix_exponential_by_regime(regime):
    @given(PARTS[regime])
    @settings(max_examples=25)
    def check(values):
        expected = oracle(values)
        # The oracle's own error grows with the norm of its matrix.
        assert relative(exp32(values), expected) < 1e-13 * (1 + np.abs(values).max() ** 2)

    check()


def test_a_null_bivector_gives_one_plus_itself_exactly():
    values = translation(1.5, -0.25, 1e6)
    np.testing.assert_array_equal(exp32(values)[6:16], values)
    assert exp32(values)[0] == 1


def test_a_rotation_about_a_far_axis_cancels_nothing():
    found = exp32(FIXED["far axis"])
    np.testing.assert_allclose(np.asarray(found)[[0, 6]], [np.cos(0.7), np.sin(0.7)], rtol=1e-15)
    np.testing.assert_array_equal(np.asarray(found)[[8, 11, 13, 26]], np.asarray(found)[[9, 12, 14, 27]])


def test_large_angles_and_boosts():
    np.testing.assert_allclose(
        np.asarray(exp32(bivector(e12=0.1 + 20 * np.pi)))[[0, 6]], [np.cos(0.1), np.sin(0.1)], atol=1e-13
    )
    np.testing.assert_allclose(
        np.asarray(exp32(bivector(e45=20.0)))[[0, 15]], [np.cosh(20), np.sinh(20)], rtol=1e-14
    )
    np.testing.assert_allclose(exp32(bivector(e15=300.0, e23=0.1))[0], np.cosh(300) * np.cos(0.1), rtol=1e-12)


@pytest.mark.parametrize("name", NAMES)
def test_exp_gives_unit_rotors_and_inverts_by_sign(name):
    rotor = cga.exp(mv(ALL[name], 2))
    scale = float(jnp.max(jnp.abs(rotor.values))) ** 2
    assert float(cga.versor_condition(rotor)) < 1e-14 * max(scale, 1)
    np.testing.assert_allclose((~rotor).values, cga.exp(mv(-ALL[name], 2)).values, atol=1e-15 * max(scale, 1))


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("shape", [(), (3,), (2, 3)])
def test_exp_over_batches_and_dtypes(shape, dtype):
    values = np.random.default_rng(3).normal(size=(*shape, 10)).astype(dtype)
    found = cga.exp(mv(values, 2))
    assert found.grades == (0, 2, 4) and found.shape == shape and found.dtype == dtype
    expected = np.stack([oracle(v) for v in values.reshape(-1, 10).astype(float)]).reshape(*shape, 32)
    tolerance = 1e-14 if dtype == np.float64 else 5e-6
    assert relative(found.to_array(), expected) < tolerance
    mapped = cga.exp
    for _ in shape:
        mapped = jax.vmap(mapped)
    np.testing.assert_allclose(mapped(mv(values, 2)).values, found.values, rtol=tolerance, atol=tolerance)


def test_batches_may_mix_regimes():
    values = np.stack([ALL[name] for name in NAMES])
    np.testing.assert_allclose(exp32(values), np.stack([exp32(v) for v in values]), rtol=1e-14, atol=1e-14)


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_derivatives_agree_forward_reverse_and_by_differences(name):
    values = jnp.asarray(ALL[name])
    forward, reverse = FORWARD(values), REVERSE(values)
    assert np.isfinite(forward).all()
    scale = np.abs(forward).max()
    np.testing.assert_allclose(reverse, forward, atol=1e-12 * scale)
    step = 1e-6 * max(1, np.abs(values).max())
    points = ALL[name] + step * np.concatenate([np.eye(10), -np.eye(10)])
    moved = exp32(points)
    if name == "far axis":
        return  # differences cancel there
    differences = np.asarray(moved[:10] - moved[10:]).T / (2 * step)
    np.testing.assert_allclose(forward, differences, atol=1e-8 * scale)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["zero", "null", "isoclinic", "half turn", "rotation and dilation"])
def test_second_derivatives_are_finite(name):
    hessian = np.stack([SECOND(jnp.asarray(ALL[name]), direction) for direction in jnp.eye(10)])
    assert np.isfinite(hessian).all()
    np.testing.assert_allclose(hessian, hessian.T, atol=1e-12 * max(1, np.abs(hessian).max()))


def test_exp_of_other_elements():
    np.testing.assert_allclose(cga.exp(mv("2"))["s"], np.e**2)
    assert cga.exp(mv({}))["s"] == 1
    mixed = cga.exp(mv("0.5 + 0.3 e12"))
    np.testing.assert_allclose(mixed["e12"], np.exp(0.5) * np.sin(0.3))
    general = mv(np.random.default_rng(2).normal(size=(2, 32)) * 0.3)
    expected = [
        scipy_linalg.expm(np.einsum("i,ijk->kj", v, CGA_TABLE))[:, 0] for v in np.asarray(general.values)
    ]
    np.testing.assert_allclose(cga.exp(general).to_array(), expected, atol=1e-13)
    np.testing.assert_allclose(cga.exp(mv("0.7 e5"))["e5"], np.sin(0.7), atol=1e-15)


@pytest.mark.parametrize(
    "algebra",
    [Algebra(3), Algebra(4), Algebra(1, 1), Algebra(2, 1), Algebra(3, 0, 1), Algebra(2, 2)],
    ids=str,
)
def test_exp_in_other_algebras(algebra):
    count = len(algebra.grade_blades((2,)))
    b = mv(np.random.default_rng(4).normal(size=count) * 0.7, 2, algebra=algebra)
    total, term = mv("1", algebra=algebra), mv("1", algebra=algebra)
    for k in range(1, 40):
        term = term * b / float(k)
        total = total + term
    found = cga.exp(b)
    assert found.algebra == algebra
    np.testing.assert_allclose(found.values, total.with_grades(found.grades).values, atol=1e-13)


def check_split(values, tolerance):
    b = mv(values, 2)
    first, second = cga.split(b)
    scale = max(1.0, float(jnp.max(jnp.abs(first.values))) ** 2)
    np.testing.assert_allclose((first + second).values, b.values, atol=tolerance * scale)
    np.testing.assert_allclose((first * first).grade(4).values, 0, atol=tolerance * scale)
    np.testing.assert_allclose((second * second).grade(4).values, 0, atol=tolerance * scale)
    np.testing.assert_allclose((first * second - second * first).values, 0, atol=tolerance * scale)
    assert float((first * first)["s"]) <= float((second * second)["s"]) + tolerance * scale


@pytest.mark.parametrize("name", NAMES)
def test_split_gives_commuting_simple_parts(name):
    check_split(ALL[name], 1e-8 if name in ("nearly null", "far axis") else 1e-14)


@pytest.mark.parametrize(
    "regime", ["generic", "rotation and boost", "double", "nearly isoclinic", "transversion"]
)
def test_split_by_regime(regime):
    @given(PARTS[regime])
    @settings(max_examples=25)
    def check(values):
        s, q = ((mv(values, 2) * mv(values, 2)).grade(g) for g in (0, 4))
        spread = np.sqrt(max(float((s * s)["s"] - (q * q)["s"]), 0.0))
        isoclinic = float((q * q)["s"]) > 0
        error = 1e-14 if isoclinic else 1e-14 / max(spread / max((values**2).sum(), 1e-300), 1e-14)
        check_split(values, min(error, 10.0) * 10)

    check()


def test_split_of_known_bivectors():
    first, second = cga.split(mv("3 e12 + 2 e45"))
    assert (first["e12"], second["e45"]) == (3, 2)
    first, second = cga.split(mv("e12 + e34"))
    np.testing.assert_allclose(
        [first["e12"], first["e34"], second["e12"], second["e34"]], [1, 0, 0, 1], atol=1e-15
    )
    assert not np.any(cga.split(mv(np.zeros(10), 2))[0].values)
    null, rest = cga.split(mv("e14 + e15"))
    assert null["e15"] == 1 and not np.any(rest.values)


def test_split_needs_a_bivector():
    with pytest.raises(ValueError, match="only bivectors split"):
        cga.split(mv("1 + e12"))
