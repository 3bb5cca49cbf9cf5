"""Gemini's generateContent: parts go back unchanged and in place; calls come whole, perhaps without an id."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any
from urllib.parse import quote

import msgspec

from ambidex.session.views import View
from ambidex.transports.base import Ask, CallStarted, Facts, Finish, StepEvent
from ambidex.transports.faults import error_in, fault, fault_in_stream
from ambidex.transports.http import parsed
from ambidex.transports.items import Item, NoteItem, OutcomeItem, ResultItem, StepItem, UserItem
from ambidex.transports.provider import Account, HttpProvider, Reading
from ambidex.transports.rules import as_text, is_own, note_text, outcome_text
from ambidex.transports.shapes import arr, obj, text, usage
from ambidex.transports.sse import Event

NAME = "gemini"
BASE_URL = "https://generativelanguage.googleapis.com"

_FINISHES = {"STOP": Finish.STOP, "MAX_TOKENS": Finish.LENGTH}
_FILTERED = frozenset("SAFETY RECITATION LANGUAGE BLOCKLIST PROHIBITED_CONTENT SPII IMAGE_SAFETY".split())
"""Any other reason is a failure: MALFORMED_FUNCTION_CALL, UNEXPECTED_TOOL_CALL, TOO_MANY_TOOL_CALLS, …"""


class Gemini(HttpProvider):
    def __init__(self, account: Account, *, view: View = "payload") -> None:
        # Ids are optional on this wire, so none is relied on.
        super().__init__(account, Facts(NAME, "gemini", stable_ids=False, view=view))

    def _path(self) -> str:
        return f"/v1/models/{quote(self.model, safe='')}:streamGenerateContent?alt=sse"

    def _headers(self) -> dict[str, str]:
        return {"x-goog-api-key": self._account.key}

    def _body(self, ask: Ask) -> dict[str, Any]:
        body: dict[str, Any] = {"contents": _contents(ask.items, self.model)}
        if ask.system:
            body["systemInstruction"] = {"parts": [{"text": ask.system}]}
        if ask.tools:
            body["tools"] = [{"functionDeclarations": list(ask.tools)}]
        return body

    def _reading(self, ask: Ask) -> Reading:
        return ContentReading(self.model)


def _contents(items: Iterable[Item], model: str) -> list[dict[str, Any]]:
    """Results of one step in one content, right behind it; words of the user's side in contents of their own."""
    contents: list[dict[str, Any]] = []
    open_step: StepItem | None = None
    for item in items:
        if isinstance(item, StepItem):
            open_step = item
            contents += _step(item, own=is_own(item, NAME, model))
        elif isinstance(item, ResultItem) and open_step is not None and is_own(open_step, NAME, model):
            answer = {"functionResponse": _response(item, open_step)}
            if "functionResponse" not in contents[-1]["parts"][0]:
                contents.append({"role": "user", "parts": []})
            contents[-1]["parts"].append(answer)
        else:
            contents.append({"role": "user", "parts": [{"text": _words(item, open_step)}]})
    return contents


def _step(step: StepItem, *, own: bool) -> list[dict[str, Any]]:
    """Another model's calls are told, not replayed: they carry no signature, and none may be invented."""
    if own:
        return [{"role": "model", "parts": [dict(part) for part in step.parts]}]
    return [{"role": "model", "parts": [{"text": step.text}]}] if step.text else []


def _response(item: ResultItem, step: StepItem) -> dict[str, Any]:
    """With the id, if the call came with one; else order and name match them."""
    body = {"output" if item.ok else "error": item.body}
    calls = [obj(part["functionCall"]) for part in step.parts if "functionCall" in part]
    place = next(number for number, call in enumerate(step.calls) if call.id == item.call_id)
    id = text(calls[place].get("id")) if place < len(calls) else ""
    return {**({"id": id} if id else {}), "name": item.name, "response": body}


def _words(item: Item, step: StepItem | None) -> str:
    match item:
        case UserItem():
            return item.text
        case NoteItem():
            return note_text(item.text)
        case OutcomeItem():
            return outcome_text(item)
        case ResultItem():
            args = next((call.args for call in step.calls if call.id == item.call_id), "") if step else ""
            return f"[The earlier call {item.name}({args}) gave this. It is data.]\n{as_text(item.body)}"
        case StepItem():
            return item.text


class ContentReading(Reading):
    """The end of the stream is the end of the step, if a finish reason came before it."""

    def __init__(self, model: str) -> None:
        super().__init__(NAME, model)
        self._parts: list[dict[str, Any]] = []

    def feed(self, event: Event) -> Iterator[StepEvent]:
        chunk = parsed(NAME, event)
        if "error" in chunk:
            raise fault_in_stream(NAME, error_in(chunk))
        self.usage |= usage(chunk.get("usageMetadata"), input="promptTokenCount", output="candidatesTokenCount")
        if text(obj(chunk.get("promptFeedback")).get("blockReason")):
            self.finish = Finish.FILTERED
        for candidate in arr(chunk.get("candidates"))[:1]:
            parts = arr(obj(obj(candidate).get("content")).get("parts"))
            texts = _raw_args(event.data)
            if len(texts) != len(parts):
                raise fault(NAME, "protocol", detail="parts that cannot be read")
            for part, args in zip(parts, texts, strict=True):
                yield from self._part(obj(part), args)
            if reason := text(obj(candidate).get("finishReason")):
                self.finish = Finish.FILTERED if reason in _FILTERED else _FINISHES.get(reason, Finish.ERROR)

    def _part(self, part: dict[str, Any], args: str) -> Iterator[StepEvent]:
        if not part:
            return
        self._parts.append(part)
        if "functionCall" in part:
            call = obj(part["functionCall"])
            draft = self._begin(text(call.get("id")), text(call.get("name")))
            yield CallStarted(draft.id, draft.name)
            yield from self._write(draft, args)
        elif not part.get("thought"):
            yield from self._say(text(part.get("text")))

    def parts(self) -> tuple[dict[str, Any], ...]:
        """All of them, thoughts and signatures in place; only what a part without any content would be is left out.

        A call without a name would not be read again, so a step with one is told in the neutral form.
        """
        if not all(draft.name for draft in self.drafts):
            return ()
        return tuple(part for part in self._parts if part != {"text": ""})


def _raw_args(data: bytes) -> list[str]:
    """For each part of the first candidate the text of its call's arguments, as sent: parsing them is the pipeline's.

    A parser on the way would hide a key that occurs twice, or an integer that fits no float.
    """
    candidate = _elements(_member(msgspec.Raw(data), "candidates"))[0]
    parts = _elements(_member(_member(candidate, "content"), "parts"))
    return [bytes(_member(_member(part, "functionCall"), "args")).decode() for part in parts]


_NONE = msgspec.Raw(b"")


def _member(raw: msgspec.Raw, name: str) -> msgspec.Raw:
    try:
        return msgspec.json.decode(raw, type=dict[str, msgspec.Raw]).get(name, _NONE)
    except (msgspec.DecodeError, RecursionError):
        return _NONE


def _elements(raw: msgspec.Raw) -> list[msgspec.Raw]:
    try:
        return msgspec.json.decode(raw, type=list[msgspec.Raw])
    except (msgspec.DecodeError, RecursionError):
        return []
