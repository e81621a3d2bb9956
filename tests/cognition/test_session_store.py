"""The log of sessions: append-only, in order, whole or not at all, and clear about files that it can't use."""

from __future__ import annotations

import os
import sqlite3
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cognition.session.events import UNDOABLE, Draft, SessionError
from cognition.session.store import SCHEMA_VERSION, SessionStore, Tail

pytestmark = pytest.mark.runtime

TURN = {"text": "What is light?"}


def turn(tail: Tail) -> Sequence[Draft]:
    return [Draft(kind="turn", turn=tail.turn + 1, body=TURN)]


def teach(tail: Tail) -> Sequence[Draft]:
    return [Draft(kind="teach", body={"text": "Light requires dark."})]


def seqs(store: SessionStore, session: str = "main") -> list[int]:
    return [event.seq for event in store.events(session)]


def test_what_is_appended_is_read_back_by_another_reader(tmp_path: Path) -> None:
    body = {"text": "ä \ud800 \x00 😀", "n": [1, True, None, 0.5]}
    with SessionStore(tmp_path / "s") as store:
        written = store.append("main", lambda tail: [Draft(kind="teach", body=body)])
        with SessionStore(tmp_path / "s", read_only=True) as reader:
            assert list(reader.events("main")) == list(written)
            assert written[0].body == body
    with SessionStore(tmp_path / "s") as store:
        assert list(store.events("main")) == list(written)


def test_events_of_one_call_are_all_written_or_none(tmp_path: Path) -> None:
    with SessionStore(tmp_path / "s") as store:
        store.append("main", turn)
        with pytest.raises(sqlite3.IntegrityError):
            store.append("main", lambda tail: [*teach(tail), Draft(kind="turn", turn=tail.turn, body=TURN)])
        with pytest.raises(ZeroDivisionError):
            store.append("main", lambda tail: [Draft(kind="teach", body={"text": 1 // 0})])
        assert seqs(store) == [1]
        store.append("main", lambda tail: [*turn(tail), *teach(tail)])
        assert seqs(store) == [1, 2, 3]


@pytest.mark.parametrize("statement", ["UPDATE session_event SET body = '{}'", "DELETE FROM session_event"])
def test_nobody_can_change_or_remove_an_event(tmp_path: Path, statement: str) -> None:
    with SessionStore(tmp_path / "s") as store:
        store.append("main", turn)
    db = sqlite3.connect(tmp_path / "s")
    with pytest.raises(sqlite3.IntegrityError, match="append-only"):
        db.execute(statement)
    db.close()


ACTIONS = st.lists(st.sampled_from(["turn", "teach", "undo"]), max_size=30)


@given(ACTIONS)
def test_undo_takes_back_the_newest_in_force_and_deletes_nothing(actions: list[str]) -> None:
    """Against a plain stack."""
    stack: list[int] = []
    written = turns = 0
    with SessionStore() as store:
        for action in actions:
            if action == "undo":
                if not stack:
                    with pytest.raises(SessionError, match="nothing is left") as raised:
                        store.undo_last("main")
                    assert raised.value.code == "nothing_to_undo"
                    continue
                undone, event = store.undo_last("main")
                assert undone.seq == event.target == stack.pop()
                assert undone.turn == event.turn
            else:
                (event,) = store.append("main", turn if action == "turn" else teach)
                stack.append(event.seq)
                turns += action == "turn"
            written += 1
            assert event.seq == written
        assert seqs(store) == list(range(1, written + 1))
        standing = [e.seq for e in store.events("main", *UNDOABLE) if e.seq not in store.undone("main")]
        assert standing == stack
        assert [e.seq for e in store.latest("main", 100)] == stack
        assert [e.seq for e in store.latest("main", 2)] == stack[-2:]
        assert store.tail("main") == Tail(seq=written, turn=turns)


def test_sessions_of_one_file_are_apart() -> None:
    with SessionStore() as store:
        for name in ("b", "a", "b"):
            store.append(name, turn)
        assert [(s.session, s.turns, s.events) for s in store.sessions()] == [("a", 1, 1), ("b", 2, 2)]
        store.undo_last("a")
        assert store.undone("b") == frozenset()
        assert store.turn("b", 2) is not None
        assert store.turn("a", 2) is None


def test_many_events_come_in_order_whatever_is_written_meanwhile() -> None:
    with SessionStore() as store:
        store.append("main", lambda tail: [Draft(kind="teach", body={"n": n}) for n in range(1000)])
        found = []
        for event in store.events("main"):
            if event.seq == 1:
                store.append("main", lambda tail: [Draft(kind="teach", body={"n": 1000})])
            found.append(event.body["n"])
        assert found == list(range(1001))
        assert [e.body["n"] for e in store.events("main", "teach", after=998)] == [998, 999, 1000]
        assert list(store.events("main", "undo")) == []


def test_kinds_are_read_up_to_one_event_whatever_is_written_meanwhile() -> None:
    """Else a reader could go past an event of one kind that it never saw."""
    with SessionStore() as store:
        store.append("main", turn)
        store.append("main", teach)
        found = store.events("main", "turn", "teach", "undo")
        first = next(found)
        store.append("main", teach)
        store.undo_last("main")
        assert [first.seq, *(event.seq for event in found)] == [1, 2]
        assert [event.seq for event in store.events("main", "undo", "teach", after=1)] == [2, 3, 4]


def test_threads_share_a_store(tmp_path: Path) -> None:
    with SessionStore(tmp_path / "s") as store:
        workers = [
            threading.Thread(target=lambda: [store.append("main", turn) for _ in range(20)]) for _ in range(6)
        ]
        for worker in workers:
            worker.start()
        for worker in workers:
            worker.join()
        assert [event.turn for event in store.events("main")] == list(range(1, 121))


@pytest.mark.parametrize("purge", [False, True])
def test_a_session_taken_back_is_gone_and_its_id_not_used_again(tmp_path: Path, purge: bool) -> None:
    with SessionStore(tmp_path / "s") as store:
        store.append("other", teach)
        store.append("main", lambda tail: [Draft(kind="teach", body={"text": "a secret word"})])
        store.take_back("main", purge=purge)
        with pytest.raises(SessionError, match="was deleted") as raised:
            store.append("main", turn)
        assert raised.value.code == "taken_back"
        assert {s.session: s.taken_back for s in store.sessions()} == {"main": True, "other": False}
        assert len(seqs(store)) == (1 if purge else 2)
        assert seqs(store, "other") == [1]
        db = sqlite3.connect(tmp_path / "s")
        with pytest.raises(sqlite3.IntegrityError, match="append-only"):
            db.execute("DELETE FROM session_event")
        db.close()
    held = b"".join(path.read_bytes() for path in tmp_path.iterdir())
    assert (b"a secret word" in held) is not purge


def test_a_deleted_session_can_be_purged_later(tmp_path: Path) -> None:
    with SessionStore(tmp_path / "s") as store:
        store.append("main", teach)
        store.take_back("main")
        with pytest.raises(SessionError, match="was deleted"):
            store.take_back("main")
        store.take_back("main", purge=True)
        assert [event.kind for event in store.events("main")] == ["taken_back"]
        with pytest.raises(SessionError, match="no session 'x'"):
            store.take_back("x")


def test_a_purge_that_another_reader_holds_up_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("cognition.eventlog.BUSY_SECONDS", 0.05)
    with SessionStore(tmp_path / "s") as store:
        store.append("main", teach)
        other = sqlite3.connect(tmp_path / "s", isolation_level=None)
        other.execute("BEGIN")
        assert other.execute("SELECT count(*) FROM session_event").fetchone() == (1,)
        with pytest.raises(SessionError) as raised:
            store.take_back("main", purge=True)
        assert raised.value.code == "busy"
        other.close()
        store.take_back("main", purge=True)
        assert [event.kind for event in store.events("main")] == ["taken_back"]


def test_a_copy_holds_what_the_store_holds(tmp_path: Path) -> None:
    with SessionStore() as store:
        store.append("main", turn)
        store.append("b", teach)
        store.undo_last("main")
        store.copy_to(tmp_path / "copy")
        with pytest.raises(SessionError, match="is there already"):
            store.copy_to(tmp_path / "copy")
        with SessionStore(tmp_path / "copy") as copy:
            for name in ("main", "b"):
                assert list(copy.events(name)) == list(store.events(name))


BAD_IDS = ["", "../x", "a/b", "a\\b", ".", "..", "a b", "-a", "_a", "ä", "a" * 65, "a\n", "a\0", "C:x", "~"]


@pytest.mark.parametrize("session", BAD_IDS, ids=repr)
def test_an_id_is_never_a_path(session: str) -> None:
    with SessionStore() as store:
        for call in (lambda: store.append(session, turn), lambda: store.take_back(session)):
            with pytest.raises(SessionError, match="session id") as raised:
                call()
            assert raised.value.code == "bad_id"


def write(path: Path, content: bytes) -> Path:
    path.write_bytes(content)
    return path


def database(path: Path, *statements: str) -> Path:
    db = sqlite3.connect(path)
    for statement in statements:
        db.execute(statement)
    db.commit()
    db.close()
    return path


def newer(path: Path) -> Path:
    return database(
        path,
        "CREATE TABLE session_schema (version INTEGER NOT NULL)",
        f"INSERT INTO session_schema VALUES ({SCHEMA_VERSION + 1})",
    )


FILES: dict[str, tuple[Any, str, str]] = {
    "text": (lambda p: write(p, b"hello, this is no database"), "not_a_session_file", "not a session file"),
    "torn": (lambda p: write(p, b"SQLite format 3\0" + b"\xff" * 200), "not_a_session_file", "not a session"),
    "other": (lambda p: database(p, "CREATE TABLE a (b)"), "not_a_session_file", "something else"),
    "newer": (newer, "newer_schema", f"schema {SCHEMA_VERSION + 1}.*upgrade"),
    "folder": (lambda p: p.mkdir() or p, "not_a_session_file", "is a folder"),
    "no folder": (lambda p: p / "there", "unwritable", "no folder"),
    "a file as folder": (lambda p: write(p, b"x") / "there", "unwritable", "no folder"),
    "zero byte": (lambda p: Path(f"{p}\0x"), "unreadable", "can't be read"),
}


@pytest.mark.parametrize("name", FILES)
@pytest.mark.parametrize("read_only", [False, True])
def test_a_file_that_cannot_be_used_is_refused_and_left_as_it_is(
    tmp_path: Path, name: str, read_only: bool
) -> None:
    make, code, says = FILES[name]
    path = make(tmp_path / "s")
    before = path.read_bytes() if "\0" not in str(path) and path.is_file() else None
    if read_only and code == "unwritable":  # a reader only says that the file is not there
        code, says = "unreadable", "no such file"
    with pytest.raises(SessionError, match=says) as raised:
        SessionStore(path, read_only=read_only)
    assert raised.value.code == code
    assert before is None or path.read_bytes() == before


def test_a_reader_needs_a_file_and_makes_none(tmp_path: Path) -> None:
    for options in ({"read_only": True}, {"create": False}):
        with pytest.raises(SessionError, match="no such file"):
            SessionStore(tmp_path / "s", **options)
    (tmp_path / "empty").touch()
    with pytest.raises(SessionError, match="holds no sessions"):
        SessionStore(tmp_path / "empty", read_only=True)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["empty"]


def test_a_folder_that_cannot_be_written(tmp_path: Path) -> None:
    folder = Path("/proc/self")  # even root writes no file here
    if not folder.is_dir():
        pytest.skip("no folder that nobody can write to on this system")
    with pytest.raises(SessionError, match="can't be written") as raised:
        SessionStore(folder / "s")
    assert raised.value.code == "unwritable"


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_session_at_rest_is_read_from_a_folder_that_cannot_be_written(tmp_path: Path) -> None:
    folder = tmp_path / "folder"
    folder.mkdir()
    with SessionStore(folder / "s") as store:
        store.append("main", turn)
    folder.chmod(0o500)
    (folder / "s").chmod(0o400)
    try:
        with SessionStore(folder / "s", read_only=True) as store:
            assert seqs(store) == [1]
        with pytest.raises(SessionError, match="can't be"):
            SessionStore(folder / "s").append("main", turn)
    finally:
        folder.chmod(0o700)


def test_a_reader_writes_nothing(tmp_path: Path) -> None:
    with SessionStore(tmp_path / "s") as store:
        store.append("main", turn)
    before = (tmp_path / "s").read_bytes()
    with SessionStore(tmp_path / "s", read_only=True) as store:
        assert seqs(store) == [1]
        with pytest.raises(SessionError, match="can't be written"):
            store.append("main", turn)
    assert (tmp_path / "s").read_bytes() == before


def test_a_busy_file_is_said_to_be_busy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("cognition.eventlog.BUSY_SECONDS", 0.05)
    with SessionStore(tmp_path / "s") as store:
        other = sqlite3.connect(tmp_path / "s", isolation_level=None)
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(SessionError, match="another process holds it") as raised:
            store.append("main", turn)
        assert raised.value.code == "busy"
        other.execute("ROLLBACK")
        other.close()
        store.append("main", turn)
        assert seqs(store) == [1]


def test_every_acknowledged_event_is_on_disk_by_the_settings_of_the_database(tmp_path: Path) -> None:
    with SessionStore(tmp_path / "s") as store:
        assert store._db.execute("PRAGMA journal_mode").fetchone() == ("wal",)
        assert store._db.execute("PRAGMA synchronous").fetchone() == (2,)
