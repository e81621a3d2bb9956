"""The verifier: evidenced to verified, contradicted or unverified, and verified to decoded by replay."""

from __future__ import annotations

import pytest

from cognition import Runtime, Vocabulary
from cognition.teaching import Content, TeachingStore
from cognition.teaching.layer import overlay_of, review_check
from cognition.vault import Vault
from cognition.verify import RecordSource, VaultSource, decode, sources_of, verify
from recognition import (
    EpistemicNode,
    Feature,
    FeatureBundle,
    NegativeEvidence,
    RecognitionOutcome,
    RecognitionProvenance,
    recognize,
)
from recognition.outcome import JSONValue
from tests.recognition.helpers import quantity

pytestmark = [pytest.mark.teaching, pytest.mark.recognition]


def node(turn: int = 0, **features: JSONValue) -> EpistemicNode:
    """A recognised proposition with these features."""
    bundle = FeatureBundle(tuple(Feature(n, v, NegativeEvidence()) for n, v in features.items()))
    outcome = RecognitionOutcome(
        state="evidenced",
        proposition=bundle,
        refusal_reason=None,
        provenance=RecognitionProvenance(teaching_set_id="t", pattern="p"),
    )
    return EpistemicNode.of(outcome, turn)


def of(text: str, **more: JSONValue) -> EpistemicNode:
    agent, relation, obj = text.split()
    return node(agent=agent, relation=relation, object=obj, **more)


@pytest.mark.parametrize(
    ("proposition", "state", "evidence"),
    [
        (of("bread requires flour"), "verified", ("rel:bread.n.1:requires:flour.n.1",)),
        (of("Bread require flour"), "verified", ("rel:bread.n.1:requires:flour.n.1",)),
        (of("bread requires flour", polarity="negative"), "contradicted", ("rel:bread.n.1:requires:flour.n.1",)),
        (of("bread requires salt"), "contradicted", ("rel:bread.n.1:not:requires:salt.n.1",)),
        (of("bread requires salt", polarity="negative"), "verified", ("rel:bread.n.1:not:requires:salt.n.1",)),
        # from either end of a symmetric relation, and against the direction of an inverse phrase
        (node(agent="cake", relation="contrasts with", object="bread"), "verified",
         ("rel:bread.n.1:contrasts_with:cake.n.1",)),
        (node(agent="flour", relation="is required by", object="bread"), "verified",
         ("rel:bread.n.1:requires:flour.n.1",)),
        # along a chain
        (of("toast requires wheat"), "verified",
         ("rel:toast.n.1:requires:bread.n.1", "rel:bread.n.1:requires:flour.n.1", "rel:flour.n.1:requires:wheat.n.1")),
        (of("toast requires wheat", polarity="negative"), "contradicted",
         ("rel:toast.n.1:requires:bread.n.1", "rel:bread.n.1:requires:flour.n.1", "rel:flour.n.1:requires:wheat.n.1")),
        # known words, nothing that decides
        (of("flour requires bread"), "unverified_possible", ()),
        (of("cake requires salt"), "unverified_possible", ()),  # a speculative row is no evidence
        (of("bread requires flour", tense="past"), "unverified_possible", ()),
        (of("bread requires flour", modality="possible"), "unverified_possible", ()),
        (node(agent="bread", relation="requires", unit="flour", count=5), "unverified_possible", ()),
        # unknown words
        (of("wombat requires flour"), "unverified_novel", ()),
        (of("bread loves flour"), "unverified_novel", ()),
        (node(agent="bread"), "unverified_novel", ()),
        (node(agent=7, relation="requires", object=True), "unverified_novel", ()),
    ],
)  # fmt: skip
def test_against_a_pack(
    bakery: Vocabulary, proposition: EpistemicNode, state: str, evidence: tuple[str, ...]
) -> None:
    step = verify(proposition, sources_of(bakery))
    assert (step.from_state, step.to_state, step.evidence) == ("evidenced", state, evidence)
    assert step.source.startswith("verifier:pack")
    assert step.reason
    after = proposition.with_transition(step)
    assert after.epistemic_state == state
    assert after.as_dict()["transitions"][0].get("evidence", []) == list(evidence)
    if state.startswith("unverified"):
        again = verify(after, sources_of(bakery))
        assert (again.from_state, again.to_state) == (state, state)
    else:
        with pytest.raises(ValueError, match=f"state '{state}', expected evidenced or unverified"):
            verify(after, sources_of(bakery))


def test_reviewed_teaching_is_a_source_of_its_own_and_a_candidate_is_none(bakery: Vocabulary) -> None:
    store = TeachingStore()
    content = Content(kind="relation", subject="cake.n.1", relation="requires", object="oven.n.1")
    item = store.propose(content, by="ann")

    def now() -> Vocabulary:
        return bakery.with_overlay(overlay_of(store.knowledge(), bakery))

    claim = of("cake requires oven")
    assert verify(claim, sources_of(now())).to_state == "unverified_possible"
    store.accept(item.id, by="bob", check=review_check(bakery))
    step = verify(claim, sources_of(now()))
    assert (step.to_state, step.source, step.evidence) == ("verified", "verifier:teaching", (item.id,))
    early = claim.with_transition(verify(claim, sources_of(bakery)))
    late = early.with_transition(verify(early, sources_of(now())))
    assert [t.to_state for t in late.transitions] == ["unverified_possible", "verified"]
    assert verify(of("cake requires oven", polarity="negative"), sources_of(now())).to_state == "contradicted"
    store.retract(item.id, by="bob")
    assert verify(claim, sources_of(now())).to_state == "unverified_possible"


FIVE = {"agent": "John", "relation": "has", "unit": "apple", "count": 5}


def test_a_kept_proposition_verifies_once_it_is_reviewed(bakery: Vocabulary) -> None:
    vault = Vault(bakery)
    claim = node(turn=5, **FIVE)
    assert verify(claim, sources_of(bakery, vault)).to_state == "unverified_novel"
    vault.put("John has 5 apples", key="John", source=claim.node_id, features=FIVE, status="reviewed")
    assert verify(claim, sources_of(bakery, vault)).to_state == "unverified_novel"  # its own word for it
    said = vault.put("John has 5 apples", key="John", source="t:3", features=FIVE)
    step = verify(claim, sources_of(bakery, vault))
    assert (step.to_state, step.evidence) == ("unverified_possible", ())
    item = vault.put("John has 5 apples", key="John", source="t:3", features=FIVE, status="reviewed")
    assert item.id != said.id
    step = verify(claim, sources_of(bakery, vault))
    assert (step.to_state, step.source, step.evidence) == ("verified", "verifier:vault", (item.id,))


@pytest.mark.parametrize(
    ("changed", "state"),
    [
        ({}, "verified"),
        ({"polarity": "positive", "tense": "present"}, "verified"),
        ({"count": 3}, "contradicted"),
        ({"polarity": "negative"}, "contradicted"),
        ({"count": 3, "polarity": "negative"}, "unverified_novel"),  # not three leaves room for five
        ({"unit": "pear"}, "unverified_novel"),
        ({"tense": "past"}, "unverified_novel"),
        ({"relation": "sells"}, "unverified_novel"),
    ],
)
def test_kept_features_agree_or_contradict(
    bakery: Vocabulary, changed: dict[str, str | int], state: str
) -> None:
    vault = Vault(bakery)
    vault.put("as kept", key="john", source="t:3", features=FIVE, status="reviewed")
    assert verify(node(**{**FIVE, **changed}), [VaultSource(vault)]).to_state == state


def test_one_contradiction_outweighs_agreement(bakery: Vocabulary) -> None:
    vault = Vault(bakery)
    features = {"agent": "bread", "relation": "requires", "object": "flour", "polarity": "negative"}
    item = vault.put("no flour", key="bread", source="ann", features=features, status="reviewed")
    step = verify(of("bread requires flour"), sources_of(bakery, vault))
    assert (step.to_state, step.source, step.evidence) == ("contradicted", "verifier:vault", (item.id,))
    assert "pack: on record" in step.reason


def test_without_sources_everything_is_novel() -> None:
    step = verify(of("bread requires flour"), [])
    assert (step.to_state, step.source, step.reason) == ("unverified_novel", "verifier", "no source")


def test_a_verified_proposition_is_decoded_by_its_replay(bakery: Vocabulary) -> None:
    claim = of("bread requires flour")
    with pytest.raises(ValueError, match="state 'evidenced', expected 'verified'"):
        decode(claim, lambda: claim.recognition_outcome, replay_id="ab")
    verified = claim.with_transition(verify(claim, [RecordSource(bakery)]))
    assert decode(verified, lambda: of("bread requires salt").recognition_outcome, replay_id="ab") is None
    step = decode(verified, lambda: of("bread requires flour").recognition_outcome, replay_id="ab")
    assert step is not None
    assert (step.from_state, step.to_state, step.source, step.evidence) == (
        "verified",
        "decoded",
        "replay",
        ("ab",),
    )
    assert [t.to_state for t in verified.with_transition(step).transitions] == ["verified", "decoded"]


def test_what_a_real_recogniser_admits_is_verified_and_decoded(runtime: Runtime) -> None:
    text = "A baker has 24 loaves"
    claim = EpistemicNode.of(recognize(quantity(), text), 0)
    bundle = claim.recognition_outcome.proposition
    assert bundle is not None
    assert verify(claim, sources_of(runtime.vocabulary)).to_state == "unverified_novel"
    vault = Vault(runtime.vocabulary)
    kept = {n: v for n, v in bundle.values.items() if isinstance(v, str | int)}
    item = vault.put(text, key=str(kept["agent"]), source="ann", features=kept, status="reviewed")
    step = verify(claim, sources_of(runtime.vocabulary, vault))
    assert (step.to_state, step.evidence) == ("verified", (item.id,))
    done = decode(claim.with_transition(step), lambda: recognize(quantity(), text), replay_id="cd")
    assert done is not None
    other = decode(
        claim.with_transition(step), lambda: recognize(quantity(), "A baker has 25 loaves"), replay_id="cd"
    )
    assert other is None
