"""Tokens with offsets, and the character folds that look-ups agree on.

The tokeniser follows the Penn Treebank where English needs it (`doesn't` is `does` + `n't`) and otherwise keeps
a word whole. It is linear in the length of the text: one pass of one compiled pattern, without backtracking.
"""

import re
import unicodedata
from functools import cache
from typing import NamedTuple

__all__ = ["Token", "fold", "normal_form", "tokenize"]


class Token(NamedTuple):
    """A token: `text == original[start:end]`, offsets half-open into the original text."""

    text: str
    start: int
    end: int


# Characters without width: format marks of line breaking, joining and direction.
_ZERO_WIDTH = "\u00ad\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufeff"
# Pictographs, which a zero-width joiner may fuse into one.
_PICTURE = "\u2190-\u2bff\U0001f000-\U0001f3fa\U0001f400-\U0001faff"
_ZERO_WIDTH_RUN = re.compile(f"[{_ZERO_WIDTH}]+")
_IGNORABLE = re.compile(
    rf"[{_ZERO_WIDTH}](?<!\u200d)|(?<![{_PICTURE}\ufe0f\U0001f3fb-\U0001f3ff])\u200d|\u200d(?![{_PICTURE}])"
)

_SPACES = "\u00a0\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u202f\u205f\u3000"
_SHAPES = (
    {code: code - 0xFEE0 for code in range(0xFF01, 0xFF5F)}
    | dict.fromkeys(map(ord, "‘’‚‛ʼ′"), "'")
    | dict.fromkeys(map(ord, "“”„‟″"), '"')
    | dict.fromkeys(map(ord, _SPACES), " ")
    | dict.fromkeys(map(ord, "‐‑"), "-")
)
# Longer dashes separate words, so only `fold` unifies them; the tokeniser must still see them.
_FOLDS = _SHAPES | dict.fromkeys(map(ord, "‒–—―−﹘﹣"), "-")

# Grouped by length, because a look-behind has a fixed width.
_ABBREVIATIONS = ("mr|ms|dr|st|jr|sr|co|vs", "mrs|rev|inc|ltd|etc", "prof|corp|bros|dept", "messrs|approx")
# `tuple.__new__` makes a named tuple in half the time of its own constructor.
_new = tuple.__new__
_CLITIC = re.compile(r"(?<=.)(?:n't|'(?:s|ll|re|ve|d|m))\Z", re.IGNORECASE)


@cache
def _pattern() -> re.Pattern[str]:
    """The one pattern of the tokeniser; built at first use, because the list of combining marks takes a scan.

    It has no capturing group: in a possessive repeat of CPython 3.11 one can end in a SystemError.
    """
    extends = "".join(
        re.escape(chr(code))
        for plane in (range(0x300, 0x20000), range(0xE0020, 0xE01F0))
        for code in plane
        if unicodedata.category(chr(code)) in ("Mn", "Mc", "Me")
    )
    marks = f"[{extends}\U0001f3fb-\U0001f3ff\U000e0020-\U000e007f]*+"
    known = "|".join(rf"(?<=\b(?i:{group}))" for group in _ABBREVIATIONS)
    return re.compile(
        rf"""
        (?=\S)(?:
          \w++ (?:
            (?=[\s;?!]|,(?!\d))                                     # the common case, for speed
            | (?<=\b[^\W\d_])(?:\.[^\W\d_](?!\w))++\.?               # e.g. U.S.A.
            | (?<=\b[Pp]h)\.[Dd]\b\.?
            | (?=\.)(?:{known})\.(?!\w|\s*\Z)                   # an abbreviation that does not end the text
            | [\w{extends}]*+ (?: (?:['\-\u05f3\u05f4]|(?<=\d)[.,:/](?=\d)) \w[\w{extends}]*+ )*+
          )
          | [,;?!()"](?=\s)
          | [,;?!()"]{marks}
          | '(?i:s|ll|re|ve|d|m)(?![\w'])                       # a clitic written apart
          | '(?i:t(?=is\b|was\b)|em\b)                          # 'tis, 'twas, 'em
          | (?<!\w)\.\d++                                       # .5
          | \.{{2,}}+ | -{{2,}}+
          | [\U0001f1e6-\U0001f1ff]{{2}}                        # a flag
          | [{_PICTURE}]{marks}(?:\u200d[{_PICTURE}]{marks})*+
          | \S{marks}
        )
        """,
        re.VERBOSE,
    )


def _cuts(word: str) -> list[int]:
    """Where the parts of a word begin that English writes together but inflects apart; the first is 0."""
    if word.lower() == "cannot":
        return [0, 3]
    cuts = [len(word)]
    while clitic := _CLITIC.search(word, max(0, cuts[-1] - 4), cuts[-1]):
        cuts.append(clitic.start())
    return [0, *reversed(cuts[1:])]


def _scan(text: str, shaped: str) -> list[Token]:
    """Tokens of `text`, found in `shaped`, which has the same length."""
    spans = [match.span() for match in _pattern().finditer(shaped)]
    if "'" not in shaped and "cannot" not in shaped.lower():
        return [_new(Token, (text[start:end], start, end)) for start, end in spans]
    tokens: list[Token] = []
    for start, end in spans:
        word = shaped[start:end]
        if ("'" not in word or end - start < 3) and (end - start != 6 or word.lower() != "cannot"):
            tokens.append(_new(Token, (text[start:end], start, end)))
            continue
        starts = [start + cut for cut in _cuts(word)]
        tokens.extend(Token(text[a:b], a, b) for a, b in zip(starts, [*starts[1:], end], strict=True))
    return tokens


def tokenize(text: str) -> tuple[Token, ...]:
    """Split a text into tokens.

    A word may hold inner apostrophes, hyphens, combining marks and zero-width characters; a number may hold
    separators (`1,200.50`, `10:30`, `1/2`). Contractions and possessives come apart (`ca` + `n't`, `What` + `'s`).
    Dotted abbreviations (`e.g.`, `U.S.`) keep their stops, and so do a few others (`Inc.`) unless they end the
    text. Everything else that is not white space or of zero width is a token by itself, except that runs of
    full stops or hyphens, flags and joined pictographs are one token each.

    Args:
        text: Any string; lone surrogates are ordinary symbols.

    Returns:
        The tokens in order, disjoint, none empty. Between them lies only white space and zero-width characters.
    """
    if text.isascii():
        return tuple(_scan(text, text))
    shaped = text.translate(_SHAPES)
    if not _ZERO_WIDTH_RUN.search(shaped):
        return tuple(_scan(text, shaped))
    dropped = {match.start() for match in _IGNORABLE.finditer(shaped)}
    kept = [index for index in range(len(shaped)) if index not in dropped]
    visible = "".join(shaped[index] for index in kept)
    places = ((kept[start], kept[end - 1] + 1) for _, start, end in _scan(visible, visible))
    return tuple(Token(text[start:end], start, end) for start, end in places)


def fold(text: str) -> str:
    """Fold typographic variants, one character for one: `len(fold(text)) == len(text)`.

    Curly quotes become straight, every space a plain space, full-width forms ASCII, every dash a hyphen. Letters
    keep their case and zero-width characters stay.
    """
    return text if text.isascii() else text.translate(_FOLDS)


def normal_form(text: str) -> str:
    """The key under which a token is looked up; idempotent.

    Without zero-width characters, case-folded, folded by `fold`, in Unicode normal form C: `Ｌｉｇｈｔ`, `LIGHT`
    and `light` agree.
    """
    if text.isascii():
        return text.lower()
    bare = _ZERO_WIDTH_RUN.sub("", text)
    return unicodedata.normalize("NFC", fold(unicodedata.normalize("NFD", bare).casefold()))
