"""A conversion may loosen a schema, never tighten it: a value that the author allows, the provider must allow."""

from __future__ import annotations

from typing import Any

from hypothesis import HealthCheck, assume, event, given, settings
from hypothesis import strategies as st
from tests.adapters.strategies import tame_documents, values_for

from ambidex.adapters import convert
from ambidex.dialect.validator import SchemaError, compile_schema

_more = settings(max_examples=100, deadline=None, suppress_health_check=list(HealthCheck))


@_more
@given(st.data())
def test_gemini_native_refuses_nothing_that_the_author_allows(data: st.DataObject) -> None:
    schema = data.draw(tame_documents())
    converted = convert("geminiNative", schema).schema
    assume(converted is not None)
    _check_loosened(schema, _as_json_schema(converted or {}), data)


@_more
@given(st.data())
def test_gemini_json_schema_refuses_nothing_that_the_author_allows(data: st.DataObject) -> None:
    schema = data.draw(tame_documents())
    converted = convert("geminiJsonSchema", schema).schema
    assume(converted is not None)
    _check_loosened(schema, converted or {}, data)


@_more
@given(st.data())
def test_openai_strict_refuses_nothing_but_what_it_wants_as_null(data: st.DataObject) -> None:
    schema = data.draw(tame_documents())
    conversion = convert("openai", schema)
    assume(conversion.outcome == "strict")
    # An object that says nothing of further properties is taken as closed: a model is not to invent names.
    closed = _edited(schema, lambda node: {"additionalProperties": False, **node} if "properties" in node else node)
    without_required = _edited(conversion.schema, lambda node: {k: v for k, v in node.items() if k != "required"})
    _check_loosened(closed, without_required, data)


def _check_loosened(authored: dict[str, Any], converted: dict[str, Any], data: st.DataObject) -> None:
    try:
        allowed = compile_schema(authored)
    except SchemaError:
        assume(False)
    places = {f"#/$defs/{name}": inner for name, inner in authored["$defs"].items()} | {"#": authored}
    judge = compile_schema(converted)
    for _ in range(6):
        value = data.draw(values_for(authored, places))
        if allowed.is_valid(value):
            event("a value was judged")
            assert judge.is_valid(value), (value, converted)


def _edited(node: Any, edit: Any) -> Any:
    """`edit` applied to every schema inside `node`."""
    if not isinstance(node, dict):
        return node
    edited = dict(node)
    for keyword in ("properties", "$defs"):
        if keyword in node:
            edited[keyword] = {name: _edited(inner, edit) for name, inner in node[keyword].items()}
    for keyword in ("anyOf", "oneOf"):
        if keyword in node:
            edited[keyword] = [_edited(inner, edit) for inner in node[keyword]]
    if "items" in node:
        edited["items"] = _edited(node["items"], edit)
    return edit(edited)


def _as_json_schema(native: dict[str, Any]) -> dict[str, Any]:
    """A native schema read as JSON Schema."""
    schema = {key: value for key, value in native.items() if key not in ("nullable", "propertyOrdering", "default")}
    if "type" in schema:
        schema["type"] = native["type"].lower()
    if "properties" in schema:
        schema["properties"] = {name: _as_json_schema(inner) for name, inner in native["properties"].items()}
    if "items" in schema:
        schema["items"] = _as_json_schema(native["items"])
    if "anyOf" in schema:
        schema["anyOf"] = [_as_json_schema(inner) for inner in native["anyOf"]]
    return {"anyOf": [schema, {"type": "null"}]} if native.get("nullable") else schema


def test_the_reading_of_native_schemas_in_this_file_can_refuse() -> None:
    judge = compile_schema(_as_json_schema({"type": "OBJECT", "properties": {"n": {"type": "INTEGER", "minimum": 1}}}))
    assert not judge.is_valid({"n": 0})
