"""Meet and join: plain geometry, dimensions, motion, degenerate pairs, refusals."""

from __future__ import annotations

import jax
import numpy as np
import pytest

import cga
from cga import mv
from tests.cga.oracles import dense_product
from tests.cga.shapes import motions, points, same_object, same_up_to_sign, unit

pytestmark = pytest.mark.algebra


@pytest.fixture
def rng():
    return np.random.default_rng(13)


def pairs(rng):
    """Pairs of objects and the grade of their meet: in general position, then every way of not being."""
    a, b, c, d = (points(rng) for _ in range(4))
    u, v = unit(rng), unit(rng)
    n = np.cross(u, v)
    n /= np.linalg.norm(n)
    ball, other = cga.sphere(center=a, radius=1.5), cga.sphere(center=a + u, radius=1.2)
    line, plane = cga.line(a, b), cga.plane(a, b, c)
    ring = cga.circle(center=a, normal=n, radius=1.5)
    return {
        "sphere sphere": (ball, other, 3),
        "spheres apart": (ball, cga.sphere(center=a + 9 * u, radius=1.2), 3),
        "spheres concentric": (ball, cga.sphere(center=a, radius=1.0), 3),
        "sphere itself": (ball, -2 * ball, 4),
        "sphere plane": (ball, plane, 3),
        "plane plane": (plane, cga.plane(normal=u, offset=1), 3),
        "planes parallel": (cga.plane(normal=u, offset=2), cga.plane(normal=-u, offset=1), 3),
        "plane itself": (plane, 3 * cga.plane(a, a + 2 * (b - a), c), 4),
        "line plane": (line, cga.plane(normal=u, offset=1), 2),
        "line parallel to plane": (cga.line(point=a, direction=u), cga.plane(normal=n, point=b), 2),
        "line in plane": (line, plane, 3),
        "line sphere": (line, ball, 2),
        "lines skew": (line, cga.line(c, d), 1),
        "lines crossing": (line, cga.line(a + 2 * (b - a), c), 2),
        "lines parallel": (line, cga.line(c, c + b - a), 2),
        "line itself": (line, -1 * cga.line(b, a), 3),
        "circle sphere": (ring, other, 2),
        "circle in sphere": (ring, ball, 3),
        "circle in plane": (ring, cga.plane(normal=n, point=a), 3),
        "circles apart": (ring, cga.circle(b, c, d), 1),
        "circles in a plane": (ring, cga.circle(center=a + u, normal=n, radius=1.0), 2),
        "circle and its axis": (ring, cga.line(point=a, direction=n), 1),
        "circle itself": (ring, ring, 3),
        "point on plane": (cga.up(a), plane, 1),
        "point off plane": (cga.up(d), plane, 0),
        "point on circle": (cga.up(a + 1.5 * u), ring, 1),
        "points": (cga.up(a), cga.up(b), 0),
        "point itself": (cga.up(a), -cga.up(a), 1),
        "pairs sharing a point": (cga.point_pair(a, b), cga.point_pair(a, c), 1),
        "pair in line": (cga.point_pair(a, b), line, 2),
        "flat point on line": (cga.flat_point(a), line, 2),
    }


NAMES = list(pairs(np.random.default_rng(0)))


QUICK = (
    "sphere plane",
    "plane itself",
    "line in plane",
    "lines skew",
    "lines crossing",
    "lines parallel",
    "point itself",
)
MOVED = ("sphere plane", "lines parallel")


def mostly_slow(quick):
    """All pairs; those that are not quick compile anew and are left to the slow run."""
    return [name if name in quick else pytest.param(name, marks=pytest.mark.slow) for name in NAMES]


def outer(x, y):
    return dense_product(x, y, lambda r, s, k: k == r + s)


def leaves(part, whole):
    """How far the vectors of one blade are from lying in another: sine in the Euclidean metric of the five axes."""
    part, whole = part.to_array(), whole.to_array()
    # The vectors of a blade are its contractions with the basis blades one grade lower, by any metric.
    inside = dense_product(np.eye(32), part, lambda r, s, k: (k == 1) & (r == s - 1))
    sines = outer(inside, whole) / (np.linalg.norm(part) * np.linalg.norm(whole))
    return np.abs(sines).max()


@pytest.mark.parametrize("name", mostly_slow(QUICK))
def test_the_meet_lies_in_both_and_the_join_holds_both(name, rng):
    a, b, grade = pairs(rng)[name]
    common, whole = cga.meet(a, b), cga.join(a, b)
    assert common.grades == (grade,)
    assert common.grades[0] + whole.grades[0] == a.grades[0] + b.grades[0]
    assert np.abs(common.values).max() > 1e-6
    assert np.abs(whole.values).max() > 1e-6
    for one in (a, b):
        assert leaves(common, one) < 1e-12
        assert leaves(one, whole) < 1e-12
    same_up_to_sign(cga.meet(b, a), common, 1e-11)
    same_up_to_sign(cga.join(b, a), whole, 1e-11)
    if whole.grades == (5,):
        np.testing.assert_allclose(common.values, (a & b).grade(grade).values, atol=1e-11)
    if grade == 0:
        np.testing.assert_allclose(whole.values, (a ^ b).values, atol=1e-11)


@pytest.mark.parametrize("name", mostly_slow(MOVED))
def test_meet_and_join_move_with_their_objects(name, rng):
    a, b, _ = pairs(rng)[name]
    motion = motions(rng)["all"]
    moved_a, moved_b = motion.versor >> a, motion.versor >> b
    for function in (cga.meet, cga.join):
        before, after = function(a, b), function(moved_a, moved_b)
        assert before.grades == after.grades
        same_up_to_sign(after, motion.versor >> before, 1e-10)
    if cga.join(a, b).grades == (5,):
        same_object(cga.meet(moved_a, moved_b), motion.versor >> cga.meet(a, b), 1e-10)


def test_meets_by_plain_geometry(rng):
    a, b, u = points(rng), points(rng), unit(rng)
    # A line and a plane.
    t = (1 - u @ a) / (u @ (b - a))
    point = cga.center(cga.meet(cga.line(a, b), cga.plane(normal=u, offset=1)))
    np.testing.assert_allclose(cga.down(point), a + t * (b - a), atol=1e-11)
    # Two crossing lines.
    point = cga.center(cga.meet(cga.line(a, b), cga.line(a + u, a - 2 * u)))
    np.testing.assert_allclose(cga.down(point), a, atol=1e-11)
    # Two spheres of radius 2 and 1.5 whose centres are 2 apart.
    ring = cga.meet(cga.sphere(center=a, radius=2), cga.sphere(center=a + 2 * u, radius=1.5))
    h = (4 + 4 - 1.5**2) / 4
    np.testing.assert_allclose(cga.down(cga.center(ring)), a + h * u, atol=1e-11)
    np.testing.assert_allclose(cga.radius(ring), np.sqrt(4 - h * h), atol=1e-11)
    np.testing.assert_allclose(np.abs(cga.normal(ring).values[:3]), np.abs(u), atol=1e-11)
    # A line through a sphere's centre.
    found = cga.split_point_pair(
        cga.meet(cga.line([-3, 0, 0], [3, 0, 0]), cga.sphere(center=[0, 0, 0], radius=1))
    )
    np.testing.assert_allclose([cga.down(p) for p in found], [[-1, 0, 0], [1, 0, 0]], atol=1e-14)
    # Parallel planes meet at infinity, in their common directions.
    flat = cga.meet(cga.plane(normal=[0, 0, 1], offset=1), cga.plane(normal=[0, 0, 1], offset=2))
    assert str(flat) == "1 e124 + 1 e125"


@pytest.mark.slow
def test_blades_that_are_no_objects():
    for a, b in (("e123", "e23"), ("e23", "e123")):
        common = cga.meet(mv(a), mv(b))
        assert str(common).lstrip("- ") == "1 e23"
    assert str(cga.join(mv("e12"), mv("e23"))).lstrip("- ") == "1 e123"
    assert str(cga.meet(mv("e12"), mv("e23"))).lstrip("- ") == "1 e2"
    assert cga.meet(mv("e12345"), mv("e1")).grades == (1,)


@pytest.mark.slow
def test_batches_jit_and_vmap(rng):
    line = cga.line(points(rng, (4,)), points(rng, (4,)))
    ball = cga.sphere(center=points(rng), radius=3.0)
    plain = cga.meet(line, ball)
    assert plain.shape == (4,)
    for found in (
        jax.jit(cga.meet)(line, ball),
        jax.vmap(cga.meet, in_axes=(0, None))(line, ball),
    ):
        np.testing.assert_allclose(found.values, plain.values, atol=1e-10)
    slope = jax.grad(
        lambda r: cga.radius_squared(cga.meet(line, cga.sphere(center=[0, 0, 0], radius=r))).sum()
    )
    np.testing.assert_allclose(slope(3.0), 4 * 6.0, rtol=1e-9)


def test_traced_pairs_out_of_general_position_are_nan_unless_the_grade_is_given(rng):
    a, b, c = (points(rng) for _ in range(3))
    crossing = cga.line(a, b), cga.line(a, c)
    assert np.isnan(jax.jit(cga.meet)(*crossing).values).all()
    found = jax.jit(lambda x, y: cga.meet(x, y, 2))(*crossing)
    np.testing.assert_allclose(cga.down(cga.center(found)), a, atol=1e-11)
    skew = cga.line(a, b), cga.line(c, c + np.array([1, 2, 3]))
    assert np.isnan(jax.jit(lambda x, y: cga.meet(x, y, 2))(*skew).values).all()
    assert np.isnan(jax.jit(cga.meet)(mv("0 e123"), skew[0]).values).all()


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda p, q: cga.meet(p, 0 * p), "zero"),
        (lambda p, q: cga.meet(p, q, 1), "2 to 3"),
        (lambda p, q: cga.meet(p, q, 3), "not of grade 3"),
        (lambda p, q: cga.join(p, q, 4), "not of grade 4"),
        (lambda p, q: cga.meet(p + 1, q), "grades"),
        (lambda p, q: cga.meet(p.astype(np.float32), q), "dtypes"),
    ],
)
def test_bad_pairs_are_refused(call, message):
    line, plane = cga.line([0, 0, 0], [1, 2, 3]), cga.plane(normal=[0, 0, 1], offset=1)
    with pytest.raises(ValueError, match=message):
        call(line, plane)


def test_a_batch_of_several_grades_is_refused():
    lines = cga.line(np.zeros(3), np.array([[1.0, 0, 0], [0, 1.0, 0]]))
    with pytest.raises(ValueError, match="one grade at a time"):
        cga.meet(lines, cga.line([0, 0, 0], [1, 0, 0]))
