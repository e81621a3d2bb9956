"""The turn: the stages composed, and what they made put together into a result with its trace."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Protocol

from cognition import constraint, realize, trace, walk
from cognition.config import RuntimeConfig
from cognition.evidence import Evidence, feature_evidence, resolve
from cognition.graph import IntentTag
from cognition.packs.vocabulary import Vocabulary
from cognition.refusal import Refusal
from cognition.result import CognitiveTurnResult
from cognition.stages import STAGES, ConstraintBuilder, Context, Turn

if TYPE_CHECKING:
    from recognition import DerivedRecognizer


class TurnRuntime(Protocol):
    """What a pipeline needs of a runtime."""

    @property
    def vocabulary(self) -> Vocabulary: ...

    @property
    def config(self) -> RuntimeConfig: ...


class CognitiveTurnPipeline:
    """Runs turns through the stages.

    Args:
        runtime: vocabulary and configuration.
        teaching_store: reserved for the store of reviewed corrections; must be None in this version.
        recognizer: reads every turn's tokens right after they are made; what it gives is in the result. It changes
            no surface and no hash while ``recognition_grounded_graph`` is off.
        constrain: builds the regions of a list of graphs; a control puts another in its place.
    """

    def __init__(
        self,
        runtime: TurnRuntime,
        teaching_store: None = None,
        recognizer: DerivedRecognizer | None = None,
        *,
        constrain: ConstraintBuilder = constraint.build_graph_constraints,
    ) -> None:
        if teaching_store is not None:
            raise ValueError(
                "pipeline: teaching_store: this version has no store of corrections; leave it None"
            )
        self.runtime = runtime
        config = runtime.config
        self._context = Context(
            vocabulary=runtime.vocabulary,
            config=config,
            max_tokens=config.max_tokens,
            blocked=walk.blocked_words(
                runtime.vocabulary, languages=(config.output_language,), salience=config.min_salience
            ),
            constrain=constrain,
            recognizer=recognizer,
        )

    def run(self, text: str) -> CognitiveTurnResult:
        """One turn. Never raises for what a prompt may hold: what can't be answered is a refusal."""
        return self.run_batch([text])[0]

    def run_batch(self, texts: Sequence[str]) -> list[CognitiveTurnResult]:
        """Many turns, each with the result it would have alone."""
        turns = [Turn(text) for text in texts]
        for stage in STAGES:
            under_way = [turn for turn in turns if turn.refusal is None]
            if under_way and stage.when(self._context.config):
                stage.run(under_way, self._context)
        return [_finish(turn, self._context.vocabulary) for turn in turns]


def _finish(turn: Turn, vocabulary: Vocabulary) -> CognitiveTurnResult:
    if turn.refusal is not None:
        turn.sentences = realize.refuse(turn.refusal, vocabulary, turn.inquiry)
    said = [{"text": s.text, "evidence": list(s.evidence)} for s in turn.sentences]
    turn.note("realize", realize.VERSION, sentences=said)
    folded: dict[str, Any] = {
        "format": trace.FORMAT,
        "input": _foldable(turn.text, turn.refusal),
        "pack": vocabulary.pack.sha256,
        "steps": turn.steps,
    }
    if turn.refusal is not None:
        folded["refusal"] = _refusal_record(turn.refusal)
    ids = dict.fromkeys(evidence for sentence in turn.sentences for evidence in sentence.evidence)
    citations: tuple[Evidence, ...] = tuple(_cited(vocabulary, evidence, turn) for evidence in ids)
    return CognitiveTurnResult(
        text=turn.text,
        intent=turn.plan.intent if turn.plan is not None else IntentTag.UNKNOWN,
        plan=turn.plan,
        graph=turn.graph,
        region=turn.region,
        walk=turn.walk,
        grounding=turn.grounding,
        sentences=turn.sentences,
        citations=citations,
        refusal=turn.refusal,
        versor_condition=turn.walk.versor_condition if turn.walk is not None else None,
        regions_built=turn.regions_built,
        folded=folded,
        trace_hash=trace.compute_trace_hash(folded),
        senses=_senses(turn, vocabulary),
        recognition=turn.recognition,
        epistemic_graph=turn.epistemic_graph,
    )


def _cited(vocabulary: Vocabulary, evidence_id: str, turn: Turn) -> Evidence:
    name = evidence_id.removeprefix("feature:")
    if name == evidence_id or turn.recognition is None or turn.recognition.proposition is None:
        return resolve(vocabulary, evidence_id, turn.text)
    span = turn.recognition.proposition.spans.get(name)
    if span is None:
        return feature_evidence(name, "no marker of another value stands in the prompt")
    return feature_evidence(name, turn.text[turn.tokens[span[0]].start : turn.tokens[span[1] - 1].end])


def _refusal_record(refusal: Refusal) -> dict[str, Any]:
    record: dict[str, Any] = {"code": refusal.code}
    if refusal.about:
        record["about"] = refusal.about
    if refusal.step is not None:
        record["step"] = refusal.step
    return record


def _foldable(text: str, refusal: Refusal | None) -> Any:
    """The input as the trace holds it: by digest where it is too long, or no valid Unicode."""
    if refusal is not None and refusal.code in ("input_too_long", "invalid_unicode"):
        digest = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
        return {"sha256": digest, "characters": len(text)}
    return text


def _senses(turn: Turn, vocabulary: Vocabulary) -> dict[str, tuple[str, tuple[str, ...]]]:
    if turn.plan is None:
        return {}
    clause = turn.plan.clause
    found: dict[str, tuple[str, tuple[str, ...]]] = {}
    for slot in ("subject", "object", "third", "verb"):
        mention = getattr(clause, slot)
        if mention is not None and mention.index is not None:
            others = tuple(vocabulary.senses[i].id for i in mention.alternatives)
            found[slot] = (vocabulary.senses[mention.index].id, others)
    return found
