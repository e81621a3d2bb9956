"""English as the other modules use it: inflection and its inverse, the indefinite article, a checker of surfaces.

Importing this module is cheap; the dictionary (lemminflect) loads at the first word the tables don't have.
"""

from recognition._article import indefinite_article as indefinite_article
from recognition._check import Problem as Problem
from recognition._check import check_english as check_english
from recognition._inflect import agree as agree
from recognition._inflect import gerund as gerund
from recognition._inflect import participle as participle
from recognition._inflect import past as past
from recognition._inflect import plural as plural
from recognition._inflect import third_person as third_person
from recognition._lemmas import lemma_guess as lemma_guess
from recognition._lemmas import lemmas as lemmas
from recognition._lemmas import noun_number as noun_number

__all__ = [
    "Problem",
    "agree",
    "check_english",
    "gerund",
    "indefinite_article",
    "lemma_guess",
    "lemmas",
    "noun_number",
    "participle",
    "past",
    "plural",
    "third_person",
]
