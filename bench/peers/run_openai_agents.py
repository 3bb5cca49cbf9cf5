"""openai-agents: `FunctionTool.on_invoke_tool`, which its runner calls for every function call of a model."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

from agents.tool_context import ToolContext
from openai.types.responses import ResponseFunctionToolCall, ResponseOutputMessage, ResponseOutputText
from same import TOOL, handler, measure, thrice
from typed import Filters, Namespace, Query, TopK

from agents import (
    Agent,
    FunctionTool,
    Model,
    ModelResponse,
    Runner,
    RunState,
    Usage,
    function_tool,
    set_tracing_disabled,
)

set_tracing_disabled(True)


async def find(
    query: Query, filters: Filters | None = None, namespace: Namespace = "studio", top_k: TopK = 5
) -> dict[str, Any]:
    """Finds records that match a query."""
    return await handler()


tool: FunctionTool = function_tool(find)


async def call(text: bytes) -> object:
    arguments = text.decode()
    context = ToolContext(None, tool_name="find", tool_call_id="c1", tool_arguments=arguments)
    return await tool.on_invoke_tool(context, arguments)


class _Scripted(Model):
    """Asks for the tool once, then is done."""

    async def get_response(self, system_instructions: Any, input: Any, *_: Any, **__: Any) -> ModelResponse:
        answered = any(item.get("type") == "function_call_output" for item in input if isinstance(item, dict))
        text = ResponseOutputText(text="done", type="output_text", annotations=[])
        said = ResponseOutputMessage(id="m", content=[text], role="assistant", status="completed", type="message")
        asked = ResponseFunctionToolCall(
            arguments=TOOL.text_of(TOOL.good(0)).decode(), call_id="c1", name="find", type="function_call"
        )
        return ModelResponse(output=[said if answered else asked], usage=Usage(), response_id=None)

    def stream_response(self, *_: Any, **__: Any) -> AsyncIterator[Any]:
        raise NotImplementedError


async def approved() -> dict[str, int]:
    """Its two documented ways: the state of the run as an object, and as the JSON that an application stores."""
    agent = Agent("finder", model=_Scripted(), tools=[function_tool(find, needs_approval=True)])
    asked = await Runner.run(agent, "find them")
    state = asked.to_state()
    state.approve(asked.interruptions[0])
    stored = state.to_json()

    async def use_stored() -> None:
        await Runner.run(agent, await RunState.from_json(agent, stored))

    return {
        "with the state in memory": await thrice(lambda: Runner.run(agent, state)),
        "with the stored state": await thrice(use_stored),
    }


measure(
    "openai-agents", "FunctionTool.on_invoke_tool", call, approved=approved, favour="tracing off, result not encoded"
)
