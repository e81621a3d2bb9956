"""What a review can't do: errors with a stable code, each with what would lift it."""

from __future__ import annotations

from typing import ClassVar

from cognition.eventlog import StoreError

CODES: dict[str, str] = {
    "already_known": "The record says this already; there is nothing to teach.",
    "bad_english": "The gloss does not read as English after its word; say it another way.",
    "bad_id": "An id of the store is taught: and hexadecimal digits; `core review list` shows them.",
    "bad_name": "Who teaches or reviews is a name on one line of at most 80 printable characters.",
    "bad_order": "A step of a procedure needs its place, from 1 to one past the last; nothing else has one.",
    "changes_answers": "Golden answers change; look at them, then accept the changes (--accept-changes).",
    "contradicts": "Reviewed knowledge says otherwise; look at it, then accept the contradiction (--replace).",
    "implied_otherwise": "The chain of statements that is shown implies the opposite; take back one of them first.",
    "not_structured": "The words name no statement about words of the pack; propose it as one.",
    "nothing_to_build": "No reviewed item adds to this pack; accept one first.",
    "out_exists": "The folder for the new pack is there already; name a new one.",
    "state": "The item is in a state in which this can't be done.",
    "unknown_evidence": "No reviewed statement of the pack has this id; `core pack show --word` lists them.",
    "unknown_item": "The store has no such item; `core review list` shows them.",
    "unknown_relation": "The pack has no such kind of relation.",
    "unknown_word": "The word is not in the pack; a statement can only be about words of the pack.",
    "unstated_licence": "A pack states the licence of what it holds; give the one of the taught items (--licence).",
    "version": "The version of a new pack is three numbers and greater than that of the old one.",
}
"""Code -> what it means and what to do."""


class ReviewError(StoreError):
    """A proposal or a review that can't be taken: what, and what to do.

    Attributes:
        code: a key of `CODES`.
    """

    codes: ClassVar[dict[str, str]] = CODES
