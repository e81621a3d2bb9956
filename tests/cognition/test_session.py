"""A session: turns, teaching, undo, its epistemic graph; what threads and a second process see of it."""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from cognition import Runtime, RuntimeConfig, Vocabulary, compute_trace_hash
from cognition.session import Session, SessionError, SessionStore
from cognition.session.graph import SessionGraph, read_outcome
from cognition.teaching import TeachingStore
from cognition.teaching.layer import review_check
from recognition import DerivedRecognizer, EpistemicTransition, derive_recognizer, example_from_record
from tests.recognition.helpers import published

pytestmark = pytest.mark.runtime

PROMPTS = (
    "What is light?",
    "Does memory require recall?",
    "What is a wombat?",
    "No, light means darkness.",
    "",
)
HAS = "John has 5 apples"
REQUIRES = ("Knowledge requires evidence", "Recall requires memory", "Belief requires truth")


@pytest.fixture(scope="module")
def relational() -> DerivedRecognizer:
    """Reads "S requires O"."""
    rows = []
    for text in REQUIRES:
        subject, _, obj = text.split()
        verb, end = len(subject) + 1, len(text)
        features = {
            "subject": {"value": subject.lower(), "evidence": [0, len(subject)]},
            "relation": {"value": "require", "evidence": [verb, verb + 8]},
            "object": {"value": obj, "evidence": [verb + 9, end]},
        }
        rows.append(example_from_record({"text": text, "features": features}))
    return derive_recognizer(rows)


@pytest.fixture
def session(runtime: Runtime) -> Iterator[Session]:
    with runtime.session() as opened:
        yield opened


def reading(vocabulary: Vocabulary, recognizer: DerivedRecognizer, **config: Any) -> Runtime:
    return Runtime(vocabulary, RuntimeConfig(**config), recognizer=recognizer)


def test_a_turn_of_a_session_is_the_turn_without_one_and_is_kept_whole(
    session: Session, runtime: Runtime
) -> None:
    for number, prompt in enumerate(PROMPTS, 1):
        turn, alone = session.ask(prompt), runtime.ask(prompt)
        assert (turn.number, turn.result.as_dict()) == (number, alone.as_dict())
        body = session.turn(number).body
        assert body["input"] == prompt
        assert (body["surface"], body["trace_hash"]) == (alone.surface, alone.trace_hash)
        assert compute_trace_hash(body["folded"]) == alone.trace_hash
        assert [cited["id"] for cited in body["citations"]] == [evidence.id for evidence in alone.citations]
        assert (body["refusal"] or {}).get("code") == (alone.refusal.code if alone.refusal else None)
    assert [event.kind for event in session.store.events(session.id)].count("correction") == 1


def test_a_session_goes_on_where_it_was(tmp_path: Path, runtime: Runtime) -> None:
    with runtime.session(tmp_path / "s") as first:
        first.ask("What is light?")
        first.teach("Light requires darkness.")
    with Session.open(tmp_path / "s", runtime) as again:
        assert [event.kind for event in again.history()] == ["turn", "teach"]
        assert again.ask("What is memory?").number == 2
        assert "2 turns" in repr(again)


def test_undo_hides_and_keeps_and_never_reuses_a_number(session: Session) -> None:
    session.ask("What is light?")
    session.ask("What is memory?")
    assert session.undo().body["input"] == "What is memory?"
    last = session.last_turn()
    assert last is not None
    assert last.body["input"] == "What is light?"
    assert [event.turn for event in session.history()] == [1]
    assert [event.turn for event in session.history(undone=True)] == [1, 2]
    assert session.ask("What is recall?").number == 3
    assert session.turn(2).body["input"] == "What is memory?"


def test_what_there_is_not_is_said(session: Session) -> None:
    assert session.last_turn() is None
    for call, code in ((lambda: session.turn(1), "unknown_turn"), (session.undo, "nothing_to_undo")):
        with pytest.raises(SessionError) as raised:
            call()
        assert raised.value.code == code
    for call in (
        lambda: session.verify("x:1"),
        lambda: session.transition("x:1", EpistemicTransition("evidenced", "verified", "test", "")),
    ):
        with pytest.raises(SessionError, match=r"no proposition 'x:1'.*known: none") as raised:
            call()
        assert raised.value.code == "unknown_node"
    with pytest.raises(ValueError, match="say what is to be learned"):
        session.teach(" \n")
    assert list(session.store.events(session.id)) == []


def test_which_session_is_opened(tmp_path: Path, runtime: Runtime) -> None:
    path = tmp_path / "s"
    with pytest.raises(SessionError, match=r"session id '\.\./x'"):
        runtime.session(path, "../x")
    assert not path.exists()
    with runtime.session(path) as made:
        assert made.id == "main"
        made.ask("What is light?")
    with runtime.session(path, "b") as other:
        other.teach("Light requires darkness.")
    with pytest.raises(SessionError, match="several sessions, say which: b, main"):
        runtime.session(path)
    with SessionStore(path) as store:
        store.take_back("main")
    with runtime.session(path) as left:
        assert left.id == "b"
    with pytest.raises(SessionError, match=r"'main'.*was deleted"):
        runtime.session(path, "main")


def test_threads_share_a_runtime(shipped: Vocabulary) -> None:
    """A fresh one, so that whatever a turn fills in is filled in by several at once."""
    prompts = [*PROMPTS[:4], "Why does knowledge require evidence?", "How can I correct an error?"]
    expected = [Runtime(shipped).ask(prompt).trace_hash for prompt in prompts]
    shared, found = Runtime(shipped), dict[int, list[str]]()
    start = threading.Barrier(6)

    def work(name: int) -> None:
        start.wait()
        found[name] = [shared.ask(prompt).trace_hash for prompt in prompts * 5]

    in_threads(work, 6)
    assert list(found.values()) == [expected * 5] * 6


def test_threads_share_a_session(tmp_path: Path, runtime: Runtime) -> None:
    with runtime.session(tmp_path / "s") as session:
        numbers: list[int] = []

        def work(name: int) -> None:
            for _ in range(5):
                numbers.append(session.ask("What is light?").number)
                session.teach(f"Light requires {name}.")

        in_threads(work, 4)
        assert sorted(numbers) == list(range(1, 21))
        assert len(list(session.history())) == 40


def in_threads(work: Callable[[int], None], count: int) -> None:
    failed: list[BaseException] = []

    def guarded(name: int) -> None:
        try:
            work(name)
        except BaseException as error:
            failed.append(error)

    threads = [threading.Thread(target=guarded, args=(name,)) for name in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failed == []


def test_a_notebook_shows_an_answer_with_its_evidence(runtime: Runtime) -> None:
    result = runtime.ask("What is light?")
    assert str(result) == result.surface
    shown = result._repr_markdown_()
    assert re.sub(r" \[\d+\]", "", shown.splitlines()[0]) == result.surface
    for number, evidence in enumerate(result.citations, 1):
        assert f"{number}. `{evidence.id}` {evidence.text} ({evidence.source}, {evidence.licence})" in shown
        assert f"[{number}]" in shown
    assert shown.endswith(f"`definition` `{result.trace_hash}`")
    assert "`unknown_subject`" in runtime.ask("What is a wombat?")._repr_markdown_()
    assert repr(runtime) == "Runtime(en_core_cognition_v1 1.0.0, numpy)"


# the epistemic graph of a session


def test_a_proposition_of_one_turn_is_verified_in_a_later_one(
    tmp_path: Path, shipped: Vocabulary, relational: DerivedRecognizer
) -> None:
    runtime = reading(shipped, relational)
    with runtime.session(tmp_path / "s") as session:
        session.ask("What is light?")
        number = session.ask("Knowledge requires evidence").number
        (node,) = session.graph.nodes
        assert node.node_id == f"{relational.teaching_set_id}:{number}"
        assert node.epistemic_state == "evidenced"
        before = session.graph.sha256
    with runtime.session(tmp_path / "s") as later:
        later.ask("What is memory?")
        assert later.graph.sha256 == before
        checked = later.verify(node.node_id)
        assert [change.to_state for change in checked.transitions] == ["verified", "decoded"]
        assert checked.transitions[0].evidence == ("rel:knowledge.n.1:requires:evidence.n.1",)
        assert checked.transitions[1].evidence == (later.turn(number).body["trace_hash"],)
        assert checked.recognition_outcome == node.recognition_outcome
        assert later.verify(node.node_id) == checked
        assert later.graph.sha256 != before
    with runtime.session(tmp_path / "s") as again:
        assert again.graph.get(node.node_id) == checked
        assert len(again.graph.nodes) == 1


def test_what_the_record_denies_is_contradicted_and_what_it_lacks_is_possible(
    shipped: Vocabulary, relational: DerivedRecognizer
) -> None:
    with reading(shipped, relational).session() as session:
        states = []
        for text in ("Memory requires recall", "Light requires memory"):
            session.ask(text)
            states.append(session.verify(session.graph.nodes[-1].node_id).epistemic_state)
        assert states == ["contradicted", "unverified_possible"]


def test_transitions_are_only_appended(shipped: Vocabulary) -> None:
    with reading(shipped, published("phase1")).session() as session:
        session.ask(HAS)
        (node,) = session.graph.nodes
        changed = session.transition(
            node.node_id, EpistemicTransition("evidenced", "inferred", "test", "because", ("e:1",))
        )
        assert changed.transitions[-1].evidence == ("e:1",)
        with pytest.raises(ValueError, match="the state is 'inferred'"):
            session.transition(node.node_id, EpistemicTransition("evidenced", "verified", "test", ""))
        assert session.graph.get(node.node_id) == changed
        assert session.verify(node.node_id) == changed


def test_an_undone_turn_takes_its_proposition_with_it(shipped: Vocabulary) -> None:
    with reading(shipped, published("phase1")).session() as session:
        empty = session.graph.sha256
        session.ask(HAS)
        (node,) = session.graph.nodes
        session.undo()
        assert session.graph.nodes == ()
        assert session.graph.sha256 == empty
        session.ask(HAS)
        (again,) = session.graph.nodes
        assert again.node_id != node.node_id


def test_two_readers_of_one_log_have_one_graph(tmp_path: Path, shipped: Vocabulary) -> None:
    runtime = reading(shipped, published("phase1"))
    with runtime.session(tmp_path / "s") as one, runtime.session(tmp_path / "s") as other:
        for session in (one, other, one):
            session.ask(HAS)
            assert one.graph.sha256 == other.graph.sha256
        one.undo()
        assert len(other.graph.nodes) == 2
        rebuilt = SessionGraph()
        rebuilt.apply(one.store.events("main"))
        assert rebuilt.as_dict() == one.graph.as_dict()
        assert json.loads(json.dumps(rebuilt.as_dict()))["sha256"] == rebuilt.sha256


@pytest.mark.parametrize("text", [HAS, "Mary has 3 books"])
def test_an_outcome_is_read_back_as_it_was(shipped: Vocabulary, text: str) -> None:
    result = reading(shipped, published("phase1")).ask(text)
    assert result.recognition is not None
    assert result.recognition.admitted
    assert read_outcome(json.loads(json.dumps(result.recognition.as_dict()))) == result.recognition


def test_the_graph_is_folded_only_behind_its_flag(shipped: Vocabulary) -> None:
    recognizer = published("phase1")
    plain, folding = reading(shipped, recognizer), reading(shipped, recognizer, session_graph_in_trace=True)
    with plain.session() as session:
        assert session.ask(HAS).result.trace_hash == Runtime(shipped).ask(HAS).trace_hash
    with folding.session() as session:
        hashes = [session.ask(HAS).result.trace_hash for _ in range(2)]
        assert len({*hashes, folding.ask(HAS).trace_hash}) == 3
        turn = session.ask("What is light?")
        assert turn.result.folded["steps"][-1] == {
            "stage": "session_graph",
            "version": 1,
            "sha256": session.graph.sha256,
        }
        assert compute_trace_hash(turn.result.folded) == turn.result.trace_hash
        (node, _) = session.graph.nodes
        session.transition(node.node_id, EpistemicTransition("evidenced", "inferred", "test", ""))
        assert session.ask("What is light?").result.trace_hash != turn.result.trace_hash
        session.undo()
        session.undo()
        assert session.ask("What is light?").number == 5


# teaching


@pytest.fixture
def taught(shipped: Vocabulary) -> Iterator[Session]:
    runtime = Runtime(shipped, teaching_store=TeachingStore())
    with runtime.session() as session:
        yield session


def store_of(session: Session) -> TeachingStore:
    assert session.runtime.teaching_store is not None
    return session.runtime.teaching_store


def test_what_is_taught_is_a_candidate_and_answers_only_when_accepted(taught: Session) -> None:
    before = taught.ask("Does light require darkness?").result
    event = taught.teach("Light requires darkness.")
    (item,) = store_of(taught).items()
    assert (item.id, item.state) == (event.body["item"], "candidate")
    assert taught.ask("Does light require darkness?").result.trace_hash == before.trace_hash
    store_of(taught).accept(item.id, by="reviewer", check=review_check(taught.runtime.vocabulary))
    after = taught.ask("Does light require darkness?").result
    assert after.answered
    assert item.id in [evidence.id for evidence in after.citations]


def test_what_contradicts_the_record_is_said_so(taught: Session) -> None:
    event = taught.teach("Knowledge does not require evidence.")
    (conflict,) = event.body["conflicts"]
    assert conflict["evidence"] == ["rel:knowledge.n.1:requires:evidence.n.1"]
    assert "conflicts" not in taught.teach("Light requires darkness.").body


@pytest.mark.parametrize("text", ["Wombats require light.", "Colourless green", "Light requires light."])
def test_what_names_no_statement_is_refused_and_not_recorded(taught: Session, text: str) -> None:
    with pytest.raises(ValueError, match=r".+"):
        taught.teach(text)
    assert list(taught.history()) == []
    assert store_of(taught).items() == ()


def test_undo_takes_a_candidate_back_unless_others_have_a_say(taught: Session) -> None:
    def state(item: str) -> str:
        return store_of(taught).get(item).state

    own = taught.teach("Light requires darkness.").body["item"]
    taught.undo()
    assert state(own) == "retracted"
    shared = taught.teach("Light requires knowledge.").body["item"]
    store_of(taught).propose(store_of(taught).get(shared).content, by="another")
    taught.undo()
    assert state(shared) == "candidate"
    accepted = taught.teach("Light requires memory.").body["item"]
    store_of(taught).accept(accepted, by="reviewer")
    taught.undo()
    assert state(accepted) == "accepted"


def test_undo_of_a_correction_takes_its_candidate_back(taught: Session) -> None:
    turn = taught.ask("No, light requires darkness.")
    assert turn.result.candidate is not None
    assert [event.body.get("item") for event in turn.events if event.kind == "correction"] == [
        turn.result.candidate
    ]
    taught.undo()
    assert store_of(taught).get(turn.result.candidate).state == "retracted"


def test_a_saved_session_keeps_turns_and_candidates(taught: Session, tmp_path: Path) -> None:
    taught.ask("What is light?")
    item = taught.teach("Light requires darkness.").body["item"]
    taught.save(tmp_path / "copy")
    with SessionStore(tmp_path / "copy") as copy, TeachingStore(tmp_path / "copy") as teaching:
        assert list(copy.events("main")) == list(taught.store.events("main"))
        assert teaching.get(item).proposals[0].words == "Light requires darkness."
    with pytest.raises(SessionError, match="is there already"):
        taught.save(tmp_path / "copy")
