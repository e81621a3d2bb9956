"""How senses and statements are said in English: articles, number, negation."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Literal

from cognition.packs.schema import RelationType
from cognition.packs.vocabulary import Statement, Vocabulary
from recognition.english import agree, indefinite_article, noun_number, plural

Number = Literal["singular", "plural"]
_OPENING_MARK = re.compile(r'(?<![^\s(\[])"')
_NUMBERS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight")


def noun(vocabulary: Vocabulary, index: int, *, number: Number = "singular") -> str:
    """A word as a noun phrase: "a step", "knowledge", "the sun", "correcting", "“true”"; or its plural."""
    sense = vocabulary.senses[index]
    if sense.pos == "verb":
        return sense.forms["ing"]
    if sense.pos != "noun":
        return f"“{sense.lemma}”"
    if sense.countability == "unique":
        return f"the {sense.lemma}"
    if sense.countability != "count":
        return sense.lemma
    if number == "plural":
        return sense.forms.get("plural") or plural(sense.lemma)
    return f"{indefinite_article(sense.lemma)} {sense.lemma}"


def number_of(subject: str) -> Number:
    """The number that a noun phrase takes its verb in."""
    words = subject.lower().split()
    many = subject.lower() in ("i", "you", "we", "they") or noun_number(words[-1]) == {"plural"}
    return "plural" if many else "singular"


def verb_of(kind: RelationType, *, positive: bool, number: Number = "singular") -> str:
    """The verb of a statement with its preposition: "requires", "does not come before", "are part of"."""
    if positive:
        verb = kind.third if number == "singular" else kind.plural
    else:
        verb = agree(kind.verb, number, negative=True)
    return f"{verb} {kind.preposition}".strip()


def verb_of_many(kind: RelationType) -> str:
    """The verb of a statement about several things with its preposition: "are kinds of", "require"."""
    article, _, rest = kind.preposition.partition(" ")
    name, _, after = rest.partition(" ")
    if kind.plural == "are" and article in ("a", "an") and after:
        return f"are {plural(name)} {after}"
    return verb_of(kind, positive=True, number="plural")


def statement(
    vocabulary: Vocabulary, said: Statement, *, subject: str | None = None, obj: str | None = None
) -> str:
    """A statement as a clause without capital or full stop: "recall requires memory".

    Args:
        subject, obj: what to say instead of the noun phrases of its ends ("it", "them").
    """
    kind = vocabulary.relation_types[said.relation]
    subject = subject if subject is not None else noun(vocabulary, said.subject)
    obj = obj if obj is not None else object_phrase(vocabulary, said.relation, said.object)
    return f"{subject} {verb_of(kind, positive=said.positive)} {obj}"


def statements(vocabulary: Vocabulary, said: Sequence[Statement]) -> str:
    """Statements in one sentence; "but" where an assertion follows a denial, or the other way round."""
    clauses = [statement(vocabulary, one) for one in said]
    if len(said) == 2 and said[0].positive != said[1].positive:
        return f"{clauses[0]}, but {clauses[1]}"
    return f"{clauses[0]}, and {clauses[1]}" if len(said) == 2 else enumerate_phrases(clauses)


def object_phrase(vocabulary: Vocabulary, relation: str, index: int) -> str:
    """The object of a statement: bare after "a kind of", plural where the relation speaks of many."""
    kind = vocabulary.relation_types[relation]
    sense = vocabulary.senses[index]
    if kind.object_number == "bare" and sense.pos == "noun":
        return sense.lemma
    return noun(vocabulary, index, number="plural" if kind.object_number == "plural" else "singular")


def definition(vocabulary: Vocabulary, index: int, name: str | None = None) -> str:
    """A sense with its gloss as a clause: "a step is one of ...", "to correct is to ...", "“true” means ...".

    A dictionary's gloss is quoted as it stands: "“wombat” is defined as “...”"; under its lemma, or under ``name``.
    """
    sense = vocabulary.senses[index]
    if vocabulary.quotes:
        return f"“{name or sense.lemma}” is defined as {quoted(sense.gloss)}"
    if sense.pos == "noun":
        return f"{noun(vocabulary, index)} is {sense.gloss}"
    if sense.pos == "verb":
        return f"to {sense.lemma} is to {sense.gloss}"
    return f"“{sense.lemma}” means {sense.gloss}"


def quoted(text: str) -> str:
    """A text between quotation marks; its own become single ones."""
    inner = _OPENING_MARK.sub("‘", text).replace('"', "’")
    return f"“{inner.replace('“', '‘').replace('”', '’')}”"


def count_of(count: int, noun: str) -> str:
    """A number of things: "one step", "two steps", "12 steps"."""
    number = _NUMBERS[count] if count < len(_NUMBERS) else str(count)
    return f"{number} {noun}" if count == 1 else f"{number} {noun}s"


def enumerate_phrases(phrases: list[str]) -> str:
    """Phrases in a row: "a", "a and b", "a, b and c"; "" for none."""
    if not phrases:
        return ""
    return phrases[0] if len(phrases) == 1 else f"{', '.join(phrases[:-1])} and {phrases[-1]}"


def sentence(clause: str) -> str:
    """A clause with its capital and full stop."""
    start = next((i for i, char in enumerate(clause) if char.isalpha()), 0)
    capital = clause[:start] + clause[start : start + 1].upper() + clause[start + 1 :]
    return capital if capital.endswith((".", "!", "?")) else capital + "."
