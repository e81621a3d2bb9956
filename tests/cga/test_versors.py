"""Versors: the action on the algebra, inverses, and what is no versor."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import cga
from cga import mv
from tests.cga.oracles import dense_product, reverse32

pytestmark = pytest.mark.algebra


@pytest.fixture
def rotors():
    """Random unit rotors as products of transition rotors between words."""
    rng = np.random.default_rng(5)
    words = cga.word(rng.normal(size=(4, 6, 3)), np.exp(rng.normal(size=(4, 6))))
    first, second, third, fourth = (words.values[i] for i in range(4))
    first, second, third, fourth = (mv(w, 1) for w in (first, second, third, fourth))
    return cga.transition(first, second) * cga.transition(third, fourth)


def test_the_sandwich_is_the_naive_triple_product(rotors):
    x = mv(np.random.default_rng(6).normal(size=(6, 32)))
    expected = dense_product(dense_product(rotors.to_array(), x.to_array()), reverse32(rotors.to_array()))
    np.testing.assert_allclose((rotors >> x).to_array(), expected, atol=1e-11)


def test_a_rotor_keeps_grades_products_and_norms(rotors):
    rng = np.random.default_rng(7)
    a, b = mv(rng.normal(size=(6, 5)), 1), mv(rng.normal(size=(6, 10)), 2)
    moved = rotors >> a
    assert moved.grades == (1,)
    np.testing.assert_allclose(cga.norm_squared(moved), cga.norm_squared(a), atol=1e-11)
    np.testing.assert_allclose(
        (rotors >> (a ^ b)).to_array(), ((rotors >> a) ^ (rotors >> b)).to_array(), atol=1e-11
    )


def test_products_of_rotors_act_one_after_the_other(rotors):
    x = mv("e1 + 2 e5")
    other = mv({"s": np.cos(0.3), "e12": np.sin(0.3)})
    np.testing.assert_allclose(
        ((other * rotors) >> x).to_array(), (other >> (rotors >> x)).to_array(), atol=1e-11
    )


def test_an_odd_versor_reflects():
    assert str(mv("e1") >> mv("e1 + 2 e2")) == "- 1 e1 + 2 e2"
    assert str(mv("3 e1") >> mv("e1 + 2 e2")) == "- 1 e1 + 2 e2"
    # Inversion in the unit sphere takes the origin to infinity.
    np.testing.assert_array_equal((mv("-e4") >> mv("-0.5 e4 + 0.5 e5"))["e5"], 0.5)


def test_known_motions():
    translator = mv("1 - 1.5 e14 - 1.5 e15")
    point = cga.word(jnp.asarray([1.0, 2.0, 3.0]), jnp.asarray(0.25))
    center, breadth = cga.center_breadth(translator >> point)
    np.testing.assert_allclose(center, [4.0, 2.0, 3.0], atol=1e-12)
    np.testing.assert_allclose(breadth, 0.25, atol=1e-12)


def test_inverse_is_no_reverse():
    rotor = mv("2 + 2 e12")
    assert str(cga.versor_inverse(rotor)) == "0.25 - 0.25 e12"
    assert str(rotor * cga.versor_inverse(rotor)) == "1"
    assert str(cga.versor_inverse(mv("4 e5"))) == "- 0.25 e5"
    assert not np.isfinite(cga.versor_inverse(mv("e4 + e5")).values).any()


def test_normalize():
    unit = mv("e2 - 2 e4 - 2 e5")
    np.testing.assert_array_equal(cga.normalize(unit).values, unit.values)
    np.testing.assert_allclose(cga.versor_condition(cga.normalize(mv("2 + 2 e12"))), 0, atol=1e-15)
    assert np.isnan(jax.jit(cga.normalize)(mv("e1 + 2 e2 + 3 e3 + 6.5 e4 + 7.5 e5")).values).all()


def test_the_condition_is_the_norm_of_what_is_left():
    assert cga.versor_condition(mv("1")) == 0
    np.testing.assert_allclose(cga.versor_condition(mv("1 + 0.5 e12 + 0.5 e34")), np.hypot(0.5, 0.5))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("e12", True),
        ("1 + e12", True),
        ("2", True),
        ("e1 + e5", False),  # null
        ("1 + e1", False),  # neither even nor odd
        ("1 + e1234", False),  # x ~x is no scalar
        ("e1234", True),
        ("e12345", True),
        ("e1 + 3 e123", True),
        ("e123 + e145", False),
        ("0", False),
    ],
)
def test_is_versor(text, expected):
    assert bool(cga.is_versor(mv(text))) is expected


def test_unit_rotors_are_versors_in_a_batch(rotors):
    assert cga.is_versor(rotors).all()
    assert cga.is_versor(rotors * 7.0).all()
    assert not cga.is_versor(rotors + mv("0.01 e1234")).any()


def test_an_element_of_both_parities_does_not_act():
    with pytest.raises(ValueError, match="even or odd"):
        mv("1 + e1") >> mv("e2")


def test_a_transition_needs_vectors():
    with pytest.raises(ValueError, match=r"end: grades \(2,\)"):
        cga.transition(mv("e5"), mv("e12"))


def test_sandwich_under_jit_vmap_and_grad(rotors):
    x = mv(np.random.default_rng(8).normal(size=(6, 5)), 1)
    plain = cga.sandwich(rotors, x)
    np.testing.assert_allclose(jax.jit(cga.sandwich)(rotors, x).values, plain.values, atol=1e-13)
    np.testing.assert_allclose(jax.vmap(cga.sandwich)(rotors, x).values, plain.values, atol=1e-13)
    gradient = jax.grad(lambda r: jnp.sum(cga.sandwich(r, x).values))(rotors)
    assert np.isfinite(gradient.values).all()
