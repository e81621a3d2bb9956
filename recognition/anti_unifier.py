"""`derive_recognizer`: from taught examples to a frozen recogniser that returns every one of them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from recognition._generalize import generalize
from recognition._match import recognize
from recognition._recognizer import (
    DerivedRecognizer,
    Pattern,
    TaughtExample,
    TeachingError,
    canonical_json,
    teaching_set_id,
)
from recognition._rules import signature, slot_rules
from recognition._terms import sentence
from recognition.outcome import FeatureBundle
from recognition.tokens import Token

__all__ = ["DerivedRecognizer", "TaughtExample", "TeachingError", "derive_recognizer"]

Taught = TaughtExample | tuple[str | Sequence[str | Token], FeatureBundle]


def _example(taught: Taught) -> TaughtExample:
    if isinstance(taught, TaughtExample):
        tokens, bundle = taught.tokens, taught.bundle
    else:
        tokens, bundle = taught
    # One form whatever the spaces were, so that equal teaching is equal.
    loose = sentence(tokens)
    return TaughtExample(sentence(loose.tokens).tokens, bundle)


def _patterns(examples: Sequence[TaughtExample]) -> tuple[Pattern, ...]:
    rules = slot_rules(examples)
    shapes: dict[tuple[str, ...], list[TaughtExample]] = {}
    for example in examples:
        shapes.setdefault(signature(example, rules), []).append(example)
    if () in shapes:
        raise TeachingError(
            "no_slot", f"{shapes[()][0].text!r}: no feature's value follows from its evidence"
        )
    return generalize(shapes, rules)


def _check(recognizer: DerivedRecognizer) -> None:
    for example in recognizer.examples:
        outcome = recognize(recognizer, example.tokens)
        got = outcome.proposition
        if got is None:
            assert outcome.refusal_reason is not None
            reason = canonical_json(outcome.refusal_reason.as_dict())
            raise TeachingError(
                "not_returned", f"{example.text!r}: the teaching refuses its own example: {reason}"
            )
        for name in example.bundle.names:
            if (
                got.values[name] != example.bundle.values[name]
                or got.spans[name] != example.bundle.spans[name]
            ):
                raise TeachingError(
                    "not_returned",
                    f"{example.text!r}: {name}: taught {example.bundle.values[name]!r} at "
                    f"{example.bundle.spans[name]}, returned {got.values[name]!r} at {got.spans[name]}",
                )


def derive_recognizer(
    examples: Iterable[Taught], *, parent: DerivedRecognizer | None = None
) -> DerivedRecognizer:
    """Learn the least general shapes that the examples have in common.

    The order of the examples and repeated ones change nothing.

    Args:
        examples: each a `TaughtExample`, or a pair of tokens (or a text) and its bundle, evidence in tokens.
        parent: a recogniser to add to: its examples are taken in, its id is remembered.

    Returns:
        A recogniser that returns the taught bundle for every example.

    Raises:
        TeachingError: nothing is taught, a bundle lacks a feature, a span lies outside, examples contradict one
            another, or an example would not be returned as taught. The message names example, feature and span.
    """
    given = [_example(taught) for taught in examples] + list(parent.examples if parent else ())
    unique = {canonical_json(example.as_dict()): example for example in given}
    held = tuple(unique[key] for key in sorted(unique))
    if not held:
        raise TeachingError("empty_teaching", "no examples")
    names = {name for example in held for name in example.bundle.names}
    for example in held:
        lacking = sorted(names - set(example.bundle.names))
        if lacking:
            raise TeachingError("missing_feature", f"{example.text!r}: {lacking[0]}: not in the bundle")
    if not names:
        raise TeachingError("missing_feature", f"{held[0].text!r}: no features")
    identity = teaching_set_id(held)
    parents = (
        (*parent.parents, parent.teaching_set_id) if parent and parent.teaching_set_id != identity else ()
    )
    if parent and parent.teaching_set_id == identity:
        parents = parent.parents
    recognizer = DerivedRecognizer(identity, parents, held, _patterns(held))
    _check(recognizer)
    return recognizer
