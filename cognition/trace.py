"""Canonical JSON and the hash of a turn.

Only ints, strings, booleans, None, lists and dicts go in: what a replay on another machine, backend or batch
size must reproduce bit for bit. The form is that of RFC 8785 (JSON Canonicalization Scheme) for these types.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from itertools import chain
from typing import Any

import orjson

FORMAT = 1
MOST_EXACT = 2**53 - 1
MOST_KEYS = 1024
_INTS, _LISTS = {int}, {list}
# Keys that were found to be ASCII strings; no more are added once they are so many.
_KEYS: set[str] = set()


def canonical(value: Any) -> bytes:
    """Canonical JSON of a trace, in UTF-8.

    Raises:
        TypeError: a float, or another type that has no canonical form here.
        ValueError: an integer that JSON readers would round (beyond 2**53 - 1), or a key that is not ASCII.
    """
    if not _plain(value):
        _check(value, "$")
    return orjson.dumps(value, _as_list, orjson.OPT_SORT_KEYS)


def compute_trace_hash(folded: Mapping[str, Any]) -> str:
    """SHA-256 of a turn's folded trace, in hexadecimal."""
    return hashlib.sha256(canonical(folded)).hexdigest()


def _as_list(value: Any) -> list[Any]:
    """A named tuple as the list that a tuple is; orjson asks."""
    if isinstance(value, tuple):
        return list(value)
    raise TypeError(f"trace: {type(value).__name__} has no canonical form: fold ints and strings only")


def _plain(value: Any) -> bool:
    """Whether `_check` has nothing to say, without spelling out paths: a walk of 256 steps folds 1,000 values."""
    values = [value]
    for one in values:  # grows as it goes
        kind = type(one)
        if kind is str or kind is bool or one is None:
            continue
        if kind is int:
            if not -MOST_EXACT <= one <= MOST_EXACT:
                return False
        elif kind is list or kind is tuple:
            kinds = {*map(type, one)} if len(one) > 3 else None
            if kinds == _LISTS:  # as the steps of a walk: all their items at once
                values.append([*chain.from_iterable(one)])
            elif kinds != _INTS:
                values.extend(one)
            elif max(one) > MOST_EXACT or min(one) < -MOST_EXACT:
                return False
        elif kind is dict:
            if not one.keys() <= _KEYS:
                if not all(type(key) is str and key.isascii() for key in one):
                    return False
                if len(_KEYS) < MOST_KEYS:
                    _KEYS.update(one)
            values.extend(one.values())
        else:
            return False
    return True


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
