"""The benchmark runs, reports both sides and says on what."""

from __future__ import annotations

import io

import pytest
from rich.console import Console

from experiments.bench import turn
from experiments.harness import to_json


@pytest.mark.slow
def test_the_benchmark_times_both_backends(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in {"SAMPLES": 5, "COLD_STARTS": 1, "SECONDS_A_BATCH": 0.0, "BATCHES": (1, 2)}.items():
        monkeypatch.setattr(turn, name, value)
    report = turn.bench_turn("en_core_cognition_v1")
    to_json(report)
    for backend in ("jax", "numpy"):
        found = report["backends"][backend]
        for key in ("turn_off_ms", "turn_on_ms", "constraint_ms"):
            assert 0 < found[key]["median"] <= found[key]["p99"]
            assert found[key]["n"] == 5
        assert all(rate > 0 for rates in found["turns_per_second"].values() for rate in rates.values())
    assert report["first_answer_ms"]["n"] == 1
    shown = io.StringIO()
    turn.show(report, Console(file=shown, width=100))
    assert "650-1,500" in shown.getvalue()
    assert report["run"]["machine"] in shown.getvalue()


def test_the_99th_percentile_is_one_of_the_times() -> None:
    assert turn._summary([float(i) for i in range(1, 201)]) == {"median": 100.5, "p99": 199.0, "n": 200}
    assert turn._summary([3.0]) == {"median": 3.0, "p99": 3.0, "n": 1}
