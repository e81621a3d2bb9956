"""Small reports, recorded, for the tests of runs."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from experiments.metrics.suites import SuiteVersion
from experiments.runs.record import RunRecord, parse_record
from experiments.runs.store import record_report

SUITE = SuiteVersion(name="bakery", version=1, sha256="ab" * 32)
TIME = "2026-01-02T03:04:05+00:00"


def case(case_id: str, **changes: Any) -> dict[str, Any]:
    return {
        "id": case_id,
        "prompt": f"What is {case_id}?",
        "surface": f"It is {case_id}.",
        "citations": [f"gloss:{case_id}.n.1"],
        "refusal": None,
        "capture": 1.0,
        "right_intent": True,
        "trace_hash": f"hash of {case_id}",
    } | changes


def report(*cases: dict[str, Any], time: str = TIME, **run: Any) -> dict[str, Any]:
    return {
        "run": {
            "time": time,
            "git": {"commit": "c0ffee" * 6, "dirty": False},
            "config": {"top_k": 8},
            "pack": {"id": "small", "version": "1", "sha256": "cd" * 32},
            "backend": "numpy",
            "device": "cpu",
            **run,
        },
        "arms": {"on": {"n": len(cases), "rate": 0.5, "undefined": ["rate"], "cases": list(cases)}},
    }


def recorded(folder: Path, *cases: dict[str, Any], suite: SuiteVersion = SUITE, **run: Any) -> RunRecord:
    path = record_report(report(*cases, **run), None, folder, suite=suite, command=["core", "eval"])
    return parse_record(path.read_bytes(), path.name)
