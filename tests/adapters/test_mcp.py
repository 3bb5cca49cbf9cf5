"""Hints and output schema of an MCP tool."""

from __future__ import annotations

from typing import Any

import pytest

from ambidex.adapters import Declared, convert, declare
from ambidex.contracts.call import SideEffects


def _declared(side_effects: SideEffects = SideEffects.NONE, **fields: Any) -> dict[str, Any]:
    tool = Declared("t", "d", side_effects, **{"idempotent": True, **fields})
    return declare("mcp", tool, convert("mcp", {"type": "object"}))


@pytest.mark.parametrize("side_effects", [SideEffects.NONE, SideEffects.READ_ONLY])
def test_a_tool_that_does_not_write_is_read_only_and_harmless(side_effects: SideEffects) -> None:
    assert _declared(side_effects)["annotations"] == {
        "readOnlyHint": True,
        "destructiveHint": False,
        "idempotentHint": True,
        "openWorldHint": False,
    }


def test_a_tool_that_writes_may_destroy_and_reaches_outside() -> None:
    assert _declared(SideEffects.WRITES, idempotent=False)["annotations"] == {
        "readOnlyHint": False,
        "destructiveHint": True,
        "idempotentHint": False,
        "openWorldHint": True,
    }


def test_outsiders_text_makes_the_world_open() -> None:
    assert _declared(SideEffects.READ_ONLY, untrusted=True)["annotations"]["openWorldHint"] is True


def test_an_object_response_becomes_the_output_schema() -> None:
    response = {"$schema": "x", "type": "object", "properties": {"id": {"type": "string"}}}
    assert _declared(response=response)["outputSchema"] == {"type": "object", "properties": {"id": {"type": "string"}}}


@pytest.mark.parametrize("response", [None, {"type": "array"}, {}])
def test_any_other_response_has_no_output_schema(response: Any) -> None:
    assert "outputSchema" not in _declared(response=response)


def test_a_title_is_sent_only_when_there_is_one() -> None:
    assert "title" not in _declared()
    assert _declared(title="T")["title"] == "T"
