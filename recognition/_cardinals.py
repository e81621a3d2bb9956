"""The grammar of English numerals, over a row of atoms; who makes the atoms says where they stand.

Cardinals (`two hundred and two thousand`, `forty-five hundred`, `three lakh crore`), decimals (`two point zero five
million`), fractions (`three quarters`, `three twenty-firsts`, `two thirds of a million`), mixed numbers (`one and a
half thousand`), packs (`two dozen`) and signs. Each numeral is read as long as English allows and no longer.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from functools import cache
from typing import NamedTuple

from recognition._tables import words

__all__ = [
    "COUNTING",
    "DIGITS",
    "JOINING",
    "STARTING",
    "Atom",
    "Exact",
    "Reading",
    "plain",
    "read_numeral",
    "vocabulary",
]

Exact = int | Fraction

# More digits than any count needs; int() of a string is quadratic in its length.
DIGITS = 40
COUNTING = frozenset(("unit", "teen", "tens", "digits"))
STARTING = COUNTING | {"hundred", "scale", "sign"}
# Words without a value that a numeral may hold.
JOINING = frozenset(("a", "an", "and", "of", "point", ",", "-"))
_ORDINAL = frozenset(("denominator", "ordinal"))
_RUN = COUNTING | {"hundred", "scale"}
# A numerator and a denominator in words have fewer atoms than this; it keeps the look ahead constant.
_REACH = 24


class Atom(NamedTuple):
    """A word, number in digits or mark; `start:end` is its place, `bound` says that a hyphen ties it to the last."""

    kind: str
    value: Exact
    word: str
    start: int
    end: int
    bound: bool = False


class Reading(NamedTuple):
    """A numeral up to the atom `end`: no value for an ordinal, `doubt` where English leaves open what is divided."""

    end: int
    value: Exact | None
    doubt: bool = False


@cache
def vocabulary() -> dict[str, tuple[str, int]]:
    """Every word of the table of numbers, with its kind and its value."""
    return {
        word: (kind, int(value))
        for kind, entries in words("numbers").items()
        for word, value in (entry.rsplit("=", 1) for entry in entries if "=" in entry)
    }


def plain(value: Exact) -> int | float | None:
    """An int where the value is one, else the nearest float; None beyond the range of floats."""
    try:
        return (
            value if isinstance(value, int) else value.numerator if value.denominator == 1 else float(value)
        )
    except OverflowError:
        return None


def _as_cardinal(atom: Atom) -> Atom:
    """The cardinal an ordinal ends like: `fifth` as `five`, `hundredths` as `hundred`."""
    value = int(atom.value)
    kind = "unit" if value < 10 else "teen" if value < 20 else "tens" if value < 100 else "scale"
    return atom._replace(kind="hundred" if value == 100 else kind)


class _Reader:
    """Reads from the atom `at` and never beyond `stop`."""

    def __init__(self, atoms: Sequence[Atom], at: int, stop: int) -> None:
        self.atoms, self.at, self.stop = atoms, at, stop
        self.doubt = False
        self.last_scale: int | None = None

    def kind(self, ahead: int = 0) -> str:
        place = self.at + ahead
        return self.atoms[place].kind if place < self.stop else ""

    def word(self, ahead: int = 0) -> str:
        place = self.at + ahead
        return self.atoms[place].word if place < self.stop else ""

    def take(self) -> Exact:
        self.at += 1
        return self.atoms[self.at - 1].value

    def _whole(self, start: int, stop: int, atoms: Sequence[Atom] | None = None) -> Exact | None:
        """The value of the cardinal that is exactly these atoms."""
        reader = _Reader(atoms or self.atoms, start, stop)
        value = reader.cardinal()
        return value if reader.at == stop else None

    def _ordinal(self, start: int, last: int) -> int | None:
        """What the atoms `start` to `last` divide by, where they are an ordinal: `fifths`, `twenty firsts`."""
        atom = self.atoms[last]
        if start == last:
            return int(atom.value) if atom.kind == "denominator" or atom.value > 2 else None
        if self.atoms[start].kind not in ("unit", "teen", "tens") or atom.word in ("half", "halves"):
            return None
        if atom.word.startswith("quarter"):
            return None
        value = self._whole(0, last - start + 1, [*self.atoms[start:last], _as_cardinal(atom)])
        return None if value is None else int(value)

    def _numerator(self, stop: int) -> Exact | None:
        if stop == self.at + 1 and self.word() in ("a", "an"):
            return 1
        if self.kind() not in COUNTING and self.word() not in ("a", "an"):
            return None
        value = self._whole(self.at, stop)
        return value if isinstance(value, int) else None

    def fraction(self) -> Fraction | None:
        """`half`, `half a`, `a third`, `three quarters`, `one one hundred fifth`; takes nothing where there is none."""
        if self.word() == "half":
            self.at += 2 if self.word(1) in ("a", "an") else 1
            return Fraction(1, 2)
        last, conjunction = self.at, -1
        while last < self.stop and self.atoms[last].kind not in _ORDINAL:
            kind, word = self.atoms[last].kind, self.atoms[last].word
            if last - self.at > _REACH or not (
                kind in _RUN or word in ("and", "-") or (word in ("a", "an") and last == self.at)
            ):
                return None
            conjunction = last if word == "and" else conjunction
            last += 1
        if last in (self.at, self.stop) or self.atoms[last].word == "second":
            return None  # a thirty-second break
        if conjunction >= 0:
            rest = _Reader(self.atoms, conjunction + 1, last + 1)
            part = rest.fraction()
            if part is not None and part < 1:
                return None  # one hundred and three quarters is a mixed number
        plural = self.atoms[last].word.endswith("s")
        digits = self.kind() == "digits"  # 2 thirds; but 140 quarters may be coins
        readings: list[Fraction] = []
        unlikely: list[Fraction] = []
        for cut in range(self.at + 1, last + 1):
            tied = cut < last and (self.atoms[cut].bound or self.atoms[cut].word in ("-", "and"))
            if tied or (cut < last and self.atoms[cut - 1].word == "-"):
                continue
            bottom = self._ordinal(cut, last)
            if bottom is None:
                continue
            top = self._numerator(cut - 1 if self.atoms[cut - 1].word == "-" else cut)
            if top is not None and plural == (top != 1) and not (digits and top >= bottom):
                final = self.atoms[last]
                counted = cut < last and final.value >= 100 and not final.bound and self.atoms[cut].value != 1
                (unlikely if counted else readings).append(Fraction(top) / bottom)
        readings = readings or unlikely  # twenty five hundredths are 25/100
        if not readings:
            return None
        self.doubt |= len(readings) > 1 or digits
        self.at = last + 1
        return readings[0]

    def _fraction_follows(self) -> bool:
        ahead = _Reader(self.atoms, self.at, min(self.stop, self.at + _REACH))
        value = ahead.fraction()
        return value is not None and value < 1

    def _below_hundred(self) -> Exact | None:
        if self.kind() == "tens":
            tens = self.take()
            dash = self.word() == "-"
            if self.kind(dash) == "unit" and self.atoms[self.at + dash].value:
                self.at += dash  # fifty - two
                return tens + self.take()
            return tens
        return self.take() if self.kind() in COUNTING else None

    def _tail(self) -> Exact:
        """What follows `hundred`: `and two`, `thirty`; 0 if nothing does."""
        start = self.at
        if self.word() == "and":
            self.at += 1
            if self._fraction_follows():
                self.at = start
                return 0
        value = self._below_hundred()
        if value is not None and isinstance(value, int) and 0 < value < 100 and self.kind() != "hundred":
            return value
        self.at = start
        return 0

    def _group(self, first: bool) -> Exact | None:
        """What may stand before a scale: `two hundred and two`, `forty-five hundred`, `a`, `1 1/2`; never empty."""
        article = first and self.word() in ("a", "an")
        if article and (self.kind(1) in ("hundred", "scale") or self.word(1) == "dozen"):
            self.at += 1
            value: Exact | None = 1
        elif first and (self.kind() in ("hundred", "scale") or self.word() == "dozen"):
            value = 1
        else:
            digits = self.kind() == "digits"
            value = self._below_hundred()
            if value is None:
                return None
            if self.kind() == "digits" and digits and isinstance(value, int):
                part = self.atoms[self.at].value
                if 0 < part < 1 and "." not in self.word():
                    return value + self.take()  # 1 1/2
            if self.kind() == "hundred" and not digits and not 0 < value < 100:
                return value
        if self.kind() == "hundred":
            value *= self.take()
            value += self._tail()
        return value

    def _join(self) -> str:
        """Takes the `and` or comma before another group, if there is one, and says which."""
        word = self.word()
        if word not in ("and", ","):
            return ""
        self.at += 1
        return word

    def cardinal(self) -> Exact | None:
        """A cardinal; takes nothing where there is none."""
        total: Exact = 0
        limit: int | None = None
        while True:
            start = self.at
            join = self._join() if limit is not None else ""
            if join == "and" and self._fraction_follows():
                self.at = start
                break
            hundreds = self.kind(1) == "hundred"
            long = self.kind() == "digits" and self.atoms[self.at].value >= 1000
            value = self._group(limit is None)
            if value is None:
                self.at = start
                break
            size = 0
            if value and self.kind() in ("scale", "scales"):
                size = int(self.take())
                while self.kind() == "scale":
                    size *= int(self.take())  # lakh crore
            if limit is not None:
                fits = value * (size or 1) < limit and not (long and not size)
                if not fits or (join == "," and not size and not hundreds):
                    self.at = start
                    break
            total += value * (size or 1)
            if not size:
                return total
            limit = self.last_scale = size
        return None if limit is None else total

    def _decimals(self) -> Fraction | None:
        """`point zero five`, `point twenty-three`; takes nothing where no digit follows."""
        digits, start = "", self.at
        self.at += 1
        while self.kind() in COUNTING and len(digits) <= DIGITS:
            if self.kind() == "digits":
                if not self.word().isdecimal():
                    break
                digits += self.word()
                self.at += 1
                break
            digits += str(self._below_hundred())
        if digits:
            return Fraction(f"0.{digits}")
        self.at = start
        return None

    def _times(self, value: Exact) -> Exact:
        """What a fraction is of: `half a dozen`, `one and a half thousand`, `a third of a million`."""
        while True:
            if self.kind() in ("scale", "scales", "hundred") or self.word() in ("dozen", "dozens"):
                value *= self.take()
            elif (
                self.word() == "of"
                and self.word(1) in ("a", "an", "one")
                and (self.kind(2) in ("scale", "hundred") or self.word(2) == "dozen")
            ):
                self.at += 2
            else:
                return value

    def _mixed(self, value: Exact, article: bool) -> Exact | None:
        """The value with `and three quarters`, or None where no proper fraction follows."""
        start = self.at
        self.at += 1
        tens, half = self.kind() in ("teen", "tens"), self.word(1) == "half"
        part: Exact | None = self.fraction()
        if part is None and self.kind() == "digits":
            part = self.take()  # five and 1/2
            part = part if isinstance(part, Fraction) and "." not in self.atoms[self.at - 1].word else None
        if part is None or not 0 < part < 1:
            self.at = start
            return None
        self.doubt |= tens
        scale = self.last_scale
        if scale and self.kind() in ("scale", "scales"):
            size = int(self.atoms[self.at].value)
            if size < scale:
                return value + self._times(part)  # one billion and three quarters million
        if scale and article and half and scale == value:
            return value + part * scale  # a million and a half
        return self._times(value + part)

    def number(self) -> Reading | None:
        sign = int(self.take()) if self.kind() == "sign" else 1
        part = self.fraction()
        if part is not None:
            product = sign * self._times(part)
            return Reading(self.at, product, self.doubt)
        article = self.word() in ("a", "an")
        start = self.at
        value = self.cardinal()
        if value is None:
            return None
        written = self.at == start + 1 and self.kind(-1) == "digits"
        joined = self.word() == "and"
        last = self._ordinal_after(start)
        if last:
            return Reading(last + 1, None)
        if written and self.kind() == "short":
            return Reading(self.at + 1, sign * value * self.atoms[self.at].value)  # 10 k
        mixed = self._mixed(value, article) if joined else None
        if mixed is not None:
            return Reading(self.at, sign * mixed, self.doubt)
        decimals = self._decimals() if self.word() == "point" and isinstance(value, int) else None
        if decimals is not None:
            value = self._times(value + decimals)
        if self.kind() == "pack" and value > 0:
            score = self.word() == "score"
            value *= self.take()
            if score and self.word() == "and" and self.kind(1) in ("unit", "teen"):
                self.at += 1
                value += self.take()  # three score and ten
        elif self.kind() == "over":
            value = self._over(value)
        return Reading(self.at, sign * value, self.doubt)

    def _ordinal_after(self, start: int) -> int:
        """Where the ordinal is that the cardinal begins: `twenty-first`, `two thousand, nine hundredth`; or 0."""
        for last in range(self.at, min(self.stop, self.at + 3)):
            atom = self.atoms[last]
            if atom.kind in _ORDINAL:
                return last if self._ordinal(start, last) is not None else 0
            if atom.kind not in COUNTING and atom.word not in ("and", ","):
                break
        return 0

    def _over(self, value: Exact) -> Exact:
        """The value divided by what follows `over`, or `out of` where that is more."""
        start = self.at
        out = self.word() == "out"
        self.at += 2 if out else 1
        if not out or self.word(-1) == "of":
            first = self.at
            below = self.cardinal()
            if below and self.at > first and not (out and value > below):
                return Fraction(value) / below
        self.at = start
        return value


def read_numeral(atoms: Sequence[Atom], at: int) -> Reading | None:
    """Reads the numeral that begins at an atom, as long as it can be; None where none begins.

    Args:
        atoms: of kinds and values as in the table of numbers, `digits` for what is written in digits, and an empty
            kind for everything else.
        at: where to read.
    """
    atom = atoms[at]
    if atom.kind in COUNTING:
        after = atoms[at + 1] if at + 1 < len(atoms) else None
        if after is None or (not after.kind and after.word not in ("and", "point", "-")):
            return Reading(at + 1, atom.value)  # the common case, for speed
    return _Reader(atoms, at, len(atoms)).number()
