"""What a call leaves out is filled in, nested and fresh."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ambidex.arguments.defaults import Defaults


def schema(**properties: Any) -> dict[str, Any]:
    return {"type": "object", "properties": properties}


def test_a_schema_without_defaults_hands_back_the_very_arguments() -> None:
    args = {"a": {"b": 1}}
    defaults = Defaults(schema(a=schema(b={"type": "integer"})))
    assert not defaults
    assert defaults.fill(args)[0] is args


def test_what_was_left_out_is_filled_in_and_named() -> None:
    defaults = Defaults(schema(top_k={"default": 5}, kind={"default": None}, query={}))
    assert defaults.fill({"query": "x"}) == ({"query": "x", "top_k": 5, "kind": None}, ("/top_k", "/kind"))


def test_what_was_given_stays_even_when_it_is_null_or_false() -> None:
    defaults = Defaults(schema(a={"default": 5}, b={"default": True}))
    assert defaults.fill({"a": None, "b": False}) == ({"a": None, "b": False}, ())


def test_the_arguments_given_are_left_as_they_were() -> None:
    args: dict[str, Any] = {"filters": {}}
    Defaults(schema(filters=schema(year={"default": 1}))).fill(args)
    assert args == {"filters": {}}


def test_a_default_inside_an_object_applies_only_where_that_object_is() -> None:
    defaults = Defaults(schema(filters=schema(year={"default": 2000})))
    assert defaults.fill({}) == ({}, ())
    assert defaults.fill({"filters": {}}) == ({"filters": {"year": 2000}}, ("/filters/year",))


def test_an_object_that_its_own_default_creates_is_filled_in_too() -> None:
    defaults = Defaults(schema(filters={**schema(year={"default": 2000}), "default": {"place": "Paris"}}))
    assert defaults.fill({}) == ({"filters": {"place": "Paris", "year": 2000}}, ("/filters",))


def test_objects_in_arrays_are_filled_in() -> None:
    item = schema(n={"default": 1})
    defaults = Defaults(schema(items={"type": "array", "items": item}, pair={"prefixItems": [{}, item]}))
    args, filled = defaults.fill({"items": [{}, {"n": 2}, 3], "pair": [{}, {}]})
    assert args == {"items": [{"n": 1}, {"n": 2}, 3], "pair": [{}, {"n": 1}]}
    assert filled == ("/items/0/n", "/pair/1/n")


def test_references_and_all_of_are_followed() -> None:
    whole = {
        **schema(a={"$ref": "#/$defs/a~1b"}, c={"allOf": [{"$ref": "#/$defs/a~1b"}, schema(z={"default": 9})]}),
        "$defs": {"a/b": schema(n={"default": 1})},
    }
    assert Defaults(whole).fill({"a": {}, "c": {}})[0] == {"a": {"n": 1}, "c": {"n": 1, "z": 9}}


def test_a_default_beside_a_reference_comes_before_the_one_behind_it() -> None:
    whole = {**schema(a={"$ref": "#/$defs/n", "default": 1}), "$defs": {"n": {"type": "integer", "default": 2}}}
    assert Defaults(whole).fill({})[0] == {"a": 1}


def test_a_schema_that_contains_itself_is_filled_as_deep_as_the_arguments_go() -> None:
    tree = {**schema(name={"default": "x"}, child={"$ref": "#"}, twin={"$ref": "#", "default": {}})}
    args, _ = Defaults(tree).fill({"child": {"child": {}}})
    assert args["child"]["child"]["name"] == "x"
    assert args["name"] == "x"


def test_names_with_slashes_are_escaped_in_pointers() -> None:
    assert Defaults(schema(**{"a/b~c": {"default": 1}})).fill({})[1] == ("/a~1b~0c",)


def test_defaults_are_canonical_like_arguments() -> None:
    args, _ = Defaults(schema(n={"default": 3.0}, s={"default": "e\u0301"})).fill({})
    assert type(args["n"]) is int
    assert args["s"] == "\u00e9"


@pytest.mark.threat("V09")
def test_a_handler_that_changes_a_default_changes_only_its_own() -> None:
    defaults = Defaults(schema(fields={"default": ["title", {"deep": []}]}))
    first, _ = defaults.fill({})
    first["fields"].append("full_text")
    first["fields"][1]["deep"].append(1)
    assert defaults.fill({})[0] == {"fields": ["title", {"deep": []}]}


@settings(max_examples=100, deadline=None)
@given(st.dictionaries(st.sampled_from("abcdef"), st.integers(), max_size=6))
def test_filling_in_adds_exactly_what_it_names_and_does_so_once(given_args: dict[str, int]) -> None:
    defaults = Defaults(schema(a={"default": 1}, b={"default": [2]}, c={"default": {"x": 3}}))
    args, filled = defaults.fill(given_args)
    assert {f"/{name}" for name in set(args) - set(given_args)} == set(filled)
    assert all(args[name] == value for name, value in given_args.items())
    assert defaults.fill(args) == (args, ())
