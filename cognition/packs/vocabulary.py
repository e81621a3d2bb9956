"""A pack opened for use: surfaces to senses, senses to statements, and the handle of its geometry."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, overload

from cga.backend import Backend, Point
from cognition.packs.load import Pack
from cognition.packs.overlay import NO_OVERLAY, Overlay
from cognition.packs.parsed import ParsedRecord
from cognition.packs.schema import PartOfSpeech, Provenance, RelationType, Sense
from cognition.packs.words import Record
from cognition.packs.words import Statement as Statement
from cognition.packs.words import surface_key as surface_key
from recognition.tokens import normal_form


@dataclass(frozen=True, slots=True)
class Match:
    """Tokens ``start`` to ``end`` (half-open) name the senses ``indices`` (most salient first)."""

    start: int
    end: int
    indices: tuple[int, ...]


class Vocabulary:
    """What a turn knows of a pack. Immutable after construction, so threads may share it.

    Args:
        pack: a checked pack.
        backend: the geometry it is opened in.

    Attributes:
        lemma: gives the lemma of a word, without reading its row.
        kept: what `cognition.evidence` made of the content by evidence id, for the next turn that cites it.
    """

    def __init__(self, pack: Pack, backend: Backend) -> None:
        self.pack = pack
        self.backend = backend
        self.overlay: Overlay = NO_OVERLAY
        self._record: Record = ParsedRecord(pack) if pack.compiled is None else pack.compiled
        self.lemma: Callable[[int], str] = self._record.lemma
        self.senses: Sequence[Sense] = self._record.senses
        self.index: Mapping[str, int] = self._record.index
        self.points: Sequence[Point] = self._record.points
        self.handle: Any = backend.open_vocabulary(self._record.block)
        self.relation_types: dict[str, RelationType] = {kind.id: kind for kind in pack.relation_types}
        self.stop_words: frozenset[str] = frozenset(normal_form(word) for word in pack.stop_words)
        self.kept: dict[str, Any] = {}
        self._taught: dict[str, Statement] = {}
        self._added: dict[int, list[Statement]] = {}

    def __len__(self) -> int:
        return len(self.senses)

    @property
    def quotes(self) -> bool:
        """Whether the pack's glosses are definitions, which are quoted, and not phrases that complete a sentence."""
        return self.pack.manifest.gloss_form == "definition"

    def with_overlay(self, overlay: Overlay) -> Vocabulary:
        """This pack under reviewed teaching: same words, points and surfaces, other statements and glosses.

        Raises:
            KeyError: the overlay speaks of a sense that the pack does not have.
            ValueError: this vocabulary is under an overlay already.
        """
        if self.overlay is not NO_OVERLAY:
            raise ValueError("vocabulary: is under an overlay already: lay it over the pack's own")
        if overlay == NO_OVERLAY:
            return self
        found = self.with_glosses({sense: gloss for sense, (_, gloss) in overlay.glosses.items()})
        found.overlay = overlay
        added = tuple(
            Statement(
                id=one.id,
                subject=self.index[one.subject],
                relation=one.relation,
                object=self.index[one.object],
                positive=one.positive,
                order=one.order,
            )
            for one in overlay.additions
        )
        found._taught = {said.id: said for said in added}
        found._added = {}
        for said in added:
            for word in (said.subject, said.object):
                found._added.setdefault(word, []).append(said)
        return found

    def with_glosses(self, glosses: Mapping[str, str]) -> Vocabulary:
        """This vocabulary with other glosses, by sense id; for trying how they read, so nothing cites them.

        Raises:
            KeyError: a sense that the pack does not have.
        """
        found = copy.copy(self)
        found.kept = {}
        instead = {
            self.index[sense_id]: self.senses[self.index[sense_id]].model_copy(update={"gloss": gloss})
            for sense_id, gloss in glosses.items()
        }
        found.senses = _Reglossed(self.senses, instead) if instead else self.senses
        return found

    def taught_statement(self, evidence_id: str) -> Statement | None:
        """The statement of a ``taught:...`` id, or None where the id is a gloss's or unknown."""
        return self._taught.get(evidence_id)

    @property
    def statements(self) -> Sequence[Statement]:
        """All reviewed statements; for the path of a turn, `statements_of`."""
        if self.overlay is NO_OVERLAY:
            return self._record.statements
        return (*self._in_force(self._record.statements), *self._taught.values())

    def denials(self) -> tuple[Statement, ...]:
        """All reviewed denials."""
        added = (said for said in self._taught.values() if not said.positive)
        return (*self._in_force(self._record.denials()), *added)

    def _in_force(self, statements: Iterable[Statement]) -> tuple[Statement, ...]:
        hidden = self.overlay.hidden
        return tuple(said for said in statements if said.id not in hidden)

    def lookup(self, surface: str) -> tuple[int, ...]:
        """Senses whose surface is exactly this one (case and width aside), most salient first."""
        return self._record.named(surface_key(surface))

    def lookup_tokens(self, forms: Sequence[str]) -> tuple[int, ...]:
        """Like `lookup`, for normal forms of tokens."""
        return self._record.named(tuple(forms))

    def matches(self, forms: Sequence[str], start: int = 0, end: int | None = None) -> tuple[Match, ...]:
        """The pack's surfaces among the normal forms of tokens: longest first, from left to right."""
        stop = len(forms) if end is None else end
        found: list[Match] = []
        at = start
        while at < stop:
            for size in range(min(self._record.reach(forms[at]), stop - at), 0, -1):
                indices = self._record.named(tuple(forms[at : at + size]))
                if indices:
                    found.append(Match(at, at + size, indices))
                    at += size
                    break
            else:
                at += 1
        return tuple(found)

    def choose(self, indices: Sequence[int], pos: PartOfSpeech | None = None) -> int:
        """The sense a slot takes: of the wanted part of speech if there is one, then the most salient."""
        for i in indices:
            if pos is not None and self.senses[i].pos == pos:
                return i
        return indices[0]

    def is_stop(self, index: int) -> bool:
        """Whether the walk may not stand on this word."""
        return self._record.is_stop(index)

    def blocked(
        self, languages: Sequence[str], *, salience: int = 0, stop_words: frozenset[str] | None = None
    ) -> tuple[int, ...]:
        """The words a walk never stands on, ascending.

        They are stop words, senses that are not reviewed, of other languages, or below the salience.

        Args:
            languages: of the words it may stand on.
            salience: least of a word it may stand on.
            stop_words: lemmas it never stands on; None takes the pack's list.
        """
        if stop_words is None:
            return self._record.blocked(languages, salience)
        return tuple(
            i
            for i, sense in enumerate(self.senses)
            if sense.status != "reviewed"
            or sense.language not in languages
            or sense.salience < salience
            or sense.lemma in stop_words
        )

    def spellings(self, word: str, most: int) -> Iterable[tuple[str, int]]:
        """Surfaces that may be so many edits from a word; see `cognition.packs.words.Record.spellings`."""
        return self._record.spellings(word, most)

    def statements_of(self, index: int) -> tuple[Statement, ...]:
        """All reviewed statements a word stands in."""
        found = self._record.touching(index)
        if self.overlay is NO_OVERLAY:
            return found
        return (*self._in_force(found), *self._added.get(index, ()))

    def said_of(self, index: int) -> tuple[Statement, ...]:
        """The reviewed statements whose subject a word is."""
        found = self._record.said_of(index)
        if self.overlay is NO_OVERLAY:
            return found
        added = (said for said in self._added.get(index, ()) if said.subject == index)
        return (*self._in_force(found), *added)

    def statement_by_id(self, evidence_id: str) -> tuple[Statement, Provenance]:
        """The reviewed statement of an evidence id, and where it comes from.

        Raises:
            KeyError: there is none.
        """
        return self._record.statement(evidence_id)

    def between(self, a: int, b: int) -> tuple[Statement, ...]:
        """All reviewed statements that join two words, in either direction."""
        return tuple(s for s in self.statements_of(a) if b in (s.subject, s.object))


class _Reglossed(Sequence[Sense]):
    """Senses, a few of them with another gloss."""

    def __init__(self, senses: Sequence[Sense], instead: Mapping[int, Sense]) -> None:
        self._senses = senses
        self._instead = instead

    def __len__(self) -> int:
        return len(self._senses)

    @overload
    def __getitem__(self, index: int) -> Sense: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[Sense, ...]: ...
    def __getitem__(self, index: int | slice) -> Sense | tuple[Sense, ...]:
        if isinstance(index, slice):
            return tuple(self[i] for i in range(*index.indices(len(self))))
        found = self._instead.get(index % len(self)) if -len(self) <= index < len(self) else None
        return found if found is not None else self._senses[index]
