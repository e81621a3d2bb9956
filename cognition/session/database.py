"""Opening the SQLite file of sessions, with clear errors for files that can't be used."""

from __future__ import annotations

import sqlite3
from pathlib import Path

from cognition import eventlog
from cognition.session.events import SessionError

_MAGIC = b"SQLite format 3\0"


def check_file(path: Path, *, must_exist: bool) -> None:
    """Looks for what SQLite would report late or unclearly.

    Raises:
        SessionError: ``not_a_session_file``, ``unreadable`` or ``unwritable``.
    """
    if "\0" in str(path):
        raise SessionError("unreadable", f"{str(path)!r}: can't be read (a zero byte in its name)")
    try:
        if path.is_dir():
            raise SessionError("not_a_session_file", f"{path}: is a folder; name a file")
        if not path.exists():
            if must_exist:
                raise SessionError(
                    "unreadable", f"{path}: no such file; `core chat --session FILE` makes one"
                )
            if not path.parent.is_dir():
                raise SessionError("unwritable", f"{path}: no folder {path.parent}; make it first")
            return
        with path.open("rb") as file:
            head = file.read(len(_MAGIC))
    except OSError as error:
        raise SessionError("unreadable", f"{path}: can't be read ({error.strerror})") from None
    if head and head != _MAGIC:
        raise SessionError("not_a_session_file", f"{path}: not a session file (no SQLite database)")


def connect(path: str, *, read_only: bool) -> sqlite3.Connection:
    """Opens a database; a reader writes nothing, and can also read a file at rest where nobody may write."""

    def opened(mode: str) -> sqlite3.Connection:
        name, uri = (path, False) if not mode else (f"{Path(path).resolve().as_uri()}?{mode}", True)
        return sqlite3.connect(
            name, uri=uri, timeout=eventlog.BUSY_SECONDS, isolation_level=None, check_same_thread=False
        )

    if not read_only:
        return opened("")
    db = opened("mode=ro")
    try:
        db.execute("SELECT 1 FROM sqlite_master").fetchone()
    except sqlite3.OperationalError:
        # In WAL mode even a reader makes a file beside the log; where it can't, and none is there, the log is at rest.
        db.close()
        if Path(f"{path}-wal").exists():
            raise
        return opened("mode=ro&immutable=1")
    return db


def explained(error: sqlite3.DatabaseError, path: str, *, read_only: bool) -> SessionError:
    """What an error of SQLite means for the file, and what to do."""
    text = str(error)
    if "locked" in text or "busy" in text:
        return SessionError("busy", f"{path}: another process holds it; try again")
    if "readonly" in text or "unable to open" in text:
        code = "unreadable" if read_only else "unwritable"
        return SessionError(
            code, f"{path}: can't be {'read' if read_only else 'written'} ({text}); check its folder's rights"
        )
    if "not a database" in text or "malformed" in text:
        return SessionError("not_a_session_file", f"{path}: not a session file, or damaged ({text})")
    return SessionError("unwritable", f"{path}: {text}")
