"""Whatever runs the system: the `core` command, evaluations, benchmarks, characterisations.

Names load when first used (PEP 562), so that the command starts fast.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from experiments.cognition_eval.run import evaluate as evaluate
    from experiments.metrics.answer import Answer as Answer
    from experiments.metrics.cases import Case as Case
    from experiments.metrics.cases import CaseError as CaseError
    from experiments.metrics.cases import Suite as Suite
    from experiments.metrics.cases import load_suite as load_suite
    from experiments.metrics.score import Score as Score
    from experiments.metrics.score import score as score

_HOME = {
    "cognition_eval.run": ("evaluate",),
    "metrics.cases": ("Case", "CaseError", "Suite", "load_suite"),
    "metrics.answer": ("Answer",),
    "metrics.score": ("Score", "score"),
}
_MODULE = {name: module for module, names in _HOME.items() for name in names}

__all__ = sorted(_MODULE)  # pyright: ignore[reportUnsupportedDunderAll]


def __getattr__(name: str) -> Any:
    if name not in _MODULE:
        raise AttributeError(f"module 'experiments' has no attribute {name!r}")
    value = getattr(import_module(f"experiments.{_MODULE[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
