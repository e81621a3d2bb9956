"""What counts as a number for a multivector, and how it becomes an array."""

from __future__ import annotations

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
