"""A schema in words and as a few facts: what is expected at a place, said so that a call can be corrected."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import orjson

from ambidex.dialect.formats import STRING_FORMATS
from ambidex.dialect.pointer import resolve

_FACTS = (
    "type enum const default examples format pattern minimum maximum exclusiveMinimum exclusiveMaximum multipleOf "
    "minLength maxLength minItems maxItems uniqueItems required"
).split()
_ARTICLES = {"integer": "an integer", "object": "an object", "array": "an array", "null": "null"}
_LISTED = 240
"""Characters of a message that a list of values may take."""
_NESTED = 4
"""How far expectations are spelt out below a missing property."""


def deref(schema: Any, node: Any) -> dict[str, Any]:
    """The schema object that `node` stands for, following local references; `{}` where there is none."""
    for _ in range(16):
        if not isinstance(node, dict) or not str(node.get("$ref", "")).startswith("#/"):
            break
        beside = {key: value for key, value in node.items() if key != "$ref"}
        try:
            target = resolve(schema, node["$ref"][1:])
        except LookupError:
            return beside
        node = {**target, **beside} if isinstance(target, dict) else beside
    return node if isinstance(node, dict) else {}


def expected(schema: Any, node: Any, depth: int = 0) -> dict[str, Any]:
    """The facts of a schema from which a program can make a value."""
    node = deref(schema, node)
    facts = {key: node[key] for key in _FACTS if key in node}
    if node.get("format") in STRING_FORMATS:
        facts["example"] = STRING_FORMATS[node["format"]]
    if depth < _NESTED:
        if "items" in node:
            facts["items"] = expected(schema, node["items"], depth + 1)
        needed = [name for name in node.get("required", ()) if name in node.get("properties", {})]
        if needed:
            facts["properties"] = {name: expected(schema, node["properties"][name], depth + 1) for name in needed}
    return facts


def phrase(schema: Any, node: Any) -> str:
    """`a string of 1 to 200 characters`, `an integer from 1 to 10`, `one of red, green`."""
    node = deref(schema, node)
    if "const" in node:
        return f"exactly {literal(node['const'])}"
    if "enum" in node:
        return f"one of {listed(node['enum'])}"
    if node.get("format") in STRING_FORMATS:
        return f"a string in the format {node['format']}, such as {STRING_FORMATS[node['format']]}"
    kind = node.get("type")
    return f"{any_of_types(kind)}{_bounds(node)}" if kind else "a value"


def _bounds(node: dict[str, Any]) -> str:
    if "minLength" in node or "maxLength" in node:
        return f" of {_span(node.get('minLength'), node.get('maxLength'))} characters"
    if "minItems" in node or "maxItems" in node:
        return f" of {_span(node.get('minItems'), node.get('maxItems'))} items"
    if "minimum" in node and "maximum" in node:
        return f" from {node['minimum']} to {node['maximum']}"
    if "minimum" in node:
        return f" of at least {node['minimum']}"
    return f" of at most {node['maximum']}" if "maximum" in node else ""


def _span(low: int | None, high: int | None) -> str:
    if high is None:
        return f"at least {low}"
    return f"at most {high}" if not low else f"{low} to {high}" if low != high else f"{low}"


def any_of_types(kind: Any) -> str:
    """`an integer or null`."""
    kinds = kind if isinstance(kind, list) else [kind]
    return " or ".join(_ARTICLES.get(one, f"a {one}") for one in kinds)


def literal(value: Any) -> str:
    """A value of the schema's own, in its own words."""
    return value if isinstance(value, str) else orjson.dumps(value).decode()


def listed(values: Sequence[Any]) -> str:
    """As many values as a message has room for, and the number of the rest."""
    words = [literal(value) for value in values]
    text, shown = "", 0
    for word in words:
        if shown and len(text) + len(word) > _LISTED:
            break
        text += f", {word}" if shown else word[:_LISTED]
        shown += 1
    return text if shown == len(words) else f"{text} and {len(words) - shown} more"
