"""A clock that stands still until it is moved."""

from __future__ import annotations

import asyncio

from ambidex.stores.clock import Moment


class FakeClock:
    """`advance` lets time pass; `jump` only sets the wall clock, as an administrator might."""

    def __init__(self, wall_ms: int = 1_767_225_600_000) -> None:
        self._wall = wall_ms
        self._mono = 1_000_000
        self.slept: list[float] = []
        """Every wait that was asked for, in seconds."""

    def moment(self) -> Moment:
        return Moment(self._wall, self._mono, "fake")

    async def sleep(self, seconds: float) -> None:
        """Time passes at once; others get their turn."""
        self.slept.append(seconds)
        self.advance(seconds)
        await asyncio.sleep(0)

    def advance(self, seconds: float) -> None:
        self._wall += round(seconds * 1000)
        self._mono += round(seconds * 1000)

    def jump(self, seconds: float) -> None:
        self._wall += round(seconds * 1000)
