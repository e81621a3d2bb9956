"""The report of recognition for people."""

from __future__ import annotations

from typing import Any

from rich import box
from rich.console import Console
from rich.table import Table

from experiments.recognition_eval.suite import LAYERS
from experiments.recognition_eval.word_problems import PROBLEMS

__all__ = ["show"]

_LABELS = {
    "taught_features": "features of the taught examples, value and span",
    "positives": "new sentences admitted, every value and span",
    "refused_at_layer": "new sentences refused at their layer",
    "phase1": "first phase: one admitted, one refused",
}


_RATES = {"right": "right", "layer 2": "refused_2", "layer 1": "refused_1", "wrong": "wrong"}


def _table(*headings: str) -> Table:
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, padding=(0, 2, 0, 0))
    for index, heading in enumerate(headings):
        table.add_column(heading, justify="right" if index else "left")
    return table


def _show_families(found: dict[str, dict[str, int]], console: Console) -> None:
    table = _table("left out in turn", "taught", "right", "layer 2", "layer 1", "other", "wrong")
    for name, counts in found.items():
        keys = ("sentences", "right", "refused_2", "refused_1", "refused_other", "wrong")
        table.add_row(name, *(str(counts[key]) for key in keys))
    console.print(table)
    total = found["all"]
    if total.get("sentences"):
        shares = (f"{name} {100 * total[key] / total['sentences']:.1f} %" for name, key in _RATES.items())
        console.print(", ".join(shares))
    lost = total.get("refused_1_shape_taught", 0)
    console.print(f"refused at layer 1 though a sibling has the shape: {lost}")


def _show_unlabelled(report: dict[str, Any], console: Console) -> None:
    names = [name for name in (*PROBLEMS, "word_problems") if name in report]
    if not names:
        return
    table = _table("not labelled", "sentences", "admitted", *(f"layer {layer}" for layer in LAYERS))
    for name in names:
        found = report[name]
        table.add_row(
            name.replace("_", " "),
            *map(str, (found["sentences"], found["admitted"], *found["refused"].values())),
        )
    console.print(table)
    if "word_problems" in report:
        table = _table("word problems are most often refused for", "layer", "feature", "sentences")
        for layer, feature, token, count in report["word_problems"]["top"]:
            table.add_row(token or "-", layer, feature or "-", str(count))
        console.print(table)


def _show_quantities(found: dict[str, dict[str, list[int]]], console: Console) -> None:
    """Each score as right of all."""
    scores = list(dict.fromkeys(name for scores in found.values() for name in scores))
    table = _table("numbers and quantities", *scores)
    for suite, held in found.items():
        cells = ("/".join(map(str, held[name])) if name in held else "-" for name in scores)
        table.add_row(suite.replace("_", " "), *cells)
    console.print(table)


def show(report: dict[str, Any], console: Console) -> None:
    """Prints the report for people."""
    table = _table("recognition", "right", "of")
    for key, counts in report.get("published", {}).items():
        table.add_row(f"published: {_LABELS[key]}", *map(str, counts))
    if "dev" in report:
        table.add_row("development cases as expected", *map(str, report["dev"]))
    console.print(table)
    if report.get("dev_also_acceptable"):
        console.print(
            f"{report['dev_also_acceptable']} more development cases are refused where that is acceptable as well"
        )
    if "families" in report:
        _show_families(report["families"], console)
    _show_unlabelled(report, console)
    if "quantities" in report:
        _show_quantities(report["quantities"], console)
