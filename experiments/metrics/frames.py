"""Frames: the fixed phrases that an answer may put around its evidence. A closed list, in data.

A frame is literal text with slots: ``{subject}``, ``{object}`` and ``{end}`` stand for that end of a statement the
sentence cites (``end`` for either), ``{prompt}`` for words of the prompt. ``cites`` says what the sentence must
cite for the frame to stand in it: ``assertion`` and ``denial`` go by the first statement it cites.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Literal

from cognition.packs.vocabulary import surface_key

Cites = Literal["any", "assertion", "denial", "prompt"]
SLOTS = ("subject", "object", "end", "prompt")
FRAMES_FILE = Path(__file__).parent.parent / "data" / "frames.jsonl"


@dataclass(frozen=True, slots=True)
class Frame:
    """A frame: tokens, slots among them in braces; and what a sentence with it must cite."""

    tokens: tuple[str, ...]
    cites: Cites


@cache
def frames() -> tuple[Frame, ...]:
    """The frames, longest first, so that a phrase is taken before its beginning."""
    rows = [json.loads(line) for line in FRAMES_FILE.read_text(encoding="utf-8").splitlines()]
    read = [Frame(_tokens(row["frame"]), row["cites"]) for row in rows]
    return tuple(sorted(read, key=lambda frame: -len(frame.tokens)))


def _tokens(text: str) -> tuple[str, ...]:
    parts = re.split(rf"(\{{(?:{'|'.join(SLOTS)})\}})", text)
    return tuple(token for part in parts for token in ((part,) if part[:1] == "{" else surface_key(part)))


Ends = Callable[[str, int], Iterator[int]]


def match(
    frame: Frame, forms: Sequence[str], start: int, slot_ends: Ends
) -> tuple[set[int], set[int]] | None:
    """Matches a frame at a token: the positions of its literal words and those of its slots, or None.

    Args:
        frame: the frame.
        forms: normal forms of the sentence's tokens.
        start: where it has to begin.
        slot_ends: where a slot's filler that begins at a position may end.
    """
    return _match(frame.tokens, forms, start, slot_ends)


def _match(
    pattern: tuple[str, ...], forms: Sequence[str], at: int, slot_ends: Ends
) -> tuple[set[int], set[int]] | None:
    if not pattern:
        return set(), set()
    head, rest = pattern[0], pattern[1:]
    if head[0] == "{" and len(head) > 1:
        for end in slot_ends(head[1:-1], at):
            found = _match(rest, forms, end, slot_ends)
            if found is not None:
                return found[0], found[1] | set(range(at, end))
    elif at < len(forms) and forms[at] == head:
        found = _match(rest, forms, at + 1, slot_ends)
        if found is not None:
            return found[0] | {at}, found[1]
    return None
