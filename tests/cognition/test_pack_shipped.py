"""The shipped pack keeps its own rules: size, balance, order, glosses that don't go in circles, published schemas."""

from __future__ import annotations

import json
import re
from collections import Counter, defaultdict
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

from cognition import Vocabulary
from cognition.packs.build import long_walk_closure
from cognition.packs.load import DATA, DEFAULT_PACK, Pack, available_packs
from cognition.packs.schema import JSONL_FILES, MANIFEST_FILE, json_schemas
from cognition.phrasing import definition, sentence
from recognition.english import check_english, indefinite_article, plural
from tests.cognition.schema_check import faults

pytestmark = pytest.mark.packs

FOLDER: Path = DATA / DEFAULT_PACK
MOST_STATEMENTS = 16
TIDY = ("is_a", "part_of", "requires", "precedes")


@pytest.fixture(scope="module")
def pack(shipped: Vocabulary) -> Pack:
    return shipped.pack


def rows(name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (FOLDER / name).read_text(encoding="utf-8").splitlines()]


def test_the_pack_is_the_one_that_ships() -> None:
    assert available_packs() == (DEFAULT_PACK, "en_lab_safety_v1", "koine_hebrew_v1")


@pytest.mark.parametrize("name", JSONL_FILES)
def test_the_published_schema_accepts_every_row(name: str) -> None:
    schema = json_schemas()[name]
    assert [
        (line, faults(row, schema, schema))
        for line, row in enumerate(rows(name), 1)
        if faults(row, schema, schema)
    ] == []


def test_the_published_schema_accepts_the_manifest() -> None:
    schema = json_schemas()[MANIFEST_FILE]
    assert faults(json.loads((FOLDER / MANIFEST_FILE).read_text(encoding="utf-8")), schema, schema) == []


@pytest.mark.parametrize("name", JSONL_FILES)
def test_the_published_schema_refuses_what_the_reader_refuses(name: str) -> None:
    schema = json_schemas()[name]
    row = rows(name)[0]
    assert schema["additionalProperties"] is False
    assert faults({**row, "colour": "red"}, schema, schema)
    assert faults({**row, "id" if "id" in row else "subject": "no id"}, schema, schema)
    for field in schema["required"]:
        assert faults({k: v for k, v in row.items() if k != field}, schema, schema), field
    json.dumps(schema)


def test_there_is_enough_of_it(pack: Pack) -> None:
    assert len({sense.lemma for sense in pack.senses}) >= 300
    assert len(pack.relations) >= 250
    assert Counter(sense.pos for sense in pack.senses).keys() >= {
        "noun",
        "verb",
        "adjective",
        "adverb",
        "function",
    }
    assert all(relation.status == "reviewed" for relation in pack.relations)


def test_denials_and_ordered_steps_are_on_record(pack: Pack) -> None:
    assert sum(relation.polarity == "negative" for relation in pack.relations) >= 10
    steps: dict[str, list[int]] = defaultdict(list)
    for relation in pack.relations:
        if relation.order is not None:
            steps[relation.object].append(relation.order)
    assert len(steps) >= 8
    assert all(
        sorted(found) == list(range(1, len(found) + 1)) and len(found) >= 2 for found in steps.values()
    )


def test_every_relation_type_is_used(pack: Pack) -> None:
    assert {kind.id for kind in pack.relation_types} == {relation.relation for relation in pack.relations}


def test_domains_are_few_and_none_is_a_bin(pack: Pack) -> None:
    per_sense = [len(sense.domains) for sense in pack.senses if sense.pos != "function"]
    assert 2 <= sum(per_sense) / len(per_sense) <= 5
    members = Counter(domain for sense in pack.senses for domain in sense.domains)
    assert max(members.values()) <= len(pack.senses) / 5
    assert sum(count == 1 for count in members.values()) <= len(members) / 5, (
        "a domain of one word binds nothing"
    )


def forms(pack: Pack) -> dict[str, set[str]]:
    return {sense.id: {surface.lower() for surface in sense.surfaces} for sense in pack.senses}


def test_a_gloss_does_not_use_the_word_it_defines(pack: Pack) -> None:
    own = forms(pack)
    assert [
        (sense.id, sense.gloss)
        for sense in pack.senses
        if own[sense.id] & set(re.findall(r"[\w'-]+", sense.gloss.lower()))
    ] == []


def test_glosses_are_short_phrases_of_plain_english(pack: Pack) -> None:
    for sense in pack.senses:
        if sense.pos == "function":
            continue
        assert 2 <= len(sense.gloss.split()) <= 24, sense.id
        assert sense.gloss[0].islower() or sense.gloss.split()[0] in ("I", "English"), sense.id
        assert not re.search(r"[:()\[\]_]|\betc\b", sense.gloss), sense.id


def test_definitions_are_english(pack: Pack, shipped: Vocabulary) -> None:
    found = []
    for index, sense in enumerate(pack.senses):
        text = sentence(definition(shipped, index))
        if sense.lemma != "logos":  # which the checker takes for several
            found += [(problem.code, text) for problem in check_english(text)]
    assert found == []


def test_no_two_senses_have_one_gloss(pack: Pack) -> None:
    assert [
        gloss for gloss, count in Counter(sense.gloss for sense in pack.senses).items() if count > 1
    ] == []


def test_no_word_is_swamped_with_statements(pack: Pack) -> None:
    """A word that stands in a relation to everything would be every walk's answer."""
    touching = Counter(end for relation in pack.relations for end in (relation.subject, relation.object))
    assert max(touching.values()) <= MOST_STATEMENTS, touching.most_common(3)


def test_most_content_words_stand_in_a_statement(pack: Pack) -> None:
    touched = {end for relation in pack.relations for end in (relation.subject, relation.object)}
    content = [sense.id for sense in pack.senses if sense.pos in ("noun", "verb")]
    assert len(touched & set(content)) >= 0.8 * len(content)


def cycle(edges: Iterable[tuple[str, str]]) -> list[str]:
    """A cycle of a directed graph, or nothing."""
    onward: dict[str, list[str]] = defaultdict(list)
    for a, b in edges:
        onward[a].append(b)
    state: dict[str, int] = {}
    for root in list(onward):
        stack = [(root, iter(onward[root]))] if root not in state else []
        state.setdefault(root, 1)
        while stack:
            at, rest = stack[-1]
            step = next(rest, None)
            if step is None:
                state[at] = 2
                stack.pop()
            elif state.get(step) == 1:
                return [name for name, _ in stack] + [step]
            elif step not in state:
                state[step] = 1
                stack.append((step, iter(onward[step])))
    return []


@pytest.mark.parametrize("relation", TIDY)
def test_order_has_no_cycle(pack: Pack, relation: str) -> None:
    asserted = [
        (r.subject, r.object) for r in pack.relations if r.relation == relation and r.polarity == "positive"
    ]
    assert cycle(asserted) == []
    assert asserted


def test_the_search_for_cycles_finds_one() -> None:
    assert cycle([("a", "b"), ("b", "c"), ("c", "a")])
    assert cycle([("a", "b"), ("a", "c"), ("b", "c")]) == []


def test_no_denial_contradicts_what_is_asserted(pack: Pack) -> None:
    """Nor what follows from it: a symmetric statement turned around, a chain of a transitive one."""
    for kind in pack.relation_types:
        of_kind = [r for r in pack.relations if r.relation == kind.id]
        asserted = {(r.subject, r.object) for r in of_kind if r.polarity == "positive"}
        if kind.symmetric:
            assert not asserted & {(b, a) for a, b in asserted}, f"{kind.id}: said twice"
            asserted |= {(b, a) for a, b in asserted}
        if kind.transitive:
            asserted |= {(a, d) for a, b in asserted for c, d in asserted if b == c}
        assert not asserted & {(r.subject, r.object) for r in of_kind if r.polarity == "negative"}, kind.id


def test_ends_of_a_taxonomy_and_of_a_contrast_are_of_one_kind(pack: Pack) -> None:
    pos = {sense.id: sense.pos for sense in pack.senses}
    for relation in pack.relations:
        if relation.relation in ("is_a", "contrasts_with", "part_of"):
            assert pos[relation.subject] == pos[relation.object], relation.id


def test_surfaces_hold_the_forms_that_english_has(pack: Pack) -> None:
    for sense in pack.senses:
        if sense.countability == "count":
            assert plural(sense.lemma) in sense.surfaces, sense.id
        assert sense.language == "en"
        assert sense.status == "reviewed"
        if sense.pos == "noun" and sense.countability == "count":
            assert indefinite_article(sense.lemma) in ("a", "an")


def test_homographs_have_saliences_that_decide(shipped: Vocabulary) -> None:
    """Which sense a bare surface takes must not hang on the order of rows."""
    for sense in shipped.senses:
        for surface in sense.surfaces:
            found = [shipped.senses[i] for i in shipped.lookup(surface)]
            same = Counter((other.pos, other.salience) for other in found)
            assert max(same.values()) == 1, (surface, [other.id for other in found])


def test_the_words_of_the_published_prompts_are_there(shipped: Vocabulary) -> None:
    words = "knowledge evidence light memory recall correction repair meaning procedure relation error correct logos"
    for word in (*words.split(), "corrects"):
        assert shipped.lookup(word), word
    for phrase in ("a procedure", "a relation", "light logos", "correct an error", "is_defined_as"):
        assert not shipped.lookup(phrase), phrase


def test_stop_words_leave_the_content_words_alone(shipped: Vocabulary) -> None:
    stopped = [
        s.id
        for i, s in enumerate(shipped.senses)
        if shipped.is_stop(i) and s.pos in ("noun", "verb", "adjective")
    ]
    assert stopped == []


def test_sources_name_licence_and_attribution(pack: Pack) -> None:
    used = {row.provenance.source for row in (*pack.senses, *pack.relations)}
    assert used == {source.id for source in pack.manifest.sources}
    assert all(source.licence and source.attribution for source in pack.manifest.sources)


def test_points_spread(shipped: Vocabulary) -> None:
    assert len(set(shipped.points)) == len(shipped)
    assert len({point.rho for point in shipped.points}) > len(shipped) / 4


def test_a_field_stays_closed_over_a_long_walk_at_the_largest_radius(shipped: Vocabulary) -> None:
    """A thousand steps among the words farthest from the middle; the turn itself never walks so far."""
    assert long_walk_closure(shipped.pack) < 1e-6
