"""Numbers and quantities in running text, with the characters that say them."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from fractions import Fraction

from recognition._mentions import Mention, mentions
from recognition._units import Unit, UnitReading, parts_in, read_currency, read_more, read_unit, unit_words
from recognition.tokens import fold

__all__ = ["NumberMention", "Quantity", "numbers", "quantities", "unit_named"]

_BETWEEN = re.compile(r" - |-| {0,2}")
_AND = re.compile(r",? (?:and )?", re.IGNORECASE)
_NTH = re.compile(r"(?:st|nd|rd|th)\b", re.IGNORECASE)
_WORD_AFTER = re.compile(r" [^\W\d_]")
_TOLERANCE = re.compile(r" ?(?:±|\+/-|\+-) ?")
_CLOCK = re.compile(r"(?:0?[1-9]|1[0-2])(?:[.:][0-5]\d)?")
_DECADE = re.compile(r"\d*[1-9]0|\d+00")
_AGE = re.compile(r"(?: -? ?|-)old\b| of age\b", re.IGNORECASE)
_OF = re.compile(r" (?:an? |of an? )?", re.IGNORECASE)
# `in` is a unit of length before the end of a clause, a dimension, and between two measures; else a preposition.
_AFTER_INCH = re.compile(
    r"\s*(?:\Z|[^\w\s]|(?:thick|long|wide|tall|high|deep|across|diameter|in|or|and|more|less|by|x)\b)",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class NumberMention:
    """A number in a text: `text[start:end]` says `value`, an int where the number is one."""

    value: int | float
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Quantity:
    """A number of units: `text[start:end]` says it.

    `unit` is the unit's name in the singular (`mile per hour`, `square kilometer`), `kind` what it measures
    (`speed`, `area`); an age is of the kind `age`.
    """

    value: int | float
    unit: str
    kind: str
    start: int
    end: int


def numbers(text: str) -> tuple[NumberMention, ...]:
    """The numbers that a text mentions, in digits or words, left to right and disjoint.

    Cardinals, decimals, fractions, mixed numbers, dozens, powers and what is written short (`10k`, `$5M`). No number
    are ordinals, `one` where it stands for a thing (`that one`), digits that are part of a name or of a quantity
    (`B52`, `29km`), versions and dates with full stops, and what has more than 40 digits.

    Args:
        text: Any string; offsets are into it, half open, in characters.
    """
    return tuple(
        NumberMention(found.value, found.start, found.end)
        for found in mentions(text, unit_words())
        if not found.glued
    )


def quantities(text: str) -> tuple[Quantity, ...]:
    """The numbers with a unit that a text mentions, left to right and disjoint.

    A unit follows its number, at once or after a space or hyphen, or is a currency before it. `5 feet 6 inches` are two
    quantities, `two dollars fifty cents` one. Of `356 ± 47 tons` the value is 356. `in` is an inch only where no noun
    follows, and `2 pm` is a time.

    Args:
        text: Any string; offsets are into it, half open, in characters.
    """
    folded = fold(text)
    found: list[Quantity] = []
    quotes, counted = 0, 0
    before: Mention | None = None
    for number in mentions(text, unit_words()):
        if found and number.start < found[-1].end:
            continue  # the power of a unit: s-1
        quotes += folded.count('"', counted, number.start)
        counted = number.start
        quantity = _after(folded, number, bool(quotes % 2), found[-1] if found else None)
        priced = _before(folded, number, found[-1].end if found else 0)
        if priced and (quantity is None or quantity.kind != "currency"):
            quantity = priced
        elif priced and quantity:
            quantity = Quantity(quantity.value, quantity.unit, quantity.kind, priced.start, quantity.end)
        free = before is not None and (not found or found[-1].end <= before.start)
        if quantity and before and free and _TOLERANCE.fullmatch(folded, before.end, number.start):
            quantity = replace(quantity, value=before.value, start=before.start)
        before = number
        if quantity and found and (amount := _amount(folded, found[-1], quantity)):
            found[-1] = amount
        elif quantity:
            found.append(quantity)
    return tuple(found)


def unit_named(name: str) -> tuple[str, str] | None:
    """The name and the kind of the unit that a name or symbol stands for, if it stands for one: `km/hr`, `litres`."""
    reading = read_unit(fold(name), 0)
    return None if reading is None or reading.end != len(name) else (reading.unit.name, reading.unit.kind)


def _amount(text: str, whole: Quantity, part: Quantity) -> Quantity | None:
    """Two quantities that are one amount: `two dollars and fifty cents`."""
    size = parts_in(part.unit, whole.unit)
    if size is None or not 0 < part.value < size or isinstance(whole.value, float):
        return None
    if _AND.fullmatch(text, whole.end, part.start) is None:
        return None
    value = float(whole.value + Fraction(part.value) / size)
    return Quantity(value, whole.unit, whole.kind, whole.start, part.end)


def _after(text: str, number: Mention, quoted: bool, last: Quantity | None) -> Quantity | None:
    """The quantity whose unit follows the number."""
    if number.glued and _NTH.match(text, number.end):
        return None
    gap = _BETWEEN.match(text, number.end)
    assert gap is not None  # it may be empty
    reading = read_unit(text, gap.end())
    if reading is None and not number.glued and (of := _OF.match(text, number.end)) and 0 < number.value < 1:
        gap, reading = of, read_unit(text, of.end())  # half an hour, a quarter of a mile
    if reading is None or not _plausible(text, number, gap.end(), reading, quoted, last):
        return None
    unit, end = reading.unit, reading.end
    if unit.kind == "time" and (age := _AGE.match(text, end)):
        unit, end = Unit(unit.name, "age"), age.end()
    return Quantity(number.value, unit.name, unit.kind, number.start, end)


def _plausible(
    text: str, number: Mention, at: int, reading: UnitReading, quoted: bool, last: Quantity | None
) -> bool:
    """Whether a symbol that can be something else is a unit here."""
    symbol, tight = reading.symbol, at == number.end
    written = text[number.start : number.end]
    after = text[reading.end : reading.end + 1]
    if not symbol:
        return True
    if symbol.lower() in ("am", "pm"):
        return _CLOCK.fullmatch(written) is None and text[number.start - 1 : number.start] != ":"
    if symbol == "in" and not tight:
        feet = last is not None and last.unit == "foot" and not text[last.end : number.start].strip()
        return feet or _AFTER_INCH.match(text, reading.end) is not None
    if symbol == "A" and not tight:
        return _WORD_AFTER.match(text, reading.end) is None  # 5 A; but not 5 A levels
    if symbol == '"':
        return not quoted
    if symbol == "'":
        return tight and not after.isalpha() and text[number.start - 1 : number.start] != "'"
    if symbol == "s":
        return not (tight and _DECADE.fullmatch(written))
    return not (tight and symbol == "d")


def _before(text: str, number: Mention, floor: int) -> Quantity | None:
    """The quantity whose currency stands before the number."""
    currency = read_currency(text, number.start)
    if currency is None or currency[1] < floor or number.glued:
        return None
    unit, start = currency
    value = number.value
    if text[start - 1 : start] == "-" and value > 0 and not text[max(0, start - 2) : start - 1].isalnum():
        value, start = -value, start - 1
    reading = read_more(text, unit, number.end)
    return Quantity(value, reading.unit.name, reading.unit.kind, start, reading.end)
