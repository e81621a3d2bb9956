"""Closed tables of English: how a question looks, and the words that only hold a phrase together.

The question forms themselves are data, `data/cues_en.tsv`; this module holds the word lists they use.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import NamedTuple

from cognition.graph import IntentTag

_CUES_FILE = Path(__file__).parent / "data" / "cues_en.tsv"


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


CLITICS = {
    "n't": "not", "'re": "are", "'ve": "have", "'ll": "will", "'d": "would", "'m": "am",
    "ca": "can", "wo": "will", "sha": "shall", "whats": "what is", "hows": "how is", "whys": "why is",
}  # fmt: skip
IS_AFTER = _words("what who where when why how that it there here this which")
DETERMINERS = _words(
    "a an the this that these those my your his her its our their some any every each all both such "
    "one two three four five six seven eight nine ten several many few most more"
)
NEUTRAL = _words("exactly really actually just even simply basically essentially precisely")
NAMING = _words("word term concept notion idea")
POSTMODIFIERS = _words(
    "of in on for with from about between at that which who to by as into within without among than because"
)
NEUTRAL_TAILS = (
    "in general", "in short", "in simple terms", "in simple words", "in plain english", "in a few words",
    "in one sentence", "to me", "for me", "please", "then", "again", "exactly", "right now", "today", "at all",
)  # fmt: skip
STATE_VERBS = _words(
    "exist exists existed happen happens happened occur occurs occurred arise arises arose appear appears "
    "appeared emerge emerges emerged"
)
PURPOSE_WORDS = _words("matter matters mattered important necessary needed useful valuable good")
NEGATIONS = _words("not never no none nobody nothing neither nor hardly without only")
AUXILIARIES = _words(
    "do does did can could should would will must may might shall is are was were has have had not never"
)
COPULAS = _words("is are was were be been being am")

_AUX = r"(?:do|does|did|can|could|should|would|will|must|may|might|shall)"
_BE = r"(?:is|are|was|were)"
_PERSON = r"(?:i|we|you|one|someone|somebody|people|anyone|a person)"
_WH = r"(?:what|why|how|whether|if|who|which)"

_GREETING = r"(?:please|hi|hello|hey|ok|okay|well|so|um|uh|er|oh|now|also|and|but|then|thanks|thank you)"
_ASKING = (
    rf"(?:can|could|would|will) you (?:please )?(?:kindly )?(?:tell|explain to|show|teach|remind) (?:me|us) (?={_WH})",
    r"(?:can|could|would|will) you (?:please )?",
    rf"(?:please )?(?:tell|show|teach) (?:me|us) (?={_WH})",
    rf"(?:please )?explain (?:to me |to us )?(?={_WH})",
    rf"do you (?:happen to )?know (?={_WH})",
    rf"i (?:want|would like|need|wish) to (?:know|understand|learn) (?={_WH})",
    rf"i (?:am|was) wondering (?={_WH})",
    rf"i wonder (?={_WH})",
    rf"any idea (?={_WH})",
    rf"(?:no|nope|actually|sorry|wait) (?:, )?(?={_WH}\b|{_AUX}\b|{_BE}\b)",
)
PREAMBLE = re.compile(rf"^(?:{_GREETING}(?: ,| !)? |{'|'.join(_ASKING)})")


class Cue(NamedTuple):
    """A form of question: what it asks for, which reading of that, and the pattern with its slots."""

    intent: IntentTag
    form: str
    pattern: re.Pattern[str]


def _read_cues() -> tuple[Cue, ...]:
    found: list[Cue] = []
    for line in _CUES_FILE.read_text(encoding="utf-8").splitlines():
        if line and not line.startswith("#"):
            intent, form, pattern = line.split("\t")
            for name, words in (("{AUX}", _AUX), ("{BE}", _BE), ("{PERSON}", _PERSON), ("{WH}", _WH)):
                pattern = pattern.replace(name, words)
            found.append(Cue(IntentTag(intent), form, re.compile(rf"^{pattern}$")))
    return tuple(found)


CUES: tuple[Cue, ...] = _read_cues()

# A bare denial: what is put in its place comes in the next sentence.
DENIAL = re.compile(
    rf"^(?:no , |no )?(?:that|this|it) {_BE} (?:wrong|incorrect|false|not (?:right|true|correct|so))$"
)
# Cues whose words the raw-phrase contract of ADR-0047 cuts off the front (the rest of the clause is the subject).
PHRASE_PREFIXES = re.compile(
    r"^(?:why|compare|no|what is|what are|how can i|how do i|how to|remember|recall|define|explain)\b *",
    re.IGNORECASE,
)

# Other ways to say a relation; True where subject and object are swapped.
RELATION_SYNONYMS: dict[str, tuple[str, bool]] = {
    "need": ("requires", False), "needs": ("requires", False), "presuppose": ("requires", False),
    "presupposes": ("requires", False), "depend on": ("requires", False), "depends on": ("requires", False),
    "rest on": ("grounds", True), "rests on": ("grounds", True), "lead to": ("causes", False),
    "leads to": ("causes", False), "bring about": ("causes", False), "brings about": ("causes", False),
    "give rise to": ("causes", False), "gives rise to": ("causes", False), "create": ("produces", False),
    "creates": ("produces", False), "support": ("grounds", False), "supports": ("grounds", False),
    "justify": ("grounds", False), "justifies": ("grounds", False), "show": ("reveals", False),
    "shows": ("reveals", False), "make possible": ("enables", False), "makes possible": ("enables", False),
    "allow": ("enables", False), "allows": ("enables", False), "differ from": ("contrasts_with", False),
    "differs from": ("contrasts_with", False),
    "a type of": ("is_a", False), "a sort of": ("is_a", False), "kind of": ("is_a", False),
    "a form of": ("is_a", False), "one kind of": ("is_a", False), "include": ("is_a", True),
    "includes": ("is_a", True), "a part of": ("part_of", False), "belong to": ("part_of", False),
    "belongs to": ("part_of", False), "contain": ("part_of", True), "contains": ("part_of", True),
    "precede": ("precedes", False), "precedes": ("precedes", False), "follow": ("precedes", True),
    "follows": ("precedes", True), "a step in": ("step_of", False),
}  # fmt: skip
