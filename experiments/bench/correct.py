"""Right answers beside quick ones: exponentials, their derivatives and logarithms of motions that are hard.

The judge is the exponential of the 32 x 32 matrix of multiplication from the left, and its Fréchet derivative, by JAX's
scaling and squaring, which know nothing of rotors. A logarithm is right if the judge takes it back to its rotor.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from math import log, pi
from types import ModuleType
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax.scipy.linalg import expm, expm_frechet
from numpy.typing import NDArray

import cga
from cga import CGA, Multivector
from experiments.bench.cga import ALL, EVEN
from experiments.bench.rows import CLIFFORD, KINGDON, Peer, Row, judged_row

TOLERANCE = 1e-9
"""Of the greatest component of the answer, or of 1 where that is less."""
RANDOM, QUICK_RANDOM = 100, 20
HARD: tuple[Mapping[str, float], ...] = (
    {},
    {"e12": -pi / 4},
    {"e12": -3 * pi / 4},
    {"e12": -(pi / 2 - 1e-4)},
    {"e12": -pi / 2, "e45": log(2) / 2},
    {"e12": -pi / 2, "e34": -1.5, "e35": -1.5},
    {"e12": 0.3, "e34": 0.3},
    {"e12": 0.3, "e34": -0.3},
    {"e14": 1.5, "e15": 1.5},
    {"e15": 0.5},
    {"e45": 1.0},
)
"""Bivectors of motions that implementations have stumbled over: none at all, turns by 90 degrees, 270 and almost 180, a
half turn with a scale and as a screw, isoclinic turns of both hands, a translation, a boost, a scale."""

Array = NDArray[np.float64]
Function = Callable[[Array], Array]
"""Takes the 32 components of a multivector, and gives 32."""


def correct_rows(*, quick: bool = False) -> list[Row]:
    """Counts right answers; one that a peer refuses with an error is not right.

    Args:
        quick: fewer random motions.
    """
    clifford, kingdon = CLIFFORD.load(), KINGDON.load()
    rng = np.random.default_rng(0)
    drawn = np.zeros((QUICK_RANDOM if quick else RANDOM, CGA.size))
    drawn[:, list(CGA.grade_blades((2,)))] = rng.normal(size=(len(drawn), len(CGA.grade_blades((2,)))))
    rows: list[Row] = []
    with jax.enable_x64(True), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a peer's division by zero shows in its answer
        judge = _Judge()
        for name, some in (("hard", [_components(terms) for terms in HARD]), ("random", list(drawn))):
            rotors = [judge.exp(bivector) for bivector in some]
            what = f"exponentials of {name} motions"
            exps: tuple[tuple[Peer, Function | None], ...] = (
                (CLIFFORD, clifford and _clifford_exp(clifford)),
                (KINGDON, kingdon and _kingdon_exp(kingdon)),
            )
            for peer, theirs in exps:
                rows.append(_judged(what, peer, _exp, theirs, some, rotors))
            ours, theirs = judge.undo(_log), clifford and judge.undo(_clifford_log())
            rows.append(_judged(f"logarithms of {name} motions", CLIFFORD, ours, theirs, rotors, rotors))
        hard = [_components(terms or {"e12": 0.0}) for terms in HARD]
        slopes = [judge.derivative(bivector) for bivector in hard]
        theirs = kingdon and _derivative(_kingdon_exp_at(kingdon))
        what = "derivatives of exponentials of hard motions, by JAX"
        rows.append(_judged(what, KINGDON, _derivative(lambda _: _exp), theirs, hard, slopes))
    return rows


def _components(terms: Mapping[str, float]) -> Array:
    found = np.zeros(CGA.size)
    for name, value in terms.items():
        found[CGA.blade_names.index(name)] = value
    return found


def _judged(
    what: str,
    peer: Peer,
    ours: Function,
    theirs: Function | None,
    given: Sequence[Array],
    wanted: Sequence[Array],
) -> Row:
    def right(answer: Function) -> tuple[int, str]:
        found = [_verdict(answer, one, want) for one, want in zip(given, wanted, strict=True)]
        wrong = [f"{found.count(kind)} {kind}" for kind in dict.fromkeys(found) if kind != "right"]
        return found.count("right"), ", ".join(wrong)

    count, reasons = (None, "") if theirs is None else right(theirs)
    return judged_row(
        what, f"of {len(given)} right", peer, [right(ours)[0]], None if count is None else [count], reasons
    )


def _verdict(answer: Function, given: Array, wanted: Array) -> str:
    """``right``, or what is wrong with an answer."""
    try:
        found = np.asarray(answer(given), float)
    except Exception as error:  # whatever a peer raises is its answer
        return type(error).__name__
    if not np.isfinite(found).all():
        return "not finite"
    size = max(1.0, np.abs(wanted).max())
    error = np.abs(found - wanted).max() / size
    if error > TOLERANCE >= np.abs(found + wanted).max() / size:
        return "of the opposite sign"
    return "right" if error <= TOLERANCE else f"off by up to {10.0 ** np.ceil(np.log10(error)):g}"


class _Judge:
    """Exponentials by matrices."""

    def __init__(self) -> None:
        one = Multivector(jnp.eye(CGA.size), ALL)
        blades = [Multivector(row, ALL) for row in jnp.eye(CGA.size)]
        self._products = np.stack([np.asarray((blade * one).to_array()).T for blade in blades])

    def _matrix(self, x: Array) -> Array:
        """Multiplication by x from the left."""
        return np.tensordot(x, self._products, 1)

    def exp(self, x: Array) -> Array:
        return np.asarray(expm(self._matrix(x)))[:, 0]

    def derivative(self, bivector: Array) -> Array:
        """Of the exponential, along `_along`."""
        return np.asarray(
            expm_frechet(self._matrix(bivector), self._matrix(_along(bivector)), compute_expm=False)
        )[:, 0]

    def undo(self, answer: Function) -> Function:
        return lambda rotor: self.exp(answer(rotor))


def _along(bivector: Array) -> Array:
    """A direction among the components that a bivector has: kingdon takes no others."""
    found = np.where(bivector != 0, 1.0, 0.0)
    if not found.any():
        found[CGA.blade_names.index("e12")] = 1.0
    return found


def _derivative(at: Callable[[Array], Callable[[Any], Any]]) -> Function:
    """By JAX, of the exponential that is meant for a bivector."""
    return lambda bivector: jax.jvp(at(bivector), (jnp.asarray(bivector),), (jnp.asarray(_along(bivector)),))[
        1
    ]


def _exp(bivector: Any) -> Any:
    return cga.exp(Multivector(jnp.asarray(bivector)[jnp.array(CGA.grade_blades((2,)))], (2,))).to_array()


def _log(rotor: Array) -> Array:
    even = Multivector(jnp.asarray(rotor[list(CGA.grade_blades(EVEN))]), EVEN)
    return np.asarray(cga.log(even).to_array())


def _clifford_exp(module: ModuleType) -> Function:
    layout, _ = module.Cl(4, 1)
    return lambda bivector: layout.MultiVector(bivector).exp().value


def _clifford_log() -> Function:
    layout = import_module("clifford.g3c").layout
    logarithm = import_module("clifford.tools.g3c.rotor_parameterisation").general_logarithm
    return lambda rotor: (logarithm(layout.MultiVector(rotor)) + 0 * layout.scalar).value


def _kingdon_exp(module: ModuleType) -> Function:
    at = _kingdon_exp_at(module)
    return lambda bivector: at(bivector)(bivector)


def _kingdon_exp_at(module: ModuleType) -> Callable[[Array], Callable[[Any], Any]]:
    algebra = module.Algebra(4, 1, start_index=1)
    keys = [algebra.canon2bin["e" if name == "1" else name] for name in CGA.blade_names]

    def at(bivector: Array) -> Callable[[Any], Any]:
        # It looks at which blades are there to tell what squares to a scalar, so those that are zero are left out.
        there = np.flatnonzero(_along(bivector)).tolist()

        def exp(x: Any) -> Any:
            found = algebra.multivector(
                keys=tuple(keys[i] for i in there), values=[x[i] for i in there]
            ).exp()
            parts = dict(zip(found.keys(), found.values(), strict=True))
            return jnp.stack([jnp.asarray(parts.get(key, 0.0), float) for key in keys])

        return exp

    return at
