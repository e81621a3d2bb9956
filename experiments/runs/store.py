"""The folder of results: a record and a file of samples for each run, by id."""

from __future__ import annotations

import hashlib
import os
import shutil
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from experiments.harness import ROOT, UsageError, to_json, write_text
from experiments.metrics.suites import SuiteVersion
from experiments.runs.record import (
    SAMPLES,
    RunRecord,
    hashed,
    make_record,
    parse_record,
    samples_of,
    suite_in,
)
from experiments.runs.samples import iter_rows, write_samples
from recognition._recognizer import canonical_json

VARIABLE = "CORE_RESULTS"
UNFINISHED = "unfinished-"
LATEST = "latest"
HOW_TO = "core eval cognition --record makes one"
SHOWN = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class Damaged:
    """A record that can't be read, and why."""

    file: str
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Runs:
    """What is in a folder of results.

    Attributes:
        records: the newest first.
        damaged: records that can't be read.
        unfinished: files of samples of runs that are going on or were broken off.
    """

    records: tuple[RunRecord, ...]
    damaged: tuple[Damaged, ...]
    unfinished: tuple[str, ...]


def results_folder(given: Path | None = None) -> Path:
    """The folder given, or that of ``CORE_RESULTS``, or of the checkout, or ``core-results`` where one stands."""
    if given is not None:
        return given
    if named := os.environ.get(VARIABLE):
        return Path(named)
    if (ROOT / ".git").exists():
        return ROOT / "experiments" / "results"
    return Path("core-results")


def unfinished_path(folder: Path, header: Mapping[str, Any]) -> Path:
    """Where the samples of a run lie while it goes on: the same command finds them again."""
    digest = hashlib.sha256(canonical_json(header).encode("utf-8", "backslashreplace")).hexdigest()
    return folder / f"{UNFINISHED}{digest[:12]}{SAMPLES}"


def record_report(
    report: Mapping[str, Any],
    samples: Path | Iterable[Mapping[str, Any]] | None,
    folder: Path,
    *,
    suite: SuiteVersion | None = None,
    command: Sequence[str] | None = None,
) -> Path:
    """Writes the record of a finished run, and its samples beside it.

    Args:
        report: what an evaluation gives; where and on what it ran is in its ``run``.
        samples: a finished file of samples, which is moved if it lies in the folder and else copied; or rows, each with
            an ``id`` of its own within its ``arm``; or None for the cases of the report's arms, if it has any.
        folder: of results; is made where it is not there.
        suite: what was run; None for the suite that the report names.
        command: as typed; None for this process's.

    Returns:
        The record's file. It is written last: where it is, all of the run is.

    Raises:
        UsageError: the folder can't be written. The report is as it was, and a file of samples too.
    """
    suite = suite if suite is not None else suite_in(report)
    command = command if command is not None else ["core", *sys.argv[1:]]
    part = folder / f".{os.getpid()}{SAMPLES}"
    whole = folder / f".{os.getpid()}.json"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        source = _finished(report, samples, folder, part, suite)
        found = None if source is None else (sum(1 for _ in iter_rows(source)), _sha256(source))
        record = make_record(report, suite=suite, samples=found, command=command)
        path = folder / f"{record.id}.json"
        write_text(whole, to_json(record.model_dump()) + "\n", "record")
        if source is not None and record.samples is not None:
            _move_both(source, folder / record.samples.file, whole, path)
        else:
            os.replace(whole, path)
    except (OSError, UsageError) as error:
        reason = error.strerror if isinstance(error, OSError) else error
        raise UsageError(
            f"results {folder}: the run is not recorded, but its report is whole: {reason}"
        ) from None
    finally:
        for left in (part, whole):
            try:
                left.unlink(missing_ok=True)
            except OSError:
                pass
    return path


def _move_both(samples: Path, samples_to: Path, record: Path, record_to: Path) -> None:
    """The record last; where that fails, the samples go back to where the same command finds them."""
    os.replace(samples, samples_to)
    try:
        os.replace(record, record_to)
    except OSError:
        os.replace(samples_to, samples)
        raise


def _finished(
    report: Mapping[str, Any],
    samples: Path | Iterable[Mapping[str, Any]] | None,
    folder: Path,
    part: Path,
    suite: SuiteVersion,
) -> Path | None:
    """The file of samples as it will be moved to its name; None where there are no samples."""
    if isinstance(samples, Path):
        if samples.parent.resolve() == folder.resolve():
            return samples
        return Path(shutil.copyfile(samples, part))
    run = report.get("run", {})
    header = {
        "suite": asdict(suite),
        "pack": run.get("pack", report.get("pack")),
        "config": run.get("config"),
    }
    rows = samples_of(report) if samples is None else samples
    return part if write_samples(part, header, hashed(rows)) else None


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def read_runs(folder: Path) -> Runs:
    """All that is in a folder of results; nothing, where it is not there.

    Raises:
        UsageError: the folder can't be read.
    """
    records: list[RunRecord] = []
    damaged: list[Damaged] = []
    try:
        names = sorted(os.listdir(folder)) if folder.exists() else []
    except OSError as error:
        raise UsageError(f"results {folder}: can't be read ({error.strerror})") from None
    for name in names:
        if name.endswith(".json") and not name.startswith("."):
            try:
                records.append(_read(folder / name))
            except UsageError as error:
                damaged.append(Damaged(file=name, reason=str(error).removeprefix(f"{name}: ")))
    records.sort(key=lambda record: (record.time, record.id), reverse=True)
    unfinished = tuple(name for name in names if name.startswith(UNFINISHED) and name.endswith(SAMPLES))
    return Runs(records=tuple(records), damaged=tuple(damaged), unfinished=unfinished)


def _read(path: Path) -> RunRecord:
    try:
        content = path.read_bytes()
    except OSError as error:
        raise UsageError(f"{path.name}: can't be read ({error.strerror})") from None
    return parse_record(content, path.name)


def find_run(folder: Path, name: str) -> RunRecord:
    """The run that a name means: ``latest``, or the beginning of an id or of the digest at its end.

    Raises:
        UsageError: no run, or several, are called so, or the one that is can't be read.
    """
    runs = read_runs(folder)
    if name == LATEST and runs.records:
        return runs.records[0]
    found = {record.id: record for record in runs.records if _is_called(record.id, name)}
    for broken in runs.damaged:
        if _is_called(broken.file.removesuffix(".json"), name):
            raise UsageError(f"run {name}: {broken.file}: {broken.reason}")
    if len(found) == 1:
        return next(iter(found.values()))
    if found:
        listed = ", ".join(sorted(found)[:SHOWN])
        raise UsageError(
            f"run {name}: {len(found)} are called so: {listed}{', ...' if len(found) > SHOWN else ''}"
        )
    if not runs.records:
        raise UsageError(f"run {name}: {folder} has no runs; {HOW_TO}")
    raise UsageError(f"run {name}: none in {folder} is called so; core runs list shows all")


def _is_called(run_id: str, name: str) -> bool:
    return bool(name) and (run_id.startswith(name) or run_id.rpartition("-")[2].startswith(name))


def open_samples(folder: Path, record: RunRecord) -> Iterator[dict[str, Any]] | None:
    """The samples of a run, checked against the record, one by one; None where it has none.

    Raises:
        UsageError: the file is not there, or not the one that was recorded.
    """
    if record.samples is None:
        return None
    path = folder / record.samples.file
    try:
        digest = _sha256(path)
    except OSError as error:
        raise UsageError(f"run {record.id}: {path}: can't be read ({error.strerror})") from None
    if digest != record.samples.sha256:
        raise UsageError(f"run {record.id}: {path}: was changed after it was recorded")
    return iter_rows(path)
