"""The checks that all providers share, made once per schema: an object at the root, nothing unknown, nothing remote."""

from __future__ import annotations

from typing import Any

from ambidex.adapters.conversion import Unfit
from ambidex.adapters.document import Document
from ambidex.adapters.references import find_circle, in_place, targets_of
from ambidex.adapters.shapes import has_right_shape
from ambidex.dialect.formats import KNOWN_FORMATS
from ambidex.dialect.keywords import KNOWN, MAX_SCHEMA_DEPTH, walk
from ambidex.dialect.pointer import child


def screen(parameters: Any) -> Document:
    """The schema, ready for any adapter; raises `Unfit` at the first place that no provider could carry."""
    _check_depth(parameters)
    root = _checked_root(parameters)
    places: dict[str, Any] = {}
    for pointer, node in walk(root):
        if isinstance(node, dict):
            _check_keywords(pointer, node)
        places[pointer] = node
    document = Document(root, places, targets_of(root, places))
    if document.targets and (circle := find_circle(document, in_place)) is not None:
        raise Unfit(circle, "$ref that leads back to itself")
    return document


def _checked_root(parameters: Any) -> dict[str, Any]:
    if not isinstance(parameters, dict) or "type" not in parameters:
        raise Unfit("", "root must be type object")
    if parameters["type"] != "object":
        raise Unfit("/type", "root must be type object")
    return parameters


def _check_keywords(pointer: str, node: dict[str, Any]) -> None:
    for keyword, value in node.items():
        if keyword not in KNOWN:
            raise Unfit(child(pointer, keyword), "keyword unknown to JSON Schema 2020-12")
        if not has_right_shape(keyword, value):
            raise Unfit(child(pointer, keyword), f"not a value that {keyword} can have")
        if keyword == "format" and value not in KNOWN_FORMATS:
            raise Unfit(child(pointer, keyword), "unknown format")


def _check_depth(value: Any) -> None:
    """Before any recursive code, and over data too: a deep `default` breaks encoders as well as a deep schema does."""
    level = [value]
    for _ in range(MAX_SCHEMA_DEPTH):
        level = [inner for outer in level for inner in _inside(outer) if isinstance(inner, dict | list)]
        if not level:
            return
    raise Unfit(_first_too_deep(value), f"nested deeper than {MAX_SCHEMA_DEPTH}")


def _inside(value: Any) -> Any:
    if isinstance(value, dict):
        return value.values()
    return value if isinstance(value, list) else ()


def _first_too_deep(value: Any) -> str:
    level = [("", value)]
    for _ in range(MAX_SCHEMA_DEPTH):
        level = [
            (child(pointer, token), inner)
            for pointer, outer in level
            for token, inner in (outer.items() if isinstance(outer, dict) else enumerate(outer))
            if isinstance(inner, dict | list)
        ]
    return level[0][0]
