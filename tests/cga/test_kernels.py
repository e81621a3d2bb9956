"""Kernels: tiles, loops and matrices give what the plain form gives; other algebras go through the same code."""

from __future__ import annotations

import chex
import jax
import jax.numpy as jnp
import numpy as np
import pytest

import cga
from cga import Algebra, Multivector, _kernels, from_components, mv
from cga._algebra import CGA, product_table
from tests.cga.oracles import dense_table

pytestmark = pytest.mark.algebra
EVEN, VECTOR, ALL = (0, 2, 4), (1,), (0, 1, 2, 3, 4, 5)


@pytest.fixture
def rng():
    return np.random.default_rng(20240701)


def draw(rng, grades, shape=(), dtype=np.float64, algebra=CGA):
    size = len(algebra.grade_blades(grades))
    return Multivector(jnp.asarray(rng.normal(size=(*shape, size)), dtype), grades, algebra)


@pytest.fixture
def tiny_tiles(monkeypatch):
    """Tiles of 8 float64 numbers, on the devices of the tests too."""
    monkeypatch.setattr(_kernels, "TILE_BYTES", 64)
    monkeypatch.setattr(_kernels, "single_cpu", lambda: True)
    jax.clear_caches()
    yield
    monkeypatch.undo()
    jax.clear_caches()


def dense(kind_of, left, right):
    table = dense_table(left.algebra.signature)
    return np.einsum("...i,...j,ijk->...k", left.to_array(), right.to_array(), table)


@pytest.mark.parametrize(
    "shapes", [((37,), (37,)), ((40,), (40,)), ((5, 8), (5, 8)), ((1,), (41,)), ((6, 1), (6, 7))]
)
def test_tiles_change_nothing(tiny_tiles, shapes, rng):
    a, b = draw(rng, EVEN, shapes[0]), draw(rng, EVEN, shapes[1])
    assert _kernels._tile(37, 8) == 8
    assert _kernels._tile(40, 8) in (8, 10)
    product = a * b
    shape = np.broadcast_shapes(*shapes)
    assert product.shape == shape
    full = [np.broadcast_to(x.to_array(), (*shape, 32)) for x in (a, b)]
    np.testing.assert_allclose(
        product.to_array(), np.einsum("...i,...j,ijk->...k", *full, dense_table(CGA.signature)), atol=1e-12
    )
    text = str(jax.make_jaxpr(lambda a, b: a * b)(a, b))
    assert "scan" in text


@pytest.mark.slow
def test_derivatives_pass_through_tiles_and_loops(tiny_tiles, rng):
    a, b = draw(rng, EVEN, (19,)), draw(rng, VECTOR, (19,))

    def total(a, b):
        return jnp.sum(((a >> b) * a).values ** 2)

    tiled = jax.grad(total, argnums=(0, 1))(a, b)
    one = [jax.grad(total, argnums=(0, 1))(*jax.tree.map(lambda x, i=i: x[i], (a, b))) for i in range(19)]
    stacked = jax.tree.map(lambda *x: jnp.stack(x), *one)
    chex.assert_trees_all_close(tiled, stacked, atol=1e-9)


@pytest.mark.parametrize("versor", [EVEN, (1, 3, 5)])
def test_one_versor_on_a_batch_is_each_one_by_itself(versor, rng):
    parts = [draw(rng, VECTOR) for _ in range(2 if versor == EVEN else 3)]
    v = parts[0] * parts[1] if versor == EVEN else parts[0] * parts[1] * parts[2]
    if versor == EVEN:
        v = v / jnp.sqrt(jnp.abs(cga.norm_squared(v)))
    x = draw(rng, ALL, (50,))
    many = jax.tree.map(lambda c: jnp.broadcast_to(c, (50,)), v)
    np.testing.assert_allclose((v >> x).to_array(), (many >> x).to_array(), atol=1e-9)
    assert (v >> x.grade(1, 2)).grades == (1, 2)


def test_a_sandwich_by_an_odd_versor_is_twisted(rng):
    v, x = draw(rng, VECTOR, (7,)), draw(rng, ALL, (7,))
    inverse = v / cga.norm_squared(v)
    np.testing.assert_allclose((v >> x).to_array(), (v * cga.involute(x) * inverse).to_array(), atol=1e-10)


def test_vmap_sees_the_batch_first(rng):
    x, y = draw(rng, EVEN, (6,)), draw(rng, VECTOR, (6,))
    mapped = jax.vmap(lambda a, b: (a * b).grade(1))(x, y)
    chex.assert_trees_all_close(mapped, (x * y).grade(1), atol=1e-14)
    assert all(leaf.shape == (6,) for leaf in jax.tree.leaves(x))


def test_commutators_are_half_the_difference_and_the_sum(rng):
    a, b = draw(rng, ALL, (3,)), draw(rng, ALL, (3,))
    np.testing.assert_allclose(cga.commutator(a, b).to_array(), ((a * b - b * a) / 2).to_array(), atol=1e-12)
    np.testing.assert_allclose(
        cga.anticommutator(a, b).to_array(), ((a * b + b * a) / 2).to_array(), atol=1e-12
    )
    assert cga.commutator(a.grade(2), b.grade(1)).grades == (1,)
    assert cga.commutator(a.grade(2), b.grade(2)).grades == (2,)


def test_the_dual_within_a_blade_is_undone(rng):
    plane = mv("e12 + e13")
    x = mv("e1") + 2 * mv("e2 + e3")
    np.testing.assert_allclose(cga.undual(cga.dual(x, plane), plane).to_array(), x.to_array(), atol=1e-14)
    assert cga.dual(mv("e1"), mv("e12"))["e2"] == 1 * (mv("e1") * mv("- e12"))["e2"]


def test_powers_are_repeated_products(rng):
    x = draw(rng, ALL)
    np.testing.assert_allclose((x**5).to_array(), (x * x * x * x * x).to_array(), rtol=1e-9, atol=1e-9)
    assert (x**0)["1"] == 1
    for wrong in (-1, 0.5):
        with pytest.raises(ValueError, match="exponent"):
            x**wrong


def test_components_go_in_and_out_by_name():
    x = from_components(("e12", "1"), (jnp.ones(3), 2.0), grades=(1,))
    assert x.grades == (0, 1, 2)
    assert x.shape == (3,)
    scalar, plane, absent = x.part("1", "e12", "e123")
    np.testing.assert_array_equal([scalar, plane, absent], [[2.0] * 3, [1.0] * 3, [0.0] * 3])
    np.testing.assert_array_equal(Multivector(x.values, x.grades).to_array(), x.to_array())
    with pytest.raises(ValueError, match="twice"):
        from_components(("1", "s"), (1.0, 2.0))
    with pytest.raises(ValueError, match="dtypes"):
        from_components(("1", "e1"), (jnp.ones(1, jnp.float32), jnp.ones(1)))


def test_nothing_is_promoted_or_cut_in_silence():
    single, double = mv(np.ones(5, np.float32), 1), mv(np.ones(5), 1)
    for operation in (lambda: single * double, lambda: single + double, lambda: single >> double):
        with pytest.raises(ValueError, match="astype"):
            operation()
    assert (np.float64(0.5) * single).dtype == (3 * single).dtype == np.float32
    assert (single.astype(np.float64) * double).dtype == np.float64
    with pytest.raises(ValueError, match="beyond the range"):
        mv({"e1": 10**400})
    with jax.enable_x64(False):
        assert mv(np.array([2**40, 0, 0, 0, 0]), 1)["e1"] == 2.0**40
        with pytest.raises(ValueError, match="beyond the range"):
            mv({"e1": 10**39})
    with pytest.raises(ValueError, match="not real numbers"):
        mv([1j] * 32)


SIGNATURES = [(2, 0, 0), (3, 0, 0), (3, 0, 1), (1, 3, 0), (4, 2, 0), (0, 0, 2)]


@pytest.mark.parametrize("signature", SIGNATURES, ids=str)
def test_every_algebra_has_the_products_of_its_table(signature, rng):
    algebra = Algebra(*signature)
    a, b = (algebra.multivector(rng.normal(size=(2, algebra.size))) for _ in range(2))
    np.testing.assert_allclose((a * b).to_array(), dense(None, a, b), atol=1e-12)
    even = a.grade(*range(0, algebra.dimension + 1, 2))
    np.testing.assert_allclose((even * b).to_array(), dense(None, even, b), atol=1e-12)
    assert (a * b).algebra == algebra
    if algebra.r:
        with pytest.raises(ValueError, match="squares to 0"):
            cga.dual(a)
    else:
        np.testing.assert_allclose(cga.undual(cga.dual(a)).to_array(), a.to_array(), atol=1e-14)


def test_algebras_do_not_mix():
    with pytest.raises(ValueError, match="one algebra"):
        Algebra(3).multivector("e1") * mv("e1")
    assert Algebra(3).multivector({"e12": 1.0}).grades == (2,)
    with pytest.raises(ValueError, match="unknown blade 'e4'"):
        Algebra(3).multivector("e4")


@pytest.mark.oracle
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("signature", [(2, 0, 0), (3, 0, 1), (1, 3, 0)], ids=str)
def test_kingdon_agrees_in_other_signatures(signature, rng):
    kingdon = pytest.importorskip("kingdon")
    algebra = Algebra(*signature)
    theirs = kingdon.Algebra(signature=list(algebra.signature), start_index=1)
    a, b = rng.normal(size=(2, algebra.size))
    p, q = theirs.multivector(list(a)), theirs.multivector(list(b))
    x, y = algebra.multivector(a), algebra.multivector(b)
    for ours, other in [(x * y, p * q), (x ^ y, p ^ q), (x & y, p & q), (~x, ~p)]:
        np.testing.assert_allclose(ours.to_array(), np.array(other.asfullmv().values()), atol=1e-12)


@pytest.mark.oracle
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("signature", [(2, 0), (3, 0), (1, 3)], ids=str)
def test_clifford_agrees_in_other_signatures(signature, rng):
    clifford = pytest.importorskip("clifford")
    layout, _ = clifford.Cl(*signature)
    algebra = Algebra(*signature)
    a, b = rng.normal(size=(2, algebra.size))
    p, q = layout.MultiVector(a), layout.MultiVector(b)
    x, y = algebra.multivector(a), algebra.multivector(b)
    for ours, theirs in [(x * y, p * q), (x ^ y, p ^ q), (x & y, p.vee(q)), (~x, ~p)]:
        np.testing.assert_allclose(ours.to_array(), theirs.value, atol=1e-12)


def test_a_table_of_many_terms_compiles_as_a_loop(rng):
    a = draw(rng, ALL, (3,))
    assert sum(map(len, product_table(CGA, "geometric", a.blades, a.blades).terms)) == 1024
    text = str(jax.make_jaxpr(lambda x: x * x)(a))
    assert text.count(" mul ") < 20
