"""Golden traces: sixty turns come out as they were recorded, and a change of one is told in the changelog."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from cognition.graph import IntentTag
from cognition.replay import Replay, Sources, Verdict, replay_trace
from tests.cognition import golden_traces

pytestmark = pytest.mark.cognition

FILES = golden_traces.kept()
CHANGELOG = Path(__file__).parents[2] / "CHANGELOG.md"


def read(name: str) -> dict[str, Any]:
    return json.loads(FILES[name][1].read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def sources() -> Sources:
    return Sources()


@pytest.mark.parametrize("name", FILES)
def test_a_golden_trace_comes_out_again(name: str, sources: Sources) -> None:
    found = replay_trace(read(name), sources)
    assert found == Replay(verdict=Verdict.match, turns=1), f"{found}; `make golden` if it is meant"


def test_there_is_one_file_for_each_prompt() -> None:
    names = [golden_traces.name_of(place, p) for place, (p, _) in enumerate(golden_traces.PROMPTS, 1)]
    assert sorted(FILES) == sorted(names)
    assert len(names) == len(set(names)) == 60
    assert len(list(golden_traces.FOLDER.glob("*.json"))) == 60


def test_the_prompts_cover_every_intent_and_many_refusals() -> None:
    records = [read(name) for name in FILES]
    intents = {
        step["intent"] for r in records for step in r["folded"]["steps"] if step["stage"] == "classify"
    }
    assert intents == {tag.value for tag in IntentTag}
    assert len({r["folded"]["refusal"]["code"] for r in records if "refusal" in r["folded"]}) >= 6


def test_the_files_are_in_their_own_form() -> None:
    for _, path in FILES.values():
        text = path.read_text(encoding="utf-8")
        assert golden_traces.text_of(json.loads(text)) == text


def test_a_changed_trace_is_told_in_the_changelog() -> None:
    said = CHANGELOG.read_text(encoding="utf-8")
    versions = {version for version, _ in FILES.values()} - {1}
    missing = [version for version in sorted(versions) if f"Golden traces, version {version}" not in said]
    assert missing == []


def test_making_them_again_changes_nothing_and_a_change_makes_the_next_version(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(golden_traces, "FOLDER", tmp_path)
    monkeypatch.setattr(golden_traces, "PROMPTS", golden_traces.PROMPTS[:3])
    golden_traces.main()
    made = sorted(tmp_path.iterdir())
    assert [path.name.split(".")[1] for path in made] == ["v1"] * 3
    capsys.readouterr()
    golden_traces.main()
    assert capsys.readouterr().out == "golden traces: nothing changed\n"
    made[1].write_text(made[1].read_text(encoding="utf-8").replace("Light", "Dark"), encoding="utf-8")
    golden_traces.main()
    assert [path.name.split(".")[1] for path in sorted(tmp_path.iterdir())] == ["v1", "v2", "v1"]
    assert "Golden traces, version 2" in capsys.readouterr().out
