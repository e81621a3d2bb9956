"""Slips of speech that a speaker mends: "what is memory, no wait, recall" asks about recall.

A repair is what is taken back (its reparandum), words that say so ("no wait", "I mean"), and what is put in its
place. What is taken back and what says so are left out of the reading.
"""

from __future__ import annotations

from collections.abc import Sequence

from cognition import cues

_FILLERS = frozenset("uh uhh um umm uhm er erm hmm ugh".split())
_PAUSES = _FILLERS | {","}
_SAYING_SO = """
no wait|wait no|wait|or wait|oh wait|no no|no no no|oh no|no not|no sorry|sorry no|or sorry|sorry|oops|
i mean|i meant|no i mean|no i meant|or i mean|sorry i mean|sorry i meant|actually i meant|no actually i meant|
no make that|or make that|make that|no scratch that|scratch that|or rather|no rather|or no rather|no or rather|
no actually|actually no|or actually|oh actually|well actually|well no|never mind|no never mind|hold on|no hold on|
excuse me|no excuse me|i should say|should say|no i should say|nope i should say|or should i say
"""
_MARKERS = sorted(
    (tuple(marker.split()) for marker in _SAYING_SO.split("|")), key=lambda marker: -len(marker)
)
_MARKERS_BY_FIRST = {
    first: tuple(marker for marker in _MARKERS if marker[0] == first) for first, *_ in _MARKERS
}
# Markers that are words of their own, unless a pause parts them from what stands about.
_MAY_BE_MEANT = frozenset((("wait",), ("sorry",)))
# Without one of these nothing is taken back.
_SIGNS = _FILLERS | _MARKERS_BY_FIRST.keys() | {"no", "nope"}
_ASKING = frozenset("what who whom whose which when where why how".split())
_VERBS = frozenset(
    "do does did can could will would shall should may might must is are was were has have had".split()
)
_LINKS = _ASKING | _VERBS | cues.DETERMINERS | cues.POSTMODIFIERS | {"and", "or", "be", "been", "by"}
_ENDS = frozenset(".?!;")
# Words that open a sentence: nothing is taken back before another follows.
_OPENING = _PAUSES | frozenset(
    "no nope yes well oh ok okay so and but actually sorry wait hi hello please".split()
)
_RESTARTS = ("tell me ", "i want to know", "give me ", "i need to know", "i would like")
_LONGEST = 4


def mended(words: Sequence[str]) -> tuple[int, ...]:
    """The places of the words that are meant, in order; all of them where nothing is taken back.

    Args:
        words: of a prompt, in normal form, marks among them.
    """
    if _SIGNS.isdisjoint(words):
        return tuple(range(len(words)))
    plain: list[int] = []
    start = 0
    for at, word in enumerate(words):
        if word in _ENDS or at == len(words) - 1:
            plain += _sentence(words, list(range(start, at + 1)))
            start = at + 1
    meant = tuple(at for at in plain if words[at] not in _FILLERS)
    return meant or tuple(plain)


def _sentence(words: Sequence[str], kept: list[int]) -> list[int]:
    """What is meant of one sentence, given by the places of its words."""
    at = next((i for i, place in enumerate(kept) if words[place] not in _OPENING), len(kept)) + 1
    while at < len(kept):
        after = _marked(words, kept, at)
        while after > at and (further := _marked(words, kept, after)) > after:
            after = further
        if after == at or not any(words[i].isalnum() for i in kept[after:]):
            at += 1
            continue
        start = _taken_back(words, kept, at, after)
        kept = kept[:start] + kept[after:]
        at = start + 1
    return kept


def _marked(words: Sequence[str], kept: Sequence[int], at: int) -> int:
    """Where the repair begins, if the words from a place on say that something is taken back; else that place."""
    begin = _past_pauses(words, kept, at)
    first = words[kept[begin]] if begin < len(kept) else ""
    for marker in _MARKERS_BY_FIRST.get(first, ()):
        place, found = begin, 0
        while place < len(kept) and found < len(marker):
            if words[kept[place]] == marker[found]:
                found += 1
            elif words[kept[place]] not in _PAUSES or not found:
                break
            place += 1
        if found == len(marker):
            after = _past_pauses(words, kept, place)
            if begin > at or after > place or marker not in _MAY_BE_MEANT:
                return after
    if begin < len(kept) and words[kept[begin]] in ("no", "nope"):
        after = _past_pauses(words, kept, begin + 1)
        # A bare "no" is a determiner ("has no cause") unless a pause parts it, or a phrase begins anew after it.
        if begin > at or after > begin + 1 or _anew(words, kept, at, after):
            return after
    # A pause before a question word within a question: "why are, er, what do ..."
    plain = begin + (begin < len(kept) and words[kept[begin]] == "or")
    after = _past_pauses(words, kept, plain)
    hesitates = any(words[i] in _FILLERS for i in kept[at:after])
    if hesitates and after < len(kept) and words[kept[after]] in _ASKING and after - at < _LONGEST:
        return after if any(words[i] in _ASKING for i in kept[:at]) else at
    return at


def _anew(words: Sequence[str], kept: Sequence[int], at: int, after: int) -> bool:
    first = words[kept[after]] if after < len(kept) else ""
    said = {words[i] for i in kept[:at]}
    return first in _ASKING | {"the", "a", "an"} or (first in _VERBS and first in said)


def _past_pauses(words: Sequence[str], kept: Sequence[int], at: int) -> int:
    while at < len(kept) and words[kept[at]] in _PAUSES:
        at += 1
    return at


def _taken_back(words: Sequence[str], kept: Sequence[int], at: int, after: int) -> int:
    """Where what is taken back begins, before a marker at ``at`` with its repair at ``after``."""
    first = words[kept[after]]
    if " ".join(words[i] for i in kept[after : after + 4]).startswith(_RESTARTS):
        return 0
    if first in _ASKING:
        asked = [i for i in range(at) if words[kept[i]] in _ASKING]
        return asked[-1] if asked else 0
    same = [i for i in range(at) if words[kept[i]] == first]
    if same and (first in _LINKS or at - same[-1] <= _LONGEST):
        return same[-1]
    put = after
    while put < len(kept) and words[kept[put]] not in _LINKS and words[kept[put]].isalnum():
        put += 1
    most = min(max(put - after, 1), _LONGEST)
    start = at
    while start > 1 and at - start < most and words[kept[start - 1]] not in _LINKS:
        start -= 1
    return start if start < at else at - 1
