"""A stream read from its log: by a page loaded again, by a second tab, by a client that lost its connection."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import orjson

from ambidex.server import stream_log
from ambidex.server.serving import dressed, waiting
from ambidex.server.stream_log import Read
from ambidex.server.wire import DONE, Chunk, frame

if TYPE_CHECKING:
    from ambidex.agents.text import Chat
    from ambidex.server.keeping import Keeper

_POLL_SECONDS = 0.1


class Replay:
    """From its beginning, and on as it is written; wherever that happens, since the log is in the store."""

    def __init__(self, chat: Chat, scope: str, stored: Keeper, found: Read) -> None:
        self._chat = chat
        self._scope = scope
        self._stored = stored
        self._id = found.row.id
        self._approvals = found.row.approvals
        self._found: Read | None = found
        self._read = 0
        self._over = False
        self._closed = asyncio.Event()

    async def take(self) -> bytes | None:
        while not self._over and not self._closed.is_set():
            found = self._found or await self._look()
            self._found = None
            if found is None or found.row.id != self._id:
                break
            chunks = chunks_of(found)
            self._read += len(found.batches)
            self._over = not found.running
            if chunks or self._over:
                shown = await dressed(chunks, self._chat, approvals=self._approvals)
                return b"".join(map(frame, shown)) + (DONE if self._over else b"")
            await self._pause()
        return None

    def close(self) -> None:
        self._closed.set()

    async def _look(self) -> Read | None:
        return await self._stored(lambda tx: stream_log.read(tx, self._scope, self._read))

    async def _pause(self) -> None:
        try:
            await asyncio.wait_for(self._closed.wait(), _POLL_SECONDS)
        except TimeoutError:
            return


def chunks_of(found: Read) -> list[Chunk]:
    return [chunk for batch in found.batches for chunk in orjson.loads(batch)]


async def to_resume(chat: Chat, scope: str, stored: Keeper) -> Replay | None:
    """What a client that comes back should see: an answer under way, or one that still waits for a decision."""
    found = await stored(lambda tx: stream_log.read(tx, scope))
    if found is None:
        return None
    if not found.running:
        asked = waiting(chunks_of(found))
        if not asked or not asked & {request.id for request in await chat.confirmations()}:
            return None
    return Replay(chat, scope, stored, found)
