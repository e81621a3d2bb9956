"""Word problems nobody labelled: nothing raises, what is admitted has its number and its words in the text."""

import json
import re
from pathlib import Path

import pytest

from recognition import FeatureEvidence, recognize, tokenize
from tests.recognition.helpers import quantity

pytestmark = pytest.mark.recognition


def sentences(folder: Path) -> list[str]:
    texts = [
        json.loads(line)["question"]
        for line in (folder / "gsm8k" / "test.jsonl").read_text(encoding="utf-8").splitlines()
    ]
    rows = json.loads((folder / "svamp" / "SVAMP.json").read_text(encoding="utf-8"))
    texts += [f"{row['Body']} {row['Question']}" for row in rows]
    return sorted({part for text in texts for part in re.split(r"(?<=[.?!])\s+", text) if part})


def test_word_problems(data_dir: Path) -> None:
    admitted = 0
    for text in sentences(data_dir):
        outcome = recognize(quantity(), text)
        if outcome.proposition is None:
            continue
        admitted += 1
        tokens = tokenize(text)
        spans = [
            f.evidence.characters(tokens)
            for f in outcome.proposition
            if isinstance(f.evidence, FeatureEvidence)
        ]
        assert all(0 <= start < end <= len(text) for start, end in spans)
        # Of the words that an admitted sentence has beside its evidence only articles, possessives and `do` are left.
        rest = "".join(" " if any(s <= i < e for s, e in spans) else char for i, char in enumerate(text))
        assert set(re.findall(r"\w+", rest.lower())) <= set(
            "a an the his her their its our my your do does did".split()
        )
    assert admitted >= 80
