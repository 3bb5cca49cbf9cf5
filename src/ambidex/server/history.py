"""`GET /api/chat/{id}`: what was said so far, for a page that is opened again or by somebody else's side of the desk.

Messages have the shape that the AI SDK takes as its first ones. Tools are shown by name and state: what they gave the
model is not for the page to show again.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from ambidex.agents.memory import items_of
from ambidex.ledger.rows import Ids
from ambidex.ledger.spaces import PENDING, scope_of
from ambidex.server import stream_log
from ambidex.server.answers import json_answer
from ambidex.server.chat_body import chat_id_of
from ambidex.server.state import state_of, user_of
from ambidex.server.wire import safe
from ambidex.stores.base import Tx
from ambidex.transports.items import Item, OutcomeItem, ResultItem, StepItem, UserItem


async def read_chat(request: Request) -> Response:
    """The messages, the requests that still wait, and whether an answer is being written. It begins nothing."""
    scope = scope_of(user_of(request), chat_id_of(request))

    def operation(tx: Tx) -> dict[str, Any]:
        row = tx.get(stream_log.STREAMS, scope)
        return {
            "messages": messages_of(items_of(tx, scope)),
            "pending": list((tx.get(PENDING, scope) or Ids()).ids),
            "running": row is not None and stream_log.is_running(row, tx.now),
        }

    return json_answer(safe(await state_of(request).stored(operation)))


def messages_of(items: Sequence[Item]) -> list[dict[str, Any]]:
    """One message of the agent between two of the user's."""
    messages: list[dict[str, Any]] = []
    for number, item in enumerate(items):
        if isinstance(item, UserItem):
            messages.append({"id": f"h{number}", "role": "user", "parts": [{"type": "text", "text": item.text}]})
        elif parts := _parts(item):
            if not messages or messages[-1]["role"] != "assistant":
                messages.append({"id": f"h{number}", "role": "assistant", "parts": []})
            messages[-1]["parts"] += parts
    return messages


def _parts(item: Item) -> list[dict[str, Any]]:
    match item:
        case StepItem(text=text) if text:
            return [{"type": "text", "text": text}]
        case ResultItem() | OutcomeItem():
            facts = {"tool": item.name, "state": _state(item)}
            return [{"type": "data-timeline", "id": item.call_id, "data": facts}]
    return []


def _state(item: ResultItem | OutcomeItem) -> str:
    if item.ok:
        return "ok"
    error = item.body.get("error")
    kind = error.get("type") if isinstance(error, dict) else None
    return {"CONFIRMATION_REQUIRED": "waiting", "CONFIRMATION_REJECTED": "rejected"}.get(str(kind), "failed")
