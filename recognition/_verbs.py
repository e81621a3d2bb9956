"""The forms that English allows a verb group."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from recognition._lexicon import CACHE
from recognition._terms import Morph, english, is_modal, stem_of, verb_readings
from recognition.english import noun_number
from recognition.outcome import JSONValue

__all__ = ["finite", "finite_form", "finite_place", "group_morph", "singular"]


@lru_cache(CACHE)
def _auxiliary(key: str) -> Morph | None:
    """The reading of a word as a form of `be` or `have`, or None."""
    return next((morph for morph in verb_readings(key) if morph.stem in english("auxiliary")), None)


@lru_cache(CACHE)
def group_morph(key: str) -> Morph:
    """The reading of a word beside the verb of a verb group."""
    if key in english("support"):
        return Morph("do", "PAST" if key == "did" else "PRES")
    auxiliary = _auxiliary(key)
    if auxiliary is None:
        return Morph(stem_of(key), None)
    return Morph(auxiliary.stem, "PRES" if key == "have" else auxiliary.inflection)


def finite(keys_before: Sequence[str], verb: str, lemma: JSONValue, subject: str) -> tuple[str, ...]:
    """The forms in which a verb can stand after the auxiliaries before it; none where it cannot.

    Args:
        keys_before: of the words between the subject and the verb.
        verb: the key of the verb.
        lemma: the reading to take.
        subject: the key of the last word of the subject; empty if there is none.
    """
    readings = verb_readings(verb)
    forms = tuple(m.inflection or "" for m in readings if m.stem == lemma)
    auxiliaries = [morph.stem for key in keys_before if (morph := _auxiliary(key))]
    if auxiliaries:
        allowed = ("PART", "GER") if auxiliaries[-1] == "be" else ("PART",)
        return tuple(form for form in allowed if form in forms)
    supported = any(is_modal(key) or key in english("support") for key in keys_before)
    if supported:
        return ("BASE",) if "BASE" in forms else ()
    if singular(subject) and any(m.inflection == "PAST" for m in readings):
        forms = tuple(form for form in forms if form != "BASE")  # the engine saw: no present
    # Without a subject the base form is an order; with one it is a present.
    present = "PRES" if subject else "BASE"
    return tuple(
        dict.fromkeys(
            present if form == "BASE" else form for form in forms if form in ("BASE", "PRES", "PAST")
        )
    )


def finite_place(keys_before: Sequence[str]) -> int | None:
    """Which of the words before a verb is the finite one of its group; None where the verb is."""
    for index, key in enumerate(keys_before):
        if is_modal(key) or key in english("support") or _auxiliary(key):
            return index
    return None


def finite_form(keys_before: Sequence[str], form: str | None) -> str:
    """The form of the finite word of a verb group: MODAL, of `do`, `be` or `have`, or of the verb."""
    place = finite_place(keys_before)
    if place is None:
        return form or ""
    key = keys_before[place]
    if is_modal(key):
        return "MODAL"
    if key in english("support"):
        return "PAST" if key == "did" else "PRES"
    return group_morph(key).inflection or ""


@lru_cache(CACHE)
def singular(key: str) -> bool:
    """Whether a subject whose last word this is takes a verb in -s in the present."""
    if key in english("pronoun"):
        return key in ("he", "she", "it")
    numbers = noun_number(key) if key else ("plural",)
    return "plural" not in numbers and (bool(numbers) or not key.endswith("s"))
