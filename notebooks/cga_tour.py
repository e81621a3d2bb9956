# ---
# jupyter:
#   jupytext:
#     text_representation:
#       extension: .py
#       format_name: percent
# ---

# %% [markdown]
# # Geometry with `cga`
#
# One small problem from start to end: four spheres are known, a ray is sent through them, and a probe is fitted by
# gradient descent until it touches three of them. Points, lines and spheres are multivectors throughout.

# %%
import jax
import jax.numpy as jnp
import numpy as np

import cga

jax.config.update("jax_enable_x64", True)

# %% [markdown]
# A batch of spheres is one multivector with a batch axis.

# %%
centers = np.array([[0.0, 0.0, 0.0], [2.0, 0.5, 0.0], [0.5, 2.0, 0.3], [4.0, 0.0, -0.2]])
radii = np.array([0.8, 0.6, 0.7, 0.9])
spheres = cga.sphere(center=centers, radius=radii)
spheres

# %% [markdown]
# Which of them does the ray hit, and where? The meet of a line and a sphere is a point pair, imaginary if they miss.

# %%
ray = cga.line([-2.0, -0.2, 0.1], [5.0, 0.3, 0.0])
pairs = cga.meet(ray, spheres)
hit = ~np.asarray(cga.is_imaginary(pairs))
print("hit:", hit)

# %%
first, second = cga.split_point_pair(cga.mv(pairs.values[hit], 2))
print(np.round(cga.down(first), 3), np.round(cga.down(second), 3), sep="\n")
assert np.allclose(cga.distance(first, ray), 0, atol=1e-9)

# %% [markdown]
# Motions are versors: `V >> X` moves any object. Here a screw, once as a motor and once as its 4x4 matrix.

# %%
motor = cga.mv("1 - 0.25 e34 - 0.25 e35") * cga.from_quaternion([np.cos(0.3), 0.0, 0.0, np.sin(0.3)])
moved = motor >> spheres
matrix = np.asarray(cga.to_se3(motor))
assert np.allclose(cga.down(cga.center(moved)), centers @ matrix[:3, :3].T + matrix[:3, 3])
matrix.round(3)

# %% [markdown]
# A probe of unknown centre and radius should touch the first three spheres: gradient descent on the distances.

# %%
targets = cga.sphere(center=centers[:3], radius=radii[:3])


def loss(parameters):
    """Sum of squares of the gaps between the probe's surface and the targets', negative inside."""
    probe = cga.up(parameters[:3])
    gaps = cga.distance(probe, cga.center(targets)) - cga.radius(targets) - parameters[3]
    return jnp.sum(gaps**2)


step = jax.jit(lambda p: p - 0.1 * jax.grad(loss)(p))
parameters = jnp.array([1.0, 1.0, 1.0, 0.2])
for _ in range(600):
    parameters = step(parameters)
print("centre", np.round(parameters[:3], 4), "radius", np.round(parameters[3], 4))

# %%
probe = cga.sphere(center=parameters[:3], radius=parameters[3])
np.testing.assert_allclose(cga.distance(probe, targets), 0, atol=1e-6)

# %% [markdown]
# A picture, where matplotlib is installed.

# %%
try:
    import matplotlib  # noqa: F401
except ImportError:
    print("no matplotlib, no picture")
else:
    ax = cga.plot.frame(cga.plot.axes(), center=(1.5, 0.8, 0.2), extent=2.8)
    cga.plot.draw(spheres, ax, alpha=0.2)
    cga.plot.draw(ray, ax, extent=3.5)
    cga.plot.draw([first, second], ax, s=30)
    cga.plot.draw(probe, ax, alpha=0.5)
