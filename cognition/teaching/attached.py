"""A store of teaching attached to turns: the vocabulary as it is taught now, and corrections taken down."""

from __future__ import annotations

from cognition.clause import ArticulationPlan
from cognition.graph import IntentTag
from cognition.packs.vocabulary import Vocabulary
from cognition.teaching.errors import ReviewError
from cognition.teaching.items import Knowledge
from cognition.teaching.layer import overlay_of
from cognition.teaching.statement import note_of, read_statement
from cognition.teaching.store import TeachingStore

PROMPT = "prompt"
"""Who proposes what a prompt corrects."""


class TaughtVocabulary:
    """A pack under what a store holds in force; follows the reviews of other processes. Threads may share it.

    Args:
        store: of corrections.
        vocabulary: the pack, without an overlay.
    """

    def __init__(self, store: TeachingStore, vocabulary: Vocabulary) -> None:
        self.store = store
        self.pack = vocabulary
        self._last: tuple[Knowledge, Vocabulary] = (Knowledge(), vocabulary)

    def now(self) -> Vocabulary:
        """The vocabulary under the items now in force; the pack's own where there are none."""
        knowledge, vocabulary = self._last
        latest = self.store.knowledge()
        if latest is not knowledge and latest != knowledge:
            vocabulary = self.pack.with_overlay(overlay_of(latest, self.pack))
        self._last = (latest, vocabulary)
        return vocabulary

    def take_down(self, text: str, plan: ArticulationPlan, trace_hash: str) -> str | None:
        """Records the correction that a turn answered; gives the id of its candidate, None where it corrects nothing.

        Words that name no statement are kept as a note.
        """
        if plan.intent is not IntentTag.CORRECTION:
            return None
        words = text[slice(*plan.clause.chars)]
        try:
            content = read_statement(words, self.pack)
        except ReviewError:
            content = note_of(words)
        return self.store.propose(content, by=PROMPT, words=words, origin=trace_hash).id
