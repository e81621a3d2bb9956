"""A case file that can't be used says where and what; a good one loads in its order."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from cognition.packs.vocabulary import Vocabulary
from experiments.metrics.cases import CaseError, load_suite
from experiments.metrics.lexicon import Lexicon
from tests.experiments.cases import BREAD_IS, FLOUR, case_row

pytestmark = pytest.mark.cognition

Write = Callable[..., Path]

ADR_0047 = [
    ("Why does knowledge require evidence?", "cause"),
    ("Why does light exist?", "cause"),
    ("Compare memory and recall", "comparison"),
    ("No, correction means reviewed repair", "correction"),
    ("What is knowledge?", "definition"),
    ("What is light?", "definition"),
    ("What is meaning?", "definition"),
    ("What is a procedure?", "definition"),
    ("What is a relation?", "definition"),
    ("How can I correct an error?", "procedure"),
    ("Remember light", "recall"),
    ("light logos", "unknown"),
    ("Does memory require recall?", "verification"),
]


def expecting(**changes: Any) -> dict[str, Any]:
    return case_row(expect=[{"term": "food", "evidence": BREAD_IS, "by": "gloss"} | changes])


def without(name: str) -> dict[str, Any]:
    return {key: value for key, value in case_row().items() if key != name}


FAULTS = [
    ("{", "", "not JSON"),
    ("[]", "", "dictionary"),
    ('{"id": "one", "id": "two"}', "", "key 'id' twice"),
    ("", "", "not JSON"),
    (without("prompt"), "prompt", "required"),
    (case_row(prompt=1), "prompt", "string"),
    (case_row(id=""), "id", "at least 1"),
    (case_row(id=" one"), "id", "pattern"),
    (case_row(intent="guess"), "intent", "'definition'"),
    (case_row(refusal="no"), "refusal", "'no_evidence'"),
    (case_row(refusal="no_evidence"), "refusal", "leave expect empty"),
    (case_row(max_words=0), "max_words", "greater than or equal to 1"),
    (case_row(note="x"), "note", "not permitted"),
    (case_row(also=["gloss:butter.n.1"]), "also", "gloss:butter.n.1 is not in the pack small"),
    (case_row(subject="butter"), "subject", "'butter' is no sense"),
    (expecting(by="luck"), "expect.0.by", "'gloss'"),
    (expecting(term=None), "expect.0.term", "either term or any_of"),
    (expecting(any_of=["food"]), "expect.0.term", "either term or any_of"),
    (expecting(any_evidence=[FLOUR]), "expect.0.evidence", "either evidence or any_evidence"),
    (expecting(term=None, any_of=[]), "expect.0.any_of", "at least 1"),
    (expecting(evidence="gloss:butter.n.1"), "expect.0.evidence", "gloss:butter.n.1 is not in the pack"),
    (expecting(evidence=FLOUR, term="flour"), "expect.0.evidence", "is no gloss:..."),
    (expecting(by="walk"), "expect.0.evidence", "is no rel:..."),
    (expecting(term="bread"), "expect.0.term", "'bread' is a word of the prompt"),
    (expecting(term="butter"), "expect.0.evidence", "does not say 'butter'"),
    (expecting(term=None, any_of=["food", "butter"]), "expect.0.term", "'butter' is in none"),
    (
        expecting(evidence=None, any_evidence=[BREAD_IS, "gloss:oven.n.1"]),
        "expect.0.evidence",
        "gloss:oven.n.1 does not say 'food'",
    ),
]


@pytest.mark.parametrize(("row", "field", "what"), FAULTS)
def test_a_fault_is_one_line_with_line_and_field(
    row: dict[str, Any] | str, field: str, what: str, case_file: Write, lexicon: Lexicon
) -> None:
    path = case_file(case_row(id="good"), row)
    with pytest.raises(CaseError) as raised:
        load_suite(path, lexicon)
    message = str(raised.value)
    assert message.startswith(f"cases.jsonl:2: {field}: " if field else "cases.jsonl:2: ")
    assert what in message
    assert "\n" not in message


@pytest.mark.parametrize(
    ("prompt", "term", "evidence"),
    [
        pytest.param("Do ovens bake bread?", "oven", "rel:oven.n.1:enables:bread.n.1", id="inflected"),
        pytest.param("What is BREAD?", "bread", BREAD_IS, id="in capitals"),
        pytest.param("What is ｂｒｅａｄ?", "bread", BREAD_IS, id="full width"),
        pytest.param("What is kneading?", "kneaded", "gloss:knead.v.1", id="another form of the lemma"),
        pytest.param("Is food made of flour?", "food made", BREAD_IS, id="words of a phrase"),
    ],
)
def test_a_term_may_not_be_a_word_of_the_prompt(
    prompt: str, term: str, evidence: str, case_file: Write, lexicon: Lexicon
) -> None:
    by = "gloss" if evidence.startswith("gloss") else "walk"
    path = case_file(case_row(prompt=prompt, expect=[{"term": term, "evidence": evidence, "by": by}]))
    with pytest.raises(CaseError, match="is a word of the prompt"):
        load_suite(path, lexicon)


def test_an_id_is_taken_once(case_file: Write, lexicon: Lexicon) -> None:
    with pytest.raises(CaseError, match=r"^cases\.jsonl:2: id: 'one' is taken by line 1$"):
        load_suite(case_file(case_row(), case_row()), lexicon)


def test_a_file_that_is_not_there_or_empty(tmp_path: Path, case_file: Write, lexicon: Lexicon) -> None:
    with pytest.raises(CaseError, match="can't be read"):
        load_suite(tmp_path / "none.jsonl", lexicon)
    with pytest.raises(CaseError, match="can't be read"):
        load_suite(tmp_path, lexicon)
    with pytest.raises(CaseError, match="has no cases"):
        load_suite(case_file(), lexicon)


def test_bytes_that_are_not_utf_8(tmp_path: Path, lexicon: Lexicon) -> None:
    path = tmp_path / "cases.jsonl"
    path.write_bytes(json.dumps(case_row()).encode() + b"\n\xff\n")
    with pytest.raises(CaseError, match=r"^cases\.jsonl:2: not UTF-8 at byte 0$"):
        load_suite(path, lexicon)


def test_a_good_file_loads_in_its_order(case_file: Write, lexicon: Lexicon) -> None:
    path = case_file(case_row(id="b"), case_row(id="a", expect=[], refusal="no_evidence", prompt=""))
    suite = load_suite(path, lexicon)
    assert [case.id for case in suite.cases] == ["b", "a"]
    assert suite.split == "cases.jsonl"
    assert suite.sha256 == hashlib.sha256(path.read_bytes()).hexdigest()


def test_the_public_split_is_that_of_adr_0047(shipped: Vocabulary) -> None:
    suite = load_suite("public", Lexicon(shipped))
    assert suite.split == "public"
    assert [(case.prompt, case.intent) for case in suite.cases] == ADR_0047


def test_a_prompt_alone_is_a_case(tmp_path: Path, lexicon: Lexicon) -> None:
    """It expects nothing in particular: no intent, no terms, no refusal."""
    path = tmp_path / "prompts.jsonl"
    path.write_text('{"prompt": "What is bread?"}\n{"prompt": "What is flour?", "intent": "definition"}\n')
    first, second = load_suite(path, lexicon).cases
    assert (first.id, first.intent, first.accepted) == ("1", None, ())
    assert (second.id, second.intent, second.expect) == ("2", "definition", [])
