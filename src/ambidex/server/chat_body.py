"""What a request of the chat client asks for. Only the user's new words and decisions are taken from it.

The client sends the whole transcript each time, and wrote it itself: what was said, asked and answered before comes
from our own store.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import orjson
from starlette.requests import Request

from ambidex.server.answers import Refusal, bad_request

CHAT_ID = "[A-Za-z0-9._:~@-]{1,128}"
NO_CHAT_ID = "`id` must be the id of the chat: 1 to 128 letters, digits or any of . _ : ~ @ -"
_CHAT_ID = re.compile(CHAT_ID)
_LONGEST_ID = 128
_MOST_DECISIONS = 16


@dataclass(frozen=True, slots=True)
class Decision:
    token: str
    approved: bool
    call_id: str
    """The part of the client's message that waits for the outcome."""


@dataclass(frozen=True, slots=True)
class Wanted:
    conversation: str
    text: str | None
    """New words of the user; None for a continuation after decisions, or to answer the last ones again."""
    decisions: tuple[Decision, ...]
    regenerate: bool
    message: str
    """The assistant message that is continued; empty for a new one."""
    taken: tuple[str, ...]
    """Ids of calls that the continued message holds already."""
    approvals: bool
    """Whether the client knows approvals; one of version 5 does not."""
    fingerprint: str
    """The same for the same input sent once more, and empty where that cannot be told."""


def read_wanted(body: bytes, most_characters: int) -> Wanted:
    """Raises `Refusal` with a sentence that may be shown to the user."""
    document = _object(body)
    conversation = document.get("id")
    if not is_chat_id(conversation):
        raise bad_request(NO_CHAT_ID)
    messages = _messages(document)
    trigger = document.get("trigger", "submit-message")
    if trigger not in ("submit-message", "regenerate-message"):
        raise bad_request("`trigger` must be submit-message or regenerate-message")
    regenerate = trigger == "regenerate-message"
    last = messages[-1]
    speaks = last["role"] == "user"
    assistant = (
        last if not speaks else messages[-2] if len(messages) > 1 and messages[-2]["role"] == "assistant" else {}
    )
    decisions = () if regenerate else tuple(_decisions(assistant))
    text = _text(last, most_characters) if speaks and not regenerate else None
    if not (text or decisions or regenerate):
        raise Refusal(409, "NOTHING_NEW", "There is nothing new to answer in this request.")
    return Wanted(
        conversation=str(conversation),
        text=text,
        decisions=decisions,
        regenerate=regenerate,
        message=str(last["id"]) if not speaks and is_id(last.get("id")) else "",
        taken=() if speaks else tuple(_call_ids(last)),
        approvals=document.get("approvals", True) is not False,
        fingerprint=_fingerprint(document, last, text),
    )


def is_chat_id(value: Any) -> bool:
    """Chosen by the client, and part of addresses."""
    return isinstance(value, str) and _CHAT_ID.fullmatch(value) is not None


def chat_id_of(request: Request) -> str:
    """From the address; raises `Refusal`."""
    given = request.path_params["id"]
    if not is_chat_id(given):
        raise bad_request(NO_CHAT_ID)
    return str(given)


def is_id(value: Any) -> bool:
    """Of a message or a call: the client's own business, within reason."""
    return isinstance(value, str) and 0 < len(value) <= _LONGEST_ID and value.isprintable()


def _object(body: bytes) -> dict[str, Any]:
    try:
        document = orjson.loads(body)
    except orjson.JSONDecodeError:
        raise bad_request("the request is not JSON") from None
    if not isinstance(document, dict):
        raise bad_request("the request must be a JSON object")
    return document


def _messages(document: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """The transcript, or the one new message that some front ends send instead of it."""
    messages = document.get("messages", [document["message"]] if "message" in document else None)
    if not isinstance(messages, list) or not messages:
        raise bad_request("`messages` must be a list of at least one message")
    for message in messages:
        if not isinstance(message, dict) or message.get("role") not in ("user", "assistant"):
            raise bad_request("each message must have the role user or assistant")
    return messages


def _parts(message: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    parts = message.get("parts")
    if isinstance(parts, list):
        yield from (part for part in parts if isinstance(part, dict))


def _text(message: Mapping[str, Any], most: int) -> str:
    kinds = {part.get("type") for part in _parts(message)}
    if "file" in kinds:
        raise Refusal(415, "UNSUPPORTED", "Files cannot be read here yet; please send words.")
    said = [part.get("text") for part in _parts(message) if part.get("type") == "text"]
    text = "\n".join(words for words in said if isinstance(words, str)).strip()
    if len(text) > most:
        raise Refusal(413, "TOO_LARGE", f"A message may have {most} characters at most.")
    return text


def _decisions(message: Mapping[str, Any]) -> Iterator[Decision]:
    """Answered requests that the client has seen no outcome of. What it says of their arguments is not looked at."""
    answered = [part for part in _parts(message) if part.get("state") == "approval-responded"]
    if len(answered) > _MOST_DECISIONS:
        raise bad_request(f"at most {_MOST_DECISIONS} decisions at once")
    for part in answered:
        approval, call_id = part.get("approval"), part.get("toolCallId")
        if not isinstance(approval, dict) or not isinstance(approval.get("approved"), bool) or not is_id(call_id):
            raise bad_request("an answered approval must have `approval.id`, `approval.approved` and `toolCallId`")
        if isinstance(token := approval.get("id"), str):
            yield Decision(token, approval["approved"], str(call_id))


def _call_ids(message: Mapping[str, Any]) -> Iterator[str]:
    yield from (str(part["toolCallId"]) for part in _parts(message) if isinstance(part.get("toolCallId"), str))


def _fingerprint(document: Mapping[str, Any], last: Mapping[str, Any], text: str | None) -> str:
    """Clients number their messages, so the same number with the same words is the same message delivered again; an
    edited one, which names the message it replaces, is not."""
    if text is None or "messageId" in document or not is_id(last.get("id")):
        return ""
    return hashlib.sha256(orjson.dumps([last["id"], text])).hexdigest()
