"""The checks of `core doctor`, in the order in which they are shown."""

from __future__ import annotations

import importlib.util
import os
import platform
import shutil
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from importlib.metadata import PackageNotFoundError
from pathlib import Path
from typing import Any

from experiments.doctor.findings import Finding, run_check, shown
from experiments.doctor.requirements import (
    DISTRIBUTION,
    Requirement,
    fits,
    installed,
    of_extra,
    python_range,
    requirements,
)

CACHE = "JAX_COMPILATION_CACHE_DIR"
LEAST_MEMORY = 1 << 30
"""Bytes; below it, a pack of all of WordNet and JAX side by side may not fit."""
USES = {
    "bench": "benchmarks beside other libraries",
    "cuda": "NVIDIA GPUs",
    "dev": "tests and checks",
    "docs": "the documentation",
    "import": "`core pack import`",
    "notebooks": "the notebooks",
    "oracle": "comparisons with other implementations",
}
NVIDIA = (Path("/proc/driver/nvidia/version"), Path("/dev/nvidia0"))


def examine(files: Sequence[Path] = ()) -> dict[str, Any]:
    """Looks at everything.

    Args:
        files: session files; none given means those named ``*.sqlite`` in the working folder.

    Returns:
        ``usable`` (nothing is broken), ``counts`` by state, and ``findings``. Never raises.
    """
    from dataclasses import asdict

    from experiments.doctor.findings import STATES
    from experiments.doctor.stores import check_files

    checks: dict[str, Callable[[], Iterator[Finding]]] = {
        "python": check_python,
        "packages": check_packages,
        "extras": check_extras,
        "machine": check_machine,
        "devices": check_devices,
        "cache": partial(check_cache, os.environ),
        "packs": check_packs,
        "results": check_results,
        "sessions": partial(check_files, files),
        "command": check_command,
        "terminal": check_terminal,
    }
    findings = [finding for area, check in checks.items() for finding in run_check(area, check)]
    counts = {state: sum(finding.state == state for finding in findings) for state in STATES}
    return {
        "usable": counts["broken"] == 0,
        "counts": counts,
        "findings": [asdict(finding) for finding in findings],
    }


def check_python() -> Iterator[Finding]:
    """Python against what the installed metadata asks for."""
    running, wanted = platform.python_version(), ""
    try:
        wanted = python_range()
    except PackageNotFoundError:
        pass  # `check_packages` says so
    right = fits(running, wanted)
    yield Finding(
        area="python",
        state="ok" if right else "broken",
        what=f"{platform.python_implementation()} {running}{f' (needs {wanted})' if wanted else ''}",
        mend=""
        if right
        else "make a virtual environment with a Python of that range, and install CORE there",
    )


def check_packages() -> Iterator[Finding]:
    """CORE and what it can't do without, and what JAX asks for of its own compiled part."""
    found = installed(DISTRIBUTION)
    if found is None:
        yield Finding(
            area="packages",
            state="warning",
            what=f"{DISTRIBUTION} is not installed: it runs from its folder, and no ranges are known",
            mend="pip install -e . in that folder",
        )
        return
    yield Finding(area="packages", state="ok", what=f"{DISTRIBUTION} {found}")
    needed = [requirement for requirement in requirements() if requirement.extra is None]
    if installed("jax") is not None:
        needed += [r for r in requirements("jax") if r.name == "jaxlib" and r.extra is None]
    for requirement in needed:
        yield _required(requirement)


def _required(requirement: Requirement) -> Finding:
    found = installed(requirement.name)
    right = found is not None and fits(found, requirement.wanted)
    needs = f" (needs {requirement.wanted})" if requirement.wanted else ""
    return Finding(
        area="packages",
        state="ok" if right else "broken",
        what=f"{requirement.name} {found or 'is missing'}{needs}",
        mend="" if right else f"pip install '{requirement.spec}'",
    )


def check_extras() -> Iterator[Finding]:
    """Which optional parts are there."""
    try:
        extras = of_extra(requirements())
    except PackageNotFoundError:
        return  # `check_packages` says so
    for extra, needed in sorted(extras.items()):
        lacking = [r for r in needed if (v := installed(r.name)) is None or not fits(v, r.wanted)]
        use = f" ({USES[extra]})" if extra in USES else ""
        if extra == "cuda" and not _cuda_plugin():
            lacking = [Requirement(name="the CUDA plugin of jax", wanted="", extra=extra)]
        if not lacking:
            yield Finding(area="extras", state="ok", what=f"{extra}{use}")
            continue
        count = "all" if len(lacking) == len(needed) else f"{len(lacking)} of {len(needed)}"
        names = ", ".join(requirement.name for requirement in lacking[:3])
        yield Finding(
            area="extras",
            state="note",
            what=f"{extra}{use}: {count} missing: {names}{', ...' if len(lacking) > 3 else ''}",
            mend=f"pip install '{DISTRIBUTION}[{extra}]'",
        )


def _cuda_plugin() -> bool:
    return any(importlib.util.find_spec(f"jax_cuda{n}_plugin") is not None for n in (12, 13))


def check_machine() -> Iterator[Finding]:
    """Cores and memory."""
    from experiments.harness import machine

    yield Finding(area="machine", state="ok", what=f"{platform.system()} {platform.machine()}, {machine()}")
    total, free = (_memory(name) for name in ("MemTotal", "MemAvailable"))
    if total is None or free is None:
        return
    tight = free < LEAST_MEMORY
    yield Finding(
        area="machine",
        state="warning" if tight else "ok",
        what=f"{total / 2**30:.1f} GiB of memory, {free / 2**30:.1f} GiB free",
        mend="end other programs before large packs, fits or batches" if tight else "",
    )


def _memory(name: str) -> int | None:
    """Bytes, of Linux's own table; None elsewhere."""
    try:
        for line in Path("/proc/meminfo").read_text(encoding="ascii").splitlines():
            if line.startswith(f"{name}:"):
                return int(line.split()[1]) * 1024
    except OSError:
        pass
    return None


def check_devices() -> Iterator[Finding]:
    """Where JAX computes, and a GPU that it does not see."""
    import jax

    devices = jax.devices()
    kinds = {f"{device.platform}: {device.device_kind}" for device in devices}
    yield Finding(
        area="devices",
        state="ok",
        what=f"JAX has {len(devices)} device{'s' * (len(devices) > 1)}: {', '.join(sorted(kinds))}",
    )
    if any(device.platform != "cpu" for device in devices):
        return
    if not (any(path.exists() for path in NVIDIA) or shutil.which("nvidia-smi")):
        return
    chosen = os.environ.get("JAX_PLATFORMS")
    if chosen:
        mend = f"unset JAX_PLATFORMS, which is {chosen!r}"
    elif _cuda_plugin():
        mend = "`python -c 'import jax; jax.devices(\"cuda\")'` says why; often the driver is too old"
    else:
        mend = f"pip install '{DISTRIBUTION}[cuda]'"
    yield Finding(
        area="devices", state="warning", what="an NVIDIA GPU is here, and JAX does not see it", mend=mend
    )


def check_cache(environment: Mapping[str, str]) -> Iterator[Finding]:
    """Where JAX keeps what it compiled."""
    named = environment.get(CACHE)
    if not named:
        yield Finding(
            area="cache",
            state="note",
            what=f"{CACHE} is not set: each process compiles anew",
            mend=f'export {CACHE}="$HOME/.cache/jax" keeps what takes JAX long to compile',
        )
        return
    folder = Path(named)
    if _writable(folder):
        yield Finding(area="cache", state="ok", what=f"compiled code is kept in {shown(folder)}")
        return
    yield Finding(
        area="cache",
        state="warning",
        what=f"{CACHE}: {shown(folder)} can't be written: nothing is kept",
        mend=f"name a folder of your own, or unset {CACHE}",
    )


def _writable(folder: Path) -> bool:
    """Whether files can be made in a folder, or in the first one above it that is there."""
    for place in (folder, *folder.absolute().parents):
        if place.exists():
            return place.is_dir() and os.access(place, os.W_OK | os.X_OK)
    return False


def check_packs() -> Iterator[Finding]:
    """Each shipped pack: its text, its digests, and its compiled form where it has one."""
    from cognition.packs.compiled import COMPILED_FILE, check_pack
    from cognition.packs.load import PackError, available_packs, pack_folder

    names = available_packs()
    again = f"pip install --force-reinstall --no-deps {DISTRIBUTION}; in a checkout: git restore cognition/packs/data"
    if not names:
        yield Finding(
            area="packs", state="broken", what="no pack is installed: nothing can be answered", mend=again
        )
    for name in names:
        try:
            pack = check_pack(name)
        except PackError as error:
            yield Finding(area="packs", state="broken", what=f"{name}: {error}", mend=again)
            continue
        compiled = ", compiled" if (pack_folder(name) / COMPILED_FILE).is_file() else ""
        yield Finding(
            area="packs",
            state="ok",
            what=f"{name} {pack.manifest.version}, {len(pack.senses)} senses{compiled}, {pack.sha256[:12]}",
        )


def check_results() -> Iterator[Finding]:
    """The folder of results."""
    from experiments.runs.store import VARIABLE, results_folder

    folder = results_folder()
    right = _writable(folder)
    there = "" if folder.exists() else ", made by the first run that is recorded"
    yield Finding(
        area="results",
        state="ok" if right else "warning",
        what=f"{shown(folder)}{there}" if right else f"{shown(folder)} can't be written",
        mend="" if right else f"export {VARIABLE}=DIR names another folder",
    )


def check_command() -> Iterator[Finding]:
    """Whether the shell finds this `core`."""
    # Not resolved: the python of a virtual environment is a link out of it.
    beside = Path(sys.executable).parent
    found = shutil.which("core")
    if found is not None and Path(found).parent.resolve() == beside.resolve():
        yield Finding(area="command", state="ok", what=f"core is {shown(Path(found))}")
        return
    other = "is not on the PATH" if found is None else f"on the PATH is another one: {shown(Path(found))}"
    yield Finding(
        area="command",
        state="warning",
        what=f"core {other}",
        mend=f'export PATH="{shown(beside, "$HOME")}:$PATH"',
    )


def check_terminal() -> Iterator[Finding]:
    """Whether all letters can be shown."""
    encoding = (sys.stdout.encoding or "unknown").lower()
    right = encoding.replace("-", "") in ("utf8", "utf8sig")
    yield Finding(
        area="terminal",
        state="ok" if right else "warning",
        what=f"output is {encoding}{'' if right else ': letters that it lacks are shown as ?'}",
        mend="" if right else "export PYTHONUTF8=1",
    )
