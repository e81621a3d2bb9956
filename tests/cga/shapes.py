"""Random Euclidean data for conformal objects, and the motions that move them, written without `cga`'s own makers."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from cga import mv

SHAPES = [(), (3,), (2, 1, 2)]
TYPES = [np.float32, np.float64]
QUICK = [((), np.float64), ((2, 1, 2), np.float32)]

# Every batch shape in every dtype; each new one is compiled anew, so most of them are slow tests.
SHAPES_AND_TYPES = [
    pytest.param(*pair, id=f"{pair[0]}-{pair[1].__name__}", marks=() if pair in QUICK else pytest.mark.slow)
    for pair in itertools.product(SHAPES, TYPES)
]


def tolerance(dtype, scale=1.0):
    return scale * (2e-4 if dtype == np.float32 else 1e-11)


def points(rng, shape=(), dtype=np.float64, scale=1.0):
    return (scale * rng.normal(size=(*shape, 3))).astype(dtype)


def unit(rng, shape=(), dtype=np.float64):
    v = rng.normal(size=(*shape, 3))
    return (v / np.linalg.norm(v, axis=-1, keepdims=True)).astype(dtype)


class Motion:
    """x -> scale * (turn @ x) + shift, as a function of coordinates and as a versor."""

    def __init__(self, rng, dtype=np.float64, scale=1.0, turn=True, shift=True):
        axis, angle = unit(rng), rng.uniform(0.3, 2.8) if turn else 0.0
        x, y, z = axis * np.sin(angle / 2)
        self.scale, self.shift = scale, rng.normal(size=3) * shift
        cross = np.array([[0, -axis[2], axis[1]], [axis[2], 0, -axis[0]], [-axis[1], axis[0], 0]])
        self.turn = np.eye(3) + np.sin(angle) * cross + (1 - np.cos(angle)) * cross @ cross
        rotor = mv({"1": dtype(np.cos(angle / 2)), "e23": dtype(-x), "e13": dtype(y), "e12": dtype(-z)})
        half = (-self.shift / 2).astype(dtype)
        translator = mv({"1": dtype(1)} | {f"e{i + 1}{k}": half[i] for i in range(3) for k in (4, 5)})
        # exp(-ln(scale) e45 / 2)
        log = np.log(scale) / 2
        dilator = mv({"1": dtype(np.cosh(log)), "e45": dtype(-np.sinh(log))})
        self.versor = translator * (rotor * dilator)

    def __call__(self, x):
        return self.scale * np.asarray(x) @ self.turn.T + self.shift


def motions(rng, dtype=np.float64):
    """A translation, a rotation about the origin, a dilation, and all three at once, by name."""
    return {
        "translate": Motion(rng, dtype, turn=False),
        "rotate": Motion(rng, dtype, shift=False),
        "dilate": Motion(rng, dtype, scale=1.7, turn=False, shift=False),
        "all": Motion(rng, dtype, scale=0.6),
    }


def same_object(x, y, atol):
    """Whether two blades are equal up to a positive factor."""
    a, b = (v.values / np.linalg.norm(v.values, axis=-1, keepdims=True) for v in (x, y))
    np.testing.assert_allclose(a, b, atol=atol)


def same_up_to_sign(x, y, atol):
    a, b = (np.asarray(v.values) / np.linalg.norm(v.values, axis=-1, keepdims=True) for v in (x, y))
    sign = np.sign(np.sum(a * b, axis=-1, keepdims=True))
    np.testing.assert_allclose(a, sign * b, atol=atol)
