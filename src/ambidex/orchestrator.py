"""The orchestrator: between any model and any tool. It opens sessions, keeps their registries, and cleans up after crashes.

A call's way is short: `session/pipeline.py` asks `policy/decide.py`, runs it by `execution/engine.py`, and writes its
end by `ledger/finish.py`.
"""

from __future__ import annotations

import asyncio
import logging
import os
import secrets
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import Any

import msgspec

from ambidex.audit.chain import Record
from ambidex.audit.export import AuditExporter
from ambidex.config.config import Config
from ambidex.contracts.call import Mode
from ambidex.contracts.faults import ErrorType
from ambidex.contracts.user import User
from ambidex.errors import Refused
from ambidex.ledger.rows import CallRow, SessionRow, TurnRow
from ambidex.ledger.sessions import NotOpened, attach_session, end_session, open_session, resume_session
from ambidex.ledger.spaces import SESSIONS, TURNS, below, scope_of
from ambidex.policy.decide import Claimed
from ambidex.policy.recovering import lapsed, recover
from ambidex.policy.refusing import refusal
from ambidex.registry.registry import Registry
from ambidex.session.session import Session
from ambidex.session.settings import Settings, settings_of
from ambidex.session.shared import Shared
from ambidex.stores.base import Store, Tx
from ambidex.stores.clock import Clock
from ambidex.stores.errors import StoreUnavailable
from ambidex.stores.open import open_store
from ambidex.stores.runner import StoreRunner

logger = logging.getLogger("ambidex.orchestrator")
_RECOVERY_SECONDS = 2.0


class Orchestrator:
    """`async with Orchestrator(registry) as app`. Closing it ends no session in a durable store."""

    def __init__(
        self,
        registry: Registry,
        *,
        store: str | Store = "memory:",
        config: Config | Mapping[str, Any] | str | os.PathLike[str] | None = None,
        capabilities: Mapping[str, Any] | None = None,
        audit: AuditExporter | str | os.PathLike[str] | None = None,
        clock: Clock | None = None,
        grace_seconds: float | None = None,
    ) -> None:
        """`audit`: a directory that the audit is exported to, or an exporter; without one it stays in the store."""
        opened = open_store(store, clock=clock) if isinstance(store, str) else store
        settings = settings_of(config)
        self._shared = Shared(
            runner=StoreRunner(opened),
            config=settings.public,
            capabilities=dict(capabilities or {}),
            production=settings.production,
            limits=settings.limits,
            confirmation=settings.confirmation,
            retention=settings.retention,
        )
        self._audit = _exporter(audit, opened, settings)
        self._grace = settings.grace_seconds if grace_seconds is None else grace_seconds
        self._recovering: asyncio.Task[None] | None = None
        self.use(registry)

    async def __aenter__(self) -> Orchestrator:
        if self._shared.runner.store.durable:
            await self.recover()
            self._recovering = asyncio.ensure_future(self._keep_recovering())
        if self._audit is not None:
            self._audit.start()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    async def close(self) -> None:
        """Finish what runs within the grace time, write its end, let go of the store."""
        if self._recovering is not None:
            self._recovering.cancel()
            await asyncio.gather(self._recovering, return_exceptions=True)
        await self._shared.finish(self._grace)
        if self._audit is not None:
            await self._audit.close()
        await self._shared.runner.close()

    # Registries

    def use(self, registry: Registry) -> None:
        """New sessions are pinned to this one; those that run keep theirs."""
        if not registry.locked:
            registry.lock()
        self._shared.registries[registry.version] = registry.snapshot()
        self._shared.current = registry.version

    @property
    def registry(self) -> Registry:
        """What new sessions get."""
        return self._shared.registries[self._shared.current]

    @property
    def healthy(self) -> bool:
        """Whether the store answered when it was last asked."""
        return not self._shared.degraded

    @property
    def blocks(self) -> Any:
        return self._shared.blocks

    # Sessions

    async def open(
        self, *, mode: Mode | str, user: User, conversation: str | None = None, resume: str | None = None
    ) -> Session:
        """A new session, or with `resume` the same one in its next epoch; raises `ambidex.Refused`."""
        wanted, token = Mode(mode), secrets.token_urlsafe(32)
        registry, record = self.registry, self._shared.record

        def operation(tx: Tx) -> SessionRow | NotOpened:
            if resume is not None:
                return resume_session(tx, user, resume, token, wanted, self._has, record)
            return open_session(tx, user, wanted, conversation, registry.version, registry.content_hash, token, record)

        row = await self._opened(operation)
        if row.state.mode is not wanted:
            raise Refused(
                refusal(ErrorType.MODE_RESTRICTED, f"this session is {row.state.mode}; its mode never changes")
            )
        session = Session(row, await self._pinned(row), self._shared, token)
        session._turn = await self._turn_of(row)
        return session

    async def attach(self, session_id: str, *, user: User) -> Session:
        """The same session and epoch, from another worker; raises `ambidex.Refused`."""
        row = await self._opened(lambda tx: attach_session(tx, user, session_id))
        session = Session(row, await self._pinned(row), self._shared, "")
        session._turn = await self._turn_of(row)
        return session

    async def _opened(self, operation: Any) -> SessionRow:
        try:
            found = await self._shared.runner.run(operation, timeout=self._shared.store_seconds)
        except StoreUnavailable:
            message = "the store cannot be reached; try again"
            raise Refused(refusal(ErrorType.TRANSIENT, message, retryable=True)) from None
        if isinstance(found, NotOpened):
            raise Refused(refusal(found.type, found.message, retry_after_ms=found.retry_after_ms))
        row: SessionRow = found
        return row

    def _has(self, version: str) -> bool:
        """Whether sessions of this registry can go on here: in development only those of the current one."""
        shared = self._shared
        return version == shared.current or (shared.production and version in shared.registries)

    async def _pinned(self, row: SessionRow) -> Registry:
        """The registry that the session began with. In development a session of another one is closed."""
        shared = self._shared
        if self._has(row.registry):
            return shared.registries[row.registry]
        message = f"this session is pinned to registry {row.registry}; this process has {shared.current}"
        if not shared.production:
            await shared.runner.run(lambda tx: end_session(tx, row, "registry_changed", shared.record))
        raise Refused(refusal(ErrorType.SESSION_INACTIVE, message, suggestion="Open a new session."))

    async def _turn_of(self, row: SessionRow) -> TurnRow | None:
        if not row.turn:
            return None
        place = below(scope_of(row.user, row.conversation), row.turn)
        return await self._shared.runner.run(lambda tx: tx.get(TURNS, place), lasting=False)

    # After a crash

    async def recover(self) -> int:
        """Give every call whose worker died its end; how many were settled here."""
        runner, shared = self._shared.runner, self._shared
        settled = 0
        for place in await runner.run(lapsed):
            found = await runner.run(lambda tx, place=place: _recover(tx, place, shared))  # type: ignore[misc]
            settled += 1
            if found is not None:
                await self._run_again(*found)
        return settled

    async def _run_again(self, row: CallRow, session: SessionRow, turn: TurnRow) -> None:
        registry = self._shared.registries[row.registry]
        runner = Session(session, registry, self._shared, "")
        self._shared.enter((row.tool, session.id), (None, None))
        await runner._pipeline.run(Claimed(row, session, turn), row.call_id or None)

    async def _keep_recovering(self) -> None:
        while True:
            await asyncio.sleep(_RECOVERY_SECONDS)
            try:
                await self.recover()
            except StoreUnavailable as error:
                logger.warning("recovery waits: %s", error)


def _exporter(
    audit: AuditExporter | str | os.PathLike[str] | None, store: Store, settings: Settings
) -> AuditExporter | None:
    if audit is None or isinstance(audit, AuditExporter):
        return audit
    return AuditExporter(store, Path(audit), rotate_bytes=settings.audit_rotate_bytes)


def _recover(tx: Tx, place: str, shared: Shared) -> tuple[CallRow, SessionRow, TurnRow] | None:
    from ambidex.ledger.spaces import CALLS

    row = tx.get(CALLS, place)
    if row is None:
        return None
    session = tx.get(SESSIONS, row.session)
    turn = tx.get(TURNS, below(scope_of(row.user, row.conversation), row.turn))
    registry = shared.registries.get(row.registry)
    can_run = session is not None and turn is not None and registry is not None and row.tool in registry
    taken = recover(tx, place, shared.worker, shared.record, can_run=can_run)
    if taken is None or session is None or turn is None:
        return None
    return taken, msgspec.structs.replace(session), turn


__all__ = ["Orchestrator", "Record"]
