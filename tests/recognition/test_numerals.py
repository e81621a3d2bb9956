"""Numerals: value and span, what is none, what is broken."""

import json
import random
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recognition._numbers import numerals
from recognition.tokens import normal_form, tokenize
from tests.recognition.spelling import cardinal, lines_run

pytestmark = pytest.mark.recognition


def read(text: str) -> list[tuple[str, int | float | None]]:
    tokens = tokenize(text)
    found = numerals([normal_form(token.text) for token in tokens])
    return [(text[tokens[n.start].start : tokens[n.end - 1].end], n.value) for n in found]


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("two dozen", 24),
        ("a dozen", 12),
        ("half a dozen", 6),
        ("3 dozens", 36),
        ("two score", 40),
        ("1,200", 1200),
        ("12,34,567.89", 1234567.89),
        ("zero point five", 0.5),
        ("two hundred point zero three", 200.03),
        ("forty five hundred thirty", 4530),
        ("forty-five hundred thirty", 4530),
        ("five thousand, six hundred", 5600),
        ("a hundred and two", 102),
        ("two hundred and two thousand", 202000),
        ("one million two hundred thousand and five", 1200005),
        ("4 thousand 3 hundred and 21", 4321),
        ("thirty two", 32),
        ("one and a half thousand", 1500),
        ("one and a half", 1.5),
        ("one hundred and three quarters", 100.75),
        ("half a", 0.5),
        ("a half", 0.5),
        ("three quarters", 0.75),
        ("one third", 1 / 3),
        ("twenty-three fifths", 4.6),
        ("½", 0.5),
        ("1 1/2", 1.5),
        ("3/4", 0.75),
        ("minus ten", -10),
        ("-5", -5),
        ("2 million", 2000000),
        ("10k", 10000),
        ("13 lakh", 1300000),
        ("٣", 3),
        ("0", 0),
    ],
)
def test_value_and_span(text: str, value: float) -> None:
    assert read(text) == [(text, value)]
    assert type(read(text)[0][1]) is type(value)
    assert read(f"They say {text} loaves.") == [(text, value)]


@pytest.mark.parametrize(
    "text", ["the first", "a baker", "²", "10:30", "hundreds", "dozens", "quarter", "5/17/2018", "5th"]
)
def test_no_numeral(text: str) -> None:
    assert read(text) == []


@pytest.mark.parametrize(
    "text",
    [
        "twenty first",
        "twenty eleven",
        "five five",
        "1,2",
        "1 234 567",
        "423 0000",
        "one hundred thirty fifths",
    ],
)
def test_broken(text: str) -> None:
    assert read(text) == [(text, None)]


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("a third season", None),
        ("a third of it", 1 / 3),
        ("a third", 1 / 3),
        ("a third more", 1 / 3),
        ("a quarter mile", 0.25),
        ("140 quarters", None),
        ("2 thirds", None),
    ],
)
def test_a_fraction_or_a_place_in_an_order(text: str, value: float | None) -> None:
    assert [said for _, said in read(text)] == [value]


@pytest.mark.parametrize("text", ["5 or 6", "five and six", "5 - 6", "five, six"])
def test_two_numerals(text: str) -> None:
    assert [value for _, value in read(text)] == [5, 6]


@given(st.integers(0, 10**15))
def test_every_number_in_words(number: int) -> None:
    assert read(cardinal(number)) == [(cardinal(number), number)]
    assert read(f"{number:,}") == [(f"{number:,}", number)]


WORDS = "a an and half point one two ten twenty hundred thousand dozen score third thirds first minus - , 5 1,2 1/2 0 x"


@given(st.lists(st.sampled_from(WORDS.split()), max_size=12))
def test_spans_are_disjoint_and_in_order(keys: list[str]) -> None:
    end = 0
    for numeral in numerals(keys):
        assert end <= numeral.start < numeral.end <= len(keys)
        end = numeral.end


@pytest.mark.parametrize("digits", ["9" * 5000, "1e99", "1e999999999", "0." + "1" * 5000, "1/0"])
def test_no_digits_raise(digits: str) -> None:
    assert all(isinstance(value, int | float | None) for _, value in read(digits))


@pytest.mark.parametrize(
    "unit", ["one ", "half a ", "hundred ", "twenty and ", "point ", "- ", "a ", "thousand ", "5 "]
)
def test_cost_grows_with_the_length(unit: str) -> None:
    short, long = unit.split() * 200, unit.split() * 1600
    numerals(short)
    assert lines_run(numerals, long) < 9 * lines_run(numerals, short)


def test_no_row_of_words_raises() -> None:
    draw = random.Random(5)
    for _ in range(20_000):
        numerals(draw.choices(WORDS.split(), k=draw.randrange(1, 12)))


def test_on_recognizers_text(data_dir: Path) -> None:
    """The cases that hold for Python; the rest are powers, `one over three` and what English leaves open."""
    rows = json.loads(
        (data_dir / "recognizers_specs_en" / "NumberModel.json").read_text(encoding="utf-8-sig")
    )
    rows = [row for row in rows if "python" not in row.get("NotSupported", "").lower()]
    right = 0
    for row in rows:
        tokens = tokenize(row["Input"])
        found = numerals([normal_form(token.text) for token in tokens])
        got = [(tokens[n.start].start, tokens[n.end - 1].end, n.value) for n in found if n.value is not None]
        want = [(r["Start"], r["End"] + 1, float(r["Resolution"]["value"])) for r in row["Results"]]
        right += len(got) == len(want) and all(
            a[:2] == b[:2] and a[2] == pytest.approx(b[2], rel=1e-9) for a, b in zip(got, want, strict=True)
        )
    assert len(rows) == 157
    assert right >= 117
