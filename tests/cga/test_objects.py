"""Objects from points and from parameters: the outer product, plain vector geometry, motion, refusals."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import cga
from cga import mv
from tests.cga.shapes import SHAPES_AND_TYPES, motions, points, same_object, tolerance, unit

pytestmark = pytest.mark.algebra

BY_POINTS = {
    cga.point_pair: (2, False),
    cga.line: (2, True),
    cga.circle: (3, False),
    cga.plane: (3, True),
    cga.sphere: (4, False),
}


def by_parameters(rng, shape=(), dtype=np.float64):
    """Each maker, its parameters, and points on the object by plain vector geometry."""
    c, n, r = points(rng, shape, dtype), unit(rng, shape, dtype), dtype(1) + rng.random(shape).astype(dtype)
    u = np.cross(n, unit(rng, shape, dtype))
    u /= np.linalg.norm(u, axis=-1, keepdims=True)
    v = np.cross(n, u)
    size = r[..., None]
    on_circle = [c + size * u, c + size * v, c - size * (0.6 * u + 0.8 * v)]
    offset = np.sum(n * (c + u), axis=-1)
    return {
        "point_pair": (
            cga.point_pair,
            {"center": c, "direction": 3 * n, "radius": r},
            [c - size * n, c + size * n],
        ),
        "line": (cga.line, {"point": c, "direction": 2 * n}, [c, c + n]),
        "circle": (cga.circle, {"center": c, "normal": 2 * n, "radius": r}, on_circle),
        "plane": (cga.plane, {"normal": 2 * n, "offset": offset}, [c + u, c + u + v, c + 2 * u]),
        "plane at": (cga.plane, {"normal": 2 * n, "point": c}, [c + u, c + v, c - u]),
        "sphere": (cga.sphere, {"center": c, "radius": r}, [*on_circle, c + size * n]),
    }


KINDS = list(by_parameters(np.random.default_rng(0)))


@pytest.fixture
def rng():
    return np.random.default_rng(12)


@pytest.mark.parametrize(("shape", "dtype"), SHAPES_AND_TYPES)
@pytest.mark.parametrize("maker", BY_POINTS, ids=lambda f: f.__name__)
def test_objects_are_the_outer_product_of_their_points(maker, shape, dtype, rng):
    count, flat = BY_POINTS[maker]
    x = [points(rng, shape, dtype) for _ in range(count)]
    weights = [dtype(w) for w in (1, -2, 0.5, 3)[:count]]
    p = [cga.up(v) * w for v, w in zip(x, weights, strict=True)]
    expected = p[0]
    for q in p[1:]:
        expected = expected ^ q
    if flat:
        expected = expected ^ cga.einf.astype(dtype)
    made = maker(*p)
    assert (made.grades, made.shape, made.dtype) == ((count + flat,), shape, dtype)
    tol = tolerance(dtype, 10)
    np.testing.assert_allclose(made.values, expected.values, atol=tol)
    np.testing.assert_allclose((maker(*x) * np.prod(weights)).values, expected.values, atol=tol)
    for v in x:
        np.testing.assert_allclose((cga.up(v) ^ made).values, 0, atol=tol)


@pytest.mark.parametrize(("shape", "dtype"), SHAPES_AND_TYPES)
@pytest.mark.parametrize("name", KINDS)
def test_objects_by_parameters_are_those_by_points(name, shape, dtype, rng):
    maker, parameters, on_it = by_parameters(rng, shape, dtype)[name]
    made = maker(**parameters)
    assert (made.shape, made.dtype) == (shape, dtype)
    assert cga.kind(made).replace(" ", "_") == name.split()[0]
    for x in on_it:
        np.testing.assert_allclose((cga.up(x) ^ made).values, 0, atol=tolerance(dtype, 10))
    if name not in ("plane", "sphere"):
        same_object(made, maker(*on_it), tolerance(dtype, 10))


def test_the_duals_of_spheres_and_planes():
    s = cga.dual(cga.sphere(center=[1.0, 2.0, 3.0], radius=2.0))
    np.testing.assert_allclose(s.values, -(cga.up([1, 2, 3]) - 2 * cga.einf).values, atol=1e-14)
    np.testing.assert_allclose(
        cga.dual(cga.plane(normal=[0, 0, 2], offset=3)).values, -mv("e3 + 3einf").values, atol=1e-14
    )


@pytest.mark.parametrize(
    "motion", ["rotate", "all", *(pytest.param(m, marks=pytest.mark.slow) for m in ("translate", "dilate"))]
)
def test_objects_move_with_their_points(motion, rng):
    motion = motions(rng)[motion]
    for maker, (count, _) in BY_POINTS.items():
        x = [points(rng, (3,)) for _ in range(count)]
        same_object(motion.versor >> maker(*x), maker(*map(motion, x)), 1e-11)
    same_object(motion.versor >> cga.flat_point(x[0]), cga.flat_point(motion(x[0])), 1e-11)
    for name, (maker, parameters, _) in by_parameters(rng).items():
        moved = dict(parameters)
        for key, value in parameters.items():
            if key in ("normal", "direction"):
                moved[key] = motion.turn @ value
            elif key == "radius":
                moved[key] = motion.scale * value
            elif key == "offset":
                n = motion.turn @ parameters["normal"]
                moved[key] = motion.scale * value + motion.shift @ n / np.linalg.norm(n)
            else:
                moved[key] = motion(value)
        same_object(motion.versor >> maker(**parameters), maker(**moved), 1e-11), name


def test_far_objects_keep_their_digits_in_float32():
    """Wedging the points themselves would lose the sphere: they have components of 5e5."""
    c = np.array([1000, 0, 0], np.float32)
    around = [c + np.array(v, np.float32) for v in ([1, 0, 0], [-1, 0, 0], [0, 1, 0], [0, 0, 1])]
    radius = np.sqrt(np.abs(np.float64(cga.radius_squared(cga.sphere(*(x - c for x in around))))))
    np.testing.assert_allclose(radius, 1, atol=1e-5)
    line = cga.line(around[0], around[2])
    np.testing.assert_allclose(cga.direction(line).values[:3], np.array([-1, 1, 0]) / np.sqrt(2), atol=1e-5)


def test_batches_broadcast():
    made = cga.sphere(center=np.zeros((4, 1, 3)), radius=np.array([1.0, 2.0, 3.0]))
    assert made.shape == (4, 3)
    np.testing.assert_allclose(cga.radius(made), np.broadcast_to([1.0, 2.0, 3.0], (4, 3)))
    assert cga.line(np.zeros(3), np.ones((5, 3))).shape == (5,)
    assert cga.circle(center=np.zeros(3, np.float32), normal=[0, 0, 1], radius=2).dtype == np.float32


@pytest.mark.parametrize(("shape", "dtype"), SHAPES_AND_TYPES)
def test_a_point_pair_splits_into_its_points_in_order(shape, dtype, rng):
    x, y = points(rng, shape, dtype), points(rng, shape, dtype)
    for weight in (1, 5):
        p, q = cga.split_point_pair(cga.point_pair(x, y) * weight)
        np.testing.assert_allclose(cga.down(p), x, atol=tolerance(dtype, 10))
        np.testing.assert_allclose(cga.down(q), y, atol=tolerance(dtype, 10))
    p, q = cga.split_point_pair(-cga.point_pair(x, y))
    np.testing.assert_allclose(cga.down(p), y, atol=tolerance(dtype, 10))


def test_split_point_pair_moves_with_the_pair(rng):
    pair = cga.point_pair(points(rng, (3,)), points(rng, (3,)))
    for motion in motions(rng).values():
        for moved, point in zip(
            cga.split_point_pair(motion.versor >> pair), cga.split_point_pair(pair), strict=True
        ):
            same_object(moved, motion.versor >> point, 1e-10)


def test_split_of_tangent_and_imaginary_pairs():
    ball = cga.sphere(center=[0, 0, 0], radius=1)
    tangent, apart = (cga.meet(cga.line([-1, y, 0], [1, y, 0]), ball) for y in (1.0, 1.1))
    for point in cga.split_point_pair(tangent):
        np.testing.assert_allclose(cga.down(point), [0, 1, 0], atol=1e-7)
    with pytest.raises(ValueError, match="imaginary"):
        cga.split_point_pair(apart)
    for bad in (apart, cga.flat_point([1, 2, 3])):
        for point in jax.jit(cga.split_point_pair)(bad):
            assert np.isnan(point.values).all()


def test_predicates():
    p = cga.up(np.array([1.0, 2, 3]))
    ball = cga.sphere(center=[0, 0, 0], radius=1)
    ghost = cga.meet(ball, cga.plane(normal=[0, 0, 1], offset=2))
    assert cga.is_point(-3 * p)
    assert not cga.is_point(cga.einf)
    assert not cga.is_point(cga.dual(ball))
    assert not cga.is_point(ball)
    assert cga.is_round(ball)
    assert cga.is_round(p)
    assert not cga.is_flat(ball)
    assert cga.is_flat(cga.flat_point(p))
    assert cga.is_flat(cga.circle([0, 0, 0], [1, 0, 0], [3, 0, 0]))
    assert cga.kind(cga.sphere([0, 0, 0], [1, 0, 0], [0, 1, 0], [3, 4, 0])) == "plane"
    assert cga.is_imaginary(ghost)
    assert not cga.is_imaginary(ball)
    assert [cga.kind(x) for x in (p, cga.flat_point(p), ghost)] == ["point", "flat point", "circle"]
    assert jax.jit(cga.is_flat)(ball).dtype == bool
    with pytest.raises(ValueError, match="is_round"):
        jax.jit(lambda x: (cga.kind(x), x)[1])(ball)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: cga.line([1, 2, 3], [1, 2, 3]), "coincide"),
        (lambda: cga.point_pair([1, 2, 3], [1, 2, 3]), "coincide"),
        (lambda: cga.plane([0, 0, 0], [1, 1, 1], [2, 2, 2.5 - 0.5]), "coincide"),
        (lambda: cga.sphere([1, 0, 0], [0, 1, 0], [-1, 0, 0], [0, -1, 0]), "4 points in general"),
        (lambda: cga.circle([1, 0, 0], [0, 1, 0], [1, 0, 0]), "coincide"),
        (lambda: cga.sphere(center=[1, 2], radius=1), "3 coordinates"),
        (lambda: cga.sphere(center=[1, 2, 3], radius=0), "not positive"),
        (lambda: cga.sphere(center=[1, 2, 3], radius=-1), "not positive"),
        (lambda: cga.sphere(center=[1, 2, 3]), "radius is missing"),
        (lambda: cga.sphere([1, 2, 3]), "1 points"),
        (lambda: cga.sphere(), "missing"),
        (lambda: cga.line([1, 2, 3], [3, 2, 1], direction=[0, 0, 1]), "at once"),
        (lambda: cga.plane(normal=[0, 0, 0], offset=1), "length 0"),
        (lambda: cga.plane(normal=[0, 0, 1], offset=1, point=[0, 0, 0]), "not both"),
        (lambda: cga.line(cga.up([1, 2, 3]), cga.einf), "infinity"),
        (lambda: cga.line(cga.up([1, 2, 3]), mv("e12")), "grade 2"),
        (lambda: cga.line(cga.up([1, 2, 3]), mv("e1 + 5 e4")), "not null"),
        (lambda: cga.circle(np.zeros(3, np.float32), np.ones(3), np.ones(3)), "dtypes"),
        (lambda: cga.line(np.zeros((2, 3)), np.ones((3, 3))), "broadcast"),
        (lambda: cga.kind(mv("e12 + e34")), "no blade"),
        (lambda: cga.kind(mv("e123 + e345")), "no blade"),
        (lambda: cga.kind(mv("0 e123")), "zero"),
        (lambda: cga.kind(mv("e14 + e15")), "infinity"),
        (lambda: cga.split_point_pair(cga.up([1, 2, 3])), "grade 1"),
        (lambda: cga.split_point_pair(cga.flat_point([1, 2, 3])), "flat point"),
    ],
)
def test_what_makes_no_object_is_refused(call, message):
    with pytest.raises(ValueError, match=message):
        call()


@pytest.mark.parametrize(
    ("make", "bad"),
    [
        (lambda x: cga.line(x, jnp.ones(3)), jnp.ones(3)),
        (lambda x: cga.plane(x, jnp.zeros(3), jnp.ones(3)), 3 * jnp.ones(3)),
        (lambda x: cga.plane(normal=x, offset=1.0), jnp.zeros(3)),
        (lambda x: cga.sphere(center=x, radius=x[0]), -jnp.ones(3)),
        (lambda x: cga.circle(center=x, normal=x, radius=1.0), jnp.zeros(3)),
        (lambda x: cga.line(cga.up(x) * x[0], cga.up(jnp.ones(3))), jnp.zeros(3)),
    ],
)
def test_traced_nonsense_is_nan_as_a_whole(make, bad):
    assert np.isnan(jax.jit(make)(bad).values).all()
    good = jnp.asarray([1.0, 2.0, 4.0])
    np.testing.assert_allclose(jax.jit(make)(good).values, make(good).values, rtol=1e-12)


@pytest.mark.parametrize(
    "maker", [cga.plane, *(pytest.param(m, marks=pytest.mark.slow) for m in BY_POINTS if m is not cga.plane)]
)
def test_jit_vmap_and_derivatives(maker, rng):
    for count in BY_POINTS[maker][:1]:
        x = tuple(jnp.asarray(points(rng, (4,))) for _ in range(count))
        plain = maker(*x).values
        np.testing.assert_allclose(jax.jit(maker)(*x).values, plain, atol=1e-12)
        np.testing.assert_allclose(jax.vmap(maker)(*x).values, plain, atol=1e-12)

        def total(v, rest=x[1:], make=maker):
            return jnp.sum(make(v, *rest).values ** 2)

        step = 1e-6 * jnp.ones_like(x[0])
        slope = (total(x[0] + step) - total(x[0] - step)) / 2e-6
        np.testing.assert_allclose(jnp.sum(jax.grad(total)(x[0])), slope, rtol=1e-4)
