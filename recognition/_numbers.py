"""Numerals in a row of tokens: value and span, in one pass.

A numeral that English does not allow (`twenty eleven`, `1,2`, `five five`) is found, with no value.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache

from recognition._tables import words

__all__ = ["Numeral", "is_number_word", "numerals"]

# More digits than any count needs; int() of a string is quadratic in its length.
_DIGITS = 40
_PLAIN = re.compile(r"\d+(?:\.\d+)?|\.\d+")
_GROUPED = re.compile(r"(?:\d{1,3}(?:,\d{3})+|\d{1,2}(?:,\d{2})+,\d{3})(?:\.\d+)?")
_RATIO = re.compile(r"(\d+)/(\d+)")
_POWER = re.compile(r"(\d+(?:\.\d+)?)e([+-]?\d{1,2})")
_KILO = re.compile(r"(\d+(?:\.\d+)?)k")


@dataclass(frozen=True, slots=True)
class Numeral:
    """Tokens `start:end` that say a number; `value` is None where they don't say one."""

    start: int
    end: int
    value: int | float | None


@cache
def _vocabulary() -> dict[str, tuple[str, int]]:
    return {
        word: (kind, int(value))
        for kind, entries in words("numbers").items()
        for word, value in (entry.rsplit("=", 1) for entry in entries)
    }


def is_number_word(key: str) -> bool:
    """Whether a key is a word for a number or a part of one (`twenty-four`, `dozen`), or written in digits."""
    return all(part in _vocabulary() for part in key.split("-")) or key[:1].isdecimal()


def _digits(key: str) -> Fraction | None:
    """The value of a token in digits; None for anything else, and for groups that are not in threes."""
    if len(key) > _DIGITS:
        return None
    if len(key) == 1 and unicodedata.decomposition(key).startswith("<fraction>"):
        return Fraction(unicodedata.numeric(key)).limit_denominator(100)
    if _PLAIN.fullmatch(key):
        return Fraction(key)
    if _GROUPED.fullmatch(key):
        return Fraction(key.replace(",", ""))
    if (ratio := _RATIO.fullmatch(key)) and int(ratio[2]):
        return Fraction(int(ratio[1]), int(ratio[2]))
    if power := _POWER.fullmatch(key):
        return Fraction(power[1]) * Fraction(10) ** int(power[2])
    if kilo := _KILO.fullmatch(key):
        return Fraction(kilo[1]) * 1000
    return None


@dataclass(frozen=True, slots=True)
class _Part:
    """A word or digits of a numeral, and the token it belongs to."""

    kind: str
    value: Fraction
    word: str
    token: int


def _parts(keys: Sequence[str]) -> list[_Part]:
    table, parts = _vocabulary(), []
    for index, key in enumerate(keys):
        value = _digits(key) if key[:1] == "." or (key and not key[0].isalpha()) else None
        if value is not None:
            parts.append(_Part("digits", value, key, index))
            continue
        pieces = key.split("-") if len(key) > 1 else [key]
        if not all(piece in table for piece in pieces):
            pieces = [key]
        for piece in pieces:
            kind, number = table.get(piece, ("", 0))
            parts.append(_Part(kind, Fraction(number), piece, index))
    return parts


class _Reader:
    """Reads one numeral from a place in the parts; `at` is where it stopped, `broken` what it thinks of it."""

    def __init__(self, parts: list[_Part], at: int) -> None:
        self.parts, self.at, self.broken = parts, at, False

    def kind(self, ahead: int = 0) -> str:
        place = self.at + ahead
        return self.parts[place].kind if place < len(self.parts) else ""

    def word(self, ahead: int = 0) -> str:
        place = self.at + ahead
        return self.parts[place].word if place < len(self.parts) else ""

    def take(self) -> Fraction:
        self.at += 1
        return self.parts[self.at - 1].value

    def fraction(self) -> Fraction | None:
        """`half`, `a half`, `half a`, `three quarters`, `one third`; nothing is taken where there is none."""
        if self.word() in ("half", "halves"):
            if self.word() == "halves":
                return None
            self.at += 1
            if self.word() in ("a", "an"):
                self.at += 1
            return Fraction(1, 2)
        one = self.word() in ("a", "an", "one")
        if not one and self.kind() not in ("unit", "teen", "tens"):
            return None
        if self.kind(1) != "denominator" or one == self.word(1).endswith("s"):
            return None
        top = Fraction(1) if one else self.take()
        self.at += one
        bottom = self.take()
        return top / bottom

    def _below_hundred(self) -> Fraction | None:
        if self.kind() == "digits":
            return self.take()
        if self.kind() in ("unit", "teen"):
            return self.take()
        if self.kind() == "tens":
            tens = self.take()
            if self.word() == "-" and self.kind(1) == "unit":
                self.at += 1  # fifty - two
            if self.kind() == "unit" and self.parts[self.at].value:
                return tens + self.take()
            return tens
        return None

    def _joined(self) -> bool:
        """Whether `and` or a comma goes on with the numeral; takes it if so."""
        if self.word() == "and" and self.kind(1) in ("unit", "teen", "tens", "digits"):
            if self.kind(2) == "denominator":
                return False
            self.at += 1
            return True
        if self.word() == "," and self.kind(1) == "unit" and self.kind(2) == "hundred":
            self.at += 1
            return True
        return False

    def cardinal(self) -> Fraction | None:
        total, current, scale = Fraction(0), Fraction(0), None
        begun = False
        if self.word() in ("a", "an"):
            if self.kind(1) not in ("hundred", "scale") and self.word(1) != "dozen":
                return None
            self.at += 1
            current, begun = Fraction(1), True
        elif self.kind() in ("hundred", "scale") or self.word() == "dozen":
            current, begun = Fraction(1), True
        while True:
            kind = self.kind()
            if kind in ("unit", "teen", "tens", "digits") and (
                not current or not begun or current % 100 == 0
            ):
                if begun and kind == "digits" and self.parts[self.at].value >= 1000:
                    self.broken = True
                value = self._below_hundred()
                assert value is not None
                current += value
            elif kind == "hundred" and 0 < current < 100:
                current *= self.take()
            elif (
                kind == "hundred"
                and self.parts[self.at - 1].kind == "digits"
                and current == self.parts[self.at - 1].value
            ):
                current *= self.take()  # 322 hundred
            elif kind == "scale" and current:
                size = self.take()
                self.broken |= scale is not None and size >= scale
                total, current, scale = total + current * size, Fraction(0), size
                while self.kind() == "scale":
                    total *= self.take()
            elif kind in ("unit", "teen", "tens", "digits", "hundred"):
                if kind == "digits" and 0 < self.parts[self.at].value < 1 and current.denominator == 1:
                    current += self.take()  # 1 1/2
                    break
                self.broken = True
                self.at += 1
            else:
                break
            begun = True
            joinable = current % 100 == 0
            if joinable and not self._joined() and self.word() in ("and", ","):
                break
        if not begun:
            return None
        if self.word() == "point":
            current += self._decimals()
        if self.kind() == "pack" and total + current > 0:
            return (total + current) * self.take()
        return total + current

    def _decimals(self) -> Fraction:
        digits, start = "", self.at
        self.at += 1
        while self.kind() in ("unit", "teen", "tens"):
            value = self._below_hundred()
            digits += str(value)
            if len(digits) > _DIGITS:
                self.broken = True
                break
        if not digits:
            self.at = start
            return Fraction(0)
        return Fraction(f"0.{digits}")

    def number(self) -> Fraction | None:
        sign = Fraction(1)
        if self.kind() == "sign":
            sign = self.take()
        value = self.fraction()
        if value is None:
            value = self.cardinal()
            if value is None:
                return None
            if self.kind() == "denominator" and self.word().endswith("s") and 1 < value < 100:
                value /= self.take()  # twenty-three fifths
            elif self.kind() in ("denominator", "ordinal"):
                # twenty first, two third; in one hundred thirty fifths it is open what is divided
                self.broken = True
                self.at += 1
            elif self.word() == "and":
                here = self.at
                self.at += 1
                tens = self.kind() in ("teen", "tens")
                rest = self.fraction()
                if rest is None:
                    self.at = here
                else:
                    value += rest
                    self.broken |= tens
        while self.kind() in ("scale", "hundred") or self.word() in ("dozen", "dozens"):
            value *= self.take()  # one and a half thousand; half a dozen
        if self.kind() == "short" and self.parts[self.at - 1].kind == "digits":
            value *= self.take()  # 10 k
        if self.kind() in ("unit", "teen", "tens", "digits"):
            self.broken = True
        return sign * value


def _plain(value: Fraction) -> int | float:
    return value.numerator if value.denominator == 1 else float(value)


def numerals(keys: Sequence[str]) -> tuple[Numeral, ...]:
    """The numerals in a row of tokens, each as long as it can be, left to right.

    Ordinals are no numbers, nor is `a` by itself, nor `hundreds` without a count.

    Args:
        keys: the normal forms of the tokens.
    """
    parts, found, at = _parts(keys), [], 0
    while at < len(parts):
        part = parts[at]
        starts = part.kind in ("unit", "teen", "tens", "digits", "hundred", "scale", "sign")
        if not starts and part.word not in ("a", "an", "half", "dozen"):
            if part.word[:1].isdecimal() and "," in part.word:
                found.append(Numeral(part.token, part.token + 1, None))
            at += 1
            continue
        if part.kind == "sign" and found and found[-1].end == part.token:
            at += 1  # 5 - 6 is no difference
            continue
        reader = _Reader(parts, at)
        value = reader.number()
        if value is None or reader.at == at:
            at += 1
            continue
        end = parts[reader.at - 1].token + 1
        inside = reader.at < len(parts) and parts[reader.at].token == end - 1
        found.append(Numeral(part.token, end, None if reader.broken or inside else _plain(value)))
        at = reader.at
        while at < len(parts) and parts[at].token < end:
            at += 1
    return tuple(found)
