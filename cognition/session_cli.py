"""`core chat`, `core session` and `core replay`: sessions kept in a file, shown, exported, run again."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from cognition.cli import (
    DEFAULT_PACK,
    BackendChoice,
    BackendOption,
    ConstraintOption,
    JsonOption,
    PackOption,
    Span,
    SpanOption,
    StepsOption,
    Switch,
    TopKOption,
    decode,
    emit,
    open_runtime,
)

if TYPE_CHECKING:
    from cognition.session import SessionStore
    from recognition import DerivedRecognizer

app = typer.Typer(no_args_is_help=True, add_completion=False)
session_app = typer.Typer(no_args_is_help=True, help="Sessions of a file: list, show, export, delete.")
app.add_typer(session_app, name="session")

EXIT_MISMATCH, EXIT_CANNOT_REPLAY = 1, 3


class Format(StrEnum):
    """What a session is exported as."""

    json = "json"
    prov = "prov"


FileArgument = Annotated[Path, typer.Argument(metavar="FILE", help="The file that `core chat` keeps.")]
IdArgument = Annotated[
    str | None, typer.Argument(metavar="[ID]", help="Which session; not needed where the file has one.")
]
DeletedOption = Annotated[bool, typer.Option("--deleted", help="Deleted sessions too, if not purged.")]
RecognizerOption = Annotated[
    list[Path] | None,
    typer.Option("--recognizer", "-r", metavar="FILE", help="A recogniser of `core teach`."),
]


@app.command()
def chat(
    session: Annotated[
        Path | None, typer.Option("--session", metavar="FILE", help="Keep the session in this file.")
    ] = None,
    session_id: Annotated[
        str | None, typer.Option("--id", metavar="ID", help="Which session of the file, or a new one.")
    ] = None,
    recognizer: Annotated[
        Path | None, typer.Option("--recognizer", "-r", metavar="FILE", help="A recogniser of `core teach`.")
    ] = None,
    vault: Annotated[
        Path | None,
        typer.Option("--vault", metavar="FILE", help="Consult this vault after pack and teaching."),
    ] = None,
    pack: PackOption = DEFAULT_PACK,
    forward_graph_constraint: ConstraintOption = Switch.off,
    subject_span: SpanOption = Span.head,
    backend: BackendOption = BackendChoice.numpy,
    top_k: TopKOption = 8,
    max_tokens: StepsOption = 256,
) -> None:
    """Ask one prompt after another; /help lists what else can be said.

    Lines come from the terminal or from a pipe. An answer that was printed is in the file, whatever happens next. The
    file also keeps what is taught, for review; what was accepted there answers.
    """
    from cognition.eventlog import MEMORY
    from cognition.session.chat import Chat
    from cognition.session.events import check_id
    from cognition.session.store import SessionStore
    from cognition.teaching import TeachingStore

    loaded = _recognizers([recognizer] if recognizer else [])
    file = MEMORY if session is None else session
    if session_id is not None:
        check_id(session_id)
    SessionStore(file).close()  # says clearly what is wrong with a file
    runtime = open_runtime(
        pack,
        forward_graph_constraint,
        subject_span,
        backend,
        top_k,
        max_tokens,
        recognizer=loaded[0] if loaded else None,
        teaching_store=TeachingStore(file),
        vault=vault,
    )
    with runtime.session(file, session_id) as opened:
        talk = Chat(opened, _say)
        if sys.stdin.isatty():
            _say("/help lists what else can be said; /quit ends.")
        talk.run(_lines())


def _say(line: str) -> None:
    typer.echo(line)
    sys.stdout.flush()


def _lines() -> Iterator[str]:
    """Lines of a terminal, with its line editing, or of a pipe; an interrupt ends them like the end of the input."""
    if not sys.stdin.isatty():
        for raw in sys.stdin.buffer:
            yield decode(raw).rstrip("\r\n")
        return
    try:
        import readline  # noqa: F401  (gives `input` its editing and history)
    except ImportError:
        pass
    while True:
        try:
            line = input("> ")
        except (EOFError, KeyboardInterrupt):
            typer.echo()
            return
        yield line


@app.command()
def replay(
    file: Annotated[
        str, typer.Argument(metavar="FILE|-", help="From `core trace TEXT --json` or `core session export`.")
    ],
    pack: Annotated[
        list[str] | None,
        typer.Option("--pack", metavar="ID|DIR", help="Where else to look for packs; may be repeated."),
    ] = None,
    recognizer: RecognizerOption = None,
    teaching: Annotated[
        list[Path] | None,
        typer.Option("--teaching", metavar="FILE", help="A store of teaching, as it is or as it was."),
    ] = None,
    vault: Annotated[list[Path] | None, typer.Option("--vault", metavar="FILE", help="A vault.")] = None,
    backend: BackendOption = BackendChoice.numpy,
) -> None:
    """Run a recorded turn or session again.

    Exits with 0 if all comes out as recorded, with 1 and the first step that differs if not, and with 3 and the hash
    of what is missing where it can't be run.
    """
    from cognition.replay import Sources, Verdict, replay_trace
    from cognition.session.export import SCHEMA, replay_session
    from cognition.teaching import TeachingStore

    record = _read_record(file)
    for path in (*(teaching or ()), *(vault or ())):
        _must_exist(path)
    sources = Sources(
        packs=pack or (),
        recognizers=_recognizers(recognizer or []),
        teaching=[TeachingStore(path) for path in teaching or ()],
        vaults=vault or (),
        backend=backend.value,
    )
    run_again = replay_session if record.get("schema") == SCHEMA else replay_trace
    found = run_again(record, sources)
    typer.echo(str(found))
    codes = {Verdict.mismatch: EXIT_MISMATCH, Verdict.cannot_replay: EXIT_CANNOT_REPLAY}
    raise typer.Exit(codes.get(found.verdict, 0))


def _must_exist(path: Path) -> None:
    from cognition.session.events import SessionError

    if not path.is_file():
        raise SessionError("unreadable", f"{path}: no such file")


def _read_record(file: str) -> dict[str, Any]:
    from cognition.session.events import SessionError

    try:
        raw = sys.stdin.buffer.read() if file == "-" else Path(file).read_bytes()
        record = json.loads(raw.decode("utf-8-sig"))
    except (OSError, ValueError, RecursionError) as error:
        reason = error.strerror if isinstance(error, OSError) else f"not JSON: {error}"
        raise SessionError("unreadable", f"{file}: can't be read ({reason})") from None
    if not isinstance(record, dict) or not {"folded", "events"} & record.keys():
        raise SessionError(
            "unreadable", f"{file}: no trace; `core trace TEXT --json` and `core session export` write them"
        )
    return record


def _recognizers(files: list[Path]) -> list[DerivedRecognizer]:
    from recognition.cli import load_recognizer

    return [load_recognizer(file) for file in files]


@session_app.command("list")
def session_list(file: FileArgument, deleted: DeletedOption = False, as_json: JsonOption = False) -> None:
    """List the sessions of a file."""
    from dataclasses import asdict

    with _store(file) as store:
        found = [summary for summary in store.sessions() if deleted or not summary.taken_back]
    if as_json:
        emit({"sessions": [asdict(summary) for summary in found]}, indent=2)
        return
    for summary in found:
        mark = "  deleted" if summary.taken_back else ""
        typer.echo(
            f"{summary.session}  {summary.turns} turns  {summary.events} events  "
            f"{summary.first[:19]} to {summary.last[:19]}{mark}"
        )


@session_app.command("show")
def session_show(
    file: FileArgument,
    session_id: IdArgument = None,
    undone: Annotated[bool, typer.Option("--undone", help="Also what was taken back.")] = False,
    deleted: DeletedOption = False,
    as_json: JsonOption = False,
) -> None:
    """Show what was asked, answered and taught, and the state of its propositions."""
    from cognition.session.chat import line_of
    from cognition.session.graph import SessionGraph

    with _store(file) as store:
        chosen = _chosen(store, session_id, deleted)
        gone = store.undone(chosen)
        graph = SessionGraph()
        graph.apply(store.events(chosen, "proposition", "transition", "undo"))
        events = (e for e in store.events(chosen, "turn", "teach") if undone or e.seq not in gone)
        if as_json:
            shown = [event.as_dict() | {"undone": event.seq in gone} for event in events]
            emit({"session": chosen, "events": shown, "epistemic_graph": graph.as_dict()}, indent=2)
            return
        for event in events:
            typer.echo(line_of(event) + ("  (undone)" if event.seq in gone else ""))
        for node in graph.nodes:
            typer.echo(f"  proposition {node.node_id}: {node.epistemic_state}")


@session_app.command("export")
def session_export(
    file: FileArgument,
    session_id: IdArgument = None,
    form: Annotated[
        Format, typer.Option("--format", help="json: for `core replay`; prov: W3C PROV-JSON.")
    ] = Format.json,
    out: Annotated[
        Path | None, typer.Option("--out", "-o", metavar="FILE", help="Instead of standard output.")
    ] = None,
    deleted: DeletedOption = False,
) -> None:
    """Write a session as one JSON document."""
    from cognition.session.events import SessionError
    from cognition.session.export import export_session
    from cognition.session.prov import export_prov

    with _store(file) as store:
        chosen = _chosen(store, session_id, deleted)
        record = (export_session if form is Format.json else export_prov)(store, chosen)
    if out is None:
        emit(record, indent=2)
        return
    try:
        out.write_text(json.dumps(record, indent=2) + "\n", encoding="utf-8")
    except OSError as error:
        raise SessionError("unwritable", f"{out}: can't be written ({error.strerror})") from None


@session_app.command("delete")
def session_delete(
    file: FileArgument,
    session_id: Annotated[str, typer.Argument(metavar="ID", help="Which session.")],
    purge: Annotated[
        bool,
        typer.Option(
            "--purge", help="Remove its text from the file as well, for good; candidates for review stay."
        ),
    ] = False,
) -> None:
    """Take a session back: it is no longer listed or opened, and its id is not used again."""
    from cognition.session.store import SessionStore

    with SessionStore(file, create=False) as store:
        store.take_back(session_id, purge=purge)
    typer.echo(f"{session_id}: {'deleted, its text removed' if purge else 'deleted'}")


def _store(file: Path) -> SessionStore:
    from cognition.session.store import SessionStore

    return SessionStore(file, read_only=True)


def _chosen(store: SessionStore, session_id: str | None, deleted: bool) -> str:
    """The session that is meant.

    Raises:
        SessionError: there is none of this id, it was deleted, or none was named and there are several.
    """
    from cognition.session.events import SessionError, check_id
    from cognition.session.session import only_session

    if session_id is None:
        return only_session(store)
    found = {summary.session: summary for summary in store.sessions()}.get(check_id(session_id))
    if found is None:
        raise SessionError("unknown_session", f"{store.path}: no session {session_id!r}")
    if found.taken_back and not deleted:
        raise SessionError("taken_back", f"{store.path}: session {session_id!r} was deleted")
    return session_id
