"""What the record says above a word: chains of taxonomic statements, looked up by key."""

from __future__ import annotations

from collections.abc import Iterator

from cognition.packs.vocabulary import Statement, Vocabulary

Chain = tuple[Statement, ...]


def leads_upwards(vocabulary: Vocabulary, relation: str) -> bool:
    """Whether the statements of a relation lead upwards: it is taxonomic, and transitive."""
    kind = vocabulary.relation_types[relation]
    return kind.kind == "taxonomic" and kind.transitive


def parents(vocabulary: Vocabulary, index: int) -> Chain:
    """The assertions about a word that lead upwards. An instance of a kind is of what is above it too."""
    return tuple(
        said
        for said in vocabulary.said_of(index)
        if said.positive and leads_upwards(vocabulary, said.relation)
    )


def lineage(vocabulary: Vocabulary, index: int) -> Chain:
    """The longest chain from a word upwards; of equals the one whose statements come first in the pack.

    In a pack with a cycle, from where it begins the first statement is taken, and no word is passed twice.
    """
    above = {word: parents(vocabulary, word) for word in _upwards(vocabulary, index)}
    below: dict[int, list[int]] = {word: [] for word in above}
    for word, said in above.items():
        for one in said:
            below[one.object].append(word)
    open_parents = {word: len(said) for word, said in above.items()}
    heights = {word: 0 for word, count in open_parents.items() if not count}
    ready = list(heights)
    best: dict[int, Statement] = {}
    for word in ready:
        for child in below[word]:
            open_parents[child] -= 1
            if not open_parents[child]:
                best[child] = max(above[child], key=lambda said: heights[said.object])
                heights[child] = heights[best[child].object] + 1
                ready.append(child)
    chain: list[Statement] = []
    passed = {index}
    at = index
    while above[at]:
        said = best.get(at, above[at][0])
        if said.object in passed:
            break
        chain.append(said)
        at = said.object
        passed.add(at)
    return tuple(chain)


def _upwards(vocabulary: Vocabulary, index: int) -> Iterator[int]:
    found = {index: None}
    ahead = [index]
    for word in ahead:
        yield word
        for said in parents(vocabulary, word):
            if said.object not in found:
                found[said.object] = None
                ahead.append(said.object)


def ascent(vocabulary: Vocabulary, index: int) -> dict[int, Chain]:
    """Every word above a word, itself first, nearest first, each with a shortest chain to it."""
    found: dict[int, Chain] = {index: ()}
    ahead = [index]
    for word in ahead:
        for said in parents(vocabulary, word):
            if said.object not in found:
                found[said.object] = (*found[word], said)
                ahead.append(said.object)
    return found


def meeting(ours: dict[int, Chain], theirs: dict[int, Chain]) -> tuple[Chain, Chain] | None:
    """The chains of two words to the nearest word above both, given by their `ascent`; None where there is none.

    Nearest by the links of both chains together, then by the longer of them, then by index. A word that is above the
    other has an empty chain.
    """
    shared = [word for word in ours if word in theirs]
    if not shared:
        return None
    nearest = min(
        shared,
        key=lambda w: (len(ours[w]) + len(theirs[w]), max(len(ours[w]), len(theirs[w])), w),
    )
    return ours[nearest], theirs[nearest]
