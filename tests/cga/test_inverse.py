"""Inverses of any element, normalising, unitizing, factorising, and what counts as a blade or a versor."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import cga
from cga import mv
from cga._algebra import Algebra
from tests.cga.oracles import CGA_GRADES, CGA_TABLE, reverse32

pytestmark = pytest.mark.algebra


@pytest.fixture
def rng():
    return np.random.default_rng(77)


@pytest.mark.parametrize(
    "grades", [(0,), (1,), (2,), (3,), (4,), (5,), (0, 2, 4), (1, 3, 5), (0, 1), (0, 1, 2, 3, 4, 5)], ids=str
)
def test_the_inverse_is_that_of_the_matrix_of_left_multiplication(grades, rng):
    count = int(np.isin(CGA_GRADES, grades).sum())
    x = mv(rng.normal(size=(4, count)), grades)
    found = cga.inverse(x)
    for full, inverse in zip(np.asarray(x.to_array()), np.asarray(found.to_array()), strict=True):
        matrix = np.einsum("i,ijk->kj", full, CGA_TABLE)
        scale = np.linalg.cond(matrix)
        np.testing.assert_allclose(inverse, np.linalg.solve(matrix, np.eye(32)[0]), atol=1e-14 * scale**2)
    one = np.eye(1, 32)
    np.testing.assert_allclose((found * x).to_array(), np.repeat(one, 4, 0), atol=1e-11)
    np.testing.assert_allclose((x * found).to_array(), np.repeat(one, 4, 0), atol=1e-11)


@pytest.mark.parametrize(
    "text",
    [
        "e1 + e2 + e3 + e4 + 2 e5",
        "0",
        "1 + e1",
        "1 + e45",
        "e12 + e34 + e15 + e1234",
        "1 + e1234",
        "e4 + e5",
        "e1 + e123",
    ],
)
def test_zero_divisors_are_refused_and_never_finite(text):
    x = mv(text)
    matrix = np.einsum("i,ijk->kj", np.asarray(x.to_array()), CGA_TABLE)
    if np.linalg.matrix_rank(matrix) == 32:
        assert np.isfinite(cga.inverse(x).values).all()
        return
    with pytest.raises(ValueError, match="no inverse"):
        cga.inverse(x)
    assert np.isnan(jax.jit(cga.inverse)(x).values).all()


@pytest.mark.slow
def test_rounded_zero_divisors_are_refused(rng):
    points = cga.up(jnp.asarray(rng.normal(size=(50, 3)) * 10))
    with pytest.raises(ValueError, match="50 of the 50"):
        cga.inverse(points)
    other = mv(rng.normal(size=(50, 32)))
    values = jax.jit(cga.inverse)(points * other).values
    assert np.isnan(values).all()


def test_small_and_large_elements_have_inverses(rng):
    for scale in (1e-100, 1e-20, 1e20):
        x = mv(rng.normal(size=16) * scale, (0, 2, 4))
        np.testing.assert_allclose((x * cga.inverse(x))["s"], 1, atol=1e-12)
    for rapidity in (5.0, 10.0):
        rotor = cga.exp(mv(f"{rapidity} e15 + 0.3 e23"))
        np.testing.assert_allclose(cga.inverse(rotor).values, (~rotor).values, rtol=1e-6, atol=1e-6)


@pytest.mark.slow
def test_derivative_of_the_inverse(rng):
    x, d = mv(rng.normal(size=32)), mv(rng.normal(size=32))
    _, moved = jax.jvp(cga.inverse, (x,), (d,))
    inverse = cga.inverse(x)
    np.testing.assert_allclose(moved.values, (-(inverse * d * inverse)).values, rtol=1e-8, atol=1e-8)


def test_inverse_in_subalgebras(rng):
    for algebra in (Algebra(3), Algebra(2, 1), Algebra(0, 1)):
        x = mv(rng.normal(size=algebra.size), algebra=algebra)
        found = x * cga.inverse(x)
        np.testing.assert_allclose(found.values[1:], 0, atol=1e-12)
        np.testing.assert_allclose(found.values[0], 1, atol=1e-12)
    with pytest.raises(ValueError, match="isn't inside"):
        cga.inverse(mv("1", algebra=Algebra(2, 2)))


@pytest.mark.slow
def test_unitize_closes_a_drifted_rotor(rng):
    rotor = cga.exp(mv(rng.normal(size=(20, 10)) * 0.5, 2))
    drifted = rotor + mv(rng.normal(size=(20, 16)) * 1e-3, (0, 2, 4))
    assert float(jnp.max(cga.versor_condition(cga.normalize(drifted)))) > 1e-5
    found = cga.unitize(drifted)
    assert float(jnp.max(cga.versor_condition(found))) < 1e-12
    np.testing.assert_allclose(found.values, rotor.values, atol=0.05)
    np.testing.assert_allclose(cga.unitize(found).values, found.values, atol=1e-12)
    single = cga.unitize(drifted.astype(np.float32))
    assert float(jnp.max(cga.versor_condition(single))) < 1e-4


def test_unitize_refuses_what_is_far_from_a_rotor():
    for text in ("e45", "0", "e14 + e15", "1 + e1234"):
        with pytest.raises(ValueError, match="not near a rotor"):
            cga.unitize(mv(text))
        assert np.isnan(jax.jit(cga.unitize)(mv(text)).values).all()
    with pytest.raises(ValueError, match="a rotor is even"):
        cga.unitize(mv("e1"))


@pytest.mark.parametrize("renormalise", [True, False])
def test_100_000_float32_rotors_composed(renormalise):
    """Measured: with unitize |R ~R - 1| stays below 2e-7 and the motion is off by 1e-4; without, |R ~R - 1| is 1e-3."""
    count = 100_000
    angle = 2 * np.pi / count
    step = cga.rotor(np.float32(angle), mv("0.6 e12 + 0.8 e23").astype(np.float32)).with_grades((0, 2, 4))

    def compose(total, _):
        total = (step * total).with_grades((0, 2, 4))
        return (cga.unitize(total) if renormalise else total), None

    start = mv("1").astype(np.float32).with_grades((0, 2, 4))
    found = jax.lax.scan(compose, start, None, length=count)[0]
    if renormalise:
        assert float(cga.versor_condition(found)) < 2e-7
        assert float(jnp.linalg.norm((found + 1).values)) < 1e-3
    else:
        assert float(cga.versor_condition(found)) < 1e-2


@pytest.mark.parametrize("count", [1, 2, 3, 4, 5])
def test_factors_multiply_to_the_versor(count, rng):
    vectors = mv(rng.normal(size=(count, 5)), 1)
    versor = mv("1")
    for i in range(count):
        versor = versor * mv(vectors.values[i], 1)
    factors = cga.factorize(versor)
    assert len(factors) == count
    product = mv("1")
    for factor in factors:
        assert factor.grades == (1,)
        product = product * factor
    scale = float(jnp.max(jnp.abs(versor.values)))
    np.testing.assert_allclose(product.to_array(), versor.to_array(), atol=1e-11 * scale)


@pytest.mark.parametrize(
    "text", ["1 - 1.5 e14 - 1.5 e15", "0.6 + 0.8 e12", "1.25 - 0.75 e45", "e12345", "3", "-1", "1", "2 e5"]
)
def test_factors_of_known_versors(text):
    product = mv("1")
    factors = cga.factorize(mv(text))
    for factor in factors:
        product = product * factor
    np.testing.assert_allclose(product.to_array(), mv(text).to_array(), atol=1e-14)
    assert (len(factors) == 0) == (text == "1")


def test_only_a_single_versor_is_factorised():
    with pytest.raises(ValueError, match="no versor"):
        cga.factorize(mv("1 + e1"))
    with pytest.raises(ValueError, match="one versor"):
        cga.factorize(mv(np.ones((2, 5)), 1))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("0", True), ("2", True), ("e1 + e5", True), ("e14 + e15", True), ("e12 + e34", False), ("e12 + e13", True),
        ("1 + e12", False), ("e123 + e145", False), ("e123 + e124", True), ("e1234 + e2345", True), ("e12345", True),
    ],
)  # fmt: skip
def test_is_blade(text, expected):
    assert bool(cga.is_blade(mv(text))) is expected
    assert bool(jax.jit(cga.is_blade)(mv(text).with_grades((0, 1, 2, 3, 4, 5)))) is expected


def test_outer_products_of_vectors_are_blades(rng):
    a, b, c = (mv(rng.normal(size=(6, 5)), 1) for _ in range(3))
    assert cga.is_blade(a ^ b).all() and cga.is_blade(a ^ b ^ c).all()
    assert not cga.is_blade(mv(rng.normal(size=(6, 10)), 2)).any()
    assert not cga.is_blade(mv(rng.normal(size=(6, 10)), 3)).any()


def test_normalize_refuses_null_elements():
    point = cga.up(jnp.asarray([1.0, 2.0, 3.0]))
    with pytest.raises(ValueError, match="einf"):
        cga.normalize(point)
    assert np.isnan(jax.jit(cga.normalize)(point).values).all()
    np.testing.assert_allclose(cga.normalize(mv("3 e5")).values, mv("e5").values)


def test_the_condition_is_that_of_the_oracle(rng):
    x = rng.normal(size=32)
    square = np.einsum("i,j,ijk->k", x, reverse32(x), CGA_TABLE) - np.eye(32)[0]
    np.testing.assert_allclose(cga.versor_condition(mv(x)), np.linalg.norm(square), rtol=1e-13)
