"""Conformal geometric algebra Cl(4,1) in JAX, where words are points of hyperbolic 4-space.

Names load when first used (PEP 562): ``import cga`` loads neither JAX nor NumPy.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from cga._algebra import CGA as CGA
    from cga._algebra import Algebra as Algebra
    from cga._field import FieldState as FieldState
    from cga._hyperbolic import center_breadth as center_breadth
    from cga._hyperbolic import centroid as centroid
    from cga._hyperbolic import field_rotor as field_rotor
    from cga._hyperbolic import field_start as field_start
    from cga._hyperbolic import field_update as field_update
    from cga._hyperbolic import hyperbolic_distance as hyperbolic_distance
    from cga._hyperbolic import transition as transition
    from cga._hyperbolic import word as word
    from cga._multivector import Multivector as Multivector
    from cga._multivector import from_components as from_components
    from cga._multivector import mv as mv
    from cga._multivector import sandwich as sandwich
    from cga._products import anticommutator as anticommutator
    from cga._products import commutator as commutator
    from cga._products import geometric as geometric
    from cga._products import inner as inner
    from cga._products import left_contraction as left_contraction
    from cga._products import outer as outer
    from cga._products import regressive as regressive
    from cga._products import right_contraction as right_contraction
    from cga._products import scalar_product as scalar_product
    from cga._unary import conjugate as conjugate
    from cga._unary import dual as dual
    from cga._unary import grade as grade
    from cga._unary import involute as involute
    from cga._unary import norm_squared as norm_squared
    from cga._unary import reverse as reverse
    from cga._unary import undual as undual
    from cga._versors import is_versor as is_versor
    from cga._versors import normalize as normalize
    from cga._versors import versor_condition as versor_condition
    from cga._versors import versor_inverse as versor_inverse
    from cga.backend import open_backend as open_backend

_HOME = {
    "_algebra": (
        "CGA",
        "Algebra",
    ),
    "_field": ("FieldState",),
    "_hyperbolic": (
        "center_breadth",
        "centroid",
        "field_rotor",
        "field_start",
        "field_update",
        "hyperbolic_distance",
        "transition",
        "word",
    ),
    "_multivector": (
        "Multivector",
        "from_components",
        "mv",
        "sandwich",
    ),
    "_products": (
        "anticommutator",
        "commutator",
        "geometric",
        "inner",
        "left_contraction",
        "outer",
        "regressive",
        "right_contraction",
        "scalar_product",
    ),
    "_unary": (
        "conjugate",
        "dual",
        "grade",
        "involute",
        "norm_squared",
        "reverse",
        "undual",
    ),
    "_versors": (
        "is_versor",
        "normalize",
        "versor_condition",
        "versor_inverse",
    ),
    "backend": ("open_backend",),
}
_MODULE = {name: module for module, names in _HOME.items() for name in names}

__all__ = sorted(_MODULE)  # pyright: ignore[reportUnsupportedDunderAll]


def __getattr__(name: str) -> Any:
    if name not in _MODULE:
        raise AttributeError(f"module 'cga' has no attribute {name!r}")
    value = getattr(import_module(f"cga.{_MODULE[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
