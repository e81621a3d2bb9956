"""Numbers and quantities in text: laws, the grammar of English numerals, units, and bad input."""

import random
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recognition._tables import rows
from recognition.quantities import numbers, quantities, unit_named
from tests.recognition.spelling import cardinal, decimal, ordinal

pytestmark = pytest.mark.recognition


def said(text: str) -> list[tuple[str, int | float]]:
    return [(text[found.start : found.end], found.value) for found in numbers(text)]


def measured(text: str) -> list[tuple[str, int | float, str]]:
    return [(text[found.start : found.end], found.value, found.unit) for found in quantities(text)]


def kinds(text: str) -> list[str]:
    return [found.kind for found in quantities(text)]


# Laws

COUNTS = st.one_of(st.integers(0, 2000), st.integers(0, 10**6), st.integers(0, 10**15))


@given(COUNTS, st.sampled_from((" and ", " ")), st.sampled_from(("-", " ")))
def test_a_number_in_words_and_back(count: int, conjunction: str, hyphen: str) -> None:
    words = cardinal(count, conjunction, hyphen)
    assert said(words) == [(words, count)]
    assert said(f"There were {words} of them.") == [(words, count)]
    assert said(f"minus {words}") == [(f"minus {words}", -count)]
    assert type(numbers(words)[0].value) is int


@given(COUNTS)
def test_with_commas_between_the_groups(count: int) -> None:
    words = cardinal(count, comma=", ").replace(" hundred, ", " hundred ")
    assert said(words) == [(words, count)]


@given(COUNTS)
def test_a_number_in_digits_and_back(count: int) -> None:
    for written in (
        f"{count}",
        f"{count:,}",
        f"{count:,}".replace(",", "\u202f"),
        str(count).translate(WIDE),
    ):
        assert said(f"There were {written} of them.") == [(written, count)]
        assert said(f"({written}), -{written}; ") == [(written, count), (f"-{written}", -count)]


WIDE = {ord(str(digit)): 0xFF10 + digit for digit in range(10)}


@given(st.integers(0, 10**6), st.text("0123456789", min_size=1, max_size=9))
def test_a_decimal_in_words_and_back(whole: int, digits: str) -> None:
    written = f"{whole}.{digits}"
    value = Fraction(written)
    expected = int(value) if value.denominator == 1 else float(value)
    words = decimal(written)
    assert said(words) == [(words, expected)]
    assert said(f"It is {written}.") == [(written, expected)]
    assert said(f"{words} million") == [(f"{words} million", pytest.approx(float(value * 10**6), rel=1e-12))]


@given(
    st.integers(1, 10**6).filter(lambda count: count not in (100, 1000, 10**6))
)  # one hundredth is a fraction
def test_an_ordinal_is_no_number(count: int) -> None:
    assert said(f"the {ordinal(count)} of May") == []
    assert said(f"the {count}th of May") == []


@given(
    st.integers(2, 99),
    st.integers(3, 99).filter(lambda bottom: bottom % 10 not in (1, 2) or bottom in (11, 12)),
)
def test_a_fraction_in_words_and_back(top: int, bottom: int) -> None:
    words = f"{cardinal(top)} {ordinal(bottom)}s"
    assert said(words) == [(words, pytest.approx(top / bottom))]
    assert said(f"one {ordinal(bottom)}") == [(f"one {ordinal(bottom)}", 1 / bottom)]
    mixed = f"five and {cardinal(top)} {ordinal(bottom)}s"
    if top < bottom:
        assert said(mixed) == [(mixed, pytest.approx(5 + top / bottom))]


PIECES = (
    "a an and half point one two ten twenty five hundred thousand million dozen score third thirds fifths first "
    "minus ± cents over of - , . 5 1,2 1/2 0 x 12 0.5 2^3 1e3 ½ 200 000 ( ) that several miles km $ % feet an hour per "
    "second in \" ' é 的"
).split()
TEXTS = st.one_of(
    st.text(max_size=60),
    st.lists(st.sampled_from(PIECES), max_size=14).map(" ".join),
    st.lists(st.sampled_from(PIECES), max_size=14).map("".join),
    st.lists(st.sampled_from(PIECES), max_size=14).map("-".join),
)


@given(TEXTS)
def test_mentions_are_in_the_text_in_order_and_disjoint(text: str) -> None:
    for find in (numbers, quantities):
        end = 0
        for found in find(text):
            assert end <= found.start < found.end <= len(text)
            assert text[found.start : found.end].strip() == text[found.start : found.end]
            assert abs(found.value) < float("inf") or isinstance(found.value, int)
            end = found.end


@given(st.lists(st.sampled_from(PIECES), max_size=14).map(" ".join))
def test_a_mention_by_itself_says_the_same(text: str) -> None:
    for found in numbers(text):
        if "$" not in text:
            mention = text[found.start : found.end]
            assert said(mention) == [(mention, found.value)]


@given(st.lists(st.sampled_from([p for p in PIECES if p not in "\"'"]), max_size=10).map(" ".join))
def test_plain_text_around_shifts_the_spans(text: str) -> None:
    before, after = "The baker said: ", " ; and so it was"
    for find in (numbers, quantities):
        alone: tuple[Any, ...] = find(f". {text} ;")
        among: tuple[Any, ...] = find(f"{before}. {text} ;{after}")
        assert [(f.start + len(before), f.end + len(before), f.value) for f in alone] == [
            (f.start, f.end, f.value) for f in among
        ]


@given(
    st.integers(1, 10**6),
    st.sampled_from([row[3].split(",")[0] for row in rows("units") if len(row) == 6 and row[3] != "-"]),
)
def test_every_unit_by_its_name(count: int, name: str) -> None:
    assert unit_named(name) is not None
    found = quantities(f"It was {count:,} {name} or so")
    assert [(q.value, q.start, q.end) for q in found] == [(count, 7, 8 + len(f"{count:,}") + len(name))]
    assert [(q.unit, q.kind) for q in found] == [unit_named(name)]


def test_no_two_rows_of_the_table_claim_one_symbol() -> None:
    table = [row for row in rows("units") if len(row) == 6]
    for column in (4, 5):
        marks = [mark for row in table for mark in row[column].split() if mark != "-"]
        assert sorted(marks) == sorted(set(marks))


@pytest.mark.oracle
def test_against_inflect() -> None:
    inflect = pytest.importorskip("inflect")
    engine, draw = inflect.engine(), random.Random(7)
    for _ in range(2000):
        count = draw.randrange(10 ** draw.randrange(1, 16))
        words = str(engine.number_to_words(count))
        assert said(words) == [(words, count)]
        nth = str(engine.number_to_words(engine.ordinal(count)))
        assert said(nth) == [] or nth.startswith("one ")  # one millionth


# Numbers


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("fifty - two", 52),
        ("hundred and fifty thousand", 150_000),
        ("three lakh crore", 3 * 10**12),
        ("3 millions", 3_000_000),
        ("2.5 dozen", 30),
        ("three score and ten", 70),
        ("two-and-a-half", 2.5),
        ("one hundred and 1/2", 100.5),
        ("two hundred & forty", 240),
        ("nine out of ten", 0.9),
        ("40 000", 40_000),
        ("5'200", 5200),
        ("1.2b", 1_200_000_000),
        ("2½", 2.5),
        ("2  1/4", 2.25),
        ("−½", -0.5),
        ("a million and a half", 1_500_000),
        ("one billion and three quarters million", 1_000_750_000),
        ("two thirds of a million", 2_000_000 / 3),
        ("three quarters of a dozen", 9),
        ("one over one hundred and twenty", 1 / 120),
        ("2000 over 3", 2000 / 3),
        ("three twenty-firsts", 3 / 21),
        ("one hundred thirty fifths", 100 / 35),
        ("one hundred and thirty fifths", 26),
        ("one hundred and three quarters", 100.75),
        ("twenty five hundredths", 0.25),
        ("three two-hundredths", 0.015),
        ("2 thirds", 2 / 3),
        ("2/3rds", 2 / 3),
        ("five - eighths", 0.625),
        ("1.1^23", 1.1**23),
        ("-1.1^--23", -(1.1**23)),
        ("-2500^-1", -0.0004),
        ("5.5x10-3", 0.0055),
        ("2.48×10−5", 2.48e-5),
        ("8x2^10", 8192),
        ("10⁻³", 0.001),
        ("4e14", 4 * 10**14),
        ("1.5E+3", 1500),
        ("100K", 100_000),
        ("2.33 k", 2330),
        ("7 mln", 7_000_000),
        ("5B", 5 * 10**9),
        ("12,34,567.89", 1234567.89),
        ("1 234 567", 1_234_567),
        ("5,00", 5),
        ("٣٫٥", 3.5),
        (".08", 0.08),
        ("three hundred and two dozens", 3624),
    ],
)
def test_value_and_span(text: str, value: float) -> None:
    for given_text in (text, f"Then {text}; no more.", f"Then {text} loaves"):
        assert said(given_text) == [(text, pytest.approx(value, rel=1e-12))]


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("423 0000", [423, 0]),
        ("1, 234, 567", [1, 234, 567]),
        ("two hundred and three hundred", [200, 300]),
        ("4000 3 hundred and 21", [4000, 321]),
        ("3 hundred and 2.12 hundred", [300, 212]),
        ("one thousand, five", [1000, 5]),
        ("5/17/2018", [5, 17, 2018]),
        ("5 - 3", [5, 3]),
        ("5-10", [5, 10]),
        ("10:30", [10, 30]),
        ("$2000 over 3", [2000, 3]),
        ("2000 over 3 years", [2000, 3]),
        ("five million six million", [5_000_000, 6_000_000]),
        ("5 to 10%", [5, 10]),
        ("$5m and 5m", [5_000_000]),
        ("140 quarters", [140]),
        ("12 over dozen", [12, 12]),
        ("five out of three", [5, 3]),
        ("a third season, a third of it, a third more", [1 / 3, 1 / 3]),
        ("a name like J1149.5", []),
        ("https://example.org/q=30%2 7", [7]),
        ("that one mile", [1]),
    ],
)
def test_where_one_number_ends(text: str, values: list[float]) -> None:
    assert [value for _, value in said(text)] == values


@pytest.mark.parametrize(
    "text",
    [
        "29km", "1m", "B52", "F-16", "5th", "the 21st century", "2.0.1", "192.168.1.1", "1/0", "hundreds",
        "several hundred", "that one", "one another", "which one", "no one", "a baker", "overture", "1980s", "m^2",
        "a seventh year", "a second", "twenty-second", "",
    ],
)  # fmt: skip
def test_no_number(text: str) -> None:
    assert said(text) == []


# Quantities


@pytest.mark.parametrize(
    ("text", "value", "unit", "kind"),
    [
        ("two square miles", 2, "square mile", "area"),
        ("4 km squared", 4, "square kilometer", "area"),
        ("190 km2", 190, "square kilometer", "area"),
        ("10 m³", 10, "cubic meter", "volume"),
        ("3 sq. ft", 3, "square foot", "area"),
        ("six-mile", 6, "mile", "length"),
        ("3-inch", 3, "inch", "length"),
        ("a hundred light-years", 100, "light-year", "length"),
        ("½ tsp", 0.5, "teaspoon", "volume"),
        ("half an hour", 0.5, "hour", "time"),
        ("a quarter of a mile", 0.25, "mile", "length"),
        ("1.5 million gallon", 1_500_000, "gallon", "volume"),
        ("34,500 metric tons", 34_500, "metric ton", "mass"),
        ("200lbs", 200, "pound", "mass"),
        ("5 KG", 5, "kilogram", "mass"),
        ("188 miles an hour", 188, "mile per hour", "speed"),
        ("10 metres per second", 10, "meter per second", "speed"),
        ("60 km/h", 60, "kilometer per hour", "speed"),
        ("5 m.p.h", 5, "mile per hour", "speed"),
        ("9.81 m/s²", 9.81, "meter per square second", "acceleration"),
        ("5.5 g/cm^3", 5.5, "gram per cubic centimeter", "density"),
        ("16-bit", 16, "bit", "information"),
        ("100 mb", 100, "megabyte", "information"),
        ("8 GiB", 8, "gibibyte", "information"),
        ("12 Mbps", 12, "megabit per second", "data rate"),
        ("4e14 s-1", 4 * 10**14, "inverse second", "frequency"),
        ("7.3 MWh", 7.3, "megawatt hour", "energy"),
        ("20 J/m^2 per year", 20, "joule per square meter per year", "compound"),
        ("−40 °C", -40, "degree Celsius", "temperature"),
        ("98.6 degrees Fahrenheit", 98.6, "degree Fahrenheit", "temperature"),
        ("30 Pa", 30, "pascal", "pressure"),
        ("300 K", 300, "kelvin", "temperature"),
        ("five per cent", 5, "percent", "ratio"),
        ("ten years old", 10, "year", "age"),
        ("eighteen months of age", 18, "month", "age"),
        ("US$ 3 million", 3_000_000, "United States dollar", "currency"),
        ("-£5", -5, "pound sterling", "currency"),
        ("100元", 100, "Chinese yuan", "currency"),
        ("$15.4/hour", 15.4, "dollar per hour", "wage"),
        ("$1.5bn", 1_500_000_000, "dollar", "currency"),
        ("two dollars and fifty cents", 2.5, "dollar", "currency"),
    ],
)
def test_a_quantity(text: str, value: float, unit: str, kind: str) -> None:
    for given_text in (text, f"It was {text}.", f"It was {text}, or so"):
        assert measured(given_text) == [(text, pytest.approx(value), unit)]
        assert kinds(given_text) == [kind]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("12 ft 2 in", [(12, "foot"), (2, "inch")]),
        ("He is 6'2\" tall", [(6, "foot"), (2, "inch")]),
        ("12 ft 2 in boards", [(12, "foot"), (2, "inch")]),
        ("$3 a pound, 12 minutes a mile", [(3, "dollar per pound"), (12, "minute")]),
        ("4 s-1 feet, 200-km-1/2 feet", [(4, "inverse second"), (200, "kilometer"), (0.5, "foot")]),
        ("100 € 200", [(100, "euro")]),
        ("2.5 dollars and 30 cents", [(2.5, "dollar"), (30, "cent")]),
        ("1 m x 1 m", [(1, "meter"), (1, "meter")]),
        ("It fell to $ 1.17 billion a year earlier", [(1_170_000_000, "dollar")]),
        ("eight to 10 feet", [(10, "foot")]),
        ("$5 ± 1 dollar", [(5, "dollar"), (1, "dollar")]),
        ("356 ± 47 tonnes", [(356, "metric ton")]),
        ("5 A of 5 A levels; 5 A", [(5, "ampere")]),
        ("2 pm or 2:00 PM is not 2.1 pm", [(2.1, "picometer")]),
        ("c $ 16.4 million", [(16_400_000, "Canadian dollar")]),
        ("60 mi. per hour", [(60, "mile per hour")]),
        ("5 in thick, 5 in Rome", [(5, "inch")]),
        ('the word "ten", 10 "', [(10, "inch")]),
        ("a $ 4 billion loan", [(4_000_000_000, "dollar")]),
        ("about 5 dollars, 30 cents", [(5.3, "dollar")]),
        ("5 dollars here and 30 cents there", [(5, "dollar"), (30, "cent")]),
    ],
)
def test_quantities_in_a_sentence(text: str, expected: list[tuple[float, str]]) -> None:
    assert [(value, unit) for _, value, unit in measured(text)] == expected


@pytest.mark.parametrize(
    "text",
    [
        "",
        "the 1980s",
        "5 in Rome",
        "at 5 A.M.",
        "at 2.17pm",
        "the 6th",
        "the 1st and 2nd",
        "I'm a man",
        "ten apples",
        "3 bars",
        "5 gs",
        "2 T-shirts",
        "9 S'mores",
        "2010 TV",
        "a third degree burn",
        '"10" it said',
    ],
)
def test_no_quantity(text: str) -> None:
    assert measured(text) == []


def test_the_unit_of_a_name_or_symbol() -> None:
    assert unit_named("kilometres per hour") == unit_named("km/h") == ("kilometer per hour", "speed")
    assert unit_named("apples") is None
    assert unit_named("kmx") is None
    assert unit_named("") is None
