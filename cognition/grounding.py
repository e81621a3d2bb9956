"""What a question wants, which evidence would satisfy it, and what the walk brought.

Evidence that a question names outright (the gloss of its subject, the statement it asks about) is looked up by
key. Everything else is an open slot: the walk proposes words, and a word fills a slot only if a reviewed
statement of the wanted kind joins it to what was asked about. A word of the prompt never grounds anything.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from cognition.clause import Clause
from cognition.graph import IntentTag
from cognition.inquiry import Fill, Grounding, Inquiry, Slot
from cognition.packs.vocabulary import Statement, Vocabulary
from cognition.refusal import Refusal

VERSION = 1

_CAUSAL = frozenset(("causal", "support"))
_NEEDED: dict[IntentTag, tuple[str, ...]] = {
    IntentTag.COMPARISON: ("subject", "object"),
    IntentTag.FRAME_TRANSFER: ("subject", "object", "third"),
    IntentTag.PROCEDURE: ("verb",),
}
_NEGATABLE = frozenset((IntentTag.VERIFICATION, IntentTag.CORRECTION))
_NOT_A_REASON = frozenset(("contrast", "opposition"))


def ground(inquiry: Inquiry, walked: tuple[int, ...]) -> Grounding:
    """Fills the open slots by the walked words, first come first taken."""
    fills: list[Fill] = []
    for slot in inquiry.slots:
        found = [
            Fill(slot=slot.name, word=word, step=step, statements=slot.fills[word])
            for step, word in enumerate(walked)
            if word in slot.fills
        ]
        if not found and slot.required:
            return Grounding(fills=tuple(fills), refusal=Refusal(code="ungrounded", about=slot.name))
        fills.extend(found if slot.every else found[:1])
    return Grounding(fills=tuple(fills))


def inquire(clause: Clause, vocabulary: Vocabulary) -> Inquiry:
    """What the clause wants. Its refusal is set where a phrase it needs is not in the lexicon."""
    may_be_negated = clause.intent in _NEGATABLE or clause.form == "claim"
    if clause.negation == "only" or (clause.negation and not may_be_negated):
        return Inquiry(refusal=Refusal(code="negation_not_supported", about=clause.negation))
    if clause.intent is not IntentTag.UNKNOWN:
        if any(getattr(clause, slot) is None for slot in _needed(clause)):
            return Inquiry(refusal=Refusal(code="incomplete_question"))
        needed = clause.mentions()[:1] if clause.intent is IntentTag.CORRECTION else clause.mentions()
        for mention in needed:
            if not mention.known:
                return Inquiry(refusal=Refusal(code="unknown_subject", about=mention.phrase))
    return _INQUIRIES[clause.intent](clause, vocabulary, _prompt_words(clause))


def _needed(clause: Clause) -> tuple[str, ...]:
    """The slots without which the clause asks nothing."""
    if clause.intent is IntentTag.TRANSITIVE_QUERY:
        return ("subject",) if clause.form == "object" else ("object",)
    return _NEEDED.get(clause.intent, ("subject",))


def _prompt_words(clause: Clause) -> frozenset[int]:
    return frozenset(i for match in clause.words for i in match.indices)


def _sense(mention: object) -> int:
    index = getattr(mention, "index", None)
    assert isinstance(index, int)
    return index


def _fills(
    pairs: Iterable[tuple[int, tuple[Statement, ...]]], prompt: frozenset[int]
) -> dict[int, tuple[Statement, ...]]:
    found: dict[int, tuple[Statement, ...]] = {}
    for word, statements in pairs:
        if word not in prompt:
            found.setdefault(word, statements)
    return found


def _related(
    vocabulary: Vocabulary, index: int, prompt: frozenset[int], wanted: Callable[[Statement], bool]
) -> dict[int, tuple[Statement, ...]]:
    return _fills(
        ((s.other(index), (s,)) for s in vocabulary.statements_of(index) if s.positive and wanted(s)), prompt
    )


def _kind(vocabulary: Vocabulary, said: Statement) -> str:
    return vocabulary.relation_types[said.relation].kind


def _describe(clause: Clause, vocabulary: Vocabulary, prompt: frozenset[int]) -> Inquiry:
    subject = _sense(clause.subject)
    if clause.intent is IntentTag.DEFINITION or clause.intent is IntentTag.CORRECTION:
        slots = (Slot(name="related", fills=_related(vocabulary, subject, prompt, lambda s: True)),)
    else:
        slots = (
            Slot(name="says", fills=_related(vocabulary, subject, prompt, lambda s: s.subject == subject)),
            Slot(name="is_said", fills=_related(vocabulary, subject, prompt, lambda s: s.object == subject)),
        )
    return Inquiry(glosses=(subject,), slots=tuple(slot for slot in slots if slot.fills))


def _cause(clause: Clause, vocabulary: Vocabulary, prompt: frozenset[int]) -> Inquiry:
    if clause.form == "claim":
        return _why_claim(clause, vocabulary, prompt)
    subject = _sense(clause.subject)
    if clause.form == "purpose":
        fills = _related(
            vocabulary,
            subject,
            prompt,
            lambda s: (
                (s.subject == subject and _kind(vocabulary, s) in _CAUSAL)
                or (s.object == subject and _kind(vocabulary, s) == "dependence")
            ),
        )
    else:
        fills = _related(
            vocabulary, subject, prompt, lambda s: s.object == subject and _kind(vocabulary, s) in _CAUSAL
        )
    return _with_required("cause", fills, subject, vocabulary)


def _why_claim(clause: Clause, vocabulary: Vocabulary, prompt: frozenset[int]) -> Inquiry:
    subject, relation = _sense(clause.subject), clause.relation
    obj = _sense(clause.object) if clause.object is not None else None
    claim = _on_record(vocabulary, subject, relation, obj) if obj is not None else None
    if claim is None or obj is None:
        return Inquiry(refusal=Refusal(code="claim_not_on_record", about=_asked(clause)))
    if clause.negation:
        if claim.positive:
            return Inquiry(statements=(claim,), verdict="denied")
        return Inquiry(statements=(claim,), refusal=Refusal(code="no_evidence", about=_asked(clause)))
    if not claim.positive:
        instead = Slot(
            name="instead",
            fills=_related(
                vocabulary, subject, prompt, lambda s: s.subject == subject and s.relation == relation
            ),
        )
        return Inquiry(statements=(claim,), slots=(instead,) if instead.fills else (), verdict="denied")
    fills = _middle(vocabulary, claim, prompt)
    if not fills:
        return Inquiry(statements=(claim,), refusal=Refusal(code="no_evidence", about=_asked(clause)))
    return Inquiry(statements=(claim,), slots=(Slot(name="because", required=True, fills=fills),))


def _middle(
    vocabulary: Vocabulary, claim: Statement, prompt: frozenset[int]
) -> dict[int, tuple[Statement, ...]]:
    """Words M through which a claim S REL O follows, or is made understandable, from two other statements."""
    pairs: list[tuple[int, tuple[Statement, ...]]] = []
    for first in vocabulary.statements_of(claim.subject):
        if first.subject == claim.subject and first.positive:
            pairs.extend(
                (first.object, (first, second))
                for second in vocabulary.between(first.object, claim.object)
                if second.positive and _explains(vocabulary, claim, first, second)
            )
    return _fills(pairs, prompt)


def _explains(vocabulary: Vocabulary, claim: Statement, first: Statement, second: Statement) -> bool:
    """Whether S first M and the second statement between M and O give a reason for S REL O.

    The second runs from M to O, or from what O does for M (or M needs of O) to it; so a claim can't be a reason
    for its own reason.
    """
    wanted = vocabulary.relation_types[claim.relation]
    kinds = (_kind(vocabulary, first), _kind(vocabulary, second))
    onward = second.subject == first.object
    if onward and first.relation == second.relation == claim.relation:
        return wanted.transitive
    if onward and kinds[0] == "taxonomic" and second.relation == claim.relation:
        return True  # what holds of M holds of its kinds
    if wanted.kind == "dependence":
        if first.relation != claim.relation:
            return False
        return kinds[1] == "taxonomic" if onward else kinds[1] in _CAUSAL
    if wanted.kind in _CAUSAL and kinds[0] in _CAUSAL | {"showing"}:
        return kinds[1] in _CAUSAL if onward else kinds[1] == "dependence"
    return False


def _compare(clause: Clause, vocabulary: Vocabulary, prompt: frozenset[int]) -> Inquiry:
    a, b = _sense(clause.subject), _sense(clause.object)
    if a == b:
        return Inquiry(refusal=Refusal(code="no_evidence", about=vocabulary.senses[a].lemma))
    theirs = {s.other(b): s for s in reversed(vocabulary.statements_of(b)) if s.positive}
    fills = _fills(
        (
            (s.other(a), (s, theirs[s.other(a)]))
            for s in vocabulary.statements_of(a)
            if s.positive and s.other(a) in theirs
        ),
        prompt,
    )
    shared = (Slot(name="shared", fills=fills),) if fills else ()
    return Inquiry(glosses=(a, b), statements=vocabulary.between(a, b), slots=shared)


def _procedure(clause: Clause, vocabulary: Vocabulary, prompt: frozenset[int]) -> Inquiry:
    action = _sense(clause.verb)
    steps = sorted(
        (
            s
            for s in vocabulary.statements_of(action)
            if s.object == action and s.positive and s.order is not None
        ),
        key=lambda s: (s.relation, s.order),
    )
    return _with_required(
        "step", _fills(((s.subject, tuple(steps)) for s in steps), prompt), action, vocabulary
    )


def _verify(clause: Clause, vocabulary: Vocabulary, prompt: frozenset[int]) -> Inquiry:
    if clause.relation is None or clause.object is None:
        return Inquiry(refusal=Refusal(code="no_evidence", about=_asked(clause)))
    subject, obj, relation = _sense(clause.subject), _sense(clause.object), clause.relation
    said = _on_record(vocabulary, subject, relation, obj)
    if said is None:
        chain = _chain(vocabulary, subject, relation, obj, prompt)
        if not chain:
            return Inquiry(
                statements=tuple(s for s in vocabulary.between(subject, obj)),
                refusal=Refusal(code="no_evidence", about=_asked(clause)),
            )
        return Inquiry(slots=(Slot(name="chain", required=True, fills=chain),), verdict="chain")
    reasons = _middle(vocabulary, said, prompt) if said.positive else {}
    # After a denial, what the same relation does hold of says most.
    instead = _related(vocabulary, subject, prompt, lambda s: s.subject == subject and s.relation == relation)
    besides = _related(vocabulary, subject, prompt, lambda s: _kind(vocabulary, s) not in _NOT_A_REASON)
    fills = besides if said.positive or not instead else instead
    slot = Slot(name="because", fills=reasons) if reasons else Slot(name="also", fills=fills)
    slots = (slot,) if slot.fills else ()
    if said.positive:
        return Inquiry(statements=(said,), slots=slots, verdict="yes")
    others = tuple(s for s in vocabulary.between(subject, obj) if s != said)
    return Inquiry(statements=(said, *others), slots=slots, verdict="no")


def _chain(
    vocabulary: Vocabulary, subject: int, relation: str, obj: int, prompt: frozenset[int]
) -> dict[int, tuple[Statement, ...]]:
    """Words M with S REL M and M REL O on record, for a transitive relation."""
    if not vocabulary.relation_types[relation].transitive:
        return {}
    pairs: list[tuple[int, tuple[Statement, ...]]] = []
    for first in vocabulary.statements_of(subject):
        if first.subject == subject and first.relation == relation and first.positive:
            second = _on_record(vocabulary, first.object, relation, obj)
            if second is not None and second.positive:
                pairs.append((first.object, (first, second)))
    return _fills(pairs, prompt)


def _open_end(clause: Clause, vocabulary: Vocabulary, prompt: frozenset[int]) -> Inquiry:
    asked_object = clause.form == "object"
    named = _sense(clause.subject if asked_object else clause.object)
    symmetric = clause.relation is not None and vocabulary.relation_types[clause.relation].symmetric
    fills = _related(
        vocabulary,
        named,
        prompt,
        lambda s: (
            s.relation == clause.relation
            and (symmetric or (s.subject if asked_object else s.object) == named)
        ),
    )
    return _with_required("asked", fills, named, vocabulary, every=True)


def _example(clause: Clause, vocabulary: Vocabulary, prompt: frozenset[int]) -> Inquiry:
    subject = _sense(clause.subject)
    fills = _related(
        vocabulary, subject, prompt, lambda s: s.object == subject and _kind(vocabulary, s) == "taxonomic"
    )
    return _with_required("example", fills, subject, vocabulary, every=True)


def _transfer(clause: Clause, vocabulary: Vocabulary, prompt: frozenset[int]) -> Inquiry:
    a, b, c = _sense(clause.subject), _sense(clause.object), _sense(clause.third)
    pairs: list[tuple[int, tuple[Statement, ...]]] = []
    for model in vocabulary.between(a, b):
        for said in vocabulary.statements_of(c):
            same_way = (said.subject == c) == (model.subject == a)
            if model.positive and said.positive and said.relation == model.relation and same_way:
                pairs.append((said.other(c), (model, said)))
    return _with_required("analogue", _fills(pairs, prompt), c, vocabulary)


def _unknown(clause: Clause, vocabulary: Vocabulary, prompt: frozenset[int]) -> Inquiry:
    named = dict.fromkeys(
        vocabulary.choose(match.indices, "noun")
        for match in clause.words
        if not all(vocabulary.is_stop(i) for i in match.indices)
    )
    if not named:
        return Inquiry(refusal=Refusal(code="unknown_domain"))
    return Inquiry(glosses=tuple(named)[:3])


def _with_required(
    name: str,
    fills: dict[int, tuple[Statement, ...]],
    about: int,
    vocabulary: Vocabulary,
    *,
    every: bool = False,
) -> Inquiry:
    if not fills:
        return Inquiry(refusal=Refusal(code="no_evidence", about=vocabulary.senses[about].lemma))
    return Inquiry(slots=(Slot(name=name, required=True, every=every, fills=fills),))


def _on_record(vocabulary: Vocabulary, subject: int, relation: str | None, obj: int) -> Statement | None:
    """The reviewed statement S REL O, or its reviewed denial; a symmetric relation holds both ways."""
    for said in vocabulary.between(subject, obj):
        if said.relation == relation:
            symmetric = vocabulary.relation_types[said.relation].symmetric
            if said.subject == subject or symmetric:
                return said
    return None


def _asked(clause: Clause) -> str:
    return " and ".join(mention.phrase for mention in clause.mentions())


_INQUIRIES: dict[IntentTag, Callable[[Clause, Vocabulary, frozenset[int]], Inquiry]] = {
    IntentTag.DEFINITION: _describe,
    IntentTag.RECALL: _describe,
    IntentTag.NARRATIVE: _describe,
    IntentTag.CORRECTION: _describe,
    IntentTag.CAUSE: _cause,
    IntentTag.COMPARISON: _compare,
    IntentTag.PROCEDURE: _procedure,
    IntentTag.VERIFICATION: _verify,
    IntentTag.TRANSITIVE_QUERY: _open_end,
    IntentTag.EXAMPLE: _example,
    IntentTag.FRAME_TRANSFER: _transfer,
    IntentTag.UNKNOWN: _unknown,
}
