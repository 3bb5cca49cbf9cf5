"""Waiting for one thing at most so long, unless told to stop: one future, one timer, no tasks besides."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from ambidex.execution.stop import Stop


@contextmanager
def until(done: asyncio.Future[Any], seconds: float, stop: Stop | None) -> Iterator[asyncio.Future[None]]:
    """A future to await: it ends with `done`, when the time is up, or when `stop` is set, whichever comes first."""
    loop = asyncio.get_running_loop()
    waiter: asyncio.Future[None] = loop.create_future()

    def wake(_: object = None) -> None:
        if not waiter.done():
            waiter.set_result(None)

    done.add_done_callback(wake)
    timer = loop.call_later(max(0.0, seconds), wake)
    if stop is not None:
        stop.tell(wake)
    try:
        yield waiter
    finally:
        timer.cancel()
        done.remove_done_callback(wake)
        if stop is not None:
            stop.tell(None)
