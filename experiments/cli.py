"""The `core` command, composed from one small Typer app a package. Heavy modules load inside the commands."""

from __future__ import annotations

import sys
from io import TextIOWrapper
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from cognition.cli import DEFAULT_PACK, BackendChoice, JsonOption, PackOption
from cognition.cli import app as cognition_app
from cognition.pack_cli import app as pack_app
from cognition.review_cli import app as review_app
from cognition.session_cli import app as session_app
from experiments.bench_cli import app as bench_app
from experiments.characterise_cli import characterise_command
from experiments.cognition_cli import eval_cognition
from experiments.eval_cli import eval_constraint, eval_english, eval_intents, eval_recognition
from experiments.geometry_cli import eval_exactness, eval_geometry
from experiments.maintenance_cli import app as maintenance_app
from experiments.options import EvalBackendOption, OutOption, SplitOption, give_report, open_vocabulary
from experiments.runs_cli import app as runs_app
from recognition.cli import FileError
from recognition.cli import app as recognition_app

if TYPE_CHECKING:
    from cognition.packs.vocabulary import Vocabulary
    from experiments.metrics.cases import Suite


app = typer.Typer(
    add_completion=False, rich_markup_mode=None, pretty_exceptions_enable=False, invoke_without_command=True
)
experiments_app = typer.Typer()
eval_app = typer.Typer(no_args_is_help=True, help="Evaluations, beside baselines and controls.")
app.add_typer(cognition_app)
app.add_typer(pack_app, name="pack")
app.add_typer(session_app)
app.add_typer(review_app, name="review")
app.add_typer(recognition_app)
app.add_typer(experiments_app)
app.add_typer(maintenance_app)
app.add_typer(runs_app, name="runs")
experiments_app.add_typer(eval_app, name="eval")
experiments_app.add_typer(bench_app, name="bench")


@app.callback()
def core(context: typer.Context) -> None:
    """Answers from curated knowledge: cited, or refused with a reason."""
    data = Path(__file__).parent / "data"
    context.obj = {"golden": [data / "cognition_public.jsonl", data / "cognition_dev.jsonl"]}
    if context.invoked_subcommand is None:
        typer.echo(context.get_help())


eval_app.command("cognition")(eval_cognition)
eval_app.command("recognition")(eval_recognition)
eval_app.command("intents")(eval_intents)
eval_app.command("english")(eval_english)
experiments_app.command("characterise")(characterise_command)
eval_app.command("geometry")(eval_geometry)
eval_app.command("exactness")(eval_exactness)
eval_app.command("constraint")(eval_constraint)


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
