"""Runs every suite whose data is there."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from experiments.harness import UsageError, environment
from experiments.quantity_eval import SUITES, evaluate_quantities
from experiments.recognition_eval import families, published, word_problems
from experiments.recognition_eval.suite import NO_DATA, Keep, Row, if_there, keep_none, skip
from recognition import DerivedRecognizer, derive_recognizer, read_examples

__all__ = ["evaluate_recognition", "sample_word_problems"]


def _taught(path: Path) -> DerivedRecognizer | None:
    if not path.is_file():
        return None
    return derive_recognizer(read_examples(path.read_text(encoding="utf-8"), path.name))


def _problems(data: Path) -> dict[str, list[str]]:
    """The texts of each set of word problems that is there."""
    texts: Row = {}
    for name, (file, read) in word_problems.PROBLEMS.items():
        if_there(texts, name, data / name / file, read)
    return texts


def _unlabelled(report: Row, texts: dict[str, list[str]], quantity: DerivedRecognizer | None) -> None:
    if quantity is not None:
        report |= {name: word_problems.unlabelled(quantity, held) for name, held in texts.items()}
    taught = _taught(word_problems.TEACHING)
    if taught is None:
        skip("word_problems", f"no {word_problems.TEACHING.name}")
    elif texts:
        chosen = word_problems.chosen(texts)
        report["word_problems"] = {"taught": len(taught.examples)} | word_problems.reasons(taught, chosen)


def _quantities(report: Row, data: Path) -> None:
    """Numbers and quantities of running text, against cases with values and spans."""
    for name, file in SUITES.items():
        if not (data / file).is_file():
            skip(name, f"no file {data / file}")
    try:
        found = evaluate_quantities(data)
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise UsageError(f"{data}: the suites of quantities can't be used: {error!r}") from None
    if found:
        report["quantities"] = found


def evaluate_recognition(data: Path | None = None, keep: Keep = keep_none) -> dict[str, Any]:
    """Runs every suite whose data is there, and says on stderr which one isn't.

    Args:
        data: a folder with `gsm8k/test.jsonl`, `svamp/SVAMP.json`, and what `evaluate_quantities` takes.
        keep: takes each sentence of the suites that ship, with its outcome.

    Returns:
        The report, ready for JSON: counts as [right, all]; what becomes of sentences left out of their teaching;
        of unlabelled text how much is admitted, and refused by layer; the scores of `evaluate_quantities`.
    """
    report: dict[str, Any] = {"run": environment()}
    if_there(
        report,
        "published",
        published.PUBLISHED,
        lambda text: published.published(list(map(json.loads, text.splitlines())), keep),
    )
    quantity = _taught(published.TEACHING)
    if quantity is None:
        skip("dev, gsm8k, svamp", f"no {published.TEACHING.name}")
    elif if_there(
        report, "dev", published.DEV, lambda text: published.development(quantity, json.loads(text), keep)
    ):
        report["dev_also_acceptable"] = report["dev"].pop()
    if families.FAMILIES.is_dir():
        report["families"] = families.families(keep)
    else:
        skip("families", f"no folder {families.FAMILIES.name}")
    if data is None:
        for name in (*word_problems.PROBLEMS, "word_problems", "quantities"):
            skip(name, NO_DATA)
        return report
    _unlabelled(report, _problems(data), quantity)
    _quantities(report, data)
    return report


def sample_word_problems(data: Path | None, size: int, seed: int) -> list[Row]:
    """Sentences of the suite `word_problems` that are admitted, drawn by a seed, for a reader to judge.

    Raises:
        UsageError: there is no data, or no teaching.
    """
    if data is None:
        raise UsageError(f"word_problems: {NO_DATA}")
    taught = _taught(word_problems.TEACHING)
    if taught is None:
        raise UsageError(f"word_problems: no {word_problems.TEACHING.name}")
    return word_problems.sample(taught, word_problems.chosen(_problems(data)), size, seed)
