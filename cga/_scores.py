"""Exact scores of words against a relation blade, the span of a few words (pure Python integers).

A word is a ray of timelike vectors; ``W = 2 rho w`` has the integer coordinates (2x, 2, x^2 + rho^2) on (e1..e3, eo,
einf), and products of such vectors are integers. For a blade A spanned by words, G(A) the Gram determinant of the
vectors that span it, ``sinh^2 d = |G(A, W)| / (|G(A)| |W.W|)`` is that of the distance d of w to the plane of H^4 that
A is (Ratcliffe, *Foundations of hyperbolic manifolds*, 2006, section 3.2). The score is sech d, in parts per million,
rounded down: 1,000,000 for a word of the span. So two machines never differ in it.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from fractions import Fraction
from math import isqrt, lcm
from typing import Any

from cga._vocabulary import check_indices
from cga.backend import MOST_ANCHORS, Blade, Point

MILLION = 10**6
DRAWS = 1000
SEED = 0

Ray = tuple[int, ...]


class Scorer:
    """Scores words of a vocabulary against one blade.

    Args:
        points: the vocabulary's words.
        blade: the words that span it; one that lies in the span of those before it is left out.
    """

    def __init__(self, points: Sequence[Point], blade: Blade) -> None:
        self._points = points
        self._rays: list[Ray] = []
        self._determinant = 1
        for anchor in blade.anchors:
            ray = _ray(points[anchor])
            if blade.frame is not None:
                ray = _carried(ray, *(_ray(points[i]) for i in blade.frame))
            gram = _gram([*self._rays, ray])
            determinant = _determinant(gram)
            if determinant:
                self._rays.append(ray)
                self._determinant = determinant
        self._adjugate = _adjugate(_gram(self._rays))
        self._known: dict[int, int] = {}

    @property
    def dimension(self) -> int:
        """How many independent words span the blade."""
        return len(self._rays)

    def score(self, word: int) -> int:
        """sech of the word's distance to the blade, in parts per million, rounded down."""
        found = self._known.get(word)
        if found is None:
            found = self._known[word] = self._score(_ray(self._points[word]))
        return found

    def _score(self, ray: Ray) -> int:
        square = _product(ray, ray)
        across = [_product(own, ray) for own in self._rays]
        quadratic = sum(
            a * b * entry
            for a, row in zip(across, self._adjugate, strict=True)
            for b, entry in zip(across, row, strict=True)
        )
        spanned = abs(self._determinant * square)
        beyond = abs(self._determinant * square - quadratic)
        return isqrt(MILLION * MILLION * spanned // (spanned + beyond))


def check_blade(blade: Blade, size: int, where: str) -> None:
    """Raises ValueError for a blade that is not one of a vocabulary of ``size`` words."""
    if not 1 <= len(blade.anchors) <= MOST_ANCHORS:
        raise ValueError(f"{where}.anchors: {len(blade.anchors)} words; give 1..{MOST_ANCHORS}")
    check_indices(blade.anchors, size, f"{where}.anchors")
    check_indices(blade.frame or (), size, f"{where}.frame")


def score_level(points: Sequence[Point], anchors: int, percent: int) -> int:
    """The score that ``percent`` of random words stay below, against blades of so many random words.

    The level of a score depends on how many words span the blade, so a threshold is a quantile of its own for each
    number; of `DRAWS` draws without replacement from a fixed seed.

    Args:
        points: the vocabulary's words.
        anchors: 1..3; fewer where the vocabulary is too small.
        percent: 0..100.
    """
    draw = random.Random(SEED)
    count = min(anchors, len(points) - 1)
    if count < 1:
        return 0
    scores: list[int] = []
    for _ in range(DRAWS):
        *spanning, word = draw.sample(range(len(points)), count + 1)
        scores.append(Scorer(points, Blade(tuple(spanning))).score(word))
    scores.sort()
    return scores[min(len(scores) - 1, len(scores) * percent // 100)]


def _ray(point: Point) -> Ray:
    """2 rho w on (e1, e2, e3, eo, einf)."""
    x1, x2, x3, rho = point
    return (2 * x1, 2 * x2, 2 * x3, 2, x1 * x1 + x2 * x2 + x3 * x3 + rho * rho)


def _product(a: Sequence[Any], b: Sequence[Any]) -> Any:
    """The inner product, exact for integers and fractions: eo.einf = -1."""
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2] - a[3] * b[4] - a[4] * b[3]


def _carried(ray: Ray, start: Ray, end: Ray) -> Ray:
    """A ray carried by the transition rotor between two words, again with integer coordinates.

    With unit vectors a, b: ``R c ~R = c + ((a + b).c)/(1 - a.b) (a + b) - 2 (a.c) b``. The lengths 2 rho are integers.
    """
    a, b = (tuple(Fraction(value, isqrt(-_product(word, word))) for value in word) for word in (start, end))
    both = tuple(x + y for x, y in zip(a, b, strict=True))
    along = _product(both, ray) / (1 - _product(a, b))
    twice = 2 * _product(a, ray)
    moved = [Fraction(c) + along * s - twice * e for c, s, e in zip(ray, both, b, strict=True)]
    common = lcm(*(value.denominator for value in moved))
    return tuple(int(value * common) for value in moved)


def _gram(rays: Sequence[Ray]) -> list[list[int]]:
    return [[_product(a, b) for b in rays] for a in rays]


def _determinant(matrix: Sequence[Sequence[int]]) -> int:
    """By the first row; the matrices have at most three."""
    if not matrix:
        return 1
    return sum(
        (-1) ** column * value * _determinant([[*row[:column], *row[column + 1 :]] for row in matrix[1:]])
        for column, value in enumerate(matrix[0])
    )


def _adjugate(matrix: Sequence[Sequence[int]]) -> list[list[int]]:
    """Of a symmetric matrix: its cofactors."""
    size = range(len(matrix))
    return [
        [
            (-1) ** (i + j) * _determinant([[matrix[r][c] for c in size if c != j] for r in size if r != i])
            for j in size
        ]
        for i in size
    ]
