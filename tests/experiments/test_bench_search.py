"""The benchmark of search reports every side, and ours are exact."""

from __future__ import annotations

import io

import numpy as np
import pytest
from rich.console import Console

from experiments.bench import search, tables, timing
from experiments.harness import to_json


def test_the_benchmark_of_search_reports_every_side(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(search, "BATCHES", (1, 5))
    monkeypatch.setattr(timing, "SECONDS", 0.0)
    report = search.bench_search(sizes=[500])
    to_json(report)
    assert [(row["words"], row["queries"]) for row in report["rows"]] == [(500, 1), (500, 5)]
    for row in report["rows"]:
        sides = set(row["times_ms"])
        assert {"blocks", "nearest", "numpy"} <= sides
        assert row["agree"]["nearest"] == row["agree"]["numpy"] == 1.0
        assert all(0 < row["ratios"][f"{name}/blocks"]["median"] for name in sides - {"blocks", "nearest"})
    page = tables.markdown_search(report)
    assert "- 500 words: blocks " in page
    assert page.count("\n| 500 |") == 2
    shown = io.StringIO()
    tables.show_search(report, Console(file=shown, width=300))
    assert report["run"]["machine"] in shown.getvalue()


def test_a_side_that_misses_words_agrees_less() -> None:
    exact = np.arange(16).reshape(2, 8)
    missed = exact.copy()
    missed[1, :4] = 99
    assert search._agree(exact[:, ::-1], exact) == 1.0
    assert search._agree(missed, exact) == 0.75
