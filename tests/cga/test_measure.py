"""Centres, radii, distances, angles, incidence against plain vector geometry; what motions do to them."""

from __future__ import annotations

import itertools

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import cga
from cga import mv
from tests.cga.shapes import SHAPES_AND_TYPES, motions, points, tolerance, unit

pytestmark = pytest.mark.algebra


@pytest.fixture
def rng():
    return np.random.default_rng(14)


def vector(x):
    return np.asarray(x.values)[..., :3]


@pytest.mark.slow
@pytest.mark.parametrize(("shape", "dtype"), SHAPES_AND_TYPES)
def test_parameters_come_back(shape, dtype, rng):
    c, n = points(rng, shape, dtype), unit(rng, shape, dtype)
    r = (0.5 + rng.random(shape)).astype(dtype)
    tol = tolerance(dtype, 10)
    made = [cga.sphere(center=c, radius=r), cga.circle(center=c, normal=n, radius=r)]
    made.append(cga.point_pair(center=c, direction=n, radius=r))
    for x in made:
        for weight in (1, -7):
            assert cga.radius(x).dtype == dtype
            np.testing.assert_allclose(cga.radius(x * weight), r, atol=tol)
            np.testing.assert_allclose(cga.down(cga.center(x * weight)), c, atol=tol)
    np.testing.assert_allclose(vector(cga.normal(made[1])), n, atol=tol)
    np.testing.assert_allclose(vector(cga.direction(made[2])), n, atol=tol)
    line, plane = cga.line(point=c, direction=n), cga.plane(normal=n, point=c)
    along = np.sum(c * n, axis=-1, keepdims=True)
    np.testing.assert_allclose(vector(cga.direction(line)), n, atol=tol)
    np.testing.assert_allclose(vector(cga.normal(-2 * plane)), -n, atol=tol)
    np.testing.assert_allclose(cga.down(cga.support(line)), c - along * n, atol=tol)
    np.testing.assert_allclose(cga.down(cga.support(plane)), along * n, atol=tol)
    np.testing.assert_allclose(cga.down(cga.center(cga.flat_point(c))), c, atol=tol)


def test_directions_have_the_grade_of_what_is_spanned():
    assert str(cga.direction(cga.plane(normal=[0, 0, 3], offset=1))) == "1 e12"
    assert str(cga.direction(cga.sphere(center=[0, 0, 0], radius=2))) == "1 e123"
    assert str(cga.direction(-2 * cga.up([1, 2, 3]))) == "- 1"
    assert str(cga.normal(cga.plane([0, 0, 0], [1, 0, 0], [0, 1, 0]))) == "1 e3"


def test_imaginary_rounds():
    sphere = cga.undual(mv("e1 + 2 e2 + 3 e3 + 8.5 e4 + 9.5 e5"))
    np.testing.assert_allclose(cga.down(cga.center(sphere)), [1, 2, 3], atol=1e-13)
    np.testing.assert_allclose(cga.radius_squared(sphere), -4, atol=1e-13)
    assert np.isnan(cga.radius(sphere))
    assert cga.is_imaginary(sphere)
    assert np.isnan(cga.angle(sphere, cga.sphere(center=[1, 2, 3], radius=1)))


def objects(rng):
    """By name: an object, and a dense sample of its points (of a plane or line, around the origin)."""
    p, q, n = points(rng), points(rng) + 1.5, unit(rng)
    u = np.cross(n, [1.0, 0, 0])
    u /= np.linalg.norm(u)
    v = np.cross(n, u)
    t = np.linspace(-12, 12, 481)
    grid = np.linspace(-8, 8, 161)
    angles = np.linspace(0, 2 * np.pi, 361)
    polar = np.linspace(0, np.pi, 181)
    ring = np.cos(angles)[:, None] * u + np.sin(angles)[:, None] * v
    ball = (np.sin(polar)[:, None, None] * ring + np.cos(polar)[:, None, None] * n).reshape(-1, 3)
    sheet = (grid[:, None, None] * u + grid[None, :, None] * v).reshape(-1, 3)
    return {
        "point": (cga.up(p) * -3, p[None]),
        "flat point": (cga.flat_point(q), q[None]),
        "line": (cga.line(point=q, direction=n), q + t[:, None] * n),
        "plane": (cga.plane(normal=n, point=-q), -q + sheet),
        "sphere": (cga.sphere(center=p + 4 * u, radius=0.8), p + 4 * u + 0.8 * ball),
        "shell": (cga.sphere(center=p + 0.5 * u, radius=3), p + 0.5 * u + 3 * ball),
        "circle": (cga.circle(center=q, normal=n, radius=1.3), q + 1.3 * ring),
    }


def gap(first, second):
    """The least distance of two samples."""
    from scipy.spatial import cKDTree

    return cKDTree(first).query(second)[0].min()


PAIRS = [
    (a, b)
    for a, b in itertools.combinations_with_replacement(objects(np.random.default_rng(0)), 2)
    if "circle" not in (a, b) or "point" in (a, b)
]


@pytest.mark.parametrize("pair", PAIRS, ids=" ".join)
def test_distance_is_that_of_the_nearest_points(pair, rng):
    (x, first), (_, _) = objects(rng)[pair[0]], objects(rng)[pair[1]]
    other = objects(np.random.default_rng(99))[pair[1]]
    found = cga.distance(x, other[0])
    np.testing.assert_allclose(found, cga.distance(other[0] * -2, x), atol=1e-12)
    if pair in (("point", "point"), ("point", "flat point"), ("flat point", "flat point")):
        np.testing.assert_allclose(found, np.linalg.norm(first - other[1]), atol=1e-12)
    else:
        sampled = gap(first, other[1])
        # The samples are 0.1 apart at most: an upper bound that is little above.
        assert found <= sampled + 1e-9
        assert sampled - found < 0.1


def test_distances_exactly():
    line = cga.line(point=[0, 0, 3], direction=[1, 0, 0])
    plane = cga.plane(normal=[0, 0, 1], offset=5)
    cases = [
        (line, cga.line(point=[0, 4, 0], direction=[-2, 0, 0]), 5),
        (line, cga.line(point=[9, 9, 7], direction=[1, 1, 0]), 4),
        (line, plane, 2),
        (line, cga.plane(normal=[1, 0, 1], offset=50), 0),
        (plane, cga.plane(normal=[0, 0, -2], offset=1), 6),
        (plane, cga.plane(normal=[0, 1, 1], offset=1), 0),
        (plane, plane, 0),
        (mv("e5 - e4"), mv("-9 e1 - 12 e2 - 36 e4 - 39 e5"), 5),
        (cga.up([0, 0, 0]), cga.circle(center=[0, 0, 1], normal=[0, 0, 1], radius=2), np.sqrt(5)),
    ]
    for x, y, expected in cases:
        np.testing.assert_allclose(cga.distance(x, y), expected, atol=1e-14)


def test_nearly_parallel_lines_far_from_the_origin():
    far = np.array([1e4, -2e4, 3e4])
    first = cga.line(point=far, direction=[1, 0, 0])
    np.testing.assert_allclose(
        cga.distance(first, cga.line(point=far + np.array([0, 3, 4]), direction=[1, 0, 0])), 5, rtol=1e-9
    )


def test_angles_by_plain_geometry(rng):
    u, v = unit(rng), unit(rng)
    expected = np.arccos(u @ v)
    a, b = points(rng), points(rng)
    lines = cga.line(point=a, direction=u), cga.line(point=b, direction=v)
    planes = cga.plane(normal=u, point=a), cga.plane(normal=v, point=b)
    for x, y in (lines, planes):
        np.testing.assert_allclose(cga.angle(x, 3 * y), expected, atol=1e-13)
        np.testing.assert_allclose(cga.angle(x, -1 * y), np.pi - expected, atol=1e-13)
        assert cga.angle(x, 2 * x) == 0
        assert cga.angle(x, -2 * x) == np.pi
        tiny = cga.line(point=a, direction=u + 1e-9 * np.cross(u, v))
        np.testing.assert_allclose(
            cga.angle(lines[0], tiny), 1e-9 * np.linalg.norm(np.cross(u, v)), rtol=1e-5
        )
    # Spheres of radius 2 and 1.5 that meet: the angle of the radii at a common point, by the law of cosines.
    first, second = cga.sphere(center=a, radius=2), cga.sphere(center=a + 1.7 * u, radius=1.5)
    cosine = (4 + 1.5**2 - 1.7**2) / (2 * 2 * 1.5)
    np.testing.assert_allclose(cga.angle(first, second), np.arccos(cosine), atol=1e-12)
    # A sphere and a plane at distance 1 from its centre.
    cut = cga.plane(normal=u, point=a - u)
    np.testing.assert_allclose(cga.angle(first, cut), np.pi / 3, atol=1e-12)
    np.testing.assert_allclose(cga.angle(cut, first), np.pi / 3, atol=1e-12)
    # Circles of one centre and radius: the angle of their planes; a circle and a chord at half its radius.
    rings = [cga.circle(center=a, normal=n, radius=1.2) for n in (u, v)]
    np.testing.assert_allclose(cga.angle(*rings), expected, atol=1e-12)
    chord = cga.line(point=[0, 1, 0], direction=[1, 0, 0])
    ring = cga.circle(center=[0, 0, 0], normal=[0, 0, 1], radius=2)
    np.testing.assert_allclose(cga.angle(ring, chord), 2 * np.pi / 3, atol=1e-12)
    for x in (first, rings[0]):
        assert cga.angle(x, x * 4) == 0
        assert cga.angle(x, -x) == np.pi
    assert np.isnan(cga.angle(first, cga.sphere(center=a + 9 * u, radius=1)))
    assert np.isnan(cga.angle(first, cga.plane(normal=u, point=a + 3 * u)))
    tangent = cga.angle(cga.sphere(center=[0, 0, 0], radius=1), cga.sphere(center=[0, 3, 0], radius=2))
    np.testing.assert_allclose(tangent, np.pi, atol=1e-6)


@pytest.mark.slow
def test_the_angle_is_that_of_the_normalised_scalar_product(rng):
    """Where the product is well-conditioned: near the origin."""
    for maker, count in ((cga.circle, 3), (cga.sphere, 4)):
        x = [points(rng, (40,)) for _ in range(2 * count)]
        a, b = maker(*x[:count]), maker(*x[count:])
        cosine = -(a * ~b).grade(0).values[..., 0]
        cosine = cosine / np.sqrt(np.abs(np.asarray(a.norm_squared() * b.norm_squared())))
        found = np.asarray(cga.angle(a, b))
        meets = np.abs(cosine) <= 1
        assert 3 < meets.sum() < 40
        np.testing.assert_allclose(np.cos(found[meets]), cosine[meets], atol=1e-7)
        assert np.isnan(found[~meets]).all()


def test_incidence(rng):
    c, n, u = np.array([0.0, 0, 1]), np.array([0.0, 0, 1]), np.array([1.0, 0, 0])
    ring = cga.circle(center=c, normal=n, radius=2)
    ball, big = cga.sphere(center=[0, 0, 0], radius=2), cga.sphere(center=[0, 0, 0], radius=np.sqrt(5))
    line, plane = cga.line(point=c, direction=u), cga.plane(normal=n, point=c)
    pair = cga.point_pair([2, 0, 1], [0, 2, 1])
    inside = [
        (cga.up([2, 0, 1]), ring), (pair, ring), (ring, plane), (ring, big), (line, plane), (plane, -2 * plane),
        (line, line * 3), (ball, ball), (ring, -ring), (pair, plane), (cga.flat_point([5, 0, 1]), line),
        (cga.up([3, 4, 0]) * 2, -cga.up([3, 4, 0])),
    ]  # fmt: skip
    for x, y in inside:
        np.testing.assert_allclose([cga.incidence(x, y), cga.incidence(y, x)], 0, atol=1e-12)
    lengths = [
        (cga.up([3, 4, 0]), cga.up([0, 0, 0]), 5),
        (cga.up([3, 4, 4]), plane, 3),
        (cga.up([9, 3, 5]), line, 5),
        (cga.up([3, 0, 0]), ball, (9 - 4) / 4),
        (line, cga.plane(normal=n, offset=4), 3),
        (line, cga.line(point=[1, 0, 3], direction=u), 2),
        (line, cga.line(point=c, direction=[0, 1, 0]), 1),
        (line, ball, np.inf),
    ]
    for x, y, expected in lengths:
        np.testing.assert_allclose([cga.incidence(x, y), cga.incidence(-y, x)], expected, atol=1e-12)
    outside = [(ring, ball), (pair, line), (ring, cga.plane(normal=u, point=c)), (ball, big), (ring, line)]
    for x, y in outside:
        assert cga.incidence(x, y) > 0.1


@pytest.mark.parametrize(
    "name", ["all", *(pytest.param(m, marks=pytest.mark.slow) for m in ("rotate", "translate"))]
)
def test_what_motions_do(name, rng):
    motion = motions(rng)[name]
    here, there = objects(rng), objects(np.random.default_rng(99))
    moved, scale = {k: motion.versor >> x for k, (x, _) in here.items()}, motion.scale
    for key, (x, _) in here.items():
        if key not in ("line", "plane"):
            np.testing.assert_allclose(
                cga.down(cga.center(moved[key])), motion(cga.down(cga.center(x))), atol=1e-11
            )
        if key in ("point", "sphere", "shell", "circle"):
            np.testing.assert_allclose(
                cga.radius_squared(moved[key]), scale**2 * cga.radius_squared(x), atol=1e-10
            )
        if key in ("plane", "circle"):
            np.testing.assert_allclose(
                vector(cga.normal(moved[key])), motion.turn @ vector(cga.normal(x)), atol=1e-11
            )
    direction = vector(cga.direction(here["line"][0]))
    np.testing.assert_allclose(vector(cga.direction(moved["line"])), motion.turn @ direction, atol=1e-11)
    for a, b in (("point", "plane"), ("line", "line"), ("sphere", "plane"), ("point", "circle")):
        x, y = here[a][0], there[b][0]
        after = cga.distance(moved[a], motion.versor >> y)
        np.testing.assert_allclose(after, scale * cga.distance(x, y), atol=1e-10)
    for a, b in (("line", "circle"), ("sphere", "shell"), ("plane", "plane")):
        after = cga.angle(moved[a], motion.versor >> there[b][0])
        np.testing.assert_allclose(after, cga.angle(here[a][0], there[b][0]), atol=1e-10)
    for a, b in (("point", "sphere"), ("circle", "plane"), ("point", "line")):
        after = cga.incidence(moved[a], motion.versor >> there[b][0])
        np.testing.assert_allclose(after, scale * cga.incidence(here[a][0], there[b][0]), rtol=1e-9)


P = np.array([1.0, 2.0, 3.0])
SLOPES = {
    "coincident": (lambda x: cga.distance(cga.up(x), cga.up(P)), [0, 0, 0]),
    "point": (lambda x: cga.distance(cga.up(x), cga.up(np.zeros(3))), P / np.sqrt(14)),
    "line": (
        lambda x: cga.distance(cga.up(x), cga.line([0, 0, 0], [1, 0, 0])),
        [0, 2 / np.sqrt(13), 3 / np.sqrt(13)],
    ),
    "plane": (lambda x: cga.distance(cga.up(x), cga.plane(normal=[0, 0, 1], offset=1)), [0, 0, 1]),
    "sphere": (lambda x: cga.distance(cga.up(x), cga.sphere(center=[0, 0, 0], radius=1)), P / np.sqrt(14)),
    "radius": (lambda x: cga.radius(cga.sphere(center=x, radius=x[0])), [1, 0, 0]),
    "centre": (lambda x: cga.down(cga.center(cga.sphere(center=x, radius=1.0)))[1], [0, 1, 0]),
    "angle": (lambda x: cga.angle(cga.line(x, x + x), cga.line(x, 3 * x)), [0, 0, 0]),
    "incidence": (lambda x: cga.incidence(cga.up(x), cga.up(P)), [0, 0, 0]),
    "on": (lambda x: cga.incidence(cga.up(x), cga.plane(normal=[0, 0, 1], point=x)), [0, 0, 0]),
}


@pytest.mark.parametrize(
    "name",
    [n if n in ("coincident", "line") else pytest.param(n, marks=pytest.mark.slow) for n in SLOPES],
)
def test_derivatives_are_finite_and_right(name):
    function, expected = SLOPES[name]
    np.testing.assert_allclose(jax.grad(function)(jnp.asarray(P)), expected, atol=1e-9)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda o: cga.center(o["line"][0]), "support"),
        (lambda o: cga.radius(o["plane"][0]), "no radius"),
        (lambda o: cga.radius_squared(o["flat point"][0]), "no radius"),
        (lambda o: cga.normal(o["line"][0]), "one normal"),
        (lambda o: cga.normal(o["sphere"][0]), "one normal"),
        (lambda o: cga.normal(o["point"][0]), "grade 1"),
        (lambda o: cga.distance(o["circle"][0], o["line"][0]), "no distance"),
        (lambda o: cga.distance(cga.point_pair([0, 0, 0], [1, 0, 0]), o["point"][0]), "point pairs"),
        (lambda o: cga.angle(o["line"][0], o["plane"][0]), r"grades \(3, 4\)"),
        (lambda o: cga.angle(o["point"][0], o["point"][0]), "grades"),
        (lambda o: cga.center(mv("e1 + 5 e4")), "not null"),
        (lambda o: cga.center(cga.einf), "infinity"),
        (lambda o: cga.radius(mv("e12345")), "grade 5"),
        (lambda o: cga.radius(0 * o["sphere"][0]), "zero"),
        (lambda o: cga.distance(o["point"][0], o["point"][0].astype(np.float32)), "dtypes"),
    ],
)
def test_what_has_no_such_measure_is_refused(call, message, rng):
    with pytest.raises(ValueError, match=message):
        call(objects(rng))


def test_traced_nonsense_is_nan(rng):
    o = {name: x for name, (x, _) in objects(rng).items()}
    assert np.isnan(jax.jit(cga.radius)(o["line"]))
    assert np.isnan(jax.jit(cga.center)(o["plane"]).values).all()
    assert np.isnan(jax.jit(cga.distance)(o["circle"], o["line"]))
    assert np.isnan(jax.jit(cga.incidence)(0 * o["circle"], o["line"]))
    assert np.isnan(jax.jit(cga.angle)(mv("e123 + e345"), o["line"]))
    assert np.isnan(
        jax.vmap(cga.radius)(cga.sphere(center=np.zeros((2, 3)), radius=1) * np.array([0.0, 1.0]))[0]
    )
