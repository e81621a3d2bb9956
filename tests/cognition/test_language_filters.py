"""Walks and turns in a pack of three languages: a filter holds, says so where it empties the pool, and never widens."""

from __future__ import annotations

import unicodedata

import pytest

from cognition import (
    AdmissibilityRegion,
    FieldState,
    InnerLoopExhaustion,
    Runtime,
    RuntimeConfig,
    Vocabulary,
    generate,
)
from cognition.constraint import build_graph_constraint
from recognition.tokens import normal_form

pytestmark = pytest.mark.packs

PACK = "koine_hebrew_v1"
SIZES = {"grc": 24, "hbo": 24, "en": 24}
PROMPTS = (
    "What is λόγος?", "What is דָּבָר?", "What is love?", "Compare ἀγάπη and אַהֲבָה.", "Does ἀγάπη mean love?",
    "Remember σοφία.", "Tell me about ζωή.", "What does life contrast with?", "λόγος", "What does λόγος render?",
)  # fmt: skip


@pytest.fixture(scope="module")
def words() -> Vocabulary:
    return Runtime.open([PACK]).vocabulary


def languages(vocabulary: Vocabulary, indices: tuple[int, ...]) -> set[str]:
    return {vocabulary.senses[i].language for i in indices}


def standing_on(vocabulary: Vocabulary, word: str) -> FieldState:
    """At a word, looking for what no word is, so that the walk ends when no admissible word is left."""
    return FieldState(location=vocabulary.points[vocabulary.lookup(word)[0]], goals=((),))


@pytest.mark.parametrize("spoken", [("grc",), ("hbo",), ("en",), ("grc", "hbo"), ("en", "hbo", "grc")])
@pytest.mark.parametrize("word", ["λόγος", "דָּבָר", "word"])
def test_a_walk_stands_on_all_words_of_its_languages_and_on_no_other(
    words: Vocabulary, word: str, spoken: tuple[str, ...]
) -> None:
    walked = generate(standing_on(words, word), words, languages=spoken).indices
    assert languages(words, walked) == set(spoken)
    assert len(walked) == sum(SIZES[one] for one in spoken)


def test_without_a_filter_the_walk_of_a_greek_word_would_leave_english(words: Vocabulary) -> None:
    """The filter has something to do: another language is nearer than the next English word."""
    free = generate(standing_on(words, "λόγος"), words, languages=tuple(SIZES)).indices
    assert languages(words, free[:4]) > {"en"}


def test_a_language_without_words_is_refused_before_the_first_step(words: Vocabulary) -> None:
    for spoken in ((), ("la",)):
        with pytest.raises(InnerLoopExhaustion) as caught:
            generate(standing_on(words, "λόγος"), words, languages=spoken)
        assert (caught.value.reason, caught.value.step) == ("no_candidate_before_walk", -1)
        assert caught.value.label == f"vocabulary&language:{'+'.join(spoken)}"


def test_a_region_of_another_language_is_refused_and_not_widened(words: Vocabulary) -> None:
    english = tuple(i for i, sense in enumerate(words.senses) if sense.language == "en")
    region = AdmissibilityRegion(allowed_indices=english, label="graph:p0", source="test")
    with pytest.raises(InnerLoopExhaustion) as caught:
        generate(standing_on(words, "λόγος"), words, region=region, languages=("grc",))
    assert (caught.value.step, caught.value.label) == (-1, "graph:p0&language:grc")
    assert languages(words, generate(standing_on(words, "λόγος"), words, region=region).indices) == {"en"}


def test_a_mixed_region_keeps_what_the_filter_admits(words: Vocabulary) -> None:
    graph = Runtime(words).ask("What is λόγος?").graph
    assert graph is not None
    region = build_graph_constraint(graph, words)
    assert region.allowed_indices is not None
    assert languages(words, region.allowed_indices) == set(SIZES)
    walked = generate(standing_on(words, "λόγος"), words, region=region, languages=("grc",)).indices
    assert walked
    assert set(walked) == {i for i in region.allowed_indices if words.senses[i].language == "grc"}


@pytest.mark.parametrize("flag", [False, True])
@pytest.mark.parametrize("output", ["en", "grc", "hbo"])
def test_a_turn_walks_in_its_output_language(words: Vocabulary, output: str, flag: bool) -> None:
    config = RuntimeConfig(output_language=output, forward_graph_constraint=flag)
    walked = [r.walk.indices for r in Runtime(words, config).ask_batch(PROMPTS) if r.walk is not None]
    assert sum(map(len, walked)) > 0
    assert all(languages(words, indices) <= {output} for indices in walked)


def test_what_grounds_an_answer_follows_the_output_language(words: Vocabulary) -> None:
    """The gloss stays; the statement beside it is one that the walk could reach."""
    gloss = "Ζωή is the Greek word for the state of what is alive."
    for output, beside in (
        ("en", "Ζωή means life."),
        ("grc", "Ζωή contrasts with θάνατος."),
        ("hbo", "Ζωή renders חַיִּים."),
    ):
        runtime = Runtime(words, RuntimeConfig(output_language=output))
        assert runtime.ask("What is ζωή?").surface == f"{gloss} {beside}"


def test_a_statement_in_another_language_is_out_of_reach_and_refused(words: Vocabulary) -> None:
    prompt = "What does λόγος render?"
    assert Runtime(words).ask(prompt).refusal_reason == "ungrounded"
    reached = Runtime(words, RuntimeConfig(output_language="hbo")).ask(prompt)
    assert reached.surface == "Λόγος renders דָּבָר."


def test_an_output_language_that_the_pack_lacks_is_refused(words: Vocabulary) -> None:
    result = Runtime(words, RuntimeConfig(output_language="la")).ask("What is λόγος?")
    assert (result.refusal_reason, result.walk) == ("region_exhausted", None)
    assert result.refusal is not None
    assert result.refusal.step == -1


def test_only_english_output_builds_a_region(words: Vocabulary) -> None:
    for output, built in (("en", 1), ("grc", 0)):
        config = RuntimeConfig(output_language=output, forward_graph_constraint=True)
        assert Runtime(words, config).ask("What is ζωή?").regions_built == built


def test_a_word_is_found_however_it_is_composed_and_cased(words: Vocabulary) -> None:
    for sense in words.senses:
        for surface in sense.surfaces:
            taken = words.lookup(surface)
            assert words.index[sense.id] in taken
            for form in ("NFC", "NFD"):
                assert words.lookup(unicodedata.normalize(form, surface)) == taken, surface
            assert words.lookup(surface.upper()) == taken, surface


@pytest.mark.parametrize(
    ("typed", "lemma"),
    [
        ("λογος", "λόγος"),  # without accents
        ("ΛΟΓΟΣ", "λόγος"),  # capitals have no final sigma and no accents
        ("λόγοσ", "λόγος"),  # no final sigma
        ("θεὸς", "θεός"),  # the grave accent of a word within a sentence
        ("πνεῦμα", "πνεῦμα"),
        ("דבר", "דָּבָר"),  # without points
        ("דָּבָר", "דָּבָר"),  # points in another order
        ("שלום", "שָׁלוֹם"),
        ("shalom", "שָׁלוֹם"),
    ],
)
def test_ways_to_write_a_word(words: Vocabulary, typed: str, lemma: str) -> None:
    (found,) = words.lookup(typed)
    assert words.senses[found].lemma == unicodedata.normalize("NFC", lemma)
    assert Runtime(words).ask(f"What is {typed}?").citations[0].id == f"gloss:{words.senses[found].id}"


def test_what_normal_forms_keep_apart() -> None:
    """Accents and points tell words apart, so leaving them out is a surface of its own and not a fold."""
    assert normal_form("ΛΌΓΟΣ") == normal_form("λόγος") == normal_form("λόγοσ")
    assert normal_form("λογος") != normal_form("λόγος")
    assert normal_form("דבר") != normal_form("דָּבָר")


def test_a_prompt_in_another_language_is_no_question_to_it(words: Vocabulary) -> None:
    for prompt in ("τί ἐστιν λόγος;", "מה זה דבר?"):
        assert Runtime(words).ask(prompt).refusal_reason == "unclear_question"
    assert Runtime(words).ask("τί ἐστιν;").refusal_reason == "language_not_supported"
