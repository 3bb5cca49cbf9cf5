"""Gemini's JSON Schema: the documented keywords stay, the rest is told."""

from __future__ import annotations

from typing import Any

import pytest

from ambidex.adapters import Conversion, convert


def _convert(schema: Any, **beside: Any) -> Conversion:
    return convert("geminiJsonSchema", {"type": "object", "properties": {"a": schema}, **beside})


def _written(schema: Any, *losses: str, **beside: Any) -> Any:
    """The property as converted, when these of its keywords were lost."""
    conversion = _convert(schema, **beside)
    assert conversion.schema is not None, conversion
    assert conversion.warn_paths == tuple(f"/properties/a{path}" for path in losses)
    return conversion.schema["properties"]["a"]


@pytest.mark.parametrize(
    "schema",
    [
        {"type": ["string", "null"], "format": "email", "title": "T", "description": "d"},
        {"type": "integer", "minimum": 1, "maximum": 9, "enum": [1, 2]},
        {"type": "array", "items": {"type": "string"}, "minItems": 1, "maxItems": 3},
        {"type": "array", "prefixItems": [{"type": "string"}, {}]},
        {"type": "object", "properties": {"b": {"type": "string"}}, "required": ["b"], "additionalProperties": False},
        {"type": "object", "additionalProperties": {"type": "string"}},
        {"anyOf": [{"type": "string"}, {"type": "integer"}]},
        {},
    ],
)
def test_documented_keywords_stay_as_they_are(schema: Any) -> None:
    assert _written(schema) == schema


@pytest.mark.parametrize(
    ("schema", "converted"),
    [
        ({"const": "x"}, {"enum": ["x"]}),
        (True, {}),
        ({"type": "string", "default": "d", "examples": ["x"]}, {"type": "string"}),
        (
            {"type": "integer", "exclusiveMinimum": 0, "exclusiveMaximum": 10},
            {"type": "integer", "minimum": 1, "maximum": 9},
        ),
        (
            {"type": ["string", "null"], "enum": ["x", None]},
            {"anyOf": [{"type": "string", "enum": ["x"]}, {"type": "null"}]},
        ),
        ({"enum": ["x", None]}, {"anyOf": [{"enum": ["x"]}, {"type": "null"}]}),
        ({"type": "string", "enum": ["x", True]}, {"type": "string", "enum": ["x"]}),
    ],
)
def test_rewriting_loses_nothing(schema: Any, converted: Any) -> None:
    assert _written(schema) == converted


@pytest.mark.parametrize(
    ("schema", "lost", "converted"),
    [
        ({"type": "string", "pattern": "^x"}, ["/pattern"], {"type": "string", "description": "(pattern: ^x)"}),
        ({"type": "string", "maxLength": 3}, ["/maxLength"], {"type": "string", "description": "(maxLength: 3)"}),
        (
            {"type": "number", "exclusiveMinimum": 0},
            ["/exclusiveMinimum"],
            {"type": "number", "description": "(exclusiveMinimum: 0)"},
        ),
        ({"exclusiveMinimum": 0}, ["/exclusiveMinimum"], {"description": "(exclusiveMinimum: 0)"}),
        ({"const": True}, ["/const"], {"description": "(allowed values: true)"}),
        ({"enum": [1, True]}, ["/enum"], {"description": "(allowed values: 1, true)"}),
        ({"oneOf": [{"type": "string"}]}, ["/oneOf"], {"anyOf": [{"type": "string"}]}),
        ({"allOf": [{"type": "string"}, {"enum": ["x"]}]}, ["/allOf"], {"type": "string", "enum": ["x"]}),
        ({"type": "array", "prefixItems": [{}], "items": False}, ["/items"], {"type": "array", "prefixItems": [{}]}),
        (
            {"type": "object", "patternProperties": {"^x": {}}, "additionalProperties": False},
            ["/patternProperties", "/additionalProperties"],
            {"type": "object"},
        ),
    ],
)
def test_what_is_lost_is_named_and_told(schema: Any, lost: list[str], converted: Any) -> None:
    assert _written(schema, *lost) == converted


def test_a_combinator_at_the_root_stays() -> None:
    branches = [{"required": ["a"]}, {"required": ["b"]}]
    conversion = _convert({"type": "string"}, anyOf=branches)
    assert conversion.schema is not None
    assert conversion.schema["anyOf"] == branches


@pytest.mark.parametrize("root", [{}, {"properties": {}, "additionalProperties": False}])
def test_a_tool_without_arguments_has_no_parameters(root: Any) -> None:
    assert convert("geminiJsonSchema", {"type": "object", **root}) == Conversion("convert")


def test_a_reference_stands_alone_and_words_beside_it_wrap_it() -> None:
    definitions = {"D": {"type": "string"}, "Unused": {"type": "string"}}
    beside = {"$defs": definitions}
    assert _written({"$ref": "#/$defs/D"}, **beside) == {"$ref": "#/$defs/D"}
    worded = _convert({"$ref": "#/$defs/D", "description": "d", "default": "x"}, **beside)
    assert worded.schema == {
        "type": "object",
        "properties": {"a": {"description": "d", "anyOf": [{"$ref": "#/$defs/D"}]}},
        "$defs": {"D": {"type": "string"}},
    }


def test_constraints_beside_a_reference_are_merged_with_what_it_names() -> None:
    beside = {"$defs": {"D": {"type": "integer", "minimum": 1}}}
    assert _written({"$ref": "#/$defs/D", "minimum": 0, "maximum": 5}, **beside) == {
        "type": "integer",
        "minimum": 1,
        "maximum": 5,
    }


def test_a_target_anywhere_in_the_schema_becomes_a_definition() -> None:
    conversion = _convert(
        {"type": "array", "items": {"type": "string"}}, **{"$defs": {"items": {"$ref": "#/properties/a/items"}}}
    )
    assert conversion.schema is not None
    assert "$defs" not in conversion.schema
    both = convert(
        "geminiJsonSchema", {"type": "object", "properties": {"a": {"type": "string"}, "b": {"$ref": "#/properties/a"}}}
    )
    assert both.schema is not None
    assert both.schema["properties"]["b"] == {"$ref": "#/$defs/a"}
    assert both.schema["$defs"] == {"a": {"type": "string"}}


def _tree(*, required: bool) -> dict[str, Any]:
    node: dict[str, Any] = {"type": "object", "properties": {"next": {"$ref": "#/$defs/T"}}}
    return {"T": {**node, "required": ["next"]} if required else node}


def test_recursion_through_an_optional_property_stays() -> None:
    conversion = _convert({"$ref": "#/$defs/T"}, **{"$defs": _tree(required=False)})
    assert conversion.schema is not None
    assert conversion.schema["$defs"] == _tree(required=False)


def test_recursion_that_nothing_optional_ends_is_an_error() -> None:
    conversion = _convert({"$ref": "#/$defs/T"}, **{"$defs": _tree(required=True)})
    assert conversion.error_path == "/$defs/T/properties/next"
    assert conversion.why == "recursion that no optional property ends"


@pytest.mark.parametrize(
    ("schema", "path"), [(False, ""), ({"enum": []}, "/enum"), ({"type": "string", "const": 1}, "/const")]
)
def test_what_nothing_satisfies_is_an_error(schema: Any, path: str) -> None:
    conversion = _convert(schema)
    assert (conversion.outcome, conversion.error_path) == ("error", f"/properties/a{path}")
