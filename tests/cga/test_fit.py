"""Fitting: deterministic, finite, on the lattice, and near where the weights ask."""

from __future__ import annotations

import itertools

import jax.numpy as jnp
import numpy as np
import pytest

from cga import _fit, _words
from cga._lattice import LIMIT
from cga._lattice_fit import read_problem, separate, to_lattice
from cga.backend import FitError, FitProblem, Point, fit_points, open_backend

pytestmark = pytest.mark.algebra


def families(count=6, size=5):
    """Families whose members all hang together, joined in a ring by their first members."""
    pairs = [
        (size * f + i, size * f + j, 1.0)
        for f in range(count)
        for i, j in itertools.combinations(range(size), 2)
    ]
    pairs += [(0, size * (count - 1), 0.2)] + [(size * f, size * (f + 1), 0.2) for f in range(count - 1)]
    return FitProblem(size=count * size, pairs=pairs, k=size)


@pytest.fixture(scope="module")
def fitted():
    return fit_points(families(), seed=1, steps=300)


def test_strong_partners_become_nearest(fitted):
    report = fitted.report
    assert report.strong_share > 0.95
    assert report.related_share > 0.95
    assert report.last_loss < report.first_loss
    backend = open_backend("numpy")
    found = backend.neighbourhoods(backend.open_vocabulary(fitted.points), range(30), 5)
    inside = sum(len({*row} & {*range(i - i % 5, i - i % 5 + 5)}) - 1 for i, row in enumerate(found))
    assert inside / (30 * 4) == report.strong_share


def test_points_are_distinct_and_on_the_lattice(fitted):
    assert len(set(fitted.points)) == len(fitted.points) == 30
    assert all(max(map(abs, p[:3])) < LIMIT and 1 <= p.rho < LIMIT for p in fitted.points)
    assert all(type(v) is int for p in fitted.points for v in p)
    turn = np.array(fitted.turn).reshape(4, 4)
    np.testing.assert_allclose(turn @ turn.T, np.eye(4), atol=1e-12)
    np.testing.assert_allclose(np.linalg.det(turn), 1)


def test_one_seed_one_fit(fitted):
    again = fit_points(families(), seed=1, steps=300)
    assert again.points == fitted.points
    assert (again.turn, again.scale) == (fitted.turn, fitted.scale)
    assert fit_points(families(), seed=2, steps=300).points != fitted.points


def test_a_loss_that_is_not_finite_is_an_error():
    with pytest.raises(FitError, match="non_finite_fit") as caught:
        _fit.fit_points(families(), steps=20, learning_rate=1e20)
    assert caught.value.code == "non_finite_fit"


def test_points_without_partners_fit_too():
    found = fit_points(FitProblem(size=3, pairs=[(0, 1, 1.0)]), steps=5)
    assert len(set(found.points)) == 3
    assert found.report.steps == 5
    assert found.report.strong_share == 1.0


def test_tangent_distances_are_the_distances_of_thehalf_space():
    from cga._lattice_fit import half_space

    vectors = np.random.default_rng(3).normal(size=(12, 4)) * 2
    center, breadth = half_space(vectors)
    expected = [
        [_words.distance(c, b, d, e) for d, e in zip(center, breadth, strict=True)]
        for c, b in zip(center, breadth, strict=True)
    ]
    np.testing.assert_allclose(_fit.tangent_distances(jnp.asarray(vectors)), expected, atol=1e-5)
    radius = _words.distance(center, breadth, np.zeros((12, 3)), np.ones(12))
    np.testing.assert_allclose(radius, np.linalg.norm(vectors, axis=1))


def test_the_chart_says_how_the_fit_became_the_lattice():
    from cga._lattice_fit import half_space

    vectors = np.random.default_rng(4).normal(size=(40, 4))
    vectors[:, 0] = abs(vectors[:, 0])  # leaves a side empty
    problem = read_problem(FitProblem(size=40, pairs=[(0, 1, 1.0)], k=8))
    found = to_lattice(problem, vectors, losses=[1.0], seconds=0.0)
    center, breadth = half_space(vectors @ np.array(found.turn).reshape(4, 4).T)
    expected = np.rint(np.column_stack([center, breadth]) * found.scale)
    np.testing.assert_array_equal(found.points, expected)
    assert found.report.changed_neighbourhoods == 0
    assert found.report.clamped == found.report.collisions == 0
    assert max(max(map(abs, p)) for p in found.points) == LIMIT - 1
    # The emptiest direction points to infinity.
    assert np.array(found.turn).reshape(4, 4)[3, 0] < 0


def test_points_too_far_out_for_the_lattice_are_refused():
    problem = read_problem(FitProblem(size=40, pairs=[(0, 1, 1.0)], k=8))
    vectors = np.random.default_rng(5).normal(size=(40, 4)) * 20
    with pytest.raises(FitError, match="clamped_fit"):
        to_lattice(problem, vectors, losses=[1.0], seconds=0.0)
    vectors = np.tile(vectors[:1] / 40, (40, 1))
    with pytest.raises(FitError, match="colliding_fit"):
        to_lattice(problem, vectors, losses=[1.0], seconds=0.0)


def test_points_on_one_place_are_moved_apart_inwards():
    same, edge = Point(0, 0, 0, 1), Point(LIMIT - 1, 0, 0, 1)
    points, collisions = separate([same, same, edge, edge, same])
    assert collisions == 3
    assert points == (same, Point(1, 0, 0, 1), edge, Point(LIMIT - 2, 0, 0, 1), Point(2, 0, 0, 1))


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"size": 1, "pairs": []}, r"size: 1"),
        ({"size": 5000}, r"2\.\.4096"),
        ({"k": 1}, "k: 1"),
        ({"pairs": [(0, 3, 1.0)]}, r"pairs\[0\].*no two of the points"),
        ({"pairs": [(1, 1, 1.0)]}, "no two of the points"),
        ({"pairs": [(0, 1, 0.0)]}, "positive, finite"),
        ({"pairs": [(0, 1, float("nan"))]}, "positive, finite"),
        ({"pairs": [(0, 1, 1.0), (1, 0, 1.0)]}, r"pairs\[1\].*repeats"),
    ],
)
def test_bad_problems_are_refused(changes, message):
    with pytest.raises(ValueError, match=message):
        fit_points(FitProblem(**{"size": 3, "pairs": [(0, 1, 1.0)], **changes}), steps=1)


def test_the_descent_ends_once_it_gains_nothing(monkeypatch):
    monkeypatch.setattr(_fit, "CHUNK", 10)
    assert fit_points(families(), seed=1, steps=300).report.steps < 300


def test_no_step_is_refused():
    with pytest.raises(ValueError, match="steps: 0"):
        fit_points(families(), steps=0)
