"""The single chunks whose contents are ours to shape: outcomes of tools, the timeline, requests, sources, messages,
notices."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any
from urllib.parse import urlsplit

from ambidex.agents.events import ApprovalSettled, ApprovalWanted, Cited
from ambidex.audit.redact import redact as redacted
from ambidex.contracts.response import ToolResponse
from ambidex.server.wire import Chunk, safe, safe_text

_REASONS = {
    "length": "The answer was cut: the model had no more room.",
    "filtered": "The provider held this answer back.",
    "steps": "The agent stopped: it had taken as many steps as one turn allows.",
    "blocked": "This conversation is paused for now.",
    "stopped": "The answer was stopped.",
}
"""Ends of a turn that a user should know about; the others speak for themselves."""


def outcome(call_id: str, answer: ToolResponse, redact: Iterable[str] = ()) -> Chunk:
    """The data of a tool, or why there are none."""
    if answer.error is not None:
        text = f"{answer.error.type}: {answer.error.message}"
        return {"type": "tool-output-error", "toolCallId": call_id, "errorText": safe_text(text)}
    data = {} if answer.data is None else redacted(answer.data, redact, "data")
    return {"type": "tool-output-available", "toolCallId": call_id, "output": safe(data)}


def timeline(call_id: str, tool: str, state: str, answer: ToolResponse | None = None) -> Chunk:
    """Where a call stands; the same id replaces what was told before."""
    facts: dict[str, Any] = {"tool": tool, "state": state}
    if answer is not None:
        if answer.meta is not None:
            facts["ms"] = answer.meta.duration
            if answer.meta.deduplicated:
                facts["deduplicated"] = True
        if answer.error is not None:
            facts["error"] = str(answer.error.type)
        if answer.notices:
            facts["notices"] = list(answer.notices)
    return {"type": "data-timeline", "id": call_id, "data": safe(facts)}


def confirmation(event: ApprovalWanted | ApprovalSettled, call_id: str, state: str = "pending") -> Chunk:
    """A request for the user, or its end. The words of an open one are put in when it is served."""
    facts: dict[str, Any] = {"id": event.request_id, "tool": event.name, "callId": call_id, "state": state}
    if isinstance(event, ApprovalWanted):
        facts |= {"preview": event.preview, "args": event.args, "expires": event.expires}
    return {"type": "data-confirmation", "id": safe_text(event.request_id), "data": safe(facts)}


def source(cited: Cited) -> Chunk:
    """A record that the answer stands on: as a link where it has a safe one."""
    named = {"sourceId": safe_text(cited.id), "title": safe_text(cited.title or cited.id)}
    if cited.url is not None and _is_link(cited.url):
        return {"type": "source-url", "url": safe_text(cited.url), **named}
    return {"type": "source-document", "mediaType": "text/plain", **named}


def notice(reason: str) -> Chunk | None:
    words = _REASONS.get(reason)
    return {"type": "data-notice", "data": {"kind": reason, "text": words}} if words else None


def from_tool(message: Mapping[str, Any]) -> Chunk:
    """What a tool sent to the client. It stays in the message, but for progress, which is gone with the moment, and for
    a ticket: clients send their messages back, and nobody keeps a secret in there."""
    if message.get("type") == "progress":
        return {"type": "data-progress", "data": safe(message), "transient": True}
    if "ticket" in message:
        return {"type": "data-message", "data": safe(message), "transient": True}
    return {"type": "data-message", "data": safe(message)}


def _is_link(url: str) -> bool:
    try:
        parts = urlsplit(url)
    except ValueError:
        return False
    return parts.scheme in ("https", "http") and bool(parts.hostname) and "@" not in parts.netloc
