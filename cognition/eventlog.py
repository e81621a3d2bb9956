"""An append-only log: a table in a SQLite file that many processes, and other stores, may share."""

from __future__ import annotations

import json
import sqlite3
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, ClassVar, Literal

SCHEMA_VERSION = 1
MEMORY = ":memory:"
BUSY_SECONDS = 30.0
LogName = Literal["teaching", "vault"]
TABLES = frozenset(("session_schema", "teaching_schema", "vault_schema"))
"""Tables by which a file of ours is known."""

FILE_CODES: dict[str, str] = {
    "busy": "Another process held the file for long; try again.",
    "damaged": "The file is damaged, or no store; restore a copy.",
    "newer_schema": "The file was written by a newer version; upgrade.",
    "not_a_store": "The file is something else; choose another one.",
    "unreadable": "The file can't be opened or written; check its folder and its rights.",
}
"""Code -> what it means and what to do."""


class StoreError(ValueError):
    """A store that can't be used: where, what is wrong, and what to do.

    Attributes:
        code: a key of `codes`.
    """

    codes: ClassVar[dict[str, str]] = FILE_CODES

    def __init__(self, code: str, what: str) -> None:
        super().__init__(f"{what}: {self.codes[code]}")
        self.code = code


def _schema(name: LogName) -> tuple[str, ...]:
    kept = f"BEGIN SELECT RAISE(ABORT, '{name} log: append-only'); END"
    columns = (
        "seq INTEGER PRIMARY KEY AUTOINCREMENT, at TEXT NOT NULL, kind TEXT NOT NULL, item TEXT NOT NULL"
    )
    return (
        f"CREATE TABLE {name}_schema (version INTEGER NOT NULL)",
        f"INSERT INTO {name}_schema VALUES ({SCHEMA_VERSION})",
        f"CREATE TABLE {name}_event ({columns}, body TEXT NOT NULL)",
        f"CREATE TRIGGER {name}_event_never_changes BEFORE UPDATE ON {name}_event {kept}",
        f"CREATE TRIGGER {name}_event_never_goes BEFORE DELETE ON {name}_event {kept}",
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """An acknowledged event; it is never changed.

    Attributes:
        seq: place in the log, ascending.
        at: UTC time, ISO 8601.
        kind: what happened.
        item: id of what it happened to.
        body: what the kind records; JSON.
    """

    seq: int
    at: str
    kind: str
    item: str
    body: Mapping[str, Any]

    def as_dict(self) -> dict[str, Any]:
        """For JSON output."""
        return {"seq": self.seq, "at": self.at, "kind": self.kind, "item": self.item, **self.body}


class EventLog:
    """Events in a file, in write-ahead mode with ``synchronous=FULL``.

    A write is one immediate transaction: when it ends, its events are on disk; a process killed at any point leaves all
    of them or none. Threads may share a log; processes open one each.

    Args:
        path: the file, made where there is none; ``:memory:`` keeps nothing.
        name: of the log; logs of other names, and sessions, may live in the same file.

    Raises:
        StoreError: ``not_a_store``, ``newer_schema``, ``damaged``, ``unreadable`` or ``busy``.
    """

    def __init__(self, path: str | Path, name: LogName) -> None:
        self.path = str(path)
        self.name: LogName = name
        self._lock = threading.RLock()
        with self._explained():
            self._db = sqlite3.connect(
                self.path, timeout=BUSY_SECONDS, isolation_level=None, check_same_thread=False
            )
            try:
                self._prepare()
            except BaseException:
                self._db.close()
                raise

    def close(self) -> None:
        """Closes the file; events are safe without it."""
        with self._lock:
            self._db.close()

    def read(self, after: int = 0) -> list[Event]:
        """The events with a greater ``seq``, in order."""
        with self._lock, self._explained():
            rows = self._db.execute(
                f"SELECT seq, at, kind, item, body FROM {self.name}_event WHERE seq > ? ORDER BY seq",
                (after,),
            ).fetchall()
        return [Event(seq=s, at=at, kind=k, item=i, body=json.loads(b)) for s, at, k, i, b in rows]

    @contextmanager
    def writing(self) -> Iterator[None]:
        """One immediate transaction; what is read and appended inside it is not interleaved with another process."""
        with self._lock, self._explained(), immediate(self._db):
            yield

    def append(self, kind: str, item: str, body: Mapping[str, Any]) -> None:
        """Adds an event, inside `writing`."""
        at = datetime.now(UTC).isoformat(timespec="milliseconds")
        text = json.dumps(body, separators=(",", ":"), sort_keys=True, allow_nan=False)
        self._db.execute(
            f"INSERT INTO {self.name}_event (at, kind, item, body) VALUES (?, ?, ?, ?)",
            (at, kind, item, text),
        )

    def _prepare(self) -> None:
        self._db.execute("PRAGMA synchronous=FULL")
        if not self._known():
            write_ahead(self._db)
            with self.writing():
                if not self._known():  # another process may have been first
                    for statement in _schema(self.name):
                        self._db.execute(statement)
        (version,) = self._db.execute(f"SELECT version FROM {self.name}_schema").fetchone()
        if version > SCHEMA_VERSION:
            raise StoreError("newer_schema", f"{self.path}: schema {version}, known up to {SCHEMA_VERSION}")

    def _known(self) -> bool:
        tables = {n for (n,) in self._db.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
        if tables and not tables & TABLES:
            raise StoreError("not_a_store", f"{self.path}: a database of something else")
        return f"{self.name}_schema" in tables

    @contextmanager
    def _explained(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.DatabaseError as error:
            text = str(error)
            code = "damaged"
            if "locked" in text or "busy" in text:
                code = "busy"
            elif "unable to open" in text or "readonly" in text or "disk" in text or "full" in text:
                code = "unreadable"
            elif "not a database" in text:
                code = "not_a_store"
            raise StoreError(code, f"{self.path}: {text}") from None


@contextmanager
def immediate(db: sqlite3.Connection) -> Iterator[None]:
    """One immediate transaction: committed at the end, rolled back by anything raised."""
    db.execute("BEGIN IMMEDIATE")
    try:
        yield
        db.execute("COMMIT")
    except BaseException:
        if db.in_transaction:
            db.execute("ROLLBACK")
        raise


def write_ahead(db: sqlite3.Connection) -> None:
    """Turns write-ahead mode on; SQLite does not wait for a file that another process is turning, so this does."""
    until = time.monotonic() + BUSY_SECONDS
    while True:
        try:
            db.execute("PRAGMA journal_mode=WAL")
            return
        except sqlite3.OperationalError as error:
            if "locked" not in str(error) or time.monotonic() > until:
                raise
            time.sleep(0.01)
