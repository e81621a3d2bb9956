"""Reading what is taught: a sentence, or ids, to a statement about senses of the pack."""

from __future__ import annotations

from cognition import cues
from cognition.clause import Mention
from cognition.graph import IntentTag
from cognition.packs.vocabulary import Vocabulary
from cognition.reading import Reader
from cognition.teaching.errors import ReviewError
from cognition.teaching.items import Content
from recognition.tokens import normal_form, tokenize

_MEANS = frozenset(("means", "mean"))


def read_statement(text: str, vocabulary: Vocabulary, *, order: int | None = None) -> Content:
    """What a sentence teaches.

    Either ids (``bread.n.1 not requires salt.n.1``) or words: "S requires O", "S does not require O", "S means ...",
    "S is a ..." (a gloss, unless the complement is a word of the pack). The opening of a correction ("No, ...",
    "That is wrong: ...") is left aside.

    Args:
        text: the sentence.
        vocabulary: the words it may be about.
        order: the place of a step.

    Raises:
        ReviewError: ``unknown_word``, ``unknown_relation`` or ``not_structured``.
    """
    by_ids = _by_ids(text, vocabulary, order)
    if by_ids is not None:
        return by_ids
    tokens = tokenize(text)
    reader = Reader(text, tokens, [normal_form(token.text) for token in tokens], vocabulary)
    start, end = _body(reader)
    if start == end:
        raise ReviewError("not_structured", f"{text!r}")
    at = next((i for i in range(start + 1, end - 1) if reader.words[i] in _MEANS), None)
    if at is not None and not _negations(reader, start, at):
        infinitive = reader.words[start] == "to" and at - start > 1
        phrase = reader.noun_phrase(start + 1, at, "verb") if infinitive else reader.noun_phrase(start, at)
        subject = _known(phrase, text)
        return _gloss(subject, reader, at + 1, end, vocabulary)
    svo = reader.clause(start, end)
    if svo.relation is None or svo.object is None:
        raise ReviewError("not_structured", f"{text!r}")
    first, second = reader.noun_phrase(*svo.subject), reader.noun_phrase(*svo.object)
    negative = _negations(reader, start, end) % 2 == 1
    kind = vocabulary.relation_types[svo.relation]
    if (
        kind.kind == "taxonomic"
        and not (second is not None and second.known)
        and not negative
        and reader.words[reader.trim(*svo.object)[0]] in cues.DETERMINERS
    ):
        return _gloss(_known(first, text), reader, *svo.object, vocabulary)
    subject, obj = _known(first, text), _known(second, text)
    if svo.reverse:
        subject, obj = obj, subject
    if subject == obj:
        raise ReviewError("not_structured", f"{text!r}: a word does not stand in a relation to itself")
    return Content(
        kind="relation",
        subject=vocabulary.senses[subject].id,
        relation=svo.relation,
        object=vocabulary.senses[obj].id,
        polarity="negative" if negative else "positive",
        order=order,
    )


def retraction(evidence_id: str, vocabulary: Vocabulary) -> Content:
    """Taking back a statement of the pack.

    Raises:
        ReviewError: ``unknown_evidence``.
    """
    try:
        vocabulary.statement_by_id(evidence_id)
    except KeyError:
        raise ReviewError("unknown_evidence", f"{evidence_id!r}") from None
    return Content(kind="retraction", target=evidence_id)


def note_of(text: str) -> Content:
    """The words of a correction that names no statement: kept, so that a reviewer can say it better."""
    return Content(kind="note", gloss=" ".join(text.split()))


def _by_ids(text: str, vocabulary: Vocabulary, order: int | None) -> Content | None:
    words = text.split()
    negative = len(words) == 4 and words[1] == "not"
    if len(words) != 3 and not negative:
        return None
    subject, relation, obj = words[0], words[-2], words[-1]
    if subject.count(".") < 2 or obj.count(".") < 2:
        return None
    for sense in (subject, obj):
        if sense not in vocabulary.index:
            raise ReviewError("unknown_word", f"sense {sense!r}")
    if relation not in vocabulary.relation_types:
        raise ReviewError("unknown_relation", f"relation {relation!r}")
    if subject == obj:
        raise ReviewError("not_structured", f"{text!r}: a sense does not stand in a relation to itself")
    polarity = "negative" if negative else "positive"
    return Content(
        kind="relation", subject=subject, relation=relation, object=obj, polarity=polarity, order=order
    )


def _body(reader: Reader) -> tuple[int, int]:
    """The range of tokens without the opening of a correction."""
    start, end = reader.trim(0, len(reader.tokens))
    normal = reader.normal(start, end)
    for cue in cues.CUES:
        found = cue.pattern.match(normal.text) if cue.intent is IntentTag.CORRECTION else None
        if found is not None:
            rest = found.groupdict().get("rest")  # a bare denial puts nothing in its place
            return reader.trim(*normal.token_range(*found.span("rest"))) if rest else (end, end)
    return start, end


def _negations(reader: Reader, start: int, end: int) -> int:
    return sum(reader.words[i] in cues.NEGATIONS for i in range(start, end))


def _known(mention: Mention | None, text: str) -> int:
    if mention is None:
        raise ReviewError("not_structured", f"{text!r}")
    if mention.index is None or not mention.known:
        raise ReviewError("unknown_word", f"{mention.phrase!r}")
    return mention.index


def _gloss(subject: int, reader: Reader, start: int, end: int, vocabulary: Vocabulary) -> Content:
    start, end = reader.trim(start, end)
    if vocabulary.senses[subject].pos == "verb" and end - start > 1 and reader.words[start] == "to":
        start += 1
    words = reader.text[reader.tokens[start].start : reader.tokens[end - 1].end]
    gloss = " ".join(words.split()).rstrip(".!?")
    if not gloss or not gloss.isprintable():
        raise ReviewError("not_structured", f"{reader.text!r}")
    return Content(kind="gloss", subject=vocabulary.senses[subject].id, gloss=gloss)
