"""The store of corrections: its log never changes, reviews are idempotent, and what was acknowledged stays."""

from __future__ import annotations

import multiprocessing
import os
import random
import signal
import sqlite3
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from cognition.eventlog import StoreError
from cognition.teaching import Content, Item, Knowledge, ReviewError, TeachingStore

pytestmark = pytest.mark.teaching

SAID = tuple(
    Content(kind="relation", subject=f"w{i}.n.1", relation="requires", object="salt.n.1") for i in range(3)
)
NOTE = Content(kind="note", gloss="that is wrong")


def replacing(*evidence: str) -> Callable[[Item, Knowledge], tuple[str, ...]]:
    return lambda item, knowledge: evidence


def test_an_item_goes_from_candidate_to_a_decision_with_its_names_and_times() -> None:
    store = TeachingStore()
    proposed = store.propose(SAID[0], by="ann", words="w0 requires salt", origin="ab" * 32, licence="CC0-1.0")
    assert proposed.state == "candidate"
    assert store.knowledge() == Knowledge()
    accepted = store.accept(proposed.id, by="bob", note="checked")
    assert (accepted.state, accepted.decided_by, accepted.note) == ("accepted", "bob", "checked")
    assert accepted.decided_at >= accepted.proposals[0].at
    assert store.knowledge().items == (accepted,)
    assert accepted.as_dict()["proposals"][0]["licence"] == "CC0-1.0"
    taken = store.retract(proposed.id, by="cid")
    assert (taken.state, taken.decided_by) == ("retracted", "cid")
    assert store.knowledge() == Knowledge()
    assert [event.kind for event in store.events()] == ["proposed", "accepted", "retracted"]


@pytest.mark.parametrize("decide", ["accept", "reject", "retract"])
def test_a_decision_taken_twice_is_recorded_once(decide: str) -> None:
    store = TeachingStore()
    item = store.propose(SAID[0], by="ann")
    first = getattr(store, decide)(item.id, by="bob")
    log = store.events()
    assert getattr(store, decide)(item.id, by="eve") == first
    assert store.events() == log


@pytest.mark.parametrize(
    ("done", "then", "hint"),
    [("accept", "reject", "take it back"), ("reject", "accept", "propose it again"), ("retract", "accept", "again"),
     ("reject", "retract", "again"), ("retract", "reject", "again")],
)  # fmt: skip
def test_a_decision_is_not_overruled_by_another(done: str, then: str, hint: str) -> None:
    store = TeachingStore()
    item = store.propose(SAID[0], by="ann")
    getattr(store, done)(item.id, by="bob")
    log = store.events()
    with pytest.raises(ReviewError, match=hint) as caught:
        getattr(store, then)(item.id, by="bob")
    assert caught.value.code == "state"
    assert store.events() == log


def test_the_same_statement_is_the_same_item_and_opens_again_after_a_rejection() -> None:
    store = TeachingStore()
    item = store.propose(SAID[0], by="ann", words="one way")
    again = store.propose(SAID[0], by="ben", words="another way")
    assert again.id == item.id
    assert [proposal.by for proposal in again.proposals] == ["ann", "ben"]
    store.reject(item.id, by="bob")
    assert store.propose(SAID[0], by="ann").state == "candidate"
    store.accept(item.id, by="bob")
    assert store.propose(SAID[0], by="ann").state == "accepted"
    assert len(store.items()) == 1


def test_what_an_item_replaced_comes_back_with_its_retraction() -> None:
    store = TeachingStore()
    first, second = (store.propose(content, by="ann") for content in SAID[:2])
    store.accept(first.id, by="bob", check=replacing("rel:x"))
    assert store.knowledge().hidden == {"rel:x"}
    store.accept(second.id, by="bob", check=replacing(first.id))
    assert [item.id for item in store.knowledge().items] == [second.id]
    assert store.knowledge().hidden == frozenset()  # what put it out of force is itself out of force
    store.retract(second.id, by="bob")
    assert [item.id for item in store.knowledge().items] == [first.id]
    assert store.knowledge().hidden == {"rel:x"}


def test_a_check_that_raises_writes_nothing_and_a_preview_never_writes() -> None:
    store = TeachingStore()
    item = store.propose(SAID[0], by="ann")

    def refuse(item: Item, knowledge: Knowledge) -> tuple[str, ...]:
        raise ReviewError("contradicts", item.id)

    log = store.events()
    for attempt in (
        lambda: store.accept(item.id, by="bob", check=refuse),
        lambda: store.preview(item.id, refuse),
    ):
        with pytest.raises(ReviewError):
            attempt()
    before, after = store.preview(item.id, replacing("rel:x"))
    assert (before.items, [i.id for i in after.items], after.hidden) == ((), [item.id], {"rel:x"})
    assert store.events() == log
    assert store.knowledge() == before


def test_what_could_not_be_written_is_not_remembered(monkeypatch: pytest.MonkeyPatch) -> None:
    store = TeachingStore()
    writing = store._log.writing

    @contextmanager
    def failing() -> Iterator[None]:
        with writing():
            yield
            raise StoreError("unreadable", "disk full")

    with monkeypatch.context() as broken:
        broken.setattr(store._log, "writing", failing)
        with pytest.raises(StoreError, match="disk full"):
            store.propose(SAID[0], by="ann")
    assert (store.events(), store.items(), store.knowledge()) == ([], (), Knowledge())
    store.propose(SAID[1], by="ann")
    assert [item.content for item in store.items()] == [SAID[1]]


def test_a_note_is_kept_but_never_accepted() -> None:
    store = TeachingStore()
    note = store.propose(NOTE, by="prompt")
    with pytest.raises(ReviewError) as caught:
        store.accept(note.id, by="bob")
    assert caught.value.code == "not_structured"
    assert store.reject(note.id, by="bob").state == "rejected"


@pytest.mark.parametrize(
    "bad", ["", "rel:x", "taught:", "taught:../../etc/passwd", "taught:ZZZZ", "taught:ab%", "../x"]
)
def test_an_id_is_hexadecimal_and_never_a_path(bad: str) -> None:
    store = TeachingStore()
    store.propose(SAID[0], by="ann")
    with pytest.raises(ReviewError) as caught:
        store.accept(bad, by="bob")
    assert caught.value.code == "bad_id"


def test_the_beginning_of_an_id_is_enough_where_one_item_has_it() -> None:
    store = TeachingStore()
    item = store.propose(SAID[0], by="ann")
    assert store.get(item.id[:13]) == item
    with pytest.raises(ReviewError) as caught:
        store.get("taught:0000000000000000")
    assert caught.value.code == "unknown_item"


@pytest.mark.parametrize("name", ["", "  ", "a\nb", "x" * 81, "a\u202eb", "\ud800"])
def test_who_does_it_is_a_printable_name(name: str) -> None:
    store = TeachingStore()
    with pytest.raises(ReviewError) as caught:
        store.propose(SAID[0], by=name)
    assert caught.value.code == "bad_name"
    assert store.events() == []


@pytest.mark.parametrize(
    "change", ["UPDATE teaching_event SET kind = 'accepted'", "DELETE FROM teaching_event"]
)
def test_the_log_refuses_to_be_changed(tmp_path: Path, change: str) -> None:
    path = tmp_path / "t.db"
    with TeachingStore(path) as store:
        store.propose(SAID[0], by="ann")
    with sqlite3.connect(path) as db, pytest.raises(sqlite3.IntegrityError, match="append-only"):
        db.execute(change)
    db.close()


def test_a_reopened_store_is_the_same_and_sees_what_another_wrote(tmp_path: Path) -> None:
    with TeachingStore(tmp_path / "t.db") as one, TeachingStore(tmp_path / "t.db") as other:
        item = one.propose(SAID[0], by="ann")
        assert other.items() == one.items()
        other.accept(item.id, by="bob")
        assert one.knowledge() == other.knowledge() != Knowledge()
    with TeachingStore(tmp_path / "t.db") as again:
        assert [i.state for i in again.items()] == ["accepted"]


def test_files_that_are_no_store_are_refused_and_left_alone(tmp_path: Path) -> None:
    text, other, newer = tmp_path / "a.txt", tmp_path / "other.db", tmp_path / "newer.db"
    text.write_text("this is no database, and long enough to be read as one would be" * 20)
    with sqlite3.connect(other) as db:
        db.execute("CREATE TABLE songs (name TEXT)")
    db.close()
    TeachingStore(newer).close()
    with sqlite3.connect(newer) as db:
        db.execute("UPDATE teaching_schema SET version = 99")
    db.close()
    cases = ((text, "not_a_store"), (other, "not_a_store"), (newer, "newer_schema"), (tmp_path, "unreadable"),
             (tmp_path / "no" / "t.db", "unreadable"))  # fmt: skip
    for path, code in cases:
        before = path.read_bytes() if path.is_file() else None
        with pytest.raises(StoreError) as caught:
            TeachingStore(path)
        assert caught.value.code == code, path
        assert (path.read_bytes() if path.is_file() else None) == before


DECISIONS = ("propose", "accept", "reject", "retract")


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.tuples(st.sampled_from(DECISIONS), st.integers(0, 2)), max_size=25))
def test_any_order_of_steps_gives_what_a_table_of_states_says(steps: list[tuple[str, int]]) -> None:
    table = {
        ("propose", None): "candidate", ("propose", "candidate"): "candidate", ("propose", "accepted"): "accepted",
        ("propose", "rejected"): "candidate", ("propose", "retracted"): "candidate",
        ("accept", "candidate"): "accepted", ("accept", "accepted"): "accepted",
        ("reject", "candidate"): "rejected", ("reject", "rejected"): "rejected",
        ("retract", "candidate"): "retracted", ("retract", "accepted"): "retracted",
        ("retract", "retracted"): "retracted",
    }  # fmt: skip
    store, expected = TeachingStore(), dict[int, str]()
    for step, i in steps:
        wanted = table.get((step, expected.get(i)))
        try:
            if step == "propose":
                store.propose(SAID[i], by="ann")
            else:
                getattr(store, step)(SAID[i].id, by="bob")
        except ReviewError:
            assert wanted is None
        else:
            assert wanted is not None
            expected[i] = wanted
    assert {item.content: item.state for item in store.items()} == {SAID[i]: s for i, s in expected.items()}
    assert {item.content for item in store.knowledge().items} == {
        SAID[i] for i, s in expected.items() if s == "accepted"
    }
    assert [event.seq for event in store.events()] == sorted({event.seq for event in store.events()})


def test_threads_share_a_store(tmp_path: Path) -> None:
    with TeachingStore(tmp_path / "t.db") as store:

        def work(who: int) -> None:
            for content in SAID:
                store.accept(store.propose(content, by=f"t{who}").id, by=f"t{who}")

        threads = [threading.Thread(target=work, args=(who,)) for who in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        kinds = [event.kind for event in store.events()]
        assert (kinds.count("proposed"), kinds.count("accepted")) == (12, 3)


def _propose_many(path: str, who: int, count: int) -> None:
    with TeachingStore(path) as store:
        for i in range(count):
            store.propose(Content(kind="note", gloss=f"{who} says {i}"), by=f"p{who}")


def test_processes_share_a_file_and_no_event_is_lost_or_doubled(tmp_path: Path) -> None:
    path, count = tmp_path / "t.db", 10
    spawn = multiprocessing.get_context("spawn")
    workers = [spawn.Process(target=_propose_many, args=(str(path), who, count)) for who in range(4)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
        assert worker.exitcode == 0
    with TeachingStore(path) as store:
        found = sorted(item.content.gloss for item in store.items())
        assert found == sorted(f"{who} says {i}" for who in range(4) for i in range(count))
        assert len(store.events()) == 4 * count


REVIEWER = """
import sys
from cognition.teaching import Content, TeachingStore
store = TeachingStore(sys.argv[1])
start = len(store.events())
for i in range(100000):
    item = store.propose(Content(kind="relation", subject=f"s{start + i}.n.1", relation="r", object="o.n.1"), by="p")
    print("proposed", item.id, flush=True)
    store.accept(item.id, by="q")
    print("accepted", item.id, flush=True)
    if i % 3 == 0:
        store.retract(item.id, by="q")
        print("retracted", item.id, flush=True)
"""


def _kill_at_random(path: Path, times: int, seed: int) -> None:
    """Kills a reviewing process at random points; every step that it acknowledged must be in the log."""
    wait = random.Random(seed)
    acknowledged: list[tuple[str, str]] = []
    for _ in range(times):
        worker = subprocess.Popen(
            [sys.executable, "-c", REVIEWER, str(path)],
            stdout=subprocess.PIPE,
            text=True,
            cwd=Path(__file__).parents[2],
        )
        assert worker.stdout is not None
        first = worker.stdout.readline()
        time.sleep(wait.random() * 0.05)
        os.kill(worker.pid, signal.SIGKILL)
        lines = [first, *worker.stdout.read().splitlines(keepends=True)]
        worker.stdout.close()
        worker.wait()
        acknowledged += [
            (kind, item) for kind, item in (line.split() for line in lines if line.endswith("\n"))
        ]
        with TeachingStore(path) as store:
            logged = [(event.kind, event.item) for event in store.events()]
            states = {item.id: item.state for item in store.items()}
        assert len(set(logged)) == len(logged)
        assert set(acknowledged) <= set(logged)
        last = {item: kind for kind, item in logged}
        assert {item: {"proposed": "candidate"}.get(kind, kind) for item, kind in last.items()} == states


def test_a_killed_reviewer_loses_no_acknowledged_step(tmp_path: Path) -> None:
    _kill_at_random(tmp_path / "t.db", times=5, seed=1)


@pytest.mark.slow
def test_a_reviewer_killed_at_200_points_loses_no_acknowledged_step(tmp_path: Path) -> None:
    _kill_at_random(tmp_path / "t.db", times=200, seed=2)
