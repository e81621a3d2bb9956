"""Hierarchies from files, splits, points, and the command: their laws, and what is refused."""

from __future__ import annotations

import gzip
import json
import random
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cga._lattice import LIMIT
from cga.backend import FitReport, FittedGeometry, HierarchyProblem, Point
from experiments import cli
from experiments.closure import run
from experiments.closure.pairs import Closure, closure_of, read_closure, read_synsets
from experiments.closure.points import lattice_use, read_points, write_points
from experiments.closure.split import implied_share, split_pairs
from experiments.harness import UsageError
from tests.experiments.hierarchies import closure_from, random_pairs

pytestmark = pytest.mark.algebra


def hierarchy(*pairs: str) -> Closure:
    """From "dog mammal" and the like."""
    numbers: dict[str, int] = {}
    read = [tuple(numbers.setdefault(name, len(numbers)) for name in pair.split()) for pair in pairs]
    return closure_of(tuple(numbers), [(a, b) for a, b in read], "test")


DOG = hierarchy("dog carnivore", "dog mammal", "carnivore mammal", "whale mammal", "dog pet")


def test_what_follows_from_pairs() -> None:
    assert (DOG.closed, len(DOG), len(DOG.pairs)) == (True, 5, 5)
    named = {DOG.names[i]: {DOG.names[p] for p in found} for i, found in enumerate(DOG.parents)}
    assert named["dog"] == {"carnivore", "pet"}
    assert {DOG.names[i] for i in np.flatnonzero(DOG.leaves)} == {"dog", "whale"}
    assert {DOG.names[i] for i in np.flatnonzero(DOG.roots)} == {"mammal", "pet"}
    assert not hierarchy("dog carnivore", "carnivore mammal").closed


def test_a_cycle_names_its_nodes() -> None:
    with pytest.raises(UsageError, match=r"test: a cycle: (b < c < d < b|c < d < b < c|d < b < c < d);"):
        hierarchy("a b", "b c", "c d", "d b")


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("plain.tsv", "dog\tcarnivore\ndog\tmammal\n"),
        ("head.tsv", "Child\tAncestor\ndog\tcarnivore\ndog\tmammal\ndog\tmammal\n"),
        ("plain.csv", '"dog",carnivore\r\ndog,mammal\r\n'),
        ("weights.csv", "id1,id2,weight\ndog,carnivore,1\ndog,mammal,1\n"),
        ("bom.csv", "\ufeffid1,id2\ndog,carnivore\n\ndog,mammal\n"),
        ("packed.tsv.gz", "dog\tcarnivore\ndog\tmammal\n"),
    ],
)
def test_pairs_are_read(tmp_path: Path, name: str, text: str) -> None:
    path = tmp_path / name
    path.write_bytes(gzip.compress(text.encode()) if name.endswith(".gz") else text.encode())
    found = read_closure(path)
    assert found.names == ("dog", "carnivore", "mammal")
    assert found.pairs.tolist() == [[0, 1], [0, 2]]
    assert found.repeated == (1 if name == "head.tsv" else 0)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "no pair of node and ancestor"),
        (b"child\tancestor\n", "no pair of node and ancestor"),
        (b"dog\tmammal\ndog\n", r"bad.tsv:2: \['dog'\] is no pair"),
        (b"dog\tmammal\tvery\n", "bad.tsv:1: .* is no pair"),
        (b"dog\tmammal\nwhale\t\n", "bad.tsv:2: .* is no pair"),
        (b"dog\tmammal\ndog\tdog\n", "bad.tsv:2: 'dog' as its own ancestor"),
        (b"a\tb\nb\ta\n", "bad.tsv: a cycle: (a < b < a|b < a < b)"),
        ("dög\tmammal\n".encode("latin-1"), "bad.tsv:1: not UTF-8"),
        (b"dog\tmammal\n" + b"x" * 200_000 + b"\ty\n", "bad.tsv:2: field larger"),
    ],
)
def test_bad_pairs_are_refused_with_their_row(tmp_path: Path, content: bytes, message: str) -> None:
    path = tmp_path / "bad.tsv"
    path.write_bytes(content)
    with pytest.raises(UsageError, match=message):
        read_closure(path)


def test_unreadable_files_are_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"none.tsv: can't be read \(No such file"):
        read_closure(tmp_path / "none.tsv")
    broken = tmp_path / "broken.tsv.gz"
    broken.write_bytes(gzip.compress(b"dog\tmammal\n" * 1000)[:-9])
    with pytest.raises(UsageError, match=r"broken\.tsv\.gz: can't be read"):
        read_closure(broken)


SYNSETS = """synset\tpos\tlexfile\tmembers\thypernyms\tdefinition
1-n\tn\tnoun.Tops\tentity\t\tthat which "is
2-n\tn\tnoun.animal\tmammal\t1-n\twarm
3-n\tn\tnoun.animal\tdog\t2-n|4-n\tbarks
4-n\tn\tnoun.animal\tpet\t1-n\tkept
5-n\tn\tnoun.animal\tloner\t\talone
6-v\tv\tverb.body\tbreathe\t7-v\tdraw air
7-v\tv\tverb.body\tlive\t\tbe
"""


def test_synsets_are_closed(tmp_path: Path) -> None:
    path = tmp_path / "synsets.tsv"
    path.write_text(SYNSETS)
    found = read_synsets(path)
    named = {(found.names[a], found.names[b]) for a, b in found.pairs.tolist()}
    dog = {("3-n", "1-n"), ("3-n", "2-n"), ("3-n", "4-n")}
    assert named == {("2-n", "1-n"), ("4-n", "1-n")} | dog
    assert "5-n" not in found.names
    assert len(read_synsets(path, "v").pairs) == 1


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (("synset\t", "id\t"), "synsets.tsv:1: needs the columns synset, pos, hypernyms"),
        (("4-n\tn", "4-n"), "synsets.tsv:5: 5 cells, the heading has 6"),
        (("2-n|4-n", "2-n|9-n"), "synsets.tsv:4: hypernym '9-n' is no synset"),
        (("entity\t\t", "entity\t3-n\t"), "synsets.tsv|a cycle"),
    ],
)
def test_bad_synsets_are_refused(tmp_path: Path, change: tuple[str, str], message: str) -> None:
    path = tmp_path / "synsets.tsv"
    path.write_text(SYNSETS.replace(*change, 1))
    with pytest.raises(UsageError, match=message):
        read_synsets(path)


@given(
    st.integers(0, 10**6), st.sampled_from(["any", "inner", "unimplied"]), st.sampled_from([0.02, 0.1, 0.2])
)
def test_splits_keep_their_laws(seed: int, way: Any, share: float) -> None:
    closure = closure_from(random_pairs(random.Random(seed), 40))
    wanted = round(share * len(closure.pairs))
    inner = ~closure.leaves[closure.pairs[:, 0]] & ~closure.roots[closure.pairs[:, 1]]
    if not 1 <= wanted <= (len(inner) if way == "any" else np.count_nonzero(inner)):
        with pytest.raises(UsageError, match="--held-out"):
            split_pairs(closure, share, way, seed)
        return
    kept, held = split_pairs(closure, share, way, seed)
    both = np.concatenate([kept, held])
    assert sorted(both.tolist()) == closure.pairs.tolist()
    assert kept.tolist() == sorted(kept.tolist())
    if way != "any":
        assert not closure.leaves[held[:, 0]].any() and not closure.roots[held[:, 1]].any()
    assert len(held) <= wanted if way == "unimplied" else len(held) == wanted
    if way == "unimplied" and len(held):
        assert implied_share(closure, kept, held) == 0


def test_implied_pairs_are_counted() -> None:
    chain = closure_from([(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)])
    kept = np.array([(0, 1), (1, 2), (2, 3), (0, 3)])
    assert implied_share(chain, kept, np.array([(0, 2), (1, 3)])) == 1
    assert implied_share(chain, kept[[0, 2, 3]], np.array([(0, 2), (1, 2)])) == 0


def test_points_come_back(tmp_path: Path) -> None:
    path = tmp_path / "points.jsonl"
    points = (Point(1, -2, 3, 4), Point(LIMIT - 1, 0, 0, 1))
    write_points(path, ["a", "é"], points)
    assert read_points(path, ["é", "a"]) == points[::-1]
    with pytest.raises(UsageError, match="no point of 'b'"):
        read_points(path, ["a", "b"])
    path.write_text('{"id": "a", "x": [1, 2]}\n')
    with pytest.raises(UsageError, match=r"points\.jsonl:1: no"):
        read_points(path, ["a"])
    used = lattice_use(points)
    assert (used["bits"], used["least_breadth"], used["coarse"]) == (pytest.approx(24, abs=1e-6), 1, 2)


def fake_fit(problem: HierarchyProblem, *, seed: int = 0, effort: float = 1.0) -> FittedGeometry:
    """A tree by hand: each node beside its first ancestor, the more ancestors the narrower."""
    above: list[list[int]] = [[] for _ in range(problem.size)]
    for node, ancestor in problem.ancestors:
        above[node].append(ancestor)
    if problem.close:  # then it adds nothing
        assert all(set(above[a]) <= set(found) for found in above for a in found)
    points = [Point(1000 * i, 0, 0, 1 << max(1, 20 - 3 * len(found))) for i, found in enumerate(above)]
    report = FitReport(
        steps=int(100 * effort), seconds=0.1, first_loss=1.0, last_loss=0.5, radius=6.0, clamped=0, collisions=0,
        checked=40, changed_neighbourhoods=0, strong_share=1.0, related_share=1.0,
    )  # fmt: skip
    return FittedGeometry(points=tuple(points), turn=(1.0,) * 16, scale=1.0, report=report)


@pytest.fixture
def fitted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(run, "fit_hierarchy", fake_fit)


@pytest.fixture
def pairs_file(tmp_path: Path) -> Path:
    path = tmp_path / "closure.tsv"
    pairs = random_pairs(random.Random(5), 40)
    path.write_text("child\tancestor\n" + "".join(f"n{a}\tn{b}\n" for a, b in pairs))
    return path


def core(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], *arguments: str
) -> tuple[int, str, str]:
    monkeypatch.setattr(sys, "argv", ["core", *arguments])
    with pytest.raises(SystemExit) as ended:
        cli.main()
    captured = capsys.readouterr()
    return ended.value.code if isinstance(ended.value.code, int) else 0, captured.out, captured.err


@pytest.mark.usefixtures("fitted")
def test_the_command_prints_what_is_asked_of_it(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], pairs_file: Path, tmp_path: Path
) -> None:
    kept = str(tmp_path / "points.jsonl")
    given = ("eval", "geometry", "--closure", str(pairs_file), "--json")
    code, out, _ = core(monkeypatch, capsys, *given, "--save-points", kept, "--effort", "0.5")
    assert code == 0
    report = json.loads(out)
    assert (report["dims"], report["fit"]["steps"], report["held_out"], report["peers"]) == (4, 50, None, [])
    assert 0 < report["map"] <= 1 <= report["mean_rank"]
    assert report["seconds"] >= 0
    again = json.loads(core(monkeypatch, capsys, *given, "--points", kept)[1])
    assert (again["map"], again["mean_rank"]) == (report["map"], report["mean_rank"])
    assert (again["seconds"], again["fit"]) == (None, None)
    for way in ("any", "inner", "unimplied"):
        split = core(monkeypatch, capsys, *given, "--held-out", "0.1", "--held-out-way", way)[1]
        held = json.loads(split)["held_out"]
        assert held["pairs"] + json.loads(split)["pairs"] == report["pairs"]
        assert held["mean_rank"] >= 1
    code, out, _ = core(monkeypatch, capsys, *given[:-1], "--held-out", "0.1")
    assert code == 0 and "held out (inner)" in out


@pytest.mark.usefixtures("fitted")
@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--closure", "FILE", "--nouns-from", "FILE"], "give one of"),
        (["--points", "FILE"], "needs --closure or --nouns-from"),
        (["--held-out", "0.1"], "needs --closure or --nouns-from"),
        (["--closure", "FILE", "--held-out", "0.99"], "--held-out 0.99"),
        (["--closure", "FILE", "--held-out", "0"], "--held-out 0"),
        (["--closure", "FILE", "--held-out", "nan"], "--held-out nan"),
        (["--closure", "FILE", "--effort", "0"], "greater than or equal to 0.01"),
        (["--closure", "FILE", "--held-out", "1", "--held-out-way", "any"], "leaves some to fit"),
        (["--closure", "FILE", "--points", "FILE"], "--points closure.tsv:1"),
        (["--nouns-from", "FILE"], "closure.tsv:1: needs the columns"),
    ],
)
def test_wrong_use_ends_with_2_and_says_why(
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    pairs_file: Path,
    arguments: Sequence[str],
    message: str,
) -> None:
    given = [str(pairs_file) if word == "FILE" else word for word in arguments]
    code, out, err = core(monkeypatch, capsys, "eval", "geometry", *given)
    assert (code, out) == (2, "")
    assert message in " ".join(err.replace("│", " ").split())


@pytest.mark.slow
def test_a_fitted_tree_is_given_back() -> None:
    """Every node of a complete ternary tree has its ancestors before all others, and the broader ones are above."""
    pairs = []
    for node in range(1, 121):
        above = (node - 1) // 3
        while above:
            pairs.append((node, above))
            above = (above - 1) // 3
        pairs.append((node, 0))
    report, points = run.evaluate_closure(closure_from(pairs), source="tree")
    assert len(set(points)) == 121
    assert report["map"] > 0.99 and report["mean_rank"] < 1.05
    assert report["direction"]["to_parents"]["breadth"] > 0.95
    assert report["fit"]["checked"] == 121


@pytest.mark.slow
def test_the_mammals_are_given_back(data_dir: Path) -> None:
    closure = read_closure(data_dir / "oewn" / "mammal_closure.tsv")
    report, _ = run.evaluate_closure(closure, source="mammals")
    assert report["map"] >= 0.99 and report["mean_rank"] < 1.1


def test_the_mammals_are_those_of_the_data(data_dir: Path) -> None:
    found = read_closure(data_dir / "oewn" / "mammal_closure.tsv")
    assert (len(found), len(found.pairs), found.closed) == (1177, 6465, True)


@pytest.mark.slow
def test_the_nouns_are_those_of_the_data(data_dir: Path) -> None:
    found = read_synsets(data_dir / "oewn" / "synsets.tsv.gz")
    assert (len(found), len(found.pairs), found.closed) == (71873, 666001, True)
    assert found.names[int(np.flatnonzero(found.roots)[0])] == "00001740-n"
