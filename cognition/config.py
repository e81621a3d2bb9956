"""Settings of a runtime. Defaults give byte-identical results whatever is added behind a flag."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any, Literal, get_args

SubjectSpan = Literal["head", "phrase"]
InnerLoopMode = Literal["off", "threshold", "margin"]


@dataclass(frozen=True, slots=True, kw_only=True)
class RuntimeConfig:
    """What a runtime does and what it leaves out.

    Attributes:
        forward_graph_constraint: build the proposition graph's region before the walk and walk inside it
            (English output only).
        output_language: language of the surface and of the words the walk may stand on.
        subject_span: ``"head"`` reduces a subject to its head noun phrase, normalised to the lexicon;
            ``"phrase"`` keeps the raw phrase and looks every slot up as an exact surface (ADR-0047).
        top_k: size of one anchor's neighbourhood.
        max_tokens: most steps of a walk.
        min_salience: words below are left out of the walk (0 leaves out none).
        inner_loop: what admits a word inside the walk, beside the region. ``"threshold"``: it is nearer to the
            relation blade of the graph than a share of random words; ``"margin"``: it is nearer than every other
            open word by a margin; ``"off"``: nothing more.
        inner_loop_percent: that share, for ``"threshold"``.
        inner_loop_margin: that margin, for ``"margin"``, in millionths of a score.
        ratify_intent: look where the prompt stands among the cue senses of its intent, and record the outcome; it
            changes no answer.
        recognition_grounded_graph: say what an attached recogniser admits, from its features, instead of
            answering by intent.
        session_graph_in_trace: fold the epistemic graph of the session into the trace of each of its turns.

    Raises:
        ValueError: a value out of range, with the field's name.
    """

    forward_graph_constraint: bool = False
    output_language: str = "en"
    subject_span: SubjectSpan = "head"
    top_k: int = 8
    max_tokens: int = 256
    min_salience: int = 0
    inner_loop: InnerLoopMode = "off"
    inner_loop_percent: int = 90
    inner_loop_margin: int = 1
    ratify_intent: bool = False
    recognition_grounded_graph: bool = False
    session_graph_in_trace: bool = False

    def __post_init__(self) -> None:
        _require(isinstance(self.forward_graph_constraint, bool), "forward_graph_constraint", "true or false")
        _require(
            isinstance(self.recognition_grounded_graph, bool), "recognition_grounded_graph", "true or false"
        )
        _require(isinstance(self.session_graph_in_trace, bool), "session_graph_in_trace", "true or false")
        _require(
            isinstance(self.output_language, str) and self.output_language.isalpha(),
            "output_language",
            'a language code such as "en"',
        )
        spans = get_args(SubjectSpan)
        _require(self.subject_span in spans, "subject_span", f"one of {', '.join(spans)}")
        _require(_is_int(self.top_k) and self.top_k >= 1, "top_k", "an integer, at least 1")
        _require(
            _is_int(self.max_tokens) and 0 <= self.max_tokens <= 4096, "max_tokens", "an integer in 0..4096"
        )
        _require(
            _is_int(self.min_salience) and 0 <= self.min_salience <= 100,
            "min_salience",
            "an integer in 0..100",
        )
        modes = get_args(InnerLoopMode)
        _require(self.inner_loop in modes, "inner_loop", f"one of {', '.join(modes)}")
        percent, margin = self.inner_loop_percent, self.inner_loop_margin
        _require(_is_int(percent) and 0 <= percent <= 100, "inner_loop_percent", "an integer in 0..100")
        _require(
            _is_int(margin) and 1 <= margin <= 1_000_000, "inner_loop_margin", "an integer in 1..1000000"
        )
        _require(isinstance(self.ratify_intent, bool), "ratify_intent", "true or false")

    @classmethod
    def from_mapping(cls, values: Mapping[str, Any]) -> RuntimeConfig:
        """Builds a configuration from a mapping, such as a file read.

        Raises:
            ValueError: an unknown key or a value out of range.
        """
        known = {field.name for field in fields(cls)}
        for key in values:
            _require(key in known, str(key), f"a known key; known: {', '.join(sorted(known))}")
        return cls(**values)

    def changed(self) -> dict[str, Any]:
        """The fields that differ from their default, by name: what a trace records."""
        default = RuntimeConfig()
        return {key: value for key, value in asdict(self).items() if value != getattr(default, key)}


def _require(condition: bool, field: str, wanted: str) -> None:
    if not condition:
        raise ValueError(f"configuration: {field}: must be {wanted}")


def _is_int(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)
