"""Answers from a pack whose glosses are a dictionary's definitions: what lies above a word is part of its entry.

The chain above a word that a question names, the chain between two, and the nearest word above both are looked up by
key (ADR 0003, ADR 0011): a dictionary's hierarchy is closed upwards, and each link is cited. A word of a dictionary has
many senses: the first is taken that can be answered for, and the others are said to be there.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import product

from cognition import phrasing
from cognition.clause import Clause, Mention
from cognition.evidence import Sentence, gloss_id
from cognition.hierarchy import Chain, ascent, leads_upwards, lineage, meeting, parents
from cognition.inquiry import Inquiry, Slot
from cognition.packs.vocabulary import Vocabulary
from cognition.paths import Fills
from cognition.settle import taking

MOST_LINKS = 6
MOST_SENSES = 8
_MOST_OTHERS = 2


def entry(inquiry: Inquiry, subject: int, vocabulary: Vocabulary) -> Inquiry:
    """The inquiry about one word, with what the record says above it; the walk need not bring that."""
    chain = lineage(vocabulary, subject)
    besides = tuple(said for said in parents(vocabulary, subject) if said not in chain)
    known = {said.id for said in (*chain, *besides)}
    slots = (
        replace(slot, fills={w: said for w, said in slot.fills.items() if not {s.id for s in said} <= known})
        for slot in inquiry.slots
    )
    return replace(
        inquiry,
        slots=tuple(slot for slot in slots if slot.fills),
        statements=besides,
        above=(chain,) if chain else (),
    )


def listed(fills: Fills) -> Inquiry:
    """The inquiry for what is directly below a word: all of it is on record, and what the walk meets is said first."""
    below = tuple(said for path in fills.values() for said in path)
    return Inquiry(statements=below, slots=(Slot(name="example", every=True, fills=fills),))


def chained(clause: Clause, vocabulary: Vocabulary) -> Inquiry | None:
    """The inquiry whether one word is above another, by the first senses for which it is; None where there are none."""
    assert clause.subject is not None
    assert clause.object is not None
    if clause.relation is None or not leads_upwards(vocabulary, clause.relation):
        return None
    objects = _first_senses(clause.object)
    found: list[tuple[int, int, Chain]] = []
    for place, subject in enumerate(_first_senses(clause.subject)):
        above = ascent(vocabulary, subject)
        found += [
            (place + at, len(above[obj]), above[obj]) for at, obj in enumerate(objects) if above.get(obj)
        ]
    if not found:
        return None
    _, _, chain = min(found, key=lambda one: one[:2])
    return Inquiry(above=(chain,), verdict="chain", senses=_others_taken(clause, chain))


def _others_taken(clause: Clause, chain: Chain) -> tuple[int, ...]:
    """The ends of a chain that are not the senses which their words were read as."""
    ends = ((clause.subject, chain[0].subject), (clause.object, chain[-1].object))
    return tuple(end for mention, end in ends if mention is not None and mention.index != end)


def nearest_senses(clause: Clause, vocabulary: Vocabulary) -> Clause:
    """The clause with those senses of its two words that are nearest to each other in the hierarchy."""
    if clause.subject is None or clause.object is None:
        return clause
    ours, theirs = (
        [(sense, ascent(vocabulary, sense)) for sense in _first_senses(mention)]
        for mention in (clause.subject, clause.object)
    )
    best: tuple[int, int] | None = None
    pair = clause.subject.index, clause.object.index
    for (at, (a, above_a)), (place, (b, above_b)) in product(enumerate(ours), enumerate(theirs)):
        met = meeting(above_a, above_b) if a != b else None
        if met is not None:
            rank = len(met[0]) + len(met[1]), at + place
            if best is None or rank < best:
                best, pair = rank, (a, b)
    if best is None or pair[0] is None or pair[1] is None:
        return clause
    subject = taking(clause.subject, pair[0], vocabulary)
    return replace(clause, subject=subject, object=taking(clause.object, pair[1], vocabulary))


def _first_senses(mention: Mention) -> tuple[int, ...]:
    return mention.senses[:MOST_SENSES]


def compared(inquiry: Inquiry, vocabulary: Vocabulary) -> Inquiry:
    """The comparison of two words, with the chains to the nearest word above both."""
    a, b = inquiry.glosses
    met = meeting(ascent(vocabulary, a), ascent(vocabulary, b))
    if met is None:
        return inquiry
    one, other = met
    if not (one and other) and len(one) + len(other) == 1:
        return inquiry  # one is directly above the other, which the statements between them say
    known = {said.id for said in (*one, *other)}
    slots = (
        replace(slot, fills={w: said for w, said in slot.fills.items() if not {s.id for s in said} <= known})
        for slot in inquiry.slots
    )
    return replace(inquiry, slots=tuple(slot for slot in slots if slot.fills), above=met)


def say_above(vocabulary: Vocabulary, chain: Chain, lead: str = "") -> Sentence:
    """A chain in words, link by link; of a long one the first links, how many there are, and where it ends.

    Args:
        vocabulary: the pack.
        chain: at least one link.
        lead: what stands before it, in lower case.
    """
    if len(chain) <= MOST_LINKS:
        text = phrasing.statements(vocabulary, chain)
    else:
        said = ", ".join(phrasing.statement(vocabulary, link) for link in chain[:MOST_LINKS])
        top = vocabulary.senses[chain[-1].object].lemma
        text = f"{said}, and so on up to “{top}”, {len(chain)} steps in all"
    return Sentence(text=phrasing.sentence(lead + text), evidence=tuple(link.id for link in chain))


def say_entry(vocabulary: Vocabulary, inquiry: Inquiry) -> list[Sentence]:
    """What the record says above a word: its chain, and what else it is a kind of."""
    said = [say_above(vocabulary, chain) for chain in inquiry.above]
    if inquiry.statements:
        shown = inquiry.statements[:MOST_LINKS]
        text = phrasing.sentence(phrasing.statements(vocabulary, shown))
        said.append(Sentence(text=text, evidence=tuple(one.id for one in shown)))
    return said


def say_meeting(vocabulary: Vocabulary, inquiry: Inquiry) -> Sentence:
    """Of what two words are both kinds, and how far from each; or the chain from one to the other."""
    one, other = inquiry.above
    if not (one and other):
        return say_above(vocabulary, one or other)
    kind = vocabulary.relation_types[one[-1].relation]
    pair = " and ".join(phrasing.noun(vocabulary, index) for index in inquiry.glosses)
    text = f"both {pair} {phrasing.verb_of_many(kind)} {phrasing.object_phrase(vocabulary, kind.id, one[-1].object)}"
    if max(len(one), len(other)) > 1:
        first, second = (phrasing.count_of(len(chain), "step") for chain in (one, other))
        text += f", the first in {first} and the second in {second}"
    return Sentence(text=phrasing.sentence(text), evidence=tuple(said.id for said in (*one, *other)))


def other_senses(
    mentions: Sequence[Mention], glosses: Sequence[int], vocabulary: Vocabulary
) -> list[Sentence]:
    """The other senses of the words whose gloss is said: the next ones in full, and whether there are more."""
    notes: list[Sentence] = []
    for mention in dict.fromkeys(mentions):
        taken = next((index for index in mention.senses if index in glosses), None)
        if taken is None:
            continue
        sense = vocabulary.senses[taken]
        forms = {form.lower() for form in (sense.lemma, *sense.forms.values())}
        name = sense.lemma if mention.text.lower() in forms else mention.text
        others = sorted(
            (index for index in mention.senses if index not in glosses),
            key=lambda index: vocabulary.senses[index].pos != sense.pos,
        )
        for index in others[:_MOST_OTHERS]:
            text = f"In another sense, {phrasing.definition(vocabulary, index, name)}."
            notes.append(Sentence(text=text, evidence=(gloss_id(vocabulary, index),)))
        rest = others[_MOST_OTHERS : _MOST_OTHERS + MOST_SENSES]
        if rest:
            number = phrasing.count_of(len(rest), "further sense")
            if len(others) > _MOST_OTHERS + MOST_SENSES:
                number = f"more than {number}"
            text = phrasing.sentence(f"“{name}” has {number} on record")
            notes.append(Sentence(text=text, evidence=tuple(gloss_id(vocabulary, i) for i in rest)))
    return notes
