"""Conformal geometric algebra Cl(4,1) in JAX, where words are points of hyperbolic 4-space.

Names load when first used (PEP 562): ``import cga`` loads neither JAX nor NumPy.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from cga import plot as plot
    from cga._algebra import CGA as CGA
    from cga._algebra import Algebra as Algebra
    from cga._conformal import down as down
    from cga._conformal import einf as einf
    from cga._conformal import eo as eo
    from cga._conformal import null_coordinates as null_coordinates
    from cga._conformal import up as up
    from cga._convert import from_matrix as from_matrix
    from cga._convert import from_numpy as from_numpy
    from cga._convert import from_quaternion as from_quaternion
    from cga._convert import from_se3 as from_se3
    from cga._convert import parse as parse
    from cga._convert import to_matrix as to_matrix
    from cga._convert import to_numpy as to_numpy
    from cga._convert import to_quaternion as to_quaternion
    from cga._convert import to_se3 as to_se3
    from cga._estimate import estimate_motor as estimate_motor
    from cga._exp import exp as exp
    from cga._exp import interpolate as interpolate
    from cga._exp import log as log
    from cga._exp import power as power
    from cga._exp import split as split
    from cga._exp import sqrt as sqrt
    from cga._field import FieldState as FieldState
    from cga._hyperbolic import center_breadth as center_breadth
    from cga._hyperbolic import centroid as centroid
    from cga._hyperbolic import field_rotor as field_rotor
    from cga._hyperbolic import field_start as field_start
    from cga._hyperbolic import field_update as field_update
    from cga._hyperbolic import hyperbolic_distance as hyperbolic_distance
    from cga._hyperbolic import transition as transition
    from cga._hyperbolic import word as word
    from cga._measure import angle as angle
    from cga._measure import center as center
    from cga._measure import direction as direction
    from cga._measure import distance as distance
    from cga._measure import incidence as incidence
    from cga._measure import normal as normal
    from cga._measure import radius as radius
    from cga._measure import radius_squared as radius_squared
    from cga._measure import support as support
    from cga._meet import join as join
    from cga._meet import meet as meet
    from cga._motions import dilator as dilator
    from cga._motions import motor as motor
    from cga._motions import reflector as reflector
    from cga._motions import rotor as rotor
    from cga._motions import rotor_between as rotor_between
    from cga._motions import translator as translator
    from cga._motions import transversor as transversor
    from cga._multivector import Multivector as Multivector
    from cga._multivector import from_components as from_components
    from cga._multivector import mv as mv
    from cga._multivector import sandwich as sandwich
    from cga._nearest import PointIndex as PointIndex
    from cga._nearest import nearest as nearest
    from cga._nearest import point_index as point_index
    from cga._objects import circle as circle
    from cga._objects import flat_point as flat_point
    from cga._objects import is_flat as is_flat
    from cga._objects import is_imaginary as is_imaginary
    from cga._objects import is_point as is_point
    from cga._objects import is_round as is_round
    from cga._objects import kind as kind
    from cga._objects import line as line
    from cga._objects import plane as plane
    from cga._objects import point_pair as point_pair
    from cga._objects import sphere as sphere
    from cga._objects import split_point_pair as split_point_pair
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
    from cga._versors import factorize as factorize
    from cga._versors import inverse as inverse
    from cga._versors import is_blade as is_blade
    from cga._versors import is_versor as is_versor
    from cga._versors import normalize as normalize
    from cga._versors import unitize as unitize
    from cga._versors import versor_condition as versor_condition
    from cga._versors import versor_inverse as versor_inverse
    from cga.backend import open_backend as open_backend

_HOME = {
    "_algebra": (
        "CGA",
        "Algebra",
    ),
    "_conformal": (
        "down",
        "einf",
        "eo",
        "null_coordinates",
        "up",
    ),
    "_convert": (
        "from_matrix",
        "from_numpy",
        "from_quaternion",
        "from_se3",
        "parse",
        "to_matrix",
        "to_numpy",
        "to_quaternion",
        "to_se3",
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
    "_measure": (
        "angle",
        "center",
        "direction",
        "distance",
        "incidence",
        "normal",
        "radius",
        "radius_squared",
        "support",
    ),
    "_meet": (
        "join",
        "meet",
    ),
    "_multivector": (
        "Multivector",
        "from_components",
        "mv",
        "sandwich",
    ),
    "_objects": (
        "circle",
        "flat_point",
        "is_flat",
        "is_imaginary",
        "is_point",
        "is_round",
        "kind",
        "line",
        "plane",
        "point_pair",
        "sphere",
        "split_point_pair",
    ),
    "_nearest": ("PointIndex", "nearest", "point_index"),
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
        "factorize",
        "inverse",
        "is_blade",
        "is_versor",
        "normalize",
        "unitize",
        "versor_condition",
        "versor_inverse",
    ),
    "_exp": (
        "exp",
        "interpolate",
        "log",
        "power",
        "split",
        "sqrt",
    ),
    "_motions": (
        "dilator",
        "motor",
        "reflector",
        "rotor",
        "rotor_between",
        "translator",
        "transversor",
    ),
    "_estimate": ("estimate_motor",),
    "backend": ("open_backend",),
}
_MODULE = {name: module for module, names in _HOME.items() for name in names}

__all__ = sorted(_MODULE)  # pyright: ignore[reportUnsupportedDunderAll]


def __getattr__(name: str) -> Any:
    if name == "plot":
        return import_module("cga.plot")
    if name not in _MODULE:
        raise AttributeError(f"module 'cga' has no attribute {name!r}")
    value = getattr(import_module(f"cga.{_MODULE[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
