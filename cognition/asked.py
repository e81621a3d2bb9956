"""A question in the words of an answer that can't be given: "whether recall requires memory", "what causes errors"."""

from __future__ import annotations

from cognition import phrasing
from cognition.clause import Clause, Mention
from cognition.graph import IntentTag
from cognition.packs.vocabulary import Statement, Vocabulary
from recognition.english import agree

# Ways of being there that a why-question asks about, beside existence; they are forms of a cause.
STATES = frozenset(("happen", "occur", "arise", "appear", "emerge"))


def asked(clause: Clause, vocabulary: Vocabulary) -> str:
    """What a clause asks, as what "I don't know" takes; its phrases where it can't be said in the pack's words.

    Args:
        clause: with known phrases in the slots that it has.
        vocabulary: the pack.
    """
    subject, obj = _index(clause.subject), _index(clause.object)
    said = _claim(clause, subject, obj)
    if clause.intent is IntentTag.VERIFICATION:
        if said is not None and _by_their_lemmas(clause, vocabulary):
            return f"whether {phrasing.statement(vocabulary, said)}"
        return _judged(clause, vocabulary, subject, obj)
    if clause.intent is IntentTag.CAUSE and subject is not None:
        if clause.form == "source":
            return f"what causes {_many(vocabulary, subject)}"
        if said is not None:
            return f"why {phrasing.statement(vocabulary, said)}"
        if clause.form == "purpose":
            return f"why {phrasing.noun(vocabulary, subject)} matters"
        if clause.form != "claim":
            return f"why {state(clause, vocabulary, subject)}"
    if clause.intent is IntentTag.PROCEDURE and clause.verb is not None and clause.verb.index is not None:
        if vocabulary.senses[clause.verb.index].pos != "verb":
            return f"the steps of {clause.verb.phrase}"
        action = vocabulary.senses[clause.verb.index].lemma
        return f"how to {action} {clause.object.phrase}" if clause.object is not None else f"how to {action}"
    if clause.intent is IntentTag.TRANSITIVE_QUERY and clause.relation is not None:
        return _open(clause, vocabulary, subject, obj)
    if clause.intent is IntentTag.EXAMPLE and subject is not None:
        return f"any kind of {vocabulary.senses[subject].lemma}"
    if clause.intent is IntentTag.COMPARISON and clause.form == "rank":
        return f"how {phrasing.enumerate_phrases([f'“{m.phrase}”' for m in clause.mentions()])} rank"
    if clause.intent is IntentTag.COMPARISON and clause.subject is not None and subject == obj:
        return f"how “{clause.subject.phrase}” differs from itself"
    named = [f"“{mention.phrase}”" for mention in clause.mentions()]
    if clause.intent is IntentTag.FRAME_TRANSFER:
        return f"what is to {named[2]} as {named[1]} is to {named[0]}"
    return f"what is asked about {phrasing.enumerate_phrases(named)}"


def _by_their_lemmas(clause: Clause, vocabulary: Vocabulary) -> bool:
    """Whether a statement about the words asked names them so; a dictionary has senses with another first name."""
    return vocabulary.pack.manifest.gloss_form == "phrase" or all(
        vocabulary.senses[mention.index].lemma.casefold() in mention.phrase.casefold()
        for mention in (clause.subject, clause.object)
        if mention is not None and mention.index is not None
    )


def claimed(clause: Clause, vocabulary: Vocabulary) -> str:
    """What a why-question takes for granted: "knowledge is a kind of belief"; "" where no relation says it."""
    said = _claim(clause, _index(clause.subject), _index(clause.object))
    return "" if said is None else phrasing.statement(vocabulary, said)


def state(clause: Clause, vocabulary: Vocabulary, subject: int) -> str:
    """The subject with the verb that was asked: "errors happen", "memory exists"."""
    many = vocabulary.senses[subject].countability == "count"
    verb = clause.form if clause.form in STATES else "exist"
    return f"{_many(vocabulary, subject)} {agree(verb, 'plural' if many else 'singular')}"


def _many(vocabulary: Vocabulary, index: int) -> str:
    many = vocabulary.senses[index].countability == "count"
    return phrasing.noun(vocabulary, index, number="plural" if many else "singular")


def _index(mention: Mention | None) -> int | None:
    return None if mention is None else mention.index


def _claim(clause: Clause, subject: int | None, obj: int | None) -> Statement | None:
    if clause.relation is None or subject is None or obj is None:
        return None
    negated = clause.intent is IntentTag.CAUSE and clause.negation == "not"
    return Statement(
        id="", subject=subject, relation=clause.relation, object=obj, positive=not negated, order=None
    )


def _judged(clause: Clause, vocabulary: Vocabulary, subject: int | None, obj: int | None) -> str:
    if subject is not None and clause.form == "exists":
        return f"whether {state(clause, vocabulary, subject)}"
    if subject is not None and obj is not None:
        one, other = phrasing.noun(vocabulary, subject), phrasing.noun(vocabulary, obj)
        if clause.form == "same":
            return f"whether {one} and {other} are the same"
        if clause.form == "opposite":
            return f"whether {one} and {other} are opposites"
    named = [f"“{mention.phrase}”" for mention in clause.mentions()]
    return f"whether that is so of {phrasing.enumerate_phrases(named)}"


def _open(clause: Clause, vocabulary: Vocabulary, subject: int | None, obj: int | None) -> str:
    assert clause.relation is not None
    kind = vocabulary.relation_types[clause.relation]
    if clause.form == "object" and subject is not None:
        return f"what {phrasing.noun(vocabulary, subject)} {phrasing.verb_of(kind, positive=True)}"
    assert obj is not None
    named = phrasing.object_phrase(vocabulary, clause.relation, obj)
    return f"what {phrasing.verb_of(kind, positive=True)} {named}"
