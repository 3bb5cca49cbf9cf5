"""Blocks: users who may not speak for a while.

`Blocks` is the store, kept by the server and asked at connect, at each input and at each call. `CallBlocks` is what
one handler gets of it: bound to the user and the call, so that it can name neither another user nor another incident.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Protocol

from ambidex.contracts.faults import ErrorType
from ambidex.errors import CapabilityError

LONGEST = timedelta(hours=24)
"""No block reaches further ahead than this, however often it is repeated."""

Clock = Callable[[], datetime]


class Principal(Protocol):
    """As much of a user as a block needs."""

    @property
    def id(self) -> str: ...
    @property
    def tenant(self) -> str: ...


@dataclass(frozen=True, slots=True)
class Block:
    tenant: str
    user: str
    until: datetime


class Blocks(Protocol):
    """The store of blocks. Every method is atomic, and concerns the principal's own tenant only."""

    async def add(self, user: Principal, duration_seconds: float, *, incident: str) -> datetime:
        """Block until max(old end, now + duration), at most 24 hours ahead; the same incident counts once."""
        ...

    async def until(self, user: Principal) -> datetime | None:
        """When the user's block ends, or None when there is none."""
        ...

    async def lift(self, user: Principal) -> bool:
        """End a block early; whether there was one."""
        ...

    async def list(self, tenant: str = "default") -> list[Block]:
        """The blocks that stand in one tenant, the earliest end first."""
        ...


def utc_now() -> datetime:
    return datetime.now(UTC)


class MemoryBlocks:
    """Blocks in this process. Atomic because no method suspends."""

    def __init__(self, clock: Clock = utc_now) -> None:
        self._clock = clock
        self._ends: dict[tuple[str, str], datetime] = {}
        self._incidents: dict[tuple[str, str, str], datetime] = {}
        """(tenant, user, incident) -> the end that it led to: a repeated incident gets this answer again."""

    async def add(self, user: Principal, duration_seconds: float, *, incident: str) -> datetime:
        if not duration_seconds > 0:
            raise ValueError("a block lasts longer than nothing")
        now = self._forget_expired()
        key = (user.tenant, user.id)
        if (settled := self._incidents.get((*key, incident))) is not None:
            return settled
        # Capped before the addition too: a huge number must not overflow the calendar.
        asked = now + timedelta(seconds=min(duration_seconds, LONGEST.total_seconds()))
        end = min(max(self._ends.get(key, asked), asked), now + LONGEST)
        self._ends[key] = self._incidents[(*key, incident)] = end
        return end

    async def until(self, user: Principal) -> datetime | None:
        self._forget_expired()
        return self._ends.get((user.tenant, user.id))

    async def lift(self, user: Principal) -> bool:
        self._forget_expired()
        return self._ends.pop((user.tenant, user.id), None) is not None

    async def list(self, tenant: str = "default") -> list[Block]:
        self._forget_expired()
        standing = [Block(owner, user, end) for (owner, user), end in self._ends.items() if owner == tenant]
        return sorted(standing, key=lambda block: (block.until, block.user))

    def _forget_expired(self) -> datetime:
        """Drop what has ended; return the time. Incidents stay a day longer, so that a late duplicate adds nothing."""
        now = self._clock()
        self._ends = {key: end for key, end in self._ends.items() if end > now}
        self._incidents = {key: end for key, end in self._incidents.items() if end + LONGEST > now}
        return now


@dataclass(frozen=True, slots=True)
class CallBlocks:
    """The `blocks` of a handler's context: one user, one incident."""

    store: Blocks
    user: Principal
    incident: str
    """The call's idempotency key: repeating the call repeats no block."""
    ceiling_seconds: float | None = None
    """Set by the pipeline once text written by outsiders has entered the turn; None means no ceiling."""

    async def add(self, duration_seconds: float) -> datetime:
        """Block the user and return until when. The block stands from then on, whatever the handler does next."""
        if self.ceiling_seconds is not None and duration_seconds > self.ceiling_seconds:
            # A record that the agent read must not be able to lock its reader out.
            raise CapabilityError(
                ErrorType.UNAVAILABLE,
                f"text from outside entered this turn, so a timeout may last at most {self.ceiling_seconds:g} seconds",
                suggestion=f"Use at most {self.ceiling_seconds:g} seconds, or judge only what the user says next.",
            )
        return await self.store.add(self.user, duration_seconds, incident=self.incident)
