"""The words the other modules look up: the tables of irregulars, and the dictionary of lemminflect, loaded late."""

from functools import cache, lru_cache
from typing import Literal

from recognition._tables import rows

__all__ = ["CACHE", "POS", "Number", "dictionary_forms", "dictionary_lemmas", "known", "nouns", "verbs"]

POS = Literal["noun", "verb", "adjective", "adverb"]
Number = Literal["singular", "plural"]
CACHE = 1 << 16

# In the order in which readings are given.
_POS: dict[str, POS] = {"NOUN": "noun", "VERB": "verb", "AUX": "verb", "ADJ": "adjective", "ADV": "adverb"}


@cache
def nouns() -> dict[str, tuple[str, str]]:
    """Lemma -> (plural, kind)."""
    return {row[0]: (row[1], row[2]) for row in rows("irregular_nouns")}


@cache
def verbs() -> dict[str, tuple[str, ...]]:
    """Lemma -> (third person, past, participle, gerund)."""
    return {row[0]: row[1:] for row in rows("irregular_verbs")}


@lru_cache(CACHE)
def dictionary_lemmas(word: str) -> tuple[tuple[str, POS], ...]:
    from lemminflect import getAllLemmas

    found = getAllLemmas(word)
    return tuple(dict.fromkeys((lemma, pos) for tag, pos in _POS.items() for lemma in found.get(tag, ())))


@lru_cache(CACHE)
def dictionary_forms(lemma: str, tag: str) -> tuple[str, ...]:
    """The forms the dictionary gives, without respellings (`re-do` for `redo`) and without the lemma as a plural."""
    from lemminflect import getAllInflections

    upos = "NOUN" if tag == "NNS" else "VERB"
    forms = getAllInflections(lemma, upos).get(tag, ())
    stem = lemma[: max(1, len(lemma) - 2)] if tag in ("NNS", "VBG", "VBZ") else lemma[:1]
    return tuple(
        form
        for form in forms
        if form.startswith(stem)
        and form.count("-") == lemma.count("-")
        and form.replace("-", "").isalpha()
        and (tag not in ("NNS", "VBZ") or form != lemma)
    )


def known(lemma: str, pos: POS) -> bool:
    return lemma in (nouns() if pos == "noun" else verbs()) or (lemma, pos) in dictionary_lemmas(lemma)
