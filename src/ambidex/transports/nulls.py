"""Nulls that OpenAI's strict mode puts where an optional parameter was left out.

Strict mode requires every property, so the declaration makes optional ones nullable and the model sends null. Where
the authored schema refuses null, that null means "left out" and is removed; anywhere else it is the model's own.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import orjson

from ambidex.arguments.parse import parse
from ambidex.contracts.response import Fault
from ambidex.dialect.pointer import child, resolve
from ambidex.dialect.validator import SchemaError, compile_schema

_EACH = "*"
"""Stands for every element of an array."""
_DEEPEST = 16


def removable(schema: dict[str, Any]) -> frozenset[str]:
    """Pointers of optional properties that refuse null, wherever the schema declares them."""
    verdicts = list(_properties(schema, schema, "", 0))
    kept = {pointer for pointer, removed in verdicts if not removed}
    return frozenset(pointer for pointer, removed in verdicts if removed) - kept


def without_nulls(args: str, pointers: frozenset[str]) -> str:
    """The arguments without those nulls. A text that is not strictly one object stays as it is: it will be refused."""
    if not pointers or "null" not in args:
        return args
    found = parse(args)
    if isinstance(found, Fault):
        return args
    return orjson.dumps(_removed(found.args, "", pointers)).decode()


def _removed(value: Any, place: str, pointers: frozenset[str]) -> Any:
    if isinstance(value, dict):
        inside = [(name, item, child(place, name)) for name, item in value.items()]
        return {
            name: _removed(item, at, pointers) for name, item, at in inside if item is not None or at not in pointers
        }
    if isinstance(value, list):
        return [_removed(item, child(place, _EACH), pointers) for item in value]
    return value


def _properties(node: Any, root: dict[str, Any], place: str, depth: int) -> Iterator[tuple[str, bool]]:
    """Each property below a node, and whether a null there means that it was left out."""
    node = _resolved(node, root)
    if not isinstance(node, dict) or depth > _DEEPEST:
        return
    for name, below in node.get("properties", {}).items():
        at = child(place, name)
        yield at, name not in node.get("required", ()) and not _takes_null(below, root)
        yield from _properties(below, root, at, depth + 1)
    yield from _properties(node.get("items"), root, child(place, _EACH), depth + 1)
    for keyword in ("anyOf", "oneOf", "allOf"):
        for branch in node.get(keyword, ()):
            yield from _properties(branch, root, place, depth + 1)


def _resolved(node: Any, root: dict[str, Any]) -> Any:
    """The target of a local reference."""
    reference = node.get("$ref") if isinstance(node, dict) else None
    if not isinstance(reference, str) or not reference.startswith("#/"):
        return node
    try:
        return resolve(root, reference[1:])
    except LookupError:
        return None


def _takes_null(node: Any, root: dict[str, Any]) -> bool:
    definitions = {"$defs": root["$defs"]} if "$defs" in root and isinstance(node, dict) else {}
    try:
        return compile_schema({**definitions, **node} if isinstance(node, dict) else node).is_valid(None)
    except SchemaError:
        return True
