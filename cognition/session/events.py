"""What a session's log holds: kinds of events, ids of sessions, and the one error of both."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, get_args

Kind = Literal["turn", "proposition", "transition", "teach", "correction", "undo", "taken_back"]
KINDS: tuple[Kind, ...] = get_args(Kind)
UNDOABLE: tuple[Kind, ...] = ("turn", "teach")

DEFAULT_ID = "main"
_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,63}")


CODES: dict[str, str] = {
    "bad_id": "An id of a session is letters, digits, _ and -, at most 64; it is never a path.",
    "busy": "Another process held the file for long; try again.",
    "newer_schema": "The file was written by a newer version; upgrade.",
    "not_a_session_file": "The file is something else, holds no sessions, or is damaged; choose another one.",
    "nothing_to_undo": "No turn and no teaching of the session is in force any more.",
    "taken_back": "The session was deleted, and its id is not used again; choose another id.",
    "unknown_node": "The session has no such proposition in force; `core session show` lists them.",
    "unknown_session": "The file has no such session, or several to choose from; `core session list` shows them.",
    "unknown_turn": "The session has no turn of this number; `/history` lists them.",
    "unreadable": "The file is not there, can't be read, or holds no trace; check its name and its rights.",
    "unwritable": "The file can't be written, or is there already; check its folder and its rights.",
}
"""Code -> what it means and what to do."""


class SessionError(ValueError):
    """A session that can't be opened, read or written: what, where, and what to do.

    Attributes:
        code: a key of `CODES`.
    """

    def __init__(self, code: str, message: str) -> None:
        if code not in CODES:
            raise KeyError(f"session error code {code!r} is not in the catalogue")
        super().__init__(message)
        self.code = code


def check_id(session_id: str) -> str:
    """The id, if it is one: letters, digits, ``_`` and ``-``, at most 64, so that it can never be a path.

    Raises:
        SessionError: ``bad_id``.
    """
    if not isinstance(session_id, str) or not _ID.fullmatch(session_id):
        raise SessionError(
            "bad_id",
            f"session id {session_id!r}: letters, digits, _ and - only, at most 64, a letter or digit first",
        )
    return session_id


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """An event before it has its place in the log.

    Attributes:
        kind: what happened.
        body: what the kind records; JSON.
        turn: the turn it belongs to, from 1; None where it belongs to none.
        target: the ``seq`` of the event that an undo takes back.
    """

    kind: Kind
    body: Mapping[str, Any] = field(default_factory=dict)
    turn: int | None = None
    target: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """An acknowledged event; it is never changed.

    Attributes:
        session: id of the session.
        seq: place in the session's log, from 1, without gaps.
        kind, body, turn, target: as in `Draft`.
        at: UTC time of the commit, ISO 8601.
    """

    session: str
    seq: int
    kind: Kind
    turn: int | None
    target: int | None
    at: str
    body: Mapping[str, Any]

    def as_dict(self) -> dict[str, Any]:
        """For export; the session's id stands once, at the top of it."""
        record: dict[str, Any] = {"seq": self.seq, "kind": self.kind, "at": self.at}
        if self.turn is not None:
            record["turn"] = self.turn
        if self.target is not None:
            record["target"] = self.target
        return record | {"body": dict(self.body)}
