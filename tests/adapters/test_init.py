"""The functions that the rest of the project calls."""

from __future__ import annotations

import pytest

from ambidex.adapters import Conversion, Declared, convert, convert_all, declare
from ambidex.contracts.call import SideEffects
from ambidex.contracts.spec import PROVIDERS

_TOOL = Declared("t", "d", SideEffects.NONE, idempotent=True)


def test_there_is_an_adapter_for_every_provider_of_the_artifact() -> None:
    assert tuple(convert_all({"type": "object"})) == PROVIDERS


def test_gemini_alone_means_the_native_schema() -> None:
    schema = {"type": "object", "properties": {"a": {"type": "string"}}}
    assert convert("gemini", schema) == convert("geminiNative", schema)


def test_an_unknown_provider_is_refused_with_the_known_ones() -> None:
    with pytest.raises(ValueError, match=r"unknown provider 'openia'; known are openai, .*, mcp, gemini"):
        convert("openia", {"type": "object"})


def test_an_error_has_no_declaration() -> None:
    failed = convert("anthropic", {"type": "array"})
    with pytest.raises(ValueError, match="t has no declaration for anthropic: root must be type object at '/type'"):
        declare("anthropic", _TOOL, failed)


def test_an_error_of_one_provider_leaves_the_others_alone() -> None:
    conversions = convert_all({"type": "object", "properties": {"user name": {"type": "string"}}})
    assert [name for name, each in conversions.items() if each.outcome == "error"] == ["anthropic"]


def test_a_conversion_says_where_and_why() -> None:
    conversion = convert("gemini", {"type": "object", "properties": {"a": {"type": "string", "format": "uri"}}})
    assert conversion.warn_paths == ("/properties/a/format",)
    assert conversion.losses[0].why == "format has no counterpart"


def test_a_conversion_is_a_value() -> None:
    assert Conversion("error", error_path="", why="w") == Conversion("error", None, (), "", "w")
