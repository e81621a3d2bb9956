"""`core bench all`: one table against the peers, with machine, versions and load."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from time import perf_counter
from typing import Any, Protocol

from rich import box
from rich.console import Console
from rich.table import Table

from experiments.bench import correct, masked, peers
from experiments.bench.cga import _record
from experiments.bench.rows import PEERS, Row
from experiments.bench.tables import _facts


class _Rows(Protocol):
    def __call__(self, *, quick: bool) -> list[Row]: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Section:
    """Rows that one part of the run gives.

    Attributes:
        title: heads them.
        rows: measures them.
        note: what exactly is compared.
    """

    title: str
    rows: _Rows
    note: str


SECTIONS = (
    Section(
        title="Turns",
        rows=peers.turn_rows,
        note="The predecessor's figures are those it published, measured on another machine and by its own "
        "metrics, so no ratio is drawn. Ours: NumPy backend, first English pack.",
    ),
    Section(
        title="Algebra",
        rows=peers.algebra_rows,
        note="Elements of Cl(4,1) in float32, each side on its own multivectors. clifford computes in float64, one"
        " element at a time. A single element of ours is mostly JAX's dispatch.",
    ),
    Section(
        title="Right answers",
        rows=correct.correct_rows,
        note="Right is what the exponential of a matrix says, within 1e-9. Hard: no motion, turns by 90, 270 and "
        "almost 180 degrees, half turns with a scale and as a screw, isoclinic turns, a translation, a boost,"
        " a scale. A logarithm is right if its exponential is the rotor, sign included. clifford: exp and "
        "general_logarithm; one of the opposite sign is that of -R, which moves things as R does but is not R. "
        "kingdon: exp, written for NumPy, of what squares to a scalar.",
    ),
    Section(
        title="Nearest words",
        rows=peers.search_rows,
        note="Ours is the exact search by blocks. NumPy computes every key. FAISS: flat index, float32 inner "
        "products. hnswlib has no hyperbolic distance: Euclidean in the half-space, the best of 64 by the "
        "exact key count. Building the indices is not in the times.",
    ),
    Section(
        title="A step of the masked walk",
        rows=masked.masked_rows,
        note="The same number of words on both sides, 24 or fewer of them in a region. Theirs: the mask of allowed"
        " tokens from the state of the grammar “one or more words of the region” (each token is a whole "
        "word), and the state moved on by a token that is given; scores and the choice are the language "
        "model's and not in their time. Ours: region and visited words are intersected, the exact keys "
        "computed, the least taken, the closure of the field measured. Walks of 8 steps in 16 regions, the "
        "time a step. A new region: ours from its three anchors, by their nearest words, to the first word; "
        "theirs from the list of words, through the grammar, to the first mask. outlines-core builds the "
        "whole automaton before the first step, so that its later steps are look-ups; llguidance uses threads"
        " for many walks.",
    ),
    Section(
        title="Recognition",
        rows=peers.recognition_rows,
        note="Ours reads eight features with a span or with what was looked for in vain, learned from eight "
        "sentences. spaCy: blank English, a Matcher with two patterns by hand; it finds spans, in compiled "
        "code, and no values or reasons.",
    ),
    Section(
        title="Hierarchies",
        rows=peers.hierarchy_rows,
        note="Both trained on the transitive closure of a random tree in this process and scored by the same code "
        "(mean average precision, MAP). Our first fit compiles, which is in its time.",
    ),
)
LEGEND = (
    "Medians, least to greatest in parentheses. Both sides of a ratio take turns in one process; it is "
    "theirs / ours, above 1 where ours is the quicker."
)
HEAD = ("what is done", "ours", "peer", "theirs", "ratio", "note")


def bench_all(*, quick: bool = False, progress: Callable[[str], None] = lambda line: None) -> dict[str, Any]:
    """Measures every section, one after the other, in this process.

    Args:
        quick: fewer sizes and repeats.
        progress: is told of each section when it is done.

    Returns:
        The report, ready for JSON: ``run`` with machine, versions and the load before and after, and ``sections`` of
        rows as in `experiments.bench.rows.Row`.
    """
    run = _record()
    run["versions"] |= {peer.distribution: peer.version for peer in PEERS}
    run["load"] = [_load_average()]
    sections: list[dict[str, Any]] = []
    for section in SECTIONS:
        start = perf_counter()
        rows = [asdict(row) for row in section.rows(quick=quick)]
        seconds = perf_counter() - start
        sections.append({"title": section.title, "note": section.note, "seconds": seconds, "rows": rows})
        progress(f"{section.title}: {len(rows)} rows, {seconds:.0f} s")
    run["load"].append(_load_average())
    return {"run": run, "quick": quick, "sections": sections}


def _load_average() -> float | None:
    """Processes that wanted a processor in the last minute; None where the system doesn't say."""
    return os.getloadavg()[0] if hasattr(os, "getloadavg") else None


def show(report: dict[str, Any], console: Console) -> None:
    """Prints the report for people."""
    console.print(_about(report))
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, padding=(0, 1, 0, 0))
    for number, name in enumerate(HEAD[:-1]):
        table.add_column(name, justify="left" if number in (0, 2) else "right", overflow="fold")
    for section in report["sections"]:
        table.add_section()
        table.add_row(section["title"].upper())
        for row in section["rows"]:
            what, ours, _, theirs, ratio, note = _cells(row, spread=False)
            table.add_row(f"{what} ({note})" if note else what, ours, row["peer"], theirs, ratio)
    console.print(table)
    console.print(LEGEND)
    for section in report["sections"]:
        console.print(f"\n{section['title']}. {section['note']}")


def markdown(report: dict[str, Any]) -> str:
    """The report as a page."""
    lines = ["# Beside the peers", "", f"`core bench all`: {_about(report)}", "", LEGEND, ""]
    lines += ["| " + " | ".join(cells) + " |" for cells in (HEAD, ("---",) * len(HEAD))]
    for section in report["sections"]:
        lines.append("| " + " | ".join([f"**{section['title']}**", *[""] * (len(HEAD) - 1)]) + " |")
        lines += ["| " + " | ".join(_cells(row, spread=True)) + " |" for row in section["rows"]]
    lines += ["", "## What is compared", ""]
    lines += [f"- **{section['title']}.** {section['note']}" for section in report["sections"]]
    return "\n".join([*lines, ""])


def _about(report: dict[str, Any]) -> str:
    before, after = (("unknown" if load is None else f"{load:.1f}") for load in report["run"]["load"])
    return f"{_facts(report)}; load {before} before, {after} after{'; --quick' if report['quick'] else ''}"


def _cells(row: dict[str, Any], *, spread: bool) -> list[str]:
    theirs = _figure(row["theirs"], row["unit"], spread)
    return [
        row["what"],
        _figure(row["ours"], row["unit"], spread),
        row["peer"] if row["version"] is None else f"{row['peer']} {row['version']}",
        theirs if row["published"] is None else f"{row['published']} {row['unit']}",
        _figure(row["ratio"], "", True),
        row["note"],
    ]


def _figure(values: Mapping[str, float] | None, unit: str, spread: bool) -> str:
    if values is None:
        return "-"
    median = f"{values['median']:.3g} {unit}".strip()
    if not spread or values["n"] == 1:
        return median
    return f"{median} ({values['min']:.3g}-{values['max']:.3g})"
