"""From an inflected form back to its lemmas, by table and dictionary; guesses are kept apart."""

import re
from functools import cache, lru_cache

from recognition._inflect import gerund, head_of, participle, past, plural, third_person
from recognition._lexicon import CACHE, POS, Number, dictionary_lemmas, known, nouns, verbs
from recognition.tokens import normal_form

__all__ = ["lemma_guess", "lemmas", "noun_number"]


@cache
def _inverse() -> dict[str, tuple[tuple[str, POS], ...]]:
    """Inflected form -> its readings, for the forms in the tables."""
    readings: dict[str, dict[tuple[str, POS], None]] = {}
    for lemma, (form, _) in nouns().items():
        readings.setdefault(normal_form(form), {})[lemma, "noun"] = None
    for lemma, forms in verbs().items():
        for form in forms:
            readings.setdefault(form, {})[lemma, "verb"] = None
    for form, lemma in (("am", "be"), ("are", "be"), ("were", "be")):
        readings[form] = {(lemma, "verb"): None}
    return {form: tuple(found) for form, found in readings.items()}


def _candidates(word: str, pos: POS) -> tuple[str, ...]:
    """Lemmas that the rules could turn into `word`, the least change first."""
    endings = [
        ("s", ""),
        ("es", ""),
        ("ies", "y"),
        ("ves", "f"),
        ("ves", "fe"),
        ("men", "man"),
        ("ses", "sis"),
    ]
    if pos == "verb":
        endings[3:] = [
            ("ed", ""),
            ("ed", "e"),
            ("ied", "y"),
            ("ing", ""),
            ("ing", "e"),
            ("ying", "ie"),
            ("ked", ""),
            ("king", ""),
        ]
    found = [
        word[: -len(end)] + new for end, new in endings if word.endswith(end) and len(word) > len(end) + 1
    ]
    if pos == "verb":
        found += [word[:-n] for n in (3, 4) if re.search(rf"(.)\1(?:{'ed' if n == 3 else 'ing'})$", word)]
    return tuple(found)


def _regenerated(word: str, pos: POS) -> tuple[str, ...]:
    """Known lemmas whose own inflection is `word`: what the dictionary knows but doesn't list in this form."""
    forms = (plural,) if pos == "noun" else (third_person, past, participle, gerund)
    return tuple(
        lemma
        for lemma in _candidates(word, pos)
        if known(lemma, pos) and any(form(lemma) == word for form in forms)
    )


@lru_cache(CACHE)
def lemmas(word: str) -> tuple[tuple[str, POS], ...]:
    """All readings of a form as (lemma, part of speech), by table and dictionary alone.

    A word that neither knows has no reading; `lemma_guess` is for those. A compound is read by its head.

    Args:
        word: One word or a compound, in any case; the lemmas come in lower case, save names in the tables.

    Returns:
        Readings in a fixed order: the table of irregulars, then nouns, verbs, adjectives, adverbs.
    """
    word = normal_form(word)
    found: dict[tuple[str, POS], None] = dict.fromkeys(_inverse().get(word, ()))
    if word in nouns():
        found[word, "noun"] = None
    if word in verbs():
        found[word, "verb"] = None
    found |= dict.fromkeys(dictionary_lemmas(word))
    for pos in ("noun", "verb"):
        found |= dict.fromkeys((lemma, pos) for lemma in _regenerated(word, pos))
    if not found and re.search(r"\w[ -]\w", word):
        before, head, after = head_of(word)
        if head == word:
            before, head = word[: word.rindex("-") + 1], word[word.rindex("-") + 1 :]
        found |= {(before + lemma + after, pos): None for lemma, pos in lemmas(head) if pos == "noun"}
        if " " in word:
            verb, _, rest = word.partition(" ")
            found |= {(f"{lemma} {rest}", pos): None for lemma, pos in lemmas(verb) if pos == "verb"}
        else:
            prefix, _, verb = word.rpartition("-")
            found |= {(f"{prefix}-{lemma}", pos): None for lemma, pos in lemmas(verb) if pos == "verb"}
    return tuple(found)


def lemma_guess(word: str, pos: POS) -> str | None:
    """A guess at the lemma of a word that `lemmas` doesn't know, by regular endings alone; None without a good one.

    `blorgs` -> `blorg`; never for a word the dictionary has, never for endings as in `glass`, `virus`, `basis`.
    """
    word = normal_form(word)
    if lemmas(word) or pos not in ("noun", "verb"):
        return None
    if match := re.fullmatch(r"(\w{2,}(?:ch|sh|ss|x|zz))es", word):
        return match[1]
    if match := re.fullmatch(r"(\w+[^aeiou])ies", word):
        return match[1] + "y"
    if re.fullmatch(r"\w{2,}[^siuxz]s", word):
        return word[:-1]
    return None


@lru_cache(CACHE)
def noun_number(word: str) -> frozenset[Number]:
    """The numbers a form can have as a noun: both for `sheep`, none if it is no known noun."""
    key = normal_form(word)
    kinds = {"mass": "singular", "plural": "plural"}
    if key in nouns() and nouns()[key][1] != "count":
        kind = nouns()[key][1]
        return frozenset({kinds[kind]} if kind in kinds else {"singular", "plural"})  # pyright: ignore[reportReturnType]
    if key.endswith(("fish", "sheep", "deer", "craft")):
        return frozenset({"singular", "plural"})
    numbers: set[Number] = set()
    for lemma, pos in lemmas(key):
        if pos == "noun":
            # A dictionary lemma in -s (`glasses`, `mathematics`) may be either.
            ambiguous = lemma == key and key.endswith("s") and not re.search(r"(?:ss|us|is)$", key)
            numbers |= {"singular", "plural"} if ambiguous else {"singular" if lemma == key else "plural"}
    if "plural" in numbers and any(pos == "noun" and lemma != key for lemma, pos in lemmas(key)):
        if not any(kind == "same" and form == key for form, kind in nouns().values()):
            numbers.discard("singular")
    return frozenset(numbers)
