"""Canonical JSON and the hash of a turn.

Only ints, strings, booleans, None, lists and dicts go in: what a replay on another machine, backend or batch
size must reproduce bit for bit. The form is that of RFC 8785 (JSON Canonicalization Scheme) for these types.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from typing import Any

FORMAT = 1
MOST_EXACT = 2**53 - 1


def canonical(value: Any) -> bytes:
    """Canonical JSON of a trace, in UTF-8.

    Raises:
        TypeError: a float, or another type that has no canonical form here.
        ValueError: an integer that JSON readers would round (beyond 2**53 - 1), or a key that is not ASCII.
    """
    if not _plain(value):
        _check(value, "$")
    return json.dumps(
        value, ensure_ascii=False, separators=(",", ":"), sort_keys=True, allow_nan=False
    ).encode()


def compute_trace_hash(folded: Mapping[str, Any]) -> str:
    """SHA-256 of a turn's folded trace, in hexadecimal."""
    return hashlib.sha256(canonical(folded)).hexdigest()


def _plain(value: Any) -> bool:
    """Whether `_check` has nothing to say, without spelling out paths: a walk of 256 steps folds 1,000 values."""
    kind = type(value)
    if kind is int:
        return -MOST_EXACT <= value <= MOST_EXACT
    if kind is str or kind is bool or value is None:
        return True
    if kind is list or kind is tuple:
        return all(map(_plain, value))
    return (
        kind is dict
        and all(type(key) is str and key.isascii() for key in value)
        and all(map(_plain, value.values()))
    )


def _check(value: Any, path: str) -> None:
    if value is None or isinstance(value, (str, bool)):
        return
    if isinstance(value, int):
        if abs(value) > MOST_EXACT:
            raise ValueError(f"trace: {path}: {value} is beyond 2**53 - 1: fold it as a string")
    elif isinstance(value, (list, tuple)):
        for i, item in enumerate(value):
            _check(item, f"{path}[{i}]")
    elif isinstance(value, Mapping):
        for key, item in value.items():
            if not isinstance(key, str) or not key.isascii():
                raise ValueError(f"trace: {path}: key {key!r} is not an ASCII string")
            _check(item, f"{path}.{key}")
    else:
        raise TypeError(
            f"trace: {path}: {type(value).__name__} has no canonical form: fold ints and strings only"
        )
