"""Sentences left out of their teaching: read right, or refused with a reason; never read wrong."""

from __future__ import annotations

import pytest

from experiments.recognition_eval import families as module
from experiments.recognition_eval.families import FAMILIES, families, leave_one_out
from recognition import derive_recognizer, read_examples, recognize
from tests.recognition.helpers import FAMILIES as SMALL

pytestmark = pytest.mark.recognition

NAMES = ["booking", "possession", "rate"]


def test_the_shipped_families() -> None:
    found = families()
    assert list(found) == [*NAMES, "all"]
    assert all(found[name]["sentences"] >= 12 for name in NAMES)
    total = found["all"]
    assert total["sentences"] >= 36
    assert total["wrong"] == 0
    assert total["refused_other"] == 0
    assert total["refused_1_shape_taught"] == 0
    assert total["right"] * 10 >= total["sentences"] * 9


@pytest.mark.parametrize("name", SMALL)
def test_small_families_are_never_read_wrong(name: str) -> None:
    found = leave_one_out(read_examples(SMALL[name], name))
    assert (found["wrong"], found["refused_1_shape_taught"]) == (0, 0)


def test_a_wrong_reading_counts_as_wrong(monkeypatch: pytest.MonkeyPatch) -> None:
    examples = read_examples(SMALL["pump"], "pump")
    other = recognize(derive_recognizer(examples), "The crane lifts 6 tons in 9 seconds")
    assert other.admitted
    monkeypatch.setattr(module, "recognize", lambda *_: other)
    found = leave_one_out(examples)
    assert (found["sentences"], found["right"], found["wrong"]) == (4, 0, 4)


@pytest.mark.parametrize("name", NAMES)
def test_taught_bundles_return(name: str) -> None:
    examples = read_examples((FAMILIES / f"{name}.txt").read_text(encoding="utf-8"), name)
    recognizer = derive_recognizer(examples)
    for example in examples:
        got = recognize(recognizer, example.text).proposition
        assert got is not None
        assert (got.values, got.spans) == (example.bundle.values, example.bundle.spans)
