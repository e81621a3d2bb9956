"""Noun phrases: where one that can fill a slot begins, and where it ends."""

from __future__ import annotations

from functools import lru_cache
from itertools import pairwise

from recognition._lexicon import CACHE
from recognition._recognizer import Slot
from recognition._terms import (
    Sentence,
    Word,
    english,
    has_base,
    is_code,
    is_head,
    is_name,
    is_nominal,
    is_participle,
    may_be_plural,
    verb_readings,
)
from recognition.english import noun_number

__all__ = ["alone", "begins", "phrases"]


def _joins(first: Word, second: Word) -> bool:
    """Whether two words stand together in one phrase: not `apples left`, `say John`, `week John`."""
    if is_code(second.key):
        return False  # in Leeds 7pm
    if not (second.text[:1].isupper() and not second.text.isupper()):
        return noun_number(first.key) != {"plural"}
    # Inside a sentence a capital makes a name of a verb: Bath City.
    return first.text[:1].isupper() and (first.start > 0 or not has_base(first.key))


def _together(first: Word, second: Word, slot: Slot) -> bool:
    """Whether two words stand together in a filling of a slot."""
    if second.key in slot.joints:
        return is_head(first.key)
    if not is_nominal(second.key):
        return False
    return first.key in slot.joints or (is_nominal(first.key) and _joins(first, second))


def alone(word: Word, rule: str) -> bool:
    """Whether a word by itself is a noun phrase of a slot."""
    if is_head(word.key):
        return True
    return rule == "text" and (word.key in english("pronoun") or is_name(word))


@lru_cache(CACHE)
def begins(key: str, rule: str) -> bool:
    """Whether a word can be a verb, or begin a noun phrase that is none of those taught as they are."""
    if rule == "verb":
        return bool(verb_readings(key))
    return is_nominal(key) or (rule == "text" and (key in english("pronoun") or has_base(key)))


def _measures(given: Sentence, at: int, slot: Slot) -> list[int]:
    """Ends of the numbers with what they measure that begin at a word, as taught: `12 dollars`."""
    numeral = next((n for n in given.numerals if n.start == at and n.value is not None), None)
    if numeral is None:
        return []
    keys, ends = given.keys, []
    for measure in slot.measures:
        end = numeral.end + 1 + measure.count(" ")
        if end > len(keys):
            continue
        if measure == "*":
            agrees = abs(numeral.value or 0) <= 1 or may_be_plural(keys[end - 1])
            fits = is_head(keys[end - 1]) and agrees
        else:
            fits = " ".join(keys[numeral.end : end]) == measure
        if fits:
            ends.append(end)
    return sorted(ends, reverse=True)


def phrases(given: Sentence, at: int, slot: Slot) -> list[int]:
    """Ends of the noun phrases that begin at a word, longest first."""
    ends = _measures(given, at, slot) if slot.measures else []
    if given.keys[at] in slot.leads and at + 1 < len(given.keys) and is_nominal(given.keys[at + 1]):
        ends += _phrases(given, at + 1, slot)
    return ends + [end for end in _phrases(given, at, slot) if end not in ends]


def _phrases(given: Sentence, at: int, slot: Slot) -> list[int]:
    words, ends = given.words, []
    for end in range(at + 1, min(at + slot.longest, len(words)) + 1):
        key = words[end - 1].key
        if slot.phrases and " ".join(given.keys[at:end]) in slot.phrases:
            ends.append(end)
        elif end == at + 1 and slot.open and alone(words[at], slot.rule):
            ends.append(end)
            if key in english("pronoun"):
                break
        elif is_nominal(key) and slot.open:
            if is_head(key):
                ends.append(end)
        elif not slot.phrases and (end == at + 1 or key not in slot.joints):
            break
    return [
        end
        for end in reversed(ends)
        if end == at + 1
        or (slot.phrases and " ".join(given.keys[at:end]) in slot.phrases)
        or (
            all(_together(w, v, slot) for w, v in pairwise(words[at:end]))
            and not is_participle(words[end - 1].key)
        )
    ]
