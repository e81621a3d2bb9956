"""Text of a multivector: a sum of scaled blades, read and written without loss (standard library only).

The grammar, blanks free between its parts::

    sum    = [sign] term { sign term }
    term   = number | [number ["*"]] blade
    number = digits with an optional point and an optional exponent, "inf" or "nan"
    blade  = "e" digits | "einf" | "eo"

A blade may name its indices in any order: e21 is -e12. ``einf`` is e4 + e5 and ``eo`` is (e5 - e4)/2. As in ganja.js
``2e12`` is twice e12; a power of ten has a sign (``2e+12``), a capital (``2E12``) or a blade of its own (``2e3*e1``).
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from cga._algebra import CGA, Algebra

_NUMBER = re.compile(r"(?:\d+\.?\d*|\.\d+)(?:e[+-]\d+|E[+-]?\d+)?|inf(?![a-z])|nan(?![a-z])")
_POWER = re.compile(r"e\d+(?=\s*\*?\s*e[a-z\d])")
_BLADE = re.compile(r"e(?:inf\b|o\b|[0-9]+)|e\w*")
_BLANK = re.compile(r"\s*")
_NULL = {"einf": {"e4": 1.0, "e5": 1.0}, "eo": {"e4": -0.5, "e5": 0.5}}
_EXAMPLE = "write a sum of scaled blades such as '3 + 1e-3*e1 - 2 e12'"


def read_terms(text: str, algebra: Algebra = CGA) -> dict[str, float]:
    """Reads a sum of scaled blades into components by blade name; ``"1"`` is the scalar.

    Args:
        text: the sum.
        algebra: whose blades; einf and eo are those of Cl(4,1) alone.

    Raises:
        ValueError: text that cannot be read or a blade that does not exist, with the position (from 0).
    """
    result: dict[str, float] = {}
    position, end, first = _skip(text, 0), len(text.rstrip()), True
    while position < end or first:
        sign = 1.0
        if text[position : position + 1] in ("+", "-"):
            sign = -1.0 if text[position] == "-" else 1.0
            position = _skip(text, position + 1)
        elif not first:
            raise _unreadable(text, position)
        position, factor, named = _term(text, position, algebra)
        for name, value in named.items():
            result[name] = result.get(name, 0.0) + sign * factor * value
        position, first = _skip(text, position), False
    return result


def _term(text: str, start: int, algebra: Algebra) -> tuple[int, float, dict[str, float]]:
    """Reads one term; where it ends, its factor, and the components of its blade."""
    position, factor = start, 1.0
    number = _NUMBER.match(text, position)
    if number:
        position, digits = number.end(), number[0]
        power = _POWER.match(text, position)
        if power and not {"e", "E"} & set(digits):
            position, digits = power.end(), digits + power[0]
        if text[position : position + 1] == ".":
            raise _unreadable(text, position)
        factor = float(digits)
        after = _skip(text, position)
        if text[after : after + 1] == "*":
            position = _skip(text, after + 1)
        elif text[after : after + 1] == "e":
            position = after
        else:
            return position, factor, {"1": 1.0}
    blade = _BLADE.match(text, position)
    if not blade:
        raise _unreadable(text, position)
    return blade.end(), factor, _components(blade[0], text, position, algebra)


def _components(name: str, text: str, position: int, algebra: Algebra) -> dict[str, float]:
    """A blade on the named blades; indices in any order."""
    if name in _NULL and algebra == CGA:
        return _NULL[name]
    indices = name[1:]
    known = "123456789"[: algebra.dimension]
    if not indices or not set(indices) <= set(known) or len(set(indices)) < len(indices):
        null = ", or einf or eo" if algebra == CGA else ""
        raise ValueError(
            f"cannot read {text!r} at position {position}: unknown blade {name!r}; a blade is e followed by "
            f"different digits from {known}, such as e12{null}; a power of ten has a sign, such as 2e+7"
        )
    swaps = sum(a > b for i, a in enumerate(indices) for b in indices[i + 1 :])
    return {"e" + "".join(sorted(indices)): -1.0 if swaps % 2 else 1.0}


def _skip(text: str, position: int) -> int:
    match = _BLANK.match(text, position)
    return match.end() if match else position


def _unreadable(text: str, position: int) -> ValueError:
    return ValueError(f"cannot read {text!r} at position {position}: {_EXAMPLE}")


def write_terms(names: Sequence[str], numbers: Sequence[str]) -> str:
    """Writes a sum that `read_terms` reads back.

    Args:
        names: blade names, ``"1"`` for the scalar.
        numbers: as many decimal numbers, a minus sign in front where negative; zeros are left out.
    """
    parts = [
        ("- " if number.startswith("-") else "+ ")
        + number.removeprefix("-").removesuffix(".0")
        + ("" if name == "1" else f" {name}")
        for name, number in zip(names, numbers, strict=True)
        if float(number) != 0
    ]
    return " ".join(parts).removeprefix("+ ") or "0"


def latex_terms(text: str) -> str:
    """The LaTeX, between dollar signs, of what `write_terms` wrote."""
    text = re.sub(r" e(\d+)", r"\\,e_{\1}", text)
    text = re.sub(r"e([+-]\d+)", lambda m: rf"\times 10^{{{int(m[1])}}}", text)
    text = re.sub(r"\bnan\b", r"\\mathrm{nan}", re.sub(r"\binf\b", r"\\infty", text))
    return f"${text}$"
