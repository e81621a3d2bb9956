"""The invariants that everything else rests on, one test each, on random words and on the shipped pack.

What holds in real arithmetic is tried with and without `jax.jit` and judged by products that `cga` has no part in. What
is decided (an index, a region, a hash) is compared for equality.
"""

from __future__ import annotations

import itertools
import random
import subprocess
import sys
from dataclasses import fields, replace
from functools import reduce
from pathlib import Path
from typing import Any

import chex
import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax.sharding import Mesh, NamedSharding, PartitionSpec

import cga
from cga._lattice import LIMIT
from cga.backend import BACKENDS, BackendName, Blade, InnerLoop, Point, WalkOutcome, WalkRequest, open_backend
from cga.backend.jax import JaxBackend
from cognition import (
    CognitiveTurnResult,
    GraphNode,
    IntentTag,
    PropositionGraph,
    Runtime,
    RuntimeConfig,
    Vocabulary,
    build_graph_constraint,
    load_pack,
)
from tests.cga import regimes
from tests.cga.conftest import coarse_points, far_points
from tests.cga.oracles import CGA_GRADES, dense_product, rank, reverse32, vector32
from tests.cognition import prompts, small_pack

pytestmark = [pytest.mark.algebra, pytest.mark.cognition]

ROOT = Path(__file__).parent.parent
ONE = np.eye(32)[0]
EVEN = CGA_GRADES % 2 == 0
METRIC = np.array([1.0, 1.0, 1.0, 1.0, -1.0])
BIVECTORS = np.stack([value for name, value in sorted(regimes.FIXED.items()) if name != "far axis"])
CLOSED = 1e-6
"""Most |F ~F - 1| of a field, as far out as the lattice goes and after any number of steps."""


def spread_points(size: int, seed: int) -> list[Point]:
    """Words anywhere on the lattice, of every breadth; half of them so close that float32 can't tell them apart."""
    rng = random.Random(seed)
    edge = LIMIT - 1
    near = [Point(edge - i, i % 3, -(i % 5), edge - i // 2) for i in range(size // 2)]
    far = [
        Point(*(rng.randint(-edge, edge) for _ in range(3)), int(2 ** rng.uniform(0, 24)) or 1)
        for _ in range(size - len(near))
    ]
    return [*near, *far]


WORDS = {"spread": spread_points(130, 1), "tied": coarse_points(130, 1)}
"""Random vocabularies: one wide, one where most distances occur many times."""


def opened(words: str, backend: Any) -> Vocabulary:
    """A random vocabulary, or the default pack, on a backend."""
    if words == "shipped":
        return Vocabulary(load_pack(), backend)
    return Vocabulary(small_pack.vocabulary_of(small_pack.points_as_words(WORDS[words]), ()).pack, backend)


@pytest.fixture(
    scope="module",
    params=[
        *itertools.product(("numpy",), (*WORDS, "shipped")),
        *itertools.product(("jax",), WORDS),
        pytest.param(("jax", "shipped"), marks=pytest.mark.slow),
    ],
    ids="-".join,
)
def vocabulary(request: pytest.FixtureRequest) -> Vocabulary:
    """Words on a backend: two random vocabularies and the default pack."""
    backend, words = request.param
    return opened(words, open_backend(backend))


class TestVersors(chex.TestCase):
    """Laws of the real algebra, eager and compiled."""

    @chex.variants(with_jit=True, without_jit=True)
    def test_rotors_are_unit(self) -> None:
        """R ~R = 1 for transitions between words, translators and dilators."""
        center, breadth = far_points(60, 2, 0.0, 3.0)

        def made(center: Any, breadth: Any) -> Any:
            first, second = (cga.word(center[i::2], breadth[i::2]) for i in (0, 1))
            return cga.transition(first, second), cga.translator(center), cga.dilator(breadth)

        for rotor in self.variant(made)(jnp.asarray(center), jnp.asarray(breadth)):
            self.check_unit(rotor)

    @chex.variants(with_jit=True, without_jit=True)
    @pytest.mark.slow
    def test_exponentials_of_bivectors_are_unit(self) -> None:
        """R ~R = 1 for R = exp(B), whatever the kind of the bivector B."""
        self.check_unit(self.variant(lambda values: cga.exp(cga.mv(values, 2)))(jnp.asarray(BIVECTORS)))

    def check_unit(self, rotor: cga.Multivector) -> None:
        full = all_blades(rotor)
        scale = (full**2).sum(axis=-1, keepdims=True)
        chex.assert_trees_all_close(dense_product(full, reverse32(full)) / scale, ONE / scale, atol=1e-12)

    @chex.variants(with_jit=True, without_jit=True)
    def test_a_sandwich_keeps_inner_products(self) -> None:
        """(R a ~R).(R b ~R) = a.b for a product R of unit vectors; of words that is cosh d = -a.b, their distance."""
        center, breadth = far_points(60, 3, 0.0, 2.0)
        words = np.asarray(cga.word(center, breadth).values).reshape(2, 30, 5)
        rotors = cga.mv(unit_rotors(30, 4)[:, EVEN], (0, 2, 4))
        moved = self.variant(lambda rotor, a, b: ((rotor >> a).values, (rotor >> b).values))
        after = np.asarray(moved(rotors, *(cga.mv(part, 1) for part in words)))
        chex.assert_trees_all_close(inner(*after), inner(*words), rtol=1e-10)
        assert np.abs(after - words).max() > 1

    @chex.variants(with_jit=True, without_jit=True)
    @pytest.mark.slow
    def test_a_motor_keeps_euclidean_distances(self) -> None:
        """|M(p) - M(q)| = |p - q| for a rotation about any line, then a translation."""
        rng = np.random.default_rng(4)
        angle, axis, place, shift = rng.uniform(-3, 3, 20), *rng.normal(size=(3, 20, 3))
        points = rng.normal(size=(2, 20, 3))

        def moved(angle: Any, axis: Any, place: Any, shift: Any, points: Any) -> Any:
            motor = cga.motor(angle, axis, point=place, translation=shift)
            return jnp.stack([cga.down(motor >> cga.up(part)) for part in points])

        after = self.variant(moved)(*map(jnp.asarray, (angle, axis, place, shift, points)))
        lengths = [np.linalg.norm(a - b, axis=-1) for a, b in (np.asarray(after), points)]
        chex.assert_trees_all_close(*lengths, atol=1e-12)
        assert np.abs(np.asarray(after) - points).max() > 1

    @chex.variants(with_jit=True, without_jit=True)
    def test_a_field_stays_closed_and_on_its_word(self) -> None:
        """F ~F = 1 and F e5 ~F = w after every step of `field_update`; nothing is renormalised between them."""
        center, breadth = map(jnp.asarray, far_points(65, 5, 0.0, 6.0))

        def walked(center: Any, breadth: Any) -> Any:
            def move(field: Any, point: Any) -> Any:
                field = cga.field_update(field, *point)
                return field, cga.field_rotor(field).values

            return jax.lax.scan(move, cga.field_start(center[0], breadth[0]), (center[1:], breadth[1:]))[1]

        rotors = all_blades(cga.mv(self.variant(walked)(center, breadth), (0, 2, 4)))
        condition = np.linalg.norm(dense_product(rotors, reverse32(rotors)) - ONE, axis=-1)
        assert condition.max() < CLOSED
        e5 = np.broadcast_to(np.eye(32)[5], rotors.shape)
        stands = dense_product(dense_product(rotors, e5), reverse32(rotors))[:, 1:6]
        expected = np.asarray(cga.word(center, breadth).values)[1:]
        scale = np.linalg.norm(expected, axis=-1, keepdims=True)
        chex.assert_trees_all_close(stands / scale, expected / scale, atol=1e-9)

    @chex.variants(with_jit=True, without_jit=True)
    def test_every_word_is_its_own_nearest(self) -> None:
        """d(w, w) = 0 < d(w, v), and the order of the rest is that of (key, index)."""
        for points in WORDS.values():
            rows = jnp.asarray(np.array(points, np.int32))
            near, distance = self.variant(lambda rows: cga.nearest(rows, rows, 4))(rows)
            chex.assert_trees_all_equal(np.asarray(near[:, 0]), np.arange(len(points), dtype=np.int32))
            expected = [rank(points, point, range(len(points)))[:4] for point in points[::9]]
            chex.assert_trees_all_equal(np.asarray(near)[::9].tolist(), expected)
            chex.assert_trees_all_close(distance[:, 0], jnp.zeros(len(points)), atol=0)
            assert (distance[:, 1] > 0).all()


def unit_rotors(size: int, seed: int) -> np.ndarray:
    """Products of four unit vectors of space, on all blades: R ~R = 1 by Clifford's law v v = v.v alone."""
    rng = np.random.default_rng(seed)
    vectors = rng.normal(size=(4, size, 5))
    vectors[..., 4] = rng.uniform(-0.8, 0.8, (4, size)) * np.linalg.norm(vectors[..., :4], axis=-1)
    vectors /= np.sqrt(inner(vectors, vectors))[..., None]
    return reduce(dense_product, map(vector32, vectors))


def all_blades(x: cga.Multivector) -> np.ndarray:
    return np.asarray(x.with_grades((0, 1, 2, 3, 4, 5)).values)


def inner(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    return (a * b * METRIC).sum(axis=-1)


def requests(vocabulary: Vocabulary, seed: int = 6, count: int = 16) -> list[WalkRequest]:
    """Walks under random regions, filters and goals, some scored by a blade; the same on every backend."""
    rng, size = random.Random(seed), len(vocabulary)

    def some(share: float) -> tuple[int, ...]:
        return tuple(i for i in range(size) if rng.random() < share)

    def one(number: int) -> WalkRequest:
        blade = Blade(tuple(rng.sample(range(size), 2)))
        scored = InnerLoop(mode="threshold", blades=(blade,), levels=(rng.choice([0, 200_000, 10**6]),))
        return WalkRequest(
            start=vocabulary.points[rng.randrange(size)],
            allowed=rng.choice([None, some(0.03), some(0.3), ()]),
            blocked=rng.choice([(), some(0.1), some(0.9)]),
            max_steps=16,
            goals=rng.choice([(), (some(0.1),), (some(0.1), some(0.1))]),
            inner_loop=scored if number % 4 == 0 else None,
        )

    return [one(number) for number in range(count)]


def decisions(outcomes: list[WalkOutcome]) -> list[Any]:
    return [(o.indices, o.pool_sizes, o.end, o.attempts) for o in outcomes]


def test_fields_close_over_walks(vocabulary: Vocabulary) -> None:
    """|F ~F - 1| stays below 1e-6 over walks and over a thousand steps, and it is measured, not presumed."""
    outcomes = vocabulary.backend.walk(vocabulary.handle, requests(vocabulary))
    assert 0 < max(outcome.versor_condition for outcome in outcomes) < CLOSED
    for outcome in outcomes:
        rotor = all_blades(cga.field_rotor(jax.tree.map(jnp.asarray, outcome.final_field)))
        last = np.linalg.norm(dense_product(rotor, reverse32(rotor)) - ONE)
        assert last <= outcome.versor_condition + 1e-9 * (rotor**2).sum()
    path = random.Random(7).choices(range(len(vocabulary)), k=1000)
    assert vocabulary.backend.path_closure(vocabulary.handle, path) < CLOSED


def test_a_walk_stays_in_its_region(vocabulary: Vocabulary) -> None:
    """A walk stands on admissible words alone, on none twice; where there is none it takes no step."""
    asked = requests(vocabulary, seed=8)
    outcomes = vocabulary.backend.walk(vocabulary.handle, asked)
    for request, outcome in zip(asked, outcomes, strict=True):
        allowed = range(len(vocabulary)) if request.allowed is None else request.allowed
        open_words = set(allowed) - set(request.blocked)
        assert set(outcome.indices) <= open_words
        assert len(set(outcome.indices)) == len(outcome.indices) <= request.max_steps
        assert (outcome.end == "no_candidate") == (not open_words)
        assert outcome.indices or outcome.end in ("no_candidate", "all_rejected")
    assert len({outcome.end for outcome in outcomes}) >= 3


def test_a_region_contains_its_anchors(vocabulary: Vocabulary) -> None:
    """A word is the first of its own neighbourhood, so a region of any size holds every word its graph names."""
    size = len(vocabulary)
    assert vocabulary.backend.neighbourhoods(vocabulary.handle, range(size), 1) == [(i,) for i in range(size)]
    rng = random.Random(9)
    for top_k in (1, 2, 8):
        named = [vocabulary.lemma(rng.randrange(size)) for _ in range(6)]
        graph = PropositionGraph()
        for at in range(0, 6, 2):
            graph = graph.add_node(
                GraphNode(
                    node_id=f"p{at}",
                    subject=named[at],
                    predicate="is_defined_as",
                    obj=named[at + 1],
                    source_intent=IntentTag.DEFINITION,
                )
            )
        allowed = build_graph_constraint(graph, vocabulary, top_k=top_k).allowed_indices
        assert allowed is not None
        anchors = {index for lemma in named for index in vocabulary.lookup(lemma)}
        assert anchors <= set(allowed)
        assert len(allowed) < size


@pytest.mark.parametrize("words", [*WORDS, pytest.param("shipped", marks=pytest.mark.slow)])
def test_both_backends_take_the_same_decisions(words: str) -> None:
    """Every index, count, score and end is that of the other backend."""
    found = []
    for engine in map(open_backend, BACKENDS):
        vocabulary = opened(words, engine)
        near = engine.neighbourhoods(vocabulary.handle, range(len(vocabulary)), 8)
        found.append((near, decisions(engine.walk(vocabulary.handle, requests(vocabulary, seed=10)))))
    assert found[0] == found[1]


def same_turn(found: CognitiveTurnResult, expected: CognitiveTurnResult) -> None:
    """Equal in every field; the two that are floats, the field and how well it closes, up to the last digits."""
    for name in (field.name for field in fields(CognitiveTurnResult)):
        ours, theirs = getattr(found, name), getattr(expected, name)
        if name == "versor_condition" and theirs is not None:
            chex.assert_trees_all_close(ours, theirs, atol=1e-12)
        elif name == "walk" and theirs is not None:
            chex.assert_trees_all_close(ours.final_state, theirs.final_state, atol=1e-9)
            unmeasured = {"final_state": None, "versor_condition": 0.0}
            assert replace(ours, **unmeasured) == replace(theirs, **unmeasured)
        elif name == "exhaustion" and theirs is not None:
            assert vars(ours) == vars(theirs)
        else:
            assert ours == theirs, name


CONFIGS = {
    "default": RuntimeConfig(),
    "constrained": RuntimeConfig(forward_graph_constraint=True, ratify_intent=True),
    "scored": RuntimeConfig(forward_graph_constraint=True, inner_loop="threshold"),
}


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize(
    "config", ["constrained", *(pytest.param(c, marks=pytest.mark.slow) for c in ("default", "scored"))]
)
def test_a_batch_gives_each_prompt_what_it_gets_alone(backend: BackendName, config: str) -> None:
    """All of a turn, its trace hash included, whatever the size of the batch, its order and the backend."""
    single, runtime = (Runtime.open(config=CONFIGS[config], backend=name) for name in ("numpy", backend))
    asked = prompts.many(runtime.vocabulary, every=60)
    alone = {text: single.ask(text) for text in asked}
    assert len({turn.trace_hash for turn in alone.values()}) == len(alone) > 40
    shuffled = [*asked, *asked[:9]]
    random.Random(11).shuffle(shuffled)
    left = iter(shuffled)
    for size in (1, 3, 15, len(shuffled)):
        batch = list(itertools.islice(left, size))
        for text, found in zip(batch, runtime.run_batch(batch), strict=True):
            same_turn(found, alone[text])
    assert next(left, None) is None


@pytest.mark.parametrize("words", [*WORDS, "shipped"])
@pytest.mark.parametrize("count", [2, pytest.param(8, marks=pytest.mark.slow)])
def test_several_devices_give_what_one_gives(count: int, words: str) -> None:
    """Words spread over devices have the same neighbours in the same order, and turns the same traces."""
    cpus = jax.local_devices(backend="cpu")[:count]
    if len(cpus) < count:
        pytest.skip(f"{len(cpus)} devices here; the test below has 8")
    one, several = (opened(words, JaxBackend(devices)) for devices in (cpus[:1], cpus))
    near = [v.backend.neighbourhoods(v.handle, range(len(v)), 8) for v in (one, several)]
    assert near[0] == near[1]
    rows = np.array(one.points, np.int32)[: len(one) // count * count]
    mesh = Mesh(np.array(cpus), ("words",))
    sharded = jax.device_put(rows, NamedSharding(mesh, PartitionSpec("words")))
    chex.assert_trees_all_equal(cga.nearest(rows, sharded, 8), cga.nearest(rows, rows, 8))
    if count == 8 and words == "shipped":
        asked = prompts.many(one, every=80)
        turns = [Runtime(v, CONFIGS["constrained"]).run_batch(asked) for v in (one, several)]
        for alone, found in zip(*turns, strict=True):
            same_turn(found, alone)


@pytest.mark.slow
def test_eight_devices_give_what_one_gives(user_env: dict[str, str]) -> None:
    """The test above in a process whose processor is split into eight devices."""
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-n", "0", "-k", "several_devices", __file__],
        env={**user_env, "XLA_FLAGS": "--xla_force_host_platform_device_count=8"},
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    assert done.returncode == 0, done.stdout
    assert "6 passed" in done.stdout
