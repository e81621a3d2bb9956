"""Numbers in words, spelled without the code under test; and the cost of a call, counted."""

from __future__ import annotations

import sys
from collections.abc import Callable
from types import FrameType
from typing import Any

SMALL = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen "
    "seventeen eighteen nineteen"
).split()
TENS = "twenty thirty forty fifty sixty seventy eighty ninety".split()
SCALES = (
    (10**15, "quadrillion"),
    (10**12, "trillion"),
    (10**9, "billion"),
    (10**6, "million"),
    (1000, "thousand"),
)
ENDINGS = {
    "one": "first", "two": "second", "three": "third", "five": "fifth", "eight": "eighth", "nine": "ninth",
    "twelve": "twelfth",
}  # fmt: skip


def cardinal(number: int, conjunction: str = " and ", hyphen: str = "-", comma: str = " ") -> str:
    """A number below 10**18 in words, as in British English; `conjunction=" "` makes it American."""
    if number < 20:
        return SMALL[number]
    if number < 100:
        tens = TENS[number // 10 - 2]
        return tens + (hyphen + SMALL[number % 10] if number % 10 else "")
    for size, name in (*SCALES, (100, "hundred")):
        if number >= size:
            rest = number % size
            head = f"{cardinal(number // size, conjunction, hyphen, comma)} {name}"
            if not rest:
                return head
            join = conjunction if rest < 100 else comma
            return head + join + cardinal(rest, conjunction, hyphen, comma)
    raise AssertionError


def ordinal(number: int) -> str:
    words = cardinal(number)
    cut = max(words.rfind(" "), words.rfind("-")) + 1
    last = words[cut:]
    ending = ENDINGS.get(last) or (last[:-1] + "ieth" if last.endswith("y") else last + "th")
    return words[:cut] + ending


def decimal(written: str) -> str:
    """`12.05` as `twelve point zero five`."""
    whole, _, digits = written.partition(".")
    return f"{cardinal(int(whole))} point {' '.join(SMALL[int(digit)] for digit in digits)}"


def lines_run(function: Callable[..., Any], *given: Any) -> int:
    """How many lines of Python a call runs."""
    count = 0

    def trace(frame: FrameType, event: str, argument: Any) -> Callable[..., Any]:
        nonlocal count
        count += event == "line"
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        function(*given)
    finally:
        sys.settrace(before)
    return count
