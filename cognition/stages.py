"""The stages of a turn, in one table, each over a list of turns, so that batch and single are one code path."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from cga.backend import Point
from cognition import articulation, constraint, cues, grounding, intake, intent, ratify, realize, walk
from cognition.admissibility import AdmissibilityRegion, InnerLoopExhaustion
from cognition.clause import ArticulationPlan
from cognition.config import RuntimeConfig
from cognition.evidence import Sentence
from cognition.graph import IntentTag, PropositionGraph
from cognition.inquiry import Grounding, Inquiry
from cognition.packs.vocabulary import Vocabulary
from cognition.refusal import Refusal
from recognition.tokens import Token, normal_form

if TYPE_CHECKING:
    from recognition import DerivedRecognizer, EpistemicGraph, RecognitionOutcome

RECOGNITION_VERSION = 1
ConstraintBuilder = Callable[..., list[AdmissibilityRegion]]


@dataclass(slots=True)
class Turn:
    """A turn under way. Stages fill it from left to right; a refusal ends it."""

    text: str
    tokens: tuple[Token, ...] = ()
    plan: ArticulationPlan | None = None
    ratification: ratify.Ratification = ratify.NOT_ASKED
    graph: PropositionGraph | None = None
    inquiry: Inquiry | None = None
    region: AdmissibilityRegion | None = None
    blade: AdmissibilityRegion | None = None
    location: Point | None = None
    walk: walk.GenerationResult | None = None
    exhaustion: InnerLoopExhaustion | None = None
    grounding: Grounding | None = None
    sentences: tuple[Sentence, ...] = ()
    refusal: Refusal | None = None
    recognition: RecognitionOutcome | None = None
    epistemic_graph: EpistemicGraph | None = None
    regions_built: int = 0
    steps: list[dict[str, Any]] = field(default_factory=list)

    @property
    def within(self) -> AdmissibilityRegion | None:
        """The region the walk is in: that of the graph and that of its blade, where they were built."""
        if self.region is None or self.blade is None:
            return self.region or self.blade
        return self.region.intersect(self.blade)

    def note(self, stage: str, version: int, **record: Any) -> None:
        """Appends the stage's step to the trace."""
        self.steps.append({"stage": stage, "version": version, **record})


@dataclass(frozen=True, slots=True, kw_only=True)
class Context:
    """What stages may use beside the turn."""

    vocabulary: Vocabulary
    config: RuntimeConfig
    max_tokens: int
    filters: walk.Filters
    inner_loop: walk.Admission | None
    constrain: ConstraintBuilder
    recognizer: DerivedRecognizer | None

    def says_recognised(self, turn: Turn) -> bool:
        """Whether the turn says what was recognised, instead of an answer by intent."""
        return self.config.recognition_grounded_graph and turn.epistemic_graph is not None


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


def _recognize(turns: Sequence[Turn], context: Context) -> None:
    if context.recognizer is None:
        return
    from recognition import EpistemicGraph, EpistemicNode, recognize

    for turn in turns:
        turn.recognition = recognize(context.recognizer, turn.tokens)
        if turn.recognition.admitted:
            node = EpistemicNode.of(turn.recognition, 0)
            turn.epistemic_graph = EpistemicGraph((node,), context.recognizer.teaching_set_id)
        if context.config.recognition_grounded_graph:
            turn.note("recognize", RECOGNITION_VERSION, outcome=turn.recognition.as_dict())


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
        if not _named(turn.plan, vocabulary) and not context.says_recognised(turn):
            turn.refusal = _unread(turn, vocabulary)


def _named(plan: ArticulationPlan, vocabulary: Vocabulary) -> bool:
    """Whether a prompt names a word of the packs; a stop word counts where it is asked about ("what is a can")."""
    asked = (mention.index for mention in plan.clause.mentions() if mention.index is not None)
    return any(vocabulary.senses[index].pos != "function" for index in asked) or any(
        not vocabulary.is_stop(index)
        for clause in plan.clauses
        for match in clause.words
        for index in match.indices
    )


def _unread(turn: Turn, vocabulary: Vocabulary) -> Refusal:
    """The refusal of a prompt that names no word of the packs."""
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


def _ratify(turns: Sequence[Turn], context: Context) -> None:
    vocabulary = context.vocabulary
    plans = [turn.plan for turn in turns if turn.plan is not None]
    words = [walk.prompt_words(plan, vocabulary) for plan in plans]
    located = iter(vocabulary.backend.locate(vocabulary.handle, [found for found in words if found]))
    places = [next(located) if found else None for found in words]
    found = ratify.ratify_intents(plans, places, vocabulary)
    for turn, ratification in zip(turns, found, strict=True):
        turn.ratification = ratification
        turn.note("ratify", ratify.VERSION, **ratification.as_dict())


def _articulate(turns: Sequence[Turn], context: Context) -> None:
    for turn in turns:
        assert turn.plan is not None
        if context.says_recognised(turn):
            turn.graph, turn.refusal = _recognised_graph(turn, turn.plan.intent)
            if turn.graph is None:
                continue
            articulation.plan_articulation(turn.graph)
        else:
            turn.graph = articulation.build_graph_from_input(turn.text, turn.plan, context.vocabulary)
        turn.note("articulate", articulation.VERSION, graph=turn.graph.as_dict())


def _recognised_graph(turn: Turn, tag: IntentTag) -> tuple[PropositionGraph | None, Refusal | None]:
    from recognition.connector import epistemic_node_to_graph_node

    assert turn.epistemic_graph is not None
    try:
        node = epistemic_node_to_graph_node(turn.epistemic_graph.nodes[0], source_intent=tag, node_id="p0")
    except ValueError as error:
        return None, Refusal(code="not_articulated", about=str(error).removeprefix("connector: "))
    return PropositionGraph().add_node(node), None


def _inquire(turns: Sequence[Turn], context: Context) -> None:
    for turn in turns:
        assert turn.plan is not None
        if context.says_recognised(turn):
            turn.inquiry = Inquiry()
            continue
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


def _relate(turns: Sequence[Turn], context: Context) -> None:
    for turn in turns:
        assert turn.graph is not None
        turn.blade = constraint.build_relation_region(turn.graph, context.vocabulary)
        turn.regions_built += 1
        record: dict[str, Any] = {"label": turn.blade.label}
        if turn.blade.relation_blade is not None:
            record["blade"] = list(turn.blade.relation_blade)
        if turn.blade.frame_versor is not None:
            record["frame"] = list(turn.blade.frame_versor)
        turn.note("relate", constraint.BLADE_VERSION, **record)


def _locate(turns: Sequence[Turn], context: Context) -> None:
    vocabulary = context.vocabulary
    placed: list[Turn] = []
    prompts: list[list[int]] = []
    for turn in turns:
        assert turn.plan is not None
        words = walk.prompt_words(turn.plan, vocabulary)
        if words:  # a recognised proposition may name no word of the pack: nothing to walk from
            placed.append(turn)
            prompts.append(words)
    for turn, location in zip(placed, vocabulary.backend.locate(vocabulary.handle, prompts), strict=True):
        turn.location = location
        turn.note("locate", walk.VERSION, location=list(location))


def _walk(turns: Sequence[Turn], context: Context) -> None:
    turns = [turn for turn in turns if turn.location is not None]
    states: list[tuple[walk.FieldState, AdmissibilityRegion | None]] = []
    for turn in turns:
        assert turn.location is not None
        assert turn.inquiry is not None
        states.append((walk.FieldState(location=turn.location, goals=turn.inquiry.goals), turn.within))
    results = walk.generate_all(
        states,
        context.vocabulary,
        max_tokens=context.max_tokens,
        filters=context.filters,
        inner_loop=context.inner_loop,
    )
    for turn, result in zip(turns, results, strict=True):
        if isinstance(result, InnerLoopExhaustion):
            turn.exhaustion = result
            code = "inner_loop_exhausted" if result.reason == "all_rejected" else "region_exhausted"
            turn.refusal = Refusal(code=code, about=result.label, step=result.step)
            record: dict[str, Any] = {"exhausted": result.reason, "step": result.step}
        else:
            turn.walk = result
            steps = [list(step) for step in result.admissibility_trace]
            record = {"steps": steps, "end": result.end}
            if result.unscored:
                record["unscored"] = True
        if any(result.attempts):
            record["rejected"] = [[list(attempt) for attempt in step] for step in result.attempts]
        if context.filters.record:
            record["filters"] = context.filters.record
        turn.note("walk", walk.VERSION, **record)


def _ground(turns: Sequence[Turn], context: Context) -> None:
    for turn in turns:
        assert turn.inquiry is not None
        turn.grounding = grounding.ground(turn.inquiry, turn.walk.indices if turn.walk is not None else ())
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
        if context.says_recognised(turn):
            turn.sentences = _said_as_recognised(turn)
            continue
        turn.sentences = realize.realize(
            turn.plan, turn.inquiry, turn.grounding, context.vocabulary, turn.text
        )


def _said_as_recognised(turn: Turn) -> tuple[Sentence, ...]:
    assert turn.graph is not None
    assert turn.recognition is not None
    assert turn.recognition.proposition is not None
    bundle = turn.recognition.proposition
    agent = bundle.spans.get("agent")
    before = turn.tokens[agent[0] - 1].text if agent is not None and agent[0] > 0 else ""
    determiner = before if before.lower() in cues.DETERMINERS else ""
    return realize.realize_recognised(turn.graph.nodes[0], determiner, bundle.names)


STAGES: tuple[Stage, ...] = (
    Stage("tokenize", ("text",), ("tokens",), _take_in),
    Stage("recognize", ("tokens",), ("recognition", "epistemic_graph"), _recognize),
    Stage("classify", ("text", "tokens"), ("plan",), _classify),
    Stage("ratify", ("plan",), ("ratification",), _ratify, lambda config: config.ratify_intent),
    Stage("articulate", ("text", "plan"), ("graph",), _articulate),
    Stage("inquire", ("plan",), ("inquiry",), _inquire),
    Stage(
        "constrain",
        ("graph",),
        ("region",),
        _constrain,
        lambda config: config.forward_graph_constraint and config.output_language == "en",
    ),
    Stage("relate", ("graph",), ("blade",), _relate, lambda config: config.inner_loop != "off"),
    Stage("locate", ("plan",), ("location",), _locate),
    Stage("walk", ("location", "inquiry", "region", "blade"), ("walk",), _walk),
    Stage("ground", ("inquiry", "walk"), ("grounding",), _ground),
    Stage("realize", ("plan", "inquiry", "grounding"), ("sentences",), _realize),
)
