"""Anthropic Messages: `POST /v1/messages`, streamed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from ambidex.testing.standins.anthropic_rules import check_body
from ambidex.testing.standins.heard import Heard, Line
from ambidex.testing.standins.http import Answer, Request, json_answer
from ambidex.testing.standins.refusal import Refusal
from ambidex.testing.standins.seals import seal
from ambidex.testing.standins.sse import event, parts_of
from ambidex.testing.standins.standin import MadeCall, Standin
from ambidex.testing.standins.steps import Ending, Message

KINDS = {
    400: "invalid_request_error",
    401: "authentication_error",
    404: "not_found_error",
    429: "rate_limit_error",
    529: "overloaded_error",
}
STOP_REASON = {
    Ending.STOP: "end_turn",
    Ending.CALLS: "tool_use",
    Ending.LENGTH: "max_tokens",
    Ending.FILTERED: "refusal",
}
VERSIONS = ("2023-06-01", "2026-10-21")
THOUGHT = "I should look at this first."


class AnthropicStandin(Standin):
    """A model behind Messages; one that thinks opens with a signed thinking block, which must come back unchanged."""

    id_prefix = "toolu_"

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self._thought_of: set[str] = set()
        """Calls that a thinking block led to."""

    def route(self, request: Request) -> None:
        if (request.method, request.path) != ("POST", "/v1/messages"):
            raise Refusal(f"Not found: {request.path}", status=404)

    def authorize(self, request: Request) -> None:
        key = request.headers.get("x-api-key") or self.bearer(request)
        if not key:
            raise Refusal("x-api-key header is required", status=401)
        if not self.right_key(key):
            raise Refusal("invalid x-api-key", status=401)

    def check(self, body: dict[str, Any], request: Request) -> None:
        version = request.headers.get("anthropic-version")
        if version is None:
            raise Refusal("anthropic-version: header is required")
        if version not in VERSIONS:
            raise Refusal(f"anthropic-version: {version!r} is not a valid version")
        check_body(body, self._thought_of, sampling=version == VERSIONS[0])

    def hear(self, body: dict[str, Any]) -> Heard:
        tools = tuple(tool["name"] for tool in body.get("tools", ()))
        return Heard(body, _text(body.get("system") or ""), tools, tuple(_lines(body["messages"])))

    def frames(
        self, message: Message, calls: Sequence[MadeCall], body: dict[str, Any], request: Request
    ) -> Iterator[bytes]:
        usage = {"input_tokens": 11, "output_tokens": 1}
        head = {
            "id": self.new_id("msg_"),
            "type": "message",
            "role": "assistant",
            "model": body["model"],
            "content": [],
        }
        yield _event("message_start", message={**head, "stop_reason": None, "stop_sequence": None, "usage": usage})
        yield _event("ping")
        for index, block in enumerate(self._blocks(message, calls)):
            start, *deltas = block
            yield _event("content_block_start", index=index, content_block=start)
            for delta in deltas:
                yield _event("content_block_delta", index=index, delta=delta)
            yield _event("content_block_stop", index=index)
        if message.ending is Ending.ERROR:
            yield _event("error", error={"type": "overloaded_error", "message": "Overloaded"})
        if message.ending in STOP_REASON:
            delta = {"stop_reason": STOP_REASON[message.ending], "stop_sequence": None}
            yield _event("message_delta", delta=delta, usage={"output_tokens": 7})
            yield _event("message_stop")

    def _blocks(self, message: Message, calls: Sequence[MadeCall]) -> Iterator[list[dict[str, Any]]]:
        """Each block as its start and its deltas. One that ran out of tokens is closed like any other."""
        if self.thinks:
            start = {"type": "thinking", "thinking": "", "signature": ""}
            words = [{"type": "thinking_delta", "thinking": part} for part in parts_of(THOUGHT)]
            yield [start, *words, {"type": "signature_delta", "signature": seal(THOUGHT)}]
            self._thought_of |= {call.id for call in calls}
        if message.text:
            start = {"type": "text", "text": ""}
            yield [start, *({"type": "text_delta", "text": part} for part in parts_of(message.text))]
        for call in calls:
            block = {"type": "tool_use", "id": call.id, "name": call.name, "input": {}}
            pieces = parts_of("" if call.args == "{}" else call.args) or [""]
            yield [block, *({"type": "input_json_delta", "partial_json": piece} for piece in pieces)]

    def problem(self, refusal: Refusal) -> dict[str, Any]:
        kind = KINDS.get(refusal.status, "api_error")
        return {"type": "error", "error": {"type": kind, "message": refusal.message}, "request_id": "req_1"}

    def rate_limit(self, seconds: int | None) -> Answer:
        error = self.problem(Refusal("This request would exceed your rate limit.", status=429))
        return json_answer(429, error, {} if seconds is None else {"retry-after": str(seconds)})


def _event(kind: str, **fields: Any) -> bytes:
    return event({"type": kind, **fields}, name=kind)


def _text(content: Any) -> str:
    if isinstance(content, str):
        return content
    return "".join(str(block["text"]) for block in content if block["type"] == "text")


def _lines(messages: Sequence[dict[str, Any]]) -> Iterator[Line]:
    names: dict[str, str] = {}
    for message in messages:
        content = message["content"]
        for block in [{"type": "text", "text": content}] if isinstance(content, str) else content:
            match block["type"]:
                case "text":
                    yield Line("model" if message["role"] == "assistant" else "user", block["text"])
                case "tool_use":
                    names[block["id"]] = block["name"]
                    yield Line("model", str(block["input"]), block["id"], block["name"])
                case "tool_result":
                    yield Line(
                        "tool", _text(block.get("content", "")), block["tool_use_id"], names[block["tool_use_id"]]
                    )
