"""Schemas that hold at once, merged into one."""

from __future__ import annotations

from typing import Any

import pytest

from ambidex.adapters.conversion import Losses, Unfit
from ambidex.adapters.merge import Merged, Merger, Part
from ambidex.adapters.screen import screen


def _merge(*schemas: Any) -> tuple[Merged, list[str]]:
    losses = Losses()
    merger = Merger(screen({"type": "object"}), losses)
    merged = merger.gather([Part(f"/{index}", each, frozenset()) for index, each in enumerate(schemas)])
    return merged, [loss.path for loss in losses.all()]


@pytest.mark.parametrize(
    ("one", "other", "value"),
    [
        ({"minimum": 1}, {"minimum": 3}, 3),
        ({"maxLength": 1}, {"maxLength": 3}, 1),
        ({"type": ["string", "null", "integer"]}, {"type": ["null", "number"]}, ["null", "integer"]),
        ({"type": "number"}, {"type": "integer"}, "integer"),
        ({"enum": [1, "x", True]}, {"enum": [True, "x"]}, ["x", True]),
        ({"enum": [{"a": [1]}, {"a": [2]}]}, {"enum": [{"a": [1.0]}]}, [{"a": [1]}]),
        ({"description": "outer"}, {"description": "inner"}, "outer"),
        ({"additionalProperties": True}, {"additionalProperties": False}, False),
        ({"additionalProperties": {"type": "string"}}, {"additionalProperties": False}, False),
        ({"additionalProperties": False}, {"additionalProperties": {"type": "string"}}, False),
    ],
)
def test_the_stronger_demand_wins(one: Any, other: Any, value: Any) -> None:
    merged, _ = _merge(one, other)
    assert merged.value(next(iter(one))) == value
    assert merged.aside == []


@pytest.mark.parametrize(
    "keyword_and_values",
    [
        ("pattern", "^a", "^b"),
        ("multipleOf", 2, 3),
        ("anyOf", [{"type": "string"}], [{"minLength": 1}]),
        ("additionalProperties", {"type": "string"}, {"type": "integer"}),
    ],
)
def test_what_has_no_room_is_put_aside(keyword_and_values: tuple[str, Any, Any]) -> None:
    keyword, one, other = keyword_and_values
    merged, _ = _merge({keyword: one}, {keyword: other})
    assert [(each.pointer, each.value) for each in merged.aside] == [(f"/1/{keyword}", other)]


def test_saying_the_same_twice_puts_nothing_aside() -> None:
    assert _merge({"pattern": "^a"}, {"pattern": "^a"})[0].aside == []


@pytest.mark.parametrize(
    ("one", "other", "path"),
    [
        ({"type": "string"}, {"type": "integer"}, "/1/type"),
        ({"const": 1}, {"enum": [True]}, "/1/enum"),
        ({"type": "string"}, False, "/1"),
    ],
)
def test_a_contradiction_names_the_later_part(one: Any, other: Any, path: str) -> None:
    with pytest.raises(Unfit) as refused:
        _merge(one, other)
    assert refused.value.path == path


def test_properties_of_the_same_name_hold_at_once() -> None:
    merged, _ = _merge({"properties": {"a": {"type": "string"}}}, {"properties": {"a": {"maxLength": 1}, "b": True}})
    assert {name: [part.pointer for part in parts] for name, parts in merged.properties.items()} == {
        "a": ["/0/properties/a", "/1/properties/a"],
        "b": ["/1/properties/b"],
    }


def test_a_part_closed_to_the_properties_of_another_is_reported() -> None:
    closed = {"properties": {"a": True}, "additionalProperties": False}
    assert _merge(closed, {"properties": {"b": True}})[1] == ["/0/additionalProperties"]
    assert _merge(closed, {"properties": {"a": True}})[1] == []
