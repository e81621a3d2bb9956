"""Suites `published` and `dev`: the published test of the mechanism, and inputs that other systems got wrong."""

from __future__ import annotations

from experiments.recognition_eval.suite import HERE, Keep, Row, agreeing, keep_none, sample
from recognition import (
    DerivedRecognizer,
    RecognitionOutcome,
    derive_recognizer,
    example_from_record,
    recognize,
    tokenize,
)

__all__ = ["DEV", "PUBLISHED", "TEACHING", "development", "published"]

PUBLISHED = HERE / "published_recognition.jsonl"
DEV = HERE / "recognition_dev.json"
TEACHING = HERE / "teaching_quantity.jsonl"


def _as_published(outcome: RecognitionOutcome, row: Row) -> bool:
    if row["role"] != "refuse":
        bundle = example_from_record(row).bundle
        return agreeing(outcome, bundle) == len(bundle)
    refusal = outcome.refusal_reason
    return (
        refusal is not None
        and refusal.layer == row["layer"]
        and all(getattr(refusal, name, None) == row[name] for name in {"feature", "token"} & set(row))
    )


def published(rows: list[Row], keep: Keep = keep_none) -> dict[str, list[int]]:
    """The published figures, each as [right, all]; `keep` takes each sentence but those taught."""

    def of(phase: str, *roles: str) -> list[Row]:
        return [row for row in rows if row["set"] == phase and row["role"] in roles]

    def counted(recognizer: DerivedRecognizer, cases: list[Row]) -> list[int]:
        right = 0
        for number, row in enumerate(cases, 1):
            outcome = recognize(recognizer, row["text"])
            as_published = _as_published(outcome, row)
            sample_id = f"{row['set']}-{row['role']}-{number}"
            keep(sample("published", sample_id, row["text"], outcome, as_published))
            right += as_published
        return [right, len(cases)]

    first, second = (
        derive_recognizer(map(example_from_record, of(phase, "teach"))) for phase in ("phase1", "phase2")
    )
    taught = [example_from_record(row) for row in of("phase2", "teach")]
    returned = sum(agreeing(recognize(second, example.text), example.bundle) for example in taught)
    return {
        "taught_features": [returned, sum(len(example.bundle) for example in taught)],
        "positives": counted(second, of("phase2", "admit")),
        "refused_at_layer": counted(second, of("phase2", "refuse")),
        "phase1": counted(first, of("phase1", "admit", "refuse")),
    }


def _as_expected(outcome: RecognitionOutcome, case: Row) -> bool:
    expected, found = case["expected"], outcome.proposition
    if expected["status"] == "refuse":
        return outcome.refusal_reason is not None and outcome.refusal_reason.code == expected["reason"]
    if found is None or found.values != expected["proposition"]:
        return False
    tokens = tokenize(case["input"])
    spans = {
        name: [tokens[span[0]].start, tokens[span[1] - 1].end] for name, span in found.spans.items() if span
    }
    return all(spans.get(name) == span for name, span in expected["evidence"].items())


def development(recognizer: DerivedRecognizer, cases: list[Row], keep: Keep = keep_none) -> list[int]:
    """Cases as expected, all cases, and of the rest those refused where a refusal is acceptable as well."""
    right = acceptable = 0
    for number, case in enumerate(cases, 1):
        outcome = recognize(recognizer, case["input"])
        also = case["expected"].get("also_acceptable", ())
        as_expected = _as_expected(outcome, case)
        keep(sample("dev", str(number), case["input"], outcome, as_expected))
        if as_expected:
            right += 1
        else:
            acceptable += not outcome.admitted and any("refusal" in other for other in also)
    return [right, len(cases), acceptable]
