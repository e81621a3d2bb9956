"""What can be taught, and where an item stands in its review."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any, Literal

from cognition.packs.schema import Polarity

TaughtKind = Literal["relation", "gloss", "retraction", "note"]
State = Literal["candidate", "accepted", "rejected", "retracted"]
UNSTATED = "unstated"
PREFIX = "taught:"


@dataclass(frozen=True, slots=True, kw_only=True)
class Content:
    """What is taught; words by sense id, so that it outlives the version of a pack.

    Attributes:
        kind: ``relation`` (subject, relation, object, polarity, order), ``gloss`` (subject, gloss), ``retraction``
            (target) or ``note`` (gloss: words that name no statement; a note can't be accepted).
        subject, object: sense ids.
        relation: id of a relation type.
        polarity: of a relation.
        order: place of a step, else None.
        gloss: of a sense, or the words of a note.
        target: evidence id that a retraction takes back.
    """

    kind: TaughtKind
    subject: str = ""
    relation: str = ""
    object: str = ""
    polarity: Polarity = "positive"
    order: int | None = None
    gloss: str = ""
    target: str = ""

    @property
    def id(self) -> str:
        """``taught:`` and a digest of the content: who teaches the same thing again names the same item."""
        text = json.dumps(self.as_dict(), separators=(",", ":"), sort_keys=True, ensure_ascii=False)
        return PREFIX + hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]

    def as_dict(self) -> dict[str, Any]:
        """Ints and strings; fields at their default are left out."""
        return {
            field.name: value
            for field in fields(self)
            if (value := getattr(self, field.name)) != field.default
        }

    def said(self) -> str:
        """For people: as it is written for `core review propose`."""
        match self.kind:
            case "relation":
                sign = "" if self.polarity == "positive" else "not "
                return f"{self.subject} {sign}{self.relation} {self.object}"
            case "gloss":
                return f"{self.subject} means {self.gloss}"
            case "retraction":
                return f"take back {self.target}"
            case "note":
                return self.gloss


@dataclass(frozen=True, slots=True, kw_only=True)
class Proposal:
    """One time at which an item was proposed.

    Attributes:
        by: who.
        at: when, UTC.
        words: in which words.
        origin: hash of the turn's trace, "" outside a turn.
        licence: under which it was given.
    """

    by: str
    at: str
    words: str
    origin: str
    licence: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Item:
    """An item and its review.

    Attributes:
        id: of its content.
        content: what is taught.
        state: ``candidate`` until somebody decides.
        proposals: when it was proposed, oldest first.
        decided_by, decided_at, note: of the last decision; "" for a candidate.
        replaces: evidence ids that its acceptance put out of force.
        accepted_seq: place of its acceptance in the log; 0 where it is not accepted.
    """

    id: str
    content: Content
    state: State
    proposals: tuple[Proposal, ...]
    decided_by: str = ""
    decided_at: str = ""
    note: str = ""
    replaces: tuple[str, ...] = ()
    accepted_seq: int = 0

    def as_dict(self) -> dict[str, Any]:
        """For JSON output."""
        record: dict[str, Any] = {
            "id": self.id,
            "state": self.state,
            "says": self.content.said(),
            "content": self.content.as_dict(),
            "proposals": [asdict(proposal) for proposal in self.proposals],
        }
        if self.state != "candidate":
            record["decision"] = {"by": self.decided_by, "at": self.decided_at, "note": self.note}
        if self.replaces:
            record["replaces"] = list(self.replaces)
        return record


@dataclass(frozen=True, slots=True, kw_only=True)
class Knowledge:
    """The reviewed items in force.

    Attributes:
        items: by ascending id; what a later item replaced is not among them.
        hidden: evidence ids of packs that are out of force.
    """

    items: tuple[Item, ...] = ()
    hidden: frozenset[str] = frozenset()


def in_force(accepted: Iterable[Item]) -> Knowledge:
    """Which of the accepted items hold: the newest first, each puts out of force what it replaced or takes back."""
    hidden: set[str] = set()
    standing: list[Item] = []
    for item in sorted(accepted, key=lambda item: -item.accepted_seq):
        if item.id not in hidden:
            standing.append(item)
            hidden.update(item.replaces)
            if item.content.target:
                hidden.add(item.content.target)
    packs = frozenset(evidence for evidence in hidden if not evidence.startswith(PREFIX))
    return Knowledge(items=tuple(sorted(standing, key=lambda item: item.id)), hidden=packs)


def content_from(record: Mapping[str, Any]) -> Content:
    """The content of an event's record."""
    return Content(**record)
