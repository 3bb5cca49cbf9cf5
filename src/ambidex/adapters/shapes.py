"""Whether a keyword's value has the shape that draft 2020-12 gives it, so that adapters can trust what they read."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

from ambidex.dialect.keywords import LIST_OF_SCHEMAS, MAP_OF_SCHEMAS, ONE_SCHEMA

_TYPES = frozenset("array boolean integer null number object string".split())


def has_right_shape(keyword: str, value: Any) -> bool:
    """True also for keywords whose value may be anything."""
    check = _SHAPES.get(keyword)
    return check is None or check(value)


def _is_text(value: Any) -> bool:
    return isinstance(value, str)


def _is_flag(value: Any) -> bool:
    return isinstance(value, bool)


def _is_list(value: Any) -> bool:
    return isinstance(value, list)


def _is_map(value: Any) -> bool:
    return isinstance(value, dict)


def _is_number(value: Any) -> bool:
    # Beyond the range of a double no two engines agree on what a bound means.
    return isinstance(value, int | float) and not isinstance(value, bool) and abs(value) <= sys.float_info.max


def _is_factor(value: Any) -> bool:
    return _is_number(value) and value > 0


def _is_count(value: Any) -> bool:
    return _is_number(value) and value >= 0 and value == int(value)


def _is_type(value: Any) -> bool:
    if isinstance(value, list):
        return bool(value) and _is_names(value) and _TYPES.issuperset(value)
    return isinstance(value, str) and value in _TYPES


def _is_names(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(name, str) for name in value) and len(set(value)) == len(value)


def _is_map_of_names(value: Any) -> bool:
    return isinstance(value, dict) and all(map(_is_names, value.values()))


def _is_schema(value: Any) -> bool:
    return isinstance(value, dict | bool)


def _is_list_of_schemas(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and all(map(_is_schema, value))


def _is_map_of_schemas(value: Any) -> bool:
    return isinstance(value, dict) and all(map(_is_schema, value.values()))


def _table(*rows: tuple[str, Callable[[Any], bool]]) -> dict[str, Callable[[Any], bool]]:
    return {keyword: check for keywords, check in rows for keyword in keywords.split()}


_SHAPES = _table(
    ("type", _is_type),
    ("$schema $id $ref $anchor $dynamicRef $dynamicAnchor $comment title description", _is_text),
    ("pattern format contentEncoding contentMediaType", _is_text),
    ("deprecated readOnly writeOnly uniqueItems", _is_flag),
    ("enum examples", _is_list),
    ("$vocabulary", _is_map),
    ("minimum maximum exclusiveMinimum exclusiveMaximum", _is_number),
    ("multipleOf", _is_factor),
    ("minLength maxLength minItems maxItems minContains maxContains minProperties maxProperties", _is_count),
    ("required", _is_names),
    ("dependentRequired", _is_map_of_names),
    (" ".join(ONE_SCHEMA), _is_schema),
    (" ".join(LIST_OF_SCHEMAS), _is_list_of_schemas),
    (" ".join(MAP_OF_SCHEMAS), _is_map_of_schemas),
)
