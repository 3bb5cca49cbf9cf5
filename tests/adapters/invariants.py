"""What every converted schema must keep to, whatever it was made from. Each function lists the breaches it finds."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ambidex.dialect.keywords import walk

_NATIVE_TYPES = {"STRING", "INTEGER", "NUMBER", "BOOLEAN", "ARRAY", "OBJECT"}
_STRICT_FORMATS = set("date-time time date duration email hostname ipv4 ipv6 uuid".split())
_NOT_STRICT = set(
    "default oneOf allOf not if then else const title uniqueItems patternProperties prefixItems minLength maxLength "
    "contains propertyNames minProperties maxProperties dependentRequired dependentSchemas unevaluatedItems "
    "unevaluatedProperties $dynamicRef examples".split()
)
_GEMINI_JSON = set(
    "$defs $ref type format title description enum items prefixItems minItems maxItems minimum maximum anyOf "
    "properties additionalProperties required".split()
)


def native_breaches(schema: dict[str, Any]) -> list[str]:
    return [breach for node in _native_nodes(schema) for breach in _native_node(node)]


def _native_nodes(schema: dict[str, Any]) -> Iterator[dict[str, Any]]:
    yield schema
    below = [*schema.get("anyOf", ()), *schema.get("properties", {}).values()]
    for node in [*below, schema["items"]] if "items" in schema else below:
        yield from _native_nodes(node)


def _native_node(node: dict[str, Any]) -> Iterator[str]:
    if ("anyOf" in node) == ("type" in node):
        yield f"neither one type nor anyOf: {node}"
    if "type" in node and node["type"] not in _NATIVE_TYPES:
        yield f"type {node['type']}"
    if "enum" in node and (node.get("type") != "STRING" or not node["enum"]):
        yield "enum on another type than STRING, or empty"
    if not all(isinstance(value, str) and value for value in node.get("enum", ())):
        yield "enum of other values than named strings"
    if node.get("type") == "OBJECT" and not node.get("properties"):
        yield "OBJECT without properties"
    if node.get("type") == "ARRAY" and "items" not in node:
        yield "ARRAY without items"
    if not node.get("properties", {}).keys() >= set(node.get("required", ())):
        yield "required names what is not declared"


def strict_breaches(schema: dict[str, Any]) -> list[str]:
    breaches = [] if schema.get("type") == "object" and "anyOf" not in schema else ["root is no plain object"]
    for pointer, node in walk(schema):
        if node is not False:
            breaches += [f"{breach} at {pointer!r}" for breach in _strict_node(node)]
    return breaches


def _strict_node(node: Any) -> Iterator[str]:
    if not isinstance(node, dict):
        yield "boolean schema"
        return
    kinds = [node["type"]] if isinstance(node.get("type"), str) else node.get("type", [])
    if "object" in kinds:
        if node.get("additionalProperties") is not False:
            yield "open object"
        if node.get("required") != list(node.get("properties", {})):
            yield "property that is not required"
    if "array" in kinds and "items" not in node:
        yield "array without items"
    if not kinds and not node.keys() & {"anyOf", "$ref"}:
        yield "no type"
    if "$ref" in node and len(node) > 1:
        yield "$ref with siblings"
    if node.get("format", "date") not in _STRICT_FORMATS:
        yield f"format {node['format']}"
    if forbidden := node.keys() & _NOT_STRICT:
        yield f"keywords {forbidden}"


def optional_without_null(source: dict[str, Any], schema: dict[str, Any]) -> list[str]:
    """Properties optional in the source whose conversion does not let null in; one level, without references."""
    optional = source.get("properties", {}).keys() - set(source.get("required", ()))
    return [name for name in optional if not _lets_null_in(schema["properties"][name])]


def _lets_null_in(node: dict[str, Any]) -> bool:
    if "anyOf" in node:
        return any(map(_lets_null_in, node["anyOf"]))
    kinds = node.get("type", [])
    return (kinds == "null" or "null" in kinds) and None in node.get("enum", [None])


def gemini_json_breaches(schema: dict[str, Any]) -> list[str]:
    breaches = []
    for pointer, node in walk(schema):
        if isinstance(node, dict):
            if unknown := node.keys() - _GEMINI_JSON:
                breaches.append(f"keywords {unknown} at {pointer!r}")
            if "$ref" in node and len(node) > 1:
                breaches.append(f"$ref with siblings at {pointer!r}")
            if not all(
                isinstance(value, str | int | float) and not isinstance(value, bool) for value in node.get("enum", ())
            ):
                breaches.append(f"enum of other values than strings and numbers at {pointer!r}")
    return breaches
