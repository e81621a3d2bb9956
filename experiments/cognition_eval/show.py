"""The report of the evaluation for people."""

from __future__ import annotations

from typing import Any

from rich import box
from rich.console import Console
from rich.markup import escape
from rich.padding import Padding
from rich.table import Table

from experiments.harness import percent
from experiments.metrics.summary import BUDGETS

HEADINGS = {"null_vocab": "null\nvocab", "null_domain": "null\ndomain"}
RATES = (
    ("intent accuracy", "intent_accuracy"),
    ("surface groundedness", "surface_groundedness"),
    ("term capture", "term_capture_rate"),
    ("term precision", "term_precision"),
    ("provenance coverage", "provenance_coverage"),
    ("versor closure", "versor_closure_rate"),
    ("refusal accuracy", "refusal_accuracy"),
)
COUNTS = (
    ("answered", "answered"),
    ("turns walked", "turns_walked"),
    ("regions built", "regions_built"),
    ("constraints engaged", "constraints_engaged"),
    ("exhaustions", "exhaustions"),
)
ALL_CASES_UP_TO = 20
SHOWN_OF_MANY = 5


def show(report: dict[str, Any], console: Console) -> None:
    """Prints the figures of the arms, their differences, the answers and what they missed."""
    suite, run, arms = report["suite"], report["run"], report["arms"]
    pack, config = run["pack"], run["config"]
    console.print(
        f"cognition, split {escape(suite['split'])}: {suite['n']} cases; pack {pack['id']} {pack['version']}\n"
        f"backend {run['backend']} ({run['device']}), top_k {config['top_k']}, "
        f"max_tokens {config['max_tokens']}, subject span {config['subject_span']}"
    )
    console.print(_figures(arms))
    if report["differences"]:
        console.print(_differences(report["differences"]))
    if suite["n"] > ALL_CASES_UP_TO:
        console.print(_categories(arms))
    _notes(arms, console)
    _answers(arms, console)
    _warnings(arms, console)
    if "stream" in report:
        _stream(report["stream"], report["throughput"], console)


def _stream(arms: dict[str, Any], throughput: dict[str, Any], console: Console) -> None:
    """What a long run counted, and how fast it was."""
    table = _by_arm("the stream: turns", arms)
    for label, key in (("all", "turns"), *COUNTS):
        if key != "regions_built":
            table.add_row(label, *(f"{arms[arm].get(key, 0):,}" for arm in arms))
    for code in sorted({code for figures in arms.values() for code in figures["refusals"]}):
        counts = (f"{figures['refusals'].get(code, 0):,}" for figures in arms.values())
        table.add_row(f"  refused, {code}", *counts, style="dim")
    table.add_row("versor closure", *(percent(figures["versor_closure_rate"]) for figures in arms.values()))
    console.print(table)
    rate, walked = throughput["turns_per_second"], throughput["walked_turns_per_second"]
    if rate is None:
        console.print("nothing was left to run: all rows were there")
        return
    count = throughput["processes"]
    console.print(
        f"{throughput['turns']:,} turns in {throughput['seconds']:.1f} s, batches of {throughput['batch']:,}, "
        f"{count} process{'es' if count > 1 else ''}: "
        f"{rate:,.0f} turns a second, {walked:,.0f} walked turns a second"
    )
    early, end = (max(one[key] for one in throughput["memory_mib"]) for key in ("early", "end"))
    console.print(
        f"memory of a process: {early:,.0f} MiB after a tenth of the turns, {end:,.0f} MiB at the end"
    )


def _by_arm(heading: str, arms: dict[str, Any]) -> Table:
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, padding=(0, 1, 0, 0))
    table.add_column(heading, no_wrap=True)
    for arm in arms:
        table.add_column(HEADINGS.get(arm, arm), justify="right", vertical="bottom", min_width=6)
    return table


def _figures(arms: dict[str, Any]) -> Table:
    table = _by_arm("rates in %", arms)
    for label, key in RATES:
        rates = (percent(None if key in figures["undefined"] else figures[key]) for figures in arms.values())
        table.add_row(label, *rates)
        if key == "term_capture_rate":
            for supplier in ("gloss", "relation", "walk"):
                rates = (percent(arms[arm]["capture_by_supplier"][supplier]) for arm in arms)
                table.add_row(f"  supplied by {supplier}", *rates, style="dim")
            for steps in BUDGETS:
                rates = (percent(arms[arm]["walk_capture_within"][str(steps)]) for arm in arms)
                table.add_row(f"    within {steps} steps", *rates, style="dim")
    table.add_section()
    for label, key in COUNTS:
        table.add_row(label, *(str(arms[arm][key]) for arm in arms))
    lengths = (arms[arm]["walk_length"] for arm in arms)
    table.add_row("steps a walk", *("-" if length is None else f"{length:.1f}" for length in lengths))
    table.add_row("max |F ~F - 1|", *(_tiny(arms[arm]["max_versor_condition"]) for arm in arms))
    return table


def _tiny(value: float | None) -> str:
    return "-" if value is None else f"{value:.0e}"


def _differences(differences: dict[str, Any]) -> Table:
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, padding=(0, 2, 0, 0))
    table.add_column("points [95 %]", no_wrap=True)
    for label in ("term capture", f"walked in {BUDGETS[0]} steps"):
        table.add_column(label, justify="right")
        table.add_column("n", justify="right")
    for pair, values in differences.items():
        within = values[f"walk_capture_within_{BUDGETS[0]}"]
        found = (values["term_capture_rate"], within)
        cells = (cell for value in found for cell in (_interval(value), str(value["n"])))
        table.add_row(pair.replace("-", " - "), *cells)
    return table


def _interval(value: dict[str, Any]) -> str:
    if value["difference"] is None:
        return "-"
    middle, low, high = (f"{100 * value[key]:+.1f}" for key in ("difference", "low", "high"))
    return f"{middle} [{low}, {high}]"


def _categories(arms: dict[str, Any]) -> Table:
    table = _by_arm("term capture in %", arms)
    for category in next(iter(arms.values()))["capture_by_category"]:
        rates = (percent(figures["capture_by_category"][category]) for figures in arms.values())
        table.add_row(escape(category), *rates)
    return table


def _notes(arms: dict[str, Any], console: Console) -> None:
    for arm, figures in arms.items():
        if figures["refusals"]:
            counted = ", ".join(f"{code} {count}" for code, count in figures["refusals"].items())
            console.print(f"refusals, {arm}: {counted}")
    if "null_domain" in arms:
        extra = arms["null_domain"]["topped_up"]
        console.print(f"null_domain: {extra} words of all regions came from outside the subject's domains")


def _shown(arms: dict[str, Any]) -> str:
    """The arm whose answers are printed: the constrained one where it ran, else the first."""
    return "on" if "on" in arms else next(iter(arms))


def _answers(arms: dict[str, Any], console: Console) -> None:
    arm = _shown(arms)
    cases = arms[arm]["cases"]
    chosen = cases
    if len(cases) > ALL_CASES_UP_TO:
        chosen = [case for case in cases if _missed(case)]
        chosen += [case for case in cases if not _missed(case)][:SHOWN_OF_MANY]
    console.print(f"\nanswers, arm {arm} ({len(chosen)} of {len(cases)} cases)")
    unconstrained = {case["id"]: case for case in arms["off"]["cases"]} if "off" in arms else {}
    for case in chosen:
        _answer(escape(case["prompt"]), case, console)
        other = unconstrained.get(case["id"], case)
        if other["surface"] != case["surface"]:
            _answer("  [dim]off[/dim]", other, console)


def _answer(prompt: str, case: dict[str, Any], console: Console) -> None:
    cited = ", ".join(case["citations"])
    reason = f" [yellow]({case['refusal']})[/yellow]" if case["refusal"] else ""
    console.print(f"[bold]{prompt}[/bold]")
    text = f"→ {escape(case['surface'])}{reason}" + (f" [dim]{escape(f'[{cited}]')}[/dim]" if cited else "")
    console.print(Padding(text, (0, 0, 0, 2)))


def _warnings(arms: dict[str, Any], console: Console) -> None:
    """What the system's cases missed; the arms that missed the same share a line."""
    found: dict[tuple[str, str], list[str]] = {}
    for arm in ("off", "on"):
        for case in arms[arm]["cases"] if arm in arms else ():
            for what in _missed(case):
                found.setdefault((case["id"], what), []).append(arm)
    if found:
        console.print()
    for (case_id, what), missing in sorted(found.items(), key=lambda item: item[0][0]):
        where = "on and off" if len(missing) > 1 else missing[0]
        console.print(f"[yellow]warning:[/yellow] {escape(case_id)}, {where}: {escape(what)}")


def _missed(case: dict[str, Any]) -> list[str]:
    """What keeps a case from a full score, in words."""
    missed: list[str] = []
    if case["right_intent"] is False:
        missed.append(f"read as {case['intent']}")
    if case["right_refusal"] is False:
        missed.append(f"expected a refusal; got {case['refusal'] or 'an answer'}")
    elif case["refusal"] and case["right_refusal"] is None:
        missed.append(f"refused: {case['refusal']}")
    missed.extend(case["faults"])
    missed.extend(
        f"{term['by']} did not supply {' or '.join(term['any_of'])}"
        for term in case["captured"]
        if not term["captured"]
    )
    if case["precision"] is not None and case["precision"] < 1:
        missed.append(
            f"term precision {case['precision']:.2f}: says words of evidence that was not asked for"
        )
    return missed
