"""What teaching leaves behind: shapes of slots and gaps, markers, defaults; frozen and in one canonical form."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from recognition._terms import Morph, Sentence, sentence
from recognition.outcome import FeatureBundle, FeatureEvidence, JSONValue
from recognition.tokens import Token

__all__ = [
    "Default",
    "DerivedRecognizer",
    "Marker",
    "Pattern",
    "Slot",
    "TaughtExample",
    "TeachingError",
    "canonical_json",
    "teaching_set_id",
]

Item = tuple[str, str]


class TeachingError(ValueError):
    """Teaching that cannot be learned; `code` is stable, the message names example, feature and span.

    Of the readers: `bad_record`, `bad_notation`, `duplicate_name`, `span_out_of_range`, `span_in_token`. Of learning:
    `empty_teaching`, `missing_feature`, `no_slot`, `overlap`, `evidence_value` (a value doesn't follow from its
    evidence), `contradiction` (a marker, or its absence, says two things), `not_returned` (an example would not be
    read as taught).
    """

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code


def canonical_json(value: Any) -> str:
    """JSON with sorted keys and without spaces: the form that is hashed and compared."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), sort_keys=True, allow_nan=False)


@dataclass(frozen=True, slots=True)
class TaughtExample:
    """A sentence and the bundle a teacher gives for it, evidence in tokens."""

    tokens: tuple[Token, ...]
    bundle: FeatureBundle

    @property
    def sentence(self) -> Sentence:
        return sentence(self.tokens)

    @property
    def text(self) -> str:
        return self.sentence.text

    def as_dict(self) -> dict[str, Any]:
        """The canonical record, blind to how wide the spaces between the tokens are."""
        given = self.sentence
        features: dict[str, Any] = {}
        for feature in self.bundle:
            if isinstance(feature.evidence, FeatureEvidence):
                start, end = feature.evidence.start, feature.evidence.end
                features[feature.name] = {"value": feature.value, "evidence": [start, end]}
            else:
                features[feature.name] = {"value": feature.value, "absent": True}
        tokens = [[token.start, token.end] for token in given.tokens]
        return {"text": given.text, "tokens": tokens, "features": features}


@dataclass(frozen=True, slots=True)
class Slot:
    """A place of a shape whose words give a feature's value by `rule`.

    Attributes:
        constant: the one value taught, in a tuple; empty where taught values differ.
        longest: the most words it may have.
        phrases: taught fillings that are no plain noun phrase, as keys joined by a space.
        measures: what follows the number in fillings that begin with any: words, as keys joined by a space, or `*`
            for any noun (`12 dollars`, `5 minutes`).
        leads: determiners that began taught fillings, and may begin any (`the clinic`, `our school`).
        joints: keys of words that stood between noun phrases inside a taught filling (`packs of gum`).
        open: whether noun phrases that were not taught fill it; else its words are a closed list.
        others: rules that fit all taught fillings as well; a filling for which they disagree is none.
    """

    feature: str
    rule: str
    constant: tuple[JSONValue, ...]
    longest: int
    phrases: tuple[str, ...]
    measures: tuple[str, ...]
    leads: tuple[str, ...]
    joints: tuple[str, ...]
    open: bool
    others: tuple[str, ...]

    def as_dict(self) -> dict[str, Any]:
        return {
            "feature": self.feature,
            "rule": self.rule,
            "constant": list(self.constant),
            "longest": self.longest,
            "phrases": list(self.phrases),
            "measures": list(self.measures),
            "leads": list(self.leads),
            "joints": list(self.joints),
            "open": self.open,
            "others": list(self.others),
        }


@dataclass(frozen=True, slots=True)
class Marker:
    """Morphs that go with a value wherever taught.

    Attributes:
        place: `group` (the verb group), `gap:<n>` or `slot:<feature>`.
    """

    feature: str
    value: JSONValue
    parts: tuple[Morph, ...]
    place: str

    def __str__(self) -> str:
        return " ".join(map(str, self.parts))

    def as_dict(self) -> dict[str, Any]:
        return {
            "feature": self.feature,
            "value": self.value,
            "parts": [[part.stem, part.inflection] for part in self.parts],
            "place": self.place,
        }


@dataclass(frozen=True, slots=True)
class Default:
    """The value of a feature where no marker of it stands in scope."""

    feature: str
    value: JSONValue

    def as_dict(self) -> dict[str, Any]:
        return {"feature": self.feature, "value": self.value}


@dataclass(frozen=True, slots=True)
class Pattern:
    """A taught shape: gap, slot, gap, ..., slot, gap.

    Attributes:
        slots: in the order of the text.
        gaps: for each gap the rows that may fill it: ("word", key), ("class", name of a class of determiners) or
            ("mark", feature) for a marker; around the verb the markers, and `do`, are left out.
        verb: the index of the slot that holds the verb, or None.
        forms: the forms taught for the verb group that are evidence of nothing.
        stems: stems of markers before and after the verb.
        markers, defaults: of the features that are no slots.
        compiled: what reading makes of the shape at first use; no part of it.
    """

    slots: tuple[Slot, ...]
    gaps: tuple[tuple[tuple[Item, ...], ...], ...]
    verb: int | None
    forms: tuple[str, ...]
    stems: tuple[tuple[str, ...], tuple[str, ...]]
    markers: tuple[Marker, ...]
    defaults: tuple[Default, ...]
    compiled: list[Any] = field(default_factory=list, init=False, repr=False, compare=False)

    def __str__(self) -> str:
        parts: list[str] = []
        for index, gap in enumerate(self.gaps):
            if gap != ((),):
                rows = [
                    " ".join(word if kind == "word" else f"<{word}>" for kind, word in row) for row in gap
                ]
                parts.append(f"({'|'.join(rows)})")
            if index < len(self.slots):
                slot = self.slots[index]
                value = f"={slot.constant[0]}" if slot.constant else ""
                parts.append(f"{{{slot.feature}:{slot.rule}{value}}}")
        return " ".join(parts)

    @property
    def features(self) -> tuple[str, ...]:
        """The names of all features, sorted."""
        names = {slot.feature for slot in self.slots} | {m.feature for m in self.markers}
        return tuple(sorted(names | {default.feature for default in self.defaults}))

    def default(self, feature: str) -> Default | None:
        return next((default for default in self.defaults if default.feature == feature), None)

    def as_dict(self) -> dict[str, Any]:
        return {
            "slots": [slot.as_dict() for slot in self.slots],
            "gaps": [[[list(item) for item in row] for row in gap] for gap in self.gaps],
            "verb": self.verb,
            "forms": list(self.forms),
            "stems": [list(stems) for stems in self.stems],
            "markers": [marker.as_dict() for marker in self.markers],
            "defaults": [default.as_dict() for default in self.defaults],
        }


@dataclass(frozen=True, slots=True)
class DerivedRecognizer:
    """What `derive_recognizer` makes of taught examples.

    Attributes:
        teaching_set_id: SHA-256 of the canonical examples.
        parents: ids of the teaching sets that this one grew from, oldest first.
        examples: the taught examples in canonical order.
        patterns: the shapes learned, in canonical order.
    """

    teaching_set_id: str
    parents: tuple[str, ...]
    examples: tuple[TaughtExample, ...]
    patterns: tuple[Pattern, ...]

    @property
    def features(self) -> tuple[str, ...]:
        """The names of the features of every bundle, sorted."""
        return self.examples[0].bundle.names

    def as_dict(self) -> dict[str, Any]:
        return {
            "teaching_set_id": self.teaching_set_id,
            "parents": list(self.parents),
            "examples": [example.as_dict() for example in self.examples],
            "patterns": [pattern.as_dict() for pattern in self.patterns],
        }


def teaching_set_id(examples: Sequence[TaughtExample]) -> str:
    """SHA-256 over the examples, blind to order and duplicates."""
    records = sorted({canonical_json(example.as_dict()) for example in examples})
    return hashlib.sha256(f"[{','.join(records)}]".encode(errors="surrogatepass")).hexdigest()
