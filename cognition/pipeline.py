"""The turn: the stages composed, and what they made put together into a result with its trace."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Protocol

from cognition import constraint, realize, trace, walk
from cognition.config import RuntimeConfig
from cognition.consult import Consultation, Gate
from cognition.evidence import Evidence, feature_evidence, resolve
from cognition.graph import IntentTag
from cognition.packs.vocabulary import Vocabulary
from cognition.refusal import Refusal
from cognition.result import CognitiveTurnResult
from cognition.stages import STAGES, ConstraintBuilder, Context, Turn

if TYPE_CHECKING:
    from cognition.teaching import TeachingStore
    from cognition.vault import Vault
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
        teaching_store: takes down what a prompt corrects, as a candidate; what was reviewed there answers with its own
            ids, and nothing else of it does. None teaches nothing.
        recognizer: reads every turn's tokens right after they are made; what it gives is in the result. It changes
            no surface and no hash while ``recognition_grounded_graph`` is off.
        constrain: builds the regions of a list of graphs; a control puts another in its place.
        vault: consulted after pack and teaching; its reviewed items answer, word for word.
    """

    def __init__(
        self,
        runtime: TurnRuntime,
        teaching_store: TeachingStore | None = None,
        recognizer: DerivedRecognizer | None = None,
        *,
        constrain: ConstraintBuilder = constraint.build_graph_constraints,
        vault: Vault | None = None,
    ) -> None:
        self.runtime = runtime
        teaching = None
        if teaching_store is not None:
            from cognition.teaching import TeachingStore
            from cognition.teaching.attached import TaughtVocabulary

            if not isinstance(teaching_store, TeachingStore):
                kind = type(teaching_store).__name__
                raise ValueError(f"pipeline: teaching_store: a TeachingStore is needed, not {kind}")
            teaching = TaughtVocabulary(teaching_store, runtime.vocabulary)
        self._gate = Gate(teaching=teaching, vault=vault)
        config = runtime.config
        self._context = Context(
            vocabulary=runtime.vocabulary,
            config=config,
            max_tokens=config.max_tokens,
            filters=walk.filters_of(
                runtime.vocabulary, languages=(config.output_language,), salience=config.min_salience
            ),
            inner_loop=_admission(runtime.vocabulary, config),
            constrain=constrain,
            recognizer=recognizer,
        )

    def run(self, text: str) -> CognitiveTurnResult:
        """One turn. Never raises for what a prompt may hold: what can't be answered is a refusal."""
        return self.run_batch([text])[0]

    def run_batch(self, texts: Sequence[str]) -> list[CognitiveTurnResult]:
        """Many turns, each with the result it would have alone.

        Raises:
            ValueError: one string in the place of several, or something that is no string.
        """
        if isinstance(texts, str):
            raise ValueError(
                "texts: one string, of which each letter would be a prompt; give a list of prompts"
            )
        turns = [Turn(text) for text in texts]
        for number, turn in enumerate(turns):
            if not isinstance(turn.text, str):
                raise ValueError(f"texts[{number}]: a string is needed, not {type(turn.text).__name__}")
        context = self._context
        if self._gate.teaching is not None:
            context = replace(context, vocabulary=self._gate.teaching.now())
        for stage in STAGES:
            under_way = [turn for turn in turns if turn.refusal is None]
            if under_way and stage.when(context.config):
                stage.run(under_way, context)
        return [self._taken_down(_finish(turn, context.vocabulary, self._gate)) for turn in turns]

    def _taken_down(self, result: CognitiveTurnResult) -> CognitiveTurnResult:
        """The result with the candidate that a correction became."""
        if self._gate.teaching is None or result.plan is None or result.refusal is not None:
            return result
        candidate = self._gate.teaching.take_down(result.text, result.plan, result.trace_hash)
        return result if candidate is None else replace(result, candidate=candidate)


def _admission(vocabulary: Vocabulary, config: RuntimeConfig) -> walk.Admission | None:
    if config.inner_loop == "off":
        return None
    if config.inner_loop == "margin":
        return walk.Admission(mode="margin", margin=config.inner_loop_margin)
    return walk.Admission.threshold(vocabulary, config.inner_loop_percent)


def _consulted(turn: Turn, gate: Gate) -> Consultation:
    """What the sources beside the pack say of a turn that lacks knowledge; a reviewed item of the vault answers it."""
    if turn.refusal is None:
        return Consultation()
    found = gate.consult(turn.refusal, turn.plan)
    if found.items:
        turn.refusal = None
        turn.sentences = found.sentences
    elif found.tried:
        turn.refusal = replace(turn.refusal, tried=found.tried)
    return found


def _finish(turn: Turn, vocabulary: Vocabulary, gate: Gate) -> CognitiveTurnResult:
    consulted = _consulted(turn, gate)
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
    if vocabulary.overlay.digest:
        folded["teaching"] = vocabulary.overlay.digest
    if consulted.tried and (vocabulary.overlay.digest or gate.vault is not None):
        folded["tried"] = [[attempt.source, attempt.fell] for attempt in consulted.tried]
    ids = dict.fromkeys(evidence for sentence in turn.sentences for evidence in sentence.evidence)
    kept = {evidence.id: evidence for evidence in consulted.citations}
    citations = tuple(kept.get(evidence) or _cited(vocabulary, evidence, turn) for evidence in ids)
    return CognitiveTurnResult(
        text=turn.text,
        intent=turn.plan.intent if turn.plan is not None else IntentTag.UNKNOWN,
        plan=turn.plan,
        graph=turn.graph,
        region=turn.within,
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
        tried=consulted.tried,
        ratification=turn.ratification,
        exhaustion=turn.exhaustion,
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
