"""OpenAI Chat Completions, and whatever speaks it under another address."""

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
    as_arguments,
    as_text,
    note_text,
    outcome_text,
    portable,
    portable_name,
    with_owner,
)
from ambidex.transports.shapes import arr, obj, text, usage, whole
from ambidex.transports.sse import Event

NAME = "openai"
BASE_URL = "https://api.openai.com/v1"

_FINISHES = {
    "stop": Finish.STOP,
    "tool_calls": Finish.CALLS,
    "function_call": Finish.CALLS,
    "length": Finish.LENGTH,
    "content_filter": Finish.FILTERED,
}


class OpenAIChat(HttpProvider):
    def __init__(self, account: Account, *, view: View = "full") -> None:
        # Servers that only speak like OpenAI number their calls as they please, so theirs are not trusted.
        stable = account.base_url.rstrip("/") == BASE_URL
        super().__init__(account, Facts(NAME, "openai", stable_ids=stable, strict_nulls=True, view=view))

    def _path(self) -> str:
        return "/chat/completions"

    def _headers(self) -> dict[str, str]:
        return {"authorization": f"Bearer {self._account.key}"}

    def _body(self, ask: Ask) -> dict[str, Any]:
        system = [{"role": "system", "content": ask.system}] if ask.system else []
        body: dict[str, Any] = {
            "model": self.model,
            "messages": system + list(_messages(ask.items, self.model)),
            "stream": True,
            "stream_options": {"include_usage": True},
        }
        return {**body, "tools": list(ask.tools)} if ask.tools else body

    def _reading(self, ask: Ask) -> Reading:
        return ChatReading(self.model, ask)


def _messages(items: Iterable[Item], model: str) -> Iterator[dict[str, Any]]:
    for item, own in with_owner(items, NAME, model):
        match item:
            case UserItem():
                yield {"role": "user", "content": item.text}
            case StepItem() if own:
                yield dict(item.parts[0])
            case StepItem() if item.text or item.calls:
                yield _neutral(item)
            case ResultItem():
                id = item.call_id if own else portable(item.call_id)
                yield {"role": "tool", "tool_call_id": id, "content": as_text(item.body)}
            case OutcomeItem():
                yield {"role": "user", "content": outcome_text(item)}
            case NoteItem():
                yield {"role": "user", "content": note_text(item.text)}


def _neutral(step: StepItem) -> dict[str, Any]:
    calls = [
        {
            "id": portable(call.id),
            "type": "function",
            "function": {"name": portable_name(call.name), "arguments": as_arguments(call.args)},
        }
        for call in step.calls
    ]
    message: dict[str, Any] = {"role": "assistant", "content": step.text or None}
    return {**message, "tool_calls": calls} if calls else message


class ChatReading(Reading):
    """Calls are put together by their `index`; an id and a name come once."""

    def __init__(self, model: str, ask: Ask) -> None:
        super().__init__(NAME, model)
        self.optional = ask.optional
        self._calls: dict[int, Draft] = {}
        self._extras: dict[int, dict[str, Any]] = {}
        """What a compatible server adds to a call and wants back, such as the signature of a thought."""

    def feed(self, event: Event) -> Iterator[StepEvent]:
        if event.data.strip() == b"[DONE]":
            self.done = True
            return
        chunk = parsed(NAME, event)
        if "error" in chunk:
            raise fault_in_stream(NAME, error_in(chunk))
        self.usage |= usage(chunk.get("usage"), input="prompt_tokens", output="completion_tokens")
        for choice in arr(chunk.get("choices"))[:1]:
            yield from self._choice(obj(choice))

    def _choice(self, choice: dict[str, Any]) -> Iterator[StepEvent]:
        delta = obj(choice.get("delta"))
        yield from self._say(text(delta.get("content")) + text(delta.get("refusal")))
        for place, piece in enumerate(arr(delta.get("tool_calls"))):
            yield from self._piece(obj(piece), place)
        if told := text(choice.get("finish_reason")):
            self.finish = _FINISHES.get(told, Finish.ERROR)

    def _piece(self, piece: dict[str, Any], place: int) -> Iterator[StepEvent]:
        index = whole(piece.get("index"))
        index = place if index is None else index
        function = obj(piece.get("function"))
        draft = self._calls.get(index)
        if draft is None:
            draft = self._calls[index] = self._begin(text(piece.get("id")), text(function.get("name")))
            self._extras[index] = {}
            yield CallStarted(draft.id, draft.name)
        self._extras[index] |= {name: value for name, value in piece.items() if name not in _KNOWN}
        yield from self._write(draft, text(function.get("arguments")))

    def parts(self) -> tuple[dict[str, Any], ...]:
        """The message as it would stand in a request; where the step was cut, the neutral form does."""
        if self.finish not in (Finish.STOP, Finish.CALLS) or not self.drafts:
            return ()
        calls = [
            {
                "id": draft.id,
                "type": "function",
                "function": {"name": portable_name(draft.name), "arguments": as_arguments(draft.text)},
                **self._extras[index],
            }
            for index, draft in self._calls.items()
        ]
        return ({"role": "assistant", "content": "".join(self.words) or None, "tool_calls": calls},)


_KNOWN = frozenset({"index", "id", "type", "function"})
