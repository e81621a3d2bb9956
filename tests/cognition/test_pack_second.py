"""The packs that ship beside the first one keep its rules, are what `examples` builds, and answer in plain English."""

from __future__ import annotations

import json
import re
from collections import Counter, defaultdict
from pathlib import Path

import pytest

from cognition import IntentTag, Runtime
from cognition.packs.build import long_walk_closure
from cognition.packs.load import load_pack
from cognition.packs.schema import Relation
from cognition.packs.terms import Request, read_material
from cognition.packs.vocabulary import Vocabulary
from cognition.phrasing import definition, sentence, statement
from experiments.metrics.cases import load_suite
from experiments.metrics.lexicon import Lexicon
from recognition.english import check_english
from tests.cognition.command import Core
from tests.cognition.test_pack_shipped import TIDY, cycle

pytestmark = pytest.mark.packs

LAB, KOINE = "en_lab_safety_v1", "koine_hebrew_v1"
ROOT = Path(__file__).parents[2]
SOURCES = {LAB: ROOT / "examples" / "lab_safety", KOINE: ROOT / "examples" / "koine"}
SPLIT = ROOT / "experiments" / "data" / "lab_safety.jsonl"


@pytest.fixture(scope="module")
def opened() -> dict[str, Runtime]:
    return {name: Runtime.open([name]) for name in SOURCES}


@pytest.fixture(scope="module")
def lab(opened: dict[str, Runtime]) -> Runtime:
    return opened[LAB]


@pytest.fixture(params=SOURCES)
def vocabulary(request: pytest.FixtureRequest, opened: dict[str, Runtime]) -> Vocabulary:
    return opened[request.param].vocabulary


@pytest.mark.parametrize("name", SOURCES)
def test_a_pack_is_what_its_tables_build(name: str) -> None:
    folder, pack = SOURCES[name], load_pack(name)
    types = folder / "relation_types.jsonl"
    material = read_material(
        Request(
            terms=folder / "terms.csv",
            relations=folder / "relations.csv",
            id=name,
            title=pack.manifest.title,
            licence="Apache-2.0",
            attribution="CORE authors",
            relation_types=types if types.exists() else None,
        )
    )
    assert tuple(material.senses) == tuple(pack.senses)
    assert tuple(material.relations) == tuple(pack.relations)
    assert tuple(material.relation_types) == tuple(pack.relation_types)
    assert tuple(material.sources) == tuple(pack.manifest.sources)


def test_glosses_are_phrases_that_do_not_use_their_own_word(vocabulary: Vocabulary) -> None:
    for sense in vocabulary.senses:
        own = {surface.lower() for surface in sense.surfaces}
        assert not own & set(re.findall(r"[\w'-]+", sense.gloss.lower())), sense.id
        assert 2 <= len(sense.gloss.split()) <= 24, sense.id
        assert sense.gloss[0].islower(), sense.id
        assert not re.search(r"[()\[\]_]|\betc\b", sense.gloss), sense.id
    assert max(Counter(sense.gloss for sense in vocabulary.senses).values()) == 1


def test_glosses_and_statements_are_english(vocabulary: Vocabulary) -> None:
    said = [definition(vocabulary, i) for i, sense in enumerate(vocabulary.senses) if sense.language == "en"]
    said += [statement(vocabulary, one) for one in vocabulary.statements]
    assert [(text, found) for text in said if (found := check_english(sentence(text)))] == []


def test_words_are_found_and_homographs_decided(vocabulary: Vocabulary) -> None:
    for index, sense in enumerate(vocabulary.senses):
        assert not vocabulary.is_stop(index), sense.id
        for surface in sense.surfaces:
            found = [vocabulary.senses[i] for i in vocabulary.lookup(surface)]
            assert sense in found, (sense.id, surface)
            assert max(Counter((other.pos, other.salience) for other in found).values()) == 1, surface


def asserted(vocabulary: Vocabulary, relation: str) -> list[Relation]:
    rows = vocabulary.pack.relations
    return [row for row in rows if row.relation == relation and row.polarity == "positive"]


def test_the_record_does_not_go_in_circles_or_against_itself(vocabulary: Vocabulary) -> None:
    for relation in TIDY:
        assert cycle([(r.subject, r.object) for r in asserted(vocabulary, relation)]) == [], relation
    for kind in vocabulary.relation_types.values():
        held = {(r.subject, r.object) for r in asserted(vocabulary, kind.id)}
        held |= {(b, a) for a, b in held} if kind.symmetric else set()
        while kind.transitive and not held >= (
            onward := {(a, d) for a, b in held for c, d in held if b == c}
        ):
            held |= onward
        denied = {
            (r.subject, r.object)
            for r in vocabulary.pack.relations
            if r.relation == kind.id and r.polarity == "negative"
        }
        assert not held & denied, kind.id


def test_a_field_stays_closed(vocabulary: Vocabulary) -> None:
    assert long_walk_closure(vocabulary.pack) < 1e-6


def test_there_is_enough_of_the_lab_pack(lab: Runtime) -> None:
    pack = lab.vocabulary.pack
    assert len(pack.senses) >= 150
    assert {row.relation for row in pack.relations} == set(lab.vocabulary.relation_types)
    assert sum(row.polarity == "negative" for row in pack.relations) >= 10
    touching = Counter(end for row in pack.relations for end in (row.subject, row.object))
    steps = {row.subject for row in asserted(lab.vocabulary, "step_of")}
    content = [s.id for s in pack.senses if s.pos != "adjective" and s.id not in steps]
    assert sum(touching[sense] >= 2 for sense in content) >= 0.95 * len(content)
    assert max(touching.values()) <= 16


def test_the_taxonomy_is_five_levels_deep(lab: Runtime) -> None:
    above: dict[str, list[str]] = defaultdict(list)
    for row in asserted(lab.vocabulary, "is_a"):
        above[row.subject].append(row.object)

    def levels(sense: str) -> int:
        return 1 + max((levels(kind) for kind in above[sense]), default=0)

    assert levels("hydrochloric_acid.n.1") == 6
    assert levels("nitrile_glove.n.1") == 5


def test_neighbours_belong_together(vocabulary: Vocabulary) -> None:
    """Among a word's 8 nearest are those of its domains and relations, and the words that statements join to it."""
    size = len(vocabulary.senses)
    domains = [set(sense.domains) for sense in vocabulary.senses]
    partners = [{s.other(i) for s in vocabulary.statements_of(i) if s.positive} for i in range(size)]
    shares: list[float] = []
    expected: list[float] = []
    joined = near = 0
    for i in range(size):
        mates = {j for j in range(size) if j != i and (domains[i] & domains[j] or j in partners[i])}
        k = min(8, len(mates))
        found = vocabulary.backend.neighbourhoods(vocabulary.handle, [i], 9)[0]
        others = [j for j in found if j != i]
        joined, near = joined + len(partners[i]), near + len(partners[i] & set(others))
        closest = [j for j in vocabulary.backend.neighbourhoods(vocabulary.handle, [i], k + 1)[0] if j != i]
        shares.append(len(mates & set(closest)) / k)
        expected.append(len(mates) / (size - 1))
    assert sum(shares) / size >= 0.9
    assert sum(expected) / size < 0.3
    assert near / joined >= 0.8


def test_every_word_says_its_gloss(lab: Runtime) -> None:
    """Asked after, each word of the pack is answered by its own gloss, or named beside that of a homograph."""
    for sense in lab.vocabulary.senses:
        if sense.pos == "noun":
            prompt = f"What is {sense.lemma}?"
        else:
            prompt = f"What does {sense.lemma} mean?"
        result = lab.ask(prompt)
        senses = {lab.vocabulary.senses[i].id for i in lab.vocabulary.lookup(sense.lemma)}
        cited = {evidence.id.removeprefix("gloss:") for evidence in result.citations}
        assert result.answered, (prompt, result.surface)
        assert cited & senses, (prompt, result.surface)
        if len(senses) == 1:
            assert sense.gloss in result.surface


def test_every_procedure_says_its_steps_in_order(lab: Runtime) -> None:
    goals: dict[str, dict[int, str]] = defaultdict(dict)
    for row in asserted(lab.vocabulary, "step_of"):
        assert row.order is not None
        goals[row.object][row.order] = row.subject
    assert len(goals) >= 10
    by_id = {sense.id: sense for sense in lab.vocabulary.senses}
    for goal, steps in goals.items():
        result = lab.ask(f"How do I {by_id[goal].lemma}?")
        assert result.intent is IntentTag.PROCEDURE
        said = [f", {by_id[steps[n]].lemma}: {by_id[steps[n]].gloss}." for n in sorted(steps)]
        places = [result.surface.find(part) for part in said]
        assert sorted(steps) == list(range(1, len(steps) + 1))
        assert -1 not in places, result.surface
        assert places == sorted(places), result.surface


@pytest.mark.parametrize(
    ("prompt", "begins"),
    [
        ("what is PPE", "Protective equipment is what people wear to keep harm from the body. "),
        ("What's a fume cupboard?", "A fume hood is a closed-in bench from which harmful air is drawn off. "),
        ("What is sulphuric acid?", "Sulfuric acid is a heavy, oily acid that gives off much heat "),
        ("What does flammable mean?", "“Flammable” means able to catch fire easily."),
        ("What does it mean to evacuate?", "To evacuate is to leave a place because it has become dangerous. "),
        (
            "Compare a leak with a spill.",
            ("A leak is the escape of a gas or a liquid through a gap; a spill is the escape of a liquid or a powder "
            "from its vessel by accident. A leak contrasts with a spill."),
        ),
        (
            "Why does a fume hood require a fan?",
            "A fume hood requires a fan, because a fume hood requires ventilation, and a fan enables ventilation.",
        ),
        (
            "Why does carbon monoxide cause poisoning?",
            ("Carbon monoxide causes poisoning, because carbon monoxide is a kind of poison, "
            "and a poison causes poisoning."),
        ),
        ("Why do gloves prevent inhalation?", "That is not so: a glove does not prevent inhalation. "),
        ("Why does hearing loss occur?", "Hearing loss occurs because noise causes it."),
        ("How do I dilute sulfuric acid?", "To dilute sulfuric acid, take four steps. First, measure: "),
        ("How do I remove gloves?", "To take off gloves, take four steps. First, pinch: "),
        (
            "Is ethanol a chemical?",
            ("Yes, in three steps: ethanol is a kind of flammable liquid, a flammable liquid is a kind of hazardous "
            "chemical and a hazardous chemical is a kind of chemical."),
        ),
        ("Is ethanol an acid?", "No: ethanol is not a kind of acid. Ethanol is a kind of "),
        ("Is acetone corrosive?", "No: acetone is not a kind of corrosive. "),
        (
            "Can there be fire without oxygen?",
            ("No, that can't be: a fire requires oxygen, because a fire requires combustion, and combustion "
            "requires oxygen."),
        ),
        ("Is a sink used for chemical waste?", "No: a sink is not used for chemical waste. "),
        ("What comes before storing?", "Labelling comes before storing."),
        (
            "Poison is to poisoning as carcinogen is to what?",
            "The answer is cancer: a poison causes poisoning, as a carcinogen causes cancer.",
        ),
        ("Why does cleaning up a spill require gloves?", "I don't know why cleaning up a spill requires a glove"),
        ("What is a wombat?", "I don't know “wombat”"),
    ],
)  # fmt: skip
def test_what_is_said(lab: Runtime, prompt: str, begins: str) -> None:
    surface = lab.ask(prompt).surface
    assert surface.startswith(begins)
    assert check_english(surface) == ()


def test_which_sense_of_base_is_meant(lab: Runtime) -> None:
    assert (
        "In another sense, a base is the flat foot that keeps a thing upright."
        in lab.ask("What is a base?").surface
    )
    assert lab.ask("Is a base part of a stand?").surface.startswith("Yes: a base is part of a stand.")


def test_the_split_holds_and_an_echo_fails_it(lab: Runtime, core: Core) -> None:
    suite = load_suite(SPLIT, Lexicon(lab.vocabulary))
    assert len(suite.cases) >= 60
    assert {case.intent for case in suite.cases} == {tag.value for tag in IntentTag}
    arms = "off,on,echo"
    done = core(
        "eval", "cognition", "--split", str(SPLIT), "--pack", LAB, "--backend", "numpy", "--arms", arms, "--json"
    )  # fmt: skip
    assert done.code == 0, done.err
    found = json.loads(done.out)["arms"]
    assert found["echo"]["term_capture_rate"] == found["echo"]["surface_groundedness"] == 0
    for arm in ("off", "on"):
        assert found[arm]["term_capture_rate"] >= 0.95
        assert found[arm]["intent_accuracy"] >= 0.95
        assert found[arm]["refusal_accuracy"] == 1
    assert found["on"]["constraints_engaged"] == found["on"]["turns_walked"] > 0
