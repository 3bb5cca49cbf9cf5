"""OpenAI Chat Completions: `POST /v1/chat/completions`, streamed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from ambidex.testing.standins.heard import Heard, Line
from ambidex.testing.standins.http import Request
from ambidex.testing.standins.openai_chat_rules import check_body
from ambidex.testing.standins.openai_common import OpenAIStandin, refuse_other_paths, text_of
from ambidex.testing.standins.sse import event, parts_of
from ambidex.testing.standins.standin import MadeCall
from ambidex.testing.standins.steps import Ending, Message

FINISH = {
    Ending.STOP: "stop",
    Ending.CALLS: "tool_calls",
    Ending.LENGTH: "length",
    Ending.FILTERED: "content_filter",
}


class OpenAIChatStandin(OpenAIStandin):
    """A model behind Chat Completions; it has no way to think aloud."""

    def route(self, request: Request) -> None:
        refuse_other_paths(request, "/v1/chat/completions")

    def check(self, body: dict[str, Any], request: Request) -> None:
        check_body(body)

    def hear(self, body: dict[str, Any]) -> Heard:
        messages = body["messages"]
        system = "\n".join(text_of(one["content"]) for one in messages if one["role"] in ("system", "developer"))
        tools = tuple(tool["function"]["name"] for tool in body.get("tools", ()))
        return Heard(body, system, tools, tuple(_lines(messages)))

    def frames(
        self, message: Message, calls: Sequence[MadeCall], body: dict[str, Any], request: Request
    ) -> Iterator[bytes]:
        head = {"id": self.new_id("chatcmpl-"), "object": "chat.completion.chunk", "created": 1, "model": body["model"]}
        yield b": a comment, which no client may take for an event\n\n"
        for delta in _deltas(message, calls):
            yield event({**head, "choices": [{"index": 0, "delta": delta, "finish_reason": None}]})
        if message.ending is Ending.ERROR:
            yield event({"error": {"message": "The server had an error.", "type": "server_error", "code": None}})
        if message.ending not in FINISH:
            return
        yield event({**head, "choices": [{"index": 0, "delta": {}, "finish_reason": FINISH[message.ending]}]})
        if (body.get("stream_options") or {}).get("include_usage"):
            usage = {"prompt_tokens": 11, "completion_tokens": 7, "total_tokens": 18}
            yield event({**head, "choices": [], "usage": usage})
        yield event("[DONE]")


def _deltas(message: Message, calls: Sequence[MadeCall]) -> Iterator[dict[str, Any]]:
    yield {"role": "assistant", "content": None if calls and not message.text else ""}
    for part in parts_of(message.text):
        yield {"content": part}
    for index, call in enumerate(calls):
        function = {"name": call.name, "arguments": ""}
        yield {"tool_calls": [{"index": index, "id": call.id, "type": "function", "function": function}]}
        for part in parts_of(call.args):
            yield {"tool_calls": [{"index": index, "function": {"arguments": part}}]}


def _lines(messages: Sequence[dict[str, Any]]) -> Iterator[Line]:
    names: dict[str, str] = {}
    for message in messages:
        text = text_of(message.get("content"))
        match message["role"]:
            case "user":
                yield Line("user", text)
            case "assistant":
                if text:
                    yield Line("model", text)
                for call in message.get("tool_calls", ()):
                    names[call["id"]] = call["function"]["name"]
                    yield Line("model", call["function"]["arguments"], call["id"], call["function"]["name"])
            case "tool":
                yield Line("tool", text, message["tool_call_id"], names[message["tool_call_id"]])
