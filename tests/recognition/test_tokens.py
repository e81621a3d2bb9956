"""Laws of the tokeniser and of the character folds, then English and the traps."""

import random
import subprocess
import sys
import unicodedata

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from recognition.tokens import fold, normal_form, tokenize

pytestmark = pytest.mark.recognition

ZERO_WIDTH = "\u00ad\u200b\u200c\u200d\u2060\ufeff"
# Any code point, lone surrogates included, with the characters that matter here made likely.
ANY = st.text(
    st.one_of(st.characters(), st.sampled_from(ZERO_WIDTH + "'’-.,/:\"“”… \t\n\u00a0aA1²é\u0301🥖👨👍🏽🇫🇷"))
)
ASCII_WORDS = st.lists(st.from_regex(r"[A-Za-z]{1,8}('(s|ll|re|ve|d|m)|n't)?", fullmatch=True)).map(" ".join)


def texts(text: str) -> list[str]:
    return [token.text for token in tokenize(text)]


@given(ANY)
@example("\ud800a\udfff")
@example("İ's İ’s")
def test_offsets_slice_the_original_in_order(text: str) -> None:
    end = 0
    for token in tokenize(text):
        assert token.text == text[token.start : token.end] != ""
        assert token.start >= end
        end = token.end


@given(ANY)
def test_only_white_space_and_zero_width_characters_lie_between_tokens(text: str) -> None:
    ends = [0, *(token.end for token in tokenize(text))]
    starts = [*(token.start for token in tokenize(text)), len(text)]
    gaps = "".join(text[end:start] for end, start in zip(ends, starts, strict=True))
    assert all(char.isspace() or unicodedata.category(char) == "Cf" for char in gaps)


@given(ANY)
def test_no_token_begins_or_ends_with_what_is_invisible(text: str) -> None:
    for token in tokenize(text):
        assert not token.text[0].isspace()
        assert not token.text[-1].isspace()
        assert token.text[0] not in ZERO_WIDTH
        assert token.text[-1] not in ZERO_WIDTH


@given(ASCII_WORDS)
def test_the_tokens_written_apart_are_the_same_tokens(text: str) -> None:
    assert texts(" ".join(texts(text))) == texts(text)


@given(ASCII_WORDS)
def test_a_curly_apostrophe_changes_nothing(text: str) -> None:
    curly = tokenize(text.replace("'", "’"))
    assert [(token.start, token.end) for token in curly] == [(t.start, t.end) for t in tokenize(text)]


@given(ASCII_WORDS, st.sampled_from(ZERO_WIDTH), st.randoms(use_true_random=False))
def test_zero_width_characters_are_transparent(text: str, invisible: str, random) -> None:
    sprinkled = "".join(char + invisible * random.randint(0, 2) for char in text)
    assert [t.replace(invisible, "") for t in texts(sprinkled)] == texts(text)


@given(ANY)
def test_fold_is_one_for_one_and_idempotent(text: str) -> None:
    assert len(fold(text)) == len(text)
    assert fold(fold(text)) == fold(text)


@given(ANY)
def test_normal_form_is_idempotent_and_blind_to_case_and_composition(text: str) -> None:
    key = normal_form(text)
    assert normal_form(key) == key
    assert normal_form(unicodedata.normalize("NFD", text)) == key


def test_normal_form_is_idempotent_on_every_character() -> None:
    assert [code for code in range(sys.maxunicode + 1) if normal_form(k := normal_form(chr(code))) != k] == []


@pytest.mark.parametrize("form", ["Ｌｉｇｈｔ", "LIGHT", "light", "li\u00adght", "\u200bLight"])
def test_one_key_for_all_spellings(form: str) -> None:
    assert normal_form(form) == "light"


def test_fold_unifies_quotes_spaces_widths_and_dashes() -> None:
    assert fold("‘a’ “b”\u00a0Ａ１\u3000–—−") == "'a' \"b\" A1 ---"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("doesn't", "does n't"),
        ("DOESN’T", "DOES N’T"),
        ("What's", "What 's"),
        ("can't won't shan't", "ca n't wo n't sha n't"),
        ("I'll we're they've I'd I'm", "I 'll we 're they 've I 'd I 'm"),
        ("cannot Cannot", "can not Can not"),
        ("shouldn't've", "should n't 've"),
        ("the baker's dogs'", "the baker 's dogs '"),
        ("O'Brien o'clock", "O'Brien o'clock"),
        ("'tis 'word'", "'t is ' word '"),
        ("mother-in-law forty-five", "mother-in-law forty-five"),
        ("mother‑in‑law", "mother‑in‑law"),
        ("five–ten five—ten a--b", "five – ten five — ten a -- b"),
        ("1,200 3.5 1,200.50 10:30 1/2 .5 1e6 5th", "1,200 3.5 1,200.50 10:30 1/2 .5 1e6 5th"),
        ("1,200, and 3.", "1,200 , and 3 ."),
        ("$5 50% -5", "$ 5 50 % - 5"),
        ("Wait... what…?!", "Wait ... what … ? !"),
        ("Acme Inc. has e.g. U.S. trucks etc.", "Acme Inc. has e.g. U.S. trucks etc ."),
        ("He left.Then (maybe)", "He left . Then ( maybe )"),
        ("24 🥖 loaves🥖🥖", "24 🥖 loaves 🥖 🥖"),
        (
            "👨\u200d👩\u200d👧👍🏽❤\ufe0f🇫🇷🇩🇪1\ufe0f\u20e3",
            "👨\u200d👩\u200d👧 👍🏽 ❤\ufe0f 🇫🇷 🇩🇪 1\ufe0f\u20e3",
        ),
        ("cafe\u0301 café naïve", "cafe\u0301 café naïve"),
        ("מה זה photosynthesis? צה״ל", "מה זה photosynthesis ? צה״ל"),
        ("नमस्ते दुनिया", "नमस्ते दुनिया"),
        ("می\u200cخواهم", "می\u200cخواهم"),
        ("\u200bdo\u200besn\u200b’t\ufeff", "do\u200bes n\u200b’t"),
        ("Ｌｉｇｈｔ　ｏｎ", "Ｌｉｇｈｔ ｏｎ"),
        ("m² ² x_1", "m² ² x_1"),
    ],
)
def test_english_and_the_traps(text: str, expected: str) -> None:
    assert texts(text) == expected.split(" ")


@pytest.mark.parametrize("blank", ["", " \t\n ", "\u200b\ufeff", "\u200d\u00ad \u2060"])
def test_nothing_visible_has_no_tokens(blank: str) -> None:
    assert tokenize(blank) == ()


SAMPLE = """\
The baker doesn't have 24 loaves, does he?
What's a wombat, and why can't it fly?
I'll say they've got 1,200.50 dollars (or 3.5%).
She cannot know; it's the students' school: forty-five rooms!
John has either 5 or 6 apples...
We'd have gone -- but they weren't there
He said he'll go at 10:30 and isn't late
AT&T paid $5 for [this] thing
It takes 5–10 days""".splitlines()


@pytest.mark.oracle
@pytest.mark.parametrize("sentence", SAMPLE)
def test_the_treebank_tokeniser_agrees(sentence: str) -> None:
    nltk = pytest.importorskip("nltk.tokenize.destructive")
    spans = list(nltk.NLTKWordTokenizer().span_tokenize(sentence))
    assert [(token.start, token.end) for token in tokenize(sentence)] == spans


# (text, ours, the treebank's, why ours)
DIFFERENCES = [
    (
        "He left. She stayed.",
        "He left . She stayed .",
        "He left. She stayed .",
        "texts hold several sentences",
    ),
    ("We live in the U.S.", "We live in the U.S.", "We live in the U.S .", "one key for an abbreviation"),
    ("He is gonna go", "He is gonna go", "He is gon na go", "gon and na are in no dictionary"),
    ("this and/or that", "this and / or that", "this and/or that", "the conjunctions count"),
    ("It is -5 today", "It is - 5 today", "It is -5 today", "a sign is evidence of its own"),
    ("doesn’t", "does n’t", "doesn ’ t", "an apostrophe is one in either form"),
]


@pytest.mark.oracle
@pytest.mark.parametrize(("text", "ours", "theirs", "why"), DIFFERENCES)
def test_differences_from_the_treebank_tokeniser(text: str, ours: str, theirs: str, why: str) -> None:
    nltk = pytest.importorskip("nltk.tokenize.destructive")
    assert texts(text) == ours.split(" ")
    assert nltk.NLTKWordTokenizer().tokenize(text) == theirs.split(" "), why


HARD = [
    "a'", "-a", "a.", "a.b ", "'s", "n't", "1,", "1.", "Mr. ", "Mr.   ", "\u200b", "\u200d", "👨\u200d", "\u0301",
    "a\u200b", "'", ".", "a-", "U.", "e\u0301'", "🇫",
]  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("unit", HARD)
def test_a_very_long_row_ends(unit: str) -> None:
    """A scan that is quadratic in such a row would take minutes: there is no time to assert, the test has to end."""
    text = unit * 160_000 + "b"
    tokens = tokenize(text)
    assert tokens[-1].end == len(text)
    assert all(token.text == text[token.start : token.end] for token in tokens)


def test_importing_loads_nothing_heavy() -> None:
    code = (
        "import sys, recognition.tokens, recognition.english as e; e.plural('loaf'); "
        "assert not {'lemminflect', 'numpy', 'nltk', 'jax'} & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_no_string_of_difficult_characters_raises() -> None:
    """Possessive repeats with groups inside once ended in a SystemError on strings like these."""
    draw = random.Random(20)
    alphabet = "abcdnt ’'-.,:/0129 \u200b\u0301wüßſ\ud800\U0001f600?!()"
    for _ in range(20_000):
        text = "".join(draw.choices(alphabet, k=draw.randrange(1, 40)))
        assert all(text[token.start : token.end] == token.text for token in tokenize(text))
    assert tokenize("Was ist Wahrheit und warum brauchen wir sie")
