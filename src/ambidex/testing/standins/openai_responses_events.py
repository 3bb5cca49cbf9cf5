"""The events of one streamed response, numbered in order."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ambidex.testing.standins.seals import seal
from ambidex.testing.standins.sse import event, parts_of
from ambidex.testing.standins.standin import MadeCall
from ambidex.testing.standins.steps import Ending

INCOMPLETE = {Ending.LENGTH: "max_output_tokens", Ending.FILTERED: "content_filter"}


class Writer:
    """Writes one response; `output` grows by an item at a time."""

    def __init__(self, id: str, body: dict[str, Any]) -> None:
        self.id = id
        self.output: list[dict[str, Any]] = []
        self._body = body
        self._sequence = 0

    def begin(self) -> Iterator[bytes]:
        for kind in ("response.created", "response.in_progress"):
            yield self._event(kind, response=self._response("in_progress"))

    def reasoning(self, id: str, account: str) -> Iterator[bytes]:
        """Its content is only there, and only encrypted, for a client that keeps the conversation itself."""
        item: dict[str, Any] = {"type": "reasoning", "id": id, "summary": []}
        if "reasoning.encrypted_content" in (self._body.get("include") or ()):
            item["encrypted_content"] = seal("reasoning", account, id)
        yield self._added(item)
        yield self._done(item)

    def text(self, id: str, text: str) -> Iterator[bytes]:
        item = {"type": "message", "id": id, "role": "assistant", "status": "in_progress", "content": []}
        yield self._added(item)
        place = {"item_id": id, "output_index": len(self.output), "content_index": 0}
        yield self._event("response.content_part.added", **place, part=_text_part(""))
        for part in parts_of(text):
            yield self._event("response.output_text.delta", **place, delta=part, logprobs=[])
        yield self._event("response.output_text.done", **place, text=text, logprobs=[])
        yield self._event("response.content_part.done", **place, part=_text_part(text))
        yield self._done({**item, "status": "completed", "content": [_text_part(text)]})

    def call(self, id: str, call: MadeCall) -> Iterator[bytes]:
        """The argument events carry the item's id only. One that ran out of tokens is closed too, as incomplete."""
        item = {"type": "function_call", "id": id, "call_id": call.id, "name": call.name, "arguments": ""}
        yield self._added({**item, "status": "in_progress"})
        place = {"item_id": id, "output_index": len(self.output)}
        for part in parts_of(call.args):
            yield self._event("response.function_call_arguments.delta", **place, delta=part)
        if call.whole:
            yield self._event("response.function_call_arguments.done", **place, name=call.name, arguments=call.args)
        yield self._done({**item, "arguments": call.args, "status": "completed" if call.whole else "incomplete"})

    def end(self, ending: Ending) -> Iterator[bytes]:
        if ending is Ending.CUT:
            return
        if ending is Ending.ERROR:
            error = {"code": "server_error", "message": "The server had an error."}
            yield self._event("error", **error, param=None)
            yield self._event("response.failed", response=self._response("failed", error=error))
            return
        usage = {"input_tokens": 11, "output_tokens": 7, "total_tokens": 18}
        if ending in INCOMPLETE:
            ended = self._response("incomplete", incomplete_details={"reason": INCOMPLETE[ending]}, usage=usage)
            yield self._event("response.incomplete", response=ended)
        else:
            yield self._event("response.completed", response=self._response("completed", usage=usage))

    def _response(self, status: str, **more: Any) -> dict[str, Any]:
        return {
            "id": self.id,
            "object": "response",
            "created_at": 1,
            "model": self._body["model"],
            "status": status,
            "output": list(self.output),
            "parallel_tool_calls": self._body.get("parallel_tool_calls", True),
            "tool_choice": self._body.get("tool_choice", "auto"),
            "tools": self._body.get("tools", []),
            "error": None,
            "incomplete_details": None,
            "usage": None,
            **more,
        }

    def _added(self, item: dict[str, Any]) -> bytes:
        return self._event("response.output_item.added", output_index=len(self.output), item=item)

    def _done(self, item: dict[str, Any]) -> bytes:
        self.output.append(item)
        return self._event("response.output_item.done", output_index=len(self.output) - 1, item=item)

    def _event(self, kind: str, **fields: Any) -> bytes:
        self._sequence += 1
        return event({"type": kind, "sequence_number": self._sequence - 1, **fields}, name=kind)


def _text_part(text: str) -> dict[str, Any]:
    return {"type": "output_text", "text": text, "annotations": [], "logprobs": []}
