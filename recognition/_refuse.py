"""Why a sentence that no shape covers is refused: which layer, which feature, which token."""

from __future__ import annotations

from itertools import accumulate

from recognition._align import Alignment
from recognition._evidence import Found, Group, found_markers, lacking, open_feature
from recognition._numbers import is_number_word
from recognition._plan import make_room, plan_of
from recognition._recognizer import Marker, Pattern
from recognition._terms import (
    Sentence,
    determiner_class,
    english,
    fits,
    gap_morphs,
    is_adverb,
    is_head,
    is_modal,
    is_nominal,
    noun_lemmas,
    same_value,
    stem_of,
    values_of,
    verb_readings,
)
from recognition.outcome import (
    FeatureConsistencyRefusal,
    JSONValue,
    NearPattern,
    Refusal,
    ShapeRefusal,
)
from recognition.tokens import normal_form

__all__ = ["refuse"]

Span = tuple[int, int]
_ENDS = (".", ";", "!", "?")


class _Diagnosis:
    def __init__(self, given: Sentence, pattern: Pattern, alignment: Alignment) -> None:
        self.given, self.pattern, self.alignment = given, pattern, alignment
        self.hits: dict[int, list[Found]] | None = None  # by their first word
        self.plan, self.keys = plan_of(pattern), given.keys
        last = len(pattern.slots)
        self.outer = alignment.left(0) + alignment.left(last)
        self.inner = [word for gap in range(1, last) for word in alignment.left(gap)]

    def conflict(
        self, feature: str, values: tuple[JSONValue, ...], words: tuple[Span | None, ...]
    ) -> FeatureConsistencyRefusal:
        spans = tuple(self.given.token_span(*span) if span else None for span in words)
        return FeatureConsistencyRefusal(feature=feature, values=values, spans=spans)

    def values(self, words: set[int]) -> dict[str, tuple[JSONValue, Span | None]]:
        """Feature -> value that the markers among `words` give, or its default."""
        if self.hits is None:
            form = Group(self.given, self.pattern, self.alignment).forms()[0]
            self.hits = {}
            for hit in found_markers(self.given, self.pattern, self.alignment, form):
                self.hits.setdefault(hit.start, []).append(hit)
        read: dict[str, tuple[JSONValue, Span | None]] = {
            default.feature: (default.value, None) for default in self.pattern.defaults
        }
        for word in sorted(words):
            for hit in self.hits.get(word, ()):
                if words.issuperset(range(hit.start, hit.end)):
                    read[hit.marker.feature] = (hit.marker.value, (hit.start, hit.end))
        return read

    def alternatives(self) -> Refusal | None:
        """`may or may not`: the verb group says two things."""
        verb = self.pattern.verb
        if verb is None or self.alignment.slots[verb] is None:
            return None
        gaps = [word for gap in (verb, verb + 1) for word, _ in self.alignment.gaps[gap]]
        group = sorted({*gaps, self.alignment.slots[verb][0]})  # pyright: ignore[reportOptionalSubscript]
        cuts = [word for word in group if self.keys[word] in english("conjunction")]
        if not cuts:
            return None
        sides: list[set[int]] = [set()]
        for word in group:
            if word in cuts:
                sides.append(set())
            else:
                sides[-1].add(word)
        read = [self.values(side) for side in sides if side]
        # What holds by absence on one side is marked on the other before two marked values are compared.
        for feature in sorted(set().union(*read)):
            held = [side[feature] for side in read if feature in side]
            for value, span in held[1:]:
                if not same_value(value, held[0][0]):
                    return self.conflict(feature, (held[0][0], value), (held[0][1], span))
        return None

    def second_verb(self) -> Refusal | None:
        """`has or wants`, `had or has`."""
        verb = self.pattern.verb
        filled = self.alignment.slots[verb] if verb is not None else None
        if verb is None or filled is None:
            return None
        left = [*self.alignment.left(verb), *self.alignment.left(verb + 1)]
        if not any(self.keys[word] in english("conjunction") for word in left):
            return None
        if not all(self._beside_verb(word) or verb_readings(self.keys[word]) for word in left):
            return None
        held = verb_readings(self.keys[filled[0]])
        for word in left:
            readings = verb_readings(self.keys[word])
            if not readings or word == filled[0]:
                continue
            spans = (filled[:2], (word, word + 1))
            if all(morph.stem != filled[2] for morph in readings):
                return self.conflict(self.pattern.slots[verb].feature, (filled[2], readings[0].stem), spans)
            for first, second in self.plan.rivals:
                if fits(first.parts[0], held[:1]) and fits(second.parts[0], readings[:1]):
                    return self.conflict(first.feature, (first.value, second.value), spans)
        return None

    def _joining(self, word: int) -> bool:
        """Whether a word joins a second saying to the first, and says nothing of its own."""
        key = self.keys[word]
        return key in english("conjunction") or key in english("beside_value") or key in english("stop")

    def _beside_number(self, word: int) -> bool:
        """Whether a word can stand beside a second number: `and 6 apples`, `either 5 or 6`, `5, not 6`."""
        key = self.keys[word]
        return self._joining(word) or bool(determiner_class(key)) or is_nominal(key) or is_number_word(key)

    def _beside_verb(self, word: int) -> bool:
        """Whether a word can stand beside a second verb of the same subject: `but he doesn't`."""
        key = self.keys[word]
        return self._joining(word) or (
            key in english("support")
            or key in english("pronoun")
            or key in english("finite_be")
            or is_modal(key)
            or is_adverb(key)
        )

    def second_number(self) -> Refusal | None:
        """A second count, or the same count of something else."""
        left = {*self.outer, *self.inner}
        ends = [0, *accumulate(key in _ENDS for key in self.keys)]  # of sentences, before each word
        for numeral in self.given.numerals:
            if numeral.value is None or not left.issuperset(range(numeral.start, numeral.end)):
                continue
            if not all(self._beside_number(word) for word in left - {*range(numeral.start, numeral.end)}):
                continue
            near: list[tuple[int, int]] = []
            for index, slot in enumerate(self.pattern.slots):
                filled = self.alignment.slots[index]
                if slot.rule == "number" and filled is not None:
                    start, end = min(filled[1], numeral.end), max(filled[0], numeral.start)
                    if ends[start] == ends[max(start, end)]:
                        near.append((max(0, end - start), index))
            if not near:
                continue
            index = min(near)[1]
            filled = self.alignment.slots[index]
            assert filled is not None
            if not same_value(numeral.value, filled[2]):
                return self.conflict(
                    self.pattern.slots[index].feature,
                    (filled[2], numeral.value),
                    (filled[:2], (numeral.start, numeral.end)),
                )
            if refusal := self._second_noun(numeral.end, index + 1):
                return refusal
        return None

    def _second_noun(self, at: int, index: int) -> Refusal | None:
        """Another filling of the noun phrase `index`, from a word on."""
        if index >= len(self.pattern.slots) or at >= len(self.keys) or not is_nominal(self.keys[at]):
            return None
        slot, filled = self.pattern.slots[index], self.alignment.slots[index]
        if slot.rule not in ("text", "noun") or filled is None:
            return None
        for value in values_of(self.given, at, at + 1, slot.rule):
            if not same_value(value, filled[2]):
                return self.conflict(slot.feature, (filled[2], value), (filled[:2], (at, at + 1)))
        return None

    def _said(self, key: str) -> tuple[Marker, ...]:
        """The markers of one part that a word stands for wherever it is."""
        said = self.plan.said.get(key)
        if said is None:
            make_room(self.plan.said)
            said = tuple(m for m in self.pattern.markers if len(m.parts) == 1 and self._stands_for(key, m))
            self.plan.said[key] = said
        return said

    def _stands_for(self, key: str, marker: Marker) -> bool:
        """Whether a word is a marker by its stem, wherever it stands."""
        part = marker.parts[0]
        if part.stem is None or marker.place.startswith("slot"):
            return False
        if marker.place != "group":
            return fits(part, gap_morphs(key, False))
        return part.stem == stem_of(key) and part.stem in {*self.pattern.stems[0], *self.pattern.stems[1]}

    def second_marker(self) -> Refusal | None:
        """A marker outside the clause that says another value than the clause does: `but doesn't`."""
        held = self.values({*range(len(self.keys))} - {*self.outer})
        before = set(self.alignment.left(0))
        for word in self.outer:
            if word in before and (is_modal(self.keys[word]) or self.keys[word] in english("support")):
                continue  # a question: will John have
            for marker in self._said(self.keys[word]):
                value, span = held.get(marker.feature, (None, None))
                others = (other for other in self.outer if other != word)
                if marker.feature in held and not same_value(value, marker.value):
                    if not all(map(self._beside_verb, others)):
                        continue
                    return self.conflict(marker.feature, (value, marker.value), (span, (word, word + 1)))
        return None

    def comment(self) -> Refusal | None:
        """A clause about the clause: `this is a lie`, `it is false that`."""
        for word, following in zip(self.outer, self.outer[1:], strict=False):
            if following != word + 1 or self.keys[word] not in english("comment"):
                continue
            if self.keys[following] in {*english("finite_be"), "'s"} or stem_of(
                self.keys[following]
            ) in english("modal"):
                feature = open_feature(self.pattern)
                value, span = self.values({*range(len(self.keys))} - {*self.outer}).get(feature, (None, None))
                end = max(other for other in self.outer if other >= word)
                return self.conflict(feature, (value, None), (span, (word, end + 1)))
        return None

    def added_noun(self) -> Refusal | None:
        """`24 loaves and books`, `John and Mary have`: what stands in the slot before, once more."""
        for gap in range(1, len(self.pattern.slots) + 1):
            left = self.alignment.left(gap)
            filled = self.alignment.slots[gap - 1]
            if len(left) < 2 or filled is None or left[0] != filled[1] or left[-1] - left[0] >= len(left):
                continue
            joined = self.keys[left[0]] in english("conjunction") and is_nominal(self.keys[left[-1]])
            if joined and all(is_nominal(self.keys[w]) or determiner_class(self.keys[w]) for w in left[1:]):
                if refusal := self._second_noun(left[-1], gap - 1):
                    return refusal
        return None

    def unknown_inside(self) -> Refusal | None:
        """A word between the slots, or a modifier before the first, that nothing taught accounts for."""
        pattern = self.pattern
        if len(self.outer) + len(self.inner) > len(pattern.slots):
            return None  # more is left over than is there: another shape
        for gap in range(1, len(pattern.slots)):
            if left := self.alignment.left(gap):
                named = next((w for w in left if self.keys[w] not in english("conjunction")), left[0])
                # Between the verb and what follows it a second verb belongs to the group, the rest to the next slot.
                verbal = gap == pattern.verb or any(
                    verb_readings(self.keys[w]) and not is_nominal(self.keys[w]) for w in left
                )
                grouped = pattern.verb is not None and gap in (pattern.verb, pattern.verb + 1)
                feature = open_feature(pattern) if grouped and verbal else pattern.slots[gap].feature
                return lacking(self.given, feature, named)
        left = self.alignment.left(0)
        if left and not self.alignment.left(len(pattern.slots)):
            kinds = {
                *english("determiner"),
                *english("not_nominal"),
                *english("singular_determiner"),
                *english("plural_determiner"),
            }
            if all(
                is_nominal(self.keys[w]) or self.keys[w] in kinds or determiner_class(self.keys[w])
                for w in left
            ):
                return lacking(self.given, pattern.slots[0].feature, left[0])
        return None

    def nominal(self) -> Refusal | None:
        """`alleged possession of 5 apples`: a noun names a taught value, and what it is of stands after it."""
        pattern, verb = self.pattern, self.pattern.verb
        if verb is None or any(self.alignment.slots[i] is None for i in range(verb + 1, len(pattern.slots))):
            return None
        following = self.alignment.slots[verb + 1] if verb + 1 < len(pattern.slots) else None
        if following is None or self.alignment.left(len(pattern.slots)):
            return None
        named = {normal_form(m.value) for m in pattern.markers if isinstance(m.value, str)}
        named |= {m.parts[0].stem or "" for m in pattern.markers if m.place == "group"}
        for word in range(max(0, following[0] - 2), following[0]):
            between = self.keys[word + 1 : following[0]]
            if not named & {self.keys[word], *noun_lemmas(self.keys[word])} or not is_head(self.keys[word]):
                continue
            if not between or between[0] in english("preposition"):
                unknown = [w for w in range(word) if not determiner_class(self.keys[w])]
                if unknown:
                    return lacking(self.given, open_feature(pattern), unknown[0])
                return lacking(self.given, pattern.slots[0].feature, None)
        return None

    def unread(self) -> Refusal | None:
        """Nothing is wrong but words that stand in the place of a marker; the first is named."""
        unread = self.alignment.unread
        if not unread or len(unread) < self.alignment.cost:
            return None
        return lacking(self.given, unread[0][1], unread[0][0])

    def unmarked(self) -> Refusal | None:
        """Only the marker of a feature is missing; what stands in its place is named."""
        gap, (kind, feature) = self.alignment.owed[0]
        left = self.alignment.left(gap)
        if len(self.alignment.owed) > 1 or kind != "mark" or len(left) < len({*self.outer, *self.inner}):
            return None
        if self.pattern.default(feature) is not None or len(left) > 1:
            return None
        return lacking(self.given, feature, left[0] if left else None)

    def missing(self) -> Refusal | None:
        """One slot, not the verb's, has nothing to fill it; what stands there instead is named."""
        missing, pattern = self.alignment.missing, self.pattern
        if len(missing) != 1 or missing[0] == pattern.verb or len(pattern.slots) < 2:
            return None
        index = missing[0]
        beside = [*self.alignment.left(index), *self.alignment.left(index + 1)]
        if {*self.outer, *self.inner} - {*beside}:
            return None
        return lacking(self.given, pattern.slots[index].feature, beside[0] if beside else None)


def refuse(
    given: Sentence, pattern: Pattern, alignment: Alignment, nearest: tuple[NearPattern, ...]
) -> Refusal:
    """The reason why an alignment that leaves something over is no reading."""
    case = _Diagnosis(given, pattern, alignment)
    left = sorted([*case.outer, *case.inner])
    shape = ShapeRefusal(
        nearest=nearest,
        token=given.words[left[0]].text if left else None,
        span=given.token_span(left[0], left[0] + 1) if left else None,
    )
    if refusal := case.unread():
        return refusal
    if alignment.missing:
        return case.nominal() or case.missing() or shape
    if alignment.owed:
        return case.unmarked() or shape  # a word that every taught sentence has is missing
    return (
        case.alternatives()
        or case.second_number()
        or case.added_noun()
        or case.second_verb()
        or case.second_marker()
        or case.comment()
        or case.unknown_inside()
        or shape
    )
