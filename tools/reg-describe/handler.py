"""Describes one tool. Which tools exist for this user is the registry view's to say, not this handler's."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ambidex import ToolResponse, ok

from .brief import spoken_length


async def execute(args: Mapping[str, Any], context: Any) -> ToolResponse:
    described = await context.registry.describe(args["toolId"], mode=context.mode)
    return ok(
        {
            "toolId": described["tool_id"],
            "documentation": spoken_length(described) if context.mode == "voice" else described["documentation"],
            "parameters": described["parameters"],
            "modeLimits": described["mode_limits"],
        }
    )
