"""The gate of what is not known: pack, teaching and vault in this order, each with why it fell through."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from cognition.clause import ArticulationPlan, Mention
from cognition.evidence import Evidence, Sentence
from cognition.refusal import Attempt, Fall, Refusal

if TYPE_CHECKING:
    from cognition.teaching.attached import TaughtVocabulary
    from cognition.vault import Vault, VaultItem

_FELL: dict[str, Fall] = {
    "unknown_domain": "no_word",
    "unknown_subject": "no_word",
    "claim_not_on_record": "no_statement",
    "no_evidence": "no_statement",
    "ungrounded": "not_reached",
}
"""Refusals for missing knowledge, and what they say of the pack; a refusal of another kind consults nothing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Consultation:
    """What the sources gave.

    Attributes:
        tried: those that fell through, in order.
        items: reviewed items of the vault that answer.
    """

    tried: tuple[Attempt, ...] = ()
    items: tuple[VaultItem, ...] = ()

    @property
    def sentences(self) -> tuple[Sentence, ...]:
        """The items, said word for word."""
        return tuple(
            Sentence(text=f"From the vault: “{_quoted(i.text)}”.", evidence=(i.id,)) for i in self.items
        )

    @property
    def citations(self) -> tuple[Evidence, ...]:
        """The items as evidence."""
        return tuple(
            Evidence(id=i.id, kind="vault", text=i.text, pack="vault", source=i.source, licence="unstated")
            for i in self.items
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Gate:
    """The sources beside the pack that are attached to turns."""

    teaching: TaughtVocabulary | None = None
    vault: Vault | None = None

    def consult(self, refusal: Refusal, plan: ArticulationPlan | None) -> Consultation:
        """Consults the sources about what a refused turn lacks."""
        if refusal.code not in _FELL:
            return Consultation()
        mentions = () if plan is None else plan.clause.mentions()
        pack = Attempt(source="pack", fell=_FELL[refusal.code])
        taught = self._teaching(_FELL[refusal.code], mentions)
        if self.vault is None:
            return Consultation(tried=(pack, taught, Attempt(source="vault", fell="not_attached")))
        keys = dict.fromkeys(key for m in mentions for key in (m.phrase, m.lemma))
        if plan is not None and not keys:  # no question was read: the words as they stand
            keys = {plan.clause.phrase_subject: None}
        found = dict.fromkeys(item for key in keys for item in self.vault.by_key(key))
        reviewed = tuple(item for item in found if item.status == "reviewed")
        if reviewed:
            return Consultation(tried=(pack, taught), items=reviewed)
        fell: Fall = "unreviewed_only" if found else "no_item" if self.vault.items() else "empty"
        unreviewed = tuple(item.id for item in found)
        return Consultation(tried=(pack, taught, Attempt(source="vault", fell=fell, unreviewed=unreviewed)))

    def _teaching(self, fell: Fall, mentions: tuple[Mention, ...]) -> Attempt:
        if self.teaching is None:
            return Attempt(source="teaching", fell="not_attached")
        senses = self.teaching.pack.senses
        about = {senses[m.index].id for m in mentions if m.index is not None}
        unreviewed = tuple(
            item.id
            for item in self.teaching.store.items("candidate")
            if about & {item.content.subject, item.content.object}
        )
        in_force = bool(self.teaching.now().overlay.digest)
        return Attempt(
            source="teaching", fell=fell if in_force else "nothing_in_force", unreviewed=unreviewed
        )


def _quoted(text: str) -> str:
    """Words as they may be quoted inside a sentence: no control characters, no full stop of their own."""
    return " ".join("".join(c if c.isprintable() else " " for c in text).split()).rstrip(".!? ")
