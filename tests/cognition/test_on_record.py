"""Every statement of the shipped pack can be asked about, in its own direction and with its own polarity."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cognition import CognitiveTurnResult, Runtime, Vocabulary
from cognition.packs.vocabulary import Statement
from cognition.phrasing import noun, object_phrase
from tests.cognition.prompts import question, why

pytestmark = pytest.mark.cognition

Ask = Callable[[str], CognitiveTurnResult]


@pytest.fixture(scope="module")
def asked(shipped: Vocabulary, far_runtime: Runtime) -> list[tuple[Statement, str, CognitiveTurnResult]]:
    """Every statement as a question, and what was answered where the walk reaches everything."""
    prompts = [question(shipped, said) for said in shipped.statements]
    return list(zip(shipped.statements, prompts, far_runtime.ask_batch(prompts), strict=True))


def cited(result: CognitiveTurnResult) -> list[str]:
    return [evidence.id for evidence in result.citations]


def plain(vocabulary: Vocabulary, said: Statement) -> bool:
    """Whether both ends are the sense that their surface stands for when nothing else is said."""
    ends = (
        (said.subject, noun(vocabulary, said.subject)),
        (said.object, object_phrase(vocabulary, said.relation, said.object)),
    )
    return all(
        vocabulary.choose(
            vocabulary.lookup(text.strip("“”").removeprefix("an ").removeprefix("a ").removeprefix("the ")),
            "noun",
        )
        == end
        for end, text in ends
    )


@pytest.mark.parametrize("positive", [True, False], ids=["asserted", "denied"])
def test_every_statement_is_answered_by_itself(
    shipped: Vocabulary, asked: list[tuple[Statement, str, CognitiveTurnResult]], positive: bool
) -> None:
    lead = "Yes: " if positive else "No: "
    wrong = [
        (prompt, result.surface)
        for said, prompt, result in asked
        if said.positive is positive and plain(shipped, said)
        if not (result.surface.startswith(lead) and said.id in result.sentences[0].evidence)
    ]
    assert wrong == []
    assert sum(said.positive is positive and plain(shipped, said) for said, _, _ in asked) > (
        300 if positive else 8
    )


def test_a_statement_between_other_senses_of_its_words_is_found_too(
    shipped: Vocabulary, asked: list[tuple[Statement, str, CognitiveTurnResult]]
) -> None:
    """ "Is asking a step of teaching?" names a noun and a verb by one surface: the claim holds of the verb."""
    wrong = [
        prompt
        for said, prompt, result in asked
        if not plain(shipped, said) and not (result.answered and said.id in cited(result))
    ]
    assert wrong == []


def test_no_denial_is_answered_with_yes(asked: list[tuple[Statement, str, CognitiveTurnResult]]) -> None:
    assert [
        prompt for said, prompt, result in asked if not said.positive and result.surface.startswith("Yes")
    ] == []
    assert [
        prompt for said, prompt, result in asked if said.positive and result.surface.startswith("No:")
    ] == []


def reaches(vocabulary: Vocabulary, relation: str, start: int, goal: int) -> bool:
    """Whether a chain of asserted statements of one relation leads from one word to another."""
    seen, front = {start}, [start]
    while front:
        at = front.pop()
        for said in vocabulary.statements_of(at):
            if said.subject == at and said.relation == relation and said.positive and said.object not in seen:
                seen.add(said.object)
                front.append(said.object)
    return goal in seen - {start}


def surfaces_meet(vocabulary: Vocabulary, index: int) -> tuple[int, ...]:
    """All senses that share a surface with this one: a question can't tell them apart."""
    return tuple(
        sorted({i for surface in vocabulary.senses[index].surfaces for i in vocabulary.lookup(surface)})
    )


def on_record(vocabulary: Vocabulary, said: Statement) -> bool:
    """Whether the reverse of a statement is asserted, in one step or more, of any sense of its words."""
    symmetric = vocabulary.relation_types[said.relation].symmetric
    return symmetric or any(
        reaches(vocabulary, said.relation, a, b)
        for a in surfaces_meet(vocabulary, said.object)
        for b in surfaces_meet(vocabulary, said.subject)
    )


def test_the_reverse_of_a_statement_is_never_answered_with_yes_unless_it_is_on_record(
    shipped: Vocabulary, far_runtime: Runtime
) -> None:
    backward = [said for said in shipped.statements if not on_record(shipped, said)]
    prompts = [question(shipped, said, reverse=True) for said in backward]
    results = far_runtime.ask_batch(prompts)
    assert [r.surface for r in results if r.surface.startswith("Yes")] == []
    assert [
        r.surface
        for said, r in zip(backward, results, strict=True)
        if said.positive and said.id in cited(r) and r.answered and r.surface.startswith("Yes")
    ] == []
    assert len(backward) > 300


@given(data=st.data())
@settings(max_examples=150)
def test_two_words_taken_at_random_stand_in_no_relation(
    shipped: Vocabulary, far_runtime: Runtime, data: st.DataObject
) -> None:
    """Nearness is no evidence: a yes needs a statement, or two that make a chain."""
    nouns = [i for i, sense in enumerate(shipped.senses) if sense.pos == "noun"]
    a, b = data.draw(st.lists(st.sampled_from(nouns), min_size=2, max_size=2, unique=True))
    relation = data.draw(st.sampled_from(sorted(shipped.relation_types)))
    said = Statement(id="", subject=a, relation=relation, object=b, positive=True, order=None)
    result = far_runtime.ask(question(shipped, said))
    joined = [
        s for i in surfaces_meet(shipped, a) for j in surfaces_meet(shipped, b) for s in shipped.between(i, j)
    ]
    if not joined and not any(
        reaches(shipped, relation, i, j) for i in surfaces_meet(shipped, a) for j in surfaces_meet(shipped, b)
    ):
        assert result.refusal_reason == "no_evidence", result.surface
    if result.surface.startswith("Yes"):
        assert result.citations


def test_why_never_gives_a_reason_for_what_is_denied_or_not_on_record(
    shipped: Vocabulary, far_runtime: Runtime
) -> None:
    results = list(
        zip(
            shipped.statements,
            far_runtime.ask_batch([why(shipped, s) for s in shipped.statements]),
            strict=True,
        )
    )
    for said, result in results:
        if not said.positive:
            assert " because " not in result.surface
        elif " because " in result.surface and plain(shipped, said):
            assert said.id == result.sentences[0].evidence[0], result.surface
            assert len(result.sentences[0].evidence) >= 2, result.surface
    assert Counter(r.refusal_reason for _, r in results)[""] > 40


def test_a_statement_counts_as_a_reason_only_if_it_is_positive(
    shipped: Vocabulary, far_runtime: Runtime
) -> None:
    denials = {said.id for said in shipped.statements if not said.positive}
    for prompt in [why(shipped, said) for said in shipped.statements if said.positive]:
        result = far_runtime.ask(prompt)
        if result.answered:
            assert denials.isdisjoint(cited(result)), (prompt, result.surface)


def test_reasons_do_not_go_in_circles(shipped: Vocabulary, far_runtime: Runtime) -> None:
    """If review is why correction requires attention, attention is not why correction requires review."""
    asserted = [said for said in shipped.statements if said.positive]
    reasons: dict[str, set[str]] = {}
    for result in far_runtime.ask_batch([why(shipped, said) for said in asserted]):
        if result.answered and " because " in result.sentences[0].text:
            claim, *rest = result.sentences[0].evidence
            reasons[claim] = set(rest)
    assert len(reasons) > 10
    assert [(a, b) for a, why_a in reasons.items() for b in why_a if a in reasons.get(b, ())] == []


def test_open_questions_list_only_what_is_asserted(shipped: Vocabulary, far_runtime: Runtime) -> None:
    for index in sorted({said.subject for said in shipped.statements if said.relation == "requires"}):
        if (
            shipped.senses[index].pos != "noun"
            or shipped.choose(shipped.lookup(shipped.senses[index].lemma), "noun") != index
        ):
            continue
        result = far_runtime.ask(f"What does {noun(shipped, index)} require?")
        wanted = {
            s.id
            for s in shipped.statements_of(index)
            if s.subject == index and s.relation == "requires" and s.positive
        }
        if wanted:
            assert result.answered, result.surface
            assert set(cited(result)) <= wanted
            assert len(cited(result)) == min(len(wanted), 4)
        else:
            assert result.refusal_reason == "no_evidence"


@pytest.mark.parametrize(
    "prompt",
    [
        "Which emotion requires light?",
        "What is light for?",
        "What is light without?",
        "What is the theory of everything?",
        "What is the other light?",
        "Is recall the opposite of recognition?",
    ],
)
def test_a_word_that_changes_the_question_is_not_passed_over(far_runtime: Runtime, prompt: str) -> None:
    """Nothing on record answers these; what is on record answers the question without the word that was dropped."""
    result = far_runtime.ask(prompt)
    assert result.refusal is not None or "can't tell" in result.surface, result.surface
