"""Classification: a table of phrasings, cases that other systems got wrong, and laws of clauses and spans."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cognition import ArticulationPlan, Clause, IntentTag, Mention, Runtime, Vocabulary, classify
from recognition.tokens import tokenize

pytestmark = pytest.mark.cognition

DATA = Path(__file__).parent / "data"
TABLE: list[dict[str, Any]] = json.loads((DATA / "intents.json").read_text(encoding="utf-8"))
PUBLISHED: list[dict[str, Any]] = json.loads((DATA / "published_cases.json").read_text(encoding="utf-8"))


def plan_of(prompt: str, vocabulary: Vocabulary) -> ArticulationPlan:
    return classify(prompt, tokenize(prompt), vocabulary)


def lemma(mention: Mention | None) -> str | None:
    return None if mention is None else mention.lemma


def check_spans(prompt: str, clause: Clause) -> None:
    start, end = clause.chars
    assert 0 <= start < end <= len(prompt)
    for mention in clause.mentions():
        assert prompt[mention.start : mention.end] == mention.text
        assert start <= mention.start < mention.end <= end
        assert mention.phrase in prompt
        assert mention.modifier is None or mention.modifier in prompt


@pytest.mark.parametrize("row", TABLE, ids=[row["prompt"] for row in TABLE])
def test_a_phrasing_has_its_intent_and_slots(shipped: Vocabulary, row: dict[str, Any]) -> None:
    clause = plan_of(row["prompt"], shipped).clause
    found: dict[str, Any] = {"prompt": row["prompt"], "intent": clause.intent.value}
    if "subject" in row:
        obj = clause.object if clause.object is not clause.subject else None
        found |= {"subject": lemma(clause.subject), "object": lemma(obj)}
        if row["object"] is None and clause.intent is IntentTag.CORRECTION:
            found["object"] = None  # what a correction says of its subject is not yet read
    assert found == row
    check_spans(row["prompt"], clause)


def test_the_table_covers_every_intent() -> None:
    counts = Counter(row["intent"] for row in TABLE)
    assert set(counts) == {tag.value for tag in IntentTag}
    assert sum(counts.values()) >= 120
    assert min(counts.values()) >= 5


@pytest.mark.parametrize("case", PUBLISHED, ids=[case["id"] for case in PUBLISHED])
def test_what_other_systems_got_wrong(runtime: Runtime, case: dict[str, Any]) -> None:
    prompt, expected = case["input"], case["expected"]
    result = runtime.ask(prompt)
    if "reason" in expected and "two intents" not in expected.get("also_acceptable", ()):
        assert result.refusal_reason == expected["reason"]
    if "intent" in expected:
        assert result.intent.value == expected["intent"]
    if result.plan is None:
        return
    clause = result.plan.clause
    check_spans(prompt, clause)
    assert clause.intent.value not in expected.get("must_not", ())
    if "two intents" in expected.get("also_acceptable", ()):
        assert len(result.plan.clauses) == 2
    if isinstance(expected.get("subject"), list):
        assert [lemma(clause.subject), lemma(clause.object)] == expected["subject"]
    elif expected.get("subject"):
        assert lemma(clause.subject) == expected["subject"]
    for field in ("object", "modifier"):
        if field in expected:
            got = lemma(clause.object) if field == "object" else clause.subject and clause.subject.modifier
            assert got == expected[field]


def test_a_prompt_that_asks_nothing_is_answered_as_if_nothing_was_asked(runtime: Runtime) -> None:
    """An embedded or refused question gives no definition or reason as if it had been asked for."""
    for row in TABLE:
        if row["intent"] == "unknown":
            result = runtime.ask(row["prompt"])
            assert result.refusal is not None or "can't tell what is asked" in result.sentences[0].text


@pytest.mark.parametrize(
    ("prompt", "intents", "dominant"),
    [
        ("What is light and why does light exist?", ["definition", "cause"], 0),
        ("What is light? What is darkness?", ["definition", "definition"], 0),
        ("Hello. What is light?", ["unknown", "definition"], 1),
        ("What is a wombat? What is light?", ["definition", "definition"], 1),
        ("What is a wombat and how do I learn?", ["definition", "procedure"], 1),
        ("Thanks! Compare memory and recall. Then remember light.", ["unknown", "comparison", "recall"], 1),
        ("What is light, and how do I correct an error?", ["definition", "procedure"], 0),
        ("Compare memory and recall", ["comparison"], 0),
        ("Is a fact true and useful?", ["verification"], 0),
        ("What is the difference between a fact and an opinion?", ["comparison"], 0),
        ("What, exactly, is light?", ["definition"], 0),
        ("Why is it that light exists, and what is a shadow?", ["cause", "definition"], 0),
        ("How do I analyse and compare facts?", ["procedure"], 0),
        ("Mr. Smith asked. What is light?", ["unknown", "definition"], 1),
        ("No, what is light?", ["definition"], 0),
        ("Actually, what is light?", ["definition"], 0),
    ],
)
def test_clauses_of_a_compound_prompt(
    shipped: Vocabulary, prompt: str, intents: list[str], dominant: int
) -> None:
    plan = plan_of(prompt, shipped)
    assert ([clause.intent.value for clause in plan.clauses], plan.dominant) == (intents, dominant)
    assert plan.intent.value == intents[dominant]


def test_clauses_that_are_left_are_named_in_the_answer(runtime: Runtime) -> None:
    result = runtime.ask("What is light? What is darkness? Remember doubt.")
    assert result.sentences[-1].text.endswith("left “What is darkness” and “Remember doubt” aside.")
    assert result.sentences[-1].evidence == ("prompt",)
    assert "darkness" not in " ".join(s.text for s in result.sentences[:-1])


@pytest.mark.parametrize(
    ("prompt", "text", "modifier"),
    [
        ("What is the capital of France?", "capital", "France"),
        ("What is the speed of light in water?", "speed", "light in water"),
        ("What is a false memory?", "memory", "false"),
        ("What is light?", "light", None),
        ("What is a law of nature?", "law of nature", None),
        ("What are the MEMORIES?", "MEMORIES", None),
        ("What is “light”?", "light", None),
        ("What is knowledge, exactly?", "knowledge", None),
        ("What is li\u200bght?", "li\u200bght", None),
    ],
)
def test_the_head_of_a_phrase_and_what_stands_beside_it(
    shipped: Vocabulary, prompt: str, text: str, modifier: str | None
) -> None:
    subject = plan_of(prompt, shipped).clause.subject
    assert subject is not None
    assert (subject.text, subject.modifier) == (text, modifier)
    assert subject.known == (modifier is None)


@pytest.mark.parametrize(
    ("prompt", "relation", "subject", "obj"),
    [
        ("Does recall require memory?", "requires", "recall", "memory"),
        ("Is memory required by recall?", "requires", "recall", "memory"),
        ("Does recall need memory?", "requires", "recall", "memory"),
        ("Does knowledge depend on evidence?", "requires", "knowledge", "evidence"),
        ("Is light caused by fire?", "causes", "fire", "light"),
        ("Does belief rest on evidence?", "grounds", "evidence", "belief"),
        ("Is doubt a kind of attitude?", "is_a", "doubt", "attitude"),
        ("Is doubt a form of attitude?", "is_a", "doubt", "attitude"),
        ("Is a sentence a part of language?", "part_of", "sentence", "language"),
        ("Does language contain sentences?", "part_of", "sentence", "language"),
        ("Does a virtue include wisdom?", "is_a", "wisdom", "virtue"),
        ("Does judgement come before a decision?", "precedes", "judgement", "decision"),
        ("Does a decision come after judgement?", "precedes", "judgement", "decision"),
        ("Is sight made possible by light?", "enables", "light", "sight"),
        ("Does light make sight possible?", "enables", "light", "sight"),
        ("Is studying a step of learning?", "step_of", "study", "learn"),
    ],
)
def test_relations_keep_their_direction(
    shipped: Vocabulary, prompt: str, relation: str, subject: str, obj: str
) -> None:
    clause = plan_of(prompt, shipped).clause
    found = (clause.relation, lemma(clause.subject), lemma(clause.object))
    assert found == (relation, subject, obj)


WORDS = st.sampled_from(
    "What is light ? and , of the memory 's not Compare why does “ ” . require evidence I know".split()
)


@given(st.lists(WORDS, min_size=1, max_size=14))
def test_clauses_lie_side_by_side_in_the_prompt(shipped: Vocabulary, words: list[str]) -> None:
    prompt = " ".join(words)
    tokens = tokenize(prompt)
    plan = plan_of(prompt, shipped)
    assert 0 <= plan.dominant < len(plan.clauses)
    edges = [edge for clause in plan.clauses for edge in (clause.start, clause.end)]
    assert edges == sorted(edges)
    assert edges[-1] <= len(tokens)
    for clause in plan.clauses:
        check_spans(prompt, clause)
        assert clause.chars == (tokens[clause.start].start, tokens[clause.end - 1].end)


@given(st.sampled_from([row["prompt"] for row in TABLE]), st.sampled_from([str.upper, str.lower, str.title]))
def test_case_does_not_change_the_intent(shipped: Vocabulary, prompt: str, change: Any) -> None:
    if len(change(prompt)) == len(prompt):
        assert plan_of(change(prompt), shipped).intent == plan_of(prompt, shipped).intent


@given(st.sampled_from([row["prompt"] for row in TABLE if "'" in row["prompt"]]))
def test_the_shape_of_an_apostrophe_does_not_matter(shipped: Vocabulary, prompt: str) -> None:
    curly = plan_of(prompt.replace("'", "’"), shipped).clause
    straight = plan_of(prompt, shipped).clause
    assert (curly.intent, curly.relation, lemma(curly.subject)) == (
        straight.intent,
        straight.relation,
        lemma(straight.subject),
    )
