"""Which words a walk may stand on, and the honest end of a walk that may stand on none."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

UNCONSTRAINED = "graph:unconstrained"


@dataclass(frozen=True, slots=True, kw_only=True)
class AdmissibilityRegion:
    """A set of admissible words.

    Attributes:
        allowed_indices: ascending word indices; None admits the whole vocabulary. An empty tuple admits none
            and stays empty under intersection.
        relation_blade, frame_versor: opaque handles of a backend, where a region is also given by geometry.
        label: ``graph:`` and the ids of the roots it was built from, or `UNCONSTRAINED`.
        source: what built it.
    """

    allowed_indices: tuple[int, ...] | None
    relation_blade: Any = None
    frame_versor: Any = None
    label: str
    source: str

    @property
    def is_unconstrained(self) -> bool:
        """Whether every word is admissible."""
        return self.allowed_indices is None

    def admits(self, index: int) -> bool:
        """Whether the word may be stood on."""
        return self.allowed_indices is None or index in self.allowed_indices

    def intersect(self, other: AdmissibilityRegion) -> AdmissibilityRegion:
        """The words both admit. Never widens: an empty intersection stays empty."""
        if self.allowed_indices is None:
            return other
        if other.allowed_indices is None:
            return self
        theirs = frozenset(other.allowed_indices)
        return AdmissibilityRegion(
            allowed_indices=tuple(i for i in self.allowed_indices if i in theirs),
            label=f"{self.label}&{other.label}",
            source=f"{self.source}&{other.source}",
        )


class InnerLoopExhaustion(Exception):
    """A walk that no admissible word is left for. Never widened, never worked around.

    Attributes:
        reason: ``no_candidate_before_walk`` or ``no_candidate_in_walk``.
        label: the region's label.
        step: -1 before the first step, else the step.
        rejected: indices of the words that were looked at and rejected.
    """

    def __init__(self, *, reason: str, label: str, step: int, rejected: tuple[int, ...] = ()) -> None:
        self.reason, self.label, self.step, self.rejected = reason, label, step, rejected
        super().__init__(f"AdmissibilityRegion[{label}] left no walk candidates (step {step})")
