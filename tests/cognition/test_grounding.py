"""Evidence disposes: on a bakery of twelve words every answer and every refusal can be told beforehand."""

from __future__ import annotations

from typing import Any

import pytest

from cognition import CognitiveTurnResult, FieldState, Runtime, Vocabulary, generate
from cognition.grounding import ground
from cognition.inquiry import Inquiry, Slot
from tests.cognition import small_pack
from tests.cognition.small_pack import BAKERY, BAKERY_SAYS, runtime_of, said, word

pytestmark = pytest.mark.cognition


@pytest.fixture(scope="module")
def baker() -> Runtime:
    return runtime_of()


def ids(result: CognitiveTurnResult) -> list[str]:
    """The evidence beside the prompt itself."""
    return [evidence.id for evidence in result.citations if evidence.kind != "prompt"]


def fills(result: CognitiveTurnResult) -> list[tuple[str, str, int]]:
    """Slot, word and step of what was grounded."""
    assert result.grounding is not None
    assert result.walk is not None
    found = []
    for fill in result.grounding.fills:
        assert result.walk.indices[fill.step] == fill.word
        found.append((fill.slot, result.walk.tokens[fill.step], fill.step))
    return found


@pytest.mark.parametrize(
    ("prompt", "surface", "evidence"),
    [
        (
            "What is flour?",
            "Flour is grain ground to powder. Bread requires flour.",
            ["gloss:flour.n.1", "rel:bread.n.1:requires:flour.n.1"],
        ),
        ("What is a baker?", "A baker is a person who makes bread.", ["gloss:baker.n.1"]),
        (
            "Does bread require flour?",
            "Yes: bread requires flour. An oven enables bread.",
            ["rel:bread.n.1:requires:flour.n.1", "rel:oven.n.1:enables:bread.n.1"],
        ),
        (
            "Does bread require salt?",
            "No: bread does not require salt. Bread requires water.",
            ["rel:bread.n.1:not:requires:salt.n.1", "rel:bread.n.1:requires:water.n.1"],
        ),
        (
            "Does bread require wheat?",
            "Yes, in two steps: bread requires flour, and flour requires wheat.",
            ["rel:bread.n.1:requires:flour.n.1", "rel:flour.n.1:requires:wheat.n.1"],
        ),
        (
            "Why does bread exist?",
            "Bread exists because an oven enables it.",
            ["rel:oven.n.1:enables:bread.n.1"],
        ),
        (
            "What requires flour?",
            "Bread and a cake require flour.",
            ["rel:bread.n.1:requires:flour.n.1", "rel:cake.n.1:requires:flour.n.1"],
        ),
        (
            "What does bread require?",
            "Bread requires flour and water.",
            ["rel:bread.n.1:requires:flour.n.1", "rel:bread.n.1:requires:water.n.1"],
        ),
        ("Give me an example of bread", "Toast is a kind of bread.", ["rel:toast.n.1:is_a:bread.n.1"]),
        (
            "How do I bake?",
            "To bake, take two steps. First, mix: stir things together. Second, knead: work dough with the hands.",
            [
                "rel:mix.v.1:step_of:bake.v.1",
                "rel:knead.v.1:step_of:bake.v.1",
                "gloss:mix.v.1",
                "gloss:knead.v.1",
            ],
        ),
        (
            "Compare bread and cake",
            (
                "Bread is food made of flour and water; a cake is a sweet soft food. Bread contrasts with a cake. "
                "Both bread and a cake require flour."
            ),
            [
                "gloss:bread.n.1",
                "gloss:cake.n.1",
                "rel:bread.n.1:contrasts_with:cake.n.1",
                "rel:bread.n.1:requires:flour.n.1",
                "rel:cake.n.1:requires:flour.n.1",
            ],
        ),
        (
            "Toast is to bread as flour is to what?",
            "The answer is wheat: toast requires bread, as flour requires wheat.",
            ["rel:toast.n.1:requires:bread.n.1", "rel:flour.n.1:requires:wheat.n.1"],
        ),
    ],
)
def test_an_answer_and_its_evidence(baker: Runtime, prompt: str, surface: str, evidence: list[str]) -> None:
    result = baker.ask(prompt)
    assert (result.refusal_reason, result.surface) == ("", surface)
    assert sorted(ids(result)) == sorted(evidence)


def test_the_first_walked_word_that_fits_fills_the_slot(baker: Runtime) -> None:
    """From flour: bread at 30 and wheat at 45 are both joined to it; the walk comes by bread first."""
    result = baker.ask("What is flour?")
    assert result.walk is not None
    assert result.walk.tokens == ("flour", "oven", "bread")
    assert fills(result) == [("related", "bread", 2)]


def test_slots_are_filled_in_the_order_of_the_walk(bakery: Vocabulary) -> None:
    one, two, three = bakery.statements[:3]
    fills = {4: (one,), 7: (two,), 9: (three,)}
    first = Slot(name="cause", required=True, fills=fills)
    every = Slot(name="asked", every=True, fills=fills)
    walked = (2, 9, 4, 3)
    assert [(f.slot, f.word, f.step) for f in ground(Inquiry(slots=(first,)), walked).fills] == [
        ("cause", 9, 1)
    ]
    both = ground(Inquiry(slots=(first, every)), walked)
    assert [(f.slot, f.word, f.step) for f in both.fills] == [
        ("cause", 9, 1),
        ("asked", 9, 1),
        ("asked", 4, 2),
    ]
    assert both.of("asked")[1].statements == (one,)
    missed = ground(Inquiry(slots=(Slot(name="also", fills=fills), first)), (1, 2, 3))
    assert (missed.fills, missed.refusal and missed.refusal.code) == ((), "ungrounded")
    assert Inquiry(slots=(first, every)).goals == ((4, 7, 9), (4,), (7,), (9,))


def test_another_geometry_fills_the_slot_with_another_word() -> None:
    words = [dict(row) for row in BAKERY]
    for row in words:
        if row["lemma"] == "wheat":
            row["point"] = [31, 0, 0, 100]
    result = runtime_of(words).ask("What is flour?")
    assert fills(result) == [("related", "wheat", 1)]
    assert result.surface == "Flour is grain ground to powder. Flour requires wheat."


def test_a_word_of_the_prompt_never_grounds(baker: Runtime) -> None:
    """Both words stand in reviewed relations to each other and lie on the way; neither is an answer to itself."""
    for prompt in ("Compare bread and flour", "Does bread require flour?", "Why does bread require flour?"):
        result = baker.ask(prompt)
        prompt_words = {
            m for match in (result.plan.clause.words if result.plan else ()) for m in match.indices
        }
        assert result.grounding is None or prompt_words.isdisjoint(
            fill.word for fill in result.grounding.fills
        )
    assert "Bread requires flour." not in baker.ask("What is flour and bread?").surface


def test_a_word_named_beside_the_question_does_not_answer_it(baker: Runtime) -> None:
    free = baker.ask("What requires flour?")
    assert "Bread" in free.surface
    named = baker.ask("What requires flour, bread?")
    assert named.refusal is not None or "read" not in named.surface.split("require")[0]


@pytest.mark.parametrize(
    ("prompt", "code", "about"),
    [
        ("What is a wombat?", "unknown_domain", None),
        ("What is a bread wombat?", "unknown_subject", "bread wombat"),
        ("Does bread require wombats?", "unknown_subject", "wombats"),
        ("Compare bread and wombats", "unknown_subject", "wombats"),
        ("Why does bread require salt cellars?", "unknown_subject", "salt cellars"),
        ("Does flour require bread?", "no_evidence", None),
        ("Does wheat require water?", "no_evidence", None),
        ("Does cake require salt?", "no_evidence", None),  # a speculative row is no evidence
        ("Does salt require bread?", "no_evidence", None),
        ("Does bread enable an oven?", "no_evidence", None),
        ("Is bread a kind of toast?", "no_evidence", None),
        ("Why does salt exist?", "no_evidence", "why salt exists"),
        ("Why does wheat require water?", "claim_not_on_record", None),
        ("Why does flour require bread?", "claim_not_on_record", None),
        ("Why does bread require flour?", "no_evidence", None),
        ("Give me an example of cake", "no_evidence", "any kind of cake"),
        ("How do I knead?", "no_evidence", "how to knead"),
        ("What enables flour?", "no_evidence", "what enables flour"),
        ("Bread is to cake as salt is to what?", "no_evidence", None),
    ],
)
def test_what_is_missing_is_named(baker: Runtime, prompt: str, code: str, about: str | None) -> None:
    result = baker.ask(prompt)
    assert result.refusal_reason == code or (
        code == "unknown_domain" and result.refusal_reason == "unknown_subject"
    )
    assert result.refusal is not None
    if about is not None:
        assert result.refusal.about == about
    assert not result.surface.startswith("Yes")


def test_a_refusal_says_what_is_on_record_instead(baker: Runtime) -> None:
    result = baker.ask("Does flour require bread?")
    assert "only this: bread requires flour." in result.surface
    assert ids(result) == ["rel:bread.n.1:requires:flour.n.1"]


def test_a_denied_claim_has_no_reason(baker: Runtime) -> None:
    result = baker.ask("Why does bread require salt?")
    assert result.surface.startswith("That is not so: bread does not require salt.")
    assert "because" not in result.surface


def test_a_denial_outweighs_a_chain() -> None:
    relations = (*BAKERY_SAYS, said("bread.n.1 not requires wheat.n.1"))
    result = runtime_of(relations=relations).ask("Does bread require wheat?")
    assert result.surface.startswith("No: bread does not require wheat.")


def test_a_denied_link_makes_no_chain() -> None:
    relations = [row for row in BAKERY_SAYS if row["subject"] != "flour.n.1"]
    relations.append(said("flour.n.1 not requires wheat.n.1"))
    assert runtime_of(relations=relations).ask("Does bread require wheat?").refusal_reason == "no_evidence"


def test_only_a_transitive_relation_makes_a_chain() -> None:
    relations = (*BAKERY_SAYS, said("bread.n.1 enables cake.n.1"))
    assert runtime_of(relations=relations).ask("Does an oven enable a cake?").refusal_reason == "no_evidence"


def test_a_longer_chain_states_its_depth() -> None:
    result = runtime_of().ask("Does toast require wheat?")
    assert result.surface == (
        "Yes, in three steps: toast requires bread, bread requires flour and flour requires wheat."
    )


def test_a_chain_may_not_lead_through_a_loop_or_a_denial() -> None:
    loop = (*BAKERY_SAYS, said("wheat.n.1 requires toast.n.1"))
    assert "in three steps" in runtime_of(relations=loop).ask("Does toast require wheat?").surface
    assert runtime_of(relations=loop).ask("Does toast require salt?").refusal_reason == "no_evidence"


def test_the_shortest_chain_is_said() -> None:
    short = (*BAKERY_SAYS, said("toast.n.1 requires flour.n.1"))
    assert "in two steps" in runtime_of(relations=short).ask("Does toast require wheat?").surface


@pytest.mark.parametrize("limit", range(6))
def test_a_required_slot_that_the_walk_does_not_reach_is_a_refusal(limit: int) -> None:
    """Wheat lies five steps from water and flour is on the way; fewer steps leave the slot pending."""
    relations = (said("wheat.n.1 enables toast.n.1"),)
    result = runtime_of(relations=relations, max_tokens=limit).ask("Why does toast exist?")
    reach = generate_from(result, "toast", "wheat")
    if limit <= reach:
        assert (result.refusal_reason, result.refusal and result.refusal.about) == ("ungrounded", "cause")
        assert result.citations == ()
    else:
        assert result.surface == "Toast exists because wheat enables it."


def generate_from(result: CognitiveTurnResult, start: str, goal: str) -> int:
    """The step at which a free walk from one word of the bakery stands on another."""
    vocabulary = small_pack.vocabulary_of()
    place = vocabulary.points[vocabulary.lookup(start)[0]]
    return generate(FieldState(location=place), vocabulary, max_tokens=99).tokens.index(goal)


@pytest.mark.parametrize(("top_k", "code"), [(1, "ungrounded"), (4, "ungrounded"), (6, "")])
def test_a_region_without_the_partner_refuses_and_is_never_widened(top_k: int, code: str) -> None:
    relations = (said("water.n.1 enables bread.n.1"),)
    result = runtime_of(relations=relations, forward_graph_constraint=True, top_k=top_k, max_tokens=99).ask(
        "Why does bread exist?"
    )
    assert result.refusal_reason == code
    assert result.region is not None
    assert len(result.region.allowed_indices or ()) == top_k
    assert result.walk is not None
    assert set(result.walk.indices) <= set(result.region.allowed_indices or ())


def test_no_step_grounds_nothing_that_is_required_and_loses_nothing_that_is_named() -> None:
    runtime = runtime_of(max_tokens=0)
    assert runtime.ask("What is flour?").surface == "Flour is grain ground to powder."
    assert runtime.ask("Does bread require flour?").surface == "Yes: bread requires flour."
    assert runtime.ask("Does bread require wheat?").refusal_reason == "ungrounded"
    assert runtime.ask("Why does bread exist?").refusal_reason == "ungrounded"
    assert runtime.ask("How do I bake?").refusal_reason == "ungrounded"


def test_a_symmetric_relation_holds_both_ways(baker: Runtime) -> None:
    for prompt in ("Does bread contrast with cake?", "Does cake contrast with bread?"):
        assert baker.ask(prompt).surface.startswith("Yes: ")
    for prompt in ("What contrasts with bread?", "What does bread contrast with?"):
        assert "cake" in baker.ask(prompt).surface
    for prompt in ("What contrasts with cake?", "What does cake contrast with?"):
        assert "read" in baker.ask(prompt).surface


HOMOGRAPHS = (
    *BAKERY,
    word("bake", 500, n=1, gloss="food from an oven", surfaces=["bakes"]),
    word("bank", 20, n=1, plural="banks", gloss="the side of a river", salience=40),
    word("bank", 700, n=2, plural="banks", gloss="a house for money", salience=60),
    word("money", 710, gloss="what buys bread"),
)  # fmt: skip


def homograph_runtime(**config: Any) -> Runtime:
    relations = (
        *BAKERY_SAYS,
        said("bank.n.2 requires money.n.1"),
        said("bank.n.1 requires water.n.1"),
        said("mix.v.1 enables bake.v.1"),
    )
    return runtime_of(HOMOGRAPHS, relations, **config)


def test_the_most_salient_sense_is_taken_and_the_other_is_named() -> None:
    result = homograph_runtime().ask("What is a bank?")
    assert result.surface.startswith("A bank is a house for money.")
    assert "In another sense, a bank is the side of a river." in result.surface
    assert result.senses["subject"] == ("bank.n.2", ("bank.n.1",))


def test_a_claim_is_checked_in_every_sense_of_its_words() -> None:
    """A statement on record is found whichever sense of a word it was made in."""
    runtime = homograph_runtime(max_tokens=99)
    assert runtime.ask("Does a bank require money?").surface.startswith("Yes: a bank requires money.")
    assert runtime.ask("Does a bank require water?").surface.startswith("Yes: a bank requires water.")
    assert runtime.ask("Does mixing enable baking?").surface.startswith("Yes: ")


def test_neighbouring_evidence_is_not_said_of_a_word_it_does_not_name(bakery: Vocabulary) -> None:
    """Oven is nearest to bread and joined to it; toast lies as near to the answer but is joined to neither."""
    result = Runtime(bakery).ask("What is salt?")
    assert result.surface == "Salt is white grains from the sea."
