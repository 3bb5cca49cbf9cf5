"""Names the handler that blocks the event loop while it does: everybody else waits for it, and nobody else can say so.

A thread asks the loop for a sign of life. If none comes, it looks at what the loop's thread is doing, and finds the
handler on its stack, in a task of its own or inline.
"""

from __future__ import annotations

import asyncio
import logging
import sys
import threading
import time
from types import CodeType, FrameType

from ambidex.execution.attempt import _guarded, run_inline

logger = logging.getLogger("ambidex.execution")
_HANDLERS: frozenset[CodeType] = frozenset({_guarded.__code__, run_inline.__code__})
"""The two places from which a handler is called; both know its tool as `tool`."""


class Watchdog:
    """For one event loop. Started on it, stopped from anywhere; one warning for each stall."""

    def __init__(self, seconds: float = 0.5) -> None:
        self._seconds = seconds
        self._over = threading.Event()
        self._answered = threading.Event()
        self._thread: threading.Thread | None = None

    def start(self) -> None:
        loop, here = asyncio.get_running_loop(), threading.get_ident()
        self._thread = threading.Thread(target=self._watch, args=(loop, here), name="ambidex-watchdog", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        self._over.set()
        self._answered.set()
        if self._thread is not None:
            self._thread.join(timeout=1)

    def _watch(self, loop: asyncio.AbstractEventLoop, thread: int) -> None:
        while not self._over.wait(self._seconds / 2):
            self._answered.clear()
            asked = time.monotonic()
            try:
                loop.call_soon_threadsafe(self._answered.set)
            except RuntimeError:
                return  # the loop is closed
            if not self._answered.wait(self._seconds):
                _warn(thread, time.monotonic() - asked)
                self._answered.wait()


def _warn(thread: int, seconds: float) -> None:
    frame = sys._current_frames().get(thread)
    if frame is None:
        return
    place = f"{frame.f_code.co_filename.rpartition('/')[2]}:{frame.f_lineno}"
    tool = tool_on(frame)
    who = f"the handler of {tool}" if tool else "something that is no handler"
    logger.warning("%s has blocked the event loop for %.0f ms, at %s", who, seconds * 1000, place)


def tool_on(frame: FrameType | None) -> str | None:
    """The id of the tool whose handler runs on this stack; of several, the innermost."""
    while frame is not None:
        if frame.f_code in _HANDLERS:
            return str(frame.f_locals["tool"].spec.tool_id)
        frame = frame.f_back
    return None
