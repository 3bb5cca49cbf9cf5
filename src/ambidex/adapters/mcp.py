"""The Model Context Protocol: JSON Schema as written, with hints made from the tool's metadata."""

from __future__ import annotations

from typing import Any

from ambidex.adapters.as_written import convert
from ambidex.adapters.conversion import Conversion
from ambidex.adapters.declared import Declared
from ambidex.contracts.call import SideEffects

__all__ = ["convert", "declare"]


def declare(tool: Declared, conversion: Conversion) -> dict[str, Any]:
    declaration: dict[str, Any] = {"name": tool.name}
    if tool.title is not None:
        declaration["title"] = tool.title
    declaration["description"] = tool.description
    declaration["inputSchema"] = conversion.schema
    if tool.response is not None and tool.response.get("type") == "object":
        # Structured content is always an object; a tool that answers with anything else declares none.
        declaration["outputSchema"] = {key: value for key, value in tool.response.items() if key != "$schema"}
    declaration["annotations"] = _hints(tool)
    return declaration


def _hints(tool: Declared) -> dict[str, bool]:
    """Nothing in the metadata says that a write only adds, so none is called harmless."""
    writes = tool.side_effects == SideEffects.WRITES
    return {
        "readOnlyHint": not writes,
        "destructiveHint": writes,
        "idempotentHint": tool.idempotent,
        "openWorldHint": writes or tool.untrusted,
    }
