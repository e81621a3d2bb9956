"""The choice between `a` and `an`, which follows the sound of the next word."""

import re
from functools import lru_cache

from recognition._tables import words
from recognition.tokens import fold

__all__ = ["either_article", "indefinite_article"]

_FIRST = re.compile(r"[^\W_](?:[\w.,']*\w)?")
# `uni-` with the sound of `you`: unit, union, universe, unanimous; not un- before a word of its own (unimpressed).
_UNI = re.compile(r"uni(?!n(?!u)|m(?!od|ol)|d(?!i[mr])|ro|ssu|ll|deo)|unanim|unesco")
_YOU = re.compile(r"eu|ew|u(?!n)[bcdfgjklmpqrstv][aeiou]|u$")


def _number(digits: str) -> str:
    """Of a number as it is read: eight, eleven and eighteen begin with a vowel."""
    whole = digits.replace(",", "").split(".")[0]
    leading = whole[: (len(whole) - 1) % 3 + 1]
    # Four digits without a comma are read in hundreds: an 1800-page book.
    hundreds = len(whole) == 4 and "," not in digits and whole[2:] != "000"
    return (
        "an"
        if whole.startswith("8") or leading in ("11", "18") or (hundreds and whole[:2] in ("11", "18"))
        else "a"
    )


def _letters(word: str) -> bool:
    """Whether a word in capitals is read letter by letter."""
    tables = words("articles")
    if word in tables["letters"] or word in tables["spoken"]:
        return word in tables["letters"]
    return len(word) < 4 or not re.search(r"[AEIOU]", word)


@lru_cache(maxsize=4096)
def indefinite_article(phrase: str) -> str:
    """`a` or `an` before a phrase, by the sound it begins with: `an hour`, `a unit`, `an MRI`, `an 8`, `a one-off`."""
    match = _FIRST.search(fold(phrase))
    if match is None:
        return "a"
    text = match.group()
    digits = re.match(r"\d(?:[\d,.]*\d)?", text)
    if digits:
        return _number(digits.group())
    acronym = text.replace(".", "")
    capitals = re.match(r"[A-Z]{2,}(?=s?(?:'s)?$|\d)", acronym)
    if capitals and _letters(capitals.group()):
        return "an" if acronym[0] in "AEFHILMNORSX" else "a"
    word = text.lower()
    if len(word) == 1:
        return "an" if word in "aefhilmnorsx" else "a"
    tables = words("articles")
    if word in tables["one_sound"] or word in tables["you_sound"]:
        return "a"
    if word in tables["plain"]:
        return "an"
    if word.startswith(tuple(tables["silent_h_prefix"])) and word not in tables["sounded_h"]:
        return "an"
    if word[0] == "y":
        return "a" if re.match(r"y[aeiou]|y$", word) else "an"
    return (
        "an"
        if word[0] in "aeiouáàâäæéèêëíîïóòôöøúùûœ" and not (_UNI.match(word) or _YOU.match(word))
        else "a"
    )


def either_article(word: str) -> bool:
    """Whether both articles are in use before a word (`herb`, `historic`)."""
    return word.lower() in words("articles")["either"]
