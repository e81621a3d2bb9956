"""The comparison of the constraint: prompts, figures, folds, by hand on the bakery."""

from __future__ import annotations

import json
from typing import Any

import pytest
from rich.console import Console

from cognition.config import RuntimeConfig
from cognition.packs.vocabulary import Vocabulary
from experiments import constraint_ab
from experiments.constraint_ab import MOST, Outcome, evaluate_constraint, outcomes, relation_prompts, show
from experiments.harness import UsageError

pytestmark = pytest.mark.cognition

SETTINGS = RuntimeConfig(top_k=3)


def test_each_prompt_names_subject_and_relation_and_not_the_object(bakery: Vocabulary) -> None:
    prompts, unread = relation_prompts(bakery)
    assert unread == 0
    asked = {prompt.text: [said.id for said in prompt.targets] for prompt in prompts}
    assert asked["What does bread require?"] == [
        "rel:bread.n.1:requires:flour.n.1",
        "rel:bread.n.1:requires:water.n.1",
    ]
    assert "What is toast a kind of?" in asked
    for prompt in prompts:
        for said in prompt.targets:
            assert bakery.senses[said.object].lemma not in prompt.text
    denied = {said.id for said in bakery.statements if not said.positive}
    assert denied
    assert denied.isdisjoint(i for ids in asked.values() for i in ids)


def test_the_shipped_pack_gives_more_than_two_hundred(shipped: Vocabulary) -> None:
    prompts, unread = relation_prompts(shipped)
    assert len(prompts) > 200
    assert unread < len(prompts) / 20


def test_steps_and_slots_are_those_of_the_walk(bakery: Vocabulary) -> None:
    """On the line from bread (0): bread, oven (10), flour (30), water (55); its three nearest: bread, oven, toast."""
    prompts, _ = relation_prompts(bakery)
    at = next(i for i, prompt in enumerate(prompts) if prompt.text == "What does bread require?")
    found = outcomes(prompts, bakery, SETTINGS)
    assert found["off"][at] == Outcome(steps=(3, 4), topical=1.0, grounded=1.0, length=4)
    assert found["on"][at] == Outcome(steps=(None, None), topical=1.0, grounded=0.0, length=3)
    assert found["off"][at].step == 3.5
    assert found["on"][at].step == MOST
    assert (found["off"][at].within_few, found["on"][at].within_few) == (1.0, 0.0)
    assert all(len(one.steps) == len(prompts[i].targets) for i, one in enumerate(found["null_vocab"]))


@pytest.mark.slow
def test_folds_hold_out_every_pair_once_and_whole(bakery: Vocabulary) -> None:
    seen: list[frozenset[str]] = []

    def refit(vocabulary: Vocabulary, without: frozenset[str]) -> Vocabulary:
        seen.append(without)
        return vocabulary

    report = evaluate_constraint(bakery, folds=3, config=SETTINGS, refit=refit)
    assert len(seen) == 3
    held = [i for group in seen for i in group]
    assert len(held) == len(set(held))
    asked = {said.id for prompt in relation_prompts(bakery)[0] for said in prompt.targets}
    assert asked <= set(held)
    assert report["held_out"]["relations"] == report["fitted"]["relations"] == len(asked)
    # toast is a kind of bread and requires it: one pair, one fold
    both = {"rel:toast.n.1:is_a:bread.n.1", "rel:toast.n.1:requires:bread.n.1"}
    assert any(both <= group for group in seen)
    for arm in constraint_ab.ARMS:  # the same geometry either way
        row, held_row = report["fitted"]["arms"][arm], report["held_out"]["arms"][arm]
        assert held_row["median_step"] == row["median_step"]
        assert held_row["met"] == row["met"]


@pytest.mark.parametrize("folds", [1, 99])
def test_a_number_of_folds_that_can_not_be_is_refused(bakery: Vocabulary, folds: int) -> None:
    with pytest.raises(UsageError, match=f"folds: {folds}"):
        evaluate_constraint(bakery, folds=folds, refit=lambda vocabulary, without: vocabulary)


@pytest.mark.slow
def test_the_report_is_json_and_can_be_read(bakery: Vocabulary) -> None:
    report = evaluate_constraint(bakery, folds=2, config=SETTINGS, refit=lambda vocabulary, _: vocabulary)
    read: dict[str, Any] = json.loads(json.dumps(report, allow_nan=False))
    assert {"on-off", "on-null_vocab", "on-null_domain"} < set(read["fitted"]["differences"])
    gap = read["fitted"]["differences"]["on-off"]["within_few"]
    assert gap["low"] <= gap["difference"] <= gap["high"]
    console = Console(width=160, record=True)
    show(report, console)
    text = console.export_text()
    assert "held out of the fit, 2 folds" in text
    assert "null_domain" in text


@pytest.mark.slow
def test_the_graph_s_region_beats_every_control_on_what_the_fit_saw(shipped: Vocabulary) -> None:
    differences = evaluate_constraint(shipped, folds=0)["fitted"]["differences"]
    for other in ("on-off", "on-null_vocab", "on-null_domain"):
        assert differences[other]["within_few"]["low"] > 0
        assert differences[other]["step"]["high"] < 0
        assert differences[other]["grounded"]["low"] > 0


@pytest.mark.slow
def test_a_refit_puts_held_out_ends_farther_apart(shipped: Vocabulary) -> None:
    group = frozenset(said.id for said in shipped.statements[::5])
    without = constraint_ab.refitted(shipped, group)
    assert without.points != shipped.points
    assert [said.id for said in without.statements] == [said.id for said in shipped.statements]

    def near(vocabulary: Vocabulary) -> int:
        subjects = [said.subject for said in shipped.statements if said.id in group and said.positive]
        objects = [said.object for said in shipped.statements if said.id in group and said.positive]
        found = vocabulary.backend.neighbourhoods(vocabulary.handle, subjects, 8)
        return sum(obj in row for obj, row in zip(objects, found, strict=True))

    assert near(without) < near(shipped) / 2
