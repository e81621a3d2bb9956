"""`core engagement`: for each prompt the region its graph gives, under both contracts of the subject (ADR-0047)."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from rich import box
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from cognition.articulation import build_graph_from_input
from cognition.config import RuntimeConfig, SubjectSpan
from cognition.constraint import build_graph_constraints
from cognition.intent import classify
from cognition.packs.vocabulary import Vocabulary
from cognition.runtime import Runtime
from experiments.harness import run_record
from experiments.metrics.cases import Suite
from recognition.tokens import tokenize

PUBLISHED_FILE = Path(__file__).parent / "data" / "adr0047_table.jsonl"
SPANS: tuple[SubjectSpan, ...] = ("phrase", "head")


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """A prompt's region.

    Attributes:
        prompt: as asked.
        subject: of the first proposition, as the contract reads it.
        region: label of the region.
        words: sense ids of the admissible words, None for the whole vocabulary.
        as_published: whether subject and region are those of ADR-0047; None for a prompt it does not have.
    """

    prompt: str
    subject: str
    region: str
    words: tuple[str, ...] | None
    as_published: bool | None


def engagement(suite: Suite, vocabulary: Vocabulary, *, top_k: int = 8) -> dict[str, Any]:
    """The tables of both contracts, ready for JSON."""
    tables = {span: rows(suite, vocabulary, span, top_k=top_k) for span in SPANS}
    return {
        "suite": {"split": suite.split, "n": len(suite.cases), "sha256": suite.sha256},
        "run": run_record(Runtime(vocabulary, RuntimeConfig(top_k=top_k))),
        "contracts": {
            span: {
                "constrained": sum(row.words is not None for row in found),
                "published": sum(row.as_published is not None for row in found),
                "as_published": sum(bool(row.as_published) for row in found),
                "rows": [asdict(row) for row in found],
            }
            for span, found in tables.items()
        },
    }


def rows(suite: Suite, vocabulary: Vocabulary, span: SubjectSpan, *, top_k: int = 8) -> list[Row]:
    """The table under one contract."""
    published = {row["prompt"]: row for row in _published()}
    prompts = [case.prompt for case in suite.cases if tokenize(case.prompt)]
    graphs = [
        build_graph_from_input(
            prompt, classify(prompt, tokenize(prompt), vocabulary, subject_span=span), vocabulary
        )
        for prompt in prompts
    ]
    regions = build_graph_constraints(graphs, vocabulary, top_k=top_k)
    found: list[Row] = []
    for prompt, graph, region in zip(prompts, graphs, regions, strict=True):
        subject = graph.nodes[0].subject
        given = published.get(prompt)
        allowed = region.allowed_indices
        found.append(
            Row(
                prompt=prompt,
                subject=subject,
                region=region.label,
                words=None if allowed is None else tuple(vocabulary.senses[i].id for i in allowed),
                as_published=None
                if given is None
                else (subject, region.label) == (given["subject"], given["region"]),
            )
        )
    return found


def _published() -> list[dict[str, str]]:
    return [json.loads(line) for line in PUBLISHED_FILE.read_text(encoding="utf-8").splitlines()]


def show(report: dict[str, Any], console: Console) -> None:
    """Prints both tables and how they compare with the published one."""
    for span, contract in report["contracts"].items():
        console.print(_table(span, contract["rows"]))
        line = f"{contract['constrained']} of {len(contract['rows'])} constrained"
        if span == "phrase" and contract["published"]:
            line += f"; {contract['as_published']} of {contract['published']} rows as published in ADR-0047"
        console.print(line)


def _table(span: str, found: Sequence[dict[str, Any]]) -> Table:
    table = Table(
        title=f'subject span "{span}"',
        title_justify="left",
        box=box.SIMPLE_HEAD,
        pad_edge=False,
        padding=(0, 1, 0, 0),
    )
    table.add_column("prompt", ratio=3)
    table.add_column("subject", ratio=3)
    table.add_column("region", ratio=2)
    table.add_column("n", justify="right")
    table.add_column("admissible words", ratio=5, overflow="fold")
    for row in found:
        words = row["words"]
        mark = " [red]not as published[/red]" if span == "phrase" and row["as_published"] is False else ""
        table.add_row(
            escape(row["prompt"]),
            escape(f'"{row["subject"]}"') + mark,
            row["region"].removeprefix("graph:"),
            "all" if words is None else str(len(words)),
            "" if words is None else escape(", ".join(dict.fromkeys(map(_lemma, words)))),
        )
    return table


def _lemma(sense_id: str) -> str:
    return sense_id.rsplit(".", 2)[0].replace("_", " ")
