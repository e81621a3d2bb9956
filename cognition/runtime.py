"""A runtime: an opened vocabulary and a configuration. What a notebook holds on to."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

from cga.backend import BackendName, open_backend
from cognition.config import RuntimeConfig
from cognition.packs.load import DEFAULT_PACK, load_pack
from cognition.packs.vocabulary import Vocabulary
from cognition.pipeline import CognitiveTurnPipeline
from cognition.result import CognitiveTurnResult
from recognition.tokens import tokenize

if TYPE_CHECKING:
    from cognition.session import Session
    from cognition.teaching import TeachingStore
    from cognition.vault import Vault
    from recognition import DerivedRecognizer


class Runtime:
    """Immutable after construction, so threads may share it.

    Args:
        vocabulary: the words and their evidence.
        config: settings; None takes the defaults.
        recognizer, teaching_store, vault: attached to every turn, as in `CognitiveTurnPipeline`.
    """

    def __init__(
        self,
        vocabulary: Vocabulary,
        config: RuntimeConfig | None = None,
        *,
        recognizer: DerivedRecognizer | None = None,
        teaching_store: TeachingStore | None = None,
        vault: Vault | None = None,
    ) -> None:
        self.vocabulary = vocabulary
        self.config = config if config is not None else RuntimeConfig()
        self.recognizer = recognizer
        self.teaching_store = teaching_store
        self.vault = vault
        self._pipeline = CognitiveTurnPipeline(
            self, recognizer=recognizer, teaching_store=teaching_store, vault=vault
        )

    @classmethod
    def open(
        cls,
        packs: Sequence[str | Path] = (DEFAULT_PACK,),
        *,
        config: RuntimeConfig | None = None,
        backend: BackendName = "numpy",
        recognizer: DerivedRecognizer | None = None,
        teaching_store: TeachingStore | None = None,
        vault: str | Path | None = None,
    ) -> Runtime:
        """Opens packs by id (shipped) or by folder, and a vault by its file; the rest as for the class.

        Raises:
            PackError: a pack is missing, malformed or tampered.
            ValueError: not exactly one pack (a ranking never mixes the geometries of two), or an unknown backend.
            StoreError: the file of the vault can't be used.
        """
        if len(packs) != 1:
            raise ValueError(f"runtime: open one pack at a time, not {len(packs)}{_disagreement(packs)}")
        vocabulary = Vocabulary(load_pack(packs[0]), open_backend(backend))
        opened = None
        if vault is not None:
            from cognition.vault import Vault

            opened = Vault(vocabulary, vault)
        return cls(vocabulary, config, recognizer=recognizer, teaching_store=teaching_store, vault=opened)

    def __repr__(self) -> str:
        manifest = self.vocabulary.pack.manifest
        changed = "".join(f", {name}={value!r}" for name, value in self.config.changed().items())
        return f"Runtime({manifest.id} {manifest.version}, {self.vocabulary.backend.name}{changed})"

    def tokenize(self, text: str) -> tuple[str, ...]:
        """The tokens of a text, as written."""
        return tuple(token.text for token in tokenize(text))

    def ask(self, text: str) -> CognitiveTurnResult:
        """One turn: an answer with citations, or a refusal."""
        return self._pipeline.run(text)

    def run_batch(self, texts: Sequence[str]) -> list[CognitiveTurnResult]:
        """Many turns, each with the result and the hash it would have alone: in batches of any size, in any order.

        Text is read prompt by prompt; the geometry of all turns takes a few calls of the backend.
        """
        return self._pipeline.run_batch(texts)

    def ask_batch(self, texts: Sequence[str]) -> list[CognitiveTurnResult]:
        """`run_batch` under the name that goes with `ask`."""
        return self.run_batch(texts)

    def run_stream(self, texts: Iterable[str], *, batch: int = 1024) -> Iterator[CognitiveTurnResult]:
        """The turns of any number of texts, a batch at a time: memory holds no more than one batch.

        Args:
            texts: one prompt each; read as the results are taken.
            batch: how many turns go through the stages together.

        Raises:
            ValueError: a batch below 1.
        """
        if batch < 1:
            raise ValueError(f"runtime: batch: {batch}; give at least 1")
        return self._streamed(iter(texts), batch)

    def _streamed(self, texts: Iterator[str], batch: int) -> Iterator[CognitiveTurnResult]:
        while some := list(islice(texts, batch)):
            yield from self.run_batch(some)

    def session(self, path: str | Path = ":memory:", session_id: str | None = None) -> Session:
        """A session on this runtime, as `Session.open` gives it.

        Raises:
            SessionError: the file or the id can't be used.
        """
        from cognition.session import Session

        return Session.open(path, self, session_id)


def _disagreement(packs: Sequence[str | Path]) -> str:
    """What to know before choosing one of several packs: where they differ."""
    if not packs:
        return ""
    from cognition.packs.compare import compare_packs

    first, *others = [load_pack(pack) for pack in packs]
    found = [conflict for other in others for conflict in compare_packs(first, other)]
    if not found:
        return "; they say nothing differently about what they share"
    return (
        f"; the first, which takes precedence, differs in {len(found)} places, as {found[0].about} "
        f"({found[0].difference}): `core pack compare` lists them"
    )
