"""Refusals of a turn: values with a stable code, from one catalogue. The docs page is made from it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal

SourceName = Literal["pack", "teaching", "vault"]
Fall = Literal[
    "no_word", "no_statement", "not_reached", "not_attached", "nothing_in_force", "empty", "no_item", "unreviewed_only",
]  # fmt: skip
FALLS: dict[Fall, str] = {
    "no_word": "it has no such word",
    "no_statement": "it has the words, and no reviewed statement that answers",
    "not_reached": "it has evidence that the walk did not reach",
    "not_attached": "none is attached",
    "nothing_in_force": "nothing that was taught is reviewed and in force",
    "empty": "it holds nothing",
    "no_item": "it holds no item about this",
    "unreviewed_only": "what it holds about this is not reviewed",
}
"""Why a source gave no answer."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Attempt:
    """A source that was consulted and fell through.

    Attributes:
        source: which.
        fell: why; a key of `FALLS`.
        unreviewed: ids of unreviewed items about the same; shown, never used.
    """

    source: SourceName
    fell: Fall
    unreviewed: tuple[str, ...] = ()

    def as_dict(self) -> dict[str, Any]:
        """For JSON output; fields at their default are left out."""
        record: dict[str, Any] = {"source": self.source, "fell": self.fell}
        if self.unreviewed:
            record["unreviewed"] = list(self.unreviewed)
        return record


@dataclass(frozen=True, slots=True, kw_only=True)
class Refusal:
    """Why a turn gives no answer.

    Attributes:
        code: a key of `CATALOGUE`.
        about: what the refusal is about (a word, a slot, a region's label), "" where it is the whole input.
        step: for an exhausted walk, the step it stopped at (-1: before the first).
        tried: for missing knowledge, the sources in the order in which they were consulted; not compared.
    """

    code: str
    about: str = ""
    step: int | None = None
    tried: tuple[Attempt, ...] = field(default=(), compare=False)

    def __post_init__(self) -> None:
        if self.code not in CATALOGUE:
            raise KeyError(f"refusal code {self.code!r} is not in the catalogue")


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """A kind of refusal: what it means, and what would lift it."""

    meaning: str
    remedy: str


CATALOGUE: dict[str, Entry] = {
    "empty_input": Entry(
        meaning="The input has no word in it: it is empty, blank, or made of invisible characters.",
        remedy="Ask a question in words.",
    ),
    "input_too_long": Entry(
        meaning="The input is longer than a turn may be.",
        remedy="Ask one question at a time, in fewer words.",
    ),
    "invalid_unicode": Entry(
        meaning="The input holds code points that are no characters (lone surrogates).",
        remedy="Send valid Unicode.",
    ),
    "language_not_supported": Entry(
        meaning="The input is not in a language that the open packs know.",
        remedy="Ask in English, or open a pack of that language.",
    ),
    "unknown_domain": Entry(
        meaning="No word of the input is in the open packs.",
        remedy="Open a pack that holds the words, or teach them.",
    ),
    "unknown_subject": Entry(
        meaning="The question is understood, but what it asks about is not in the open packs.",
        remedy="Open a pack that holds the word, or teach it.",
    ),
    "incomplete_question": Entry(
        meaning="The form of the question is known, but a phrase that it needs is missing.",
        remedy="Say what the question is about.",
    ),
    "unclear_question": Entry(
        meaning="The input names words of the open packs, but not in a way that shows what is asked about them.",
        remedy="Ask what a word means, why it is so, how it is done, or how it differs from another.",
    ),
    "ambiguous_word": Entry(
        meaning="A word of the question has several senses, and the question can be answered in more than one.",
        remedy="Ask again with a word that has one sense, or ask what the word means.",
    ),
    "several_at_once": Entry(
        meaning="A phrase of the question names several things of the open packs at once.",
        remedy="Ask about one of them at a time.",
    ),
    "scope_not_supported": Entry(
        meaning="The question asks how many, how often or what ought to be; statements say what holds in general.",
        remedy="Ask whether the statement holds in general.",
    ),
    "condition_not_supported": Entry(
        meaning="The question is asked under a condition, a time or a place that no reviewed relation speaks of.",
        remedy="Ask the question by itself.",
    ),
    "intent_not_supported": Entry(
        meaning="The input asks for something this version does not answer.",
        remedy="Ask for a definition, a cause, a comparison, a procedure or a check of a statement.",
    ),
    "negation_not_supported": Entry(
        meaning="The question is negated or restricted, and the answer to its opposite would be wrong.",
        remedy="Ask without the negation, or ask whether a statement holds.",
    ),
    "not_articulated": Entry(
        meaning="A proposition was recognised, but it has features or values that no surface carries.",
        remedy="Turn recognition_grounded_graph off, or teach features that the connector knows.",
    ),
    "claim_not_on_record": Entry(
        meaning="The question takes a statement for granted that no reviewed relation supports.",
        remedy="Teach the statement and have it reviewed.",
    ),
    "no_evidence": Entry(
        meaning="No reviewed relation answers the question.",
        remedy="Teach a relation that does and have it reviewed.",
    ),
    "ungrounded": Entry(
        meaning="Evidence exists, but the walk met no word that grounds the open slot.",
        remedy="Allow more steps (max_tokens), or look at the region: the geometry does not reach the evidence.",
    ),
    "region_exhausted": Entry(
        meaning="The region left the walk no admissible word.",
        remedy="Name words of the pack, or turn the forward graph constraint off.",
    ),
    "inner_loop_exhausted": Entry(
        meaning="The inner loop rejected every word that a step of the walk could have taken.",
        remedy="Lower its percent or its margin, or turn the inner loop off.",
    ),
}
