"""The last step before a chunk goes out: requests for approval get a token for this reader, and their words in full.

The log holds what the model was told; the user is shown every argument, as it will run.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ambidex.server.wire import Chunk, safe

if TYPE_CHECKING:
    from ambidex.agents.text import Chat
    from ambidex.session.session import Confirmation


async def dressed(chunks: Sequence[Chunk], chat: Chat, *, approvals: bool) -> list[Chunk]:
    """The same chunks for one reader; one listing mints a token for each request that still waits."""
    if not any(map(_is_open, chunks)):
        return list(chunks)
    open_ones = {request.id: request for request in await chat.confirmations()}
    return [served for chunk in chunks if (served := _dressed(chunk, open_ones, approvals)) is not None]


def waiting(chunks: Sequence[Chunk]) -> set[str]:
    """The ids of requests that these chunks leave open."""
    last = {chunk["id"]: chunk["data"]["state"] for chunk in chunks if chunk["type"] == "data-confirmation"}
    return {id for id, state in last.items() if state == "pending"}


def _is_open(chunk: Chunk) -> bool:
    if chunk["type"] == "data-confirmation":
        return bool(chunk["data"]["state"] == "pending")
    return bool(chunk["type"] == "tool-approval-request")


def _dressed(chunk: Chunk, open_ones: Mapping[str, Confirmation], approvals: bool) -> Chunk | None:
    if not _is_open(chunk):
        return chunk
    if chunk["type"] == "tool-approval-request":
        # One that was settled meanwhile can no longer be asked for.
        request = open_ones.get(chunk["approvalId"])
        return None if request is None else {**chunk, "approvalId": request.token}
    request = open_ones.get(chunk["id"])
    if request is None:
        return {**chunk, "data": {**chunk["data"], "state": "settled"}}
    shown: dict[str, Any] = {"preview": request.preview, "args": request.args, "expires": request.expires}
    if not approvals:
        shown["token"] = request.token
    return {**chunk, "data": {**chunk["data"], **safe(shown)}}
