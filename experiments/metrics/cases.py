"""Case files: what is asked, and what an answer has to say on which evidence. See `experiments/data/README.md`."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal, get_args

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, ValidationError, model_validator

from cognition.graph import IntentTag
from cognition.refusal import CATALOGUE
from experiments.metrics.lexicon import Lexicon
from experiments.metrics.suites import version_of

FORMAT_VERSION = 1
MAX_WORDS = 80
SPLITS = {
    split: Path(__file__).parent.parent / "data" / f"cognition_{split}.jsonl" for split in ("public", "dev")
}
Supplier = Literal["gloss", "relation", "walk"]
SUPPLIERS: tuple[Supplier, ...] = get_args(Supplier)

_Text = Annotated[str, StringConstraints(min_length=1, pattern=r"^\S(.*\S)?$")]
_Prefix: dict[Supplier, str] = {"gloss": "gloss:", "relation": "rel:", "walk": "rel:"}


class CaseError(ValueError):
    """A case file that can't be used: ``file:line: field: what``."""

    def __init__(self, where: str, field: str, what: str) -> None:
        super().__init__(": ".join(part for part in (where, field, what) if part))


class _Row(BaseModel):
    """Unknown fields are errors and types are not coerced."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


class Expectation(_Row):
    """A term that the answer has to say in a sentence that cites the evidence.

    Attributes:
        term, any_of: the term, or several of which one is enough.
        evidence, any_evidence: the evidence, or several pieces of which one is enough.
        by: what must supply the term: a gloss, a relation looked up by key, or the walk.
    """

    term: _Text | None = None
    any_of: Annotated[list[_Text], Field(min_length=1)] | None = None
    evidence: _Text | None = None
    any_evidence: Annotated[list[_Text], Field(min_length=1)] | None = None
    by: Supplier

    @model_validator(mode="after")
    def _one_of_each(self) -> Expectation:
        for one, many in (("term", "any_of"), ("evidence", "any_evidence")):
            if (getattr(self, one) is None) == (getattr(self, many) is None):
                raise ValueError(f"{one}: give either {one} or {many}")
        return self

    @property
    def terms(self) -> tuple[str, ...]:
        """The terms of which one is enough."""
        return (self.term,) if self.term is not None else tuple(self.any_of or ())

    @property
    def ids(self) -> tuple[str, ...]:
        """The evidence of which one piece is enough."""
        return (self.evidence,) if self.evidence is not None else tuple(self.any_evidence or ())


class Case(_Row):
    """One prompt and what its answer is held to.

    Attributes:
        id: unique in its file; by default the number of its line.
        prompt: what is asked; may be empty, where the case is about that.
        category: for the report.
        intent: how the prompt must be classified; None leaves it unscored.
        expect: what the answer has to say; empty where a refusal is expected, or nothing in particular.
        also: ids of evidence that is welcome beside it.
        refusal: code of the refusal that is the right answer, or None.
        max_words: an answer over this many words counts as ungrounded.
        subject: sense id or surface of what the prompt is about, for the baselines; None leaves it to the
            classification.
    """

    id: _Text
    prompt: str
    category: _Text = "other"
    intent: Literal[tuple(tag.value for tag in IntentTag)] | None = None  # pyright: ignore[reportInvalidTypeForm]
    expect: list[Expectation] = []
    also: list[_Text] = []
    refusal: Literal[tuple(CATALOGUE)] | None = None  # pyright: ignore[reportInvalidTypeForm]
    max_words: Annotated[int, Field(ge=1)] = MAX_WORDS
    subject: _Text | None = None

    @model_validator(mode="after")
    def _answer_or_refusal(self) -> Case:
        if self.refusal is not None and self.expect:
            raise ValueError("refusal: a refusal has no terms to expect: leave expect empty")
        return self

    @property
    def accepted(self) -> tuple[str, ...]:
        """All evidence that the answer may rest on."""
        ids = (evidence_id for expectation in self.expect for evidence_id in expectation.ids)
        return tuple(dict.fromkeys((*ids, *self.also)))


@dataclass(frozen=True, slots=True, kw_only=True)
class Suite:
    """A file of cases.

    Attributes:
        split: ``public``, ``dev``, or the file's name.
        sha256: digest of the file.
        cases: in the order of the file.
    """

    split: str
    sha256: str
    cases: tuple[Case, ...]

    @property
    def version(self) -> int | str:
        """The number of a shipped suite, or the digest of any other: see `experiments.metrics.suites`."""
        return version_of(self.sha256)


def load_suite(split: str | Path, lexicon: Lexicon) -> Suite:
    """Reads and checks a split, or any case file, against the pack that answers it.

    Args:
        split: ``public``, ``dev``, or a file.
        lexicon: of the opened pack.

    Raises:
        CaseError: the file is missing or malformed, or a case can't be judged by this pack.
    """
    path = SPLITS.get(str(split), Path(split))
    try:
        content = path.read_bytes()
    except OSError as error:
        what = f"can't be read ({error.strerror}); a split is {' or '.join(SPLITS)} or a file of cases"
        raise CaseError(str(split), "", what) from None
    lines = content.split(b"\n")
    if lines[-1] == b"":
        lines.pop()
    if not lines:
        raise CaseError(path.name, "", "has no cases")
    cases: dict[str, Case] = {}
    for number, line in enumerate(lines, 1):
        where = f"{path.name}:{number}"
        case = _parse(line, where, number)
        if case.id in cases:
            raise CaseError(where, "id", f"{case.id!r} is taken by line {list(cases).index(case.id) + 1}")
        _check(case, where, lexicon)
        cases[case.id] = case
    name = str(split) if str(split) in SPLITS else path.name
    return Suite(split=name, sha256=hashlib.sha256(content).hexdigest(), cases=tuple(cases.values()))


def _parse(line: bytes, where: str, number: int) -> Case:
    try:
        data = json.loads(line.decode("utf-8"), object_pairs_hook=_once)
    except UnicodeDecodeError as error:
        raise CaseError(where, "", f"not UTF-8 at byte {error.start}") from None
    except (ValueError, RecursionError) as error:
        raise CaseError(where, "", f"not JSON: {error}") from None
    try:
        return Case.model_validate({"id": str(number), **data} if isinstance(data, dict) else data)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        field = ".".join(map(str, first["loc"]))
        message = first["msg"].removeprefix("Value error, ")
        if first["type"] == "value_error" and ": " in message:
            last, message = message.split(": ", 1)
            field = f"{field}.{last}" if field else last
        raise CaseError(where, field, message) from None


def _once(pairs: Iterable[tuple[str, Any]]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for key, value in pairs:
        if key in found:
            raise ValueError(f"key {key!r} twice")
        found[key] = value
    return found


def _check(case: Case, where: str, lexicon: Lexicon) -> None:
    """Checks what the pack decides: evidence exists and holds the terms, and no term is a word of the prompt."""
    for number, expectation in enumerate(case.expect):
        field = f"expect.{number}"
        _check_ids(expectation.ids, f"{field}.evidence", where, lexicon)
        for evidence_id in expectation.ids:
            if not evidence_id.startswith(_Prefix[expectation.by]):
                what = f"{evidence_id} is no {_Prefix[expectation.by]}..., which by={expectation.by} asks for"
                raise CaseError(where, f"{field}.evidence", what)
            if not any(lexicon.evidence_has(term, evidence_id) for term in expectation.terms):
                what = f"{evidence_id} does not say {' or '.join(map(repr, expectation.terms))}"
                raise CaseError(where, f"{field}.evidence", what)
        for term in expectation.terms:
            if lexicon.is_in_prompt(term, case.prompt):
                raise CaseError(
                    where, f"{field}.term", f"{term!r} is a word of the prompt: an echo would have it"
                )
            if not any(lexicon.evidence_has(term, evidence_id) for evidence_id in expectation.ids):
                raise CaseError(where, f"{field}.term", f"{term!r} is in none of its evidence")
    _check_ids(case.also, "also", where, lexicon)
    if case.subject is not None and not lexicon.senses_of(case.subject):
        raise CaseError(where, "subject", f"{case.subject!r} is no sense and no surface of the pack")


def _check_ids(ids: Iterable[str], field: str, where: str, lexicon: Lexicon) -> None:
    for evidence_id in ids:
        if not lexicon.resolves(evidence_id):
            raise CaseError(where, field, f"{evidence_id} is not in the pack {lexicon.pack_id}")
