"""Anthropic takes JSON Schema, but for what its service refuses at the root."""

from __future__ import annotations

import pytest

from ambidex.adapters import convert


def _of_name(name: str) -> dict[str, object]:
    return {"type": "object", "properties": {name: {"type": "string"}}}


@pytest.mark.parametrize("keyword", ["anyOf", "oneOf", "allOf"])
def test_a_combinator_at_the_root_is_refused(keyword: str) -> None:
    conversion = convert("anthropic", {"type": "object", keyword: [{"required": ["a"]}]})
    assert (conversion.outcome, conversion.error_path) == ("error", f"/{keyword}")


@pytest.mark.parametrize("name", ["", "user name", "é", "a" * 65, "a\n", "filter[x]"])
def test_an_argument_with_an_odd_name_is_refused(name: str) -> None:
    assert convert("anthropic", _of_name(name)).error_path == f"/properties/{name}"


@pytest.mark.parametrize("name", ["a", "A.b-c_9", "a" * 64])
def test_names_of_letters_digits_dots_dashes_and_underscores_pass(name: str) -> None:
    assert convert("anthropic", _of_name(name)).outcome == "passthrough"


def test_below_the_root_names_and_combinators_are_free() -> None:
    inner = {"anyOf": [{**_of_name("user name")}]}
    assert convert("anthropic", {"type": "object", "properties": {"a": inner}}).outcome == "passthrough"
