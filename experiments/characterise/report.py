"""The characterisation as files, and on a terminal."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from rich import box
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from experiments.characterise.figures import save_figures
from experiments.characterise.markdown import IMAGES, markdown
from experiments.characterise.verdict import gap, what
from experiments.harness import UsageError, percent, write_text

REPORT_FILE = "characterisation.md"


def prepare(folder: Path) -> None:
    """Makes the folders of a report, before anything is measured for it.

    Raises:
        UsageError: nothing can be written there.
    """
    try:
        (folder / IMAGES).mkdir(parents=True, exist_ok=True)
        for place in (folder, folder / IMAGES):
            with tempfile.TemporaryFile(dir=place):
                pass
    except OSError as error:
        raise UsageError(f"--out {folder}: can't be written ({error.strerror})") from None


def write_report(report: Mapping[str, Any], folder: Path) -> Path:
    """Writes the page and its pictures; without matplotlib the page alone, which then says what to install.

    Raises:
        UsageError: a file can't be written.
    """
    prepare(folder)
    pictures = save_figures(report, folder / IMAGES)
    path = folder / REPORT_FILE
    write_text(path, markdown(report, pictures), "--out")
    return path


def read_report(path: Path) -> dict[str, Any]:
    """A report that was printed as JSON.

    Raises:
        UsageError: there is none in the file.
    """
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise UsageError(f"--from {path}: can't be read ({error.strerror})") from None
    except ValueError as error:
        raise UsageError(f"--from {path}: not JSON: {error}") from None
    if not isinstance(found, dict) or not {"format_version", "suite", "run"} <= set(found):
        raise UsageError(f"--from {path}: no report of core characterise --json")
    return found


def show(report: Mapping[str, Any], console: Console) -> None:
    """Prints the answers, and what top_k does."""
    pack, suite = report["run"]["pack"], report["suite"]
    console.print(
        f"characterisation of {pack['id']} {pack['version']}, split {escape(suite['split'])}: {suite['n']} cases"
    )
    for answer in report["follows"]["answers"].values():
        question, heading, rest = answer.split("**", 2)
        console.print(f"\n{escape(question)}[bold]{escape(heading)}[/bold]{escape(rest)}")
    if "top_k" in report:
        console.print(_sizes(report["top_k"]))


def _sizes(part: Mapping[str, Any]) -> Table:
    name = what(part)
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, padding=(0, 2, 0, 0))
    for heading in ("top_k", "words", "answered, %", f"{name} in 8, %", "minus free", "changed, %"):
        table.add_column(heading, justify="right")
    for label, row in (("free", part["off"]), *((str(row["top_k"]), row) for row in part["rows"])):
        on = "minus_off" in row
        table.add_row(
            label,
            f"{row['region']:.1f}" if row["region"] is not None else "-",
            percent(row["answered"]["mean"]),
            percent(row[name]["mean"]),
            gap(row["minus_off"][name]) if on else "",
            percent(row["changed"]["mean"]) if on else "",
        )
    return table
