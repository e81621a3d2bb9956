"""`core bench cga`: products, sandwiches, exponentials beside kingdon and clifford, in one run of one process."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from importlib import import_module
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

import cga
from cga import CGA, Multivector
from experiments.bench import timing
from experiments.harness import device, git_state, machine, versions

EVEN, VECTOR, ALL = (0, 2, 4), (1,), (0, 1, 2, 3, 4, 5)
BATCHES = (1, 1_000, 100_000, 1_000_000)
QUICK_BATCHES = (1, 1_000, 100_000)
CLIFFORD_BATCHES = (1, 1_000)
"""clifford works on one element at a time, so larger batches only repeat the loop."""
AIMS = {("even x even", 100_000): 3.0, ("own rotor per point", 100_000): 8.0, ("full product", 100_000): 2.0}


def bench_cga(*, quick: bool = False) -> dict[str, Any]:
    """Times the algebra; every ratio is drawn from calls in turns.

    Args:
        quick: float32 alone, up to 1e5 elements, fewer repeats.
    """
    repeats = timing.QUICK_REPEATS if quick else timing.REPEATS
    rivals = {name: _load(name) for name in ("kingdon", "clifford")}
    rows: list[dict[str, Any]] = []
    with jax.enable_x64(True):
        limits = {"float32": _limits(np.float32)} | ({} if quick else {"float64": _limits(np.float64)})
        for dtype in limits:
            for size in QUICK_BATCHES if quick else BATCHES:
                for case in _cases(np.dtype(dtype), size):
                    rows += _measure(case, rivals, repeats, limits[dtype])
    return {"run": _record(), "limits": limits, "rows": rows}


def _record() -> dict[str, Any]:
    known = versions()
    for name in ("kingdon", "clifford", "faiss-cpu"):
        known[name] = _version(name)
    return {
        "time": datetime.now(UTC).isoformat(timespec="seconds"),
        "git": git_state(),
        "versions": known,
        "machine": machine(),
        "device": device("jax"),
    }


def _version(name: str) -> str | None:
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version(name)
    except PackageNotFoundError:
        return None


def _load(name: str) -> Any:
    """A rival library, or None with a line that says so."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return import_module(name)
    except ImportError:
        print(
            f"core: {name} is not installed, its side is left out (pip install '.[bench]')", file=sys.stderr
        )
        return None


def _limits(dtype: Any) -> dict[str, float]:
    """What the machine gives: gigabytes a second of a long addition, and gigaflops of a matrix product."""
    x = jnp.ones(1 << 24, dtype)
    add = jax.jit(lambda a: a + 1)
    square = jnp.ones((1024, 1024), dtype)
    product = jax.jit(jnp.matmul)
    moved = timing.side_by_side(lambda: add(x).block_until_ready(), None, 7)["ours_ms"]["min"]
    multiplied = timing.side_by_side(lambda: product(square, square).block_until_ready(), None, 7)
    return {
        "gigabytes_per_second": 2 * x.nbytes / moved / 1e6,
        "gigaflops": 2 * 1024**3 / multiplied["ours_ms"]["min"] / 1e6,
    }


class _Case:
    """One function on one batch.

    Attributes:
        name: what is done.
        size: elements of the batch.
        run: the compiled function, called on ``operands``.
        operands: what it takes.
        flops: multiplications and additions for each element, 0 if not counted.
    """

    def __init__(
        self, name: str, size: int, run: Callable[..., Any], operands: Sequence[Multivector], flops: int
    ):
        self.name, self.size, self.operands, self.flops = name, size, tuple(operands), flops
        self.run = jax.jit(run)

    def call(self) -> Any:
        return jax.block_until_ready(self.run(*self.operands))


def _cases(dtype: np.dtype, size: int) -> list[_Case]:
    rng = np.random.default_rng(size)

    def draw(grades: tuple[int, ...], count: int | None = size) -> Multivector:
        blades = len(CGA.grade_blades(grades))
        shape = (blades,) if count is None else (count, blades)
        return Multivector(jnp.asarray(rng.normal(size=shape), dtype), grades)

    cases = [
        _Case("full product", size, lambda a, b: a * b, (draw(ALL), draw(ALL)), 2 * 1024),
        _Case("even x even", size, lambda a, b: a * b, (draw(EVEN), draw(EVEN)), 2 * 256),
        _Case("own rotor per point", size, lambda r, x: r >> x, (draw(EVEN), draw(VECTOR)), 2 * 160),
        _Case("one rotor", size, lambda r, x: r >> x, (draw(EVEN, None), draw(VECTOR)), 2 * 25),
    ]
    bivector = 0.3 * draw((2,))
    if hasattr(cga, "exp"):
        cases.append(_Case("exp", size, lambda b: cga.exp(b), (bivector,), 0))
        if hasattr(cga, "log"):
            cases.append(_Case("log", size, cga.log, (jax.jit(cga.exp)(bivector),), 0))
    if hasattr(cga, "inverse"):
        cases.append(_Case("inverse", size, cga.inverse, (draw(ALL),), 0))
    return cases


def _measure(
    case: _Case, rivals: dict[str, Any], repeats: int, limits: dict[str, float]
) -> list[dict[str, Any]]:
    compile_ms = timing.first_call(case.call)
    outputs = jax.tree.leaves(case.call())
    moved = sum(x.nbytes for x in (*jax.tree.leaves(case.operands), *outputs))
    bounds = {
        "memory": moved / limits["gigabytes_per_second"] / 1e6,
        "flops": case.flops * case.size / limits["gigaflops"] / 1e6,
    }
    bound = max(bounds, key=lambda name: bounds[name])
    rows = []
    sides = {name: _rival(name, module, case) for name, module in rivals.items() if module is not None}
    for name, theirs in {name: side for name, side in sides.items() if side is not None}.items() or {
        "": None
    }.items():
        found = timing.side_by_side(case.call, theirs, repeats)
        rows.append(
            {
                "case": case.name,
                "batch": case.size,
                "dtype": str(case.operands[0].dtype),
                "rival": name or None,
                "compile_ms": compile_ms,
                **found,
                "bound": bound,
                "share_of_bound": bounds[bound] / found["ours_ms"]["median"],
                "aim": AIMS.get((case.name, case.size)) if name == "kingdon" else None,
            }
        )
    return rows


def _rival(name: str, module: Any, case: _Case) -> Callable[[], Any] | None:
    """The same computation by another library, or None where it has none that compares."""
    if name == "kingdon":
        return _kingdon(module, case)
    return _clifford(module, case) if case.size in CLIFFORD_BATCHES else None


def _kingdon(module: Any, case: _Case) -> Callable[[], Any] | None:
    if case.name in ("exp", "log", "inverse"):
        return None
    algebra = module.Algebra(4, 1, start_index=1)

    def convert(x: Multivector) -> Any:
        names = [CGA.blade_names[b] for b in x.blades]
        keys = tuple(algebra.canon2bin["e" if name == "1" else name] for name in names)
        values = [np.asarray(c) if c.ndim else c.dtype.type(c) for c in x.components]
        return algebra.multivector(keys=keys, values=values)

    left, right = map(convert, case.operands)
    return (lambda: left.sw(right)) if "rotor" in case.name else (lambda: left * right)


def _clifford(module: Any, case: _Case) -> Callable[[], Any] | None:
    layout, _ = module.Cl(4, 1)
    arrays = [np.asarray(x.to_array(), float) for x in case.operands]
    count = max(len(a) if a.ndim == 2 else 1 for a in arrays)
    columns = [[layout.MultiVector(row) for row in np.broadcast_to(a, (count, 32))] for a in arrays]
    act = {
        "full product": lambda a, b: a * b,
        "even x even": lambda a, b: a * b,
        "own rotor per point": lambda r, x: r * x * ~r,
        "one rotor": lambda r, x: r * x * ~r,
        "exp": lambda b: b.exp(),
        "inverse": lambda x: x.leftLaInv(),
    }.get(case.name)
    return None if act is None else lambda: [act(*row) for row in zip(*columns, strict=True)]
