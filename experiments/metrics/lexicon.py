"""Words as the scoring compares them: by normal form and by the dictionary forms that a pack gives."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from cognition.packs.vocabulary import Statement, Vocabulary, surface_key
from recognition.tokens import normal_form

PROMPT_ID = "prompt"
_PARTS_OF_WORDS = frozenset(("n't", "'s", "'re", "'ve", "'ll", "'d", "'m", "ca", "wo", "sha"))

Span = tuple[int, int]


class Lexicon:
    """Looks words and evidence up in a pack, without any of the code that makes answers.

    Args:
        vocabulary: the opened pack.
    """

    def __init__(self, vocabulary: Vocabulary) -> None:
        self.vocabulary = vocabulary
        self._keys: dict[str, frozenset[str]] = {}
        self._verbs = {
            form: kind.verb
            for kind in vocabulary.relation_types.values()
            for form in (kind.verb, kind.third, kind.plural)
        }
        self._surfaces = tuple(
            frozenset(surface_key(surface) for surface in sense.surfaces) for sense in vocabulary.senses
        )

    def keys(self, form: str) -> frozenset[str]:
        """A token's normal form with its dictionary forms. Two tokens are one word if they share a key."""
        if form not in self._keys:
            senses = self.vocabulary.senses
            lemmas = {normal_form(senses[i].lemma) for i in self.vocabulary.lookup_tokens((form,))}
            self._keys[form] = frozenset({form, self._verbs.get(form, form)} | lemmas)
        return self._keys[form]

    def all_keys(self, forms: Iterable[str]) -> frozenset[str]:
        """The keys of many tokens together."""
        return frozenset(key for form in forms for key in self.keys(form))

    def prompt_keys(self, prompt: str) -> frozenset[str]:
        """The keys of a prompt's words, with the words that its multiword surfaces stand for."""
        forms = surface_key(prompt)
        named = [self.vocabulary.senses[i].lemma for m in self.vocabulary.matches(forms) for i in m.indices]
        return self.all_keys(filter(self.is_content, forms)) | frozenset(map(normal_form, named))

    def is_content(self, form: str) -> bool:
        """Whether a token is a word that says something: no punctuation, stop word or part of a word."""
        return (
            any(map(str.isalpha, form))
            and form not in self.vocabulary.stop_words
            and form not in _PARTS_OF_WORDS
        )

    def word_spans(self, index: int, forms: Sequence[str]) -> list[Span]:
        """Where a sense is named, by any of its surfaces."""
        return [span for surface in self._surfaces[index] for span in occurrences(surface, forms)]

    def term_forms(self, term: str) -> frozenset[tuple[str, ...]]:
        """A term as it may be written: itself, and the other surfaces of the senses it names."""
        own = surface_key(term)
        others = (self._surfaces[i] for i in self.vocabulary.lookup_tokens(own))
        return frozenset((own,)).union(*others)

    def has_term(self, term: str, forms: Sequence[str]) -> bool:
        """Whether a term stands among the tokens."""
        return any(occurrences(written, forms) for written in self.term_forms(term))

    def is_in_prompt(self, term: str, prompt: str) -> bool:
        """Whether a term is a word of the prompt, by form or by lemma."""
        keys = self.prompt_keys(prompt)
        words = surface_key(term)
        return self.has_term(term, surface_key(prompt)) or all(self.keys(word) & keys for word in words)

    @property
    def pack_id(self) -> str:
        """Id of the pack."""
        return self.vocabulary.pack.manifest.id

    def senses_of(self, name: str) -> tuple[int, ...]:
        """The senses named by a sense id, or by a surface."""
        index = self.vocabulary.index.get(name)
        return self.vocabulary.lookup(name) if index is None else (index,)

    def gloss_index(self, evidence_id: str) -> int | None:
        """The sense whose gloss an evidence id names."""
        kind, _, sense = evidence_id.partition(":")
        return self.vocabulary.index.get(sense) if kind == "gloss" else None

    def statement(self, evidence_id: str) -> Statement | None:
        """The reviewed statement that an evidence id names."""
        try:
            return self.vocabulary.statement_by_id(evidence_id)[0]
        except KeyError:
            return None

    def resolves(self, evidence_id: str) -> bool:
        """Whether an id names a gloss or a reviewed statement of the pack."""
        return self.gloss_index(evidence_id) is not None or self.statement(evidence_id) is not None

    def evidence_forms(self, evidence_id: str) -> frozenset[tuple[str, ...]]:
        """All that a piece of evidence says, as runs of tokens: surfaces of its words, gloss, verb.

        Raises:
            KeyError: the pack has no such evidence.
        """
        index = self.gloss_index(evidence_id)
        if index is not None:
            return self._surfaces[index] | {surface_key(self.vocabulary.senses[index].gloss)}
        said = self.statement(evidence_id)
        if said is None:
            raise KeyError(evidence_id)
        return self._surfaces[said.subject] | self._surfaces[said.object] | frozenset(self.verb_forms(said))

    def evidence_has(self, term: str, evidence_id: str) -> bool:
        """Whether a term occurs in what a piece of evidence says."""
        return any(self.has_term(term, run) for run in self.evidence_forms(evidence_id))

    def evidence_keys(self, evidence_ids: Iterable[str]) -> frozenset[str]:
        """The keys of all words that pieces of evidence say."""
        runs = (run for evidence_id in evidence_ids for run in self.evidence_forms(evidence_id))
        return self.all_keys(form for run in runs for form in run)

    def verb_forms(self, said: Statement) -> list[tuple[str, ...]]:
        """How the verb of a statement may be written, with its polarity and preposition."""
        kind = self.vocabulary.relation_types[said.relation]
        tail = surface_key(kind.preposition)
        if said.positive:
            found = [(*surface_key(verb), *tail) for verb in (kind.third, kind.plural)]
            if tail[:1] == ("a",):  # "is a kind of", "are kinds of"
                found.append((*surface_key(kind.plural), f"{tail[1]}s", *tail[2:]))
            return found
        if kind.verb == "be":
            return [(verb, no, *tail) for verb in ("is", "are") for no in ("not", "n't")]
        base = surface_key(kind.verb)
        return [(verb, no, *base, *tail) for verb in ("does", "do") for no in ("not", "n't")]


def occurrences(run: Sequence[str], forms: Sequence[str]) -> list[Span]:
    """Where a run of tokens occurs among others."""
    size = len(run)
    return [(i, i + size) for i in range(len(forms) - size + 1) if tuple(forms[i : i + size]) == tuple(run)]
