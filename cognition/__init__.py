"""A turn that cites its evidence, or says what it lacks. Names load when first used (PEP 562)."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from cognition.admissibility import AdmissibilityRegion as AdmissibilityRegion
    from cognition.admissibility import InnerLoopExhaustion as InnerLoopExhaustion
    from cognition.articulation import ArticulationTarget as ArticulationTarget
    from cognition.articulation import build_graph_from_input as build_graph_from_input
    from cognition.articulation import plan_articulation as plan_articulation
    from cognition.clause import ArticulationPlan as ArticulationPlan
    from cognition.clause import Clause as Clause
    from cognition.clause import Mention as Mention
    from cognition.config import RuntimeConfig as RuntimeConfig
    from cognition.constraint import build_graph_constraint as build_graph_constraint
    from cognition.constraint import build_graph_constraints as build_graph_constraints
    from cognition.constraint import build_relation_region as build_relation_region
    from cognition.eventlog import StoreError as StoreError
    from cognition.evidence import Evidence as Evidence
    from cognition.evidence import Sentence as Sentence
    from cognition.graph import GraphNode as GraphNode
    from cognition.graph import IntentTag as IntentTag
    from cognition.graph import PropositionGraph as PropositionGraph
    from cognition.intent import classify as classify
    from cognition.packs.load import Pack as Pack
    from cognition.packs.load import PackError as PackError
    from cognition.packs.load import load_pack as load_pack
    from cognition.packs.vocabulary import Vocabulary as Vocabulary
    from cognition.pipeline import CognitiveTurnPipeline as CognitiveTurnPipeline
    from cognition.ratify import Ratification as Ratification
    from cognition.ratify import RatificationOutcome as RatificationOutcome
    from cognition.ratify import ratify_intent as ratify_intent
    from cognition.refusal import Refusal as Refusal
    from cognition.result import CognitiveTurnResult as CognitiveTurnResult
    from cognition.runtime import Runtime as Runtime
    from cognition.session import Session as Session
    from cognition.session import SessionError as SessionError
    from cognition.session import SessionStore as SessionStore
    from cognition.teaching import ReviewError as ReviewError
    from cognition.teaching import TeachingStore as TeachingStore
    from cognition.trace import canonical as canonical
    from cognition.trace import compute_trace_hash as compute_trace_hash
    from cognition.vault import Vault as Vault
    from cognition.walk import Admission as Admission
    from cognition.walk import FieldState as FieldState
    from cognition.walk import GenerationResult as GenerationResult
    from cognition.walk import generate as generate

_HOME = {
    "admissibility": ("AdmissibilityRegion", "InnerLoopExhaustion"),
    "articulation": ("ArticulationTarget", "build_graph_from_input", "plan_articulation"),
    "clause": ("ArticulationPlan", "Clause", "Mention"),
    "config": ("RuntimeConfig",),
    "constraint": ("build_graph_constraint", "build_graph_constraints", "build_relation_region"),
    "eventlog": ("StoreError",),
    "evidence": ("Evidence", "Sentence"),
    "graph": ("GraphNode", "IntentTag", "PropositionGraph"),
    "intent": ("classify",),
    "packs.load": ("Pack", "PackError", "load_pack"),
    "packs.vocabulary": ("Vocabulary",),
    "pipeline": ("CognitiveTurnPipeline",),
    "ratify": ("Ratification", "RatificationOutcome", "ratify_intent"),
    "refusal": ("Refusal",),
    "result": ("CognitiveTurnResult",),
    "runtime": ("Runtime",),
    "teaching": ("ReviewError", "TeachingStore"),
    "session": ("Session", "SessionError", "SessionStore"),
    "trace": ("canonical", "compute_trace_hash"),
    "vault": ("Vault",),
    "walk": ("Admission", "FieldState", "GenerationResult", "generate"),
}
_MODULE = {name: module for module, names in _HOME.items() for name in names}

__all__ = sorted(_MODULE)  # pyright: ignore[reportUnsupportedDunderAll]


def __getattr__(name: str) -> Any:
    if name not in _MODULE:
        raise AttributeError(f"module 'cognition' has no attribute {name!r}")
    value = getattr(import_module(f"cognition.{_MODULE[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
