"""Products, involutions and `Multivector`: laws over grades, dtypes and batches; a dense oracle; clifford."""

from __future__ import annotations

import itertools

import chex
import jax
import jax.numpy as jnp
import numpy as np
import pytest

import cga
from cga import mv
from cga._algebra import CGA, multiply, product_table
from tests.cga.oracles import CGA_GRADES, dense_product, reverse32

pytestmark = pytest.mark.algebra

GRADE_SETS = [(0,), (1,), (2,), (5,), (0, 2), (1, 3), (0, 2, 4), (1, 3, 5), (0, 1, 2, 3, 4, 5)]
KEEP = {
    cga.geometric: None,
    cga.outer: lambda r, s, k: k == r + s,
    cga.inner: lambda r, s, k: k == abs(r - s),
    cga.left_contraction: lambda r, s, k: k == s - r,
    cga.right_contraction: lambda r, s, k: k == r - s,
}
KEEP_KIND = dict(zip(["geometric", "outer", "inner", "left", "right"], KEEP.values(), strict=True))
KEEP_KIND["scalar"] = lambda r, s, k: k == 0
BINARY = [*KEEP, cga.regressive]


def draw(rng, grades, shape=(), dtype=np.float64):
    size = int(np.isin(CGA_GRADES, grades).sum())
    return mv(rng.normal(size=(*shape, size)).astype(dtype), grades)


@pytest.fixture
def rng():
    return np.random.default_rng(20240601)


@pytest.mark.parametrize("left", GRADE_SETS, ids=str)
@pytest.mark.parametrize("kind", KEEP_KIND)
def test_tables_are_the_dense_product_restricted_by_grade(kind, left, rng):
    for right in GRADE_SETS:
        blades = [CGA.grade_blades(grades) for grades in (left, right)]
        a, b = np.zeros((3, 1, 32)), np.zeros((2, 32))
        a[..., blades[0]] = rng.normal(size=(3, 1, len(blades[0])))
        b[..., blades[1]] = rng.normal(size=(2, len(blades[1])))
        table = product_table(CGA, kind, *blades)
        found = np.zeros((3, 2, 32))
        found[..., table.out_blades] = multiply(table, a[..., blades[0]], b[..., blades[1]])
        expected = dense_product(
            np.broadcast_to(a, (3, 2, 32)), np.broadcast_to(b, (3, 2, 32)), KEEP_KIND[kind]
        )
        np.testing.assert_allclose(found, expected, atol=1e-13)


@pytest.mark.parametrize("function", [*KEEP], ids=lambda f: f.__name__)
def test_products_are_the_dense_product_restricted_by_grade(function, rng):
    for left, right in [((0, 2), (1,)), ((1, 3), (0, 2, 4)), ((0, 1, 2, 3, 4, 5), (0, 1, 2, 3, 4, 5))]:
        a, b = draw(rng, left, (3, 1)), draw(rng, right, (2,))
        found = function(a, b)
        full = (np.broadcast_to(x.to_array(), (3, 2, 32)) for x in (a, b))
        np.testing.assert_allclose(found.to_array(), dense_product(*full, KEEP[function]), atol=1e-13)
        assert found.shape == (3, 2)


@pytest.mark.parametrize(("left", "right"), [*itertools.product(GRADE_SETS, repeat=2)], ids=str)
def test_only_grades_that_can_be_non_zero_are_computed(left, right):
    possible = {k for r in left for s in right for k in range(abs(r - s), min(r + s, 10 - r - s) + 1, 2)}
    table = product_table(CGA, "geometric", CGA.grade_blades(left), CGA.grade_blades(right))
    assert {CGA.blade_grades[b] for b in table.out_blades} == possible


@pytest.mark.parametrize(
    ("grades", "shape", "dtype"),
    [
        ((1,), (), np.float64),
        ((0, 2, 4), (2, 3), np.float32),
        ((0, 1, 2, 3, 4, 5), (3,), np.float64),
        *(
            pytest.param(g, (2, 3), d, marks=pytest.mark.slow)
            for g in GRADE_SETS
            for d in (np.float32, np.float64)
        ),
    ],
    ids=str,
)
def test_axioms(grades, shape, dtype, rng):
    a, b, c = (draw(rng, grades, shape, dtype) for _ in range(3))
    tolerance = {"atol": 1e-4 if dtype == np.float32 else 1e-12, "rtol": 0}

    def same(left, right):
        assert left.dtype == right.dtype == dtype
        np.testing.assert_allclose(left.to_array(), right.to_array(), **tolerance)

    same((a * b) * c, a * (b * c))
    same((a ^ b) ^ c, a ^ (b ^ c))
    same((a & b) & c, a & (b & c))
    same(a * (b + c), a * b + a * c)
    same((a + b) * c, a * c + b * c)
    same(a + b, b + a)
    same(a - a, 0 * a)
    same(a * 1, a)
    same(1 * a, a)
    same(~(a * b), ~b * ~a)
    same(~~a, a)
    same(cga.involute(a * b), cga.involute(a) * cga.involute(b))
    same(cga.conjugate(a), ~cga.involute(a))
    same(cga.undual(cga.dual(a)), a)
    same(cga.dual(cga.dual(a)), -a)
    # The dual turns an outer into an inner product: dual(a ^ b) = a _| dual(b).
    same(cga.dual(a ^ b), cga.left_contraction(a, cga.dual(b)))
    np.testing.assert_allclose(cga.norm_squared(a), (a * ~a)["1"], **tolerance)


@pytest.mark.parametrize("grades", GRADE_SETS, ids=str)
def test_a_vector_times_anything_splits_into_contraction_and_outer_product(grades, rng):
    v, m = draw(rng, (1,)), draw(rng, grades)
    np.testing.assert_allclose(
        (v * m).to_array(), (cga.left_contraction(v, m) + (v ^ m)).to_array(), atol=1e-13
    )


def test_the_basis_vectors_anticommute_and_square_to_the_signature():
    basis = [mv({f"e{i}": 1.0}) for i in range(1, 6)]
    for i, a in enumerate(basis):
        for j, b in enumerate(basis):
            symmetric = a * b + b * a
            assert symmetric["1"] == (0 if i != j else 2 * (1, 1, 1, 1, -1)[i])
            assert not np.any(symmetric.grade(2).values)


def test_the_regressive_product_has_the_pseudoscalar_as_unit_and_the_documented_sign(rng):
    x = draw(rng, (0, 1, 2, 3, 4, 5))
    unit = mv({"e12345": 1.0})
    np.testing.assert_array_equal((unit & x).to_array(), x.to_array())
    np.testing.assert_array_equal((x & unit).to_array(), x.to_array())
    assert str(mv("e1245") & mv("e2345")) == "1 e245"
    assert str(mv({"e1234": 24.0, "e1235": 40.0}) & mv({"e1245": -1.0})) == "- 24 e124 - 40 e125"
    # ... which is where the form by duals has the other sign.
    assert str(cga.undual(cga.dual(mv("e1245")) ^ cga.dual(mv("e2345")))) == "- 1 e245"


@pytest.mark.slow
@pytest.mark.oracle
@pytest.mark.filterwarnings("ignore")
def test_clifford_agrees(rng):
    clifford = pytest.importorskip("clifford")
    layout, _ = clifford.Cl(4, 1)
    for _ in range(20):
        a, b = rng.normal(size=(2, 32))
        x, y = mv(a), mv(b)
        p, q = layout.MultiVector(a), layout.MultiVector(b)
        pairs = [(x * y, p * q), (x ^ y, p ^ q), (x & y, p.vee(q)), (~x, ~p), (cga.dual(x), p.dual())]
        pairs += [(cga.left_contraction(x, y), p << q), (cga.involute(x), p.gradeInvol())]
        # clifford's | drops products with scalars; ours keeps them.
        scalar_free = x - x.grade(0), p - p[()]
        pairs += [(scalar_free[0] | (y - y.grade(0)), scalar_free[1] | (q - q[()]))]
        for ours, theirs in pairs:
            np.testing.assert_allclose(ours.to_array(), theirs.value, atol=1e-12)


@pytest.mark.slow
@pytest.mark.oracle
@pytest.mark.filterwarnings("ignore")
def test_kingdon_agrees(rng):
    kingdon = pytest.importorskip("kingdon")
    algebra = kingdon.Algebra(4, 1, start_index=1)
    a, b = rng.normal(size=(2, 32))
    p, q = algebra.multivector(list(a)), algebra.multivector(list(b))
    for ours, theirs in [(mv(a) * mv(b), p * q), (mv(a) & mv(b), p & q), (mv(a) ^ mv(b), p ^ q)]:
        np.testing.assert_allclose(ours.to_array(), np.array(theirs.asfullmv().values()), atol=1e-12)


@pytest.mark.parametrize("function", BINARY, ids=lambda f: f.__name__)
def test_jit_vmap_and_grad_agree_with_plain_calls(function, rng):
    a, b = draw(rng, (0, 2), (4,)), draw(rng, (1,), (4,))
    plain = function(a, b)
    chex.assert_trees_all_close(jax.jit(function)(a, b), plain, atol=1e-14)
    chex.assert_trees_all_close(jax.vmap(function)(a, b), plain, atol=1e-14)

    def total(x):
        return jnp.sum(function(x, b).values)

    chex.assert_tree_all_finite(jax.grad(total)(a))
    # The product is linear, so its derivative along a direction is the product with that direction.
    _, tangent = jax.jvp(lambda x: function(x, b), (a,), (2 * a,))
    chex.assert_trees_all_close(tangent, 2 * plain, atol=1e-13)


def test_a_multivector_passes_through_scan_and_tree_map(rng):
    x, step = draw(rng, (0, 2, 4)), draw(rng, (0, 2, 4))
    final, _ = jax.lax.scan(lambda c, _: ((c * step) / 2, None), x, None, length=3)
    np.testing.assert_allclose(final.values, ((x * step * step * step) / 8).values, atol=1e-12)
    assert jax.tree.map(lambda v: v + 1, x).grades == x.grades


def test_an_empty_batch_stays_empty():
    x = mv(np.zeros((0, 16)), (0, 2, 4))
    assert (x * x).values.shape == (0, 16)
    assert (x ^ mv("e12345")).values.shape == (0, 1)


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_floating_dtypes_are_kept(dtype):
    x = mv(np.arange(5).astype(dtype), 1)
    assert (x * x).dtype == (x ^ x).dtype == (~x).dtype == (2 * x + 1).dtype == cga.dual(x).dtype == dtype


def test_integers_become_floats_and_do_not_wrap():
    big = mv({"e1": 2**40})
    assert (big * big)["1"] == 2.0**80
    assert mv(np.arange(32)).dtype == jnp.result_type(float)


def test_arrays_scale_from_either_side(rng):
    x = draw(rng, (1, 2), (3,))
    factors = np.array([2.0, 3.0, 4.0])
    expected = x.values * factors[:, None]
    for scaled in (
        factors * x,
        jnp.asarray(factors) * x,
        x * factors,
        x * jnp.asarray(factors),
        x / (1 / factors),
    ):
        assert isinstance(scaled, cga.Multivector)
        np.testing.assert_allclose(scaled.values, expected)
    np.testing.assert_array_equal((np.float64(2) * x).values, 2 * x.values)


def test_a_left_factor_over_a_batch_keeps_its_side():
    batch = mv(np.array([[1.0, 0, 0, 0, 0], [0, 2.0, 0, 0, 0]]), 1)
    product = batch * mv("e12")
    np.testing.assert_array_equal(product["e2"], [1.0, 0.0])
    np.testing.assert_array_equal(product["e1"], [0.0, -2.0])


def test_components_and_grades_can_be_read(rng):
    values = rng.normal(size=(2, 32))
    x = mv(values)
    np.testing.assert_array_equal(x["e12"], values[:, 6])
    np.testing.assert_array_equal(x["1"], x["s"])
    np.testing.assert_array_equal(x.grade(1).values, values[:, 1:6])
    np.testing.assert_array_equal(x.grade(2, 0).to_array()[:, 1:6], 0)
    np.testing.assert_array_equal(x.grade(2)["e1"], [0.0, 0.0])
    np.testing.assert_array_equal((~x).to_array(), reverse32(values))


@pytest.mark.parametrize(
    ("text", "components"),
    [
        ("1e-3*e1 - 2*e12 + 3", {"s": 3.0, "e1": 0.001, "e12": -2.0}),
        ("-e1", {"e1": -1.0}),
        ("2e3 e5", {"e5": 2000.0}),
        ("2e+5", {"1": 200000.0}),
        (".5 + .5", {"1": 1.0}),
        ("0", {"1": 0.0}),
        ("e12345 + e1", {"e1": 1.0, "e12345": 1.0}),
    ],
)
def test_text_is_read(text, components):
    np.testing.assert_array_equal(mv(text).to_array(), mv(components).to_array())


def test_str_is_readable_and_reads_back(rng):
    assert str(mv("3 - 2 e12")) == "3 - 2 e12"
    assert repr(mv("3 - 2 e12")) == "<Multivector 3 - 2 e12>"
    assert str(mv({})) == "0"
    x = mv({"s": 0.5, "e3": -1e-20, "e145": 12.0})
    np.testing.assert_array_equal(mv(str(x)).to_array(), x.to_array())
    assert str(draw(rng, (1,), (2,))) == "<Multivector batch=(2,) grades=(1,) float64>"


@pytest.mark.parametrize("text", ["", "e1 e2", "3 +", "2 * * e1", "1..2", "e1 + x", "1 2"])
def test_text_that_cannot_be_read_is_refused(text):
    with pytest.raises(ValueError, match="cannot read"):
        mv(text)


@pytest.mark.parametrize(
    ("value", "grades", "message"),
    [
        (np.ones(31), None, "32 blades"),
        (np.float64(1.0), None, "last axis"),
        (np.ones(5), 2, "10 blades"),
        ({"e21": 1.0}, None, "ascending digits"),
        ({"1": 1.0, "s": 1.0}, None, "twice"),
        ({"e1": 1.0}, (2,), "add them"),
        (np.ones(32, complex), None, "real"),
        (np.ones(5), 7, r"0\.\.5"),
    ],
)
def test_bad_input_is_refused(value, grades, message):
    with pytest.raises(ValueError, match=message):
        mv(value, grades)


def test_float64_input_is_refused_while_x64_is_off():
    with jax.enable_x64(False):
        with pytest.raises(ValueError, match="x64"):
            mv(np.ones(32))
        assert mv(np.ones(32, np.float32)).dtype == np.float32
        assert mv([1.0] * 32).dtype == np.float32


def test_division_by_a_multivector_is_refused():
    with pytest.raises(TypeError, match="on the side you mean"):
        mv("e1") / mv("e1")
