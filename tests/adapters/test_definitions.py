"""References lifted into `$defs`."""

from __future__ import annotations

from typing import Any

from ambidex.adapters import convert
from ambidex.adapters.definitions import Definitions
from ambidex.adapters.screen import screen
from ambidex.dialect.validator import compile_schema


def _definitions(properties: dict[str, Any], **definitions: Any) -> Definitions:
    return Definitions(screen({"type": "object", "properties": properties, "$defs": definitions}))


def test_a_definition_keeps_its_name_and_another_target_gets_a_free_one() -> None:
    made = _definitions({"D": {"type": "string"}, "x": {"$ref": "#/properties/D"}, "y": {"$ref": "#/$defs/D"}}, D={})
    assert made.reference("#/$defs/D") == {"$ref": "#/$defs/D"}
    assert made.reference("#/properties/D") == {"$ref": "#/$defs/D_"}
    assert [(name, pointer) for name, pointer, _ in made.unfold()] == [("D", "/$defs/D"), ("D_", "/properties/D")]


def test_a_target_is_handed_out_once_also_when_met_late() -> None:
    made = _definitions({"x": {"$ref": "#/$defs/A"}, "y": {"$ref": "#/$defs/B"}}, A={}, B={})
    made.reference("#/$defs/A")
    names = []
    for name, _, _ in made.unfold():
        names.append(name)
        made.reference("#/$defs/B")
    assert names == ["A", "B"]


def test_an_odd_name_is_written_so_that_engines_find_it() -> None:
    odd = "odd name/~%é"
    ref = "#/$defs/odd%20name~1~0%25%C3%A9"
    schema = {
        "type": "object",
        "properties": {"a": {"$ref": ref}},
        "required": ["a"],
        "$defs": {odd: {"type": "string"}},
    }
    converted = convert("openai", schema).schema
    assert converted is not None
    assert converted["properties"]["a"] == {"$ref": ref}
    judge = compile_schema(converted)
    assert judge.is_valid({"a": "x"})
    assert not judge.is_valid({"a": 1})
