"""Distinct prompts over a pack, as many as a run of any length needs: templates, filled with its words and statements.

The kinds come in the shares that the development split has. A prompt is a function of its number alone, so processes
can share out a range, and a run that was broken off goes on with the right one.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product
from math import gcd
from typing import overload

from cognition import phrasing
from cognition.packs.vocabulary import Statement, Vocabulary
from experiments.harness import UsageError

VERSION = 1
MOST_WORDS = 2048
"""Of a larger pack so many words, evenly spaced."""
SHARES = {
    "definition": 27,
    "cause": 15,
    "comparison": 15,
    "verification": 15,
    "procedure": 14,
    "transitive_query": 10,
    "recall": 8,
    "example": 6,
    "narrative": 6,
}
_GREETINGS = (
    "",
    "ok, ",
    "well, ",
    "so, ",
    "now, ",
    "hi, ",
    "hello, ",
    "please, ",
    "um, ",
    "oh, ",
    "then, ",
    "also, ",
)
_ENDINGS = ("{mark}", "", "!", " please{mark}", " in general{mark}", " in short{mark}", " right now{mark}")
_QUESTIONS = ("what ", "why ", "how ", "does ", "is ", "do ")
_CASES = (str.capitalize, str.lower, str.upper)
_WRAPPINGS = tuple(product(_ENDINGS, _CASES, _GREETINGS))
_TEMPLATES = {
    "definition": ("what is {noun}", "define {lemma}", "explain {lemma}", "what does {lemma} mean"),
    "recall": ("do you remember {noun}", "recall {lemma}", "remind me about {lemma}"),
    "narrative": ("tell me about {lemma}", "say something about {lemma}"),
    "example": (
        "give me an example of {lemma}",
        "what is an example of {lemma}",
        "name an example of {lemma}",
    ),
    "procedure": (
        "how can i {lemma}",
        "how do we {lemma}",
        "how to {lemma}",
        "what are the steps to {lemma}",
    ),
    "comparison": (
        "compare {a} and {b}",
        "what is the difference between {a} and {b}",
        "how does {a} differ from {b}",
    ),
}


class VariedPrompts(Sequence[str]):
    """Prompts of one pack, all different, by their number.

    Args:
        vocabulary: the pack.

    Raises:
        UsageError: the pack has no two words to ask about.
    """

    def __init__(self, vocabulary: Vocabulary) -> None:
        words = _spread(
            [
                i
                for i in range(len(vocabulary))
                if not vocabulary.is_stop(i) and " " not in vocabulary.lemma(i)
            ]
        )
        kinds = {index: vocabulary.senses[index].pos for index in words}
        nouns = [index for index in words if kinds[index] == "noun"]
        if len(nouns) < 2:
            raise UsageError(f"{vocabulary.pack.manifest.id}: has no two nouns to ask about")
        said = [one for index in words for one in vocabulary.said_of(index) if one.positive]
        self._comparisons = [vocabulary.lemma(index) for index in nouns]
        bases = {
            "definition": _filled("definition", vocabulary, nouns),
            "cause": _causes(vocabulary, said),
            "comparison": (),
            "verification": _checks(vocabulary, said),
            "procedure": _filled("procedure", vocabulary, [i for i in words if _has_steps(vocabulary, i)]),
            "transitive_query": _questions(vocabulary, said),
            "recall": _filled("recall", vocabulary, nouns),
            "example": _filled("example", vocabulary, [i for i in nouns if _has_kinds(vocabulary, i)]),
            "narrative": _filled("narrative", vocabulary, nouns),
        }
        once: dict[str, str] = {}
        for kind, texts in bases.items():
            for text in texts:
                once.setdefault(text, kind)
        self._bases = {kind: tuple(text for text, of in once.items() if of == kind) for kind in bases}
        self._places = _interleaved()
        self._ordinals = _ordinals(self._places)

    def __len__(self) -> int:
        return len(_WRAPPINGS) * self._pairs // 2

    @property
    def _pairs(self) -> int:
        words = len(self._comparisons)
        return len(_TEMPLATES["comparison"]) * words * (words - 1)

    @overload
    def __getitem__(self, index: int) -> str: ...
    @overload
    def __getitem__(self, index: slice) -> list[str]: ...
    def __getitem__(self, index: int | slice) -> str | list[str]:
        if isinstance(index, slice):
            return [self[number] for number in range(*index.indices(len(self)))]
        if not 0 <= index < len(self):
            raise IndexError(f"prompt {index}: there are {len(self)}")
        turn, place = divmod(index, len(self._places))
        kind = self._places[place]
        ordinal = turn * SHARES[kind] + self._ordinals[place]
        bases = self._bases[kind]
        if kind != "comparison" and ordinal < len(bases) * len(_WRAPPINGS):
            wrapping, base = divmod(ordinal, len(bases))
            return _wrapped(bases[base * _stride(len(bases)) % len(bases)], wrapping)
        # Comparisons fill the places of a kind that is used up; theirs are the first half of the numbers.
        return self._comparison(ordinal if kind == "comparison" else len(self) + index)

    def __iter__(self) -> Iterator[str]:
        return (self[index] for index in range(len(self)))

    def kind(self, index: int) -> str:
        """What a prompt asks for, as the template says it."""
        return self._places[index % len(self._places)]

    def _comparison(self, ordinal: int) -> str:
        wrapping, number = divmod(ordinal, self._pairs)
        number = number * _stride(self._pairs) % self._pairs
        pair, template = divmod(number, len(_TEMPLATES["comparison"]))
        first, other = divmod(pair, len(self._comparisons) - 1)
        second = other + (other >= first)
        text = _TEMPLATES["comparison"][template]
        return _wrapped(text.format(a=self._comparisons[first], b=self._comparisons[second]), wrapping)


def _spread(indices: Sequence[int]) -> Sequence[int]:
    if len(indices) <= MOST_WORDS:
        return indices
    return [indices[number * len(indices) // MOST_WORDS] for number in range(MOST_WORDS)]


def _wrapped(text: str, wrapping: int) -> str:
    ending, case, greeting = _WRAPPINGS[wrapping % len(_WRAPPINGS)]
    mark = "?" if text.startswith(_QUESTIONS) else "."
    return case(f"{greeting}{text}{ending.format(mark=mark)}")


def _stride(size: int) -> int:
    """A step through so many places that comes to each once, and to neighbours late."""
    return next(step for step in range(max(1, int(size * 0.618)), size + 2) if gcd(step, size) == 1)


def _interleaved() -> tuple[str, ...]:
    """The kinds, each as often as its share, well mixed."""
    places = sorted(
        ((number + 0.5) / share, kind) for kind, share in SHARES.items() for number in range(share)
    )
    return tuple(kind for _, kind in places)


def _ordinals(places: Sequence[str]) -> tuple[int, ...]:
    """Of each place, how many of its kind come before."""
    return tuple(places[:at].count(kind) for at, kind in enumerate(places))


def _noun(vocabulary: Vocabulary, index: int) -> str:
    return (
        phrasing.noun(vocabulary, index)
        if vocabulary.senses[index].pos == "noun"
        else vocabulary.lemma(index)
    )


def _filled(kind: str, vocabulary: Vocabulary, indices: Sequence[int]) -> list[str]:
    return [
        template.format(lemma=vocabulary.lemma(index), noun=_noun(vocabulary, index))
        for template in _TEMPLATES[kind]
        for index in indices
    ]


def _auxiliary(vocabulary: Vocabulary, said: Statement) -> tuple[str, str]:
    """How a question about a statement begins, and what follows its subject: ("does", "require")."""
    kind = vocabulary.relation_types[said.relation]
    first, *rest = kind.verb.split()
    after = " ".join((*rest, kind.preposition)).strip()
    return ("is", after) if first == "be" else ("does", f"{kind.verb} {kind.preposition}".strip())


def _checks(vocabulary: Vocabulary, said: Sequence[Statement]) -> list[str]:
    return [
        f"{first} {_noun(vocabulary, one.subject)} {rest} "
        f"{phrasing.object_phrase(vocabulary, one.relation, one.object)}"
        for one in said
        for first, rest in [_auxiliary(vocabulary, one)]
    ]


def _causes(vocabulary: Vocabulary, said: Sequence[Statement]) -> list[str]:
    """What causes something, why it matters, and why a statement holds; where the pack says of what it is good for."""
    causal = [one for one in said if vocabulary.relation_types[one.relation].kind == "causal"]
    found = [f"what causes {phrasing.object_phrase(vocabulary, one.relation, one.object)}" for one in causal]
    for one in causal:
        subject = _noun(vocabulary, one.subject)
        found += [f"why is {subject} important", f"why does {subject} matter", f"why does {subject} exist"]
    return found + [f"why {check}" for check in _checks(vocabulary, causal)]


def _questions(vocabulary: Vocabulary, said: Sequence[Statement]) -> list[str]:
    """Questions for what stands at the other end of a statement."""
    found: list[str] = []
    for one in said:
        kind = vocabulary.relation_types[one.relation]
        if kind.verb == "be":
            continue
        verb = f"{kind.verb} {kind.preposition}".strip()
        found.append(f"what does {_noun(vocabulary, one.subject)} {verb}")
        obj = phrasing.object_phrase(vocabulary, one.relation, one.object)
        found.append(f"what {kind.third} {kind.preposition} {obj}".replace("  ", " "))
    return found


def _has_steps(vocabulary: Vocabulary, index: int) -> bool:
    return vocabulary.senses[index].pos == "verb" and any(
        vocabulary.relation_types[one.relation].kind == "procedural" and one.object == index
        for one in vocabulary.statements_of(index)
    )


def _has_kinds(vocabulary: Vocabulary, index: int) -> bool:
    return any(
        vocabulary.relation_types[one.relation].kind == "taxonomic" and one.object == index
        for one in vocabulary.statements_of(index)
    )
