"""Text: what is read, exact round trips, errors with their position, LaTeX."""

from __future__ import annotations

import copy

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import cga
from cga import Algebra, mv
from cga._text import read_terms

pytestmark = pytest.mark.algebra


@pytest.mark.parametrize(
    ("text", "components"),
    [
        ("1e-3*e1 - 2*e12 + 3", {"1": 3.0, "e1": 0.001, "e12": -2.0}),
        ("1.5 + 2e12 - 3e45", {"1": 1.5, "e12": 2.0, "e45": -3.0}),
        ("2e5", {"e5": 2.0}),
        ("2e+5", {"1": 200000.0}),
        ("2E5", {"1": 200000.0}),
        ("2e3*e5", {"e5": 2000.0}),
        ("2e3 e5", {"e5": 2000.0}),
        ("2.5e-3e5", {"e5": 0.0025}),
        ("  -e21  +  .5 e31 ", {"e12": 1.0, "e13": -0.5}),
        ("e54321", {"e12345": 1.0}),
        ("einf - 2eo", {"e4": 2.0, "e5": 0.0}),
        ("0.5*einf", {"e4": 0.5, "e5": 0.5}),
        ("e1 + 2e1 - e1", {"e1": 2.0}),
        ("-3", {"1": -3.0}),
        ("+ 1.", {"1": 1.0}),
    ],
)
def test_what_is_read(text, components):
    assert read_terms(text) == components
    np.testing.assert_array_equal(cga.parse(text).to_array(), mv(components).to_array())


@pytest.mark.parametrize(
    ("text", "position", "what"),
    [
        ("", 0, "cannot read"),
        ("e1 e2", 3, "cannot read"),
        ("3 +", 3, "cannot read"),
        ("2 * * e1", 4, "cannot read"),
        ("1..2", 2, "cannot read"),
        ("e1 + x", 5, "cannot read"),
        ("1 2", 2, "cannot read"),
        ("e1 ^ e2", 3, "cannot read"),
        ("e1 + 2e6", 6, "unknown blade 'e6'"),
        ("3 - e10", 4, "unknown blade 'e10'"),
        ("e11", 0, "unknown blade 'e11'"),
        ("2e7", 1, "2e\\+7"),
        ("e1 + einfinity", 5, "unknown blade"),
        ("1 + eoo", 4, "unknown blade"),
        ("2 e", 2, "unknown blade"),
    ],
)
def test_text_that_cannot_be_read_says_where(text, position, what):
    with pytest.raises(ValueError, match=what) as caught:
        cga.parse(text)
    assert f"position {position}" in str(caught.value)


floats = st.floats(allow_nan=False, allow_infinity=False)


@given(st.lists(floats, min_size=32, max_size=32))
def test_str_and_parse_are_exact_inverses(values):
    x = mv(np.array(values))
    np.testing.assert_array_equal(cga.parse(str(x)).to_array(), x.to_array())


@given(
    st.lists(
        st.floats(width=32, allow_nan=False, allow_infinity=False, allow_subnormal=False),
        min_size=10,
        max_size=10,
    )
)
def test_str_is_exact_and_short_in_float32(values):
    x = mv(np.array(values, np.float32), 2)
    back = cga.parse(str(x)).astype(np.float32).with_grades((2,))
    np.testing.assert_array_equal(back.values, x.values)


def test_str_is_readable():
    assert str(mv("1.5 + 2e12 - 3e45")) == "1.5 + 2 e12 - 3 e45"
    assert str(mv(np.array([0.1, 0.2, 0, 0, 0], np.float32), 1)) == "0.1 e1 + 0.2 e2"
    assert str(mv("-e1")) == "- 1 e1"
    assert str(mv("0 e1")) == "0"
    assert str(mv({"1": np.nan, "e1": -np.inf})) == "nan - inf e1"
    assert np.isnan(cga.parse("nan e1").values[0])
    half = mv({"e1": jnp.bfloat16(0.1)})
    assert cga.parse(str(half)).astype(jnp.bfloat16).values[0] == half.values[0]


def test_latex():
    assert mv("1.5 + 2e12 - 1e-20*e45")._repr_latex_() == r"$1.5 + 2\,e_{12} - 1\times 10^{-20}\,e_{45}$"
    assert mv("0")._repr_latex_() == "$0$"
    assert "batch=(2,)" in mv(np.ones((2, 5)), 1)._repr_latex_()
    assert r"\infty" in mv({"e1": np.inf})._repr_latex_()


def test_other_algebras_have_their_own_blades():
    plane = Algebra(2)
    np.testing.assert_array_equal(mv("e21", algebra=plane).values, [-1])
    for text in ("e3", "einf"):
        with pytest.raises(ValueError, match="different digits from 12"):
            mv(text, algebra=plane)


def test_copies_and_pickles_keep_everything():
    import pickle  # noqa: TID251 - what users do with multivectors

    for x in (mv("1 + 2e12"), mv(np.ones((3, 5), np.float32), 1), mv(np.ones(8), algebra=Algebra(3))):
        for back in (copy.copy(x), copy.deepcopy(x), pickle.loads(pickle.dumps(x))):  # noqa: S301
            assert (back.grades, back.algebra, back.dtype) == (x.grades, x.algebra, x.dtype)
            np.testing.assert_array_equal(back.values, x.values)
            assert jax.tree.structure(back) == jax.tree.structure(x)
