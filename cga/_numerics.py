"""Small numerical helpers over either array namespace (NumPy or JAX)."""

from __future__ import annotations

from typing import Any


def namespace(array: Any) -> Any:
    """The array namespace (``numpy`` or ``jax.numpy``) of an array or tracer, without importing JAX.

    Raises:
        ValueError: not an array that speaks the array standard.
    """
    try:
        return array.__array_namespace__()
    except AttributeError:
        raise ValueError(
            f"expected a NumPy or JAX array, got {type(array).__name__}: wrap it in numpy.asarray or jax.numpy.asarray"
        ) from None


def safe_sqrt(value: Any) -> Any:
    """Square root with derivative 0 at 0 (and value 0 below it), finite in both directions of autodiff.

    The argument is replaced before the root is taken ("double where"): a `where` behind the root alone would
    still multiply the infinite slope by zero and give NaN.
    """
    xp = namespace(value)
    positive = value > 0
    root = xp.sqrt(xp.where(positive, value, xp.ones_like(value)))
    return xp.where(positive, root, xp.zeros_like(value))
