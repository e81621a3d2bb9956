"""Contradictions between proposals and reviewed knowledge, on a bakery whose every statement is known."""

from __future__ import annotations

from dataclasses import replace

import pytest

from cga.backend import open_backend
from cognition import Vocabulary
from cognition.packs.schema import JSONL_FILES
from cognition.teaching import Content, ReviewError, TeachingStore
from cognition.teaching.conflicts import conflicts, known
from cognition.teaching.layer import examine, overlay_of, review_check
from cognition.teaching.statement import read_statement
from tests.cognition import small_pack
from tests.cognition.small_pack import BAKERY, BAKERY_SAYS, TYPES, relation_type, said, word

pytestmark = pytest.mark.teaching

MORE = (
    *BAKERY_SAYS,
    said("salt.n.1 produces water.n.1"),
    said("wheat.n.1 not requires oven.n.1"),
)


@pytest.fixture(scope="module")
def shop() -> Vocabulary:
    types = tuple(row | {"functional": row["id"] == "produces"} for row in TYPES)
    types = (*types, relation_type("prevents", "prevent", "prevents", kind="opposition"))
    rows = small_pack.rows_of(BAKERY, MORE, types)
    models = {
        name: tuple(JSONL_FILES[name].model_validate(row) for row in found) for name, found in rows.items()
    }
    pack = small_pack.vocabulary_of(BAKERY, MORE).pack
    changed = replace(pack, relation_types=models["relation_types.jsonl"])
    return Vocabulary(changed, open_backend("numpy"))


def of(text: str, order: int | None = None) -> Content:
    subject, *denial, relation, obj = text.split()
    return Content(
        kind="relation",
        subject=subject,
        relation=relation,
        object=obj,
        polarity="negative" if denial else "positive",
        order=order,
    )


def found(content: Content, vocabulary: Vocabulary) -> list[tuple[str, tuple[str, ...]]]:
    return [(conflict.ground, conflict.evidence) for conflict in conflicts(content, vocabulary)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        # the same statement, denied or asserted
        ("bread.n.1 not requires flour.n.1", [("denied", ("rel:bread.n.1:requires:flour.n.1",))]),
        ("bread.n.1 requires salt.n.1", [("denied", ("rel:bread.n.1:not:requires:salt.n.1",))]),
        # a symmetric relation is denied from either end
        ("cake.n.1 not contrasts_with bread.n.1", [("denied", ("rel:bread.n.1:contrasts_with:cake.n.1",))]),
        # a transitive relation is an order: not the other way round, neither outright nor by a chain
        ("flour.n.1 requires bread.n.1", [("inverse", ("rel:bread.n.1:requires:flour.n.1",))]),
        (
            "wheat.n.1 requires toast.n.1",
            [
                (
                    "implied",
                    (
                        "rel:toast.n.1:requires:bread.n.1",
                        "rel:bread.n.1:requires:flour.n.1",
                        "rel:flour.n.1:requires:wheat.n.1",
                    ),
                )
            ],
        ),
        # what a chain says can't be denied
        (
            "toast.n.1 not requires flour.n.1",
            [("implied", ("rel:toast.n.1:requires:bread.n.1", "rel:bread.n.1:requires:flour.n.1"))],
        ),
        # nor can a link be added that makes a chain say what is denied
        (
            "flour.n.1 requires salt.n.1",
            [("implied", ("rel:bread.n.1:requires:flour.n.1", "rel:bread.n.1:not:requires:salt.n.1"))],
        ),
        # one thing both ways
        ("oven.n.1 prevents bread.n.1", [("opposed", ("rel:oven.n.1:enables:bread.n.1",))]),
        # functional: one object
        ("salt.n.1 produces cake.n.1", [("functional", ("rel:salt.n.1:produces:water.n.1",))]),
        # no contradiction
        ("cake.n.1 requires oven.n.1", []),
        ("bread.n.1 enables oven.n.1", []),
        ("cake.n.1 not requires water.n.1", []),
        ("oven.n.1 not prevents bread.n.1", []),
        ("salt.n.1 not produces cake.n.1", []),
    ],
)
def test_grounds(shop: Vocabulary, text: str, expected: list[tuple[str, tuple[str, ...]]]) -> None:
    assert found(of(text), shop) == expected


def test_an_unreviewed_statement_contradicts_nothing(shop: Vocabulary) -> None:
    assert found(of("cake.n.1 not requires salt.n.1"), shop) == []  # its assertion is speculative


def test_a_step_in_a_taken_place(shop: Vocabulary) -> None:
    assert found(of("toast.n.1 step_of bake.v.1", order=2), shop) == [
        ("step", ("rel:knead.v.1:step_of:bake.v.1",))
    ]
    assert found(of("toast.n.1 step_of bake.v.1", order=3), shop) == []


def test_another_gloss_of_the_same_sense(shop: Vocabulary) -> None:
    other = Content(kind="gloss", subject="bread.n.1", gloss="baked dough")
    assert found(other, shop) == [("gloss", ("gloss:bread.n.1",))]
    same = Content(kind="gloss", subject="bread.n.1", gloss="food made of flour and water")
    assert (found(same, shop), known(same, shop)) == ([], "gloss:bread.n.1")


def test_what_was_taught_contradicts_what_comes_after(shop: Vocabulary) -> None:
    store = TeachingStore()
    first = store.propose(of("cake.n.1 requires oven.n.1"), by="ann")
    store.accept(first.id, by="bob", check=review_check(shop))
    second = store.propose(of("cake.n.1 not requires oven.n.1"), by="ann")
    with pytest.raises(ReviewError, match=f"denied: {first.id}") as caught:
        store.accept(second.id, by="bob", check=review_check(shop))
    assert caught.value.code == "contradicts"
    assert store.accept(second.id, by="bob", check=review_check(shop, replace=True)).replaces == (first.id,)
    now = shop.with_overlay(overlay_of(store.knowledge(), shop))
    assert found(of("cake.n.1 requires oven.n.1"), now) == [("denied", (second.id,))]


def test_an_implied_contradiction_is_not_overruled(shop: Vocabulary) -> None:
    store = TeachingStore()
    item = store.propose(of("toast.n.1 not requires flour.n.1"), by="ann")
    with pytest.raises(ReviewError) as caught:
        store.accept(item.id, by="bob", check=review_check(shop, replace=True))
    assert caught.value.code == "implied_otherwise"
    link = store.propose(Content(kind="retraction", target="rel:toast.n.1:requires:bread.n.1"), by="ann")
    store.accept(link.id, by="bob", check=review_check(shop))
    assert store.accept(item.id, by="bob", check=review_check(shop)).state == "accepted"
    store.retract(link.id, by="bob")  # the chain is back; none of its statements alone contradicts the item
    assert overlay_of(store.knowledge(), shop).hidden == frozenset()


@pytest.mark.parametrize(
    ("content", "code"),
    [
        (of("bread.n.1 requires flour.n.1"), "already_known"),
        (of("cake.n.1 contrasts_with bread.n.1"), "already_known"),
        (of("wombat.n.1 requires flour.n.1"), "unknown_word"),
        (of("bread.n.1 loves flour.n.1"), "unknown_relation"),
        (of("toast.n.1 step_of bake.v.1"), "bad_order"),
        (of("toast.n.1 step_of bake.v.1", order=4), "bad_order"),
        (of("cake.n.1 requires oven.n.1", order=1), "bad_order"),
        (
            Content(kind="retraction", target="rel:cake.n.1:requires:salt.n.1"),
            "unknown_evidence",
        ),  # speculative
        (Content(kind="gloss", subject="wombat.n.1", gloss="an animal"), "unknown_word"),
        (Content(kind="gloss", subject="bread.n.1", gloss="a apple"), "bad_english"),
    ],
)
def test_what_no_reviewer_can_overrule(shop: Vocabulary, content: Content, code: str) -> None:
    with pytest.raises(ReviewError) as caught:
        examine(content, shop)
    assert caught.value.code == code


def test_an_item_about_words_that_a_pack_lacks_adds_nothing_to_it(shop: Vocabulary) -> None:
    store = TeachingStore()
    item = store.propose(of("cake.n.1 requires oven.n.1"), by="ann")
    store.accept(item.id, by="bob", check=review_check(shop))
    other = small_pack.vocabulary_of([word("sea", 1), word("wave", 2)], ())
    assert overlay_of(store.knowledge(), other).digest == ""
    assert other.with_overlay(overlay_of(store.knowledge(), other)) is other


def test_an_overlay_is_laid_over_the_pack_alone(shop: Vocabulary) -> None:
    store = TeachingStore()
    item = store.propose(of("cake.n.1 requires oven.n.1"), by="ann")
    store.accept(item.id, by="bob", check=review_check(shop))
    overlay = overlay_of(store.knowledge(), shop)
    with pytest.raises(ValueError, match="already"):
        shop.with_overlay(overlay).with_overlay(overlay)
    assert len(shop.with_overlay(overlay).statements) == len(shop.statements) + 1


def test_words_are_read_as_well_in_a_small_pack(shop: Vocabulary) -> None:
    assert read_statement("cake requires an oven", shop) == of("cake.n.1 requires oven.n.1")


def test_what_was_taken_back_can_be_taught_again(shop: Vocabulary) -> None:
    store = TeachingStore()
    for content in (
        Content(kind="retraction", target="rel:cake.n.1:requires:flour.n.1"),
        of("cake.n.1 requires flour.n.1"),
    ):
        item = store.propose(content, by="ann")
        store.accept(item.id, by="bob", check=review_check(shop))
    assert shop.with_overlay(overlay_of(store.knowledge(), shop)) is shop


def test_teaching_the_packs_own_gloss_again_gives_the_pack_back(shop: Vocabulary) -> None:
    store = TeachingStore()
    own = shop.senses[shop.index["bread.n.1"]].gloss
    for gloss in ("baked dough", own):
        item = store.propose(Content(kind="gloss", subject="bread.n.1", gloss=gloss), by="ann")
        store.accept(item.id, by="bob", check=review_check(shop, replace=True))
    assert shop.with_overlay(overlay_of(store.knowledge(), shop)) is shop


def test_what_comes_back_does_not_contradict_what_came_after_it(shop: Vocabulary) -> None:
    store = TeachingStore()

    def accepted(content: Content) -> str:
        item = store.propose(content, by="ann")
        return store.accept(item.id, by="bob", check=review_check(shop, replace=True)).id

    def in_force() -> set[str]:
        now = shop.with_overlay(overlay_of(store.knowledge(), shop))
        added = {said.id for said in now.statements} - {said.id for said in shop.statements}
        gone = {said.id for said in shop.statements} - {said.id for said in now.statements}
        return added | {f"-{evidence}" for evidence in gone}

    # The pack's denial is taken back, its opposite taught, and then the denial given back.
    denial = "rel:bread.n.1:not:requires:salt.n.1"
    away = accepted(Content(kind="retraction", target=denial))
    salt = accepted(of("bread.n.1 requires salt.n.1"))
    store.retract(away, by="bob")
    assert in_force() == {salt, f"-{denial}"}
    store.retract(salt, by="bob")
    assert in_force() == set()
    # One item gives way to a second, a third contradicts the first alone, and the second is taken back.
    first = accepted(of("oven.n.1 prevents salt.n.1"))
    second = accepted(of("oven.n.1 not prevents salt.n.1"))
    third = accepted(of("oven.n.1 produces salt.n.1"))
    assert in_force() == {second, third}
    store.retract(second, by="bob")
    assert in_force() == {third}
    store.retract(third, by="bob")
    assert in_force() == {first}


def test_of_two_glosses_that_come_to_hold_the_newer_is_said(shop: Vocabulary) -> None:
    store = TeachingStore()
    texts = ("baked dough", "a loaf", "what bakers make")
    for text in texts:
        item = store.propose(Content(kind="gloss", subject="bread.n.1", gloss=text), by="ann")
        store.accept(item.id, by="bob")  # as if each had been reviewed against a pack without this gloss
    assert overlay_of(store.knowledge(), shop).glosses["bread.n.1"][1] == texts[-1]
    assert len(overlay_of(store.knowledge(), shop).sources) == 1
