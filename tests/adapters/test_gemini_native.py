"""Gemini's native schema, node by node."""

from __future__ import annotations

from typing import Any

import pytest

from ambidex.adapters import Conversion, convert
from ambidex.adapters.merge import MAX_PARTS


def _convert(schema: Any, **beside: Any) -> Conversion:
    return convert("geminiNative", {"type": "object", "properties": {"a": schema}, **beside})


def _native(schema: Any, *losses: str, **beside: Any) -> Any:
    """The property as converted, when these of its keywords were lost."""
    conversion = _convert(schema, **beside)
    assert conversion.schema is not None, conversion
    assert conversion.warn_paths == tuple(f"/properties/a{path}" for path in losses)
    return conversion.schema["properties"]["a"]


@pytest.mark.parametrize(
    ("schema", "converted"),
    [
        ({"type": ["string", "null"]}, {"type": "STRING", "nullable": True}),
        ({"type": ["integer", "number"]}, {"type": "NUMBER"}),
        ({"enum": ["x", None]}, {"type": "STRING", "enum": ["x"], "nullable": True}),
        ({"type": ["string", "null"], "enum": ["x"]}, {"type": "STRING", "enum": ["x"]}),
        ({"type": "string", "enum": ["x", 1, None]}, {"type": "STRING", "enum": ["x"]}),
        ({"const": "x"}, {"type": "STRING", "enum": ["x"]}),
        ({"type": "string", "title": "T", "default": "d"}, {"type": "STRING", "title": "T", "default": "d"}),
        ({"type": "string", "minLength": 1, "pattern": "^x"}, {"type": "STRING", "minLength": 1, "pattern": "^x"}),
        ({"type": "integer", "minimum": 5, "exclusiveMinimum": 2}, {"type": "INTEGER", "minimum": 5}),
        (
            {"type": "integer", "exclusiveMinimum": 1.5, "exclusiveMaximum": 4.5},
            {"type": "INTEGER", "minimum": 2, "maximum": 4},
        ),
        ({"type": "integer", "minLength": 3, "format": "uri"}, {"type": "INTEGER"}),
        ({"type": "number", "format": "double"}, {"type": "NUMBER", "format": "double"}),
        (
            {"anyOf": [{"type": "null"}, {"type": "string", "description": "b"}], "description": "a"},
            {"type": "STRING", "description": "a b", "nullable": True},
        ),
        (
            {"type": ["string", "array"], "items": {"type": "boolean"}, "maxItems": 2, "maxLength": 9, "default": "x"},
            {
                "anyOf": [
                    {"type": "STRING", "maxLength": 9},
                    {"type": "ARRAY", "maxItems": 2, "items": {"type": "BOOLEAN"}},
                ]
            },
        ),
        (
            {"type": "string", "anyOf": [{"maxLength": 2}, {"pattern": "^x"}], "minLength": 1},
            {
                "anyOf": [
                    {"type": "STRING", "minLength": 1, "maxLength": 2},
                    {"type": "STRING", "minLength": 1, "pattern": "^x"},
                ]
            },
        ),
        ({"anyOf": [{"enum": ["x", "y"]}, {"const": "z"}]}, {"type": "STRING", "enum": ["x", "y", "z"]}),
        (
            {"type": "array", "items": {"type": "string"}, "uniqueItems": False},
            {"type": "ARRAY", "items": {"type": "STRING"}},
        ),
        ({"type": "string", "then": False, "examples": ["x"]}, {"type": "STRING"}),
    ],
)
def test_nothing_is_lost(schema: Any, converted: Any) -> None:
    assert _native(schema) == converted


@pytest.mark.parametrize(
    ("schema", "lost", "converted"),
    [
        ({"type": "integer", "enum": [1, 2]}, ["/enum"], {"type": "INTEGER", "description": "(allowed values: 1, 2)"}),
        ({"const": True}, ["/const"], {"type": "BOOLEAN", "description": "(allowed values: true)"}),
        ({"enum": [1, 0.5]}, ["/enum"], {"type": "NUMBER", "description": "(allowed values: 1, 0.5)"}),
        ({"enum": [""]}, ["/enum"], {"type": "STRING", "description": '(allowed values: "")'}),
        ({"type": "integer", "multipleOf": 5}, ["/multipleOf"], {"type": "INTEGER", "description": "(multipleOf: 5)"}),
        (
            {"type": "string", "not": {"const": "x"}},
            ["/not"],
            {"type": "STRING", "description": '(not: {"const": "x"})'},
        ),
        ({"type": "string", "not": {"$ref": "#"}}, ["/not"], {"type": "STRING"}),
        ({"type": "string", "not": {"const": "x" * 200}}, ["/not"], {"type": "STRING"}),
        (
            {"type": "string", "if": True, "then": False},
            ["/if", "/then"],
            {"type": "STRING", "description": "(if: true; then: false)"},
        ),
        (
            {"type": "string", "contentEncoding": "base64"},
            ["/contentEncoding"],
            {"type": "STRING", "description": "(contentEncoding: base64)"},
        ),
        ({"oneOf": [{"type": "string"}, {"type": "null"}]}, ["/oneOf"], {"type": "STRING", "nullable": True}),
        ({"allOf": [{"type": "string"}, {"maxLength": 3}]}, ["/allOf"], {"type": "STRING", "maxLength": 3}),
        (
            {"type": "string", "anyOf": [{"maxLength": 2}, {"const": "x"}], "oneOf": [{"minLength": 1}]},
            ["/oneOf"],
            {
                "anyOf": [{"type": "STRING", "maxLength": 2}, {"type": "STRING", "enum": ["x"]}],
                "description": '(oneOf: [{"minLength": 1}])',
            },
        ),
        (
            {"type": "object", "properties": {"b": {"type": "string"}}, "required": ["b", "c"]},
            ["/required"],
            {"type": "OBJECT", "properties": {"b": {"type": "STRING"}}, "required": ["b"], "propertyOrdering": ["b"]},
        ),
    ],
)
def test_what_is_lost_is_named_and_told(schema: Any, lost: list[str], converted: Any) -> None:
    assert _native(schema, *lost) == converted


@pytest.mark.parametrize(
    ("schema", "path"),
    [
        ({}, ""),
        (False, ""),
        ({"type": "null"}, ""),
        ({"const": None}, ""),
        ({"anyOf": [{"type": "null"}]}, "/anyOf"),
        ({"anyOf": [{"type": "string"}, True]}, "/anyOf/1"),
        ({"properties": {"b": {"type": "string"}}}, ""),
        ({"enum": []}, "/enum"),
        ({"type": "string", "enum": [1]}, "/enum"),
        ({"type": "object", "properties": {}}, ""),
        ({"type": "array", "items": True}, ""),
        ({"type": "array", "prefixItems": [{"type": "string"}], "items": False}, ""),
        ({"type": "array", "items": {"type": "array"}}, "/items"),
        ({"allOf": [{"enum": ["x"]}, {"const": "y"}]}, "/allOf/1/const"),
        ({"type": "string", "anyOf": [{"type": "integer"}]}, "/anyOf/0/type"),
        ({"$dynamicRef": "#"}, ""),
    ],
)
def test_what_it_cannot_say_is_an_error_at_the_place(schema: Any, path: str) -> None:
    conversion = _convert(schema)
    assert (conversion.outcome, conversion.error_path) == ("error", f"/properties/a{path}")


@pytest.mark.parametrize(
    ("root", "lost"),
    [
        ({"description": "None needed"}, ()),
        ({"minProperties": 1}, ("/minProperties",)),
        ({"required": ["b"]}, ("/required",)),
        ({"const": {}}, ("/const",)),
    ],
)
def test_a_tool_without_arguments_has_no_parameters(root: Any, lost: tuple[str, ...]) -> None:
    conversion = convert("geminiNative", {"type": "object", **root})
    assert (conversion.outcome, conversion.schema, conversion.warn_paths) == ("convert", None, lost)


@pytest.mark.parametrize("root", [{"additionalProperties": True}, {"patternProperties": {"^x": True}}])
def test_a_root_with_nothing_but_unnamed_arguments_is_an_error(root: Any) -> None:
    conversion = convert("geminiNative", {"type": "object", **root})
    assert (conversion.outcome, conversion.error_path) == ("error", "")


def test_a_loss_behind_a_reference_is_named_once_where_it_is_authored() -> None:
    definitions = {"D": {"type": "object", "properties": {"x": {"type": "string", "format": "uri"}}}}
    twice = {"type": "array", "items": {"$ref": "#/$defs/D"}}
    conversion = _convert({"anyOf": [twice, {"$ref": "#/$defs/D"}]}, **{"$defs": definitions})
    assert conversion.warn_paths == ("/$defs/D/properties/x/format",)


def test_an_error_behind_a_reference_is_named_where_it_is_authored() -> None:
    conversion = _convert({"$ref": "#/$defs/D", "description": "d"}, **{"$defs": {"D": {"type": "array"}}})
    assert conversion.error_path == "/$defs/D"


def test_recursion_is_an_error_where_it_closes() -> None:
    tree = {"type": "object", "properties": {"children": {"type": "array", "items": {"$ref": "#/$defs/T"}}}}
    conversion = _convert({"$ref": "#/$defs/T"}, **{"$defs": {"T": tree}})
    assert conversion.error_path == "/$defs/T/properties/children/items"
    assert conversion.why == "recursive $ref"


def test_the_same_definition_beside_itself_is_no_recursion() -> None:
    definitions = {"D": {"type": "object", "properties": {"x": {"type": "string"}}}}
    schema = {"allOf": [{"$ref": "#/$defs/D"}, {"properties": {"y": {"$ref": "#/$defs/D"}}}]}
    assert list(_native(schema, "/allOf", **{"$defs": definitions})["properties"]) == ["x", "y"]


@pytest.mark.threat("V08")
def test_references_that_double_at_every_step_are_refused_in_bounded_work() -> None:
    definitions: dict[str, Any] = {"D40": {"type": "string"}}
    for step in range(40):
        inner = {"$ref": f"#/$defs/D{step + 1}"}
        definitions[f"D{step}"] = {"type": "object", "properties": {"x": inner, "y": inner}}
    conversion = _convert({"$ref": "#/$defs/D0"}, **{"$defs": definitions})
    assert conversion.why == f"more than {MAX_PARTS} schemas once references are written out"


@pytest.mark.threat("V08")
def test_a_long_chain_of_references_is_refused_without_recursion() -> None:
    definitions: dict[str, Any] = {"D2000": {"type": "string"}}
    for step in range(2000):
        definitions[f"D{step}"] = {"type": "array", "items": {"$ref": f"#/$defs/D{step + 1}"}}
    conversion = _convert({"$ref": "#/$defs/D0"}, **{"$defs": definitions})
    assert conversion.why == "nested too deep once references are written out"
