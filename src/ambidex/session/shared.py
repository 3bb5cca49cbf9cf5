"""What all sessions of an orchestrator share: the store, the clock, the registries, room to run, and who is waiting."""

from __future__ import annotations

import asyncio
import os
import secrets
from collections import Counter
from collections.abc import Callable, Coroutine, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeVar

from ambidex.audit.chain import Record
from ambidex.audit.counting import counted
from ambidex.capabilities.blocks import Blocks
from ambidex.capabilities.registry import RegistryView
from ambidex.contracts.call import Mode
from ambidex.contracts.faults import ErrorType
from ambidex.execution.results import ResultCheck
from ambidex.execution.threads import Threads
from ambidex.ledger.rows import SessionRow
from ambidex.ledger.sessions import NotOpened, end_session
from ambidex.policy.climb import Rules
from ambidex.policy.conditions import Conditions
from ambidex.policy.decide import Worker
from ambidex.policy.limits import DEFAULTS, ConfirmationLimits, Limits, Retention
from ambidex.registry.registry import Registry
from ambidex.session.blocking import BothBlocks, StoreBlocks
from ambidex.session.express import Express
from ambidex.stores.base import Tx
from ambidex.stores.memory import MemoryStore
from ambidex.stores.runner import StoreRunner

T = TypeVar("T")


@dataclass(slots=True, repr=False)
class Shared:
    """Owned by one orchestrator, on one event loop. Its repr is bare: capabilities may hold an application's keys."""

    runner: StoreRunner
    config: Mapping[str, Any]
    capabilities: Mapping[str, Any]
    production: bool = False
    limits: Mapping[Mode, Limits] = field(default_factory=lambda: dict(DEFAULTS))
    confirmation: ConfirmationLimits = field(default_factory=ConfirmationLimits)
    retention: Retention = field(default_factory=Retention)
    session_room: int = 16
    store_seconds: float = 5.0
    worker: Worker = field(default_factory=lambda: Worker(f"{os.getpid()}-{secrets.token_hex(4)}"))
    record: Record = field(init=False)
    blocks: Blocks = field(init=False)
    express: Express | None = field(init=False)
    """Only where the store is in memory."""
    registries: dict[str, Registry] = field(default_factory=dict)
    current: str = ""
    """Version that new sessions are pinned to."""
    waiting: dict[str, asyncio.Future[None]] = field(default_factory=dict)
    """Calls that run in this process -> who waits for them."""
    degraded: bool = False
    """The store did not answer the last time it was asked."""
    _rules: dict[tuple[str, Mode], Rules] = field(default_factory=dict)
    _checks: dict[tuple[str, str], ResultCheck] = field(default_factory=dict)
    _active: Counter[str] = field(default_factory=Counter)
    _tasks: set[asyncio.Task[Any]] = field(default_factory=set)
    _threads: Threads | None = None

    def __post_init__(self) -> None:
        self.runner.store, self.record = counted(self.runner.store, self._registry_of)
        listed, own = StoreBlocks(self.runner, self.record), self.capabilities.get("blocks")
        self.blocks = listed if own is None else BothBlocks(listed, own)
        store = self.runner.store
        self.express = Express(self, store) if isinstance(store, MemoryStore) else None

    def _registry_of(self, version: str) -> Registry | None:
        """Whose metrics an event counts in: sessions that are pinned to a registry of another process count in ours."""
        return self.registries.get(version, self.registries.get(self.current))

    def outdated(self, tx: Tx, row: SessionRow) -> NotOpened | None:
        """Why a session cannot go on in this process: its registry is not here, or, in development, no longer current.

        In development the session is closed; in production another process may still have what it is pinned to.
        """
        if row.registry == self.current or (self.production and row.registry in self.registries):
            return None
        if not self.production and row.state.is_active:
            end_session(tx, row, "registry_changed", self.record)
        message = f"this session is pinned to registry {row.registry}; this process has {self.current}"
        return NotOpened(ErrorType.SESSION_INACTIVE, message)

    def rules(self, registry: str, mode: Mode) -> Rules:
        found = self._rules.get((registry, mode))
        if found is None:
            made = Rules(self.limits[mode], self.confirmation, self.retention, self.config, Conditions())
            found = self._rules.setdefault((registry, mode), made)
        return found

    def check(self, registry: Registry, tool_id: str) -> ResultCheck:
        place = (registry.version, tool_id)
        found = self._checks.get(place)
        if found is None:
            found = self._checks.setdefault(place, ResultCheck(registry._tool(tool_id).spec))
        return found

    # Room

    def enter(self, names: tuple[str, ...], most: tuple[int | None, ...]) -> bool:
        """Take a place in each queue, or in none."""
        if any(limit is not None and self._active[name] >= limit for name, limit in zip(names, most, strict=True)):
            return False
        self._active.update(names)
        return True

    def active(self, name: str) -> int:
        return self._active.get(name, 0)

    def leave(self, names: tuple[str, ...]) -> None:
        self._active.subtract(names)
        for name in names:
            if self._active[name] <= 0:
                del self._active[name]

    # Work

    def spawn(self, work: Coroutine[Any, Any, T]) -> asyncio.Task[T]:
        """A task that is held on to: nothing that was started is forgotten."""
        task = asyncio.ensure_future(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task

    async def in_thread(self, tool: str, fn: Callable[..., T], *args: Any) -> T:
        if self._threads is None:
            self._threads = Threads()
        return await self._threads.run(tool, fn, *args)

    def registry_view(self, session: SessionRow) -> RegistryView:
        registry = self.registries[session.registry]
        rules = self.rules(session.registry, session.state.mode)

        def allowed(tool_id: str) -> bool:
            spec = registry._tool(tool_id).spec
            held = set(spec.permissions) <= session.user.scopes
            return held and rules.conditions.available(spec, session, self.config)

        return RegistryView(registry, allowed)

    async def finish(self, grace_seconds: float) -> None:
        """Wait for what still runs, then let go."""
        if self._tasks:
            await asyncio.wait(set(self._tasks), timeout=grace_seconds)
        for task in set(self._tasks):
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        if self._threads is not None:
            self._threads.close()
