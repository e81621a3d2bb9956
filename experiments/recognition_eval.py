"""`core eval recognition`: the published test of the mechanism, development cases, and word problems without labels."""

from __future__ import annotations

import json
import platform
import re
import sys
from collections import Counter
from collections.abc import Callable, Iterable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from rich import box
from rich.console import Console
from rich.table import Table

from experiments.harness import UsageError, git_state, machine, versions
from recognition import (
    DerivedRecognizer,
    FeatureBundle,
    RecognitionOutcome,
    derive_recognizer,
    example_from_record,
    read_examples,
    recognize,
    tokenize,
)

__all__ = ["evaluate_recognition", "show"]

HERE = Path(__file__).parent / "data"
PUBLISHED = HERE / "published_recognition.jsonl"
DEV = HERE / "recognition_dev.json"
TEACHING = HERE / "teaching_quantity.jsonl"
NO_DATA = "pass --data DIR or set CORE_DATA"
LAYERS = ("1", "2", "3", "none")

Row = dict[str, Any]


def evaluate_recognition(data: Path | None = None) -> dict[str, Any]:
    """Runs every suite whose data is there, and says on stderr which one isn't.

    Args:
        data: a folder with `gsm8k/test.jsonl` and `svamp/SVAMP.json`.

    Returns:
        The report, ready for JSON: counts as [right, all]; of unlabelled text admitted, and refused by layer.
    """
    report: dict[str, Any] = {
        "run": {
            "git": git_state(),
            "versions": versions(),
            "platform": platform.platform(),
            "machine": machine(),
            "time": datetime.now(UTC).isoformat(timespec="seconds"),
        }
    }
    _if_there(
        report, "published", PUBLISHED, lambda text: _published(list(map(json.loads, text.splitlines())))
    )
    if not TEACHING.is_file():
        _skip("dev, gsm8k, svamp", f"no {TEACHING.name}")
        return report
    quantity = derive_recognizer(read_examples(TEACHING.read_text(encoding="utf-8"), TEACHING.name))
    if _if_there(report, "dev", DEV, lambda text: _dev(quantity, json.loads(text))):
        report["dev_also_acceptable"] = report["dev"].pop()
    suites = (("gsm8k", "test.jsonl", _gsm8k), ("svamp", "SVAMP.json", _svamp))
    for name, file, texts in suites:
        if data is None:
            _skip(name, NO_DATA)
        else:
            _if_there(
                report, name, data / name / file, lambda text, texts=texts: _unlabelled(quantity, texts(text))
            )
    return report


def _skip(suite: str, reason: str) -> None:
    print(f"{suite}: skipped, {reason}", file=sys.stderr)


def _if_there(report: dict[str, Any], suite: str, path: Path, run: Callable[[str], Any]) -> bool:
    if not path.is_file():
        _skip(suite, f"no file {path}")
        return False
    try:
        report[suite] = run(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise UsageError(f"{path}: can't be used: {error!r}") from None
    return True


def _same(outcome: RecognitionOutcome, expected: FeatureBundle) -> int:
    """Features that come back with their value and their span."""
    found = outcome.proposition
    if found is None or found.names != expected.names:
        return 0
    return sum(
        found.values[name] == value and found.spans[name] == expected.spans[name]
        for name, value in expected.values.items()
    )


def _as_published(recognizer: DerivedRecognizer, row: Row) -> bool:
    outcome = recognize(recognizer, row["text"])
    if row["role"] != "refuse":
        bundle = example_from_record(row).bundle
        return _same(outcome, bundle) == len(bundle)
    refusal = outcome.refusal_reason
    return (
        refusal is not None
        and refusal.layer == row["layer"]
        and all(getattr(refusal, name, None) == row[name] for name in {"feature", "token"} & set(row))
    )


def _published(rows: list[Row]) -> dict[str, list[int]]:
    def of(phase: str, *roles: str) -> list[Row]:
        return [row for row in rows if row["set"] == phase and row["role"] in roles]

    def counted(recognizer: DerivedRecognizer, cases: list[Row]) -> list[int]:
        return [sum(_as_published(recognizer, row) for row in cases), len(cases)]

    first, second = (
        derive_recognizer(map(example_from_record, of(phase, "teach"))) for phase in ("phase1", "phase2")
    )
    taught = [example_from_record(row) for row in of("phase2", "teach")]
    returned = sum(_same(recognize(second, example.text), example.bundle) for example in taught)
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


def _dev(recognizer: DerivedRecognizer, cases: list[Row]) -> list[int]:
    """Cases as expected, all cases, and of the rest those refused where a refusal is acceptable as well."""
    right = acceptable = 0
    for case in cases:
        outcome = recognize(recognizer, case["input"])
        also = case["expected"].get("also_acceptable", ())
        if _as_expected(outcome, case):
            right += 1
        else:
            acceptable += not outcome.admitted and any("refusal" in other for other in also)
    return [right, len(cases), acceptable]


def _gsm8k(text: str) -> list[str]:
    return [json.loads(line)["question"] for line in text.splitlines()]


def _svamp(text: str) -> list[str]:
    return [f"{row['Body']} {row['Question']}" for row in json.loads(text)]


def _unlabelled(recognizer: DerivedRecognizer, texts: Iterable[str]) -> dict[str, Any]:
    """How many distinct sentences are admitted, and at which layer the others are refused."""
    sentences = sorted({part for text in texts for part in re.split(r"(?<=[.?!])\s+", text) if part})
    layers: Counter[str] = Counter()
    for sentence in sentences:
        refusal = recognize(recognizer, sentence).refusal_reason
        if refusal is not None:
            layers[str(refusal.layer) if str(refusal.layer) in LAYERS else "none"] += 1
    return {
        "sentences": len(sentences),
        "admitted": len(sentences) - layers.total(),
        "refused": {layer: layers[layer] for layer in LAYERS},
    }


_LABELS = {
    "taught_features": "features of the taught examples, value and span",
    "positives": "new sentences admitted, every value and span",
    "refused_at_layer": "new sentences refused at their layer",
    "phase1": "first phase: one admitted, one refused",
}


def _table(*headings: str) -> Table:
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, padding=(0, 2, 0, 0))
    for index, heading in enumerate(headings):
        table.add_column(heading, justify="right" if index else "left")
    return table


def show(report: dict[str, Any], console: Console) -> None:
    """Prints the report for people."""
    table = _table("recognition", "right", "of")
    for key, counts in report.get("published", {}).items():
        table.add_row(f"published: {_LABELS[key]}", *map(str, counts))
    if "dev" in report:
        table.add_row("development cases as expected", *map(str, report["dev"]))
    console.print(table)
    if report.get("dev_also_acceptable"):
        console.print(
            f"{report['dev_also_acceptable']} more development cases are refused where that is acceptable as well"
        )
    unlabelled = [name for name in ("gsm8k", "svamp") if name in report]
    if unlabelled:
        table = _table("not labelled", "sentences", "admitted", *(f"layer {layer}" for layer in LAYERS))
        for name in unlabelled:
            found = report[name]
            table.add_row(
                name, *map(str, (found["sentences"], found["admitted"], *found["refused"].values()))
            )
        console.print(table)
