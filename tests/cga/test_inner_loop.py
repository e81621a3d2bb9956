"""Scores against blades, by Gram determinants of fractions and by multivectors; and walks that reject words."""

from __future__ import annotations

import random
from fractions import Fraction
from itertools import pairwise
from math import isqrt

import numpy as np
import pytest

from cga import _hyperbolic, sandwich
from cga._lattice import LIMIT
from cga._scores import Scorer
from cga.backend import Attempt, Blade, InnerLoop, Point, WalkRequest, open_backend
from tests.cga.conftest import coarse_points
from tests.cga.oracles import rank

pytestmark = pytest.mark.algebra

POINTS = coarse_points(60, 3)
EDGE = LIMIT - 1


def cosh(a, b):
    squares = sum((x - y) ** 2 for x, y in zip(a, b, strict=True))
    return 1 + Fraction(squares, 2 * a.rho * b.rho)


def determinant(matrix):
    """By elimination, in fractions."""
    rows, sign = [list(row) for row in matrix], 1
    for i in range(len(rows)):
        pivot = next((r for r in range(i, len(rows)) if rows[r][i]), None)
        if pivot is None:
            return Fraction(0)
        if pivot != i:
            rows[i], rows[pivot], sign = rows[pivot], rows[i], -sign
        for r in range(i + 1, len(rows)):
            share = rows[r][i] / rows[i][i]
            rows[r] = [a - share * b for a, b in zip(rows[r], rows[i], strict=True)]
    product = Fraction(sign)
    for i in range(len(rows)):
        product *= rows[i][i]
    return product


def expected_score(points, anchors, word):
    """sech d from ``sech^2 = |G(A)|/(|G(A)| + |G(A, w)|)`` on unit vectors."""
    chosen = [points[i] for i in anchors]

    def gram(some):
        return abs(determinant([[cosh(a, b) for b in some] for a in some]))

    own, more = gram(chosen), gram([*chosen, points[word]])
    ratio = own / (own + more)
    return isqrt(10**12 * ratio.numerator // ratio.denominator)


def independent(points, count, rng):
    while True:
        anchors = tuple(rng.sample(range(len(points)), count))
        if Scorer(points, Blade(anchors)).dimension == count:
            return anchors


def wild_points(seed):
    rng = random.Random(seed)
    return [
        Point(*(rng.randint(-EDGE, EDGE) for _ in range(3)), int(2 ** rng.uniform(0, 24)) or 1)
        for _ in range(40)
    ]


@pytest.mark.parametrize("points", [POINTS, wild_points(4)], ids=["coarse", "wild"])
@pytest.mark.parametrize("count", [1, 2, 3])
def test_scores_are_gram_determinants(backend, points, count):
    rng = random.Random(count)
    vocabulary = backend.open_vocabulary(points)
    for _ in range(5):
        anchors = independent(points, count, rng)
        words = range(len(points))
        found = backend.scores(vocabulary, Blade(anchors), words)
        assert found == [expected_score(points, anchors, word) for word in words]
        assert all(found[i] == 10**6 for i in anchors)
        assert all(type(score) is int and 0 <= score <= 10**6 for score in found)


def test_a_point_is_scored_by_its_distance(backend):
    found = backend.scores(backend.open_vocabulary(POINTS), Blade((7,)), range(60))
    assert found == [int(10**6 / cosh(POINTS[7], p)) for p in POINTS]


def test_more_anchors_never_lower_a_score(backend):
    vocabulary = backend.open_vocabulary(POINTS)
    for a, b, c in random.Random(1).sample([(i, i + 1, i + 2) for i in range(57)], 20):
        one, two, three = (backend.scores(vocabulary, Blade(x), range(60)) for x in ((a,), (a, b), (a, b, c)))
        assert all(x <= y <= z for x, y, z in zip(one, two, three, strict=True))


def test_an_anchor_within_the_span_of_the_others_counts_for_nothing():
    line = [
        Point(0, 0, 0, 1),
        Point(0, 0, 0, 2),
        Point(0, 0, 0, 4),
        Point(3, 0, 0, 1),
    ]  # one geodesic, and beside it
    scorer = Scorer(line, Blade((0, 1, 2)))
    assert scorer.dimension == 2
    assert scorer.score(2) == 10**6
    assert scorer.score(3) == Scorer(line, Blade((0, 1))).score(3) < 10**6
    assert Scorer(line, Blade((1, 1))).dimension == 1


@pytest.mark.parametrize("seed", range(4))
def test_a_frame_carries_the_blade_by_the_transition_rotor(seed):
    a, b, c, w = random.Random(seed).sample(range(60), 4)

    def word(index):
        point = POINTS[index]
        return _hyperbolic.word(np.array(point[:3], float), np.array(float(point.rho)))

    moved = sandwich(_hyperbolic.transition(word(a), word(b)), word(c))
    expected = -1e6 / float((moved | word(w)).grade(0).values[..., 0])
    assert Scorer(POINTS, Blade((c,), (a, b))).score(w) == pytest.approx(expected, abs=2)


def test_a_frame_carries_its_start_to_its_end():
    for a, b in ((3, 17), (17, 3), (5, 5)):
        assert Scorer(POINTS, Blade((a,), (a, b))).score(b) == 10**6


@pytest.mark.slow
def test_levels_are_quantiles_and_rise(backend):
    vocabulary = backend.open_vocabulary(POINTS)
    levels = [[backend.score_level(vocabulary, n, p) for p in (0, 25, 50, 90, 100)] for n in (1, 2, 3)]
    assert all(row == sorted(row) for row in levels)
    assert all(one[2] < two[2] for one, two in pairwise(levels))
    rng = random.Random(11)
    draws = [rng.sample(range(60), 3) for _ in range(800)]
    below = sum(backend.scores(vocabulary, Blade((a, b)), [w])[0] < levels[1][2] for a, b, w in draws)
    assert 0.42 < below / len(draws) < 0.58


def plain_walk(points, request):
    """A walk with an inner loop, step by step, with the oracle's scores."""
    loop = request.inner_loop
    left = set(range(len(points)) if request.allowed is None else request.allowed) - set(request.blocked)
    steps, attempts, place = [], [], request.start
    if not left:
        return steps, attempts, "no_candidate"
    unmet = [set(group) for group in request.goals]
    while left:
        if len(steps) == request.max_steps:
            return steps, attempts, "max_steps"
        tried, taken = [], None
        for word in rank(points, place, sorted(left)):
            short = None
            for number, blade in enumerate(loop.blades):
                score = expected_score(points, blade.anchors, word)
                if loop.mode == "threshold":
                    needed = loop.levels[number]
                else:
                    others = [
                        expected_score(points, blade.anchors, other)
                        for other in left
                        if other != word and other not in blade.anchors
                    ]
                    needed = max(others) + loop.margin if others else 0
                if score < needed:
                    short = (word, score, needed)
                    break
            if short is None:
                taken = word
                break
            tried.append(short)
        attempts.append(tuple(tried))
        if taken is None:
            return steps, attempts, "all_rejected"
        steps.append((taken, len(left)))
        left.remove(taken)
        if loop.mode == "threshold":
            left -= {word for word, *_ in tried}
        place = points[taken]
        had = bool(unmet)
        unmet = [group for group in unmet if taken not in group]
        if had and not unmet:
            return steps, attempts, "grounded"
    return steps, attempts, "all_visited"


@pytest.mark.parametrize("mode", ["threshold", "margin"])
def test_walks_with_an_inner_loop_follow_their_description(backend, mode):
    rng = random.Random(mode)
    points = POINTS[:24]
    vocabulary = backend.open_vocabulary(points)
    requests = []
    for _ in range(40):
        blades = tuple(
            Blade(independent(points, rng.choice((1, 2)), rng)) for _ in range(rng.choice((1, 1, 2)))
        )
        size = rng.choice((0, 2, 6, 24))
        requests.append(
            WalkRequest(
                start=points[blades[0].anchors[0]],
                allowed=None if size == 24 else tuple(sorted(rng.sample(range(24), size))),
                blocked=tuple(i for i in range(24) if rng.random() < 0.1),
                max_steps=rng.choice((0, 3, 30)),
                goals=rng.choice(((), ((3, 4),))),
                inner_loop=InnerLoop(
                    mode=mode,
                    blades=blades,
                    levels=tuple(rng.randint(200_000, 900_000) for _ in blades),
                    margin=rng.choice((1, 20_000)),
                ),
            )
        )
    found = backend.walk(vocabulary, requests)
    for request, outcome in zip(requests, found, strict=True):
        steps, attempts, end = plain_walk(points, request)
        assert list(zip(outcome.indices, outcome.pool_sizes, strict=True)) == steps
        assert list(outcome.attempts) == attempts
        assert outcome.end == end
        assert outcome.versor_condition < 1e-12
    ends = {outcome.end for outcome in found}
    assert {"all_rejected", "no_candidate", "max_steps"} <= ends


def test_walks_with_and_without_an_inner_loop_keep_their_places(backend):
    vocabulary = backend.open_vocabulary(POINTS)
    free = WalkRequest(start=POINTS[0], allowed=None, max_steps=5)
    loop = InnerLoop(mode="threshold", blades=(Blade((0,)),), levels=(0,))
    open_loop = WalkRequest(start=POINTS[0], allowed=None, max_steps=5, inner_loop=loop)
    first, second, third = backend.walk(vocabulary, [free, open_loop, free])
    assert first.indices == second.indices == third.indices
    assert (first.attempts, second.attempts) == ((), ((),) * 5)


def test_a_word_below_the_threshold_is_tried_once():
    backend = open_backend("numpy")
    points = [Point(0, 0, 0, 4), Point(5, 0, 0, 4), Point(6, 0, 0, 4), Point(1, 0, 0, 4)]
    vocabulary = backend.open_vocabulary(points)
    level = backend.scores(vocabulary, Blade((0,)), [3])[0]
    loop = InnerLoop(mode="threshold", blades=(Blade((0,)),), levels=(level,))
    request = WalkRequest(start=points[1], allowed=None, max_steps=9, inner_loop=loop)
    [outcome] = backend.walk(vocabulary, [request])
    assert outcome.indices == (3, 0)
    assert [[attempt.word for attempt in step] for step in outcome.attempts] == [[1, 2], []]
    assert all(isinstance(a, Attempt) and a.score < a.needed == level for a in outcome.attempts[0])
    assert outcome.end == "all_visited"


@pytest.mark.parametrize(
    ("loop", "message"),
    [
        (InnerLoop(mode="threshold", blades=(), levels=()), "needs a blade"),
        (InnerLoop(mode="threshold", blades=(Blade((0,)),)), "a level for each"),
        (InnerLoop(mode="margin", blades=(Blade((0,)),), margin=0), "margin: 0"),
        (InnerLoop(mode="margin", blades=(Blade(()),)), r"blades\[0\]\.anchors: 0 words"),
        (InnerLoop(mode="margin", blades=(Blade((0, 1, 2, 3)),)), "4 words; give 1..3"),
        (InnerLoop(mode="margin", blades=(Blade((99,)),)), r"blades\[0\]\.anchors: no word 99"),
        (InnerLoop(mode="margin", blades=(Blade((0,), (0, -1)),)), r"blades\[0\]\.frame: no word -1"),
    ],
)
def test_a_bad_inner_loop_is_refused(backend, loop, message):
    vocabulary = backend.open_vocabulary(POINTS)
    request = WalkRequest(start=POINTS[0], allowed=None, max_steps=1, inner_loop=loop)
    with pytest.raises(ValueError, match=message):
        backend.walk(vocabulary, [request])
