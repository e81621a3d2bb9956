"""Processes that chat, teach, review and take back on one file, for tests that kill them.

Usage: session_worker.py crash FILE ROUNDS SEED
       session_worker.py share FILE PROCESSES EVENTS

It prints one JSON object. A child acknowledges an event by a line, written after the call has returned.
"""

from __future__ import annotations

import json
import os
import random
import signal
import sys
import time
from pathlib import Path
from typing import Any

from cognition import Runtime
from cognition.replay import Sources
from cognition.session import Session, SessionStore
from cognition.session.export import export_session, replay_session
from cognition.teaching import TeachingStore
from cognition.teaching.layer import review_check

PROMPTS = (
    "What is light?",
    "Does memory require recall?",
    "What is a wombat?",
    "No, light requires darkness.",
)
LONGEST = 0.2


def chat(path: Path, pipe: int, rng: random.Random) -> None:
    """Works until it is killed."""
    teaching = TeachingStore(path)
    runtime = Runtime(VOCABULARY, teaching_store=teaching)
    with Session.open(path, runtime, "main") as session:
        os.write(pipe, b'{"open": true}\n')
        for round_ in range(10_000):
            acknowledge(pipe, act(session, teaching, rng, round_))


def act(session: Session, teaching: TeachingStore, rng: random.Random, round_: int) -> dict[str, Any]:
    kind = rng.choice(["ask", "ask", "teach", "review", "undo"])
    if kind == "teach":
        words = f"{rng.choice(WORDS)} requires {rng.choice(WORDS)}."
        try:
            event = session.teach(words)
        except ValueError:
            return {}
        return {"seq": event.seq, "kind": "teach", "item": event.body["item"]}
    if kind == "review":
        waiting = teaching.items("candidate")
        if not waiting:
            return {}
        item = rng.choice(waiting)
        try:
            decided = (
                teaching.accept(item.id, by="reviewer", check=review_check(VOCABULARY))
                if rng.random() < 0.5
                else teaching.reject(item.id, by="reviewer")
            )
        except ValueError:
            return {}
        return {"review": decided.id, "state": decided.state}
    if kind == "undo" and round_ % 5 == 0 and next(session.history(), None) is not None:
        return {"undone": session.undo().seq}
    turn = session.ask(rng.choice(PROMPTS))
    return {"seq": turn.events[0].seq, "kind": "turn", "hash": turn.result.trace_hash}


def acknowledge(pipe: int, record: dict[str, Any]) -> None:
    os.write(pipe, json.dumps(record).encode() + b"\n")


def crash(path: Path, rounds: int, seed: int) -> dict[str, Any]:
    """Starts a child, kills it at a random moment, and looks at what it acknowledged; again and again on one file."""
    rng = random.Random(seed)
    acknowledged = 0
    faults: list[str] = []
    states: dict[str, str] = {}
    for _ in range(rounds):
        reader, writer = os.pipe()
        pid = os.fork()
        if pid == 0:
            os.close(reader)
            try:
                chat(path, writer, random.Random(rng.random()))
            finally:
                os._exit(1)
        os.close(writer)
        opened = b""
        if rng.random() < 0.8:  # else it may be killed while it opens the file, or makes it
            opened = os.read(reader, 1)
        time.sleep(rng.uniform(0, LONGEST))
        os.kill(pid, signal.SIGKILL)
        if os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) != -signal.SIGKILL:
            faults.append("a child ended by itself")
        with os.fdopen(reader, "rb") as lines:
            told = [json.loads(line) for line in (opened + lines.read()).split(b"\n")[:-1]]
        acknowledged += sum(bool(record) for record in told)
        faults += missing(path, told, states)
    found = replay_session(*exported(path)) if acknowledged else None
    return {"acknowledged": acknowledged, "faults": faults, "replay": str(found)}


def missing(path: Path, told: list[dict[str, Any]], states: dict[str, str]) -> list[str]:
    """What was acknowledged and is not there; what is there and should not be."""
    faults: list[str] = []
    with SessionStore(path) as store, TeachingStore(path) as teaching:
        events = {event.seq: event for event in store.events("main")}
        undone = store.undone("main")
        items = {item.id: item for item in teaching.items()}
    if list(events) != list(range(1, len(events) + 1)):
        faults.append(f"seq {list(events)}")
    turns = [event.turn for event in events.values() if event.kind == "turn"]
    if turns != list(range(1, len(turns) + 1)):
        faults.append(f"turns {turns}")
    for record in told:
        if "seq" in record:
            event = events.get(record["seq"])
            if event is None or event.kind != record["kind"]:
                faults.append(f"lost {record}")
            elif "hash" in record and event.body["trace_hash"] != record["hash"]:
                faults.append(f"other hash {record}")
            if "item" in record and record["item"] not in items:
                faults.append(f"lost item {record}")
        elif "undone" in record and record["undone"] not in undone:
            faults.append(f"lost undo {record}")
        elif "review" in record:
            states[record["review"]] = record["state"]
            if items[record["review"]].decided_by == "":
                decided = [e for e in reviews(path, record["review"]) if e == record["state"]]
                if not decided:
                    faults.append(f"lost review {record}")
    return faults


def reviews(path: Path, item: str) -> list[str]:
    with TeachingStore(path) as teaching:
        return [event.kind for event in teaching.events() if event.item == item]


def exported(path: Path) -> tuple[dict[str, Any], Sources]:
    with SessionStore(path) as store:
        return export_session(store, "main"), Sources(teaching=[TeachingStore(path)])


def share(path: Path, processes: int, events: int) -> dict[str, Any]:
    """Lets processes write to one session at once, from a file that none of them has made yet."""
    children = []
    for name in range(processes):
        pid = os.fork()
        if pid == 0:
            code = 1
            try:
                with Session.open(
                    path, Runtime(VOCABULARY, teaching_store=TeachingStore(path)), "main"
                ) as session:
                    for number in range(events):
                        if number % 2:
                            session.ask(f"What is light? {name}-{number}")
                        else:
                            session.teach(f"Light means energy of {name}-{number}")
                code = 0
            finally:
                os._exit(code)
        children.append(pid)
    codes = [os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) for pid in children]
    with SessionStore(path) as store:
        found = [
            [event.seq, event.kind, event.turn, event.body.get("input") or event.body["text"]]
            for event in store.events("main")
        ]
    return {"codes": codes, "events": found}


VOCABULARY = Runtime.open().vocabulary
WORDS = tuple(sense.lemma for sense in VOCABULARY.senses if sense.pos == "noun")[:60]

if __name__ == "__main__":
    mode, file, first, second = sys.argv[1:]
    work = {"crash": crash, "share": share}[mode]
    sys.stdout.write(json.dumps(work(Path(file), int(first), int(second))) + "\n")
