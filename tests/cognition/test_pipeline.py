"""The table of stages, and what a turn hands back."""

from __future__ import annotations

import ast
import dataclasses
import inspect
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import cognition
from cognition import CognitiveTurnPipeline, IntentTag, Runtime, RuntimeConfig
from cognition.pipeline import STAGES, Turn
from tests.cognition.prompts import FIXED

pytestmark = pytest.mark.cognition

Build = Callable[..., Runtime]


def test_every_stage_needs_only_what_an_earlier_one_gives() -> None:
    """`region` and `blade` are optional: with the flags off their stages are left out and the walk is free."""
    present = {"text"}
    for stage in STAGES:
        assert set(stage.needs) <= present, stage.name
        assert not set(stage.gives) & present, stage.name
        present |= set(stage.gives)
    assert present <= {field.name for field in dataclasses.fields(Turn)}
    assert len({stage.name for stage in STAGES}) == len(STAGES)


@pytest.mark.parametrize(
    ("config", "left_out"),
    [
        ({}, ["ratify", "constrain", "relate"]),
        ({"forward_graph_constraint": True}, ["ratify", "relate"]),
        ({"forward_graph_constraint": True, "output_language": "de"}, ["ratify", "constrain", "relate"]),
        ({"inner_loop": "margin"}, ["ratify", "constrain"]),
        ({"ratify_intent": True}, ["constrain", "relate"]),
    ],
)
def test_each_flag_switches_on_its_own_stage(config: dict[str, Any], left_out: list[str]) -> None:
    settings = RuntimeConfig(**config)
    assert [stage.name for stage in STAGES if not stage.when(settings)] == left_out


@pytest.mark.parametrize(
    ("texts", "named"),
    [
        ("What is light?", "one string"),
        (["What is light?", None], r"texts\[1\]: a string is needed, not NoneType"),
        ([b"What is light?"], "not bytes"),
    ],
)
def test_what_is_no_list_of_prompts_is_the_caller_s_error(texts: Any, named: str) -> None:
    runtime = Runtime.open()
    with pytest.raises(ValueError, match=named):
        runtime.run_batch(texts)
    assert runtime.run_batch([]) == []


def test_stages_do_not_import_one_another() -> None:
    stages = {
        "intake",
        "intent",
        "ratify",
        "articulation",
        "constraint",
        "walk",
        "grounding",
        "realize",
        "trace",
    }
    folder = Path(inspect.getfile(cognition)).parent
    for name in stages:
        tree = ast.parse((folder / f"{name}.py").read_text(encoding="utf-8"))
        imported = {node.module for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
        assert not {f"cognition.{other}" for other in stages - {name}} & imported, name


@pytest.mark.parametrize(
    ("prompt", "last"),
    [
        ("", "tokenize"),
        ("What is \ud800?", "tokenize"),
        ("wombat", "classify"),
        ("Does light require doubt?", "articulate"),
    ],
)
def test_a_refusal_ends_the_turn(runtime: Runtime, prompt: str, last: str) -> None:
    result = runtime.ask(prompt)
    stages = [step["stage"] for step in result.folded["steps"]]
    assert stages[-2:] == [last, "realize"]
    assert result.walk is None
    assert result.versor_condition is None
    assert result.refusal is not None


def test_a_refused_turn_keeps_what_was_read(runtime: Runtime) -> None:
    result = runtime.ask("Does light require doubt?")
    assert result.plan is not None
    assert result.graph is not None
    assert result.intent is IntentTag.VERIFICATION
    assert runtime.ask("").plan is None


@pytest.mark.parametrize("prompt", FIXED, ids=lambda prompt: ascii(prompt)[:24])
def test_the_dictionary_of_a_result_is_json(runtime_with: Build, prompt: str) -> None:
    result = runtime_with(forward_graph_constraint=True).ask(prompt)
    record = result.as_dict()
    assert json.loads(json.dumps(record)) == record
    assert record["surface"] == result.surface
    assert record["trace_hash"] == result.trace_hash
    assert [sentence["text"] for sentence in record["sentences"]] == [said.text for said in result.sentences]
    assert {key["id"] for key in record["citations"]} == {
        i for said in result.sentences for i in said.evidence
    }
    assert (record["refusal"] is None) == result.answered


def test_the_closure_of_the_field_is_measured_and_holds(runtime: Runtime, shipped_prompts: list[str]) -> None:
    walked = [result for result in runtime.ask_batch(shipped_prompts) if result.walk is not None]
    assert len(walked) > 100
    conditions = [result.versor_condition for result in walked]
    assert max(condition for condition in conditions if condition is not None) < 1e-6
    assert any(condition for condition in conditions), (
        "a condition of exactly 0 everywhere would not be measured"
    )


@pytest.fixture(scope="module")
def shipped_prompts(runtime: Runtime) -> list[str]:
    return [f"What is {sense.lemma}?" for sense in runtime.vocabulary.senses[::2]]


def test_a_pipeline_serves_any_runtime_that_has_words_and_settings(runtime: Runtime) -> None:
    """The protocol, not the class: an evaluation brings its own runtime."""

    @dataclasses.dataclass
    class Bare:
        vocabulary: object
        config: RuntimeConfig

    bare = CognitiveTurnPipeline(Bare(runtime.vocabulary, RuntimeConfig()))  # pyright: ignore[reportArgumentType]
    assert bare.run("What is light?").trace_hash == runtime.ask("What is light?").trace_hash


def test_the_senses_of_a_turn_are_told(runtime: Runtime) -> None:
    senses = runtime.ask("Does memory require recall?").senses
    assert senses["subject"] == ("memory.n.1", ("memory.n.2",))
    assert senses["object"][0] == "recall.n.1"


def test_tokens_of_a_text_are_as_written(runtime: Runtime) -> None:
    assert runtime.tokenize("What’s light?") == ("What", "’s", "light", "?")


def test_results_are_frozen(runtime: Runtime) -> None:
    with pytest.raises(dataclasses.FrozenInstanceError):
        runtime.ask("What is light?").text = ""  # pyright: ignore[reportAttributeAccessIssue]
