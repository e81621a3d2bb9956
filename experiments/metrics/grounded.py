"""Whether a sentence says what its evidence says, all of it, and nothing else.

Each cited statement must be said in its direction and polarity, each cited gloss word for word after the word it
defines. What is then left may be a frame (see `frames`), punctuation and a few joining words; any other word makes
the sentence ungrounded. Nothing here is shared with the code that makes sentences.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from cognition.packs.vocabulary import Statement, surface_key
from experiments.metrics.frames import frames, match
from experiments.metrics.lexicon import PROMPT_ID, Lexicon, occurrences

JOINS = frozenset(("a", "an", "the", "to", "and", "because", "for", "as", "but", "both", *',;:."', "..."))
_BETWEEN = frozenset(("a", "an", "the", "and", "both", ",", '"'))
_SUBJECTS = frozenset(("it", "they"))
_OBJECTS = frozenset(("it", "them"))
_DEFINES = (("is", "to"), ("is",), ("are",), ("means",), (":",))
_ORDINALS = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth")
_NUMBERS = ("one", "two", "three", "four", "five", "six", "seven", "eight")


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """A sentence as read against its evidence.

    Attributes:
        forms: normal forms of its tokens.
        framed: positions of frames and of the words that introduce a gloss or a step.
        verdict: whether it says yes or no, as its evidence does.
        faults: what is wrong with it, in words; empty for a grounded sentence.
    """

    forms: tuple[str, ...]
    framed: frozenset[int]
    verdict: bool
    faults: tuple[str, ...]


def read(text: str, evidence: Sequence[str], prompt: str, lexicon: Lexicon) -> Reading:
    """Reads a sentence against the evidence it cites."""
    return _Sentence(text, evidence, prompt, lexicon).reading()


class _Sentence:
    def __init__(self, text: str, evidence: Sequence[str], prompt: str, lexicon: Lexicon) -> None:
        self.forms = surface_key(text)
        self.evidence = evidence
        self.lexicon = lexicon
        self.prompt_forms = surface_key(prompt)
        self.prompt_keys = lexicon.prompt_keys(prompt)
        found = [lexicon.statement(evidence_id) for evidence_id in evidence]
        self.statements = [statement for statement in found if statement is not None]
        self.said: set[int] = set()
        self.framed: set[int] = set()
        self.verdict = False

    def reading(self) -> Reading:
        cited = [evidence_id for evidence_id in self.evidence if evidence_id != PROMPT_ID]
        missing = [evidence_id for evidence_id in cited if not self.lexicon.resolves(evidence_id)]
        unsaid = [i for i in cited if i not in missing and not self._say(i)]
        self._take_frames()
        covered = self.said | self.framed
        beyond = [f for i, f in enumerate(self.forms) if i not in covered and f not in JOINS]
        faults = [] if self.evidence else ["cites no evidence"]
        faults += [f"cites what is not in the pack: {', '.join(missing)}"] if missing else []
        faults += [f"does not say {', '.join(unsaid)}"] if unsaid else []
        faults += [f"says beyond its evidence: {', '.join(dict.fromkeys(beyond))}"] if beyond else []
        return Reading(
            forms=self.forms,
            framed=frozenset(self.framed),
            verdict=self.verdict,
            faults=tuple(faults),
        )

    def _say(self, evidence_id: str) -> bool:
        """Marks the words that say a piece of evidence; False if none do."""
        statement = self.lexicon.statement(evidence_id)
        if statement is None:
            index = self.lexicon.gloss_index(evidence_id)
            return index is not None and self._gloss(index)
        clauses = list(self._clauses(statement))
        for clause in clauses:
            self.said.update(range(*clause))
        return bool(clauses) or self._step(statement)

    def _clauses(self, said: Statement) -> Iterator[tuple[int, int]]:
        """Where subject, verb and object stand in that order, joined by nothing but articles and lists."""
        kind = self.lexicon.vocabulary.relation_types[said.relation]
        like = [s for s in self.statements if (s.relation, s.positive) == (said.relation, said.positive)]
        directions = [(said.subject, said.object)]
        if kind.symmetric:
            directions.append((said.object, said.subject))
        for subject, obj in directions:
            subjects = [s.subject for s in like if s.object == obj]
            objects = [s.object for s in like if s.subject == subject]
            for verb in self.lexicon.verb_forms(said):
                for verb_start, verb_end in occurrences(verb, self.forms):
                    start = self._subject_start(subject, subjects, verb_start)
                    end = self._object_end(obj, objects, verb_end)
                    if start is not None and end is not None:
                        yield start, end

    def _subject_start(self, word: int, listed: Sequence[int], at: int) -> int | None:
        """Where the word's name starts that ends here, or before a list of others.

        Of names that end in one place the longest is meant: a "pair of goggles" is not "goggles".
        """
        starts = {i: {end: start for start, end in self._spans(i)} for i in (word, *listed)}
        while at > 0:
            here = {i: found[at] for i, found in starts.items() if at in found}
            longest = min(here.values(), default=None)
            if longest is not None and here.get(word) == longest:
                return longest
            if self.forms[at - 1] in _SUBJECTS and self._may_be_pronoun(word, at - 1):
                return at - 1
            if longest is not None:
                at = longest
            elif self.forms[at - 1] in _BETWEEN:
                at -= 1
            else:
                return None
        return None

    def _object_end(self, word: int, listed: Sequence[int], at: int) -> int | None:
        ends = {i: dict(self._spans(i)) for i in (word, *listed)}
        while at < len(self.forms):
            if at in ends[word]:
                return ends[word][at]
            if self.forms[at] in _OBJECTS and self._may_be_pronoun(word, at):
                return at + 1
            listed_end = next((ends[i][at] for i in listed if at in ends[i]), None)
            if listed_end is not None:
                at = listed_end
            elif self.forms[at] in _BETWEEN:
                at += 1
            else:
                return None
        return None

    def _may_be_pronoun(self, word: int, at: int) -> bool:
        """Whether "it" may stand for a word: one that the prompt names and that this sentence has named before."""
        named = bool(self.lexicon.word_spans(word, self.prompt_forms))
        return named and any(end <= at for _, end in self._spans(word))

    def _gloss(self, index: int) -> bool:
        """Whether the gloss stands here as it is, straight after the word it defines."""
        ends = {end: start for start, end in self._spans(index)}
        gloss = surface_key(self.lexicon.vocabulary.senses[index].gloss)
        found = False
        for start, end in occurrences(gloss, self.forms):
            for copula in _DEFINES:
                at = start - len(copula)
                word_end = at - 1 if at > 0 and self.forms[at - 1] == '"' else at
                if self.forms[max(at, 0) : start] == copula and word_end in ends:
                    self.said.update(range(ends[word_end], end))
                    self.framed.update(range(at, start))
                    found = True
        return found

    def _step(self, said: Statement) -> bool:
        """Whether a step of a procedure is said by its place, or announced among all of them."""
        if said.order is None or not said.positive or len(self.forms) < 3:
            return False
        ordinals = [(f"{said.order}",), ("step", f"{said.order}")]
        if said.order <= len(_ORDINALS):
            ordinals.append((_ORDINALS[said.order - 1],))
        for ordinal in ordinals:
            lead = (*ordinal, ",")
            for start, end in self._spans(said.subject):
                if start == len(lead) and self.forms[:start] == lead:
                    self.framed.update(range(len(lead)))
                    self.said.update(range(start, end))
                    return True
        return self._heading(said)

    def _heading(self, said: Statement) -> bool:
        """Whether it reads "To OBJECT ..., take N steps", with N the number of its steps that the sentence cites."""
        steps = [s for s in self.statements if s.order is not None and s.object == said.object]
        count = _NUMBERS[len(steps) - 1] if len(steps) <= len(_NUMBERS) else str(len(steps))
        announced = (",", "take", count, "step" if len(steps) == 1 else "steps")
        for start, end in occurrences(announced, self.forms):
            action = range(1, start)
            named = {i for span in self._spans(said.object) for i in range(*span)}
            others = [i for i in action if self.lexicon.is_content(self.forms[i]) and i not in named]
            known = all(self._in_prompt(self.forms[i]) for i in others)
            cited = not others or PROMPT_ID in self.evidence
            if self.forms[0] == "to" and named & set(action) and known and cited:
                self.said.update(action)
                self.framed.update({0, *range(start, end)})
                return True
        return False

    def _take_frames(self) -> None:
        at = 0
        while at < len(self.forms):
            for frame in frames():
                found = match(frame, self.forms, at, self._slot_ends) if self._cites(frame.cites) else None
                if found is not None and not (found[0] & self.said):
                    self.framed |= found[0]
                    self.said |= found[1]
                    self.verdict |= frame.cites in ("assertion", "denial")
                    at = max(found[0] | found[1])
                    break
            at += 1

    def _cites(self, what: str) -> bool:
        if what == "prompt":
            return PROMPT_ID in self.evidence
        if what == "any":
            return True
        return bool(self.statements) and self.statements[0].positive == (what == "assertion")

    def _slot_ends(self, slot: str, at: int) -> Iterator[int]:
        if slot == "prompt":
            for end in range(at + 1, len(self.forms)):
                form = self.forms[end - 1]
                if self.lexicon.is_content(form) and form not in JOINS and not self._in_prompt(form):
                    return
                yield end
            return
        while at < len(self.forms) and self.forms[at] in ("a", "an", "the", '"'):
            at += 1
        words = {s.subject for s in self.statements if slot in ("subject", "end")}
        words |= {s.object for s in self.statements if slot in ("object", "end")}
        for end in sorted({end for word in words for start, end in self._spans(word) if start == at}):
            yield end
            if self.forms[end : end + 1] == ('"',):
                yield end + 1

    def _in_prompt(self, form: str) -> bool:
        return bool(self.lexicon.keys(form) & self.prompt_keys)

    def _spans(self, index: int) -> list[tuple[int, int]]:
        """Where a sense is named; of names that end (or start) in one place the longest comes last."""
        return sorted(self.lexicon.word_spans(index, self.forms), key=lambda span: (-span[0], span[1]))
