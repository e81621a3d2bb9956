"""The store of corrections: proposed, reviewed, taken back; every step an event that is never changed."""

from __future__ import annotations

import re
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from cognition.eventlog import MEMORY, Event, EventLog
from cognition.teaching.errors import ReviewError
from cognition.teaching.items import (
    UNSTATED,
    Content,
    Item,
    Knowledge,
    Proposal,
    State,
    content_from,
    in_force,
)

MOST_NAME = 80
_ID = re.compile(r"taught:[0-9a-f]{4,16}")
_ALLOWED: dict[State, tuple[State, ...]] = {
    "accepted": ("candidate",),
    "rejected": ("candidate",),
    "retracted": ("candidate", "accepted"),
}
_DECISIONS: dict[str, State] = {state: state for state in _ALLOWED}


@dataclass(slots=True, kw_only=True)
class _Record:
    """An item as its events are read, one after another."""

    content: Content
    proposals: list[Proposal] = field(default_factory=list)
    state: State = "candidate"
    decision: tuple[str, str, str, tuple[str, ...], int] = ("", "", "", (), 0)

    def decided(
        self, state: State, by: str, at: str, note: str, replaces: tuple[str, ...], accepted_seq: int
    ) -> None:
        self.state = state
        self.decision = (by, at, note, replaces, accepted_seq)

    def item(self, item_id: str) -> Item:
        by, at, note, replaces, accepted_seq = self.decision
        return Item(
            id=item_id,
            content=self.content,
            state=self.state,
            proposals=tuple(self.proposals),
            decided_by=by,
            decided_at=at,
            note=note,
            replaces=replaces,
            accepted_seq=accepted_seq,
        )


class TeachingStore:
    """Corrections and their review in one SQLite file. Threads may share it; processes open one each.

    Args:
        path: the file, made where there is none; ``:memory:`` (the default) keeps nothing.

    Raises:
        StoreError: ``not_a_store``, ``newer_schema``, ``damaged``, ``unreadable`` or ``busy``.
    """

    def __init__(self, path: str | Path = MEMORY) -> None:
        self._log = EventLog(path, "teaching")
        self.path = self._log.path
        self._lock = threading.RLock()
        self._seen = 0
        self._records: dict[str, _Record] = {}
        self._knowledge: Knowledge | None = None

    def close(self) -> None:
        """Closes the file; what was acknowledged is safe without it."""
        self._log.close()

    def __enter__(self) -> TeachingStore:
        return self

    def __exit__(self, *raised: object) -> None:
        self.close()

    def propose(
        self, content: Content, *, by: str, words: str = "", origin: str = "", licence: str = UNSTATED
    ) -> Item:
        """Records a candidate; a rejected or retracted one is open again. It changes no answer.

        Args:
            content: what is taught; whether it can be accepted is for the review.
            by: who proposes it.
            words: in which words.
            origin: hash of the turn's trace it came from.
            licence: under which it is given.

        Raises:
            ReviewError: ``bad_name``.
            StoreError: the file can't be written.
        """
        body = {"content": content.as_dict(), "by": _name(by), "words": words, "licence": _name(licence)}
        if origin:
            body["origin"] = origin
        with self._lock, self._writing():
            self._log.append("proposed", content.id, body)
            return self._synced()[content.id].item(content.id)

    def accept(
        self,
        item_id: str,
        *,
        by: str,
        note: str = "",
        check: Callable[[Item, Knowledge], tuple[str, ...]] = lambda item, knowledge: (),
    ) -> Item:
        """Accepts a candidate; accepting an accepted item again changes and records nothing.

        Args:
            item_id: its id, or the beginning of it where that is enough.
            by: who reviewed it.
            note: why.
            check: gets the item and what is in force, inside the transaction, so that two reviewers can't accept
                opposites at once; gives the evidence ids that the item replaces, or raises.

        Raises:
            ReviewError: ``unknown_item``, ``bad_id``, ``state``, ``not_structured``, or what ``check`` raises.
        """
        return self._decide("accepted", item_id, by, note, check)

    def preview(
        self, item_id: str, check: Callable[[Item, Knowledge], tuple[str, ...]]
    ) -> tuple[Knowledge, Knowledge]:
        """What is in force, and what would be if an item were accepted; writes nothing.

        Args:
            item_id: its id, or the beginning of it where that is enough.
            check: as in `accept`.

        Raises:
            ReviewError: as `accept`.
        """
        with self._lock:
            item, before = self.get(item_id), self.knowledge()
            if item.state == "accepted":
                return before, before
            _check_state(item, "accepted")
            _check_statement(item)
            trial = replace(item, state="accepted", accepted_seq=self._seen + 1, replaces=check(item, before))
            return before, in_force([*self.items("accepted"), trial])

    def reject(self, item_id: str, *, by: str, note: str = "") -> Item:
        """Rejects a candidate; rejecting it again changes and records nothing.

        Raises:
            ReviewError: ``unknown_item``, ``bad_id``, or ``state`` (an accepted item is taken back, not rejected).
        """
        return self._decide("rejected", item_id, by, note)

    def retract(self, item_id: str, *, by: str, note: str = "") -> Item:
        """Takes an item back: what it replaced is in force again. Doing it again changes and records nothing.

        Raises:
            ReviewError: ``unknown_item``, ``bad_id``, or ``state``.
        """
        return self._decide("retracted", item_id, by, note)

    def built(self, pack: str, body: dict[str, Any]) -> None:
        """Records that a pack was built from the items in force."""
        with self._lock, self._writing():
            self._log.append("built", pack, body)

    def get(self, item_id: str) -> Item:
        """The item of an id, or of the beginning of one where that is enough.

        Raises:
            ReviewError: ``bad_id``, or ``unknown_item`` (also where several begin so).
        """
        if not _ID.fullmatch(item_id):
            raise ReviewError("bad_id", f"item {item_id!r}")
        with self._lock:
            records = self._synced()
            found = [item_id] if item_id in records else [key for key in records if key.startswith(item_id)]
            if len(found) != 1:
                raise ReviewError("unknown_item", f"item {item_id!r}: {len(found)} found")
            return records[found[0]].item(found[0])

    def items(self, *states: State) -> tuple[Item, ...]:
        """The items in the order in which they were first proposed; of some states, or all."""
        with self._lock:
            records = self._synced().items()
            return tuple(record.item(key) for key, record in records if not states or record.state in states)

    def events(self) -> list[Event]:
        """The whole log, in order."""
        return self._log.read()

    def knowledge(self) -> Knowledge:
        """What is in force now, other processes' reviews included."""
        with self._lock:
            self._synced()
            if self._knowledge is None:
                self._knowledge = in_force(self.items("accepted"))
            return self._knowledge

    def _decide(
        self,
        state: State,
        item_id: str,
        by: str,
        note: str,
        check: Callable[[Item, Knowledge], tuple[str, ...]] | None = None,
    ) -> Item:
        body: dict[str, Any] = {"by": _name(by), "note": note}
        with self._lock, self._writing():
            item = self.get(item_id)
            if item.state == state:
                return item
            _check_state(item, state)
            if check is not None:
                _check_statement(item)
                replaces = check(item, self.knowledge())
                if replaces:
                    body["replaces"] = list(replaces)
            self._log.append(state, item.id, body)
            return self._synced()[item.id].item(item.id)

    @contextmanager
    def _writing(self) -> Iterator[None]:
        try:
            with self._log.writing():
                yield
        except BaseException:
            # Events of a transaction that was rolled back may have been read already.
            self._records, self._seen, self._knowledge = {}, 0, None
            raise

    def _synced(self) -> dict[str, _Record]:
        """The records after all events of the log, this transaction's included."""
        for event in self._log.read(self._seen):
            self._apply(event)
            self._seen = event.seq
            self._knowledge = None
        return self._records

    def _apply(self, event: Event) -> None:
        body = event.body
        if event.kind == "proposed":
            record = self._records.get(event.item)
            if record is None:
                record = self._records[event.item] = _Record(content=content_from(body["content"]))
            elif record.state in ("rejected", "retracted"):
                record.decided("candidate", "", "", "", (), 0)
            record.proposals.append(
                Proposal(
                    by=body["by"],
                    at=event.at,
                    words=body["words"],
                    origin=body.get("origin", ""),
                    licence=body["licence"],
                )
            )
        elif event.kind in _DECISIONS:
            accepted = event.seq if event.kind == "accepted" else 0
            replaces = tuple(body.get("replaces", ()))
            record = self._records[event.item]
            record.decided(_DECISIONS[event.kind], body["by"], event.at, body["note"], replaces, accepted)


def _name(text: str) -> str:
    if not text.strip() or len(text) > MOST_NAME or not text.isprintable():
        raise ReviewError("bad_name", f"name {text[:MOST_NAME]!r}")
    return text.strip()


def _check_state(item: Item, wanted: State) -> None:
    if item.state not in _ALLOWED[wanted]:
        hint = "take it back first" if item.state == "accepted" else "propose it again first"
        raise ReviewError("state", f"item {item.id} is {item.state}, so it can't be {wanted} ({hint})")


def _check_statement(item: Item) -> None:
    if item.content.kind == "note":
        raise ReviewError("not_structured", f"item {item.id} ({item.content.gloss!r})")
