"""Closed tables of English: how a question looks, and the words that only hold a phrase together.

The question forms themselves are data, `data/cues_en.tsv`; this module holds the word lists they use.
"""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from typing import NamedTuple

from cognition.graph import IntentTag

_CUES_FILE = Path(__file__).parent / "data" / "cues_en.tsv"


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


CLITICS = {
    "n't": "not", "'re": "are", "'ve": "have", "'ll": "will", "'d": "would", "'m": "am",
    "ca": "can", "wo": "will", "sha": "shall", "whats": "what is", "hows": "how is", "whys": "why is",
    "dont": "do not", "doesnt": "does not", "isnt": "is not", "cant": "can not", "im": "i am",
    "thats": "that is",
}  # fmt: skip
IS_AFTER = _words("what who where when why how that it there here this which")
DETERMINERS = _words(
    "a an the this that these those my your his her its our their some any every each all both such "
    "one two three four five six seven eight nine ten several many few most more"
)
NEUTRAL = _words(
    "exactly really actually just even simply basically essentially precisely ultimately eventually indirectly"
)
NAMING = _words("word term concept notion idea")
POSTMODIFIERS = _words(
    "of in on for with from about between at that which who to by as into within without among than because"
)
NEUTRAL_TAILS = (
    "in general", "in short", "in simple terms", "in simple words", "in plain english", "in a few words",
    "in one sentence", "to me", "for me", "please", "then", "again", "exactly", "right now", "today", "at all",
    "in the end", "in turn", "in all",
)  # fmt: skip
TAILS_BY_LAST = {
    last: tuple(words for words in (tuple(tail.split()) for tail in NEUTRAL_TAILS) if words[-1] == last)
    for last in {tail.split()[-1] for tail in NEUTRAL_TAILS}
}
STATE_VERBS = {  # Each form with the reading of a cause that it gives.
    form: "existence" if verb == "exist" else verb
    for verb, forms in (
        ("exist", "exist exists existed"), ("happen", "happen happens happened"), ("occur", "occur occurs occurred"),
        ("arise", "arise arises arose"), ("appear", "appear appears appeared"), ("emerge", "emerge emerges emerged"),
    )
    for form in forms.split()
}  # fmt: skip
# "What does S require in the end?"
FAR = re.compile(r"\b(?:ultimately|eventually|indirectly|in the end|in turn|in all)\b")
# How many, how often, or what ought to be: no generic statement says it. The first few go with a whole kind.
OF_A_KIND = _words("all every each")
SCOPES = OF_A_KIND | _words(
    "most many few several both half two three four five six seven eight nine ten always often sometimes usually "
    "rarely seldom generally mostly should shall ought"
)
ANYTHING = _words("it them this that things something anything stuff some")
# Before an embedded question: a condition, a time or a place, which may change its answer.
CONDITIONS = _words(
    "if when whenever while unless because since although though given suppose supposing assuming once until in on at "
    "during after before with without under within according for from despite as where"
)
PURPOSE_WORDS = _words("matter matters mattered important necessary needed useful valuable good")
NEGATIONS = _words("not never no none nobody nothing neither nor hardly without only")
AUXILIARIES = _words(
    "do does did can could should would will must may might shall is are was were has have had not never"
)
COPULAS = _words("is are was were be been being am")

_AUX = r"(?:do|does|did|can|could|should|would|will|must|may|might|shall)"
_BE = r"(?:is|are|was|were)"
_PERSON = r"(?:i|we|you|u|one|someone|somebody|people|anyone|a person)"
_WH = r"(?:what|why|how|whether|if|who|which)"
# After "how do you": an opinion is asked for, not a procedure.
_OPINE = r"(?:feel|think|like|rate|do\b(?! to)|know (?:if|whether|that|when)\b|be\b)"
_DISMISS = (
    r"(?:(?:no|nope|oh|oops|uh+|hm+|wait|stop|sorry|please|well|thanks|dammit|damn|shit|but|because|"
    r"listen(?: carefully)?|i (?:am (?:afraid|sorry)|think|believe|guess|feel)(?: that)?)(?: ,)? )*"
)
_ANYONE = r"(?:anyone|anybody|someone|somebody|any body|you guys|any of you)"

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
    (
        rf"(?:do|does|can|could|would|will) (?:not )?{_ANYONE} (?:here )?(?:out there )?(?:please )?"
        rf"(?:know|tell (?:me|us)|explain|show (?:me|us)|help me(?: understand| with)?|have any idea) (?={_WH})"
    ),
    r"(?:please )?explain (?:for|to) (?:an? )?(?:\S+ ){1,3}?(?=(?:why|how)\b)",
    rf"i (?:want to|wanna|need to|would like to|would love to) (?:know|learn|ask|find out|understand) (?={_WH})",
    rf"(?:want|need) to know (?={_WH})",
    r"i (?:do not|can not|can't) (?:know|understand|figure out|see) (?=(?:why|how to)\b)",
    r"(?:need|want|looking for) (?:some )?(?:help|advice|instructions|information) (?:on|with|about) (?=how\b)",
    rf"(?:no|nope|actually|sorry|wait) (?:, )?(?={_WH}\b|{_AUX}\b|{_BE}\b)",
)
PREAMBLE = re.compile(rf"^(?:{_GREETING}(?: ,| !)? |{'|'.join(_ASKING)})")


_compiled = cache(re.compile)


class Cue(NamedTuple):
    """A form of question: what it asks for, which reading of that, and the source of a pattern with its slots."""

    intent: IntentTag
    form: str
    source: str

    @property
    def pattern(self) -> re.Pattern[str]:
        """The pattern; compiled when a prompt first asks so, as few of them are in a short run."""
        return _compiled(self.source)


def _read_cues() -> tuple[Cue, ...]:
    found: list[Cue] = []
    for line in _CUES_FILE.read_text(encoding="utf-8").splitlines():
        if line and not line.startswith("#"):
            intent, form, pattern = line.split("\t")
            for name, words in (("{AUX}", _AUX), ("{BE}", _BE), ("{PERSON}", _PERSON), ("{WH}", _WH)):
                pattern = pattern.replace(name, words)
            pattern = pattern.replace("{OPINE}", _OPINE).replace("{DISMISS}", _DISMISS)
            found.append(Cue(IntentTag(intent), form, rf"^{pattern}$"))
    return tuple(found)


_SLOT = re.compile(r"\(\?P<\w+>")
CUES: tuple[Cue, ...] = _read_cues()
# All of them in one pattern: the number of its only group that matched is that of the first cue that fits.
FIRST_CUE = re.compile("|".join(f"({_SLOT.sub('(?:', cue.source)})" for cue in CUES))

# Where a question may begin inside a clause ("in a tank, why is the heater at the bottom"), and what it may ask.
EMBEDDED = re.compile(
    rf"^(?:why\b|how come\b|how (?:to|2)\b|how {_AUX} {_PERSON} (?!{_OPINE})|how (?:i|we|you) (?:can|could|should)\b|"
    rf"how (?:{_AUX}|{_BE}) .+ (?:differ|compare|different)|"
    rf"what (?:{_BE} )?(?:the )?(?:main )?(?:differences?\b|causes?\b|reasons?\b)|"
    rf"what {_AUX} {_PERSON} (?:do|have to do) to\b)"
)
EMBEDDED_INTENTS = frozenset((IntentTag.CAUSE, IntentTag.PROCEDURE, IntentTag.COMPARISON))

# A clause that asks for something, though no cue can tell what.
ASKS = re.compile(
    rf"^(?:(?:in |at |on |for |to |from |of |by )?(?:what|which|who|whom|whose|when|where|why|how|whats)\b|"
    rf"(?:{_AUX}|{_BE}|has|have|had|am)\b|"
    r"(?:tell|show|give|find|get|check|make|read|let|help|search|look|change|play|set|add|remind|name|list|plan|test)"
    r" (?!and\b|or\b|,)\S|i (?:want|need|would like|have to|am looking|wanna)\b)|\b(?:please|me|you|your)\b"
)

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
    "required for": ("requires", True), "needed for": ("requires", True), "necessary for": ("requires", True),
    "essential for": ("requires", True), "necessary to": ("requires", True), "a cause of": ("causes", False),
    "the basis of": ("grounds", False), "a basis of": ("grounds", False), "the foundation of": ("grounds", False),
    "the cause of": ("causes", False), "depend upon": ("requires", False), "depends upon": ("requires", False),
    "a type of": ("is_a", False), "a sort of": ("is_a", False), "kind of": ("is_a", False),
    "a form of": ("is_a", False), "one kind of": ("is_a", False), "include": ("is_a", True),
    "includes": ("is_a", True), "a part of": ("part_of", False), "belong to": ("part_of", False),
    "belongs to": ("part_of", False), "contain": ("part_of", True), "contains": ("part_of", True),
    "precede": ("precedes", False), "precedes": ("precedes", False), "follow": ("precedes", True),
    "follows": ("precedes", True), "a step in": ("step_of", False),
}  # fmt: skip
