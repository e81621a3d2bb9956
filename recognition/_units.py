"""Units of measurement: the table, prefixes, powers, and units made of others (`kg/m³`, `miles an hour`)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import cache
from typing import NamedTuple

from recognition._inflect import plural
from recognition._tables import rows

__all__ = ["Unit", "UnitReading", "parts_in", "read_currency", "read_more", "read_unit", "unit_words"]

# Without a symbol where it would rather be a word than that prefix: `5 al`, `3 ys`.
_SI = (
    "kilo=k mega=M giga=G tera=T peta=P exa= zetta= yotta= milli=m micro=µ micro=μ micro=u nano=n pico=p "
    "femto=f atto= centi=c deci=d hecto=h deca=da deka=da zepto= yocto="
)
_LARGE = (
    "kilo=k kilo=K mega=M giga=G tera=T peta=P exa=E zetta=Z yotta=Y "
    "kibi=Ki mebi=Mi gibi=Gi tebi=Ti pebi=Pi exbi=Ei"
)
# Of these kinds people write a symbol with a prefix in either case.
_CASELESS = frozenset(("information", "data rate", "frequency", "length", "mass", "volume", "power"))
# What a prefix and a symbol would make, and is a word: attosecond, microsecond (µs is), teravolt.
_WORDS = frozenset(("as", "us", "has", "am", "TV", "tv"))
_MOST_WORDS = 5

# No letters are raised digits and fractions, though they are word characters.
_LETTER = r"[^\W\d_⁰¹²³⁴⁵⁶⁷⁸⁹¼-¾⅐-⅞]"
_WORD = re.compile(rf"{_LETTER}+(?:\.{_LETTER}+)*")
_GAP = re.compile(r"\.?[ -]")
_POWER_BEFORE = re.compile(r"(sq|square|cu|cubic)(?:\. ?|[ -])", re.IGNORECASE)
_POWER_AFTER = re.compile(r" (squared|cubed)\b", re.IGNORECASE)
_EXPONENT = re.compile(r"\^?(-[1-3]|[23])(?![\w^]|[./]\d)|(⁻[¹²³]|[²³])(?!\w)")
_SYMBOL = re.compile(rf"[°º] ?[A-Za-z](?!{_LETTER})|y/o\b|{_LETTER}(?:\.{_LETTER})+(?!\w)|{_LETTER}+|[^\w\s]")
_IN_A_WORD = re.compile(rf"(?<={_LETTER})['-]{_LETTER}")
_RAISED = str.maketrans("⁻¹²³", "-123")
_PER = re.compile(r" ?/ ?|\.?[ -]per[ -]|( (?:an?|each|every) )", re.IGNORECASE)
_MOMENT = re.compile(r" (?:ago|earlier|later|before|after|from|long|old)\b", re.IGNORECASE)
_TIMES = re.compile(r"[·⋅*]")


class Unit(NamedTuple):
    """A unit of the table, or one with a prefix: its name and the kind of quantity that it measures."""

    name: str
    kind: str


class UnitReading(NamedTuple):
    """A unit up to the character `end`; `symbol` is what it was written as where it was one symbol."""

    unit: Unit
    end: int
    symbol: str


class _Factor(NamedTuple):
    unit: Unit
    power: int
    end: int
    symbol: str


class _Table(NamedTuple):
    names: dict[str, Unit]
    symbols: dict[str, Unit]
    caseless: dict[str, Unit]
    currency: re.Pattern[str]
    before: dict[str, Unit]
    formulas: dict[str, str]
    parts: dict[tuple[str, str], int]


def _prefixes(group: str) -> Iterator[tuple[str, str]]:
    entries = {"si": _SI, "large": _LARGE}.get(group, "")
    for entry in entries.split():
        name, symbol = entry.split("=")
        yield name, symbol


def _forms(name: str) -> set[str]:
    """A name and its plurals: of the last word (foot pounds) and of the first (degrees Celsius)."""
    first, space, rest = name.partition(" ")
    return {name, plural(name), plural(first) + space + rest}


def _key(written: str) -> str:
    return written.lower().replace(".", "").replace("-", " ")


@cache
def _table() -> _Table:
    names: dict[str, Unit] = {}
    symbols: dict[str, Unit] = {}
    made: dict[str, Unit] = {}
    before: dict[str, Unit] = {}
    formulas: dict[str, str] = {}
    parts: dict[tuple[str, str], int] = {}
    for row in rows("units"):
        if row[0] == "=":
            top, _, bottom = row[2].partition("/")
            formulas[_formula(top.split(), bottom.split())] = row[1]
            continue
        if row[0] == "part":
            parts.update({(row[1], whole): int(row[2]) for whole in row[3].split(",")})
            continue
        name, kind, prefix, written, after, ahead = row
        unit = Unit(name, kind)
        spellings = [] if written == "-" else written.split(",")
        marks = [] if after == "-" else after.split()
        for spelling in spellings:
            for form in _forms(spelling):
                names.setdefault(_key(form), unit)
                for word, _ in _prefixes(prefix):
                    names.setdefault(_key(word + form), Unit(word + name, kind))
        for written in marks:
            mark = written.removeprefix("-")
            if mark == written:
                symbols.setdefault(mark, unit)
            for word, letter in _prefixes(prefix):
                if letter and letter + mark not in _WORDS:
                    made.setdefault(letter + mark, Unit(word + name, kind))
        before.update(dict.fromkeys([] if ahead == "-" else ahead.split(), unit))
    caseless: dict[str, Unit] = {}
    for symbol, unit in [*symbols.items(), *made.items()]:
        loose = symbol in symbols or unit.kind in _CASELESS
        if loose and len(symbol) > 1 and symbol.lower() not in _WORDS:
            caseless.setdefault(symbol.lower(), unit)
    symbols = made | symbols
    priced = {mark.upper(): unit for mark, unit in before.items()}
    return _Table(names, symbols, caseless, _currency(before), priced, formulas, parts)


def _currency(marks: Iterable[str]) -> re.Pattern[str]:
    """A mark of currency that ends where a number begins; a space may stand before its sign, and after it."""
    ordered = sorted(marks, key=len, reverse=True)
    # us $ 5, c $ 5; but a $ 5 book, it ' s $ 5
    spaced = [
        re.escape(mark).replace(r"\$", r"\$" if mark in ("A$", "S$", "$") else r" ?\$") for mark in ordered
    ]
    return re.compile(rf"(?<![^\W\d_])(?:{'|'.join(spaced)})(?= {{0,2}}\Z)", re.IGNORECASE)


@cache
def unit_words() -> frozenset[str]:
    """The names of units that are one word."""
    return frozenset(name for name in _table().names if " " not in name)


def parts_in(part: str, whole: str) -> int | None:
    """How many of a part make a whole, where one speaks of both as one amount: cents in a dollar."""
    return _table().parts.get((part, whole))


def _formula(top: Iterable[str], bottom: Iterable[str]) -> str:
    return " ".join(sorted(top)) + "/" + " ".join(sorted(bottom))


def _named(text: str, at: int) -> tuple[Unit, int] | None:
    """The unit with the longest name that begins at a place."""
    names, found, end = _table().names, None, at
    for _ in range(_MOST_WORDS):
        word = _WORD.match(text, end)
        if word is None:
            break
        end = word.end()
        unit = names.get(_key(text[at:end]))
        found = (unit, end) if unit else found
        gap = _GAP.match(text, end)
        if gap is None:
            break
        end = gap.end()
    return found


def _symbol(text: str, at: int) -> tuple[Unit, int, str] | None:
    match = _SYMBOL.match(text, at)
    if match is None:
        return None
    if _IN_A_WORD.match(text, match.end()):
        return None
    table, symbol = _table(), match[0].replace(" ", "").replace(".", "")
    unit = table.symbols.get(symbol)
    if unit is None and len(symbol) > 1:
        unit = table.symbols.get(symbol.lower()) or table.caseless.get(symbol.lower())
    return None if unit is None else (unit, match.end(), symbol)


def _factor(text: str, at: int) -> _Factor | None:
    """One unit with its power: `square feet`, `km2`, `seconds squared`, `s-1`."""
    power = 1
    if square := _POWER_BEFORE.match(text, at):
        power, at = 2 if square[1][0].lower() == "s" else 3, square.end()
    named, mark = _named(text, at), _symbol(text, at)
    if named and (mark is None or named[1] >= mark[1]):
        unit, end, symbol = *named, ""
        if after := _POWER_AFTER.match(text, end):
            power, end = 2 if after[1].lower() == "squared" else 3, after.end()
    elif mark:
        unit, end, symbol = mark
        if symbol.isalpha() and (raised := _EXPONENT.match(text, end)):
            power, end, symbol = int((raised[1] or raised[2]).translate(_RAISED)), raised.end(), ""
        elif after := _POWER_AFTER.match(text, end):
            power, end, symbol = 2 if after[1].lower() == "squared" else 3, after.end(), ""
    else:
        return None
    if (text[end - 1].isalnum() and text[end : end + 1].isalnum()) or (
        square and unit.kind not in ("length", "time")
    ):
        return None
    return _Factor(unit, power, end, symbol)


def _power_name(name: str, power: int) -> str:
    return ("", name, f"square {name}", f"cubic {name}")[power]


def _kinds(factors: list[_Factor], sign: int) -> list[str]:
    kinds: list[str] = []
    for factor in factors:
        power = factor.power * sign
        if power > 0:
            solid = {2: ["area"], 3: ["volume"]}.get(power) if factor.unit.kind == "length" else None
            kinds += solid or [factor.unit.kind] * power
    return kinds


def _made(factors: list[_Factor]) -> Unit:
    """The unit that is the product of the factors: `kilogram per cubic meter`, of the kind density."""
    if len(factors) == 1 and factors[0].power == 1:
        return factors[0].unit
    top = " ".join(_power_name(f.unit.name, f.power) for f in factors if f.power > 0)
    bottom = " per ".join(_power_name(f.unit.name, -f.power) for f in factors if f.power < 0)
    name = f"{top} per {bottom}" if top and bottom else top or f"inverse {bottom}"
    above, below = _kinds(factors, 1), _kinds(factors, -1)
    if len(above) == 1 and not below:
        return Unit(name, above[0])
    listed = _table().names.get(name)
    return Unit(name, listed.kind if listed else _table().formulas.get(_formula(above, below), "compound"))


def _chain(text: str, factors: list[_Factor], end: int) -> int:
    """Takes the units that multiply or divide those there are; the place after them."""
    while True:
        if times := _TIMES.match(text, end):
            factor, sign = _factor(text, times.end()), 1
        elif per := _PER.match(text, end):
            factor, sign = _factor(text, per.end()), -1
            if factor and per[1] and not _is_rate(text, factors[0].unit, factor):
                return end
        else:
            return end
        if factor is None:
            return end
        factors.append(factor._replace(power=sign * factor.power))
        end = factor.end


def _is_rate(text: str, unit: Unit, factor: _Factor) -> bool:
    """Whether a unit after an article divides: `miles an hour`, `dollars a pound`, but not `dollars a year earlier`."""
    divides = factor.unit.kind == "time" or unit.kind == "currency"
    return divides and not factor.symbol and not _MOMENT.match(text, factor.end)


def read_unit(text: str, at: int) -> UnitReading | None:
    """The longest unit that begins at a place; None where none does.

    Args:
        text: folded.
        at: a place in the text, the first character of a word or mark.
    """
    factor = _factor(text, at)
    if factor is None:
        return None
    factors = [factor]
    end = _chain(text, factors, factor.end)
    return UnitReading(_made(factors), end, factor.symbol if len(factors) == 1 else "")


def read_more(text: str, unit: Unit, at: int) -> UnitReading:
    """What a unit becomes with the units that follow at a place: the dollar of `$15.4/hour`."""
    factors = [_Factor(unit, 1, at, "")]
    end = _chain(text, factors, at)
    return UnitReading(_made(factors), end, "")


def read_currency(text: str, end: int) -> tuple[Unit, int] | None:
    """The currency whose mark stands before the number at `end`, and where the mark begins."""
    start = max(0, end - 8)
    match = _table().currency.search(text[start:end])
    if match is None:
        return None
    unit = _table().before.get(match[0].replace(" ", "").upper())
    return None if unit is None else (unit, start + match.start())
