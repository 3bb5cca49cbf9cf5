"""OpenAI's strict mode: what is made strict, and what keeps a schema from it."""

from __future__ import annotations

from typing import Any

import pytest
from tests.adapters.invariants import strict_breaches

from ambidex.adapters import Conversion, convert


def _convert(schema: Any, *, optional: bool = False, definitions: Any = None) -> Conversion:
    """One property `a`, required unless said otherwise."""
    parameters = {"type": "object", "properties": {"a": schema}, "additionalProperties": False}
    if definitions:
        parameters["$defs"] = definitions
    return convert("openai", parameters if optional else {**parameters, "required": ["a"]})


def _strict(schema: Any, *, optional: bool = False) -> Any:
    """The property as converted."""
    conversion = _convert(schema, optional=optional)
    assert conversion.outcome == "strict", conversion
    assert conversion.schema is not None
    assert strict_breaches(conversion.schema) == []
    return conversion.schema["properties"]["a"]


@pytest.mark.parametrize(
    ("schema", "converted"),
    [
        ({"type": "string"}, {"type": ["string", "null"]}),
        ({"type": ["string", "null"]}, {"type": ["string", "null"]}),
        ({"enum": ["x"]}, {"type": ["string", "null"], "enum": ["x", None]}),
        ({"const": 1}, {"type": ["integer", "null"], "enum": [1, None]}),
        ({"type": ["string", "null"], "enum": ["x"]}, {"type": ["string", "null"], "enum": ["x", None]}),
        ({"anyOf": [{"type": "string"}]}, {"anyOf": [{"type": "string"}, {"type": "null"}]}),
        (
            {"anyOf": [{"type": ["string", "null"], "enum": ["x"]}]},
            {"anyOf": [{"type": ["string", "null"], "enum": ["x"]}, {"type": "null"}]},
        ),
        ({"anyOf": [{"type": "string"}, {"type": "null"}]}, {"anyOf": [{"type": "string"}, {"type": "null"}]}),
    ],
)
def test_an_optional_property_becomes_nullable(schema: Any, converted: Any) -> None:
    assert _strict(schema, optional=True) == converted


def test_annotations_that_the_mode_lacks_leave_without_a_warning() -> None:
    conversion = _convert({"type": "integer", "default": 5, "title": "N", "examples": [1], "$comment": "c"})
    assert conversion.schema is not None
    assert conversion.schema["properties"] == {"a": {"type": "integer"}}
    assert conversion.warn_paths == ()


def test_lengths_are_told_in_the_description() -> None:
    conversion = _convert({"type": "string", "minLength": 1, "maxLength": 9, "description": "Name"})
    assert conversion.warn_paths == ("/properties/a/minLength", "/properties/a/maxLength")
    assert conversion.schema is not None
    assert conversion.schema["properties"]["a"] == {
        "type": "string",
        "description": "Name (minLength: 1; maxLength: 9)",
    }


def test_constraints_on_types_that_the_node_does_not_have_say_nothing() -> None:
    assert _strict({"type": "integer", "minLength": 1, "format": "uri", "properties": {}}) == {"type": "integer"}


def test_one_of_is_read_as_any_of_with_a_warning() -> None:
    conversion = _convert({"oneOf": [{"type": "string"}, {"type": "integer"}]})
    assert conversion.outcome == "strict"
    assert conversion.warn_paths == ("/properties/a/oneOf",)
    assert conversion.schema is not None
    assert conversion.schema["properties"]["a"] == {"anyOf": [{"type": "string"}, {"type": "integer"}]}


def test_a_type_beside_any_of_moves_into_the_branches() -> None:
    schema = {"type": "string", "anyOf": [{"const": "x"}, {"type": "string", "pattern": "^y"}]}
    assert _strict(schema) == {"anyOf": [{"type": "string", "enum": ["x"]}, {"type": "string", "pattern": "^y"}]}


def test_values_that_the_type_never_allows_leave_the_enum() -> None:
    assert _strict({"type": "string", "enum": ["x", 1, None]}) == {"type": "string", "enum": ["x"]}


def test_recursion_is_kept() -> None:
    tree = {
        "type": "object",
        "properties": {"children": {"type": "array", "items": {"$ref": "#/$defs/T"}}},
        "additionalProperties": False,
    }
    conversion = _convert({"$ref": "#/$defs/T"}, definitions={"T": tree, "Unused": {"type": "array"}})
    assert conversion.outcome == "strict"
    assert conversion.schema is not None
    assert conversion.schema["$defs"] == {
        "T": {
            "type": "object",
            "properties": {"children": {"type": ["array", "null"], "items": {"$ref": "#/$defs/T"}}},
            "required": ["children"],
            "additionalProperties": False,
        }
    }


def test_a_reference_to_the_root_is_kept() -> None:
    assert _strict({"$ref": "#"}, optional=True) == {"anyOf": [{"$ref": "#"}, {"type": "null"}]}


@pytest.mark.parametrize(
    ("schema", "path"),
    [
        ({}, ""),
        (True, ""),
        (False, ""),
        ({"type": "object"}, ""),
        ({"type": "object", "additionalProperties": True}, "/additionalProperties"),
        ({"type": "object", "additionalProperties": {}}, "/additionalProperties"),
        ({"type": "object", "properties": {}, "required": ["b"]}, "/required"),
        ({"type": "array"}, ""),
        ({"type": "array", "prefixItems": [{"type": "string"}]}, "/prefixItems"),
        ({"type": "array", "items": True}, "/items"),
        ({"type": "array", "items": {"type": "string"}, "contains": {"const": "x"}}, "/contains"),
        ({"type": "string", "not": {"const": "x"}}, "/not"),
        ({"type": "object", "properties": {}, "minProperties": 1}, "/minProperties"),
        ({"type": "object", "properties": {}, "dependentRequired": {}}, "/dependentRequired"),
        ({"enum": []}, "/enum"),
        ({"type": "string", "enum": [1]}, "/enum"),
        ({"const": {"b": 1}}, "/const"),
        ({"enum": ["x"], "const": "y"}, "/const"),
        ({"type": "string", "anyOf": [{"type": "integer"}]}, "/anyOf/0"),
        ({"maxLength": 2, "anyOf": [{"type": "string"}]}, "/anyOf"),
        ({"$ref": "#/$defs/D", "maxLength": 2}, "/$ref"),
    ],
)
def test_what_the_mode_cannot_say_keeps_the_schema_as_written(schema: Any, path: str) -> None:
    conversion = _convert(schema, definitions={"D": {"type": "string"}})
    assert (conversion.outcome, conversion.warn_paths) == ("nonstrict", (f"/properties/a{path}",))
    assert conversion.schema is not None
    assert conversion.schema["properties"] == {"a": schema}


def test_every_obstacle_is_named() -> None:
    schema = {"type": "array", "uniqueItems": True, "items": {"type": "object"}}
    assert _convert(schema).warn_paths == ("/properties/a/uniqueItems", "/properties/a/items")


def test_a_definition_behind_a_reference_is_named_where_it_is_authored() -> None:
    conversion = _convert({"$ref": "#/$defs/D"}, definitions={"D": {"type": "string", "format": "uri"}})
    assert conversion.warn_paths == ("/$defs/D/format",)


def _objects(levels: int) -> dict[str, Any]:
    schema: dict[str, Any] = {"type": "string"}
    for _ in range(levels):
        schema = {"type": "object", "properties": {"a": schema}, "required": ["a"], "additionalProperties": False}
    return schema


@pytest.mark.parametrize(("levels", "outcome"), [(10, "strict"), (11, "nonstrict")])
def test_ten_levels_of_objects_are_the_limit(levels: int, outcome: str) -> None:
    assert convert("openai", _objects(levels)).outcome == outcome


@pytest.mark.parametrize(("values", "outcome"), [(1_000, "strict"), (1_001, "nonstrict")])
def test_a_thousand_enum_values_are_the_limit(values: int, outcome: str) -> None:
    assert _convert({"enum": list(range(values))}).outcome == outcome


@pytest.mark.parametrize(("length", "paths"), [(250, ()), (251, ("/properties/a/enum",))])
def test_an_enum_of_many_strings_has_a_limit_of_its_own(length: int, paths: tuple[str, ...]) -> None:
    values = [f"{number:059}" for number in range(250)] + ["x" * length]
    assert _convert({"enum": values}).warn_paths == paths


@pytest.mark.parametrize(("count", "outcome"), [(5_000, "strict"), (5_001, "nonstrict")])
def test_five_thousand_properties_are_the_limit(count: int, outcome: str) -> None:
    properties = {f"p{number}": {"type": "string"} for number in range(count)}
    assert convert("openai", {"type": "object", "properties": properties}).outcome == outcome


@pytest.mark.parametrize(("length", "outcome"), [(120_000, "strict"), (120_001, "nonstrict")])
def test_names_and_values_have_a_limit_in_all(length: int, outcome: str) -> None:
    assert _convert({"enum": ["x" * (length - 1)]}).outcome == outcome
