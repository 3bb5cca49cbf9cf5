"""`context.kb`: the knowledge base as one user may see it.

Engines block, so they run in a small pool of threads. The base is opened at its first use; where there is none, there
is nothing to find, and that is no failure.
"""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from threading import Lock
from typing import Protocol, TypeVar

from ambidex.capabilities.kb.base import Base
from ambidex.capabilities.kb.engine import Engine, KbError
from ambidex.capabilities.kb.filters import Filters
from ambidex.capabilities.kb.found import Found
from ambidex.capabilities.kb.record import Record, RecordError
from ambidex.config import Config
from ambidex.contracts.faults import ErrorType
from ambidex.errors import CapabilityError, ToolError

T = TypeVar("T")
TIMEOUT_SECONDS = 5.0
"""A search takes milliseconds; what takes this long waits for a disk or for a lock."""
_THREADS = 4


class Reader(Protocol):
    """As much of a user as the base needs."""

    @property
    def namespaces(self) -> tuple[str, ...]: ...


def knowledge_base(config: Config) -> KnowledgeBase:
    """The base that the configuration names. Nothing is opened yet."""
    base = Base.of(config)
    return KnowledgeBase(base.open, on_close=base.close)


class KnowledgeBase:
    """For every user. `open` is called once, when the base is needed; None means that there is none yet."""

    def __init__(
        self,
        open: Callable[[], Engine | None],
        *,
        on_close: Callable[[], None] | None = None,
        timeout_seconds: float = TIMEOUT_SECONDS,
    ) -> None:
        self._open = open
        self._on_close = on_close
        self._timeout_seconds = timeout_seconds
        self._opening = Lock()
        self._engine: Engine | None = None
        self._pool = ThreadPoolExecutor(_THREADS, "ambidex-kb")

    def for_user(self, user: Reader) -> UserKb:
        return UserKb(self, user.namespaces)

    async def run(self, work: Callable[[Engine], T], nothing: T) -> T:
        """Work on the engine, away from the event loop; `nothing` when there is no base."""
        loop = asyncio.get_running_loop()
        try:
            async with asyncio.timeout(self._timeout_seconds):
                return await loop.run_in_executor(self._pool, self._work, work, nothing)
        except (TimeoutError, sqlite3.OperationalError) as error:
            said = "the knowledge base did not answer in time; try again"
            raise ToolError(ErrorType.TRANSIENT, said, retryable=True) from error
        except RecordError as error:
            raise ToolError(ErrorType.VALIDATION, str(error)) from error
        except KbError as error:
            raise CapabilityError(ErrorType.UNAVAILABLE, str(error)) from error

    def close(self) -> None:
        """`on_close` first: whoever works on the base in the background needs it until they have stopped."""
        self._pool.shutdown(wait=True, cancel_futures=True)
        if self._on_close is not None:
            self._on_close()
        if self._engine is not None:
            self._engine.close()

    def _work(self, work: Callable[[Engine], T], nothing: T) -> T:
        with self._opening:
            if self._engine is None:
                self._engine = self._open()
        return nothing if self._engine is None else work(self._engine)


class UserKb:
    """What a handler gets. The namespaces are the user's; no argument can widen them."""

    def __init__(self, base: KnowledgeBase, namespaces: tuple[str, ...]) -> None:
        self._base = base
        self._namespaces = namespaces

    async def search(
        self,
        query: str,
        *,
        namespace: str,
        type: str | None = None,
        tags: Sequence[str] = (),
        start: str | None = None,
        end: str | None = None,
        top_k: int = 5,
    ) -> Found:
        if namespace not in self._namespaces:
            held = ", ".join(self._namespaces) or "none"
            raise ToolError(ErrorType.AUTH, f"this user may not read the namespace {namespace}; theirs: {held}")
        filters = Filters((namespace,), type, tuple(tags), start, end)
        return await self._base.run(lambda engine: engine.search(query, filters, top_k=top_k), Found((), False, 0.0))

    async def get(self, ids: Sequence[str]) -> tuple[list[Record], dict[str, list[str]]]:
        """The records in the order asked, and for each id that is missing the ids that look like it."""

        def work(engine: Engine) -> tuple[list[Record], dict[str, list[str]]]:
            records = engine.get(ids, namespaces=self._namespaces)
            there = {record.id for record in records}
            missing = [id for id in dict.fromkeys(ids) if id not in there]
            return records, {id: engine.near(id, namespaces=self._namespaces) for id in missing}

        return await self._base.run(work, ([], {id: [] for id in ids}))
