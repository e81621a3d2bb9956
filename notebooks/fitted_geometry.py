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
# # Fitted geometry
#
# A pack gives each word a point of hyperbolic 4-space, fitted to what the pack asserts and rounded to integers. You
# will see a pack in three dimensions, the neighbours of a word and why they are its neighbours, how far apart words
# with and without a common domain lie, what rounding does, and a taxonomy as balls inside balls.
#
# *Reading: ten minutes. Running: twenty seconds.*

# %%
import statistics

import jax
import matplotlib.pyplot as plt
import numpy as np
from mpl_toolkits.mplot3d import proj3d

import cga
from cga.backend import HierarchyProblem, fit_hierarchy
from cognition import Runtime
from experiments.geometry_eval import evaluate_geometry

jax.config.update("jax_enable_x64", True)
BLUE, ORANGE, GREEN, PINK, SKY, YELLOW = "#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9", "#F0E442"
RED, GREY = "#D55E00", "#999999"


def swatches(colors):
    """Handles of a legend, one for each colour of a mapping."""
    return [plt.Rectangle((0, 0), 1, 1, color=color, alpha=0.8) for color in colors.values()]


# %% [markdown]
# ## Centre and breadth
#
# A word is a point of the upper half-space: a centre x in three dimensions and a breadth ρ > 0. In the algebra it
# is the vector w = (x + eo + ½(x² + ρ²) einf) / ρ, and w₁ · w₂ = −cosh d with the hyperbolic distance d. The pack
# keeps integers; the scale of its chart takes them back to the unit of the fit.

# %%
runtime = Runtime.open()
vocabulary = runtime.vocabulary
senses = vocabulary.senses
lattice = np.array(vocabulary.points)
scale = float(vocabulary.pack.manifest.chart.scale)
centers, breadths = lattice[:, :3] / scale, lattice[:, 3] / scale

words = cga.word(centers, breadths)
distances = np.asarray(
    cga.hyperbolic_distance(centers[:, None], breadths[:, None], centers[None], breadths[None])
)
first, second = 3, 200
cosh = -float(
    (words.values[first, :4] @ words.values[second, :4]) - words.values[first, 4] * words.values[second, 4]
)
assert np.isclose(np.arccosh(cosh), distances[first, second])
print(
    f"{len(senses)} words; centres within {np.abs(centers).max():.3f}, breadths {breadths.min():.3f} to",
    end=" ",
)
print(f"{breadths.max():.3f}; largest distance {distances.max():.3f}")

# %% [markdown]
# ## A pack in three dimensions
#
# Each sphere is a word at its centre. All breadths are near one, so spheres of that radius would hide one another;
# what is drawn is the breadth on a stretched scale, from 2 % of the picture's width for the narrowest word to 9 %
# for the broadest. The colours are the six most compact domains of ten words or more that have no word in common;
# the other words are grey.

# %%
members = {}
for index, sense in enumerate(senses):
    for domain in sense.domains:
        members.setdefault(domain, []).append(index)


def spread(domain):
    """The median distance between two words of a domain."""
    found = members[domain]
    return float(np.median(distances[np.ix_(found, found)][np.triu_indices(len(found), 1)]))


chosen, taken = [], set()
for domain in sorted((name for name in members if len(members[name]) >= 10), key=spread):
    if len(chosen) < 6 and taken.isdisjoint(members[domain]):
        chosen.append(domain)
        taken.update(members[domain])

low, high = centers.min(axis=0), centers.max(axis=0)
half = float((high - low).max()) / 2
radii = 2 * half * (0.01 + 0.035 * (breadths - breadths.min()) / np.ptp(breadths))
ax = cga.plot.frame(cga.plot.axes((7, 6)), center=(low + high) / 2, extent=half)
rest = [index for index in range(len(senses)) if index not in taken]
ax.scatter(*centers[rest].T, color=GREY, s=4, alpha=0.4, depthshade=False)
colors = dict(zip(chosen, (BLUE, ORANGE, GREEN, PINK, SKY, YELLOW), strict=True))
for domain, color in colors.items():
    found = members[domain]
    spheres = cga.sphere(center=centers[found], radius=radii[found])
    cga.plot.draw(spheres, ax, color=color, alpha=0.8, rcount=10, ccount=14)
ax.set_box_aspect((1, 1, 1), zoom=1.0)
ax.view_init(elev=25, azim=40)
shown = {"other words": GREY} | colors
_ = ax.legend(swatches(shown), shown, loc="upper left", bbox_to_anchor=(1.0, 0.9), frameon=False)

# %% [markdown]
# ## The neighbours of a word
#
# `neighbourhoods` ranks by integers, without a division on the device; the ranking is that of the distances. The
# eight nearest of an anchor, itself among them, are its part of the region of a graph.

# %%
WORD = "memory"
anchor = vocabulary.lookup(WORD)[0]  # the most salient sense
(near,) = vocabulary.backend.neighbourhoods(vocabulary.handle, [anchor], 17)
assert near[0] == anchor
assert list(near) == np.argsort(distances[anchor], kind="stable")[:17].tolist()

joined = {
    i for said in vocabulary.statements_of(anchor) if said.positive for i in (said.subject, said.object)
}
domains = set(senses[anchor].domains)
KINDS = {"joined by a statement": BLUE, "a common domain": SKY, "neither": GREY}
kinds = [
    "joined by a statement"
    if i in joined
    else "a common domain"
    if domains & set(senses[i].domains)
    else "neither"
    for i in near[1:]
]
fig, ax = plt.subplots(figsize=(6.5, 4.5), layout="constrained")
places = np.arange(len(kinds))
reach = distances[anchor, list(near[1:])]
ax.barh(places, reach, color=[KINDS[kind] for kind in kinds])
ax.set_yticks(places, [senses[i].id for i in near[1:]])
ax.axhline(6.5, color="black", lw=0.8, ls=":")
ax.annotate("the region of this anchor", (1.0, 6.3), xycoords=("axes fraction", "data"), ha="right")
ax.invert_yaxis()
ax.set(xlabel=f"hyperbolic distance from {senses[anchor].id}", xlim=(0, 1.5 * reach.max()))
ax.legend(swatches(KINDS), KINDS, loc="upper right")
ax.spines[["top", "right"]].set_visible(False)

# %% [markdown]
# ## Domains and distance
#
# Over all pairs of words: those with a common domain are nearer, and those joined by a statement nearest. The last
# column is how often a pair of that kind is nearer than a pair of words that have neither.

# %%
above = np.triu_indices(len(senses), 1)
shared = np.array([[not set(a.domains).isdisjoint(b.domains) for b in senses] for a in senses])[above]
stated = np.zeros((len(senses), len(senses)), bool)
for said in vocabulary.statements:
    if said.positive:
        stated[said.subject, said.object] = stated[said.object, said.subject] = True
stated = stated[above]
pairs = {
    "joined by a statement": distances[above][stated],
    "a common domain": distances[above][shared & ~stated],
    "neither": distances[above][~shared & ~stated],
}
other = np.sort(pairs["neither"])
for kind, found in pairs.items():
    nearer = 1 - np.searchsorted(other, found).mean() / len(other)
    print(
        f"{kind:22} {len(found):6} pairs, median {np.median(found):.3f}, nearer than neither: {100 * nearer:.0f} %"
    )
assert np.median(pairs["joined by a statement"]) < np.median(pairs["a common domain"]) < np.median(other)

fig, ax = plt.subplots(figsize=(6.5, 3.4), layout="constrained")
bins = np.linspace(0, distances.max(), 45)
for (kind, found), place in zip(pairs.items(), ((0.075, 16), (0.175, 9), (0.30, 4.5)), strict=True):
    ax.hist(found, bins, density=True, histtype="step", lw=2, color=KINDS[kind])
    ax.annotate(kind, place, color=KINDS[kind], weight="bold")
ax.set(xlabel="hyperbolic distance", ylabel="density of pairs")
ax.spines[["top", "right"]].set_visible(False)

# %% [markdown]
# The same for the eight nearest of each word, beside what chance would give. Does breadth say which word is the
# more general one? In this pack it does not: the last line is no better than a coin.

# %%
measured = evaluate_geometry(vocabulary, permutations=200)
domain, direction = measured["common_domain"], measured["direction"]
print(
    f"neighbours with a common domain: {domain['share']:.3f}, by chance {domain['chance']:.3f}, p = {domain['p']:.3f}"
)
print(f"related words among the {measured['k']} nearest: {measured['related_within_k']:.3f}")
print(f"the broader of two is the more general: {direction['breadth']:.3f} of {direction['pairs']} pairs")
assert domain["share"] > 5 * domain["chance"]
assert abs(direction["breadth"] - 0.5) < 2 * (0.25 / direction["pairs"]) ** 0.5

# %% [markdown]
# ## What rounding does
#
# The points are kept with 24 bits. With fewer, the sets of the eight nearest begin to differ, and in the end words
# fall on one point. Counted are the words whose set is not the one that 24 bits give.


# %%
def eight_nearest(points):
    """For each word the eight with the least keys, ties to the lowest index, and the rows that fell together."""
    points = points.astype(float)
    gaps = points[:, None] - points[None]
    keys = (gaps**2).sum(axis=-1) / points[:, 3]
    return [frozenset(row) for row in np.argsort(keys, axis=1, kind="stable")[:, :8].tolist()]


exact = eight_nearest(lattice)
assert exact == [
    frozenset(row) for row in vocabulary.backend.neighbourhoods(vocabulary.handle, range(len(senses)), 8)
]
bits = range(3, 17)
changed, together = [], []
for kept in bits:
    coarse = np.maximum(np.rint(lattice / 2 ** (24 - kept)), [-np.inf, -np.inf, -np.inf, 1])
    again = eight_nearest(coarse)
    changed.append(100 * statistics.mean(a != b for a, b in zip(exact, again, strict=True)))
    together.append(100 * (1 - len(np.unique(coarse, axis=0)) / len(coarse)))
assert changed[0] > 50
assert changed[-1] == together[-1] == 0
print(
    "every set is kept from",
    1 + max(kept for kept, share in zip(bits, changed, strict=True) if share),
    "bits on",
)

fig, ax = plt.subplots(figsize=(6.5, 3.4), layout="constrained")
ax.plot(bits, changed, color=BLUE, marker="o", ms=4)
ax.plot(bits, together, color=RED, marker="o", ms=4)
ax.annotate("set of the 8 nearest differs", (6.3, 62), color=BLUE)
ax.annotate("on another\nword's point", (4.6, 20), color=RED)
ax.set(xlabel="bits of a coordinate", ylabel="words, %", xticks=list(bits), ylim=(-3, 103))
ax.spines[["top", "right"]].set_visible(False)

# %% [markdown]
# ## A taxonomy is balls inside balls
#
# A hierarchy is fitted with another loss: each word's ancestors shall be nearer to it than all else. Below the
# root, breadth then does carry generality. Seen from a word u far out, a word b of small breadth ranks by |x_u −
# x_b|² / ρ_b, so what lies "under" b is what lies in the ball about its centre with the radius √(t ρ_b), with one t
# for the tree.

# %%
PARENT = {
    "animal": "living thing", "plant": "living thing", "mammal": "animal", "bird": "animal", "fish": "animal",
    "dog": "mammal", "cat": "mammal", "whale": "mammal", "bat": "mammal", "owl": "bird", "duck": "bird",
    "eagle": "bird", "salmon": "fish", "shark": "fish", "tree": "plant", "flower": "plant", "grass": "plant",
    "oak": "tree", "pine": "tree", "rose": "flower", "tulip": "flower", "wheat": "grass",
}  # fmt: skip
names = sorted({*PARENT, *PARENT.values()})
number = {name: place for place, name in enumerate(names)}
fitted = fit_hierarchy(
    HierarchyProblem(size=len(names), ancestors=[(number[a], number[b]) for a, b in PARENT.items()])
)
report = fitted.report
at, breadth = np.split(np.array(fitted.points) / fitted.scale, [3], axis=1)
breadth = breadth[:, 0]
assert all(
    breadth[number[child]] < breadth[number[parent]]
    for child, parent in PARENT.items()
    if parent != "living thing"
)
print(
    f"{report.steps} steps, loss {report.first_loss:.2g} to {report.last_loss:.2g}; rounding changed", end=" "
)
print(f"{report.changed_neighbourhoods} of {report.checked} neighbourhoods")


# %%
def ancestors(name):
    """The words above a word, nearest first."""
    return [PARENT[name], *ancestors(PARENT[name])] if name in PARENT else []


ratio = ((at[:, None] - at[None]) ** 2).sum(axis=-1) / breadth  # [u, b]
inner = [name for name in names if name in PARENT.values() and name in PARENT]
inside = [ratio[number[u], number[b]] for b in inner for u in names if b in ancestors(u)]
outside = [ratio[number[u], number[b]] for b in inner for u in names if u != b and b not in ancestors(u)]
assert max(inside) < min(outside)
t = (max(inside) * min(outside)) ** 0.5
print(
    f"every word below another has a ratio up to {max(inside):.2f}, all else from {min(outside):.2f}: t = {t:.2f}"
)

# %%
ax = cga.plot.axes((7.5, 6))
cga.plot.frame(ax, center=at.mean(axis=0), extent=float(np.abs(at - at.mean(axis=0)).max()) * 1.1)
COLORS = {
    "animal": BLUE,
    "mammal": SKY,
    "bird": GREEN,
    "fish": PINK,
    "plant": ORANGE,
    "tree": RED,
    "flower": YELLOW,
    "grass": GREY,
}
assert set(COLORS) == set(inner)
for name, color in COLORS.items():
    place = number[name]
    ball = cga.sphere(center=at[place], radius=float((t * breadth[place]) ** 0.5))
    cga.plot.draw(
        ball,
        ax,
        color=color,
        alpha=0.12 if PARENT[name] == "living thing" else 0.3,
        rcount=20,
        ccount=30,
    )
ax.view_init(elev=32, azim=-130)
across = proj3d.proj_transform(*at.T, ax.get_proj())[0]  # from left to right in the picture
for name in (name for name in PARENT if name not in COLORS):
    place = number[name]
    beside = [across[number[other]] for other in PARENT if PARENT[other] == PARENT[name]]
    side = "right" if across[place] < statistics.mean(beside) else "left"
    ax.scatter(*at[place], color="black", s=8, depthshade=False)
    ax.text(*at[place], f" {name} ", fontsize=9, ha=side)
_ = ax.legend(swatches(COLORS), COLORS, loc="upper left", bbox_to_anchor=(1.0, 0.9), frameon=False)

# %% [markdown]
# The root, *living thing*, has every word below it and needs no ball. `core eval geometry` measures packs and whole
# hierarchies this way; `docs/benchmarks/geometry.md` has the hypernyms of WordNet's nouns.
