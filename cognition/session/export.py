"""A session as one JSON document that can be replayed, and the replay of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import takewhile
from typing import Any

from cognition.replay import MissingError, Replay, Sources, Verdict, compare, difference, recorded_input
from cognition.session.events import KINDS, Draft, SessionError
from cognition.session.graph import SessionGraph, proposition
from cognition.session.session import turn_body, with_graph
from cognition.session.store import SessionStore

SCHEMA = "core.session/1"


def export_session(store: SessionStore, session: str) -> dict[str, Any]:
    """All events of a session, undone ones included.

    Raises:
        SessionError: ``unknown_session``.
    """
    events = [event.as_dict() for event in store.events(session)]
    if not events:
        raise SessionError("unknown_session", f"{store.path}: no session {session!r}")
    return {"schema": SCHEMA, "session": session, "events": events}


def replay_session(record: Mapping[str, Any], sources: Sources) -> Replay:
    """Runs every turn of an exported session again, in order.

    Args:
        record: what `export_session` gave, as read from JSON.
        sources: where packs and recognisers are.

    Returns:
        A match, or the first turn that differs or can't be run.
    """
    events, graph, turns = record.get("events"), SessionGraph(), 0
    if not isinstance(events, list) or not events:
        return Replay(verdict=Verdict.cannot_replay, what="events: the record holds none")
    drafts: list[Draft] = []
    number: int | None = None
    place = 0
    try:
        for place, event in enumerate(events, 1):
            drafts.append(_draft(event, place))
        for place, draft in enumerate(drafts, 1):
            number = draft.turn
            if draft.kind != "turn":
                graph.add(draft)
                continue
            turns += 1
            found = _replay_turn(draft, drafts[place:], graph, sources)
            if found.verdict is not Verdict.match:
                return replace(found, turns=turns, turn=number)
    except MissingError as error:
        return Replay(verdict=Verdict.cannot_replay, turns=turns, turn=number, what=str(error))
    except (KeyError, TypeError, ValueError) as error:
        what = f"not what a session writes ({' '.join(str(error).split())})"
        return Replay(verdict=Verdict.mismatch, turns=turns, turn=number, step=f"event {place}", what=what)
    return Replay(verdict=Verdict.match, turns=turns)


def _replay_turn(draft: Draft, following: Sequence[Draft], graph: SessionGraph, sources: Sources) -> Replay:
    assert draft.turn is not None
    runtime = sources.runtime(draft.body)
    result = runtime.ask(recorded_input(draft.body))
    nodes = result.epistemic_graph.nodes if result.epistemic_graph is not None else ()
    replayed = [proposition(draft.turn, node) for node in nodes]
    if runtime.config.session_graph_in_trace:
        result = with_graph(result, graph.copy(), replayed)
    found = compare(draft.body, turn_body(result, runtime))
    if found.verdict is not Verdict.match:
        return found
    # A turn's propositions stand right behind it.
    recorded = list(takewhile(lambda draft: draft.kind == "proposition", following))
    differs = difference([d.body for d in recorded], [d.body for d in replayed])
    if differs is None:
        return found
    path, before, after = differs
    what = f"{path}: recorded {before!r}, replayed {after!r}"
    return Replay(verdict=Verdict.mismatch, step="propositions", what=what)


def _draft(event: Any, place: int) -> Draft:
    """An exported event.

    Raises:
        ValueError, TypeError, KeyError: it is none, or not the one that belongs here.
    """
    if not isinstance(event, Mapping):
        raise TypeError("no object")
    if event["seq"] != place or isinstance(event["seq"], bool):
        raise ValueError(f"seq {event['seq']!r}, expected {place}: an event is missing or out of order")
    if event["kind"] not in KINDS or not isinstance(event["body"], Mapping):
        raise ValueError(f"kind {event['kind']!r}")
    turn, target = event.get("turn"), event.get("target")
    if event["kind"] in ("turn", "proposition", "correction") and not isinstance(turn, int):
        raise ValueError("turn: missing")
    return Draft(kind=event["kind"], body=event["body"], turn=turn, target=target)
