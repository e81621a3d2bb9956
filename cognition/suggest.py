"""Words of the packs that an unknown word may be a slip for. They are offered, and nothing is answered from them."""

from __future__ import annotations

from cognition.packs.vocabulary import Vocabulary
from recognition.english import lemmas
from recognition.tokens import normal_form, tokenize

MOST_SUGGESTED = 3
_SHORTEST = 4
_LONG = 7


def edit_distance(a: str, b: str, most: int) -> int | None:
    """Fewest letters put in, left out, changed, or swapped with a neighbour (each once), or None above ``most``.

    The optimal string alignment distance: Damerau's four edits, no stretch edited twice.
    """
    size = len(b)
    if abs(len(a) - size) > most:
        return None
    # A letter that is kept or swapped is moved by ``most`` places or fewer; any other costs an edit of its own.
    edits = 0
    for i, x in enumerate(a):
        if x not in b[max(0, i - most) : i + most + 1]:
            edits += 1
            if edits > most:
                return None
    far = most + 1
    before: list[int] = []
    last = [min(j, far) for j in range(size + 1)]
    for i, x in enumerate(a, 1):
        row = [far] * (size + 1)
        row[0] = min(i, far)
        least = row[0]
        for j in range(
            max(1, i - most), min(size, i + most) + 1
        ):  # beyond, more than ``most`` letters are in or out
            cost = min(last[j - 1] + (x != b[j - 1]), last[j] + 1, row[j - 1] + 1)
            if i > 1 and j > 1 and x == b[j - 2] and a[i - 2] == b[j - 1]:
                cost = min(cost, before[j - 2] + 1)
            row[j] = cost
            least = min(least, cost)
        if least > most:
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
    ranked: list[tuple[int, bool, int, str]] = []
    for surface, salience in vocabulary.spellings(word, most):
        distance = edit_distance(word, surface, most)
        if distance:
            ranked.append((distance, surface[0] != word[0], -salience, surface))
    ranked.sort()
    return [surface for distance, _, _, surface in ranked if distance == ranked[0][0]]
