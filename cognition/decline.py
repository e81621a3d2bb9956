"""Surfaces of refused turns: what is missing, what is on record beside it, and what would lift the refusal."""

from __future__ import annotations

from cognition import phrasing
from cognition.evidence import Sentence, gloss_id
from cognition.inquiry import Inquiry
from cognition.packs.vocabulary import Vocabulary
from cognition.refusal import CATALOGUE, Refusal
from cognition.suggest import suggestions

_MOST_SAID = 4
# What is missing, and what to say instead, by intent.
_INCOMPLETE = {
    "correction": (
        "I take it that something was wrong, but this does not say what is right.",
        "Say what is right instead.",
    ),
    "recall": (
        "I can't tell what to say again: one turn does not hold what was said before it.",
        "Ask the question again.",
    ),
    "comparison": ("I can't tell what is to be compared with what.", "Name the two things."),
}
_SPEAKERS = frozenset(("i", "you", "we", "me", "us"))


def refuse(refusal: Refusal, vocabulary: Vocabulary, inquiry: Inquiry | None = None) -> tuple[Sentence, ...]:
    """The surface of a refused turn; words of the packs that a slip may stand for are offered, never answered."""
    said = [Sentence(text=_lead(refusal))]
    if inquiry is not None and inquiry.statements:
        shown = inquiry.statements[:_MOST_SAID]
        text = phrasing.sentence(f"on record is only this: {phrasing.statements(vocabulary, shown)}")
        said.append(Sentence(text=text, evidence=tuple(s.id for s in shown)))
    if inquiry is not None and refusal.code == "ambiguous_word":
        for index in inquiry.senses:
            text = phrasing.sentence(phrasing.definition(vocabulary, index))
            said.append(Sentence(text=text, evidence=(gloss_id(vocabulary, index),)))
    if refusal.code in ("unknown_subject", "unclear_question"):
        near = suggestions(refusal.about, vocabulary)
        if near:
            offered = " or ".join(f"“{surface}”" for surface in near)
            return (*said, Sentence(text=f"Did you mean {offered}?"))
    remedy = CATALOGUE[refusal.code].remedy
    if refusal.code == "incomplete_question" and refusal.about in _INCOMPLETE:
        remedy = _INCOMPLETE[refusal.about][1]
    return (*said, Sentence(text=remedy))


def _lead(refusal: Refusal) -> str:
    about = printable(refusal.about)
    quoted = f"“{about}”"
    if refusal.code == "incomplete_question":
        return _INCOMPLETE[about][0] if about in _INCOMPLETE else "I can't tell what this asks about."
    if refusal.code == "unknown_subject" and about.lower() in _SPEAKERS:
        return f"I don't know: my open packs say nothing of who talks here ({quoted})."
    if refusal.code == "unclear_question":
        return (
            f"I don't know what this asks; not in my open packs: {about}."
            if about
            else ("I don't know what this asks.")
        )
    return {
        "empty_input": "There is no word in this input.",
        "input_too_long": f"This input is too long for one turn ({refusal.about}).",
        "invalid_unicode": "This input is not valid Unicode.",
        "language_not_supported": "I can't read this language: my open packs are in English.",
        "unknown_domain": "I don't know: no word of this is in my open packs.",
        "unknown_subject": f"I don't know {quoted}: it is not in my open packs.",
        "ambiguous_word": f"I can answer this in more than one sense of {quoted}.",
        "several_at_once": f"I can't answer this about {quoted} at once.",
        "scope_not_supported": f"I can't answer a question with {quoted} in it: my record says what holds in general.",
        "condition_not_supported": f"I can't answer this under its condition ({quoted}): it is not on record.",
        "intent_not_supported": f"I understand {quoted}, but I can't answer that kind of question yet.",
        "negation_not_supported": f"I can't answer a question with {quoted} in it: its opposite has another answer.",
        "not_articulated": f"I recognised a proposition that I can't say yet ({about}).",
        "claim_not_on_record": f"I can't say why: this takes for granted that {about}, and nothing on record says so.",
        "no_evidence": f"I don't know {about}: nothing on record answers this.",
        "ungrounded": f"I don't know: my walk met no word that grounds the open slot {quoted}.",
        "region_exhausted": f"I can't answer: the region {quoted} leaves no admissible word to walk on.",
        "inner_loop_exhausted": f"I can't answer: in {quoted} every word for the next step was rejected.",
    }[refusal.code]


def printable(text: str) -> str:
    """Words of a prompt as they may be said: no control or direction characters, single blanks."""
    return " ".join("".join(char if char.isprintable() else " " for char in text).split())
