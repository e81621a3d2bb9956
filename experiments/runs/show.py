"""Runs and their differences for people."""

from __future__ import annotations

from typing import Any

from rich import box
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from experiments.harness import percent

HEADLINE = ".term_capture_rate"
GLANCE = (
    "dev",
    "families.all.right",
    "families.all.wrong",
    "sets.nfcats.classes.procedure.f1",
    "sets.nfcats.classes.cause.f1",
    "sets.snips.false_answer_rate",
    "all.pairs",
    "all.bad_reported",
    "all.good_passed",
    "common_domain.share",
    "common_domain.chance",
    "fitted.arms.off.within_few",
    "fitted.arms.on.within_few",
    "held_out.arms.on.within_few",
)
"""What is shown of a run without term capture, if it is there."""
FIGURES = 3
"""How many figures are shown of any other run."""
COMMIT = 7
HASH = "hash"
CLIPPED = 160
METRICS = 20
"""Figures that are listed by name; `--json` has all."""


def show_list(report: dict[str, Any], console: Console) -> None:
    """Prints the runs of a folder, the newest first."""
    for run in report["runs"]:
        suite, samples = run["suite"], run["samples"]
        rows = "" if samples is None else f", {samples['rows']} samples"
        console.print(
            f"[bold]{run['id']}[/bold]  {escape(suite['name'])} {suite['version']}{rows}  {_commit(run['git'])}",
            soft_wrap=True,
        )
        console.print(f"  {escape(_glance(run['metrics']))}", soft_wrap=True)
        console.print(f"  [dim]{escape(_where(run))}[/dim]", soft_wrap=True)
    for broken in report["damaged"]:
        console.print(
            f"[yellow]damaged:[/yellow] {escape(broken['file'])}: {escape(broken['reason'])}", soft_wrap=True
        )
    for name in report["unfinished"]:
        console.print(
            f"unfinished: {escape(name)}: the command that began it goes on with it", soft_wrap=True
        )
    if not (report["runs"] or report["damaged"]):
        console.print(f"{escape(report['folder'])} has no runs; {escape(report['how_to'])}", soft_wrap=True)


def _commit(git: dict[str, Any]) -> str:
    """The commit, with a star where the checkout differed from it."""
    if git["commit"] is None:
        return "no commit"
    return f"{git['commit'][:COMMIT]}{'*' if git['dirty'] else ''}"


def _where(run: dict[str, Any]) -> str:
    device = f", {run['backend']} on {run['device']}" if run["backend"] else ""
    pack = f", {run['pack']['id']} {run['pack']['version']}" if run["pack"] else ""
    return f"{run['machine']}{device}{pack}"


def _glance(metrics: dict[str, Any]) -> str:
    captured = {name: value for name, value in metrics.items() if name.endswith(HEADLINE)}
    if captured:
        arms = (
            f"{name.removesuffix(HEADLINE).rpartition('.')[2]} {percent(v)}" for name, v in captured.items()
        )
        return f"term capture: {', '.join(arms)}"
    known = [f"{name} {_value(name, metrics)}" for name in GLANCE if _value(name, metrics) is not None]
    first = [f"{name} {_number(value)}" for name, value in metrics.items() if value is not None][:FIGURES]
    return ", ".join(known or first) or "no figures"


def _value(name: str, metrics: dict[str, Any]) -> str | None:
    """A figure, or the two counts of one that is given as [right, all]."""
    if f"{name}.0" in metrics:
        return f"{metrics[f'{name}.0']}/{metrics[f'{name}.1']}"
    return _number(metrics[name]) if name in metrics else None


def _number(value: float | None) -> str:
    return "-" if value is None else f"{value:.6g}"


def show_run(run: dict[str, Any], console: Console) -> None:
    """Prints one record."""
    suite, samples = run["suite"], run["samples"]
    lines = {
        "run": run["id"],
        "time": run["time"],
        "command": " ".join(run["command"]),
        "suite": f"{suite['name']} version {suite['version']}",
        "samples": "none" if samples is None else f"{samples['rows']} in {samples['file']}",
        "commit": f"{run['git']['commit'] or 'none'}{' and changes beside it' if run['git']['dirty'] else ''}",
        "versions": ", ".join(f"{name} {found or '-'}" for name, found in run["versions"].items()),
        "machine": f"{_where(run)}; {run['platform']}",
        "config": _settings(run["config"]),
        "execution": _settings(run["execution"]),
    }
    for name, text in lines.items():
        if text:
            console.print(f"{name:<10}{escape(text)}", soft_wrap=True)
    table = _table("figure", "")
    for name, value in run["metrics"].items():
        table.add_row(escape(name), _number(value))
    console.print(table)


def _settings(values: dict[str, Any]) -> str:
    return ", ".join(f"{name} {value}" for name, value in values.items())


def _table(*headings: str) -> Table:
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, padding=(0, 2, 0, 0))
    for place, heading in enumerate(headings):
        table.add_column(heading, justify="right" if place else "left", overflow="fold")
    return table


def show_comparison(report: dict[str, Any], console: Console) -> None:
    """Prints what the second run has other than the first."""
    suite = report["suite"]
    console.print(
        f"{report['first']} -> {report['second']}, suite {escape(suite['name'])} version {suite['version']}",
        soft_wrap=True,
    )
    if not report["else"]:
        console.print("same commit, versions, pack, configuration and machine")
    if report["dirty"]:
        console.print("a checkout had changes beside its commit: the code may not be the same")
    for gap in report["else"]:
        console.print(
            f"  {escape(gap['field'])}: {_clip(gap['first'])} -> {_clip(gap['second'])}", soft_wrap=True
        )
    if report["samples"] is None:
        console.print("no samples to compare")
    else:
        _show_samples(report["samples"], console)
        _show_scores(report["scores"], console)
    metrics = report["metrics"]
    if not metrics:
        console.print("no figure of the report differs")
        return
    table = _table("figure of the report", "first", "second", "difference")
    for gap in metrics[:METRICS]:
        table.add_row(escape(gap["name"]), *(_number(gap[key]) for key in ("first", "second", "difference")))
    console.print(table)
    if len(metrics) > METRICS:
        console.print(f"and {len(metrics) - METRICS} more figures: --json has all")


def _show_samples(samples: dict[str, Any], console: Console) -> None:
    console.print(
        f"samples: {samples['same']} the same, {samples['changed']} changed, "
        f"{samples['only_first']} only in the first, {samples['only_second']} only in the second",
        soft_wrap=True,
    )
    if samples["by_field"]:
        counted = ", ".join(f"{field} {count}" for field, count in samples["by_field"].items())
        console.print(f"changed: {escape(counted)}", soft_wrap=True)
    for sample in samples["listed"]:
        arm = escape(f" [{sample['arm']}]") if sample["arm"] else ""
        prompt = "" if sample["prompt"] is None else f" {escape(sample['prompt'])}"
        console.print(f"[bold]{escape(sample['id'])}[/bold]{arm}{prompt}", soft_wrap=True)
        fields = {name: gap for name, gap in sample["fields"].items() if name != HASH} or sample["fields"]
        for field, (one, other) in fields.items():
            console.print(f"  {escape(field)}: {_clip(one)}\n    -> {_clip(other)}", soft_wrap=True)
    for side in ("first", "second"):
        for sample in samples[f"listed_only_{side}"]:
            arm = escape(f" [{sample['arm']}]") if sample["arm"] else ""
            console.print(f"only in the {side}: {escape(sample['id'])}{arm}", soft_wrap=True)
    left = samples["changed"] - len(samples["listed"])
    if left:
        console.print(f"and {left} more changed samples: --limit N lists more")


def _show_scores(scores: list[dict[str, Any]], console: Console) -> None:
    changed = [score for score in scores if score["low"] or score["high"] or score["difference"]]
    if not changed:
        console.print(f"none of {len(scores)} scores differs")
        return
    table = _table("score", "first", "second", "difference [95 %]", "n")
    for score in changed:
        gap = f"{score['difference']:+.4f} [{score['low']:+.4f}, {score['high']:+.4f}]"
        means = (f"{score[key]:.4f}" for key in ("first", "second"))
        table.add_row(escape(f"{score['name']}, {score['arm']}"), *means, gap, str(score["n"]))
    console.print(table)
    console.print(f"{len(scores) - len(changed)} of {len(scores)} scores do not differ")


def _clip(value: Any) -> str:
    listed = isinstance(value, list) and all(isinstance(part, str) for part in value)
    text = ", ".join(value) or "none" if listed else str(value)
    return escape(text if len(text) <= CLIPPED else f"{text[: CLIPPED - 1]}…")
