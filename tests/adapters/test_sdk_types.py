"""Declarations built with the vendors' own types: what they refuse, a service would too."""

from __future__ import annotations

from typing import Any

import pytest
from anthropic.types import ToolParam
from google.genai import types as gemini
from hypothesis import HealthCheck, given, settings
from mcp.types import Tool
from openai.types.chat import ChatCompletionToolParam
from openai.types.realtime import RealtimeFunctionTool
from openai.types.responses import FunctionTool
from pydantic import TypeAdapter
from tests.adapters.strategies import tame_documents
from tests.adapters.vectors import SCHEMAS

from ambidex.adapters import Conversion, Declared, convert, declare
from ambidex.contracts.call import SideEffects

_TOOL = Declared("kb_search", "Searches.", SideEffects.READ_ONLY, idempotent=True)
_CHAT: TypeAdapter[Any] = TypeAdapter(ChatCompletionToolParam)
_ANTHROPIC: TypeAdapter[Any] = TypeAdapter(ToolParam)


def _carried_by(provider: str) -> pytest.MarkDecorator:
    """The vectors that this provider can carry; the others have no declaration."""
    carried = [case for case in SCHEMAS if convert(provider, case.values[0]).outcome != "error"]
    return pytest.mark.parametrize("parameters", carried)


def _declared(provider: str, parameters: dict[str, Any]) -> tuple[Conversion, dict[str, Any]]:
    conversion = convert(provider, parameters)
    return conversion, declare(provider, _TOOL, conversion)


@_carried_by("geminiNative")
def test_gemini_accepts_the_native_schema_and_keeps_all_of_it(parameters: dict[str, Any]) -> None:
    conversion, declaration = _declared("geminiNative", parameters)
    built = gemini.FunctionDeclaration.model_validate(declaration)
    if conversion.schema is None:
        assert "parameters" not in declaration
        assert built.parameters is None
    else:
        written = gemini.Schema.model_validate(conversion.schema)
        assert built.parameters == written
        assert written.model_dump(mode="json", by_alias=True, exclude_none=True) == conversion.schema


@settings(max_examples=100, deadline=None, suppress_health_check=list(HealthCheck))
@given(tame_documents())
def test_gemini_accepts_whatever_was_converted_for_it(parameters: dict[str, Any]) -> None:
    schema = convert("geminiNative", parameters).schema
    assert schema is None or gemini.Schema.model_validate(schema)


@_carried_by("geminiJsonSchema")
def test_gemini_accepts_the_json_schema(parameters: dict[str, Any]) -> None:
    conversion, declaration = _declared("geminiJsonSchema", parameters)
    built = gemini.FunctionDeclaration.model_validate(declaration)
    assert built.parameters_json_schema == conversion.schema
    assert built.parameters is None


@_carried_by("openai")
def test_openai_chat_accepts_the_nested_declaration(parameters: dict[str, Any]) -> None:
    conversion, declaration = _declared("openai", parameters)
    function = _CHAT.validate_python(declaration)["function"]
    assert function["strict"] is (conversion.outcome == "strict")
    assert function["parameters"] == conversion.schema


@_carried_by("openaiResponses")
def test_openai_responses_accepts_the_flat_declaration(parameters: dict[str, Any]) -> None:
    conversion, declaration = _declared("openaiResponses", parameters)
    built = FunctionTool.model_validate(declaration)
    assert (built.name, built.strict) == ("kb_search", conversion.outcome == "strict")
    assert built.parameters == conversion.schema


@_carried_by("openaiRealtime")
def test_openai_realtime_accepts_a_declaration_without_strict(parameters: dict[str, Any]) -> None:
    _, declaration = _declared("openaiRealtime", parameters)
    built = RealtimeFunctionTool.model_validate(declaration)
    assert built.model_dump() == declaration
    assert declaration.keys() == {"type", "name", "description", "parameters"}


@_carried_by("anthropic")
def test_anthropic_accepts_the_input_schema(parameters: dict[str, Any]) -> None:
    conversion, declaration = _declared("anthropic", parameters)
    assert _ANTHROPIC.validate_python(declaration)["input_schema"] == conversion.schema


@_carried_by("mcp")
def test_mcp_accepts_the_tool_and_its_hints(parameters: dict[str, Any]) -> None:
    conversion, declaration = _declared("mcp", parameters)
    built = Tool.model_validate(declaration)
    assert built.input_schema == conversion.schema
    assert built.annotations is not None
    assert built.annotations.model_dump(by_alias=True, exclude_none=True) == declaration["annotations"]
