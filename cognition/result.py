"""What a turn returns."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from cognition.admissibility import AdmissibilityRegion, InnerLoopExhaustion
from cognition.clause import ArticulationPlan
from cognition.evidence import PROMPT_ID, Evidence, Sentence
from cognition.graph import IntentTag, PropositionGraph
from cognition.inquiry import Grounding
from cognition.ratify import NOT_ASKED, Ratification
from cognition.refusal import Attempt, Refusal
from cognition.walk import GenerationResult

if TYPE_CHECKING:
    from recognition import EpistemicGraph, RecognitionOutcome


@dataclass(frozen=True, slots=True, kw_only=True)
class CognitiveTurnResult:
    """One turn: an answer with its citations, or a refusal with its reason; and the trace of both.

    Attributes:
        text: the prompt.
        intent: of the clause that was answered; UNKNOWN where the input could not be read.
        plan, graph, region, walk, grounding: what the stages made; None where the turn ended before.
        sentences: the surface, sentence by sentence, each with the ids of its evidence.
        citations: that evidence, each once, in the order it is used.
        refusal: why there is no answer, or None.
        versor_condition: the largest |F ~F - 1| measured in this turn; None where nothing was walked.
        regions_built: how many regions this turn built.
        folded: what the hash covers.
        trace_hash: SHA-256 of ``folded`` in canonical form.
        recognition: what an attached recogniser gave; None without one.
        epistemic_graph: the carrier of the recognised proposition; None unless one was admitted. In the result and
            in exported traces, not in the hash.
        ratification: what the field said of the intent; a passthrough where it was not asked.
        exhaustion: the walk that no admissible word was left for, with its attempts; None for any other.
        senses: for each slot, the sense taken and the others its surface has, by sense id.
        tried: the sources of knowledge that were consulted and fell through, in order; empty where none had to be.
        candidate: id of the item that a correction became in an attached store of teaching.
    """

    text: str
    intent: IntentTag
    plan: ArticulationPlan | None
    graph: PropositionGraph | None
    region: AdmissibilityRegion | None
    walk: GenerationResult | None
    grounding: Grounding | None
    sentences: tuple[Sentence, ...]
    citations: tuple[Evidence, ...]
    refusal: Refusal | None
    versor_condition: float | None
    regions_built: int
    folded: dict[str, Any]
    trace_hash: str
    senses: dict[str, tuple[str, tuple[str, ...]]]
    recognition: RecognitionOutcome | None = None
    epistemic_graph: EpistemicGraph | None = None
    ratification: Ratification = NOT_ASKED
    exhaustion: InnerLoopExhaustion | None = field(default=None, compare=False)
    tried: tuple[Attempt, ...] = ()
    candidate: str | None = None

    @property
    def surface(self) -> str:
        """What is said."""
        return " ".join(sentence.text for sentence in self.sentences)

    @property
    def refusal_reason(self) -> str:
        """The code of the turn's refusal; else ``recognition:<code>`` where a recogniser refused; else ""."""
        if self.refusal is not None:
            return self.refusal.code
        refused = self.recognition.refusal_reason if self.recognition is not None else None
        return f"recognition:{refused.code}" if refused is not None else ""

    @property
    def answered(self) -> bool:
        """Whether this is an answer."""
        return self.refusal is None

    def __str__(self) -> str:
        return self.surface

    def _repr_markdown_(self) -> str:
        """How a notebook shows it: what is said, each sentence with the numbers of its evidence, and the evidence."""
        numbers = {evidence.id: n for n, evidence in enumerate(self.citations, 1)}
        said = (
            sentence.text + "".join(f" [{numbers[i]}]" for i in sentence.evidence if i != PROMPT_ID)
            for sentence in self.sentences
        )
        cited = (
            f"{n}. `{e.id}` {e.text}" + (f" ({e.source}, {e.licence})" if e.source else "")
            for n, e in enumerate(self.citations, 1)
        )
        lines = [
            " ".join(said),
            "",
            *cited,
            "",
            f"`{self.refusal_reason or self.intent}` `{self.trace_hash}`",
        ]
        return "\n".join(lines)

    def as_dict(self) -> dict[str, Any]:
        """For JSON output."""
        record: dict[str, Any] = {
            "prompt": self.text,
            "intent": self.intent.value,
            "subject": None,
            "object": None,
            "surface": self.surface,
            "sentences": [{"text": s.text, "evidence": list(s.evidence)} for s in self.sentences],
            "citations": [evidence.as_dict() for evidence in self.citations],
            "refusal": None,
            "region": None,
            "walk": None,
            "senses": {
                slot: {"taken": taken, "others": list(rest)} for slot, (taken, rest) in self.senses.items()
            },
            "versor_condition": self.versor_condition,
            "trace_hash": self.trace_hash,
        }
        if self.plan is not None:
            clause = self.plan.clause
            record["subject"] = None if clause.subject is None else clause.subject.lemma
            record["object"] = None if clause.object is None else clause.object.lemma
        if self.refusal is not None:
            record["refusal"] = {
                "code": self.refusal.code,
                "about": self.refusal.about,
                "step": self.refusal.step,
            }
        if self.tried:
            record["tried"] = [attempt.as_dict() for attempt in self.tried]
        if self.candidate is not None:
            record["candidate"] = self.candidate
        if self.recognition is not None:
            record["recognition"] = self.recognition.as_dict()
        if self.region is not None:
            allowed = self.region.allowed_indices
            record["region"] = {
                "label": self.region.label,
                "allowed_indices": None if allowed is None else list(allowed),
            }
        if self.walk is not None:
            record["walk"] = {"tokens": list(self.walk.tokens), "end": self.walk.end}
        tried = self.walk if self.walk is not None else self.exhaustion
        if tried is not None and any(tried.attempts):
            record["rejected"] = [[attempt._asdict() for attempt in step] for step in tried.attempts]
        if self.ratification != NOT_ASKED:
            outcome = self.ratification.outcome.value
            record["ratification"] = self.ratification.as_dict() | {"outcome": outcome}
        return record
