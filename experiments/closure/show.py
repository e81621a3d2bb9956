"""The report of `core eval geometry --closure` for people."""

from __future__ import annotations

from typing import Any

from rich import box
from rich.console import Console
from rich.table import Table

from experiments.harness import percent


def show(report: dict[str, Any], console: Console) -> None:
    """Prints the report for people."""
    run, fit, lattice = report["run"], report["fit"], report["lattice"]
    known = ", ".join(f"{name} {version}" for name, version in run["versions"].items() if version)
    console.print(f"{report['source']}: {report['nodes']:,} nodes, {report['pairs']:,} pairs")
    console.print(f"{run['machine']}; {run['device']}; {known}")
    _ranks(report, console)
    spread = report["ranks"]
    console.print(
        f"{percent(spread['first'])} % of the pairs at rank 1; 95 % at {spread['p95']:,}, 99 % at {spread['p99']:,} "
        "or better"
    )
    console.print(
        f"on the lattice: {lattice['bits']:.1f} of 24 bits, radius {lattice['radius']:.1f}, least breadth "
        f"{lattice['least_breadth']}, {lattice['coarse']:,} coarse"
    )
    if fit is not None:
        console.print(
            f"fit: {fit['steps']:,} steps, seed {fit['seed']}, effort {fit['effort']:g}; {fit['clamped']:,} clamped, "
            f"{fit['collisions']:,} moved; rounding changed {fit['changed_neighbourhoods']:,} of {fit['checked']:,} "
            "neighbourhoods"
        )
    _direction(report["direction"], console)
    held = report["held_out"]
    if held is not None:
        console.print(
            f"{held['pairs']:,} pairs held out ({held['way']}), {percent(held['implied'])} % implied by the rest; "
            f"at random places their mean rank is {held['chance_mean_rank']:,.0f}; right direction by breadth "
            f"{percent(held['direction']['breadth'])} %, by the middle {percent(held['direction']['middle'])} %"
        )


def _ranks(report: dict[str, Any], console: Console) -> None:
    busy = None if report["fit"] is None else report["fit"]["cpu_seconds"]
    rows = [("CORE, rounded", report["dims"], report, report["as_gensim"], busy)]
    for peer in report["peers"]:
        chosen = peer["settings"]
        name = f"gensim {peer['version']}, {chosen['epochs']} epochs"
        rows.append((name, chosen["size"], peer, peer["own"], peer["cpu_seconds"]))
    table = _table(
        "", "dims", "MAP", "rank", "gensim's MAP", "unseen: MAP", "rank", "seconds", "of processor"
    )
    for name, dims, found, own, busy in rows:
        held = found["held_out"]
        table.add_row(
            name,
            str(dims),
            f"{found['map']:.3f}",
            f"{found['mean_rank']:.2f}",
            f"{own['map']:.3f}",
            "-" if held is None else f"{held['map']:.3f}",
            "-" if held is None else f"{held['mean_rank']:.2f}",
            "-" if found["seconds"] is None else f"{found['seconds']:.1f}",
            "-" if busy is None else f"{busy:.1f}",
        )
    console.print(table)


def _direction(direction: dict[str, Any], console: Console) -> None:
    table = _table("ancestor is the more general one, %", "pairs", "by breadth", "by the middle", "by depth")
    for label, key in (("all pairs", "all"), ("parents", "to_parents")):
        row = direction[key]
        table.add_row(
            label, f"{row['pairs']:,}", *(percent(row[name]) for name in ("breadth", "middle", "depth"))
        )
    table.add_row("at random", "", percent(direction["chance"]), percent(direction["chance"]), "")
    rho = direction["rank_correlation"]
    shown = ("-" if rho[name] is None else f"{rho[name]:.3f}" for name in ("breadth", "middle", "depth"))
    table.add_row("rank correlation with the level", "", *shown)
    console.print(table)


def _table(*headings: str) -> Table:
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, padding=(0, 2, 0, 0))
    for i, heading in enumerate(headings):
        table.add_column(heading, justify="right" if i else "left")
    return table
