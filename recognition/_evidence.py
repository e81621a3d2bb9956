"""From an alignment to a bundle: the verb group is checked, markers are found, every feature gets its evidence."""

from __future__ import annotations

from dataclasses import dataclass

from recognition._align import Alignment
from recognition._recognizer import Marker, Pattern
from recognition._terms import Morph, Sentence, english, fits, gap_morphs, same_value, stem_of
from recognition._verbs import finite, finite_form, group_morph
from recognition.outcome import (
    Feature,
    FeatureBundle,
    FeatureConsistencyRefusal,
    FeatureEvidence,
    FeatureEvidenceRefusal,
    JSONValue,
    NegativeEvidence,
)

__all__ = ["Found", "Group", "found_markers", "open_feature", "prove", "unaccounted"]


@dataclass(frozen=True, slots=True)
class Found:
    """A marker at words `start:end`."""

    marker: Marker
    start: int
    end: int


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
        self.lead = [given.words[word].key for word, status in row if status != "left"]

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

    def fault(self, form: str | None) -> int | None:
        """The first word that English does not allow where it stands, or None."""
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
            stems = [stem_of(key) for key in self._keys(words)]
            for index, stem in enumerate(stems):
                if stem in stems[:index]:
                    return words[index]
        start, _, lemma = self.verb
        label = finite_form(self.lead, form)
        read = any(part.inflection == label for m in self.pattern.markers for part in m.parts)
        if label not in ("MODAL", *self.pattern.forms) and not read:
            return self.before[0] if keys and supports else start
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


def found_markers(given: Sentence, pattern: Pattern, alignment: Alignment, form: str | None) -> list[Found]:
    """Every marker that stands where it was taught to stand, left to right."""
    placed = placed_morphs(given, pattern, alignment, form)
    found: list[Found] = []
    for word in range(len(given.words)):
        for marker in pattern.markers:
            end = word + len(marker.parts)
            inside = [placed.get(index, ("", ())) for index in range(word, end)]
            if all(
                place == marker.place and fits(part, morphs)
                for part, (place, morphs) in zip(marker.parts, inside, strict=True)
            ):
                found.append(Found(marker, word, end))
    return found


def unaccounted(given: Sentence, pattern: Pattern, alignment: Alignment, found: list[Found]) -> int | None:
    """The first word taken for a marker's that is no part of a whole one, save the support of `do`."""
    covered = {word for hit in found for word in range(hit.start, hit.end)}
    for gap, row in enumerate(alignment.gaps):
        for word, status in row:
            support = gap == pattern.verb and given.words[word].key in english("support")
            if status == "accounted" and word not in covered and not support:
                return word
    return None


def _sought(pattern: Pattern, feature: str, value: JSONValue) -> tuple[str, ...]:
    return tuple(
        sorted({str(m) for m in pattern.markers if m.feature == feature and not same_value(m.value, value)})
    )


def lacking(given: Sentence, feature: str, word: int | None) -> FeatureEvidenceRefusal:
    """Layer 2, on a word or on none."""
    if word is None:
        return FeatureEvidenceRefusal(feature=feature)
    return FeatureEvidenceRefusal(
        feature=feature, token=given.words[word].text, span=given.token_span(word, word + 1)
    )


def prove(
    given: Sentence, pattern: Pattern, alignment: Alignment, form: str | None
) -> FeatureBundle | FeatureEvidenceRefusal | FeatureConsistencyRefusal:
    """The bundle of an alignment that costs nothing, or why a feature has no evidence or too much."""
    group = Group(given, pattern, alignment)
    found = found_markers(given, pattern, alignment, form)
    by_feature: dict[str, list[Found]] = {}
    for hit in found:
        by_feature.setdefault(hit.marker.feature, []).append(hit)
    for feature in sorted(by_feature):
        hits = by_feature[feature]
        other = next((h for h in hits if not same_value(h.marker.value, hits[0].marker.value)), None)
        if other:
            return FeatureConsistencyRefusal(
                feature=feature,
                values=(hits[0].marker.value, other.marker.value),
                spans=(
                    given.token_span(hits[0].start, hits[0].end),
                    given.token_span(other.start, other.end),
                ),
            )
    fault = group.fault(form)
    if fault is None:
        fault = unaccounted(given, pattern, alignment, found)
    if fault is not None:
        verb = pattern.verb
        at_verb = verb is not None and group.verb is not None and fault == group.verb[0]
        return lacking(
            given,
            pattern.slots[verb].feature if at_verb and verb is not None else open_feature(pattern),
            fault,
        )
    features: list[Feature] = []
    for index, slot in enumerate(pattern.slots):
        filled = alignment.slots[index]
        assert filled is not None
        span = given.token_span(filled[0], filled[1])
        features.append(Feature(slot.feature, filled[2], FeatureEvidence(*span, rule=slot.rule)))
    bound = {slot.feature for slot in pattern.slots}
    for name in pattern.features:
        if name in bound:
            continue
        if name in by_feature:
            hit = by_feature[name][0]
            span = given.token_span(hit.start, hit.end)
            features.append(Feature(name, hit.marker.value, FeatureEvidence(*span, rule="marker")))
            continue
        default = pattern.default(name)
        if default is None:
            return lacking(given, name, group.verb[0] if group.verb else None)
        scope = (0, len(given.tokens))
        sought = _sought(pattern, name, default.value)
        features.append(Feature(name, default.value, NegativeEvidence(scope, sought)))
    return FeatureBundle(tuple(features))
