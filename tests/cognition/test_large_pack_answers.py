"""Answers from a dictionary: definitions are quoted, what lies above a word is looked up, homographs are told apart."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cga.backend import open_backend
from cognition import CognitiveTurnResult, Runtime, RuntimeConfig, Vocabulary, load_pack, phrasing
from cognition.hierarchy import ascent, lineage, meeting, parents
from cognition.packs.compiled import write_compiled
from cognition.packs.schema import MANIFEST_FILE, RelationType
from recognition.english import check_english
from tests.cognition import small_pack
from tests.cognition.small_pack import said, word

pytestmark = pytest.mark.cognition

Ask = Callable[[str], CognitiveTurnResult]
ABOVE = ("entity", "object", "organism", "animal", "vertebrate", "mammal")
CHASE = {"third": "dogs", "past": "dogged", "participle": "dogged", "ing": "dogging"}


def count(lemma: str, x: int, gloss: str, *surfaces: str, n: int = 1) -> small_pack.Row:
    """A count noun."""
    plural = "entities" if lemma == "entity" else f"{lemma}s"
    return word(lemma, x, plural=plural, gloss=gloss, surfaces=surfaces, n=n)


ZOO = (
    *(count(lemma, 500 - 40 * at, f"what is at height {at}") for at, lemma in enumerate(ABOVE)),
    count("marsupial", 240, "mammals of which the females have a pouch", "pouched mammal"),
    count("wombat", 200, 'burrowing marsupials about the size of a badger; "a shy wombat"'),
    count("phalanger", 170, "small furry Australian marsupial"),
    count("koala", 150, "sluggish tailless Australian arboreal marsupial", "koala bear"),
    count("dog", 320, "a domesticated animal (probably descended from the wolf); comes in many breeds"),
    count("dog", 321, "informal term for a man", n=2),
    count("pet", 325, "an animal kept for companionship"),
    count("andiron", 900, "metal supports for logs in a fireplace", "dog"),
    count("cad", 880, "someone who is morally reprehensible", "dog", "hound"),
    count("person", 410, "a human being"),
    count("harbour", 970, "a sheltered place for ships"),
    count("place", 940, "a point located with respect to surface features"),
    word("dog", 330, pos="verb", gloss="go after with the intent to catch", forms=CHASE),
    count("angstrom", 3000, "a metric unit of length", "a"),
    count("can", 2000, "airtight sealed metal container"),
    count("hawthorn", 2500, "a spring-flowering shrub", "may"),
    word("Rome", 950, gloss="the capital of Italy", countability="proper", surfaces=["the Eternal City"]),
    word("Athens", 930, gloss="the capital of Greece", countability="proper"),
    word("quick", 960, pos="adjective", gloss="accomplished rapidly and without delay"),
)
SAYS = (
    *(said(f"{low}.n.1 is_a {high}.n.1") for high, low in pairwise(ABOVE)),
    said("marsupial.n.1 is_a mammal.n.1"),
    said("wombat.n.1 is_a marsupial.n.1"),
    said("phalanger.n.1 is_a marsupial.n.1"),
    said("koala.n.1 is_a phalanger.n.1"),
    said("dog.n.1 is_a mammal.n.1"),
    said("dog.n.1 is_a pet.n.1"),
    said("pet.n.1 is_a animal.n.1"),
    said("dog.n.2 is_a person.n.1"),
    said("cad.n.1 is_a person.n.1"),
    said("person.n.1 is_a organism.n.1"),
    said("person.n.1 produces cad.n.1"),
    said("andiron.n.1 is_a object.n.1"),
    said("place.n.1 is_a object.n.1"),
    said("Athens.n.1 instance_of place.n.1"),
    said("Rome.n.1 instance_of place.n.1"),
    said("harbour.n.1 is_a place.n.1"),
)
INSTANCE_OF = small_pack.relation_type(
    "instance_of", "be", "is", preposition="an instance of", transitive=True, kind="taxonomic"
)
STOP_WORDS = (*small_pack.STOP_WORDS, "and", "between", "can", "may")


def dictionary(
    folder: Path, words: Sequence[small_pack.Row] = ZOO, says: Sequence[small_pack.Row] = SAYS
) -> Path:
    """A pack whose glosses are definitions."""
    small_pack.write_pack(folder, words, says, stop_words=STOP_WORDS, types=(*small_pack.TYPES, INSTANCE_OF))
    manifest = json.loads((folder / MANIFEST_FILE).read_text(encoding="utf-8"))
    (folder / MANIFEST_FILE).write_text(json.dumps(manifest | {"gloss_form": "definition"}), encoding="utf-8")
    return folder


@pytest.fixture(scope="module")
def zoo(tmp_path_factory: pytest.TempPathFactory) -> Vocabulary:
    folder = dictionary(tmp_path_factory.mktemp("zoo") / "pack")
    write_compiled(folder)
    return Vocabulary(load_pack(folder), open_backend("numpy"))


@pytest.fixture(scope="module")
def ask(zoo: Vocabulary) -> Ask:
    return Runtime(zoo, RuntimeConfig()).ask


@pytest.fixture(scope="module")
def ask_within(zoo: Vocabulary) -> Ask:
    return Runtime(zoo, RuntimeConfig(forward_graph_constraint=True)).ask


def ids(result: CognitiveTurnResult) -> list[str]:
    return [citation.id for citation in result.citations]


def test_a_definition_is_quoted_and_what_is_above_is_said_and_cited(ask: Ask) -> None:
    result = ask("What is a wombat?")
    assert result.surface.startswith(
        "“Wombat” is defined as “burrowing marsupials about the size of a badger; ‘a shy wombat’”. "
        "A wombat is a kind of marsupial, a marsupial is a kind of mammal, a mammal is a kind of vertebrate, "
        "a vertebrate is a kind of animal, an animal is a kind of organism, an organism is a kind of object, "
        "and so on up to “entity”, 7 steps in all."
    )
    chain = ["wombat", "marsupial", "mammal", "vertebrate", "animal", "organism", "object", "entity"]
    links = [f"rel:{low}.n.1:is_a:{high}.n.1" for low, high in pairwise(chain)]
    assert ids(result) == ["gloss:wombat.n.1", *links]
    assert (
        result.surface.count("A wombat is a kind of marsupial") == 1
    )  # the walk, which met it too, does not say it again
    assert check_english(result.surface) == ()


@pytest.mark.parametrize(
    ("prompt", "begins"),
    [
        ("What is Rome?", "“Rome” is defined as “the capital of Italy”."),
        ("What does quick mean?", "“Quick” is defined as “accomplished rapidly and without delay”."),
        ("What is a koala bear?", "“Koala” is defined as “sluggish tailless Australian arboreal marsupial”. A"),
        ("Define marsupials", "“Marsupial” is defined as “mammals of which the females have a pouch”. A marsupial is"),
        ("Remember the wombat", "From memory: “wombat” is defined as “burrowing marsupials"),
        ("Tell me about the koala", "“Koala” is defined as “sluggish tailless Australian arboreal marsupial”. A koala"),
        ("What is a can?", "“Can” is defined as “airtight sealed metal container”."),
        ("Is a wombat a marsupial?", "Yes: a wombat is a kind of marsupial."),
        ("Is a wombat a mammal?", "Yes: a wombat is a kind of marsupial, and a marsupial is a kind of mammal."),
        ("Are wombats animals?", "Yes: a wombat is a kind of marsupial, a marsupial is a kind of mammal, a"),
        ("Is Rome a place?", "Yes: Rome is an instance of a place."),
        ("Is Rome an object?", "Yes: Rome is an instance of a place, and a place is a kind of object."),
        ("Does a wombat require a koala?", "I don't know whether a wombat requires a koala: nothing on record"),
        ("Is a wombat a koala?", "I don't know whether a wombat is a kind of koala: nothing on record answers this."),
        ("Is a mammal a wombat?", "I don't know whether a mammal is a kind of wombat: nothing on record answers this."),
        ("What is a wombst?", "I don't know “wombst”: it is not in my open packs. Did you mean “wombat”?"),
        ("What is a blorptang?", "I don't know “blorptang”: it is not in my open packs."),
    ],
)  # fmt: skip
def test_what_is_said(ask: Ask, ask_within: Ask, prompt: str, begins: str) -> None:
    for result in (ask(prompt), ask_within(prompt)):
        assert result.surface.startswith(begins)
        assert check_english(result.surface) == ()


def test_what_is_not_on_record_is_asked_back_in_the_words_of_the_prompt(ask: Ask) -> None:
    assert "whether a wombat is a kind of place" in ask("Is a wombat a place?").surface
    # The sense that "hound" names has another first name.
    said = ask("Is a hound a place?").surface
    assert "“hound”" in said and "cad" not in said


def test_a_long_chain_is_verified_and_cited_to_its_end(ask: Ask) -> None:
    result = ask("Is a koala an entity?")
    assert result.surface.startswith(
        "Yes: a koala is a kind of phalanger, a phalanger is a kind of marsupial, "
    )
    assert result.surface.endswith("and so on up to “entity”, eight steps in all.".replace("eight", "8"))
    assert len(result.citations) == 8


def test_the_senses_of_a_homograph_are_told_apart(ask: Ask) -> None:
    surface = ask("What is a dog?").surface
    assert surface.startswith("“Dog” is defined as “a domesticated animal (probably descended from the wolf)")
    assert "A dog is a kind of mammal, a mammal is a kind of vertebrate, " in surface
    assert "A dog is a kind of pet." in surface
    assert "In another sense, “dog” is defined as “informal term for a man”." in surface
    assert "“Dog” has two further senses on record." in surface
    assert surface.index("“informal term") < surface.index("“metal supports")
    assert check_english(surface) == ()


def test_a_homograph_is_read_in_the_first_sense_that_answers(ask: Ask) -> None:
    for prompt, sense in (("Is a dog an organism?", "dog.n.1"), ("Is a dog a person?", "dog.n.2")):
        result = ask(prompt)
        assert result.surface.startswith("Yes: ")
        assert ids(result)[0].startswith(f"rel:{sense}:is_a:")
    result = ask("What causes a dog?")
    assert result.surface.startswith(
        "A person produces a cad. Here, “cad” is defined as “someone who is morally"
    )
    result = ask("Is a hound an organism?")
    assert ids(result)[0] == "rel:cad.n.1:is_a:person.n.1"


def test_words_are_compared_by_the_nearest_word_above_both(ask: Ask) -> None:
    result = ask("Compare a wombat and a koala")
    assert (
        "Both a wombat and a koala are kinds of marsupial, the first in one step and the second in two steps."
        in (result.surface)
    )
    assert "rel:koala.n.1:is_a:phalanger.n.1" in ids(result)
    for surface in (
        result.surface,
        ask("What is the difference between a marsupial and a wombat?").surface,
        ask("Compare a koala and a marsupial").surface,
    ):
        assert check_english(surface) == ()
    assert "A koala is a kind of phalanger, and a phalanger is a kind of marsupial." in surface


def test_senses_are_compared_that_are_nearest_to_each_other(ask: Ask) -> None:
    assert "“Dog” is defined as “informal term for a man”; “cad” is" in ask("Compare a dog and a cad").surface
    assert "“Dog” is defined as “a domesticated animal" in ask("Compare a dog and a wombat").surface


def test_examples_are_on_record_and_those_that_the_walk_meets_go_first(zoo: Vocabulary, ask: Ask) -> None:
    result = ask("What are examples of marsupials?")
    assert result.surface == "A wombat and a phalanger are kinds of marsupial."
    assert result.walk is not None
    assert {"wombat", "phalanger"} <= set(result.walk.tokens)
    unmoved = Runtime(zoo, RuntimeConfig(max_tokens=0)).ask("What are examples of marsupials?")
    assert unmoved.surface == "A phalanger and a wombat are kinds of marsupial."
    places = Runtime(zoo, RuntimeConfig(max_tokens=0)).ask("What are examples of places?")
    assert places.surface == "Athens and Rome are instances of a place, among others."
    assert ids(unmoved) == ["rel:phalanger.n.1:is_a:marsupial.n.1", "rel:wombat.n.1:is_a:marsupial.n.1"]


@pytest.mark.parametrize(
    ("prompt", "says"),
    [
        ("What are examples of objects?", "an andiron, an organism and a place are kinds of object"),
        ("What are examples of phalangers?", "A koala is a kind of phalanger."),
        ("What are examples of wombats?", "I don't know any kind of wombat: nothing on record answers this."),
    ],
)
def test_examples_are_of_one_relation(ask: Ask, prompt: str, says: str) -> None:
    surface = ask(prompt).surface
    assert sorted(re.findall(r"[A-Za-z]+", says.lower())) == sorted(
        re.findall(r"[A-Za-z]+", surface.lower().partition(". teach")[0])
    )
    assert check_english(surface) == ()


def test_a_stop_word_that_names_something_does_not_move_the_prompt(zoo: Vocabulary, ask: Ask) -> None:
    """“a” is a name of the angstrom, far off; a wombat is looked for at its own place."""
    result = ask("What is a wombat?")
    assert result.walk is not None
    assert result.walk.tokens[0] == "wombat"
    for prompt, first in (("What is an angstrom?", "angstrom"), ("What is may?", "hawthorn")):
        asked = ask(prompt)
        assert asked.walk is not None
        assert asked.walk.tokens[0] == first


@given(
    pairs=st.lists(st.tuples(st.integers(0, 11), st.integers(0, 11)), max_size=24, unique=True),
    start=st.integers(0, 11),
    other=st.integers(0, 11),
)
def test_chains_upwards_are_chains(pairs: list[tuple[int, int]], start: int, other: int) -> None:
    """Over any graph, cycles too: links join, no word comes twice, and of a graph without cycles none is longer."""
    words = [word(f"w{i:02}", 10 * i) for i in range(12)]
    says = [said(f"w{a:02}.n.1 is_a w{b:02}.n.1") for a, b in pairs if a != b]
    vocabulary = small_pack.vocabulary_of(words, says)
    chain = lineage(vocabulary, start)
    passed = [start, *(link.object for link in chain)]
    assert [link.subject for link in chain] == passed[:-1]
    assert len(set(passed)) == len(passed)
    above = {a: [b for x, b in pairs if x == a and b != a] for a in range(12)}
    if all(a < b for a, b in pairs if a != b):
        assert len(chain) == height(above, start)
    ours, theirs = ascent(vocabulary, start), ascent(vocabulary, other)
    assert set(ours) == reachable(above, start)
    for end, path in ours.items():
        assert [start, *(link.object for link in path)][-1] == end
    met = meeting(ours, theirs)
    shared = set(ours) & set(theirs)
    assert (met is None) == (not shared)
    if met is not None:
        assert len(met[0]) + len(met[1]) == min(len(ours[w]) + len(theirs[w]) for w in shared)


def height(above: dict[int, list[int]], index: int) -> int:
    return max((1 + height(above, parent) for parent in above[index]), default=0)


def reachable(above: dict[int, list[int]], index: int) -> set[int]:
    found = {index}
    while more := {parent for word_ in found for parent in above[word_]} - found:
        found |= more
    return found


def test_only_assertions_of_a_transitive_taxonomy_lead_upwards(zoo: Vocabulary) -> None:
    words = [word("a1", 1), word("b1", 2), word("c1", 3)]
    says = [said("a1.n.1 requires b1.n.1"), said("a1.n.1 not is_a c1.n.1")]
    assert parents(small_pack.vocabulary_of(words, says), 0) == ()
    assert [link.object for link in parents(zoo, zoo.index["dog.n.1"])] == [
        zoo.index["mammal.n.1"],
        zoo.index["pet.n.1"],
    ]


@pytest.mark.parametrize(
    ("text", "quoted"),
    [
        ("plain", "“plain”"),
        ('so called; "a shy wombat"', "“so called; ‘a shy wombat’”"),
        ('a pipe of 6" or "more"', "“a pipe of 6’ or ‘more’”"),
        ('a pipe of 6"', "“a pipe of 6’”"),
        ('(as "roo")', "“(as ‘roo’)”"),
        ("known as “the Roo”", "“known as ‘the Roo’”"),
        ("", "“”"),
    ],
)
def test_a_quotation_keeps_its_marks_apart_from_those_inside(text: str, quoted: str) -> None:
    found = phrasing.quoted(text)
    assert found == quoted
    assert found.count("“") == found.count("”") == 1


@pytest.mark.parametrize(
    ("preposition", "verb", "says"),
    [
        ("a kind of", "be", "are kinds of"),
        ("an instance of", "be", "are instances of"),
        ("a way of", "be", "are ways of"),
        ("part of", "be", "are part of"),
        ("", "require", "require"),
    ],
)
def test_several_things_are_kinds_instances_or_ways(preposition: str, verb: str, says: str) -> None:
    row = small_pack.relation_type("r", verb, f"{verb}s", preposition=preposition)
    assert phrasing.verb_of_many(RelationType.model_validate(row)) == says


@given(count=st.integers(1, 40))
def test_counts_agree_in_number(count: int) -> None:
    number, noun = phrasing.count_of(count, "step").split()
    assert noun == ("step" if count == 1 else "steps")
    assert number.isdigit() == (count > 8)
