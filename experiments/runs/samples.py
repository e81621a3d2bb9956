"""Results by sample, one JSON object a line, in a file that grows as a run goes on and outlives its end.

The first line is the header: all that the rows depend on, in canonical form. A row is there once its line feed is on
disk, so a process that is killed, or a disk that is full, leaves whole rows and at most one torn line behind. Neither
header nor rows hold a time: the file of a run that was broken off and gone on with has the bytes of one that was not.
"""

from __future__ import annotations

import fcntl
import json
import os
import stat
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from types import TracebackType
from typing import Any, BinaryIO

from experiments.harness import UsageError
from recognition._recognizer import canonical_json

FORMAT = 1
FORMAT_FIELD = "samples"
SHARD_FIELD = "shard"
LONGEST_HEADER = 1 << 20
LONGEST_SHOWN = 60


class SampleLog:
    """A file of samples that is being written, by this process alone: a lock is held until it is closed or ends.

    Attributes:
        path: the file.
        header: what the rows depend on.
        done: how many rows are in the file, whole and on disk.
    """

    __slots__ = ("_descriptor", "_size", "done", "header", "path")

    def __init__(
        self, path: Path, header: Mapping[str, Any], *, descriptor: int, size: int, done: int
    ) -> None:
        self.path = path
        self.header = header
        self.done = done
        self._descriptor: int | None = descriptor
        self._size = size

    @classmethod
    def open(cls, path: Path, header: Mapping[str, Any]) -> SampleLog:
        """Begins a file, or goes on with one that a run with the same header left; a torn end is cut off.

        Args:
            path: in a folder that is there.
            header: what the rows depend on, such as suite, pack and configuration; its order is the order in which
                differences are looked for.

        Raises:
            UsageError: the file can't be written, is being written by another process, is none of samples, is one of
                another header (the first field that differs is named, with both values), or has a broken line before
                a whole one.
        """
        first = _header_line(header)
        try:
            new = not path.exists()
            descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
        except OSError as error:
            raise UsageError(f"{path}: can't be written ({error.strerror})") from None
        try:
            if not stat.S_ISREG(os.fstat(descriptor).st_mode):
                raise UsageError(f"{path}: is no regular file")
            _lock(descriptor, path, fcntl.LOCK_EX)
            done, size = _what_is_there(descriptor, path, header, first)
            log = cls(path, header, descriptor=descriptor, size=size, done=done)
            try:
                if os.fstat(descriptor).st_size != size:
                    os.ftruncate(descriptor, size)
                if not size:
                    log._write(first)
                if new:
                    _sync_folder(path.parent)
            except OSError as error:
                raise log._broken_off(error) from None
        except BaseException:
            os.close(descriptor)
            raise
        return log

    def append(self, lines: Sequence[str]) -> None:
        """Writes rows and waits until they are on disk.

        Args:
            lines: each a JSON object on one line, without its line feed. Half of a surrogate pair is written as its
                escape.

        Raises:
            UsageError: the disk is full or can't be written. No row of this call is in the file then, and all before
                are; the log is closed, and `open` goes on with it.
            ValueError: a row is not one line or no object, or the log is closed; nothing is written.
        """
        if self._descriptor is None:
            raise ValueError(f"{self.path}: is closed")
        if not lines:
            return
        if any("\n" in line or line[:1] != "{" or line[-1:] != "}" for line in lines):
            raise ValueError(f"{self.path}: a row is one JSON object on one line")
        try:
            self._write("".join(f"{line}\n" for line in lines).encode("utf-8", "backslashreplace"))
        except OSError as error:
            problem = self._broken_off(error)
            self.close()
            raise problem from None
        self.done += len(lines)

    def rows(self) -> Iterator[dict[str, Any]]:
        """The rows that are in the file, one by one."""
        return iter_rows(self.path, most=self.done)

    def close(self) -> None:
        """Gives the file up to other processes; again does nothing."""
        if self._descriptor is not None:
            os.close(self._descriptor)
            self._descriptor = None

    def __enter__(self) -> SampleLog:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _write(self, content: bytes) -> None:
        assert self._descriptor is not None
        at, left = self._size, memoryview(content)
        while left:
            written = os.pwrite(self._descriptor, left, at)
            at, left = at + written, left[written:]
        os.fsync(self._descriptor)
        self._size = at

    def _broken_off(self, error: OSError) -> UsageError:
        """Cuts off what was written by half, where that can still be done; the next `open` does it else."""
        assert self._descriptor is not None
        try:
            os.ftruncate(self._descriptor, self._size)
        except OSError:
            pass
        return UsageError(
            f"{self.path}: can't be written ({error.strerror}); {self.done} rows are safe in it, and the same command "
            "goes on from there once there is room"
        )


def read_header(path: Path) -> dict[str, Any]:
    """The header of a file of samples, without its format.

    Raises:
        UsageError: the file can't be read, or is none of samples in this format.
    """
    with _opened(path) as file:
        return _parse_header(file.readline(LONGEST_HEADER), path)


def iter_rows(path: Path, *, most: int | None = None) -> Iterator[dict[str, Any]]:
    """The rows of a file of samples one by one, without those of a torn end.

    Args:
        path: the file.
        most: stop after so many.

    Raises:
        UsageError: as `read_header`, or a broken line stands before a whole one.
    """
    with _opened(path) as file:
        _parse_header(file.readline(LONGEST_HEADER), path)
        for number, (row, _) in enumerate(_rows(file, path)):
            if number == most:
                return
            yield row


def write_samples(path: Path, header: Mapping[str, Any], rows: Iterable[Mapping[str, Any]]) -> int:
    """Writes samples that are all there already, and gives their number.

    Raises:
        OSError: the file can't be written.
    """
    count = 0
    with path.open("wb") as file:
        file.write(_header_line(header))
        for row in rows:
            line = json.dumps(row, ensure_ascii=False, allow_nan=False)
            file.write(f"{line}\n".encode("utf-8", "backslashreplace"))
            count += 1
        file.flush()
        os.fsync(file.fileno())
    return count


def shard_range(count: int, shard: int, shards: int) -> range:
    """Which of ``count`` samples the process ``shard`` of ``shards`` scores: contiguous, all alike but for one."""
    return range(count * shard // shards, count * (shard + 1) // shards)


def merge_shards(paths: Sequence[Path], out: Path) -> int:
    """Puts the files of all shards of a run together to the file that one process would have written.

    Args:
        paths: in any order. The header of each says ``shard``: [which, of how many]; all else in it is the same. Its
            rows are those of `shard_range`, where the header says a ``count`` of all samples.
        out: is whole or not there.

    Returns:
        The number of rows.

    Raises:
        UsageError: a file can't be used, belongs to another run, is there twice, lacks, is not finished or is being
            written; ``out`` can't be written.
    """
    headers = {path: read_header(path) for path in paths}
    ordered = _ordered(headers)
    header = {name: value for name, value in headers[ordered[0]].items() if name != SHARD_FIELD}
    part = out.with_name(f".{out.name}.{os.getpid()}")
    total = 0
    try:
        with ExitStack() as stack:
            files = [stack.enter_context(_opened(path)) for path in ordered]
            target = stack.enter_context(part.open("wb"))
            target.write(_header_line(header))
            for shard, (path, file) in enumerate(zip(ordered, files, strict=True)):
                _lock(file.fileno(), path, fcntl.LOCK_SH)
                rows = _copy(file, path, target)
                if isinstance(count := header.get("count"), int):
                    expected = len(shard_range(count, shard, len(ordered)))
                    if rows != expected:
                        raise UsageError(f"{path}: is not finished: {rows} of {expected} rows")
                total += rows
            target.flush()
            os.fsync(target.fileno())
        os.replace(part, out)
    except OSError as error:
        raise UsageError(f"{out}: can't be written ({error.strerror})") from None
    finally:
        part.unlink(missing_ok=True)
    return total


def _ordered(headers: Mapping[Path, Mapping[str, Any]]) -> list[Path]:
    """The files of all shards of one run, in the order of their rows."""
    if not headers:
        raise UsageError("no files of shards to put together")
    first, *_ = headers
    places: dict[int, Path] = {}
    for path, header in headers.items():
        match header.get(SHARD_FIELD):
            case [int(shard), int(shards)] if 0 <= shard < shards:
                pass
            case given:
                raise UsageError(f"{path}: is no shard of a run ({SHARD_FIELD}: {_shown(given)})")
        expected = {**headers[first], SHARD_FIELD: [shard, headers[first][SHARD_FIELD][1]]}
        if (gap := _first_difference(header, expected)) is not None:
            raise UsageError(f"{path}: is a record of {gap}, as {first} is")
        if shard in places:
            raise UsageError(f"{path}: is shard {shard} of {shards}, and so is {places[shard]}")
        places[shard] = path
    wanted = headers[first][SHARD_FIELD][1]
    if missing := sorted(set(range(wanted)) - set(places)):
        raise UsageError(
            f"shard {missing[0]} of {wanted} is not there; given: {', '.join(map(str, headers))}"
        )
    return [places[shard] for shard in range(wanted)]


def _copy(file: BinaryIO, path: Path, target: BinaryIO) -> int:
    _parse_header(file.readline(LONGEST_HEADER), path)
    count = 0
    for _, line in _rows(file, path):
        target.write(line)
        count += 1
    return count


def _opened(path: Path) -> BinaryIO:
    try:
        return path.open("rb")
    except OSError as error:
        raise UsageError(f"{path}: can't be read ({error.strerror})") from None


def _lock(descriptor: int, path: Path, kind: int) -> None:
    try:
        fcntl.flock(descriptor, kind | fcntl.LOCK_NB)
    except BlockingIOError:
        raise UsageError(f"{path}: is being written by another process") from None
    except OSError as error:
        raise UsageError(f"{path}: can't be locked ({error.strerror})") from None


def _sync_folder(folder: Path) -> None:
    """A new file's name is on disk only once its folder is."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _what_is_there(descriptor: int, path: Path, header: Mapping[str, Any], first: bytes) -> tuple[int, int]:
    """The whole rows of a file that is to be gone on with, and the bytes to keep; 0 and 0 to begin anew."""
    with os.fdopen(os.dup(descriptor), "rb") as file:
        file.seek(0)
        line = file.readline(LONGEST_HEADER)
        if line != first:
            if first.startswith(line):  # empty, or killed while the header was written
                return 0, 0
            found = _parse_header(line, path)
            gap = _first_difference(found, json.loads(json.dumps(header)))
            raise UsageError(f"{path}: is a record of {gap or 'a header in another form'}; give another file")
        count, size = 0, len(first)
        for _, row in _rows(file, path):
            count += 1
            size += len(row)
    return count, size


def _rows(file: BinaryIO, path: Path) -> Iterator[tuple[dict[str, Any], bytes]]:
    """Whole rows, parsed and as they stand; a broken line is an error where a whole one comes after it."""
    broken = None
    for number, line in enumerate(file, 2):
        row = _parse(line)
        if row is None:
            broken = number if broken is None else broken
        elif broken is not None:
            raise UsageError(f"{path}:{broken}: is no JSON object, and whole rows come after it")
        else:
            yield row, line


def _parse(line: bytes) -> dict[str, Any] | None:
    if not line.endswith(b"\n"):
        return None
    try:
        found = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None


def _header_line(header: Mapping[str, Any]) -> bytes:
    text = canonical_json({**header, FORMAT_FIELD: FORMAT})
    return f"{text}\n".encode("utf-8", "backslashreplace")


def _parse_header(line: bytes, path: Path) -> dict[str, Any]:
    found = _parse(line)
    if found is None or FORMAT_FIELD not in found:
        raise UsageError(f"{path}: is no file of samples: its first line is no header")
    given = found.pop(FORMAT_FIELD)
    if given != FORMAT:
        raise UsageError(f"{path}: is in format {_shown(given)} of samples, not {FORMAT}")
    return found


def _first_difference(found: Mapping[str, Any], expected: Mapping[str, Any], within: str = "") -> str | None:
    """The first field that differs, in the order of what is expected: ``suite version 1, not 2``."""
    for name in dict.fromkeys((*expected, *found)):
        label = f"{within}{name}"
        if name not in found or name not in expected:
            there = _shown(found[name]) if name in found else "unset"
            return f"{label} {there}, not {_shown(expected[name]) if name in expected else 'unset'}"
        mine, wanted = found[name], expected[name]
        if mine == wanted:
            continue
        if isinstance(mine, Mapping) and isinstance(wanted, Mapping):
            return _first_difference(mine, wanted, f"{label} ")
        return f"{label} {_shown(mine)}, not {_shown(wanted)}"
    return None


def _shown(value: Any) -> str:
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return text if len(text) <= LONGEST_SHOWN else f"{text[: LONGEST_SHOWN - 1]}…"
