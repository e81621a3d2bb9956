"""Controls: regions of the same size that only their seed and case decide, and answers without a walk."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import Any

import pytest

from cognition.constraint import build_graph_constraints
from cognition.graph import PENDING, GraphNode, IntentTag, PropositionGraph
from cognition.packs.vocabulary import Vocabulary
from experiments import controls
from tests.cognition import small_pack

pytestmark = pytest.mark.cognition

SIZES = range(1, 9)


def graph_of(*subjects: str) -> PropositionGraph:
    graph = PropositionGraph()
    for i, subject in enumerate(subjects):
        node = GraphNode(
            node_id=f"p{i}",
            subject=subject,
            predicate="is_defined_as",
            obj=PENDING,
            source_intent=IntentTag.DEFINITION,
        )
        graph = graph.add_node(node)
    return graph


def regions(case_id: str, pool: controls.Pool, vocabulary: Vocabulary, top_k: int = 4, **more: Any) -> Any:
    return controls.random_regions(case_id, pool, **more)([graph_of("bread")], vocabulary, top_k=top_k)[0]


@pytest.fixture(scope="module")
def zoned() -> Vocabulary:
    """Three words in one domain, five in another, far from the first, and one in both."""
    words = [
        small_pack.word(name, 10 * i, domains=domains)
        for i, (name, domains) in enumerate(
            [("bread", ["food"]), ("cake", ["food"]), ("salt", ["food", "sea"])]
            + [(name, ["sea"]) for name in ("coast", "fish", "reef", "tide", "wave")]
        )
    ]
    return small_pack.vocabulary_of(words, ())


@pytest.mark.parametrize("pool", ["vocabulary", "domain"])
@pytest.mark.parametrize("top_k", SIZES)
def test_a_null_region_has_the_size_of_the_true_one(
    pool: controls.Pool, top_k: int, bakery: Vocabulary
) -> None:
    graphs = [graph_of("bread", "salt"), graph_of("toast"), graph_of("nothing known")]
    true = build_graph_constraints(graphs, bakery, top_k=top_k)
    null = controls.random_regions("one", pool)(graphs, bakery, top_k=top_k)
    for a, b in zip(true, null, strict=True):
        assert (a.allowed_indices is None) == (b.allowed_indices is None)
        assert a.label == b.label
        if a.allowed_indices is not None and b.allowed_indices is not None:
            assert len(a.allowed_indices) == len(b.allowed_indices)
            assert list(b.allowed_indices) == sorted(set(b.allowed_indices))


def test_case_and_seed_decide_and_nothing_else(bakery: Vocabulary) -> None:
    first = regions("one", "vocabulary", bakery).allowed_indices
    assert regions("one", "vocabulary", bakery).allowed_indices == first
    among_others = controls.random_regions("one", "vocabulary")(
        [graph_of("salt"), graph_of("bread")], bakery, top_k=4
    )
    assert among_others[1].allowed_indices == first
    assert any(regions(f"case {i}", "vocabulary", bakery).allowed_indices != first for i in range(5))
    assert any(regions("one", "vocabulary", bakery, seed=i).allowed_indices != first for i in range(5))


def test_a_null_region_of_the_vocabulary_is_spread_evenly_and_may_miss_the_anchor(
    bakery: Vocabulary,
) -> None:
    draws = [regions(f"case {i}", "vocabulary", bakery).allowed_indices for i in range(600)]
    counts = [sum(index in drawn for drawn in draws) for index in range(len(bakery))]
    assert sum(counts) == 600 * 4
    assert min(counts) > 130  # 200 expected, with a deviation of 11.5
    assert max(counts) < 270


def test_a_null_region_of_the_domain_stays_in_it_and_is_topped_up(zoned: Vocabulary) -> None:
    food = {i for i, sense in enumerate(zoned.senses) if "food" in sense.domains}
    small = regions("one", "domain", zoned, top_k=2).allowed_indices
    assert set(small) < food
    large = regions("one", "domain", zoned, top_k=5).allowed_indices
    assert food < set(large)
    assert len(large) == 5
    assert controls.topped_up(zoned, graph_of("bread"), 5) == 2
    assert controls.topped_up(zoned, graph_of("bread"), 2) == 0


def test_the_draw_does_not_depend_on_the_hash_seed() -> None:
    code = "from experiments.controls import shuffled; print(shuffled(50, 'key'))"
    drawn = {
        subprocess.run(
            [sys.executable, "-c", code],
            env=os.environ | {"PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("0", "1", "2")
    }
    assert len(drawn) == 1


def test_a_dump_says_all_that_is_on_record_once_and_cites_it(bakery: Vocabulary) -> None:
    bread, toast = bakery.index["bread.n.1"], bakery.index["toast.n.1"]
    dumped = controls.dump(bakery, [bread, toast])
    touching = [s.id for index in (bread, toast) for s in bakery.statements_of(index)]
    assert dumped.citations == ("gloss:bread.n.1", "gloss:toast.n.1", *dict.fromkeys(touching))
    assert [ids for _, ids in dumped.sentences] == [(i,) for i in dumped.citations]
    assert "Bread does not require salt." in dumped.surface


def test_a_gloss_is_the_gloss_and_an_unknown_subject_a_refusal(bakery: Vocabulary) -> None:
    said = controls.gloss(bakery, bakery.index["bread.n.1"])
    assert (said.surface, said.citations) == ("Bread is food made of flour and water.", ("gloss:bread.n.1",))
    assert controls.gloss(bakery, None).refusal == "unknown_subject"
    assert controls.dump(bakery, []).refusal == "unknown_subject"


def test_an_echo_is_the_prompt_without_evidence() -> None:
    said = controls.echo("What is bread?")
    assert (said.surface, said.sentences, said.answered) == (
        "What is bread?",
        (("What is bread?", ()),),
        True,
    )
