"""Inflection: a table of irregulars first, then the dictionary of lemminflect, then the rule."""

import re

from recognition._lexicon import Number, dictionary_forms, known, nouns, verbs
from recognition._tables import words

__all__ = ["agree", "gerund", "head_of", "participle", "past", "plural", "third_person"]

_TAGS = ("VBZ", "VBD", "VBN", "VBG")


def _add_s(word: str) -> str:
    if re.search(r"(?:s|x|z|ch|sh)$", word):
        return word + "es"
    return word[:-1] + "ies" if re.search(r"[^aeiou]y$", word) else word + "s"


def _doubled(verb: str) -> str:
    """The stem before `-ed` and `-ing`; one consonant after one vowel letter doubles in a single syllable."""
    if re.fullmatch(
        r"(?:re|de|un|pre)?(?:[^aeiou]*|qu|squ)[aeiou][^aeiouwxy]|(?:con|de|in|pre|re|trans)fer", verb
    ):
        return verb + verb[-1]
    return verb + "k" if verb.endswith("ic") else verb


def _rule(verb: str, tag: str) -> str:
    if tag == "VBZ":
        return verb + "es" if re.search(r"[^aeiou]o$", verb) else _add_s(verb)
    if tag == "VBG":
        if verb.endswith("ie"):
            return verb[:-2] + "ying"
        return (verb[:-1] if re.search(r"\w[^eoy]e$", verb) else _doubled(verb)) + "ing"
    if verb.endswith("e"):
        return verb + "d"
    return verb[:-1] + "ied" if re.search(r"[^aeiou]y$", verb) else _doubled(verb) + "ed"


def _verb_form(verb: str, tag: str) -> str:
    head, space, rest = verb.partition(" ")
    if space:
        return _verb_form(head, tag) + space + rest
    if verb in verbs():
        return verbs()[verb][_TAGS.index(tag)]
    forms = dictionary_forms(verb, tag)
    regular = _rule(verb, tag)
    # Where both are in use, `traveling` rather than `travelling`; the dictionary itself mixes the two.
    if forms and tag == "VBN" and forms[0].endswith("ed"):
        return _verb_form(verb, "VBD")
    if forms:
        return regular if regular in forms and (verb.endswith("l") or tag == "VBZ") else forms[0]
    if tag == "VBN":
        return _verb_form(verb, "VBD")
    prefixed = re.fullmatch(r"(\w+-|re|de|un|out|over|under|mis|pre)(\w{3,})", verb)
    if prefixed and known(prefixed[2], "verb"):
        return prefixed[1] + _verb_form(prefixed[2], tag)
    return regular


def third_person(verb: str) -> str:
    """`require` -> `requires`; of several words the first is inflected: `work out` -> `works out`."""
    return _verb_form(verb, "VBZ")


def past(verb: str) -> str:
    """`refer` -> `referred`, `go` -> `went`; of `be` the singular, `was`."""
    return _verb_form(verb, "VBD")


def participle(verb: str) -> str:
    """The past participle: `go` -> `gone`, `take place` -> `taken place`."""
    return _verb_form(verb, "VBN")


def gerund(verb: str) -> str:
    """`refer` -> `referring`, `visit` -> `visiting`, `call to mind` -> `calling to mind`."""
    return _verb_form(verb, "VBG")


def head_of(noun: str) -> tuple[str, str, str]:
    """A compound noun as (before, head, after): `chain of reasoning` is headed by `chain`, `ice cream` by `cream`."""
    space = re.search(rf" (?:{'|'.join(sorted(words('closed_class')['preposition']))})\b", noun)
    before = noun[: space.start()] if space and space.start() else noun
    left, gap, head = before.rpartition(" ")
    hyphen = re.search(r"(?<=\w)-(?:in|of|at|de|to|by)-\w", head) or re.search(
        r"(?<=er)-(?:by|up|on|in)$", head
    )
    if hyphen:
        cut = len(left + gap) + hyphen.start()
        return left + gap, head[: hyphen.start()], noun[cut:]
    return left + gap, head, noun[len(before) :]


def plural(noun: str) -> str:
    """`loaf` -> `loaves`, `chain of reasoning` -> `chains of reasoning`, `information` -> `information`."""
    if noun in nouns():
        return nouns()[noun][0]
    before, head, after = head_of(noun)
    if head != noun:
        return before + plural(head) + after if head else noun
    if noun != noun.lower():
        # A proper name follows the rule: the Baker family are the Bakers.
        return noun if re.search(r"(?:ese|iss)$", noun) else _add_s(noun)
    forms = dictionary_forms(noun, "NNS")
    if forms:
        return forms[0]
    prefix, hyphen, last = noun.rpartition("-")
    if prefix and last:
        return prefix + hyphen + plural(last)
    if noun.endswith("s") and not noun.endswith("ss") and known(noun, "noun"):
        return noun
    if noun.endswith("man") and noun not in ("talisman", "shaman", "caiman"):
        return noun[:-2] + "en"
    return noun[:-2] + "es" if re.search(r"\w{2}[aeiouy]sis$", noun) else _add_s(noun)


def agree(verb: str, number: Number, negative: bool = False) -> str:
    """The present form of a verb for a subject of the third person.

    Args:
        verb: A lemma, possibly of several words: `require`, `be`, `have`, `can`, `work out`.
        number: Of the subject.
        negative: With `not` and the support of `do` where English needs it: `does not require`, `is not able`.
    """
    head, space, rest = verb.partition(" ")
    tail = space + rest
    if head in words("closed_class")["modal"]:
        negated = "cannot" if head == "can" else f"{head} not"
        return (negated if negative else head) + tail
    if head == "be":
        form = "is" if number == "singular" else "are"
        return (f"{form} not" if negative else form) + tail
    if negative:
        return f"{'does' if number == 'singular' else 'do'} not {verb}"
    return third_person(verb) if number == "singular" else verb
