"""The replay gate: which golden answers a proposal would change."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from cognition.eventlog import StoreError


class Answered(Protocol):
    """What the gate compares of a turn."""

    @property
    def surface(self) -> str: ...

    @property
    def citations(self) -> Sequence[Any]: ...


Ask = Callable[[str], Answered]


class GoldenError(StoreError):
    """A file of golden prompts that can't be used."""

    codes = {  # noqa: RUF012
        "golden_file": 'A golden file has a JSON object a line: "prompt", and "surface" and "citations" if recorded.'
    }


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """A surface and the ids of its citations."""

    surface: str
    citations: tuple[str, ...]

    def as_dict(self) -> dict[str, Any]:
        """For JSON output, and for a golden file."""
        return {"surface": self.surface, "citations": list(self.citations)}


@dataclass(frozen=True, slots=True, kw_only=True)
class Golden:
    """A prompt whose answer must not change unseen.

    Attributes:
        prompt: what is asked.
        answer: as recorded; None takes what is answered before the change.
    """

    prompt: str
    answer: Answer | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """A golden answer before and after."""

    prompt: str
    before: Answer
    after: Answer

    def as_dict(self) -> dict[str, Any]:
        """For JSON output."""
        return {"prompt": self.prompt, "before": self.before.as_dict(), "after": self.after.as_dict()}


def read_golden(paths: Iterable[str | Path]) -> tuple[Golden, ...]:
    """The prompts of golden files, JSON lines; keys other than prompt, surface and citations are not looked at.

    Raises:
        GoldenError: which line of which file, and why.
    """
    found: list[Golden] = []
    for path in map(Path, paths):
        try:
            lines = path.read_text(encoding="utf-8").splitlines()
        except (OSError, UnicodeDecodeError) as error:
            raise GoldenError("golden_file", f"{path}: can't be read ({error})") from None
        for number, line in enumerate(lines, 1):
            if line.strip():
                found.append(_golden(line, f"{path.name}:{number}"))
    return tuple(found)


def _golden(line: str, where: str) -> Golden:
    try:
        row = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise GoldenError("golden_file", f"{where}: not JSON ({error})") from None
    if not isinstance(row, dict) or not isinstance(row.get("prompt"), str):
        raise GoldenError("golden_file", f"{where}: no prompt")
    if "surface" not in row:
        return Golden(prompt=row["prompt"])
    surface, citations = row["surface"], row.get("citations")
    if not isinstance(surface, str) or not isinstance(citations, list):
        raise GoldenError("golden_file", f"{where}: surface and citations")
    ids = tuple(c["id"] if isinstance(c, dict) and "id" in c else str(c) for c in citations)
    return Golden(prompt=row["prompt"], answer=Answer(surface=surface, citations=ids))


def answer_of(result: Answered) -> Answer:
    """What a turn said and cited."""
    return Answer(surface=result.surface, citations=tuple(evidence.id for evidence in result.citations))


def changed_answers(golden: Iterable[Golden], before: Ask, after: Ask) -> tuple[Change, ...]:
    """The golden answers that differ after a change, in the order of the prompts; each prompt once.

    Args:
        golden: the prompts.
        before: answers as things stand, for prompts without a recorded answer.
        after: answers as they would be.
    """
    found: list[Change] = []
    for one in {one.prompt: one for one in golden}.values():
        was = one.answer if one.answer is not None else answer_of(before(one.prompt))
        now = answer_of(after(one.prompt))
        if was != now:
            found.append(Change(prompt=one.prompt, before=was, after=now))
    return tuple(found)
