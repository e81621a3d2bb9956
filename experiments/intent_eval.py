"""Intents on data that others labelled, false answers to prompts outside the packs, and the checker of English.

Rules were fitted on the parts that each set calls training or validation; where a set has one part only, on its rows
with an even number, and those with an odd one are scored here.
"""

from __future__ import annotations

import csv
import json
import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from cognition import IntentTag, Runtime, RuntimeConfig, Vocabulary, classify
from cognition.clause import ArticulationPlan
from experiments.harness import UsageError, pack_record, percent, versions
from experiments.metrics.cases import load_suite
from experiments.metrics.lexicon import Lexicon
from experiments.metrics.suites import SuiteVersion, suite_of_files
from recognition.english import check_english
from recognition.tokens import tokenize

__all__ = [
    "ENGLISH",
    "SETS",
    "class_scores",
    "english_suite",
    "evaluate_english",
    "evaluate_intents",
    "intents_suite",
    "show_english",
    "show_intents",
]

_NFCATS = {
    "INSTRUCTION": IntentTag.PROCEDURE,
    "REASON": IntentTag.CAUSE,
    "COMPARISON": IntentTag.COMPARISON,
}
_HWU = {
    "general_negate": IntentTag.CORRECTION,
    "general_repeat": IntentTag.RECALL,
    "qa_definition": IntentTag.DEFINITION,
}
# The baseline on NF-CATS: the first class with one of its keywords in the question.
_KEYWORDS = {
    IntentTag.COMPARISON: r"\b(?:differences?|differ|compare[ds]?|vs|versus|better)\b",
    IntentTag.CAUSE: r"\b(?:why|reasons?|causes?)\b",
    IntentTag.PROCEDURE: r"\bhow (?:to|do|can|should)\b",
}
ENGLISH = (
    "determiner_noun_agreement_irregular_1",
    "irregular_past_participle_verbs",
    "irregular_plural_subject_verb_agreement_1",
)
SPLITS = ("public", "dev")
EVERY_WORD = 4096
Labelled = list[tuple[str, str]]


def _table(path: Path, delimiter: str) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file, delimiter=delimiter))


def _json(path: Path) -> Any:
    return json.loads(path.read_text(encoding="utf-8"))


def _lines(path: Path) -> list[Any]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def nfcats(data: Path) -> Labelled:
    """The rows of the test part that people labelled, as (question, category)."""
    rows = _table(data / "nfcats/test.csv", ",")
    return [(row["question"], row["category"]) for row in rows if row["annotated_by"] != "unsupervised"]


def hwu64(data: Path) -> Labelled:
    """Odd rows of the set's talk about talk and its questions, as (text, intent)."""
    rows = _table(data / "hwu64/general_qa_allfolds.tsv", "\t")
    return [(row["text"], row["intent"]) for row in rows][1::2]


def snips(data: Path) -> list[str]:
    """Commands to an assistant."""
    texts: list[str] = []
    for path in sorted((data / "snips").glob("validate_*.json")):
        rows = next(iter(_json(path).values()))
        texts += ["".join(part["text"] for part in row["data"]) for row in rows]
    return texts


def clinc(data: Path) -> list[str]:
    """The test parts, with what lies outside the set's own intents; without its `definition`."""
    parts = _json(data / "clinc150/data_full.json")
    return [text for part in ("test", "oos_test") for text, label in parts[part] if label != "definition"]


def clinc_definitions(data: Path) -> list[str]:
    """The test rows of `definition`."""
    return [t for t, label in _json(data / "clinc150/data_full.json")["test"] if label == "definition"]


def boolq(data: Path) -> list[str]:
    """Odd rows: questions whose answer is yes or no, as people typed them."""
    return [row["question"] for row in _lines(data / "boolq/dev_questions.jsonl")][1::2]


def disfl_qa(data: Path) -> list[tuple[str, str]]:
    """The test part, as (disfluent, repaired)."""
    return [(row["disfluent"], row["original"]) for row in _json(data / "disfl_qa/test.json").values()]


def class_scores(pairs: Sequence[tuple[str, str]], wanted: Iterable[str]) -> dict[str, dict[str, Any]]:
    """Precision, recall and F1 of each wanted label over pairs of (label expected, label found)."""
    scores: dict[str, dict[str, Any]] = {}
    for label in wanted:
        right = sum(want == found == label for want, found in pairs)
        expected = sum(want == label for want, _ in pairs)
        found = sum(got == label for _, got in pairs)
        scores[label] = {
            "rows": expected,
            "precision": right / found if found else None,
            "recall": right / expected if expected else None,
            "f1": 2 * right / (expected + found) if expected + found else None,
        }
    return scores


def _plan(text: str, vocabulary: Vocabulary) -> ArticulationPlan | None:
    tokens = tokenize(text)
    return classify(text, tokens, vocabulary) if tokens else None


def _intent(text: str, vocabulary: Vocabulary) -> str:
    plan = _plan(text, vocabulary)
    return (plan.intent if plan is not None else IntentTag.UNKNOWN).value


def _labelled(rows: Labelled, names: dict[str, IntentTag], vocabulary: Vocabulary) -> dict[str, Any]:
    pairs = [
        (names[label].value if label in names else label, _intent(text, vocabulary)) for text, label in rows
    ]
    return {"rows": len(rows), "classes": class_scores(pairs, [tag.value for tag in names.values()])}


def _by_keywords(rows: Labelled) -> dict[str, dict[str, Any]]:
    pairs = [(_NFCATS[label].value if label in _NFCATS else label, _keyword(text)) for text, label in rows]
    return class_scores(pairs, [tag.value for tag in _NFCATS.values()])


def _keyword(text: str) -> str:
    found = (tag.value for tag, words in _KEYWORDS.items() if re.search(words, text, re.IGNORECASE))
    return next(found, IntentTag.UNKNOWN.value)


def _nfcats(data: Path, vocabulary: Vocabulary) -> dict[str, Any]:
    rows = nfcats(data)
    return {**_labelled(rows, _NFCATS, vocabulary), "keywords": _by_keywords(rows)}


def _share(texts: Sequence[str], tag: IntentTag, vocabulary: Vocabulary) -> dict[str, Any]:
    found = Counter(_intent(text, vocabulary) for text in texts)
    return {
        "rows": len(texts),
        "intent": tag.value,
        "recall": found[tag.value] / len(texts),
        "found": dict(found),
    }


def _answered(texts: Sequence[str], runtime: Runtime) -> dict[str, Any]:
    results = runtime.ask_batch(texts)
    answered = [result for result in results if result.answered]
    return {
        "rows": len(texts),
        "answered": len(answered),
        "false_answer_rate": len(answered) / len(texts),
        "by_intent": dict(Counter(result.intent.value for result in answered)),
        "refusals": dict(Counter(result.refusal_reason for result in results if not result.answered)),
    }


def _key(text: str, vocabulary: Vocabulary) -> tuple[str, str | None]:
    plan = _plan(text, vocabulary)
    assert plan is not None
    subject = plan.clause.subject
    return plan.intent.value, None if subject is None else subject.lemma


def _repaired(rows: Sequence[tuple[str, str]], vocabulary: Vocabulary) -> dict[str, Any]:
    keys = [(_key(spoken, vocabulary), _key(meant, vocabulary)) for spoken, meant in rows]
    named = [(spoken, meant) for spoken, meant in keys if meant[1] is not None]
    return {
        "rows": len(rows),
        "same_intent": sum(spoken[0] == meant[0] for spoken, meant in keys) / len(keys),
        "rows_with_subject": len(named),
        "same_intent_and_subject": sum(spoken == meant for spoken, meant in named) / len(named),
    }


SETS: dict[str, tuple[str, Callable[[Path, Runtime], dict[str, Any]]]] = {
    "nfcats": ("nfcats/test.csv", lambda d, r: _nfcats(d, r.vocabulary)),
    "hwu64": ("hwu64/general_qa_allfolds.tsv", lambda d, r: _labelled(hwu64(d), _HWU, r.vocabulary)),
    "snips": ("snips/validate_PlayMusic.json", lambda d, r: _answered(snips(d), r)),
    "clinc150": ("clinc150/data_full.json", lambda d, r: _answered(clinc(d), r)),
    "clinc150_definition": (
        "clinc150/data_full.json",
        lambda d, r: _share(clinc_definitions(d), IntentTag.DEFINITION, r.vocabulary),
    ),
    "boolq": (
        "boolq/dev_questions.jsonl",
        lambda d, r: _share(boolq(d), IntentTag.VERIFICATION, r.vocabulary),
    ),
    "disfl_qa": ("disfl_qa/test.json", lambda d, r: _repaired(disfl_qa(d), r.vocabulary)),
}


def evaluate_intents(data: Path | None, vocabulary: Vocabulary) -> dict[str, Any]:
    """Runs every set whose file is there.

    Turns that should not be answered walk as far as the pack reaches, so that none is refused for want of steps.

    Args:
        data: folder of data sets.
        vocabulary: the opened pack.

    Returns:
        ``sets``: for each set its scores; ``missing``: the sets whose file is not there.

    Raises:
        UsageError: no folder, or none of the sets is in it.
    """
    folder = _folder(data)
    runtime = Runtime(vocabulary, RuntimeConfig(max_tokens=EVERY_WORD))
    there = {name: run for name, (file, run) in SETS.items() if (folder / file).is_file()}
    if not there:
        raise UsageError(f"--data {folder}: none of {', '.join(SETS)} is in it")
    return {
        "pack": pack_record(vocabulary.pack),
        "versions": versions(),
        "sets": {name: run(folder, runtime) for name, run in there.items()},
        "missing": [name for name in SETS if name not in there],
    }


def evaluate_english(data: Path | None, vocabulary: Vocabulary) -> dict[str, Any]:
    """The checker of English on minimal pairs, and on what the system says.

    Args:
        data: folder of data sets.
        vocabulary: the opened pack, whose answers to the shipped cases are checked, with and without the constraint.

    Returns:
        ``sets``: of each file of pairs how many bad members are reported and how many good ones pass; ``all``: their
        sums; ``surfaces``: how many sentences were said, and what the checker reports of them.

    Raises:
        UsageError: no folder, or no file of pairs in it.
    """
    folder = _folder(data) / "blimp_irregular"
    sets: dict[str, Any] = {}
    for name in ENGLISH:
        path = folder / f"{name}.jsonl"
        if path.is_file():
            rows = _lines(path)
            sets[name] = {
                "pairs": len(rows),
                "bad_reported": sum(bool(check_english(row["sentence_bad"])) for row in rows),
                "good_passed": sum(not check_english(row["sentence_good"]) for row in rows),
            }
    if not sets:
        raise UsageError(f"--data {folder.parent}: no blimp_irregular in it")
    total = {
        key: sum(found[key] for found in sets.values()) for key in ("pairs", "bad_reported", "good_passed")
    }
    return {
        "versions": versions(),
        "sets": sets,
        "all": total,
        "surfaces": _surfaces(vocabulary),
        "missing": [name for name in ENGLISH if name not in sets],
    }


def _surfaces(vocabulary: Vocabulary) -> dict[str, Any]:
    lexicon = Lexicon(vocabulary)
    prompts = [case.prompt for split in SPLITS for case in load_suite(split, lexicon).cases]
    said: dict[str, None] = {}
    for on in (False, True):
        runtime = Runtime(vocabulary, RuntimeConfig(forward_graph_constraint=on))
        for result in runtime.ask_batch(prompts):
            said |= dict.fromkeys(sentence.text for sentence in result.sentences)
    findings = [
        {"code": p.code, "message": p.message, "text": text} for text in said for p in check_english(text)
    ]
    return {"sentences": len(said), "findings": findings}


def intents_suite(data: Path | None) -> SuiteVersion:
    """The sets of `evaluate_intents` that are there, as one suite.

    Raises:
        UsageError: there is no folder.
    """
    return suite_of_files("intents", _folder(data), dict.fromkeys(file for file, _ in SETS.values()))


def english_suite(data: Path | None) -> SuiteVersion:
    """The sets of `evaluate_english` that are there, as one suite.

    Raises:
        UsageError: there is no folder.
    """
    return suite_of_files("english", _folder(data) / "blimp_irregular", [f"{name}.jsonl" for name in ENGLISH])


def _folder(data: Path | None) -> Path:
    if data is None:
        raise UsageError("--data: needed (or CORE_DATA): the folder of public data sets")
    if not data.is_dir():
        raise UsageError(f"--data {data}: no such folder")
    return data


def show_intents(report: dict[str, Any], console: Console) -> None:
    """The report as tables for people."""
    pack = report["pack"]
    console.print(f"intents; pack {pack['id']} {pack['version']}")
    sets = report["sets"]
    table = Table("set", "class", "rows", "precision", "recall", "F1", "keywords' F1", box=None)
    for name in ("nfcats", "hwu64"):
        for label, score in sets.get(name, {}).get("classes", {}).items():
            rules = sets[name].get("keywords", {}).get(label, {}).get("f1")
            rates = (percent(score[rate]) for rate in ("precision", "recall", "f1"))
            table.add_row(name, label, str(score["rows"]), *rates, percent(rules))
    for name in ("clinc150_definition", "boolq"):
        if name in sets:
            found = sets[name]
            table.add_row(name, found["intent"], str(found["rows"]), "-", percent(found["recall"]), "-", "-")
    console.print(table)
    for name in ("snips", "clinc150"):
        if name in sets:
            found = sets[name]
            what = ", ".join(f"{intent} {n}" for intent, n in found["by_intent"].items())
            rate = percent(found["false_answer_rate"])
            console.print(f"{name}: {found['answered']} of {found['rows']} answered ({rate} %) {what}")
    if "disfl_qa" in sets:
        found = sets["disfl_qa"]
        console.print(
            f"disfl_qa: {found['rows']} pairs, same intent {percent(found['same_intent'])} %; of "
            f"{found['rows_with_subject']} with a subject, same intent and subject "
            f"{percent(found['same_intent_and_subject'])} %"
        )
    _show_missing(report, console)


def show_english(report: dict[str, Any], console: Console) -> None:
    """The report as a table for people."""
    table = Table("pairs", "number", "bad reported %", "good passed %", box=None)
    for name, found in (*report["sets"].items(), ("all", report["all"])):
        rates = (percent(found[key] / found["pairs"]) for key in ("bad_reported", "good_passed"))
        table.add_row(name, str(found["pairs"]), *rates)
    console.print(table)
    surfaces = report["surfaces"]
    console.print(f"{surfaces['sentences']} sentences said: {len(surfaces['findings'])} findings")
    for found in surfaces["findings"]:
        console.print(f"{found['code']}: {found['message']}: {found['text']}", soft_wrap=True)
    _show_missing(report, console)


def _show_missing(report: dict[str, Any], console: Console) -> None:
    for name in report["missing"]:
        console.print(f"skipped: {name}: its file is not in the data folder")
