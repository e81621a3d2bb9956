"""A pack's record in memory, indexed from its parsed rows."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import cached_property

from cga.backend import Point
from cognition.packs.load import Pack
from cognition.packs.schema import Provenance, Relation, Sense
from cognition.packs.words import Statement, SurfaceKey, by_surface, letters_of, near_places, spelled, stops
from recognition.tokens import normal_form


class ParsedRecord:
    """`cognition.packs.words.Record` of a pack that fits memory easily."""

    def __init__(self, pack: Pack) -> None:
        self.senses: Sequence[Sense] = pack.senses
        self.index: dict[str, int] = {sense.id: i for i, sense in enumerate(pack.senses)}
        self.points: tuple[Point, ...] = tuple(Point(*row.x, row.rho) for row in pack.geometry)
        self._stop_words = frozenset(normal_form(word) for word in pack.stop_words)
        self._surfaces = by_surface(pack.senses)
        self._reach: dict[str, int] = {}
        for key in self._surfaces:
            self._reach[key[0]] = max(len(key), self._reach.get(key[0], 0))
        self._lemmas = tuple(sense.lemma for sense in pack.senses)
        self._stops = tuple(stops(sense, self._stop_words) for sense in pack.senses)
        reviewed = [row for row in pack.relations if row.status == "reviewed"]
        self.statements: tuple[Statement, ...] = tuple(map(self._statement, reviewed))
        self._by_id = {
            row.id: (said, row.provenance) for row, said in zip(reviewed, self.statements, strict=True)
        }
        touching: list[list[Statement]] = [[] for _ in pack.senses]
        for said in self.statements:
            touching[said.subject].append(said)
            touching[said.object].append(said)
        self._touching = tuple(map(tuple, touching))

    @property
    def block(self) -> Sequence[Point]:
        return self.points

    def _statement(self, row: Relation) -> Statement:
        return Statement(
            id=row.id,
            subject=self.index[row.subject],
            relation=row.relation,
            object=self.index[row.object],
            positive=row.polarity == "positive",
            order=row.order,
        )

    @property
    def lemma(self) -> Callable[[int], str]:
        return self._lemmas.__getitem__

    def named(self, key: SurfaceKey) -> tuple[int, ...]:
        return self._surfaces.get(key, ())

    def reach(self, first: str) -> int:
        return self._reach.get(first, 0)

    def touching(self, index: int) -> tuple[Statement, ...]:
        return self._touching[index]

    def said_of(self, index: int) -> tuple[Statement, ...]:
        return tuple(said for said in self._touching[index] if said.subject == index)

    def denials(self) -> tuple[Statement, ...]:
        return tuple(said for said in self.statements if not said.positive)

    def statement(self, evidence_id: str) -> tuple[Statement, Provenance]:
        return self._by_id[evidence_id]

    def is_stop(self, index: int) -> bool:
        return self._stops[index]

    def blocked(self, languages: Sequence[str], salience: int) -> tuple[int, ...]:
        return tuple(
            i
            for i, sense in enumerate(self.senses)
            if sense.status != "reviewed"
            or sense.language not in languages
            or sense.salience < salience
            or self.is_stop(i)
        )

    @cached_property
    def _spelled(self) -> tuple[list[tuple[str, int]], list[int]]:
        found = list(spelled(self._surfaces, self.senses, self._stop_words).items())
        return found, [letters_of(surface) for surface, _ in found]

    def spellings(self, word: str, most: int) -> Iterable[tuple[str, int]]:
        found, letters = self._spelled
        near = (found[at] for at in near_places(letters_of(word), letters, most))
        return (item for item in near if abs(len(item[0]) - len(word)) <= most)
