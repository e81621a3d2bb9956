"""The benchmark runs, reports both sides and says on what."""

from __future__ import annotations

import io
from itertools import islice
from types import ModuleType
from typing import Any

import pytest
from rich.console import Console

from experiments.bench import recognition, turn
from experiments.harness import to_json
from recognition import derive_recognizer, recognize


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


def test_the_sentences_of_the_recognition_benchmark_are_what_they_are_called() -> None:
    taught = derive_recognizer(recognition._published())
    sentences = list(islice(recognition.family(), recognition.SENTENCES))
    assert len(set(sentences)) == recognition.SENTENCES
    assert all(recognize(taught, text).admitted for text in sentences[::7])
    nouns = list(recognition.new_nouns())
    assert len({text.split()[-1] for text in nouns}) == len(nouns) > 100
    for layer in recognition.SPOILED:
        spoiled = list(islice(recognition.refused(layer), recognition.SENTENCES // 4))
        assert len(set(spoiled)) == recognition.SENTENCES // 4
        reasons = [recognize(taught, text).refusal_reason for text in spoiled[::7]]
        assert {reason.layer for reason in reasons if reason} == {int(layer)}
        assert None not in reasons


def test_the_recognition_benchmark_reports_every_row(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in {
        "QUICK_SENTENCES": 120,
        "QUICK_STARTS": 1,
        "LENGTHS": (8, 16),
        "TAUGHT": (8, 20),
    }.items():
        monkeypatch.setattr(recognition, name, value)
    report = recognition.bench_recognition(quick=True)
    to_json(report)
    cases = [row["case"] for row in report["rows"]]
    assert cases[:3] == ["a new noun in each", "admitted, first pass", "admitted"]
    assert cases[3:6] == [f"refused, layer {layer}" for layer in recognition.SPOILED]
    assert cases[6:] == ["8 tokens", "16 tokens"]
    assert [row["tokens"] for row in report["rows"][6:]] == [8, 16]
    assert all(row["each_us"]["min"] > 0 for row in report["rows"])
    assert report["derive_ms"].keys() == {"8", "20"}
    assert report["matched"] in (None, 120)
    for text in (recognition.markdown(report), _shown(recognition, report)):
        assert report["run"]["machine"] in text
        assert "admitted, first" in text


def _shown(bench: ModuleType, report: dict[str, Any]) -> str:
    shown = io.StringIO()
    bench.show(report, Console(file=shown, width=160))
    return shown.getvalue()


def test_the_slope_is_that_of_a_line() -> None:
    assert recognition._slope([1, 2, 4], [3, 5, 9]) == pytest.approx(2)
