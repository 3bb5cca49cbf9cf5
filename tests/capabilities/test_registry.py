"""The registry as handlers see it: only what the user may call in this mode, and nothing to change."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import FrozenInstanceError
from pathlib import Path
from typing import Any

import pytest

import ambidex
from ambidex.capabilities.registry import RegistryView
from ambidex.contracts.call import Mode
from ambidex.contracts.faults import ErrorType
from ambidex.errors import ToolError

TOOLS = Path(__file__).parents[2] / "tools"


class Source:
    def tool_ids(self, mode: Mode | None = None) -> Iterable[str]:
        return ["kb_get", "kb_search"] if mode is Mode.VOICE else ["image_generate", "kb_get", "kb_search"]

    def documentation(self, tool_id: str) -> str:
        return f"# {tool_id}"

    def metadata(self, tool_id: str) -> Mapping[str, Any]:
        limits = {"modeLimits": {"voice": {"top_k": {"maximum": 3}}}} if tool_id == "kb_search" else {}
        return {"toolId": tool_id, "summary": f"About {tool_id}.", "permissions": ["secret.scope"], **limits}

    def json_schema(self, tool_id: str) -> Mapping[str, Any]:
        return {"type": "object"}


async def refusal(view: RegistryView, tool_id: str, mode: Mode) -> dict[str, Any]:
    with pytest.raises(ToolError) as refused:
        await view.describe(tool_id, mode=mode)
    fault = refused.value.response.error
    assert fault is not None
    assert fault.type is ErrorType.NOT_FOUND
    assert fault.details is not None
    return fault.details | {"suggestion": fault.suggestion, "message": fault.message}


async def test_a_tool_is_described_with_the_limits_of_the_mode_and_no_policy() -> None:
    described = await RegistryView(Source()).describe("kb_search", mode=Mode.VOICE)
    assert described == {
        "tool_id": "kb_search",
        "summary": "About kb_search.",
        "documentation": "# kb_search",
        "parameters": {"type": "object"},
        "mode_limits": {"top_k": {"maximum": 3}},
    }


async def test_a_mode_without_limits_has_none() -> None:
    assert (await RegistryView(Source()).describe("kb_search", mode=Mode.TEXT))["mode_limits"] == {}
    assert (await RegistryView(Source()).describe("kb_get", mode=Mode.VOICE))["mode_limits"] == {}


async def test_a_misspelled_name_is_answered_with_the_nearest() -> None:
    refused = await refusal(RegistryView(Source()), "kb-serach", Mode.TEXT)
    assert refused["nearest"][0] == "kb_search"
    assert "kb_search" in refused["suggestion"]


async def test_what_was_asked_for_is_not_repeated_to_the_model() -> None:
    refused = await refusal(RegistryView(Source()), "marker-value", Mode.TEXT)
    assert "marker-value" not in str(refused)
    assert refused["suggestion"] == "Use a name from the list of available tools."


async def test_a_forbidden_tool_is_answered_like_one_that_does_not_exist() -> None:
    view = RegistryView(Source(), lambda tool_id: tool_id != "image_generate")
    forbidden = await refusal(view, "image_generate", Mode.TEXT)
    wrong_mode = await refusal(RegistryView(Source()), "image_generate", Mode.VOICE)
    assert forbidden == wrong_mode
    assert forbidden["nearest"] == []


async def test_every_shipped_tool_is_described_from_a_registry_that_was_built_and_loaded(tmp_path: Path) -> None:
    ambidex.build(TOOLS, tmp_path / "tool_registry.json")
    registry = ambidex.load(tmp_path / "tool_registry.json", eager=True)
    for mode in Mode:
        for tool_id in registry.tool_ids(mode):
            described = await RegistryView(registry).describe(tool_id, mode=mode)
            assert described["documentation"].startswith(f"# {tool_id}\n")
            assert described["summary"] in " ".join(described["documentation"].split())
            assert described["parameters"]["additionalProperties"] is False


def test_a_view_cannot_be_turned_to_another_registry() -> None:
    view = RegistryView(Source())
    with pytest.raises(FrozenInstanceError):
        view.source = Source()  # type: ignore[misc]
