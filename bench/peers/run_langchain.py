"""LangChain: `StructuredTool.ainvoke` with a tool call, as its agents do it. Approvals are LangGraph's."""

from __future__ import annotations

import json
from typing import Any, TypedDict

from langchain_core.tools import StructuredTool
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import END, START, StateGraph
from langgraph.types import Command, interrupt
from pydantic import BaseModel, ConfigDict
from same import handler, measure, thrice
from typed import Filters, Namespace, Query, TopK


class Arguments(BaseModel):
    """The parameters as a model of their own, so that keys which nobody declared can be forbidden."""

    model_config = ConfigDict(extra="forbid")

    query: Query
    filters: Filters | None = None
    namespace: Namespace = "studio"
    top_k: TopK = 5


async def find(**_: Any) -> dict[str, Any]:
    """Finds records that match a query."""
    return await handler()


tool = StructuredTool.from_function(coroutine=find, name="find", args_schema=Arguments)


async def call(text: bytes) -> object:
    return await tool.ainvoke({"type": "tool_call", "name": "find", "args": json.loads(text), "id": "c1"})


class _State(TypedDict):
    done: bool


async def _asking(state: _State) -> _State:
    if interrupt("may it?"):
        await handler()
    return {"done": True}


async def approved() -> dict[str, int]:
    """An interrupt of LangGraph, resumed on its checkpoint."""
    graph = StateGraph(_State)
    graph.add_node("ask", _asking)
    graph.add_edge(START, "ask")
    graph.add_edge("ask", END)
    app = graph.compile(checkpointer=InMemorySaver())
    where: Any = {"configurable": {"thread_id": "t"}}
    await app.ainvoke({"done": False}, where)
    return {"with the checkpoint": await thrice(lambda: app.ainvoke(Command(resume=True), where))}


measure("langchain-core", "StructuredTool.ainvoke", call, approved=approved, favour="unknown keys forbidden by a model")
