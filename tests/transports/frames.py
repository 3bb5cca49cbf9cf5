"""What each service sends for the same step, as bytes of its stream, and a server that sends any bytes."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

from ambidex.testing.standins.http import Answer, HungUp, LoopbackServer, Request
from ambidex.transports.anthropic import Anthropic, MessagesReading
from ambidex.transports.base import Ask, ProviderFault, StepEnded, StepEvent
from ambidex.transports.gemini import ContentReading, Gemini
from ambidex.transports.openai_chat import ChatReading, OpenAIChat
from ambidex.transports.openai_responses import OpenAIResponses, ResponsesReading
from ambidex.transports.provider import Account, HttpProvider, Reading
from ambidex.transports.sse import Event

ASK = Ask("Be good.", [], [])
MODEL = "m-1"
Call = tuple[str, str, str]
"""Id, name, raw arguments."""


@dataclass(frozen=True)
class Service:
    """One provider, and its stream for some words and calls that end in `finish`."""

    provider: Callable[[Account], HttpProvider]
    reading: Callable[[], Reading]
    stream: Callable[[str, Sequence[Call], str], list[Any]]
    finishes: dict[str, str]
    """Our word for an end -> theirs."""
    whole_calls: bool = False
    """Arguments come as an object, so they cannot be cut inside."""


def chat(text: str, calls: Sequence[Call], finish: str) -> list[Any]:
    chunks: list[Any] = [_choice({"role": "assistant", "content": text})]
    for index, (id, name, args) in enumerate(calls):
        head = {"index": index, "id": id, "type": "function", "function": {"name": name, "arguments": ""}}
        chunks.append(_choice({"tool_calls": [head]}))
        for piece in (args[:3], args[3:]):
            chunks.append(_choice({"tool_calls": [{"index": index, "function": {"arguments": piece}}]}))
    usage = {"choices": [], "usage": {"prompt_tokens": 3, "completion_tokens": 4}}
    return [*chunks, _choice({}, finish), usage, "[DONE]"]


def _choice(delta: dict[str, Any], finish: str | None = None) -> dict[str, Any]:
    return {"choices": [{"index": 0, "delta": delta, "finish_reason": finish}]}


def responses(text: str, calls: Sequence[Call], finish: str) -> list[Any]:
    told: list[Any] = [{"type": "response.created", "response": {}}]
    told.append({"type": "response.output_text.delta", "item_id": "msg_0", "delta": text})
    for number, (id, name, args) in enumerate(calls):
        item = {"type": "function_call", "id": f"fc_{number}", "call_id": id, "name": name, "arguments": args}
        told.append({"type": "response.output_item.added", "item": {**item, "arguments": ""}})
        told.append({"type": "response.function_call_arguments.delta", "item_id": f"fc_{number}", "delta": args})
        told.append({"type": "response.output_item.done", "item": {**item, "status": "completed"}})
    kind, _, reason = finish.partition(" ")
    ended = {"usage": {"input_tokens": 3, "output_tokens": 4}, "incomplete_details": {"reason": reason}}
    return [*told, {"type": f"response.{kind}", "response": ended}]


def gemini(text: str, calls: Sequence[Call], finish: str) -> list[Any]:
    parts = [{"functionCall": {"id": id, "name": name, "args": json.loads(args)}} for id, name, args in calls]
    usage = {"promptTokenCount": 3, "candidatesTokenCount": 4}
    return [
        {"candidates": [{"content": {"role": "model", "parts": [{"text": text}]}}]},
        {
            "candidates": [{"content": {"role": "model", "parts": parts}, "finishReason": finish}],
            "usageMetadata": usage,
        },
    ]


def anthropic(text: str, calls: Sequence[Call], finish: str) -> list[Any]:
    told: list[Any] = [{"type": "message_start", "message": {"usage": {"input_tokens": 3}}}, {"type": "ping"}]
    told += [
        {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}},
        {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": text}},
        {"type": "content_block_stop", "index": 0},
    ]
    for index, (id, name, args) in enumerate(calls, start=1):
        block = {"type": "tool_use", "id": id, "name": name, "input": {}}
        told.append({"type": "content_block_start", "index": index, "content_block": block})
        for piece in ("", args[:3], args[3:]):
            delta = {"type": "input_json_delta", "partial_json": piece}
            told.append({"type": "content_block_delta", "index": index, "delta": delta})
        told.append({"type": "content_block_stop", "index": index})
    told.append({"type": "message_delta", "delta": {"stop_reason": finish}, "usage": {"output_tokens": 4}})
    return [*told, {"type": "message_stop"}]


SERVICES: dict[str, Service] = {
    "openai": Service(
        OpenAIChat,
        lambda: ChatReading(MODEL, ASK),
        chat,
        {"stop": "stop", "calls": "tool_calls", "length": "length", "filtered": "content_filter"},
    ),
    "openai-responses": Service(
        OpenAIResponses,
        lambda: ResponsesReading(MODEL, ASK),
        responses,
        {
            "stop": "completed",
            "calls": "completed",
            "length": "incomplete max_output_tokens",
            "filtered": "incomplete content_filter",
        },
    ),
    "gemini": Service(
        Gemini,
        lambda: ContentReading(MODEL),
        gemini,
        {"stop": "STOP", "calls": "STOP", "length": "MAX_TOKENS", "filtered": "SAFETY"},
        whole_calls=True,
    ),
    "anthropic": Service(
        Anthropic,
        lambda: MessagesReading(MODEL),
        anthropic,
        {"stop": "end_turn", "calls": "tool_use", "length": "max_tokens", "filtered": "refusal"},
    ),
}


def as_bytes(events: Sequence[Any]) -> bytes:
    return b"".join(b"data: " + _data(event) + b"\n\n" for event in events)


def _data(event: Any) -> bytes:
    return event.encode() if isinstance(event, str) else json.dumps(event).encode()


def read(reading: Reading, events: Sequence[Any]) -> StepEnded:
    """The step that the events make; raises what the transport raises."""
    for event in events:
        list(reading.feed(Event("", _data(event))))
    return reading.end()


@asynccontextmanager
async def sending(service: Service, stream: bytes, *, status: int = 200, hang_up: bool = False) -> AsyncIterator[Any]:
    """A provider before a real server that answers every request with these bytes."""

    async def pieces() -> AsyncIterator[bytes]:
        yield stream
        if hang_up:
            raise HungUp

    async def handler(_: Request) -> Answer:
        return Answer(status, pieces(), {"content-type": "text/event-stream"})

    server = LoopbackServer(handler)
    await server.start()
    provider = service.provider(Account("secret-key", server.address, MODEL))
    try:
        yield provider
    finally:
        await provider.close()
        await server.close()


async def outcome_of(provider: HttpProvider) -> StepEnded | ProviderFault:
    """How a step ended; anything else that is raised fails the test."""
    try:
        return (await step_of(provider))[1]
    except ProviderFault as fault:
        return fault


async def step_of(provider: HttpProvider, ask: Ask = ASK) -> tuple[list[StepEvent], StepEnded]:
    events = [event async for event in provider.step(ask)]
    ended = events.pop()
    assert isinstance(ended, StepEnded)
    return events, ended
