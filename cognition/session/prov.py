"""A session as W3C PROV-JSON (https://www.w3.org/Submission/prov-json/): who asked, what was said, on what evidence."""

from __future__ import annotations

from importlib.metadata import version
from typing import Any
from urllib.parse import quote

from cognition.session.events import Event, SessionError
from cognition.session.store import SessionStore

NAMESPACE = "urn:core-cognition:"
USER, SOFTWARE = "agent:user", "agent:core"


def export_prov(store: SessionStore, session: str) -> dict[str, Any]:
    """The provenance of a session.

    A turn is an activity that used a prompt, a pack and evidence, and generated an answer; a change of a proposition's
    state generates a revision of it; an undo invalidates what it takes back.

    Raises:
        SessionError: ``unknown_session``.
    """
    document = _Document(session)
    for event in store.events(session):
        getattr(document, f"add_{event.kind}")(event)
    if not document.seen:
        raise SessionError("unknown_session", f"{store.path}: no session {session!r}")
    return document.as_dict()


class _Document:
    """Records of a PROV-JSON document, by kind."""

    def __init__(self, session: str) -> None:
        self.session = session
        self.seen: dict[int, str] = {}
        self._records: dict[str, dict[str, dict[str, Any]]] = {}
        self._states: dict[str, int] = {}
        self._add("agent", USER, {"prov:type": _name("prov:Person")})
        software = {"prov:type": _name("prov:SoftwareAgent"), "core:version": version("core-cognition")}
        self._add("agent", SOFTWARE, software)

    def as_dict(self) -> dict[str, Any]:
        own = f"{NAMESPACE}session:{self.session}:"
        local = {name: f"{own}{name}:" for name in ("turn", "event", "prompt", "answer", "taught", "node")}
        shared = {name: f"{NAMESPACE}{name}:" for name in ("agent", "evidence", "pack", "recognizer")}
        return {"prefix": {"core": NAMESPACE} | local | shared} | self._records

    def add_turn(self, event: Event) -> None:
        body, turn = event.body, f"turn:{event.turn}"
        prompt, answer = f"prompt:{event.turn}", f"answer:{event.turn}"
        self.seen[event.seq] = answer
        said = {
            "prov:value": body["surface"],
            "core:intent": body["intent"],
            "core:traceHash": body["trace_hash"],
        }
        if body["refusal"] is not None:
            said["core:refusal"] = body["refusal"]["code"]
        kind = "core:Answer" if body["refusal"] is None else "core:Refusal"
        self._add("entity", prompt, {"prov:type": _name("core:Prompt"), "prov:value": body["input"]})
        self._add("entity", answer, {"prov:type": _name(kind)} | said)
        self._activity(turn, "core:Turn", event, SOFTWARE)
        self._relate("wasAttributedTo", entity=prompt, agent=USER)
        self._relate("wasGeneratedBy", entity=answer, activity=turn, time=event.at)
        pack = f"pack:{quote(body['pack']['id'], safe='')}-{quote(body['pack']['version'], safe='')}"
        about = {"prov:type": _name("prov:Collection"), "core:sha256": body["pack"]["sha256"]}
        self._add("entity", pack, about)
        for used in (prompt, pack):
            self._relate("used", activity=turn, entity=used)
        for cited in body["citations"]:
            source = prompt if cited["kind"] == "prompt" else self._evidence(cited, pack)
            self._relate("wasDerivedFrom", generatedEntity=answer, usedEntity=source, activity=turn)

    def _evidence(self, cited: dict[str, Any], pack: str) -> str:
        name = f"evidence:{quote(cited['id'], safe='')}"
        if name not in self._records.get("entity", {}):
            about = {
                f"core:{key}": value for key, value in cited.items() if key in ("kind", "source", "licence")
            }
            self._add(
                "entity", name, {"prov:type": _name("core:Evidence"), "prov:value": cited["text"]} | about
            )
            if cited.get("pack"):
                self._relate("hadMember", collection=pack, entity=name)
        return name

    def add_proposition(self, event: Event) -> None:
        outcome = event.body["recognition_outcome"]
        node = self._node(event.body["node_id"], outcome["state"])
        recognizer = f"recognizer:{quote(outcome['provenance']['teaching_set_id'], safe='')}"
        self._add("entity", recognizer, {"prov:type": _name("core:Recognizer")})
        self._relate("wasGeneratedBy", entity=node, activity=f"turn:{event.turn}", time=event.at)
        self._relate("used", activity=f"turn:{event.turn}", entity=recognizer)

    def add_transition(self, event: Event) -> None:
        body, activity = event.body, f"event:{event.seq}"
        agent = f"agent:{quote(body['source'], safe='')}"
        self._add("agent", agent, {"prov:type": _name("prov:SoftwareAgent")})
        before = f"node:{quote(body['node_id'], safe='')}:{self._states[body['node_id']]}"
        after = self._node(body["node_id"], body["to_state"], reason=body["reason"])
        self._activity(activity, "core:Transition", event, agent)
        for evidence in body.get("evidence", ()):
            name = f"evidence:{quote(evidence, safe='')}"
            self._add("entity", name, {"prov:type": _name("core:Evidence")})
            self._relate("used", activity=activity, entity=name)
        self._relate("wasGeneratedBy", entity=after, activity=activity, time=event.at)
        revision = {"prov:type": _name("prov:Revision")}
        self._relate("wasDerivedFrom", revision, generatedEntity=after, usedEntity=before, activity=activity)

    def add_teach(self, event: Event) -> None:
        self._taught(event, "core:Teaching")

    def add_correction(self, event: Event) -> None:
        self._taught(event, "core:Correction")

    def add_undo(self, event: Event) -> None:
        assert event.target is not None
        activity = f"event:{event.seq}"
        self._activity(activity, "core:Undo", event, USER)
        self._relate("wasInvalidatedBy", entity=self.seen[event.target], activity=activity, time=event.at)

    def add_taken_back(self, event: Event) -> None:
        self._activity(f"event:{event.seq}", "core:Deletion", event, USER)

    def _taught(self, event: Event, kind: str) -> None:
        activity, taught = f"event:{event.seq}", f"taught:{event.seq}"
        self.seen[event.seq] = taught
        self._add("entity", taught, {"prov:type": _name(kind), "prov:value": event.body["text"]})
        self._activity(activity, kind, event, USER)
        self._relate("wasGeneratedBy", entity=taught, activity=activity, time=event.at)
        self._relate("wasAttributedTo", entity=taught, agent=USER)

    def _node(self, node_id: str, state: str, *, reason: str = "") -> str:
        place = self._states[node_id] = self._states.get(node_id, -1) + 1
        name = f"node:{quote(node_id, safe='')}:{place}"
        about = {"prov:type": _name("core:Proposition"), "core:epistemicState": state}
        self._add("entity", name, about | ({"core:reason": reason} if reason else {}))
        return name

    def _activity(self, name: str, kind: str, event: Event, agent: str) -> None:
        self._add("activity", name, {"prov:type": _name(kind), "prov:endTime": event.at})
        self._relate("wasAssociatedWith", activity=name, agent=agent)

    def _add(self, kind: str, name: str, attributes: dict[str, Any]) -> None:
        self._records.setdefault(kind, {}).setdefault(name, attributes)

    def _relate(self, kind: str, attributes: dict[str, Any] | None = None, **ends: str) -> None:
        records = self._records.setdefault(kind, {})
        records[f"_:{kind}{len(records) + 1}"] = {f"prov:{key}": end for key, end in ends.items()} | (
            attributes or {}
        )


def _name(name: str) -> dict[str, str]:
    return {"$": name, "type": "prov:QUALIFIED_NAME"}
