"""An answer as the scoring sees it, whichever arm gave it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What was said to one prompt, and what is known of how it came about.

    Attributes:
        surface: all that is said.
        sentences: the surface, sentence by sentence, each with the ids of the evidence it cites.
        citations: ids of the evidence, each once.
        intent: the intent read from the prompt; None where the arm reads none.
        refusal: code of the refusal, None for an answer.
        walk: words that a walk stood on, in order; None where nothing was walked.
        regions_built: regions built for this turn.
        constrained: whether a region narrowed the walk.
        exhausted: whether a region left no word to walk on.
        versor_condition: the largest |F ~F - 1| of the turn; None where nothing was measured.
        trace_hash: of the turn; None where there was no turn.
        region: label and admissible word indices of the turn's region, None where none was built.
    """

    surface: str
    sentences: tuple[tuple[str, tuple[str, ...]], ...]
    citations: tuple[str, ...] = ()
    intent: str | None = None
    refusal: str | None = None
    walk: tuple[str, ...] | None = None
    regions_built: int = 0
    constrained: bool = False
    exhausted: bool = False
    versor_condition: float | None = None
    trace_hash: str | None = None
    region: tuple[str, tuple[int, ...] | None] | None = None

    @property
    def answered(self) -> bool:
        """Whether this is an answer."""
        return self.refusal is None

    @property
    def walked(self) -> bool:
        """Whether a walk was taken."""
        return self.walk is not None
