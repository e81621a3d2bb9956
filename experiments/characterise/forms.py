"""Which prompts a region constrains: by what they ask and by category, under both contracts of the subject."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from cognition.config import RuntimeConfig, SubjectSpan
from cognition.constraint import anchors_of
from cognition.packs.vocabulary import Vocabulary
from cognition.runtime import Runtime
from experiments.characterise.arms import form_of, level, suite_record
from experiments.metrics.cases import Suite
from experiments.metrics.summary import mean

SPANS: tuple[SubjectSpan, ...] = ("head", "phrase")
FEWEST_WORDS = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class Engaged:
    """The region of one prompt.

    Attributes:
        prompt: as asked.
        form: the intent that was read, and how.
        category: of its case.
        anchors: how many words its graph names.
        region: size of its region; None for the whole vocabulary.
        refusal: code of the refusal that ended the turn before it had a region; "" where it had one.
    """

    prompt: str
    form: str
    category: str
    anchors: int
    region: int | None
    refusal: str


def engagement_by_form(suite: Suite, vocabulary: Vocabulary, *, top_k: int = 8) -> dict[str, Any]:
    """The share of prompts that a region constrains, and its anchors and size, by form and by category.

    Args:
        suite: the cases; only their prompts and categories count.
        vocabulary: an opened pack.
        top_k: size of one anchor's neighbourhood.

    Returns:
        ``suite``, ``top_k`` and ``spans``: for each contract of the subject ``constrained`` (with its interval),
        ``anchors``, ``region``, ``one_anchor`` (of the constrained, the share whose region grew from a single word),
        ``unconstrained`` and ``refused`` (before there was a region, by code), and the same by ``forms`` and
        ``categories``.
    """
    spans = {span: _engaged(suite, vocabulary, span, top_k) for span in SPANS}
    return {
        "suite": suite_record(suite),
        "top_k": top_k,
        "spans": {
            span: {
                **_summary(found),
                "interval": level([one.region is not None for one in found]),
                "forms": _grouped(found, lambda one: one.form),
                "categories": _grouped(found, lambda one: one.category),
                "unconstrained_prompts": [
                    one.prompt for one in found if one.region is None and not one.refusal
                ],
            }
            for span, found in spans.items()
        },
    }


def _engaged(suite: Suite, vocabulary: Vocabulary, span: SubjectSpan, top_k: int) -> list[Engaged]:
    # The region stands before the first step: none has to be taken.
    config = RuntimeConfig(forward_graph_constraint=True, subject_span=span, top_k=top_k, max_tokens=0)
    turns = Runtime(vocabulary, config).ask_batch([case.prompt for case in suite.cases])
    found: list[Engaged] = []
    for case, turn in zip(suite.cases, turns, strict=True):
        allowed = turn.region.allowed_indices if turn.region is not None else None
        ended = turn.region is None and turn.refusal is not None
        found.append(
            Engaged(
                prompt=case.prompt,
                form=form_of(turn),
                category=case.category,
                anchors=0 if turn.graph is None else len(anchors_of(turn.graph, vocabulary)),
                region=None if allowed is None else len(allowed),
                refusal=turn.refusal.code if ended and turn.refusal is not None else "",
            )
        )
    return found


def _grouped(found: Sequence[Engaged], key: Callable[[Engaged], str]) -> dict[str, dict[str, Any]]:
    """A summary for each group, the largest first."""
    groups: dict[str, list[Engaged]] = {}
    for one in found:
        groups.setdefault(key(one), []).append(one)
    return {
        name: _summary(members)
        for name, members in sorted(groups.items(), key=lambda item: (-len(item[1]), item[0]))
    }


def _summary(found: Sequence[Engaged]) -> dict[str, Any]:
    constrained = [one for one in found if one.region is not None]
    return {
        "n": len(found),
        "constrained": len(constrained) / len(found) if found else None,
        "anchors": mean(one.anchors for one in constrained),
        "one_anchor": mean(one.anchors < FEWEST_WORDS for one in constrained),
        "region": mean(one.region for one in constrained),
        "unconstrained": sum(one.region is None and not one.refusal for one in found),
        "refused": _counted(one.refusal for one in found if one.refusal),
    }


def _counted(codes: Iterable[str]) -> dict[str, int]:
    found = sorted(codes)
    return {code: found.count(code) for code in dict.fromkeys(found)}
