"""Classification: a prompt to its clauses, each with an intent, a subject and slots."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from cognition import cues
from cognition.clause import ArticulationPlan, Clause, Mention
from cognition.config import SubjectSpan
from cognition.graph import IntentTag
from cognition.packs.vocabulary import Match, Vocabulary
from cognition.reading import NormalClause, Reader, relation_phrases
from cognition.repair import mended
from cognition.settle import settle
from cognition.slots import cause_slots, open_end, sides, verb_phrase
from recognition.tokens import Token, normal_form

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
_MAY_SPLIT = _END_OF_CLAUSE | _SECOND_QUESTION.keys()
# Clitics, auxiliaries and asides: not what a clause is about.
_LIGHT = (
    cues.DETERMINERS
    | cues.NEUTRAL
    | cues.NEGATIONS
    | cues.AUXILIARIES
    | cues.COPULAS
    | frozenset(cues.CLITICS)
    | frozenset(cues.CLITICS.values())
    | frozenset(word for tail in cues.NEUTRAL_TAILS for word in tail.split())
    | frozenset(cues.STATE_VERBS)
    | frozenset(word for phrase in cues.RELATION_SYNONYMS for word in phrase.split())
    | frozenset(("kinds", "types", "examples"))
)
# What is answered by statements, which hold in general.
_GENERIC = frozenset((IntentTag.VERIFICATION, IntentTag.CAUSE, IntentTag.TRANSITIVE_QUERY))
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
    forms = [normal_form(token.text) for token in tokens]
    meant = mended(forms)
    reader = Reader(text, [tokens[i] for i in meant], [forms[i] for i in meant], vocabulary)
    clauses = tuple(_in_place(_classify_clause(reader, start, end), meant) for start, end in _split(reader))
    dominant = max(range(len(clauses)), key=lambda i: (_weight(clauses[i]), -i)) if len(clauses) > 1 else 0
    return ArticulationPlan(clauses=clauses, dominant=dominant, subject_span=subject_span)


def _in_place(clause: Clause, meant: Sequence[int]) -> Clause:
    """The clause with its places among all tokens of the prompt, where some were not meant."""
    if meant[-1] == len(meant) - 1:
        return clause
    words = tuple(Match(meant[m.start], meant[m.end - 1] + 1, m.indices) for m in clause.words)
    return replace(clause, start=meant[clause.start], end=meant[clause.end - 1] + 1, words=words)


def _weight(clause: Clause) -> int:
    named = clause.subject is not None and clause.subject.index is not None
    return int(named) if clause.intent is IntentTag.UNKNOWN else 2 + int(named)


def _split(reader: Reader) -> list[tuple[int, int]]:
    """Clauses: at final punctuation, and at "and" or a comma before a second question."""
    size = len(reader.tokens)
    if _MAY_SPLIT.isdisjoint(reader.forms[:-1]):
        return [(0, size)]
    ranges: list[tuple[int, int]] = []
    start = 0
    for at in range(size):
        ends = reader.forms[at] in _END_OF_CLAUSE
        joins = (
            at > start + 1
            and at + 1 < size
            and reader.words[start] in _QUESTION_START
            and reader.words[at + 1] in _SECOND_QUESTION.get(reader.forms[at], ())
            and (reader.words[start] not in ("compare", "is", "are") or _begins_anew(reader, at))
        )
        if ends and cues.DENIAL.match(reader.normal(start, at).text):
            continue
        if ends or joins:
            ranges.append((start, at + 1 if ends else at))
            start = at + 1
    ranges.append((start, size))
    worded = [(s, e) for s, e in ranges if any(not reader.is_punctuation(i) for i in range(s, e))]
    return worded or [(0, size)]


def _begins_anew(reader: Reader, at: int) -> bool:
    """Whether a question word follows a comma: "compare light and sound, and what is heat"."""
    asks = reader.words[at + 1] in _SECOND_QUESTION[","]
    return asks and "," in (reader.forms[at], reader.forms[at - 1])


def _classify_clause(reader: Reader, start: int, end: int) -> Clause:
    body_start, body_end = reader.trim(start, end)
    whole = normal = reader.normal(body_start, body_end)
    if not _NEGATED_REQUEST.search(normal.text):
        while (found := cues.PREAMBLE.match(normal.text)) and found.end() < len(normal.text):
            normal = reader.normal(normal.token_range(found.end(), len(normal.text))[0], body_end)
        clause = _read(reader, normal, start, end)
        if clause is None and normal.text != whole.text:
            clause = _read(reader, whole, start, end)  # "can you" may ask for more than to be told
        if clause is None or clause.form == "tail":
            clause = _embedded(reader, body_start, body_end, start, end) or clause
        if clause is not None:
            return clause
    return _unknown(reader, start, end)


def _read(
    reader: Reader,
    normal: NormalClause,
    start: int,
    end: int,
    wanted: frozenset[IntentTag] = frozenset(IntentTag),
) -> Clause | None:
    """The clause under the first cue that fits; None where none does."""
    first = cues.FIRST_CUE.match(normal.text)
    if first is None or first.lastindex is None:
        return None
    for cue in cues.CUES[first.lastindex - 1 :]:
        match = cue.pattern.match(normal.text) if cue.intent in wanted else None
        if match:
            clause = _fill(reader, cue, match, normal, start, end)
            if clause is not None:
                return clause
    return None


def _embedded(reader: Reader, body_start: int, body_end: int, start: int, end: int) -> Clause | None:
    """A question that begins inside the clause; what stands before it is its setting.

    A mark parts it from its setting, or the whole asks: "I know why light exists." reports, and asks nothing.
    """
    for at in range(body_start + 1, body_end):
        asked = reader.is_punctuation(at - 1) or reader.forms[end - 1] == "?"
        if not asked or reader.words[at] not in ("why", "how", "what"):
            continue
        normal = reader.normal(at, body_end)
        if not cues.EMBEDDED.match(normal.text):
            continue
        clause = _read(reader, normal, start, end, cues.EMBEDDED_INTENTS)
        if clause is not None and clause.form != "tail":
            first, last = reader.trim(body_start, at)
            while last > first + 1 and reader.words[last - 1] in ("and", "but", "so", "then"):
                first, last = reader.trim(first, last - 1)
            return replace(clause, setting=_slice(reader, first, last))
    return None


def _unknown(reader: Reader, start: int, end: int, form: str = "") -> Clause:
    """A clause that no cue reads; its form says whether it asks for something."""
    first, last = reader.trim(start, end)
    normal = reader.normal(first, last).text
    greeted = cues.PREAMBLE.match(normal)
    if not form and (cues.ASKS.search(normal) or cues.ASKS.match(normal[greeted.end() if greeted else 0 :])):
        form = "question"
    words = _meant(reader, start, end)
    named = [m for m in words if not all(reader.vocabulary.is_stop(i) for i in m.indices)]
    subject = reader.noun_phrase(named[0].start, named[0].end) if named else None
    other = reader.noun_phrase(named[1].start, named[1].end) if len(named) > 1 else None
    return Clause(
        intent=IntentTag.UNKNOWN,
        form=form,
        unread=_unread(reader, words, start, end),
        subject=subject,
        object=other,
        start=start,
        end=end,
        chars=(reader.tokens[start].start, reader.tokens[end - 1].end),
        words=words,
        phrase_subject=_slice(reader, start, end),
    )


def _unread(reader: Reader, words: Sequence[Match], start: int, end: int) -> tuple[str, ...]:
    """The words of a clause that the lexicon does not have, but for those that only hold a phrase together."""
    known = {at for match in words for at in range(match.start, match.end)}
    verbs = {word for phrase in relation_phrases(reader.vocabulary) for word in phrase}
    return tuple(
        reader.tokens[at].text
        for at in range(start, end)
        if at not in known
        and not reader.is_punctuation(at)
        and reader.words[at] not in _LIGHT | verbs
        and reader.forms[at] not in reader.vocabulary.stop_words
    )


def _fill(
    reader: Reader, cue: cues.Cue, match: re.Match[str], normal: NormalClause, start: int, end: int
) -> Clause | None:
    """Fills the slots of a cue; None where they don't hold what the cue needs, so that the next is tried."""
    groups = match.groupdict()
    ranges = {name: normal.token_range(*match.span(name)) for name, value in groups.items() if value}
    subject = obj = third = verb = None
    relation: str | None = None
    far = cue.intent is IntentTag.TRANSITIVE_QUERY and bool(cues.FAR.search(normal.text))
    form = cue.form
    if cue.intent is IntentTag.UNKNOWN:
        return _unknown(reader, start, end, form)
    if "all" in groups:
        pass
    elif "vp" in ranges:
        verb, obj = verb_phrase(reader, *ranges["vp"])
        subject = obj or verb
    elif "pv" in ranges:
        verb, obj = reader.noun_phrase(*ranges["pv"], pos="verb"), reader.noun_phrase(*ranges["s"])
        if verb is None or verb.index is None or reader.vocabulary.senses[verb.index].pos != "verb":
            return None
        subject = obj
    elif "rest" in ranges:
        svo = reader.clause(*ranges["rest"], copular=form == "be")
        relation = svo.relation
        subject, obj = sides(reader, svo)
        if cue.intent is IntentTag.CAUSE:
            form, subject, obj, relation = cause_slots(reader, form, ranges["rest"], svo)
        elif cue.intent is IntentTag.TRANSITIVE_QUERY:
            found = open_end(reader, form, ranges["rest"])
            if found is None:
                return None
            relation, subject, obj, form = found
        elif cue.intent is IntentTag.VERIFICATION and form == "true" and relation is None:
            return None
    else:
        subject = reader.noun_phrase(*ranges["s"])
        obj = reader.noun_phrase(*ranges["o"]) if "o" in ranges else None
        third = reader.noun_phrase(*ranges["c"]) if "c" in ranges else None
        if form == "without" and "requires" in reader.vocabulary.relation_types:
            relation = "requires"
    if subject is None and obj is None and "all" not in groups:
        return None
    corrects = cue.intent is IntentTag.CORRECTION and "rest" in ranges
    proposal = _slice(reader, *ranges["rest"]) if corrects else ""
    phrase_subject, phrase_object = _phrases(reader, cue.intent, ranges, start, end)
    clause = Clause(
        intent=cue.intent,
        form=form,
        subject=subject,
        object=obj,
        third=third,
        verb=verb,
        relation=relation,
        negation=_negation(reader, cue, ranges, (normal.owners[0], end)),
        scope=_scope(reader, cue.intent, relation, normal.owners[0], end),
        start=start,
        end=end,
        chars=(reader.tokens[start].start, reader.tokens[end - 1].end),
        words=_meant(reader, start, end, (subject, obj, third, verb)),
        phrase_subject=phrase_subject,
        phrase_object=phrase_object,
        far=far,
        proposal=proposal,
    )
    return settle(clause, reader.vocabulary)


def _meant(
    reader: Reader, start: int, end: int, mentions: Sequence[Mention | None] = ()
) -> tuple[Match, ...]:
    """The pack's surfaces in a clause.

    A stop word may be a further name of something ("a" of a unit of length): it is meant where it fills a slot.
    """
    vocabulary = reader.vocabulary
    spans = [(mention.start, mention.end) for mention in mentions if mention is not None]

    def fills(match: Match) -> bool:
        first, last = reader.tokens[match.start].start, reader.tokens[match.end - 1].end
        return any(first >= begin and last <= stop for begin, stop in spans)

    return tuple(
        match
        for match in vocabulary.matches(reader.forms, start, end)
        if match.end > match.start + 1
        or reader.forms[match.start] not in vocabulary.stop_words
        or all(map(vocabulary.is_stop, match.indices))
        or fills(match)
    )


def _negation(
    reader: Reader, cue: cues.Cue, ranges: dict[str, tuple[int, int]], whole: tuple[int, int]
) -> str:
    """Whether what is asked is negated. A fronted "doesn't" asks for the same as "does", except after "why"."""
    parts = [whole]
    if cue.intent is IntentTag.VERIFICATION or cue.form == "tail":
        parts = list(ranges.values())
    words = [word for part in parts for word in reader.words[slice(*part)]]
    if "only" in words:
        return "only"
    negated = sum(word in cues.NEGATIONS for word in words) + (cue.form == "false")
    return "not" if negated % 2 else ""


def _scope(reader: Reader, intent: IntentTag, relation: str | None, start: int, end: int) -> str:
    """The word that asks for more than what holds in general; "every" of a kind is what holds in general."""
    if intent not in _GENERIC:
        return ""
    kind = reader.vocabulary.relation_types[relation].kind if relation is not None else ""
    of_a_kind = intent is IntentTag.TRANSITIVE_QUERY or (kind == "taxonomic" and reader.words[start] != "why")
    asks_more = cues.SCOPES - cues.OF_A_KIND if of_a_kind else cues.SCOPES
    return next((word for word in reader.words[start:end] if word in asks_more), "")


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
