"""The acceptance test that was published for the mechanism: taught 8 (and 4), admitted 3 (and 1), refused 5 (and 1)."""

from typing import Any

import pytest

from recognition import example_from_record, recognize
from tests.recognition.helpers import PUBLISHED, published

pytestmark = [pytest.mark.recognition, pytest.mark.smoke]


def rows(*roles: str) -> list[Any]:
    return [pytest.param(row, id=f"{row['set']}: {row['text']}") for row in PUBLISHED if row["role"] in roles]


@pytest.mark.parametrize("row", rows("teach", "admit"))
def test_values_and_spans(row: dict[str, Any]) -> None:
    outcome = recognize(published(row["set"]), row["text"])
    expected = example_from_record(row)
    assert outcome.state == "evidenced"
    assert outcome.proposition is not None
    assert outcome.proposition.values == expected.bundle.values
    assert outcome.proposition.spans == expected.bundle.spans
    assert len(outcome.proposition) == 8


@pytest.mark.parametrize("row", rows("refuse"))
def test_refusals_at_their_layer(row: dict[str, Any]) -> None:
    outcome = recognize(published(row["set"]), row["text"])
    refusal = outcome.refusal_reason
    assert outcome.proposition is None
    assert refusal is not None
    assert refusal.layer == row["layer"]
    assert outcome.state == ("contradicted" if row["layer"] == 3 else "undetermined")
    for name in {"feature", "token"} & set(row):
        assert getattr(refusal, name) == row[name]


def test_all_taught_features_are_returned() -> None:
    taught = [row for row in PUBLISHED if (row["set"], row["role"]) == ("phase2", "teach")]
    returned = 0
    for row in taught:
        outcome = recognize(published("phase2"), row["text"])
        assert outcome.proposition is not None
        expected = example_from_record(row).bundle
        for name, value in expected.values.items():
            returned += (
                outcome.proposition.values[name] == value
                and outcome.proposition.spans[name] == expected.spans[name]
            )
    assert returned == 64


def test_nothing_of_the_teaching_is_written_in_the_engine() -> None:
    """Renamed features and values are learned as well."""
    renamed = []
    for row in PUBLISHED:
        features = {
            f"x_{name}": feature
            | ({"value": f"v_{feature['value']}"} if "absent" in feature or name in MARKED else {})
            for name, feature in row.get("features", {}).items()
        }
        renamed.append(row | {"features": features})
    from recognition import derive_recognizer

    taught = [row for row in renamed if (row["set"], row["role"]) == ("phase2", "teach")]
    recognizer = derive_recognizer(example_from_record(row) for row in taught)
    for row in renamed:
        if row["set"] != "phase2" or row["role"] == "refuse":
            continue
        outcome = recognize(recognizer, row["text"])
        assert outcome.proposition is not None
        assert outcome.proposition.values == example_from_record(row).bundle.values


MARKED = ("polarity", "modality", "tense", "intentionality")
