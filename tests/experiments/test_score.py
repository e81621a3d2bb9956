"""What an answer is worth: the right one gets all, and each kind of wrong one loses what it should."""

from __future__ import annotations

from dataclasses import replace

import pytest

from experiments import controls
from experiments.metrics.lexicon import Lexicon
from experiments.metrics.score import score
from tests.experiments.cases import CAKE_FLOUR, FLOUR, GLOSS, OVEN, RELATION, RIGHT, WATER, answer, case

pytestmark = pytest.mark.cognition


def test_the_right_answer_gets_all(lexicon: Lexicon) -> None:
    found = score(RIGHT, case(), lexicon)
    assert (found.grounded, found.faults, found.captured) == (True, (), (True, True))
    assert (found.capture, found.precision, found.intent, found.refusal) == (1.0, 1.0, True, None)
    assert found.covered == found.words > 0


def test_a_walked_term_is_met_at_the_step_that_stood_on_it(lexicon: Lexicon) -> None:
    walk = ("oven", "water", "flour", "salt")
    assert score(replace(RIGHT, walk=walk), case(), lexicon).met_at == (3,)
    assert score(replace(RIGHT, walk=walk[:2]), case(), lexicon).met_at == (None,)


def test_an_echo_gets_nothing(lexicon: Lexicon) -> None:
    found = score(controls.echo("What is bread?"), case(), lexicon)
    assert (found.grounded, found.capture, found.precision, found.words) == (False, 0.0, None, 0)


def test_a_cited_echo_is_not_grounded(lexicon: Lexicon) -> None:
    """A statement that the prompt takes for granted is true and cited, but answers nothing."""
    why = case(prompt="Why does bread require flour?", expect=[], refusal="no_evidence")
    found = score(answer(RELATION), why, lexicon)
    assert found.faults == ("says nothing beyond the prompt",)


def test_a_verdict_is_more_than_an_echo(lexicon: Lexicon) -> None:
    does = case(prompt="Does bread require flour?", expect=[], refusal="no_evidence")
    assert score(answer(("Yes: bread requires flour.", (FLOUR,))), does, lexicon).grounded


def test_a_dump_of_the_subject_fails_by_length_and_by_precision(lexicon: Lexicon) -> None:
    """All that is on record, each piece cited and well said."""
    vocabulary = lexicon.vocabulary
    dumped = controls.dump(vocabulary, [vocabulary.index["bread.n.1"]])
    held_to = case(
        max_words=20, expect=[{"any_of": ["flour", "water"], "any_evidence": [FLOUR, WATER], "by": "walk"}]
    )
    found = score(dumped, held_to, lexicon)
    assert [fault.partition(",")[0] for fault in found.faults] == [f"{len(dumped.surface.split())} words"]
    assert found.precision is not None
    assert found.precision < 0.5
    assert found.capture == 0


def test_one_word_over_the_cap_is_too_long(lexicon: Lexicon) -> None:
    size = len(RIGHT.surface.split())
    assert score(RIGHT, case(max_words=size), lexicon).grounded
    assert not score(RIGHT, case(max_words=size - 1), lexicon).grounded


def test_the_surface_is_the_sentences(lexicon: Lexicon) -> None:
    more = replace(RIGHT, surface=RIGHT.surface + " Salt too.")
    assert score(more, case(), lexicon).faults == ("the surface is not its sentences",)


def test_one_ungrounded_sentence_spoils_the_answer_and_is_named(lexicon: Lexicon) -> None:
    found = score(answer(GLOSS, ("Flour requires bread.", (FLOUR,)), walk=("flour",)), case(), lexicon)
    assert found.grounded is False
    assert all(fault.startswith("sentence 2: ") for fault in found.faults)


def test_an_uncited_sentence_is_not_covered(lexicon: Lexicon) -> None:
    found = score(answer(GLOSS, ("Bread requires flour.", ())), case(), lexicon)
    assert found.grounded is False
    assert (found.words - found.covered) == 2  # requires, flour


@pytest.mark.parametrize(
    ("said", "walk", "captured"),
    [
        pytest.param((GLOSS, RELATION), ("flour",), (True, True), id="both"),
        pytest.param((GLOSS, RELATION), None, (True, False), id="not walked"),
        pytest.param((GLOSS, RELATION), ("water",), (True, False), id="another word was walked"),
        pytest.param(
            (GLOSS, ("Bread requires water.", (WATER,))), ("water",), (True, True), id="the other word"
        ),
        pytest.param((GLOSS,), ("flour",), (True, False), id="said, but with other evidence"),
        pytest.param((RELATION,), ("flour",), (False, True), id="no gloss"),
        pytest.param(
            ((GLOSS[0], (FLOUR,)), ("Bread requires flour.", (CAKE_FLOUR,))),
            ("flour",),
            (False, True),
            id="the term of one in a sentence that cites the other",
        ),
        pytest.param(
            (("Bread requires flour.", (CAKE_FLOUR,)),), ("flour",), (False, False), id="wrong evidence"
        ),
        pytest.param(
            (("Bread requires flour.", (WATER,)),), ("flour",), (False, False), id="of another term"
        ),
    ],
)
def test_a_term_counts_with_its_evidence_and_its_supplier(
    said: tuple[tuple[str, tuple[str, ...]], ...],
    walk: tuple[str, ...] | None,
    captured: tuple[bool, ...],
    lexicon: Lexicon,
) -> None:
    assert score(answer(*said, walk=walk), case(), lexicon).captured == captured


def test_an_inflected_form_is_the_term(lexicon: Lexicon) -> None:
    expect = [{"term": "oven", "evidence": OVEN, "by": "walk"}]
    said = answer(("Ovens enable bread.", (OVEN,)), walk=("oven",))
    assert score(said, case(expect=expect), lexicon).captured == (True,)


def test_precision_counts_what_was_not_asked_for(lexicon: Lexicon) -> None:
    """Of food, made, flour, water, oven, enables all but the last two are in the accepted evidence."""
    said = answer(GLOSS, ("An oven enables bread.", (OVEN,)))
    assert score(said, case(), lexicon).precision == pytest.approx(4 / 6)
    assert score(said, case(also=[OVEN]), lexicon).precision == 1


def test_a_refusal_misses_all_and_has_no_groundedness(lexicon: Lexicon) -> None:
    refused = answer(("I don't know.", ()), refusal="no_evidence", intent="cause")
    found = score(refused, case(), lexicon)
    assert (found.grounded, found.captured, found.precision) == (None, (False, False), None)
    assert (found.intent, found.refusal) == (False, None)


def test_an_expected_refusal_is_right_by_its_code(lexicon: Lexicon) -> None:
    expected = case(expect=[], refusal="no_evidence")
    refused = answer(("I don't know.", ()), refusal="no_evidence")
    assert score(refused, expected, lexicon).refusal is True
    assert score(replace(refused, refusal="unknown_domain"), expected, lexicon).refusal is False
    assert score(RIGHT, expected, lexicon).refusal is False
    assert score(refused, expected, lexicon).capture is None
