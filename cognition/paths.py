"""What the record says between two words: outright, through a third word, or along a chain of one relation."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from cognition.packs.vocabulary import Statement, Vocabulary

MOST_STEPS = 8
CAUSAL = frozenset(("causal", "support"))

Path = tuple[Statement, ...]
Fills = dict[int, Path]


def unprompted(pairs: Iterable[tuple[int, Path]], prompt: frozenset[int]) -> Fills:
    """Words with the statements that join them, the first of each; a word of the prompt never grounds anything."""
    found: Fills = {}
    for word, statements in pairs:
        if word not in prompt:
            found.setdefault(word, statements)
    return found


def related(
    vocabulary: Vocabulary, index: int, prompt: frozenset[int], wanted: Callable[[Statement], bool]
) -> Fills:
    """Words that a wanted reviewed assertion joins to a word."""
    return unprompted(
        ((s.other(index), (s,)) for s in vocabulary.statements_of(index) if s.positive and wanted(s)), prompt
    )


def kind_of(vocabulary: Vocabulary, said: Statement) -> str:
    """The kind of a statement's relation."""
    return vocabulary.relation_types[said.relation].kind


def on_record(vocabulary: Vocabulary, subject: int, relation: str | None, obj: int) -> Statement | None:
    """The reviewed statement S REL O, or its reviewed denial; a symmetric relation holds both ways."""
    for said in vocabulary.between(subject, obj):
        if said.relation == relation:
            symmetric = vocabulary.relation_types[said.relation].symmetric
            if said.subject == subject or symmetric:
                return said
    return None


def middle(vocabulary: Vocabulary, claim: Statement, prompt: frozenset[int]) -> Fills:
    """Words M through which a claim S REL O follows, or is made understandable, from two other statements."""
    pairs: list[tuple[int, Path]] = []
    for first in vocabulary.statements_of(claim.subject):
        if first.subject == claim.subject and first.positive:
            pairs.extend(
                (first.object, (first, second))
                for second in vocabulary.between(first.object, claim.object)
                if second.positive and _explains(vocabulary, claim, first, second)
            )
    return unprompted(pairs, prompt)


def _explains(vocabulary: Vocabulary, claim: Statement, first: Statement, second: Statement) -> bool:
    """Whether S first M and the second statement between M and O give a reason for S REL O.

    The second runs from M to O, or from what O does for M (or M needs of O) to it; so a claim can't be a reason
    for its own reason.
    """
    wanted = vocabulary.relation_types[claim.relation]
    kinds = (kind_of(vocabulary, first), kind_of(vocabulary, second))
    onward = second.subject == first.object
    if onward and first.relation == second.relation == claim.relation:
        return wanted.transitive
    if onward and kinds[0] == "taxonomic" and second.relation == claim.relation:
        return True  # what holds of M holds of its kinds
    if wanted.kind == "dependence":
        if first.relation != claim.relation:
            return False
        return kinds[1] == "taxonomic" if onward else kinds[1] in CAUSAL
    if wanted.kind in CAUSAL and kinds[0] in CAUSAL | {"showing"}:
        return kinds[1] in CAUSAL if onward else kinds[1] == "dependence"
    return False


def chains(vocabulary: Vocabulary, subject: int, relation: str, obj: int, prompt: frozenset[int]) -> Fills:
    """Words M that S REL M sets a shortest chain S REL M REL ... REL O off with, each with its chain.

    Only assertions of a transitive relation chain; no word is passed twice, and a chain has at most `MOST_STEPS`
    links.
    """
    pairs: list[tuple[int, Path]] = []
    for first in _onward(vocabulary, subject, relation, forward=True):
        if first.object in (subject, obj):
            continue
        for word, path in _spread(
            vocabulary, first.object, relation, forward=True, most=MOST_STEPS - 1, passed=subject
        ):
            if word == obj:
                pairs.append((first.object, (first, *path)))
    shortest = min((len(path) for _, path in pairs), default=0)
    return unprompted((pair for pair in pairs if len(pair[1]) == shortest), prompt)


def beyond(
    vocabulary: Vocabulary, index: int, relation: str, prompt: frozenset[int], *, forward: bool
) -> Fills:
    """Words two or more links away along a transitive relation, nearest first, each with its chain as it is read.

    Args:
        vocabulary: the record.
        index: the word it starts from.
        relation: its type.
        prompt: words that never ground anything.
        forward: from subject to object; else from object to subject.
    """
    found: list[tuple[int, Path]] = []
    for word, path in _spread(vocabulary, index, relation, forward=forward, most=MOST_STEPS):
        if len(path) > 1:
            found.append((word, path if forward else path[::-1]))
    return unprompted(found, prompt)


def _onward(vocabulary: Vocabulary, index: int, relation: str, *, forward: bool) -> Iterator[Statement]:
    if vocabulary.relation_types[relation].transitive:
        for said in vocabulary.statements_of(index):
            if said.relation == relation and said.positive:
                if (said.subject if forward else said.object) == index:
                    yield said


def _spread(
    vocabulary: Vocabulary,
    start: int,
    relation: str,
    *,
    forward: bool,
    most: int,
    passed: int | None = None,
) -> Iterator[tuple[int, Path]]:
    """Words that a chain of at most so many links reaches, breadth first, each once with a shortest chain to it."""
    seen = {start} if passed is None else {start, passed}
    reached: list[tuple[int, Path]] = [(start, ())]
    for word, path in reached:
        if len(path) == most:
            return
        for said in _onward(vocabulary, word, relation, forward=forward):
            end = said.other(word)
            if end not in seen:
                seen.add(end)
                reached.append((end, (*path, said)))
                yield reached[-1]
