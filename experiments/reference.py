"""Pages of the documentation that are made from tables in the code: run it as ``python -m experiments.reference``."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from cognition.eventlog import FILE_CODES
from cognition.refusal import CATALOGUE, FALLS
from cognition.session.events import CODES as SESSION_CODES
from cognition.stages import STAGES
from cognition.teaching.errors import CODES

DOCS = Path(__file__).parent.parent / "docs" / "reference"
NOTE = "This page is made from the code by `make reference`; a test keeps it in step."


def refusals() -> str:
    """The catalogue of refusals."""
    rows = [f"| `{code}` | {entry.meaning} | {entry.remedy} |" for code, entry in sorted(CATALOGUE.items())]
    falls = [f"| `{code}` | {meaning} |" for code, meaning in FALLS.items()]
    lines = [
        "# Refusals",
        "",
        NOTE,
        "",
        "| code | what it means | what lifts it |",
        "|---|---|---|",
        *rows,
        "",
    ]
    lines += [
        "A refusal for missing knowledge says which sources were tried, pack, teaching and vault, and why each fell",
        "through (`tried`):",
        "",
        "| `fell` | why |",
        "|---|---|",
    ]
    return "\n".join([*lines, *falls, ""])


def reviews() -> str:
    """The codes of a review and of a store's file."""
    return _errors("review", {**CODES, **FILE_CODES})


def sessions() -> str:
    """The codes of sessions."""
    return _errors("session", SESSION_CODES)


def _errors(of: str, codes: Mapping[str, str]) -> str:
    lines = [f"# Errors of a {of}", "", NOTE, "", "| code | what it means, and what to do |", "|---|---|"]
    return "\n".join([*lines, *(f"| `{code}` | {text} |" for code, text in sorted(codes.items())), ""])


def stages() -> str:
    """The stages of a turn, and what each needs and gives."""
    rows = [f"| {stage.name} | {', '.join(stage.needs)} | {', '.join(stage.gives)} |" for stage in STAGES]
    lines = ["# Stages of a turn", "", NOTE, "", "| stage | needs | gives |", "|---|---|---|", *rows]
    lines += ["", "A stage sees the turns that no earlier stage refused. What gives to what:", "", "```text"]
    givers = {given: stage.name for stage in STAGES for given in stage.gives}
    arrows = [
        f"{' + '.join(dict.fromkeys(givers.get(needed, 'the prompt') for needed in stage.needs)):>34}  ->  {stage.name}"
        for stage in STAGES
    ]
    lines += arrows
    return "\n".join([*lines, "```", ""])


PAGES = {"refusals.md": refusals, "sessions.md": sessions, "reviews.md": reviews, "stages.md": stages}


def main() -> None:
    """Writes the pages."""
    DOCS.mkdir(exist_ok=True)
    for name, page in PAGES.items():
        (DOCS / name).write_text(page(), encoding="utf-8")


if __name__ == "__main__":
    main()
