"""Session files: do they open, is their schema known, are their logs whole. No text of theirs is shown."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path

from cognition.eventlog import SCHEMA_VERSION as LOG_SCHEMA
from cognition.eventlog import TABLES
from cognition.session.database import check_file, connect, explained
from cognition.session.events import SessionError
from cognition.session.store import SCHEMA_VERSION as SESSION_SCHEMA
from cognition.session.store import SessionStore
from cognition.trace import compute_trace_hash
from experiments.doctor.findings import Finding, shown

SUFFIX = ".sqlite"
KNOWN = {"session_schema": SESSION_SCHEMA, "teaching_schema": LOG_SCHEMA, "vault_schema": LOG_SCHEMA}


def check_files(files: Sequence[Path]) -> Iterator[Finding]:
    """The session files that were named, or those of the working folder.

    They are opened to read: SQLite may put its own two files beside one, as for any reader. A file that was found there
    and belongs to another program is a note; one that was named has to be ours.
    """
    found = list(files) or sorted(Path().glob(f"*{SUFFIX}"))
    if not found:
        yield Finding(
            area="sessions", state="ok", what=f"no {SUFFIX} file in this folder; name others as arguments"
        )
    for path in found:
        try:
            yield Finding(area="sessions", state="ok", what=f"{shown(path)}: {_examined(path)}")
        except SessionError as error:
            strange = error.code == "not_a_session_file" and not files
            yield Finding(
                area="sessions",
                state="note" if strange else "broken",
                what=str(error).replace(str(path), shown(path)),
                mend="" if strange else _MEND.get(error.code, ""),
            )


_MEND = {
    "newer_schema": "pip install --upgrade core-cognition",
    "not_a_session_file": "restore a copy, or `core session export` what can still be read",
    "unreadable": "check the name, and the rights of the file and its folder",
    "busy": "end the other program, and look again",
}


def _examined(path: Path) -> str:
    """What is in a whole file.

    Raises:
        SessionError: what is wrong with it.
    """
    check_file(path, must_exist=True)
    try:
        with closing(connect(str(path), read_only=True)) as db:
            versions = _versions(db, path)
            (verdict,) = db.execute("PRAGMA quick_check(1)").fetchone()
    except sqlite3.DatabaseError as error:
        raise explained(error, str(path), read_only=True) from None
    if verdict != "ok":
        raise SessionError("not_a_session_file", f"{path}: damaged ({verdict})")
    logs = [name.removesuffix("_schema") for name in sorted(versions)]
    if "session_schema" not in versions:
        return f"{' and '.join(logs)} log, no sessions"
    with closing(SessionStore(path, read_only=True)) as store:
        sessions = store.sessions()
        for session in sessions:
            _check_chain(store, session.session, path)
    events = sum(session.events for session in sessions)
    return f"schema {versions['session_schema']}, sessions: {len(sessions)}, events: {events}, chains whole"


def _versions(db: sqlite3.Connection, path: Path) -> dict[str, int]:
    """The schemas of the logs that a file holds, by their tables."""
    tables = {name for (name,) in db.execute("SELECT name FROM sqlite_master WHERE type = 'table'")} & TABLES
    if not tables:
        raise SessionError("not_a_session_file", f"{path}: a database of something else")
    versions = {name: int(db.execute(f"SELECT version FROM {name}").fetchone()[0]) for name in tables}
    for name, version in versions.items():
        if version > KNOWN[name]:
            raise SessionError(
                "newer_schema", f"{path}: {name} {version}, this version reads up to {KNOWN[name]}"
            )
    return versions


def _check_chain(store: SessionStore, session: str, path: Path) -> None:
    """Events from 1 without a gap, and turns whose hash is that of what they record.

    Of a deleted session that was purged only the mark is left.
    """
    expected = 1
    try:
        for event in store.events(session):
            if event.seq != expected and event.kind != "taken_back":
                raise SessionError(
                    "not_a_session_file", f"{path}: damaged (event {expected} of a session is missing)"
                )
            if event.kind == "turn" and compute_trace_hash(event.body["folded"]) != event.body["trace_hash"]:
                raise SessionError(
                    "not_a_session_file",
                    f"{path}: damaged (event {event.seq}: the turn's hash is not that of its trace)",
                )
            expected = event.seq + 1
    except (KeyError, TypeError, ValueError) as error:
        if isinstance(error, SessionError):
            raise
        raise SessionError(
            "not_a_session_file", f"{path}: damaged (event {expected} of a session can't be read)"
        ) from None
