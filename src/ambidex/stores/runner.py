"""Runs operations from the event loop without blocking it.

A store in memory answers at once, on the spot. A durable one may wait for a disk or a lock, so its operations go to
one thread of their own, in the order asked.

Giving up on an operation (a timeout, a cancelled task) keeps it from starting, or rolls it back if it has not yet
reached its commit. A commit under way goes on: whoever gave up has to treat the operation as one that may have
happened.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Generic, TypeVar

from ambidex.stores.base import Store, Tx
from ambidex.stores.errors import StoreUnavailable

T = TypeVar("T")


class StoreRunner:
    """One for each event loop that uses the store."""

    def __init__(self, store: Store) -> None:
        self.store = store
        self._closed = False
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="ambidex-store") if store.durable else None

    async def run(
        self,
        operation: Callable[[Tx], T],
        *,
        lasting: bool = True,
        timeout: float | None = None,  # noqa: ASYNC109 - a caller's own `asyncio.timeout` would not name the store
    ) -> T:
        """As `Store.run`. After `timeout` seconds, `StoreUnavailable`; a store in memory needs none."""
        if self._closed:
            raise StoreUnavailable(f"the store {self.store.url} is closed")
        if self._thread is None:
            return self.store.run(operation, lasting=lasting)
        wanted = _Wanted(operation)
        asked = asyncio.get_running_loop().run_in_executor(
            self._thread, lambda: self.store.run(wanted, lasting=lasting)
        )
        try:
            async with asyncio.timeout(timeout) as limit:
                return await asked
        except TimeoutError as error:
            if not limit.expired():
                raise
            raise StoreUnavailable(
                f"{self.store.url} took longer than {timeout:g} s; the operation may still have happened"
            ) from error
        finally:
            wanted.given_up = True

    async def close(self) -> None:
        """Let what is under way end, then close the store."""
        self._closed = True
        if self._thread is not None:
            await asyncio.to_thread(self._thread.shutdown)
        self.store.close()


class _Wanted(Generic[T]):
    """An operation that undoes itself once nobody waits for it."""

    __slots__ = ("_operation", "given_up")

    def __init__(self, operation: Callable[[Tx], T]) -> None:
        self._operation = operation
        self.given_up = False

    def __call__(self, tx: Tx) -> T:
        self._check()
        result = self._operation(tx)
        self._check()
        return result

    def _check(self) -> None:
        if self.given_up:
            raise StoreUnavailable("given up by its caller before its commit")
