"""Numerals in a row of tokens: value and span, in one pass.

A numeral that English does not allow (`twenty eleven`, `1,2`, `five five`) is found, with no value.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache, lru_cache

from recognition._cardinals import (
    COUNTING,
    DIGITS,
    JOINING,
    STARTING,
    Atom,
    Exact,
    plain,
    read_numeral,
    vocabulary,
)
from recognition._tables import words

__all__ = ["Numeral", "digits_value", "is_number_word", "is_place", "numerals"]

_PLAIN = re.compile(r"\d+(?:\.\d+)?|\.\d+")
_GROUPED = re.compile(r"(?:\d{1,3}(?:,\d{3})+|\d{1,2}(?:,\d{2})+,\d{3})(?:\.\d+)?")
_RATIO = re.compile(r"(\d+)/(\d+)")
_POWER = re.compile(r"(\d+(?:\.\d+)?)e([+-]?\d{1,2})")
_KILO = re.compile(r"(\d+(?:\.\d+)?)k")
_TOUCHING = COUNTING | {"hundred", "scale", "denominator", "ordinal"}
_STARTS = frozenset(("a", "an", "half", "dozen"))
_CACHE = 1 << 14
_Piece = tuple[str, Exact, str]


@dataclass(frozen=True, slots=True)
class Numeral:
    """Tokens `start:end` that say a number; `value` is None where they don't say one."""

    start: int
    end: int
    value: int | float | None


def is_number_word(key: str) -> bool:
    """Whether a key is a word for a number or a part of one (`twenty-four`, `dozen`), or written in digits."""
    table = vocabulary()
    return key[:1].isdecimal() or all(part in table and table[part][0] != "scales" for part in key.split("-"))


def digits_value(key: str) -> Exact | None:
    """The value of a number in digits; None for anything else, and for groups that are not in threes."""
    if key.isdecimal() and len(key) <= DIGITS:
        return int(key)
    if len(key) > DIGITS:
        return None
    if len(key) == 1 and unicodedata.decomposition(key).startswith("<fraction>"):
        return Fraction(unicodedata.numeric(key)).limit_denominator(100)
    if _PLAIN.fullmatch(key):
        return _exact(Fraction(key))
    if _GROUPED.fullmatch(key):
        return _exact(Fraction(key.replace(",", "")))
    if (ratio := _RATIO.fullmatch(key)) and int(ratio[2]):
        return _exact(Fraction(int(ratio[1]), int(ratio[2])))
    if power := _POWER.fullmatch(key):
        return _exact(Fraction(power[1]) * Fraction(10) ** int(power[2]))
    if kilo := _KILO.fullmatch(key):
        return _exact(Fraction(kilo[1]) * 1000)
    return None


def _exact(value: Fraction) -> Exact:
    return value.numerator if value.denominator == 1 else value


@lru_cache(maxsize=_CACHE)
def _pieces(key: str) -> tuple[_Piece, ...]:
    """The kind, value and word of each part of a token, several in `forty-five`; empty for what is in no numeral."""
    table = vocabulary()
    value = digits_value(key) if key[:1] == "." or (key and not key[0].isalpha()) else None
    if value is not None:
        return (("digits", value, key),)
    parts = key.split("-") if len(key) > 1 else [key]
    if not all(part in table for part in parts):
        parts = [key]
    if len(parts) == 1 and key not in table and key not in JOINING:
        return (("broken", 0, key),) if key[:1].isdecimal() and "," in key else ()
    return tuple((*table.get(part, ("", 0)), part) for part in parts)


@cache
def _no_nouns() -> frozenset[str]:
    lists = words("closed_class")
    closed = (lists[name] for name in lists.keys() - {"number_word", "multiplier", "clause_verb", "quantity"})
    return words("numbers")["after_part"].union(*closed)


def is_place(first: str, last: str, after: str) -> bool:
    """Whether a fraction is a place in an order: `a third season`; but `a third`, `a third of them`, `a third more`."""
    return (
        first in ("a", "an")
        and vocabulary().get(last, ("", 0))[0] in ("denominator", "ordinal")
        and last not in ("half", "quarter")
        and after[:1].isalpha()
        and after not in _no_nouns()
        and after not in vocabulary()
    )


def numerals(keys: Sequence[str]) -> tuple[Numeral, ...]:
    """The numerals in a row of tokens, each as long as it can be, left to right.

    Ordinals are no numbers, nor is `a` by itself, nor `hundreds` without a count. What stands without a word between
    it and a numeral, and is one too, makes both of them one without a value.

    Args:
        keys: the normal forms of the tokens.
    """
    found: list[Numeral] = []
    run: list[tuple[_Piece, ...]] = []  # tokens that may hold a numeral
    # a long token has its cost, but no place in the cache
    rows = [_pieces(key) if len(key) <= DIGITS else _pieces.__wrapped__(key) for key in keys]
    for index, pieces in enumerate(rows):
        if pieces:
            run.append(pieces)
        elif run:
            found += _read(run, index - len(run), keys[index])
            run = []
    if run:
        found += _read(run, len(rows) - len(run), "")
    return tuple(found)


def _read(run: list[tuple[_Piece, ...]], first: int, after: str) -> list[Numeral]:
    """The numerals of tokens that stand together, the first of them at `first`, before the token `after`."""
    if len(run) == 1 and len(run[0]) == 1:  # the common case, for speed
        kind, value, word = run[0][0]
        if kind in COUNTING:
            return [Numeral(first, first + 1, plain(value))]
        if not kind and word not in _STARTS:
            return []
    atoms = [
        Atom(*piece, index, index + 1, count > 0)
        for index, pieces in enumerate(run, first)
        for count, piece in enumerate(pieces)
    ]
    found: list[Numeral] = []
    at = 0
    while at < len(atoms):
        atom = atoms[at]
        if atom.kind == "broken":
            found.append(Numeral(atom.start, atom.end, None))
        # 5 - 6 is no difference
        skip = atom.kind == "sign" and found and found[-1].end == atom.start
        starts = (atom.kind in STARTING and not skip) or atom.word in _STARTS
        reading = read_numeral(atoms, at) if starts else None
        if reading is None:
            at += 1
            continue
        value = None if reading.doubt or reading.value is None else plain(reading.value)
        at = reading.end
        while at < len(atoms) and (atoms[at].kind in _TOUCHING or atoms[at].bound):
            more = read_numeral(atoms, at) if atoms[at].kind in COUNTING else None
            at = at + 1 if more is None else more.end
            value = None
        if at == len(atoms) and is_place(atom.word, atoms[-1].word, after):
            value = None
        found.append(Numeral(atom.start, atoms[at - 1].end, value))
    return found
