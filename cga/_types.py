"""What counts as a number or as text for a multivector, and how it becomes an array."""

from __future__ import annotations

import re
from typing import Any, TypeAlias

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array

Scalar: TypeAlias = float | int | np.ndarray | np.number | Array


def as_float(value: Any, dtype: Any = None) -> Array:
    """An array of a floating dtype.

    Floating arrays keep their dtype. Integer arrays, and what has no dtype of its own (Python and NumPy scalars, nested
    sequences), take ``dtype``, by default JAX's default float.

    Args:
        value: a number, nested sequence, NumPy or JAX array.
        dtype: the dtype for input that has none of its own.

    Raises:
        ValueError: complex input, what is no number, a number too large for the dtype, or a float64 array while JAX's
            x64 mode is off, which would cut it to float32 in silence.
    """
    dtype = np.dtype(dtype or jnp.result_type(float))
    if isinstance(value, (jax.Array, np.ndarray)):
        if jnp.issubdtype(value.dtype, jnp.complexfloating):
            raise ValueError(f"dtype {value.dtype}: the algebra is real; pass the real part")
        if jnp.issubdtype(value.dtype, jnp.floating):
            if isinstance(value, np.ndarray) and value.dtype == np.float64 and not _x64():
                raise ValueError(
                    "float64 input while JAX's x64 mode is off: call jax.config.update('jax_enable_x64', True) "
                    "or pass float32"
                )
            return jnp.asarray(value)
        if isinstance(value, jax.Array):
            return value.astype(dtype)
    try:
        host = np.asarray(value, float)
    except OverflowError:
        raise ValueError("an integer beyond the range of float64: scale it down") from None
    except (TypeError, ValueError):
        raise ValueError(
            f"{type(value).__name__} is not real numbers of one shape: pass floats, integers or an array of them"
        ) from None
    with np.errstate(over="ignore"):
        result = host.astype(dtype)
    if not np.array_equal(np.isfinite(host), np.isfinite(result)):
        raise ValueError(f"a number beyond the range of {dtype}: scale it down or pass float64")
    return jnp.asarray(result)


def _x64() -> bool:
    return jnp.result_type(float) == np.float64


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
        value = float(match["number"] or 1) * (-1 if match["sign"] == "-" else 1)
        result[name] = result.get(name, 0.0) + value
        position = match.end()
    return result
