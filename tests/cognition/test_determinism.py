"""Equal input, equal trace: in any order, batch, process, seed of the string hash, and on both backends."""

from __future__ import annotations

import hashlib
import json
import os
import random
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cognition import CognitiveTurnResult, Runtime, RuntimeConfig, Vocabulary
from tests.cognition.prompts import FIXED, many

pytestmark = pytest.mark.cognition

ROOT = Path(__file__).parents[2]
Build = Callable[..., Runtime]
CONFIGS = [
    pytest.param({}, id="default"),
    pytest.param({"forward_graph_constraint": True}, id="constrained"),
    pytest.param({"forward_graph_constraint": True, "subject_span": "phrase", "top_k": 3}, id="phrase"),
    pytest.param({"inner_loop": "threshold", "ratify_intent": True}, id="threshold"),
    pytest.param({"inner_loop": "margin", "forward_graph_constraint": True}, id="margin"),
]

HASHES = """
import hashlib, json, sys
from cognition import Runtime, RuntimeConfig
prompts = json.load(sys.stdin)
for config in (RuntimeConfig(), RuntimeConfig(forward_graph_constraint=True)):
    found = Runtime.open(config=config).ask_batch(prompts)
    print(hashlib.sha256("".join(r.trace_hash + r.surface for r in found).encode()).hexdigest())
"""


def hashes(results: list[CognitiveTurnResult]) -> list[str]:
    return [result.trace_hash for result in results]


@pytest.fixture(scope="module")
def prompts(shipped: Vocabulary) -> list[str]:
    return many(shipped, every=8)


@pytest.mark.parametrize("config", CONFIGS)
def test_a_batch_gives_each_prompt_what_it_gets_alone(
    runtime_with: Build, prompts: list[str], config: dict[str, object]
) -> None:
    runtime = runtime_with(**config)
    alone = [runtime.ask(prompt) for prompt in prompts]
    assert len(set(hashes(alone))) == len(set(prompts)) > 200
    sizes, start = (1, 2, 7, 64, len(prompts)), 0
    for size in sizes:
        batch = slice(start, start + size)
        together = runtime.ask_batch(prompts[batch])
        assert hashes(together) == hashes(alone[batch])
        assert [r.surface for r in together] == [r.surface for r in alone[batch]]
        assert [r.citations for r in together] == [r.citations for r in alone[batch]]
        start += size
    assert start > len(prompts)


@given(seed=st.integers(0, 2**32))
@settings(max_examples=5)
def test_the_order_of_a_batch_does_not_matter(runtime: Runtime, prompts: list[str], seed: int) -> None:
    shuffled = [*prompts[::8], *FIXED, *FIXED]
    random.Random(seed).shuffle(shuffled)
    found = dict(zip(shuffled, hashes(runtime.ask_batch(shuffled)), strict=True))
    assert found == {prompt: runtime.ask(prompt).trace_hash for prompt in set(shuffled)}


def test_an_empty_batch_is_no_turn(runtime: Runtime) -> None:
    assert runtime.ask_batch([]) == []


def test_a_second_opening_gives_the_same_traces(runtime: Runtime, prompts: list[str]) -> None:
    assert hashes(Runtime.open().ask_batch(prompts[::2])) == hashes(runtime.ask_batch(prompts[::2]))


def test_a_turn_leaves_nothing_behind(runtime: Runtime) -> None:
    before = runtime.ask("What is knowledge?").trace_hash
    runtime.ask_batch(["No, knowledge means doubt", "Remember light", "knowledge is doubt, right?"])
    assert runtime.ask("What is knowledge?").trace_hash == before


def test_threads_may_share_a_runtime(runtime: Runtime, prompts: list[str]) -> None:
    expected = hashes(runtime.ask_batch(prompts[:60]))
    found: dict[int, list[str]] = {}

    def work(name: int) -> None:
        found[name] = [runtime.ask(prompt).trace_hash for prompt in prompts[:60]]

    threads = [threading.Thread(target=work, args=(name,)) for name in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert list(found.values()) == [expected] * 4


def test_the_seed_of_the_string_hash_does_not_matter(
    runtime: Runtime, runtime_with: Build, prompts: list[str], user_env: dict[str, str]
) -> None:
    sample = [prompt for prompt in prompts[::2] if prompt.isprintable()]
    outputs = []
    for seed in ("0", "4242"):
        done = subprocess.run(
            [sys.executable, "-c", HASHES],
            input=json.dumps(sample),
            env=user_env | {"PYTHONHASHSEED": seed, "PYTHONPATH": str(ROOT)},
            capture_output=True,
            text=True,
            timeout=120,
            check=True,
            cwd=os.fspath(ROOT),
        )
        outputs.append(done.stdout.split())
    here = [one.ask_batch(sample) for one in (runtime, runtime_with(forward_graph_constraint=True))]
    digest = [
        hashlib.sha256("".join(r.trace_hash + r.surface for r in rs).encode()).hexdigest() for rs in here
    ]
    assert outputs == [digest, digest]


@pytest.mark.parametrize("config", CONFIGS)
def test_jax_and_numpy_take_the_same_decisions(
    runtime_with: Build, jax_vocabulary: Vocabulary, prompts: list[str], config: dict[str, object]
) -> None:
    sample = prompts[::3]
    on_jax = Runtime(jax_vocabulary, RuntimeConfig(**config)).ask_batch(sample)  # pyright: ignore[reportArgumentType]
    on_numpy = runtime_with(**config).ask_batch(sample)
    assert hashes(on_jax) == hashes(on_numpy)
    assert max(r.versor_condition for r in on_jax if r.versor_condition is not None) < 1e-6
    walked = [r for r in on_jax if r.walk is not None]
    assert len(walked) > 50


@pytest.fixture(scope="module")
def jax_vocabulary() -> Vocabulary:
    return Runtime.open(backend="jax").vocabulary
