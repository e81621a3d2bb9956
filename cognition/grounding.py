"""What a question wants, which evidence would satisfy it, and what the walk brought.

Evidence that a question names outright (the gloss of its subject, the statement it asks about) is looked up by
key. Everything else is an open slot: the walk proposes words, and a word fills a slot only if a reviewed
statement of the wanted kind joins it to what was asked about. A word of the prompt never grounds anything.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

from cognition import cues, dictionary
from cognition.asked import asked, claimed
from cognition.clause import Clause, Mention
from cognition.graph import IntentTag
from cognition.inquiry import Fill, Grounding, Inquiry, Slot
from cognition.packs.vocabulary import Statement, Vocabulary, surface_key
from cognition.paths import CAUSAL, beyond, chains, kind_of, middle, on_record, related, unprompted
from cognition.phrasing import enumerate_phrases
from cognition.refusal import Refusal
from cognition.settle import taking

VERSION = 1

_NEEDED: dict[IntentTag, tuple[str, ...]] = {
    IntentTag.COMPARISON: ("subject", "object"),
    IntentTag.FRAME_TRANSFER: ("subject", "object", "third"),
    IntentTag.PROCEDURE: ("verb",),
}
_NEGATABLE = frozenset((IntentTag.VERIFICATION, IntentTag.CORRECTION))
_MOST_NAMED = 3
# Forms whose subject lies outside the clause.
_SAYS_NO_SUBJECT = frozenset(("bare", "again", "vague", "rank"))
_DESCRIBED = frozenset((IntentTag.DEFINITION, IntentTag.NARRATIVE, IntentTag.RECALL))
_GOOD_FOR = CAUSAL | {"opposition"}
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
    if clause.scope:
        return Inquiry(refusal=Refusal(code="scope_not_supported", about=clause.scope))
    if clause.intent is not IntentTag.UNKNOWN:
        if any(getattr(clause, slot) is None for slot in _needed(clause)):
            about = clause.intent.value if clause.form in _SAYS_NO_SUBJECT else ""
            return Inquiry(refusal=Refusal(code="incomplete_question", about=about))
        needed = clause.mentions()[:1] if clause.intent is IntentTag.CORRECTION else clause.mentions()
        for mention in needed:
            if not mention.known:
                several = _several(mention.phrase, vocabulary)
                if several and clause.intent in _DESCRIBED and not clause.setting:
                    return Inquiry(glosses=several)
                code = "several_at_once" if several else "unknown_subject"
                return Inquiry(refusal=Refusal(code=code, about=mention.phrase))
        if clause.setting and clause.setting.split()[0].lower() in cues.CONDITIONS:
            return Inquiry(refusal=Refusal(code="condition_not_supported", about=clause.setting))
    found = _INQUIRIES[clause.intent](clause, vocabulary, _prompt_words(clause))
    if found.glosses or clause.intent is IntentTag.COMPARISON:
        return found
    return _in_another_sense(clause, found, vocabulary)


def _in_another_sense(clause: Clause, found: Inquiry, vocabulary: Vocabulary) -> Inquiry:
    """The inquiry under the sense of a homograph that can be answered; a refusal where several can, equally well.

    Senses of one part of speech and one salience are equal, except in a dictionary, whose senses are in order. A later
    one is taken only where nothing on record answers for the one taken first. Where glosses are said, the other senses
    are said beside them.
    """
    for slot in ("subject", "object", "verb"):
        mention: Mention | None = getattr(clause, slot)
        if mention is None or mention.index is None or (mention is clause.verb and slot != "verb"):
            continue
        taken = vocabulary.senses[mention.index]
        for other in mention.alternatives:
            sense = vocabulary.senses[other]
            if sense.pos != taken.pos or (sense.lemma != taken.lemma and not vocabulary.quotes):
                continue
            if found.refusal is None and (sense.salience < taken.salience or vocabulary.quotes):
                continue
            changed = replace(clause, **{slot: taking(mention, other, vocabulary)})
            instead = _INQUIRIES[clause.intent](changed, vocabulary, _prompt_words(changed))
            if instead.refusal is None and found.refusal is None:
                senses = (mention.index, other)
                refusal = Refusal(code="ambiguous_word", about=mention.text)
                return Inquiry(senses=senses, refusal=refusal)
            if instead.refusal is None:
                return replace(instead, senses=(other,))
    return found


def _several(phrase: str, vocabulary: Vocabulary) -> tuple[int, ...]:
    """The senses that a row of the pack's words names: "memory, recall and attention"; none of any other phrase."""
    parts: list[list[str]] = [[]]
    for form in surface_key(phrase):
        if form in ("and", "or", ",", "&"):
            parts.append([])
        elif form not in cues.DETERMINERS:
            parts[-1].append(form)
    found = [vocabulary.lookup_tokens(part) for part in parts if part]
    if len(found) < 2 or not all(found):
        return ()
    return tuple(dict.fromkeys(vocabulary.choose(indices, "noun") for indices in found))


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


def _describe(clause: Clause, vocabulary: Vocabulary, prompt: frozenset[int]) -> Inquiry:
    subject = _sense(clause.subject)
    if clause.intent is IntentTag.DEFINITION or clause.intent is IntentTag.CORRECTION:
        slots = (Slot(name="related", fills=related(vocabulary, subject, prompt, lambda s: True)),)
    else:
        slots = (
            Slot(name="says", fills=related(vocabulary, subject, prompt, lambda s: s.subject == subject)),
            Slot(name="is_said", fills=related(vocabulary, subject, prompt, lambda s: s.object == subject)),
        )
    found = Inquiry(glosses=(subject,), slots=tuple(slot for slot in slots if slot.fills))
    if vocabulary.quotes and clause.intent is not IntentTag.CORRECTION:
        return dictionary.entry(found, subject, vocabulary)
    return found


def _cause(clause: Clause, vocabulary: Vocabulary, prompt: frozenset[int]) -> Inquiry:
    if clause.form == "claim":
        return _why_claim(clause, vocabulary, prompt)
    subject = _sense(clause.subject)
    if clause.form == "purpose":
        fills = related(
            vocabulary,
            subject,
            prompt,
            lambda s: (
                (s.subject == subject and kind_of(vocabulary, s) in _GOOD_FOR)
                or (s.object == subject and kind_of(vocabulary, s) == "dependence")
            ),
        )
    else:
        fills = related(
            vocabulary, subject, prompt, lambda s: s.object == subject and kind_of(vocabulary, s) in CAUSAL
        )
    return _with_required("cause", fills, clause, vocabulary)


def _why_claim(clause: Clause, vocabulary: Vocabulary, prompt: frozenset[int]) -> Inquiry:
    subject, relation = _sense(clause.subject), clause.relation
    obj = _sense(clause.object) if clause.object is not None else None
    claim = on_record(vocabulary, subject, relation, obj) if obj is not None else None
    if claim is None or obj is None:
        about = claimed(clause, vocabulary) or asked(clause, vocabulary)
        return Inquiry(refusal=Refusal(code="claim_not_on_record", about=about))
    if clause.negation:
        if claim.positive:
            return Inquiry(statements=(claim,), verdict="denied")
        return Inquiry(
            statements=(claim,), refusal=Refusal(code="no_evidence", about=asked(clause, vocabulary))
        )
    if not claim.positive:
        instead = Slot(
            name="instead",
            fills=related(
                vocabulary, subject, prompt, lambda s: s.subject == subject and s.relation == relation
            ),
        )
        return Inquiry(statements=(claim,), slots=(instead,) if instead.fills else (), verdict="denied")
    fills = middle(vocabulary, claim, prompt)
    if not fills:
        return Inquiry(
            statements=(claim,), refusal=Refusal(code="no_evidence", about=asked(clause, vocabulary))
        )
    return Inquiry(statements=(claim,), slots=(Slot(name="because", required=True, fills=fills),))


def _compare(clause: Clause, vocabulary: Vocabulary, prompt: frozenset[int]) -> Inquiry:
    if vocabulary.quotes:
        clause = dictionary.nearest_senses(clause, vocabulary)
    a, b = _sense(clause.subject), _sense(clause.object)
    if a == b or clause.form == "rank":
        said = vocabulary.between(a, b) if a != b else ()
        return Inquiry(statements=said, refusal=Refusal(code="no_evidence", about=asked(clause, vocabulary)))
    theirs = {s.other(b): s for s in reversed(vocabulary.statements_of(b)) if s.positive}
    fills = unprompted(
        (
            (s.other(a), (s, theirs[s.other(a)]))
            for s in vocabulary.statements_of(a)
            if s.positive and s.other(a) in theirs
        ),
        prompt,
    )
    shared = (Slot(name="shared", fills=fills),) if fills else ()
    found = Inquiry(glosses=(a, b), statements=vocabulary.between(a, b), slots=shared)
    return dictionary.compared(found, vocabulary) if vocabulary.quotes else found


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
        "step", unprompted(((s.subject, tuple(steps)) for s in steps), prompt), clause, vocabulary
    )


def _verify(clause: Clause, vocabulary: Vocabulary, prompt: frozenset[int]) -> Inquiry:
    if clause.form in ("same", "opposite") and clause.object is not None:
        return _identity(clause, vocabulary)
    if clause.relation is None or clause.object is None:
        return Inquiry(refusal=Refusal(code="no_evidence", about=asked(clause, vocabulary)))
    subject, obj, relation = _sense(clause.subject), _sense(clause.object), clause.relation
    said = on_record(vocabulary, subject, relation, obj)
    if said is None:
        looked_up = dictionary.chained(clause, vocabulary) if vocabulary.quotes else None
        if looked_up is not None:
            return looked_up
        chain = chains(vocabulary, subject, relation, obj, prompt)
        if not chain:
            return Inquiry(
                statements=tuple(s for s in vocabulary.between(subject, obj)),
                refusal=Refusal(code="no_evidence", about=asked(clause, vocabulary)),
            )
        return Inquiry(slots=(Slot(name="chain", required=True, fills=chain),), verdict="chain")
    reasons = middle(vocabulary, said, prompt) if said.positive else {}
    # After a denial, what the same relation does hold of says most.
    instead = related(vocabulary, subject, prompt, lambda s: s.subject == subject and s.relation == relation)
    besides = related(vocabulary, subject, prompt, lambda s: kind_of(vocabulary, s) not in _NOT_A_REASON)
    fills = besides if said.positive or not instead else instead
    slot = Slot(name="because", fills=reasons) if reasons else Slot(name="also", fills=fills)
    slots = (slot,) if slot.fills else ()
    if said.positive:
        return Inquiry(statements=(said,), slots=slots, verdict="yes")
    others = tuple(s for s in vocabulary.between(subject, obj) if s != said)
    return Inquiry(statements=(said, *others), slots=slots, verdict="no")


def _identity(clause: Clause, vocabulary: Vocabulary) -> Inquiry:
    """Whether two words are the same, or opposites: on record is only whether they are names of one sense."""
    a, b = _sense(clause.subject), _sense(clause.object)
    if a == b and clause.form == "same":
        return Inquiry(glosses=(a,), verdict="same")
    refusal = Refusal(code="no_evidence", about=asked(clause, vocabulary))
    return Inquiry(statements=vocabulary.between(a, b) if a != b else (), refusal=refusal)


def _open_end(clause: Clause, vocabulary: Vocabulary, prompt: frozenset[int]) -> Inquiry:
    asked_object = clause.form == "object"
    named = _sense(clause.subject if asked_object else clause.object)
    symmetric = clause.relation is not None and vocabulary.relation_types[clause.relation].symmetric
    fills = related(
        vocabulary,
        named,
        prompt,
        lambda s: (
            s.relation == clause.relation
            and (symmetric or (s.subject if asked_object else s.object) == named)
        ),
    )
    found = _with_required("asked", fills, clause, vocabulary, every=True)
    if found.refusal is not None or not clause.far or clause.relation is None:
        return found
    further = beyond(vocabulary, named, clause.relation, prompt, forward=asked_object)
    slot = Slot(name="further", every=True, fills=further)
    return replace(found, slots=(*found.slots, slot) if slot.fills else found.slots)


def _example(clause: Clause, vocabulary: Vocabulary, prompt: frozenset[int]) -> Inquiry:
    subject = _sense(clause.subject)
    fills = related(
        vocabulary, subject, prompt, lambda s: s.object == subject and kind_of(vocabulary, s) == "taxonomic"
    )
    if vocabulary.quotes and fills:
        return dictionary.listed(fills)
    return _with_required("example", fills, clause, vocabulary, every=True)


def _transfer(clause: Clause, vocabulary: Vocabulary, prompt: frozenset[int]) -> Inquiry:
    a, b, c = _sense(clause.subject), _sense(clause.object), _sense(clause.third)
    pairs: list[tuple[int, tuple[Statement, ...]]] = []
    for model in vocabulary.between(a, b):
        for said in vocabulary.statements_of(c):
            same_way = (said.subject == c) == (model.subject == a)
            if model.positive and said.positive and said.relation == model.relation and same_way:
                pairs.append((said.other(c), (model, said)))
    if not pairs:
        pairs = list(_far_analogues(vocabulary, a, b, c))
    return _with_required("analogue", unprompted(pairs, prompt), clause, vocabulary)


def _far_analogues(
    vocabulary: Vocabulary, a: int, b: int, c: int
) -> Iterator[tuple[int, tuple[Statement, ...]]]:
    """Words as many links of one relation away from C as B is from A, each with both chains, that of A first."""
    nothing: frozenset[int] = frozenset()
    for relation in sorted(vocabulary.relation_types):
        for forward in (True, False):
            models = chains(vocabulary, *((a, relation, b) if forward else (b, relation, a)), nothing)
            for model in list(models.values())[:1]:
                for word, said in beyond(vocabulary, c, relation, nothing, forward=forward).items():
                    if len(said) == len(model):
                        yield word, (*model, *said)


def _unknown(clause: Clause, vocabulary: Vocabulary, prompt: frozenset[int]) -> Inquiry:
    """Glosses are offered where a remark names words of the pack; a question that can't be read gets none.

    A remark names a noun of the pack, and no more words that the pack lacks than words that it has.
    """
    named = dict.fromkeys(
        vocabulary.choose(match.indices, "noun")
        for match in clause.words
        if not all(vocabulary.is_stop(i) for i in match.indices)
    )
    if not named:
        return Inquiry(refusal=Refusal(code="unknown_domain"))
    about_something = any(vocabulary.senses[i].pos == "noun" for i in named)
    if (
        clause.form
        or len(clause.unread) > len(named)
        or not (about_something or clause.end - clause.start <= 2)
    ):
        about = enumerate_phrases([f"“{word}”" for word in dict.fromkeys(clause.unread)][:_MOST_NAMED])
        return Inquiry(refusal=Refusal(code="unclear_question", about=about))
    return Inquiry(glosses=tuple(named)[:_MOST_NAMED])


def _with_required(
    name: str,
    fills: dict[int, tuple[Statement, ...]],
    clause: Clause,
    vocabulary: Vocabulary,
    *,
    every: bool = False,
) -> Inquiry:
    if not fills:
        return Inquiry(refusal=Refusal(code="no_evidence", about=asked(clause, vocabulary)))
    return Inquiry(slots=(Slot(name=name, required=True, every=every, fills=fills),))


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
