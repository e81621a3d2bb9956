"""Suites of word problems nobody labelled: all sentences, and those in which something has a number of something."""

from __future__ import annotations

import json
import random
import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from experiments.recognition_eval.suite import HERE, LAYERS, layer_of, sentences_of
from recognition import DerivedRecognizer, FeatureEvidence, recognize, tokenize

__all__ = [
    "PROBLEMS",
    "TEACHING",
    "chosen",
    "holds_a_number",
    "reasons",
    "sample",
    "unlabelled",
]

TEACHING = HERE / "teaching_word_problems.txt"

_NUMBERS = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen "
    "seventeen eighteen nineteen twenty thirty forty fifty sixty seventy eighty ninety hundred thousand"
)
_HOLDS = re.compile(
    rf"\b(?:has|have|had)\s+(?:\S+\s+)?\$?(?:\d|(?:{'|'.join(_NUMBERS.split())})\b)",
)


def _gsm8k(text: str) -> list[str]:
    return [json.loads(line)["question"] for line in text.splitlines()]


def _svamp(text: str) -> list[str]:
    return [f"{row['Body']} {row['Question']}" for row in json.loads(text)]


# Name of the data set -> (its file below the folder of the same name, texts of the file).
PROBLEMS: dict[str, tuple[str, Callable[[str], list[str]]]] = {
    "gsm8k": ("test.jsonl", _gsm8k),
    "svamp": ("SVAMP.json", _svamp),
}


def chosen(texts: Mapping[str, Iterable[str]]) -> list[str]:
    """Of the texts of each data set the distinct sentences with `holds_a_number`."""
    return [s for held in texts.values() for s in sentences_of(held) if holds_a_number(s)]


def holds_a_number(sentence: str) -> bool:
    """Whether `has`, `have` or `had` stands in a sentence with a number after it, or after one word more.

    The number is in digits, `$` before it or not, or begins with a number word. Of the distinct sentences of GSM8K's
    test set this selects 435, of those of SVAMP 547.
    """
    return bool(_HOLDS.search(sentence))


def unlabelled(recognizer: DerivedRecognizer, texts: Iterable[str]) -> dict[str, Any]:
    """How many distinct sentences are admitted, and at which layer the others are refused."""
    sentences = sentences_of(texts)
    outcomes = (recognize(recognizer, sentence) for sentence in sentences)
    layers = Counter(layer_of(outcome) for outcome in outcomes if not outcome.admitted)
    return {
        "sentences": len(sentences),
        "admitted": len(sentences) - layers.total(),
        "refused": {layer: layers[layer] for layer in LAYERS},
    }


def reasons(recognizer: DerivedRecognizer, sentences: Iterable[str], top: int = 12) -> dict[str, Any]:
    """Like `unlabelled`, of sentences; beside it the words that most refusals are about.

    Returns:
        `sentences`, `admitted`, `refused` by layer, and `top`: rows [layer, feature, token, count], a feature of None
        where no shape fits, a token of None where something is missing.
    """
    held = list(sentences)
    layers: Counter[str] = Counter()
    grounds: Counter[tuple[str, str | None, str | None]] = Counter()
    for sentence in held:
        outcome = recognize(recognizer, sentence)
        refusal = outcome.refusal_reason
        if refusal is None:
            continue
        layer = layer_of(outcome)
        layers[layer] += 1
        token = getattr(refusal, "token", None)
        grounds[layer, getattr(refusal, "feature", None), token and token.lower()] += 1
    ranked = sorted(grounds.items(), key=lambda item: (-item[1], str(item[0])))
    return {
        "sentences": len(held),
        "admitted": len(held) - layers.total(),
        "refused": {layer: layers[layer] for layer in LAYERS},
        "top": [[*ground, count] for ground, count in ranked[:top]],
    }


def sample(
    recognizer: DerivedRecognizer, sentences: Iterable[str], size: int, seed: int
) -> list[dict[str, Any]]:
    """Admitted sentences drawn by a seed: `input`, `proposition`, and `evidence` in characters, None for absence."""
    admitted = []
    for sentence in sentences:
        found = recognize(recognizer, sentence).proposition
        if found is None:
            continue
        tokens = tokenize(sentence)
        spans = {
            f.name: f.evidence.characters(tokens) if isinstance(f.evidence, FeatureEvidence) else None
            for f in found
        }
        admitted.append({"input": sentence, "proposition": found.values, "evidence": spans})
    return random.Random(seed).sample(admitted, min(size, len(admitted)))
