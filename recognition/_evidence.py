"""From an alignment to a bundle: the verb group is checked, markers are found, every feature gets its evidence."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

from recognition._align import Alignment
from recognition._plan import KEPT, Plan, make_room, plan_of
from recognition._recognizer import Marker, Pattern
from recognition._terms import Morph, Sentence, english, fits, gap_morphs, same_value, stem_of
from recognition._verbs import finite, finite_form, finite_place, group_morph, singular
from recognition.outcome import (
    Feature,
    FeatureBundle,
    FeatureConsistencyRefusal,
    FeatureEvidence,
    FeatureEvidenceRefusal,
    NegativeEvidence,
)

__all__ = ["Found", "Group", "found_markers", "lacking", "open_feature", "readings"]


class Found(NamedTuple):
    """A marker, the number `number` of its shape, at words `start:end`."""

    marker: Marker
    start: int
    end: int
    number: int


def open_feature(pattern: Pattern) -> str:
    """The feature that an unknown word of the clause leaves open.

    Of those that hold by absence, the one for which the most markers are taught: its list is the least closed.
    """
    counted = {
        d.feature: len({str(m) for m in pattern.markers if m.feature == d.feature}) for d in pattern.defaults
    }
    if counted:
        return min(counted, key=lambda feature: (-counted[feature], feature))
    return pattern.features[0]


class Group:
    """The verb group of an alignment: the words of the gaps around the verb, and the verb."""

    def __init__(self, given: Sentence, pattern: Pattern, alignment: Alignment) -> None:
        self.given, self.pattern, self.alignment = given, pattern, alignment
        verb = pattern.verb
        self.verb = alignment.slots[verb] if verb is not None else None
        self.before = self._words(verb) if verb is not None else []
        self.after = self._words(verb + 1) if verb is not None else []
        row = alignment.gaps[verb] if verb is not None else ()
        self.lead_words = [word for word, status in row if status != "left"]
        self.lead = [given.words[word].key for word in self.lead_words]

    def _words(self, gap: int) -> list[int]:
        return [word for word, status in self.alignment.gaps[gap] if status == "accounted"]

    def _keys(self, words: list[int]) -> list[str]:
        return [self.given.words[word].key for word in words]

    def forms(self) -> tuple[str | None, ...]:
        """The forms in which the verb can stand here; (None,) without a verb, or where none fits."""
        if self.verb is None:
            return (None,)
        start, _, lemma = self.verb
        return finite(self.lead, self.given.words[start].key, lemma, self._subject()) or (None,)

    def _subject(self) -> str:
        """The key of the last word of the slot before the verb."""
        filled = self.alignment.slots[self.pattern.verb - 1] if self.pattern.verb else None
        return self.given.words[filled[1] - 1].key if filled else ""

    def fault(self, form: str | None, found: Sequence[Found]) -> int | None:
        """The first word that English does not allow where it stands, or None.

        So is one whose inflection was taught as evidence alone, and is in no marker of `found`.
        """
        if self.verb is None:
            return None
        keys = self._keys(self.before)
        supports = [
            i for i, key in enumerate(keys) if stem_of(key) in english("modal") or key in english("support")
        ]
        if supports and (supports != [0]):
            return self.before[supports[1] if supports[0] == 0 else supports[0]]
        for index, key in enumerate(keys):
            if stem_of(key) not in english("after_finite"):
                continue
            previous = self.given.words[self.before[index] - 1].key if self.before[index] else ""
            auxiliary = group_morph(previous).inflection in ("PRES", "PAST") and previous in self.lead
            if not (supports and index == 1) and not auxiliary:
                return self.before[index]
        if supports and self.after:
            return self.after[0]
        for words in (self.before, self.after, self.before + self.after):
            stems: set[str] = set()
            for word in words:
                stem = stem_of(self.given.keys[word])
                if stem in stems:
                    return word
                stems.add(stem)
        start, _, lemma = self.verb
        place = finite_place(self.lead)
        at = start if place is None else self.lead_words[place]
        covered = {word for hit in found for word in range(hit.start, hit.end)}
        free = ("MODAL", *self.pattern.forms)
        if finite_form(self.lead, form) not in free and at not in covered:
            return at
        if form in ("PART", "GER") and form not in free and start not in covered:
            return start
        return None if finite(self.lead, self.given.words[start].key, lemma, self._subject()) else start


def placed_morphs(
    given: Sentence, pattern: Pattern, alignment: Alignment, form: str | None
) -> dict[int, tuple[str, tuple[Morph, ...]]]:
    """For each word its place, as markers name places, and its readings there."""
    placed: dict[int, tuple[str, tuple[Morph, ...]]] = {}
    group = () if pattern.verb is None else (pattern.verb, pattern.verb + 1)
    for gap, row in enumerate(alignment.gaps):
        for word, _ in row:
            key = given.words[word].key
            placed[word] = (
                ("group", (group_morph(key),)) if gap in group else (f"gap:{gap}", gap_morphs(key, False))
            )
    for index, slot in enumerate(alignment.slots):
        if slot is None:
            continue
        for word in range(slot[0], slot[1]):
            if index == pattern.verb:
                placed[word] = ("group", (Morph(str(slot[2]), form),))
            else:
                place = f"slot:{pattern.slots[index].feature}"
                placed[word] = (place, gap_morphs(given.words[word].key, True))
    return placed


def _standing(plan: Plan, placed: dict[int, tuple[str, tuple[Morph, ...]]]) -> list[Found]:
    """The markers among words with a place, left to right; of a feature none that is a part of a longer one."""
    found: list[Found] = []
    for word in sorted(placed):
        place, morphs = placed[word]
        if place not in plan.placed:
            continue
        for number, marker in plan.beginning(place, morphs):
            parts = marker.parts
            inside = [placed.get(word + index, ("", ())) for index in range(1, len(parts))]
            if all(
                there == place and fits(part, held)
                for part, (there, held) in zip(parts[1:], inside, strict=True)
            ):
                found.append(Found(marker, word, word + len(parts), number))
    return [hit for hit in found if not any(_inside(hit, other) for other in found)] if plan.long else found


def _inside(hit: Found, other: Found) -> bool:
    """Whether a marker is a part of a longer one of its feature."""
    return (
        hit.marker.feature == other.marker.feature
        and other.start <= hit.start
        and hit.end <= other.end
        and hit.end - hit.start < other.end - other.start
    )


def found_markers(given: Sentence, pattern: Pattern, alignment: Alignment, form: str | None) -> list[Found]:
    """Every marker that stands where it was taught to stand, left to right."""
    return _standing(plan_of(pattern), placed_morphs(given, pattern, alignment, form))


def _uncovered(
    given: Sentence,
    pattern: Pattern,
    alignment: Alignment,
    gaps: Iterable[int],
    found: Iterable[Found],
    offset: int = 0,
) -> int | None:
    """The first word of some gaps taken for a marker's that is no part of a whole one, save the support of `do`."""
    covered = {word + offset for hit in found for word in range(hit.start, hit.end)}
    for gap in gaps:
        for word, status in alignment.gaps[gap]:
            support = gap == pattern.verb and given.keys[word] in english("support")
            if status == "accounted" and word not in covered and not support:
                return word
    return None


def lacking(given: Sentence, feature: str, word: int | None) -> FeatureEvidenceRefusal:
    """Layer 2, on a word or on none."""
    if word is None:
        return FeatureEvidenceRefusal(feature=feature)
    return FeatureEvidenceRefusal(
        feature=feature, token=given.words[word].text, span=given.token_span(word, word + 1)
    )


class _GroupReading(NamedTuple):
    """What a verb group says, in words counted from its first.

    `fault` is a word that English does not allow where it stands, `bare` one that is part of no marker. `first` has
    the first marker of each feature, `clash` two that disagree.
    """

    fault: int | None
    bare: int | None
    hits: tuple[Found, ...]
    first: dict[str, Found]
    clash: tuple[Found, Found] | None


def _read_group(
    given: Sentence, pattern: Pattern, alignment: Alignment, gaps: range, first: int
) -> tuple[_GroupReading, ...]:
    group = Group(given, pattern, alignment)
    made: list[_GroupReading] = []
    for form in group.forms():
        placed = placed_morphs(given, pattern, alignment, form)
        inside = {word: held for word, held in placed.items() if held[0] == "group"}
        standing = _standing(plan_of(pattern), inside)
        hits = [Found(hit.marker, hit.start - first, hit.end - first, hit.number) for hit in standing]
        fault = group.fault(form, standing)
        bare = _uncovered(given, pattern, alignment, gaps, hits, first)
        made.append(
            _GroupReading(
                None if fault is None else fault - first,
                None if bare is None else bare - first,
                tuple(hits),
                *_by_feature(hits),
            )
        )
    return tuple(made)


def _by_feature(hits: Iterable[Found]) -> tuple[dict[str, Found], tuple[Found, Found] | None]:
    """The first marker of each feature, and of the first feature by name with two values the two markers."""
    first: dict[str, Found] = {}
    clash: dict[str, tuple[Found, Found]] = {}
    for hit in hits:
        held = first.setdefault(hit.marker.feature, hit)
        if not same_value(held.marker.value, hit.marker.value):
            clash.setdefault(hit.marker.feature, (held, hit))
    return first, clash[min(clash)] if clash else None


_NO_GROUP = _GroupReading(None, None, (), {}, None)


class _Prover:
    """An alignment that costs nothing."""

    def __init__(self, given: Sentence, pattern: Pattern, alignment: Alignment) -> None:
        self.given, self.pattern, self.alignment = given, pattern, alignment
        self.plan = plan_of(pattern)
        verb = pattern.verb
        self.group = range(0) if verb is None else range(verb, verb + 2)
        self.verb = None if verb is None else alignment.slots[verb]
        self.first = 0
        if verb and (before := alignment.slots[verb - 1]):
            self.first = before[1]

    def readings(self) -> Iterator[FeatureBundle | FeatureEvidenceRefusal | FeatureConsistencyRefusal]:
        verb, filled = self.pattern.verb, self.verb
        if verb is None or filled is None:
            yield self._prove(_NO_GROUP)
            return
        # The words of a group say the same after every subject of one number.
        keys, (before, after) = self.given.keys, self.alignment.gaps[verb : verb + 2]
        lead = [keys[word] for word, _ in before]
        subject = keys[self.first - 1] if self.first else None
        told = (
            tuple(lead),
            tuple([status for _, status in before]),
            keys[filled[0]],
            filled[2],
            tuple([(keys[word], status) for word, status in after]),
            singular(subject) if subject else None,
            subject in lead and subject,
        )
        groups = self.plan.groups
        read = groups.get(told)
        if read is None:
            make_room(groups)
            read = _read_group(self.given, self.pattern, self.alignment, self.group, self.first)
            groups[told] = read
        for reading in read:
            yield self._prove(reading)

    def _elsewhere(self) -> list[Found]:
        """The markers outside the verb group."""
        placed = placed_morphs(self.given, self.pattern, self.alignment, None)
        return _standing(self.plan, {word: held for word, held in placed.items() if held[0] != "group"})

    def _prove(
        self, reading: _GroupReading
    ) -> FeatureBundle | FeatureEvidenceRefusal | FeatureConsistencyRefusal:
        """The bundle, or why a feature has no evidence or too much."""
        given, pattern, plan, offset = self.given, self.pattern, self.plan, self.first
        first, clash, others = reading.first, reading.clash, []
        if plan.elsewhere:
            others = self._elsewhere()
            hits = [
                Found(h.marker, h.start + offset, h.end + offset, h.number) for h in reading.hits
            ] + others
            offset = 0
            first, clash = _by_feature(sorted(hits, key=lambda hit: hit.start))
        if clash:
            return FeatureConsistencyRefusal(
                feature=clash[0].marker.feature,
                values=(clash[0].marker.value, clash[1].marker.value),
                spans=tuple(given.token_span(hit.start + offset, hit.end + offset) for hit in clash),
            )
        if reading.fault is not None:
            return self._at_fault(self.first + reading.fault)
        bare = self._bare(reading, others)
        if bare is not None:
            return self._at_fault(bare)
        features: list[Feature] = []
        for name, index in plan.names:
            if index is not None:
                filled = self.alignment.slots[index]
                assert filled is not None
                span = given.token_span(filled[0], filled[1])
                features.append(Feature(name, filled[2], _evidence(*span, pattern.slots[index].rule)))
            elif name in first:
                features.append(self._marked(first[name], offset))
            elif name in plan.sought:
                features.append(self._absent(name))
            else:
                return lacking(given, name, self.verb[0] if self.verb else None)
        return FeatureBundle(tuple(features))

    def _bare(self, reading: _GroupReading, others: list[Found]) -> int | None:
        """The first word that is taken for a marker's and is none, by place."""
        bare = None if reading.bare is None else self.first + reading.bare
        if not self.plan.elsewhere:
            return bare
        held = (self.given, self.pattern, self.alignment)
        before, after = range(self.group.start), range(self.group.stop, len(self.alignment.gaps))
        found = _uncovered(*held, before, others)
        if found is None:
            found = bare
        return _uncovered(*held, after, others) if found is None else found

    def _at_fault(self, word: int) -> FeatureEvidenceRefusal:
        verb = self.pattern.verb
        if verb is not None and self.verb is not None and word == self.verb[0]:
            return lacking(self.given, self.pattern.slots[verb].feature, word)
        return lacking(self.given, open_feature(self.pattern), word)

    def _marked(self, hit: Found, offset: int) -> Feature:
        span = self.given.token_span(hit.start + offset, hit.end + offset)
        told, marked = (hit.number, span), self.plan.marked
        made = marked.get(told)
        if made is None:
            make_room(marked)
            made = Feature(hit.marker.feature, hit.marker.value, _evidence(*span, "marker"))
            marked[told] = made
        return made

    def _absent(self, name: str) -> Feature:
        told, absent = (name, len(self.given.tokens)), self.plan.absent
        made = absent.get(told)
        if made is None:
            make_room(absent)
            default = self.pattern.default(name)
            assert default is not None
            scope = NegativeEvidence((0, len(self.given.tokens)), self.plan.sought[name])
            made = absent[told] = Feature(name, default.value, scope)
        return made


@lru_cache(KEPT)
def _evidence(start: int, end: int, rule: str) -> FeatureEvidence:
    return FeatureEvidence(start, end, rule)


def readings(
    given: Sentence, pattern: Pattern, alignment: Alignment
) -> Iterator[FeatureBundle | FeatureEvidenceRefusal | FeatureConsistencyRefusal]:
    """For each form in which the verb can stand, the bundle of an alignment that costs nothing, or why it is none."""
    return _Prover(given, pattern, alignment).readings()
