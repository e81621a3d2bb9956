"""`core chat`: a session in lines, from a terminal or a pipe. What is printed was committed before."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from cognition.refusal import CATALOGUE
from cognition.session.events import Event, SessionError
from cognition.session.session import Session

HISTORY = 20
MARGIN = "  "
Say = Callable[[str], None]


class Chat:
    """Reads lines and answers them.

    Args:
        session: where turns are kept.
        say: takes one line of output; it must flush, since a line is the acknowledgement of what it tells.
    """

    def __init__(self, session: Session, say: Say) -> None:
        self.session = session
        self.say = say
        self._commands: dict[str, tuple[Callable[[str], Iterator[str]], str]] = {
            "/why": (self._why, "[N]: what the last answer, or that of turn N, rests on"),
            "/trace": (self._trace, "[N]: every stage of that turn, and its hash"),
            "/history": (self._history, f"[N]: the last N turns and teachings in force ({HISTORY})"),
            "/teach": (self._teach, "TEXT: record a statement for review; no answer rests on it before"),
            "/verify": (self._verify, "[N]: check what that turn stated against what is on record"),
            "/undo": (self._undo, "take back the last turn or teaching in force"),
            "/save": (self._save, "FILE: copy the session to a new file"),
            "/help": (self._help, "this list"),
            "/quit": (self._help, "end; so does the end of the input"),
        }

    def run(self, lines: Iterator[str]) -> None:
        """Answers lines until ``/quit`` or their end."""
        for line in lines:
            text = line.strip()
            if text.split(maxsplit=1)[:1] == ["/quit"]:
                return
            if text:
                self.answer(text)

    def answer(self, text: str) -> None:
        """Answers one line: a prompt, or a command. What can't be done is said, and the session goes on."""
        try:
            for line in self._command(text) if text.startswith("/") else self._ask(text):
                self.say(line)
        except ValueError as error:
            self.say(f"{MARGIN}{' '.join(str(error).split())}")

    def _ask(self, text: str) -> Iterator[str]:
        turn = self.session.ask(text)
        numbers = {evidence.id: n for n, evidence in enumerate(turn.result.citations, 1)}
        marked = (
            "".join(
                [sentence.text, " ", *(f"[{numbers[i]}]" for i in sentence.evidence if i != "prompt")]
            ).rstrip()
            for sentence in turn.result.sentences
        )
        yield " ".join(marked)
        yield f"{MARGIN}turn {turn.number}  {turn.result.trace_hash[:12]}"

    def _command(self, text: str) -> Iterator[str]:
        name, _, rest = text.partition(" ")
        if name not in self._commands:
            raise ValueError(f"no command {name}; /help lists them")
        return self._commands[name][0](rest.strip())

    def _chosen(self, number: str) -> Event:
        if not number:
            found = self.session.last_turn()
            if found is None:
                raise SessionError("unknown_turn", "nothing was asked yet")
            return found
        return self.session.turn(_number(number))

    def _why(self, number: str) -> Iterator[str]:
        event = self._chosen(number)
        yield f"{MARGIN}turn {event.turn}: {event.body['input']}"
        yield from (f"{MARGIN}{line}" for line in why(event.body))

    def _trace(self, number: str) -> Iterator[str]:
        body = self._chosen(number).body
        for step in body["folded"]["steps"]:
            rest = {key: value for key, value in step.items() if key not in ("stage", "version")}
            yield f"{MARGIN}{step['stage']:10} {json.dumps(rest, ensure_ascii=False)}"
        yield f"{MARGIN}{'trace':10} {body['trace_hash']}"

    def _history(self, number: str) -> Iterator[str]:
        for event in self.session.latest(_number(number) if number else HISTORY):
            yield f"{MARGIN}{line_of(event)}"

    def _teach(self, text: str) -> Iterator[str]:
        event = self.session.teach(text)
        item = f" {event.body['item']} ({event.body['says']})" if "item" in event.body else ""
        yield f"{MARGIN}recorded for review{item}; no answer rests on it before"
        for conflict in event.body.get("conflicts", ()):
            yield f"{MARGIN}it contradicts {', '.join(conflict['evidence'])} ({conflict['ground']})"

    def _verify(self, number: str) -> Iterator[str]:
        turn = self._chosen(number).turn
        found = [node for node in self.session.graph.nodes if node.node_id.endswith(f":{turn}")]
        if not found:
            raise ValueError(f"turn {turn} stated nothing that a recogniser admits")
        for node in found:
            checked = self.session.verify(node.node_id)
            yield f"{MARGIN}{checked.epistemic_state}"
            for change in checked.transitions:
                rests = f" [{', '.join(change.evidence)}]" if change.evidence else ""
                yield f"{MARGIN}{change.from_state} -> {change.to_state}: {change.reason}{rests}"

    def _undo(self, rest: str) -> Iterator[str]:
        yield f"{MARGIN}undone: {line_of(self.session.undo())}"

    def _save(self, file: str) -> Iterator[str]:
        if not file:
            raise ValueError("/save FILE: name a new file")
        self.session.save(file)
        yield f"{MARGIN}saved to {file}"

    def _help(self, rest: str) -> Iterator[str]:
        for name, (_, about) in self._commands.items():
            yield f"{MARGIN}{name:9} {about}"


def why(body: Mapping[str, Any]) -> Iterator[str]:
    """What a recorded turn rests on, a line each: its citations with source and licence, or its refusal."""
    if body["refusal"] is not None:
        entry = CATALOGUE.get(body["refusal"]["code"])
        about = f" ({body['refusal']['about']})" if body["refusal"]["about"] else ""
        yield f"refused: {body['refusal']['code']}{about}"
        if entry is not None:
            yield f"{entry.meaning} {entry.remedy}"
    for number, cited in enumerate(body["citations"], 1):
        where = f" ({cited['source']}, {cited['licence']})" if cited.get("source") else ""
        yield f"[{number}] {cited['id']}: {cited['text']}{where}"


def line_of(event: Event) -> str:
    """A turn or a teaching in one line."""
    if event.kind == "turn":
        return f"{event.turn:>3}  {event.body['input']}  ->  {event.body['surface']}"
    return f"  -  taught: {event.body['text']}"


def _number(text: str) -> int:
    if not text.isascii() or not text.isdecimal() or not 0 < int(text[:9]) == int(text):
        raise ValueError(f"{text!r}: a number, at least 1, is wanted here")
    return int(text)
