"""Bad and long input to the search for numbers and quantities, and what it costs."""

from collections.abc import Callable
from typing import Any

import pytest

from recognition.quantities import numbers, quantities
from tests.recognition.spelling import lines_run

pytestmark = pytest.mark.recognition


@pytest.mark.parametrize("find", [numbers, quantities])
@pytest.mark.parametrize(
    "text",
    [
        "9" * 5000,
        "1e999",
        "9^999",
        "2^0.5",
        "0^-1",
        "0^0.5^",
        "1.5^300.5",
        "9^99999999",
        "1/0",
        "1e-999",
        "\ud800 5 \x00",
        "5" + "\u0301",
    ],
)
def test_nothing_raises(find: Callable[[str], Any], text: str) -> None:
    for found in find(text):
        assert isinstance(found.value, int | float)


UNITS = [
    "one ", "half a ", "twenty and ", "hundred ", "point ", "- ", "-", "a ", "5 ", "5", "1,", "111,", "1,1,1", "1.",
    "1/", "5-", "11 ", "111 ", "11,11,", "1^", "1x10", "$", "$1 ", "5 km ", "5 km/", "5'", '5" ', "5 in ", "per ",
    "one third ", "one over ", "\n", "two dollars ", "x", "½", "square ", "°",
]  # fmt: skip


@pytest.mark.parametrize("find", [numbers, quantities])
@pytest.mark.parametrize("unit", UNITS)
def test_cost_grows_with_the_length(find: Callable[[str], Any], unit: str) -> None:
    find(unit * 10)
    short, long = lines_run(find, unit * 200), lines_run(find, unit * 1600)
    assert long < 9 * short + 200


@pytest.mark.slow
@pytest.mark.parametrize("unit", ["5 km ", "½", "1,", "twenty and ", "9", "x"])
def test_long_texts(unit: str) -> None:
    text = unit * (100_000 // len(unit))
    assert all(0 <= found.start < found.end <= len(text) for found in (*numbers(text), *quantities(text)))
