"""The event log of sessions in one SQLite file: append-only, many processes, durable once a call has returned."""

from __future__ import annotations

import heapq
import json
import sqlite3
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from cognition.eventlog import MEMORY, TABLES, immediate, write_ahead
from cognition.session.database import check_file, connect, explained
from cognition.session.events import UNDOABLE, Draft, Event, Kind, SessionError, check_id

SCHEMA_VERSION = 1
_CHUNK = 256
_TABLE = (
    "CREATE TABLE session_event (id INTEGER PRIMARY KEY AUTOINCREMENT, session TEXT NOT NULL, seq INTEGER NOT NULL, "
    "kind TEXT NOT NULL, turn INTEGER, target INTEGER, at TEXT NOT NULL, body TEXT NOT NULL, UNIQUE (session, seq))"
)
_FORBID_UPDATE = (
    "CREATE TRIGGER session_event_never_changes BEFORE UPDATE ON session_event "
    "BEGIN SELECT RAISE(ABORT, 'session log: append-only'); END"
)
_FORBID_DELETE = (
    "CREATE TRIGGER session_event_never_goes BEFORE DELETE ON session_event "
    "BEGIN SELECT RAISE(ABORT, 'session log: append-only'); END"
)
_SCHEMA = (
    "CREATE TABLE session_schema (version INTEGER NOT NULL)",
    f"INSERT INTO session_schema VALUES ({SCHEMA_VERSION})",
    _TABLE,
    "CREATE INDEX session_event_by_kind ON session_event (session, kind, seq, turn, target, at)",
    "CREATE UNIQUE INDEX session_turn ON session_event (session, turn) WHERE kind = 'turn'",
    "CREATE UNIQUE INDEX session_undone_once ON session_event (session, target) WHERE kind = 'undo'",
    _FORBID_UPDATE,
    _FORBID_DELETE,
)
_COLUMNS = "session, seq, kind, turn, target, at, body"


@dataclass(frozen=True, slots=True, kw_only=True)
class Tail:
    """Where a session's log ends: the last ``seq`` and the last turn, 0 for none."""

    seq: int
    turn: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Summary:
    """A session in a list.

    Attributes:
        session: its id.
        turns: how many were asked, undone ones included.
        events: how many are in the log.
        first, last: UTC times of the first and last event.
        taken_back: whether it was deleted.
    """

    session: str
    turns: int
    events: int
    first: str
    last: str
    taken_back: bool


class SessionStore:
    """Sessions in one file. Threads may share it; processes open one each.

    Every append is one immediate transaction in WAL mode with ``synchronous=FULL``: when it returns, the events are on
    disk, and a process killed at any point leaves either all events of a call or none.

    Args:
        path: the file, made where there is none; ``:memory:`` keeps nothing.
        create: whether the file may be made.
        read_only: opens without writing a byte, also where the folder can't be written.

    Raises:
        SessionError: ``not_a_session_file``, ``newer_schema``, ``unreadable`` or ``unwritable``.
    """

    def __init__(self, path: str | Path = MEMORY, *, create: bool = True, read_only: bool = False) -> None:
        self.path = str(path)
        self._lock = threading.RLock()
        if self.path != MEMORY:
            check_file(Path(path), must_exist=read_only or not create)
        try:
            self._db = connect(self.path, read_only=read_only)
            try:
                self._prepare(read_only=read_only)
            except BaseException:
                self._db.close()
                raise
        except sqlite3.DatabaseError as error:
            raise explained(error, self.path, read_only=read_only) from None

    def close(self) -> None:
        """Closes the file; events are safe without it."""
        with self._lock:
            self._db.close()

    def __enter__(self) -> SessionStore:
        return self

    def __exit__(self, *raised: object) -> None:
        self.close()

    def append(self, session: str, compose: Callable[[Tail], Sequence[Draft]]) -> tuple[Event, ...]:
        """Adds events; durable on return, all or none.

        Args:
            session: its id.
            compose: gives the events, knowing where the log ends. It runs inside the write transaction, so nothing
                comes between what it reads of this store and what is written; what it raises writes nothing.

        Raises:
            SessionError: ``bad_id``, ``busy`` (another process held the file for long), ``taken_back`` or
                ``unwritable``.
        """
        check_id(session)
        with self._lock, self._writing():
            tail = self.tail(session)
            if self.last(session, "taken_back") is not None:
                raise SessionError(
                    "taken_back", f"session {session!r} of {self.path} was deleted; use another id"
                )
            at = datetime.now(UTC).isoformat(timespec="milliseconds")
            events = tuple(
                Event(
                    session=session,
                    seq=tail.seq + place,
                    kind=draft.kind,
                    turn=draft.turn,
                    target=draft.target,
                    at=at,
                    body=draft.body,
                )
                for place, draft in enumerate(compose(tail), 1)
            )
            self._db.executemany(
                f"INSERT INTO session_event ({_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?)",
                [(e.session, e.seq, e.kind, e.turn, e.target, e.at, _to_text(e.body)) for e in events],
            )
        return events

    def tail(self, session: str) -> Tail:
        """Where the log of a session ends."""
        (seq,) = self._one("SELECT max(seq) FROM session_event WHERE session = ?", session)
        (turn,) = self._one(
            "SELECT max(turn) FROM session_event WHERE session = ? AND kind = 'turn'", session
        )
        return Tail(seq=seq or 0, turn=turn or 0)

    def events(self, session: str, *kinds: Kind, after: int = 0) -> Iterator[Event]:
        """The events of a session in order, read as they are asked for: all of them, or those of some kinds so far.

        Args:
            session: its id; an unknown one has no events.
            kinds: which; none given means all.
            after: only those with a greater ``seq``.
        """
        if not kinds:
            return self._stream("", (session,), after)
        # A stream a kind, each read along its index: bodies of other kinds are never touched. All end at one event, or
        # one could miss what another process writes while it gives what that process wrote later.
        until = self.tail(session).seq
        streams = [
            self._stream(" AND kind = ? AND seq <= ?", (session, kind, until), after) for kind in kinds
        ]
        return heapq.merge(*streams, key=lambda event: event.seq)

    def _stream(self, chosen: str, values: tuple[str | int, ...], after: int) -> Iterator[Event]:
        query = (
            f"SELECT {_COLUMNS} FROM session_event WHERE session = ?{chosen} AND seq > ? "
            f"ORDER BY seq LIMIT {_CHUNK}"
        )
        while True:
            with self._lock, self._reading():
                rows = self._db.execute(query, (*values, after)).fetchall()
            yield from map(_event, rows)
            if len(rows) < _CHUNK:
                return
            after = rows[-1][1]

    def latest(self, session: str, count: int, *kinds: Kind) -> list[Event]:
        """The newest events of some kinds that were not taken back, oldest first.

        Args:
            session: its id.
            count: at most how many.
            kinds: which; none given means those that can be undone.
        """
        rows: list[tuple[Any, ...]] = []
        with self._lock, self._reading():
            for kind in kinds or UNDOABLE:  # one kind at a time is read backwards from the index
                rows += self._db.execute(
                    f"SELECT {_COLUMNS} FROM session_event AS e WHERE session = ? AND kind = ? AND NOT EXISTS "
                    "(SELECT 1 FROM session_event AS u WHERE u.session = e.session AND u.kind = 'undo' "
                    "AND u.target = e.seq) ORDER BY seq DESC LIMIT ?",
                    (session, kind, count),
                ).fetchall()
        events = sorted(map(_event, rows), key=lambda event: event.seq)
        return events[-count:]

    def last(self, session: str, *kinds: Kind) -> Event | None:
        """The newest event of some kinds that was not taken back, or None; kinds as for `latest`."""
        return next(iter(self.latest(session, 1, *kinds)), None)

    def turn(self, session: str, number: int) -> Event | None:
        """The event of a turn by its number, from 1."""
        with self._lock, self._reading():
            row = self._db.execute(
                f"SELECT {_COLUMNS} FROM session_event WHERE session = ? AND kind = 'turn' AND turn = ?",
                (session, number),
            ).fetchone()
        return None if row is None else _event(row)

    def undone(self, session: str) -> frozenset[int]:
        """The ``seq`` of every event that was taken back."""
        with self._lock, self._reading():
            rows = self._db.execute(
                "SELECT target FROM session_event WHERE session = ? AND kind = 'undo'", (session,)
            ).fetchall()
        return frozenset(target for (target,) in rows)

    def undo_last(self, session: str) -> tuple[Event, Event]:
        """Takes back the newest turn or teaching in force, by an event of its own.

        Returns:
            What was taken back, and the event that says so.

        Raises:
            SessionError: ``nothing_to_undo``.
        """
        taken: list[Event] = []

        def compose(tail: Tail) -> Sequence[Draft]:
            found = self.last(session)
            if found is None:
                raise SessionError("nothing_to_undo", f"session {session!r}: nothing is left to undo")
            taken.append(found)
            return [Draft(kind="undo", turn=found.turn, target=found.seq)]

        (event,) = self.append(session, compose)
        return taken[0], event

    def standing(self) -> tuple[str, ...]:
        """The ids of the sessions that were not deleted; a step a session, however long they are."""
        after = "(SELECT min(session) FROM session_event WHERE session > name)"
        with self._lock, self._reading():
            rows = self._db.execute(
                f"WITH RECURSIVE found (name) AS (SELECT min(session) FROM session_event UNION ALL "
                f"SELECT {after} FROM found WHERE name IS NOT NULL) "
                "SELECT name FROM found WHERE name IS NOT NULL"
            ).fetchall()
        return tuple(name for (name,) in rows if self.last(name, "taken_back") is None)

    def sessions(self) -> tuple[Summary, ...]:
        """All sessions of the file, by id."""
        with self._lock, self._reading():
            rows = self._db.execute(
                "SELECT session, sum(kind = 'turn'), count(*), min(at), max(at), max(kind = 'taken_back') "
                "FROM session_event INDEXED BY session_event_by_kind GROUP BY session ORDER BY session"
            ).fetchall()
        return tuple(
            Summary(session=s, turns=turns, events=n, first=first, last=last, taken_back=bool(gone))
            for s, turns, n, first, last, gone in rows
        )

    def take_back(self, session: str, *, purge: bool = False) -> None:
        """Deletes a session: an event marks it, and it is no longer listed or opened.

        Args:
            session: its id.
            purge: remove its events from the file as well; only the mark stays, so that its id is not used again.

        Raises:
            SessionError: ``unknown_session``; ``taken_back`` if it was deleted before and is not to be purged;
                ``busy`` if another process keeps the text from leaving the file.
        """
        if not self.tail(check_id(session)).seq:
            raise SessionError("unknown_session", f"{self.path}: no session {session!r}")
        if not purge or self.last(session, "taken_back") is None:
            self.append(session, lambda tail: [Draft(kind="taken_back")])
        if purge:
            with self._lock, self._writing():
                self._db.execute("DROP TRIGGER session_event_never_goes")
                self._db.execute(
                    "DELETE FROM session_event WHERE session = ? AND kind <> 'taken_back'", (session,)
                )
                self._db.execute(_FORBID_DELETE)
            with self._lock, self._reading():
                self._db.execute("VACUUM")
                held, *_ = self._db.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
            if held:
                raise SessionError(
                    "busy", f"{self.path}: another process reads it; purge again when it has ended"
                )

    def copy_to(self, path: str | Path) -> None:
        """Writes the whole file, with what other stores keep in it, to a new one.

        Raises:
            SessionError: ``unwritable``: the file is there already, or its folder can't be written.
        """
        target = Path(path)
        check_file(target, must_exist=False)
        if target.exists():
            raise SessionError("unwritable", f"{target}: is there already; choose another name")
        try:
            with self._lock:
                self._db.execute("VACUUM INTO ?", (str(target),))
        except sqlite3.DatabaseError as error:
            raise explained(error, str(target), read_only=False) from None

    def _one(self, query: str, *values: Any) -> tuple[Any, ...]:
        with self._lock, self._reading():
            return self._db.execute(query, values).fetchone()

    @contextmanager
    def _reading(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.IntegrityError:
            raise  # no fault of the file
        except sqlite3.DatabaseError as error:
            raise explained(error, self.path, read_only=False) from None

    @contextmanager
    def _writing(self) -> Iterator[None]:
        with self._reading(), immediate(self._db):
            yield

    def _prepare(self, *, read_only: bool) -> None:
        if self._known():
            (version,) = self._db.execute("SELECT version FROM session_schema").fetchone()
            if version > SCHEMA_VERSION:
                raise SessionError(
                    "newer_schema",
                    f"{self.path}: sessions of schema {version}, this version reads up to {SCHEMA_VERSION}: upgrade",
                )
        elif read_only:
            raise SessionError("not_a_session_file", f"{self.path}: holds no sessions")
        if read_only:
            return
        self._db.execute("PRAGMA synchronous=FULL")
        if self._db.execute("PRAGMA journal_mode").fetchone() == ("delete",):  # a new file, or a copy
            write_ahead(self._db)
        if not self._known():
            with self._writing():
                if not self._known():  # another process may have been first
                    for statement in _SCHEMA:
                        self._db.execute(statement)

    def _known(self) -> bool:
        """Whether the file has the log; raises for a database that is something else."""
        tables = {name for (name,) in self._db.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
        if tables and not tables & TABLES:
            raise SessionError(
                "not_a_session_file", f"{self.path}: a database of something else; choose another file"
            )
        return "session_schema" in tables


def _to_text(body: Any) -> str:
    return json.dumps(body, separators=(",", ":"), sort_keys=True, allow_nan=False)


def _event(row: tuple[Any, ...]) -> Event:
    session, seq, kind, turn, target, at, body = row
    return Event(session=session, seq=seq, kind=kind, turn=turn, target=target, at=at, body=json.loads(body))
