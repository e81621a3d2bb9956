"""Surfaces: each sentence of an answer with the evidence it rests on.

A sentence never says more than its evidence: glosses are quoted as they stand, statements keep their direction
and their polarity, and what the walk did not ground is not said.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from cognition import dictionary, phrasing
from cognition.asked import state
from cognition.clause import ArticulationPlan, Clause, Mention
from cognition.decline import printable
from cognition.decline import refuse as refuse
from cognition.evidence import PROMPT_ID, Sentence, gloss_id
from cognition.graph import GraphNode, IntentTag
from cognition.inquiry import Fill, Grounding, Inquiry
from cognition.packs.vocabulary import Statement, Vocabulary
from recognition.english import agree

VERSION = 1

_ORDINALS = ("First", "Second", "Third", "Fourth", "Fifth", "Sixth", "Seventh", "Eighth")
_MOST_LISTED = 4
# By what the record says, and whether the question was negated.
_VERDICTS = {
    ("yes", False): "yes",
    ("no", False): "no",
    ("yes", True): "no, on the contrary",
    ("no", True): "that is right",
}
# "Can S be without O?", by whether S requires O.
_WITHOUT = {"yes": "no, that can't be", "no": "yes, that can be"}


def realize(
    plan: ArticulationPlan, inquiry: Inquiry, grounding: Grounding, vocabulary: Vocabulary, text: str
) -> tuple[Sentence, ...]:
    """The answer to the plan's dominant clause, and a note on the clauses that were left."""
    clause = plan.clause
    said = list(_REALIZERS[clause.intent](clause, inquiry, grounding, vocabulary))
    said.extend(_homograph_notes(clause, inquiry, vocabulary))
    left = [
        _shortened(text[slice(*other.chars)]) for i, other in enumerate(plan.clauses) if i != plan.dominant
    ]
    if clause.setting:
        left.insert(0, _shortened(clause.setting))
    if left:
        quoted = phrasing.enumerate_phrases([f"“{part}”" for part in left])
        said.append(
            Sentence(text=f"I answer one question at a time and left {quoted} aside.", evidence=(PROMPT_ID,))
        )
    return tuple(said)


def realize_recognised(node: GraphNode, determiner: str, features: Sequence[str]) -> tuple[Sentence, ...]:
    """The surface of a recognised proposition: agent, verb with its polarity, modality and tense, count and unit.

    Args:
        node: what the connector made of it.
        determiner: the article that stands before the agent in the prompt, or "".
        features: names of the features it rests on.
    """
    subject = f"{determiner} {node.subject}".strip()
    plain = (node.polarity, node.modality, node.tense) == ("positive", "actual", "present")
    verb = agree(node.predicate, phrasing.number_of(node.subject)) if plain else node.predicate
    text = phrasing.sentence(f"{subject} {verb} {node.obj}")
    return (Sentence(text=text, evidence=tuple(f"feature:{name}" for name in features)),)


def _shortened(text: str) -> str:
    words = printable(text).rstrip(" ?.!;,").split()
    return " ".join(words[:8]) + (" ..." if len(words) > 8 else "")


def _homograph_notes(clause: Clause, inquiry: Inquiry, vocabulary: Vocabulary) -> list[Sentence]:
    """Which sense was taken, where the surface has another of the same part of speech."""
    notes = [
        Sentence(
            text=f"Here, {phrasing.definition(vocabulary, index)}.", evidence=(gloss_id(vocabulary, index),)
        )
        for index in inquiry.senses
    ]
    if vocabulary.quotes:
        return [*notes, *dictionary.other_senses(clause.mentions()[:2], inquiry.glosses, vocabulary)]
    for mention in dict.fromkeys(clause.mentions()[:2]):
        if mention.index is None or mention.index not in inquiry.glosses:
            continue
        taken = vocabulary.senses[mention.index]
        for other in mention.alternatives:
            sense = vocabulary.senses[other]
            if sense.pos == taken.pos and sense.lemma == taken.lemma:
                notes.append(
                    Sentence(
                        text=f"In another sense, {phrasing.definition(vocabulary, other)}.",
                        evidence=(gloss_id(vocabulary, other),),
                    )
                )
    return notes


def _gloss(vocabulary: Vocabulary, index: int) -> Sentence:
    text = phrasing.sentence(phrasing.definition(vocabulary, index))
    return Sentence(text=text, evidence=(gloss_id(vocabulary, index),))


def _said(vocabulary: Vocabulary, statements: tuple[Statement, ...], lead: str = "") -> Sentence:
    return Sentence(
        text=phrasing.sentence(lead + phrasing.statements(vocabulary, statements)),
        evidence=tuple(s.id for s in statements),
    )


def _fills(vocabulary: Vocabulary, fills: tuple[Fill, ...]) -> list[Sentence]:
    return [_said(vocabulary, fill.statements) for fill in fills]


def _index(mention: Mention | None) -> int:
    assert mention is not None
    assert mention.index is not None
    return mention.index


def _definition(
    clause: Clause, inquiry: Inquiry, grounding: Grounding, vocabulary: Vocabulary
) -> list[Sentence]:
    said = [_gloss(vocabulary, i) for i in inquiry.glosses]
    return [*said, *dictionary.say_entry(vocabulary, inquiry), *_fills(vocabulary, grounding.fills)]


def _recall(clause: Clause, inquiry: Inquiry, grounding: Grounding, vocabulary: Vocabulary) -> list[Sentence]:
    subject = inquiry.glosses[0]
    text = f"From memory: {phrasing.definition(vocabulary, subject)}."
    recalled = Sentence(text=text, evidence=(gloss_id(vocabulary, subject),))
    others = (_gloss(vocabulary, i) for i in inquiry.glosses[1:])
    above = dictionary.say_entry(vocabulary, inquiry)
    return [recalled, *others, *above, *_fills(vocabulary, grounding.fills)]


def _correction(
    clause: Clause, inquiry: Inquiry, grounding: Grounding, vocabulary: Vocabulary
) -> list[Sentence]:
    proposed = printable(clause.proposal).strip(" ,:.!?")
    proposed = proposed.replace("“", "‘").replace("”", "’")
    return [
        Sentence(
            text=f"I take “{proposed}” as a proposed correction; it changes nothing until it is reviewed.",
            evidence=(PROMPT_ID,),
        ),
        Sentence(
            text=f"On record, {phrasing.definition(vocabulary, inquiry.glosses[0])}.",
            evidence=(gloss_id(vocabulary, inquiry.glosses[0]),),
        ),
        *_fills(vocabulary, grounding.fills),
    ]


def _cause(clause: Clause, inquiry: Inquiry, grounding: Grounding, vocabulary: Vocabulary) -> list[Sentence]:
    if inquiry.verdict == "denied":
        lead = "no, on the contrary: " if clause.negation else "that is not so: "
        denied = _said(vocabulary, inquiry.statements, lead)
        return [denied, *_fills(vocabulary, grounding.of("instead"))]
    if clause.form == "claim":
        (fill,) = grounding.of("because")
        return [_because(vocabulary, inquiry.statements[0], fill)]
    (fill,) = grounding.of("cause")
    if clause.form == "source":
        return [_said(vocabulary, fill.statements)]
    subject, (reason,) = _index(clause.subject), fill.statements
    if clause.form == "purpose":
        whole = phrasing.noun(vocabulary, subject)
        said = phrasing.statement(
            vocabulary,
            reason,
            subject="it" if reason.subject == subject else None,
            obj="it" if reason.object == subject else None,
        )
        text = f"{whole} matters because {said}"
    else:
        many = vocabulary.senses[subject].countability == "count"
        said = phrasing.statement(vocabulary, reason, obj="them" if many else "it")
        text = f"{state(clause, vocabulary, subject)} because {said}"
    return [Sentence(text=phrasing.sentence(text), evidence=(reason.id,))]


def _because(vocabulary: Vocabulary, claim: Statement, fill: Fill, lead: str = "") -> Sentence:
    reasons = phrasing.statements(vocabulary, fill.statements)
    text = f"{lead}{phrasing.statement(vocabulary, claim)}, because {reasons}"
    return Sentence(text=phrasing.sentence(text), evidence=(claim.id, *(s.id for s in fill.statements)))


def _comparison(
    clause: Clause, inquiry: Inquiry, grounding: Grounding, vocabulary: Vocabulary
) -> list[Sentence]:
    a, b = inquiry.glosses
    said = [
        Sentence(
            text=phrasing.sentence(
                f"{phrasing.definition(vocabulary, a)}; {phrasing.definition(vocabulary, b)}"
            ),
            evidence=(gloss_id(vocabulary, a), gloss_id(vocabulary, b)),
        )
    ]
    if inquiry.statements:
        said.append(_said(vocabulary, inquiry.statements[:2]))
    if inquiry.above:
        said.append(dictionary.say_meeting(vocabulary, inquiry))
    return [*said, *(_shared(vocabulary, fill, (a, b)) for fill in grounding.of("shared"))]


def _shared(vocabulary: Vocabulary, fill: Fill, compared: tuple[int, int]) -> Sentence:
    """What both words have to do with a third: in one clause where both stand in the same relation to it."""
    one, two = fill.statements
    same_side = (one.subject == fill.word) == (two.subject == fill.word)
    if one.relation != two.relation or not same_side:
        lead = f"both are tied to {phrasing.noun(vocabulary, fill.word)}: "
        return _said(vocabulary, fill.statements, lead)
    kind = vocabulary.relation_types[one.relation]
    if one.subject == fill.word:
        pair = " and ".join(phrasing.object_phrase(vocabulary, one.relation, i) for i in compared)
        text = phrasing.statement(vocabulary, one, obj=f"both {pair}")
    else:
        pair = " and ".join(phrasing.noun(vocabulary, i) for i in compared)
        obj = phrasing.object_phrase(vocabulary, one.relation, fill.word)
        verb = (
            "are kinds of"
            if kind.kind == "taxonomic"
            else phrasing.verb_of(kind, positive=True, number="plural")
        )
        text = f"both {pair} {verb} {obj}"
    return Sentence(text=phrasing.sentence(text), evidence=tuple(s.id for s in fill.statements))


def _procedure(
    clause: Clause, inquiry: Inquiry, grounding: Grounding, vocabulary: Vocabulary
) -> list[Sentence]:
    (fill,) = grounding.of("step")
    action = vocabulary.senses[_index(clause.verb)].lemma
    what = f" {_as_asked(clause.object, vocabulary)}" if clause.object is not None else ""
    count = len(fill.statements)
    said = [
        Sentence(
            text=f"To {action}{what}, take {phrasing.count_of(count, 'step')}.",
            evidence=(*(s.id for s in fill.statements), PROMPT_ID),
        )
    ]
    for place, step in enumerate(fill.statements):
        lead = _ORDINALS[place] if place < len(_ORDINALS) else f"Step {place + 1}"
        sense = vocabulary.senses[step.subject]
        said.append(
            Sentence(
                text=f"{lead}, {sense.lemma}: {sense.gloss}.",
                evidence=(step.id, gloss_id(vocabulary, step.subject)),
            )
        )
    return said


def _as_asked(mention: Mention, vocabulary: Vocabulary) -> str:
    """The noun phrase of a mention, plural where it was asked in the plural."""
    sense = vocabulary.senses[_index(mention)]
    plural = mention.text.lower() == sense.forms.get("plural")
    return phrasing.noun(vocabulary, _index(mention), number="plural" if plural else "singular")


def _verification(
    clause: Clause, inquiry: Inquiry, grounding: Grounding, vocabulary: Vocabulary
) -> list[Sentence]:
    if inquiry.verdict == "same":
        return [_one_sense(clause), _gloss(vocabulary, inquiry.glosses[0])]
    found = "yes" if inquiry.verdict == "chain" else inquiry.verdict
    lead = _WITHOUT[found] if clause.form == "without" else _VERDICTS[found, bool(clause.negation)]
    if inquiry.above:
        return [dictionary.say_above(vocabulary, chain, f"{lead}: ") for chain in inquiry.above]
    if inquiry.verdict == "chain":
        (fill,) = grounding.of("chain")
        return [_said(vocabulary, fill.statements, f"{lead}, {_steps(fill.statements)}: ")]
    lead += ": "
    because = grounding.of("because")
    if because:
        return [_because(vocabulary, inquiry.statements[0], because[0], lead)]
    said = [_said(vocabulary, inquiry.statements[:1], lead)]
    said.extend(_said(vocabulary, (statement,)) for statement in inquiry.statements[1:2])
    return [*said, *_fills(vocabulary, grounding.of("also"))]


def _steps(chain: Sequence[Statement]) -> str:
    return f"in {phrasing.count_of(len(chain), 'step')}"


def _one_sense(clause: Clause) -> Sentence:
    names = dict.fromkeys(printable(mention.text).lower() for mention in clause.mentions()[:2])
    text = f"{phrasing.enumerate_phrases([f'“{name}”' for name in names])} name one sense on record."
    if len(names) == 1:
        text = text.replace(" name one sense", " has one sense")
    return Sentence(text=phrasing.sentence(text), evidence=(PROMPT_ID,))


def _open_end(
    clause: Clause, inquiry: Inquiry, grounding: Grounding, vocabulary: Vocabulary
) -> list[Sentence]:
    said = tuple(s for fill in grounding.of("asked") for s in fill.statements)[:_MOST_LISTED]
    first = said[0]
    kind = vocabulary.relation_types[first.relation]
    named = _index(clause.subject if clause.form == "object" else clause.object)
    more = _more(said, inquiry)
    if clause.form == "object" or kind.symmetric:
        listed = [phrasing.object_phrase(vocabulary, first.relation, s.other(named)) for s in said]
        subject = phrasing.noun(vocabulary, named)
        text = phrasing.statement(vocabulary, first, subject=subject, obj=phrasing.enumerate_phrases(listed))
    else:
        listed = [phrasing.noun(vocabulary, s.subject) for s in said]
        obj = phrasing.object_phrase(vocabulary, first.relation, first.object)
        verb = phrasing.verb_of(kind, positive=True, number="singular" if len(listed) == 1 else "plural")
        text = f"{phrasing.enumerate_phrases(listed)} {verb} {obj}"
    further = grounding.of("further")[:_MOST_LISTED]
    return [
        Sentence(text=phrasing.sentence(text + more), evidence=tuple(s.id for s in said)),
        *(_said(vocabulary, f.statements, f"{_steps(f.statements)}: ") for f in further),
    ]


def _example(
    clause: Clause, inquiry: Inquiry, grounding: Grounding, vocabulary: Vocabulary
) -> list[Sentence]:
    walked = (s for fill in grounding.of("example") for s in fill.statements)
    found = tuple(dict.fromkeys((*walked, *inquiry.statements)))
    first = found[0]
    kind = vocabulary.relation_types[first.relation]
    said = tuple(s for s in found if s.relation == kind.id)[:_MOST_LISTED]
    kinds = phrasing.enumerate_phrases([phrasing.noun(vocabulary, s.subject) for s in said])
    verb = phrasing.verb_of_many(kind) if len(said) > 1 else phrasing.verb_of(kind, positive=True)
    what = phrasing.object_phrase(vocabulary, first.relation, first.object)
    text = f"{kinds} {verb} {what}{_more(said, inquiry)}"
    return [Sentence(text=phrasing.sentence(text), evidence=tuple(s.id for s in said))]


def _more(said: tuple[Statement, ...], inquiry: Inquiry) -> str:
    """What closes a list that leaves some of the record out."""
    if len(said) == len(inquiry.slots[0].fills):
        return ""
    return ", among others" if len(said) > 1 else "; others are on record"


def _transfer(
    clause: Clause, inquiry: Inquiry, grounding: Grounding, vocabulary: Vocabulary
) -> list[Sentence]:
    (fill,) = grounding.of("analogue")
    links = len(fill.statements) // 2
    model = phrasing.statements(vocabulary, fill.statements[:links])
    said = phrasing.statements(vocabulary, fill.statements[links:])
    far = f", {_steps(fill.statements[:links])}" if links > 1 else ""
    text = f"the answer is {phrasing.noun(vocabulary, fill.word)}{far}: {model}, as {said}"
    return [Sentence(text=phrasing.sentence(text), evidence=tuple(s.id for s in fill.statements))]


def _unknown(
    clause: Clause, inquiry: Inquiry, grounding: Grounding, vocabulary: Vocabulary
) -> list[Sentence]:
    named = phrasing.enumerate_phrases([f"“{vocabulary.senses[i].lemma}”" for i in inquiry.glosses])
    lead = Sentence(
        text=f"I can't tell what is asked about {named}, so I offer what is on record.", evidence=(PROMPT_ID,)
    )
    return [lead, *(_gloss(vocabulary, i) for i in inquiry.glosses)]


_Realizer = Callable[[Clause, Inquiry, Grounding, Vocabulary], list[Sentence]]
_REALIZERS: dict[IntentTag, _Realizer] = {
    IntentTag.DEFINITION: _definition,
    IntentTag.RECALL: _recall,
    IntentTag.NARRATIVE: _definition,
    IntentTag.CORRECTION: _correction,
    IntentTag.CAUSE: _cause,
    IntentTag.COMPARISON: _comparison,
    IntentTag.PROCEDURE: _procedure,
    IntentTag.VERIFICATION: _verification,
    IntentTag.TRANSITIVE_QUERY: _open_end,
    IntentTag.EXAMPLE: _example,
    IntentTag.FRAME_TRANSFER: _transfer,
    IntentTag.UNKNOWN: _unknown,
}
