"""The report of `core doctor`, for people."""

from __future__ import annotations

from typing import Any

from rich.console import Console

MARKS = {"ok": "ok", "note": "note", "warning": "WARNING", "broken": "BROKEN"}
STYLES = {"ok": "green", "note": "dim", "warning": "yellow", "broken": "bold red"}


def show(report: dict[str, Any], console: Console) -> None:
    """A line a finding, and below it how to mend what is wrong."""
    area = ""
    for finding in report["findings"]:
        state = finding["state"]
        head = finding["area"] if finding["area"] != area else ""
        area = finding["area"]
        console.print(f"{head:10}", end="")
        console.print(f"{MARKS[state]:8}", style=STYLES[state], end="")
        console.print(finding["what"], markup=False, soft_wrap=True)
        if finding["mend"]:
            console.print(f"{'':18}mend: {finding['mend']}", markup=False, soft_wrap=True)
    counts = report["counts"]
    console.print()
    if counts["broken"]:
        console.print(
            f"{counts['broken']} broken: mend what is marked BROKEN, from the top.", style="bold red"
        )
    elif counts["warning"]:
        console.print(f"usable, with {counts['warning']} warning{'s' * (counts['warning'] > 1)}")
    else:
        console.print("usable, nothing is wrong")
