"""Whatever is wrong with a call, and however much, the answer is bounded, serialisable and in a fixed order."""

from __future__ import annotations

from typing import Any

import orjson
from hypothesis import given, settings
from tests.arguments.schemas import PARAMETERS
from tests.arguments.strategies import OBJECTS

from ambidex.arguments.check import ArgumentCheck

FORMS = [{"type": "integer"}, {"type": "string", "maxLength": 1}, {"$ref": "#/$defs/pair"}]
NODE: dict[str, Any] = {
    "type": "object",
    "properties": {"a": {"$ref": "#"}, "b": {"anyOf": [{"$ref": "#/$defs/pair"}, {"type": "null"}]}},
    "required": ["a"],
    "additionalProperties": {"oneOf": FORMS},
    "$defs": {"pair": {"type": "array", "prefixItems": [{"type": "integer"}, {"enum": ["x"]}], "items": False}},
}


def explained(schema: dict[str, Any], args: dict[str, Any]) -> dict[str, Any] | None:
    fault = ArgumentCheck(schema).check(args)
    if fault is None:
        return None
    assert 0 < len(fault.message) <= 500
    details: dict[str, Any] | None = fault.details
    assert details is not None
    assert 1 <= len(details["errors"]) <= 20
    assert details["total"] >= len(details["errors"])
    assert all({"pointer", "rule"} <= set(error) for error in details["errors"])
    assert orjson.dumps(details)
    return details


@settings(max_examples=150, deadline=None)
@given(OBJECTS)
def test_any_object_passes_or_is_explained(args: dict[str, Any]) -> None:
    explained(PARAMETERS, args)
    explained(NODE, args)
    explained(NODE, {"a": args, "b": list(args.values())})


ITEMS = {"type": "object", "properties": {"x": {"type": "array", "items": {"enum": ["a", "b"]}}}}


def test_of_hundreds_of_errors_twenty_are_told_and_all_are_counted() -> None:
    details = explained(ITEMS, {"x": ["c"] * 300})
    assert details is not None
    assert details["total"] == 300
    assert [error["pointer"] for error in details["errors"]] == [f"/x/{index}" for index in range(20)]


def test_a_call_of_thousands_of_values_is_told_its_first_error_and_that_there_may_be_more() -> None:
    details = explained(ITEMS, {"x": ["a"] * 5_000 + ["c"] * 5_000})
    assert details is not None
    assert details["partial"] is True
    assert [(error["pointer"], error["rule"]) for error in details["errors"]] == [("/x/5000", "enum")]


def test_unknown_keys_are_told_in_alphabetical_order() -> None:
    args = {f"key{index:03}": 1 for index in reversed(range(400))}
    details = explained({"type": "object", "properties": {"key": {}}, "additionalProperties": False}, args)
    assert details is not None
    assert [error["pointer"] for error in details["errors"]] == [f"/key{index:03}" for index in range(20)]


def test_keys_that_are_empty_are_explained_like_others() -> None:
    closed = {"type": "object", "additionalProperties": False}
    schema = {"type": "object", "properties": {"": {"type": "object", "properties": {"a": closed}}}}
    assert explained(schema, {"": {"a": {"": 1}}, "a": 5})
