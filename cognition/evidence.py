"""Evidence: what an answer rests on, by id, with its source and licence."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from cognition import phrasing
from cognition.packs.schema import Provenance
from cognition.packs.vocabulary import Statement, Vocabulary

Kind = Literal["gloss", "relation", "prompt", "feature", "vault"]
PROMPT_ID = "prompt"
MOST_KEPT = 4096
TAUGHT = "taught:"


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """One piece of evidence.

    Attributes:
        id: ``gloss:<sense>``, ``rel:<subject>:<relation>:<object>``, ``taught:<digest>`` of a reviewed item,
            ``vault:<digest>`` of a kept one, ``prompt``, or ``feature:<name>`` of what a recogniser admitted.
        kind: what it is.
        text: what it says, in English.
        pack, source, licence: where it comes from; empty for the prompt. What was taught has the pack "taught".
    """

    id: str
    kind: Kind
    text: str
    pack: str = ""
    source: str = ""
    licence: str = ""

    def as_dict(self) -> dict[str, Any]:
        """For JSON output."""
        record = {"id": self.id, "kind": self.kind, "text": self.text}
        if self.pack:
            record |= {"pack": self.pack, "source": self.source, "licence": self.licence}
        return record


@dataclass(frozen=True, slots=True, kw_only=True)
class Sentence:
    """One sentence of a surface and the ids of the evidence it rests on."""

    text: str
    evidence: tuple[str, ...] = ()


def gloss_id(vocabulary: Vocabulary, index: int) -> str:
    """Evidence id of a sense's gloss: the pack's, or that of the taught one in its place."""
    sense_id = vocabulary.senses[index].id
    taught = vocabulary.overlay.glosses.get(sense_id)
    return f"gloss:{sense_id}" if taught is None else taught[0]


def feature_evidence(name: str, proven: str) -> Evidence:
    """The evidence of a recognised feature: the words of the prompt that prove it, or what they were searched for."""
    return Evidence(id=f"feature:{name}", kind="feature", text=proven)


def resolve(vocabulary: Vocabulary, evidence_id: str, prompt: str) -> Evidence:
    """The evidence behind an id.

    Raises:
        KeyError: no such evidence in the pack.
    """
    if evidence_id == PROMPT_ID:
        return Evidence(id=PROMPT_ID, kind="prompt", text=prompt)
    found = vocabulary.kept.get(evidence_id)
    if found is None:
        if len(vocabulary.kept) >= MOST_KEPT:
            vocabulary.kept.clear()
        found = vocabulary.kept[evidence_id] = _of_the_pack(vocabulary, evidence_id)
    return found


def _of_the_pack(vocabulary: Vocabulary, evidence_id: str) -> Evidence:
    if evidence_id.startswith(TAUGHT):
        return _taught(vocabulary, evidence_id)
    if evidence_id.startswith("gloss:"):
        index = vocabulary.index[evidence_id.removeprefix("gloss:")]
        text = phrasing.sentence(phrasing.definition(vocabulary, index))
        return _cited(vocabulary, evidence_id, "gloss", text, vocabulary.senses[index].provenance)
    said, provenance = vocabulary.statement_by_id(evidence_id)
    return _cited(vocabulary, evidence_id, "relation", spoken(vocabulary, said), provenance)


def _taught(vocabulary: Vocabulary, evidence_id: str) -> Evidence:
    source = vocabulary.overlay.sources[evidence_id]
    said = vocabulary.taught_statement(evidence_id)
    if said is not None:
        kind, text = "relation", spoken(vocabulary, said)
    else:
        sense = next(s for s, (taught, _) in vocabulary.overlay.glosses.items() if taught == evidence_id)
        kind, text = "gloss", phrasing.sentence(phrasing.definition(vocabulary, vocabulary.index[sense]))
    return Evidence(
        id=evidence_id,
        kind=kind,
        text=text,
        pack="taught",
        source=source.attribution,
        licence=source.licence,
    )


def spoken(vocabulary: Vocabulary, said: Statement) -> str:
    """A statement as a sentence."""
    return phrasing.sentence(phrasing.statement(vocabulary, said))


def _cited(
    vocabulary: Vocabulary, evidence_id: str, kind: Kind, text: str, provenance: Provenance
) -> Evidence:
    manifest = vocabulary.pack.manifest
    source = next(s for s in manifest.sources if s.id == provenance.source)
    return Evidence(
        id=evidence_id,
        kind=kind,
        text=text,
        pack=manifest.id,
        source=source.attribution,
        licence=source.licence,
    )
