"""Points such as a fit gives large hierarchies: few broad ones, and most of them narrow, far out and crowded."""

from __future__ import annotations

import numpy as np

from cga._lattice import LIMIT


def tree_points(size, seed, length=2.2, roots=4):
    """Distinct lattice points ``(size, 4)`` int32 of a random tree in the half-space model.

    Each child lies about ``length`` from its parent, mostly below it; parents are drawn from all points before, the
    first ones more often.
    """
    rng = np.random.default_rng(seed)
    direction = rng.normal(size=(size, 4))
    direction[:, 3] = -1.5 * np.abs(direction[:, 3])
    direction /= np.linalg.norm(direction, axis=1, keepdims=True)
    far = length * rng.uniform(0.5, 1.5, size)
    breadth = 1 / (np.cosh(far) - np.sinh(far) * direction[:, 3])
    center = direction[:, :3] * (np.sinh(far) * breadth)[:, None]
    done = roots
    while done < size:
        # A generation: the parents are among what is there, so a child is one product away.
        count = min(done, size - done)
        parent = (rng.random(count) ** 1.7 * done).astype(int)
        rows = slice(done, done + count)
        center[rows] = center[parent] + breadth[parent, None] * center[rows]
        breadth[rows] *= breadth[parent]
        done += count
    scale = (LIMIT - 64) / max(np.abs(center).max(), breadth.max())
    points = np.rint(np.column_stack([center, breadth]) * scale).astype(np.int64)
    points[:, 3] = np.maximum(points[:, 3], 1)
    while True:
        _, first = np.unique(points, axis=0, return_index=True)
        again = np.setdiff1d(np.arange(size), first)
        if not len(again):
            return points.astype(np.int32)
        points[again, :3] += rng.integers(-1, 2, (len(again), 3)) * np.where(points[again, :3] > 0, -1, 1)


def buffer_of(points):
    """The points as `cga.backend.Backend.open_vocabulary` takes a mapped file of them."""
    rows = np.ascontiguousarray(points, np.int32)
    return memoryview(rows.tobytes()).cast("i", (len(rows), 4))
