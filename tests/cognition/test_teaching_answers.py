"""A store attached to turns: what is reviewed answers with its own ids, and nothing else of it does."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from cognition import CognitiveTurnPipeline, CognitiveTurnResult, Runtime, RuntimeConfig, Vocabulary
from cognition.teaching import Content, ReviewError, TeachingStore
from cognition.teaching.layer import overlay_of, review_check
from cognition.teaching.statement import read_statement, retraction
from recognition import check_english

pytestmark = [pytest.mark.teaching, pytest.mark.cognition]

PROMPTS = (
    "What is knowledge?",
    "Does knowledge require doubt?",
    "Does knowledge require truth?",
    "What does knowledge require?",
    "What is correction?",
    "Compare memory and recall",
    "Why does knowledge require evidence?",
    "How can I correct an error?",
    "What is a wombat?",
    "Remember light",
    "light logos",
    "",
)
DOUBT = "knowledge requires doubt"
REPAIR = "correction means reviewed repair"


class Taught:
    """A pipeline with a store, beside the runtime without one."""

    def __init__(self, runtime: Runtime) -> None:
        self.plain = runtime
        self.vocabulary: Vocabulary = runtime.vocabulary
        self.store = TeachingStore()
        self.pipeline = CognitiveTurnPipeline(runtime, self.store)

    def accept(self, content: Content, *, replace: bool = False) -> str:
        item = self.store.propose(content, by="ann")
        check = review_check(self.vocabulary, replace=replace)
        return self.store.accept(item.id, by="bob", check=check).id

    def say(self, text: str, *, replace: bool = False) -> str:
        return self.accept(read_statement(text, self.vocabulary), replace=replace)

    def as_without(self) -> None:
        """Asserts that every prompt is answered as if there were no store: same bytes, same hash."""
        for plain, taught in zip(
            self.plain.ask_batch(PROMPTS), self.pipeline.run_batch(PROMPTS), strict=True
        ):
            assert taught.trace_hash == plain.trace_hash
            assert taught.folded == plain.folded
            assert taught.surface == plain.surface
            assert taught.citations == plain.citations


@pytest.fixture
def taught(runtime: Runtime) -> Iterator[Taught]:
    found = Taught(runtime)
    yield found
    found.store.close()


def ids(result: CognitiveTurnResult) -> list[str]:
    return [evidence.id for evidence in result.citations]


def test_an_empty_store_changes_no_byte(taught: Taught) -> None:
    taught.as_without()
    assert taught.store.events() == []  # no prompt among them corrects anything


def test_a_correction_becomes_a_candidate_and_changes_no_byte(taught: Taught) -> None:
    for text in (f"No, {DOUBT}", f"No, {REPAIR}", "That is wrong: memory does not require light"):
        plain, result = taught.plain.ask(text), taught.pipeline.run(text)
        assert (result.trace_hash, result.surface) == (plain.trace_hash, plain.surface)
        assert plain.candidate is None
        assert result.candidate is not None
        item = taught.store.get(result.candidate)
        assert item.state == "candidate"
        assert item.proposals[0].words == text
        assert item.proposals[0].origin == result.trace_hash
        assert result.as_dict()["candidate"] == item.id
    assert [item.content.said() for item in taught.store.items()] == [
        "knowledge.n.1 requires doubt.n.1",
        "correction.n.1 means reviewed repair",
        "memory.n.1 not requires light.n.1",
    ]
    taught.as_without()


def test_rejected_and_retracted_items_change_no_byte(taught: Taught) -> None:
    item = taught.store.propose(read_statement(DOUBT, taught.vocabulary), by="ann")
    taught.store.reject(item.id, by="bob")
    taught.as_without()


def test_what_names_no_statement_is_kept_as_a_note(taught: Taught) -> None:
    result = taught.pipeline.run("No, knowledge is quite another matter")
    assert result.refusal is None
    assert result.candidate is not None
    assert taught.store.get(result.candidate).content.kind == "note"


def test_a_refused_correction_is_not_taken_down(taught: Taught) -> None:
    result = taught.pipeline.run("No, the capital of France is Paris")
    assert result.refusal is not None
    assert result.candidate is None
    assert taught.store.events() == []


def test_an_accepted_statement_answers_under_its_own_id(taught: Taught) -> None:
    prompt = "Does knowledge require doubt?"
    assert taught.pipeline.run(prompt).refusal is not None
    item = taught.say(DOUBT)
    result = taught.pipeline.run(prompt)
    assert result.refusal is None
    assert result.surface.startswith("Yes: knowledge requires doubt.")
    assert ids(result)[0] == item
    cited = result.citations[0]
    assert (cited.kind, cited.pack, cited.text) == ("relation", "taught", "Knowledge requires doubt.")
    assert (cited.source, cited.licence) == ("taught by ann, reviewed by bob", "unstated")
    assert result.folded["teaching"] == overlay_of(taught.store.knowledge(), taught.vocabulary).digest
    assert check_english(result.surface) == ()


def test_an_accepted_gloss_takes_the_place_of_the_packs(taught: Taught) -> None:
    item = taught.say(REPAIR, replace=True)
    result = taught.pipeline.run("What is correction?")
    assert result.surface.startswith("Correction is reviewed repair.")
    assert ids(result)[0] == item
    assert "gloss:correction.n.1" not in ids(result)


def test_a_denial_takes_the_place_of_what_it_denies(taught: Taught) -> None:
    taught.say("knowledge does not require truth", replace=True)
    result = taught.pipeline.run("Does knowledge require truth?")
    assert result.surface.startswith("No: knowledge does not require truth.")
    assert "rel:knowledge.n.1:requires:truth.n.1" not in ids(result)


def test_a_statement_of_the_pack_can_be_taken_back_and_given_back(taught: Taught) -> None:
    evidence = "rel:knowledge.n.1:requires:truth.n.1"
    prompt = "Does knowledge require truth?"
    assert evidence in ids(taught.pipeline.run(prompt))
    item = taught.accept(retraction(evidence, taught.vocabulary))
    assert evidence not in ids(taught.pipeline.run(prompt))
    taught.store.retract(item, by="bob")
    taught.as_without()


def test_accepting_and_taking_back_gives_the_old_answers_byte_by_byte(taught: Taught) -> None:
    items = [
        taught.say(DOUBT),
        taught.say(REPAIR, replace=True),
        taught.say("knowledge does not require truth", replace=True),
        taught.accept(retraction("rel:memory.n.1:not:requires:recall.n.1", taught.vocabulary)),
    ]
    changed = taught.pipeline.run_batch(PROMPTS)
    assert [r.surface for r in changed] != [r.surface for r in taught.plain.ask_batch(PROMPTS)]
    for item in reversed(items):
        taught.store.retract(item, by="bob")
    taught.as_without()


def test_the_order_of_acceptance_is_not_in_the_answers(runtime: Runtime) -> None:
    def answers(*texts: str) -> list[str]:
        taught = Taught(runtime)
        for text in texts:
            taught.say(text)
        return [result.trace_hash for result in taught.pipeline.run_batch(PROMPTS)]

    assert answers(DOUBT, "doubt enables truth") == answers("doubt enables truth", DOUBT)


def test_a_review_in_another_process_is_seen_by_the_next_turn(
    runtime: Runtime, tmp_path_factory: pytest.TempPathFactory
) -> None:
    path = tmp_path_factory.mktemp("store") / "t.db"
    with TeachingStore(path) as mine, TeachingStore(path) as theirs:
        pipeline = CognitiveTurnPipeline(runtime, mine)
        assert pipeline.run("Does knowledge require doubt?").refusal is not None
        item = theirs.propose(read_statement(DOUBT, runtime.vocabulary), by="ann")
        theirs.accept(item.id, by="bob", check=review_check(runtime.vocabulary))
        assert pipeline.run("Does knowledge require doubt?").refusal is None


def test_the_constraint_and_a_batch_see_the_same_teaching(shipped: Vocabulary) -> None:
    taught = Taught(Runtime(shipped, RuntimeConfig(forward_graph_constraint=True)))
    taught.say(DOUBT)
    together = taught.pipeline.run_batch(PROMPTS)
    assert [r.trace_hash for r in together] == [taught.pipeline.run(text).trace_hash for text in PROMPTS]


def test_something_else_than_a_store_is_refused(runtime: Runtime) -> None:
    with pytest.raises(ValueError, match="teaching_store: a TeachingStore is needed, not dict"):
        CognitiveTurnPipeline(runtime, {})  # pyright: ignore[reportArgumentType]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("No, knowledge requires doubt", "knowledge.n.1 requires doubt.n.1"),
        ("knowledge doesn't require doubt", "knowledge.n.1 not requires doubt.n.1"),
        ("Actually, doubt is required by knowledge", "knowledge.n.1 requires doubt.n.1"),
        ("no, knowledge is a kind of belief", "knowledge.n.1 is_a belief.n.1"),
        ("That's wrong. A proverb is a short saying!", "proverb.n.1 means a short saying"),
        ("To correct means to put right", "correct.v.1 means put right"),
        ("doubt.n.1 not requires truth.n.1", "doubt.n.1 not requires truth.n.1"),
    ],
)
def test_statements_are_read_from_words_and_from_ids(shipped: Vocabulary, text: str, said: str) -> None:
    assert read_statement(text, shipped).said() == said


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("knowledge requires Paris", "unknown_word"),
        ("the capital of France requires knowledge", "unknown_word"),
        ("wombat.n.1 requires truth.n.1", "unknown_word"),
        ("doubt.n.1 loves truth.n.1", "unknown_relation"),
        ("doubt.n.1 requires doubt.n.1", "not_structured"),
        ("knowledge requires knowledge", "not_structured"),
        ("that is wrong", "not_structured"),
        ("", "not_structured"),
        ("...", "not_structured"),
        ("knowledge means", "not_structured"),
        ("\u202e\u0000", "not_structured"),
    ],
)
def test_what_can_not_be_read_has_a_code_and_says_what_to_do(
    shipped: Vocabulary, text: str, code: str
) -> None:
    with pytest.raises(ReviewError) as caught:
        read_statement(text, shipped)
    assert caught.value.code == code
    assert ReviewError.codes[code] in str(caught.value)


@pytest.mark.parametrize("evidence", ["rel:a:b:c", "gloss:knowledge.n.1", "../../etc", "", "taught:ab"])
def test_only_a_statement_of_the_pack_can_be_taken_back(shipped: Vocabulary, evidence: str) -> None:
    with pytest.raises(ReviewError) as caught:
        retraction(evidence, shipped)
    assert caught.value.code == "unknown_evidence"
