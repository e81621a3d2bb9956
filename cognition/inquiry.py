"""What a question wants and what was found for it: the values that seeking, walking and saying pass on."""

from __future__ import annotations

from dataclasses import dataclass

from cognition.packs.vocabulary import Statement
from cognition.refusal import Refusal


@dataclass(frozen=True, slots=True, kw_only=True)
class Slot:
    """An open slot.

    Attributes:
        name: what kind of slot it is, by which the surface picks its words.
        required: whether the turn is refused while it is pending.
        every: whether all walked words that ground it are said, or the first alone.
        fills: words that would ground it, each with the statements that do.
    """

    name: str
    required: bool = False
    every: bool = False
    fills: dict[int, tuple[Statement, ...]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Inquiry:
    """What a clause wants.

    Attributes:
        glosses: senses whose gloss is said, by index.
        statements: statements that the clause names, said whatever the walk does.
        slots: open slots.
        above: chains of statements from words that the clause names up to others, said whatever the walk does.
        verdict: for a verification "yes", "no", "chain" or "same"; for a claim "denied" where its denial is on
            record.
        senses: of a homograph, the sense taken though another comes first; several where it could not be decided.
        refusal: set where no evidence can satisfy the clause, whatever the walk does.
    """

    glosses: tuple[int, ...] = ()
    statements: tuple[Statement, ...] = ()
    slots: tuple[Slot, ...] = ()
    above: tuple[tuple[Statement, ...], ...] = ()
    verdict: str = ""
    senses: tuple[int, ...] = ()
    refusal: Refusal | None = None

    @property
    def goals(self) -> tuple[tuple[int, ...], ...]:
        """The groups of words the walk looks for, one group a slot (one a word where every word is wanted)."""
        groups: list[tuple[int, ...]] = []
        for slot in self.slots:
            words = sorted(slot.fills)
            if slot.every:
                groups.extend((word,) for word in words)
            elif words:
                groups.append(tuple(words))
        return tuple(groups)


@dataclass(frozen=True, slots=True, kw_only=True)
class Fill:
    """A slot grounded: by the word that the walk stood on at ``step``, and the statements that join it."""

    slot: str
    word: int
    step: int
    statements: tuple[Statement, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Grounding:
    """What the walk grounded, in the order of the slots and steps, and the refusal if a required slot is open."""

    fills: tuple[Fill, ...]
    refusal: Refusal | None = None

    def of(self, slot: str) -> tuple[Fill, ...]:
        """The fills of one slot."""
        return tuple(fill for fill in self.fills if fill.slot == slot)
