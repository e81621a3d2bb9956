"""Two packs made one: what both say, what the first one says, and one geometry."""

from __future__ import annotations

from pathlib import Path

import pytest

from cognition import Runtime, load_pack
from cognition.packs.load import PackError
from cognition.packs.merge import merge
from tests.cognition.built_packs import TERMS, Row, build_pack, contents, geometry_of, without_fit

pytestmark = pytest.mark.packs

OTHERS: tuple[Row, ...] = (
    {"term": "boat", "gloss": "a thing that floats and carries people", "domains": "sea.craft"},
    {"term": "sail", "gloss": "a cloth that catches the wind", "domains": "sea.part"},
    {"term": "mast", "gloss": "a tall post of a boat", "domains": "sea.part"},
)
OTHERS_SAID: tuple[Row, ...] = (
    {"subject": "sail", "relation": "part_of", "object": "boat"},
    {"subject": "mast", "relation": "part_of", "object": "boat"},
)


@pytest.fixture(autouse=True)
def _quick(monkeypatch: pytest.MonkeyPatch) -> None:
    without_fit(monkeypatch)


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> Path:
    with pytest.MonkeyPatch.context() as patch:
        without_fit(patch)
        return build_pack(tmp_path_factory.mktemp("edit"))


@pytest.mark.parametrize("align", [False, True])
def test_a_merged_pack_answers_the_questions_of_both(base: Path, tmp_path: Path, align: bool) -> None:
    sea = build_pack(tmp_path, OTHERS, OTHERS_SAID, name="sea", id="sea", attribution="a sailor")
    merged = merge(base, sea, tmp_path / "both", id="both", align=align)
    both = Runtime.open([tmp_path / "both"])
    for folder, prompts in (
        (
            base,
            ("What is a hive?", "Is a queen an insect?", "Does a queen produce honey?", "How do I inspect?"),
        ),
        (sea, ("What is a boat?", "What is a mast?", "Is a sail part of a boat?")),
    ):
        alone = Runtime.open([folder])
        for prompt in prompts:
            first = [runtime.ask(prompt).surface.partition(". ")[0] for runtime in (both, alone)]
            assert first[0] == first[1], prompt  # which further statement is nearest may differ
            assert alone.ask(prompt).answered, prompt
    assert merged.conflicts == ()
    assert (merged.same, merged.renamed, merged.left_out) == ((), (), ())
    sources = {source.id: source.attribution for source in load_pack(tmp_path / "both").manifest.sources}
    assert sources == {"own": "the authors of terms.csv", "own-sea": "a sailor"}
    kept = geometry_of(base)
    if align:
        assert {name: line for name, line in geometry_of(tmp_path / "both").items() if name in kept} == kept
        assert load_pack(tmp_path / "both").manifest.chart == load_pack(base).manifest.chart


def test_a_merge_gives_the_first_pack_precedence(base: Path, tmp_path: Path) -> None:
    terms = [
        {
            "term": "bee",
            "gloss": "an insect that makes honey",
            "domains": "garden",
            "surfaces": "worker",
        },  # the same
        {"term": "hive", "gloss": "a busy place", "domains": "garden"},  # another one
        {
            "term": "honey",
            "gloss": "the sweet food that bees make",
            "domains": "garden",
            "countability": "mass",
        },
        {"term": "queen", "gloss": "a female ruler", "domains": "garden"},
        {"term": "inspect", "gloss": "look at closely", "domains": "garden", "pos": "verb"},
        {"term": "kneel", "gloss": "go down on the knees", "domains": "garden", "pos": "verb"},
    ]
    said = [
        {"subject": "bee", "relation": "produces", "object": "honey", "polarity": "negative"},
        {"subject": "bee", "relation": "requires", "object": "hive"},
        {"subject": "kneel", "relation": "step_of", "object": "inspect", "order": 1},
    ]
    other = build_pack(tmp_path, terms, said, name="garden", id="garden")
    merged = merge(base, other, tmp_path / "both", id="both")
    assert merged.same == ("bee.n.1", "honey.n.1", "inspect.v.1")
    assert merged.renamed == (("hive.n.1", "hive.n.2"), ("queen.n.1", "queen.n.2"))
    assert merged.left_out == ("rel:bee.n.1:not:produces:honey.n.1", "rel:kneel.v.1:step_of:inspect.v.1")
    assert {(c.difference, c.about) for c in merged.conflicts} == {
        ("gloss", "hive.n.1"),
        ("gloss", "queen.n.1"),
        ("polarity", "bee.n.1 produces honey.n.1"),
    }
    pack = load_pack(tmp_path / "both")
    ids = {row.id for row in pack.relations}
    assert "rel:bee.n.1:requires:hive.n.2" in ids
    assert "rel:bee.n.1:produces:honey.n.1" in ids
    bee = next(sense for sense in pack.senses if sense.id == "bee.n.1")
    assert bee.surfaces == ("bee", "bees", "honey bee", "worker")
    assert bee.domains == ("bees.insect", "garden")
    assert sum(sense.lemma == "hive" for sense in pack.senses) == 2


def test_a_cycle_that_two_packs_close_together_is_named(base: Path, tmp_path: Path) -> None:
    terms = [row for row in TERMS if row["term"] in ("bee", "insect", "queen")]
    other = build_pack(
        tmp_path,
        terms,
        [{"subject": "insect", "relation": "is_a", "object": "queen"}],
        name="other",
        id="other",
    )
    with pytest.raises(PackError, match=r"is_a: a cycle: .*bee\.n\.1 is_a insect\.n\.1"):
        merge(base, other, tmp_path / "both", id="both")
    assert not (tmp_path / "both").exists()


def test_phrases_beside_definitions_are_quoted_as_these_are(base: Path, tmp_path: Path) -> None:
    sea = build_pack(tmp_path, OTHERS, OTHERS_SAID, name="sea", id="sea", gloss_form="definition")
    for name, (first, second) in {"a": (base, sea), "b": (sea, base)}.items():
        merged = merge(first, second, tmp_path / name, id="both")
        assert merged.quoted
        assert load_pack(tmp_path / name).manifest.gloss_form == "definition"
    assert not merge(base, base, tmp_path / "c", id="both").quoted


def test_a_merge_is_deterministic_and_of_a_pack_with_itself_is_that_pack(base: Path, tmp_path: Path) -> None:
    for name in ("a", "b"):
        merge(base, base, tmp_path / name, id="twice")
    assert contents(tmp_path / "a") == contents(tmp_path / "b")
    a, b = load_pack(base), load_pack(tmp_path / "a")
    assert (tuple(a.senses), tuple(a.relations)) == (tuple(b.senses), tuple(b.relations))
