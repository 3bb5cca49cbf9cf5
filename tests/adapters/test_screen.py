"""Refused for every provider alike, before any adapter looks at it."""

from __future__ import annotations

from typing import Any

import pytest

from ambidex.adapters import convert_all
from ambidex.dialect.keywords import MAX_SCHEMA_DEPTH
from ambidex.dialect.pointer import resolve, tokens


def _error(parameters: Any) -> tuple[str | None, str | None]:
    """The one error that all seven agree on."""
    [conversion] = set(convert_all(parameters).values())
    assert conversion.outcome == "error"
    return conversion.error_path, conversion.why


def _with(**property_schema: Any) -> dict[str, Any]:
    return {"type": "object", "properties": {"a": property_schema}}


@pytest.mark.parametrize("value", [None, True, 3, "object", [], {}, [{"type": "object"}]])
def test_what_is_no_object_schema_is_refused_at_the_root(value: Any) -> None:
    assert _error(value) == ("", "root must be type object")


@pytest.mark.parametrize("kind", ["string", ["object"], ["object", "null"], None])
def test_a_root_of_another_type_is_refused_at_its_type(kind: Any) -> None:
    assert _error({"type": kind}) == ("/type", "root must be type object")


@pytest.mark.parametrize("keyword", ["nullable", "definitions", "minlength", "x-note", "dependencies"])
def test_an_unknown_keyword_is_refused_where_it_stands(keyword: str) -> None:
    path, why = _error(_with(type="string", **{keyword: True}))
    assert path == f"/properties/a/{keyword}"
    assert why == "keyword unknown to JSON Schema 2020-12"


def test_names_and_data_that_look_like_keywords_are_left_alone() -> None:
    data = {"nullable": {"$ref": "https://example.org"}}
    schema = {"type": "object", "properties": {"nullable": {"type": "object", "enum": [data], "default": data}}}
    assert convert_all(schema)["mcp"].outcome == "passthrough"


@pytest.mark.parametrize(
    ("keyword", "value"),
    [
        ("type", "text"),
        ("type", []),
        ("type", 5),
        ("properties", []),
        ("properties", {"b": 1}),
        ("items", [{}]),
        ("required", "b"),
        ("required", ["b", "b"]),
        ("enum", "x"),
        ("anyOf", []),
        ("minimum", "1"),
        ("minimum", True),
        ("maximum", float("nan")),
        ("maximum", 10**400),
        ("exclusiveMinimum", float("inf")),
        ("multipleOf", 0),
        ("minLength", -1),
        ("maxItems", 1.5),
        ("uniqueItems", 1),
        ("pattern", None),
        ("format", 5),
        ("$ref", {}),
        ("dependentRequired", {"b": "c"}),
    ],
)
def test_a_value_of_the_wrong_shape_is_refused_at_its_keyword(keyword: str, value: Any) -> None:
    path, why = _error(_with(**{keyword: value}))
    assert path == f"/properties/a/{keyword}"
    assert why == f"not a value that {keyword} can have"


def test_an_unknown_format_is_refused() -> None:
    assert _error(_with(type="string", format="phone")) == ("/properties/a/format", "unknown format")


@pytest.mark.threat("V08")
@pytest.mark.parametrize("ref", ["http://example.org/a.json", "other.json", "https://example.org/a#/$defs/X", "//h/p#"])
def test_a_remote_reference_is_refused(ref: str) -> None:
    assert _error(_with(**{"$ref": ref})) == ("/properties/a", "remote $ref")


@pytest.mark.parametrize("ref", ["#/$defs/Nope", "#nowhere", "#/properties", "#/properties/a/enum/0", "#/%zz"])
def test_a_reference_to_no_schema_is_refused(ref: str) -> None:
    assert _error(_with(**{"$ref": ref})) == ("/properties/a", "unresolved $ref")


@pytest.mark.threat("V08")
@pytest.mark.parametrize(
    "definition",
    [
        {"$ref": "#/$defs/A"},
        {"allOf": [{"$ref": "#/$defs/A"}]},
        {"anyOf": [{"type": "string"}, {"$ref": "#/$defs/A"}]},
        {"not": {"$ref": "#/$defs/A"}},
        {"dependentSchemas": {"x": {"$ref": "#/$defs/A"}}},
    ],
)
def test_a_reference_that_never_gets_anywhere_is_refused(definition: dict[str, Any]) -> None:
    path, why = _error({**_with(**{"$ref": "#/$defs/A"}), "$defs": {"A": definition}})
    assert why == "$ref that leads back to itself"
    assert path is not None
    assert path.startswith("/$defs/A")


def test_a_reference_below_an_inner_identity_is_refused() -> None:
    schema = _with(**{"$id": "inner", "$ref": "#/$defs/A"})
    assert _error({**schema, "$defs": {"A": {"type": "string"}}})[0] == "/properties/a/$id"


@pytest.mark.parametrize("ref", ["#/$defs/A", "#here", "https://example.org/t#/$defs/A", "#/%24defs/A"])
def test_every_spelling_of_a_local_reference_is_followed(ref: str) -> None:
    schema = {**_with(**{"$ref": ref}), "$id": "https://example.org/t", "$defs": {"A": {"type": "string"}}}
    schema["$defs"]["A"]["$anchor"] = "here"
    native = convert_all(schema)["geminiNative"].schema
    assert native is not None
    assert native["properties"] == {"a": {"type": "STRING"}}


def _nested(levels: int) -> dict[str, Any]:
    """Brackets nested to exactly `levels`."""
    schema: dict[str, Any] = {"type": "object"}
    for _ in range(levels - 1):
        schema = {"type": "object", "not": schema}
    return schema


def test_a_schema_at_the_depth_limit_passes() -> None:
    assert convert_all(_nested(MAX_SCHEMA_DEPTH))["mcp"].outcome == "passthrough"


@pytest.mark.threat("V01")
@pytest.mark.parametrize("levels", [MAX_SCHEMA_DEPTH + 1, 1_000, 10_000])
def test_a_deeper_schema_is_refused_without_recursion(levels: int) -> None:
    schema = _nested(levels)
    path, why = _error(schema)
    assert why == f"nested deeper than {MAX_SCHEMA_DEPTH}"
    assert path is not None
    assert len(tokens(path)) == MAX_SCHEMA_DEPTH
    assert resolve(schema, path)["type"] == "object"


def test_deep_data_is_refused_as_a_deep_schema_is() -> None:
    data: list[Any] = []
    for _ in range(10_000):
        data = [data]
    assert _error(_with(type="array", default=data))[1] == f"nested deeper than {MAX_SCHEMA_DEPTH}"
