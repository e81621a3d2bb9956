"""Agreement in simple clauses, by a shallow reading: conservative, so what it cannot read it lets pass."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from recognition._inflect import participle, past, third_person
from recognition._lemmas import lemmas, noun_number
from recognition._tables import words
from recognition.tokens import Token, normal_form

__all__ = ["Word", "agreement", "read", "unsupported"]

_FINITE = {
    "is": "singular",
    "'s": "singular",
    "was": "singular",
    "has": "singular",
    "does": "singular",
    "am": "first",
    "are": "plural",
    "'re": "plural",
    "were": "plural",
    "have": "plural",
    "do": "plural",
    "'ve": "plural",
}
_PRONOUNS = frozenset({"i", "this", "that", "these", "those"})
_NO_SUBJECT = frozenset("there here let long god heaven far come suffice first next".split())


@dataclass(frozen=True, slots=True, kw_only=True)
class Word:
    """A word and what it may be; `verb` holds `base`, `s`, `past`, `participle` and `ing` as far as they apply."""

    token: Token
    key: str
    nouns: frozenset[str]
    verb: frozenset[str]
    others: frozenset[str]
    closed: frozenset[str]


@lru_cache(1 << 16)
def _verb_forms(key: str) -> frozenset[str]:
    forms: set[str] = set()
    for lemma, pos in lemmas(key):
        if pos != "verb":
            continue
        made = (lemma, third_person(lemma), past(lemma), participle(lemma))
        found = {
            name for name, form in zip(("base", "s", "past", "participle"), made, strict=True) if form == key
        }
        if not found:
            # A form the dictionary knows besides the first: gotten, burnt.
            spare = {"participle"} if key.endswith("en") else {"past", "participle"}
            found = {"ing"} if key.endswith("ing") else spare
        forms |= found
    return frozenset(forms)


@lru_cache(1 << 16)
def _word(key: str) -> tuple[frozenset[str], ...]:
    closed = frozenset(name for name, members in words("closed_class").items() if key in members)
    if closed - {"clause_verb", "number_word", "multiplier", "be", "finite_be", "quantity"} or key == "'s":
        return frozenset(), frozenset(), frozenset(), closed
    others = frozenset(pos for _, pos in lemmas(key) if pos in ("adjective", "adverb"))
    return frozenset(noun_number(key)), _verb_forms(key), others, closed


def read(tokens: Sequence[Token]) -> tuple[Word, ...]:
    """Look every token up once."""
    found = []
    for token in tokens:
        key = normal_form(token.text)
        nouns, verb, others, closed = _word(key)
        found.append(Word(token=token, key=key, nouns=nouns, verb=verb, others=others, closed=closed))
    return tuple(found)


def _is_name(word: Word) -> bool:
    """A capitalised word of no closed class."""
    return word.token.text[:1].isupper() and not word.closed and word.key.isalpha()


def _numbers(word: Word) -> frozenset[str]:
    """The numbers of a noun or name; a name in -s may be either (James, the Borgias)."""
    return word.nouns or frozenset({"singular", "plural"} if word.key.endswith("s") else {"singular"})


def _is_number(word: Word) -> bool:
    return bool(re.fullmatch(r"\d[\d,.]*", word.key)) or "number_word" in word.closed


def _adverb(word: Word) -> bool:
    return "adverb" in word.closed or (word.key.endswith("ly") and "adverb" in word.others and not word.nouns)


def _finite_number(word: Word) -> str | None:
    """The number a word asks of its subject as a present (or `was`, `were`); None for other words."""
    if word.key in _FINITE:
        return _FINITE[word.key]
    if word.verb & {"past"} or not word.verb & {"base", "s"}:
        return None
    return "singular" if "s" in word.verb else "plural"


def _finite(word: Word) -> bool:
    return bool(word.verb & {"base", "s", "past"}) or word.key in _FINITE or "modal" in word.closed


def _subjects(sentence: Sequence[Word], start: int, depth: int = 3) -> Iterator[tuple[int, frozenset[str]]]:
    """Readings of a subject that begins at `start`, as (end, possible numbers); modifiers `of ...` are passed over."""
    word = sentence[start]
    if [part.key for part in sentence[start : start + 3]] == ["a", "lot", "of"]:
        if start + 3 < len(sentence) and depth:
            yield from _subjects(sentence, start + 3, depth - 1)
        return
    if word.closed & {"singular_pronoun", "plural_pronoun"} or word.key in _PRONOUNS:
        number = "plural" if word.closed & {"plural_pronoun", "plural_determiner"} else "singular"
        yield start + 1, frozenset({number})
        if "determiner" not in "".join(word.closed):
            return
    determined = bool(word.closed & {"determiner", "singular_determiner", "plural_determiner"})
    number_first = _is_number(word) and word.key not in ("1", "one")
    index = start + (determined or number_first)
    if index < len(sentence) and determined and _is_number(sentence[index]):
        number_first, index = True, index + 1
    if not determined and not number_first and not (_is_name(word) or word.nouns):
        return
    first = index
    while index < len(sentence):
        word = sentence[index]
        named = _is_name(word) and (start > 0 or index > start or bool(word.nouns) or not word.verb)
        if not (word.nouns or named or (word.others and index + 1 < len(sentence))):
            return
        if word.nouns or named:
            numbers = _numbers(word)
            if "plural_determiner" in sentence[start].closed and "plural" in numbers:
                numbers = frozenset({"plural"})  # those people, these media
            if "quantity" in word.closed or (determined and not word.nouns):
                numbers = frozenset({"singular", "plural"})
            yield index + 1, numbers
            if depth and index + 2 < len(sentence) and sentence[index + 1].key == "of":
                yield from ((end, numbers) for end, _ in _subjects(sentence, index + 2, depth - 1))
        index += 1
        if index - first > 4:
            return


def _starts(sentence: Sequence[Word]) -> Iterator[int]:
    """Where a clause begins with its subject: the sentence, and what follows a comma with `and`, or `because`."""
    yield 0
    for index in range(1, len(sentence) - 1):
        word, before = sentence[index], sentence[index - 1]
        many = sentence[index + 1].key in ("many", "few")
        opening = ("subordinator" in word.closed and not many) or (
            word.key in ("and", "but", "so") and before.key in (",", ";")
        )
        if opening and sentence[index + 1].closed & {
            "determiner",
            "singular_determiner",
            "plural_determiner",
            "singular_pronoun",
            "plural_pronoun",
        }:
            yield index + 1


def _clash(word: Word, numbers: frozenset[str], subject: Word) -> bool:
    need = _finite_number(word)
    if need is None or not numbers:
        return False
    if subject.key == "i":
        return word.key in ("is", "are", "has", "does") or (need == "singular" and word.verb == {"s"})
    if subject.key == "you":
        return need in ("singular", "first")
    return need not in numbers


def agreement(sentence: Sequence[Word]) -> Iterator[tuple[Word, str]]:
    """Verbs that don't agree with the subject before them, with what the subject is.

    A reading in which the verb agrees, or in which a later verb is the main one, clears a clause.
    """
    last = max((i for i, word in enumerate(sentence) if _finite(word) and not word.nouns), default=-1)
    for start in _starts(sentence):
        if sentence[start].key in _NO_SUBJECT:
            continue
        readings = []
        for end, numbers in _subjects(sentence, start):
            verb = end
            while verb < len(sentence) and _adverb(sentence[verb]):
                verb += 1
            if (
                verb < len(sentence)
                and _finite(sentence[verb])
                and not sentence[verb].token.text[0].isupper()
            ):
                readings.append((verb, numbers))
        if not readings or any(
            not _clash(sentence[verb], numbers, sentence[start]) for verb, numbers in readings
        ):
            continue
        for verb, numbers in readings:
            word = sentence[verb]
            certain = word.key in _FINITE
            listed = _is_number(sentence[start]) or (
                start > 0 and word.nouns and "subordinator" not in sentence[start - 1].closed
            )
            if certain or not (last > verb or listed):
                yield word, "plural" if "plural" in numbers else "singular"
                break


def unsupported(sentence: Sequence[Word]) -> Iterator[Word]:
    """Participles that stand where the only finite verb of a sentence should: `Clyde sung`."""
    if any(
        _finite(word) and not word.nouns - {"singular"} and word.verb != {"base"} for word in sentence[1:]
    ):
        return
    for end, _ in _subjects(sentence, 0):
        while end < len(sentence) and _adverb(sentence[end]):
            end += 1
        if end < len(sentence) and sentence[end].verb == {"participle"}:
            yield sentence[end]
            return
