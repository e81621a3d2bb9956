"""What counts as a number or as text for a multivector, and how it becomes an array."""

from __future__ import annotations

import re
from typing import Any, TypeAlias

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array

from cga._algebra import CGA

Scalar: TypeAlias = float | int | np.ndarray | np.number | Array


def as_float(value: Any, dtype: Any = None) -> Array:
    """An array of a floating dtype: floating input keeps its own, integers become JAX's default float.

    Args:
        value: a number, nested sequence, NumPy or JAX array.
        dtype: the dtype for input that has none of its own.

    Raises:
        ValueError: complex input, or float64 while JAX's x64 mode is off, which would cut it to float32 in silence.
    """
    if not isinstance(value, (jax.Array, np.ndarray, np.generic)):
        return jnp.asarray(np.asarray(value, float), dtype or jnp.result_type(float))
    if jnp.issubdtype(value.dtype, jnp.floating):
        if (
            value.dtype == np.float64
            and jnp.result_type(float) != np.float64
            and not isinstance(value, jax.Array)
        ):
            raise ValueError(
                "float64 input while JAX's x64 mode is off: call jax.config.update('jax_enable_x64', True) "
                "or pass float32"
            )
        return jnp.asarray(value)
    if jnp.issubdtype(value.dtype, jnp.complexfloating):
        raise ValueError(f"dtype {value.dtype}: Cl(4,1) is real; pass the real part")
    return jnp.asarray(value, dtype or jnp.result_type(float))


_TERM = re.compile(
    r"\s*(?P<sign>[+-]?)\s*(?:(?P<number>(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?(?![\d.]))\s*\*?\s*)?(?P<blade>e[1-9]+)?"
)


def parse(text: str) -> dict[str, float]:
    """Reads a sum of blades such as ``"3 + 1e-3*e1 - 2 e12"`` into components by blade name; ``"1"`` is the scalar.

    Raises:
        ValueError: text that cannot be read, with the position.
    """
    result: dict[str, float] = {}
    position = 0
    stripped = text.rstrip()
    while position < len(stripped) or not result:
        match = _TERM.match(stripped, position)
        if match is None or not (match["number"] or match["blade"]) or (result and not match["sign"]):
            raise ValueError(
                f"cannot read {text!r} at position {position}: write a sum such as '3 + 1e-3*e1 - 2 e12'"
            )
        name = match["blade"] or "1"
        CGA.position(name)
        value = float(match["number"] or 1) * (-1 if match["sign"] == "-" else 1)
        result[name] = result.get(name, 0.0) + value
        position = match.end()
    return result
