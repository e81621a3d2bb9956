# ---
# jupyter:
#   jupytext:
#     formats: ipynb,py:percent
#     notebook_metadata_filter: -jupytext.text_representation.jupytext_version
#     text_representation:
#       extension: .py
#       format_name: percent
#       format_version: '1.3'
#   kernelspec:
#     display_name: Python 3
#     language: python
#     name: python3
# ---

# %% [markdown]
# # Geometry with `cga`
#
# Points, lines, spheres and the motions that move them are multivectors, and multivectors are JAX values. You will
# send a ray through a batch of spheres under `jit`, move things by versors, fit a probe by gradients of distances,
# and fit eight motors at once by derivatives through their exponential.
#
# *Reading: ten minutes. Running: half a minute, nearly all of it JAX compiling.*

# %%
import jax
import jax.numpy as jnp
import numpy as np

import cga

jax.config.update("jax_enable_x64", True)
np.set_printoptions(precision=3, suppress=True)

# %% [markdown]
# ## A ray and a batch of spheres
#
# Four spheres are one multivector with a batch axis, as arrays are.

# %%
centers = np.array([[0.0, 0.0, 0.0], [2.0, 0.5, 0.0], [0.5, 2.0, 0.3], [4.0, 0.0, -0.2]])
radii = np.array([0.8, 0.6, 0.7, 0.9])
spheres = cga.sphere(center=centers, radius=radii)
spheres

# %% [markdown]
# Which of them does a ray hit, and where? The meet of a line and a sphere is a point pair; if they miss it is
# imaginary, and its points are not a number. A multivector is a pytree, so it goes in and out of `jit` like an
# array.


# %%
@jax.jit
def crossings(ray):
    """Where a line enters and leaves each sphere, two points of shape (4,)."""
    return cga.split_point_pair(cga.meet(ray, spheres))


ray = cga.line([-2.0, -0.2, 0.1], [5.0, 0.3, 0.0])
enters, leaves = crossings(ray)
enter, leave = np.asarray(cga.down(enters)), np.asarray(cga.down(leaves))
hit = np.isfinite(enter).all(axis=1)
assert hit.tolist() == [True, True, False, True]
np.testing.assert_allclose(np.linalg.norm(enter - centers, axis=1)[hit], radii[hit])
np.stack([enter, leave], axis=1)

# %% [markdown]
# ## Motions
#
# Motions are versors: `V >> X` moves any object. Here a quarter turn about the z axis with a shift along it, once
# as a motor that moves the spheres, once as its 4x4 matrix that moves their centres.

# %%
screw = cga.motor(np.pi / 2, [0.0, 0.0, 1.0], translation=[0.0, 0.0, 0.5])
moved = screw >> spheres
matrix = np.asarray(cga.to_se3(screw))
np.testing.assert_allclose(
    cga.down(cga.center(moved)), centers @ matrix[:3, :3].T + matrix[:3, 3], atol=1e-12
)
np.testing.assert_allclose(cga.radius(moved), radii)
print(matrix)

# %% [markdown]
# ## Gradients of distances
#
# A probe of unknown centre and radius should touch the first three spheres: gradient descent on the gaps.

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
probe = cga.sphere(center=parameters[:3], radius=parameters[3])
np.testing.assert_allclose(cga.distance(probe, targets), 0, atol=1e-6)
print("centre", parameters[:3], "radius", parameters[3])

# %% [markdown]
# ## Derivatives through a versor, in a batch
#
# Twenty points were seen eight times, from eight places and with noise. Which motor is behind each view? A motor is
# the exponential of a bivector with six numbers: three for the turn, three for the shift. `jacfwd` differentiates
# through the exponential and the sandwich; `vmap` fits the eight views at once.

# %%
draw = np.random.default_rng(0)
points = draw.normal(size=(20, 3))


def seen(numbers):
    """The points, moved by the exponential of a bivector."""
    turn, shift = {"e12": 0, "e13": 1, "e23": 2}, {"e14": 3, "e15": 3, "e24": 4, "e25": 4, "e34": 5, "e35": 5}
    bivector = cga.from_components({blade: numbers[place] for blade, place in (turn | shift).items()})
    return cga.down(cga.exp(bivector) >> cga.up(points))


views = jax.jit(jax.vmap(seen))
observed = views(0.4 * draw.normal(size=(8, 6))) + 0.01 * draw.normal(size=(8, 20, 3))


@jax.jit
@jax.vmap
def gauss_newton(numbers, view):
    """One step towards the least squares of a view."""
    gaps = (seen(numbers) - view).ravel()
    slope = jax.jacfwd(seen)(numbers).reshape(gaps.size, 6)
    return numbers - jnp.linalg.solve(slope.T @ slope, slope.T @ gaps)


numbers = jnp.zeros((8, 6))
for _ in range(5):
    numbers = gauss_newton(numbers, observed)
    print("largest error", float(jnp.abs(views(numbers) - observed).max()))

# %% [markdown]
# There is a closed form as well; the eight motors are the same.

# %%
closed = jax.jit(jax.vmap(lambda view: cga.down(cga.estimate_motor(points, view) >> cga.up(points))))
np.testing.assert_allclose(views(numbers), closed(observed), atol=1e-9)

# %% [markdown]
# ## A picture
#
# The four spheres, the ray with the points where it enters and leaves, and the probe that touches three of them.

# %%
ax = cga.plot.frame(cga.plot.axes(), center=(1.5, 0.8, 0.2), extent=2.8)
cga.plot.draw(spheres, ax, color="#0072B2", alpha=0.2, label="spheres")
cga.plot.draw(ray, ax, color="#000000", extent=3.5, label="ray")
for ends in (enter, leave):
    ax.scatter(
        *ends[hit].T, color="#D55E00", s=30, depthshade=False, label="crossings" if ends is enter else None
    )
cga.plot.draw(probe, ax, color="#009E73", alpha=0.5, label="probe")
ax.view_init(elev=40, azim=-100)
_ = ax.legend(loc="upper left", fontsize=8)

# %% [markdown]
# `docs/cga` goes on: all kinds of objects, meets and joins in any position, logarithms, precision, and how the
# package compares with others.
