"""A pack opened by its compiled form answers as the same pack read from its text, call by call and turn by turn."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cga.backend import open_backend
from cognition import CognitiveTurnResult, Runtime, RuntimeConfig, Vocabulary, load_pack
from cognition.packs.compiled import COMPILED_FILE, CompiledRecord, check_pack, write_compiled
from cognition.packs.load import DATA, DEFAULT_PACK, read_pack
from cognition.packs.overlay import Addition, Overlay, TaughtSource
from cognition.show import describe_pack
from cognition.suggest import edit_distance
from cognition.teaching import TeachingStore
from cognition.teaching.build import build_pack
from cognition.teaching.layer import review_check
from cognition.teaching.statement import read_statement
from tests.cognition import small_pack
from tests.cognition.small_pack import said, word

pytestmark = pytest.mark.cognition

TURNS = 40
MIXED = (
    word("caf\u00e9", 10, plural="caf\u00e9s", surfaces=["coffee house", "a"], salience=90),
    word("tea", 20, surfaces=["cha"], salience=10),
    word("tea", 25, n=2, surfaces=["dinner"], salience=10),
    word("\u03c4\u03ad\u03b9", 30, language="el", gloss="the Greek word for tea"),
    word("mate", 40, status="speculative"),
    word("of", 50, pos="function", surfaces=["of"]),
    word("brew", 60, pos="verb"),
    word("shai", 70, surfaces=["cha", "dinner"], salience=10),
)
MIXED_SAYS = (
    said("brew.v.1 enables tea.n.1"),
    said("tea.n.1 not is_a caf\u00e9.n.1"),
    said("shai.n.1 is_a tea.n.1"),
    said("tea.n.2 is_a tea.n.1", status="speculative"),
)


Pair = tuple[Vocabulary, Vocabulary]


def opened_twice(folder: Path) -> Pair:
    """The vocabulary of a folder's text, and of its compiled form."""
    write_compiled(folder)
    backend = open_backend("numpy")
    compiled = Vocabulary(load_pack(folder), backend)
    assert isinstance(compiled.pack.compiled, CompiledRecord)
    return Vocabulary(read_pack(folder)[0], backend), compiled


@pytest.fixture(scope="module")
def pairs(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Pair]:
    room = tmp_path_factory.mktemp("packs")
    folders = {
        "shipped": Path(shutil.copytree(DATA / DEFAULT_PACK, room / "shipped")),
        "bakery": small_pack.write_pack(room / "bakery"),
        "mixed": small_pack.write_pack(room / "mixed", MIXED, MIXED_SAYS),
        "silent": small_pack.write_pack(room / "silent", [word("salt")], ()),
    }
    return {name: opened_twice(folder) for name, folder in folders.items()}


NAMES = ("shipped", "bakery", "mixed", "silent")
each_pack = pytest.mark.parametrize("name", NAMES)


@each_pack
def test_rows_points_and_identity_agree(pairs: dict[str, Pair], name: str) -> None:
    text, compiled = pairs[name]
    assert compiled.pack.sha256 == text.pack.sha256
    assert len(compiled) == len(text)
    for rows in ("senses", "relations", "geometry", "relation_types", "stop_words"):
        assert tuple(getattr(compiled.pack, rows)) == getattr(text.pack, rows), rows
    assert tuple(compiled.senses) == text.senses
    assert [compiled.senses[i] for i in range(-len(text), len(text))] == [*text.senses, *text.senses]
    assert compiled.senses[1:] == text.senses[1:]
    assert tuple(compiled.points) == text.points
    assert dict(compiled.index) == dict(text.index)
    assert tuple(compiled.statements) == text.statements
    assert list(describe_pack(compiled.pack).items()) == list(describe_pack(text.pack).items())


@each_pack
def test_every_word_is_named_touched_and_stopped_alike(pairs: dict[str, Pair], name: str) -> None:
    text, compiled = pairs[name]
    for index, sense in enumerate(text.senses):
        assert compiled.lemma(index) == text.lemma(index) == sense.lemma
        for surface in (sense.lemma, *sense.surfaces, sense.lemma.upper(), f"{sense.lemma} x"):
            assert compiled.lookup(surface) == text.lookup(surface)
        assert compiled.statements_of(index) == text.statements_of(index)
        assert compiled.said_of(index) == text.said_of(index)
        assert compiled.is_stop(index) == text.is_stop(index)
    assert compiled.denials() == text.denials()


@each_pack
def test_statements_are_found_by_id_with_their_source(pairs: dict[str, Pair], name: str) -> None:
    text, compiled = pairs[name]
    for statement in text.statements:
        assert compiled.statement_by_id(statement.id) == text.statement_by_id(statement.id)
    row = next((r for r in text.pack.relations if r.status != "reviewed"), None)
    for unknown in ("rel:", "", "rel:salt.n.1", "rel:a:b:c", "gloss:salt.n.1", *([row.id] if row else [])):
        for vocabulary in (text, compiled):
            with pytest.raises(KeyError):
                vocabulary.statement_by_id(unknown)
    for vocabulary in (text, compiled):
        with pytest.raises(KeyError):
            vocabulary.index["nothing.n.1"]
        with pytest.raises(IndexError):
            vocabulary.senses[len(text)]


@each_pack
@pytest.mark.parametrize("languages", [("en",), ("el",), ("en", "el"), ()])
@pytest.mark.parametrize("salience", [0, 10, 50, 51, 100])
def test_blocked_words_agree(
    pairs: dict[str, Pair], name: str, languages: Sequence[str], salience: int
) -> None:
    text, compiled = pairs[name]
    for stop_words in (None, frozenset[str](), frozenset({"tea", "bread"})):
        found = compiled.blocked(languages, salience=salience, stop_words=stop_words)
        assert found == text.blocked(languages, salience=salience, stop_words=stop_words)
        assert found == tuple(sorted(set(found)))


def test_of_equal_senses_the_one_that_owns_the_surface_goes_first(pairs: dict[str, Pair]) -> None:
    for vocabulary in pairs["mixed"]:
        named = [vocabulary.senses[i].id for i in vocabulary.lookup("tea")]
        assert named == ["tea.n.1", "tea.n.2"]
        assert [vocabulary.senses[i].id for i in vocabulary.lookup("cha")] == ["shai.n.1", "tea.n.1"]
        assert vocabulary.senses[vocabulary.lookup("shai")[0]].id == "shai.n.1"


WORDS = st.sampled_from(
    "a of the tea dinner coffee house bread Chain reasoning memory light ? caf\u00e9".split()
)


@each_pack
@given(forms=st.lists(WORDS | st.text(max_size=6), max_size=8))
def test_matches_agree(pairs: dict[str, Pair], name: str, forms: list[str]) -> None:
    text, compiled = pairs[name]
    folded = [form.lower() for form in forms]
    assert compiled.matches(folded) == text.matches(folded)
    assert compiled.lookup_tokens(folded) == text.lookup_tokens(folded)


@st.composite
def slips(draw: st.DrawFn, surfaces: Sequence[str]) -> tuple[str, int]:
    """A surface with up to two edits, and how many may be found."""
    letters = list(draw(st.sampled_from(surfaces)))
    for _ in range(draw(st.integers(0, 2))):
        at = draw(st.integers(0, max(0, len(letters) - 1)))
        kind = draw(st.sampled_from(["put in", "leave out", "change", "swap"]))
        if kind == "put in" or not letters:
            letters.insert(at, draw(st.sampled_from("aeiouxyz\u00e9")))
        elif kind == "leave out":
            del letters[at]
        elif kind == "change":
            letters[at] = draw(st.sampled_from("aeiouxyz"))
        elif at + 1 < len(letters):
            letters[at], letters[at + 1] = letters[at + 1], letters[at]
    return "".join(letters), draw(st.sampled_from([1, 2]))


@given(data=st.data())
@pytest.mark.parametrize("name", ["shipped", "mixed"])
def test_no_near_spelling_is_lost(pairs: dict[str, Pair], name: str, data: st.DataObject) -> None:
    text, compiled = pairs[name]
    surfaces = sorted({surface for sense in text.senses for surface in sense.surfaces})
    written, most = data.draw(slips(surfaces))
    found = dict(compiled.spellings(written, most))
    assert found == dict(text.spellings(written, most))
    walkable = [s for i, s in enumerate(text.senses) if s.status == "reviewed" and not text.is_stop(i)]
    for sense in walkable:
        for surface in sense.surfaces:
            near = edit_distance(written, surface.lower(), most) is not None
            if near and " " not in surface:
                assert found[surface.lower()] >= sense.salience


FORMS = (
    "What is {a}?", "What are {a}s?", "Why does {a} require {b}?", "Compare {a} and {b}", "Is {a} {b}?",
    "Does {a} enable {b}?", "How can I {a} {b}?", "Tell me about {a}", "What are examples of {a}?",
    "No, {a} is {b}", "What requires {a}?", "{a} is to {b} as {b} is to what?", "{a} {b}", "What is {a} and why {b}?",
)  # fmt: skip


@given(data=st.data())
@pytest.mark.parametrize("name", NAMES)
def test_turns_agree_hash_by_hash(pairs: dict[str, Pair], name: str, data: st.DataObject) -> None:
    text, compiled = pairs[name]
    surfaces = sorted({surface for sense in text.senses for surface in sense.surfaces})
    filled = st.sampled_from(surfaces) | st.sampled_from(["wheet", "memori", "zebra", ""])
    prompts = [
        data.draw(st.sampled_from(FORMS)).format(a=data.draw(filled), b=data.draw(filled)) for _ in range(2)
    ]
    config = RuntimeConfig(
        forward_graph_constraint=data.draw(st.booleans()),
        min_salience=data.draw(st.sampled_from([0, 40])),
        ratify_intent=data.draw(st.booleans()),
    )
    ours, theirs = (Runtime(vocabulary, config).ask_batch(prompts) for vocabulary in (compiled, text))
    assert list(map(told, ours)) == list(map(told, theirs))


def told(result: CognitiveTurnResult) -> tuple[object, ...]:
    return result.trace_hash, result.surface, result.citations, result.refusal, result.senses


def test_reviewed_teaching_lies_over_both_alike(pairs: dict[str, Pair]) -> None:
    overlay = Overlay(
        digest="d" * 64,
        additions=(
            Addition(
                id="taught:1", subject="salt.n.1", relation="requires", object="water.n.1", positive=True
            ),
            Addition(id="taught:2", subject="salt.n.1", relation="is_a", object="flour.n.1", positive=False),
        ),
        glosses={"bread.n.1": ("taught:3", "what bakers sell")},
        hidden=frozenset({"rel:bread.n.1:requires:flour.n.1", "rel:bread.n.1:not:requires:salt.n.1"}),
        sources={f"taught:{n}": TaughtSource(attribution="us", licence="CC0-1.0") for n in (1, 2, 3)},
    )
    text, compiled = (vocabulary.with_overlay(overlay) for vocabulary in pairs["bakery"])
    assert tuple(compiled.statements) == tuple(text.statements)
    assert [s.id for s in text.denials()] == ["taught:2"]
    for said_of in (text.statements_of, text.said_of):
        assert not overlay.hidden & {statement.id for i in range(len(text)) for statement in said_of(i)}
    assert compiled.denials() == text.denials()
    for index in range(len(text)):
        assert compiled.statements_of(index) == text.statements_of(index)
        assert compiled.said_of(index) == text.said_of(index)
        assert compiled.senses[index] == text.senses[index]
        assert compiled.senses[index - len(text)] == text.senses[index]
    for prompt in (
        "What is bread?",
        "Does salt require water?",
        "Is salt flour?",
        "Does bread require flour?",
    ):
        ours, theirs = (Runtime(vocabulary).ask(prompt) for vocabulary in (compiled, text))
        assert told(ours) == told(theirs)
    assert "what bakers sell" in Runtime(compiled).ask("What is bread?").surface


def test_threads_share_a_compiled_vocabulary(pairs: dict[str, Pair]) -> None:
    text, compiled = pairs["shipped"]
    prompts = [f"What is {sense.lemma}?" for sense in text.senses[:TURNS]]
    alone = [Runtime(text).ask(prompt).trace_hash for prompt in prompts]
    runtime = Runtime(compiled)
    with ThreadPoolExecutor(8) as pool:
        for found in pool.map(lambda _: [runtime.ask(prompt).trace_hash for prompt in prompts], range(4)):
            assert found == alone


def test_the_bytes_are_a_function_of_the_text(folder: Path) -> None:
    first = write_compiled(folder).read_bytes()
    assert write_compiled(folder).read_bytes() == first
    assert {path.name for path in folder.iterdir()} == {*small_pack.FILES, "manifest.json", COMPILED_FILE}
    assert check_pack(folder).compiled is None


def test_a_new_version_of_a_compiled_pack_is_compiled(folder: Path, tmp_path: Path) -> None:
    write_compiled(folder)
    vocabulary, store = Vocabulary(load_pack(folder), open_backend("numpy")), TeachingStore()
    item = store.propose(read_statement("cake requires an oven", vocabulary), by="ann", licence="CC0-1.0")
    store.accept(item.id, by="bob", check=review_check(vocabulary))
    build_pack(store.knowledge(), folder, tmp_path / "new", vocabulary.backend)
    assert load_pack(tmp_path / "new").compiled is not None
    assert "rel:cake.n.1:requires:oven.n.1" in {said.id for said in check_pack(tmp_path / "new").relations}


def test_a_turn_reads_the_rows_it_speaks_of_and_no_others(tmp_path: Path) -> None:
    """What is read does not grow with the pack."""
    reads: list[tuple[int, int]] = []
    for size in (400, 1600):
        words = [word(f"w{i:04}", at=[3 * i, 0, 0, 100]) for i in range(size)]
        says = [said(f"w{i:04}.n.1 is_a w{i // 2:04}.n.1") for i in range(1, size)]
        folder = small_pack.write_pack(tmp_path / str(size), words, says)
        write_compiled(folder)
        count = rows_read(folder)
        vocabulary = Vocabulary(load_pack(folder), open_backend("numpy"))
        runtime = Runtime(vocabulary)
        opened = count(vocabulary)
        for prompt in ("What is w0050?", "Compare w0050 and w0051", "What is w0O50?", "Is w0051 w0025?"):
            runtime.ask(prompt)
        reads.append((opened, count(vocabulary)))
    assert reads[0][0] == reads[1][0] == 0
    assert reads[0][1] == reads[1][1] < 60


def rows_read(folder: Path) -> Callable[[Vocabulary], int]:
    """How many rows of the long files a vocabulary has parsed."""

    def count(vocabulary: Vocabulary) -> int:
        record = vocabulary.pack.compiled
        assert record is not None
        return sum(cast(Any, rows.fetch).cache_info().misses for rows in (record.senses, record.relations))

    assert (folder / COMPILED_FILE).is_file()
    return count
