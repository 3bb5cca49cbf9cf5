"""Server-sent events as bytes, and bytes in pieces that respect nothing."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Iterable, Sequence
from itertools import cycle
from typing import Any

PIECES = (1, 7, 3, 31, 2, 61, 5)
"""Sizes of the pieces in which a stream is sent, over and over: most cut a line, many cut a character."""


def event(value: Any, *, name: str = "", line_end: str = "\n") -> bytes:
    data = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    head = f"event: {name}{line_end}" if name else ""
    return f"{head}data: {data}{line_end}{line_end}".encode()


async def in_pieces(frames: Iterable[bytes], sizes: Sequence[int]) -> AsyncIterator[bytes]:
    """Every frame in pieces; the loop is left between them, so that a client really gets them one by one."""
    lengths = cycle(sizes)
    for frame in frames:
        start = 0
        while start < len(frame):
            end = start + next(lengths)
            yield frame[start:end]
            start = end
            await asyncio.sleep(0)


def parts_of(text: str, size: int = 5) -> list[str]:
    """A text as a model streams it: a few characters at a time."""
    return [text[start : start + size] for start in range(0, len(text), size)]
