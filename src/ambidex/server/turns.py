"""Answers under way in this process. Each is kept by a task that writes its log and ends it when it has to end.

A reader that goes away stops nothing at once: the answer goes on for a while, to be resumed, and is then stopped as a
barge-in would stop it: what may be interrupted is, a write finishes and is recorded (the agent sees to that).
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import AsyncIterator, Callable, Sequence
from typing import TYPE_CHECKING, TypeAlias

import orjson

from ambidex.agents.events import TurnEnded, TurnFailed
from ambidex.errors import Refused
from ambidex.execution.flight import until
from ambidex.execution.stop import Stop
from ambidex.server import stream_log
from ambidex.server.answers import Refusal
from ambidex.server.outbox import Outbox
from ambidex.server.serving import dressed
from ambidex.server.stream_log import StreamRow
from ambidex.server.ui_stream import Encoder
from ambidex.server.wire import DONE, Chunk, frame
from ambidex.stores.base import Tx
from ambidex.stores.errors import StoreUnavailable

if TYPE_CHECKING:
    from ambidex.agents.text import Chat
    from ambidex.server.keeping import Keeper

logger = logging.getLogger("ambidex.server")

Work: TypeAlias = Callable[[], AsyncIterator[Sequence[Chunk]]]
"""The turn itself: chunks as they come, those of one event together."""

_FLUSH_SECONDS = 0.1
_MOST_UNLOGGED = 1 << 20
"""Bytes that wait for the log; a model that speaks faster than the store writes has to wait then."""
_SORRY = "Something went wrong on our side. Please try again."


class Turn:
    """One answer. `outbox` is for the request that asked for it."""

    def __init__(self, chat: Chat, scope: str, row: StreamRow, encoder: Encoder, linger_seconds: float) -> None:
        self.outbox = Outbox()
        self.began: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        """Done with the first chunk; a refusal before it is raised here."""
        self._chat = chat
        self._scope = scope
        self._row = row
        self._encoder = encoder
        self._linger = linger_seconds
        self._unread_since: float | None = None
        self._unlogged: list[Chunk] = []
        self._unlogged_bytes = 0
        self._due = Stop()
        """Set when the log is due before its time."""
        self._room = asyncio.Event()

    async def run(self, work: Work, stored: Keeper) -> None:
        """To its end, whatever happens; cancelling this stops the answer."""
        writing = asyncio.ensure_future(self._write(work))
        try:
            while not writing.done():
                self._due = Stop()
                self._room.set()
                with until(writing, _FLUSH_SECONDS, self._due) as waiter:
                    await waiter
                if not writing.done() and await self._must_end(stored):
                    writing.cancel()
                    await asyncio.wait({writing})
        finally:
            await self._end(writing, stored)

    # The turn

    async def _write(self, work: Work) -> None:
        try:
            async for chunks in work():
                await self._room.wait()
                await self._put(chunks)
        except asyncio.CancelledError:
            await self._put(self._encoder.encode(TurnEnded("stopped")))
            raise
        except (Refused, Refusal) as refused:
            await self._fail(refused, "refused", str(refused))
        except Exception as error:
            logger.exception("a turn failed")
            await self._fail(error, "internal", _SORRY)

    async def _fail(self, error: Exception, kind: str, message: str) -> None:
        """Before the first chunk it is an answer of its own; afterwards it ends the stream."""
        if self.began.done():
            await self._put(self._encoder.encode(TurnFailed(kind, message)))
        else:
            self.began.set_exception(error)

    async def _put(self, chunks: Sequence[Chunk]) -> None:
        if not chunks:
            return
        self._unlogged.extend(chunk for chunk in chunks if self._is_logged(chunk))
        for chunk in await dressed(chunks, self._chat, approvals=self._row.approvals):
            framed = frame(chunk)
            self._unlogged_bytes += len(framed)
            self.outbox.put(framed)
        let_go = self.outbox.closed and self._unread_since is None
        if let_go or self._unlogged_bytes > _MOST_UNLOGGED:
            self._room.clear()
            self._due.set()
        if not self.began.done():
            self.began.set_result(None)

    def _is_logged(self, chunk: Chunk) -> bool:
        """What is for the moment is not for late readers, and may be a secret; a log that goes on with an earlier one
        has its beginning already."""
        return not chunk.get("transient") and (chunk["type"] != "start" or not self._row.batches)

    # Its keeping

    async def _must_end(self, stored: Keeper) -> bool:
        """Write the log on; whether somebody wants the answer to end, or nobody has read it for too long."""
        row = await self._log(stored, ended=False)
        if self.outbox.closed and self._unread_since is None:
            self._unread_since = time.monotonic()
        unread = self._unread_since is not None and time.monotonic() - self._unread_since >= self._linger
        return unread or (row is not None and (row.stop or row.id != self._row.id))

    async def _log(self, stored: Keeper, *, ended: bool) -> StreamRow | None:
        chunks, self._unlogged, self._unlogged_bytes = self._unlogged, [], 0
        batch, attended = orjson.dumps(chunks) if chunks else b"", not self.outbox.closed

        def operation(tx: Tx) -> StreamRow | None:
            return stream_log.append(tx, self._scope, self._row.id, batch, attended=attended, ended=ended)

        try:
            return await stored(operation)
        except StoreUnavailable as error:
            # Whoever reads goes on reading; only a late reader misses this part.
            logger.warning("the log of a stream has a gap: %s", error)
            return self._row

    async def _end(self, writing: asyncio.Task[None], stored: Keeper) -> None:
        if not writing.done():
            writing.cancel()
        await asyncio.gather(writing, return_exceptions=True)
        if not self.began.done():
            self.began.set_exception(Refusal(503, "STOPPED", "The answer was stopped before it began."))
        if self.began.exception() is not None:
            self.outbox.end()
            await self._undo(stored)
            return
        for chunk in self._encoder.end():
            self._unlogged.append(chunk)
            self.outbox.put(frame(chunk))
        self.outbox.put(DONE)
        self.outbox.end()
        await self._log(stored, ended=True)

    async def _undo(self, stored: Keeper) -> None:
        try:
            await stored(lambda tx: stream_log.undo(tx, self._scope, self._row.id))
        except StoreUnavailable as error:
            logger.warning("a stream that did not begin waits for its lease to lapse: %s", error)


class Turns:
    """All of them, so that none is forgotten when the process stops."""

    def __init__(self, stored: Keeper) -> None:
        self._stored = stored
        self._tasks: set[asyncio.Task[None]] = set()

    def __len__(self) -> int:
        return len(self._tasks)

    def start(self, turn: Turn, work: Work) -> None:
        task = asyncio.ensure_future(turn.run(work, self._stored))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def close(self, grace_seconds: float) -> None:
        """Let answers end by themselves for a while, then stop them; their logs are written either way."""
        if self._tasks:
            await asyncio.wait(set(self._tasks), timeout=grace_seconds)
        for task in set(self._tasks):
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
