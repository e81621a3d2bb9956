"""Recognisers as text, and several recognisers over one input."""

import json
from typing import Any

import pytest

from recognition import (
    RecognizerFormatError,
    RecognizerRegistry,
    derive_recognizer,
    read_examples,
    recognize,
    recognizer_from_json,
    recognizer_to_json,
)
from tests.recognition.helpers import BOOKING, family, published, quantity

pytestmark = pytest.mark.recognition


@pytest.mark.parametrize(
    "made", [quantity(), published("phase2"), family("booking"), family("pump")], ids=range(4)
)
def test_round_trip(made: Any) -> None:
    text = recognizer_to_json(made)
    assert recognizer_from_json(text) == made
    assert recognizer_to_json(recognizer_from_json(text)) == text
    rfc8785 = pytest.importorskip("rfc8785")
    assert rfc8785.dumps(json.loads(text)) == text.encode()


def test_ancestry() -> None:
    first, *rest = read_examples(BOOKING)
    parent = derive_recognizer([first])
    child = derive_recognizer(rest, parent=parent)
    grandchild = derive_recognizer(read_examples(BOOKING.replace("12", "13")), parent=child)
    assert child.parents == (parent.teaching_set_id,)
    assert grandchild.parents == (parent.teaching_set_id, child.teaching_set_id)
    assert child.patterns == family("booking").patterns
    assert derive_recognizer([first], parent=parent) == parent
    assert recognizer_from_json(recognizer_to_json(grandchild)) == grandchild


def tampered(**changes: Any) -> str:
    return json.dumps(json.loads(recognizer_to_json(family("booking"))) | changes)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{", "no JSON"),
        ("[]", "no JSON object"),
        (tampered(schema="core.recognizer/0"), "schema 'core.recognizer/0'"),
        (tampered(extra=1), "keys extra"),
        (tampered(examples=[]), "examples: no list"),
        (tampered(examples=[1]), r"examples\[0\]"),
        (tampered(parents=["x"]), "digest"),
        (tampered(parents="x"), "parents"),
        (tampered(teaching_set_id="0" * 64), "teaching_set_id: not what"),
        (tampered(patterns=[]), "patterns: not what"),
        (tampered(digest="0"), "digest"),
    ],
)
def test_what_is_wrong_is_named(text: str, message: str) -> None:
    with pytest.raises(RecognizerFormatError, match=message):
        recognizer_from_json(text)


def test_a_changed_value_is_found() -> None:
    record = json.loads(recognizer_to_json(family("booking")))
    record["patterns"][0]["defaults"][0]["value"] = "negative"
    with pytest.raises(RecognizerFormatError, match=r"patterns\[0\].defaults\[0\].value"):
        recognizer_from_json(json.dumps(record))
    record = json.loads(recognizer_to_json(family("booking")))
    record["examples"][0]["features"]["start"]["value"] = "Noday"
    with pytest.raises(RecognizerFormatError, match="examples"):
        recognizer_from_json(json.dumps(record))


def test_one_reading_is_evidence() -> None:
    registry = RecognizerRegistry((quantity(), family("booking"), quantity()))
    assert len(registry) == 2
    assert registry.get(quantity().teaching_set_id) == quantity()
    assert registry.recognize("A baker has 24 loaves") == recognize(quantity(), "A baker has 24 loaves")
    assert registry.recognize("Room 5 is booked from Monday to Friday").state == "evidenced"
    refused = registry.recognize("John has 5 or 6 apples").refusal_reason
    assert refused is not None
    assert refused.code == "feature_consistency"
    assert RecognizerRegistry().recognize("x").state == "undetermined"


def test_two_readings_that_differ_are_ambiguous() -> None:
    registry = RecognizerRegistry((quantity(),)).add(published("phase2"))
    outcome = registry.recognize("A baker has 24 loaves")
    assert outcome.state == "ambiguous"
    assert outcome.refusal_reason is not None
    assert len(outcome.refusal_reason.as_dict()["readings"]) == 2
    assert registry.recognize("Our old baker has 24 loaves").state == "evidenced"
