"""`Multivector`: an element of Cl(4,1) over a batch, with its grades known statically; and `mv`, which makes one.

For code inside this package, whatever the storage:

- ``x.part("e1", "e2")`` reads components as a tuple of batch-shaped arrays, zeros where a grade is not stored;
  ``x["e12"]`` reads one.
- ``from_components(("1", "e12"), (c, s))`` (or a mapping) builds an element from batch-shaped arrays that broadcast;
  its grades are those of the names, blades not named are zero, and ``grades=`` may ask for more. Nothing is checked
  eagerly beyond names, so it works on tracers.
- ``x.values`` (``(*batch, blades)``) and ``Multivector(values, grades)`` always work too, but cost a copy: an element
  stores ``x.components``, a tuple of batch-shaped arrays in blade order, and the constructor takes such a tuple too.
- ``x.grade(2)``, ``x.with_grades((0, 2, 4))`` restrict or widen; ``x.shape`` is the batch, ``x.dtype`` the dtype.
- operands of one operation have one dtype; Python and NumPy scalars are weak (they take the other operand's).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any, Literal

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jax.core import Tracer
from jaxtyping import Array, Shaped

from cga import _kernels
from cga._algebra import CGA, Algebra, Blades, Grades, ProductKind, ProductTable, UnaryKind, product_table
from cga._text import latex_terms, read_terms, write_terms
from cga._types import Scalar, as_float


class Multivector(eqx.Module):
    """An element of Cl(4,1), or a batch of them; a pytree with one array leaf a component.

    The grades are static, so a product of an even element and a vector costs 16x5 terms, not 32x32. Operators:
    ``*`` geometric, ``^`` outer, ``|`` inner, ``&`` regressive, ``~`` reverse, ``>>`` sandwich (versor on the
    left), ``+ - /``. A number or an array of the batch's shape stands for a scalar. Make one with `mv`; this
    constructor checks nothing, since JAX calls it with tracers.

    Attributes:
        components: arrays of the batch's shape on the blades of `grades`, in blade order.
        grades: the grades it may have, ascending; at least one.
        algebra: the algebra, Cl(4,1) by default.
    """

    components: tuple[Shaped[Array, "*batch"], ...]
    grades: Grades = eqx.field(static=True)
    algebra: Algebra = eqx.field(static=True, default=CGA)

    def __init__(self, values: Any, grades: Grades, algebra: Algebra = CGA):
        """Takes an array whose last axis runs over the blades of ``grades``, or the tuple of components."""
        self.components = values if isinstance(values, tuple) else _kernels.unstack(values)
        self.grades = grades
        self.algebra = algebra

    # Lets NumPy arrays on the left of an operator defer to this class instead of looping over their elements.
    __array_ufunc__ = None

    @property
    def blades(self) -> Blades:
        """Positions of the stored blades, in blade order."""
        return self.algebra.grade_blades(self.grades)

    @property
    def values(self) -> Shaped[Array, "*batch blades"]:
        """The components on the last axis, in blade order."""
        return _kernels.stack(self.components)

    @property
    def shape(self) -> tuple[int, ...]:
        """Shape of the batch."""
        return self.components[0].shape

    @property
    def dtype(self) -> Any:
        return self.components[0].dtype

    def __getitem__(self, name: str) -> Shaped[Array, "*batch"]:
        """The component on the blade called ``name``, such as ``"e12"``; ``"1"`` or ``"s"`` is the scalar part.

        Raises:
            ValueError: no such blade. A blade of a grade that is not stored gives zeros.
        """
        position = self.algebra.position(name)
        if position not in self.blades:
            return jnp.zeros(self.shape, self.dtype)
        return self.components[self.blades.index(position)]

    def part(self, *names: str) -> tuple[Shaped[Array, "*batch"], ...]:
        """The components on the blades called ``names``, one batch-shaped array each."""
        return tuple(self[name] for name in names)

    def astype(self, dtype: Any) -> Multivector:
        """The same element with components of another floating dtype."""
        return self._like(tuple(x.astype(dtype) for x in self.components), self.grades)

    def _like(self, values: Any, grades: Grades) -> Multivector:
        return Multivector(values, grades, self.algebra)

    def grade(self, *grades: int) -> Multivector:
        """The part of the given grades.

        Grades that are not stored are left out, unless none of them is: then the result is their zero.
        """
        asked = self.algebra.check_grades(grades)
        return self.with_grades(tuple(g for g in asked if g in self.grades) or asked or (0,))

    def with_grades(self, grades: Grades) -> Multivector:
        """The same element stored with exactly these grades: others are dropped, missing ones are zero."""
        if grades == self.grades:
            return self
        stored = dict(zip(self.blades, self.components, strict=True))
        blades = self.algebra.grade_blades(grades)
        zero = None if stored.keys() >= set(blades) else jnp.zeros(self.shape, self.dtype)
        return self._like(tuple(stored.get(b, zero) for b in blades), grades)

    def to_array(self) -> Shaped[Array, "*batch size"]:
        """All components (32 in Cl(4,1)), in blade order."""
        return self.with_grades(self.algebra.all_grades).values

    def signed(self, kind: UnaryKind) -> Multivector:
        """Reverse, grade involution or Clifford conjugate; the functions of those names call this."""
        signs = _signs(self.algebra, kind, self.grades)
        return self._like(_kernels.signed(signs, self.components), self.grades)

    def norm_squared(self) -> Shaped[Array, "*batch"]:
        """``<x ~x>_0``; negative for some elements, as the signature is mixed."""
        return _kernels.signed_squares(_signs(self.algebra, "norm", self.grades), self.components)

    def __invert__(self) -> Multivector:
        return self.signed("reverse")

    def __neg__(self) -> Multivector:
        return self._like(_kernels.signed((-1,) * len(self.components), self.components), self.grades)

    def __add__(self, other: Multivector | Scalar) -> Multivector:
        right = _lift(other, self)
        check_operands(self, right)
        grades, places = _sum_plan(self.algebra, self.grades, right.grades)
        return self._like(_kernels.add(places, self.components, right.components), grades)

    __radd__ = __add__

    def __sub__(self, other: Multivector | Scalar) -> Multivector:
        return self + (-_lift(other, self))

    def __rsub__(self, other: Scalar) -> Multivector:
        return -self + other

    def __mul__(self, other: Multivector | Scalar) -> Multivector:
        return product("geometric", self, _lift(other, self))

    def __rmul__(self, other: Scalar) -> Multivector:
        return product("geometric", _lift(other, self), self)

    def __truediv__(self, other: Scalar | Multivector) -> Multivector:
        if isinstance(other, Multivector):
            raise TypeError("no division by a multivector: multiply by its inverse, on the side you mean")
        divisor = _lift(other, self)
        check_operands(self, divisor)
        return self._like(_kernels.divide(self.components, divisor.components[0]), self.grades)

    def __pow__(self, exponent: int | float) -> Multivector:
        """The geometric product of ``exponent`` >= 0 factors."""
        if not isinstance(exponent, int | np.integer) or exponent < 0:
            raise ValueError(
                f"exponent {exponent!r}: ** takes integers >= 0; use cga.inverse or cga.power for others"
            )
        result = _lift(1.0, self)
        for bit in format(int(exponent), "b"):
            result = product("geometric", result, result) if result.grades != (0,) else result
            if bit == "1":
                result = product("geometric", result, self)
        return result

    def __xor__(self, other: Multivector | Scalar) -> Multivector:
        return product("outer", self, _lift(other, self))

    def __or__(self, other: Multivector | Scalar) -> Multivector:
        return product("inner", self, _lift(other, self))

    def __and__(self, other: Multivector | Scalar) -> Multivector:
        return product("regressive", self, _lift(other, self))

    def __rshift__(self, other: Multivector) -> Multivector:
        return sandwich(self, other)

    def __str__(self) -> str:
        if self.shape or isinstance(self.components[0], Tracer):
            return f"<Multivector batch={self.shape} grades={self.grades} {self.dtype}>"
        names = [self.algebra.blade_names[b] for b in self.blades]
        # Shortest digits that give the same number back in this dtype, so that `mv` reads what `str` wrote.
        shortest = str if self.dtype in (np.float32, np.float16) else lambda v: repr(float(v))
        return write_terms(names, [shortest(v) for v in np.asarray(self.values)])

    def _repr_latex_(self) -> str:
        """LaTeX for notebooks; a batch or a traced value gives its description."""
        text = str(self)
        return f"$\\texttt{{{text}}}$" if text.startswith("<") else latex_terms(text)

    def __repr__(self) -> str:
        text = str(self)
        return text if text.startswith("<") else f"<Multivector {text}>"


@cache
def _signs(algebra: Algebra, kind: UnaryKind | Literal["norm"], grades: Grades) -> tuple[int, ...]:
    signs = algebra.blade_norms if kind == "norm" else algebra.signs(kind)
    return tuple(int(signs[b]) for b in algebra.grade_blades(grades))


@cache
def _sum_plan(algebra: Algebra, left: Grades, right: Grades) -> tuple[Grades, tuple[tuple[int, int], ...]]:
    """The grades of a sum, and for each of its blades the positions in the operands, -1 for none."""
    grades = algebra.check_grades(left + right)
    first, second = ({b: i for i, b in enumerate(algebra.grade_blades(g))} for g in (left, right))
    return grades, tuple((first.get(b, -1), second.get(b, -1)) for b in algebra.grade_blades(grades))


@cache
def _product_plan(
    algebra: Algebra, kind: ProductKind, left: Grades, right: Grades, out: Grades | None
) -> tuple[ProductTable, Grades]:
    blades = [None if grades is None else algebra.grade_blades(grades) for grades in (left, right, out)]
    table = product_table(algebra, kind, blades[0] or (), blades[1] or (), blades[2])
    if not table.out_blades:
        return _product_plan(algebra, kind, left, right, (0,))
    return table, algebra.check_grades(algebra.blade_grades[b] for b in table.out_blades)


def product(
    kind: ProductKind, left: Multivector, right: Multivector, out: Grades | None = None
) -> Multivector:
    """A product by kind; batch axes broadcast, the dtype is the operands' common one.

    Args:
        kind: ``geometric``, ``outer``, ``inner``, ``left``, ``right``, ``scalar`` or ``regressive``.
        left: the left operand.
        right: the right operand.
        out: compute these grades only; by default all that can be non-zero.
    """
    check_operands(left, right)
    table, grades = _product_plan(left.algebra, kind, left.grades, right.grades, out)
    return Multivector(_kernels.multiply(table, left.components, right.components), grades, left.algebra)


def check_operands(left: Multivector, right: Multivector) -> None:
    """Raises ValueError for operands of two algebras or two dtypes."""
    if left.algebra != right.algebra:
        raise ValueError(f"operands of {left.algebra} and {right.algebra}: take both from one algebra")
    if left.dtype != right.dtype:
        raise ValueError(
            f"operands of dtype {left.dtype} and {right.dtype}: convert one with .astype, nothing is promoted"
        )


def sandwich(versor: Multivector, x: Multivector) -> Multivector:
    """``versor >> x``: moves x by a versor; the grades of x are kept.

    An even versor is taken to be unit, as rotors are: the result is ``R X ~R``, and a rotor of another norm scales x
    by ``R ~R``. An odd versor V, unit or not, gives ``(-1)^grade(x) V x V^-1``.

    Args:
        versor: even grades only, or odd grades only.
        x: what is moved; batch axes broadcast.

    Raises:
        ValueError: a versor that stores even and odd grades.
    """
    parity = {grade % 2 for grade in versor.grades}
    if len(parity) > 1:
        raise ValueError(
            f"versor with the grades {versor.grades}: a versor is even or odd; take one part with .grade(...)"
        )
    check_operands(versor, x)
    moved = _kernels.sandwich(x.algebra, versor.grades, x.grades, versor.components, x.components)
    return Multivector(moved, x.grades, x.algebra)


def _lift(value: Multivector | Scalar, like: Multivector) -> Multivector:
    """A number or batch array as a multivector of grade 0; what has no dtype of its own takes that of ``like``."""
    if isinstance(value, Multivector):
        return value
    return Multivector((as_float(value, like.dtype),), (0,), like.algebra)


def mv(value: Any, grades: Grades | int | None = None, *, algebra: Algebra = CGA) -> Multivector:
    """Makes a multivector.

    Args:
        value: an array-like whose last axis runs over the blades of ``grades``, in blade order; a mapping from
            blade names to numbers or arrays of one batch shape; or text such as ``"3 + 1e-3*e1 - 2 e12"``.
        grades: the grades stored. By default all of them for an array, those named for a mapping or text.
        algebra: the algebra, Cl(4,1) by default; `Algebra.multivector` gives another.

    Raises:
        ValueError: a last axis of the wrong length, an unknown blade or grade, text that cannot be read, complex
            input, or float64 while x64 is off.

    Examples:
        >>> mv("1 + 2 e12")["e12"]
        Array(2., dtype=float32)
    """
    chosen = (
        None if grades is None else algebra.check_grades((grades,) if isinstance(grades, int) else grades)
    )
    if isinstance(value, str):
        value = read_terms(value, algebra)
    if isinstance(value, Mapping):
        result = from_components(value, algebra=algebra)
        if chosen is None:
            return result
        extra = set(result.grades) - set(chosen)
        if extra:
            raise ValueError(f"grades {sorted(extra)} are named but not among grades={chosen}: add them")
        return result.with_grades(chosen)
    chosen = algebra.all_grades if chosen is None else chosen
    array = as_float(value)
    size = len(algebra.grade_blades(chosen))
    if array.ndim == 0 or array.shape[-1] != size:
        raise ValueError(
            f"array of shape {array.shape}: the last axis must have the {size} blades of grades {chosen}"
        )
    return Multivector(array, chosen, algebra)


def from_components(
    names: Mapping[str, Any] | Sequence[str],
    arrays: Sequence[Any] | None = None,
    *,
    grades: Grades = (),
    algebra: Algebra = CGA,
) -> Multivector:
    """Makes a multivector from batch-shaped components by blade name.

    Args:
        names: blade names in any order, or a mapping from names to components.
        arrays: the components, if ``names`` is no mapping; batch shapes broadcast.
        grades: grades to store besides those of the names.
        algebra: the algebra.

    Raises:
        ValueError: an unknown blade, one named twice, or components of two dtypes.
    """
    if isinstance(names, Mapping):
        names, arrays = tuple(names), tuple(names.values())
    own = {
        a.dtype
        for a in arrays or ()
        if isinstance(a, (jax.Array, np.ndarray)) and jnp.issubdtype(a.dtype, jnp.floating)
    }
    if len(own) > 1:
        raise ValueError(f"components of the dtypes {sorted(map(str, own))}: convert them to one")
    dtype = next(iter(own), jnp.result_type(float))
    columns: dict[int, Array] = {}
    for name, value in zip(names, arrays or (), strict=True):
        position = algebra.position(name)
        if position in columns:
            raise ValueError(f"the blade {algebra.blade_names[position]!r} is named twice: keep one")
        columns[position] = as_float(value, dtype)
    stored = algebra.check_grades((*grades, *(algebra.blade_grades[b] for b in columns))) or (0,)
    shape = np.broadcast_shapes(*(a.shape for a in columns.values()))
    zero = jnp.zeros(shape, dtype)
    parts = [jnp.broadcast_to(columns.get(b, zero), shape) for b in algebra.grade_blades(stored)]
    return Multivector(tuple(parts), stored, algebra)
