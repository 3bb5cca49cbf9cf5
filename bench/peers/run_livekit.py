"""LiveKit Agents: `execute_function_call`, its helper that runs a tool call of a model."""

from __future__ import annotations

import logging
from typing import Any

from livekit.agents.llm import FunctionToolCall, ToolContext, execute_function_call, function_tool
from same import handler, measure
from typed import Filters, Namespace, Query, TopK

logging.disable(logging.CRITICAL)


@function_tool
async def find(
    query: Query, filters: Filters | None = None, namespace: Namespace = "studio", top_k: TopK = 5
) -> dict[str, Any]:
    """Finds records that match a query."""
    return await handler()


tools = ToolContext([find])


async def call(text: bytes) -> object:
    return await execute_function_call(FunctionToolCall(name="find", arguments=text.decode(), call_id="c1"), tools)


measure("livekit-agents", "execute_function_call", call, favour="logging off, no session around it")
