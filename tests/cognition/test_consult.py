"""The gate of what is not known: which sources a refused turn tried, and why each fell through."""

from __future__ import annotations

import pytest

from cognition import CognitiveTurnPipeline, Runtime
from cognition.refusal import FALLS, Attempt
from cognition.teaching import TeachingStore
from cognition.teaching.layer import review_check
from cognition.teaching.statement import read_statement
from cognition.vault import Vault
from recognition import check_english

pytestmark = [pytest.mark.teaching, pytest.mark.cognition]

UNKNOWN = "What is a wombat?"
UNANSWERED = "Does knowledge require doubt?"


def fell(result_tried: tuple[Attempt, ...]) -> list[tuple[str, str]]:
    return [(attempt.source, attempt.fell) for attempt in result_tried]


def accepted(store: TeachingStore, runtime: Runtime, text: str) -> str:
    item = store.propose(read_statement(text, runtime.vocabulary), by="ann")
    return store.accept(item.id, by="bob", check=review_check(runtime.vocabulary)).id


@pytest.mark.parametrize(
    ("prompt", "why"),
    [(UNKNOWN, "no_word"), ("wombat", "no_word"), (UNANSWERED, "no_statement"),
     ("Why does doubt require a lamp?", None)],
)  # fmt: skip
def test_pack_teaching_and_vault_in_this_order(runtime: Runtime, prompt: str, why: str | None) -> None:
    result = runtime.ask(prompt)
    assert result.refusal is not None
    assert result.refusal.tried == result.tried
    assert [attempt.source for attempt in result.tried] == ["pack", "teaching", "vault"]
    assert all(attempt.fell in FALLS for attempt in result.tried)
    if why is not None:
        assert fell(result.tried) == [("pack", why), ("teaching", "not_attached"), ("vault", "not_attached")]
    assert result.as_dict()["tried"][0]["source"] == "pack"
    assert "tried" not in result.folded


@pytest.mark.parametrize("prompt", ["", "What is knowledge?", "Define only knowledge", "¿Qué es la luz?"])
def test_answers_and_refusals_of_another_kind_try_nothing(runtime: Runtime, prompt: str) -> None:
    result = runtime.ask(prompt)
    assert result.tried == ()
    assert "tried" not in result.as_dict()


def test_teaching_that_holds_nothing_in_force_says_so_and_names_what_is_unreviewed(runtime: Runtime) -> None:
    store = TeachingStore()
    pipeline = CognitiveTurnPipeline(runtime, store)
    assert fell(pipeline.run(UNANSWERED).tried)[1] == ("teaching", "nothing_in_force")
    candidate = pipeline.run("No, knowledge requires doubt").candidate
    result = pipeline.run(UNANSWERED)
    assert result.tried[1] == Attempt(
        source="teaching", fell="nothing_in_force", unreviewed=(str(candidate),)
    )
    assert result.trace_hash == runtime.ask(UNANSWERED).trace_hash
    assert candidate not in result.surface
    assert result.citations == runtime.ask(UNANSWERED).citations
    accepted(store, runtime, "memory requires light")
    result = pipeline.run(UNANSWERED)
    assert result.tried[1] == Attempt(source="teaching", fell="no_statement", unreviewed=(str(candidate),))
    assert result.folded["tried"] == [
        ["pack", "no_statement"], ["teaching", "no_statement"], ["vault", "not_attached"],
    ]  # fmt: skip


def test_a_vault_falls_through_with_its_reason(runtime: Runtime) -> None:
    vault = Vault(runtime.vocabulary)
    pipeline = CognitiveTurnPipeline(runtime, vault=vault)
    assert fell(pipeline.run(UNKNOWN).tried)[2] == ("vault", "empty")
    vault.put("Bread rises.", key="bread", source="ann", status="reviewed")
    no_item = pipeline.run(UNKNOWN)
    assert fell(no_item.tried)[2] == ("vault", "no_item")
    item = vault.put("A wombat digs.", key="wombat", source="ann")
    result = pipeline.run(UNKNOWN)
    assert result.tried[2] == Attempt(source="vault", fell="unreviewed_only", unreviewed=(item.id,))
    assert result.refusal is not None
    assert (result.surface, result.citations) == (no_item.surface, ())
    assert ["vault", "unreviewed_only"] in result.folded["tried"]
    assert item.id not in str(result.folded)


def test_a_reviewed_item_of_the_vault_answers_word_for_word(runtime: Runtime) -> None:
    vault = Vault(runtime.vocabulary)
    item = vault.put("A wombat\n digs.", key="Wombat", source="ann", status="reviewed")
    result = CognitiveTurnPipeline(runtime, vault=vault).run(UNKNOWN)
    assert result.refusal is None
    assert result.surface == "From the vault: “A wombat digs”."
    assert check_english(result.surface) == ()
    (cited,) = result.citations
    assert (cited.id, cited.kind, cited.pack, cited.source) == (item.id, "vault", "vault", "ann")
    assert fell(result.tried) == [("pack", "no_word"), ("teaching", "not_attached")]
    assert CognitiveTurnPipeline(runtime, vault=vault).run(UNKNOWN).trace_hash == result.trace_hash


def test_words_without_a_question_are_looked_up_as_they_stand(runtime: Runtime) -> None:
    vault = Vault(runtime.vocabulary)
    item = vault.put("Wombats dig.", key="wombats", source="ann", status="reviewed")
    assert runtime.ask("wombats").refusal_reason == "unknown_domain"
    result = CognitiveTurnPipeline(runtime, vault=vault).run("wombats")
    assert [evidence.id for evidence in result.citations] == [item.id]


def test_the_vault_is_not_asked_where_the_pack_answers(runtime: Runtime) -> None:
    vault = Vault(runtime.vocabulary)
    vault.put("Knowledge is power.", key="knowledge", source="ann", status="reviewed")
    result = CognitiveTurnPipeline(runtime, vault=vault).run("What is knowledge?")
    assert result.trace_hash == runtime.ask("What is knowledge?").trace_hash


def test_a_batch_consults_as_a_single_turn_does(runtime: Runtime) -> None:
    vault = Vault(runtime.vocabulary)
    vault.put("A wombat digs.", key="wombat", source="ann", status="reviewed")
    pipeline = CognitiveTurnPipeline(runtime, TeachingStore(), vault=vault)
    prompts = [UNKNOWN, UNANSWERED, "What is knowledge?", ""]
    together = pipeline.run_batch(prompts)
    assert [r.trace_hash for r in together] == [pipeline.run(text).trace_hash for text in prompts]
    assert [r.tried for r in together] == [pipeline.run(text).tried for text in prompts]
