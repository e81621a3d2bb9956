"""Long runs: rows are those of single turns whatever shares the work out, and a broken-off run ends the same."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from cga.backend import open_backend
from cognition.config import RuntimeConfig
from cognition.packs.load import DEFAULT_PACK, load_pack
from cognition.packs.vocabulary import Vocabulary
from cognition.runtime import Runtime
from experiments.cognition_eval.batch import Tally, line_of, run_numbers
from experiments.cognition_eval.jobs import Outcome, run_here, shard_paths
from experiments.cognition_eval.prompts import SHARES, VariedPrompts
from experiments.cognition_eval.stream import Plan, Stream
from experiments.harness import UsageError
from experiments.runs.samples import iter_rows, shard_range
from tests.cognition.command import Core, runner

pytestmark = pytest.mark.cognition

CORE = [sys.executable, "-c", "from experiments.cli import main; main()", "eval", "cognition"]


def plan(**changes: Any) -> Plan:
    base = Plan(
        split="public",
        pack=DEFAULT_PACK,
        backend="numpy",
        device="cpu",
        config=RuntimeConfig(),
        arms=("off", "on"),
        repeat=4,
        batch=16,
    )
    return replace(base, **changes)


@pytest.fixture
def core(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Core:
    return runner(monkeypatch, capsys)


@pytest.fixture(scope="module")
def stream() -> Stream:
    return Stream(plan())


@pytest.fixture(scope="module")
def vocabulary() -> Vocabulary:
    return Vocabulary(load_pack(DEFAULT_PACK), open_backend("numpy"))


def lines(stream: Stream, numbers: range | None = None) -> list[str]:
    numbers = range(len(stream)) if numbers is None else numbers
    return [line_of(row) for rows in stream.batches(numbers, whole=True) for row in rows]


# Prompts


def test_prompts_are_all_different_and_depend_on_their_number_alone(vocabulary: Vocabulary) -> None:
    prompts = VariedPrompts(vocabulary)
    first = [prompts[number] for number in range(30_000)]
    assert len(set(first)) == len(first)
    assert len({prompts[len(prompts) - 1 - number] for number in range(5_000)} | set(first)) == 35_000
    again = VariedPrompts(vocabulary)
    assert [again[number] for number in range(0, 30_000, 997)] == first[::997]
    assert len(prompts) > 10_000_000


def test_prompts_come_in_the_shares_of_their_kinds(vocabulary: Vocabulary) -> None:
    prompts = VariedPrompts(vocabulary)
    whole = sum(SHARES.values())
    kinds = [prompts.kind(number) for number in range(3 * whole)]
    assert {kind: kinds.count(kind) for kind in SHARES} == {kind: 3 * share for kind, share in SHARES.items()}


def test_most_prompts_are_read_as_their_kind_and_walk(vocabulary: Vocabulary) -> None:
    """Or the rate would be that of refusals."""
    prompts = VariedPrompts(vocabulary)
    numbers = range(0, 50_000, 47)
    results = Runtime(vocabulary).run_batch([prompts[number] for number in numbers])
    assert sum(result.walk is not None for result in results) > 0.9 * len(results)
    right = sum(result.intent.value == prompts.kind(n) for n, result in zip(numbers, results, strict=True))
    assert right > 0.9 * len(results)


def test_a_number_beyond_the_last_prompt_is_an_index_error(vocabulary: Vocabulary) -> None:
    prompts = VariedPrompts(vocabulary)
    for number in (-1, len(prompts)):
        with pytest.raises(IndexError, match=str(number)):
            prompts[number]


# Rows


@pytest.mark.parametrize("batch", [1, 5, 1024])
def test_rows_do_not_depend_on_the_size_of_a_batch(batch: int, stream: Stream) -> None:
    assert lines(Stream(plan(batch=batch))) == lines(stream)


@pytest.mark.parametrize("shards", [1, 3, 7])
def test_shards_give_the_rows_of_one_process(shards: int, stream: Stream) -> None:
    parts = [lines(stream, shard_range(len(stream), shard, shards)) for shard in range(shards)]
    assert [line for part in parts for line in part] == lines(stream)


def test_each_row_is_what_its_prompt_gets_alone(stream: Stream, vocabulary: Vocabulary) -> None:
    runtimes = {
        arm: Runtime(vocabulary, RuntimeConfig(forward_graph_constraint=arm == "on")) for arm in ("off", "on")
    }
    for line in lines(stream):
        row = json.loads(line)
        alone = runtimes[row["arm"]].ask(row["prompt"])
        assert (row["hash"], row["surface"]) == (alone.trace_hash, alone.surface)
        assert row["refusal"] == (alone.refusal.code if alone.refusal else None)


def test_the_cases_are_scored_and_the_other_prompts_counted(stream: Stream) -> None:
    rows = [json.loads(line) for line in lines(stream)]
    scored = [row for row in rows if "capture" in row]
    assert [row["id"] for row in scored[:13]] == [case.id for case in stream.suite.cases]
    assert len(scored) == 26 == stream.scored
    assert len({(row["arm"], row["id"]) for row in rows}) == len(rows) == len(stream) == 104
    assert len({row["prompt"] for row in rows}) == 52


def test_counts_of_parts_add_up(stream: Stream) -> None:
    rows = [row for some in stream.batches(range(len(stream)), whole=False) for row in some]
    whole, first, second = Tally(), Tally(), Tally()
    for at, row in enumerate(rows):
        whole.add(row)
        (first if at % 3 else second).add(row)
    first.merge(second)
    assert first == whole
    assert whole.turns == whole.answered + sum(whole.refusals.values()) == 104


@pytest.mark.parametrize("batch", [1, 3, 100])
def test_a_stream_of_texts_gives_what_a_batch_gives(batch: int, vocabulary: Vocabulary) -> None:
    runtime = Runtime(vocabulary)
    prompts = VariedPrompts(vocabulary)
    texts = [prompts[number] for number in range(10)]
    asked: list[str] = []
    streamed = runtime.run_stream((asked.append(text) or text for text in texts), batch=batch)
    assert next(streamed) == runtime.ask(texts[0])
    assert len(asked) == min(batch, 10)  # no more is read than a batch
    assert list(streamed) == runtime.run_batch(texts)[1:]
    assert list(runtime.run_stream([])) == []


def test_a_stream_without_batches_is_refused(vocabulary: Vocabulary) -> None:
    with pytest.raises(ValueError, match="batch: 0"):
        Runtime(vocabulary).run_stream(["What is light?"], batch=0)


# Files


def run_all(samples: Path, **changes: Any) -> Outcome:
    return run_here(plan(**changes), 1, samples)


def test_a_run_goes_on_from_any_row_and_ends_the_same(tmp_path: Path) -> None:
    whole = tmp_path / "whole.jsonl"
    outcome = run_all(whole)
    content = whole.read_bytes()
    ends = [at + 1 for at, byte in enumerate(content) if byte == 10]
    for cut in (5, ends[0], ends[20] + 7, ends[40], len(content) - 1):
        path = tmp_path / "cut.jsonl"
        path.write_bytes(content[:cut])
        again = run_all(path, batch=7)
        assert path.read_bytes() == content
        assert again.tallies == outcome.tallies  # rows that were there are counted too
    assert run_all(whole).as_dict()["turns_per_second"] is None


def test_the_file_of_another_run_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "samples.jsonl"
    run_all(path)
    content = path.read_bytes()
    for changes, named in (
        ({"repeat": 5}, "repeat 4, not 5"),
        ({"arms": ("on",)}, "arms"),
        ({"config": RuntimeConfig(top_k=3)}, "config top_k 8, not 3"),
        ({"split": "dev"}, "suite name public, not dev"),
    ):
        with pytest.raises(UsageError, match=named):
            run_all(path, **changes)
    assert path.read_bytes() == content


def test_a_file_begun_by_another_number_of_processes_is_refused(tmp_path: Path) -> None:
    samples = tmp_path / "samples.jsonl"
    stream = Stream(plan())
    first = shard_paths(samples, 3)[0]
    run_numbers(stream, range(4), first, stream.header | {"shard": [0, 3]})
    for jobs in (1, 2):
        with pytest.raises(UsageError, match="--jobs 3"):
            run_here(plan(), jobs, samples)


# The command


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        (["--device", "gpu"], "core-cognition[cuda]"),
        (["--device", "gpu", "--backend", "numpy"], "--device gpu"),
        (["--processes", "2"], "--distributed"),
        (["--distributed", "--jobs", "2"], "--jobs"),
        (["--arms", "echo", "--batch", "2"], "off, on"),
        (["--repeat", "99999999"], "different prompts"),
        (["--repeat", "2", "--samples", "/nowhere/samples.jsonl"], "/nowhere/samples.jsonl"),
    ],
)
def test_what_can_t_be_run_is_said_in_one_line(core: Core, arguments: Sequence[str], named: str) -> None:
    done = core("eval", "cognition", *arguments)
    assert (done.code, done.out) == (2, "")
    assert named in done.err
    assert done.err.count("\n") == 1


def test_the_report_says_how_fast_it_was(core: Core, tmp_path: Path) -> None:
    samples = tmp_path / "samples.jsonl"
    done = core(
        *("eval", "cognition", "--arms", "on", "--batch", "8", "--repeat", "3", "--json"),
        *("--samples", str(samples)),
    )
    report = json.loads(done.out)
    assert report["turns_per_second"] > 0
    assert report["walked_turns_per_second"] <= report["turns_per_second"]
    assert report["throughput"]["turns"] == 26
    assert report["stream"]["on"]["turns"] == 39 == sum(1 for _ in iter_rows(samples))
    assert report["arms"]["on"]["term_capture_rate"] == report["stream"]["on"]["cases"]["capture"] == 1.0


def test_a_long_run_takes_a_process_a_core_and_a_short_one_takes_one(
    core: Core, monkeypatch: pytest.MonkeyPatch
) -> None:
    taken: list[int] = []

    def run(plan: Plan, jobs: int, samples: Path | None) -> Outcome:
        taken.append(jobs)
        return Outcome(tallies={}, turns=0, walked=0, seconds=0.0, memory=((0.0, 0.0),) * jobs)

    monkeypatch.setattr("experiments.cognition_eval.jobs.run_here", run)
    monkeypatch.setattr("experiments.harness.cores", lambda: 3)
    short, long = ("--arms", "on", "--repeat", "9"), ("--arms", "on", "--repeat", "400")
    for arguments in (
        short,
        long,
        (*long, "--jobs", "1"),
        (*short, "--jobs", "2"),
        (*long, "--backend", "jax"),
    ):
        assert core("eval", "cognition", *arguments).code == 0
    assert taken == [1, 3, 1, 2, 1]


# Several processes, killed ones and several devices: slow


def arguments(samples: Path, *more: str) -> list[str]:
    return [*CORE, "--repeat", "6", "--samples", str(samples), *more]


def samples_of(tmp_path: Path, name: str, *more: str, **variables: str) -> bytes:
    path = tmp_path / f"{name}.jsonl"
    subprocess.run(
        arguments(path, *more), env=os.environ | variables, check=True, capture_output=True, timeout=300
    )
    return path.read_bytes()


@pytest.mark.slow
def test_processes_devices_and_backends_give_one_file(tmp_path: Path) -> None:
    single = samples_of(tmp_path, "single", "--batch", "1")
    assert single.count(b"\n") == 1 + 2 * 6 * 13
    assert samples_of(tmp_path, "jobs", "--jobs", "2", "--batch", "9") == single
    eight = {"XLA_FLAGS": "--xla_force_host_platform_device_count=8"}
    assert samples_of(tmp_path, "devices", "--backend", "jax", **eight) == single
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        "devices.jsonl",
        "jobs.jsonl",
        "single.jsonl",
    ]
    with socket.socket() as free:
        free.bind(("localhost", 0))
        address = f"localhost:{free.getsockname()[1]}"
    path = tmp_path / "distributed.jsonl"
    shared = arguments(path, "--distributed", "--coordinator", address, "--processes", "2", "--json")
    running = [
        subprocess.Popen([*shared, "--process", str(number)], stdout=subprocess.PIPE, text=True)
        for number in range(2)
    ]
    said = [process.communicate(timeout=300)[0] for process in running]
    assert [process.returncode for process in running] == [0, 0]
    assert path.read_bytes() == single
    report = json.loads(said[0][said[0].index("{") :])
    assert report["stream"]["on"]["turns"] == 78
    assert "{" not in said[1]  # one report for all of them
    assert not list(tmp_path.glob("*distributed*-of-*"))


@pytest.mark.slow
@pytest.mark.parametrize("jobs", [1, 2])
def test_a_run_that_is_killed_again_and_again_ends_the_same(jobs: int, tmp_path: Path) -> None:
    more = ("--batch", "4", "--repeat", "60", "--arms", "on", "--jobs", str(jobs))
    whole = samples_of(tmp_path, "whole", *more)
    path = tmp_path / "killed.jsonl"
    kills = 0
    while True:
        process = subprocess.Popen(
            arguments(path, *more),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        before = sum(part.stat().st_size for part in tmp_path.glob("killed.jsonl*"))
        while process.poll() is None and kills < 6:
            if sum(part.stat().st_size for part in tmp_path.glob("killed.jsonl*")) > before:
                os.killpg(process.pid, signal.SIGKILL)
                kills += 1
            time.sleep(0.001)
        if process.wait(timeout=300) == 0:
            break
    assert kills >= 2
    assert path.read_bytes() == whole
    assert not list(tmp_path.glob("killed.jsonl.*"))


@pytest.mark.slow
def test_a_killed_worker_is_said_and_the_others_end(tmp_path: Path) -> None:
    path = tmp_path / "samples.jsonl"
    process = subprocess.Popen(
        arguments(path, "--repeat", "20000", "--jobs", "2"), stderr=subprocess.PIPE, text=True, stdout=-3
    )
    parts = shard_paths(path, 2)
    while process.poll() is None and not all(
        part.exists() and part.stat().st_size > 99_999 for part in parts
    ):
        time.sleep(0.05)
    children = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text(encoding="ascii").split()
    workers = [
        int(child) for child in children if b"spawn_main" in Path(f"/proc/{child}/cmdline").read_bytes()
    ]
    os.kill(workers[0], signal.SIGKILL)
    error = process.communicate(timeout=60)[1]
    assert process.returncode == 2
    assert "status -9" in error
    assert error.startswith("core: ")
    assert not any(Path(f"/proc/{worker}").exists() for worker in workers)
