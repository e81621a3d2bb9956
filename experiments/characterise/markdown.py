"""The characterisation as a Markdown page: the answers first, then each part with its picture, then how."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from typing import Any

from experiments.characterise import sections
from experiments.characterise.sections import Shown

IMAGES = "images/characterise"
NO_PICTURES = (
    "Pictures need matplotlib: `pip install core-cognition[notebooks]`, then write the page again "
    "(`--from` takes the saved figures)."
)
CONFIGURED = ("top_k", "max_tokens", "subject_span")


def markdown(report: Mapping[str, Any], pictures: Collection[str]) -> str:
    """The report as text.

    Args:
        report: of `characterise`.
        pictures: names of the pictures that were made, in the folder `IMAGES` beside the text.
    """
    pack, suite = report["run"]["pack"], report["suite"]
    opening = (
        f"What ADR-0047 left open, measured on `{pack['id']}` {pack['version']} and {suite['n']} prompts of the "
        f"{suite['split']} split. `core characterise` writes this page; its sentences are chosen by the "
        "figures. In brackets stand bootstrap intervals of 95 %."
    )
    answers = "\n".join(f"- {answer}" for answer in report["follows"]["answers"].values())
    blocks = ["# When the graph constraint engages, and what it does", opening, "## The answers", answers]
    if not pictures:
        blocks.append(NO_PICTURES)
    for key, title, write in _SECTIONS:
        if key in report:
            blocks += [f"## {title}", *write(report[key], _shown(pictures))]
    blocks += ["## How it was measured", _how(report), _footer(report)]
    return "\n\n".join(block for block in blocks if block) + "\n"


_SECTIONS: tuple[tuple[str, str, Callable[[Any, Shown], list[str]]], ...] = (
    ("engagement", "Which prompts a region constrains", sections.engagement),
    ("top_k", "What top_k does", sections.top_k),
    ("overlap", "Where the region and the walk are", sections.overlap),
    ("exhaustion", "Why a walk would be exhausted", sections.exhaustion),
    ("lift", "What the region gives", sections.lift),
    ("held_out", "What no fit has seen", sections.held_out),
    ("losses", "What each part of the fit is for", sections.losses),
)


def _shown(pictures: Collection[str]) -> Shown:
    """Gives the line of a picture, or nothing where it was not made."""
    return lambda name, text: f"![{text}]({IMAGES}/{name}.png)" if name in pictures else ""


def _how(report: Mapping[str, Any]) -> str:
    run, suite = report["run"], report["suite"]
    versions = ", ".join(
        f"{name} {version}" for name, version in run["versions"].items() if version is not None
    )
    changed = ", ".join(f"{name} {run['config'][name]}" for name in CONFIGURED)
    intervals = (
        "2,000 bootstrap resamples of cases, paired where two arms are compared. All seeds are fixed, so a second run "
        "gives the same figures; fits are deterministic on one machine, and may round otherwise on another"
    )
    counted = (
        "what the cases expect of the walk, scored as in `core eval cognition`; means over cases. Slots: what the turn "
        "itself looks for, each a group of words of which one grounds it"
    )
    lines = (
        f"suite: {suite['split']}, {suite['n']} cases, SHA-256 `{suite['sha256']}`",
        f"pack: `{run['pack']['id']}` {run['pack']['version']}, SHA-256 `{run['pack']['sha256']}`",
        f"configuration: {changed}, the defaults; {run['backend']} backend",
        f"intervals: {intervals}",
        f"terms: {counted}",
        "strangers: a region and a free walk whose first 8 words have none in common",
        f"versions: {versions}",
    )
    return "\n".join(f"- {line}" for line in lines)


def _footer(report: Mapping[str, Any]) -> str:
    run = report["run"]
    commit = (run["git"]["commit"] or "unknown")[:12]
    return f"*{run['time'][:10]}, commit `{commit}`{' and changes' if run['git']['dirty'] else ''}.*"
