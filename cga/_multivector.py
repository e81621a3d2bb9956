"""`Multivector`: an element of Cl(4,1) over a batch, with its grades known statically; and `mv`, which makes one."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jax.core import Tracer
from jaxtyping import Array, Shaped

from cga._algebra import CGA, Blades, Grades, ProductKind, UnaryKind, multiply, product_table
from cga._types import Scalar, as_float, parse


class Multivector(eqx.Module):
    """An element of Cl(4,1), or a batch of them; a pytree with one array leaf.

    The grades are static, so a product of an even element and a vector costs 16x5 terms, not 32x32. Operators:
    ``*`` geometric, ``^`` outer, ``|`` inner, ``&`` regressive, ``~`` reverse, ``>>`` sandwich (versor on the
    left), ``+ - /``. A number or an array of the batch's shape stands for a scalar. Make one with `mv`; this
    constructor checks nothing, since JAX calls it with tracers.

    Attributes:
        values: components on the blades of `grades`, in blade order, on the last axis; the other axes are
            the batch.
        grades: the grades it may have, ascending.
    """

    values: Shaped[Array, "*batch blades"]
    grades: Grades = eqx.field(static=True)

    # Lets NumPy arrays on the left of an operator defer to this class instead of looping over their elements.
    __array_ufunc__ = None

    @property
    def blades(self) -> Blades:
        """Positions of the stored blades, in blade order."""
        return CGA.grade_blades(self.grades)

    @property
    def shape(self) -> tuple[int, ...]:
        """Shape of the batch."""
        return self.values.shape[:-1]

    @property
    def dtype(self) -> Any:
        return self.values.dtype

    def __getitem__(self, name: str) -> Shaped[Array, "*batch"]:
        """The component on the blade called ``name``, such as ``"e12"``; ``"1"`` or ``"s"`` is the scalar part.

        Raises:
            ValueError: no such blade. A blade of a grade that is not stored gives zeros.
        """
        position = CGA.position(name)
        if position not in self.blades:
            return jnp.zeros(self.shape, self.dtype)
        return self.values[..., self.blades.index(position)]

    def grade(self, *grades: int) -> Multivector:
        """The part of the given grades; grades that are not stored are left out."""
        kept = tuple(g for g in CGA.check_grades(grades) if g in self.grades)
        index = [self.blades.index(b) for b in CGA.grade_blades(kept)]
        return Multivector(self.values[..., np.array(index, int)], kept)

    def with_grades(self, grades: Grades) -> Multivector:
        """The same element stored with exactly these grades: others are dropped, missing ones are zero."""
        blocks = []
        for grade in grades:
            size = len(CGA.grade_blades((grade,)))
            part = self.grade(grade).values
            blocks.append(part if part.shape[-1] else jnp.zeros((*self.shape, size), self.dtype))
        empty = jnp.zeros((*self.shape, 0), self.dtype)
        return Multivector(jnp.concatenate([*blocks, empty], axis=-1), grades)

    def to_array(self) -> Shaped[Array, "*batch 32"]:
        """All 32 components, in blade order."""
        return self.with_grades(CGA.all_grades).values

    def signed(self, kind: UnaryKind) -> Multivector:
        """Reverse, grade involution or Clifford conjugate; the functions of those names call this."""
        signs = jnp.asarray(CGA.signs(kind)[list(self.blades)], self.dtype)
        return Multivector(self.values * jnp.broadcast_to(signs, self.values.shape), self.grades)

    def norm_squared(self) -> Shaped[Array, "*batch"]:
        """``<x ~x>_0``; negative for some elements, as the signature is mixed."""
        squares = self.values * self.values
        signs = jnp.asarray(CGA.blade_norms[list(self.blades)], self.dtype)
        return jnp.sum(squares * jnp.broadcast_to(signs, squares.shape), axis=-1)

    def __invert__(self) -> Multivector:
        return self.signed("reverse")

    def __neg__(self) -> Multivector:
        return Multivector(-self.values, self.grades)

    def __add__(self, other: Multivector | Scalar) -> Multivector:
        right = _lift(other, self)
        grades = CGA.check_grades(self.grades + right.grades)
        left, right = self.with_grades(grades).values, right.with_grades(grades).values
        return Multivector(jnp.add(*_broadcast_batch(left, right)), grades)

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
        return Multivector(jnp.divide(*_broadcast_batch(self.values, _lift(other, self).values)), self.grades)

    def __xor__(self, other: Multivector | Scalar) -> Multivector:
        return product("outer", self, _lift(other, self))

    def __or__(self, other: Multivector | Scalar) -> Multivector:
        return product("inner", self, _lift(other, self))

    def __and__(self, other: Multivector | Scalar) -> Multivector:
        return product("regressive", self, _lift(other, self))

    def __rshift__(self, other: Multivector) -> Multivector:
        return sandwich(self, other)

    def __str__(self) -> str:
        if self.shape or isinstance(self.values, Tracer):
            return f"<Multivector batch={self.shape} grades={self.grades} {self.dtype}>"
        names = [CGA.blade_names[b] for b in self.blades]
        parts = [(float(v), name) for v, name in zip(self.values, names, strict=True) if v != 0]
        text = " ".join(
            f"{'-' if value < 0 else '+'} {abs(value):.6g}{'' if name == '1' else ' ' + name}"
            for value, name in parts
        )
        return text.removeprefix("+ ") or "0"

    def __repr__(self) -> str:
        text = str(self)
        return text if text.startswith("<") else f"<Multivector {text}>"


# Compiled also when called outside jit: hundreds of terms, dispatched one by one, would take milliseconds.
_multiply = jax.jit(multiply, static_argnums=0)


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
    wanted = None if out is None else CGA.grade_blades(out)
    table = product_table(CGA, kind, left.blades, right.blades, wanted)
    grades = CGA.check_grades(CGA.blade_grades[b] for b in table.out_blades)
    return Multivector(_multiply(table, left.values, right.values), grades)


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
    if parity == {1}:
        inverse = ~versor / versor.norm_squared()
        return product("geometric", product("geometric", versor, x.signed("involute")), inverse, x.grades)
    return product("geometric", product("geometric", versor, x), ~versor, x.grades)


def _lift(value: Multivector | Scalar, like: Multivector) -> Multivector:
    """A number or batch array as a multivector of grade 0; a Python number takes the dtype of ``like``."""
    if isinstance(value, Multivector):
        return value
    dtype = like.dtype if isinstance(value, (int, float)) and not isinstance(value, np.generic) else None
    return Multivector(as_float(value, dtype)[..., None], (0,))


def _broadcast_batch(left: Array, right: Array) -> tuple[Array, Array]:
    shape = np.broadcast_shapes(left.shape, right.shape)
    return jnp.broadcast_to(left, shape), jnp.broadcast_to(right, shape)


def mv(value: Any, grades: Grades | int | None = None) -> Multivector:
    """Makes a multivector.

    Args:
        value: an array-like whose last axis runs over the blades of ``grades``, in blade order; a mapping from
            blade names to numbers or arrays of one batch shape; or text such as ``"3 + 1e-3*e1 - 2 e12"``.
        grades: the grades stored. By default all of them for an array, those named for a mapping or text.

    Raises:
        ValueError: a last axis of the wrong length, an unknown blade or grade, text that cannot be read, complex
            input, or float64 while x64 is off.

    Examples:
        >>> mv("1 + 2 e12")["e12"]
        Array(2., dtype=float32)
    """
    chosen = None if grades is None else CGA.check_grades((grades,) if isinstance(grades, int) else grades)
    if isinstance(value, str):
        value = parse(value)
    if isinstance(value, Mapping):
        result = _from_mapping(value)
        if chosen is None:
            return result
        extra = set(result.grades) - set(chosen)
        if extra:
            raise ValueError(f"grades {sorted(extra)} are named but not among grades={chosen}: add them")
        return result.with_grades(chosen)
    chosen = CGA.all_grades if chosen is None else chosen
    array = as_float(value)
    size = len(CGA.grade_blades(chosen))
    if array.ndim == 0 or array.shape[-1] != size:
        raise ValueError(
            f"array of shape {array.shape}: the last axis must have the {size} blades of grades {chosen}"
        )
    return Multivector(array, chosen)


def _from_mapping(components: Mapping[str, Any]) -> Multivector:
    arrays = {CGA.position(name): as_float(value) for name, value in components.items()}
    if len(arrays) != len(components):
        raise ValueError("the scalar is named twice, as '1' and as 's': keep one")
    grades = CGA.check_grades(CGA.blade_grades[b] for b in arrays) or (0,)
    dtype = jnp.result_type(*(a.dtype for a in arrays.values())) if arrays else jnp.result_type(float)
    shape = np.broadcast_shapes(*(a.shape for a in arrays.values()))
    zero = jnp.zeros(shape, dtype)
    columns = [jnp.broadcast_to(arrays.get(b, zero), shape) for b in CGA.grade_blades(grades)]
    return Multivector(jnp.stack(columns, axis=-1), grades)
