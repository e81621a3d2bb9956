"""The engine on other families: rooms, pumps, trains, lamps, orders, stocks, ovens."""

from itertools import combinations
from typing import Any

import pytest

from recognition import TeachingError, derive_recognizer, read_examples, recognize
from tests.recognition.helpers import DATA, FAMILIES, PUBLISHED, family, reason

pytestmark = pytest.mark.recognition


@pytest.mark.parametrize(
    ("name", "text", "values"),
    [
        ("booking", "Room 15 is booked from Thursday to Sunday", {"room": 15, "polarity": "positive"}),
        (
            "booking",
            "Room fifteen isn't booked from Thursday to Sunday.",
            {"room": 15, "polarity": "negative"},
        ),
        (
            "pump",
            "The engine burns 8 litres in 2 hours",
            {"relation": "burn", "tense": "present", "period": "hour"},
        ),
        ("pump", "The engine didn't burn 8 litres in half an hour", {"tense": "past", "duration": 0.5}),
        ("pump", "The engine saw 8 boxes in 2 hours", {"relation": "see", "tense": "past"}),
        ("train", "The shuttle never leaves York for Bath at ten", {"status": "stopped", "hour": 10}),
        ("lamp", "The gate is red.", {"thing": "gate", "state": "stop"}),
        ("order", "Ship 7 loaves to Bath", {"action": "ship", "unit": "loaf"}),
        ("stock", "The mill is out of flour", {"shop": "mill", "stock": "none"}),
        ("oven", "The lab is at -4 degrees and rising", {"value": -4, "trend": "up"}),
        ("oven", "The lab is at 4 degrees", {"trend": "flat"}),
        ("given", "7 knives weren't thrown to Tom by Sue", {"relation": "throw", "polarity": "negative"}),
        ("plural", "Eve has 1 box", {"number": "singular"}),
    ],
)
def test_admitted(name: str, text: str, values: dict[str, Any]) -> None:
    outcome = recognize(family(name), text)
    assert outcome.proposition is not None, outcome.refusal_reason
    assert outcome.proposition.values | values == outcome.proposition.values


@pytest.mark.parametrize(
    ("name", "text", "code"),
    [
        ("booking", "Room 12 was booked from Monday to Friday", "shape"),
        ("booking", "Room 12 is booked from Monday to Friday to Sunday", "shape"),
        ("booking", "Room 12 not is booked from Monday to Friday", "feature_evidence"),
        ("booking", "Room 12 is never booked from Monday to Friday", "feature_evidence"),
        ("booking", "Room 12 or 13 is booked from Monday to Friday", "feature_consistency"),
        ("booking", "Room 12 is booked from Monday or Tuesday to Friday", "feature_consistency"),
        ("pump", "The engine may burn 8 litres in 2 hours", "feature_evidence"),
        ("pump", "The engine burns 8 litres in 2 hours and 3 minutes", "feature_consistency"),
        ("pump", "The engine burns nearly 8 litres in 2 hours", "feature_evidence"),
        ("pump", "The sheep put 8 litres in 2 hours", "ambiguity"),
        ("pump", "The engines put 8 litres in 2 hours", "feature_evidence"),
        ("pump", "The engine burns 8 litres in 2 hours, 3 hours or 4 hours", "feature_consistency"),
        ("pump", "The engine burns 8 litres in 2 hours if 3 men help", "shape"),
        ("pump", "When 3 men help, the engine burns 8 litres in 2 hours", "shape"),
        ("pump", "The engine burns 8 litres in 2 hours but it doesn't", "feature_consistency"),
        ("pump", "The engine burns 8 litres in 2 hours but the other one doesn't do so", "shape"),
        ("pump", "The engine in the yard that Ann and Bob bought for Eve burns 8 litres in 2 hours", "shape"),
        ("train", "The shuttle leaves never York for Bath at 10", "feature_evidence"),
        ("train", "Does the shuttle leave York for Bath at 10", "shape"),
        ("lamp", "The gate is blue", "feature_evidence"),
        ("lamp", "The gate is red and green", "feature_consistency"),
        ("lamp", "The gate is not red", "shape"),
        ("order", "Ships 7 loaves to Bath", "feature_evidence"),
        ("order", "Shipped 7 loaves to Bath", "feature_evidence"),
        ("order", "Don't ship 7 loaves to Bath", "shape"),
        ("stock", "The mill is low of flour", "feature_evidence"),
        ("stock", "The mill is nearly out of flour", "feature_evidence"),
        ("oven", "The lab is at 4 degrees and", "shape"),
        ("oven", "The lab is at 4 degrees rising", "shape"),
        ("oven", "The lab isn't at 4 degrees", "feature_evidence"),
        ("plural", "Eve has 2 sheep", "feature_evidence"),
        ("given", "7 knives were throw to Tom by Sue", "feature_evidence"),
        ("given", "7 knives are thrown to Tom by Sue", "shape"),
        ("given", "7 knives were never thrown to Tom by Sue", "feature_evidence"),
    ],
)
def test_refused(name: str, text: str, code: str) -> None:
    assert reason(recognize(family(name), text)) == code


SETS = FAMILIES | {
    "quantity": (DATA / "teaching_quantity.jsonl").read_text(encoding="utf-8"),
    "phase2": "\n".join(
        line
        for line, row in zip(
            (DATA / "published_recognition.jsonl").read_text(encoding="utf-8").splitlines(),
            PUBLISHED,
            strict=True,
        )
        if (row["set"], row["role"]) == ("phase2", "teach")
    ),
}


LEFT_OUT = {"booking": 4, "pump": 2, "train": 3, "quantity": 3, "phase2": 3}
LEFT_OUT |= {"lamp": 0, "order": 3, "stock": 0, "oven": 0, "plural": 4, "given": 2}


@pytest.mark.parametrize(("name", "right"), LEFT_OUT.items(), ids=LEFT_OUT)
def test_left_out_examples_are_read_right_or_refused(name: str, right: int) -> None:
    """Most of the refused ones alone teach a marker (`might`, `never`) or the length of a phrase."""
    examples = read_examples(SETS[name], name)
    admitted = 0
    for index, held_out in enumerate(examples):
        outcome = recognize(derive_recognizer(examples[:index] + examples[index + 1 :]), held_out.tokens)
        if outcome.proposition is not None:
            assert outcome.proposition.values == held_out.bundle.values
            admitted += 1
    assert admitted >= right


@pytest.mark.parametrize("name", FAMILIES)
def test_more_teaching_changes_no_reading(name: str) -> None:
    """Over all subsets: what is read is what is taught, and stays so when more is taught."""
    examples = read_examples(FAMILIES[name], name)
    readings: dict[frozenset[int], dict[int, Any]] = {}
    for size in range(1, len(examples) + 1):
        for subset in combinations(range(len(examples)), size):
            recognizer = derive_recognizer([examples[index] for index in subset])
            read = {}
            for index, example in enumerate(examples):
                got = recognize(recognizer, example.tokens).proposition
                if got is not None:
                    assert (got.values, got.spans) == (example.bundle.values, example.bundle.spans)
                    read[index] = got.values
            assert set(subset) <= set(read)
            readings[frozenset(subset)] = read
    for below, less in readings.items():
        for above, more in readings.items():
            assert not below <= above or less.items() <= more.items()


def test_one_example_is_its_own_generalisation() -> None:
    (first, *_) = read_examples(FAMILIES["booking"])
    recognizer = derive_recognizer([first])
    assert recognize(recognizer, first.text).admitted
    assert not recognize(recognizer, first.text.replace("12", "13")).admitted


def test_two_shapes_of_one_family() -> None:
    taught = """\
The [pump|agent] moves [40|count] [litres|unit=litre]
[30|count] [bags|unit=bag] leave the [belt|agent]
The [robot|agent] moves [2|count] [boxes|unit=box]"""
    recognizer = derive_recognizer(read_examples(taught))
    assert len(recognizer.patterns) == 2
    outcome = recognize(recognizer, "The crane moves 7 knives")
    assert outcome.proposition is not None
    assert outcome.proposition.values == {"agent": "crane", "count": 7, "unit": "knife"}


def test_a_feature_that_no_example_shows() -> None:
    with pytest.raises(TeachingError, match="no feature's value follows"):
        derive_recognizer(read_examples("It rains // sky=grey"))
