"""A bounded pool for handlers' blocking work. One tool may hold only a part of it, so stuck work starves no other."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from typing import Any, TypeVar

T = TypeVar("T")
_THREADS = 8
_EACH = 3
"""Threads that one tool may hold at once; further work of it waits."""


class Threads:
    """Belongs to one event loop."""

    def __init__(self, most: int = _THREADS, each: int = _EACH) -> None:
        self._pool = ThreadPoolExecutor(most, thread_name_prefix="ambidex-tool")
        self._each = each
        self._places: dict[str, asyncio.Semaphore] = {}

    async def run(self, tool: str, fn: Callable[..., T], *args: Any) -> T:
        """What `fn` gives or raises. Giving up on it frees its thread only once it has really ended."""
        places = self._places.setdefault(tool, asyncio.Semaphore(self._each))
        await places.acquire()
        loop = asyncio.get_running_loop()
        work = self._pool.submit(_caught, fn, args)
        work.add_done_callback(lambda _: _release(loop, places))
        value, error = await asyncio.wrap_future(work)
        if error is not None:
            raise error
        result: T = value
        return result

    def close(self) -> None:
        self._pool.shutdown(wait=False, cancel_futures=True)


def _caught(fn: Callable[..., Any], args: tuple[Any, ...]) -> tuple[Any, BaseException | None]:
    """Errors travel as values: a future cannot carry a StopIteration, and whoever waits would wait for ever."""
    try:
        return fn(*args), None
    except BaseException as error:
        return None, error


def _release(loop: asyncio.AbstractEventLoop, places: asyncio.Semaphore) -> None:
    with suppress(RuntimeError):  # the loop is closed, and nobody waits any more
        loop.call_soon_threadsafe(places.release)
