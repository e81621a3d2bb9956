"""Two runs of one suite: which samples changed and how, how the scores differ, and what else was not the same."""

from __future__ import annotations

import math
from array import array
from collections import Counter, defaultdict, deque
from collections.abc import Iterator, Mapping
from pathlib import Path
from statistics import fmean, stdev
from typing import Any

from experiments.harness import UsageError
from experiments.metrics.summary import paired
from experiments.runs.record import RunRecord
from experiments.runs.store import open_samples

MOST_RESAMPLED = 5000
"""Up to so many pairs the interval of a difference is a bootstrap's; beyond, that of a normal mean."""
NORMAL_95 = 1.959964
_KEYS = ("id", "arm")
_REFUSAL = "refusal"
_SAID = {"surface", "citations", _REFUSAL, "proposition"}
_ELSE = ("git", "versions", "pack", "config", "backend", "device", "platform", "machine", "execution")

Row = Mapping[str, Any]
Key = tuple[str, str]


def compare_runs(
    folder: Path, first: RunRecord, second: RunRecord, *, limit: int | None = None
) -> dict[str, Any]:
    """Compares the second run with the first, sample by sample.

    Args:
        folder: of results.
        first, second: runs of the same version of one suite.
        limit: how many changed samples are listed, those first that say something else; None lists all. All are
            counted.

    Returns:
        Ready for JSON: ``first``, ``second`` (ids); ``suite``; ``else`` (what differs beside the samples: field, both
        values); ``dirty`` (whether a checkout differed from its commit, so that equal commits don't say that the code
        was the same); ``samples`` (None where the runs have none: counts, changes by field, those listed with both
        values); ``scores`` (second minus first of each score by arm, over the samples that define it in both, with an
        interval of 95 %); ``metrics`` (figures of the report that differ); ``changed``.

    Raises:
        UsageError: the runs are of different suites or versions, or samples can't be read.
    """
    _check_same_suite(first, second)
    mine, theirs = open_samples(folder, first), open_samples(folder, second)
    samples = scores = None
    if mine is not None and theirs is not None:
        samples, scores = _compare_samples(mine, theirs, limit)
    metrics = _changed_metrics(first.metrics, second.metrics)
    return {
        "first": first.id,
        "second": second.id,
        "suite": first.suite.model_dump(),
        "else": _what_else(first, second),
        "dirty": bool(first.git.dirty or second.git.dirty),
        "samples": samples,
        "scores": scores,
        "metrics": metrics,
        "changed": bool(metrics) if samples is None else samples["same"] < max(samples["rows"]),
    }


def _check_same_suite(first: RunRecord, second: RunRecord) -> None:
    one, other = first.suite, second.suite
    if one == other:
        return
    if one.name != other.name:
        gap = f"{first.id} is of suite {one.name}, {second.id} of {other.name}"
    elif one.version != other.version:
        gap = (
            f"{first.id} is of suite {one.name} version {one.version}, {second.id} of version {other.version}"
        )
    else:
        gap = f"suite {one.name} version {one.version} has other cases in {second.id} than in {first.id}"
    raise UsageError(f"{gap}: only runs of the same cases can be compared")


def _what_else(first: RunRecord, second: RunRecord) -> list[dict[str, Any]]:
    one, other = ({name: record.model_dump()[name] for name in _ELSE} for record in (first, second))
    mine, theirs = dict(_leaves(one)), dict(_leaves(other))
    return [
        {"field": field, "first": mine.get(field), "second": theirs.get(field)}
        for field in dict.fromkeys((*mine, *theirs))
        if mine.get(field) != theirs.get(field)
    ]


def _leaves(value: Mapping[str, Any], within: str = "") -> Iterator[tuple[str, Any]]:
    for name, part in value.items():
        if isinstance(part, Mapping):
            yield from _leaves(part, f"{within}{name}.")
        else:
            yield f"{within}{name}", part


def _changed_metrics(
    mine: Mapping[str, float | None], theirs: Mapping[str, float | None]
) -> list[dict[str, Any]]:
    changed: list[dict[str, Any]] = []
    for name in dict.fromkeys((*mine, *theirs)):
        a, b = mine.get(name), theirs.get(name)
        if a != b:
            gap = None if a is None or b is None else b - a
            changed.append({"name": name, "first": a, "second": b, "difference": gap})
    return changed


def _compare_samples(
    mine: Iterator[dict[str, Any]], theirs: Iterator[dict[str, Any]], limit: int | None
) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """The samples and the scores of a comparison, in one pass over both files.

    Every number or truth value of a sample is a score, and so is whether there is no refusal.
    """
    scores: defaultdict[tuple[str, str], _Score] = defaultdict(_Score)
    fields: Counter[str] = Counter()
    listed: tuple[list[dict[str, Any]], ...] = ([], [])
    counts = Counter(same=0, changed=0)
    pairs = _Pairs(mine, theirs)
    for (arm, sample_id), one, other in pairs:
        for name in one.keys() & other.keys() - set(_KEYS):
            scores[arm, name].add(one[name], other[name])
        if _REFUSAL in one and _REFUSAL in other:
            scores[arm, "answered"].add(one[_REFUSAL] is None, other[_REFUSAL] is None)
        if one == other:
            counts["same"] += 1
            continue
        counts["changed"] += 1
        gaps = {
            name: [one.get(name), other.get(name)]
            for name in dict.fromkeys((*one, *other))
            if one.get(name) != other.get(name)
        }
        fields.update(list(gaps))
        kind = listed[0 if _SAID & gaps.keys() else 1]
        if limit is None or len(kind) < limit:
            kind.append({"id": sample_id, "arm": arm, "prompt": other.get("prompt"), "fields": gaps})
    missing = [[{"id": i, "arm": arm} for arm, i in side] for side in pairs.left_over()]
    return {
        "rows": list(pairs.rows),
        **counts,
        "only_first": len(missing[0]),
        "only_second": len(missing[1]),
        "by_field": dict(fields.most_common()),
        "listed": [*listed[0], *listed[1]][:limit],
        "listed_only_first": missing[0][:limit],
        "listed_only_second": missing[1][:limit],
    }, [
        {"arm": arm, "name": name, **score.difference()}
        for (arm, name), score in sorted(scores.items())
        if score.gaps
    ]


class _Pairs:
    """The samples of two files by arm and id; the k-th of one with the k-th of the other, where an id comes again.

    Runs of one suite hold their samples in one order, so that few have to wait for the other file's.
    """

    def __init__(self, *files: Iterator[dict[str, Any]]) -> None:
        self.files = files
        self.rows = [0, 0]
        self.waiting: tuple[dict[Key, deque[Row]], ...] = ({}, {})

    def __iter__(self) -> Iterator[tuple[Key, Row, Row]]:
        open_sides = [0, 1]
        while open_sides:
            for side in tuple(open_sides):
                row = next(self.files[side], None)
                if row is None:
                    open_sides.remove(side)
                    continue
                self.rows[side] += 1
                key = (str(row.get("arm", "")), str(row.get("id", self.rows[side])))
                others = self.waiting[1 - side].get(key)
                if not others:
                    self.waiting[side].setdefault(key, deque()).append(row)
                    continue
                other = others.popleft()
                if not others:
                    del self.waiting[1 - side][key]
                yield (key, other, row) if side else (key, row, other)

    def left_over(self) -> list[list[Key]]:
        """Of each file what the other does not have."""
        return [[key for key, rows in side.items() for _ in rows] for side in self.waiting]


class _Score:
    """One score of one arm over the samples that define it in both runs."""

    __slots__ = ("first", "gaps", "second")

    def __init__(self) -> None:
        self.first = self.second = 0.0
        self.gaps = array("d")

    def add(self, one: Any, other: Any) -> None:
        if isinstance(one, (int, float)) and isinstance(other, (int, float)):
            self.first += one
            self.second += other
            self.gaps.append(float(other) - float(one))

    def difference(self) -> dict[str, Any]:
        n = len(self.gaps)
        means = {"first": self.first / n, "second": self.second / n}
        if not any(self.gaps):
            return {"n": n, **means, "difference": 0.0, "low": 0.0, "high": 0.0, "interval": "none differs"}
        if n <= MOST_RESAMPLED:
            return {**means, **paired(self.gaps, [0.0] * n), "interval": "bootstrap"}
        middle = fmean(self.gaps)
        half = NORMAL_95 * stdev(self.gaps, middle) / math.sqrt(n)
        return {
            "n": n,
            **means,
            "difference": middle,
            "low": middle - half,
            "high": middle + half,
            "interval": "normal",
        }
