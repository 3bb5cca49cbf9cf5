"""A stream as an HTTP response: sends what there is, notices a client that goes away or stops reading, keeps alive."""

from __future__ import annotations

import asyncio
from typing import Protocol

from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from ambidex.server.wire import HEADERS, HEARTBEAT

HEARTBEAT_SECONDS = 15.0


class Source(Protocol):
    """Where frames come from."""

    async def take(self) -> bytes | None:
        """What waits, at least something; None at the end. May be given up on and asked again."""

    def close(self) -> None:
        """Nobody reads on."""


class EventStream(Response):
    """Written by hand, since the reader of a turn must be let go by rule: see `outbox.py`."""

    def __init__(self, source: Source, write_seconds: float) -> None:
        super().__init__(status_code=200, headers=HEADERS)
        del self.headers["content-length"]
        self._source = source
        self._write_seconds = write_seconds

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        watching = asyncio.ensure_future(self._watch(receive))
        try:
            await send({"type": "http.response.start", "status": self.status_code, "headers": self.raw_headers})
            while (part := await self._next()) is not None:
                async with asyncio.timeout(self._write_seconds):
                    await send({"type": "http.response.body", "body": part, "more_body": True})
            if not watching.done():
                await send({"type": "http.response.body", "body": b""})
        except (TimeoutError, OSError):
            pass  # it reads nothing, or is gone: what it missed is in the log
        finally:
            self._source.close()
            watching.cancel()
            await asyncio.gather(watching, return_exceptions=True)

    async def _next(self) -> bytes | None:
        try:
            async with asyncio.timeout(HEARTBEAT_SECONDS):
                return await self._source.take()
        except TimeoutError:
            return HEARTBEAT

    async def _watch(self, receive: Receive) -> None:
        while (await receive())["type"] != "http.disconnect":
            pass
        self._source.close()
