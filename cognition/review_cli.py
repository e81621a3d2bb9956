"""`core review`: what was proposed, accepting and rejecting it, taking it back, and building a new pack from it."""

from __future__ import annotations

import getpass
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from cognition.cli import DEFAULT_PACK, JsonOption, PackOption, emit

if TYPE_CHECKING:
    from cognition.packs.vocabulary import Vocabulary
    from cognition.teaching import Item, TeachingStore
    from cognition.teaching.conflicts import Conflict
    from cognition.teaching.gate import Ask, Change

app = typer.Typer(
    no_args_is_help=True, help="Corrections: list, show, propose, accept, reject, take back, build."
)


class StateChoice(StrEnum):
    """Where items stand."""

    candidate = "candidate"
    accepted = "accepted"
    rejected = "rejected"
    retracted = "retracted"


StoreOption = Annotated[
    Path, typer.Option("--store", metavar="FILE", envvar="CORE_TEACHING", help="The store of teaching.")
]
ItemArgument = Annotated[
    str, typer.Argument(metavar="ITEM", help="Its id; the beginning is enough, as taught:1a2b.")
]
ByOption = Annotated[
    str | None, typer.Option("--by", metavar="NAME", help="Who does this; the user's name if not given.")
]
NoteOption = Annotated[str, typer.Option("--note", metavar="TEXT", help="Why.")]
GoldenOption = Annotated[
    list[Path] | None,
    typer.Option(
        "--golden",
        metavar="FILE",
        help="Prompts whose answers must not change unseen, JSON lines; the evaluation's prompts if not given.",
    ),
]
ChangesOption = Annotated[
    bool, typer.Option("--accept-changes", help="Accept the changes of golden answers that were listed.")
]


@app.command("list")
def list_items(
    store: StoreOption,
    state: Annotated[StateChoice | None, typer.Option("--state", help="Only these.")] = None,
    as_json: JsonOption = False,
) -> None:
    """List what was proposed, in the order in which it was."""
    with _opened(store) as opened:
        items = [item for item in opened.items() if state is None or item.state == state.value]
    if as_json:
        emit({"items": [item.as_dict() for item in items]}, indent=2)
        return
    for item in items:
        typer.echo(f"{item.id}  {item.state:9}  {item.content.said()}")
    if not items:
        typer.echo("nothing is proposed")


@app.command()
def show(
    item: ItemArgument, store: StoreOption, pack: PackOption = DEFAULT_PACK, as_json: JsonOption = False
) -> None:
    """Show an item: who proposed it in which words, its review, and what reviewed knowledge it contradicts."""
    from cognition.teaching.errors import ReviewError
    from cognition.teaching.layer import examine, overlay_of

    with _opened(store) as opened:
        found = opened.get(item)
        vocabulary = _vocabulary(pack)
        now = vocabulary.with_overlay(overlay_of(opened.knowledge(), vocabulary))
    conflicts: tuple[Conflict, ...] = ()
    obstacle = ""
    if found.state == "candidate":
        try:
            if found.content.kind == "note":
                raise ReviewError("not_structured", repr(found.content.gloss))
            conflicts = examine(found.content, now)
        except ReviewError as error:
            obstacle = str(error)
    if as_json:
        record = found.as_dict() | {"contradicts": [_conflict(conflict, now) for conflict in conflicts]}
        emit(record | ({"obstacle": obstacle} if obstacle else {}), indent=2)
        return
    _show(found)
    for conflict in conflicts:
        for evidence in conflict.evidence:
            typer.echo(f"contradicts {_said(evidence, now)} ({conflict.ground}; {evidence})")
    if obstacle:
        typer.echo(f"can't be accepted: {obstacle}")


@app.command()
def propose(
    store: StoreOption,
    text: Annotated[
        str, typer.Argument(metavar="TEXT", help='A sentence, or ids: "bread.n.1 not requires salt.n.1".')
    ] = "",
    retract: Annotated[
        str | None,
        typer.Option("--retract", metavar="EVIDENCE", help="Take back this statement of the pack."),
    ] = None,
    order: Annotated[int | None, typer.Option("--order", min=1, help="The place of a step.")] = None,
    licence: Annotated[str, typer.Option("--licence", metavar="SPDX", help="Given under.")] = "unstated",
    by: ByOption = None,
    pack: PackOption = DEFAULT_PACK,
    as_json: JsonOption = False,
) -> None:
    """Propose a statement, a gloss, or taking a statement of the pack back."""
    from cognition.teaching.statement import read_statement, retraction

    if bool(text) == (retract is not None):
        raise typer.BadParameter("give a sentence, or --retract", param_hint="TEXT")
    vocabulary = _vocabulary(pack)
    content = (
        read_statement(text, vocabulary, order=order) if retract is None else retraction(retract, vocabulary)
    )
    with _opened(store) as opened:
        item = opened.propose(content, by=_by(by), words=text, licence=licence)
    _report(item, as_json)


@app.command()
def accept(
    item: ItemArgument,
    store: StoreOption,
    by: ByOption = None,
    note: NoteOption = "",
    replace: Annotated[
        bool,
        typer.Option("--replace", help="Put out of force what it contradicts; undone by taking it back."),
    ] = False,
    accept_changes: ChangesOption = False,
    golden: GoldenOption = None,
    pack: PackOption = DEFAULT_PACK,
    as_json: JsonOption = False,
    context: typer.Context = None,  # type: ignore[assignment]
) -> None:
    """Accept a candidate: it answers from now on, with its own id."""
    from cognition.teaching.gate import changed_answers, read_golden
    from cognition.teaching.layer import overlay_of, review_check

    vocabulary = _vocabulary(pack)
    check = review_check(vocabulary, replace=replace)
    with _opened(store) as opened:
        before, after = opened.preview(item, check)
        ask_before, ask_after = (
            _ask(vocabulary.with_overlay(overlay_of(knowledge, vocabulary))) for knowledge in (before, after)
        )
        if before != after:
            changes = changed_answers(read_golden(_golden(golden, context)), ask_before, ask_after)
            _gate(changes, accept_changes, as_json)
        accepted = opened.accept(item, by=_by(by), note=note, check=check)
    _report(accepted, as_json)


@app.command()
def reject(
    item: ItemArgument,
    store: StoreOption,
    by: ByOption = None,
    note: NoteOption = "",
    as_json: JsonOption = False,
) -> None:
    """Reject a candidate."""
    with _opened(store) as opened:
        _report(opened.reject(item, by=_by(by), note=note), as_json)


@app.command()
def retract(
    item: ItemArgument,
    store: StoreOption,
    by: ByOption = None,
    note: NoteOption = "",
    as_json: JsonOption = False,
) -> None:
    """Take an item back: what it replaced is in force again."""
    with _opened(store) as opened:
        _report(opened.retract(item, by=_by(by), note=note), as_json)


@app.command()
def build(
    out: Annotated[
        Path, typer.Argument(metavar="DIR", help="The folder of the new pack; must not be there.")
    ],
    store: StoreOption,
    pack: PackOption = DEFAULT_PACK,
    version: Annotated[
        str | None, typer.Option("--version", help="Of the new pack; the next minor one.")
    ] = None,
    licence: Annotated[
        str, typer.Option("--licence", metavar="SPDX", help="Of items that state none.")
    ] = "unstated",
    refit: Annotated[
        bool, typer.Option("--refit/--keep-points", help="Fit the points anew, or keep them.")
    ] = False,
    accept_changes: ChangesOption = False,
    golden: GoldenOption = None,
    as_json: JsonOption = False,
    context: typer.Context = None,  # type: ignore[assignment]
) -> None:
    """Build a new version of a pack from all that is in force, with a changelog; the old one stays as it is."""
    from cga.backend import open_backend
    from cognition.teaching.build import build_pack
    from cognition.teaching.gate import changed_answers, read_golden

    prompts = read_golden(_golden(golden, context))

    def approve(made: Path) -> None:
        changes = changed_answers(prompts, _ask(_vocabulary(pack)), _ask(_vocabulary(str(made))))
        _gate(changes, accept_changes, as_json)

    with _opened(store) as opened:
        built = build_pack(
            opened.knowledge(),
            pack,
            out,
            open_backend("numpy"),
            version=version,
            licence=licence,
            refit=refit,
            approve=approve,
        )
        record = built.as_dict()
        opened.built(built.pack, record)
    if as_json:
        emit(record, indent=2)
        return
    typer.echo(f"{built.pack} {built.version} in {built.folder}, sha256 {built.sha256}")
    for heading, lines in built.changes.items():
        typer.echo(f"{heading}:")
        for line in lines:
            typer.echo(f"  {line}")


@app.command("golden")
def record_golden(
    prompts: Annotated[list[Path], typer.Argument(metavar="FILE...", help="JSON lines with a prompt each.")],
    pack: PackOption = DEFAULT_PACK,
) -> None:
    """Print golden answers: each prompt with the surface and citations that it has now, a JSON object a line."""
    from cognition.teaching.gate import answer_of, read_golden

    ask = _ask(_vocabulary(pack))
    for one in read_golden(prompts):
        emit({"prompt": one.prompt, **answer_of(ask(one.prompt)).as_dict()}, indent=None)


@contextmanager
def _opened(path: Path) -> Iterator[TeachingStore]:
    from cognition.teaching import TeachingStore

    with TeachingStore(path) as store:
        yield store


def _vocabulary(pack: str) -> Vocabulary:
    from cga.backend import open_backend
    from cognition.packs.load import load_pack
    from cognition.packs.vocabulary import Vocabulary

    return Vocabulary(load_pack(pack), open_backend("numpy"))


def _ask(vocabulary: Vocabulary) -> Ask:
    from cognition.runtime import Runtime

    return Runtime(vocabulary).ask


def _by(name: str | None) -> str:
    return name if name is not None else getpass.getuser()


def _golden(given: list[Path] | None, context: typer.Context) -> list[Path]:
    """The files of the gate: those given, else those that the command is composed with."""
    return given if given is not None else list((context.obj or {}).get("golden", ()))


def _gate(changes: tuple[Change, ...], accepted: bool, as_json: bool) -> None:
    from cognition.teaching.errors import ReviewError

    if as_json and changes and not accepted:
        emit({"changes": [change.as_dict() for change in changes]}, indent=2)
    elif not as_json:
        for change in changes:
            typer.echo(f"{change.prompt}\n  - {change.before.surface}\n  + {change.after.surface}")
    if changes and not accepted:
        sys.stdout.flush()
        raise ReviewError("changes_answers", f"{len(changes)} golden answers")


def _report(item: Item, as_json: bool) -> None:
    if as_json:
        emit(item.as_dict(), indent=2)
    else:
        typer.echo(f"{item.id}  {item.state:9}  {item.content.said()}")


def _show(item: Item) -> None:
    _report(item, as_json=False)
    for proposal in item.proposals:
        words = f": {proposal.words!r}" if proposal.words else ""
        typer.echo(f"proposed by {proposal.by} at {proposal.at} ({proposal.licence} licence){words}")
    if item.decided_by:
        typer.echo(
            f"{item.state} by {item.decided_by} at {item.decided_at}"
            + (f": {item.note}" if item.note else "")
        )
    for evidence in item.replaces:
        typer.echo(f"replaces {evidence}")


def _said(evidence: str, vocabulary: Vocabulary) -> str:
    from cognition.evidence import resolve

    return resolve(vocabulary, evidence, "").text


def _conflict(conflict: Conflict, vocabulary: Vocabulary) -> dict[str, Any]:
    return conflict.as_dict() | {"says": [_said(evidence, vocabulary) for evidence in conflict.evidence]}
