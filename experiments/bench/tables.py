"""The reports of `core bench cga` and `core bench search` as tables, for a terminal and for Markdown."""

from __future__ import annotations

from typing import Any

from rich import box
from rich.console import Console
from rich.table import Table

Rows = list[list[str]]

CGA_HEAD = [
    "case",
    "batch",
    "dtype",
    "ours, ms",
    "beside",
    "theirs, ms",
    "ratio",
    "aim",
    "of bound",
    "compile, ms",
]
SEARCH_HEAD = [
    "words",
    "queries",
    "blocks, ms",
    "nearest, ms",
    "numpy, ms",
    "FAISS, ms",
    "hnswlib, ms",
    "numpy / blocks",
    "FAISS / blocks",
    "hnswlib / blocks",
    "FAISS / nearest",
    "aim",
    "FAISS agrees",
    "hnswlib agrees",
    "compile, ms",
]
CGA_NOTE = (
    "Medians, least to greatest in parentheses. A ratio is theirs / ours of neighbouring calls. "
    "Both sides take and return their own multivectors. clifford works on float64, one element at a time. "
    "Of bound: the share of the time that memory traffic (M) or arithmetic (F) alone would take, by the limits below; "
    "a batch that stays in cache can exceed that of memory."
)
SEARCH_NOTE = (
    "k = 8; random words, those asked for among them. Medians of milliseconds for all queries of a call, least to "
    "greatest in parentheses; a ratio is theirs / ours of neighbouring turns in one process. Blocks and nearest are "
    "ours and exact, and so is numpy (all keys in float64, argpartition). FAISS (IndexFlatIP) ranks float32 inner "
    "products. hnswlib (M 16, ef_construction 100, ef 128) searches half-space coordinates by Euclidean distance, as "
    "it has no hyperbolic one; the best of its 64 by the exact key count. Agrees: the share of the exact nearest that "
    "was found. Building is not in the times:"
)


def show_cga(report: dict[str, Any], console: Console) -> None:
    """Prints the report of `core bench cga`."""
    _show(report, console, [(CGA_HEAD, _cga_rows(report))], CGA_NOTE)


def show_search(report: dict[str, Any], console: Console) -> None:
    """Prints the report of `core bench search`: medians, and below the ratios, as all columns are too many to read."""
    rows = _search_rows(report)
    tables = []
    for first, last, spread in ((2, 7, False), (7, 12, True), (12, len(SEARCH_HEAD), True)):
        some = [*range(2), *range(first, last)]
        shown = [[row[at] if spread else row[at].split(" (")[0] for at in some] for row in rows]
        tables.append(([SEARCH_HEAD[at] for at in some], shown))
    _show(report, console, tables, _search_note(report))


def markdown_cga(report: dict[str, Any]) -> str:
    """The report of `core bench cga` as a page."""
    limits = "".join(
        f"\n- {dtype}: {limit['gigabytes_per_second']:.1f} GB/s of memory traffic, {limit['gigaflops']:.0f} gigaflops"
        for dtype, limit in report["limits"].items()
    )
    note = f"{CGA_NOTE}\n\nLimits, measured in the same run, of the machine:\n{limits}"
    return _markdown("Algebra", report, CGA_HEAD, _cga_rows(report), note, "core bench cga")


def markdown_search(report: dict[str, Any]) -> str:
    """The report of `core bench search` as a page."""
    return _markdown(
        "Nearest words", report, SEARCH_HEAD, _search_rows(report), _search_note(report), "core bench search"
    )


def _cga_rows(report: dict[str, Any]) -> Rows:
    return [
        [
            row["case"],
            f"{row['batch']:,}",
            row["dtype"],
            _spread(row["ours_ms"]),
            row["rival"] or "-",
            _spread(row.get("theirs_ms")),
            _spread(row.get("ratio")),
            _aim(row["aim"]),
            f"{100 * row['share_of_bound']:.0f} % {row['bound'][0].upper()}",
            f"{row['compile_ms']:.0f}",
        ]
        for row in report["rows"]
    ]


def _search_note(report: dict[str, Any]) -> str:
    built = "".join(
        f"\n- {row['words']:,} words: "
        + ", ".join(f"{name} {row[name]:,.0f} ms" for name in row if name not in ("words", "numpy"))
        for row in report["indices"]
    )
    return f"{SEARCH_NOTE}\n{built}"


def _search_rows(report: dict[str, Any]) -> Rows:
    return [
        [
            f"{row['words']:,}",
            f"{row['queries']:,}",
            *(
                _spread(row["times_ms"].get(name))
                for name in ("blocks", "nearest", "numpy", "faiss", "hnswlib")
            ),
            *(_spread(row["ratios"].get(f"{name}/blocks")) for name in ("numpy", "faiss", "hnswlib")),
            _spread(row["ratios"].get("faiss/nearest")),
            _aim(row["aim"]),
            *(_share(row["agree"].get(name)) for name in ("faiss", "hnswlib")),
            f"{row['compile_ms']:.0f}",
        ]
        for row in report["rows"]
    ]


def _share(value: float | None) -> str:
    return "-" if value is None else f"{100 * value:.1f} %"


def _spread(values: dict[str, float] | None) -> str:
    if values is None:
        return "-"
    return f"{values['median']:.3g} ({values['min']:.3g}-{values['max']:.3g})"


def _aim(aim: float | None) -> str:
    return "-" if aim is None else f">= {aim:g}"


def _facts(report: dict[str, Any]) -> str:
    run = report["run"]
    known = ", ".join(f"{name} {version}" for name, version in run["versions"].items() if version)
    return f"{run['time']}; {run['machine']}; {run['device']}; {known}"


def _show(report: dict[str, Any], console: Console, tables: list[tuple[list[str], Rows]], note: str) -> None:
    console.print(_facts(report))
    for head, rows in tables:
        table = Table(box=box.SIMPLE_HEAD, pad_edge=False, padding=(0, 1, 0, 0))
        for number, name in enumerate(head):
            table.add_column(name, justify="left" if number == 0 else "right")
        for row in rows:
            table.add_row(*row)
        console.print(table)
    console.print(note)


def _markdown(
    title: str, report: dict[str, Any], head: list[str], rows: Rows, note: str, command: str
) -> str:
    lines = ["| " + " | ".join(row) + " |" for row in (head, ["---"] * len(head), *rows)]
    return "\n".join([f"# {title}", "", f"`{command}`: {_facts(report)}", "", note, "", *lines, ""])
