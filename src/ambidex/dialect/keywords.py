"""The vocabulary of draft 2020-12, and where schemas sit inside schemas."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ambidex.dialect.pointer import child

ONE_SCHEMA = frozenset(
    "additionalProperties contains contentSchema else if items not propertyNames then unevaluatedItems "
    "unevaluatedProperties".split()
)
"""Keywords whose value is a schema."""

LIST_OF_SCHEMAS = frozenset("allOf anyOf oneOf prefixItems".split())
MAP_OF_SCHEMAS = frozenset("$defs dependentSchemas patternProperties properties".split())

ANNOTATIONS = frozenset("title description default deprecated readOnly writeOnly examples $comment".split())
ASSERTIONS = frozenset(
    "type enum const multipleOf maximum exclusiveMaximum minimum exclusiveMinimum maxLength minLength pattern "
    "maxItems minItems uniqueItems maxContains minContains maxProperties minProperties required dependentRequired "
    "format contentEncoding contentMediaType".split()
)
IDENTITY = frozenset("$schema $id $ref $anchor $dynamicRef $dynamicAnchor $vocabulary".split())

KNOWN = ONE_SCHEMA | LIST_OF_SCHEMAS | MAP_OF_SCHEMAS | ANNOTATIONS | ASSERTIONS | IDENTITY
"""All else is an unknown keyword, as in Ajv's strict mode: OpenAPI's `nullable`, draft 7's `definitions`, typos."""

MAX_SCHEMA_DEPTH = 64
"""Deeper authored schemas are refused before any recursive code sees them."""


def walk(schema: Any, pointer: str = "") -> Iterator[tuple[str, Any]]:
    """Every schema inside `schema` with its pointer, outermost first. Values that are data are never entered."""
    stack: list[tuple[str, Any]] = [(pointer, schema)]
    while stack:
        here, node = stack.pop()
        yield here, node
        if isinstance(node, dict):
            stack.extend(reversed(list(children(node, here))))


def children(node: dict[str, Any], pointer: str = "") -> Iterator[tuple[str, Any]]:
    """The schemas directly below one schema object."""
    for keyword, value in node.items():
        place = child(pointer, keyword)
        if keyword in ONE_SCHEMA:
            yield place, value
        elif keyword in LIST_OF_SCHEMAS and isinstance(value, list):
            for index, item in enumerate(value):
                yield child(place, index), item
        elif keyword in MAP_OF_SCHEMAS and isinstance(value, dict):
            for name, item in value.items():
                yield child(place, name), item


def depth_of(text: bytes) -> int:
    """Deepest nesting of brackets in JSON text, without recursion; brackets inside strings do not count."""
    depth = deepest = 0
    in_string = escaped = False
    for byte in text:
        if in_string:
            if escaped:
                escaped = False
            elif byte == 0x5C:
                escaped = True
            elif byte == 0x22:
                in_string = False
        elif byte == 0x22:
            in_string = True
        elif byte in (0x7B, 0x5B):
            depth += 1
            deepest = max(deepest, depth)
        elif byte in (0x7D, 0x5D):
            depth -= 1
    return deepest
