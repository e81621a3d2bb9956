"""What every form of a pack is asked for: statements by word, surfaces by key, and spellings by their letters."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from cga.backend import Point
from cognition.packs.schema import Provenance, Sense
from recognition.tokens import normal_form, tokenize

SurfaceKey = tuple[str, ...]
_ALPHABET = "abcdefghijklmnopqrstuvwxyz"


@dataclass(frozen=True, slots=True, kw_only=True)
class Statement:
    """A reviewed relation between two words, by index.

    Attributes:
        id: evidence id.
        positive: False for a reviewed denial.
        order: place among the steps of a procedure, else None.
    """

    id: str
    subject: int
    relation: str
    object: int
    positive: bool
    order: int | None

    def other(self, index: int) -> int:
        """The word at the other end."""
        return self.object if index == self.subject else self.subject


class Record(Protocol):
    """A pack's words and what it says of them: parsed into memory, or read from its compiled form.

    Two records of one pack answer every call alike.

    Attributes:
        senses: by index.
        index: sense id -> index.
        points: lattice points, by index.
        block: the same as a backend takes them.
        statements: reviewed ones, in the order of the pack.
    """

    @property
    def senses(self) -> Sequence[Sense]: ...
    @property
    def index(self) -> Mapping[str, int]: ...
    @property
    def points(self) -> Sequence[Point]: ...
    @property
    def block(self) -> Sequence[Point] | memoryview: ...
    @property
    def statements(self) -> Sequence[Statement]: ...

    @property
    def lemma(self) -> Callable[[int], str]:
        """Gives the lemma of a word; a walk tells those of all words that it stood on."""
        ...

    def named(self, key: SurfaceKey) -> tuple[int, ...]:
        """Reviewed senses that have a surface of this key, most salient first; see `precedence`."""
        ...

    def reach(self, first: str) -> int:
        """No surface that begins with this token has more tokens; 0 where none begins with it."""
        ...

    def touching(self, index: int) -> tuple[Statement, ...]:
        """The reviewed statements that a word stands in, in the order of the pack."""
        ...

    def said_of(self, index: int) -> tuple[Statement, ...]:
        """Those of `touching` whose subject the word is."""
        ...

    def denials(self) -> tuple[Statement, ...]:
        """The reviewed statements that deny something."""
        ...

    def statement(self, evidence_id: str) -> tuple[Statement, Provenance]:
        """The reviewed statement of an evidence id. Raises KeyError where there is none."""
        ...

    def is_stop(self, index: int) -> bool:
        """Whether a word is a function word, or its lemma a stop word of the pack."""
        ...

    def blocked(self, languages: Sequence[str], salience: int) -> tuple[int, ...]:
        """Words that are not reviewed, stop words, of another language, or less salient; ascending."""
        ...

    def spellings(self, word: str, most: int) -> Iterable[tuple[str, int]]:
        """Surfaces of one token that may be ``most`` edits or fewer from a word, with their highest salience.

        Of reviewed words that are no stop words. None that is so near is left out; others may be among them.
        """
        ...


def surface_key(surface: str) -> SurfaceKey:
    """The key of a surface: the normal forms of its tokens, so that "What’s" and "what's" agree."""
    return tuple(normal_form(token.text) for token in tokenize(surface))


def stops(sense: Sense, stop_words: frozenset[str]) -> bool:
    """Whether a walk may not stand on a sense: a function word, or one whose lemma is a stop word."""
    return sense.pos == "function" or normal_form(sense.lemma) in stop_words


def by_surface(senses: Iterable[Sense]) -> dict[SurfaceKey, tuple[int, ...]]:
    """The reviewed senses of each surface.

    The most salient first; of equals, one that the surface is the lemma or a form of, before one that it is a
    further name of; then by index.
    """
    found: dict[SurfaceKey, dict[int, tuple[int, bool, int]]] = {}
    for i, sense in enumerate(senses):
        if sense.status != "reviewed":
            continue
        forms = {sense.lemma, *sense.forms.values()}
        keys = [(surface_key(surface), surface in forms) for surface in sense.surfaces]
        own = {key for key, is_form in keys if is_form}
        for key, _ in keys:
            found.setdefault(key, {})[i] = (-sense.salience, key not in own, i)
    return {key: tuple(sorted(ranks, key=ranks.__getitem__)) for key, ranks in found.items()}


def spelled(
    named: Mapping[SurfaceKey, Sequence[int]], senses: Sequence[Sense], stop_words: frozenset[str]
) -> dict[str, int]:
    """The surfaces of one token of the words that a walk may stand on, each with its highest salience.

    Args:
        named: the senses of each surface, as `by_surface` gives them.
        senses: all of them.
        stop_words: of the pack, in normal form.
    """
    found: dict[str, int] = {}
    for key, indices in named.items():
        saliences = [senses[i].salience for i in indices if not stops(senses[i], stop_words)]
        if len(key) == 1 and saliences:
            found[key[0]] = max(saliences)
    return found


def letters_of(word: str) -> int:
    """The letters a to z of a word as a set of bits: one for a first occurrence, one for any further.

    An edit (one letter in, out, changed, or two neighbours swapped) takes one bit away at most, and adds one at most.
    """
    bits = 0
    for place, letter in enumerate(_ALPHABET):
        count = word.count(letter)
        if count:
            bits |= (1 if count == 1 else 1 | 1 << len(_ALPHABET)) << place
    return bits


def near_places(letters: int, others: Iterable[int], most: int) -> list[int]:
    """Places, among the `letters_of` other words, of those that may be ``most`` edits from a word or fewer."""
    return [
        at
        for at, other in enumerate(others)
        if (letters ^ other).bit_count() <= 2 * most
        and (letters & ~other).bit_count() <= most
        and (other & ~letters).bit_count() <= most
    ]
