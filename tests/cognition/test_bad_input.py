"""Whatever a prompt holds, a turn ends with a value: an answer, or a refusal with a code of the catalogue."""

from __future__ import annotations

import random
from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cognition import CognitiveTurnResult, IntentTag, Refusal, Runtime, Vocabulary
from cognition.cues import CUES
from cognition.realize import refuse
from cognition.refusal import CATALOGUE
from tests.cognition import small_pack

pytestmark = pytest.mark.cognition

Build = Callable[..., Runtime]

EVERYTHING = st.text(st.characters(exclude_categories=[]), max_size=60)  # with lone surrogates
FUNCTION_WORDS = (
    "a an the no not n't 's is are was do does did can what why how who which if and or but that it this i you we me "
    "to of in for with by as from between than because there one , . ? ! : ; - ' \" ( ) “ ” ’ … /"
).split()


def check(result: CognitiveTurnResult, text: str) -> None:
    """What holds for every turn."""
    assert result.text == text
    assert result.surface.strip()
    assert "<pending>" not in result.surface
    assert (result.refusal is None) == result.answered
    if result.refusal is not None:
        assert result.refusal.code in CATALOGUE
        assert result.refusal_reason == result.refusal.code
    else:
        assert all(sentence.evidence for sentence in result.sentences)
    if result.plan is None:
        assert result.intent is IntentTag.UNKNOWN
        return
    for clause in result.plan.clauses:
        for mention in clause.mentions():
            assert text[mention.start : mention.end] == mention.text
            assert mention.text in mention.phrase


@given(EVERYTHING)
@settings(max_examples=300)
def test_any_text(runtime: Runtime, text: str) -> None:
    check(runtime.ask(text), text)


@given(EVERYTHING, st.sampled_from(["What is {}?", "Compare {} and light", "{} light", "Why does {} exist?"]))
@settings(max_examples=150)
def test_any_text_in_a_question(runtime: Runtime, filler: str, template: str) -> None:
    text = template.format(filler)
    check(runtime.ask(text), text)


def cue_words() -> list[str]:
    found = {word for cue in CUES for word in cue.pattern.pattern.replace("|", " ").split() if word.isalpha()}
    return sorted(found)


@pytest.mark.parametrize("seed", range(4))
def test_any_order_of_cues_and_words_of_the_pack(shipped: Vocabulary, runtime_with: Build, seed: int) -> None:
    """Prompts made of what classification looks for: where its assumptions would break first."""
    chance = random.Random(seed)
    surfaces = [surface for sense in shipped.senses for surface in sense.surfaces]
    config = (
        {},
        {"forward_graph_constraint": True},
        {"forward_graph_constraint": True, "subject_span": "phrase"},
        {"max_tokens": 0},
    )[seed]
    runtime = runtime_with(**config)
    kinds = (FUNCTION_WORDS, surfaces, cue_words())
    for _ in range(250):
        words = [chance.choice(chance.choice(kinds)) for _ in range(chance.randrange(1, 9))]
        text = " ".join(words)
        text = text.upper() if chance.random() < 0.1 else text
        check(runtime.ask(text), text)


SLOTS = (
    "Compare {} and {}", "{} vs {}", "Does {} require {}?", "Is {} {}?", "{} is to light as {} is to what?",
    "How to {} {}", "What does {} {}?", "Why is {} {}?", "{}. {}", "{}! {}?", "No, {} {}",
)  # fmt: skip
FILLERS = ("that", "the", "no", "it", "...", "?", "light", "doubts", "wombat", "step of", "“”", "not", "a a")


@pytest.mark.parametrize("template", SLOTS)
def test_slots_filled_with_next_to_nothing(runtime: Runtime, template: str) -> None:
    for one in FILLERS:
        for two in FILLERS:
            text = template.format(one, two)
            check(runtime.ask(text), text)


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("", "empty_input"),
        (" \t\r\n\v\f ", "empty_input"),
        ("\u00a0\u2003\u3000", "empty_input"),
        ("\u200b\u200d\ufeff\u2060", "empty_input"),
        ("\u202e\u202c", "empty_input"),
        ("light " * 2000, "input_too_long"),
        ("l" * 8001, "input_too_long"),
        ("x ? " * 257, "input_too_long"),
        ("\ud800", "invalid_unicode"),
        ("What is light\udfff?", "invalid_unicode"),
        ("מה זה אור?", "language_not_supported"),
        ("מה זה photosynthesis?", "language_not_supported"),
        ("Что такое свет?", "language_not_supported"),
        ("光とは何ですか", "language_not_supported"),
        ("什么是光？", "language_not_supported"),
        ("ما هو الضوء؟", "language_not_supported"),
        ("¿Qué es la luz?", "language_not_supported"),
        ("Qu'est-ce que la lumière ?", "language_not_supported"),
        ("Wie entsteht eigentlich Licht?", "language_not_supported"),
        ("wombat", "unknown_domain"),
        ("Who are you and what do you want?", "unknown_domain"),
        ("42", "unknown_domain"),
        ("!?", "empty_input"),
        ("🙂🙂", "empty_input"),
        ("... -- ...", "empty_input"),
        ("What is a wombat?", "unknown_subject"),
        ("What is the capital of France?", "unknown_subject"),
    ],
    ids=lambda value: value if len(value) < 40 and value.isprintable() else repr(value)[:20],
)
def test_the_refusal_of_what_cannot_be_read(runtime: Runtime, text: str, code: str) -> None:
    result = runtime.ask(text)
    assert result.refusal_reason == code
    check(result, text)


@pytest.mark.parametrize(
    "text",
    [
        "What is li\u200bght?",
        "\ufeffWhat is light?",
        "\u202eWhat is light?\u202c",
        "What\u00a0is\u2003light?",
        "Ｗｈａｔ ｉｓ ｌｉｇｈｔ？",
        "What is light🙂?",
        "What is \x00light\x07?",
        "What is\r\nlight\r\n?",
        "What is “light”?",
        "«What is light?»",
        "(What is light?)",
    ],
)
def test_what_is_around_the_words_does_not_matter(runtime: Runtime, text: str) -> None:
    result = runtime.ask(text)
    assert result.refusal is None, result.surface
    assert result.intent is IntentTag.DEFINITION
    assert result.plan is not None
    subject = result.plan.clause.subject
    assert subject is not None
    assert subject.lemma == "light"


@pytest.mark.parametrize(
    "text",
    [
        "light " * 200_000,
        "l" * 1_000_000,
        "a,b" * 300_000,
        "\u200b" * 500_000,
        "(" * 300_000,
        "'" * 300_000,
        "no " * 300_000,
    ],
    ids=["words", "one word", "commas", "zero width", "brackets", "apostrophes", "cue"],
)
def test_a_flood_is_refused_at_the_door(runtime: Runtime, text: str) -> None:
    result = runtime.ask(text)
    assert result.refusal_reason in ("input_too_long", "empty_input")
    assert len(result.surface) < 300


@pytest.mark.parametrize(
    "unit", ["no , ", "what is ", "light of ", "compare light and ", "why is light ", "if ", "« ", "is it "]
)
def test_the_longest_prompt_that_is_read_ends(runtime: Runtime, unit: str) -> None:
    """No pattern of a cue backtracks: 512 tokens of what it nearly matches. One that does would not end."""
    text = unit * (500 // len(unit.split()))
    check(runtime.ask(text), text)


def test_the_limits_are_the_last_that_pass(runtime: Runtime) -> None:
    assert runtime.ask("light " * 512).refusal_reason != "input_too_long"
    assert runtime.ask("light " * 513).refusal_reason == "input_too_long"
    assert runtime.ask("light" + " " * 7995).refusal_reason != "input_too_long"
    assert runtime.ask("light" + " " * 7996).refusal_reason == "input_too_long"


@pytest.mark.parametrize("code", CATALOGUE)
def test_every_code_has_a_sentence_and_a_remedy(shipped: Vocabulary, code: str) -> None:
    lead, *_, remedy = (sentence.text for sentence in refuse(Refusal(code=code, about="light"), shipped))
    for text in (lead, remedy, CATALOGUE[code].meaning):
        assert text[0].isupper()
        assert text.endswith(".")
        assert "{" not in text
        assert "“”" not in text
    assert remedy == CATALOGUE[code].remedy
    assert lead != remedy


def test_a_code_outside_the_catalogue_is_the_caller_s_bug() -> None:
    with pytest.raises(KeyError, match="no_such_code"):
        Refusal(code="no_such_code")


@pytest.mark.parametrize(
    "text",
    [
        "What is a wom\x1b[31mbat?",
        "No, light\x1b[2J is heat",
        "What is light? \x1b]0;title\x07",
        "What is a wom\nbat?",
        "What is a \u202ewom\u202dbat?",
    ],
)
def test_no_control_character_of_a_prompt_reaches_a_surface(runtime: Runtime, text: str) -> None:
    """A surface goes to terminals: what is quoted of a prompt must not move the cursor or turn the line around."""
    surface = runtime.ask(text).surface
    assert surface.isprintable(), ascii(surface)


@pytest.mark.parametrize(
    "prompt", ["What is bread?", "Does bread require flour?", "How do I bake?", "Compare bread and cake"]
)
@pytest.mark.parametrize("config", [{"min_salience": 100}, {"output_language": "de"}])
def test_a_pack_whose_words_are_all_filtered_refuses(prompt: str, config: dict[str, object]) -> None:
    result = small_pack.runtime_of(**config).ask(prompt)
    assert result.refusal_reason == "region_exhausted"
    assert result.refusal is not None
    assert result.refusal.step == -1
    assert result.walk is None
