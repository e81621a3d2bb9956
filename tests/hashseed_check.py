"""Fails if `core` answers differently under two seeds of Python's string hash.

Usage: hashseed_check.py ARGUMENT...    the arguments of `core`, an evaluation; --json is added.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys

SEEDS = ("0", "1")
COMPARED = ("trace_hash", "surface", "groundedness", "capture")


def answers(arguments: list[str], seed: str) -> dict[str, list[tuple[object, ...]]]:
    """For each arm of the evaluation, what is compared of each of its cases."""
    done = subprocess.run(
        [sys.executable, "-c", "from experiments.cli import main; main()", *arguments, "--json"],
        env=os.environ | {"PYTHONHASHSEED": seed},
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    arms = json.loads(done.stdout)["arms"]
    return {arm: [tuple(case[name] for name in COMPARED) for case in arms[arm]["cases"]] for arm in arms}


def main(arguments: list[str]) -> int:
    first, second = (answers(arguments, seed) for seed in SEEDS)
    cases = sum(map(len, first.values()))
    if not cases:
        print("hash seed: the evaluation has no cases", file=sys.stderr)
        return 1
    if first == second:
        print(f"hash seed: {cases} cases in {len(first)} arms are the same under seeds {' and '.join(SEEDS)}")
        return 0
    for arm in sorted(first.keys() | second.keys()):
        one, two = first.get(arm, []), second.get(arm, [])
        if len(one) != len(two):
            print(f"hash seed: {arm}: {len(one)} cases and {len(two)}", file=sys.stderr)
        for row, (a, b) in enumerate(zip(one, two, strict=False)):
            if a != b:
                print(f"hash seed: {arm}, case {row}: {a} is not {b}", file=sys.stderr)
    return 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
