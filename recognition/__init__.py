"""Teach a few examples, get a recogniser that proves what it reads or refuses.

Every public name loads its module at first use.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from recognition._match import recognize as recognize
    from recognition._recognizer import DerivedRecognizer as DerivedRecognizer
    from recognition._recognizer import TaughtExample as TaughtExample
    from recognition._recognizer import TeachingError as TeachingError
    from recognition.anti_unifier import derive_recognizer as derive_recognizer
    from recognition.carrier import EpistemicGraph as EpistemicGraph
    from recognition.carrier import EpistemicNode as EpistemicNode
    from recognition.carrier import EpistemicTransition as EpistemicTransition
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
    from recognition.outcome import AMBIGUOUS as AMBIGUOUS
    from recognition.outcome import CONTRADICTED as CONTRADICTED
    from recognition.outcome import DECODED as DECODED
    from recognition.outcome import EVIDENCED as EVIDENCED
    from recognition.outcome import UNDETERMINED as UNDETERMINED
    from recognition.outcome import UNVERIFIED_NOVEL as UNVERIFIED_NOVEL
    from recognition.outcome import UNVERIFIED_POSSIBLE as UNVERIFIED_POSSIBLE
    from recognition.outcome import VERIFIED as VERIFIED
    from recognition.outcome import AmbiguityRefusal as AmbiguityRefusal
    from recognition.outcome import EmptyInputRefusal as EmptyInputRefusal
    from recognition.outcome import Feature as Feature
    from recognition.outcome import FeatureBundle as FeatureBundle
    from recognition.outcome import FeatureConsistencyRefusal as FeatureConsistencyRefusal
    from recognition.outcome import FeatureEvidence as FeatureEvidence
    from recognition.outcome import FeatureEvidenceRefusal as FeatureEvidenceRefusal
    from recognition.outcome import LengthRefusal as LengthRefusal
    from recognition.outcome import NearPattern as NearPattern
    from recognition.outcome import NegativeEvidence as NegativeEvidence
    from recognition.outcome import RecognitionOutcome as RecognitionOutcome
    from recognition.outcome import RecognitionProvenance as RecognitionProvenance
    from recognition.outcome import ShapeRefusal as ShapeRefusal
    from recognition.registry import RecognizerRegistry as RecognizerRegistry
    from recognition.serial import RecognizerFormatError as RecognizerFormatError
    from recognition.serial import recognizer_from_json as recognizer_from_json
    from recognition.serial import recognizer_to_json as recognizer_to_json
    from recognition.teaching import example_from_record as example_from_record
    from recognition.teaching import read_examples as read_examples
    from recognition.tokens import Token as Token
    from recognition.tokens import fold as fold
    from recognition.tokens import normal_form as normal_form
    from recognition.tokens import tokenize as tokenize

_NAMES = {
    "anti_unifier": "derive_recognizer",
    "_recognizer": "DerivedRecognizer TaughtExample TeachingError",
    "_match": "recognize",
    "carrier": "EpistemicGraph EpistemicNode EpistemicTransition",
    "outcome": (
        "AMBIGUOUS CONTRADICTED DECODED EVIDENCED UNDETERMINED UNVERIFIED_NOVEL UNVERIFIED_POSSIBLE VERIFIED "
        "AmbiguityRefusal EmptyInputRefusal Feature FeatureBundle FeatureConsistencyRefusal FeatureEvidence "
        "FeatureEvidenceRefusal LengthRefusal NearPattern NegativeEvidence RecognitionOutcome "
        "RecognitionProvenance ShapeRefusal"
    ),
    "registry": "RecognizerRegistry",
    "serial": "RecognizerFormatError recognizer_from_json recognizer_to_json",
    "teaching": "example_from_record read_examples",
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
