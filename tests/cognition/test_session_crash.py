"""No acknowledged event is lost when a process is killed, and none is lost or doubled when many write at once."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from cognition import Runtime

pytestmark = pytest.mark.runtime

WORKER = Path(__file__).with_name("session_worker.py")
ROOT = Path(__file__).parents[2]


def work(*arguments: Any) -> dict[str, Any]:
    """A process of its own: it forks, which a process with the threads of other tests had better not."""
    done = subprocess.run(
        [sys.executable, str(WORKER), *map(str, arguments)],
        cwd=ROOT,
        env={"PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.splitlines()[-1])


def test_a_killed_process_loses_nothing_that_it_acknowledged(tmp_path: Path) -> None:
    check_crashes(tmp_path, 12)


@pytest.mark.slow
def test_a_process_killed_at_200_points_loses_nothing_that_it_acknowledged(tmp_path: Path) -> None:
    assert check_crashes(tmp_path, 200) > 200


def check_crashes(folder: Path, rounds: int) -> int:
    found = work("crash", folder / "s", rounds, rounds)
    assert found["faults"] == []
    assert found["acknowledged"] > 0
    assert found["replay"].startswith("match"), found["replay"]
    return found["acknowledged"]


def test_what_a_killed_chat_printed_is_in_its_file(tmp_path: Path, runtime: Runtime) -> None:
    command = [sys.executable, "-c", "from experiments.cli import main; main()", "chat", "--session"]
    process = subprocess.Popen(
        [*command, str(tmp_path / "s")], cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert process.stdin is not None
    assert process.stdout is not None
    with process.stdin, process.stdout:
        process.stdin.write("What is light?\n" * 300)
        process.stdin.flush()
        printed = [
            line.split() for _ in range(10) if (line := process.stdout.readline()).startswith("  turn")
        ]
        process.kill()
    process.wait()
    assert [int(number) for _, number, _ in printed] == [1, 2, 3, 4, 5]
    with runtime.session(tmp_path / "s") as session:
        for _, number, start in printed:
            assert session.turn(int(number)).body["trace_hash"].startswith(start)
        assert session.ask("What is memory?").number == session.store.tail("main").turn


def test_eight_processes_on_one_session_lose_and_double_nothing(tmp_path: Path) -> None:
    processes, events = 8, 10
    found = work("share", tmp_path / "s", processes, events)
    assert found["codes"] == [0] * processes
    assert [seq for seq, *_ in found["events"]] == list(range(1, processes * events + 1))
    assert [turn for _, kind, turn, _ in found["events"] if kind == "turn"] == list(
        range(1, processes * events // 2 + 1)
    )
    texts = [text for *_, text in found["events"]]
    expected = {
        f"What is light? {name}-{number}" if number % 2 else f"Light means energy of {name}-{number}"
        for name in range(processes)
        for number in range(events)
    }
    assert set(texts) == expected
    assert len(texts) == len(expected)
