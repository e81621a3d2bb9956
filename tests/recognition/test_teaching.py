"""The readers of taught examples, and what they say of bad ones."""

import json
from typing import Any

import pytest

from recognition import TeachingError, derive_recognizer, example_from_record, read_examples, recognize
from tests.recognition.helpers import BOOKING, DATA

pytestmark = pytest.mark.recognition


def test_the_inline_notation_says_what_json_says() -> None:
    inline = (
        "[Mary|agent] [has|relation=have, tense=present][n't|polarity=negative] [3|count] [books|unit=book] // "
        "modality=actual"
    )
    record = {
        "text": "Mary hasn't 3 books",
        "features": {
            "agent": {"value": "Mary", "evidence": [0, 4]},
            "relation": {"value": "have", "evidence": [5, 8]},
            "tense": {"value": "present", "evidence": [5, 8]},
            "polarity": {"value": "negative", "evidence": [8, 11]},
            "count": {"value": 3, "evidence": [12, 13]},
            "unit": {"value": "book", "evidence": [14, 19]},
            "modality": {"value": "actual", "absent": True},
        },
    }
    assert read_examples(inline) == (example_from_record(record),) == read_examples(json.dumps(record))


def test_comments_empty_lines_and_escapes() -> None:
    (example,) = read_examples("# said of rooms\n\nRoom \\[[12|room]\\] is free // state=free\n")
    assert example.text == "Room [12] is free"
    assert example.bundle.values == {"room": 12, "state": "free"}


ONE = {"text": "John has 5 apples", "features": {"count": {"value": 5, "evidence": [9, 10]}}}


def changed(**feature: Any) -> str:
    return json.dumps({"text": ONE["text"], "features": {"count": feature}})


@pytest.mark.parametrize(
    ("line", "code", "message"),
    [
        ("{", "bad_record", "t:1: no JSON"),
        ('{"text": 5}', "bad_record", "t:1: needs a text"),
        ('{"text": "x"}', "bad_record", "t:1: needs features"),
        (changed(value=5), "bad_record", "t:1: count: needs"),
        (changed(evidence=[9, 10]), "bad_record", "t:1: count: needs a value"),
        (changed(value=[5], evidence=[9, 10]), "bad_record", "count: a value is"),
        (
            changed(value=5, evidence=[9, 99]),
            "span_out_of_range",
            r"count: evidence \[9, 99\) of 17 characters",
        ),
        (changed(value=5, evidence=[10, 9]), "span_out_of_range", "count"),
        (changed(value=5, evidence=[8, 10]), "span_in_token", r"count: evidence \[8, 10\) ' 5' cuts a token"),
        ('{"text": "x", "features": {"a": 1, "a": 2}}', "duplicate_name", "t:1: a: twice"),
        ("[John|agent] has [5|count", "bad_notation", "never closed"),
        ("[John] has", "bad_notation", "needs words"),
        ("[John|] has", "bad_notation", "without a name"),
        ("[John [x|y]|z]", "bad_notation", "a bracket inside"),
        ("[John|agent] has [5|agent]", "duplicate_name", "agent: twice"),
        ("[John|agent] // polarity", "bad_notation", "polarity: needs a value"),
    ],
)
def test_unreadable(line: str, code: str, message: str) -> None:
    with pytest.raises(TeachingError, match=message) as caught:
        read_examples(line, "t")
    assert caught.value.code == code


@pytest.mark.parametrize(
    ("lines", "code", "message"),
    [
        ("", "empty_teaching", "no examples"),
        ("[John|agent] has [5|count]\n[Ann|agent] has 5", "missing_feature", "'Ann has 5': count"),
        ("[5|count] // p=1\n[6|count] // p=2", "contradiction", "p: absent as"),
        ("[5|count] [x|p=1]\n[6|count] [x|p=2]", "contradiction", "p: 'x' is taught as 1 and as 2"),
        (
            "[Jo|a] has [5|n=6]\n[Ann|a] has [7|n]",
            "evidence_value",
            "'Jo has 5': n: 6 does not follow from '5'",
        ),
        (
            "[Jo|a] has [5|n]\n[Ann|a] has [7|n]\n[Bob|a] has [7|n]\n[Eve|a=Ewe] has [7|n]",
            "evidence_value",
            "a: 'Ewe' does not follow from 'Eve'",
        ),
        (
            "[John|agent] has [5|count] // p=1\nSay [John|agent] has [6|count] // p=2",
            "contradiction",
            "absent",
        ),
        (
            "[John has|a] [5|count]\nJohn [has|a] [6|count]",
            "not_returned",
            "'John has 5': the teaching refuses its own example",
        ),
        ("It rains // sky=grey", "no_slot", "It rains"),
    ],
)
def test_unlearnable(lines: str, code: str, message: str) -> None:
    with pytest.raises(TeachingError, match=message) as caught:
        derive_recognizer(read_examples(lines))
    assert caught.value.code == code


def test_two_bundles_of_one_sentence() -> None:
    with pytest.raises(TeachingError):
        derive_recognizer(read_examples(BOOKING + BOOKING.replace("polarity=positive", "polarity=negative")))


def test_values_by_absence_for_the_lines_below() -> None:
    short = """\
// polarity=positive, when=null
[John|agent] has [5|count] apples
[Now|when=now] [Ann|agent] has [3|count] apples
// polarity=unknown
{"text": "Bob has 2", "features": {"agent": {"value": "Bob", "evidence": [0, 3]}, \
"when": {"value": 1, "absent": true}}}"""
    long = """\
[John|agent] has [5|count] apples // polarity=positive, when=null
[Now|when=now] [Ann|agent] has [3|count] apples // polarity=positive
[Bob|agent] has 2 // polarity=unknown, when=1"""
    assert read_examples(short) == read_examples(long)
    with pytest.raises(TeachingError, match="teaching:1: polarity: twice"):
        read_examples("// polarity=yes, polarity=no")
    with pytest.raises(TeachingError, match="teaching:1: polarity: needs a value"):
        read_examples("// polarity")


def test_a_lemma_that_does_not_follow_is_named() -> None:
    """One wrong unit among several doesn't turn all of them into markers."""
    lines = """\
[John|agent] has [5|count] [apples|unit=apple]
[Ann|agent] has [3|count] [pens|unit=pen]
[Bob|agent] has [2|count] [cups|unit=cup]
[Eve|agent] has [4|count] [knives|unit=spoon]"""
    with pytest.raises(TeachingError, match="'Eve has 4 knives': unit: 'spoon' does not follow") as caught:
        derive_recognizer(read_examples(lines))
    assert caught.value.code == "evidence_value"


def test_any_characters_can_be_taught() -> None:
    example = read_examples("[Ev\ud800|agent] has [5|count]\n[Ann|agent] has [7|count]")
    assert len(derive_recognizer(example).teaching_set_id) == 64


def test_taught_types_are_kept() -> None:
    absent = "// flag=true, rate=1.5, note=null"
    text = f"[John|agent] has [5|count] {absent}\n[Ann|agent] has [7|count] {absent}"
    outcome = recognize(derive_recognizer(read_examples(text)), "Bob has 9")
    assert outcome.proposition is not None
    assert outcome.proposition.values == {"agent": "Bob", "count": 9, "flag": True, "rate": 1.5, "note": None}


def test_the_teaching_of_quantities_is_ten_examples() -> None:
    assert len(read_examples((DATA / "teaching_quantity.jsonl").read_text(encoding="utf-8"))) == 10
