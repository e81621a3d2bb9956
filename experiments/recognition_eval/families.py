"""Suite `families`: each taught sentence is left out in turn and read by a recogniser of its siblings alone."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

from experiments.recognition_eval.suite import HERE, Keep, agreeing, keep_none, layer_of, sample
from recognition import TaughtExample, derive_recognizer, read_examples, recognize

__all__ = ["FAMILIES", "families", "leave_one_out"]

FAMILIES = HERE / "families"

_OUTCOMES = ("right", "refused_2", "refused_1", "refused_other", "wrong")


def _outline(example: TaughtExample) -> Any:
    """The shape of one example: its slots in order and what stands between them."""
    (pattern,) = derive_recognizer([example]).patterns
    return [slot.feature for slot in pattern.slots], pattern.gaps


def leave_one_out(
    examples: Sequence[TaughtExample], family: str = "", keep: Keep = keep_none
) -> dict[str, int]:
    """What becomes of each example when the others teach.

    Args:
        examples: of one family.
        family: their name, in the samples.
        keep: takes each example's outcome.

    Returns:
        `sentences`; `right`: admitted with every value and span; `refused_2` and `refused_1` by layer;
        `refused_other`: contradicted or ambiguous; `wrong`: admitted with any other value or span;
        `refused_1_shape_taught`: of `refused_1` those whose shape a sibling has, a loss of the learner.
    """
    counts: Counter[str] = Counter()
    for index, held_out in enumerate(examples):
        siblings = [*examples[:index], *examples[index + 1 :]]
        outcome = recognize(derive_recognizer(siblings), held_out.text)
        right = agreeing(outcome, held_out.bundle) == len(held_out.bundle)
        keep(sample("families", f"{family}-{index + 1}", held_out.text, outcome, right))
        if outcome.admitted:
            counts["right" if right else "wrong"] += 1
            continue
        layer = layer_of(outcome)
        counts[f"refused_{layer}" if layer in ("1", "2") else "refused_other"] += 1
        if layer == "1":
            outline = _outline(held_out)
            counts["refused_1_shape_taught"] += any(_outline(sibling) == outline for sibling in siblings)
    return {"sentences": len(examples)} | {
        name: counts[name] for name in (*_OUTCOMES, "refused_1_shape_taught")
    }


def families(keep: Keep = keep_none) -> dict[str, dict[str, int]]:
    """`leave_one_out` for each file of taught sentences that ships with the project, and in all."""
    found = {
        path.stem: leave_one_out(read_examples(path.read_text(encoding="utf-8"), path.name), path.stem, keep)
        for path in sorted(FAMILIES.glob("*.txt"))
    }
    total: Counter[str] = Counter()
    for counts in found.values():
        total.update(counts)
    return found | {"all": {name: total[name] for name in next(iter(found.values()), {})}}
