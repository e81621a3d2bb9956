"""Classification: a prompt to its clauses, each with an intent, a subject and slots."""

from __future__ import annotations

import re
from collections.abc import Sequence

from cognition import cues
from cognition.clause import ArticulationPlan, Clause, Mention
from cognition.config import SubjectSpan
from cognition.graph import IntentTag
from cognition.packs.vocabulary import Vocabulary
from cognition.reading import NormalClause, Reader, Svo, relation_phrases, stated_phrases
from cognition.settle import settle
from recognition.tokens import Token

VERSION = 1

_END_OF_CLAUSE = frozenset((".", "?", "!", ";", "...", "…", "\n"))
_QUESTION_START = frozenset(
    (
        "what",
        "why",
        "how",
        "who",
        "which",
        "is",
        "are",
        "does",
        "do",
        "did",
        "can",
        "could",
        "compare",
        "define",
    )
)
_SECOND_QUESTION = {
    "and": _QUESTION_START - {"compare", "define"},
    "but": _QUESTION_START - {"compare", "define"},
    ",": frozenset(("what", "why", "how", "who", "which")),
}
_NEGATED_REQUEST = re.compile(
    r"^(?:i|we) (?:do|would|will|am|are|can|did) not\b|^(?:do|please do) not\b|^never\b"
)


def classify(
    text: str, tokens: Sequence[Token], vocabulary: Vocabulary, *, subject_span: SubjectSpan = "head"
) -> ArticulationPlan:
    """Classifies a prompt.

    Args:
        text: the prompt.
        tokens: its tokens; at least one.
        vocabulary: the lexicon that subjects are looked up in.
        subject_span: contract of the graph that is built from the plan.

    Returns:
        All clauses, and the one to answer: the first whose intent is known and whose subject is in the
        lexicon, else the first whose intent is known, else the first.
    """
    reader = Reader(text, tokens, vocabulary)
    clauses = tuple(_classify_clause(reader, start, end) for start, end in _split(reader))
    ranked = sorted(range(len(clauses)), key=lambda i: (-_weight(clauses[i]), i))
    return ArticulationPlan(clauses=clauses, dominant=ranked[0], subject_span=subject_span)


def _weight(clause: Clause) -> int:
    named = clause.subject is not None and clause.subject.index is not None
    return int(named) if clause.intent is IntentTag.UNKNOWN else 2 + int(named)


def _split(reader: Reader) -> list[tuple[int, int]]:
    """Clauses: at final punctuation, and at "and" or a comma before a second question."""
    ranges: list[tuple[int, int]] = []
    start = 0
    size = len(reader.tokens)
    for at in range(size):
        ends = reader.forms[at] in _END_OF_CLAUSE
        joins = (
            at > start + 1
            and at + 1 < size
            and reader.words[start] in _QUESTION_START
            and reader.words[at + 1] in _SECOND_QUESTION.get(reader.forms[at], ())
            and reader.words[start] not in ("compare", "is", "are")
        )
        if ends and cues.DENIAL.match(reader.normal(start, at).text):
            continue
        if ends or joins:
            ranges.append((start, at + 1 if ends else at))
            start = at + 1
    ranges.append((start, size))
    worded = [(s, e) for s, e in ranges if any(not reader.is_punctuation(i) for i in range(s, e))]
    return worded or [(0, size)]


def _classify_clause(reader: Reader, start: int, end: int) -> Clause:
    body_start, body_end = reader.trim(start, end)
    normal = reader.normal(body_start, body_end)
    if not _NEGATED_REQUEST.search(normal.text):
        while (found := cues.PREAMBLE.match(normal.text)) and found.end() < len(normal.text):
            normal = reader.normal(normal.token_range(found.end(), len(normal.text))[0], body_end)
        for cue in cues.CUES:
            match = cue.pattern.match(normal.text)
            if match:
                clause = _fill(reader, cue, match, normal, start, end)
                if clause is not None:
                    return clause
    return _unknown(reader, start, end)


def _unknown(reader: Reader, start: int, end: int) -> Clause:
    words = tuple(m for m in reader.vocabulary.matches(reader.forms, start, end))
    named = [m for m in words if not all(reader.vocabulary.is_stop(i) for i in m.indices)]
    subject = reader.noun_phrase(named[0].start, named[0].end) if named else None
    other = reader.noun_phrase(named[1].start, named[1].end) if len(named) > 1 else None
    return Clause(
        intent=IntentTag.UNKNOWN,
        subject=subject,
        object=other,
        start=start,
        end=end,
        chars=(reader.tokens[start].start, reader.tokens[end - 1].end),
        words=words,
        phrase_subject=_slice(reader, start, end),
    )


def _fill(
    reader: Reader, cue: cues.Cue, match: re.Match[str], normal: NormalClause, start: int, end: int
) -> Clause | None:
    """Fills the slots of a cue; None where they don't hold what the cue needs, so that the next is tried."""
    ranges = {
        name: normal.token_range(*match.span(name)) for name, value in match.groupdict().items() if value
    }
    subject = obj = third = verb = None
    relation: str | None = None
    form = cue.form
    if "vp" in ranges:
        verb, obj = _verb_phrase(reader, *ranges["vp"])
        subject = obj or verb
    elif "pv" in ranges:
        verb, obj = reader.noun_phrase(*ranges["pv"], pos="verb"), reader.noun_phrase(*ranges["s"])
        if verb is None or verb.index is None or reader.vocabulary.senses[verb.index].pos != "verb":
            return None
        subject = obj
    elif "rest" in ranges:
        svo = reader.clause(*ranges["rest"], copular=form == "be")
        relation = svo.relation
        subject, obj = _sides(reader, svo)
        if cue.intent is IntentTag.CAUSE:
            form, subject, obj, relation = _cause_slots(reader, form, ranges["rest"], svo)
        elif cue.intent is IntentTag.TRANSITIVE_QUERY:
            found = _open_end(reader, form, ranges["rest"])
            if found is None:
                return None
            relation, subject, obj, form = found
        elif cue.intent is IntentTag.VERIFICATION and form == "true" and relation is None:
            return None
    else:
        subject = reader.noun_phrase(*ranges["s"])
        obj = reader.noun_phrase(*ranges["o"]) if "o" in ranges else None
        third = reader.noun_phrase(*ranges["c"]) if "c" in ranges else None
    if subject is None and obj is None:
        return None
    phrase_subject, phrase_object = _phrases(reader, cue.intent, ranges, start, end)
    clause = Clause(
        intent=cue.intent,
        form=form,
        subject=subject,
        object=obj,
        third=third,
        verb=verb,
        relation=relation,
        negation=_negation(
            reader, *(ranges["rest"] if cue.intent is IntentTag.VERIFICATION else (start, end))
        ),
        start=start,
        end=end,
        chars=(reader.tokens[start].start, reader.tokens[end - 1].end),
        words=reader.vocabulary.matches(reader.forms, start, end),
        phrase_subject=phrase_subject,
        phrase_object=phrase_object,
    )
    return settle(clause, reader.vocabulary)


def _negation(reader: Reader, start: int, end: int) -> str:
    """Whether what is asked is negated. A fronted "doesn't" asks for the same as "does", except after "why"."""
    words = reader.words[start:end]
    if "only" in words:
        return "only"
    return "not" if sum(word in cues.NEGATIONS for word in words) % 2 else ""


def _sides(reader: Reader, svo: Svo) -> tuple[Mention | None, Mention | None]:
    subject = reader.noun_phrase(*svo.subject)
    obj = reader.noun_phrase(*svo.object) if svo.object is not None else None
    return (obj, subject) if svo.reverse else (subject, obj)


def _cause_slots(
    reader: Reader, form: str, rest: tuple[int, int], svo: Svo
) -> tuple[str, Mention | None, Mention | None, str | None]:
    """Which why-question it is, its subject, its object and its relation.

    A claim ("why does S REL O", "why is the sky dark"), a purpose ("why does S matter"), or existence.
    """
    start, end = reader.trim(*rest)
    if svo.relation is not None and svo.object is not None:
        object_words = reader.words[slice(*reader.trim(*svo.object))]
        if not (svo.relation == "is_a" and cues.PURPOSE_WORDS.intersection(object_words)):
            return "claim", *_sides(reader, svo), svo.relation
    for at in range(start + 1, end):
        if reader.words[at] in cues.PURPOSE_WORDS or reader.words[at] in cues.STATE_VERBS:
            stop = at
            while stop > start + 1 and reader.words[stop - 1] in cues.COPULAS | {"so", "very", "really"}:
                stop -= 1
            asked = "purpose" if reader.words[at] in cues.PURPOSE_WORDS else "existence"
            return asked, reader.noun_phrase(start, stop), None, None
    # After an auxiliary something is said of the subject: a claim, whether or not a relation says it.
    said_of = reader.noun_phrase(start, end - 1) if form in ("rest", "be") and end - start > 1 else None
    if said_of is not None:
        return "claim", said_of, reader.noun_phrase(end - 1, end, "verb"), None
    return "existence", reader.noun_phrase(start, end), None, None


def _open_end(
    reader: Reader, form: str, rest: tuple[int, int]
) -> tuple[str, Mention | None, Mention | None, str] | None:
    """The relation of "what does S REL" (object asked) or "what REL O" (subject asked)."""
    start, end = reader.trim(*rest)
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


def _verb_phrase(reader: Reader, start: int, end: int) -> tuple[Mention | None, Mention | None]:
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
    return verb, reader.noun_phrase(start + size, end)


def _phrases(
    reader: Reader, intent: IntentTag, ranges: dict[str, tuple[int, int]], start: int, end: int
) -> tuple[str, str | None]:
    """Subject and object under the raw-phrase contract: the words left when the cue is cut off."""
    if intent is IntentTag.COMPARISON and "o" in ranges:
        return _slice(reader, *ranges["s"]), _slice(reader, *ranges["o"])
    text = _slice(reader, start, end)
    found = cues.PHRASE_PREFIXES.match(text)
    return (text[found.end() :].rstrip(" ?.!"), None) if found else (text, None)


def _slice(reader: Reader, start: int, end: int) -> str:
    return reader.text[reader.tokens[start].start : reader.tokens[end - 1].end] if start < end else ""
