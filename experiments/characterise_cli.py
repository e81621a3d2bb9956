"""`core characterise`: when and why the graph constraint engages, as a report with pictures."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from cognition.cli import DEFAULT_PACK, BackendChoice, JsonOption, PackOption
from experiments.options import EvalBackendOption, give_report, open_vocabulary

if TYPE_CHECKING:
    from cognition.packs.vocabulary import Vocabulary
    from experiments.metrics.cases import Suite


def characterise_command(
    pack: PackOption = DEFAULT_PACK,
    split: Annotated[
        str,
        typer.Option(
            "--split",
            metavar="public|dev|generated|FILE",
            help="Which cases: a split, prompts made from the pack, or a JSONL file.",
        ),
    ] = "dev",
    backend: EvalBackendOption = BackendChoice.numpy,
    out: Annotated[
        Path | None,
        typer.Option("--out", metavar="DIR", help="Write characterisation.md and its pictures there."),
    ] = None,
    as_json: JsonOption = False,
    quick: Annotated[
        bool, typer.Option("--quick", help="Fewer sizes, and no refits: under a minute.")
    ] = False,
    part: Annotated[
        list[str] | None,
        typer.Option(
            "--part",
            metavar="PART",
            help="Measure this part alone; repeatable. engagement, top_k, overlap, exhaustion, lift, held_out, losses.",
        ),
    ] = None,
    top_k: Annotated[
        list[int] | None, typer.Option("--top-k", metavar="N", min=1, help="A size to measure; repeatable.")
    ] = None,
    folds: Annotated[
        int, typer.Option("--folds", metavar="N", min=2, help="Refits that share out the relations.")
    ] = 5,
    saved: Annotated[
        Path | None,
        typer.Option("--from", metavar="FILE", help="Take the parts of a saved JSON object over."),
    ] = None,
) -> None:
    """Measure when the graph constraint engages, what it does to a walk, and which default follows.

    The full report fits the points ten times anew, about 15 s each on two cores. Its parts can be measured one after
    another: save the JSON object of one with --json, and give it to the next with --from.
    """
    from experiments.characterise.report import prepare, read_report, show, write_report
    from experiments.characterise.run import characterise

    earlier = None if saved is None else read_report(saved)
    if out is not None:
        prepare(out)
    vocabulary = open_vocabulary(pack, backend)
    suites = _suites(split, vocabulary)
    report = characterise(
        suites[0],
        vocabulary,
        others=suites[1:],
        quick=quick,
        parts=part,
        top_ks=top_k,
        folds=folds,
        saved=earlier,
        progress=lambda name: typer.echo(f"measuring {name} ...", err=True),
    )
    if out is not None:
        path = write_report(report, out)
        typer.echo(f"written: {path}", err=True)
    give_report(report, show, as_json, None)


def _suites(split: str, vocabulary: Vocabulary) -> list[Suite]:
    """The suite that is measured, then those whose engagement is given beside it."""
    from experiments.characterise.arms import GENERATED, generated_suite
    from experiments.metrics.cases import SPLITS, load_suite
    from experiments.metrics.lexicon import Lexicon

    lexicon = Lexicon(vocabulary)
    made = generated_suite(vocabulary)
    if split == GENERATED:
        return [made]
    shipped = [other for other in SPLITS if other != split] if split in SPLITS else []
    return [*(load_suite(name, lexicon) for name in (split, *shipped)), made]
