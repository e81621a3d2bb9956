"""Surfaces: right English, each sentence on its evidence, for every sense and every statement of the shipped pack."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

import pytest

from cognition import CognitiveTurnResult, Runtime, Vocabulary
from cognition.evidence import resolve
from cognition.phrasing import (
    definition,
    enumerate_phrases,
    noun,
    object_phrase,
    sentence,
    statement,
    statements,
)
from recognition.english import check_english, indefinite_article
from tests.cognition import small_pack
from tests.cognition.prompts import question, why

pytestmark = pytest.mark.cognition

Ask = Callable[[str], CognitiveTurnResult]


def about_a_sense(vocabulary: Vocabulary, index: int) -> Iterator[str]:
    name, sense = noun(vocabulary, index), vocabulary.senses[index]
    yield from (f"What is {name}?", f"Remember {name}")
    if index % 8 == 0:
        yield from (f"Tell me about {name}", f"Why does {name} exist?", f"Why is {name} important?")
        yield from (f"What requires {name}?", f"What does {name} require?", f"Give me an example of {name}")
        yield from (f"How do I {sense.lemma}?", f"No, {name} is a thing", name)
        yield f"Compare {name} and {'doubt' if sense.lemma != 'doubt' else 'belief'}"


@pytest.fixture(scope="module")
def turns(shipped: Vocabulary, far_runtime: Runtime) -> list[CognitiveTurnResult]:
    """Each sense defined and recalled, each statement asked about, backwards too, and a sample of everything else."""
    prompts = [prompt for i in range(len(shipped)) for prompt in about_a_sense(shipped, i)]
    for at, said in enumerate(shipped.statements):
        prompts += [question(shipped, said), why(shipped, said)]
        if at % 8 == 0:
            prompts.append(question(shipped, said, reverse=True))
    prompts += [
        f"How do I {shipped.senses[said.object].lemma}?" for said in shipped.statements if said.order == 1
    ]
    return far_runtime.ask_batch(prompts)


@pytest.fixture(scope="module")
def texts(turns: list[CognitiveTurnResult]) -> list[str]:
    return sorted({said.text for turn in turns for said in turn.sentences})


def test_there_is_much_to_read(turns: list[CognitiveTurnResult], texts: list[str]) -> None:
    assert len(texts) > 1200
    assert sum(turn.answered for turn in turns) > 1000
    assert {turn.intent.value for turn in turns if turn.answered} >= {
        "definition", "recall", "narrative", "cause", "example", "procedure", "correction", "verification",
        "comparison", "transitive_query", "unknown",
    }  # fmt: skip


def test_every_sentence_is_english(texts: list[str]) -> None:
    faults = []
    for text in texts:
        # The checker takes "logos", which is one thing here, for several logos.
        for problem in check_english(text.replace("ogos", "ogic")):
            faults.append((problem.code, problem.message, text))
    assert faults == []


def test_every_sentence_has_a_capital_and_one_full_stop(texts: list[str]) -> None:
    for text in texts:
        first = next(char for char in text if char.isalpha())
        assert first.isupper(), text
        assert re.search(r"[^.\s]\.”?$", text), text
        assert "  " not in text
        assert " ." not in text
        assert " ," not in text


def test_no_open_slot_and_no_id_reaches_a_surface(texts: list[str]) -> None:
    for text in texts:
        assert "<pending>" not in text
        assert "None" not in text
        assert not re.search(r"\b\w+\.[nvarf]\.\d|\brel:|\bgloss:|\bis_a\b|\bstep_of\b|_", text), text


def test_no_word_is_doubled(texts: list[str]) -> None:
    assert [text for text in texts if re.search(r"\b(\w+) \1\b", text, re.IGNORECASE)] == []


def test_articles_fit_the_word_that_follows(texts: list[str]) -> None:
    for text in texts:
        for article, word in re.findall(r"\b([Aa]n?) ([a-z]{2,})", text):
            assert article.lower() == indefinite_article(word), text


def test_a_kind_is_named_without_an_article(texts: list[str]) -> None:
    assert [
        text
        for text in texts
        if re.search(r"\b(kinds?|part|step) of an? (kind|part|step)\b|\bkinds? of (an?|the) ", text)
    ] == []
    assert any("a kind of method" in text for text in texts)


def test_no_verb_is_inflected_after_does_not(texts: list[str], shipped: Vocabulary) -> None:
    thirds = {kind.third for kind in shipped.relation_types.values()} - {"is"}
    for text in texts:
        for verb in re.findall(r"(?:does|do) not (\w+)", text):
            assert verb not in thirds, text


def test_every_sentence_of_an_answer_rests_on_evidence_that_resolves(
    turns: list[CognitiveTurnResult], shipped: Vocabulary
) -> None:
    for turn in turns:
        known = {evidence.id for evidence in turn.citations}
        for said in turn.sentences:
            assert set(said.evidence) <= known
            assert turn.refusal is not None or said.evidence, (turn.text, said.text)
            assert len(set(said.evidence)) == len(said.evidence), (turn.text, said)
        for evidence in turn.citations:
            assert resolve(shipped, evidence.id, turn.text) == evidence


def test_citations_come_once_in_the_order_of_use(turns: list[CognitiveTurnResult]) -> None:
    for turn in turns:
        used = list(dict.fromkeys(i for said in turn.sentences for i in said.evidence))
        assert [evidence.id for evidence in turn.citations] == used


def test_citations_name_source_and_licence(turns: list[CognitiveTurnResult]) -> None:
    for evidence in {evidence for turn in turns for evidence in turn.citations}:
        record = evidence.as_dict()
        if evidence.kind == "prompt":
            assert record["id"] == "prompt"
            assert "licence" not in record
        else:
            assert (record["pack"], bool(record["source"]), bool(record["licence"])) == (
                "en_core_cognition_v1",
                True,
                True,
            )
            assert check_english(evidence.text.replace("ogos", "ogic")) == ()


FORM = (
    "memory from it them that so in another sense yes no two steps both first second third fourth one three four "
    "exist exists "
    "matter matters because for but the answer as take kind kinds part means recall record tied"
)


def test_every_content_word_is_in_the_evidence_or_the_prompt(
    turns: list[CognitiveTurnResult], shipped: Vocabulary
) -> None:
    """What an answer says beyond its evidence are words of form, from a closed list."""

    def words(text: str) -> set[str]:
        return set(re.findall(r"[a-z]+", text.lower()))

    for turn in turns[::7]:
        if not turn.answered:
            continue
        for said in turn.sentences:
            backed = (
                words(turn.text) | set(FORM.split()) | {word for s in shipped.stop_words for word in words(s)}
            )
            for evidence in turn.citations:
                if evidence.id in said.evidence:
                    backed |= words(evidence.text)
                    backed |= forms_of(shipped, evidence.id)
            if "prompt" not in said.evidence:
                assert words(said.text) <= backed, (turn.text, said.text, words(said.text) - backed)


def forms_of(vocabulary: Vocabulary, evidence_id: str) -> set[str]:
    """All forms of the words that an evidence id names: a surface may inflect what its evidence has in another form."""
    found: set[str] = set()
    for part in evidence_id.split(":"):
        if part in vocabulary.index:
            found |= set(
                re.findall(r"[a-z]+", " ".join(vocabulary.senses[vocabulary.index[part]].surfaces).lower())
            )
        if part in vocabulary.relation_types:
            kind = vocabulary.relation_types[part]
            found |= {
                *kind.verb.split(),
                *kind.third.split(),
                *kind.plural.split(),
                *kind.preposition.split(),
                "kinds",
            }
    return found


def test_a_surface_keeps_direction_and_polarity_of_its_statement(shipped: Vocabulary) -> None:
    for said in shipped.statements:
        text = statement(shipped, said)
        assert text.index(noun(shipped, said.subject)) == 0
        assert text.endswith(object_phrase(shipped, said.relation, said.object))
        assert (" not " in text) is not said.positive
        assert resolve(shipped, said.id, "").text == sentence(text)


def test_answers_are_short(turns: list[CognitiveTurnResult]) -> None:
    """Saying all one knows would score on any measure of recall."""
    for turn in turns:
        if turn.answered:
            assert len(turn.sentences) <= 9, turn.surface
            assert len(turn.surface) <= 900, turn.surface


@pytest.mark.parametrize(
    ("phrases", "text"), [("a", "a"), ("ab", "a and b"), ("abc", "a, b and c"), ("abcd", "a, b, c and d")]
)
def test_phrases_in_a_row(phrases: str, text: str) -> None:
    assert enumerate_phrases(list(phrases)) == text


@pytest.mark.parametrize(
    ("clause", "text"),
    [
        ("light is", "Light is."),
        ("“true” means so", "“True” means so."),
        ("done.", "Done."),
        ("why?", "Why?"),
        ("élan", "Élan."),
    ],
)
def test_a_sentence_gets_capital_and_stop(clause: str, text: str) -> None:
    assert sentence(clause) == text


def test_noun_phrases_follow_countability() -> None:
    words = (
        small_pack.word("hour", 1, plural="hours"),
        small_pack.word("sun", 2, countability="unique"),
        small_pack.word("water", 3),
        small_pack.word("Socrates", 4, countability="proper"),
        small_pack.word("loaf", 5, plural="loaves"),
        small_pack.word("bake", 6, pos="verb", gloss="make food ready in dry heat"),
        small_pack.word("true", 7, pos="adjective", gloss="in agreement with the facts"),
    )
    vocabulary = small_pack.vocabulary_of(words, ())
    named = {s.lemma: noun(vocabulary, i) for i, s in enumerate(vocabulary.senses)}
    assert named == {
        "hour": "an hour", "sun": "the sun", "water": "water", "Socrates": "Socrates", "loaf": "a loaf",
        "bake": "baking", "true": "“true”",
    }  # fmt: skip
    assert noun(vocabulary, vocabulary.index["loaf.n.1"], number="plural") == "loaves"
    assert noun(vocabulary, vocabulary.index["water.n.1"], number="plural") == "water"
    assert definition(vocabulary, vocabulary.index["bake.v.1"]) == "to bake is to make food ready in dry heat"
    assert definition(vocabulary, vocabulary.index["true.a.1"]) == "“true” means in agreement with the facts"


def test_statements_of_opposite_polarity_are_joined_by_but(bakery: Vocabulary) -> None:
    by_id = {said.id: said for said in bakery.statements}
    asserted, denied = by_id["rel:bread.n.1:requires:flour.n.1"], by_id["rel:bread.n.1:not:requires:salt.n.1"]
    assert statements(bakery, (asserted, denied)) == "bread requires flour, but bread does not require salt"
    assert statements(bakery, (asserted, asserted)) == "bread requires flour, and bread requires flour"
    assert statements(bakery, (denied,)) == "bread does not require salt"


def test_the_surface_is_its_sentences(turns: list[CognitiveTurnResult]) -> None:
    for turn in turns[::50]:
        assert turn.surface == " ".join(said.text for said in turn.sentences)
        assert turn.as_dict()["surface"] == turn.surface


def test_a_word_is_not_compared_with_itself(far_runtime: Runtime) -> None:
    """It may be refused or defined; not set beside itself."""
    for prompt in ("Compare light and light", "What is the difference between doubt and doubts?"):
        for said in far_runtime.ask(prompt).sentences:
            assert len(set(said.evidence)) == len(said.evidence), said.text
            assert not re.search(r"\b(light and light|doubt and doubt)\b", said.text), said.text
