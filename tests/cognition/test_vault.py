"""The vault: exact recall by key and by place, in a file that never forgets an acknowledged item."""

from __future__ import annotations

import random
import sqlite3
from pathlib import Path

import pytest

from cga.backend import Point, open_backend
from cognition import Runtime, Vocabulary
from cognition.eventlog import StoreError
from cognition.packs.schema import LATTICE_BOUND
from cognition.vault import Vault, normal_key
from tests.cognition import oracle, small_pack

pytestmark = pytest.mark.teaching


def test_recall_by_key_is_exact(bakery: Vocabulary) -> None:
    vault = Vault(bakery)
    first = vault.put("Bread rises.", key="Bread", source="ann")
    second = vault.put("Bread is old.", key="bread", source="ann")
    vault.put("Breads differ.", key="breads", source="ann")
    assert vault.by_key("BREAD") == (first, second)
    assert vault.by_key("brea") == vault.by_key("bread and butter") == vault.by_key("") == ()
    assert normal_key("  Ice   CREAM’s ") == normal_key("ice cream's")


def test_putting_the_same_again_is_one_item_and_another_status_another(bakery: Vocabulary) -> None:
    vault = Vault(bakery)
    first = vault.put("Bread rises.", key="bread", source="ann", features={"b": 1, "a": "x"})
    assert vault.put("Bread rises.", key="bread", source="ann", features={"a": "x", "b": 1}) == first
    assert first.features == (("a", "x"), ("b", 1))
    reviewed = vault.put("Bread rises.", key="bread", source="ann", status="reviewed")
    assert reviewed.id != first.id
    assert [item.status for item in vault.items()] == ["speculative", "reviewed"]


def test_what_is_taken_back_is_not_recalled(bakery: Vocabulary) -> None:
    vault = Vault(bakery)
    item = vault.put("Bread rises.", key="bread", source="ann", senses=["bread.n.1"])
    other = vault.put("Ovens are hot.", key="oven", source="ann", senses=["oven.n.1"])
    place = vault.place_of(item)
    assert place is not None
    assert vault.nearest(place, 5) == (item, other)
    vault.take_back(item.id, by="ann")
    vault.take_back(item.id, by="ann")
    assert (vault.by_key("bread"), vault.nearest(place, 5)) == ((), (other,))
    assert vault.put("Bread rises.", key="bread", source="ann", senses=["bread.n.1"]) == item
    assert vault.nearest(place, 1) == (item,)
    with pytest.raises(KeyError):
        vault.take_back("vault:0000000000000000", by="ann")


@pytest.mark.parametrize("name", ["numpy", "jax"])
def test_recall_by_place_ranks_as_the_exact_key_does(name: str) -> None:
    draw = random.Random(7)
    # A coarse lattice, full of ties.
    points = list({Point(draw.randrange(4), draw.randrange(4), 0, 1 + draw.randrange(3)) for _ in range(40)})
    pack = small_pack.vocabulary_of(small_pack.points_as_words(points), ()).pack
    vocabulary = Vocabulary(pack, open_backend(name))  # type: ignore[arg-type]
    vault = Vault(vocabulary)
    for i in range(60):
        senses = [vocabulary.senses[draw.randrange(len(points))].id for _ in range(1 + i % 3)]
        vault.put(f"item {i}", key=f"item {i}", source="test", senses=senses)
    items = vault.items()
    places = [vault.place_of(item) for item in items]
    assert len(set(places)) < len(places)  # some share a place
    known = [place for place in places if place is not None]
    assert len(known) == len(items)
    first = {place: known.index(place) for place in known}
    for _ in range(25):
        at = Point(draw.randrange(-2, 6), draw.randrange(-2, 6), draw.randrange(2), 1 + draw.randrange(4))
        order = sorted(range(60), key=lambda i: (oracle.key(known[i], at), first[known[i]], i))
        for k in (1, 7, 60, 99):
            assert vault.nearest(at, k) == tuple(items[i] for i in order[:k])


def test_items_without_a_known_word_have_no_place(bakery: Vocabulary) -> None:
    vault = Vault(bakery)
    stray = vault.put("Wombats dig.", key="wombat", source="ann", senses=["wombat.n.1"])
    assert vault.place_of(stray) is None
    assert vault.nearest(Point(0, 0, 0, 100), 3) == ()
    assert vault.by_key("wombat") == (stray,)


def test_a_place_broader_than_the_lattice_is_taken_at_its_edge() -> None:
    edge = LATTICE_BOUND - 1
    far = [small_pack.word("east", at=(edge, 0, 0, edge)), small_pack.word("west", at=(-edge, 0, 0, edge))]
    vocabulary = small_pack.vocabulary_of(far, ())
    vault = Vault(vocabulary)
    item = vault.put("East is west.", key="east", source="ann", senses=["east.n.1", "west.n.1"])
    (location,) = vocabulary.backend.locate(vocabulary.handle, [[0, 1]])
    assert location.rho > edge
    assert vault.place_of(item) == location._replace(rho=edge)
    assert vault.nearest(location, 1) == (item,)


def test_it_is_kept_in_a_file_that_teaching_and_sessions_share(bakery: Vocabulary, tmp_path: Path) -> None:
    from cognition.session import SessionStore
    from cognition.teaching import Content, TeachingStore

    path = tmp_path / "all.db"
    with Vault(bakery, path) as one, Vault(bakery, path) as other, TeachingStore(path) as store:
        item = one.put("Bread rises.", key="bread", source="ann", senses=["bread.n.1"])
        assert other.by_key("bread") == (item,)
        store.propose(Content(kind="note", gloss="hm"), by="ann")
    SessionStore(path).close()
    with Vault(bakery, path) as again:
        assert again.items() == (item,)
    with sqlite3.connect(path) as db:
        for change in ("UPDATE vault_event SET item = 'x'", "DELETE FROM vault_event"):
            with pytest.raises(sqlite3.IntegrityError, match="append-only"):
                db.execute(change)
    db.close()


def test_bad_input(bakery: Vocabulary, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="no word"):
        Vault(bakery).put("x", key=" \u200b ", source="ann")
    with pytest.raises(ValueError, match="k is 0"):
        Vault(bakery).nearest(Point(0, 0, 0, 1), 0)
    file = tmp_path / "a.txt"
    file.write_text("no database" * 200)
    with pytest.raises(StoreError) as caught:
        Vault(bakery, file)
    assert caught.value.code == "not_a_store"


def test_the_places_of_the_shipped_pack_are_on_its_lattice(runtime: Runtime) -> None:
    vocabulary = runtime.vocabulary
    vault = Vault(vocabulary)
    senses = [sense.id for sense in vocabulary.senses]
    items = [vault.put(s, key=s, source="test", senses=[s]) for s in senses[:50]]
    for i, item in enumerate(items):
        assert vault.place_of(item) == vocabulary.points[i]
        assert vault.nearest(vocabulary.points[i], 1) == (item,)
