"""Points for the tests of exact search and of fields."""

from __future__ import annotations

import random

import numpy as np
import pytest

from cga.backend import Point, open_backend


def coarse_points(size, seed, reach=3, breadths=3):
    """Distinct points of a small lattice: distances full of ties and repeats."""
    rng = random.Random(seed)
    every = [
        Point(x, y, z, rho)
        for x in range(-reach, reach + 1)
        for y in range(-reach, reach + 1)
        for z in range(-reach, reach + 1)
        for rho in range(1, breadths + 1)
    ]
    return rng.sample(every, size)


def far_points(size, seed, least, most):
    """Half-space coordinates of random points between two distances from (0, 1)."""
    rng = np.random.default_rng(seed)
    direction = rng.normal(size=(size, 4))
    direction /= np.linalg.norm(direction, axis=1, keepdims=True)
    radius = rng.uniform(least, most, size)
    breadth = 1 / (np.cosh(radius) - np.sinh(radius) * direction[:, 3])
    return direction[:, :3] * (np.sinh(radius) * breadth)[:, None], breadth


@pytest.fixture(params=["numpy", "jax"], scope="session")
def backend(request):
    return open_backend(request.param)
