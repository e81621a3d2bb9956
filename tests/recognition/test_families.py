"""The engine on other families: rooms, pumps, trains."""

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
        ("pump", "The engines put 8 litres in 2 hours", "ambiguity"),
        ("train", "The shuttle leaves never York for Bath at 10", "feature_evidence"),
        ("train", "Does the shuttle leave York for Bath at 10", "shape"),
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


@pytest.mark.parametrize(
    ("name", "right"), [("booking", 4), ("pump", 2), ("train", 3), ("quantity", 3), ("phase2", 3)]
)
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
