"""What recognition gives back: a bundle with evidence for every feature, or one typed reason why there is none.

Spans are half-open. They count tokens of the input; `FeatureEvidence.characters` turns them into characters.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, TypeAlias

from recognition.tokens import Token

__all__ = [
    "AMBIGUOUS",
    "CONTRADICTED",
    "DECODED",
    "EVIDENCED",
    "REFUSALS",
    "UNDETERMINED",
    "UNVERIFIED_NOVEL",
    "UNVERIFIED_POSSIBLE",
    "VERIFIED",
    "AmbiguityRefusal",
    "EmptyInputRefusal",
    "Feature",
    "FeatureBundle",
    "FeatureConsistencyRefusal",
    "FeatureEvidence",
    "FeatureEvidenceRefusal",
    "JSONValue",
    "LengthRefusal",
    "NearPattern",
    "NegativeEvidence",
    "RecognitionOutcome",
    "RecognitionProvenance",
    "Refusal",
    "ShapeRefusal",
]

EVIDENCED = "evidenced"
UNDETERMINED = "undetermined"
CONTRADICTED = "contradicted"
AMBIGUOUS = "ambiguous"
VERIFIED = "verified"
DECODED = "decoded"
UNVERIFIED_POSSIBLE = "unverified_possible"
UNVERIFIED_NOVEL = "unverified_novel"

JSONValue: TypeAlias = str | int | float | bool | None


@dataclass(frozen=True, slots=True, order=True)
class FeatureEvidence:
    """The tokens `start:end` from which a value follows by `rule`.

    Attributes:
        start, end: half-open, in tokens.
        rule: `number`, `text`, `noun`, `verb` or `marker`; empty where a teacher gave the span. Not compared.
    """

    start: int
    end: int
    rule: str = field(default="", compare=False)

    def __post_init__(self) -> None:
        if not 0 <= self.start < self.end:
            raise ValueError(f"evidence: [{self.start}, {self.end}) is no span of tokens")

    def characters(self, tokens: Sequence[Token]) -> tuple[int, int]:
        """The span in characters of the text that the tokens came from, half-open."""
        return tokens[self.start].start, tokens[self.end - 1].end

    def as_dict(self) -> dict[str, Any]:
        return {"span": [self.start, self.end]} | ({"rule": self.rule} if self.rule else {})


@dataclass(frozen=True, slots=True)
class NegativeEvidence:
    """A value that holds because no marker of another one stands in the scope.

    Attributes:
        scope: the tokens searched, half-open; None where a teacher said only that nothing marks the value.
        markers: what was looked for and not found.
    """

    scope: tuple[int, int] | None = None
    markers: tuple[str, ...] = ()

    def as_dict(self) -> dict[str, Any]:
        if self.scope is None:
            return {"absent": True}
        return {"absent": True, "scope": list(self.scope), "markers": list(self.markers)}


@dataclass(frozen=True, slots=True)
class Feature:
    """A named value and what it follows from."""

    name: str
    value: JSONValue
    evidence: FeatureEvidence | NegativeEvidence

    def as_dict(self) -> dict[str, Any]:
        return {"value": self.value, "evidence": self.evidence.as_dict()}


@dataclass(frozen=True, slots=True)
class FeatureBundle:
    """Features by name, in the order of their names.

    Raises:
        ValueError: a name stands twice.
    """

    features: tuple[Feature, ...]

    def __post_init__(self) -> None:
        names = [feature.name for feature in self.features]
        if len(set(names)) < len(names):
            twice = sorted(name for name in set(names) if names.count(name) > 1)
            raise ValueError(f"feature bundle: {', '.join(twice)}: twice")
        object.__setattr__(self, "features", tuple(sorted(self.features, key=lambda feature: feature.name)))

    def get(self, name: str) -> Feature | None:
        """The feature of this name, or None."""
        return next((feature for feature in self.features if feature.name == name), None)

    def __getitem__(self, name: str) -> Feature:
        found = self.get(name)
        if found is None:
            raise KeyError(name)
        return found

    def __iter__(self) -> Iterator[Feature]:
        return iter(self.features)

    def __len__(self) -> int:
        return len(self.features)

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(feature.name for feature in self.features)

    @property
    def values(self) -> dict[str, JSONValue]:
        """Name -> value."""
        return {feature.name: feature.value for feature in self.features}

    @property
    def spans(self) -> dict[str, tuple[int, int] | None]:
        """Name -> span in tokens, None where the value holds by absence."""
        return {
            f.name: (f.evidence.start, f.evidence.end) if isinstance(f.evidence, FeatureEvidence) else None
            for f in self.features
        }

    def as_dict(self) -> dict[str, Any]:
        return {feature.name: feature.as_dict() for feature in self.features}


@dataclass(frozen=True, slots=True, kw_only=True)
class NearPattern:
    """A taught shape and how many tokens and slots the input is away from it."""

    pattern: str
    distance: int

    def as_dict(self) -> dict[str, Any]:
        return {"pattern": self.pattern, "distance": self.distance}


@dataclass(frozen=True, slots=True, kw_only=True)
class EmptyInputRefusal:
    """Nothing visible was given."""

    code: ClassVar[str] = "empty_input"
    layer: ClassVar[int] = 0
    state: ClassVar[str] = UNDETERMINED

    def as_dict(self) -> dict[str, Any]:
        return {"code": self.code}


@dataclass(frozen=True, slots=True, kw_only=True)
class LengthRefusal:
    """More tokens than the cap."""

    code: ClassVar[str] = "input_length"
    layer: ClassVar[int] = 0
    state: ClassVar[str] = UNDETERMINED
    tokens: int
    limit: int

    def as_dict(self) -> dict[str, Any]:
        return {"code": self.code, "tokens": self.tokens, "limit": self.limit}


@dataclass(frozen=True, slots=True, kw_only=True)
class ShapeRefusal:
    """Layer 1: no taught shape; the nearest ones, nearest first, and the first token that fits none if there is one."""

    code: ClassVar[str] = "shape"
    layer: ClassVar[int] = 1
    state: ClassVar[str] = UNDETERMINED
    nearest: tuple[NearPattern, ...]
    token: str | None = None
    span: tuple[int, int] | None = None

    def as_dict(self) -> dict[str, Any]:
        return {
            "code": self.code,
            "nearest": [near.as_dict() for near in self.nearest],
            "token": self.token,
            "span": list(self.span) if self.span else None,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class FeatureEvidenceRefusal:
    """Layer 2: the shape fits, but a feature has no evidence, or a token is not in the taught vocabulary."""

    code: ClassVar[str] = "feature_evidence"
    layer: ClassVar[int] = 2
    state: ClassVar[str] = UNDETERMINED
    feature: str
    token: str | None = None
    span: tuple[int, int] | None = None

    def as_dict(self) -> dict[str, Any]:
        span = list(self.span) if self.span else None
        return {"code": self.code, "feature": self.feature, "token": self.token, "span": span}


@dataclass(frozen=True, slots=True, kw_only=True)
class FeatureConsistencyRefusal:
    """Layer 3: two spans disagree on one feature; a span of None is a value by absence or one not read."""

    code: ClassVar[str] = "feature_consistency"
    layer: ClassVar[int] = 3
    state: ClassVar[str] = CONTRADICTED
    feature: str
    values: tuple[JSONValue, ...]
    spans: tuple[tuple[int, int] | None, ...]

    def as_dict(self) -> dict[str, Any]:
        return {
            "code": self.code,
            "feature": self.feature,
            "values": list(self.values),
            "spans": [list(span) if span else None for span in self.spans],
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class AmbiguityRefusal:
    """Two different complete readings, or more."""

    code: ClassVar[str] = "ambiguity"
    layer: ClassVar[int] = 4
    state: ClassVar[str] = AMBIGUOUS
    readings: tuple[FeatureBundle, ...]

    def as_dict(self) -> dict[str, Any]:
        return {"code": self.code, "readings": [reading.as_dict() for reading in self.readings]}


Refusal: TypeAlias = (
    EmptyInputRefusal
    | LengthRefusal
    | ShapeRefusal
    | FeatureEvidenceRefusal
    | FeatureConsistencyRefusal
    | AmbiguityRefusal
)
REFUSALS: Mapping[str, type] = {kind.code: kind for kind in Refusal.__args__}


@dataclass(frozen=True, slots=True, kw_only=True)
class RecognitionProvenance:
    """Which teaching an outcome rests on, and which shape of it the input took (None in a refusal)."""

    teaching_set_id: str
    pattern: str | None = None

    def as_dict(self) -> dict[str, Any]:
        return {"teaching_set_id": self.teaching_set_id, "pattern": self.pattern}


@dataclass(frozen=True, slots=True, kw_only=True)
class RecognitionOutcome:
    """One of: a complete bundle in state `evidenced`, or one refusal in the state that belongs to it.

    Raises:
        ValueError: both or neither are given, or the state is another.
    """

    state: str
    proposition: FeatureBundle | None
    refusal_reason: Refusal | None
    provenance: RecognitionProvenance

    def __post_init__(self) -> None:
        if (self.proposition is None) == (self.refusal_reason is None):
            raise ValueError("outcome: needs a proposition or a refusal, and not both")
        expected = EVIDENCED if self.refusal_reason is None else self.refusal_reason.state
        if self.state != expected:
            raise ValueError(f"outcome: state {self.state!r}, expected {expected!r}")

    @property
    def admitted(self) -> bool:
        """Whether there is a bundle, with evidence on every feature."""
        return self.proposition is not None

    def as_dict(self) -> dict[str, Any]:
        return {
            "state": self.state,
            "proposition": self.proposition.as_dict() if self.proposition else None,
            "refusal_reason": self.refusal_reason.as_dict() if self.refusal_reason else None,
            "provenance": self.provenance.as_dict(),
        }
