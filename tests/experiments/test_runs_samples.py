"""Files of samples: whatever breaks a run off, the file that it leaves is gone on with and ends the same."""

from __future__ import annotations

import errno
import json
import os
import signal
import subprocess
import sys
import tracemalloc
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from experiments.harness import UsageError
from experiments.runs.samples import SampleLog, iter_rows, merge_shards, read_header, shard_range

HEADER = {"suite": {"name": "dev", "version": 2, "sha256": "ab"}, "arm": "on", "count": 6}
ROWS = [json.dumps({"id": str(i), "text": f"é {i}"}, ensure_ascii=False) for i in range(6)]


def written(path: Path, rows: list[str] = ROWS, header: dict[str, Any] = HEADER) -> bytes:
    with SampleLog.open(path, header) as log:
        log.append(rows)
    return path.read_bytes()


def failing(error: int) -> Callable[..., Any]:
    def fail(*arguments: Any) -> Any:
        raise OSError(error, os.strerror(error))

    return fail


def test_a_file_is_a_header_and_a_line_for_each_row(tmp_path: Path) -> None:
    lines = written(tmp_path / "a").decode().splitlines()
    assert lines[1:] == ROWS
    assert lines[0] == ('{"arm":"on","count":6,"samples":1,"suite":{"name":"dev","sha256":"ab","version":2}}')
    assert read_header(tmp_path / "a") == HEADER
    assert list(iter_rows(tmp_path / "a")) == [json.loads(row) for row in ROWS]


def test_a_file_cut_anywhere_is_gone_on_with_and_ends_the_same(tmp_path: Path) -> None:
    whole = written(tmp_path / "whole")
    ends = [at + 1 for at, byte in enumerate(whole) if byte == ord("\n")]
    for cut in range(len(whole) + 1):
        path = tmp_path / "cut"
        path.write_bytes(whole[:cut])
        with SampleLog.open(path, HEADER) as log:
            assert log.done == max(sum(end <= cut for end in ends) - 1, 0)
            assert list(log.rows()) == [json.loads(row) for row in ROWS[: log.done]]
            log.append(ROWS[log.done :])
        assert path.read_bytes() == whole


@pytest.mark.parametrize("tail", [b"\0" * 50, b"\0\n\0\n", b"{\n", b"[]\n", b"1\n{", b'{"id": "\xff"}\n'])
def test_a_tail_that_is_no_row_is_cut_off(tail: bytes, tmp_path: Path) -> None:
    whole = written(tmp_path / "a")
    (tmp_path / "a").write_bytes(whole + tail)
    assert len(list(iter_rows(tmp_path / "a"))) == len(ROWS)
    with SampleLog.open(tmp_path / "a", HEADER) as log:
        assert log.done == len(ROWS)
    assert (tmp_path / "a").read_bytes() == whole


def test_a_broken_line_before_a_whole_one_is_an_error_that_names_it(tmp_path: Path) -> None:
    lines = written(tmp_path / "a").splitlines(keepends=True)
    lines[3] = b"broken\n"
    (tmp_path / "a").write_bytes(b"".join(lines))
    for use in (lambda: SampleLog.open(tmp_path / "a", HEADER), lambda: list(iter_rows(tmp_path / "a"))):
        with pytest.raises(UsageError, match=r"a:4: is no JSON object, and whole rows come after it"):
            use()
    assert (tmp_path / "a").read_bytes() == b"".join(lines)


@pytest.mark.parametrize(
    ("header", "gap"),
    [
        (HEADER | {"suite": HEADER["suite"] | {"version": 3, "sha256": "cd"}}, "suite version 2, not 3"),
        (HEADER | {"suite": HEADER["suite"] | {"name": "public"}, "count": 1}, "suite name dev, not public"),
        (HEADER | {"arm": "off", "count": 7}, "arm on, not off"),
        (HEADER | {"config": {"top_k": 8}}, 'config unset, not {"top_k": 8}'),
        ({"suite": HEADER["suite"], "count": 6}, "arm on, not unset"),
    ],
)
def test_a_file_of_another_header_is_refused_with_both_values(
    header: dict[str, Any], gap: str, tmp_path: Path
) -> None:
    whole = written(tmp_path / "a")
    with pytest.raises(UsageError) as refused:
        SampleLog.open(tmp_path / "a", header)
    assert f"a: is a record of {gap};" in str(refused.value)
    assert (tmp_path / "a").read_bytes() == whole


@pytest.mark.parametrize(
    ("content", "what"),
    [
        (b"id,text\n", "is no file of samples"),
        (b"{}\n", "is no file of samples"),
        (b"x", "is no file of samples"),
        (b'{"samples": 9}\n', "is in format 9 of samples, not 1"),
    ],
)
def test_a_file_of_something_else_is_left_as_it_is(content: bytes, what: str, tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(content)
    with pytest.raises(UsageError, match=what):
        SampleLog.open(tmp_path / "a", HEADER)
    assert (tmp_path / "a").read_bytes() == content


def test_two_can_not_write_one_file(tmp_path: Path) -> None:
    with SampleLog.open(tmp_path / "a", HEADER) as log:
        log.append(ROWS[:2])
        with pytest.raises(UsageError, match="is being written by another process"):
            SampleLog.open(tmp_path / "a", HEADER)
        log.append(ROWS[2:])
    assert (tmp_path / "a").read_bytes() == written(tmp_path / "b")


def test_half_a_surrogate_pair_is_written_as_its_escape(tmp_path: Path) -> None:
    row = {"id": "\ud800", "text": "é"}
    written(tmp_path / "a", [json.dumps(row, ensure_ascii=False)])
    assert list(iter_rows(tmp_path / "a")) == [row]


@pytest.mark.parametrize("row", ["", "1", '{"a": 1}\n', '{"a":\n1}', "[]"])
def test_a_row_that_is_no_object_on_one_line_is_a_fault_of_the_caller(row: str, tmp_path: Path) -> None:
    with SampleLog.open(tmp_path / "a", HEADER) as log:
        with pytest.raises(ValueError, match="one JSON object on one line"):
            log.append([ROWS[0], row])
        assert log.done == 0
    with pytest.raises(ValueError, match="is closed"):
        log.append(ROWS)


@pytest.mark.parametrize("name", ["pwrite", "fsync"])
@pytest.mark.parametrize("error", [errno.ENOSPC, errno.EROFS, errno.EACCES, errno.EIO])
def test_a_disk_that_fails_loses_no_row_that_was_reported(
    name: str, error: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    log = SampleLog.open(tmp_path / "a", HEADER)
    log.append(ROWS[:2])
    with monkeypatch.context() as patched:
        patched.setattr(os, name, failing(error))
        with pytest.raises(UsageError) as refused:
            log.append(ROWS[2:4])
    assert f"({os.strerror(error)}); 2 rows are safe in it, and the same command goes on" in str(
        refused.value
    )
    assert len(list(iter_rows(tmp_path / "a"))) == 2
    with SampleLog.open(tmp_path / "a", HEADER) as log:
        log.append(ROWS[log.done :])
    assert (tmp_path / "a").read_bytes() == written(tmp_path / "b")


def test_a_disk_that_fails_in_the_middle_of_a_row_is_gone_on_with(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real, room = os.pwrite, 20

    def fill(descriptor: int, content: Any, at: int) -> int:
        nonlocal room
        if not room:
            raise OSError(errno.ENOSPC, "No space left on device")
        count = real(descriptor, content[:room], at)
        room -= count
        return count

    log = SampleLog.open(tmp_path / "a", HEADER)
    log.append(ROWS[:2])
    with monkeypatch.context() as patched:
        patched.setattr(os, "pwrite", fill)
        patched.setattr(os, "ftruncate", failing(errno.EIO))
        with pytest.raises(UsageError, match="2 rows are safe"):
            log.append(ROWS[2:4])
    assert (tmp_path / "a").read_bytes() != b"".join((tmp_path / "a").read_bytes().splitlines(True)[:3])
    with SampleLog.open(tmp_path / "a", HEADER) as log:
        assert log.done == 2
        log.append(ROWS[2:])
    assert (tmp_path / "a").read_bytes() == written(tmp_path / "b")


LIMITED = """
import json, resource, sys
from pathlib import Path
from experiments.harness import UsageError
from experiments.runs.samples import SampleLog
path, limit = Path(sys.argv[1]), int(sys.argv[2])
resource.setrlimit(resource.RLIMIT_FSIZE, (limit, resource.RLIM_INFINITY))
rows = [json.dumps({"id": str(i)}) for i in range(50)]
try:
    with SampleLog.open(path, {"count": 50}) as log:
        while log.done < 50:
            log.append(rows[log.done : log.done + 7])
except UsageError as error:
    sys.exit(str(error))
"""


def test_a_file_that_may_not_grow_is_gone_on_with_once_it_may(
    tmp_path: Path, user_env: dict[str, str]
) -> None:
    def run(name: str, limit: int) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-c", LIMITED, str(tmp_path / name), str(limit)]
        return subprocess.run(command, capture_output=True, text=True, timeout=60, env=user_env, check=False)

    full = run("a", 300)
    assert full.returncode == 1
    assert "(File too large); 21 rows are safe in it" in full.stderr
    assert run("a", 1 << 20).returncode == run("b", 1 << 20).returncode == 0
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()


def test_a_place_that_can_not_be_written_is_an_error_of_the_user(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for path, why in (
        (tmp_path, "Is a directory"),
        (tmp_path / "none" / "a", "No such file"),
        (Path("/dev/null"), "is no regular file"),
    ):
        with pytest.raises(UsageError, match=why):
            SampleLog.open(path, HEADER)
    monkeypatch.setattr(os, "open", failing(errno.EROFS))
    with pytest.raises(UsageError, match=r"a: can't be written \(Read-only file system\)"):
        SampleLog.open(tmp_path / "a", HEADER)


ENDLESS = """
import json, sys, time
from pathlib import Path
from experiments.runs.samples import SampleLog
with SampleLog.open(Path(sys.argv[1]), {"count": 3000}) as log:
    print("open", flush=True)
    while log.done < 3000:
        log.append([json.dumps({"id": str(i), "text": "x" * 500}) for i in range(log.done, log.done + 10)])
"""


@pytest.mark.slow
def test_a_process_killed_again_and_again_ends_with_the_same_file(
    tmp_path: Path, user_env: dict[str, str]
) -> None:
    command = [sys.executable, "-c", ENDLESS]
    subprocess.run(
        [*command, str(tmp_path / "whole")], timeout=120, env=user_env, check=True, stdout=subprocess.DEVNULL
    )
    path, done = tmp_path / "killed", []
    while True:
        run = subprocess.Popen([*command, str(path)], env=user_env, stdout=subprocess.PIPE)
        assert run.stdout is not None
        run.stdout.readline()
        try:
            run.wait(0.05)
        except subprocess.TimeoutExpired:
            run.send_signal(signal.SIGKILL)
            run.wait()
        run.stdout.close()
        done.append(len(list(iter_rows(path))))
        if run.returncode == 0:
            break
    assert len(done) > 2, "was never killed in the middle"
    assert done == sorted(done)
    assert path.read_bytes() == (tmp_path / "whole").read_bytes()


def test_opening_and_reading_takes_no_more_memory_for_more_rows(tmp_path: Path) -> None:
    row = json.dumps({"id": "x", "text": "y" * 200})
    with SampleLog.open(tmp_path / "a", {}) as log:
        for _ in range(40):
            log.append([row] * 500)
    tracemalloc.start()
    try:
        with SampleLog.open(tmp_path / "a", {}) as log:
            assert log.done == sum(1 for _ in log.rows()) == 20_000
        assert tracemalloc.get_traced_memory()[1] < 500_000
    finally:
        tracemalloc.stop()


@given(count=st.integers(0, 30), shards=st.integers(1, 8))
def test_shards_are_contiguous_cover_all_and_differ_by_one_at_most(count: int, shards: int) -> None:
    ranges = [shard_range(count, shard, shards) for shard in range(shards)]
    assert [i for part in ranges for i in part] == list(range(count))
    sizes = {len(part) for part in ranges}
    assert max(sizes) - min(sizes) <= 1


def sharded(folder: Path, shards: int) -> list[Path]:
    paths = [folder / f"{shards}-{shard}" for shard in range(shards)]
    for shard, path in enumerate(paths):
        part = [ROWS[i] for i in shard_range(len(ROWS), shard, shards)]
        written(path, part, HEADER | {"shard": [shard, shards]})
    return paths


@pytest.mark.parametrize("shards", [1, 2, 3, 6, 8])
def test_shards_put_together_are_the_file_of_one_process(shards: int, tmp_path: Path) -> None:
    paths = sharded(tmp_path, shards)
    assert merge_shards(paths[::-1], tmp_path / "out") == len(ROWS)
    assert (tmp_path / "out").read_bytes() == written(tmp_path / "whole")
    assert not list(tmp_path.glob(".*"))


def test_shards_that_are_no_whole_run_are_refused(tmp_path: Path) -> None:
    paths = sharded(tmp_path, 3)
    whole = tmp_path / "whole"
    written(whole)
    other = tmp_path / "other"
    written(other, ROWS[2:4], HEADER | {"shard": [1, 3], "arm": "off"})
    twice = tmp_path / "twice"
    twice.write_bytes(paths[0].read_bytes())
    short = tmp_path / "short"
    short.write_bytes(paths[2].read_bytes()[:-3])
    for given_paths, what in (
        ([], "no files of shards"),
        ([whole], r"whole: is no shard of a run \(shard: null\)"),
        (paths[:2], "shard 2 of 3 is not there"),
        ([paths[0], other, paths[2]], "other: is a record of arm off, not on, as .*3-0 is"),
        ([*paths, twice], "twice: is shard 0 of 3, and so is .*3-0"),
        ([*paths[:2], short], "short: is not finished: 1 of 2 rows"),
        ([*paths[:2], tmp_path / "none"], "none: can't be read"),
    ):
        with pytest.raises(UsageError, match=what):
            merge_shards(given_paths, tmp_path / "out")
        assert not (tmp_path / "out").exists()
    with (
        SampleLog.open(paths[1], HEADER | {"shard": [1, 3]}),
        pytest.raises(UsageError, match="being written"),
    ):
        merge_shards(paths, tmp_path / "out")
    with pytest.raises(UsageError, match="can't be written"):
        merge_shards(paths, tmp_path / "none" / "out")
