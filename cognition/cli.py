"""`core ask` and `core trace`: answers, and how they came about."""

from __future__ import annotations

import json
import os
import sys
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from cognition.result import CognitiveTurnResult
    from cognition.runtime import Runtime
    from cognition.teaching import TeachingStore

app = typer.Typer(no_args_is_help=True, add_completion=False)


class Switch(StrEnum):
    """On or off."""

    off = "off"
    on = "on"


class Span(StrEnum):
    """The contract a subject is read under."""

    head = "head"
    phrase = "phrase"


class Loop(StrEnum):
    """What admits a word inside the walk."""

    off = "off"
    threshold = "threshold"
    margin = "margin"


class BackendChoice(StrEnum):
    """Where the geometry runs."""

    numpy = "numpy"
    jax = "jax"


TextArgument = Annotated[str, typer.Argument(metavar="TEXT|-", help="The prompt; - reads standard input.")]
PackOption = Annotated[
    str, typer.Option("--pack", metavar="ID|DIR", help="Pack by id, or a folder as ./path.")
]
ConstraintOption = Annotated[
    Switch, typer.Option("--forward-graph-constraint", help="Walk inside the proposition graph's region.")
]
SpanOption = Annotated[Span, typer.Option("--subject-span", help="Head noun, or the raw phrase of ADR-0047.")]
BackendOption = Annotated[BackendChoice, typer.Option("--backend", help="Where the geometry runs.")]
TopKOption = Annotated[int, typer.Option("--top-k", min=1, help="Words in one anchor's neighbourhood.")]
StepsOption = Annotated[int, typer.Option("--max-tokens", min=0, max=4096, help="Most steps of a walk.")]
LoopOption = Annotated[
    Loop, typer.Option("--inner-loop", help="Score each step by the relation blade, and reject some.")
]
RatifyOption = Annotated[
    bool, typer.Option("--ratify", help="Record what the field says of the intent; it changes no answer.")
]
TeachingOption = Annotated[
    Path | None,
    typer.Option(
        "--teaching", metavar="FILE", help="A store of `core review`: what is reviewed there answers."
    ),
]
JsonOption = Annotated[bool, typer.Option("--json", help="One JSON object.")]
DEFAULT_PACK = "en_core_cognition_v1"


@app.command()
def ask(
    text: TextArgument,
    pack: PackOption = DEFAULT_PACK,
    forward_graph_constraint: ConstraintOption = Switch.off,
    subject_span: SpanOption = Span.head,
    backend: BackendOption = BackendChoice.numpy,
    top_k: TopKOption = 8,
    max_tokens: StepsOption = 256,
    inner_loop: LoopOption = Loop.off,
    ratify: RatifyOption = False,
    teaching: TeachingOption = None,
    as_json: JsonOption = False,
    jsonl: Annotated[
        bool, typer.Option("--jsonl", help="With -: a prompt a line in, a JSON object a line out.")
    ] = False,
) -> None:
    """Answer a prompt with its citations, or refuse with a reason.

    A refusal is an answer of its own and exits with 0; 2 means that the command was used wrongly.
    """
    if jsonl and text != "-":
        raise typer.BadParameter("reads standard input: give - as the text", param_hint="--jsonl")
    runtime = open_runtime(
        pack,
        forward_graph_constraint,
        subject_span,
        backend,
        top_k,
        max_tokens,
        inner_loop=inner_loop,
        ratify=ratify,
        teaching_store=_store(teaching),
    )
    if jsonl:
        for line in sys.stdin.buffer:
            emit(runtime.ask(decode(line).rstrip("\r\n")).as_dict(), indent=None)
            sys.stdout.flush()
        return
    result = runtime.ask(_prompt(text))
    if as_json:
        emit(result.as_dict(), indent=2)
    else:
        _show_answer(result, runtime)


@app.command()
def trace(
    text: TextArgument,
    pack: PackOption = DEFAULT_PACK,
    forward_graph_constraint: ConstraintOption = Switch.off,
    subject_span: SpanOption = Span.head,
    backend: BackendOption = BackendChoice.numpy,
    top_k: TopKOption = 8,
    max_tokens: StepsOption = 256,
    inner_loop: LoopOption = Loop.off,
    ratify: RatifyOption = False,
    teaching: TeachingOption = None,
    as_json: JsonOption = False,
) -> None:
    """Show every stage of a turn, and the hash that replays must give."""
    from cognition.replay import envelope

    runtime = open_runtime(
        pack,
        forward_graph_constraint,
        subject_span,
        backend,
        top_k,
        max_tokens,
        inner_loop=inner_loop,
        ratify=ratify,
        teaching_store=_store(teaching),
    )
    result = runtime.ask(_prompt(text))
    if as_json:
        emit(envelope(result, runtime), indent=2)
    else:
        _show_trace(result, runtime)


def open_runtime(
    pack: str,
    constraint: Switch,
    span: Span,
    backend: BackendChoice,
    top_k: int,
    max_tokens: int,
    *,
    inner_loop: Loop = Loop.off,
    ratify: bool = False,
    **more: Any,
) -> Runtime:
    """The runtime that the options of a command ask for; ``more`` as for `Runtime.open`."""
    from cognition.config import RuntimeConfig
    from cognition.runtime import Runtime

    config = RuntimeConfig(
        forward_graph_constraint=constraint is Switch.on,
        subject_span=span.value,
        top_k=top_k,
        max_tokens=max_tokens,
        inner_loop=inner_loop.value,
        ratify_intent=ratify,
    )
    return Runtime.open([pack], config=config, backend=backend.value, **more)


def _store(path: Path | None) -> TeachingStore | None:
    if path is None:
        return None
    from cognition.teaching import TeachingStore

    return TeachingStore(path)


def _prompt(text: str) -> str:
    return decode(sys.stdin.buffer.read()).removesuffix("\n").removesuffix("\r") if text == "-" else text


def decode(raw: bytes) -> str:
    """Text from bytes; what is no UTF-8 stays visible as such to the turn, which refuses it."""
    return raw.decode("utf-8", "surrogateescape")


def emit(record: dict[str, Any], indent: int | None) -> None:
    """Prints a JSON object; letters as they are, unless some are none."""
    text = json.dumps(record, ensure_ascii=False, indent=indent)
    if any("\ud800" <= char <= "\udfff" for char in text):
        text = json.dumps(record, indent=indent)
    typer.echo(text)


def console() -> Any:
    """The terminal, without colours where it is none."""
    from rich.console import Console

    plain = bool(os.environ.get("NO_COLOR")) or not sys.stdout.isatty()
    return Console(color_system=None if plain else "auto", soft_wrap=True, highlight=False)


def _show_answer(result: CognitiveTurnResult, runtime: Runtime) -> None:
    from rich.markup import escape

    screen = console()
    numbers = {evidence.id: n for n, evidence in enumerate(result.citations, 1)}
    parts = []
    for sentence in result.sentences:
        marks = "".join(f"[{numbers[i]}]" for i in sentence.evidence if i != "prompt")
        parts.append(f"{escape(sentence.text)}[dim]{' ' + escape(marks) if marks else ''}[/dim]")
    screen.print(" ".join(parts))
    screen.print()
    for evidence in result.citations:
        if evidence.kind != "prompt":
            label = escape(f"[{numbers[evidence.id]}]")
            screen.print(
                f"  [dim]{label}[/dim] {escape(evidence.id)} [dim]({escape(evidence.source)}, {evidence.licence})[/dim]"
            )
    for name, value in _facts(result, runtime):
        screen.print(f"  [dim]{name:9}[/dim] {escape(value)}")


def _facts(result: CognitiveTurnResult, runtime: Runtime) -> list[tuple[str, str]]:
    from cognition.refusal import FALLS

    facts = [("intent", result.intent.value)]
    for slot, (taken, others) in result.senses.items():
        facts.append((slot, taken + (f" (not {', '.join(others)})" if others else "")))
    if result.region is None:
        facts.append(("region", "none: the forward graph constraint is off"))
    else:
        allowed = result.region.allowed_indices
        words = "the whole vocabulary" if allowed is None else _words(runtime, allowed)
        facts.append(("region", f"{result.region.label}: {words}"))
    if result.walk is not None:
        facts.append(("walk", f"{' > '.join(result.walk.tokens)} ({result.walk.end})"))
    if result.refusal is not None:
        facts.append(("refusal", result.refusal.code))
    if result.candidate is not None:
        facts.append(("candidate", f"{result.candidate}, for review"))
    if result.tried:
        facts.append(("tried", "; ".join(f"{a.source}: {FALLS[a.fell]}" for a in result.tried)))
    facts.append(("trace", result.trace_hash))
    return facts


def _words(runtime: Runtime, indices: tuple[int, ...]) -> str:
    lemmas = list(dict.fromkeys(runtime.vocabulary.senses[i].lemma for i in indices))
    return f"{len(indices)} words: {', '.join(lemmas)}"


def _show_trace(result: CognitiveTurnResult, runtime: Runtime) -> None:
    from rich.markup import escape

    screen = console()
    for step in result.folded["steps"]:
        rest = {key: value for key, value in step.items() if key not in ("stage", "version")}
        screen.print(f"[bold]{step['stage']:10}[/bold] {escape(json.dumps(rest, ensure_ascii=False))}")
    for name, value in _facts(result, runtime)[-1:]:
        screen.print(f"[bold]{name:10}[/bold] {value}")
    if result.versor_condition is not None:
        screen.print(
            f"[bold]{'closure':10}[/bold] |F ~F - 1| <= {result.versor_condition:.1e} (measured, not in the hash)"
        )
