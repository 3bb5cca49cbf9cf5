"""pydantic-ai: `ToolManager`, which its agents hand every call of a model to."""

from __future__ import annotations

from typing import Any

from pydantic_ai import Agent, DeferredToolRequests, DeferredToolResults, RunContext
from pydantic_ai.messages import ModelMessage, ModelResponse, TextPart, ToolCallPart
from pydantic_ai.models.function import AgentInfo, FunctionModel
from pydantic_ai.models.test import TestModel
from pydantic_ai.tool_manager import ToolManager
from pydantic_ai.toolsets import FunctionToolset
from pydantic_ai.usage import RunUsage
from same import TOOL, handler, measure, thrice
from typed import Filters, Namespace, Query, TopK

_manager: list[ToolManager[None]] = []


async def find(
    query: Query, filters: Filters | None = None, namespace: Namespace = "studio", top_k: TopK = 5
) -> dict[str, Any]:
    """Finds records that match a query."""
    return await handler()


async def call(text: bytes) -> object:
    if not _manager:
        context = RunContext(deps=None, model=TestModel(), usage=RunUsage())
        _manager.append(await ToolManager(FunctionToolset([find])).for_run_step(context))
    return await _manager[0].handle_call(ToolCallPart("find", text.decode(), "c1"))


async def approved() -> dict[str, int]:
    """Its documented way: the history and the approval are sent again; what was approved is kept by nobody."""

    def model(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        answered = any(part.part_kind == "tool-return" for message in messages for part in message.parts)
        call = ToolCallPart("find", TOOL.good(0), "c1")
        return ModelResponse([TextPart("done")] if answered else [call])

    agent = Agent(FunctionModel(model), output_type=[str, DeferredToolRequests])
    agent.tool_plain(requires_approval=True)(find)
    asked = await agent.run("find them")

    async def use() -> None:
        answer = DeferredToolResults(approvals={"c1": True})
        await agent.run(message_history=asked.all_messages(), deferred_tool_results=answer)

    return {"with the message history": await thrice(use)}


measure("pydantic-ai-slim", "ToolManager.handle_call", call, approved=approved, favour="result not encoded")
