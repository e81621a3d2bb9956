"""`core eval intents` and `core eval english`: scores by hand, parts of the data, and what is skipped without it."""

from __future__ import annotations

import csv
import json
from io import StringIO
from pathlib import Path

import pytest
from rich.console import Console

from cognition import Runtime, Vocabulary
from experiments import intent_eval
from experiments.harness import UsageError
from experiments.intent_eval import (
    class_scores,
    evaluate_english,
    evaluate_intents,
    show_english,
    show_intents,
)

pytestmark = pytest.mark.cognition


@pytest.fixture(scope="module")
def shipped() -> Vocabulary:
    return Runtime.open().vocabulary


def write_rows(path: Path, header: str, rows: list[tuple[str, ...]], delimiter: str = ",") -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, delimiter=delimiter)
        writer.writerows([header.split(), *rows])


@pytest.fixture
def small(tmp_path: Path) -> Path:
    """One file of each kind, with answers that can be told by hand."""
    write_rows(
        tmp_path / "nfcats/test.csv",
        "annotated_by category question",
        [
            ("mturk", "INSTRUCTION", "How do I bake a cake?"),
            ("mturk", "REASON", "Why is the sea salty?"),
            ("authors", "COMPARISON", "What is the difference between jam and jelly?"),
            ("mturk", "DEBATE", "Why do people shout?"),
            ("unsupervised", "REASON", "What a day"),
        ],
    )
    write_rows(
        tmp_path / "hwu64/general_qa_allfolds.tsv",
        "intent text",
        [("general_repeat", "no idea"), ("general_negate", "that is wrong"), ("general_repeat", "hello")],
        delimiter="\t",
    )
    (tmp_path / "boolq").mkdir()
    questions = ["who was it", "is the sea salty", "who was it", "tell me more"]
    (tmp_path / "boolq/dev_questions.jsonl").write_text(
        "".join(json.dumps({"question": q}) + "\n" for q in questions), encoding="utf-8"
    )
    (tmp_path / "clinc150").mkdir()
    parts = {
        "train": [["what is memory", "leak"]],
        "test": [["what is memory", "meaning"], ["what is a wombat", "definition"]],
        "oos_test": [["book a table", "oos"]],
    }
    (tmp_path / "clinc150/data_full.json").write_text(json.dumps(parts), encoding="utf-8")
    (tmp_path / "disfl_qa").mkdir()
    pairs = {
        "a": {"original": "What is recall?", "disfluent": "What is memory, no wait, recall?"},
        "b": {"original": "Why do cats purr?", "disfluent": "Where do dogs sleep?"},
    }
    (tmp_path / "disfl_qa/test.json").write_text(json.dumps(pairs), encoding="utf-8")
    return tmp_path


def test_scores_are_those_counted_by_hand() -> None:
    pairs = [("a", "a"), ("a", "b"), ("b", "a"), ("c", "c"), ("a", "a")]
    scores = class_scores(pairs, ["a", "b", "d"])
    assert scores["a"] == {"rows": 3, "precision": 2 / 3, "recall": 2 / 3, "f1": 2 / 3}
    assert scores["b"] == {"rows": 1, "precision": 0.0, "recall": 0.0, "f1": 0.0}
    assert scores["d"] == {"rows": 0, "precision": None, "recall": None, "f1": None}


def test_each_part_is_scored_and_no_other(small: Path, shipped: Vocabulary) -> None:
    report = evaluate_intents(small, shipped)
    found = report["sets"]
    assert found["nfcats"]["rows"] == 4
    assert found["nfcats"]["classes"]["cause"] == {"rows": 1, "precision": 0.5, "recall": 1.0, "f1": 2 / 3}
    assert found["nfcats"]["classes"]["procedure"]["f1"] == 1.0
    assert found["nfcats"]["keywords"]["comparison"]["f1"] == 1.0
    assert (found["boolq"]["rows"], found["boolq"]["recall"]) == (2, 0.5)
    assert (found["clinc150"]["rows"], found["clinc150"]["answered"]) == (2, 1)
    assert found["clinc150"]["by_intent"] == {"definition": 1}
    assert (found["clinc150_definition"]["rows"], found["clinc150_definition"]["recall"]) == (1, 1.0)
    assert (found["disfl_qa"]["same_intent"], found["disfl_qa"]["same_intent_and_subject"]) == (0.5, 0.5)
    assert found["hwu64"]["rows"] == 1
    assert found["hwu64"]["classes"]["correction"]["f1"] == 1.0
    assert report["missing"] == ["snips"]


def test_what_is_missing_is_said(small: Path, shipped: Vocabulary) -> None:
    out = StringIO()
    show_intents(evaluate_intents(small, shipped), Console(file=out, width=120))
    assert "skipped: snips" in out.getvalue()
    assert "1 of 2 answered (50.0 %)" in out.getvalue()


def test_pairs_count_both_members(tmp_path: Path, shipped: Vocabulary) -> None:
    (tmp_path / "blimp_irregular").mkdir()
    rows = [
        {"sentence_good": "These women sing.", "sentence_bad": "These woman sing."},
        {"sentence_good": "these women sing.", "sentence_bad": "Those women sing."},
    ]
    path = tmp_path / f"blimp_irregular/{intent_eval.ENGLISH[0]}.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    report = evaluate_english(tmp_path, shipped)
    assert report["all"] == {"pairs": 2, "bad_reported": 1, "good_passed": 1}
    assert report["surfaces"]["sentences"] > 200
    assert report["surfaces"]["findings"] == []
    out = StringIO()
    show_english(report, Console(file=out, width=120))
    assert f"skipped: {intent_eval.ENGLISH[1]}" in out.getvalue()


@pytest.mark.parametrize("folder", [None, "nowhere", "."])
def test_a_folder_without_data_is_refused(
    tmp_path: Path, shipped: Vocabulary, folder: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    data = None if folder is None else Path(folder)
    with pytest.raises(UsageError, match="--data"):
        evaluate_intents(data, shipped)
    with pytest.raises(UsageError, match="--data"):
        evaluate_english(data, shipped)


def test_public_data_hold_the_figures_of_the_docs(data_dir: Path, shipped: Vocabulary) -> None:
    """Plain keyword rules reach F1 of .58, .85 and .73; a rule that answers prompts from anywhere fails the rest."""
    found = evaluate_intents(data_dir, shipped)["sets"]
    classes = found["nfcats"]["classes"]
    assert found["nfcats"]["rows"] == 493
    assert classes["procedure"]["f1"] > 0.84
    assert classes["cause"]["f1"] > 0.88
    assert classes["comparison"]["f1"] > 0.78
    assert found["hwu64"]["classes"]["correction"]["f1"] > 0.88
    assert found["boolq"]["recall"] > 0.97
    assert found["snips"]["false_answer_rate"] < 0.005
    assert found["clinc150"]["false_answer_rate"] < 0.01
    assert found["disfl_qa"]["same_intent"] > 0.91
    assert found["disfl_qa"]["same_intent_and_subject"] > 0.77
