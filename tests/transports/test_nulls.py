"""Nulls of strict mode: removed exactly where they mean that a parameter was left out."""

from __future__ import annotations

from typing import Any

import orjson
import pytest

from ambidex.transports.nulls import removable, without_nulls

SCHEMA: dict[str, Any] = {
    "type": "object",
    "additionalProperties": False,
    "required": ["query", "note"],
    "properties": {
        "query": {"type": "string"},
        "note": {"type": ["string", "null"]},
        "top_k": {"type": "integer"},
        "closing": {"type": ["string", "null"]},
        "any": {},
        "filters": {
            "type": "object",
            "required": ["type"],
            "properties": {"type": {"type": "string"}, "tag/s": {"type": "string"}},
        },
        "people": {"type": "array", "items": {"$ref": "#/$defs/person"}},
    },
    "$defs": {"person": {"type": "object", "properties": {"name": {"type": "string"}, "age": {"enum": [1, None]}}}},
}


def test_only_optional_properties_that_refuse_null_are_named() -> None:
    assert removable(SCHEMA) == {"/top_k", "/filters", "/filters/tag~1s", "/people", "/people/*/name"}


def test_a_place_that_one_branch_allows_null_at_is_left_alone() -> None:
    branches = [{"properties": {"a": {"type": "string"}}}, {"properties": {"a": {"type": ["string", "null"]}}}]
    assert removable({"type": "object", "anyOf": branches}) == frozenset()


@pytest.mark.parametrize(
    ("given", "left"),
    [
        ({"query": "x", "top_k": None, "note": None}, {"query": "x", "note": None}),
        ({"query": None}, {"query": None}),
        ({"filters": {"type": None, "tag/s": None}}, {"filters": {"type": None}}),
        ({"people": [{"name": None, "age": None}, {"name": "Ada"}]}, {"people": [{"age": None}, {"name": "Ada"}]}),
        ({"unknown": None}, {"unknown": None}),
    ],
)
def test_such_nulls_are_removed_and_all_others_stay(given: dict[str, Any], left: dict[str, Any]) -> None:
    assert orjson.loads(without_nulls(orjson.dumps(given).decode(), removable(SCHEMA))) == left


@pytest.mark.threat("V04", "T07")
@pytest.mark.parametrize("raw", ['{"top_k": null, "top_k": 3}', '{"top_k": null', "[null]", "null", '{"top_k": null}…'])
def test_a_text_that_is_not_strictly_one_object_is_passed_on_as_it_is(raw: str) -> None:
    assert without_nulls(raw, removable(SCHEMA)) == raw
