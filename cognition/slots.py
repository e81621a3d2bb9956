"""Which phrases of a clause fill which slots of a question."""

from __future__ import annotations

from cognition import cues
from cognition.clause import Mention
from cognition.reading import Reader, Svo, relation_phrases, stated_phrases


def sides(reader: Reader, svo: Svo) -> tuple[Mention | None, Mention | None]:
    """The phrases at the two ends of a clause, subject first, swapped where its relation is said from the object."""
    subject = reader.noun_phrase(*svo.subject)
    obj = reader.noun_phrase(*svo.object) if svo.object is not None else None
    return (obj, subject) if svo.reverse else (subject, obj)


def cause_slots(
    reader: Reader, form: str, rest: tuple[int, int], svo: Svo
) -> tuple[str, Mention | None, Mention | None, str | None]:
    """Which why-question it is, its subject, its object and its relation.

    A claim ("why does S REL O", "why is the sky dark"), a purpose ("why does S matter"), or existence.
    """
    start, end = reader.trim(*rest)
    if svo.relation is not None and svo.object is not None:
        object_words = reader.words[slice(*reader.trim(*svo.object))]
        if not (svo.relation == "is_a" and cues.PURPOSE_WORDS.intersection(object_words)):
            return "claim", *sides(reader, svo), svo.relation
    for at in range(start + 1, end):
        if reader.words[at] in cues.PURPOSE_WORDS or reader.words[at] in cues.STATE_VERBS:
            stop = at
            while stop > start + 1 and reader.words[stop - 1] in cues.COPULAS | {"so", "very", "really"}:
                stop -= 1
            asked = (
                "purpose" if reader.words[at] in cues.PURPOSE_WORDS else cues.STATE_VERBS[reader.words[at]]
            )
            return asked, reader.noun_phrase(start, stop), None, None
    # After an auxiliary something is said of the subject: a claim, whether or not a relation says it.
    said_of = reader.noun_phrase(start, end - 1) if form in ("rest", "be") and end - start > 1 else None
    if said_of is not None:
        return "claim", said_of, reader.noun_phrase(end - 1, end, "verb"), None
    return "existence", reader.noun_phrase(start, end), None, None


def open_end(
    reader: Reader, form: str, rest: tuple[int, int]
) -> tuple[str, Mention | None, Mention | None, str] | None:
    """The relation of "what does S REL" (object asked) or "what REL O" (subject asked)."""
    start, end = reader.trim(*rest)
    end = reader.without_tail(start, end)
    while start < end - 1 and reader.words[start] in cues.NEUTRAL:
        start += 1
    phrases = stated_phrases(reader.vocabulary) if form == "stated" else relation_phrases(reader.vocabulary)
    before = [(start, stop, stop, end) for stop in range(end - 1, start, -1)]
    after = [(at, end, start, at) for at in range(start + 1, end)]
    # "what does S REL": the relation ends the clause; "what REL O": it begins it, or ends it ("what S REL").
    for at, stop, named_start, named_end in after if form == "object" else (*before, *after):
        found = phrases.get(reader.words[at:stop])
        if found is None or (form == "stated" and at != start):
            continue
        relation, reverse = found
        named = reader.noun_phrase(named_start, reader.before_auxiliaries(named_start, named_end))
        if (at == start) == reverse:
            return relation, named, None, "object"
        return relation, None, named, "subject"
    return None


def verb_phrase(reader: Reader, start: int, end: int) -> tuple[Mention | None, Mention | None]:
    """The action and what it is done to; an action may be a multiword verb of the lexicon."""
    start, end = reader.trim(start, end)
    vocabulary = reader.vocabulary
    while start < end and reader.words[start] in cues.NEUTRAL | {"best", "properly", "correctly", "well"}:
        start += 1
    if start == end:
        return None, None
    size = 1
    for width in range(min(4, end - start), 0, -1):
        indices = vocabulary.lookup_tokens(reader.forms[start : start + width])
        if any(vocabulary.senses[i].pos == "verb" for i in indices):
            size = width
            break
    verb = reader.noun_phrase(start, start + size, "verb")
    if all(word in cues.ANYTHING for word in reader.words[start + size : end]):
        return verb, None
    return verb, reader.noun_phrase(start + size, end)
