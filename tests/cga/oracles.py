"""Independent, slow and plain re-computations that the tests compare `cga` with. Nothing here imports `cga`."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations
from math import isqrt

import numpy as np


def blade_list(n):
    return [blade for k in range(n + 1) for blade in combinations(range(1, n + 1), k)]


def multiply_blades(left, right, squares):
    """Product of two basis blades by bubble sort: (indices, coefficient)."""
    factors, sign = [*left, *right], 1
    swapped = True
    while swapped:
        swapped = False
        for i in range(len(factors) - 1):
            if factors[i] > factors[i + 1]:
                factors[i], factors[i + 1] = factors[i + 1], factors[i]
                sign, swapped = -sign, True
    out = []
    for index in factors:
        if out and out[-1] == index:
            out.pop()
            sign *= squares[index - 1]
        else:
            out.append(index)
    return tuple(out), sign


def dense_table(squares):
    """The geometric product as an array: out[k] = sum_ij a[i] b[j] T[i, j, k]."""
    blades = blade_list(len(squares))
    table = np.zeros((len(blades),) * 3)
    for i, left in enumerate(blades):
        for j, right in enumerate(blades):
            out, sign = multiply_blades(left, right, squares)
            table[i, j, blades.index(out)] = sign
    return table


CGA_SQUARES = (1, 1, 1, 1, -1)
CGA_TABLE = dense_table(CGA_SQUARES)
CGA_GRADES = np.array([len(b) for b in blade_list(5)])


def dense_product(left, right, keep=None):
    """Geometric product of 32-arrays; `keep(r, s, k)` says which grade triples stay."""
    table = CGA_TABLE
    if keep is not None:
        r, s, k = np.meshgrid(CGA_GRADES, CGA_GRADES, CGA_GRADES, indexing="ij")
        table = table * keep(r, s, k)
    return np.einsum("...i,...j,ijk->...k", left, right, table)


def reverse32(x):
    return np.asarray(x) * np.where(CGA_GRADES * (CGA_GRADES - 1) // 2 % 2, -1.0, 1.0)


def vector32(v):
    return np.concatenate([np.zeros((*v.shape[:-1], 1)), v, np.zeros((*v.shape[:-1], 26))], axis=-1)


def round_half_even(value):
    """Of a Fraction, spelled out."""
    floor = value.numerator // value.denominator
    rest = value - floor
    return floor + (rest > Fraction(1, 2) or (rest == Fraction(1, 2) and floor % 2 == 1))


def lorentz_centroid(points):
    """By Fractions; the square root by search between integers."""
    weights = [Fraction(1, p[3]) for p in points]
    total = sum(weights)
    center = [sum(w * p[i] for w, p in zip(weights, points, strict=True)) / total for i in range(3)]
    square = sum(w * sum(v * v for v in p) for w, p in zip(weights, points, strict=True)) / total
    square -= sum(c * c for c in center)
    low = isqrt(square.numerator // square.denominator)
    while Fraction(2 * low + 1, 2) ** 2 < square:
        low += 1
    if Fraction(2 * low + 1, 2) ** 2 == square and low % 2 == 1:
        low += 1
    return (*map(round_half_even, center), low)


def rank(points, location, among):
    """The words of `among` by (key, index)."""
    keys = {}
    for i in among:
        distance = sum((a - b) ** 2 for a, b in zip(points[i], location, strict=True))
        keys[i] = float(distance) * (1.0 / points[i][3])
    return sorted(among, key=lambda i: (keys[i], i))


def walk(points, start, allowed, blocked, max_steps, goals):
    """(indices, pool sizes, end) of one walk, straight from its description."""
    free = set(range(len(points)) if allowed is None else allowed) - set(blocked)
    location, indices, pools = start, [], []
    while True:
        if goals and all(set(group) & set(indices) for group in goals):
            return tuple(indices), tuple(pools), "grounded"
        if not free:
            return tuple(indices), tuple(pools), "all_visited" if indices else "no_candidate"
        if len(indices) == max_steps:
            return tuple(indices), tuple(pools), "max_steps"
        pools.append(len(free))
        nearest = rank(points, location, free)[0]
        indices.append(nearest)
        free.discard(nearest)
        location = points[nearest]
