"""A few hundred prompts made from the pack's own words, for tests that need many turns and no particular answer."""

from __future__ import annotations

from collections.abc import Sequence

from cognition import Vocabulary
from cognition.packs.vocabulary import Statement
from cognition.phrasing import noun, object_phrase

FIXED = (
    "",
    " \t\n",
    "?!",
    "What is a wombat?",
    "Compare memory and recall, and what is light?",
    "No, correction means reviewed repair",
    "light logos",
    "I don't want to know what light is",
    "What is \ud800?",
    "¿Qué es la luz?",
    "Что такое свет?",
    "x" * 9000,
    "How can I correct an error?",
    "knowledge is to evidence as recall is to what?",
    "WHAT’S LIGHT",
)


def question(vocabulary: Vocabulary, said: Statement, *, reverse: bool = False) -> str:
    """The yes-no question of a statement: "Does recall require memory?", "Is a step part of a procedure?"."""
    kind = vocabulary.relation_types[said.relation]
    subject, obj = (said.object, said.subject) if reverse else (said.subject, said.object)
    named, rest = noun(vocabulary, subject), object_phrase(vocabulary, said.relation, obj)
    auxiliary, verb = (
        ("Is", kind.preposition) if kind.verb == "be" else ("Does", f"{kind.verb} {kind.preposition}".strip())
    )
    return f"{auxiliary} {named} {verb} {rest}?"


def why(vocabulary: Vocabulary, said: Statement) -> str:
    return "Why " + question(vocabulary, said).replace("Does", "does", 1).replace("Is", "is", 1)


def many(vocabulary: Vocabulary, *, every: int = 1) -> list[str]:
    """Definitions, memories, comparisons, checks and reasons, then the fixed ones."""
    named: Sequence[str] = [
        noun(vocabulary, i) for i, s in enumerate(vocabulary.senses) if s.pos != "function"
    ]
    prompts = [f"What is {name}?" for name in named]
    prompts += [f"Remember {name}" for name in named]
    prompts += [f"Compare {a} and {b}" for a, b in zip(named, named[7:], strict=False)]
    prompts += [question(vocabulary, said) for said in vocabulary.statements]
    prompts += [why(vocabulary, said) for said in vocabulary.statements]
    return [*prompts[::every], *FIXED]
