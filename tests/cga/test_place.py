"""Points placed beside known ones: near what they belong to, nowhere where another is, and nothing else moves."""

from __future__ import annotations

import random

import pytest

from cga.backend import HierarchyProblem, Point, fit_hierarchy, open_backend, place_points


def scattered(size: int, seed: int) -> list[Point]:
    draw = random.Random(seed)
    found: set[Point] = set()
    while len(found) < size:
        x1, x2, x3 = (draw.randint(-(1 << 22), 1 << 22) for _ in range(3))
        found.add(Point(x1, x2, x3, int(2 ** draw.uniform(14, 22))))
    return sorted(found)


def ranks(points: list[Point], pairs: list[tuple[int, int]]) -> list[int]:
    """Of each pair the worse of the two places among the other's nearest."""
    backend = open_backend("numpy")
    opened = backend.open_vocabulary(points)
    near = {i: backend.neighbourhoods(opened, [i], len(points))[0] for pair in pairs for i in pair}
    return [max(near[i].index(j), near[j].index(i)) for i, j in pairs]


def test_a_point_and_its_partner_are_among_each_others_eight_nearest():
    known = scattered(400, 0)
    pairs = [(400 + i, 7 * i) for i in range(10)]
    placed = place_points(known, 10, [(new, other, 1.0) for new, other in pairs])
    assert max(ranks([*known, *placed], pairs)) < 8


def test_a_chain_of_new_points_grows_from_the_known_one_it_hangs_on():
    known = scattered(200, 1)
    links = [(200, 201), (201, 202), (202, 203), (203, 17)]
    placed = place_points(known, 4, [(new, other, 1.0) for new, other in links])
    assert max(ranks([*known, *placed], links)) < 8


def test_points_of_a_hierarchy_take_a_new_leaf_beside_its_parent():
    pairs = tuple((i, (i - 1) // 4) for i in range(1, 120))
    fitted = fit_hierarchy(HierarchyProblem(size=120, ancestors=pairs), effort=0.1).points
    placed = place_points(fitted, 1, [(120, 20, 1.0)])
    backend = open_backend("numpy")
    found = backend.neighbourhoods(backend.open_vocabulary([*fitted, *placed]), [120], 8)[0]
    assert found[0] == 120 and 20 in found


def test_no_two_points_share_a_place_even_where_there_is_no_room():
    known = [
        Point(x, y, z, 1 + rho) for x in range(3) for y in range(3) for z in range(3) for rho in range(2)
    ]
    placed = place_points(known, 30, [(len(known) + i, 0, 1.0) for i in range(30)])
    assert len({*known, *placed}) == len(known) + 30
    open_backend("numpy").open_vocabulary([*known, *placed])


def test_points_without_partners_get_a_place_too():
    known = scattered(50, 2)
    placed = place_points(known, 3, [])
    assert len({*known, *placed}) == 53


def test_nothing_to_place_places_nothing():
    assert place_points(scattered(5, 3), 0, []) == ()


def test_one_seed_gives_one_place():
    known = scattered(100, 4)
    pairs = [(100, 3, 1.0), (100, 50, 0.5), (101, 100, 1.0)]
    assert place_points(known, 2, pairs, seed=9) == place_points(known, 2, pairs, seed=9)


@pytest.mark.parametrize(
    ("count", "pairs", "message"),
    [
        (-1, [], "count: -1"),
        (1, [(3, 4, 1.0)], r"pairs\[0\]: .* names no new point; they are 10\.\.10"),
        (1, [(10, 11, 1.0)], r"pairs\[0\]: .* names no other"),
        (1, [(10, 10, 1.0)], "names no other"),
        (1, [(10, 1, 0.0)], "positive, finite weight"),
        (1, [(10, 1, float("nan"))], "positive, finite weight"),
    ],
)
def test_what_is_no_pair_is_an_error_that_names_it(count, pairs, message):
    with pytest.raises(ValueError, match=message):
        place_points(scattered(10, 5), count, pairs)
