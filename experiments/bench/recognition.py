"""`core bench recognition`: sentences a second, time against length, teaching, and spaCy's Matcher beside it."""

from __future__ import annotations

import json
import math
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime
from importlib import import_module
from itertools import islice, product
from pathlib import Path
from statistics import fmean
from tempfile import TemporaryDirectory
from typing import Any

from rich.console import Console

from cognition.packs.load import DEFAULT_PACK, load_pack
from experiments.bench import timing
from experiments.bench.cga import _load, _version
from experiments.bench.tables import Rows, _aim, _markdown, _show
from experiments.harness import git_state, machine, versions
from recognition import (
    DerivedRecognizer,
    Feature,
    FeatureBundle,
    FeatureEvidence,
    NegativeEvidence,
    TaughtExample,
    derive_recognizer,
    example_from_record,
    lemmas,
    recognize,
    recognizer_to_json,
    tokenize,
)

PUBLISHED = Path(__file__).parent.parent / "data" / "published_recognition.jsonl"
SENTENCES, QUICK_SENTENCES = 6000, 2000
LENGTHS = (8, 16, 32, 64, 128, 256)
TAUGHT = (8, 100)
STARTS, QUICK_STARTS = 5, 3
AIM = 10_000

NAMES = "John Mary Ann Bob Eve Tom Kim Lee Max Nora Olga Paul Rita Sam Tina Vera Zoe Hugo Iris Jane".split()
HOLDERS = (
    "baker school library shop farmer teacher museum farm hotel doctor pilot nurse clerk tailor king garden band club "
    "store bank city village harbour factory office mill studio theatre market hospital"
).split()
VERBS = (
    "has,doesn't have,may need,will offer,hasn't,has not,may have,will have,wants,might need,offered,might want,needs,"
    "wanted,does not need,will not offer,may not have,had,did not offer,might not want"
).split(",")
UNITS = (
    "apples books loaves chairs students pens knives boxes cats dogs trees houses cars bottles cups plates lamps "
    "shirts hats shoes coins eggs keys maps tents bikes rings drums flags bells mice geese"
).split()
# What makes a sentence of the family one that is refused, by the layer of the refusal.
SPOILED = {
    "1": "John gave {0} {1} to Mary|Where {2} the {1} of the {0} go|Why did {2} give {0} {1} away",
    "2": "{2} allegedly has {0} {1}|{2} has fewer than {0} {1}|Alleged possession of {0} {1}",
    "3": "{2} has {0} {1} but doesn't|{2} may or may not have {0} {1}|{2} has {0} {1} and {0} seeds",
}
LONG = "John has 5 apples and Mary may need 3 books of the baker who will not offer 24 loaves ,".split()
# The dictionary imports spaCy where it finds it, which takes a second that a user without it doesn't wait.
HIDE_SPACY = """
import sys
class Hidden:
    def find_spec(self, name, path=None, target=None):
        if name == "spacy":
            raise ModuleNotFoundError(name)
sys.meta_path.insert(0, Hidden())
"""

HEAD = ["case", "sentences", "each, µs", "a token, µs", "a second", "spaCy, µs", "spaCy / ours", "aim"]


def bench_recognition(*, quick: bool = False) -> dict[str, Any]:
    """Times one recogniser, taught by the eight sentences of the published test, in one process and thread.

    Args:
        quick: fewer sentences and repeats.

    Returns:
        The report, ready for JSON. Times are those of one sentence in microseconds, as median, least and greatest.
    """
    repeats = timing.QUICK_REPEATS if quick else timing.REPEATS
    spacy = _load("spacy")
    recognizer = derive_recognizer(_published())
    sentences = list(islice(family(), QUICK_SENTENCES if quick else SENTENCES))
    lemmas("warm")  # loads the dictionary: the first passes pay for words, not for that
    rows = [
        _row(case, texts, timing.summary([timing.first_call(lambda texts=texts: _read(recognizer, texts))]))
        for case, texts in (("a new noun in each", list(new_nouns())), ("admitted, first pass", sentences))
    ]
    matcher = _matcher(spacy, sentences) if spacy is not None else None
    rows.append(_timed("admitted", recognizer, sentences, repeats, matcher) | {"aim": AIM})
    for layer in SPOILED:
        spoiled = list(islice(refused(layer), QUICK_SENTENCES // 4 if quick else SENTENCES // 4))
        rows.append(_timed(f"refused, layer {layer}", recognizer, spoiled, repeats))
    for length in LENGTHS:
        text = " ".join(LONG[index % len(LONG)] for index in range(length))
        rows.append(_timed(f"{length} tokens", recognizer, [text] * (2048 // length), repeats))
    lengths = [math.log(length) for length in LENGTHS]
    times = [math.log(row["each_us"]["median"]) for row in rows[-len(LENGTHS) :]]
    taught = [_as_taught(recognizer, text) for text in sentences[:: len(sentences) // max(TAUGHT)]]
    return {
        "run": {
            "time": datetime.now(UTC).isoformat(timespec="seconds"),
            "git": git_state(),
            "versions": versions() | {"spacy": _version("spacy")},
            "machine": machine(),
            "device": "one process, one thread",
        },
        "words": len({word.text for text in sentences for word in tokenize(text) if word.text.isalpha()}),
        "exponent": _slope(lengths, times),
        "matched": matcher(sentences) if matcher else None,
        "rows": rows,
        "derive_ms": {
            str(count): timing.side_by_side(
                lambda count=count: derive_recognizer(taught[:count]), None, repeats
            )["ours_ms"]
            for count in TAUGHT
        },
        "start_ms": _starts(recognizer, sentences[0], QUICK_STARTS if quick else STARTS),
    }


def family() -> Iterator[str]:
    """Distinct sentences of the published family."""
    subjects = [*NAMES, *(f"{article} {holder}" for holder in HOLDERS for article in ("The", "A"))]
    for number in range(len(subjects) * len(UNITS) * len(VERBS)):
        subject, verb = subjects[number // len(VERBS) % len(subjects)], VERBS[number % len(VERBS)]
        yield f"{subject} {verb} {2 + number % 2999} {UNITS[number // 7 % len(UNITS)]}"


def refused(layer: str) -> Iterator[str]:
    """Sentences that are refused at a layer."""
    shapes = SPOILED[layer].split("|")
    for number, (unit, holder) in enumerate(product(UNITS, [f"The {holder}" for holder in HOLDERS] + NAMES)):
        yield shapes[number % len(shapes)].format(2 + number % 997, unit, holder)


def new_nouns() -> Iterator[str]:
    """Sentences of the family, each with a plural of the pack that none before it has."""
    seen: set[str] = {*UNITS}
    for sense in load_pack(DEFAULT_PACK).senses:
        plural = sense.surfaces[-1]
        if sense.pos == "noun" and plural.isalpha() and plural not in seen and plural != sense.lemma:
            seen.add(plural)
            yield f"John has {len(seen)} {plural}"


def _published() -> list[TaughtExample]:
    records = map(json.loads, PUBLISHED.read_text(encoding="utf-8").splitlines())
    return [example_from_record(row) for row in records if (row["set"], row["role"]) == ("phase2", "teach")]


def _read(recognizer: DerivedRecognizer, sentences: Sequence[str]) -> None:
    for text in sentences:
        recognize(recognizer, text)


def _timed(
    case: str,
    recognizer: DerivedRecognizer,
    sentences: Sequence[str],
    repeats: int,
    rival: Callable[[Sequence[str]], int] | None = None,
) -> dict[str, Any]:
    theirs = None if rival is None else lambda: rival(sentences)
    found = timing.side_by_side(lambda: _read(recognizer, sentences), theirs, repeats)
    row = _row(case, sentences, found["ours_ms"])
    if rival is not None:
        row |= {"theirs_us": _each(found["theirs_ms"], len(sentences)), "ratio": found["ratio"]}
    return row


def _row(case: str, sentences: Sequence[str], times: dict[str, float]) -> dict[str, Any]:
    return {
        "case": case,
        "sentences": len(sentences),
        "tokens": fmean(len(tokenize(text)) for text in sentences),
        "each_us": _each(times, len(sentences)),
    }


def _each(times: dict[str, float], count: int) -> dict[str, float]:
    return {name: value if name == "n" else 1000 * value / count for name, value in times.items()}


def _slope(x: Sequence[float], y: Sequence[float]) -> float:
    """The slope of the line of least squares."""
    middle, height = fmean(x), fmean(y)
    return sum((a - middle) * (b - height) for a, b in zip(x, y, strict=True)) / sum(
        (a - middle) ** 2 for a in x
    )


def _as_taught(recognizer: DerivedRecognizer, text: str) -> TaughtExample:
    """A sentence with the bundle that is read in it, as a teacher would give it."""
    bundle = recognize(recognizer, text).proposition
    assert bundle is not None
    features = []
    for feature in bundle:
        span = bundle.spans[feature.name]
        features.append(
            Feature(feature.name, feature.value, FeatureEvidence(*span) if span else NegativeEvidence())
        )
    return TaughtExample(tokenize(text), FeatureBundle(tuple(features)))


def _matcher(spacy: Any, sentences: Sequence[str]) -> Callable[[Sequence[str]], int]:
    """The family as patterns of spaCy's Matcher, written by hand; the function counts the sentences they cover.

    They find the spans of agent, verb group, count and unit; values, evidence by absence and reasons are not theirs.
    """
    english = spacy.blank("en")
    agent = [{"LOWER": {"IN": ["a", "an", "the"]}, "OP": "?"}, {"IS_ALPHA": True}]
    rest = [{"LIKE_NUM": True}, {"IS_ALPHA": True}, {"TEXT": ".", "OP": "?"}]
    denied = {"LOWER": {"IN": ["not", "n't"]}, "OP": "?"}
    finite = [{"LOWER": {"IN": "has have had wants wanted needs needed offers offered".split()}}, denied]
    supported = [
        {"LOWER": {"IN": ["may", "might", "will", "do", "does", "did"]}},
        denied,
        {"LOWER": {"IN": ["have", "want", "need", "offer"]}},
    ]
    matcher = import_module("spacy.matcher").Matcher(english.vocab)
    matcher.add("possession", [[*agent, *group, *rest] for group in (finite, supported)], greedy="LONGEST")

    def covered(texts: Sequence[str]) -> int:
        count = 0
        for text in texts:
            document = english(text)
            count += any(end - start == len(document) for _, start, end in matcher(document))
        return count

    return covered


def _starts(recognizer: DerivedRecognizer, text: str, count: int) -> dict[str, float]:
    """Milliseconds from the start of a process to the end of its one reading."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / "recognizer.json"
        path.write_text(recognizer_to_json(recognizer), encoding="utf-8")
        code = f"{HIDE_SPACY}\nfrom experiments.cli import main; main()"
        command = [sys.executable, "-c", code, "recognize", "-r", str(path), "--explain", text]
        return timing.side_by_side(
            lambda: subprocess.run(command, check=True, stdout=subprocess.DEVNULL), None, count
        )["ours_ms"]


def show(report: dict[str, Any], console: Console) -> None:
    """Prints the report for people."""
    _show(report, console, [(HEAD, _rows(report))], _note(report))


def markdown(report: dict[str, Any]) -> str:
    """The report as a page."""
    return _markdown("Recognition", report, HEAD, _rows(report), _note(report), "core bench recognition")


def _rows(report: dict[str, Any]) -> Rows:
    return [
        [
            row["case"],
            f"{row['sentences']:,}",
            _spread(row["each_us"]),
            f"{row['each_us']['median'] / row['tokens']:.1f}",
            f"{1e6 / row['each_us']['median']:,.0f}",
            _spread(row.get("theirs_us")),
            "-" if "ratio" not in row else f"{row['ratio']['median']:.2f}",
            _aim(row.get("aim")),
        ]
        for row in report["rows"]
    ]


def _spread(values: dict[str, float] | None) -> str:
    if values is None:
        return "-"
    if values["n"] == 1:
        return f"{values['median']:,.0f}"
    return f"{values['median']:,.0f} ({values['min']:,.0f}-{values['max']:,.0f})"


def _note(report: dict[str, Any]) -> str:
    derive, start = report["derive_ms"], report["start_ms"]
    matched = report["matched"]
    beside = (
        "spaCy is not installed."
        if matched is None
        else f"spaCy: blank English and a Matcher with two patterns by hand, which cover {matched:,} of the "
        f"{report['rows'][1]['sentences']:,} sentences; it finds spans, not values, absence or reasons."
    )
    learning = ", ".join(f"{count} examples: {times['median']:.1f} ms" for count, times in derive.items())
    return (
        "Medians, least to greatest in parentheses. "
        f"All sentences differ; those admitted have {report['words']:,} different words beside the numbers. In a first "
        "pass its words are new; what is then known of a word and of a verb group is kept, but nothing of a sentence. "
        f"Time grows with the tokens to the power of {report['exponent']:.2f}. Learning from {learning}. "
        f"Process start, recogniser read and learned again, one sentence explained: {start['median']:.0f} ms "
        f"({start['min']:.0f}-{start['max']:.0f}). {beside}"
    )
