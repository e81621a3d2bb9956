"""The score of one answer to one case. The same code scores every arm."""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass, replace

from cognition.packs.vocabulary import surface_key
from experiments.metrics.answer import Answer
from experiments.metrics.cases import Case, Expectation
from experiments.metrics.grounded import Reading, read
from experiments.metrics.lexicon import Lexicon


@dataclass(frozen=True, slots=True, kw_only=True)
class Score:
    """What an answer is worth.

    Attributes:
        grounded: whether it says what it cites and nothing else; None for a refusal.
        faults: why it is not grounded.
        captured: for each expectation of the case, whether it is met.
        met_at: for each expectation that the walk has to supply, the step (from 1) that supplied it; None where
            it is not met.
        precision: of its distinct content words beside the prompt's and the frames', the share that belongs to
            accepted evidence; None for a refusal, or where there is no such word or the case accepts no evidence.
        words, covered: such words (each occurrence), and those of them in sentences that cite evidence of the
            pack; 0 for a refusal.
        intent: whether the prompt was read as it should be; None where the arm reads no intent.
        refusal: whether the expected refusal came; None where an answer is expected.
    """

    grounded: bool | None
    faults: tuple[str, ...]
    captured: tuple[bool, ...]
    met_at: tuple[int | None, ...]
    precision: float | None
    words: int
    covered: int
    intent: bool | None
    refusal: bool | None

    @property
    def capture(self) -> float | None:
        """Share of the expectations met; None where the case has none."""
        return sum(self.captured) / len(self.captured) if self.captured else None


def score(answer: Answer, case: Case, lexicon: Lexicon) -> Score:
    """Scores an answer to a case."""
    intent = None if answer.intent is None or case.intent is None else answer.intent == case.intent
    refusal = None if case.refusal is None else answer.refusal == case.refusal
    if not answer.answered:
        return Score(
            grounded=None,
            faults=(),
            captured=(False,) * len(case.expect),
            met_at=tuple(None for expectation in case.expect if expectation.by == "walk"),
            precision=None,
            words=0,
            covered=0,
            intent=intent,
            refusal=refusal,
        )
    readings = [read(text, evidence, case.prompt, lexicon) for text, evidence in answer.sentences]
    beyond = _beyond_prompt(readings, case.prompt, lexicon)
    faults = _faults(answer, case, readings, beyond)
    accepted = lexicon.evidence_keys(case.accepted)
    distinct = dict.fromkeys(word for words in beyond for word in words)
    right = sum(bool(lexicon.keys(word) & accepted) for word in distinct)
    cited = [any(map(lexicon.resolves, evidence)) for _, evidence in answer.sentences]
    return Score(
        grounded=not faults,
        faults=faults,
        captured=tuple(is_captured(expectation, answer, lexicon) for expectation in case.expect),
        met_at=tuple(met_at(e, answer, lexicon) for e in case.expect if e.by == "walk"),
        precision=right / len(distinct) if distinct and case.accepted else None,
        words=sum(map(len, beyond)),
        covered=sum(len(words) for words, has_evidence in zip(beyond, cited, strict=True) if has_evidence),
        intent=intent,
        refusal=refusal,
    )


def _beyond_prompt(readings: list[Reading], prompt: str, lexicon: Lexicon) -> list[list[str]]:
    """For each sentence its content words beside frames and words of the prompt."""
    keys = lexicon.prompt_keys(prompt)
    return [
        [
            form
            for i, form in enumerate(reading.forms)
            if i not in reading.framed and lexicon.is_content(form) and not lexicon.keys(form) & keys
        ]
        for reading in readings
    ]


def _faults(answer: Answer, case: Case, readings: list[Reading], beyond: list[list[str]]) -> tuple[str, ...]:
    faults: list[str] = []
    if answer.surface != " ".join(text for text, _ in answer.sentences):
        faults.append("the surface is not its sentences")
    size = len(answer.surface.split())
    if size > case.max_words:
        faults.append(f"{size} words, at most {case.max_words} are allowed")
    if not any(beyond) and not any(reading.verdict for reading in readings):
        faults.append("says nothing beyond the prompt")
    for number, reading in enumerate(readings, 1):
        faults.extend(f"sentence {number}: {fault}" for fault in reading.faults)
    return tuple(faults)


def is_captured(expectation: Expectation, answer: Answer, lexicon: Lexicon) -> bool:
    """Whether a term of the expectation stands in a sentence that cites evidence which says it.

    Where the walk has to supply the term, it must be among the walked words too.
    """
    for term in expectation.terms:
        if expectation.by == "walk" and not any(
            lexicon.has_term(term, surface_key(word)) for word in answer.walk or ()
        ):
            continue
        ids = {i for i in expectation.ids if lexicon.evidence_has(term, i)}
        for text, evidence in answer.sentences:
            if ids & set(evidence) and lexicon.has_term(term, surface_key(text)):
                return True
    return False


def met_at(expectation: Expectation, answer: Answer, lexicon: Lexicon) -> int | None:
    """The least number of steps, from 1, after which the walk had supplied what the answer was to say.

    A walk depends on nothing that comes later, so this is also the least ``max_tokens`` that captures the term.
    """
    if not is_captured(expectation, answer, lexicon):
        return None
    walk = answer.walk or ()
    # What so many steps capture, more steps do too.
    return (
        bisect_left(
            range(1, len(walk) + 1),
            True,
            key=lambda n: is_captured(expectation, replace(answer, walk=walk[:n]), lexicon),
        )
        + 1
    )
