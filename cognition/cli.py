"""`core ask`, `core trace` and `core pack`: answers, their traces, and the packs they rest on."""

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
pack_app = typer.Typer(no_args_is_help=True, help="Knowledge packs: check, look up, freeze.")
app.add_typer(pack_app, name="pack")


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


def _console() -> Any:
    from rich.console import Console

    plain = bool(os.environ.get("NO_COLOR")) or not sys.stdout.isatty()
    return Console(color_system=None if plain else "auto", soft_wrap=True, highlight=False)


def _show_answer(result: CognitiveTurnResult, runtime: Runtime) -> None:
    from rich.markup import escape

    console = _console()
    numbers = {evidence.id: n for n, evidence in enumerate(result.citations, 1)}
    parts = []
    for sentence in result.sentences:
        marks = "".join(f"[{numbers[i]}]" for i in sentence.evidence if i != "prompt")
        parts.append(f"{escape(sentence.text)}[dim]{' ' + escape(marks) if marks else ''}[/dim]")
    console.print(" ".join(parts))
    console.print()
    for evidence in result.citations:
        if evidence.kind != "prompt":
            label = escape(f"[{numbers[evidence.id]}]")
            console.print(
                f"  [dim]{label}[/dim] {escape(evidence.id)} [dim]({escape(evidence.source)}, {evidence.licence})[/dim]"
            )
    for name, value in _facts(result, runtime):
        console.print(f"  [dim]{name:9}[/dim] {escape(value)}")


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

    console = _console()
    for step in result.folded["steps"]:
        rest = {key: value for key, value in step.items() if key not in ("stage", "version")}
        console.print(f"[bold]{step['stage']:10}[/bold] {escape(json.dumps(rest, ensure_ascii=False))}")
    for name, value in _facts(result, runtime)[-1:]:
        console.print(f"[bold]{name:10}[/bold] {value}")
    if result.versor_condition is not None:
        console.print(
            f"[bold]{'closure':10}[/bold] |F ~F - 1| <= {result.versor_condition:.1e} (measured, not in the hash)"
        )


@pack_app.command("validate")
def pack_validate(
    pack: Annotated[str, typer.Argument(metavar="ID|DIR", help="The pack.")] = DEFAULT_PACK,
) -> None:
    """Check every row, reference and digest of a pack; exit 2 and one line where something is wrong."""
    from cognition.packs.load import load_pack

    found = load_pack(pack)
    counts = ", ".join(f"{entry.rows} in {name}" for name, entry in sorted(found.manifest.files.items()))
    typer.echo(f"{found.manifest.id} {found.manifest.version}: valid. {counts}. sha256 {found.sha256}")


@pack_app.command("list")
def pack_list() -> None:
    """List the packs that ship with this distribution."""
    from cognition.packs.load import available_packs, load_pack

    for name in available_packs():
        manifest = load_pack(name).manifest
        typer.echo(f"{manifest.id} {manifest.version}  {manifest.title} ({manifest.language})")


@pack_app.command("show")
def pack_show(
    pack: Annotated[str, typer.Argument(metavar="ID|DIR", help="The pack.")] = DEFAULT_PACK,
    word: Annotated[
        str | None, typer.Option("--word", metavar="SURFACE", help="Show the senses of this word.")
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Show what a pack holds, or all it says of one word: senses, glosses, statements, neighbours."""
    from cga.backend import open_backend
    from cognition.packs.load import load_pack
    from cognition.packs.vocabulary import Vocabulary
    from cognition.show import describe_pack, describe_word

    found = load_pack(pack)
    if word is None:
        record = describe_pack(found)
    else:
        record = describe_word(Vocabulary(found, open_backend("numpy")), word)
        if not record["senses"]:
            raise typer.BadParameter(f"{word!r} is no surface of {found.manifest.id}", param_hint="--word")
    if as_json:
        emit(record, indent=2)
    else:
        _show_record(record)


def _show_record(record: dict[str, Any]) -> None:
    from rich.markup import escape

    console = _console()
    for key, value in record.items():
        if isinstance(value, list) and value and isinstance(value[0], dict):
            for item in value:
                console.print()
                _show_record(item)
        else:
            separator = " " if key == "statements" else "; "
            shown = separator.join(map(str, value)) if isinstance(value, list) else str(value)
            console.print(f"[dim]{key:11}[/dim] {escape(shown)}")


@pack_app.command("compare")
def pack_compare(
    first: Annotated[str, typer.Argument(metavar="ID|DIR", help="The pack that takes precedence.")],
    second: Annotated[str, typer.Argument(metavar="ID|DIR", help="The other pack.")],
    as_json: JsonOption = False,
) -> None:
    """Report where two packs define or state the same thing differently; what the first one says counts."""
    from cognition.packs.compare import compare_packs
    from cognition.packs.load import load_pack

    packs = [load_pack(pack) for pack in (first, second)]
    found = compare_packs(*packs)
    names = [f"{pack.manifest.id} {pack.manifest.version}" for pack in packs]
    if as_json:
        emit({"precedence": names, "conflicts": [conflict.as_dict() for conflict in found]}, indent=2)
        return
    typer.echo(f"{names[0]} takes precedence over {names[1]}; {len(found)} differences")
    for conflict in found:
        typer.echo(f"{conflict.difference:13} {conflict.about}: {conflict.first!r}, not {conflict.second!r}")


@pack_app.command("freeze")
def pack_freeze(
    folder: Annotated[str, typer.Argument(metavar="DIR", help="A pack's folder with its rows.")],
    refit: Annotated[
        bool, typer.Option("--refit/--keep-points", help="Fit the points anew, or keep them.")
    ] = True,
    seed: Annotated[int, typer.Option("--seed", help="Seed of the fit.")] = 0,
) -> None:
    """Fit the points of a pack to what its rows assert, round them, and write the manifest with all digests."""
    from cognition.packs.build import freeze

    report = freeze(folder, refit=refit, seed=seed)
    for name, value in report.items():
        typer.echo(f"{name:24} {value}")
