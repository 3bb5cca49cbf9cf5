"""Gemini: `POST /v1beta/models/<model>:streamGenerateContent?alt=sse`."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from typing import Any

from ambidex.testing.standins.gemini_names import camel_case
from ambidex.testing.standins.gemini_rules import check_body
from ambidex.testing.standins.gemini_signatures import check_signatures, signed
from ambidex.testing.standins.heard import Heard, Line
from ambidex.testing.standins.http import Answer, Request, json_answer
from ambidex.testing.standins.refusal import Refusal
from ambidex.testing.standins.sse import event, parts_of
from ambidex.testing.standins.standin import MadeCall, Standin
from ambidex.testing.standins.steps import Ending, Message

PATH = re.compile(r"/(?:v1|v1alpha|v1beta)/models/([A-Za-z0-9._-]+):streamGenerateContent")
STATUS = {
    400: "INVALID_ARGUMENT",
    403: "PERMISSION_DENIED",
    404: "NOT_FOUND",
    429: "RESOURCE_EXHAUSTED",
    500: "INTERNAL",
    503: "UNAVAILABLE",
}
FINISH = {
    Ending.STOP: "STOP",
    Ending.CALLS: "STOP",
    Ending.LENGTH: "MAX_TOKENS",
    Ending.FILTERED: "SAFETY",
}


class GeminiStandin(Standin):
    """A model that signs its thoughts. `ids=False`: calls come without ids, as they may."""

    def __init__(self, *args: Any, ids: bool = True, **options: Any) -> None:
        super().__init__(*args, **options)
        self._ids = ids

    def route(self, request: Request) -> None:
        if request.method != "POST" or PATH.fullmatch(request.path) is None:
            raise Refusal(f"{request.path} is not found, or is not supported for this method.", status=404)
        if request.query.get("alt") != ["sse"]:
            raise Refusal("This stand-in streams server-sent events only: ask with alt=sse.")

    def authorize(self, request: Request) -> None:
        key = request.headers.get("x-goog-api-key") or "".join(request.query.get("key", ()))
        if not key:
            raise Refusal("Method doesn't allow unregistered callers. Please use API Key.", status=403)
        if not self.right_key(key):
            raise Refusal("API key not valid. Please pass a valid API key.")

    def normal(self, body: dict[str, Any]) -> dict[str, Any]:
        return dict(camel_case(body))

    def check(self, body: dict[str, Any], request: Request) -> None:
        check_body(body)
        check_signatures(body["contents"], _model(request))

    def hear(self, body: dict[str, Any]) -> Heard:
        system = "".join(part["text"] for part in (body.get("systemInstruction") or {}).get("parts", ()))
        groups = [group.get("functionDeclarations", ()) for group in body.get("tools", ())]
        tools = tuple(tool["name"] for group in groups for tool in group)
        return Heard(body, system, tools, tuple(_lines(body["contents"])))

    def frames(
        self, message: Message, calls: Sequence[MadeCall], body: dict[str, Any], request: Request
    ) -> Iterator[bytes]:
        model = _model(request)
        malformed = any(_arguments(call) is None for call in calls)
        if self.thinks:
            yield _chunk(model, [{"text": "I should look at this first.", "thought": True}])
        for part in parts_of(message.text):
            yield _chunk(model, [{"text": part}])
        if calls and not malformed:
            first, *others = [self._call_part(call) for call in calls]
            # The first call alone, signed; the others together: calls may come either way.
            yield _chunk(model, [signed(first, model)])
            if others:
                yield _chunk(model, others)
        if message.ending is Ending.ERROR:
            yield _event({"error": {"code": 503, "message": "The model is overloaded.", "status": "UNAVAILABLE"}})
        if message.ending in FINISH:
            reason = "MALFORMED_FUNCTION_CALL" if malformed else FINISH[message.ending]
            last = [] if malformed or calls else [signed({"text": ""}, model)]
            yield _chunk(model, last, reason)

    def made(self, message: Message) -> list[MadeCall]:
        """Calls come whole or not at all: one that ran out of tokens looks whole, and only the reason tells."""
        return [MadeCall(call.id or self.new_id(), call.name, call.text) for call in message.calls]

    def _call_part(self, call: MadeCall) -> dict[str, Any]:
        function: dict[str, Any] = {"id": call.id, "name": call.name} if self._ids else {"name": call.name}
        arguments = _arguments(call)
        return {"functionCall": {**function, "args": arguments} if arguments else function}

    def problem(self, refusal: Refusal) -> dict[str, Any]:
        status = STATUS.get(refusal.status, "UNKNOWN")
        return {"error": {"code": refusal.status, "message": refusal.message, "status": status}}

    def rate_limit(self, seconds: int | None) -> Answer:
        """The time to wait stands in the body; there is no header for it."""
        error = self.problem(Refusal("You exceeded your current quota.", status=429))
        if seconds is not None:
            retry = {"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": f"{seconds}s"}
            error["error"]["details"] = [retry]
        return json_answer(429, error)


def _model(request: Request) -> str:
    found = PATH.fullmatch(request.path)
    return found.group(1) if found else ""


def _arguments(call: MadeCall) -> dict[str, Any] | None:
    """The object that the service would send; None where the model wrote none, for which it has a finish reason."""
    try:
        value = json.loads(call.args or "{}")
    except ValueError:
        return None
    return value if isinstance(value, dict) else None


def _chunk(model: str, parts: list[dict[str, Any]], reason: str | None = None) -> bytes:
    candidate: dict[str, Any] = {"content": {"role": "model", "parts": parts}, "index": 0}
    if reason is not None:
        candidate["finishReason"] = reason
    if not parts:
        del candidate["content"]
    usage = {"promptTokenCount": 11, "candidatesTokenCount": 7, "totalTokenCount": 18}
    return _event({"candidates": [candidate], "usageMetadata": usage, "modelVersion": model, "responseId": "r1"})


def _event(value: dict[str, Any]) -> bytes:
    return event(value, line_end="\r\n")


def _lines(contents: Sequence[dict[str, Any]]) -> Iterator[Line]:
    for content in contents:
        who = "model" if content.get("role") == "model" else "user"
        for part in content["parts"]:
            if "functionCall" in part:
                call = part["functionCall"]
                yield Line("model", json.dumps(call.get("args", {})), call.get("id", ""), call["name"])
            elif "functionResponse" in part:
                answer = part["functionResponse"]
                yield Line("tool", json.dumps(answer["response"]), answer.get("id", ""), answer["name"])
            elif part.get("text"):
                yield Line("model" if who == "model" else "user", part["text"])
