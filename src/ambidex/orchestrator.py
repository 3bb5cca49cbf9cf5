"""The orchestrator: between any model and any tool. It opens sessions, keeps their registries, recovers after crashes.

A call's way is short: `session/pipeline.py` asks `policy/decide.py`, runs it by `execution/engine.py`, and writes its
end by `ledger/finish.py`.
"""

from __future__ import annotations

import asyncio
import logging
import os
import secrets
from collections.abc import Callable, Coroutine, Mapping
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, TypeVar

from ambidex.audit.export import AuditExporter
from ambidex.capabilities.kb.configured import ConfiguredKb
from ambidex.config.config import Config
from ambidex.contracts.call import Mode
from ambidex.contracts.faults import ErrorType
from ambidex.contracts.user import User
from ambidex.errors import Refused
from ambidex.execution.watchdog import Watchdog
from ambidex.ledger.pruning import prune
from ambidex.ledger.rows import CallRow, CallState, SessionRow, TurnRow
from ambidex.ledger.sessions import NotOpened, attach_session, open_session, resume_session
from ambidex.ledger.spaces import CALLS, SESSIONS, TURNS, below, scope_of
from ambidex.policy.decide import Claimed
from ambidex.policy.recovering import lapsed, recover
from ambidex.policy.refusing import refusal
from ambidex.registry.registry import Registry
from ambidex.session.ending import redacted_args
from ambidex.session.session import Session
from ambidex.session.settings import Settings, settings_of
from ambidex.session.shared import Shared
from ambidex.stores.base import Store, Tx
from ambidex.stores.clock import Clock
from ambidex.stores.errors import StoreUnavailable
from ambidex.stores.open import open_store
from ambidex.stores.runner import StoreRunner

T = TypeVar("T")
if TYPE_CHECKING:
    from ambidex.capabilities.kb.capability import KnowledgeBase

logger = logging.getLogger("ambidex.orchestrator")
_RECOVERY_SECONDS = 2.0
_PRUNING_ROUNDS = 30
"""Of recovery, for each one of pruning."""
_PRUNED_AT_ONCE = 200


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
        """`capabilities` that are not given are built from the configuration; None says that one is not there.

        `audit`: a directory that the audit is exported to, or an exporter; without one it stays in the store.
        """
        opened = open_store(store, clock=clock) if isinstance(store, str) else store
        settings = settings_of(config)
        self._kb = ConfiguredKb(settings.config)
        self._shared = Shared(
            runner=StoreRunner(opened),
            config=settings.public,
            capabilities={"kb": self._kb, **(capabilities or {})},
            production=settings.production,
            limits=settings.limits,
            confirmation=settings.confirmation,
            retention=settings.retention,
        )
        self._audit = _exporter(audit, opened, settings)
        self._grace = settings.grace_seconds if grace_seconds is None else grace_seconds
        self._recovering: asyncio.Task[None] | None = None
        self._watchdog = Watchdog()
        self.use(registry)

    async def __aenter__(self) -> Orchestrator:
        self._watchdog.start()
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
        self._watchdog.stop()
        if self._audit is not None:
            await self._audit.close()
        await self._kb.close()
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
    def knowledge_base(self) -> KnowledgeBase:
        """The one that the configuration names; an application may have brought another for its tools."""
        return self._kb.base

    @property
    def blocks(self) -> Any:
        return self._shared.blocks

    # Sessions

    async def open(
        self, *, mode: Mode | str, user: User, conversation: str | None = None, resume: str | None = None
    ) -> Session:
        """A new session, or with `resume` the same one in its next epoch; raises `ambidex.Refused`."""
        wanted, token = Mode(mode), secrets.token_urlsafe(32)
        registry, record, outdated = self.registry, self._shared.record, self._shared.outdated

        def operation(tx: Tx) -> SessionRow | NotOpened:
            if resume is not None:
                return resume_session(tx, user, resume, token, wanted, outdated, record)
            return open_session(tx, user, wanted, conversation, registry.version, registry.content_hash, token, record)

        row = await self._opened(operation)
        session = Session(row, self._shared.registries[row.registry], self._shared, token)
        session._turn = await self._turn_of(row)
        return session

    async def attach(self, session_id: str, *, user: User) -> Session:
        """The same session and epoch, from another worker; raises `ambidex.Refused`."""
        outdated = self._shared.outdated
        row = await self._opened(lambda tx: attach_session(tx, user, session_id, outdated=outdated))
        session = Session(row, self._shared.registries[row.registry], self._shared, "")
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

    async def _turn_of(self, row: SessionRow) -> TurnRow | None:
        if not row.turn:
            return None
        place = below(scope_of(row.user, row.conversation), row.turn)
        return await self._shared.runner.run(lambda tx: tx.get(TURNS, place), lasting=False)

    # For agents and servers, which keep their own things beside the ledger's

    @property
    def clock(self) -> Clock:
        return self._shared.runner.store.clock

    async def stored(self, operation: Callable[[Tx], T], *, lasting: bool = True) -> T:
        """One atomic operation on the store; raises `StoreUnavailable`. Not `lasting`: a power cut may undo it."""
        return await self._shared.runner.run(operation, lasting=lasting, timeout=self._shared.store_seconds)

    def spawn(self, work: Coroutine[Any, Any, T]) -> asyncio.Task[T]:
        """Work that is finished, and waited for when this closes, whoever goes away meanwhile."""
        return self._shared.spawn(work)

    # After a crash

    async def recover(self) -> int:
        """Give every call whose worker died its end; how many were settled here."""
        runner, shared = self._shared.runner, self._shared
        settled, again = 0, []
        for place in await runner.run(lapsed):
            found: Recovered | None = await runner.run(lambda tx, place=place: _recover(tx, place, shared))  # type: ignore[misc]
            settled += found is not None
            if found is not None and found.session is not None and found.turn is not None:
                again.append(shared.spawn(self._run_again(found.row, found.session, found.turn)))
        await asyncio.gather(*again)
        return settled

    async def prune(self) -> int:
        """Forget some of what is older than the retention time; how many conversations, sessions and requests."""
        rows_ms = self._shared.retention.rows_ms
        return await self._shared.runner.run(lambda tx: prune(tx, rows_ms, _PRUNED_AT_ONCE))

    async def _run_again(self, row: CallRow, session: SessionRow, turn: TurnRow) -> None:
        registry = self._shared.registries[row.registry]
        runner = Session(session, registry, self._shared, "")
        self._shared.enter((row.tool, session.id), (None, None))
        await runner._pipeline.runner.run(Claimed(row, session, turn), row.call_id or None)

    async def _keep_recovering(self) -> None:
        for round in count(1):
            await asyncio.sleep(_RECOVERY_SECONDS)
            try:
                await self.recover()
                if round % _PRUNING_ROUNDS == 0:
                    await self.prune()
            except StoreUnavailable as error:
                logger.warning("recovery waits: %s", error)
            except Exception:  # what one call did must not keep others from being settled
                logger.exception("recovery failed and goes on")


def _exporter(
    audit: AuditExporter | str | os.PathLike[str] | None, store: Store, settings: Settings
) -> AuditExporter | None:
    if audit is None or isinstance(audit, AuditExporter):
        return audit
    return AuditExporter(store, Path(audit), rotate_bytes=settings.audit_rotate_bytes)


@dataclass(frozen=True, slots=True)
class Recovered:
    """A call that was settled, or, with its session and turn, one that is to be run again."""

    row: CallRow
    session: SessionRow | None = None
    turn: TurnRow | None = None


def _recover(tx: Tx, place: str, shared: Shared) -> Recovered | None:
    row = tx.get(CALLS, place)
    if row is None:
        return None
    session = tx.get(SESSIONS, row.session)
    turn = tx.get(TURNS, below(scope_of(row.user, row.conversation), row.turn))
    registry = shared.registries.get(row.registry)
    spec = registry._specs.get(row.tool) if registry else None
    can_run = session is not None and turn is not None and spec is not None
    # Without its tool nobody knows what of the arguments may be kept.
    kept = redacted_args(spec, row.args) if spec else b"{}"
    taken = recover(tx, place, shared.worker, shared.record, can_run=can_run, kept=kept)
    if taken is None:
        return None
    return Recovered(taken, session, turn) if taken.state is CallState.STARTED else Recovered(taken)
