"""`core teach` and `core recognize`: from taught examples to a recogniser, and from text to evidence or refusal."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, BinaryIO

import typer

if TYPE_CHECKING:
    from recognition._recognizer import DerivedRecognizer, TaughtExample
    from recognition.registry import RecognizerRegistry

__all__ = ["FileError", "app", "load_recognizer"]

app = typer.Typer(no_args_is_help=True, add_completion=False)


class FileError(ValueError):
    """A file that can't be read, written or used; the message says which and why."""


@app.command()
def teach(
    file: Annotated[
        str, typer.Argument(metavar="FILE|-", help="Examples, one a line: JSON, or inline brackets.")
    ],
    out: Annotated[
        Path | None, typer.Option("--out", "-o", metavar="FILE", help="Where the recogniser goes.")
    ] = None,
    parent: Annotated[
        Path | None, typer.Option("--parent", metavar="FILE", help="A recogniser to add the examples to.")
    ] = None,
) -> None:
    """Learn a recogniser from a few examples.

    It says what was generalised and what one more example would settle. Without --out nothing is written.
    """
    from recognition._recognizer import TeachingError
    from recognition._report import identity, open_points, report
    from recognition.anti_unifier import derive_recognizer
    from recognition.serial import recognizer_to_json
    from recognition.teaching import read_examples

    source = "standard input" if file == "-" else file
    text = _read(file)
    examples = read_examples(text, source)
    held = load_recognizer(parent) if parent is not None else None
    try:
        recognizer = derive_recognizer(examples, parent=held)
    except TeachingError as error:
        raise TeachingError(error.code, _placed(str(error), source, text, examples)) from None
    if out is not None:
        _write(out, recognizer_to_json(recognizer) + "\n")
    for line in [*identity(recognizer), *report(recognizer)]:
        _say(line)
    if points := open_points(recognizer):
        typer.echo("one more example would settle")
    for point in points:
        _say(f"  {point}")
    typer.echo(f"written to {out}" if out is not None else "not written: no --out")


def _placed(message: str, source: str, text: str, examples: tuple[TaughtExample, ...]) -> str:
    """A message about an example, with its line and the characters of the evidence it speaks of."""
    from recognition.outcome import FeatureEvidence

    lines = text.splitlines()
    taught = [number for number, line in enumerate(lines, 1) if line.strip() and not line.startswith("#")]
    for number, example in zip(taught, examples, strict=True):
        about = f"{example.text!r}: "
        if not message.startswith(about):
            continue
        again = [
            str(other)
            for other, held in zip(taught, examples, strict=True)
            if other > number and held.text == example.text
        ]
        name = message.removeprefix(about).partition(": ")[0]
        feature = example.bundle.get(name)
        if feature is not None and isinstance(feature.evidence, FeatureEvidence):
            start, end = feature.evidence.characters(example.tokens)
            message += f" (evidence [{start}, {end}))"
        if again:
            message += f" (the same sentence in line {', '.join(again)})"
        return f"{source}:{number}: {message}"
    return f"{source}: {message}"


@app.command()
def recognize(
    recognizers: Annotated[
        list[Path],
        typer.Option(
            "--recognizer", "-r", metavar="FILE", help="From `core teach`; more than one may be given."
        ),
    ],
    file: Annotated[
        str | None,
        typer.Argument(
            metavar="FILE|-", help='A text a line, plain or as {"text": ..}; - reads standard input.'
        ),
    ] = None,
    explain: Annotated[
        str | None, typer.Option("--explain", metavar="TEXT", help="Show what is evidence in one text.")
    ] = None,
    teach_template: Annotated[
        bool,
        typer.Option(
            "--teach-template", help="Skeletons of examples for what is refused, to edit and teach."
        ),
    ] = False,
    show: Annotated[
        bool, typer.Option("--show", help="Tell what each recogniser learned, and what it grew from.")
    ] = False,
) -> None:
    """Read texts by what was taught, or refuse.

    One JSON object a line, with the evidence or the reason of the refusal. A refusal is an outcome of its own
    and exits with 0.
    """
    if explain is not None and file is not None:
        raise typer.BadParameter("takes the place of a file: give one of them", param_hint="--explain")
    if show and (explain is not None or file is not None or teach_template):
        raise typer.BadParameter("reads no text: give it alone", param_hint="--show")
    registry = _registry(recognizers)
    if show:
        _show(registry)
        return
    if explain is not None:
        _explain(registry, explain, teach_template)
        return
    _stream(registry, file or "-", teach_template)


def _show(registry: RecognizerRegistry) -> None:
    from recognition._report import identity, report

    for recognizer in registry:
        for line in [*identity(recognizer), *report(recognizer)]:
            _say(line)


def _explain(registry: RecognizerRegistry, text: str, teach_template: bool) -> None:
    from recognition._explain import explain, template

    outcome = registry.recognize(text)
    for line in explain(registry, text, outcome):
        _say(line)
    if teach_template:
        for line in template(registry, text, outcome):
            _say(line)


def _stream(registry: RecognizerRegistry, file: str, teach_template: bool) -> None:
    from recognition._explain import record, template

    admitted = done = 0
    progress = sys.stderr.isatty() and not sys.stdout.isatty()
    with _opened(file) as stream:
        for raw in stream:
            text = _text(raw)
            outcome = registry.recognize(text)
            done, admitted = done + 1, admitted + outcome.admitted
            if not teach_template:
                _emit(record(text, outcome))
            for line in template(registry, text, outcome) if teach_template else ():
                _say(line)
            sys.stdout.flush()
            if progress:
                print(f"\r{done} read, {admitted} admitted", end="", file=sys.stderr, flush=True)
    if progress and done:
        print(file=sys.stderr)


def _text(raw: bytes) -> str:
    """The text of a line: that of a JSON object which has one, else the line itself."""
    line = raw.decode("utf-8", "surrogateescape").removesuffix("\n").removesuffix("\r")
    if line.lstrip().startswith("{"):
        try:
            given = json.loads(line)
        except (ValueError, RecursionError):
            return line
        if isinstance(given, dict) and isinstance(given.get("text"), str):
            return given["text"]
    return line


def _registry(paths: list[Path]) -> RecognizerRegistry:
    from recognition.registry import RecognizerRegistry

    return RecognizerRegistry(tuple(map(load_recognizer, paths)))


def load_recognizer(path: Path) -> DerivedRecognizer:
    """Reads a recogniser that `core teach` wrote.

    Raises:
        FileError: the file can't be read, or holds none.
    """
    from recognition.serial import RecognizerFormatError, recognizer_from_json

    try:
        return recognizer_from_json(_read(str(path)))
    except (RecognizerFormatError, RecursionError) as error:
        raise FileError(f"{path}: {error}") from None


@contextmanager
def _opened(file: str) -> Iterator[BinaryIO]:
    if file == "-":
        yield sys.stdin.buffer
        return
    with ExitStack() as stack:
        try:
            stream = stack.enter_context(Path(file).open("rb"))
        except OSError as error:
            raise FileError(f"{file}: can't be read ({error.strerror})") from None
        yield stream


def _read(file: str) -> str:
    try:
        with _opened(file) as stream:
            return stream.read().decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise FileError(f"{file}: no UTF-8 at byte {error.start}") from None
    except OSError as error:
        raise FileError(f"{file}: can't be read ({error.strerror})") from None


def _write(path: Path, text: str) -> None:
    """Writes a file so that it is either whole or as it was."""
    part = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        part.write_text(text, encoding="utf-8")
        os.replace(part, path)
    except OSError as error:
        part.unlink(missing_ok=True)
        raise FileError(f"{path}: can't be written ({error.strerror})") from None


def _say(line: str) -> None:
    """A line for people; a code unit that is no character shows as ?."""
    typer.echo(line.encode("utf-8", "replace").decode())


def _emit(record: dict[str, Any]) -> None:
    text = json.dumps(record, ensure_ascii=False)
    if any("\ud800" <= char <= "\udfff" for char in text):
        text = json.dumps(record)
    typer.echo(text)
