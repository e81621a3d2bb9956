"""Teach a few examples, get a recogniser that proves what it reads or refuses.

Every public name loads its module at first use.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from recognition.english import Problem as Problem
    from recognition.english import agree as agree
    from recognition.english import check_english as check_english
    from recognition.english import gerund as gerund
    from recognition.english import indefinite_article as indefinite_article
    from recognition.english import lemma_guess as lemma_guess
    from recognition.english import lemmas as lemmas
    from recognition.english import noun_number as noun_number
    from recognition.english import participle as participle
    from recognition.english import past as past
    from recognition.english import plural as plural
    from recognition.english import third_person as third_person
    from recognition.tokens import Token as Token
    from recognition.tokens import fold as fold
    from recognition.tokens import normal_form as normal_form
    from recognition.tokens import tokenize as tokenize

_NAMES = {
    "english": (
        "Problem agree check_english gerund indefinite_article lemma_guess lemmas noun_number participle past "
        "plural third_person"
    ),
    "tokens": "Token fold normal_form tokenize",
}
_HOME = {name: f"recognition.{module}" for module, names in _NAMES.items() for name in names.split()}

__all__ = sorted(_HOME)  # pyright: ignore[reportUnsupportedDunderAll]


def __getattr__(name: str) -> object:
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_HOME[name]), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
