"""All parts of the characterisation over one suite and one pack."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from cognition.config import RuntimeConfig
from cognition.packs.build import FULL_BATCH
from cognition.packs.vocabulary import Vocabulary
from cognition.runtime import Runtime
from experiments.characterise.ablation import losses
from experiments.characterise.arms import run_arm, suite_record
from experiments.characterise.exhaust import LOOPS, QUICK_LOOPS, exhaustion
from experiments.characterise.forms import engagement_by_form
from experiments.characterise.gains import FOLDS, held_out, lift
from experiments.characterise.nearness import overlap
from experiments.characterise.sweep import QUICK_TOP_KS, TOP_KS, top_k_sweep, unconstrained
from experiments.characterise.verdict import follows
from experiments.harness import UsageError, run_record
from experiments.metrics.cases import Suite

FORMAT_VERSION = 1
PARTS = ("engagement", "top_k", "overlap", "exhaustion", "lift", "held_out", "losses")
REFITTED = ("held_out", "losses")
"""The parts that fit points anew; the others take a minute together."""


def characterise(
    suite: Suite,
    vocabulary: Vocabulary,
    *,
    others: Sequence[Suite] = (),
    quick: bool = False,
    parts: Sequence[str] | None = None,
    top_ks: Sequence[int] | None = None,
    folds: int = FOLDS,
    saved: Mapping[str, Any] | None = None,
    progress: Callable[[str], None] = lambda part: None,
) -> dict[str, Any]:
    """Measures when the constraint engages and what it does, and says what follows.

    Args:
        suite: the cases that everything is measured on.
        vocabulary: an opened pack.
        others: suites whose engagement is given beside it.
        quick: fewer sizes and settings, and no refits.
        parts: which of `PARTS` to measure; None measures all, with ``quick`` all but those of `REFITTED`.
        top_ks: sizes of one anchor's neighbourhood.
        folds: refits of the held-out relations.
        saved: an earlier report, of the same suite and pack; the parts that it has are taken over, not measured again.
        progress: told the name of each part before it is measured.

    Returns:
        ``format_version``, ``suite``, ``run``, ``quick``, the parts by name, and ``follows``; ready for JSON.

    Raises:
        UsageError: an unknown part, a saved report of another suite or pack, or a pack too large to be refitted.
    """
    wanted = list(parts) if parts is not None else [p for p in PARTS if not quick or p not in REFITTED]
    if unknown := [part for part in wanted if part not in PARTS]:
        raise UsageError(f"part: unknown {unknown[0]!r}; known: {', '.join(PARTS)}")
    record = {"suite": suite_record(suite), "run": run_record(Runtime(vocabulary))}
    kept = {} if saved is None else _taken_over(saved, record)
    missing = [part for part in PARTS if part in wanted and part not in kept]
    if len(vocabulary) > FULL_BATCH and set(missing) & set(REFITTED):
        raise UsageError(
            f"{record['run']['pack']['id']}: has {len(vocabulary)} senses, and parts that fit points anew take "
            f"packs of up to {FULL_BATCH}: leave them out with --quick"
        )
    sizes = top_ks if top_ks is not None else QUICK_TOP_KS if quick else TOP_KS
    top_k = RuntimeConfig().top_k
    off = (
        run_arm(suite, vocabulary, unconstrained(RuntimeConfig()))
        if {"top_k", "lift"} & set(missing)
        else None
    )
    measures: dict[str, Callable[[], Any]] = {
        "engagement": lambda: [engagement_by_form(one, vocabulary, top_k=top_k) for one in (suite, *others)],
        "top_k": lambda: top_k_sweep(suite, vocabulary, top_ks=sizes, off=off),
        "overlap": lambda: overlap(suite, vocabulary, top_k=top_k),
        "exhaustion": lambda: exhaustion(
            suite, vocabulary, top_k=top_k, loops=QUICK_LOOPS if quick else LOOPS
        ),
        "lift": lambda: lift(suite, vocabulary, off=off),
        "held_out": lambda: held_out(vocabulary, folds=folds, top_ks=sizes),
        "losses": lambda: losses(suite, vocabulary, top_k=top_k),
    }
    found: dict[str, Any] = {}
    for part in PARTS:
        if part in kept:
            found[part] = kept[part]
        elif part in missing:
            progress(part)
            found[part] = measures[part]()
    report = {"format_version": FORMAT_VERSION, **record, "quick": quick, **found}
    return report | {"follows": follows(report)}


def _taken_over(saved: Mapping[str, Any], record: Mapping[str, Any]) -> dict[str, Any]:
    if saved.get("format_version") != FORMAT_VERSION:
        raise UsageError(
            f"saved report: format {saved.get('format_version')!r}, this is {FORMAT_VERSION}: measure again"
        )
    for name, ours, theirs in (
        ("suite", record["suite"]["sha256"], saved["suite"]["sha256"]),
        ("pack", record["run"]["pack"]["sha256"], saved["run"]["pack"]["sha256"]),
    ):
        if ours != theirs:
            raise UsageError(
                f"saved report: is of another {name} ({theirs[:12]}, here {ours[:12]}): measure again"
            )
    return {part: saved[part] for part in PARTS if part in saved}
