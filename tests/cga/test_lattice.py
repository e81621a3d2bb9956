"""Exact lattice arithmetic against Fractions, extremes included."""

from __future__ import annotations

import inspect
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cga._lattice import LIMIT, LOCATION_LIMIT, centroid, check_point, check_words, key
from cga.backend import Point, open_backend
from tests.cga.oracles import lorentz_centroid

pytestmark = pytest.mark.algebra

EDGE = LIMIT - 1


def points(reach, breadth):
    x = st.integers(-reach, reach)
    return st.builds(Point, x, x, x, st.integers(1, breadth))


@given(
    st.lists(points(EDGE, EDGE) | points(3, 3) | st.just(Point(EDGE, -EDGE, EDGE, 1)), min_size=1, max_size=8)
)
def test_the_centroid_is_the_exact_one_rounded_half_to_even(words):
    found = centroid(words)
    assert found == lorentz_centroid(words)
    assert check_point(found, "centroid") == found


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ([Point(5, -3, 2, 7)], Point(5, -3, 2, 7)),
        ([Point(0, 0, 0, 4), Point(1, 3, -1, 4)], Point(0, 2, 0, 4)),  # halves go to even, also below zero
        ([Point(-3, 0, 0, 4), Point(3, 0, 0, 4)], Point(0, 0, 0, 5)),
        ([Point(0, 0, 0, 1), Point(3, 0, 0, 1)], Point(2, 0, 0, 2)),  # 1.5 and sqrt(3.25)
        ([Point(EDGE, EDGE, EDGE, EDGE), Point(-EDGE, -EDGE, -EDGE, EDGE)], Point(0, 0, 0, 2 * EDGE)),
        ([Point(9, 9, 9, 1)] * 3 + [Point(0, 0, 0, EDGE)], None),
    ],
)
def test_centroids(words, expected):
    assert centroid(words) == (expected or lorentz_centroid(words))


@pytest.mark.parametrize(("apart", "rho", "expected"), [(3, 2, 2), (5, 6, 6), (15, 4, 8), (9, 6, 8)])
def test_a_breadth_that_is_half_an_integer_goes_to_even(apart, rho, expected):
    # (2 rho)^2 + apart^2 is an odd square, so the breadth is 2.5, 6.5, 8.5 and 7.5.
    words = [Point(0, 0, 0, rho), Point(apart, 0, 0, rho)]
    assert centroid(words).rho == expected == lorentz_centroid(words)[3]


def test_a_word_named_twice_counts_twice():
    once, twice = [Point(0, 0, 0, 1), Point(30, 0, 0, 1)], [Point(0, 0, 0, 1)] * 2 + [Point(30, 0, 0, 1)]
    assert centroid(once).x1 == 15
    assert centroid(twice).x1 == 10


@given(
    points(EDGE, EDGE), st.builds(Point, *[st.integers(-EDGE, EDGE)] * 3, st.integers(1, LOCATION_LIMIT - 1))
)
def test_the_key_has_one_rounding_after_an_exact_integer(word, location):
    squares = sum((a - b) ** 2 for a, b in zip(word, location, strict=True))
    assert squares < 2**52
    inverse = Fraction(1.0 / word.rho)
    assert key(word, location) == float(squares * inverse)
    assert key(word, word) == 0.0


def test_backends_give_the_lattice_centroid(backend):
    words = [Point(0, 0, 0, 1), Point(8, 0, 0, 2), Point(1, 2, 3, 3)]
    vocabulary = backend.open_vocabulary(words)
    prompts = [[0], [1, 2], [0, 0, 1], [2, 1]]
    assert backend.locate(vocabulary, prompts) == [centroid([words[i] for i in p]) for p in prompts]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ([], "empty"),
        ([(0, 0, 0, 0)], r"points\[0\].*1 <= rho"),
        ([(0, 0, 0, 1), (LIMIT, 0, 0, 1)], r"points\[1\].*off the lattice"),
        ([(0, 0, 0, LIMIT)], "off the lattice"),
        ([(0, 0, 0, 1), (1, 0, 0, 1), (0, 0, 0, 1)], r"points\[2\].*same lattice point.*points\[0\]"),
        ([(0, 0, 1)], "four ints"),
        ([(0, 0, 0, 1.0)], "four ints"),
        ([(0, 0, 0, True)], "four ints"),
    ],
)
def test_points_off_the_lattice_are_refused(words, message):
    with pytest.raises(ValueError, match=message):
        check_words([Point(*w) if len(w) == 4 else w for w in words])


def test_bad_prompts_are_refused(backend):
    vocabulary = backend.open_vocabulary([Point(0, 0, 0, 1)])
    with pytest.raises(ValueError, match=r"prompts\[1\]: empty"):
        backend.locate(vocabulary, [[0], []])
    with pytest.raises(ValueError, match=r"prompts\[0\]: no word -1"):
        backend.locate(vocabulary, [[-1]])


def test_an_unknown_backend_is_refused():
    with pytest.raises(ValueError, match="choose one of jax, numpy"):
        inspect.unwrap(open_backend)("torch")  # past the run-time types, as a user calls it
