"""A pack opened for use: surfaces to senses, senses to statements, and the handle of its geometry."""

from __future__ import annotations

import copy
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from cga.backend import Backend, Point
from cognition.packs.load import Pack
from cognition.packs.overlay import NO_OVERLAY, Overlay
from cognition.packs.schema import PartOfSpeech, Provenance, Relation, RelationType, Sense
from recognition.tokens import normal_form, tokenize


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
    """

    def __init__(self, pack: Pack, backend: Backend) -> None:
        self.pack = pack
        self.backend = backend
        self.overlay: Overlay = NO_OVERLAY
        self.senses: tuple[Sense, ...] = pack.senses
        self.index: dict[str, int] = {sense.id: i for i, sense in enumerate(pack.senses)}
        self.points: tuple[Point, ...] = tuple(Point(*row.x, row.rho) for row in pack.geometry)
        self.handle: Any = backend.open_vocabulary(self.points)
        self.relation_types: dict[str, RelationType] = {kind.id: kind for kind in pack.relation_types}
        self.stop_words: frozenset[str] = frozenset(normal_form(word) for word in pack.stop_words)
        self._surfaces: dict[tuple[str, ...], tuple[int, ...]] = {}
        self._longest = 1
        self._index_surfaces()
        reviewed = [row for row in pack.relations if row.status == "reviewed"]
        self.statements: tuple[Statement, ...] = tuple(map(self._statement, reviewed))
        self._by_id = {
            row.id: (said, row.provenance) for row, said in zip(reviewed, self.statements, strict=True)
        }
        self._taught: dict[str, Statement] = {}
        self._touching = self._by_word(self.statements)

    def __len__(self) -> int:
        return len(self.senses)

    def _by_word(self, statements: Iterable[Statement]) -> tuple[tuple[Statement, ...], ...]:
        touching: list[list[Statement]] = [[] for _ in self.senses]
        for statement in statements:
            touching[statement.subject].append(statement)
            touching[statement.object].append(statement)
        return tuple(map(tuple, touching))

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
        kept = tuple(said for said in self.statements if said.id not in overlay.hidden)
        found.statements = (*kept, *added)
        found._taught = {said.id: said for said in added}
        found._touching = found._by_word(found.statements)
        return found

    def with_glosses(self, glosses: Mapping[str, str]) -> Vocabulary:
        """This vocabulary with other glosses, by sense id; for trying how they read, so nothing cites them.

        Raises:
            KeyError: a sense that the pack does not have.
        """
        found = copy.copy(self)
        senses = list(self.senses)
        for sense_id, gloss in glosses.items():
            at = self.index[sense_id]
            senses[at] = senses[at].model_copy(update={"gloss": gloss})
        found.senses = tuple(senses)
        return found

    def taught_statement(self, evidence_id: str) -> Statement | None:
        """The statement of a ``taught:...`` id, or None where the id is a gloss's or unknown."""
        return self._taught.get(evidence_id)

    def _index_surfaces(self) -> None:
        found: dict[tuple[str, ...], list[int]] = {}
        for i, sense in enumerate(self.senses):
            if sense.status != "reviewed":
                continue
            for surface in sense.surfaces:
                key = surface_key(surface)
                if i not in found.setdefault(key, []):
                    found[key].append(i)
                self._longest = max(self._longest, len(key))
        for key, indices in found.items():
            indices.sort(key=lambda i: (-self.senses[i].salience, i))
            self._surfaces[key] = tuple(indices)

    def _statement(self, row: Relation) -> Statement:
        return Statement(
            id=row.id,
            subject=self.index[row.subject],
            relation=row.relation,
            object=self.index[row.object],
            positive=row.polarity == "positive",
            order=row.order,
        )

    def lookup(self, surface: str) -> tuple[int, ...]:
        """Senses whose surface is exactly this one (case and width aside), most salient first."""
        return self._surfaces.get(surface_key(surface), ())

    def lookup_tokens(self, forms: Sequence[str]) -> tuple[int, ...]:
        """Like `lookup`, for normal forms of tokens."""
        return self._surfaces.get(tuple(forms), ())

    def matches(self, forms: Sequence[str], start: int = 0, end: int | None = None) -> tuple[Match, ...]:
        """The pack's surfaces among the normal forms of tokens: longest first, from left to right."""
        stop = len(forms) if end is None else end
        found: list[Match] = []
        at = start
        while at < stop:
            for size in range(min(self._longest, stop - at), 0, -1):
                indices = self._surfaces.get(tuple(forms[at : at + size]))
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
        sense = self.senses[index]
        return sense.pos == "function" or normal_form(sense.lemma) in self.stop_words

    def statements_of(self, index: int) -> tuple[Statement, ...]:
        """All reviewed statements a word stands in."""
        return self._touching[index]

    def statement_by_id(self, evidence_id: str) -> tuple[Statement, Provenance]:
        """The reviewed statement of an evidence id, and where it comes from.

        Raises:
            KeyError: there is none.
        """
        return self._by_id[evidence_id]

    def between(self, a: int, b: int) -> tuple[Statement, ...]:
        """All reviewed statements that join two words, in either direction."""
        return tuple(s for s in self._touching[a] if b in (s.subject, s.object))


def surface_key(surface: str) -> tuple[str, ...]:
    """The key of a surface: the normal forms of its tokens, so that "What’s" and "what's" agree."""
    return tuple(normal_form(token.text) for token in tokenize(surface))
