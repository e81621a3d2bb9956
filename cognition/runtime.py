"""A runtime: an opened vocabulary and a configuration. What a notebook holds on to."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from cga.backend import BackendName, open_backend
from cognition.config import RuntimeConfig
from cognition.packs.load import DEFAULT_PACK, load_pack
from cognition.packs.vocabulary import Vocabulary
from cognition.pipeline import CognitiveTurnPipeline
from cognition.result import CognitiveTurnResult
from recognition.tokens import tokenize


class Runtime:
    """Immutable after construction, so threads may share it.

    Args:
        vocabulary: the words and their evidence.
        config: settings; None takes the defaults.
    """

    def __init__(self, vocabulary: Vocabulary, config: RuntimeConfig | None = None) -> None:
        self.vocabulary = vocabulary
        self.config = config if config is not None else RuntimeConfig()
        self._pipeline = CognitiveTurnPipeline(self)

    @classmethod
    def open(
        cls,
        packs: Sequence[str | Path] = (DEFAULT_PACK,),
        *,
        config: RuntimeConfig | None = None,
        backend: BackendName = "numpy",
    ) -> Runtime:
        """Opens packs by id (shipped) or by folder.

        Raises:
            PackError: a pack is missing, malformed or tampered.
            ValueError: not exactly one pack (a ranking never mixes the geometries of two), or an unknown backend.
        """
        if len(packs) != 1:
            raise ValueError(f"runtime: open one pack at a time, not {len(packs)}: merge them first")
        return cls(Vocabulary(load_pack(packs[0]), open_backend(backend)), config)

    def tokenize(self, text: str) -> tuple[str, ...]:
        """The tokens of a text, as written."""
        return tuple(token.text for token in tokenize(text))

    def ask(self, text: str) -> CognitiveTurnResult:
        """One turn: an answer with citations, or a refusal."""
        return self._pipeline.run(text)

    def ask_batch(self, texts: Sequence[str]) -> list[CognitiveTurnResult]:
        """Many turns, each with the result it would have alone."""
        return self._pipeline.run_batch(texts)
