"""Where two packs disagree, and which of them counts."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from cognition import PackError, Runtime, load_pack
from cognition.packs.compare import compare_packs
from cognition.packs.load import Pack
from tests.cognition.small_pack import BAKERY, BAKERY_SAYS, TYPES, said, word, write_pack

pytestmark = pytest.mark.packs


@pytest.fixture(scope="module")
def first(sound: Path) -> Pack:
    return load_pack(sound)


def other(folder: Path, **changed: Any) -> Pack:
    return load_pack(write_pack(folder / "other", **changed))


def differences(first: Pack, second: Pack) -> list[tuple[str, str, str, str]]:
    return [(c.difference, c.about, c.first, c.second) for c in compare_packs(first, second)]


def test_a_pack_agrees_with_itself_and_with_one_about_other_words(first: Pack, tmp_path: Path) -> None:
    assert differences(first, first) == []
    assert differences(first, other(tmp_path, words=[word("sea"), word("wave", 3)], relations=())) == []


def test_one_word_defined_twice_is_reported_with_the_first_pack_first(first: Pack, tmp_path: Path) -> None:
    words = [
        row | {"gloss": "a cereal"} if row["id"] == "wheat.n.1" else row
        for row in BAKERY
        if row["id"] != "toast.n.1"
    ]
    second = other(
        tmp_path, words=[*words, word("toast", 5, n=2, gloss="a drink in honour of somebody")], relations=()
    )
    assert differences(first, second) == [
        ("gloss", "wheat.n.1", "a tall grass with seeds", "a cereal"),
        ("senses", "toast", "toast.n.1", "toast.n.2"),
    ]
    assert [(c, d) for _, _, c, d in differences(second, first)] == [
        (b, a) for _, _, a, b in differences(first, second)
    ]


def test_a_runtime_opens_one_pack_and_says_where_two_differ(sound: Path, tmp_path: Path) -> None:
    write_pack(tmp_path / "same")
    words = [row | {"gloss": "a cereal"} if row["id"] == "wheat.n.1" else row for row in BAKERY]
    write_pack(tmp_path / "other", words=words)
    with pytest.raises(ValueError, match="not 2; they say nothing differently"):
        Runtime.open([sound, tmp_path / "same"])
    with pytest.raises(ValueError, match=r"precedence, differs in 1 places, as wheat\.n\.1 \(gloss\)"):
        Runtime.open([sound, tmp_path / "other"])
    with pytest.raises(PackError):
        Runtime.open([sound, "../../etc/passwd"])


def test_one_statement_said_two_ways(first: Pack, tmp_path: Path) -> None:
    relations = [
        said("cake.n.1 not contrasts_with bread.n.1"),  # symmetric: the same pair
        said("bread.n.1 not requires flour.n.1"),
        said("cake.n.1 not requires salt.n.1"),  # the first pack's is speculative: no conflict
        said("knead.v.1 step_of bake.v.1", order=1),
        said("mix.v.1 step_of bake.v.1", order=2),
    ]
    types = [row | {"transitive": row["id"] in ("is_a", "enables", "requires")} for row in TYPES]
    second = other(tmp_path, relations=relations, types=types)
    assert differences(first, second) == [
        ("order", "knead.v.1 step_of bake.v.1", "2", "1"),
        ("order", "mix.v.1 step_of bake.v.1", "1", "2"),
        ("polarity", "bread.n.1 contrasts_with cake.n.1", "positive", "negative"),
        ("polarity", "bread.n.1 requires flour.n.1", "positive", "negative"),
        ("relation_type", "enables", "causal", "causal, transitive"),
    ]
    assert len(BAKERY_SAYS) == len(first.relations)
