"""The verifier: a recognised proposition against pack, teaching and vault, and its replay.

`evidenced` becomes `verified`, `contradicted`, `unverified_possible` (its words are known, nothing on record decides)
or `unverified_novel` (no source knows its words). `verified` becomes `decoded` when recognition, run again, gives the
same. Each step names its source and the ids of its evidence; unreviewed items are named, never used.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

from cognition.packs.vocabulary import Vocabulary
from cognition.paths import on_record
from cognition.reading import relation_phrases
from cognition.teaching.conflicts import chain_between
from cognition.vault import Vault, VaultItem
from recognition.carrier import EpistemicNode, EpistemicTransition
from recognition.outcome import (
    CONTRADICTED,
    DECODED,
    EVIDENCED,
    UNVERIFIED_NOVEL,
    UNVERIFIED_POSSIBLE,
    VERIFIED,
    FeatureBundle,
    JSONValue,
    RecognitionOutcome,
)
from recognition.tokens import normal_form

OPEN_STATES = (EVIDENCED, UNVERIFIED_POSSIBLE, UNVERIFIED_NOVEL)
"""States that a check may begin in."""

Verdict = Literal["agrees", "contradicts", "possible", "silent"]
_SUBJECT = ("agent", "subject")
_OBJECT = ("object", "patient", "theme", "unit")
_PLAIN: dict[str, JSONValue] = {"modality": "actual", "tense": "present"}
# Features that say how much or whether, and so set two propositions about the same thing at odds.
_AT_ODDS = ("count", "polarity")


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """What one source says of a proposition.

    Attributes:
        source: its name.
        verdict: ``silent`` where it does not know the words.
        evidence: ids that the verdict rests on; of a ``possible`` one, what was shown and not used.
        reason: for people.
    """

    source: str
    verdict: Verdict
    evidence: tuple[str, ...] = ()
    reason: str


class KnowledgeSource(Protocol):
    """Something that a proposition can be checked against."""

    @property
    def name(self) -> str: ...

    def check(self, node: EpistemicNode) -> Finding: ...


@dataclass(frozen=True, slots=True)
class RecordSource:
    """The reviewed statements of a pack, or of a pack under teaching: its part with that ``prefix`` of ids.

    Attributes:
        vocabulary: the pack, under its overlay if it is taught.
        name: ``pack`` or ``teaching``.
        prefix: of the evidence ids that are this source's own.
    """

    vocabulary: Vocabulary
    name: str = "pack"
    prefix: str = "rel:"

    def check(self, node: EpistemicNode) -> Finding:
        """Looks subject, relation and object up; a chain of a transitive relation counts as said."""
        bundle = _bundle(node)
        subject, relation, obj = _first(bundle, _SUBJECT), bundle.get("relation"), _first(bundle, _OBJECT)
        phrases = relation_phrases(self.vocabulary)
        words = tuple(normal_form(word) for word in str(relation.value).split()) if relation else ()
        kind = phrases.get(words)
        subjects = self.vocabulary.lookup(str(subject)) if isinstance(subject, str) else ()
        objects = self.vocabulary.lookup(str(obj)) if isinstance(obj, str) else ()
        if not subjects or not objects or kind is None:
            return Finding(
                source=self.name,
                verdict="silent",
                reason="the subject, relation or object is not in the pack",
            )
        values = bundle.values
        if values.get("count") is not None:
            return self._possible("the words are known; the record counts nothing")
        if any(values.get(name, plain) != plain for name, plain in _PLAIN.items()):
            return self._possible("the words are known; the record speaks of what is, not of what may or did")
        relation_id, reverse = kind
        pairs = [(b, a) if reverse else (a, b) for a in subjects for b in objects]
        positive = values.get("polarity", "positive") != "negative"
        for a, b in pairs:
            said = on_record(self.vocabulary, a, relation_id, b)
            if said is not None and said.id.startswith(self.prefix):
                agrees = said.positive == positive
                return Finding(
                    source=self.name,
                    verdict="agrees" if agrees else "contradicts",
                    evidence=(said.id,),
                    reason="on record" if agrees else "the record says the opposite",
                )
        if self.vocabulary.relation_types[relation_id].transitive:
            for a, b in pairs:
                chain = chain_between(self.vocabulary, a, relation_id, b)
                if chain and any(evidence.startswith(self.prefix) for evidence in chain):
                    return Finding(
                        source=self.name,
                        verdict="agrees" if positive else "contradicts",
                        evidence=chain,
                        reason=f"a chain of {len(chain)} statements",
                    )
        return self._possible("the words are known; nothing on record decides")

    def _possible(self, reason: str) -> Finding:
        return Finding(source=self.name, verdict="possible", reason=reason)


@dataclass(frozen=True, slots=True)
class VaultSource:
    """What was kept: items with the features of a proposition, about the same subject."""

    vault: Vault
    name: str = "vault"

    def check(self, node: EpistemicNode) -> Finding:
        """Compares features; an item that this node itself put there is left out."""
        bundle = _bundle(node)
        subject = _first(bundle, _SUBJECT)
        items = self.vault.by_key(subject) if isinstance(subject, str) else ()
        shown: list[str] = []
        for item in items:
            relation = _compared(bundle, item) if item.source != node.node_id else None
            if relation is None:
                continue
            if item.status != "reviewed":
                shown.append(item.id)
                continue
            return Finding(
                source=self.name,
                verdict=relation,
                evidence=(item.id,),
                reason="kept and reviewed" if relation == "agrees" else "a reviewed item says otherwise",
            )
        if shown:
            return Finding(
                source=self.name,
                verdict="possible",
                evidence=tuple(shown),
                reason="what is kept about this is not reviewed",
            )
        return Finding(source=self.name, verdict="silent", reason="it holds nothing about this")


def sources_of(vocabulary: Vocabulary, vault: Vault | None = None) -> tuple[KnowledgeSource, ...]:
    """The sources in their order: pack, teaching (where the vocabulary is under an overlay), vault.

    Args:
        vocabulary: as a turn sees it.
        vault: None for none.
    """
    found: list[KnowledgeSource] = [RecordSource(vocabulary)]
    if vocabulary.overlay.digest:
        found.append(RecordSource(vocabulary, "teaching", "taught:"))
    if vault is not None:
        found.append(VaultSource(vault))
    return tuple(found)


def verify(node: EpistemicNode, sources: Sequence[KnowledgeSource]) -> EpistemicTransition:
    """The transition of an evidenced proposition.

    One contradiction outweighs any agreement. Unreviewed items decide nothing. What was left unverified may be checked
    again when the sources know more; the state may then come out as it was.

    Args:
        node: in a state of `OPEN_STATES`.
        sources: consulted in this order; see `sources_of`.

    Returns:
        From the node's state, with the sources that decided, their evidence, and what each of them said.

    Raises:
        ValueError: the node is in another state.
    """
    if node.epistemic_state not in OPEN_STATES:
        raise ValueError(
            f"verify: node {node.node_id}: state {node.epistemic_state!r}, expected {' or '.join(OPEN_STATES)}"
        )
    findings = [source.check(node) for source in sources]
    verdicts: tuple[tuple[Verdict, str], ...] = (
        ("contradicts", CONTRADICTED),
        ("agrees", VERIFIED),
        ("possible", UNVERIFIED_POSSIBLE),
    )
    to_state, deciding = UNVERIFIED_NOVEL, findings
    for verdict, state in verdicts:
        chosen = [finding for finding in findings if finding.verdict == verdict]
        if chosen:
            to_state, deciding = state, chosen
            break
    used = deciding if to_state in (CONTRADICTED, VERIFIED) else ()
    return EpistemicTransition(
        from_state=node.epistemic_state,
        to_state=to_state,
        source="verifier:" + "+".join(finding.source for finding in deciding) if deciding else "verifier",
        reason="; ".join(f"{finding.source}: {finding.reason}" for finding in findings) or "no source",
        evidence=tuple(dict.fromkeys(evidence for finding in used for evidence in finding.evidence)),
    )


def decode(
    node: EpistemicNode, replay: Callable[[], RecognitionOutcome], *, replay_id: str
) -> EpistemicTransition | None:
    """The transition of a verified proposition whose recognition, run again, gives the same.

    Args:
        node: in state `verified`.
        replay: recognises the same input anew.
        replay_id: names the replay as evidence, as the hash of the turn's trace.

    Returns:
        From `verified` to `decoded`; None where the replay gives anything else, and the state stays.

    Raises:
        ValueError: the node is in another state.
    """
    if node.epistemic_state != VERIFIED:
        raise ValueError(
            f"decode: node {node.node_id}: state {node.epistemic_state!r}, expected {VERIFIED!r}"
        )
    if replay().as_dict() != node.recognition_outcome.as_dict():
        return None
    return EpistemicTransition(
        from_state=VERIFIED,
        to_state=DECODED,
        source="replay",
        reason="recognition, run again, gives the same features from the same spans",
        evidence=(replay_id,),
    )


def _bundle(node: EpistemicNode) -> FeatureBundle:
    bundle = node.recognition_outcome.proposition
    assert bundle is not None  # an evidenced outcome has one
    return bundle


def _first(bundle: FeatureBundle, names: Sequence[str]) -> JSONValue:
    return next((feature.value for name in names if (feature := bundle.get(name)) is not None), None)


def _compared(bundle: FeatureBundle, item: VaultItem) -> Literal["agrees", "contradicts"] | None:
    """Whether an item says the same or the opposite; None where it is about something else, or compatible."""
    ours: dict[str, JSONValue] = {"polarity": "positive", **_PLAIN, **bundle.values}
    theirs: dict[str, JSONValue] = {"polarity": "positive", **_PLAIN, **dict(item.features)}
    if {n: v for n, v in ours.items() if n not in _AT_ODDS} != {
        n: v for n, v in theirs.items() if n not in _AT_ODDS
    }:
        return None
    same_count, same_side = ours.get("count") == theirs.get("count"), ours["polarity"] == theirs["polarity"]
    if same_count:
        return "agrees" if same_side else "contradicts"
    return "contradicts" if same_side and ours["polarity"] == "positive" else None
