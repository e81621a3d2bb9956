"""A session: turns that remember one another, on a runtime that does not."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from cognition.eventlog import MEMORY
from cognition.graph import IntentTag
from cognition.replay import envelope
from cognition.result import CognitiveTurnResult
from cognition.runtime import Runtime
from cognition.session.events import DEFAULT_ID, Draft, Event, SessionError, check_id
from cognition.session.graph import SessionGraph, graph_step, proposition, transition
from cognition.session.store import SessionStore, Tail
from cognition.teaching import TeachingStore
from cognition.teaching.attached import TaughtVocabulary
from cognition.teaching.conflicts import conflicts
from cognition.teaching.statement import read_statement
from cognition.trace import compute_trace_hash
from cognition.verify import OPEN_STATES, decode, sources_of, verify
from recognition import recognize
from recognition.carrier import EpistemicNode, EpistemicTransition
from recognition.outcome import VERIFIED

USER = "user"
"""Who teaches in a session, where nobody says otherwise."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionTurn:
    """A turn of a session.

    Attributes:
        number: its number in the session, from 1; never used twice, not even after an undo.
        result: what the runtime answered.
        events: what was written, the turn itself first.
    """

    number: int
    result: CognitiveTurnResult
    events: tuple[Event, ...]

    def __str__(self) -> str:
        return str(self.result)

    def _repr_markdown_(self) -> str:
        return self.result._repr_markdown_()


class Session:
    """One session of a store. Threads may share it, and processes may each open it: the log keeps one order.

    Args:
        store: where its events are.
        runtime: what answers.
        session_id: which session of the store; see `Session.open`.
    """

    def __init__(self, store: SessionStore, runtime: Runtime, session_id: str = DEFAULT_ID) -> None:
        self.store = store
        self.runtime = runtime
        self.id = check_id(session_id)
        self._graph = SessionGraph()
        self._lock = threading.RLock()

    @classmethod
    def open(cls, path: str | Path, runtime: Runtime, session_id: str | None = None) -> Session:
        """Opens a session of a file, or begins it.

        Args:
            path: the file, made where there is none; ``:memory:`` keeps nothing.
            runtime: what answers.
            session_id: which session; None takes the only one of the file, or ``main`` in a new file.

        Raises:
            SessionError: the file or the id can't be used, the session was deleted, or None was given and the file has
                several.
        """
        if session_id is not None:
            check_id(session_id)  # before a file is made
        store = SessionStore(path)
        try:
            chosen = session_id if session_id is not None else only_session(store, new=DEFAULT_ID)
            if store.last(chosen, "taken_back") is not None:
                raise SessionError(
                    "taken_back", f"session {chosen!r} of {store.path} was deleted; use another id"
                )
            return cls(store, runtime, chosen)
        except SessionError:
            store.close()
            raise

    def close(self) -> None:
        """Closes the file; nothing is lost without it."""
        self.store.close()

    def __enter__(self) -> Session:
        return self

    def __exit__(self, *raised: object) -> None:
        self.close()

    def __repr__(self) -> str:
        tail = self.store.tail(self.id)
        return f"Session({self.id!r} of {self.store.path}: {tail.turn} turns, {tail.seq} events)"

    def ask(self, text: str) -> SessionTurn:
        """One turn, written to the log before this returns.

        Raises:
            SessionError: it could not be written.
        """
        asked = self.runtime.ask(text)
        results: list[CognitiveTurnResult] = []

        def compose(tail: Tail) -> Sequence[Draft]:
            number = tail.turn + 1
            nodes = asked.epistemic_graph.nodes if asked.epistemic_graph is not None else ()
            drafts = [proposition(number, node) for node in nodes]
            folds = self.runtime.config.session_graph_in_trace
            results.append(with_graph(asked, self.graph, drafts) if folds else asked)
            if asked.intent is IntentTag.CORRECTION and asked.refusal is None:
                taken_down = {} if asked.candidate is None else {"item": asked.candidate}
                drafts.append(Draft(kind="correction", turn=number, body={"text": text} | taken_down))
            return [Draft(kind="turn", turn=number, body=turn_body(results[-1], self.runtime)), *drafts]

        with self._lock:
            events = self.store.append(self.id, compose)
        number = events[0].turn
        assert number is not None
        return SessionTurn(number=number, result=results[-1], events=events)

    def teach(self, text: str, *, by: str = USER) -> Event:
        """Records what the user taught. It is never applied before a review.

        With a store of teaching on the runtime the statement becomes a candidate of it, and the event names the item
        and what on record contradicts it.

        Args:
            text: a statement.
            by: who says it.

        Raises:
            SessionError: it could not be written.
            ValueError: nothing is said; or, with a store, a `ReviewError` that says why the words name no statement.
        """
        if not text.strip():
            raise ValueError("teach: say what is to be learned, as a sentence")
        body: dict[str, Any] = {"text": text}
        store = self.runtime.teaching_store
        if store is not None:
            vocabulary = TaughtVocabulary(store, self.runtime.vocabulary).now()
            content = read_statement(text, vocabulary)
            against = [conflict.as_dict() for conflict in conflicts(content, vocabulary)]
            # Proposed first: killed in between, there is a candidate that nobody was told of, and no event without one.
            body |= {"item": store.propose(content, by=by, words=text).id, "says": content.said()}
            body |= {"conflicts": against} if against else {}
        (event,) = self.store.append(self.id, lambda tail: [Draft(kind="teach", body=body)])
        return event

    def undo(self) -> Event:
        """Takes back the last turn or teaching in force, and returns it; the log keeps it, and that it was undone.

        A candidate that it proposed to an attached store of teaching is taken back there too, unless somebody reviewed
        it or proposed it as well.

        Raises:
            SessionError: ``nothing_to_undo``, or it could not be written.
        """
        undone, _ = self.store.undo_last(self.id)
        item_id = undone.body.get("item", undone.body.get("candidate"))
        store = self.runtime.teaching_store
        if item_id is not None and store is not None:
            item = next((item for item in store.items("candidate") if item.id == item_id), None)
            if item is not None and len(item.proposals) == 1:
                store.retract(item_id, by=USER, note=f"undone in session {self.id}")
        return undone

    def history(self, *, undone: bool = False) -> Iterator[Event]:
        """Turns and teachings in order.

        Args:
            undone: give those as well that were taken back.
        """
        gone = frozenset[int]() if undone else self.store.undone(self.id)
        return (event for event in self.store.events(self.id, "turn", "teach") if event.seq not in gone)

    def latest(self, count: int) -> list[Event]:
        """The last turns and teachings in force, oldest first.

        Args:
            count: at most how many.
        """
        return self.store.latest(self.id, count)

    def last_turn(self) -> Event | None:
        """The last turn in force, or None."""
        return self.store.last(self.id, "turn")

    def turn(self, number: int) -> Event:
        """A turn by its number, from 1, whether in force or not.

        Raises:
            SessionError: ``unknown_turn``.
        """
        found = self.store.turn(self.id, number)
        if found is None:
            raise SessionError("unknown_turn", f"session {self.id!r}: no turn {number}")
        return found

    @property
    def graph(self) -> SessionGraph:
        """The epistemic graph of the session as it stands now, what other processes wrote included."""
        with self._lock:
            self._graph.apply(
                self.store.events(self.id, "proposition", "transition", "undo", after=self._graph.seq)
            )
            return self._graph.copy()

    def transition(self, node_id: str, change: EpistemicTransition) -> EpistemicNode:
        """Changes the state of a proposition of any turn in force, by an event.

        Args:
            node_id: of a node of `graph`.
            change: who changes it, from the state it is in, to which, and why.

        Returns:
            The node in its new state.

        Raises:
            SessionError: ``unknown_node``, or it could not be written.
            ValueError: the node is in another state than the one that the change begins in.
        """
        with self._lock:
            self.store.append(self.id, lambda tail: [transition(self.graph.get(node_id), change)])
            return self.graph.get(node_id)

    def verify(self, node_id: str) -> EpistemicNode:
        """Checks a proposition of any turn in force against the pack, what was taught and the vault as they are now.

        A verified one is recognised again from the words of its turn, and decoded if that gives the same. A proposition
        that was checked before stays as it is.

        Returns:
            The node in the state it has then.

        Raises:
            SessionError: ``unknown_node``, or it could not be written.
        """
        runtime = self.runtime
        vocabulary = runtime.vocabulary
        if runtime.teaching_store is not None:
            vocabulary = TaughtVocabulary(runtime.teaching_store, vocabulary).now()

        def compose(tail: Tail) -> Sequence[Draft]:
            node, drafts = self.graph.get(node_id), list[Draft]()
            if node.epistemic_state in OPEN_STATES:
                change = verify(node, sources_of(vocabulary, runtime.vault))
                if change.to_state != node.epistemic_state:
                    drafts.append(transition(node, change))
                    node = node.with_transition(change)
            if node.epistemic_state == VERIFIED and (decoded := self._decoded(node)) is not None:
                drafts.append(transition(node, decoded))
            return drafts

        with self._lock:
            self.store.append(self.id, compose)
            return self.graph.get(node_id)

    def _decoded(self, node: EpistemicNode) -> EpistemicTransition | None:
        recognizer = self.runtime.recognizer
        provenance = node.recognition_outcome.provenance
        if recognizer is None or recognizer.teaching_set_id != provenance.teaching_set_id:
            return None
        turn = self.turn(int(node.node_id.rpartition(":")[2])).body
        return decode(node, lambda: recognize(recognizer, turn["input"]), replay_id=turn["trace_hash"])

    def save(self, path: str | Path) -> None:
        """Writes the session's file to a new one; of a store of teaching in memory, the candidates.

        Raises:
            SessionError: the file is there already, or can't be written.
        """
        self.store.copy_to(path)
        teaching = self.runtime.teaching_store
        if teaching is not None and teaching.path == MEMORY:
            with TeachingStore(path) as copy:
                for item in teaching.items("candidate"):
                    for said in item.proposals:
                        copy.propose(
                            item.content,
                            by=said.by,
                            words=said.words,
                            origin=said.origin,
                            licence=said.licence,
                        )


def with_graph(
    result: CognitiveTurnResult, graph: SessionGraph, propositions: Sequence[Draft]
) -> CognitiveTurnResult:
    """A result with the session's graph, and what this turn adds to it, folded into its trace."""
    for draft in propositions:
        graph.add(draft)
    folded = {**result.folded, "steps": [*result.folded["steps"], graph_step(graph)]}
    return replace(result, folded=folded, trace_hash=compute_trace_hash(folded))


def turn_body(result: CognitiveTurnResult, runtime: Runtime) -> dict[str, Any]:
    """What the event of a turn records: the envelope of its trace, and what was said on which evidence."""
    refusal = result.refusal
    candidate = {} if result.candidate is None else {"candidate": result.candidate}
    return (
        envelope(result, runtime)
        | candidate
        | {
            "intent": result.intent.value,
            "surface": result.surface,
            "citations": [evidence.as_dict() for evidence in result.citations],
            "refusal": None if refusal is None else {"code": refusal.code, "about": refusal.about},
        }
    )


def only_session(store: SessionStore, *, new: str | None = None) -> str:
    """The one session of a file that was not deleted.

    Args:
        store: the file.
        new: what to give where there is none.

    Raises:
        SessionError: ``unknown_session``: there are several, or none and ``new`` is None.
    """
    there = store.standing()
    if len(there) > 1:
        raise SessionError(
            "unknown_session", f"{store.path}: several sessions, say which: {', '.join(there)}"
        )
    if not there and new is None:
        raise SessionError("unknown_session", f"{store.path}: no session in it")
    return there[0] if there else str(new)
