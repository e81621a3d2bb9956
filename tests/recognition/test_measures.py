"""Fillings that begin with a number or a determiner: generalised to what the taught ones share, and no further."""

from __future__ import annotations

import pytest

from recognition import DerivedRecognizer, derive_recognizer, read_examples, recognize

PURCHASES = """
[Tom|buyer] [didn't|polarity=negative, tense=past] buy [2|count] [cakes|item] for [4 dollars|price="4 dollars"]
// polarity=positive
[Anna|buyer] [bought|tense=past] [3|count] [red pens|item] for [12 dollars|price="12 dollars"]
[The clinic|buyer] [buys|tense=present] [20|count] [gloves|item] for [9 dollars|price="9 dollars"]
[Our school|buyer] [will|tense=future] buy [two dozen|count] [desks|item] for [300 dollars|price="300 dollars"]
"""
DOSES = """
[Take|act=take] [two tablets|dose] every [6 hours|interval]
[Take|act=take] [one capsule|dose] every [12 hours|interval]
[Use|act=use] [3 drops|dose] every [2 days|interval]
"""


def derived(text: str) -> DerivedRecognizer:
    return derive_recognizer(read_examples(text.strip("\n"), "test"))


def admitted(taught: str, text: str) -> dict[str, object] | None:
    outcome = recognize(derived(taught), text)
    return None if outcome.proposition is None else dict(outcome.proposition.values)


@pytest.mark.parametrize("taught", [PURCHASES, DOSES])
def test_what_was_taught_comes_back(taught: str) -> None:
    for example in read_examples(taught.strip("\n"), "test"):
        outcome = recognize(derived(taught), example.text)
        assert outcome.proposition is not None
        assert outcome.proposition.values == example.bundle.values


@pytest.mark.parametrize(
    ("text", "buyer", "price"),
    [
        ("Mary bought 5 green apples for 7 dollars", "Mary", "7 dollars"),
        ("The hospital will buy 40 beds for 9,000 dollars", "The hospital", "9,000 dollars"),
        ("Our clinic bought 5 apples for seven hundred dollars", "Our clinic", "seven hundred dollars"),
    ],
)
def test_other_numbers_and_nouns_fill_the_slots(text: str, buyer: str, price: str) -> None:
    values = admitted(PURCHASES, text)
    assert values is not None
    assert (values["buyer"], values["price"]) == (buyer, price)


@pytest.mark.parametrize(
    ("text", "dose", "interval"),
    [
        ("Take four tablets every 8 hours", "four tablets", "8 hours"),
        ("Use 5 drops every 3 weeks", "5 drops", "3 weeks"),
    ],
)
def test_any_noun_where_different_ones_were_taught(text: str, dose: str, interval: str) -> None:
    values = admitted(DOSES, text)
    assert values is not None
    assert (values["dose"], values["interval"]) == (dose, interval)


@pytest.mark.parametrize(
    "text",
    [
        "Mary bought 5 apples for 7 euros",
        "Mary bought 5 apples for 7 or 8 dollars",
        "Mary bought 5 apples for up to 7 dollars",
        "Mary bought 5 apples for less than 7 dollars",
        "Mary bought 5 apples for about 7 dollars",
        "Mary bought 5 apples for 7 dollars each",
        "Mary bought 5 apples for 7 dollars off",
        "Mary bought 5 apples for 7 dollars per kilo",
        "Mary bought 5 apples for 7 dollars and 3 pears for 2 dollars",
        "Mary bought at least 5 apples for 7 dollars",
        "My school bought 5 apples for 7 dollars",
        "No clinic bought 5 apples for 7 dollars",
        "The no clinic bought 5 apples for 7 dollars",
        "Neither the clinic nor the school bought 5 apples for 7 dollars",
        "The clinic and the school bought 5 apples for 7 dollars",
        "The clinic's rival bought 5 apples for 7 dollars",
    ],
)
def test_what_the_taught_ones_do_not_share_is_refused(text: str) -> None:
    assert admitted(PURCHASES, text) is None


@pytest.mark.parametrize(
    "text",
    [
        "Take two tablets every few hours",
        "Take two tablets every 6 to 8 hours",
        "Take two tablets every 6 hours or 4 hours",
        "Take two tablets and one capsule every 6 hours",
        "Take 2 tablet every 6 hours",
        "Do not take two tablets every 6 hours",
    ],
)
def test_doses_that_say_something_else_are_refused(text: str) -> None:
    assert admitted(DOSES, text) is None


def test_one_filling_alone_is_read_as_it_is() -> None:
    once = '[Anna|buyer] paid [12 dollars|price="12 dollars"]\n[Tom|buyer] paid [rent|price]'
    assert admitted(once, "Tom paid 12 dollars") is not None
    assert admitted(once, "Tom paid 7 dollars") is None
