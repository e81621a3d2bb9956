"""`core doctor` and `core test`: whether CORE can work here, and whether it still does what it says."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from cognition.cli import JsonOption
from experiments.lanes import LANES

app = typer.Typer()

# \b keeps typer from joining the lines.
TEST_HELP = "\n\n".join(
    (
        "Run the tests of a checkout, or one lane of them; exits as pytest does.",
        "Without --suite it is what `make test` runs: everything but the lane slow.",
        "What follows -- goes to pytest: core test --suite packs -- -k merge.",
        "\b\nLanes:\n" + "\n".join(f"  {lane:13}{what}" for lane, what in LANES.items()),
    )
)


def _lane(value: str | None) -> str | None:
    if value is not None and value not in LANES:
        raise typer.BadParameter(f"no lane {value!r}; there are: {', '.join(LANES)}")
    return value


@app.command()
def doctor(
    files: Annotated[
        list[Path] | None,
        typer.Argument(metavar="[FILE]...", help="Session files; else *.sqlite of this folder."),
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Look for what is wrong here, and say how to mend it.

    Versions against what is asked for, devices, memory, cache, packs, results, session files, the command itself.
    No file is changed. Exits with 1 where something is broken; warnings and notes leave it usable.
    """
    from experiments.doctor.checks import examine
    from experiments.doctor.show import show
    from experiments.options import give_report

    report = examine(files or ())
    give_report(report, show, as_json, None)
    if not report["usable"]:
        raise typer.Exit(1)


@app.command("test", help=TEST_HELP)
def run_tests(
    suite: Annotated[
        str | None,
        typer.Option("--suite", metavar="|".join(LANES), callback=_lane, help="Which lane to run."),
    ] = None,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Less output.")] = False,
    arguments: Annotated[
        list[str] | None, typer.Argument(metavar="[-- PYTEST...]", help="More for pytest.")
    ] = None,
) -> None:
    from experiments.lanes import run_lane

    raise typer.Exit(run_lane(suite, quiet=quiet, arguments=arguments or ()))
