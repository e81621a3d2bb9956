"""`core eval geometry`: the neighbourhoods of a pack, or how well a hierarchy is given back by its points."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

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


class Peer(StrEnum):
    """Other implementations of hyperbolic embeddings."""

    gensim = "gensim"


class HeldOutWay(StrEnum):
    """Which pairs are held out: see `experiments.closure.split`."""

    any = "any"
    inner = "inner"
    unimplied = "unimplied"


def eval_geometry(
    pack: PackOption = DEFAULT_PACK,
    backend: EvalBackendOption = BackendChoice.jax,
    refit: Annotated[
        bool, typer.Option("--refit", help="Fit the pack anew, to count what rounding changes.")
    ] = False,
    closure: Annotated[
        Path | None,
        typer.Option(
            "--closure",
            metavar="FILE",
            help="Instead of a pack: (node, ancestor) pairs, TSV or CSV, .gz too.",
        ),
    ] = None,
    nouns_from: Annotated[
        Path | None,
        typer.Option(
            "--nouns-from",
            metavar="FILE",
            help="Instead of a pack: all hypernymy of a table of noun synsets.",
        ),
    ] = None,
    points: Annotated[
        Path | None, typer.Option("--points", metavar="FILE", help="Measure points of --save-points; no fit.")
    ] = None,
    save_points: Annotated[
        Path | None, typer.Option("--save-points", metavar="FILE", help="Keep the points, one a line.")
    ] = None,
    held_out: Annotated[
        float | None,
        typer.Option("--held-out", metavar="SHARE", help="Hide this share of the pairs, to be predicted."),
    ] = None,
    held_out_way: Annotated[
        HeldOutWay,
        typer.Option(
            "--held-out-way", help="Any pairs, those of no leaf and to no root, or such that none follows."
        ),
    ] = HeldOutWay.inner,
    effort: Annotated[
        float, typer.Option("--effort", min=0.01, max=100, help="Scales the steps of the fit.")
    ] = 1.0,
    seed: Annotated[
        int, typer.Option("--seed", min=0, max=2**32 - 1, help="Of the fit, the split and the peer.")
    ] = 0,
    peer: Annotated[Peer | None, typer.Option("--peer", help="Train this one on the same pairs.")] = None,
    peer_dims: Annotated[
        list[int] | None,
        typer.Option("--peer-dims", min=1, help="In so many dimensions, 5 unless said; repeatable."),
    ] = None,
    as_json: JsonOption = False,
    out: OutOption = None,
    record: RecordOption = False,
    record_dir: RecordDirOption = None,
) -> None:
    """Compare neighbourhoods with chance; or fit a hierarchy, round it, and measure how well it is given back.

    With --closure or --nouns-from: mean average precision and mean rank of the ancestors of each node among all other
    nodes by distance, as published for WordNet, after rounding to the lattice; and whether breadth says which end of a
    pair is the more general one.
    """
    if closure is not None and nouns_from is not None:
        raise typer.BadParameter("give one of --closure and --nouns-from", param_hint="--nouns-from")
    source = closure or nouns_from
    keep = record_folder(record, record_dir)
    from experiments.metrics.suites import shipped_version, suite_of_files

    if source is None:
        given = {
            "--points": points,
            "--save-points": save_points,
            "--held-out": held_out,
            "--peer": peer,
        }
        for name, value in given.items():
            if value is not None:
                raise typer.BadParameter("needs --closure or --nouns-from", param_hint=name)
        from experiments.geometry_eval import evaluate_geometry
        from experiments.geometry_eval import show as show_pack

        report = evaluate_geometry(open_vocabulary(pack, backend), refit=refit, seed=seed)
        give_report(report, show_pack, as_json, out, record=keep, suite=shipped_version("geometry"))
        return
    from experiments.closure.pairs import read_closure, read_synsets
    from experiments.closure.points import read_points, write_points
    from experiments.closure.run import evaluate_closure
    from experiments.closure.show import show

    hierarchy = read_synsets(source) if closure is None else read_closure(source)
    report, found = evaluate_closure(
        hierarchy,
        source=source.name,
        seed=seed,
        effort=effort,
        held_out=held_out,
        way=held_out_way.value,
        points=None if points is None else read_points(points, hierarchy.names),
        peer_dims=() if peer is None else (peer_dims or [5]),
    )
    if save_points is not None:
        write_points(save_points, hierarchy.names, found)
    suite = suite_of_files(source.name, source.parent, [source.name])
    give_report(report, show, as_json, out, record=keep, suite=suite)


def eval_exactness(
    pack: PackOption = DEFAULT_PACK,
    queries: Annotated[int, typer.Option("--queries", min=1, max=1_000_000, help="How many.")] = 10_000,
    devices: Annotated[
        int, typer.Option("--devices", min=1, max=64, help="Devices to split the processor into.")
    ] = 8,
    seed: Annotated[int, typer.Option("--seed", min=0, max=2**32 - 1, help="Of the queries.")] = 0,
    as_json: JsonOption = False,
    out: OutOption = None,
) -> None:
    """Ask the same random queries of a pack in every way of search there is, and count answers that differ.

    Exits with 1 where one does.
    """
    from dataclasses import asdict

    from experiments.exactness import Way, check_exactness, show, simulate_devices

    simulate_devices(devices)  # before anything uses JAX

    def progress(way: Way) -> None:
        typer.echo(f"{way.name}, {way.shards} devices, batch {way.batch}: {way.seconds:.1f} s", err=True)

    vocabulary = open_vocabulary(pack, BackendChoice.numpy)
    found = check_exactness(
        vocabulary.points,
        queries=queries,
        seed=seed,
        shards=sorted({1, min(2, devices), devices}),
        progress=progress,
    )
    report = asdict(found) | {"pack": vocabulary.pack.manifest.id, "failed": len(found.failed)}
    give_report(report, show, as_json, out)
    if found.failed:
        raise typer.Exit(1)
