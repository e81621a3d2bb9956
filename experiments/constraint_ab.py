"""`core eval constraint`: what the graph constraint does to a walk that looks for the objects of a relation.

Every prompt names the subject and the relation of statements of the pack and asks for their objects ("What does
memory require?"). It is walked free, in the graph's region, in random regions of the same size from the whole
vocabulary and from the subject's domains, and free with either inner loop. The relations of a pack shaped its points,
so the same is measured in geometries that were fitted without them: by folds, over pairs of words.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from statistics import median
from typing import Any

from rich import box
from rich.console import Console
from rich.table import Table

from cga.backend import FitProblem, fit_points
from cognition.config import RuntimeConfig
from cognition.graph import IntentTag
from cognition.packs.build import NEIGHBOURS, RELATION_WEIGHT, affinities
from cognition.packs.schema import GeometryRow
from cognition.packs.vocabulary import Statement, Vocabulary
from cognition.pipeline import CognitiveTurnPipeline
from cognition.result import CognitiveTurnResult
from cognition.runtime import Runtime
from experiments.controls import random_regions, same_domain, shuffled
from experiments.harness import UsageError, percent, run_record
from experiments.metrics.summary import BUDGETS, mean, paired

ARMS = ("off", "on", "null_vocab", "null_domain", "threshold", "margin")
COMPARED = (
    ("on", "off"),
    ("on", "null_vocab"),
    ("on", "null_domain"),
    ("threshold", "off"),
    ("threshold", "on"),
    ("margin", "off"),
    ("margin", "on"),
)
FEW = BUDGETS[0]
MOST = 64
"""Steps up to which a walk counts; a word met later, or never, counts as met at this step."""
FOLDS = 5
SEED = "constraint"
FIGURES = ("step", "within_few", "topical", "grounded")


@dataclass(frozen=True, slots=True, kw_only=True)
class Prompt:
    """One question and the statements whose objects answer it."""

    text: str
    subject: int
    targets: tuple[Statement, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What one turn did, for the targets that count.

    Attributes:
        steps: the step at which each target's object was first stood on, from 1; None if it never was.
        topical: of the first few words walked beside the subject, the share that has a domain in common with it.
        grounded: of the targets, the share that the answer says.
        length: steps walked.
    """

    steps: tuple[int | None, ...]
    topical: float | None
    grounded: float
    length: int

    @property
    def step(self) -> float:
        """Mean step of the targets, cut off at `MOST`."""
        return sum(min(step or MOST, MOST) for step in self.steps) / len(self.steps)

    @property
    def within_few(self) -> float:
        """Share of the targets met within `FEW` steps."""
        return sum(step is not None and step <= FEW for step in self.steps) / len(self.steps)


def evaluate_constraint(
    vocabulary: Vocabulary,
    *,
    folds: int = FOLDS,
    config: RuntimeConfig | None = None,
    refit: Callable[[Vocabulary, frozenset[str]], Vocabulary] | None = None,
) -> dict[str, Any]:
    """Runs the arms on every relation prompt of a pack.

    Args:
        vocabulary: an opened pack, in the backend that is to run.
        folds: how many refits share out the pairs of related words; 0 leaves out what the fit did not see.
        config: settings of the runtime; whether the constraint is on is left to the arms.
        refit: gives the vocabulary fitted without the statements of these ids; a test puts another in its place.

    Returns:
        The report, ready for JSON: ``fitted`` and, with folds, ``held_out``, each with its arms and differences.

    Raises:
        UsageError: one fold, or more folds than pairs.
    """
    settings = config if config is not None else RuntimeConfig()
    prompts, unread = relation_prompts(vocabulary)
    report: dict[str, Any] = {
        "run": run_record(Runtime(vocabulary, settings)),
        "prompts": len(prompts),
        "unread": unread,
        "few": FEW,
        "most": MOST,
        "folds": folds,
        "fitted": _compared(outcomes(prompts, vocabulary, settings)),
    }
    if folds:
        held: dict[str, list[Outcome]] = {arm: [] for arm in ARMS}
        for group in _folds(vocabulary, prompts, folds):
            without = (refit if refit is not None else refitted)(vocabulary, group)
            asked = [
                replace(prompt, targets=targets)
                for prompt in prompts
                if (targets := tuple(said for said in prompt.targets if said.id in group))
            ]
            for arm, found in outcomes(asked, without, settings).items():
                held[arm] += found
        report["held_out"] = _compared(held)
    return report


def relation_prompts(vocabulary: Vocabulary) -> tuple[list[Prompt], int]:
    """A prompt for each subject and relation of the pack's positive statements, and how many are read otherwise.

    A prompt that the classifier reads as another question, or of another sense of its subject, is left out.
    """
    groups: dict[tuple[int, str], list[Statement]] = {}
    for said in vocabulary.statements:
        if said.positive:
            groups.setdefault((said.subject, said.relation), []).append(said)
    runtime = Runtime(vocabulary, RuntimeConfig(max_tokens=0))
    texts = [_asked(vocabulary, subject, relation) for subject, relation in groups]
    prompts: list[Prompt] = []
    for text, ((subject, relation), said), turn in zip(
        texts, groups.items(), runtime.ask_batch(texts), strict=True
    ):
        clause = turn.plan.clause if turn.plan is not None else None
        named = clause.subject if clause is not None else None
        if clause is None or named is None or named.index != subject:
            continue
        if (clause.intent, clause.relation, clause.form) == (
            IntentTag.TRANSITIVE_QUERY,
            relation,
            "object",
        ):
            prompts.append(Prompt(text=text, subject=subject, targets=tuple(said)))
    return prompts, len(texts) - len(prompts)


def _asked(vocabulary: Vocabulary, subject: int, relation: str) -> str:
    kind = vocabulary.relation_types[relation]
    name = vocabulary.senses[subject].lemma
    if kind.verb == "be":
        return f"What is {name} {kind.preposition}?"
    return f"What does {name} {kind.verb} {kind.preposition}".rstrip() + "?"


def outcomes(
    prompts: Sequence[Prompt], vocabulary: Vocabulary, config: RuntimeConfig
) -> dict[str, list[Outcome]]:
    """What each arm did with the prompts."""
    off = Runtime(vocabulary, replace(config, forward_graph_constraint=False, inner_loop="off"))
    on = Runtime(vocabulary, replace(config, forward_graph_constraint=True, inner_loop="off"))
    texts = [prompt.text for prompt in prompts]
    turns = {
        "off": off.ask_batch(texts),
        "on": on.ask_batch(texts),
        "null_vocab": [
            CognitiveTurnPipeline(on, constrain=random_regions(text, "vocabulary")).run(text)
            for text in texts
        ],
        "null_domain": [
            CognitiveTurnPipeline(on, constrain=random_regions(text, "domain")).run(text) for text in texts
        ],
        "threshold": Runtime(vocabulary, replace(off.config, inner_loop="threshold")).ask_batch(texts),
        "margin": Runtime(vocabulary, replace(off.config, inner_loop="margin")).ask_batch(texts),
    }
    return {
        arm: [_outcome(prompt, turn, vocabulary) for prompt, turn in zip(prompts, turns[arm], strict=True)]
        for arm in ARMS
    }


def _outcome(prompt: Prompt, turn: CognitiveTurnResult, vocabulary: Vocabulary) -> Outcome:
    walked = turn.walk.indices if turn.walk is not None else ()
    places = {index: step for step, index in enumerate(walked, start=1)}
    near = same_domain(vocabulary, prompt.subject)
    cited = {evidence.id for evidence in turn.citations} if turn.answered else set()
    others = [index for index in walked[:FEW] if index != prompt.subject]
    return Outcome(
        steps=tuple(places.get(said.object) for said in prompt.targets),
        topical=mean(index in near for index in others),
        grounded=sum(said.id in cited for said in prompt.targets) / len(prompt.targets),
        length=len(walked),
    )


def refitted(vocabulary: Vocabulary, without: frozenset[str]) -> Vocabulary:
    """The same pack in a geometry that was fitted without some of its statements; they stay on record."""
    pack = vocabulary.pack
    kept = [row for row in pack.relations if row.id not in without]
    problem = FitProblem(
        size=len(pack.senses),
        pairs=tuple(affinities(pack.senses, kept)),
        strong=RELATION_WEIGHT,
        k=NEIGHBOURS,
    )
    fitted = fit_points(problem)
    rows = tuple(
        GeometryRow(id=sense.id, x=point[:3], rho=point.rho)
        for sense, point in zip(pack.senses, fitted.points, strict=True)
    )
    return Vocabulary(replace(pack, geometry=rows), vocabulary.backend)


def _folds(vocabulary: Vocabulary, prompts: Sequence[Prompt], count: int) -> list[frozenset[str]]:
    """Ids of the statements of each fold. Statements that join the same two words are in one fold."""
    asked = {frozenset((said.subject, said.object)) for prompt in prompts for said in prompt.targets}
    pairs = sorted(tuple(sorted(pair)) for pair in asked)
    if not 2 <= count <= len(pairs):
        raise UsageError(f"folds: {count}; give 0, or 2 to the {len(pairs)} pairs of related words")
    order = shuffled(len(pairs), SEED)
    place = {pairs[index]: number % count for number, index in enumerate(order)}
    groups: list[set[str]] = [set() for _ in range(count)]
    for said in vocabulary.statements:
        number = place.get(tuple(sorted((said.subject, said.object))))
        if number is not None:
            groups[number].add(said.id)
    return [frozenset(group) for group in groups]


def _compared(found: dict[str, list[Outcome]]) -> dict[str, Any]:
    return {
        "prompts": len(found["on"]),
        "relations": sum(len(outcome.steps) for outcome in found["on"]),
        "arms": {arm: _figures(one) for arm, one in found.items()},
        "differences": {
            f"{one}-{other}": {
                name: paired(_values(found[one], name), _values(found[other], name)) for name in FIGURES
            }
            for one, other in COMPARED
        },
    }


def _figures(found: Sequence[Outcome]) -> dict[str, Any]:
    steps = [step if step is not None else None for outcome in found for step in outcome.steps]
    met = [step for step in steps if step is not None]
    middle = median([step if step is not None else float("inf") for step in steps]) if steps else None
    return {
        "median_step": None if middle is None or middle == float("inf") else middle,
        "met": len(met) / len(steps) if steps else None,
        "length": mean(outcome.length for outcome in found),
        **{name: mean(_values(found, name)) for name in FIGURES},
    }


def _values(found: Iterable[Outcome], name: str) -> list[float | None]:
    return [getattr(outcome, name) for outcome in found]


def show(report: dict[str, Any], console: Console) -> None:
    """Prints the report for people."""
    pack = report["run"]["pack"]
    console.print(
        f"{pack['id']} {pack['version']}: {report['prompts']} prompts that name a subject and a relation "
        f"({report['unread']} more are read otherwise)"
    )
    for part, title in (
        ("fitted", "relations that the fit saw"),
        ("held_out", f"relations held out of the fit, {report['folds']} folds"),
    ):
        if part in report:
            _show_part(report, report[part], title, console)


def _show_part(report: dict[str, Any], part: dict[str, Any], title: str, console: Console) -> None:
    few, most = report["few"], report["most"]
    table = Table(
        title=f"{title}: {part['relations']} relations of {part['prompts']} prompts",
        title_justify="left",
        box=box.SIMPLE_HEAD,
        pad_edge=False,
        padding=(0, 2, 0, 0),
    )
    headings = (
        "",
        "median step",
        f"mean, up to {most}",
        f"within {few}, %",
        "topical, %",
        "grounded, %",
        "steps",
    )
    for heading in headings:
        table.add_column(heading, justify="right" if heading else "left")
    for arm, row in part["arms"].items():
        middle = "never" if row["median_step"] is None else f"{row['median_step']:g}"
        rates = (percent(row[name]) for name in ("within_few", "topical", "grounded"))
        table.add_row(arm, middle, _number(row["step"]), *rates, _number(row["length"]))
    console.print(table)
    for other, gaps in part["differences"].items():
        said = [f"step {_gap(gaps['step'], 1)}"]
        said += [
            f"{label} {_gap(gaps[name], 100)}"
            for name, label in (
                ("within_few", f"within {few}"),
                ("topical", "topical"),
                ("grounded", "grounded"),
            )
        ]
        console.print(f"{other}: {'; '.join(said)}")


def _gap(gap: dict[str, Any], scale: float) -> str:
    if gap["difference"] is None:
        return "-"
    return f"{scale * gap['difference']:+.1f} ({scale * gap['low']:.1f} to {scale * gap['high']:.1f})"


def _number(value: float | None) -> str:
    return "-" if value is None else f"{value:.1f}"
