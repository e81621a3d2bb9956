"""The published table of ADR-0047, row by row, and what the head-noun contract makes of the same prompts."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cognition import CognitiveTurnPipeline, Runtime, RuntimeConfig, Vocabulary, build_graph_constraints
from cognition.phrasing import noun

pytestmark = pytest.mark.cognition

ROWS: list[dict[str, str]] = json.loads((Path(__file__).parent / "data/adr_0047.json").read_text())
PROMPTS = [row["prompt"] for row in ROWS]

Build = Callable[..., Runtime]

TEMPLATES = (
    "What is {}?", "What's {}", "what is meant by {}?", "Define {}.", "Remember {}", "Tell me about {}.", "{}",
    "Why does {} exist?", "Is {} important?", "Please explain {}", "I know what {} is.", "No, {} is wrong",
    "Compare {} and wombats", "Could you tell me what {} is?", "Does {} require a wombat?",
    "Give me an example of {}", "a thing about {} and so on",
)  # fmt: skip


@pytest.fixture(scope="module")
def phrase(runtime_with: Build) -> Runtime:
    return runtime_with(forward_graph_constraint=True, subject_span="phrase")


@pytest.fixture(scope="module")
def head(runtime_with: Build) -> Runtime:
    return runtime_with(forward_graph_constraint=True)


def test_the_table_has_thirteen_rows_of_which_six_are_constrained() -> None:
    assert len(ROWS) == 13
    assert sum(row["region"] != "graph:unconstrained" for row in ROWS) == 6


@pytest.mark.smoke
@pytest.mark.parametrize("row", ROWS, ids=PROMPTS)
def test_the_published_table_comes_out_under_the_phrase_contract(
    phrase: Runtime, row: dict[str, str]
) -> None:
    result = phrase.ask(row["prompt"])
    assert result.graph is not None
    assert result.region is not None
    (node,) = result.graph.nodes
    assert (result.intent.value, node.subject, result.region.label) == (
        row["intent"],
        row["subject"],
        row["region"],
    )
    assert result.region.is_unconstrained == (row["region"] == "graph:unconstrained")
    assert result.refusal_reason != "region_exhausted"


def test_row_four_is_engaged_by_the_predicate_alone(phrase: Runtime, shipped: Vocabulary) -> None:
    result = phrase.ask("No, correction means reviewed repair")
    assert result.graph is not None
    (node,) = result.graph.nodes
    assert node.predicate == "corrects"
    assert not shipped.lookup(node.subject)
    assert shipped.lookup(node.predicate)


@pytest.mark.parametrize("prompt", PROMPTS)
def test_the_intent_does_not_depend_on_flag_or_contract(
    runtime: Runtime, phrase: Runtime, head: Runtime, prompt: str
) -> None:
    assert {one.ask(prompt).intent for one in (runtime, phrase, head)} == {runtime.ask(prompt).intent}


@pytest.mark.parametrize("prompt", PROMPTS)
def test_every_published_prompt_is_constrained_under_the_head_contract(head: Runtime, prompt: str) -> None:
    result = head.ask(prompt)
    assert result.region is not None
    assert not result.region.is_unconstrained
    assert result.region.label.startswith("graph:p0")
    assert result.refusal_reason != "region_exhausted"


def test_the_flag_is_off_by_default_and_then_no_region_is_built(runtime: Runtime) -> None:
    for result in runtime.ask_batch(PROMPTS):
        assert result.region is None
        assert result.regions_built == 0
        assert "constrain" not in [step["stage"] for step in result.folded["steps"]]


@pytest.mark.parametrize("flag", [True, False])
def test_another_output_language_never_builds_a_region(runtime_with: Build, flag: bool) -> None:
    for result in runtime_with(forward_graph_constraint=flag, output_language="de").ask_batch(PROMPTS):
        assert result.regions_built == 0
        assert result.refusal_reason == "region_exhausted"  # no word of the pack is German


def test_the_flag_changes_only_region_walk_and_what_follows(runtime: Runtime, head: Runtime) -> None:
    for off, on in zip(runtime.ask_batch(PROMPTS), head.ask_batch(PROMPTS), strict=True):
        assert (off.plan, off.graph) == (on.plan, on.graph)
        assert on.regions_built == 1
        assert on.region is not None
        assert on.walk is not None
        assert set(on.walk.indices) <= set(on.region.allowed_indices or ())


@given(data=st.data())
@settings(max_examples=200)
def test_a_prompt_that_names_a_noun_of_the_pack_is_constrained(
    shipped: Vocabulary, head: Runtime, data: st.DataObject
) -> None:
    nouns = [i for i, s in enumerate(shipped.senses) if s.pos == "noun" and not shipped.is_stop(i)]
    index = data.draw(st.sampled_from(nouns))
    prompt = data.draw(st.sampled_from(TEMPLATES)).format(noun(shipped, index))
    result = head.ask(prompt)
    assert result.graph is not None, prompt
    anchors = {shipped.index[n.subject_sense] for n in result.graph.nodes if n.subject_sense}
    anchors |= {shipped.index[n.object_sense] for n in result.graph.nodes if n.object_sense}
    assert anchors, prompt
    if result.refusal_reason in ("unknown_subject", "no_evidence", "claim_not_on_record"):
        (region,) = build_graph_constraints([result.graph], shipped)  # refused before a region was wanted
    else:
        assert result.region is not None, prompt
        region = result.region
    assert not region.is_unconstrained, prompt
    assert anchors <= set(region.allowed_indices or ()), prompt


def test_a_control_may_put_another_region_in_the_place_of_the_graph_s(shipped: Vocabulary) -> None:
    """The A/B's null control: the pipeline takes the builder as a part, and counts the region as built."""
    calls: list[int] = []

    def shifted(graphs: Any, vocabulary: Vocabulary, *, top_k: int) -> Any:
        calls.append(len(graphs))
        return build_graph_constraints(graphs, vocabulary, top_k=1)

    runtime = Runtime(shipped, RuntimeConfig(forward_graph_constraint=True))
    results = CognitiveTurnPipeline(runtime, constrain=shifted).run_batch(
        ["What is light?", "What is doubt?"]
    )
    assert calls == [2]
    for result in results:
        assert result.region is not None
        assert len(result.region.allowed_indices or ()) == 1
        assert result.regions_built == 1
