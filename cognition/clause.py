"""What classification says of a prompt: its clauses, each with intent, subject and slots, by span."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from cognition.graph import IntentTag
from cognition.packs.vocabulary import Match


@dataclass(frozen=True, slots=True, kw_only=True)
class Mention:
    """A phrase of the prompt that fills a slot, reduced to its head and looked up.

    Attributes:
        text: the head's words as written.
        start, end: half-open span of the head in characters of the prompt.
        lemma: the head in its dictionary form: the lexicon's lemma where it is known.
        index: the sense taken, None where the lexicon has none.
        alternatives: the other senses of the surface, most salient first.
        modifier: content words beside the head ("France" in "the capital of France"), None if there are none.
        phrase: the phrase as written, without its article.
    """

    text: str
    start: int
    end: int
    lemma: str
    index: int | None
    alternatives: tuple[int, ...] = ()
    modifier: str | None = None
    phrase: str

    @property
    def senses(self) -> tuple[int, ...]:
        """All senses of the surface, the one taken first; none where the lexicon has none."""
        return () if self.index is None else (self.index, *self.alternatives)

    @property
    def known(self) -> bool:
        """Whether the whole phrase, not its head alone, is in the lexicon."""
        return self.index is not None and self.modifier is None


@dataclass(frozen=True, slots=True, kw_only=True)
class Clause:
    """One clause and what it asks.

    Attributes:
        intent: what it asks for.
        form: which reading of the intent, as the table of cues names it or the clause shows it ("existence",
            "claim", "purpose" for causes); "" where there is one.
        subject, object, third: the phrases in its slots (third: C in "A is to B as C is to what").
        verb: the action of a procedure.
        negation: "not" where what is asked is negated, "only" where it is restricted; "" otherwise.
        relation: the relation type that its verb names, None where it names none.
        start, end: half-open span in tokens.
        chars: half-open span in characters of the prompt.
        words: the pack's surfaces in the clause.
        phrase_subject, phrase_object: the slots under the raw-phrase contract.
        setting: what stands before a question that begins inside the clause, as written; "" otherwise.
        proposal: of a correction, what it puts in place, as written; "" otherwise.
        far: of a transitive query, whether it asks for what lies more than one step away as well.
        scope: of a question that statements answer, the word that asks how many, how often or what ought to be.
        unread: of an unknown clause, the content words that the lexicon does not have, as written.
    """

    intent: IntentTag
    form: str = ""
    subject: Mention | None = None
    object: Mention | None = None
    third: Mention | None = None
    verb: Mention | None = None
    relation: str | None = None
    negation: str = ""
    start: int
    end: int
    chars: tuple[int, int]
    words: tuple[Match, ...]
    phrase_subject: str
    phrase_object: str | None = None
    setting: str = ""
    proposal: str = ""
    far: bool = False
    scope: str = ""
    unread: tuple[str, ...] = ()

    def mentions(self) -> tuple[Mention, ...]:
        """The phrases of its slots that are there, subject first."""
        return tuple(m for m in (self.subject, self.object, self.third, self.verb) if m is not None)

    def as_dict(self) -> dict[str, Any]:
        """Ints and strings for the trace; fields at their default are left out."""
        record: dict[str, Any] = {"intent": self.intent.value, "tokens": [self.start, self.end]}
        if self.form:
            record["form"] = self.form
        if self.relation is not None:
            record["relation"] = self.relation
        if self.negation:
            record["negation"] = self.negation
        if self.setting:
            record["setting"] = self.setting
        if self.scope:
            record["scope"] = self.scope
        if self.far:
            record["far"] = True
        for name in ("subject", "object", "third", "verb"):
            mention: Mention | None = getattr(self, name)
            if mention is not None:
                record[name] = {"lemma": mention.lemma, "span": [mention.start, mention.end]}
                if mention.index is not None:
                    record[name]["sense"] = mention.index
                if mention.modifier is not None:
                    record[name]["modifier"] = mention.modifier
        return record


@dataclass(frozen=True, slots=True, kw_only=True)
class ArticulationPlan:
    """The clauses of a prompt and which one is answered.

    Attributes:
        clauses: in the order of the prompt; never empty.
        dominant: index of the clause that is answered.
        subject_span: the contract its graph is built under, ``"head"`` or ``"phrase"``.
    """

    clauses: tuple[Clause, ...]
    dominant: int
    subject_span: str = "head"

    @property
    def clause(self) -> Clause:
        """The clause that is answered."""
        return self.clauses[self.dominant]

    @property
    def intent(self) -> IntentTag:
        """Its intent."""
        return self.clause.intent
