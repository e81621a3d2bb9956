"""A replay really runs again: what was recorded matches, what was edited is named, what is missing is named by hash."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cognition import Runtime, RuntimeConfig, Vocabulary, load_pack
from cognition.replay import Replay, Sources, Verdict, difference, envelope, replay_trace, vault_digest
from cognition.session.export import export_session, replay_session
from cognition.teaching import TeachingStore
from cognition.teaching.layer import review_check
from cognition.vault import Vault
from recognition import EpistemicTransition
from tests.cognition.test_trace import changed, leaves
from tests.recognition.helpers import published

pytestmark = pytest.mark.runtime

PROMPTS = (
    "What is light?",
    "Why does knowledge require evidence?",
    "Does memory require recall?",
    "What is a wombat?",
    "How can I correct an error? And why?",
    "",
    "What is \ud800?",
    "x" * 9000,
)
HAS = "John has 5 apples"
Record = dict[str, Any]
Build = Callable[..., Runtime]


@pytest.fixture(scope="module")
def sources() -> Sources:
    return Sources()


def recorded(runtime: Runtime, text: str) -> Record:
    """An envelope as it comes back from a file."""
    return json.loads(json.dumps(envelope(runtime.ask(text), runtime)))


@pytest.mark.parametrize("prompt", PROMPTS, ids=lambda text: repr(text[:20]))
@pytest.mark.parametrize("config", [{}, {"forward_graph_constraint": True}, {"max_tokens": 2}], ids=str)
def test_what_was_recorded_comes_out_again(
    runtime_with: Build, sources: Sources, prompt: str, config: Record
) -> None:
    assert replay_trace(recorded(runtime_with(**config), prompt), sources) == Replay(
        verdict=Verdict.match, turns=1
    )


def named(folded: Record, path: tuple[Any, ...]) -> str:
    """What a mismatch at a path of the folded trace is called."""
    if path[0] == "steps":
        return f"step {path[1] + 1} ({folded['steps'][path[1]]['stage']})"
    return path[0]


@pytest.mark.parametrize("prompt", PROMPTS, ids=lambda text: repr(text[:20]))
def test_an_edit_of_any_folded_value_is_a_mismatch_that_names_its_step(
    runtime_with: Build, sources: Sources, prompt: str
) -> None:
    record = recorded(runtime_with(forward_graph_constraint=True), prompt)
    paths = list(leaves(record["folded"]))
    for path in paths:
        edited = record | {"folded": changed(record["folded"], path)}
        found = replay_trace(edited, sources)
        assert (found.verdict, found.step) == (Verdict.mismatch, named(record["folded"], path)), path
        assert "recorded" in found.what
        assert "replayed" in found.what
    assert len(paths) >= 4


@pytest.mark.parametrize(
    ("edit", "step"),
    [
        (lambda r: r["folded"]["steps"].pop(), "step 7 (realize)"),
        (lambda r: r["folded"]["steps"].pop(0), "step 1 (tokenize)"),
        (lambda r: r["folded"]["steps"].append({"stage": "more"}), "step 8 (more)"),
        (lambda r: r["folded"]["steps"].insert(1, 5), "step 2 (classify)"),
        (lambda r: r["folded"]["steps"][4]["steps"].reverse(), "step 5 (walk)"),
        (lambda r: r["folded"]["steps"][0].pop("version"), "step 1 (tokenize)"),
        (lambda r: r["folded"]["steps"][0].update(version=True), "step 1 (tokenize)"),
        (lambda r: r["folded"]["steps"][0].update(version=1.0), "step 1 (tokenize)"),
        (lambda r: r["folded"].update(steps={}), "steps"),
        (lambda r: r["folded"].pop("format"), "format"),
        (lambda r: r["folded"].update(refusal={"code": "no_evidence"}), "refusal"),
        (lambda r: r["folded"].update(extra=1), "extra"),
        (lambda r: r["folded"].update(teaching="0"), "teaching"),
        (lambda r: r["folded"].update(tried=[["pack", "no_word"]]), "tried"),
        (lambda r: r.update(trace_hash="0" * 64), "trace_hash"),
        (lambda r: r.pop("trace_hash"), "trace_hash"),
        (lambda r: r.update(input="What is memory?"), "input"),
        (lambda r: r["folded"].pop("input"), "input"),
    ],
)
def test_an_edit_of_the_form_is_a_mismatch(
    runtime: Runtime, sources: Sources, edit: Callable[[Record], Any], step: str
) -> None:
    record = recorded(runtime, "What is light?")
    edit(record)
    found = replay_trace(record, sources)
    assert (found.verdict, found.step) == (Verdict.mismatch, step)


def test_what_is_measured_may_differ(runtime: Runtime, sources: Sources) -> None:
    record = recorded(runtime, "What is light?") | {"measured": {"versor_condition": 0.5}}
    assert replay_trace(record, sources).verdict is Verdict.match


@pytest.mark.parametrize(
    ("edit", "says"),
    [
        (lambda r: r["pack"].update(sha256="0" * 64), "pack en_core_cognition_v1 1.0.0, sha256 0000"),
        (lambda r: r["pack"].update(id="../../etc", sha256="0" * 64), "pack ../../etc"),
        (lambda r: r.pop("pack"), "pack: the record holds none"),
        (lambda r: r.update(pack=[]), "pack: the record holds none"),
        (lambda r: r["pack"].update(sha256=[1]), "sha256 [1]"),
        (lambda r: r.update(recognizer="abc"), "recogniser abc"),
        (lambda r: r.update(teaching="abc"), "teaching store abc"),
        (lambda r: r.update(vault="abc"), "vault abc"),
        (lambda r: r.update(config={"colour": "red"}), "colour"),
        (lambda r: r.update(config={"top_k": 0}), "top_k"),
        (lambda r: r.update(config={"top_k": []}), "top_k"),
        (lambda r: r.update(schema="core.trace/9"), "core.trace/9"),
        (lambda r: r.update(folded=None), "folded: the record holds none"),
        (lambda r: (r.pop("input"), r["folded"].update(input={"sha256": "", "characters": 1})), "digest"),
        (lambda r: (r.pop("input"), r["folded"].update(input=5)), "the prompt"),
    ],
)
def test_what_is_missing_is_named(
    runtime: Runtime, sources: Sources, edit: Callable[[Record], Any], says: str
) -> None:
    record = recorded(runtime, "What is light?")
    edit(record)
    found = replay_trace(record, sources)
    assert found.verdict is Verdict.cannot_replay
    assert says in found.what
    assert str(found).startswith("cannot replay: ")


def test_a_pack_and_a_recogniser_are_found_by_their_hashes(sound: Path, shipped: Vocabulary) -> None:
    recognizer = published("phase1")
    record = recorded(Runtime.open([sound], recognizer=recognizer), HAS)
    assert record["pack"]["sha256"] == load_pack(sound).sha256
    for lacking in (Sources(), Sources(packs=[sound]), Sources(recognizers=[recognizer])):
        assert replay_trace(record, lacking).verdict is Verdict.cannot_replay
    found = replay_trace(record, Sources(packs=[sound], recognizers=[published("phase2"), recognizer]))
    assert found.verdict is Verdict.match
    record["recognition"]["state"] = "inferred"
    found = replay_trace(record, Sources(packs=[sound], recognizers=[recognizer]))
    assert (found.verdict, found.step) == (Verdict.mismatch, "recognition")


def test_a_turn_is_run_with_what_was_taught_when_it_was_asked(shipped: Vocabulary) -> None:
    store = TeachingStore()
    runtime = Runtime(shipped, teaching_store=store)
    with runtime.session() as session:
        for words in ("Light requires darkness.", "Light requires knowledge."):
            session.ask("What does light require?")
            item = session.teach(words).body["item"]
            store.accept(item, by="reviewer", check=review_check(shipped))
        session.ask("What does light require?")
        session.ask("No, light requires memory.")
        store.retract(item, by="reviewer")
        session.ask("What does light require?")
        record = json.loads(json.dumps(export_session(session.store, session.id)))
    turns = [event["body"] for event in record["events"] if event["kind"] == "turn"]
    assert len({body.get("teaching") for body in turns}) == 3
    before = store.events()
    found = replay_session(record, Sources(teaching=[TeachingStore(), store]))
    assert (found.verdict, found.turns) == (Verdict.match, 5)
    assert store.events() == before
    found = replay_session(record, Sources())
    assert (found.verdict, found.turn) == (Verdict.cannot_replay, 2)
    assert turns[1]["teaching"] in found.what


def test_a_vault_is_found_by_its_hash(shipped: Vocabulary, tmp_path: Path) -> None:
    path = tmp_path / "vault"
    with Vault(shipped, path) as vault:
        vault.put("Wombats dig.", key="wombat", source="us", status="reviewed")
        record = recorded(Runtime(shipped, vault=vault), "What is a wombat?")
        assert record["vault"] == vault_digest(vault)
        assert "Wombats dig" in json.dumps(record["folded"])
    assert replay_trace(record, Sources(vaults=[path])).verdict is Verdict.match
    assert replay_trace(record, Sources()).verdict is Verdict.cannot_replay
    with Vault(shipped, path) as vault:
        vault.put("Wombats sleep.", key="wombat", source="us", status="reviewed")
    assert replay_trace(record, Sources(vaults=[path])).verdict is Verdict.cannot_replay


# sessions


@pytest.fixture(scope="module", params=[False, True], ids=["plain", "folding"])
def exported(request: pytest.FixtureRequest, shipped: Vocabulary) -> Iterator[tuple[Record, Sources]]:
    recognizer = published("phase1")
    runtime = Runtime(shipped, RuntimeConfig(session_graph_in_trace=request.param), recognizer=recognizer)
    with runtime.session() as session:
        for prompt in ("What is light?", HAS, "Mary has 3 books"):
            session.ask(prompt)
        (first, _) = session.graph.nodes
        session.transition(first.node_id, EpistemicTransition("evidenced", "inferred", "test", "why"))
        session.ask("What is memory?")
        session.undo()
        session.teach("Light requires darkness.")
        session.ask("No, light means darkness.")
        yield (
            json.loads(json.dumps(export_session(session.store, session.id))),
            Sources(recognizers=[recognizer]),
        )


def test_a_session_comes_out_again(exported: tuple[Record, Sources]) -> None:
    found = replay_session(*exported)
    assert (found.verdict, found.turns, str(found)) == (Verdict.match, 5, "match: 5 turns run again")


def test_an_edit_of_a_turn_of_a_session_names_turn_and_step(exported: tuple[Record, Sources]) -> None:
    record, sources = exported
    checked = 0
    for place, event in enumerate(record["events"]):
        if event["kind"] != "turn":
            continue
        paths = [path for path in leaves(event["body"]) if path[0] != "measured"]
        for path in paths[::7]:
            edited = copy.deepcopy(record)
            edited["events"][place]["body"] = changed(event["body"], path)
            found = replay_session(edited, sources)
            if path[0] == "folded":
                assert (found.verdict, found.turn) == (Verdict.mismatch, event["turn"]), path
                assert found.step == named(event["body"]["folded"], path[1:]), path
            else:
                assert found.verdict is not Verdict.match, path
                assert found.turn == event["turn"]
            checked += 1
    assert checked > 50


@pytest.mark.parametrize(
    ("edit", "step"),
    [
        (lambda e: e.pop(0), "event 1"),
        (lambda e: e.pop(3), "event 4"),
        (lambda e: e.reverse(), "event 1"),
        (lambda e: e[0].update(seq=True), "event 1"),
        (lambda e: e[0].update(kind="sing"), "event 1"),
        (lambda e: e[0].pop("turn"), "event 1"),
        (lambda e: e.insert(0, "x"), "event 1"),
        (
            lambda e: e[2]["body"]["recognition_outcome"]["proposition"]["count"].update(value=6),
            "propositions",
        ),
        (lambda e: e[2].update(kind="undo"), "propositions"),
        (lambda e: e[5]["body"].update(from_state="verified"), "event 6"),
        (lambda e: e[5]["body"].pop("node_id"), "event 6"),
    ],
)
def test_a_session_that_was_tampered_with_is_a_mismatch(
    exported: tuple[Record, Sources], edit: Callable[[list[Any]], Any], step: str
) -> None:
    record, sources = copy.deepcopy(exported[0]), exported[1]
    assert [e["kind"] for e in record["events"]][2:6] == ["proposition", "turn", "proposition", "transition"]
    edit(record["events"])
    found = replay_session(record, sources)
    assert (found.verdict, found.step) == (Verdict.mismatch, step), str(found)


@pytest.mark.parametrize("events", [None, [], {}, 5])
def test_a_session_without_events_cannot_be_replayed(events: Any) -> None:
    assert replay_session({"events": events}, Sources()).verdict is Verdict.cannot_replay


# differences

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-3, 3) | st.text("ab", max_size=2),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text("ab", max_size=2), inner, max_size=3),
    max_leaves=12,
)


@given(VALUES, VALUES)
def test_there_is_a_difference_exactly_where_the_json_differs(one: Any, other: Any) -> None:
    same = json.dumps(one, sort_keys=True) == json.dumps(other, sort_keys=True)
    assert (difference(one, other) is None) is same
    assert (difference(other, one) is None) is same


def test_long_values_are_cut_where_they_part(runtime: Runtime, sources: Sources) -> None:
    record = recorded(runtime, "What is light?")
    said = record["folded"]["steps"][-1]["sentences"][0]
    said["text"] = said["text"].replace("the eye", "the ear")
    text = str(replay_trace(record, sources))
    assert text.startswith("mismatch: step 7 (realize): sentences[0].text: recorded ...")
    assert "the ear" in text
    assert "the eye" in text
    assert len(text) < 250
