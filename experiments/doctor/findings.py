"""What a check finds, and checks that can't take the command down with them."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

State = Literal["ok", "note", "warning", "broken"]
STATES: tuple[State, ...] = ("ok", "note", "warning", "broken")


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One thing that was looked at.

    Attributes:
        area: what it belongs to: ``python``, ``packages``, ``devices``, ``packs``, ...
        state: ``ok``; ``note`` where something optional is missing; ``warning`` where it works, but not as it could;
            ``broken`` where something does not work.
        what: what was found, in a line.
        mend: a command, or what to do; "" where nothing is to be done.
    """

    area: str
    state: State
    what: str
    mend: str = ""


Check = Callable[[], Iterable[Finding]]


def run_check(area: str, check: Check) -> list[Finding]:
    """What a check finds; a check that fails is itself a finding."""
    found: list[Finding] = []
    try:
        found.extend(check())
    except Exception as error:
        text = " ".join(f"{type(error).__name__}: {error}".split())
        found.append(
            Finding(
                area=area,
                state="broken",
                what=f"could not be checked ({text})",
                mend="run the command again; if it stays, report this line as a bug",
            )
        )
    return found


def shown(path: Path, home: str = "~") -> str:
    """A path for a report that may be passed on: without the home folder, and with it a user's name.

    Args:
        path: the path.
        home: what stands for the home folder; ``$HOME`` where a shell reads it between quotes.
    """
    try:
        return str(Path(home) / path.relative_to(Path.home()))
    except (ValueError, RuntimeError):
        return str(path)
