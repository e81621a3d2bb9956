"""Laws of regions: they compose by intersection, and nothing widens them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cognition import AdmissibilityRegion, InnerLoopExhaustion
from cognition.admissibility import UNCONSTRAINED

pytestmark = pytest.mark.cognition

INDEX = st.integers(0, 12)
SETS = st.frozensets(INDEX, max_size=8)


def region(words: frozenset[int] | None) -> AdmissibilityRegion:
    indices = None if words is None else tuple(sorted(words))
    return AdmissibilityRegion(allowed_indices=indices, label="graph:p0", source="test")


REGIONS = st.builds(region, st.none() | SETS)
BLADES = st.none() | st.sampled_from([(1,), (2,), (1, 2), (3, 4, 5)])
BLADED = st.builds(
    lambda words, blade, frame: AdmissibilityRegion(
        allowed_indices=None if words is None else tuple(sorted(words)),
        relation_blade=blade,
        frame_versor=frame if blade is not None else None,
        label="r",
        source="test",
    ),
    st.none() | SETS,
    BLADES,
    st.none() | st.just((6, 7)),
)
FREE = AdmissibilityRegion(allowed_indices=None, label=UNCONSTRAINED, source="test")


def admitted(one: AdmissibilityRegion) -> set[int]:
    return {index for index in range(13) if one.admits(index)}


@given(REGIONS, REGIONS)
def test_intersection_admits_what_both_admit(a: AdmissibilityRegion, b: AdmissibilityRegion) -> None:
    assert admitted(a.intersect(b)) == admitted(a) & admitted(b)


@given(REGIONS, REGIONS)
def test_intersection_is_commutative(a: AdmissibilityRegion, b: AdmissibilityRegion) -> None:
    assert a.intersect(b).allowed_indices == b.intersect(a).allowed_indices


@given(REGIONS, REGIONS, REGIONS)
def test_intersection_is_associative(
    a: AdmissibilityRegion, b: AdmissibilityRegion, c: AdmissibilityRegion
) -> None:
    assert a.intersect(b).intersect(c).allowed_indices == a.intersect(b.intersect(c)).allowed_indices


@given(REGIONS)
def test_intersection_with_itself_changes_nothing(a: AdmissibilityRegion) -> None:
    assert a.intersect(a).allowed_indices == a.allowed_indices


@given(REGIONS)
def test_the_unconstrained_region_is_neutral(a: AdmissibilityRegion) -> None:
    assert a.intersect(FREE).allowed_indices == FREE.intersect(a).allowed_indices == a.allowed_indices


@given(REGIONS, REGIONS)
def test_intersection_never_widens(a: AdmissibilityRegion, b: AdmissibilityRegion) -> None:
    both = a.intersect(b)
    assert admitted(both) <= admitted(a)
    assert admitted(both) <= admitted(b)
    assert both.is_unconstrained == (a.is_unconstrained and b.is_unconstrained)


@given(st.lists(REGIONS, max_size=5))
def test_an_empty_region_stays_empty(others: list[AdmissibilityRegion]) -> None:
    found = region(frozenset())
    for other in others:
        found = found.intersect(other)
    assert found.allowed_indices == ()
    assert not found.is_unconstrained


@given(REGIONS, REGIONS)
def test_indices_stay_ascending_and_unique(a: AdmissibilityRegion, b: AdmissibilityRegion) -> None:
    indices = a.intersect(b).allowed_indices
    assert indices is None or list(indices) == sorted(set(indices))


def limits(one: AdmissibilityRegion) -> tuple[object, ...]:
    return one.allowed_indices, one.blades


@given(BLADED, BLADED, BLADED)
def test_blades_come_together_in_any_order(
    a: AdmissibilityRegion, b: AdmissibilityRegion, c: AdmissibilityRegion
) -> None:
    assert limits(a.intersect(b)) == limits(b.intersect(a))
    assert limits(a.intersect(b).intersect(c)) == limits(a.intersect(b.intersect(c)))
    assert limits(a.intersect(a)) == limits(a)
    assert limits(a.intersect(FREE)) == limits(FREE.intersect(a)) == limits(a)
    assert set(a.intersect(b).blades) == {*a.blades, *b.blades}


def test_the_label_names_both_regions() -> None:
    a = AdmissibilityRegion(allowed_indices=(1,), label="graph:p0", source="graph_constraint")
    b = AdmissibilityRegion(allowed_indices=(1,), label="salience", source="salience")
    both = a.intersect(b)
    assert "graph:p0" in both.label
    assert "salience" in both.label
    assert "graph_constraint" in both.source


def test_a_region_is_frozen() -> None:
    with pytest.raises(AttributeError):
        FREE.label = "other"  # pyright: ignore[reportAttributeAccessIssue]


def test_exhaustion_says_which_region_and_at_which_step() -> None:
    error = InnerLoopExhaustion(reason="no_candidate_before_walk", label="graph:p0", step=-1, rejected=(3, 4))
    assert str(error).startswith("AdmissibilityRegion[graph:p0] left no walk candidates")
    assert "-1" in str(error)
    assert (error.reason, error.label, error.step, error.rejected) == (
        "no_candidate_before_walk",
        "graph:p0",
        -1,
        (3, 4),
    )
