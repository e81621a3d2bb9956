"""From the items in force to what lies over a pack, and the checks of a review."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from typing import Any

from cognition import phrasing
from cognition.packs.overlay import NO_OVERLAY, Addition, Overlay, TaughtSource
from cognition.packs.vocabulary import Vocabulary
from cognition.teaching.conflicts import Conflict, conflicts, known
from cognition.teaching.errors import ReviewError
from cognition.teaching.items import Content, Item, Knowledge
from recognition.english import check_english


def overlay_of(knowledge: Knowledge, vocabulary: Vocabulary) -> Overlay:
    """What is in force over a pack. An item about words that the pack lacks adds nothing.

    Nor does one that the pack says already; where that was out of force, it is in force again. What was taught goes
    before what a pack says against it, and of two items, where the one that kept them apart was taken back, the newer.

    Args:
        knowledge: reviewed items in force.
        vocabulary: the pack, without an overlay.
    """
    about = [item for item in knowledge.items if applies(item.content, vocabulary)]
    already = {item.id: known(item.content, vocabulary) for item in about}
    items = [i for i in about if i.content.kind in ("relation", "gloss") and already[i.id] is None]
    hidden = {evidence for evidence in knowledge.hidden if _is_statement(evidence, vocabulary)}
    hidden -= set(already.values())
    hidden |= {
        e for item in items for e in _against(item.content, vocabulary) if _is_statement(e, vocabulary)
    }
    overlay = _overlay(items, hidden)
    older = _outdone(items, vocabulary.with_overlay(overlay))
    return _overlay([item for item in items if item.id not in older], hidden) if older else overlay


def _overlay(items: list[Item], hidden: set[str]) -> Overlay:
    if not items and not hidden:
        return NO_OVERLAY
    said = [item for item in items if item.content.kind == "relation"]
    return Overlay(
        digest=_digest([item.content.as_dict() for item in items], sorted(hidden)),
        additions=tuple(
            Addition(
                id=item.id,
                subject=item.content.subject,
                relation=item.content.relation,
                object=item.content.object,
                positive=item.content.polarity == "positive",
                order=item.content.order,
            )
            for item in said
        ),
        glosses={i.content.subject: (i.id, i.content.gloss) for i in items if i.content.kind == "gloss"},
        hidden=frozenset(hidden),
        sources={item.id: source_of(item) for item in items},
    )


def _against(content: Content, vocabulary: Vocabulary) -> set[str]:
    """The single statements, and the gloss, that a content contradicts."""
    found = conflicts(content, vocabulary)
    return {evidence for conflict in found if conflict.ground != "implied" for evidence in conflict.evidence}


def _outdone(items: list[Item], vocabulary: Vocabulary) -> set[str]:
    """The items that a newer one in force contradicts."""
    seq = {item.id: item.accepted_seq for item in items}
    found: set[str] = set()
    for item in sorted(items, key=lambda item: -item.accepted_seq):
        if item.id not in found:
            rivals = _against(item.content, vocabulary)
            if item.content.kind == "gloss":
                rivals = {
                    i.id
                    for i in items
                    if i.content.kind == "gloss" and i.content.subject == item.content.subject
                }
            found |= {rival for rival in rivals if seq.get(rival, item.accepted_seq) < item.accepted_seq}
    return found


def applies(content: Content, vocabulary: Vocabulary) -> bool:
    """Whether the pack has the words and the relation that the content is about."""
    return all(sense in vocabulary.index for sense in (content.subject, content.object) if sense) and (
        not content.relation or content.relation in vocabulary.relation_types
    )


def source_of(item: Item) -> TaughtSource:
    """Who taught an item and who reviewed it, and the licence it was last given under."""
    names = dict.fromkeys(proposal.by for proposal in item.proposals)
    attribution = f"taught by {phrasing.enumerate_phrases(list(names))}, reviewed by {item.decided_by}"
    return TaughtSource(attribution=attribution, licence=item.proposals[-1].licence)


def review_check(
    vocabulary: Vocabulary, *, replace: bool = False
) -> Callable[[Item, Knowledge], tuple[str, ...]]:
    """The check of an acceptance, for `TeachingStore.accept`: against the pack and all that is in force.

    Args:
        vocabulary: the pack, without an overlay.
        replace: put out of force what a proposal contradicts.

    Raises:
        ReviewError: from the check: ``unknown_word``, ``unknown_relation``, ``unknown_evidence``, ``already_known``,
            ``bad_order``, ``bad_english``, ``contradicts`` or ``implied_otherwise``.
    """

    def check(item: Item, knowledge: Knowledge) -> tuple[str, ...]:
        now = vocabulary.with_overlay(overlay_of(knowledge, vocabulary))
        found = examine(item.content, now)
        implied = [conflict for conflict in found if conflict.ground == "implied"]
        if implied:
            raise ReviewError("implied_otherwise", f"item {item.id}: {_listed(implied)}")
        if found and not replace:
            raise ReviewError("contradicts", f"item {item.id}: {_listed(found)}")
        return tuple(dict.fromkeys(evidence for conflict in found for evidence in conflict.evidence))

    return check


def examine(content: Content, vocabulary: Vocabulary) -> tuple[Conflict, ...]:
    """The contradictions of a content, after the checks that no reviewer can overrule.

    Args:
        content: what is taught.
        vocabulary: reviewed knowledge, under its overlay.

    Raises:
        ReviewError: see `review_check`.
    """
    for sense in (content.subject, content.object):
        if sense and sense not in vocabulary.index:
            raise ReviewError("unknown_word", f"sense {sense!r}")
    if content.relation and content.relation not in vocabulary.relation_types:
        raise ReviewError("unknown_relation", f"relation {content.relation!r}")
    if content.target and not _is_statement(content.target, vocabulary):
        raise ReviewError("unknown_evidence", f"{content.target!r}")
    on_record = known(content, vocabulary)
    if on_record is not None:
        raise ReviewError("already_known", f"{content.said()} ({on_record})")
    if content.kind == "relation":
        _check_order(content, vocabulary)
    if content.kind == "gloss":
        sense = vocabulary.senses[vocabulary.index[content.subject]]
        tried = vocabulary.with_glosses({sense.id: content.gloss})
        problems = check_english(phrasing.sentence(phrasing.definition(tried, vocabulary.index[sense.id])))
        if problems:
            raise ReviewError("bad_english", f"{content.said()!r} ({problems[0].message})")
    return conflicts(content, vocabulary)


def _check_order(content: Content, vocabulary: Vocabulary) -> None:
    kind = vocabulary.relation_types[content.relation].kind
    if (kind == "procedural" and content.polarity == "positive") != (content.order is not None):
        raise ReviewError("bad_order", f"{content.said()}: place {content.order}")
    if content.order is not None:
        goal = vocabulary.index[content.object]
        places = [
            s.order or 0
            for s in vocabulary.statements_of(goal)
            if s.object == goal and s.relation == content.relation
        ]
        if not 1 <= content.order <= max(places, default=0) + 1:
            raise ReviewError("bad_order", f"{content.said()}: place {content.order}")


def _is_statement(evidence_id: str, vocabulary: Vocabulary) -> bool:
    try:
        vocabulary.statement_by_id(evidence_id)
    except KeyError:
        return False
    return True


def _listed(found: list[Conflict] | tuple[Conflict, ...]) -> str:
    return "; ".join(f"{conflict.ground}: {' + '.join(conflict.evidence)}" for conflict in found)


def _digest(items: list[dict[str, Any]], hidden: list[str]) -> str:
    text = json.dumps({"items": items, "hidden": hidden}, separators=(",", ":"), sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()
