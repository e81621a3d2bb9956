"""The tables: against a bubble-sort oracle, for many signatures."""

from __future__ import annotations

import numpy as np
import pytest

from cga._algebra import (
    CGA,
    Algebra,
    complement_signs,
    multiplication_table,
    multiply,
    product_table,
)
from tests.cga.oracles import blade_list, dense_table, multiply_blades

pytestmark = pytest.mark.algebra
SIGNATURES = [
    (0, 0, 0),
    (1, 0, 0),
    (0, 1, 0),
    (2, 0, 1),
    (3, 0, 1),
    (1, 3, 0),
    (4, 1, 0),
    (3, 1, 1),
    (4, 2, 0),
]


@pytest.mark.parametrize("signature", SIGNATURES)
def test_multiplication_table_is_the_sorted_product_of_basis_vectors(signature):
    algebra = Algebra(*signature)
    blades = blade_list(algebra.dimension)
    position, sign = multiplication_table(algebra)
    assert algebra.blade_indices == tuple(blades)
    for i, left in enumerate(blades):
        for j, right in enumerate(blades):
            expected, coefficient = multiply_blades(left, right, algebra.signature)
            assert (blades[position[i, j]], sign[i, j]) == (expected, coefficient)


@pytest.mark.parametrize("signature", SIGNATURES)
def test_complements_meet_the_blade_in_the_pseudoscalar(signature):
    algebra = Algebra(*signature)
    blades = blade_list(algebra.dimension)
    position, right, left = complement_signs(algebra)
    for i, blade in enumerate(blades):
        other = blades[position[i]]
        assert set(blade).isdisjoint(other)
        ones = (1,) * algebra.dimension
        assert multiply_blades(blade, other, ones) == (blades[-1], right[i])
        assert multiply_blades(other, blade, ones) == (blades[-1], left[i])


def test_the_cga_is_cl41_in_the_documented_order():
    assert CGA == Algebra(4, 1)
    assert hash(CGA) == hash(Algebra(4, 1))
    assert CGA.signature == (1, 1, 1, 1, -1)
    assert CGA.size == 32
    assert CGA.blade_names[:8] == ("1", "e1", "e2", "e3", "e4", "e5", "e12", "e13")
    assert CGA.blade_names[-2:] == ("e2345", "e12345")
    assert CGA.grade_blades((0, 5)) == (0, 31)
    assert CGA.grade_mask((1,)).tolist() == [False] + [True] * 5 + [False] * 26
    _, sign = multiplication_table(CGA)
    assert sign[31, 31] == -1  # I^2


def test_the_signs_of_the_involutions_multiply_as_they_should():
    reverse, involute, conjugate = (CGA.signs(kind) for kind in ("reverse", "involute", "conjugate"))
    assert (reverse * involute == conjugate).all()
    assert reverse[: 1 + 5 + 10].tolist() == [1] * 6 + [-1] * 10


def test_tables_are_read_only():
    position, sign = multiplication_table(CGA)
    dense = product_table(CGA, "outer", (1, 2), (1, 2)).dense
    for table in (position, sign, dense, CGA.signs("reverse"), CGA.blade_norms):
        with pytest.raises(ValueError):
            table[0] = 1


@pytest.mark.parametrize("kind", ["geometric", "outer", "inner", "left", "right", "scalar", "regressive"])
def test_the_unrolled_and_the_dense_form_of_a_table_agree(kind):
    import jax.numpy as jnp

    rng = np.random.default_rng(1)
    left, right = CGA.grade_blades((0, 2)), CGA.grade_blades((1, 3))
    table = product_table(CGA, kind, left, right)
    a, b = rng.normal(size=(3, 1, len(left))), rng.normal(size=(4, len(right)))
    dense = multiply(table, a, b)
    assert dense.shape == (3, 4, len(table.out_blades))
    np.testing.assert_allclose(multiply(table, jnp.asarray(a), jnp.asarray(b)), dense, atol=1e-14)


def test_the_table_holds_for_other_algebras_too():
    algebra = Algebra(3, 0, 1)
    everything = algebra.grade_blades(algebra.all_grades)
    rng = np.random.default_rng(2)
    a, b = rng.normal(size=(2, 16))
    expected = np.einsum("i,j,ijk->k", a, b, dense_table(algebra.signature))
    found = multiply(product_table(algebra, "geometric", everything, everything), a, b)
    np.testing.assert_allclose(found, expected, atol=1e-14)


@pytest.mark.parametrize("counts", [(-1, 0, 0), (4, 2, 1)])
def test_a_signature_that_is_no_algebra_is_refused(counts):
    with pytest.raises(ValueError, match="take a smaller signature"):
        Algebra(*counts)


@pytest.mark.parametrize("name", ["e21", "e6", "e", "x", "", "e11"])
def test_an_unknown_blade_is_refused(name):
    with pytest.raises(ValueError, match="ascending digits"):
        CGA.position(name)


def test_a_grade_beyond_the_algebra_is_refused():
    with pytest.raises(ValueError, match=r"grades 0\.\.5"):
        CGA.check_grades((1, 6))
