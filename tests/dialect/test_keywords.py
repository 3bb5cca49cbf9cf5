from __future__ import annotations

import json

from ambidex.dialect.keywords import depth_of, walk
from ambidex.dialect.pointer import child, resolve, tokens


def test_every_schema_is_walked_and_no_data() -> None:
    schema = {
        "properties": {"a": {"enum": [{"properties": {"not": "walked"}}]}, "b/c": True},
        "anyOf": [{"items": {"type": "string"}}],
        "$defs": {"D": {}},
        "default": {"type": "data"},
    }
    found = [pointer for pointer, _ in walk(schema)]
    assert found == ["", "/properties/a", "/properties/b~1c", "/anyOf/0", "/anyOf/0/items", "/$defs/D"]
    assert all(resolve(schema, pointer) is node for pointer, node in walk(schema))


def test_pointers_escape_and_come_back() -> None:
    assert tokens(child(child("", "a/b"), "~x")) == ["a/b", "~x"]


def test_depth_is_counted_without_recursion() -> None:
    assert depth_of(json.dumps([[{"a": "[[[["}]]).encode()) == 3
    assert depth_of(b"[" * 100_000) == 100_000
