"""`core eval recognition|intents|english|constraint`: evaluations of single parts of the system."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from cognition.cli import DEFAULT_PACK, BackendChoice, JsonOption, PackOption
from experiments.options import (
    EvalBackendOption,
    OutOption,
    RecordDirOption,
    RecordOption,
    give_report,
    open_vocabulary,
    record_folder,
)

DataOption = Annotated[
    Path | None,
    typer.Option("--data", metavar="DIR", envvar="CORE_DATA", help="Public data: a folder of data sets."),
]


def eval_recognition(
    data: DataOption = None,
    sample: Annotated[
        int | None,
        typer.Option(
            "--sample", metavar="N", min=1, help="Only print N admitted word problems, one JSON a line."
        ),
    ] = None,
    seed: Annotated[int, typer.Option("--seed", help="Which of them --sample draws.")] = 0,
    as_json: JsonOption = False,
    out: OutOption = None,
    record: RecordOption = False,
    record_dir: RecordDirOption = None,
) -> None:
    """Run the published test of recognition, beside development cases, families of sentences and word problems."""
    import json

    from experiments.metrics.suites import shipped_version
    from experiments.recognition_eval import evaluate_recognition, sample_word_problems, show

    if sample is not None:
        for row in sample_word_problems(data, sample, seed):
            typer.echo(json.dumps(row, ensure_ascii=False))
        return
    samples: list[dict[str, Any]] = []
    give_report(
        evaluate_recognition(data, samples.append),
        show,
        as_json,
        out,
        record=record_folder(record, record_dir),
        samples=samples,
        suite=shipped_version("recognition"),
    )


def eval_intents(
    data: DataOption = None,
    pack: PackOption = DEFAULT_PACK,
    as_json: JsonOption = False,
    out: OutOption = None,
    record: RecordOption = False,
    record_dir: RecordDirOption = None,
) -> None:
    """Score intents on labelled questions, and count answers to prompts that no pack is about."""
    from experiments.intent_eval import evaluate_intents, intents_suite, show_intents

    give_report(
        evaluate_intents(data, open_vocabulary(pack, BackendChoice.numpy)),
        show_intents,
        as_json,
        out,
        record=record_folder(record, record_dir),
        suite=intents_suite(data),
    )


def eval_english(
    data: DataOption = None,
    pack: PackOption = DEFAULT_PACK,
    as_json: JsonOption = False,
    out: OutOption = None,
    record: RecordOption = False,
    record_dir: RecordDirOption = None,
) -> None:
    """Run the checker of English on minimal pairs, and on what the system says to the shipped cases."""
    from experiments.intent_eval import english_suite, evaluate_english, show_english

    give_report(
        evaluate_english(data, open_vocabulary(pack, BackendChoice.numpy)),
        show_english,
        as_json,
        out,
        record=record_folder(record, record_dir),
        suite=english_suite(data),
    )


def eval_constraint(
    pack: PackOption = DEFAULT_PACK,
    backend: EvalBackendOption = BackendChoice.numpy,
    folds: Annotated[
        int,
        typer.Option("--folds", min=0, help="Refits that share out the relations; 0 measures none held out."),
    ] = 5,
    as_json: JsonOption = False,
    out: OutOption = None,
    record: RecordOption = False,
    record_dir: RecordDirOption = None,
) -> None:
    """Compare walks in the graph's region with free walks and random regions.

    The prompts name the subject and the relation of statements of the pack and ask for their objects. Each fold fits
    the geometry anew without its relations: about 15 s a fold on two cores.
    """
    from experiments.constraint_ab import evaluate_constraint, show
    from experiments.metrics.suites import shipped_version

    give_report(
        evaluate_constraint(open_vocabulary(pack, backend), folds=folds),
        show,
        as_json,
        out,
        record=record_folder(record, record_dir),
        suite=shipped_version("constraint"),
    )
