"""A conservative checker of English surfaces: what it reports is wrong; what it can't judge it lets pass."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from recognition._article import either_article, indefinite_article
from recognition._determiners import mismatches
from recognition._grammar import Word, agreement, read, unsupported
from recognition.tokens import Token, fold, tokenize

__all__ = ["Problem", "check_english"]

_DOUBLES = frozenset(
    "had that very so no bye ha blah really far long many there now tut her his well".split()
)
_CLOSERS = {")": "(", "]": "[", "}": "{"}
_QUOTES = frozenset('“”„"')
_END = frozenset(".?!…:")
_TRAILING = frozenset("\"')]}”’»")


@dataclass(frozen=True, slots=True, kw_only=True)
class Problem:
    """A fault of English: a stable code, the half-open span of characters, and a message for people."""

    code: str
    start: int
    end: int
    message: str


def _problem(code: str, token: Token, message: str) -> Problem:
    return Problem(code=code, start=token.start, end=token.end, message=message)


def _sentences(tokens: Sequence[Token]) -> Iterator[Sequence[Token]]:
    start = 0
    for index, token in enumerate(tokens):
        if token.text in (".", "?", "!", ";") and not (
            index + 1 < len(tokens) and tokens[index + 1].text in ".?!"
        ):
            yield tokens[start:index]
            start = index + 1
    yield tokens[start:]


def _spelling(text: str, tokens: Sequence[Token]) -> Iterator[Problem]:
    """Doubled words, articles, spaces and the case of sentence starts."""
    opening = True
    for index, token in enumerate(tokens):
        before = tokens[index - 1] if index else None
        word = token.text.lower()
        if before and word == before.text.lower() and word.isalpha() and word not in _DOUBLES:
            yield _problem("doubled_word", token, f"“{word}” twice")
        # `A` after a word is a name (exit A), and so may be a single letter after an article.
        if before and before.text in ("a", "an", "A", "An") and token.start > before.end and len(word) > 1:
            named = before.text == "A" and index > 1 and tokens[index - 2].text[0].isalnum()
            if word[0].isalnum() and not named and not either_article(word):
                if indefinite_article(token.text) != before.text.lower():
                    yield _problem("article", before, f"“{before.text}” before “{token.text}”")
        if before and token.text in (",", ".", "?", "!", ";", ":", "…") and token.start > before.end:
            yield Problem(code="space", start=before.end, end=token.start, message="space before punctuation")
        if opening and token.text[0].isalnum():
            if token.text.islower() and token.text[0].isalpha():
                yield _problem("capital", token, "a sentence begins with a capital")
            opening = False
        if token.text in (".", "?", "!") and text[token.end : token.end + 1].isspace():
            opening = True


def _balance(tokens: Sequence[Token]) -> Iterator[Problem]:
    """Double quotes and brackets; single quotes can't be told from apostrophes."""
    stack: list[Token] = []
    quote: int | None = None
    unclosed: list[Token] = []
    for index, token in enumerate(tokens):
        if token.text in _CLOSERS:
            if stack and stack[-1].text == _CLOSERS[token.text]:
                stack.pop()
            else:
                yield _problem("unbalanced", token, f"“{token.text}” closes nothing")
        elif token.text in _CLOSERS.values():
            stack.append(token)
        elif token.text in _QUOTES:
            inches = index > 0 and tokens[index - 1].text.isdecimal() and tokens[index - 1].end == token.start
            if quote is not None:
                unclosed += stack[quote + 1 :]
                del stack[quote:]
                quote = None
            elif not inches:
                quote = len(stack)
                stack.append(token)
    yield from (_problem("unbalanced", left, f"“{left.text}” is never closed") for left in unclosed + stack)


def _supports(sentence: Sequence[Word]) -> Iterator[Problem]:
    """Inflected forms where the base form stands: after a negated `do` or modal, and after a modal with its subject."""
    asked = bool(sentence[0].closed & {"subordinator", "relative"})
    for index, word in enumerate(sentence[:-1]):
        if index and word.token.text.istitle():
            continue  # May, Will
        modal = "modal" in word.closed or word.key in ("ca", "wo", "sha")
        if not modal and word.key not in ("do", "does", "did"):
            continue
        negated = sentence[index + 1].key in ("not", "n't")
        verb = sentence[min(index + 1 + negated, len(sentence) - 1)]
        if not verb.verb or "base" in verb.verb:
            continue
        before = sentence[index - 1] if index else None
        subject = before and (
            before.nouns or before.closed & {"singular_pronoun", "plural_pronoun"} or before.key == "i"
        )
        plain = not verb.nouns and not verb.others and (negated or (modal and index > 0))
        if plain or (modal and subject and "s" in verb.verb and not asked):
            yield _problem("verb_form", verb.token, f"the base form after “{word.token.text}”")


def _final(tokens: Sequence[Token]) -> Iterator[Problem]:
    last = next((token for token in reversed(tokens) if token.text not in _TRAILING), tokens[-1])
    if fold(last.text)[-1] not in _END:
        yield Problem(
            code="final", start=tokens[-1].end, end=tokens[-1].end, message="no punctuation at the end"
        )


def check_english(text: str) -> tuple[Problem, ...]:
    """Report what is wrong with an English surface, with few false alarms.

    Codes: `doubled_word`, `article`, `space`, `capital`, `final`, `unbalanced`, `verb_form` (`does not requires`,
    `Clyde sung`), `agreement` (`a word mean`), `number` (`24 loaf`, `these goose`).

    Returns:
        The problems by place; none for an empty text.
    """
    tokens = tokenize(text)
    if not tokens:
        return ()
    found = [*_spelling(text, tokens), *_balance(tokens), *_final(tokens)]
    for part in _sentences(tokens):
        sentence = read([token for token in part if token.text not in _TRAILING | _QUOTES])
        if not sentence:
            continue
        found.extend(_supports(sentence))
        found.extend(
            _problem("agreement", word.token, f"a {number} subject with “{word.token.text}”")
            for word, number in agreement(sentence)
        )
        found.extend(
            _problem("verb_form", word.token, f"“{word.token.text}” without an auxiliary")
            for word in unsupported(sentence)
        )
        found.extend(
            _problem("number", word.token, f"“{determiner.token.text}” with “{word.token.text}”")
            for determiner, word in mismatches(sentence)
        )
    return tuple(sorted(found, key=lambda problem: (problem.start, problem.end, problem.code)))
