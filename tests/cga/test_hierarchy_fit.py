"""Fits of hierarchies: ancestors nearer than all else, on the lattice, whatever the shape of the hierarchy."""

from __future__ import annotations

import random
from pathlib import Path

import numpy as np
import pytest

from cga._hierarchy import layout, read_hierarchy
from cga._lattice import key
from cga.backend import FittedGeometry, HierarchyProblem, fit_hierarchy, open_backend

Pairs = tuple[tuple[int, int], ...]


def random_tree(size: int, seed: int, bushy: float = 1.0) -> Pairs:
    """(child, parent) pairs; the more bushy, the more a node's parent is among the first."""
    draw = random.Random(seed)
    return tuple((i, int(i * draw.random() ** bushy)) for i in range(1, size))


def plain_closure(size: int, pairs: Pairs) -> list[set[int]]:
    """Ancestors by repeated joining."""
    above: list[set[int]] = [{a for n, a in pairs if n == i} for i in range(size)]
    while True:
        grown = [found.union(*(above[a] for a in found)) for found in above]
        if grown == above:
            return above
        above = grown


def mean_average_precision(fitted: FittedGeometry, above: list[set[int]]) -> float:
    """As Nickel & Kiela rank: each ancestor among all that are none; ties count against it."""
    scores = []
    for node, found in enumerate(above):
        if not found:
            continue
        keys = [key(point, fitted.points[node]) for point in fitted.points]
        others = [k for i, k in enumerate(keys) if i != node and i not in found]
        mine = sorted(keys[a] for a in found)
        ranks = [place + sum(k <= mine[place - 1] for k in others) for place in range(1, len(mine) + 1)]
        scores.append(np.mean([place / rank for place, rank in enumerate(ranks, 1)]))
    return float(np.mean(scores))


@pytest.mark.parametrize("seed", range(3))
def test_the_closure_and_the_direct_parents_are_those_of_plain_set_arithmetic(seed):
    draw = random.Random(seed)
    size = 40
    extra: set[tuple[int, int]] = set()
    while len(extra) < 15:
        low, high = sorted(draw.sample(range(size), 2))
        extra.add((high, low))
    pairs = tuple({*random_tree(size, seed), *extra})
    read = read_hierarchy(HierarchyProblem(size=size, ancestors=pairs))
    above = plain_closure(size, pairs)
    assert [
        set(read.ancestors[a:b].tolist()) for a, b in zip(read.start, read.start[1:], strict=False)
    ] == above
    for node, parent in enumerate(read.parent.tolist()):
        if parent < 0:
            assert not above[node]
        else:
            assert not any(parent in above[other] for other in above[node]), "an ancestor lies between"
    assert read.leaf.tolist() == [not any(i in found for found in above) for i in range(size)]


def test_pairs_are_taken_as_they_are_where_they_are_not_to_be_closed():
    read = read_hierarchy(HierarchyProblem(size=3, ancestors=((2, 1), (1, 0)), close=False))
    assert read.ancestors.tolist() == [0, 1]


def test_pairs_that_may_be_left_unsaid_are_open_where_the_pairs_are_not_closed():
    # 3 lies below 1 and 2, so one of these may be above the other; 1 below 0 and 4 below 1, so 4 below 0 follows.
    pairs = ((3, 1), (3, 2), (1, 0), (4, 1))
    read = read_hierarchy(HierarchyProblem(size=5, ancestors=pairs, close=False))
    assert set(map(tuple, read.open_pairs.tolist())) == {(1, 2), (2, 1), (3, 0), (4, 0)}
    assert len(read_hierarchy(HierarchyProblem(size=5, ancestors=pairs)).open_pairs) == 0


def test_an_open_pair_may_come_near():
    size = 120
    pairs = tuple((i, (i - 1) // 3) for i in range(1, size))
    above = plain_closure(size, pairs)
    hidden = [(i, ((i - 1) // 3 - 1) // 3) for i in range(40, size)]
    kept = tuple((i, a) for i, found in enumerate(above) for a in found if (i, a) not in hidden)
    fitted = fit_hierarchy(HierarchyProblem(size=size, ancestors=kept, close=False), effort=0.1)
    ranks = []
    for node, ancestor in hidden:
        keys = [key(point, fitted.points[node]) for point in fitted.points]
        others = [i for i in range(size) if i != node and i not in above[node]]
        ranks.append(1 + sum(keys[i] <= keys[ancestor] for i in others))
    assert np.median(ranks) == 1


def test_partners_go_both_ways_and_leave_out_what_is_an_ancestor_anyway():
    read = read_hierarchy(
        HierarchyProblem(size=4, ancestors=((1, 0), (2, 0), (3, 1)), partners=((1, 2), (3, 0)))
    )
    assert read.partners.tolist() == [[1, 2], [2, 1]]


@pytest.mark.parametrize(
    ("size", "ancestors", "partners", "message"),
    [
        (1, (), (), "size: 1"),
        (3, ((0, 3),), (), r"ancestors\[0\]: \(0, 3\) names no two"),
        (3, ((0, 1), (2, 2)), (), r"ancestors\[1\]: \(2, 2\) names no two"),
        (3, ((0, 1),), ((-1, 0),), r"partners\[0\]: \(-1, 0\) names no two"),
        (3, ((0, 1), (1, 0)), (), "a cycle, 0 -> 1 -> 0"),
        (5, ((4, 3), (3, 2), (2, 1), (1, 3)), (), "a cycle, 1 -> 3 -> 2 -> 1"),
        (30, tuple((i, (i + 1) % 30) for i in range(30)), (), r"a cycle, 0 -> 1 -> .* -> \.\.\. -> 0"),
    ],
)
def test_what_is_no_hierarchy_is_an_error_that_names_it(size, ancestors, partners, message):
    with pytest.raises(ValueError, match=message):
        fit_hierarchy(HierarchyProblem(size=size, ancestors=ancestors, partners=partners))


@pytest.mark.parametrize("effort", [0.0, -1.0, float("nan"), 1e9])
def test_an_effort_that_is_none_is_an_error(effort):
    with pytest.raises(ValueError, match="effort"):
        fit_hierarchy(HierarchyProblem(size=2, ancestors=((1, 0),)), effort=effort)


def test_the_layout_alone_puts_most_ancestors_first():
    size = 600
    pairs = random_tree(size, 0, bushy=2)
    above = plain_closure(size, pairs)
    points = layout(read_hierarchy(HierarchyProblem(size=size, ancestors=pairs)))
    assert np.all(np.abs(points[:, :3]) <= 0.5) and np.all((points[:, 3] > 0) & (points[:, 3] < 1))
    assert len(np.unique(points, axis=0)) == size
    precision = []
    for node in range(1, size):
        keys = np.square(points - points[node]).sum(axis=1) / points[:, 3]
        keys[node] = np.inf
        nearest = np.argsort(keys)[: len(above[node])]
        precision.append(len(above[node].intersection(nearest.tolist())) / len(above[node]))
    assert np.mean(precision) > 0.75


SHAPES: dict[str, tuple[int, Pairs]] = {
    "tree": (150, random_tree(150, 1, bushy=1.5)),
    "bush": (300, random_tree(300, 2, bushy=4)),
    "star": (200, tuple((i, 0) for i in range(1, 200))),
    "binary": (127, tuple((i, (i - 1) // 2) for i in range(1, 127))),
    "two parents": (80, (*random_tree(80, 3), *((i, i // 3) for i in range(40, 80)))),
    "forest": (90, tuple((i, i // 10 * 10) for i in range(90) if i % 10)),
}


QUICK = ("star", "two parents")


@pytest.mark.parametrize(
    "shape", [pytest.param(s, marks=[] if s in QUICK else pytest.mark.slow) for s in SHAPES]
)
def test_ancestors_are_nearer_than_all_else_after_rounding(shape):
    size, pairs = SHAPES[shape]
    fitted = fit_hierarchy(HierarchyProblem(size=size, ancestors=pairs), effort=0.25)
    assert len(set(fitted.points)) == size
    open_backend("numpy").open_vocabulary(fitted.points)  # on the lattice
    assert mean_average_precision(fitted, plain_closure(size, pairs)) > 0.97
    report = fitted.report
    assert report.checked == size
    assert report.strong_share > 0.9
    assert report.changed_neighbourhoods <= size // 50
    assert np.isfinite([report.first_loss, report.last_loss, report.radius]).all()


@pytest.mark.parametrize(
    ("size", "pairs"),
    [
        (2, ()),
        (2, ((1, 0),)),
        (300, ()),
        (60, tuple((i, i - 1) for i in range(1, 60))),
    ],
    ids=["two alone", "a pair", "no pairs", "a chain"],
)
def test_shapes_with_little_to_go_by_still_give_points_of_their_own(size, pairs):
    fitted = fit_hierarchy(HierarchyProblem(size=size, ancestors=pairs), effort=0.05)
    assert len(set(fitted.points)) == size
    open_backend("numpy").open_vocabulary(fitted.points)


@pytest.mark.slow
def test_partners_come_near():
    draw = random.Random(5)
    size = 200
    pairs = random_tree(size, 4, bushy=2)
    above = plain_closure(size, pairs)
    leaves = [i for i in range(size) if not any(i in found for found in above)]
    draw.shuffle(leaves)
    partners = tuple(zip(leaves[:20], leaves[20:40], strict=True))

    def nearness(fitted: FittedGeometry) -> float:
        near = open_backend("numpy")
        found = near.neighbourhoods(near.open_vocabulary(fitted.points), [a for a, _ in partners], 16)
        return float(np.mean([b in row for (_, b), row in zip(partners, found, strict=True)]))

    without = fit_hierarchy(HierarchyProblem(size=size, ancestors=pairs), effort=0.25)
    together = fit_hierarchy(HierarchyProblem(size=size, ancestors=pairs, partners=partners), effort=0.25)
    assert nearness(together) > 0.9 > nearness(without)


@pytest.mark.parametrize("size", [120, pytest.param(700, marks=pytest.mark.slow)])
def test_one_seed_gives_one_geometry(size):
    problem = HierarchyProblem(size=size, ancestors=random_tree(size, 6))
    first, again = (fit_hierarchy(problem, seed=3, effort=0.05) for _ in range(2))
    assert first.points == again.points
    assert first.report.last_loss == again.report.last_loss


@pytest.mark.slow
def test_random_leaves_take_part_above_the_small_size():
    size = 5000
    pairs = random_tree(size, 7, bushy=3)
    fitted = fit_hierarchy(HierarchyProblem(size=size, ancestors=pairs), effort=0.2)
    assert len(set(fitted.points)) == size
    assert fitted.report.strong_share > 0.8
    again = fit_hierarchy(HierarchyProblem(size=size, ancestors=pairs), effort=0.2)
    assert again.points == fitted.points


@pytest.mark.slow
def test_mammals_are_reconstructed(data_dir: Path):
    names: dict[str, int] = {}
    pairs = []
    for line in (data_dir / "oewn" / "mammal_closure.tsv").read_text().splitlines()[1:]:
        child, ancestor = line.split("\t")
        pairs.append((names.setdefault(child, len(names)), names.setdefault(ancestor, len(names))))
    fitted = fit_hierarchy(HierarchyProblem(size=len(names), ancestors=tuple(pairs)))
    assert mean_average_precision(fitted, plain_closure(len(names), tuple(pairs))) > 0.99
