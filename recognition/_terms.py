"""Words as terms: stem and inflection, what an English word can be, and the rules by which a span gives a value."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import NamedTuple

from recognition._lexicon import CACHE
from recognition._numbers import Numeral, is_number_word, numerals, vocabulary
from recognition._tables import words
from recognition.english import lemma_guess, lemmas, noun_number, participle, past, third_person
from recognition.outcome import JSONValue
from recognition.tokens import Token, normal_form, tokenize

__all__ = [
    "RULES",
    "Morph",
    "Sentence",
    "Word",
    "determiner_class",
    "english",
    "fits",
    "gap_morphs",
    "has_base",
    "head_of",
    "is_adverb",
    "is_code",
    "is_head",
    "is_modal",
    "is_name",
    "is_nominal",
    "is_ordinal",
    "is_participle",
    "may_be_plural",
    "noun_lemmas",
    "same_value",
    "sentence",
    "stem_of",
    "values_of",
    "verb_readings",
]

# The rules by which a span of words gives a value, in the order in which one is taken where several fit.
RULES = ("number", "text", "noun", "verb")


# In characters; a longer token is no word that comes again.
_SHORT = 40
_new = tuple.__new__

# Soft hyphen, zero-width space, word joiner, byte-order mark; the joiners that shape letters stay.
_INVISIBLE: dict[int, None] = dict.fromkeys(map(ord, "\u00ad\u200b\u2060\ufeff"))


class Morph(NamedTuple):
    """A word as stem and inflection; None stands for any."""

    stem: str | None
    inflection: str | None

    def __str__(self) -> str:
        return "+".join(part for part in (self.stem, self.inflection) if part) or "*"


class Word(NamedTuple):
    """A word of the input; `token` is the token it is, or is a part of."""

    text: str
    key: str
    start: int
    end: int
    token: int


@dataclass(frozen=True, slots=True)
class Sentence:
    """An input: its text, its tokens as given, its words and their keys, and the numerals in it."""

    text: str
    tokens: tuple[Token, ...]
    words: tuple[Word, ...]
    keys: tuple[str, ...]
    numerals: tuple[Numeral, ...]

    def token_span(self, start: int, end: int) -> tuple[int, int]:
        """From a span of words to the span of tokens that holds it."""
        return self.words[start].token, self.words[end - 1].token + 1

    def word_span(self, start: int, end: int) -> tuple[int, int]:
        """From a span of tokens to the span of words in it; empty if there are none."""
        inside = [index for index, word in enumerate(self.words) if start <= word.token < end]
        return (inside[0], inside[-1] + 1) if inside else (0, 0)

    def written(self, start: int, end: int) -> str:
        """The words `start:end` as they are written, in normal form C, without what is invisible."""
        text = self.text[self.words[start].start : self.words[end - 1].end]
        return text if text.isascii() else unicodedata.normalize("NFC", text.translate(_INVISIBLE))


def _parts(token: str) -> tuple[Token, ...]:
    """The words of a token; as inside a text, where `Inc.` keeps its stop."""
    return tokenize(token + " x")[:-1]


_kept_parts = lru_cache(CACHE)(_parts)


def sentence(tokens: str | Sequence[str | Token]) -> Sentence:
    """Read an input: a text, or its tokens as `tokenize` gives them, or plain strings, taken as apart by a space.

    A token that English writes together (`hasn't`) is several words of one token.
    """
    if isinstance(tokens, str):
        text, given = tokens, tokenize(tokens)
    else:
        pieces: list[str] = []
        made: list[Token] = []
        length, last = 0, None
        for token in tokens:
            if isinstance(token, Token):
                gap = " " if last is not None and token.start > last else ""
                body, last = token.text, token.end
            else:
                gap, body, last = " " if made else "", token, None
                last = length + len(gap) + len(body)
            pieces += [gap, body]
            made.append(Token(body, length + len(gap), length + len(gap) + len(body)))
            length += len(gap) + len(body)
        text, given = "".join(pieces), tuple(made)
    if isinstance(tokens, str):
        lower = text.lower() if text.isascii() else None
        found = [
            # As in the tokeniser, without the constructor of the named tuple.
            _new(Word, (body, lower[start:end] if lower else normal_form(body), start, end, index))
            for index, (body, start, end) in enumerate(given)
        ]
    else:
        found = [
            Word(part.text, normal_form(part.text), token.start + part.start, token.start + part.end, index)
            for index, token in enumerate(given)
            for part in (_kept_parts if len(token.text) <= _SHORT else _parts)(token.text)
        ]
    keys = tuple([word.key for word in found])
    return Sentence(text, given, tuple(found), keys, numerals(keys))


@cache
def english(name: str) -> frozenset[str]:
    """A closed list of English: of the verb group's table, else of the closed classes."""
    table = words("verb_group")
    return table[name] if name in table else words("closed_class")[name]


@cache
def _settled() -> dict[str, str]:
    return dict(entry.split("=") for entry in english("noun"))


@cache
def _stems() -> dict[str, str]:
    return dict(entry.split("=") for entry in english("contraction"))


def stem_of(key: str) -> str:
    """`n't` -> `not`, `wo` -> `will`; any other word is its own."""
    return _stems().get(key, key)


def is_modal(key: str) -> bool:
    return stem_of(key) in english("modal")


@lru_cache(CACHE)
def is_adverb(key: str) -> bool:
    return stem_of(key) in english("adverb") or (
        bool(lemmas(key)) and all(pos == "adverb" for _, pos in lemmas(key))
    )


@lru_cache(CACHE)
def determiner_class(key: str) -> str | None:
    """The class of a determiner that leaves what it stands before as it is; None for other words."""
    return next((name for name in ("article", "possessive", "demonstrative") if key in english(name)), None)


_TENSES = {
    "am": "PRES",
    "is": "PRES",
    "are": "PRES",
    "was": "PAST",
    "were": "PAST",
    "be": "BASE",
    "been": "PART",
    "being": "GER",
}


@lru_cache(CACHE)
def verb_readings(key: str) -> tuple[Morph, ...]:
    """The readings of a word as a verb, each with its form: BASE, PRES, PAST, PART or GER."""
    if is_modal(key) or key in ("n't", "not", "'s", "'d"):
        return ()
    key = stem_of(key)
    if key in _TENSES:
        return (Morph("be", _TENSES[key]),)
    found: dict[Morph, None] = {}
    for lemma, pos in lemmas(key):
        if pos != "verb":
            continue
        forms = {"PRES": third_person(lemma), "PAST": past(lemma), "PART": participle(lemma)}
        if lemma == key:
            found[Morph(lemma, "BASE")] = None
        matching = [name for name, form in forms.items() if form == key]
        found |= dict.fromkeys(Morph(lemma, name) for name in matching)
        if lemma != key and not matching:
            found[Morph(lemma, "GER" if key.endswith("ing") else "PAST")] = None
    return tuple(found)


@cache
def _closed() -> frozenset[str]:
    names = ("preposition modal be determiner singular_determiner plural_determiner subordinator conjunction adverb "
             "relative singular_pronoun plural_pronoun object_pronoun").split()  # fmt: skip
    held = [words("closed_class")[name] for name in names]
    held += [english(name) for name in ("not_nominal", "pronoun", "article", "possessive", "demonstrative")]
    return frozenset().union(*held, ("have", "has", "had", "do", "does", "did", "done", "'s", "'d"))


def is_ordinal(key: str) -> bool:
    """Whether a word by itself tells one of a row: `second`, but not `seconds`."""
    return vocabulary().get(key, ("",))[0] in ("denominator", "ordinal") and key[-2:] in (
        "st",
        "nd",
        "rd",
        "th",
    )


# Digits with something else: 10:30, 12A, 2024-05-01, 2-legged, 3rd; but not a range such as 5-7.
_CODE = re.compile(r"(?!\d+-\d+$)\d[\d:./-]*[\w-]*\w")


@lru_cache(CACHE)
def is_code(key: str) -> bool:
    """Whether a word begins with a digit and says no number."""
    return key[:1].isdecimal() and bool(_CODE.fullmatch(key)) and not numerals((key,))


@lru_cache(CACHE)
def is_nominal(key: str) -> bool:
    """Whether a word can be a part of a noun phrase without a change of what the phrase says.

    Nouns, adjectives and words that no dictionary has; not those that count, deny or take back.
    """
    if is_code(key):
        return True
    if (
        not key
        or not key[0].isalpha()
        or key in _closed()
        or key in _stems()
        or any(is_number_word(part) and not is_ordinal(part) for part in key.split("-"))
    ):
        return False
    if "-" in key and key.partition("-")[0] in english("denying_prefix"):
        return False
    readings = lemmas(key)
    return not readings or is_ordinal(key) or any(pos in ("noun", "adjective") for _, pos in readings)


def is_name(word: Word) -> bool:
    """Whether a word that is a verb or adjective elsewhere can be a name: `Sue`, `Mark`, but not `Have`."""
    named = has_base(word.key) or is_nominal(word.key)  # Randy, of whom the dictionary has no noun
    return named and word.text.istitle() and word.key not in _closed()


@lru_cache(CACHE)
def has_base(key: str) -> bool:
    """Whether a word is the base form of a verb."""
    return any(morph.inflection == "BASE" for morph in verb_readings(key))


@lru_cache(CACHE)
def is_participle(key: str) -> bool:
    """Whether a word is a past form alone, which after a noun says something of it: `cups of tea left`."""
    forms = {morph.inflection for morph in verb_readings(key)}
    return bool(forms & {"PAST", "PART"}) and "BASE" not in forms


@lru_cache(CACHE)
def is_head(key: str) -> bool:
    """Whether a word can be the last of a noun phrase."""
    readings = lemmas(key)
    named = not readings or any(pos == "noun" for _, pos in readings)
    return named and is_nominal(key) and not is_ordinal(key)


@lru_cache(CACHE)
def noun_lemmas(key: str) -> tuple[str, ...]:
    """The lemmas of a word as a noun: several where a plural belongs to several (`axes`); none if it is unknown."""
    if key in _settled():
        return (_settled()[key],)
    found = dict.fromkeys(lemma for lemma, pos in lemmas(key) if pos == "noun")
    if len(found) > 1 and key in found:
        numbers = noun_number(key)
        return (key,) if "singular" in numbers else tuple(lemma for lemma in found if lemma != key)
    if found:
        return tuple(found)
    guess = lemma_guess(key, "noun")
    if guess:
        return (guess,)
    return () if any(map(str.isalnum, key)) else (key,)  # a sign is its own lemma


@lru_cache(CACHE)
def may_be_plural(key: str) -> bool:
    numbers = noun_number(key)
    return not numbers or "plural" in numbers


def head_of(keys: Sequence[str], start: int, end: int) -> int:
    """The head of a noun phrase: the last word before a preposition (`packs of gum`), or of the whole phrase."""
    if end - start > 2:
        prepositions = english("preposition")
        for index in range(start + 1, end):
            if keys[index] in prepositions:
                return index - 1
    return end - 1


def noun_values(given: Sentence, start: int, end: int) -> tuple[str, ...]:
    """The values of a noun phrase: as written, but with the lemma of its head."""
    head = head_of(given.keys, start, end)
    before = given.written(start, head) + " " if head > start else ""
    after = " " + given.written(head + 1, end) if head + 1 < end else ""
    return tuple(before + lemma + after for lemma in noun_lemmas(given.keys[head]))


def values_of(given: Sentence, start: int, end: int, rule: str) -> tuple[JSONValue, ...]:
    """Every value that the words `start:end` can have under a rule."""
    if end <= start:
        return ()
    if rule == "number":
        return tuple(
            numeral.value
            for numeral in given.numerals
            if (numeral.start, numeral.end) == (start, end) and numeral.value is not None
        )
    if rule == "text":
        return (given.written(start, end),)
    if rule == "noun":
        return noun_values(given, start, end)
    return _verb_stems(given.keys[start]) if end - start == 1 else ()


@lru_cache(CACHE)
def _verb_stems(key: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(morph.stem for morph in verb_readings(key) if morph.stem))


def fits(part: Morph, morphs: tuple[Morph, ...]) -> bool:
    """Whether a part of a marker stands for one of the readings of a word."""
    stem, inflection = part
    for morph in morphs:
        if (stem is None or stem == morph.stem) and (inflection is None or inflection == morph.inflection):
            return True
    return False


def same_value(left: JSONValue, right: JSONValue) -> bool:
    """Equality that keeps True apart from 1, but not 2.0 from 2."""
    return left == right and isinstance(left, bool) == isinstance(right, bool)


def _number(key: str) -> str | None:
    """SG or PL; None for a noun that can be both (`sheep`)."""
    numbers = noun_number(key)
    if not numbers:
        return "SG" if key in noun_lemmas(key) else "PL"
    return None if len(numbers) > 1 else "PL" if "plural" in numbers else "SG"


@lru_cache(CACHE)
def gap_morphs(key: str, nominal: bool) -> tuple[Morph, ...]:
    """The readings of a word outside a verb group: verb before noun, or noun before verb where `nominal`."""
    verbs = verb_readings(key)
    nouns = tuple(Morph(lemma, _number(key)) for lemma in noun_lemmas(key)) if is_head(key) else ()
    return (nouns + verbs if nominal else verbs + nouns) or (Morph(stem_of(key), None),)
