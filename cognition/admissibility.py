"""Which words a walk may stand on, and the honest end of a walk that may stand on none."""

from __future__ import annotations

from dataclasses import dataclass

from cga.backend import Attempt, Blade

UNCONSTRAINED = "graph:unconstrained"


@dataclass(frozen=True, slots=True, kw_only=True)
class AdmissibilityRegion:
    """A set of admissible words, and the relation blades that the inner loop of a walk scores words by.

    Attributes:
        allowed_indices: ascending word indices; None admits the whole vocabulary. An empty tuple admits none
            and stays empty under intersection.
        relation_blade: one to three words that span the region's blade; None leaves it to the set alone. A blade
            rejects nothing by itself: it takes an inner loop (`RuntimeConfig.inner_loop`).
        frame_versor: (start, end) words whose transition rotor carries the blade; None leaves it in place.
        label: ``graph:`` and the ids of the roots it was built from, or `UNCONSTRAINED`.
        source: what built it.
        also: blades that came in by intersection.
    """

    allowed_indices: tuple[int, ...] | None
    relation_blade: tuple[int, ...] | None = None
    frame_versor: tuple[int, int] | None = None
    label: str
    source: str
    also: tuple[Blade, ...] = ()

    @property
    def is_unconstrained(self) -> bool:
        """Whether every word is admissible."""
        return self.allowed_indices is None

    @property
    def blades(self) -> tuple[Blade, ...]:
        """All blades, each once, in an order that does not depend on how they came together."""
        own = () if self.relation_blade is None else (Blade(self.relation_blade, self.frame_versor),)
        return tuple(sorted({*own, *self.also}, key=lambda blade: (blade.anchors, blade.frame or ())))

    def admits(self, index: int) -> bool:
        """Whether the word may be stood on."""
        return self.allowed_indices is None or index in self.allowed_indices

    def intersect(self, other: AdmissibilityRegion) -> AdmissibilityRegion:
        """What both admit, by set and by blade. Never widens: an empty intersection stays empty."""
        if self.is_unconstrained and not self.blades:
            return other
        if other.is_unconstrained and not other.blades:
            return self
        allowed = self.allowed_indices if self.allowed_indices is not None else other.allowed_indices
        if self.allowed_indices is not None and other.allowed_indices is not None:
            theirs = frozenset(other.allowed_indices)
            allowed = tuple(i for i in self.allowed_indices if i in theirs)
        first = self if self.relation_blade is not None else other
        return AdmissibilityRegion(
            allowed_indices=allowed,
            relation_blade=first.relation_blade,
            frame_versor=first.frame_versor,
            label=f"{self.label}&{other.label}",
            source=f"{self.source}&{other.source}",
            also=tuple(dict.fromkeys((*self.blades, *other.blades))),
        )


class InnerLoopExhaustion(Exception):
    """A walk that no admissible word is left for. Never widened, never worked around.

    Attributes:
        reason: ``no_candidate_before_walk``; or ``all_rejected``, where the inner loop rejected every open word.
        label: of the region and of the filters that are not at their default.
        step: -1 before the first step, else the step that found no word, counted from 0.
        rejected: indices of the words that were rejected in that step.
        attempts: the words rejected in each step up to that one, with what they scored and what they needed.
    """

    def __init__(
        self,
        *,
        reason: str,
        label: str,
        step: int,
        rejected: tuple[int, ...] = (),
        attempts: tuple[tuple[Attempt, ...], ...] = (),
    ) -> None:
        self.reason, self.label, self.step = reason, label, step
        self.rejected, self.attempts = rejected, attempts
        by = f": the inner loop rejected {len(rejected)}" if reason == "all_rejected" else ""
        super().__init__(f"AdmissibilityRegion[{label}] left no walk candidates (step {step}){by}")
