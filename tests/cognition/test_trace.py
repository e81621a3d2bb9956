"""The canonical form is that of RFC 8785, and the hash covers every folded value."""

from __future__ import annotations

import copy
import hashlib
import json
import re
from collections.abc import Callable, Iterator
from typing import Any

import pytest
import rfc8785
from hypothesis import given
from hypothesis import strategies as st

from cognition import Runtime, canonical, compute_trace_hash
from cognition.trace import MOST_EXACT

pytestmark = pytest.mark.cognition

Build = Callable[..., Runtime]

TEXTS = st.text(st.characters(exclude_categories=["Cs"]))
KEYS = st.text(st.characters(max_codepoint=127))
LEAVES = st.none() | st.booleans() | st.integers(-MOST_EXACT, MOST_EXACT) | TEXTS
VALUES = st.recursive(
    LEAVES,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(KEYS, inner, max_size=4),
    max_leaves=25,
)


@given(VALUES)
def test_the_form_is_that_of_rfc_8785(value: Any) -> None:
    assert canonical(value) == rfc8785.dumps(value)


@given(VALUES)
def test_the_form_can_be_read_back(value: Any) -> None:
    assert json.loads(canonical(value)) == value


def test_the_order_of_keys_does_not_matter_and_the_order_of_items_does() -> None:
    assert canonical({"b": 1, "a": [1, 2]}) == canonical({"a": [1, 2], "b": 1}) == b'{"a":[1,2],"b":1}'
    assert canonical([1, 2]) != canonical([2, 1])


def test_tuples_are_lists() -> None:
    assert canonical({"a": (1, (2,))}) == canonical({"a": [1, [2]]})


@pytest.mark.parametrize("control", [*range(32), 127, 0x2028, 0x2029, 0xFEFF])
def test_control_characters_are_escaped_as_the_standard_asks(control: int) -> None:
    assert canonical(chr(control)) == rfc8785.dumps(chr(control))


@pytest.mark.parametrize(
    ("value", "error", "path"),
    [
        ({"a": {"b": [0, 1.5]}}, TypeError, "$.a.b[1]: float"),
        (1.0, TypeError, "$: float"),
        (float("nan"), TypeError, "$: float"),
        ([float("inf")], TypeError, "$[0]: float"),
        ({"a": b"x"}, TypeError, "$.a: bytes"),
        ({"a": {1, 2}}, TypeError, "$.a: set"),
        ({"a": object()}, TypeError, "$.a: object"),
        ([[], [2**53]], ValueError, "$[1][0]: 9007199254740992"),
        ({"n": -(2**53)}, ValueError, "$.n: -9007199254740992"),
        ({"a": {"ä": 1}}, ValueError, "$.a: key 'ä'"),
        ({"a": [{1: 2}]}, ValueError, "$.a[0]: key 1"),
    ],
)
def test_what_has_no_canonical_form_raises_with_its_path(
    value: Any, error: type[Exception], path: str
) -> None:
    with pytest.raises(error, match=re.escape(f"trace: {path}")):
        canonical(value)


def test_the_largest_exact_integers_pass() -> None:
    assert canonical([2**53 - 1, -(2**53 - 1)]) == b"[9007199254740991,-9007199254740991]"


def test_the_hash_is_sha_256_of_the_form() -> None:
    folded = {"format": 1, "input": "Što?", "steps": []}
    assert compute_trace_hash(folded) == hashlib.sha256(rfc8785.dumps(folded)).hexdigest()


def leaves(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    items = (
        value.items()
        if isinstance(value, dict)
        else enumerate(value)
        if isinstance(value, list | tuple)
        else None
    )
    if items is None:
        yield path
    else:
        for key, item in items:
            yield from leaves(item, (*path, key))


def changed(folded: dict[str, Any], path: tuple[Any, ...]) -> dict[str, Any]:
    record = json.loads(json.dumps(folded))
    place = record
    for key in path[:-1]:
        place = place[key]
    old = place[path[-1]]
    place[path[-1]] = (not old) if isinstance(old, bool) else old + 1 if isinstance(old, int) else f"{old} "
    return record


@pytest.mark.parametrize(
    "prompt",
    [
        "What is knowledge?",
        "Why does knowledge require evidence?",
        "Compare memory and recall",
        "What is a wombat?",
        "How can I correct an error? And why?",
        "",
        "x" * 9000,
    ],
    ids=lambda prompt: prompt[:24] or "empty",
)
def test_a_change_of_any_folded_value_changes_the_hash(runtime_with: Build, prompt: str) -> None:
    result = runtime_with(forward_graph_constraint=True).ask(prompt)
    assert compute_trace_hash(result.folded) == result.trace_hash
    hashes = [compute_trace_hash(changed(result.folded, path)) for path in leaves(result.folded)]
    assert result.trace_hash not in hashes
    assert len(set(hashes)) == len(hashes) >= 4


@pytest.mark.parametrize("part", ["input", "pack", "steps", "format"])
def test_the_hash_covers_each_part(runtime: Runtime, part: str) -> None:
    folded = copy.deepcopy(runtime.ask("What is knowledge?").folded)
    whole = compute_trace_hash(folded)
    del folded[part]
    assert compute_trace_hash(folded) != whole


def stages(folded: dict[str, Any]) -> dict[str, dict[str, Any]]:
    return {step["stage"]: step for step in folded["steps"]}


def test_a_turn_folds_tokens_intent_graph_walk_grounding_and_surface(runtime_with: Build) -> None:
    result = runtime_with(forward_graph_constraint=True).ask("What is knowledge?")
    assert result.answered
    steps = stages(result.folded)
    order = ["tokenize", "classify", "articulate", "constrain", "locate", "walk", "ground", "realize"]
    assert [name for name in steps if name in order] == order
    assert result.folded["input"] == "What is knowledge?"
    assert steps["tokenize"]["spans"] == [[0, 4], [5, 7], [8, 17], [17, 18]]
    assert steps["classify"]["intent"] == "definition"
    assert steps["articulate"]["graph"] == (result.graph.as_dict() if result.graph else None)
    assert (
        steps["constrain"]["allowed"] == list(result.region.allowed_indices or ()) if result.region else False
    )
    assert [step[0] for step in steps["walk"]["steps"]] == list(result.walk.indices if result.walk else ())
    said = [{"text": s.text, "evidence": list(s.evidence)} for s in result.sentences]
    assert steps["realize"]["sentences"] == said


def test_steps_are_folded_in_the_order_they_were_taken(runtime: Runtime) -> None:
    longest = 0
    for prompt in (
        "Compare recall and attention",
        "What does recall require?",
        "Does memory require recall?",
        "What is logos?",
    ):
        result = runtime.ask(prompt)
        assert result.walk is not None
        (step,) = [step for step in result.folded["steps"] if step["stage"] == "walk"]
        assert step["steps"] == [list(pair) for pair in result.walk.admissibility_trace]
        assert [index for index, _ in step["steps"]] == list(result.walk.indices)
        longest = max(longest, len(result.walk.indices))
    assert longest > 5


def test_no_float_and_no_machine_is_folded(runtime: Runtime) -> None:
    """What is measured (|F ~F - 1|) is reported beside the hash, not in it."""
    result = runtime.ask("What is knowledge?")
    assert result.versor_condition is not None
    text = canonical(result.folded).decode()
    assert "versor" not in text
    assert "numpy" not in text


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("y" * 8001, "input_too_long"),
        ("word " * 1500, "input_too_long"),
        ("What is \ud800?", "invalid_unicode"),
    ],
)
def test_what_cannot_be_folded_as_text_is_folded_by_digest(runtime: Runtime, text: str, code: str) -> None:
    result = runtime.ask(text)
    assert result.refusal_reason == code
    digest = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
    assert result.folded["input"] == {"sha256": digest, "characters": len(text)}
    assert len(canonical(result.folded)) < 2000
    other = runtime.ask(text[:-1] + "z")
    assert other.trace_hash != result.trace_hash


def test_a_refusal_is_folded_with_what_it_is_about(runtime: Runtime) -> None:
    folded = runtime.ask("What is a wombat?").folded
    assert folded["refusal"] == {"code": "unknown_subject", "about": "wombat"}
    assert "refusal" not in runtime.ask("What is knowledge?").folded


def test_the_flag_at_its_default_leaves_no_mark(runtime: Runtime, runtime_with: Build) -> None:
    named = runtime_with(forward_graph_constraint=False, output_language="en", subject_span="head", top_k=8)
    assert named.ask("What is knowledge?").trace_hash == runtime.ask("What is knowledge?").trace_hash


def test_another_pack_gives_another_hash(runtime: Runtime) -> None:
    folded = runtime.ask("What is knowledge?").folded
    assert folded["pack"] == runtime.vocabulary.pack.sha256
    assert re.fullmatch(r"[0-9a-f]{64}", folded["pack"])
