"""Every way of search gives one answer, and one that does not is found."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from cga import _search
from experiments.exactness import check_exactness
from tests.cga.conftest import coarse_points

pytestmark = pytest.mark.algebra

ROOT = Path(__file__).parents[2]


def test_every_way_of_search_is_compared(monkeypatch):
    monkeypatch.setattr(_search, "BLOCKED", 1)
    points = np.array(coarse_points(800, 9))
    report = check_exactness(points, queries=40, shards=(1, 2, 64), batches=(16,))
    assert report.ties > 10
    assert [(way.name, way.shards) for way in report.ways] == [
        ("numpy", 1),
        ("jax", 1),
        ("nearest", 1),
        ("jax", 2),
        ("nearest", 2),
        ("walk", 1),
    ]
    assert not report.failed
    assert report.shards == (1, 2)


def test_a_way_that_differs_is_found(monkeypatch):
    def backwards(host, asked, k):
        return [row[::-1] for row in _search.rank_all(host, asked, k)]

    monkeypatch.setattr(_search, "top_k", backwards)
    monkeypatch.setattr(_search, "select_walk", lambda host, *_: [host.size - 1, 0])
    report = check_exactness(np.array(coarse_points(800, 9)), queries=40, shards=(), batches=(16,))
    assert {way.name: way.differ for way in report.failed} == {"numpy": 40, "walk": 20}


@pytest.mark.slow
def test_ten_thousand_queries_on_a_hundred_thousand_words(user_env):
    """Every way of search there is, on one, two and eight devices, one query at a time and 4,096 together."""
    program = (
        "from experiments.exactness import check_exactness\n"
        "from tests.cga.large import tree_points\n"
        "report = check_exactness(tree_points(107_000, 1), queries=10_000)\n"
        "assert report.shards == (1, 2, 8) and report.queries == 10_000\n"
        "assert not report.failed, report\n"
    )
    subprocess.run(
        [sys.executable, "-c", program],
        env={**user_env, "XLA_FLAGS": "--xla_force_host_platform_device_count=8"},
        cwd=ROOT,
        check=True,
        timeout=1800,
    )


def test_the_command_names_every_way(user_env):
    done = subprocess.run(
        [
            sys.executable,
            "-c",
            "from experiments.cli import main; main()",
            "eval",
            "exactness",
            "--queries",
            "20",
            "--devices",
            "2",
            "--json",
        ],
        capture_output=True,
        text=True,
        env=user_env,
        cwd=ROOT,
        check=True,
    )
    report = json.loads(done.stdout)
    assert report["failed"] == 0
    assert {way["name"] for way in report["ways"]} == {"numpy", "jax", "nearest", "walk"}
    assert {way["shards"] for way in report["ways"]} == {1, 2}
