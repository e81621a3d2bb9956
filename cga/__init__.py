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
    from cga._field import closure as closure
    from cga._field import rotor as rotor
    from cga._field import start_field as start_field
    from cga._field import step_field as step_field
    from cga._multivector import Multivector as Multivector
    from cga._multivector import mv as mv
    from cga._multivector import sandwich as sandwich
    from cga._products import geometric_product as geometric_product
    from cga._products import inner_product as inner_product
    from cga._products import left_contraction as left_contraction
    from cga._products import outer_product as outer_product
    from cga._products import regressive_product as regressive_product
    from cga._products import right_contraction as right_contraction
    from cga._products import scalar_product as scalar_product
    from cga._unary import conjugate as conjugate
    from cga._unary import dual as dual
    from cga._unary import involute as involute
    from cga._unary import norm_squared as norm_squared
    from cga._unary import reverse as reverse
    from cga._unary import undual as undual
    from cga._versors import is_versor as is_versor
    from cga._versors import normalize as normalize
    from cga._versors import transition_rotor as transition_rotor
    from cga._versors import versor_condition as versor_condition
    from cga._versors import versor_inverse as versor_inverse
    from cga._words import center_breadth as center_breadth
    from cga._words import centroid as centroid
    from cga._words import distance as distance
    from cga._words import transition as transition
    from cga._words import word as word
    from cga.backend import open_backend as open_backend

_HOME = {
    "_algebra": ("CGA", "Algebra"),
    "_field": ("FieldState", "closure", "rotor", "start_field", "step_field"),
    "_multivector": ("Multivector", "mv", "sandwich"),
    "_products": (
        "geometric_product",
        "inner_product",
        "left_contraction",
        "outer_product",
        "regressive_product",
        "right_contraction",
        "scalar_product",
    ),
    "_unary": ("conjugate", "dual", "involute", "norm_squared", "reverse", "undual"),
    "_versors": (
        "is_versor",
        "normalize",
        "transition_rotor",
        "versor_condition",
        "versor_inverse",
    ),
    "_words": ("center_breadth", "centroid", "distance", "transition", "word"),
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
