"""The `core` command, composed from one small Typer app a package. Heavy modules load inside the commands."""

from __future__ import annotations

import sys
from enum import StrEnum
from io import TextIOWrapper
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from cognition.cli import DEFAULT_PACK, BackendChoice, JsonOption, PackOption, Span, SpanOption
from cognition.cli import app as cognition_app
from cognition.pack_cli import app as pack_app
from cognition.review_cli import app as review_app
from cognition.session_cli import app as session_app
from experiments.geometry_cli import eval_exactness, eval_geometry
from experiments.options import EvalBackendOption, OutOption, give_report, open_vocabulary
from recognition.cli import FileError
from recognition.cli import app as recognition_app

if TYPE_CHECKING:
    from collections.abc import Sequence

    from cognition.packs.vocabulary import Vocabulary
    from experiments.metrics.cases import Suite


class Flag(StrEnum):
    """The states of the constraint that an evaluation runs."""

    off = "off"
    on = "on"
    both = "both"


app = typer.Typer(
    add_completion=False, rich_markup_mode=None, pretty_exceptions_enable=False, invoke_without_command=True
)
experiments_app = typer.Typer()
eval_app = typer.Typer(no_args_is_help=True, help="Evaluations, beside baselines and controls.")
bench_app = typer.Typer(no_args_is_help=True, help="Benchmarks, with machine and versions.")
app.add_typer(cognition_app)
app.add_typer(pack_app, name="pack")
app.add_typer(session_app)
app.add_typer(review_app, name="review")
app.add_typer(recognition_app)
app.add_typer(experiments_app)
experiments_app.add_typer(eval_app, name="eval")
experiments_app.add_typer(bench_app, name="bench")

SplitOption = Annotated[
    str, typer.Option("--split", metavar="public|dev|FILE", help="Which cases: a split, or a JSONL file.")
]
DataOption = Annotated[
    Path | None,
    typer.Option("--data", metavar="DIR", envvar="CORE_DATA", help="Public data: a folder of data sets."),
]


@app.callback()
def core(context: typer.Context) -> None:
    """Answers from curated knowledge: cited, or refused with a reason."""
    data = Path(__file__).parent / "data"
    context.obj = {"golden": [data / "cognition_public.jsonl", data / "cognition_dev.jsonl"]}
    if context.invoked_subcommand is None:
        typer.echo(context.get_help())


@eval_app.command("cognition")
def eval_cognition(
    split: SplitOption = "public",
    forward_graph_constraint: Annotated[
        Flag, typer.Option("--forward-graph-constraint", help="Which states of the constraint to run.")
    ] = Flag.both,
    backend: EvalBackendOption = BackendChoice.jax,
    pack: PackOption = DEFAULT_PACK,
    subject_span: SpanOption = Span.head,
    arms: Annotated[
        str | None,
        typer.Option(
            "--arms", metavar="ARM,...", help="off, on, null_vocab, null_domain, echo, dump, gloss."
        ),
    ] = None,
    top_k: Annotated[int | None, typer.Option("--top-k", min=1, help="Other than the default.")] = None,
    max_tokens: Annotated[
        int | None, typer.Option("--max-tokens", min=0, max=4096, help="Other than the default.")
    ] = None,
    as_json: JsonOption = False,
    out: OutOption = None,
) -> None:
    """Score the answers to a split, beside controls.

    Baselines and null controls answer the same cases and are scored by the same code.

    --arms chooses arms one by one; without it "both" runs all of them, "off" and "on" that arm and the
    baselines that answer without a walk.
    """
    from cognition.config import RuntimeConfig
    from experiments.cognition_eval.run import ARMS, BASELINES, evaluate
    from experiments.cognition_eval.show import show

    chosen: Sequence[str] = ARMS
    if arms is not None:
        chosen = arms.split(",")
    elif forward_graph_constraint is not Flag.both:
        chosen = (forward_graph_constraint.value, *BASELINES)
    vocabulary = open_vocabulary(pack, backend)
    suite = _suite(split, vocabulary)
    given = {"top_k": top_k, "max_tokens": max_tokens}
    settings = {name: value for name, value in given.items() if value is not None}
    config = RuntimeConfig.from_mapping({"subject_span": subject_span.value, **settings})
    give_report(evaluate(suite, vocabulary, config=config, arms=chosen), show, as_json, out)


@eval_app.command("recognition")
def eval_recognition(
    data: Annotated[
        Path | None,
        typer.Option("--data", metavar="DIR", envvar="CORE_DATA", help="Public data: a folder of data sets."),
    ] = None,
    sample: Annotated[
        int | None,
        typer.Option(
            "--sample", metavar="N", min=1, help="Only print N admitted word problems, one JSON a line."
        ),
    ] = None,
    seed: Annotated[int, typer.Option("--seed", help="Which of them --sample draws.")] = 0,
    as_json: JsonOption = False,
    out: OutOption = None,
) -> None:
    """Run the published test of recognition, beside development cases, families of sentences and word problems."""
    import json

    from experiments.recognition_eval import evaluate_recognition, sample_word_problems, show

    if sample is not None:
        for row in sample_word_problems(data, sample, seed):
            typer.echo(json.dumps(row, ensure_ascii=False))
        return
    give_report(evaluate_recognition(data), show, as_json, out)


@eval_app.command("intents")
def eval_intents(
    data: DataOption = None,
    pack: PackOption = DEFAULT_PACK,
    as_json: JsonOption = False,
    out: OutOption = None,
) -> None:
    """Score intents on labelled questions, and count answers to prompts that no pack is about."""
    from experiments.intent_eval import evaluate_intents, show_intents

    give_report(
        evaluate_intents(data, open_vocabulary(pack, BackendChoice.numpy)), show_intents, as_json, out
    )


@eval_app.command("english")
def eval_english(
    data: DataOption = None,
    pack: PackOption = DEFAULT_PACK,
    as_json: JsonOption = False,
    out: OutOption = None,
) -> None:
    """Run the checker of English on minimal pairs, and on what the system says to the shipped cases."""
    from experiments.intent_eval import evaluate_english, show_english

    give_report(
        evaluate_english(data, open_vocabulary(pack, BackendChoice.numpy)), show_english, as_json, out
    )


eval_app.command("geometry")(eval_geometry)
eval_app.command("exactness")(eval_exactness)


@eval_app.command("constraint")
def eval_constraint(
    pack: PackOption = DEFAULT_PACK,
    backend: EvalBackendOption = BackendChoice.numpy,
    folds: Annotated[
        int,
        typer.Option("--folds", min=0, help="Refits that share out the relations; 0 measures none held out."),
    ] = 5,
    as_json: JsonOption = False,
    out: OutOption = None,
) -> None:
    """Compare walks in the graph's region with free walks and random regions.

    The prompts name the subject and the relation of statements of the pack and ask for their objects. Each fold fits
    the geometry anew without its relations: about 15 s a fold on two cores.
    """
    from experiments.constraint_ab import evaluate_constraint, show

    give_report(evaluate_constraint(open_vocabulary(pack, backend), folds=folds), show, as_json, out)


@experiments_app.command("ratify-roc")
def ratify_roc_command(
    split: SplitOption = "dev",
    backend: EvalBackendOption = BackendChoice.numpy,
    pack: PackOption = DEFAULT_PACK,
    as_json: JsonOption = False,
    out: OutOption = None,
) -> None:
    """Measure whether the field tells right intents from swapped ones."""
    from experiments.ratify_roc import ratify_roc, show

    vocabulary = open_vocabulary(pack, backend)
    give_report(ratify_roc(_suite(split, vocabulary), vocabulary), show, as_json, out)


@experiments_app.command("engagement")
def engagement_command(
    split: SplitOption = "public",
    backend: EvalBackendOption = BackendChoice.numpy,
    pack: PackOption = DEFAULT_PACK,
    as_json: JsonOption = False,
    out: OutOption = None,
) -> None:
    """Show the region of each prompt's graph, as in ADR-0047."""
    from experiments.engagement import engagement, show

    vocabulary = open_vocabulary(pack, backend)
    give_report(engagement(_suite(split, vocabulary), vocabulary), show, as_json, out)


@bench_app.command("turn")
def bench_turn_command(
    pack: PackOption = DEFAULT_PACK, as_json: JsonOption = False, out: OutOption = None
) -> None:
    """Time warm turns, batches and a cold start."""
    from experiments.bench.turn import bench_turn, show

    give_report(bench_turn(pack), show, as_json, out)


@bench_app.command("session")
def bench_session_command(
    pack: PackOption = DEFAULT_PACK,
    events: Annotated[int, typer.Option("--events", min=1, help="How long the session is.")] = 100_000,
    as_json: JsonOption = False,
    out: OutOption = None,
) -> None:
    """Time a long session: opening it, asking in it, taking back."""
    from experiments.bench.session import bench_session, show

    give_report(bench_session(pack, events=events), show, as_json, out)


QuickOption = Annotated[bool, typer.Option("--quick", help="Fewer sizes and repeats: under a minute or two.")]
WriteOption = Annotated[
    Path | None, typer.Option("--write", metavar="FILE", help="Write the tables to a Markdown file as well.")
]


@bench_app.command("cga")
def bench_cga_command(
    quick: QuickOption = False, as_json: JsonOption = False, out: OutOption = None, write: WriteOption = None
) -> None:
    """Time the algebra beside kingdon and clifford."""
    from experiments.bench.cga import bench_cga
    from experiments.bench.tables import markdown_cga, show_cga

    report = bench_cga(quick=quick)
    if write is not None:
        _write(write, markdown_cga(report))
    give_report(report, show_cga, as_json, out)


@bench_app.command("search")
def bench_search_command(
    quick: QuickOption = False, as_json: JsonOption = False, out: OutOption = None, write: WriteOption = None
) -> None:
    """Time the exact nearest words beside FAISS, hnswlib and NumPy."""
    from experiments.bench.search import bench_search
    from experiments.bench.tables import markdown_search, show_search

    report = bench_search(quick=quick)
    if write is not None:
        _write(write, markdown_search(report))
    give_report(report, show_search, as_json, out)


@bench_app.command("recognition")
def bench_recognition_command(
    quick: QuickOption = False, as_json: JsonOption = False, out: OutOption = None, write: WriteOption = None
) -> None:
    """Time recognition, admitted and refused, beside spaCy's Matcher."""
    from experiments.bench.recognition import bench_recognition, markdown, show

    report = bench_recognition(quick=quick)
    if write is not None:
        _write(write, markdown(report))
    give_report(report, show, as_json, out)


def _write(path: Path, text: str) -> None:
    try:
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise ValueError(f"--write {path}: can't be written ({error.strerror})") from None


def _suite(split: str, vocabulary: Vocabulary) -> Suite:
    from experiments.metrics.cases import load_suite
    from experiments.metrics.lexicon import Lexicon

    return load_suite(split, Lexicon(vocabulary))


def main() -> None:
    """Runs the command: 0 for an answer or a refusal, 2 with one line for wrong usage or a file that can't be used."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="replace")  # a terminal that lacks a letter shows "?" for it
    try:
        app(prog_name="core")
    except Exception as error:
        from cognition.eventlog import StoreError
        from cognition.packs.load import PackError
        from cognition.session.events import SessionError
        from experiments.harness import UsageError
        from experiments.metrics.cases import CaseError
        from recognition import TeachingError

        known = (PackError, CaseError, UsageError, TeachingError, SessionError, StoreError, FileError)
        if not isinstance(error, known):
            raise
        print(f"core: {' '.join(str(error).split())}", file=sys.stderr)
        sys.exit(2)
