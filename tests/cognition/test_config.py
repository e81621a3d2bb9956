"""Settings: what is out of range is named, and defaults leave no trace."""

from __future__ import annotations

import dataclasses
from typing import Any

import pytest

from cognition import RuntimeConfig

pytestmark = pytest.mark.cognition


def test_the_flag_is_off_by_default() -> None:
    config = RuntimeConfig()
    assert config.forward_graph_constraint is False
    assert (config.output_language, config.subject_span, config.top_k) == ("en", "head", 8)
    assert config.changed() == {}


def test_changed_names_what_differs_from_the_default() -> None:
    assert RuntimeConfig(top_k=8, max_tokens=3, subject_span="phrase").changed() == {
        "max_tokens": 3,
        "subject_span": "phrase",
    }
    assert RuntimeConfig(forward_graph_constraint=True).changed() == {"forward_graph_constraint": True}


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("forward_graph_constraint", "true"),
        ("forward_graph_constraint", 1),
        ("forward_graph_constraint", None),
        ("output_language", ""),
        ("output_language", "en-GB "),
        ("output_language", None),
        ("output_language", 3),
        ("subject_span", "Head"),
        ("subject_span", "tail"),
        ("subject_span", None),
        ("subject_span", ["head"]),
        ("top_k", 0),
        ("top_k", -8),
        ("top_k", 8.0),
        ("top_k", True),
        ("top_k", "8"),
        ("max_tokens", -1),
        ("max_tokens", 4097),
        ("max_tokens", 1.5),
        ("max_tokens", False),
        ("min_salience", -1),
        ("min_salience", 101),
        ("min_salience", None),
        ("inner_loop", "on"),
        ("inner_loop", None),
        ("inner_loop_percent", 101),
        ("inner_loop_percent", -1),
        ("inner_loop_percent", 50.0),
        ("inner_loop_margin", 0),
        ("inner_loop_margin", 1_000_001),
        ("ratify_intent", "record"),
        ("ratify_intent", 1),
    ],
)
def test_a_value_out_of_range_names_its_field(field: str, value: Any) -> None:
    with pytest.raises(ValueError, match=f"configuration: {field}: must be ") as caught:
        RuntimeConfig(**{field: value})
    assert "\n" not in str(caught.value)
    with pytest.raises(ValueError, match=field):
        RuntimeConfig.from_mapping({field: value})


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("top_k", 1),
        ("top_k", 10**6),
        ("max_tokens", 0),
        ("max_tokens", 4096),
        ("min_salience", 0),
        ("min_salience", 100),
    ],
)
def test_the_ends_of_a_range_are_in_it(field: str, value: int) -> None:
    assert getattr(RuntimeConfig(**{field: value}), field) == value


@pytest.mark.parametrize("key", ["topk", "Top_k", "", "forward-graph-constraint", "__class__", 3])
def test_an_unknown_key_is_named_beside_the_known_ones(key: Any) -> None:
    with pytest.raises(ValueError, match="known: ") as caught:
        RuntimeConfig.from_mapping({key: 1})
    assert f"configuration: {key}: " in str(caught.value)
    assert "top_k" in str(caught.value)


def test_a_mapping_gives_what_keywords_give() -> None:
    values = {"forward_graph_constraint": True, "top_k": 3, "min_salience": 20}
    assert RuntimeConfig.from_mapping(values) == RuntimeConfig(**values)
    assert RuntimeConfig.from_mapping({}) == RuntimeConfig()
    assert RuntimeConfig.from_mapping(RuntimeConfig(top_k=3).changed()) == RuntimeConfig(top_k=3)


def test_settings_are_frozen_and_take_keywords_only() -> None:
    with pytest.raises(dataclasses.FrozenInstanceError):
        RuntimeConfig().top_k = 3  # pyright: ignore[reportAttributeAccessIssue]
    with pytest.raises(TypeError):
        RuntimeConfig(True)  # pyright: ignore[reportCallIssue]
