"""The export as PROV-JSON: well formed, and it says who asked, what answered, and on what evidence."""

from __future__ import annotations

import json
from typing import Any

import pytest

from cognition import Runtime, Vocabulary
from cognition.session import Session, SessionError, SessionStore
from cognition.session.prov import export_prov
from recognition import EpistemicTransition
from tests.recognition.helpers import published

pytestmark = pytest.mark.runtime

# Ends of each relation, as the submission names them, and the kind of record each must name.
RELATIONS = {
    "used": {"activity": "activity", "entity": "entity"},
    "wasGeneratedBy": {"entity": "entity", "activity": "activity"},
    "wasInvalidatedBy": {"entity": "entity", "activity": "activity"},
    "wasAssociatedWith": {"activity": "activity", "agent": "agent"},
    "wasAttributedTo": {"entity": "entity", "agent": "agent"},
    "wasDerivedFrom": {"generatedEntity": "entity", "usedEntity": "entity", "activity": "activity"},
    "hadMember": {"collection": "entity", "entity": "entity"},
}
ELEMENTS = ("entity", "activity", "agent")


@pytest.fixture(scope="module")
def session(shipped: Vocabulary) -> Session:
    session = Runtime(shipped, recognizer=published("phase1")).session()
    session.ask("What is light?")
    session.ask("What is a wombat?")
    session.ask("John has 5 apples")
    (node,) = session.graph.nodes
    session.transition(node.node_id, EpistemicTransition("evidenced", "inferred", "a test", "why"))
    session.transition(node.node_id, EpistemicTransition("inferred", "verified", "a test", "why", ("e:1",)))
    session.teach("Light requires darkness.")
    session.ask("No, light means darkness.")
    session.undo()
    session.undo()
    return session


@pytest.fixture(scope="module")
def document(session: Session) -> dict[str, Any]:
    return json.loads(json.dumps(export_prov(session.store, session.id)))


def ends(document: dict[str, Any], kind: str, *names: str) -> set[tuple[str, ...]]:
    return {tuple(record[f"prov:{name}"] for name in names) for record in document.get(kind, {}).values()}


def test_every_record_is_of_a_known_kind_and_names_what_is_there(document: dict[str, Any]) -> None:
    assert set(document) == {"prefix", *ELEMENTS, *RELATIONS}
    for kind, expected in RELATIONS.items():
        for name, record in document[kind].items():
            assert name.startswith("_:")
            for end, element in expected.items():
                assert record[f"prov:{end}"] in document[element], (kind, name, end)


def test_every_name_has_a_declared_prefix(document: dict[str, Any]) -> None:
    declared = {*document["prefix"], "prov"}
    names = [name for element in ELEMENTS for name in document[element]]
    names += [key for element in ELEMENTS for record in document[element].values() for key in record]
    names += [record["prov:type"]["$"] for element in ELEMENTS for record in document[element].values()]
    assert {name.partition(":")[0] for name in names} <= declared
    assert all(" " not in name for name in names)
    assert all(uri.startswith("urn:core-cognition:") for uri in document["prefix"].values())


def test_an_answer_is_derived_from_its_evidence(document: dict[str, Any], runtime: Runtime) -> None:
    result = runtime.ask("What is light?")
    answer = document["entity"]["answer:1"]
    assert (answer["prov:value"], answer["core:traceHash"]) == (result.surface, result.trace_hash)
    derived = {
        document["entity"][used]["prov:value"]
        for made, used in ends(document, "wasDerivedFrom", "generatedEntity", "usedEntity")
        if made == "answer:1"
    }
    assert derived == {evidence.text for evidence in result.citations}
    for name in ends(document, "hadMember", "entity"):
        assert document["entity"][name[0]]["core:licence"] == "Apache-2.0"
    assert ("prompt:1", "agent:user") in ends(document, "wasAttributedTo", "entity", "agent")
    assert ("turn:1", "agent:core") in ends(document, "wasAssociatedWith", "activity", "agent")
    assert ("answer:1", "turn:1") in ends(document, "wasGeneratedBy", "entity", "activity")
    assert document["entity"]["answer:2"]["core:refusal"] == "unknown_subject"
    assert document["entity"]["answer:2"]["prov:type"]["$"] == "core:Refusal"


def test_a_change_of_state_is_a_revision(document: dict[str, Any]) -> None:
    states = {
        name: record["core:epistemicState"]
        for name, record in document["entity"].items()
        if name.startswith("node:")
    }
    assert [state for _, state in sorted(states.items())] == ["evidenced", "inferred", "verified"]
    first, second, third = sorted(states)
    revisions = {
        (record["prov:generatedEntity"], record["prov:usedEntity"])
        for record in document["wasDerivedFrom"].values()
        if record.get("prov:type", {}).get("$") == "prov:Revision"
    }
    assert revisions == {(second, first), (third, second)}
    assert "agent:a%20test" in document["agent"]


def test_an_undo_invalidates_what_it_takes_back(document: dict[str, Any]) -> None:
    invalid = {entity for (entity,) in ends(document, "wasInvalidatedBy", "entity")}
    assert len(invalid) == 2
    assert "answer:4" in invalid
    assert {document["entity"][name]["prov:value"] for name in invalid - {"answer:4"}} == {
        "Light requires darkness."
    }


def test_an_unknown_session_has_no_provenance() -> None:
    with SessionStore() as store, pytest.raises(SessionError, match="no session 'main'"):
        export_prov(store, "main")
