"""Determiners and numbers against the number of the noun they stand before."""

import re
from collections.abc import Iterator, Sequence

from recognition._grammar import Word
from recognition._lemmas import lemmas
from recognition._tables import words

__all__ = ["mismatches"]

# Words that are looked at in a noun phrase, and for a verb after it.
_LONGEST = 8
_CLAUSE = 40
_YEAR = re.compile(r"1[0-9]\d\d|20\d\d")


def _boundary(word: Word | None) -> bool:
    """Whether a noun phrase surely ends before `word`."""
    if word is None or word.key == "'s":
        return word is None
    classes = {"preposition", "conjunction", "modal", "finite_be", "relative", "adverb", "object_pronoun"}
    return bool(word.closed & classes) or not word.key[0].isalnum() or word.key in ("has", "have", "had")


def _head(sentence: Sequence[Word], start: int) -> int | None:
    """The place of the last noun of the phrase that begins at `start`, if its end is certain."""
    index = start
    while index < min(len(sentence), start + _LONGEST) and (sentence[index].nouns or sentence[index].others):
        index += 1
    following = sentence[index] if index < len(sentence) else None
    if index == start or not sentence[index - 1].nouns or not _boundary(following):
        return None
    if any(word.nouns == {"plural"} for word in sentence[start : index - 1]):
        return None  # the last word may be a verb: 8 pencils cost
    return index - 1


def _takes_clause(word: Word) -> bool:
    return any(lemma in words("closed_class")["clause_verb"] for lemma, _ in lemmas(word.key))


def _object_place(sentence: Sequence[Word], index: int) -> bool:
    """Whether the phrase at `index` is the object of a verb or a preposition, not the subject of a clause."""
    if index == 0:
        return False
    before = sentence[index - 1]
    if before.closed & {"preposition"}:
        return before.key not in ("than", "as", "like", "since", "until", "before", "after")
    return (
        bool(before.verb) and not before.closed & {"be", "modal"} and before.key not in ("do", "does", "did")
    )


def _clause_follows(sentence: Sequence[Word], index: int) -> bool:
    return any(
        word.verb & {"base", "s", "past"} or word.closed & {"modal", "finite_be"}
        for word in sentence[index : index + _CLAUSE]
    )


def _wrong(sentence: Sequence[Word], index: int, head: int) -> bool:
    word, noun = sentence[index], sentence[head]
    certain = not noun.verb and not noun.others
    if word.key in ("these", "those"):
        placed = _object_place(sentence, index) and not _takes_clause(sentence[index - 1])
        subject = head + 1 < len(sentence) and bool(sentence[head + 1].closed & {"finite_be"})
        return noun.nouns == {"singular"} and (certain or (head == index + 1 and (placed or subject)))
    if word.key in ("this", "that"):
        if noun.nouns != {"plural"} or any(between.verb for between in sentence[index + 1 : head]):
            return False
        if word.key == "that" and _clause_follows(sentence, head + 1):
            return False
        irregular = not noun.key.endswith("s") or re.search(r"[sx]es$", noun.key)
        return certain or bool(
            irregular and _object_place(sentence, index) and not _takes_clause(sentence[index - 1])
        )
    if word.closed & {"singular_determiner"} and word.key not in ("either", "neither"):
        return noun.nouns == {"plural"} and certain and head == index + 1 and word.key != "another"
    if "plural_determiner" in word.closed and word.key in ("several", "many", "few"):
        return noun.nouns == {"singular"} and certain
    return False


def mismatches(sentence: Sequence[Word]) -> Iterator[tuple[Word, Word]]:
    """Pairs of a determiner or number and the noun that doesn't go with it: `these goose`, `24 loaf`."""
    for index, word in enumerate(sentence[:-1]):
        head = _head(sentence, index + 1)
        if head is None:
            continue
        noun = sentence[head]
        if _counts(sentence, index):
            if noun.nouns == {"singular"} and not noun.others and not noun.token.text[0].isupper():
                yield word, noun
        elif word.closed and _wrong(sentence, index, head):
            yield word, noun


def _counts(sentence: Sequence[Word], index: int) -> bool:
    """Whether the word counts more than one thing: not a name (room 5), a year, a measure (a 5 foot wall)."""
    word = sentence[index]
    before = sentence[index - 1] if index else None
    if "number_word" in word.closed:
        return not (before and (before.closed & {"singular_determiner"} or before.key == "the"))
    if not re.fullmatch(r"\d[\d,]*", word.key) or word.key in ("0", "1"):
        return False
    if before is None:
        return True
    if before.key == "in" or (before.nouns - {"plural"} and not before.verb) or before.token.text[0] in "$€£":
        return False
    return not (before.closed & {"singular_determiner"} or before.key == "the" or _YEAR.fullmatch(word.key))
