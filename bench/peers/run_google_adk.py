"""Google ADK: `FunctionTool.run_async`, which its flows call for every function call of a model."""

from __future__ import annotations

import json
import logging
from collections.abc import AsyncGenerator
from typing import Any

from google.adk.agents import LlmAgent
from google.adk.agents.invocation_context import InvocationContext
from google.adk.features import FeatureName, override_feature_enabled
from google.adk.models import BaseLlm, LlmRequest, LlmResponse
from google.adk.runners import Runner
from google.adk.sessions import InMemorySessionService
from google.adk.tools import FunctionTool, ToolContext
from google.genai import types
from same import TOOL, handler, measure, thrice
from typed import Filters, Namespace, Query, TopK

logging.disable(logging.CRITICAL)
override_feature_enabled(FeatureName.FUNCTION_TOOL_ARG_VALIDATION, True)  # off unless asked for
_ASKS = "adk_request_confirmation"


async def find(
    query: Query, filters: Filters | None = None, namespace: Namespace = "studio", top_k: TopK = 5
) -> dict[str, Any]:
    """Finds records that match a query."""
    return await handler()


tool = FunctionTool(find)
_context: list[ToolContext] = []


async def call(text: bytes) -> object:
    if not _context:
        service = InMemorySessionService()
        session = await service.create_session(app_name="bench", user_id="u")
        agent = LlmAgent(name="finder", tools=[tool])
        invocation = InvocationContext(session_service=service, session=session, agent=agent, invocation_id="i")
        _context.append(ToolContext(invocation, function_call_id="c1"))
    return await tool.run_async(args=json.loads(text), tool_context=_context[0])


class _Scripted(BaseLlm):
    """Asks for the tool once, then is done."""

    async def generate_content_async(
        self, llm_request: LlmRequest, stream: bool = False
    ) -> AsyncGenerator[LlmResponse, None]:
        parts = [part for content in llm_request.contents for part in content.parts or []]
        answered = any(part.function_response for part in parts)
        asked = types.Part(function_call=types.FunctionCall(id="c1", name="find", args=TOOL.good(0)))
        said = types.Part(text="done") if answered else asked
        yield LlmResponse(content=types.Content(role="model", parts=[said]))


async def approved() -> dict[str, int]:
    """The user's answer to its request for confirmation, sent three times into the same session."""
    service = InMemorySessionService()
    session = await service.create_session(app_name="bench", user_id="u")
    agent = LlmAgent(
        name="finder", model=_Scripted(model="scripted"), tools=[FunctionTool(find, require_confirmation=True)]
    )
    runner = Runner(app_name="bench", agent=agent, session_service=service)

    async def say(part: types.Part) -> list[types.FunctionCall]:
        message = types.Content(role="user", parts=[part])
        events = [e async for e in runner.run_async(user_id="u", session_id=session.id, new_message=message)]
        return [asked for event in events for asked in event.get_function_calls()]

    [request] = [asked for asked in await say(types.Part(text="find them")) if asked.name == _ASKS]
    answer = types.FunctionResponse(id=request.id, name=_ASKS, response={"confirmed": True})
    return {"in the session": await thrice(lambda: say(types.Part(function_response=answer)))}


measure(
    "google-adk",
    "FunctionTool.run_async",
    call,
    approved=approved,
    favour="argument validation switched on, result not encoded",
)
