"""Waiting for something to be so, without saying how long it takes."""

from __future__ import annotations

import asyncio
from collections.abc import Callable


async def until(holds: Callable[[], bool]) -> None:
    """Look until it is; a test that would wait for ever fails instead."""
    async with asyncio.timeout(20):
        while not holds():  # noqa: ASYNC110 - what is waited for happens in threads, files and other processes
            await asyncio.sleep(0.002)
