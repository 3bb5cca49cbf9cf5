"""The way to the user's client while an agent's turn is shown: what tools send is handed out between other events."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncGenerator, Mapping
from typing import Any

MOST_MESSAGES = 256


class Outbox:
    """A `Channel` of a session. What is sent while nobody looks waits for the next turn, unless the client is gone."""

    def __init__(self) -> None:
        self._messages: deque[Mapping[str, Any]] = deque()
        self._news = asyncio.Event()
        self.reachable = True

    async def send(self, message: Mapping[str, Any]) -> None:
        if not self.reachable or len(self._messages) >= MOST_MESSAGES:
            raise ConnectionError("the client is gone, or reads nothing")
        self._messages.append(message)
        self._news.set()

    def taken(self) -> list[Mapping[str, Any]]:
        """What waits now."""
        found = list(self._messages)
        self._messages.clear()
        self._news.clear()
        return found

    async def until(self, work: asyncio.Task[Any]) -> AsyncGenerator[Mapping[str, Any], None]:
        """Messages as they come, up to the end of the work; how it ended is for the caller to ask."""
        while not work.done():
            news = asyncio.ensure_future(self._news.wait())
            try:
                await asyncio.wait([work, news], return_when=asyncio.FIRST_COMPLETED)
            finally:
                news.cancel()
            for message in self.taken():
                yield message
        for message in self.taken():
            yield message
