"""Asks for the end of the voice session; the state controller ends it when the turn has been spoken."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ambidex import Intent, ToolResponse, ok


async def execute(args: Mapping[str, Any], context: Any) -> ToolResponse:
    ending = {name: args[name] for name in ("reason", "closing_message", "text_response")}
    return ok(ending, intents=[Intent.END_VOICE_SESSION(after="current_turn", **ending)])
