"""FastMCP: `Tool.run` for the cost, the cheapest public path; `Client.call_tool` in memory for what is refused."""

from __future__ import annotations

import json
from typing import Any

from fastmcp import Client, FastMCP
from fastmcp.tools import Tool
from same import handler, measure
from typed import Filters, Namespace, Query, TopK

server = FastMCP("bench", strict_input_validation=True)


async def find(
    query: Query, filters: Filters | None = None, namespace: Namespace = "studio", top_k: TopK = 5
) -> dict[str, Any]:
    """Finds records that match a query."""
    return await handler()


server.tool(find)
tool = Tool.from_function(find)


async def call(text: bytes) -> object:
    return await tool.run(json.loads(text))


async def strict(text: bytes) -> object:
    async with Client(server) as client:
        return await client.call_tool("find", json.loads(text))


measure(
    "fastmcp",
    "Tool.run",
    call,
    strict=strict,
    no_approvals="no gate: its Approval app sends the model a message",
    favour="cost without protocol, client and server; refusals with them and strict_input_validation",
)
