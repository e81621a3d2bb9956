"""Reading one clause: normal form with offsets, noun phrases, and subject-verb-object."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from cognition import cues
from cognition.clause import Mention
from cognition.packs.schema import PartOfSpeech
from cognition.packs.vocabulary import Vocabulary
from recognition.tokens import Token


class Reader:
    """The tokens of a prompt beside a vocabulary: finds phrases and looks them up.

    Args:
        text: the prompt.
        tokens: its tokens, with offsets into ``text``.
        forms: their normal forms.
        vocabulary: the lexicon.
    """

    def __init__(
        self, text: str, tokens: Sequence[Token], forms: Sequence[str], vocabulary: Vocabulary
    ) -> None:
        self.text = text
        self.tokens = tokens
        self.vocabulary = vocabulary
        self.forms: tuple[str, ...] = tuple(forms)
        self.words: tuple[str, ...] = _open_contractions(self.forms)
        self._marks: tuple[bool, ...] = tuple(map(_is_mark, self.forms))
        self._has_asides = self.words.count(",") > 1

    def is_punctuation(self, at: int) -> bool:
        """Whether the token is no word: a mark, a symbol, a control character."""
        return self._marks[at]

    def trim(self, start: int, end: int) -> tuple[int, int]:
        """The range without punctuation at its edges."""
        while start < end and self.is_punctuation(start):
            start += 1
        while end > start and self.is_punctuation(end - 1):
            end -= 1
        return start, end

    def normal(self, start: int, end: int) -> NormalClause:
        """The range in the normal form that `cognition.cues` is written for."""
        kept = [
            (at, self.words[at])
            for at in range(start, end)
            if self.words[at] and not (self._has_asides and self._is_aside(at, start, end))
        ]
        owners: list[int] = []
        for at, word in kept:
            owners += [at] * (len(word) + 1)  # and the space before it
        return NormalClause(text=" ".join(word for _, word in kept), owners=tuple(owners[1:]), end=end)

    def _is_aside(self, at: int, start: int, end: int) -> bool:
        """Whether a token belongs to an aside: ", exactly ," between two commas."""
        return any(
            start < middle < end - 1
            and self.words[middle] in cues.NEUTRAL
            and self.words[middle - 1] == self.words[middle + 1] == ","
            for middle in (at - 1, at, at + 1)
        )

    def noun_phrase(self, start: int, end: int, pos: PartOfSpeech = "noun") -> Mention | None:
        """The phrase in a range, reduced to its head; None where the range holds no word.

        The head is a surface of the lexicon that reaches over a postmodifier such as "of" ("chain of reasoning"),
        else the longest one that ends the phrase's core (what stands before a postmodifier); where the lexicon
        has none, the core's last word.
        """
        start, end = self.trim(start, end)
        while start < end and (self.words[start] in cues.DETERMINERS or self.words[start] in cues.NEUTRAL):
            start += 1
        start, end = self.trim(self._without_naming(start, end), self.without_tail(start, end))
        if start == end:
            return None
        whole = self.vocabulary.lookup_tokens(self.forms[start:end])
        if whole:
            return self._mention(start, end, start, end, whole, pos)
        core = next((i for i in range(start + 1, end) if self.words[i] in cues.POSTMODIFIERS), end)
        _, core = self.trim(start, core)
        spanning = self._spanning(start, core, end)
        if spanning is not None:
            at, stop = spanning
            indices = self.vocabulary.lookup_tokens(self.forms[at:stop])
            return self._mention(at, stop, start, end, indices, pos)
        for at in range(start, core):
            indices = self.vocabulary.lookup_tokens(self.forms[at:core])
            if indices and not all(self.vocabulary.is_stop(i) for i in indices):
                return self._mention(at, core, start, end, indices, pos)
        return self._mention(max(start, core - 1), core, start, end, (), pos)

    def _spanning(self, start: int, core: int, end: int) -> tuple[int, int] | None:
        """The longest surface that begins in the core and ends beyond it."""
        for at in range(start, core):
            for stop in range(end, core, -1):
                if self.vocabulary.lookup_tokens(self.forms[at:stop]):
                    return at, stop
        return None

    def clause(self, start: int, end: int, copular: bool = False) -> Svo:
        """Splits a range at the leftmost relation phrase that leaves a subject before it."""
        start, end = self.trim(start, end)
        phrases = relation_phrases(self.vocabulary)
        longest = max(map(len, phrases), default=1)
        for at in range(start + 1, end):
            if not self._has_content(start, at):
                continue
            for size in range(min(longest, end - at), 0, -1):
                found = phrases.get(self.words[at : at + size])
                if found is not None and (at + size < end or not self._is_noun_only(at, size)):
                    relation, reverse = found
                    return Svo(
                        (start, self.before_auxiliaries(start, at)), relation, reverse, (at + size, end)
                    )
        possible = self._made_possible(start, end)
        if possible is not None:
            return possible
        if copular:
            return self._copular(start, end)
        for at in range(start + 1, end):
            if self.words[at] in cues.COPULAS and self._has_content(start, at):
                return Svo((start, at), "is_a" if at + 1 < end else None, False, (at + 1, end))
        for at in range(start + 1, end - 1):
            if self._is_verb(at) and self._has_content(start, at):
                return Svo((start, self.before_auxiliaries(start, at)), None, False, (at + 1, end))
        return Svo((start, end), None, False, None)

    def before_auxiliaries(self, start: int, end: int) -> int:
        """The end of a phrase without the auxiliaries and adverbs that follow it."""
        while end > start + 1 and self.words[end - 1] in cues.AUXILIARIES | cues.NEUTRAL:
            end -= 1
        return end

    def _is_verb(self, at: int) -> bool:
        senses = self.vocabulary.senses
        return any(senses[i].pos == "verb" for i in self.vocabulary.lookup_tokens(self.forms[at : at + 1]))

    def _made_possible(self, start: int, end: int) -> Svo | None:
        """Reads "S makes O possible"."""
        for at in range(start + 1, end - 2):
            if self.words[at] in ("make", "makes") and self.words[end - 1] == "possible":
                if "enables" in self.vocabulary.relation_types:
                    return Svo((start, at), "enables", False, (at + 1, end - 1))
        return None

    def _copular(self, start: int, end: int) -> Svo:
        """Subject and complement after a fronted "is": "a wombat | a marsupial", "doubt | belief"."""
        first = start + 1 if start < end and self.words[start] in cues.DETERMINERS else start
        for at in range(first + 1, end):
            if self.words[at] in cues.DETERMINERS:
                return Svo((start, at), "is_a", False, (at, end))
        found = self.vocabulary.matches(self.forms, first, end)
        if found and found[0].start == first and found[0].end < end:
            return Svo((start, found[0].end), "is_a", False, (found[0].end, end))
        if end - first == 2:
            return Svo((start, first + 1), "is_a", False, (first + 1, end))
        return Svo((start, end), None, False, None)

    def _without_naming(self, start: int, end: int) -> int:
        """Past "the word", "the concept of" before a surface of the lexicon."""
        if end - start > 1 and self.words[start] in cues.NAMING:
            at = start + 2 if self.words[start + 1] == "of" else start + 1
            at, stop = self.trim(at, end)
            if self.vocabulary.lookup_tokens(self.forms[at:stop]):
                return at
        return start

    def without_tail(self, start: int, end: int) -> int:
        """The end of a range without a closing aside such as "in general", "please"."""
        for words in cues.TAILS_BY_LAST.get(self.words[end - 1], ()) if end > start else ():
            if end - start > len(words) and self.words[end - len(words) : end] == words:
                return end - len(words)
        return end

    def _has_content(self, start: int, end: int) -> bool:
        return any(
            self.words[i] not in cues.DETERMINERS and not self.is_punctuation(i) for i in range(start, end)
        )

    def _is_noun_only(self, at: int, size: int) -> bool:
        indices = self.vocabulary.lookup_tokens(self.forms[at : at + size])
        return bool(indices) and all(self.vocabulary.senses[i].pos == "noun" for i in indices)

    def _mention(
        self, head: int, head_end: int, start: int, end: int, indices: tuple[int, ...], pos: PartOfSpeech
    ) -> Mention:
        first, last = self.tokens[head].start, self.tokens[head_end - 1].end
        modifier = [i for i in range(start, end) if not head <= i < head_end and self._modifies(i)]
        while len(modifier) > 1 and self.words[modifier[0]] in cues.POSTMODIFIERS:
            del modifier[0]
        if indices:
            index = self.vocabulary.choose(indices, pos)
            lemma = self.vocabulary.senses[index].lemma
        else:
            index, lemma = None, unknown_lemma(self.forms[head_end - 1], pos)
        return Mention(
            text=self.text[first:last],
            start=first,
            end=last,
            lemma=lemma,
            index=index,
            alternatives=tuple(i for i in indices if i != index),
            modifier=self.text[self.tokens[modifier[0]].start : self.tokens[modifier[-1]].end]
            if modifier
            else None,
            phrase=self.text[self.tokens[start].start : self.tokens[end - 1].end],
        )

    def _modifies(self, at: int) -> bool:
        """Whether a word beside the head changes what the phrase is about."""
        word = self.words[at]
        return not (
            self.is_punctuation(at)
            or word in cues.DETERMINERS
            or word in cues.NEUTRAL
            or word in cues.NEGATIONS
        )


@dataclass(frozen=True, slots=True)
class Svo:
    """Subject range, relation (with its sides swapped or not), object range; ranges are tokens."""

    subject: tuple[int, int]
    relation: str | None
    reverse: bool
    object: tuple[int, int] | None


@dataclass(frozen=True, slots=True, kw_only=True)
class NormalClause:
    """A clause's normal form; ``owners[i]`` is the token that character i comes from."""

    text: str
    owners: tuple[int, ...]
    end: int

    def token_range(self, start: int, end: int) -> tuple[int, int]:
        """The tokens under a half-open range of characters."""
        if start >= end:
            at = self.owners[start] if start < len(self.owners) else self.end
            return at, at
        return self.owners[start], self.owners[end - 1] + 1


@lru_cache(maxsize=8)
def relation_phrases(vocabulary: Vocabulary) -> dict[tuple[str, ...], tuple[str, bool]]:
    """How relations are said: words -> (relation id, whether subject and object are swapped)."""
    phrases: dict[tuple[str, ...], tuple[str, bool]] = {}
    for kind in vocabulary.relation_types.values():
        preposition = kind.preposition.split()
        for verb in (kind.verb, kind.third, kind.plural):
            phrases[(*verb.split(), *preposition)] = (kind.id, False)
        if kind.verb == "be" and preposition:
            phrases[tuple(preposition)] = (kind.id, False)
        inverse = kind.inverse_phrase.split()
        phrases.setdefault(tuple(inverse), (kind.id, True))
        if inverse[0] == kind.third and kind.verb != "be":
            phrases.setdefault((kind.verb, *inverse[1:]), (kind.id, True))
        if inverse[0] == "is" and len(inverse) > 2:
            phrases[tuple(inverse[1:])] = (kind.id, True)
            phrases[("are", *inverse[1:])] = (kind.id, True)
    for words, (relation, reverse) in cues.RELATION_SYNONYMS.items():
        if relation in vocabulary.relation_types:
            phrases.setdefault(tuple(words.split()), (relation, reverse))
    return phrases


@lru_cache(maxsize=8)
def stated_phrases(vocabulary: Vocabulary) -> dict[tuple[str, ...], tuple[str, bool]]:
    """The phrases that state a relation after "is": "part of", "required by"."""
    return {
        words: said
        for words, said in relation_phrases(vocabulary).items()
        if len(words) > 1
        and words[0] not in cues.COPULAS
        and words[-1] in ("of", "by", "for", "before", "in")
    }


def unknown_lemma(form: str, pos: PartOfSpeech) -> str:
    """The dictionary form of a word that the lexicon does not have."""
    from recognition.english import lemma_guess, lemmas

    known = next((lemma for lemma, kind in lemmas(form) if kind == pos), None)
    return known or lemma_guess(form, "verb" if pos == "verb" else "noun") or form


def _is_mark(form: str) -> bool:
    return not form.isalnum() and not any(char.isalnum() for char in form)


def _open_contractions(forms: Sequence[str]) -> tuple[str, ...]:
    opened: list[str] = []
    for at, form in enumerate(forms):
        if form == "'s" and at and forms[at - 1] in cues.IS_AFTER:
            opened.append("is")
        elif form in ("ca", "wo", "sha") and not (at + 1 < len(forms) and forms[at + 1] == "n't"):
            opened.append(form)
        else:
            opened.append(cues.CLITICS.get(form, form))
    return tuple(opened)
