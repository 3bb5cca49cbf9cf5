"""When it is, and how long ago that was.

A wall clock can be set, so it dates things but never decides anything while the machine is up: durations come from
the monotonic clock, which every process of one boot shares. Only across a restart of the machine is the wall asked.
"""

from __future__ import annotations

import asyncio
import os
import uuid
from functools import cache, lru_cache
from pathlib import Path
from time import gmtime, monotonic_ns, time_ns
from typing import Protocol

import msgspec

_NS_PER_MS = 1_000_000


class Moment(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """A point in time that can be stored and later compared with, even by another process."""

    wall: int
    """Milliseconds since 1970, as the wall clock had it."""
    mono: int
    """Milliseconds on the monotonic clock; comparable only within one boot."""
    boot: str
    """Which monotonic clock `mono` was read from."""


class Clock(Protocol):
    """The one source of time; a test brings its own."""

    def moment(self) -> Moment: ...

    async def sleep(self, seconds: float) -> None: ...


class SystemClock:
    """The machine's clocks."""

    __slots__ = ("_boot",)

    def __init__(self) -> None:
        self._boot = boot_id()

    def moment(self) -> Moment:
        return Moment(time_ns() // _NS_PER_MS, monotonic_ns() // _NS_PER_MS, self._boot)

    async def sleep(self, seconds: float) -> None:
        await asyncio.sleep(seconds)


@cache
def boot_id() -> str:
    """The same for all processes that share a monotonic clock; where that cannot be known, one of this process."""
    try:
        boot = Path("/proc/sys/kernel/random/boot_id").read_text().strip()
    except OSError:
        return uuid.uuid4().hex
    return f"{boot} {_time_namespace()}".rstrip()


def _time_namespace() -> str:
    """A container may run with a monotonic clock of its own, under the boot id of its host."""
    try:
        return os.readlink("/proc/self/ns/time")
    except OSError:
        return ""


def elapsed_ms(since: Moment, now: Moment) -> int:
    """Milliseconds from one moment to another, never negative.

    Within a boot, setting the wall clock changes nothing; across boots the wall clock is all there is.
    """
    if since.boot == now.boot:
        return max(0, now.mono - since.mono)
    return max(0, now.wall - since.wall)


def rfc3339(moment: Moment) -> str:
    """The wall time in UTC, to the millisecond: `2026-03-02T09:00:00.000Z`."""
    seconds, milliseconds = divmod(moment.wall, 1000)
    return f"{_to_the_second(seconds)}.{milliseconds:03d}Z"


@lru_cache(maxsize=16)
def _to_the_second(seconds: int) -> str:
    # Events come many to the second, so this is nearly always a lookup.
    year, month, day, hour, minute, second, *_ = gmtime(seconds)
    return f"{year:04d}-{month:02d}-{day:02d}T{hour:02d}:{minute:02d}:{second:02d}"
