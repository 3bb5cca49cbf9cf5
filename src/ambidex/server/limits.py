"""How much anybody may ask: sizes and times of bodies, requests of a user, inputs of a conversation."""

from __future__ import annotations

import asyncio
import time
from collections import OrderedDict

from starlette.requests import ClientDisconnect, Request

from ambidex.contracts.faults import ErrorType
from ambidex.ledger.rows import Hits
from ambidex.server.answers import Refusal
from ambidex.stores.base import Space, Tx
from ambidex.stores.clock import elapsed_ms

INPUTS: Space[Hits] = Space("server-inputs", Hits)
"""Conversation -> when its last inputs came. In the store, since a conversation may meet any worker."""
_MINUTE_MS = 60_000
_MOST_USERS = 10_000


async def read_body(request: Request, most: int, seconds: float) -> bytes:
    """The whole body; raises `Refusal` when it is too large or too slow, before it is kept anywhere."""
    try:
        declared = int(request.headers.get("content-length", 0))
    except ValueError:
        declared = 0
    too_large = Refusal(413, "TOO_LARGE", f"a request may have {most} bytes at most")
    if declared > most:
        raise too_large
    body = bytearray()
    try:
        async with asyncio.timeout(seconds):
            async for part in request.stream():
                body += part
                if len(body) > most:
                    raise too_large
    except TimeoutError:
        raise Refusal(408, "TIMEOUT", "the request took too long to arrive") from None
    except ClientDisconnect:
        raise Refusal(400, "DISCONNECTED", "the client went away") from None
    return bytes(body)


class Rates:
    """Requests of each user, in this process: a bucket that fills evenly and holds a quarter of a minute's worth.

    The least recent users are forgotten when there are very many, so that made-up ones cost no memory.
    """

    def __init__(self, per_minute: int) -> None:
        self._per_second = per_minute / 60
        self._room = max(1.0, per_minute / 4)
        self._buckets: OrderedDict[str, tuple[float, float]] = OrderedDict()

    def take(self, who: str, many: int = 1) -> int | None:
        """None if it is allowed; else how many milliseconds to wait. `many`: so many users in one."""
        now, cost = time.monotonic(), 1 / many
        level, at = self._buckets.pop(who, (self._room, now))
        level = min(self._room, level + (now - at) * self._per_second)
        allowed = level >= cost
        self._buckets[who] = (level - cost if allowed else level, now)
        if len(self._buckets) > _MOST_USERS:
            self._buckets.popitem(last=False)
        return None if allowed else int((cost - level) / self._per_second * 1000) + 1


def take_input(tx: Tx, scope: str, gap_ms: int, per_minute: int) -> int | None:
    """Count an input of a conversation: None if it may begin a turn, else how many milliseconds to wait."""
    at = [moment for moment in (tx.get(INPUTS, scope) or Hits()).at if elapsed_ms(moment, tx.now) < _MINUTE_MS]
    if at and (since := elapsed_ms(at[-1], tx.now)) < gap_ms:
        return gap_ms - since
    if len(at) >= per_minute:
        return max(1, _MINUTE_MS - elapsed_ms(at[0], tx.now))
    tx.put(INPUTS, scope, Hits((*at, tx.now)))
    return None


def too_many(wait_ms: int) -> Refusal:
    return Refusal(429, str(ErrorType.RATE_LIMIT), "That was a bit fast. Please wait a moment.", retry_after_ms=wait_ms)
