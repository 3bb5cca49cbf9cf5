"""Between a turn and the one client that reads it: bounded, so that a client that stops reading costs no memory.

Nothing in it may be dropped: a client that falls too far behind is let go, and may resume from the log.
"""

from __future__ import annotations

import asyncio

MOST_BYTES = 1 << 20
"""Beyond what the socket holds; one chunk may exceed it, a second one may not."""


class Outbox:
    """One writer, one reader, one loop."""

    def __init__(self, most_bytes: int = MOST_BYTES) -> None:
        self._most = most_bytes
        self._frames: list[bytes] = []
        self._bytes = 0
        self._ready = asyncio.Event()
        self._over = False
        self.closed = False
        """The reader is gone, or was let go."""

    def put(self, frame: bytes) -> None:
        if self.closed or self._over:
            return
        if self._bytes and self._bytes + len(frame) > self._most:
            self.close()
            return
        self._frames.append(frame)
        self._bytes += len(frame)
        self._ready.set()

    def end(self) -> None:
        """The writer has said everything."""
        self._over = True
        self._ready.set()

    def close(self) -> None:
        """Nobody reads on."""
        self.closed = True
        self._frames.clear()
        self._bytes = 0
        self._ready.set()

    async def take(self) -> bytes | None:
        """Everything that waits, at least something; None at the end."""
        while not self._frames:
            if self._over or self.closed:
                return None
            self._ready.clear()
            await self._ready.wait()
        taken = b"".join(self._frames)
        self._frames.clear()
        self._bytes = 0
        return taken
