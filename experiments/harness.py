"""The record of a run: what ran, on what, with which versions; and how results are written."""

from __future__ import annotations

import json
import os
import platform
import subprocess
import sys
from dataclasses import asdict
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from rich.console import Console

from cognition.packs.load import Pack
from cognition.runtime import Runtime

ROOT = Path(__file__).parent.parent
PIPE_WIDTH = 100


class UsageError(ValueError):
    """Something the user asked for that can't be done as asked; the command ends with one line and status 2."""


def run_record(runtime: Runtime) -> dict[str, Any]:
    """What a reader needs to run the same again."""
    backend = runtime.vocabulary.backend.name
    return {
        **environment(),
        "backend": backend,
        "device": device(backend),
        "pack": pack_record(runtime.vocabulary.pack),
        "config": asdict(runtime.config),
    }


def environment() -> dict[str, Any]:
    """When and where: the part of the record that needs no runtime."""
    return {
        "git": git_state(),
        "versions": versions(),
        "platform": platform.platform(),
        "machine": machine(),
        "time": datetime.now(UTC).isoformat(timespec="seconds"),
    }


def pack_record(pack: Pack) -> dict[str, str]:
    """Which pack: id, version and digest."""
    return {"id": pack.manifest.id, "version": pack.manifest.version, "sha256": pack.sha256}


def versions() -> dict[str, str | None]:
    """Versions of Python, of this distribution and of the array libraries; None for one that is not installed."""
    found: dict[str, str | None] = {"python": platform.python_version()}
    for name, distribution in (("core", "core-cognition"), ("jax", "jax"), ("numpy", "numpy")):
        try:
            found[name] = version(distribution)
        except PackageNotFoundError:
            found[name] = None
    return found


def git_state() -> dict[str, Any]:
    """Commit of the installed project and whether the checkout differs from it; None outside a checkout."""
    top = _git("rev-parse", "--show-toplevel")
    if top is None or Path(top).resolve() != ROOT.resolve():
        return {"commit": None, "dirty": None}
    return {"commit": _git("rev-parse", "--verify", "HEAD"), "dirty": bool(_git("status", "--porcelain"))}


def _git(*arguments: str) -> str | None:
    try:
        done = subprocess.run(
            ["git", "-C", str(ROOT), *arguments], capture_output=True, text=True, timeout=10, check=True
        )
    except (OSError, subprocess.SubprocessError):
        return None
    return done.stdout.strip()


def machine() -> str:
    """The processor and how many of its cores this process may use."""
    return f"{_processor()}, {cores()} cores"


def cores() -> int:
    """How many cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _processor() -> str:
    try:
        for line in Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    except OSError:
        pass
    return platform.processor() or platform.machine()


def device(backend: str) -> str:
    """Where a backend computes."""
    if backend != "jax":
        return "cpu"
    import jax

    found = jax.devices()[0]
    return f"{found.platform}: {found.device_kind}"


def write_json(path: Path, record: dict[str, Any]) -> None:
    """Writes a result so that the file is either whole or not there.

    Raises:
        UsageError: the file can't be written.
    """
    write_text(path, to_json(record) + "\n", "--out")


def write_text(path: Path, text: str, option: str) -> None:
    """Writes a text so that the file is either whole or not there.

    Raises:
        UsageError: the file that ``option`` names can't be written.
    """
    part = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        part.write_text(text, encoding="utf-8")
        os.replace(part, path)
    except OSError as error:
        part.unlink(missing_ok=True)
        raise UsageError(f"{option} {path}: can't be written ({error.strerror})") from None


def to_json(record: dict[str, Any]) -> str:
    """A result as one JSON object."""
    return json.dumps(record, ensure_ascii=False, indent=2, allow_nan=False)


def console() -> Console:
    """A console for people: styled on a terminal, plain where there is none or where NO_COLOR is set."""
    plain = bool(os.environ.get("NO_COLOR")) or not sys.stdout.isatty()
    return Console(
        color_system=None if plain else "auto",
        highlight=False,
        width=None if sys.stdout.isatty() else PIPE_WIDTH,
    )


def percent(rate: float | None) -> str:
    """A rate in per cent; a dash where it is undefined."""
    return "-" if rate is None else f"{100 * rate:.1f}"
