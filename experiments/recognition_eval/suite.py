"""What the suites share: where shipped cases lie, how a missing file is said, how sentences are cut and compared."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from experiments.harness import UsageError
from recognition import FeatureBundle, RecognitionOutcome

__all__ = [
    "HERE",
    "LAYERS",
    "NO_DATA",
    "Keep",
    "Row",
    "agreeing",
    "if_there",
    "keep_none",
    "layer_of",
    "sample",
    "sentences_of",
    "skip",
]

HERE = Path(__file__).parent.parent / "data"
NO_DATA = "pass --data DIR or set CORE_DATA"
LAYERS = ("1", "2", "3", "none")

Row = dict[str, Any]
Keep = Callable[[Row], None]
"""Takes each sample of a suite, to be recorded."""


def keep_none(sample: Row) -> None:
    """For who wants the counts alone."""


def sample(suite: str, sample_id: str, text: str, outcome: RecognitionOutcome, right: bool) -> Row:
    """What became of one text."""
    found, refusal = outcome.proposition, outcome.refusal_reason
    return {
        "id": sample_id,
        "arm": suite,
        "prompt": text,
        "right": right,
        "admitted": outcome.admitted,
        "proposition": None if found is None else found.as_dict(),
        "refusal": None if refusal is None else refusal.as_dict(),
    }


def skip(suite: str, reason: str) -> None:
    """Says on standard error that a suite does not run."""
    print(f"{suite}: skipped, {reason}", file=sys.stderr)


def if_there(report: Row, suite: str, path: Path, run: Callable[[str], Any]) -> bool:
    """Puts what `run` makes of a file into the report, or says that there is no such file.

    Raises:
        UsageError: the file is there and can't be used.
    """
    if not path.is_file():
        skip(suite, f"no file {path}")
        return False
    try:
        report[suite] = run(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise UsageError(f"{path}: can't be used: {error!r}") from None
    return True


def agreeing(outcome: RecognitionOutcome, expected: FeatureBundle) -> int:
    """Features that come back with their value and their span."""
    found = outcome.proposition
    if found is None or found.names != expected.names:
        return 0
    return sum(
        found.values[name] == value and found.spans[name] == expected.spans[name]
        for name, value in expected.values.items()
    )


def layer_of(outcome: RecognitionOutcome) -> str:
    """The layer of a refusal as the report names it; `none` beside the three (ambiguity, length, empty)."""
    assert outcome.refusal_reason is not None
    layer = str(outcome.refusal_reason.layer)
    return layer if layer in LAYERS else "none"


def sentences_of(texts: Iterable[str]) -> list[str]:
    """The distinct sentences of texts, cut after a full stop, question mark or exclamation mark."""
    return sorted({part for text in texts for part in re.split(r"(?<=[.?!])\s+", text) if part})
