"""Anthropic Messages: content blocks, all of which go back as they came, thoughts and their signatures too."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from ambidex.session.views import View
from ambidex.transports.base import Ask, CallStarted, Facts, Finish, StepEvent
from ambidex.transports.faults import error_in, fault_in_stream
from ambidex.transports.http import parsed
from ambidex.transports.items import Item, NoteItem, OutcomeItem, ResultItem, StepItem, UserItem
from ambidex.transports.provider import Account, HttpProvider, Reading
from ambidex.transports.rules import (
    Draft,
    as_object,
    as_text,
    note_text,
    outcome_text,
    portable,
    portable_name,
    with_owner,
)
from ambidex.transports.shapes import obj, text, usage, whole
from ambidex.transports.sse import Event

NAME = "anthropic"
BASE_URL = "https://api.anthropic.com"
VERSION = "2026-10-21"
MAX_TOKENS = 8192

_FINISHES = {
    "end_turn": Finish.STOP,
    "stop_sequence": Finish.STOP,
    "tool_use": Finish.CALLS,
    "max_tokens": Finish.LENGTH,
    "model_context_window_exceeded": Finish.LENGTH,
    "refusal": Finish.FILTERED,
    "pause_turn": Finish.PAUSED,
}
_GROWS = {"text_delta": "text", "thinking_delta": "thinking", "signature_delta": "signature"}
"""A delta's type -> the member of it, and of its block, that grows."""


class Anthropic(HttpProvider):
    def __init__(self, account: Account, *, view: View = "full", max_tokens: int = MAX_TOKENS) -> None:
        super().__init__(account, Facts(NAME, "anthropic", view=view))
        self._max_tokens = max_tokens

    def _path(self) -> str:
        return "/v1/messages"

    def _headers(self) -> dict[str, str]:
        return {"authorization": f"Bearer {self._account.key}", "anthropic-version": VERSION}

    def _body(self, ask: Ask) -> dict[str, Any]:
        body: dict[str, Any] = {
            "model": self.model,
            "max_tokens": self._max_tokens,
            "messages": _messages(ask.items, self.model),
            "stream": True,
        }
        if ask.system:
            body["system"] = ask.system
        if ask.tools:
            body["tools"] = list(ask.tools)
        return body

    def _reading(self, ask: Ask) -> Reading:
        return MessagesReading(self.model)


def _messages(items: Iterable[Item], model: str) -> list[dict[str, Any]]:
    """Roles take turns, so what follows in the same role joins the message before: results first, then words."""
    messages: list[dict[str, Any]] = []
    for item, own in with_owner(items, NAME, model):
        role = "assistant" if isinstance(item, StepItem) else "user"
        blocks = _blocks(item, own)
        if messages and messages[-1]["role"] == role:
            messages[-1]["content"] += blocks
        elif blocks:
            messages.append({"role": role, "content": blocks})
    return messages


def _blocks(item: Item, own: bool) -> list[dict[str, Any]]:
    match item:
        case UserItem():
            return _text(item.text)
        case StepItem() if own:
            return [dict(part) for part in item.parts]
        case StepItem():
            return _text(item.text) + [
                {
                    "type": "tool_use",
                    "id": portable(call.id),
                    "name": portable_name(call.name),
                    "input": as_object(call.args),
                }
                for call in item.calls
            ]
        case ResultItem():
            id = item.call_id if own else portable(item.call_id)
            return [{"type": "tool_result", "tool_use_id": id, "content": as_text(item.body), "is_error": not item.ok}]
        case OutcomeItem():
            return _text(outcome_text(item))
        case NoteItem():
            return _text(note_text(item.text))


def _text(words: str) -> list[dict[str, Any]]:
    """Nothing for words that are none: the service refuses an empty block."""
    return [{"type": "text", "text": words}] if words.strip() else []


class MessagesReading(Reading):
    """Blocks by their `index`. `content_block_stop` also closes one that was cut, so it says nothing about a call."""

    def __init__(self, model: str) -> None:
        super().__init__(NAME, model)
        self._blocks: dict[int, dict[str, Any]] = {}
        self._calls: dict[int, Draft] = {}

    def feed(self, event: Event) -> Iterator[StepEvent]:
        told = parsed(NAME, event)
        index = whole(told.get("index")) or 0
        match told.get("type"):
            case "message_start":
                self._count(obj(told.get("message")).get("usage"))
            case "content_block_start":
                yield from self._start(index, obj(told.get("content_block")))
            case "content_block_delta":
                yield from self._grow(index, obj(told.get("delta")))
            case "message_delta":
                self._count(told.get("usage"))
                if reason := text(obj(told.get("delta")).get("stop_reason")):
                    self.finish = _FINISHES.get(reason, Finish.ERROR)
            case "message_stop":
                self.done = True
            case "error":
                raise fault_in_stream(NAME, error_in(told))

    def _count(self, told: Any) -> None:
        self.usage |= usage(told, input="input_tokens", output="output_tokens")

    def _start(self, index: int, block: dict[str, Any]) -> Iterator[StepEvent]:
        self._blocks[index] = dict(block)
        if block.get("type") == "text":
            yield from self._say(text(block.get("text")))
        if block.get("type") == "tool_use":
            draft = self._calls[index] = self._begin(text(block.get("id")), text(block.get("name")))
            yield CallStarted(draft.id, draft.name)

    def _grow(self, index: int, delta: dict[str, Any]) -> Iterator[StepEvent]:
        block = self._blocks.setdefault(index, {"type": "text", "text": ""})
        kind = text(delta.get("type"))
        if kind == "input_json_delta" and index in self._calls:
            yield from self._write(self._calls[index], text(delta.get("partial_json")))
        elif name := _GROWS.get(kind):
            piece = text(delta.get(name))
            block[name] = text(block.get(name)) + piece
            if name == "text":
                yield from self._say(piece)

    def end(self) -> Any:
        for index, draft in self._calls.items():
            given = self._blocks[index].get("input")
            if not draft.pieces and isinstance(given, dict) and given:
                draft.pieces.append(as_text(given))  # the whole input at once, without pieces
        if self.drafts and self.finish is Finish.STOP:
            self.finish = Finish.ERROR  # calls run under `tool_use` alone
        return super().end()

    def parts(self) -> tuple[dict[str, Any], ...]:
        blocks = [self._sendable(index) for index in sorted(self._blocks)]
        return tuple(block for block in blocks if block.get("type") != "text" or text(block.get("text")).strip())

    def _sendable(self, index: int) -> dict[str, Any]:
        """As it came; a call with its input put together, and with a name that the service reads again."""
        draft = self._calls.get(index)
        if draft is None:
            return self._blocks[index]
        name = portable_name(draft.name)
        return self._blocks[index] | {"id": draft.id, "name": name, "input": as_object(draft.text)}
