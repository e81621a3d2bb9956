"""Words of the packs that an unknown word may be a slip for. They are offered, and nothing is answered from them."""

from __future__ import annotations

from collections import Counter
from functools import lru_cache

from cognition.packs.vocabulary import Vocabulary, surface_key
from recognition.english import lemmas
from recognition.tokens import normal_form, tokenize

MOST_SUGGESTED = 3
_SHORTEST = 4
_LONG = 7


def edit_distance(a: str, b: str, most: int) -> int | None:
    """Fewest letters put in, left out, changed, or swapped with a neighbour (each once), or None above ``most``.

    The optimal string alignment distance: Damerau's four edits, no stretch edited twice.
    """
    if abs(len(a) - len(b)) > most:
        return None
    before: list[int] = []
    last = list(range(len(b) + 1))
    for i, x in enumerate(a, 1):
        row = [i]
        for j, y in enumerate(b, 1):
            cost = min(last[j] + 1, row[j - 1] + 1, last[j - 1] + (x != y))
            if i > 1 and j > 1 and x == b[j - 2] and a[i - 2] == y:
                cost = min(cost, before[j - 2] + 1)
            row.append(cost)
        if min(row) > most:
            return None
        before, last = last, row
    return last[-1] if last[-1] <= most else None


def suggestions(phrase: str, vocabulary: Vocabulary) -> tuple[str, ...]:
    """Surfaces of the packs near the words of a phrase that no pack has: at most `MOST_SUGGESTED`.

    A word of four to six letters may be one edit away, a longer one two; a word that the dictionary of English has
    is no slip of the pen, and may be one edit away if it is long. Nearest first, then the same first letter, then
    the more salient, then by the alphabet.
    """
    found: list[str] = []
    for written in dict.fromkeys(token.text for token in tokenize(phrase)):
        word = normal_form(written)
        if written.istitle() and len(word) < _LONG:
            continue  # a short name is near many words
        if word in vocabulary.stop_words or vocabulary.lookup(word):
            continue
        found += [surface for surface in _near(word, vocabulary) if surface not in found]
    return tuple(found[:MOST_SUGGESTED])


def _near(word: str, vocabulary: Vocabulary) -> list[str]:
    most = 2 if len(word) >= _LONG else 1
    if lemmas(word):
        most -= 1 if len(word) >= _LONG else 2
    if len(word) < _SHORTEST or most < 1 or not word.isalpha():
        return []
    letters = Counter(word)
    ranked: list[tuple[int, bool, int, str]] = []
    for surface, counts, salience in _surfaces(vocabulary):
        if abs(len(surface) - len(word)) > most or (counts - letters).total() > most:
            continue
        distance = edit_distance(word, surface, most)
        if distance:
            ranked.append((distance, surface[0] != word[0], -salience, surface))
    ranked.sort()
    return [surface for distance, _, _, surface in ranked if distance == ranked[0][0]]


@lru_cache(maxsize=8)
def _surfaces(vocabulary: Vocabulary) -> tuple[tuple[str, Counter[str], int], ...]:
    """Every surface of one word that a walk may stand on, with its letters and its salience."""
    found: dict[str, int] = {}
    for i, sense in enumerate(vocabulary.senses):
        if sense.status != "reviewed" or vocabulary.is_stop(i):
            continue
        for surface in sense.surfaces:
            key = surface_key(surface)
            if len(key) == 1:
                found[key[0]] = max(found.get(key[0], 0), sense.salience)
    return tuple((surface, Counter(surface), salience) for surface, salience in found.items())
