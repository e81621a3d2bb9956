"""The turns of a long run by number: the cases of a suite, and then varied prompts over the pack.

First come the cases, which are scored, arm by arm; then the other prompts, arm by arm. A row depends on its number
alone, so processes share out the numbers, and the rows of all of them are those of one.
"""

from __future__ import annotations

import time
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import accumulate
from typing import Any, Literal

from cga.backend import Backend, BackendName, open_backend
from cognition.config import RuntimeConfig
from cognition.packs.load import load_pack
from cognition.packs.vocabulary import Vocabulary
from cognition.result import CognitiveTurnResult
from cognition.runtime import Runtime
from experiments.cognition_eval.prompts import VERSION as PROMPTS_VERSION
from experiments.cognition_eval.prompts import VariedPrompts
from experiments.cognition_eval.run import answer_of
from experiments.harness import UsageError
from experiments.metrics.cases import Case, Suite, load_suite
from experiments.metrics.lexicon import Lexicon
from experiments.metrics.score import score
from experiments.metrics.summary import CLOSED

Device = Literal["cpu", "gpu"]
STREAMED = ("off", "on")
"""The arms of which turns are streamed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """What is to be run; a worker process is given it and opens the rest itself.

    Attributes:
        split: which cases, as `experiments.metrics.cases.load_suite` takes it.
        pack: id or folder.
        backend, device: where the geometry runs.
        config: settings of the runtime; whether the constraint is on is left to the arms.
        arms: of `STREAMED`, in this order.
        repeat: the stream of an arm is so many times as long as the suite.
        batch: turns that go through the stages together.
    """

    split: str
    pack: str
    backend: BackendName
    device: Device
    config: RuntimeConfig
    arms: tuple[str, ...]
    repeat: int
    batch: int


def open_on(backend: BackendName, device: Device) -> Backend:
    """Opens a backend on a device; on several JAX devices the vocabulary is spread over all of them.

    Raises:
        UsageError: the device is not there.
    """
    if backend != "jax":
        if device == "gpu":
            raise UsageError(
                "--device gpu: the numpy backend runs on the CPU; leave --backend out, or give jax"
            )
        return open_backend(backend)
    import jax

    from cga.backend.jax import JaxBackend

    try:
        found = jax.local_devices(backend=device)
    except RuntimeError:
        others = sorted({one.platform for one in jax.devices()})
        raise UsageError(
            f"--device {device}: JAX finds none on this machine, only {', '.join(others)}; for an NVIDIA GPU install "
            "core-cognition[cuda] beside its driver (`nvidia-smi` shows it), and see `core doctor`"
        ) from None
    return JaxBackend(found if len(found) > 1 or device == "gpu" else ())


class Stream:
    """The prompts of a plan by number, opened in this process.

    Attributes:
        scored: so many numbers, from 0, are those of cases of the suite.
        answering: seconds that turns took so far, without what is made of them.

    Raises:
        PackError: the pack can't be used.
        CaseError: the cases can't be used.
        UsageError: the device is not there, or the pack has too few words for so many prompts.
    """

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self.vocabulary = Vocabulary(load_pack(plan.pack), open_on(plan.backend, plan.device))
        self.lexicon = Lexicon(self.vocabulary)
        self.suite: Suite = load_suite(plan.split, self.lexicon)
        self.runtimes = {
            arm: Runtime(self.vocabulary, replace(plan.config, forward_graph_constraint=arm == "on"))
            for arm in plan.arms
        }
        cases = len(self.suite.cases)
        others = (plan.repeat - 1) * cases
        self._varied: Sequence[str] = VariedPrompts(self.vocabulary) if others else ()
        if others > len(self._varied):
            raise UsageError(
                f"--repeat {plan.repeat}: {plan.pack} gives {len(self._varied):,} different prompts beside the cases, "
                f"and {others:,} are wanted"
            )
        self.scored = cases * len(plan.arms)
        parts = [(arm, cases) for arm in plan.arms] + [(arm, others) for arm in plan.arms]
        self._arms = [arm for arm, count in parts if count]
        self._ends = list(accumulate(count for _, count in parts if count))
        self.answering = 0.0

    @property
    def header(self) -> dict[str, Any]:
        """What the rows depend on."""
        manifest = self.vocabulary.pack.manifest
        return {
            "suite": {"name": self.suite.split, "version": self.suite.version, "sha256": self.suite.sha256},
            "pack": {"id": manifest.id, "version": manifest.version, "sha256": self.vocabulary.pack.sha256},
            "config": asdict(self.plan.config),
            "arms": list(self.plan.arms),
            "prompts": PROMPTS_VERSION,
            "repeat": self.plan.repeat,
            "count": len(self),
        }

    def __len__(self) -> int:
        return self.plan.repeat * self.scored

    def batches(self, numbers: range, *, whole: bool) -> Iterator[list[dict[str, Any]]]:
        """The rows of some numbers, a batch at a time; no batch mixes two arms, or cases with other prompts.

        Args:
            numbers: which.
            whole: with all that goes to a file; else with what is counted alone.
        """
        first = numbers.start
        while first < numbers.stop:
            part = bisect_right(self._ends, first)
            begin = self._ends[part - 1] if part else 0
            last = min(numbers.stop, self._ends[part], first + self.plan.batch)
            places = range(first - begin, last - begin)
            cases = [self.suite.cases[place] for place in places] if first < self.scored else None
            texts = [self._varied[place] for place in places] if cases is None else [c.prompt for c in cases]
            start = time.perf_counter()
            results = self.runtimes[self._arms[part]].run_batch(texts)
            self.answering += time.perf_counter() - start
            yield [
                self._row(place, self._arms[part], result, cases[at] if cases is not None else None, whole)
                for at, (place, result) in enumerate(zip(places, results, strict=True))
            ]
            first = last

    def _row(
        self, place: int, arm: str, result: CognitiveTurnResult, case: Case | None, whole: bool
    ) -> dict[str, Any]:
        row: dict[str, Any] = {"id": f"varied-{place:07d}" if case is None else case.id, "arm": arm}
        if whole:
            row |= {
                "prompt": result.text,
                "hash": result.trace_hash,
                "surface": result.surface,
                "citations": [evidence.id for evidence in result.citations],
            }
        row |= {
            "refusal": result.refusal.code if result.refusal is not None else None,
            "steps": None if result.walk is None else len(result.walk.indices),
            "constrained": result.region is not None and not result.region.is_unconstrained,
            "exhausted": result.exhaustion is not None,
            "closed": None if result.versor_condition is None else result.versor_condition < CLOSED,
        }
        if case is not None:
            given = score(answer_of(result), case, self.lexicon)
            row |= {
                "groundedness": None if given.grounded is None else int(given.grounded),
                "capture": given.capture,
                "right_intent": given.intent,
                "right_refusal": given.refusal,
            }
        return row
