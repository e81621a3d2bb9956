"""Bivectors of Cl(4,1) by regime, as NumPy components in blade order: what exponentials and logarithms are tried on."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st

NAMES = ("e12", "e13", "e14", "e15", "e23", "e24", "e25", "e34", "e35", "e45")


def bivector(**components):
    values = np.zeros(10)
    for name, value in components.items():
        values[NAMES.index(name)] = value
    return values


def translation(x, y=0.0, z=0.0):
    """The logarithm of a translator by -2 (x, y, z)."""
    return bivector(e14=x, e15=x, e24=y, e25=y, e34=z, e35=z)


RNG = np.random.default_rng(31)
FIXED = {
    "zero": bivector(),
    "rotation": bivector(e12=-0.7),
    "quarter": bivector(e12=-np.pi / 4),
    "half turn": bivector(e13=np.pi / 2),
    "270 degrees": bivector(e23=-2.356194490192345),
    "null": translation(1.5),
    "transversion": bivector(e14=1.5, e15=-1.5),
    "screw": bivector(e12=1.0) + translation(0.3, 0.4, 2.0),
    "screw at 180": bivector(e12=-np.pi / 2) + translation(0.0, 0.0, -1.5),
    "screw at 300": bivector(e12=-2.6) + translation(0.1, 0.2, -1.5),
    "dilation": bivector(e45=-0.35),
    "boost": bivector(e15=2.0),
    "rotation and dilation": bivector(e12=1.0, e45=0.35),
    "half turn and dilation": bivector(e12=-np.pi / 2, e45=0.35),
    "300 degrees and dilation": bivector(e12=-2.6, e45=0.35),
    "isoclinic": bivector(e12=0.3, e34=0.3),
    "anti-isoclinic": bivector(e12=0.3, e34=-0.3),
    "large isoclinic": bivector(e12=1.5, e34=1.5),
    "nearly isoclinic": bivector(e12=1.2, e34=1.2 + 1e-9),
    "double rotation": bivector(e12=2.8, e34=0.1),
    "tiny": RNG.normal(size=10) * 1e-9,
    "small": RNG.normal(size=10) * 1e-2,
    "generic": RNG.normal(size=10) * 0.6,
    "nearly null": bivector(e12=6e-8, e14=1.0, e15=1.0, e24=2.0, e25=2.0),
    "far axis": bivector(e12=0.7) + translation(1e4, 2e4, 3e3),
}
TIES = {
    "-1": bivector(e12=np.pi),
    "-translator": bivector(e23=np.pi) + translation(1.5),
    "-dilator": bivector(e13=np.pi, e45=0.7),
    "-transversor": bivector(e23=np.pi, e14=1.5, e15=-1.5),
    "e1234": bivector(e12=np.pi / 2, e34=np.pi / 2),
    "sum pi": bivector(e12=1.0, e34=np.pi - 1.0),
    "difference pi": bivector(e12=1.0, e34=1.0 - np.pi),
}

unit = st.floats(-1, 1, allow_subnormal=False)
half_angle = st.floats(-np.pi, np.pi, allow_subnormal=False)
boost = st.floats(-5, 5, allow_subnormal=False)
length = st.floats(-1e3, 1e3, allow_subnormal=False)
gap = st.sampled_from([0.0, 1e-15, 1e-12, 1e-9, 1e-6, 1e-3, 0.1])
generic = st.lists(st.floats(-2, 2, allow_subnormal=False), min_size=10, max_size=10).map(np.array)
PARTS = {
    "generic": generic,
    "near identity": st.builds(lambda b, s: b * s, generic, st.sampled_from([1e-3, 1e-8, 1e-16])),
    "screw": st.builds(
        lambda a, x, y, z: bivector(e12=a) + translation(x, y, z), half_angle, length, length, length
    ),
    "translation": st.builds(lambda x, y, z: translation(x, y, z), length, length, length),
    "transversion": st.builds(lambda x, y: bivector(e14=x, e15=-x, e24=y, e25=-y), boost, boost),
    "rotation and boost": st.builds(lambda a, b: bivector(e13=a, e45=b), half_angle, boost),
    "double": st.builds(lambda a, b: bivector(e12=a, e34=b), half_angle, half_angle),
    "nearly isoclinic": st.builds(lambda a, g: bivector(e12=a, e34=a + g), unit, gap),
    "nearly pi": st.builds(lambda g, b: bivector(e12=np.pi - g, e45=b), gap, boost),
    "nearly sum pi": st.builds(lambda g, a: bivector(e12=np.pi - a - g, e34=a), gap, half_angle),
    "nearly minus screw": st.builds(
        lambda g, z: bivector(e12=np.pi - g) + translation(0.0, 0.0, z), gap, length
    ),
}
"""Regimes in a frame of their own."""
