"""Laws of generalisation and recognition, over teaching that is drawn at random."""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recognition import (
    DerivedRecognizer,
    FeatureEvidence,
    TaughtExample,
    derive_recognizer,
    read_examples,
    recognize,
    recognizer_to_json,
    tokenize,
)
from recognition._match import LENGTH_LIMIT
from tests.recognition.helpers import BOOKING, DATA, family, published, quantity
from tests.recognition.spelling import lines_run

pytestmark = pytest.mark.recognition

AGENTS = ["John", "Mary", "The [school]", "A [baker]", "Our [crew]", "[Acme Inc.]"]
COUNTS = ["5", "12", "1,200", "seven", "forty-two"]
UNITS = [("apples", "apple"), ("knives", "knife"), ("sheep", "sheep"), ("boxes", "box")]
# Verb group -> (notation, tense, polarity, modality)
GROUPS = [
    "[{s}|relation={v}, tense=present] ... // polarity=positive, modality=actual",
    "[{d}|relation={v}, tense=past] ... // polarity=positive, modality=actual",
    "[does|tense=present] [not|polarity=negative] [{v}|relation={v}] ... // modality=actual",
    "[will|tense=future, modality=certain] [{v}|relation={v}] ... // polarity=positive",
    "[may|tense=present, modality=possible] [{v}|relation={v}] ... // polarity=positive",
]
VERBS = [("have", "has", "had"), ("want", "wants", "wanted"), ("carry", "carries", "carried")]


def line(agent: str, verb: tuple[str, str, str], group: str, count: str, unit: tuple[str, str]) -> str:
    named = agent.replace("]", "|agent]") if "[" in agent else f"[{agent}|agent]"
    number = {"1,200": 1200, "seven": 7, "forty-two": 42}.get(count) or int(count)
    middle, _, absent = group.format(v=verb[0], s=verb[1], d=verb[2]).partition(" ... ")
    return f"{named} {middle} [{count}|count={number}] [{unit[0]}|unit={unit[1]}] {absent}"


LINES = st.builds(
    line,
    st.sampled_from(AGENTS),
    st.sampled_from(VERBS),
    st.sampled_from(GROUPS),
    st.sampled_from(COUNTS),
    st.sampled_from(UNITS),
)
EXAMPLES = LINES.map(lambda text: read_examples(text)[0])
TEACHING = st.lists(EXAMPLES, min_size=1, max_size=6)


def returned(recognizer: DerivedRecognizer, example: TaughtExample) -> bool:
    got = recognize(recognizer, example.tokens).proposition
    return got is not None and (got.values, got.spans) == (example.bundle.values, example.bundle.spans)


@given(TEACHING)
def test_every_taught_example_is_returned(taught: list[TaughtExample]) -> None:
    recognizer = derive_recognizer(taught)
    assert all(returned(recognizer, example) for example in taught)


@given(TEACHING, EXAMPLES)
def test_another_example_unlearns_none(taught: list[TaughtExample], another: TaughtExample) -> None:
    grown = derive_recognizer([another], parent=derive_recognizer(taught))
    assert all(returned(grown, example) for example in [*taught, another])
    assert grown.teaching_set_id == derive_recognizer([*taught, another]).teaching_set_id


@given(TEACHING, TEACHING, EXAMPLES)
def test_what_matches_still_matches_above(
    taught: list[TaughtExample], more: list[TaughtExample], asked: TaughtExample
) -> None:
    below = recognize(derive_recognizer(taught), asked.tokens)
    above = recognize(derive_recognizer([*taught, *more]), asked.tokens)
    if below.proposition is not None:
        assert above.proposition is not None
        assert above.proposition.values == below.proposition.values


@given(TEACHING, EXAMPLES)
def test_a_sentence_of_the_family_is_read_right_or_refused(
    taught: list[TaughtExample], asked: TaughtExample
) -> None:
    got = recognize(derive_recognizer(taught), asked.tokens).proposition
    assert got is None or (got.values, got.spans) == (asked.bundle.values, asked.bundle.spans)


@given(TEACHING, st.randoms(use_true_random=False))
def test_order_and_duplicates_change_nothing(taught: list[TaughtExample], draw: random.Random) -> None:
    shuffled = [*taught, *draw.choices(taught, k=2)]
    draw.shuffle(shuffled)
    assert recognizer_to_json(derive_recognizer(shuffled)) == recognizer_to_json(derive_recognizer(taught))


@given(EXAMPLES)
def test_tokens_strings_and_text_agree(example: TaughtExample) -> None:
    ways = [example.text, example.tokens, [token.text for token in example.tokens]]
    outcomes = [recognize(quantity(), way) for way in ways]
    assert outcomes[0] == outcomes[1]
    assert outcomes[0] == outcomes[2]
    assert recognize(quantity(), example.text.split(" ")).state == outcomes[0].state


WORDS = (
    "John Mary A The baker school has have had hasn't doesn't not n't will may might 5 24 five dozen half a and or "
    "apples loaves red old , . ? ( ) this is lie no never fewer than of that want wants 1,200 ² 🥖 Inc. 's - first "
    "possession alleged Room booked from Monday to in minutes hundred thousand point"
).split()
# A word that looks like a name the engine could use for a variable or a class.
CLASHES = ["{agent}", "<article>", "{}", "class", "word", "gap:0", "group", "PAST", "\x00"]
STRINGS = st.one_of(
    st.text(max_size=40), st.lists(st.sampled_from(WORDS + CLASHES), max_size=14).map(" ".join)
)


def check(recognizer: DerivedRecognizer, text: str) -> None:
    outcome = recognize(recognizer, text)
    json.dumps(outcome.as_dict())
    tokens = tokenize(text)
    if outcome.proposition is None:
        span = getattr(outcome.refusal_reason, "span", None)
        assert span is None or 0 <= span[0] < span[1] <= len(tokens)
        return
    assert outcome.proposition.names == recognizer.features
    for feature in outcome.proposition:
        if isinstance(feature.evidence, FeatureEvidence):
            start, end = feature.evidence.characters(tokens)
            assert 0 <= start < end <= len(text)
            assert text[start:end].strip() == text[start:end]
        else:
            assert feature.evidence.scope == (0, len(tokens))


@given(STRINGS)
def test_no_string_raises_and_spans_lie_inside(text: str) -> None:
    for recognizer in (quantity(), published("phase2"), family("booking")):
        check(recognizer, text)


@given(st.lists(st.one_of(st.text(max_size=6), st.sampled_from([*WORDS, "hasn't", "apples."])), max_size=10))
def test_no_row_of_strings_raises(tokens: list[str]) -> None:
    outcome = recognize(quantity(), tokens)
    for span in outcome.proposition.spans.values() if outcome.proposition else ():
        assert span is None or 0 <= span[0] < span[1] <= len(tokens)


@pytest.mark.slow
def test_a_hundred_thousand_random_strings() -> None:
    draw = random.Random(144)
    alphabet = "abcdnt ’'-.,:/0129 \u200b\u0301wüßſ\ud800\U0001f600?!()½²٣"
    recognizers = [quantity(), published("phase2"), family("pump")]
    for number in range(100_000):
        if number % 2:
            text = "".join(draw.choices(alphabet, k=draw.randrange(1, 30)))
        else:
            text = " ".join(draw.choices(WORDS, k=draw.randrange(1, 10)))
        check(recognizers[number % 3], text)


def test_user_symbols_are_no_variables() -> None:
    for word in CLASHES:
        assert not recognize(family("booking"), f"Room {word} is booked from Monday to Friday").admitted
        got = recognize(quantity(), f"{word} has 5 apples").proposition
        assert got is None or (got["agent"].value == word and word.isalpha())


def test_work_grows_linearly() -> None:
    """Counted in lines of Python run. Eight times the words; a quadratic scan would run 64 times as many."""

    def lines(words: int) -> int:
        return lines_run(recognize, quantity(), " ".join(["John has 5 red apples"] * (words // 5)))

    lines(240)
    assert lines(240) < 16 * lines(30)


def test_beyond_the_cap_is_its_own_refusal() -> None:
    outcome = recognize(quantity(), "apples " * (LENGTH_LIMIT + 1))
    assert outcome.refusal_reason is not None
    assert outcome.refusal_reason.as_dict() == {
        "code": "input_length",
        "tokens": LENGTH_LIMIT + 1,
        "limit": LENGTH_LIMIT,
    }


@pytest.mark.parametrize("blank", ["", " \t\n ", "\u200b", [], ["", " "]])
def test_nothing_visible(blank: str | list[str]) -> None:
    outcome = recognize(quantity(), blank)
    assert outcome.refusal_reason is not None
    assert (outcome.state, outcome.refusal_reason.code) == ("undetermined", "empty_input")


def test_the_same_bytes_whatever_the_hash_seed() -> None:
    code = (
        "import sys; from pathlib import Path; from recognition import *; "
        "r = derive_recognizer(read_examples(Path(sys.argv[1]).read_text(encoding='utf-8'))); "
        "o = [recognize(r, t) for t in ('A baker has 24 loaves', 'John may or may not have 5 apples', 'x')]; "
        "g = [EpistemicGraph((EpistemicNode.of(x, 0),), r.teaching_set_id).to_json() for x in o]; "
        "print(recognizer_to_json(r), *g)"
    )
    outputs = {
        subprocess.run(
            [sys.executable, "-c", code, str(DATA / "teaching_quantity.jsonl")],
            check=True,
            capture_output=True,
            env={**os.environ, "PYTHONHASHSEED": seed, "PYTHONIOENCODING": "utf-8"},
        ).stdout
        for seed in ("0", "1", "2")
    }
    assert len(outputs) == 1


def test_spaces_between_tokens_change_no_identity() -> None:
    wide = BOOKING.replace("is booked", "is   booked")
    assert derive_recognizer(read_examples(wide)).teaching_set_id == family("booking").teaching_set_id
