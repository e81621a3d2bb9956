"""The turn: stages in one table, each over a list of turns, so that batch and single are one code path."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from cga.backend import Point
from cognition import articulation, constraint, grounding, intake, intent, realize, trace, walk
from cognition.admissibility import AdmissibilityRegion, InnerLoopExhaustion
from cognition.clause import ArticulationPlan
from cognition.config import RuntimeConfig
from cognition.evidence import Evidence, Sentence, resolve
from cognition.graph import IntentTag, PropositionGraph
from cognition.inquiry import Grounding, Inquiry
from cognition.packs.vocabulary import Vocabulary
from cognition.refusal import Refusal
from cognition.result import CognitiveTurnResult
from recognition.tokens import Token


class TurnRuntime(Protocol):
    """What a pipeline needs of a runtime."""

    @property
    def vocabulary(self) -> Vocabulary: ...

    @property
    def config(self) -> RuntimeConfig: ...


ConstraintBuilder = Callable[..., list[AdmissibilityRegion]]


@dataclass(slots=True)
class Turn:
    """A turn under way. Stages fill it from left to right; a refusal ends it."""

    text: str
    tokens: tuple[Token, ...] = ()
    plan: ArticulationPlan | None = None
    graph: PropositionGraph | None = None
    inquiry: Inquiry | None = None
    region: AdmissibilityRegion | None = None
    location: Point | None = None
    walk: walk.GenerationResult | None = None
    grounding: Grounding | None = None
    sentences: tuple[Sentence, ...] = ()
    refusal: Refusal | None = None
    regions_built: int = 0
    steps: list[dict[str, Any]] = field(default_factory=list)

    def note(self, stage: str, version: int, **record: Any) -> None:
        """Appends the stage's step to the trace."""
        self.steps.append({"stage": stage, "version": version, **record})


@dataclass(frozen=True, slots=True, kw_only=True)
class Context:
    """What stages may use beside the turn."""

    vocabulary: Vocabulary
    config: RuntimeConfig
    max_tokens: int
    blocked: tuple[int, ...]
    constrain: ConstraintBuilder


@dataclass(frozen=True, slots=True)
class Stage:
    """A row of the table: what a stage needs of a turn and what it gives.

    ``run`` gets the turns that are not refused; it is skipped where ``when`` says that the configuration
    leaves it out.
    """

    name: str
    needs: tuple[str, ...]
    gives: tuple[str, ...]
    run: Callable[[Sequence[Turn], Context], None]
    when: Callable[[RuntimeConfig], bool] = lambda config: True


def _take_in(turns: Sequence[Turn], context: Context) -> None:
    for turn in turns:
        turn.tokens, turn.refusal = intake.take_in(turn.text)
        spans = [[token.start, token.end] for token in turn.tokens]
        turn.note("tokenize", intake.VERSION, spans=spans)


def _classify(turns: Sequence[Turn], context: Context) -> None:
    vocabulary = context.vocabulary
    for turn in turns:
        turn.plan = intent.classify(
            turn.text, turn.tokens, vocabulary, subject_span=context.config.subject_span
        )
        record: dict[str, Any] = {"intent": turn.plan.intent.value}
        record["clauses"] = [clause.as_dict() for clause in turn.plan.clauses]
        if turn.plan.dominant:
            record["dominant"] = turn.plan.dominant
        turn.note("classify", intent.VERSION, **record)
        if not _named(turn.plan, vocabulary):
            turn.refusal = _unread(turn, vocabulary)


def _named(plan: ArticulationPlan, vocabulary: Vocabulary) -> bool:
    return any(
        not vocabulary.is_stop(index)
        for clause in plan.clauses
        for match in clause.words
        for index in match.indices
    )


def _unread(turn: Turn, vocabulary: Vocabulary) -> Refusal:
    """The refusal of a prompt that names no word of the packs."""
    from recognition.tokens import normal_form

    known = [
        bool(vocabulary.lookup(token.text)) or normal_form(token.text) in vocabulary.stop_words
        for token in turn.tokens
    ]
    foreign = intake.foreign(turn.tokens, known)
    if foreign is not None:
        return foreign
    assert turn.plan is not None
    subject = turn.plan.clause.subject
    if turn.plan.intent is IntentTag.UNKNOWN or subject is None:
        return Refusal(code="unknown_domain")
    return Refusal(code="unknown_subject", about=subject.phrase)


def _articulate(turns: Sequence[Turn], context: Context) -> None:
    for turn in turns:
        assert turn.plan is not None
        turn.graph = articulation.build_graph_from_input(turn.text, turn.plan, context.vocabulary)
        turn.note("articulate", articulation.VERSION, graph=turn.graph.as_dict())


def _inquire(turns: Sequence[Turn], context: Context) -> None:
    for turn in turns:
        assert turn.plan is not None
        turn.inquiry = grounding.inquire(turn.plan.clause, context.vocabulary)
        turn.refusal = turn.inquiry.refusal


def _constrain(turns: Sequence[Turn], context: Context) -> None:
    graphs = [turn.graph for turn in turns]
    regions = context.constrain(graphs, context.vocabulary, top_k=context.config.top_k)
    for turn, region in zip(turns, regions, strict=True):
        turn.region = region
        turn.regions_built += 1
        record: dict[str, Any] = {"label": region.label}
        if region.allowed_indices is not None:
            record["allowed"] = list(region.allowed_indices)
        turn.note("constrain", constraint.VERSION, **record)


def _locate(turns: Sequence[Turn], context: Context) -> None:
    vocabulary = context.vocabulary
    prompts: list[list[int]] = []
    for turn in turns:
        assert turn.plan is not None
        words = [
            vocabulary.choose(match.indices, "noun")
            for clause in turn.plan.clauses
            for match in clause.words
            if not all(vocabulary.is_stop(i) for i in match.indices)
        ]
        prompts.append(words)
    for turn, location in zip(turns, vocabulary.backend.locate(vocabulary.handle, prompts), strict=True):
        turn.location = location
        turn.note("locate", walk.VERSION, location=list(location))


def _walk(turns: Sequence[Turn], context: Context) -> None:
    states: list[tuple[walk.FieldState, AdmissibilityRegion | None]] = []
    for turn in turns:
        assert turn.location is not None
        assert turn.inquiry is not None
        states.append((walk.FieldState(location=turn.location, goals=turn.inquiry.goals), turn.region))
    results = walk.generate_all(
        states, context.vocabulary, max_tokens=context.max_tokens, blocked=context.blocked
    )
    for turn, result in zip(turns, results, strict=True):
        if isinstance(result, InnerLoopExhaustion):
            turn.refusal = Refusal(code="region_exhausted", about=result.label, step=result.step)
            turn.note("walk", walk.VERSION, exhausted=result.reason, step=result.step)
        else:
            turn.walk = result
            steps = [list(step) for step in result.admissibility_trace]
            turn.note("walk", walk.VERSION, steps=steps, end=result.end)


def _ground(turns: Sequence[Turn], context: Context) -> None:
    for turn in turns:
        assert turn.inquiry is not None
        assert turn.walk is not None
        turn.grounding = grounding.ground(turn.inquiry, turn.walk.indices)
        turn.refusal = turn.grounding.refusal
        fills = [
            {"slot": f.slot, "word": f.word, "step": f.step, "evidence": [s.id for s in f.statements]}
            for f in turn.grounding.fills
        ]
        turn.note("ground", grounding.VERSION, fills=fills)


def _realize(turns: Sequence[Turn], context: Context) -> None:
    for turn in turns:
        assert turn.plan is not None
        assert turn.inquiry is not None
        assert turn.grounding is not None
        turn.sentences = realize.realize(
            turn.plan, turn.inquiry, turn.grounding, context.vocabulary, turn.text
        )


STAGES: tuple[Stage, ...] = (
    Stage("tokenize", ("text",), ("tokens",), _take_in),
    Stage("classify", ("text", "tokens"), ("plan",), _classify),
    Stage("articulate", ("text", "plan"), ("graph",), _articulate),
    Stage("inquire", ("plan",), ("inquiry",), _inquire),
    Stage(
        "constrain",
        ("graph",),
        ("region",),
        _constrain,
        lambda config: config.forward_graph_constraint and config.output_language == "en",
    ),
    Stage("locate", ("plan",), ("location",), _locate),
    Stage("walk", ("location", "inquiry", "region"), ("walk",), _walk),
    Stage("ground", ("inquiry", "walk"), ("grounding",), _ground),
    Stage("realize", ("plan", "inquiry", "grounding"), ("sentences",), _realize),
)


class CognitiveTurnPipeline:
    """Runs turns through the stages.

    Args:
        runtime: vocabulary and configuration.
        constrain: builds the regions of a list of graphs; a control puts another in its place.
    """

    def __init__(
        self, runtime: TurnRuntime, *, constrain: ConstraintBuilder = constraint.build_graph_constraints
    ) -> None:
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
    citations: tuple[Evidence, ...] = tuple(resolve(vocabulary, evidence, turn.text) for evidence in ids)
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
    )


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
