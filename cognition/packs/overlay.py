"""What reviewed teaching adds to an opened pack and takes from it; the pack itself stays as it is."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True, kw_only=True)
class TaughtSource:
    """Where a taught item comes from.

    Attributes:
        attribution: who taught it and who reviewed it.
        licence: under which it was given; "unstated" where nobody said.
    """

    attribution: str
    licence: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Addition:
    """A taught statement, its ends by sense id.

    Attributes:
        id: evidence id, ``taught:...``.
        order: place among the steps of a procedure, else None.
    """

    id: str
    subject: str
    relation: str
    object: str
    positive: bool
    order: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Overlay:
    """Reviewed items in force.

    Attributes:
        digest: SHA-256 of the items in force, for the trace; "" where there are none.
        additions: statements added, by ascending id.
        glosses: sense id -> (evidence id, gloss) where a taught gloss replaces the pack's.
        hidden: evidence ids of the pack that are out of force.
        sources: evidence id -> where the item comes from.
    """

    digest: str = ""
    additions: tuple[Addition, ...] = ()
    glosses: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    hidden: frozenset[str] = frozenset()
    sources: Mapping[str, TaughtSource] = field(default_factory=dict)


NO_OVERLAY = Overlay()
