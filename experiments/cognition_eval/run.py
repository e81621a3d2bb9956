"""Runs the arms of the evaluation and scores each of them alike."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from cognition.config import RuntimeConfig
from cognition.packs.vocabulary import Vocabulary
from cognition.pipeline import CognitiveTurnPipeline
from cognition.result import CognitiveTurnResult
from cognition.runtime import Runtime
from experiments import controls
from experiments.harness import UsageError, run_record
from experiments.metrics.answer import Answer
from experiments.metrics.cases import FORMAT_VERSION, Case, Suite
from experiments.metrics.lexicon import Lexicon
from experiments.metrics.score import Score, score
from experiments.metrics.summary import difference, summarise

BASELINES = ("echo", "dump", "gloss")
ARMS = ("off", "on", "null_vocab", "null_domain", *BASELINES)
COMPARED = (
    ("on", "off"),
    ("on", "null_vocab"),
    ("on", "null_domain"),
    ("on", "gloss"),
    ("off", "gloss"),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """One arm: its answers and their scores, case by case."""

    answers: tuple[Answer, ...]
    scores: tuple[Score, ...]


def evaluate(
    suite: Suite,
    vocabulary: Vocabulary,
    *,
    config: RuntimeConfig | None = None,
    arms: Sequence[str] = ARMS,
    batch: int | None = None,
) -> dict[str, Any]:
    """Runs the arms over a suite and scores them.

    Args:
        suite: the cases.
        vocabulary: an opened pack, in the backend that is to run.
        config: settings of the runtime; whether the constraint is on is left to the arms.
        arms: which to run.
        batch: turns that go through the stages together; None takes all.

    Returns:
        The report: ``suite``, ``run``, ``arms`` and ``differences``, ready for JSON.

    Raises:
        UsageError: an unknown arm.
    """
    if unknown := set(arms) - set(ARMS):
        raise UsageError(f"arms: unknown {min(unknown)!r}; known: {', '.join(ARMS)}")
    settings = config if config is not None else RuntimeConfig()
    lexicon = Lexicon(vocabulary)
    runner = _Runner(suite.cases, vocabulary, settings, batch or len(suite.cases))
    results: dict[str, Result] = {}
    for arm in (arm for arm in ARMS if arm in arms):
        answers = tuple(runner.answers(arm))
        scores = tuple(
            score(answer, case, lexicon) for answer, case in zip(answers, suite.cases, strict=True)
        )
        results[arm] = Result(answers=answers, scores=scores)
    report: dict[str, Any] = {
        "suite": {
            "split": suite.split,
            "n": len(suite.cases),
            "sha256": suite.sha256,
            "format_version": FORMAT_VERSION,
        },
        "run": run_record(Runtime(vocabulary, settings)),
        "arms": {
            arm: summarise(suite.cases, result.answers, result.scores) | {"cases": _rows(suite.cases, result)}
            for arm, result in results.items()
        },
        "differences": {
            f"{a}-{b}": difference(results[a].scores, results[b].scores)
            for a, b in COMPARED
            if a in results and b in results
        },
    }
    if "null_domain" in results:
        report["arms"]["null_domain"]["topped_up"] = runner.topped_up(results["null_domain"].answers)
    return report


class _Runner:
    """Gives the answers of an arm, case by case."""

    def __init__(
        self, cases: Sequence[Case], vocabulary: Vocabulary, config: RuntimeConfig, batch: int
    ) -> None:
        self.cases = cases
        self.vocabulary = vocabulary
        self.lexicon = Lexicon(vocabulary)
        self.off = Runtime(vocabulary, replace(config, forward_graph_constraint=False))
        self.on = Runtime(vocabulary, replace(config, forward_graph_constraint=True))
        self.batch = batch
        self.free = list(self.off.run_stream([case.prompt for case in cases], batch=batch))

    def answers(self, arm: str) -> list[Answer]:
        prompts = [case.prompt for case in self.cases]
        if arm == "off":
            return [answer_of(turn) for turn in self.free]
        if arm == "on":
            return [answer_of(turn) for turn in self.on.run_stream(prompts, batch=self.batch)]
        if arm == "null_vocab" or arm == "null_domain":
            pool: controls.Pool = "vocabulary" if arm == "null_vocab" else "domain"
            return [self._in_random_region(case, pool) for case in self.cases]
        if arm == "echo":
            return [controls.echo(prompt) for prompt in prompts]
        subjects = [self._subjects(case, turn) for case, turn in zip(self.cases, self.free, strict=True)]
        if arm == "dump":
            return [controls.dump(self.vocabulary, found) for found in subjects]
        return [controls.gloss(self.vocabulary, found[0] if found else None) for found in subjects]

    def topped_up(self, answers: Sequence[Answer]) -> int:
        """Over all cases, the words that a subject's domains were too small to give."""
        graphs = [turn.graph for turn in self.free]
        return sum(
            controls.topped_up(self.vocabulary, graph, len(answer.region[1]))
            for graph, answer in zip(graphs, answers, strict=True)
            if graph is not None and answer.region is not None and answer.region[1] is not None
        )

    def _in_random_region(self, case: Case, pool: controls.Pool) -> Answer:
        pipeline = CognitiveTurnPipeline(self.on, constrain=controls.random_regions(case.id, pool))
        return answer_of(pipeline.run(case.prompt))

    def _subjects(self, case: Case, turn: CognitiveTurnResult) -> tuple[int, ...]:
        """The senses of the subject, the one taken first."""
        if case.subject is not None:
            return self.lexicon.senses_of(case.subject)
        taken, others = turn.senses.get("subject", (None, ()))
        return () if taken is None else tuple(self.vocabulary.index[i] for i in (taken, *others))


def answer_of(turn: CognitiveTurnResult) -> Answer:
    """A turn of the system as the scoring sees it."""
    region = turn.region
    return Answer(
        surface=turn.surface,
        sentences=tuple((sentence.text, sentence.evidence) for sentence in turn.sentences),
        citations=tuple(evidence.id for evidence in turn.citations),
        intent=turn.intent.value,
        refusal=turn.refusal.code if turn.refusal is not None else None,
        walk=turn.walk.tokens if turn.walk is not None else None,
        regions_built=turn.regions_built,
        constrained=region is not None and not region.is_unconstrained,
        exhausted=turn.exhaustion is not None,
        versor_condition=turn.versor_condition,
        trace_hash=turn.trace_hash,
        region=None if region is None else (region.label, region.allowed_indices),
    )


def _rows(cases: Sequence[Case], result: Result) -> list[dict[str, Any]]:
    return [
        {
            "id": case.id,
            "prompt": case.prompt,
            "category": case.category,
            "intent": answer.intent,
            "surface": answer.surface,
            "citations": list(answer.citations),
            "trace_hash": answer.trace_hash,
            "refusal": answer.refusal,
            "region": None
            if answer.region is None
            else {"label": answer.region[0], "allowed": _listed(answer.region[1])},
            "walk": _listed(answer.walk),
            "groundedness": None if given.grounded is None else int(given.grounded),
            "faults": list(given.faults),
            "capture": given.capture,
            "captured": [
                {"any_of": list(expectation.terms), "by": expectation.by, "captured": got}
                for expectation, got in zip(case.expect, given.captured, strict=True)
            ],
            "precision": given.precision,
            "right_intent": given.intent,
            "right_refusal": given.refusal,
        }
        for case, answer, given in zip(cases, result.answers, result.scores, strict=True)
    ]


def _listed(values: Sequence[Any] | None) -> list[Any] | None:
    return None if values is None else list(values)
