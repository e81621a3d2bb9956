"""Numbers in running text: digits and words become atoms with their places, and the one grammar reads them."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection
from fractions import Fraction
from typing import NamedTuple

from recognition._cardinals import (
    COUNTING,
    DIGITS,
    STARTING,
    Atom,
    Exact,
    Reading,
    plain,
    read_numeral,
    vocabulary,
)
from recognition._numbers import digits_value, is_place
from recognition._tables import words
from recognition.tokens import fold

__all__ = ["Mention", "mentions"]

# Spaces that group digits (1 234.5); the common space does so only where two numbers make no sense.
_THIN = "\u00a0\u2007\u2009\u202f"
_ARABIC = {0x66B: ".", 0x66C: ","}
_SUPER = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻⁺", "0123456789-+")
_SHORT = {
    "mil": 6,
    "mln": 6,
    "mn": 6,
    "m": 6,
    "bln": 9,
    "bn": 9,
    "b": 9,
    "tln": 12,
    "tn": 12,
    "t": 12,
    "k": 3,
}
_FRACTION = "¼-¾⅐-⅞"
_LETTER = rf"[^\W\d_⁰¹²³⁴⁵⁶⁷⁸⁹{_FRACTION}]"
# A result beyond these is no number that a text means, and costs time.
_EXPONENT = 308

# No ratio in a date or the number of a telephone; a look-behind has a fixed width.
_NO_RATIO = "".join(rf"(?<!\d[-/]\d{{{width}}})" for width in range(1, 8))
# The repeats are bounded: every one that fails at its end would else be read again from each of its groups.
_LEX = re.compile(
    rf"""
    (?P<digits>
      (?<![\w^])(?<!\d\.)(?:
        \d++(?:\.\d++){{2,}}+                               # a version, a date: no number
        | (?:\d{{1,3}}(?:,\d{{3}}){{1,12}}(?!\d|,\d)
          | \d{{1,2}}(?:,\d\d){{1,12}},\d{{3}}(?!\d|,\d)
          | \d{{1,3}}(?:[{_THIN}']\d{{3}}){{1,12}}(?!\d)
          | \d{{1,3}}(?:\x20\d{{3}}){{2,12}}(?!\d|\x20\d)
          | \d{{1,3}}\x200\d\d(?!\d|\x20\d)                 # no number by itself begins with a zero
          | (?<!\d,)\d++,\d\d(?![\d,]|\.\d)
          | \d++)(?:\.\d++)?
        | \.\d++
      )
      (?:
        [eE][+-]?\d{{1,3}}(?!\w)
        | \s?[x×*·⋅]\s?\d{{1,2}}(?:\^[+-]?\d{{1,3}}|[⁻⁺]?[⁰¹²³⁴⁵⁶⁷⁸⁹]{{1,3}})
        | \s?[x×·⋅]\s?10[+-]\d{{1,2}}(?!\w)
        | (?<=(?<!\d)10)[⁻⁺]?[⁰¹²³⁴⁵⁶⁷⁸⁹]{{1,3}}
        | \^[+-]{{0,2}}\d++(?:\.\d++)?
        | {_NO_RATIO}[⁄/]\d++(?:(?:rd|th|nd|st)s?\b)?(?![/\d]|[.,]\d)
        | (?:K|k|M|B|T|[Mm]il|[Mm]ln|[Mm]n|[Bb]ln|[Bb]n|[Tt]ln|[Tt]n)(?![\w'^]|[.]\w)
        | (?<=\.\d)b(?!\w) | (?<=\.\d\d)b(?!\w)            # no part of a bit
        | \x20{{1,2}}k(?![\w'^]|[.]\w)
      )?
      | [{_FRACTION}]
    )
    | (?P<address>(?:https?://|www\.)\S+)
    | (?P<word>{_LETTER}++(?:'{_LETTER}++)*+)
    | (?P<mark>\S|\n\s*\n)
    """,
    re.VERBOSE,
)
_RAISED = re.compile("[⁻⁺]?[⁰¹²³⁴⁵⁶⁷⁸⁹]+")
_PRODUCT = re.compile(r"(.+?)\s?[x×*·⋅]\s?(\d{1,2})(?:\^([+-]?\d+)|([+-]\d+))")
_POWER = re.compile(r"(.+)\^([+-]*)(.+)")
_LETTERS = re.compile(r"(.+?) *([A-Za-z]+)")
_PART = re.compile(f"[{_FRACTION}]")
_NAME = re.compile(r"(?<!\w)[A-Z]+-\Z")
_GROUPS = re.compile(rf"(?<=\d)[{_THIN}' ](?=\d)")


class Mention(NamedTuple):
    """A number in a text: `text[start:end]` says it; `glued` where a letter or digit follows at once (`29km`)."""

    value: int | float
    start: int
    end: int
    glued: bool


def _power(base: Exact, exponent: Exact) -> Exact | None:
    if not base and exponent <= 0:
        return None
    if abs(exponent) * len(str(base)) > _EXPONENT:
        return None
    if isinstance(exponent, int):
        return Fraction(base) ** exponent
    value = float(base) ** float(exponent)
    return Fraction(value)


def _digits(written: str) -> Exact | None:
    """The value of digits in a text, which may group by thin spaces, have a decimal comma, and be a power."""
    if len(written) > DIGITS:
        return None
    if "/" in written or "⁄" in written:
        return digits_value(written.rstrip("dhnrst").replace("⁄", "/"))
    key = _RAISED.sub(lambda raised: "^" + raised[0].translate(_SUPER), _GROUPS.sub("", written))
    value = digits_value(key.lower())
    if value is not None:
        return value
    if re.fullmatch(r"\d+,\d\d", key):
        return digits_value(key.replace(",", "."))
    if power := _PRODUCT.fullmatch(key):
        base, factor = digits_value(power[1]), _power(int(power[2]), int(power[3] or power[4]))
        return None if base is None or factor is None else base * factor
    if power := _POWER.fullmatch(key):
        base, exponent = digits_value(power[1]), digits_value(power[3])
        if base is None or exponent is None:
            return None
        return _power(base, -exponent if power[2].count("-") % 2 else exponent)
    if short := _LETTERS.fullmatch(key):
        base, digits = digits_value(short[1]), _SHORT.get(short[2].lower())
        return None if base is None or digits is None else base * 10**digits
    return None


def _simplest(value: Exact) -> Exact:
    return value.numerator if isinstance(value, Fraction) and value.denominator == 1 else value


def _is_money(text: str, start: int) -> bool:
    """Whether the sign of a currency stands before a place."""
    before = text[max(0, start - 2) : start].rstrip(" ")[-1:]
    return unicodedata.category(before or " ") == "Sc"


class _Lexer:
    """Makes atoms of a text; a hyphen between two number words ties the second to the first."""

    def __init__(self, text: str) -> None:
        self.text, self.folded = text, fold(text)
        self.atoms: list[Atom] = []

    def _tight(self, place: int) -> bool:
        return 0 < place < len(self.text) - 1 and not (
            self.text[place - 1].isspace() or self.text[place + 1].isspace()
        )

    def _is_sign(self, place: int) -> bool:
        """Whether the hyphen is a minus: before digits, and not between two things."""
        after = self.folded[place + 1 : place + 3]
        figure = after[:1].isdecimal() or (after[:1] == "." and after[1:].isdecimal()) or _PART.match(after)
        if self.atoms and self.atoms[-1].kind in COUNTING:
            return False
        if self.folded[place + 1 : place + 2] == " ":
            return not self.folded[:place].strip()
        before = self.folded[place - 1 : place] if place else " "
        return bool(figure) and not (before.isalnum() or before in "-)]%'\".")

    def _in_a_name(self, place: int) -> bool:
        """Whether digits follow capitals and a hyphen: `F-16`."""
        before = _NAME.search(self.folded, max(0, place - 8), place)
        return before is not None

    def run(self) -> list[Atom]:
        table, atoms, tied = vocabulary(), self.atoms, False
        for match in _LEX.finditer(_kept_thin(self.text, self.folded)):
            start, end = match.span()
            group, bound, tied = match.lastgroup, tied, False
            if group == "word":
                word = match[0].lower()
                price = atoms[-1] if atoms and atoms[-1].end == start and word in _SHORT else None
                if price and price.kind == "digits" and _is_money(self.folded, price.start):
                    atoms[-1] = price._replace(value=price.value * 10 ** _SHORT[word], end=end)
                    continue  # $5m
                kind, value = table.get(word, ("over" if word in ("over", "out") else "", 0))
                if word == "k":
                    kind = ""  # digits have taken theirs
                atoms.append(Atom(kind, value, word, start, end, bound and bool(kind)))
                continue
            if group == "digits":
                value = _digits(match[0])
                if value is None or self._in_a_name(start):
                    atoms.append(Atom("", 0, "", start, end))
                else:
                    atoms.append(Atom("digits", _simplest(value), match[0], start, end))
                continue
            mark = "and" if match[0] == "&" else match[0] if group == "mark" else ""
            if mark == "-":
                if self._is_sign(start):
                    atoms.append(Atom("sign", -1, "-", start, end))
                    continue
                before = atoms[-1] if atoms and atoms[-1].end == start and self._tight(start) else None
                tied = before is not None and (bool(before.kind) or before.word in ("and", "a"))
                if tied and not self.folded[end : end + 1].isdecimal():
                    continue
            atoms.append(Atom("", 0, mark if mark in (",", "-", "and") else "", start, end))
        return atoms


def _kept_thin(text: str, folded: str) -> str:
    """The folded text, with the thin spaces that group digits as they were, and the separators of Arabic as ours."""
    folded = folded.translate(_ARABIC)
    if not any(space in text for space in _THIN):
        return folded
    return "".join(a if a in _THIN else b for a, b in zip(text, folded, strict=True))


def _without_over(text: str, atoms: list[Atom], at: int, reading: Reading, units: Collection[str]) -> Reading:
    """The reading up to `over`, where that begins a phrase: `$2000 over 3`, `2000 over 3 years`."""
    over = next((place for place in range(at, reading.end) if atoms[place].word == "over"), None)
    if over is None:
        return reading
    money = _is_money(text, atoms[at].start)
    timed = reading.end < len(atoms) and atoms[reading.end].word in units
    before = read_numeral(atoms[at:over], 0) if money or timed else None
    return reading if before is None else before._replace(end=at + before.end)


def _is_pronoun(atoms: list[Atom], at: int, units: Collection[str]) -> bool:
    """Whether `one` stands for a thing: `that one`, `one another`."""
    after = atoms[at + 1].word if at + 1 < len(atoms) else ""
    if after in units:
        return False
    return after == "another" or (at > 0 and atoms[at - 1].word in words("numbers")["before_pronoun"])


def mentions(text: str, units: Collection[str] = frozenset()) -> list[Mention]:
    """The numbers in a text, left to right, disjoint; those glued to letters among them.

    Args:
        text: Any string.
        units: names of units, which say that `one` counts and `over` is a preposition: `2000 over 3 years`.
    """
    atoms = _Lexer(text).run()
    vague = words("numbers")["vague"]
    found: list[Mention] = []
    at = 0
    while at < len(atoms):
        atom = atoms[at]
        if atom.kind not in STARTING and atom.word not in ("a", "an", "half", "dozen"):
            at += 1
            continue
        if atom.kind == "sign" and at and atoms[at - 1].kind in STARTING and found:
            at += 1  # 5 minus 3
            continue
        reading = read_numeral(atoms, at)
        if reading is None:
            at += 1
            continue
        reading = _without_over(text, atoms, at, reading, units)
        start, at = at, reading.end
        value = None if reading.value is None else plain(_simplest(reading.value))
        bare = atom.kind in ("hundred", "scale") or atom.word == "dozen"
        if value is None or (bare and start and atoms[start - 1].word in vague):
            continue
        if at == start + 1 and atom.word == "one" and _is_pronoun(atoms, start, units):
            continue
        last = atoms[at - 1]
        if at < len(atoms) and is_place(atom.word, last.word, atoms[at].word):
            continue
        glued = last.kind == "digits" and text[last.end : last.end + 1].isalnum()
        found.append(Mention(value, atom.start, last.end, glued))
    return found
