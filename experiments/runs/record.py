"""The record of one run: what ran, on what, with which figures; one JSON file, checked when it is read."""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any

from pydantic import BaseModel, ConfigDict, ValidationError

from experiments.harness import UsageError, environment
from experiments.metrics.suites import SuiteVersion, version_of
from recognition._recognizer import canonical_json

FORMAT = 1
HASH_DIGITS = 8
SAMPLES = ".samples.jsonl"
_NO_FIGURES = ("run", "suite", "pack", "versions")
_OF_THE_RECORD = ("git", "versions", "platform", "machine", "time", "backend", "device", "pack", "config")


class _Part(BaseModel):
    """Unknown fields are errors and types are not coerced."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


class SuiteRecord(_Part):
    """The cases: name, version (a number, or ``sha256:...`` for a file of the user's), digest."""

    name: str
    version: int | str
    sha256: str


class PackRecord(_Part):
    """The pack that answered."""

    id: str
    version: str
    sha256: str


class GitRecord(_Part):
    """The commit, and whether the checkout differed from it; None outside a checkout."""

    commit: str | None
    dirty: bool | None


class SampleFile(_Part):
    """The file of samples beside the record; its name follows from the record's id."""

    file: str
    rows: int
    sha256: str


class RunRecord(_Part):
    """One run.

    Attributes:
        format: of this record.
        id: the time to the second, and a digest of all else in the record but the name of the samples' file.
        command: what was typed.
        time: UTC, ISO 8601.
        suite, git, versions, platform, machine, pack: what ran where.
        backend, device: where the geometry was computed; None where a run has none.
        config: settings of the runtime.
        execution: how it ran otherwise, such as the size of batches; changes no sample.
        metrics: every figure of the report under its path, ``arms.on.term_capture_rate``; null where undefined.
        summary: the report without its cases.
        samples: None where the report has no cases.
    """

    format: int
    id: str
    command: list[str]
    time: str
    suite: SuiteRecord
    git: GitRecord
    versions: dict[str, str | None]
    platform: str
    machine: str
    backend: str | None
    device: str | None
    pack: PackRecord | None
    config: dict[str, Any]
    execution: dict[str, Any]
    metrics: dict[str, int | float | None]
    summary: dict[str, Any]
    samples: SampleFile | None


def make_record(
    report: Mapping[str, Any], *, suite: SuiteVersion, samples: tuple[int, str] | None, command: Sequence[str]
) -> RunRecord:
    """The record of a report; what its ``run`` lacks is taken from where this process runs.

    Args:
        report: what an evaluation gives.
        suite: of which cases.
        samples: how many, and the digest of their file.
        command: as typed.
    """
    run = {**environment(), **report.get("run", {})}
    content: dict[str, Any] = {
        "format": FORMAT,
        "command": list(command),
        "suite": {"name": suite.name, "version": suite.version, "sha256": suite.sha256},
        **{name: run.get(name) for name in _OF_THE_RECORD},
        "pack": run.get("pack", report.get("pack")),
        "config": run.get("config") or {},
        "execution": {name: value for name, value in run.items() if name not in _OF_THE_RECORD},
        "metrics": metrics_of(report),
        "summary": _without_cases({name: v for name, v in report.items() if name not in _NO_FIGURES}),
        "samples": None if samples is None else {"rows": samples[0], "sha256": samples[1]},
    }
    content = json.loads(json.dumps(content))
    moment = datetime.fromisoformat(run["time"]).strftime("%Y%m%dT%H%M%SZ")
    content["id"] = f"{moment}-{_digest(content)}"
    if samples is not None:
        content["samples"]["file"] = f"{content['id']}{SAMPLES}"
    return RunRecord.model_validate(content)


def parse_record(content: bytes, name: str) -> RunRecord:
    """Reads a record and checks it against its own id.

    Raises:
        UsageError: it is no record, one of another format, or was changed after it was written.
    """
    try:
        data = json.loads(content)
    except (ValueError, RecursionError) as error:
        raise UsageError(f"{name}: not JSON: {error}") from None
    if not isinstance(data, dict) or "format" not in data:
        raise UsageError(f"{name}: is no record of a run")
    if data["format"] != FORMAT:
        raise UsageError(f"{name}: is in format {data['format']!r} of records; this core reads {FORMAT}")
    try:
        record = RunRecord.model_validate(data)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        where = ".".join(map(str, first["loc"]))
        raise UsageError(f"{name}: {where}: {first['msg']}") from None
    if _digest(data) != record.id.rpartition("-")[2]:
        raise UsageError(
            f"{name}: was changed after it was written: its content has not the digest of its id"
        )
    return record


def _digest(record: Mapping[str, Any]) -> str:
    """Of all but the id and what is made from it."""
    content = {name: value for name, value in record.items() if name != "id"}
    if content["samples"] is not None:
        content["samples"] = {name: value for name, value in content["samples"].items() if name != "file"}
    return _sha256(content)[:HASH_DIGITS]


def _sha256(value: Mapping[str, Any]) -> str:
    return hashlib.sha256(canonical_json(value).encode("utf-8", "backslashreplace")).hexdigest()


def metrics_of(report: Mapping[str, Any]) -> dict[str, int | float | None]:
    """Every number of a report under its path; null for one that is named in ``undefined`` beside it."""
    return {
        name: value
        for key, part in report.items()
        if key not in _NO_FIGURES
        for name, value in _figures(key, part)
    }


def _figures(path: str, value: Any) -> Iterator[tuple[str, int | float | None]]:
    if value is None or (isinstance(value, (int, float)) and not isinstance(value, bool)):
        yield path, value if value is None or math.isfinite(value) else None
    elif isinstance(value, Mapping):
        undefined = value.get("undefined", ())
        for name, part in value.items():
            yield from _figures(f"{path}.{name}", None if name in undefined else part)
    elif isinstance(value, list) and not _holds_rows(value):
        for place, part in enumerate(value):
            yield from _figures(f"{path}.{place}", part)


def _holds_rows(value: list[Any]) -> bool:
    return any(isinstance(part, (Mapping, list)) for part in value)


def _without_cases(value: Any) -> Any:
    if isinstance(value, Mapping):
        kept = {
            k: v for k, v in value.items() if not (k == "cases" and isinstance(v, list) and _holds_rows(v))
        }
        return {name: _without_cases(part) for name, part in kept.items()}
    return value


def samples_of(report: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """The cases of a report's arms as samples, each with its arm."""
    for arm, figures in report.get("arms", {}).items():
        for case in figures.get("cases", ()):
            yield {"arm": arm, **case}


def hashed(samples: Iterable[Mapping[str, Any]]) -> Iterator[dict[str, Any]]:
    """Samples with a ``hash`` of what the system did: that of its trace, or of the sample where there is none."""
    for sample in samples:
        row = dict(sample)
        trace_hash = row.pop("trace_hash", None)
        row.setdefault("hash", trace_hash or _sha256(row))
        yield row


def suite_in(report: Mapping[str, Any]) -> SuiteVersion:
    """The suite that a report names by its split and digest.

    Raises:
        KeyError: it names none.
    """
    suite = report["suite"]
    return SuiteVersion(name=suite["split"], version=version_of(suite["sha256"]), sha256=suite["sha256"])
