"""OpenAI Responses: items instead of messages, and the model's own items go back as they came."""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterator, Iterable, Iterator
from contextlib import aclosing
from dataclasses import replace
from typing import Any, cast

from ambidex.session.views import View
from ambidex.transports.base import Ask, CallStarted, Facts, Finish, ProviderFault, StepEvent
from ambidex.transports.faults import error_in, fault_in_stream
from ambidex.transports.http import parsed
from ambidex.transports.items import Item, NoteItem, OutcomeItem, ResultItem, StepItem, UserItem
from ambidex.transports.openai_chat import BASE_URL
from ambidex.transports.openai_thoughts import Thoughts, can_go_back
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
from ambidex.transports.shapes import obj, text, usage
from ambidex.transports.sse import Event

NAME = "openai-responses"

_INCOMPLETE = {"max_output_tokens": Finish.LENGTH, "content_filter": Finish.FILTERED}


class OpenAIResponses(HttpProvider):
    def __init__(self, account: Account, *, view: View = "full") -> None:
        stable = account.base_url.rstrip("/") == BASE_URL
        super().__init__(account, Facts(NAME, "openaiResponses", stable_ids=stable, strict_nulls=True, view=view))
        self._thoughts = Thoughts()

    async def step(self, ask: Ask) -> AsyncIterator[StepEvent]:
        """A refusal comes before anything is shown: if it is about thoughts, the step is asked for without them."""
        while True:
            sent = replace(ask, items=self._thoughts.readable(ask.items))
            try:
                async with aclosing(cast(AsyncGenerator[StepEvent, None], super().step(sent))) as events:
                    async for event in events:
                        yield event
                return
            except ProviderFault as refused:
                if not self._thoughts.learn(refused, sent.items):
                    raise

    def _path(self) -> str:
        return "/responses"

    def _headers(self) -> dict[str, str]:
        return {"authorization": f"Bearer {self._account.key}"}

    def _body(self, ask: Ask) -> dict[str, Any]:
        items = list(_input(ask.items, self.model))
        body: dict[str, Any] = {"model": self.model, "input": items, "stream": True, **self._thoughts.settings()}
        if ask.system:
            body["instructions"] = ask.system
        if ask.tools:
            body["tools"] = list(ask.tools)
        return body

    def _reading(self, ask: Ask) -> Reading:
        return ResponsesReading(self.model, ask)


def _input(items: Iterable[Item], model: str) -> Iterator[dict[str, Any]]:
    for item, own in with_owner(items, NAME, model):
        match item:
            case UserItem():
                yield {"role": "user", "content": item.text}
            case StepItem() if own:
                yield from map(dict, item.parts)
            case StepItem():
                yield from _neutral(item)
            case ResultItem():
                id = item.call_id if own else portable(item.call_id)
                yield {"type": "function_call_output", "call_id": id, "output": as_text(item.body)}
            case OutcomeItem():
                yield {"role": "user", "content": outcome_text(item)}
            case NoteItem():
                yield {"role": "user", "content": note_text(item.text)}


def _neutral(step: StepItem) -> Iterator[dict[str, Any]]:
    if step.text:
        yield {"role": "assistant", "content": step.text}
    for call in step.calls:
        yield {
            "type": "function_call",
            "call_id": portable(call.id),
            "name": portable_name(call.name),
            "arguments": as_arguments(call.args),
        }


class ResponsesReading(Reading):
    """Pieces of arguments name their item; the call itself is what the finished item says."""

    def __init__(self, model: str, ask: Ask) -> None:
        super().__init__(NAME, model)
        self.optional = ask.optional
        self._calls: dict[str, Draft] = {}
        """By the id of the item, which is not the id of the call."""
        self._items: list[dict[str, Any]] = []

    def feed(self, event: Event) -> Iterator[StepEvent]:
        if event.data.strip() == b"[DONE]":
            return
        told = parsed(NAME, event)
        match told.get("type"):
            case "response.output_text.delta" | "response.refusal.delta":
                yield from self._say(text(told.get("delta")))
            case "response.output_item.added":
                yield from self._added(obj(told.get("item")))
            case "response.function_call_arguments.delta":
                if draft := self._calls.get(text(told.get("item_id"))):
                    yield from self._write(draft, text(told.get("delta")))
            case "response.output_item.done":
                yield from self._finished_item(obj(told.get("item")))
            case "response.completed" | "response.incomplete":
                self._ended(obj(told.get("response")), complete=told["type"] == "response.completed")
            case "response.failed":
                raise fault_in_stream(NAME, error_in(told.get("response")))
            case "error":
                raise fault_in_stream(NAME, error_in(told) or told)

    def _added(self, item: dict[str, Any]) -> Iterator[StepEvent]:
        if item.get("type") != "function_call":
            return
        draft = self._begin(text(item.get("call_id")), text(item.get("name")))
        self._calls[text(item.get("id"))] = draft
        yield CallStarted(draft.id, draft.name)

    def _finished_item(self, item: dict[str, Any]) -> Iterator[StepEvent]:
        """What it says counts, whatever the pieces were."""
        self._items.append(item)
        if item.get("type") != "function_call":
            return
        if text(item.get("id")) not in self._calls:
            yield from self._added(item)
        draft = self._calls[text(item.get("id"))]
        draft.name = text(item.get("name"))
        draft.pieces = [text(item.get("arguments"))]

    def _ended(self, response: dict[str, Any], *, complete: bool) -> None:
        self.done = True
        self.usage |= usage(response.get("usage"), input="input_tokens", output="output_tokens")
        reason = text(obj(response.get("incomplete_details")).get("reason"))
        self.finish = Finish.STOP if complete else _INCOMPLETE.get(reason, Finish.ERROR)
        finished = [item for item in self._items if item.get("type") == "function_call"]
        unusable = any(text(item.get("status")) not in ("", "completed") for item in finished)
        if complete and (unusable or len(finished) != len(self.drafts)):
            self.finish = Finish.ERROR  # a call was begun and never finished, though the rest says otherwise

    def parts(self) -> tuple[dict[str, Any], ...]:
        """Every item, thoughts too. Of a step that was cut the neutral form goes back: its items are not whole."""
        ids = [text(item.get("call_id")) for item in self._items if item.get("type") == "function_call"]
        whole = self.finish is Finish.STOP and ids == [draft.id for draft in self.drafts]
        if not whole or not can_go_back(self._items):
            return ()
        return tuple(_sendable(item) for item in self._items)


def _sendable(item: dict[str, Any]) -> dict[str, Any]:
    """An item as it came; only what the service would not read again is mended: a call's name, its arguments."""
    if item.get("type") != "function_call":
        return item
    name, arguments = portable_name(text(item.get("name"))), as_arguments(text(item.get("arguments")))
    return {**item, "name": name, "arguments": arguments}
