"""`core bench session`: opening a long session, asking in it, taking back, listing; on a file made for it."""

from __future__ import annotations

import platform
from collections.abc import Sequence
from datetime import UTC, datetime
from itertools import cycle, islice
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from rich.console import Console

from cognition.runtime import Runtime
from cognition.session import Session, SessionStore
from cognition.session.events import Draft
from cognition.session.session import turn_body
from cognition.session.store import Tail
from experiments.bench.turn import PROMPTS, _shown, _summary, _times
from experiments.harness import git_state, machine, pack_record, versions

EVENTS = 100_000
UNDO_EVERY = 50
OPENINGS = 30
TURNS = 200
CHUNK = 10_000


def bench_session(pack: str, *, events: int = EVENTS) -> dict[str, Any]:
    """Times a session of many events, in a file in the temporary folder.

    Args:
        pack: id or folder.
        events: how many the session has; one in `UNDO_EVERY` is an undo, the others are turns with their whole traces.

    Returns:
        The report, ready for JSON; times in milliseconds as median, 99th percentile and number of samples.

    Raises:
        PackError: the pack can't be opened.
    """
    runtime = Runtime.open([pack])
    with TemporaryDirectory() as folder:
        path = Path(folder) / "session"
        made = _times(lambda: _make(path, runtime, events), 1, warm=False)
        size = path.stat().st_size
        return {
            "run": {
                "time": datetime.now(UTC).isoformat(timespec="seconds"),
                "git": git_state(),
                "versions": versions(),
                "platform": platform.platform(),
                "machine": machine(),
                "pack": pack_record(runtime.vocabulary.pack),
            },
            "events": events,
            "file_megabytes": size / 1e6,
            "made_s": made[0] / 1000,
            "open_ms": _summary(_times(lambda: _open(path, runtime), OPENINGS)),
            "open_and_graph_ms": _summary(_times(lambda: _open(path, runtime, graph=True), OPENINGS)),
            **_used(path, runtime),
        }


def _make(path: Path, runtime: Runtime, events: int) -> None:
    bodies = cycle([turn_body(runtime.ask(prompt), runtime) for prompt in PROMPTS])
    with SessionStore(path) as store:
        for start in range(0, events, CHUNK):
            count = min(CHUNK, events - start)

            def compose(tail: Tail, count: int = count) -> Sequence[Draft]:
                drafts: list[Draft] = []
                turn = tail.turn
                for place, body in enumerate(islice(bodies, count), tail.seq + 1):
                    if place % UNDO_EVERY == 0:
                        drafts.append(Draft(kind="undo", turn=turn, target=place - 1))
                    else:
                        turn += 1
                        drafts.append(Draft(kind="turn", turn=turn, body=body))
                return drafts

            store.append("main", compose)


def _open(path: Path, runtime: Runtime, *, graph: bool = False) -> None:
    """What a user waits for before the first prompt: the file checked, the session found, its last turn read."""
    with Session.open(path, runtime) as session:
        assert session.last_turn() is not None
        if graph:
            assert session.graph.nodes == ()


def _used(path: Path, runtime: Runtime) -> dict[str, Any]:
    with Session.open(path, runtime) as session:
        prompts = cycle(PROMPTS)
        return {
            "turn_alone_ms": _summary(_times(lambda: runtime.ask(next(prompts)), TURNS)),
            "turn_kept_ms": _summary(_times(lambda: session.ask(next(prompts)), TURNS)),
            "undo_ms": _summary(_times(session.undo, OPENINGS)),
            "history_ms": _summary(_times(lambda: session.latest(20), OPENINGS)),
            "list_ms": _summary(_times(session.store.sessions, OPENINGS)),
        }


ROWS = (
    ("open, last turn read", "open_ms"),
    ("open, epistemic graph rebuilt", "open_and_graph_ms"),
    ("warm turn, not kept", "turn_alone_ms"),
    ("warm turn, on disk when it returns", "turn_kept_ms"),
    ("undo", "undo_ms"),
    ("last 20 turns", "history_ms"),
    ("list the sessions of the file", "list_ms"),
)


def show(report: dict[str, Any], console: Console) -> None:
    """Prints the report for people."""
    run = report["run"]
    known = ", ".join(f"{name} {version}" for name, version in run["versions"].items() if version)
    console.print(f"{run['machine']}; {run['platform']}; {known}")
    console.print(
        f"a session of {report['events']:,} events, {report['file_megabytes']:.0f} MB; milliseconds, median (p99)"
    )
    for label, key in ROWS:
        console.print(f"  {label:36} {_shown(report[key])}")
