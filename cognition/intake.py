"""The door: what a turn refuses before it reads, and the one tokenisation."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence

from cognition.refusal import Refusal
from recognition.tokens import Token, tokenize

VERSION = 1
_SURROGATE = re.compile("[\ud800-\udfff]")

MOST_CHARACTERS = 8_000
MOST_TOKENS = 512


def take_in(text: str) -> tuple[tuple[Token, ...], Refusal | None]:
    """Tokens of a prompt with offsets, or the refusal of an input that can't be read."""
    if len(text) > MOST_CHARACTERS:
        about = f"{len(text):,} characters; at most {MOST_CHARACTERS:,}"
        return (), Refusal(code="input_too_long", about=about)
    if _SURROGATE.search(text):
        return (), Refusal(code="invalid_unicode")
    tokens = tokenize(text)
    if not any(char.isalnum() for token in tokens for char in token.text):
        return (), Refusal(code="empty_input")
    if len(tokens) > MOST_TOKENS:
        return (), Refusal(code="input_too_long", about=f"{len(tokens):,} tokens; at most {MOST_TOKENS:,}")
    return tokens, None


def foreign(tokens: Sequence[Token], known: Sequence[bool]) -> Refusal | None:
    """The refusal of a prompt in another language: most letters in another script, or
    fewer than half of its words English.

    Args:
        tokens: of the prompt.
        known: for each token, whether the open packs or their stop words have it.
    """
    words = [(token, knows) for token, knows in zip(tokens, known, strict=True) if _has_letter(token.text)]
    letters = [char for token, _ in words for char in token.text if char.isalpha()]
    other = sum(not unicodedata.name(char, "").startswith(("LATIN", "FULLWIDTH LATIN")) for char in letters)
    if letters and 2 * other >= len(letters):
        return Refusal(code="language_not_supported")
    if any(char in "¿¡" for token in tokens for char in token.text):
        return Refusal(code="language_not_supported")
    if len(words) < 2 or 2 * sum(knows for _, knows in words) >= len(words):
        return None
    from recognition.english import lemmas

    english = sum(knows or bool(lemmas(token.text)) for token, knows in words)
    return Refusal(code="language_not_supported") if 2 * english < len(words) else None


def _has_letter(text: str) -> bool:
    return any(char.isalpha() for char in text)
