"""JSON values as JSON Schema sees them: their types, their equality, their text in a description."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any


def type_of(value: Any) -> str:
    """The JSON Schema type. A whole number is an `integer` however it was written."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "boolean"
    if isinstance(value, str):
        return "string"
    if isinstance(value, int) or (isinstance(value, float) and value.is_integer()):
        return "integer"
    if isinstance(value, float):
        return "number"
    return "array" if isinstance(value, list) else "object"


def is_of(value: Any, types: Iterable[str]) -> bool:
    kind = type_of(value)
    return kind in types or (kind == "integer" and "number" in types)


def equal(one: Any, other: Any) -> bool:
    """Equality of JSON, where `true` is not 1."""
    if isinstance(one, bool) or isinstance(other, bool):
        return one is other
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(equal, one, other))
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(equal(value, other[key]) for key, value in one.items())
    return bool(one == other)


def holds(values: list[Any], value: Any) -> bool:
    return any(equal(value, each) for each in values)


def text_of(value: Any) -> str:
    """Strings as they are, everything else as JSON."""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def allowed_types(declared: str | list[str]) -> list[str]:
    """The members of a `type`; `number` covers `integer`."""
    types = [declared] if isinstance(declared, str) else declared
    return [each for each in types if each != "integer" or "number" not in types]


def types_in(values: list[Any]) -> list[str]:
    """The types of an enum's values, in alphabetical order; `number` covers `integer`."""
    return allowed_types(sorted({type_of(value) for value in values}))
