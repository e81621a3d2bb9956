"""Which senses a clause speaks of, where its words have several: those that a reviewed statement joins."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from itertools import product

from cognition.clause import Clause, Mention
from cognition.graph import IntentTag
from cognition.packs.vocabulary import Vocabulary


def settle(clause: Clause, vocabulary: Vocabulary) -> Clause:
    """The clause with the senses that the record speaks of.

    A statement is about senses, a question about words. Of the senses that a slot's surface has, the most salient
    is taken by default; where only another one stands in the relation that is asked about, that one is meant.
    """
    if clause.intent is IntentTag.EXAMPLE:
        return _one(clause, "subject", vocabulary, lambda i: _is_kind_of_something(i, vocabulary))
    if clause.intent is IntentTag.FRAME_TRANSFER:
        return _pair(clause, vocabulary, lambda a, b: bool(vocabulary.between(a, b)))
    relation = clause.relation
    if relation is None:
        return clause
    symmetric = vocabulary.relation_types[relation].symmetric
    if clause.intent is IntentTag.TRANSITIVE_QUERY:
        asked_object = clause.form == "object"
        return _one(
            clause,
            "subject" if asked_object else "object",
            vocabulary,
            lambda i: any(
                s.relation == relation and (symmetric or (s.subject if asked_object else s.object) == i)
                for s in vocabulary.statements_of(i)
            ),
        )
    return _pair(
        clause,
        vocabulary,
        lambda a, b: any(
            s.relation == relation and (symmetric or s.subject == a) for s in vocabulary.between(a, b)
        ),
    )


def _is_kind_of_something(index: int, vocabulary: Vocabulary) -> bool:
    return any(
        s.object == index and vocabulary.relation_types[s.relation].kind == "taxonomic"
        for s in vocabulary.statements_of(index)
    )


def _one(clause: Clause, slot: str, vocabulary: Vocabulary, fits: Callable[[int], bool]) -> Clause:
    mention: Mention | None = getattr(clause, slot)
    if mention is None:
        return clause
    chosen = next((i for i in mention.senses if fits(i)), None)
    return clause if chosen is None else replace(clause, **{slot: taking(mention, chosen, vocabulary)})


def _pair(clause: Clause, vocabulary: Vocabulary, fits: Callable[[int, int], bool]) -> Clause:
    if clause.subject is None or clause.object is None:
        return clause
    pairs = list(product(enumerate(clause.subject.senses), enumerate(clause.object.senses)))
    pairs.sort(key=lambda pair: pair[0][0] + pair[1][0])
    for (_, a), (_, b) in pairs:
        if fits(a, b):
            subject = taking(clause.subject, a, vocabulary)
            return replace(clause, subject=subject, object=taking(clause.object, b, vocabulary))
    return clause


def taking(mention: Mention, index: int, vocabulary: Vocabulary) -> Mention:
    """The mention with another of its senses taken."""
    if index == mention.index:
        return mention
    others = tuple(i for i in mention.senses if i != index)
    return replace(mention, index=index, lemma=vocabulary.senses[index].lemma, alternatives=others)
