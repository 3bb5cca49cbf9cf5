"""Counting while recording: an event counts once, when what it tells of has happened.

A transaction of a durable store may still fail at its commit, or be given up and tried again; its events count when it
came through. One in memory has no commit that could fail, so its events count on the spot, which costs every call less.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from threading import local
from typing import TypeVar

from ambidex.audit.chain import Record, recorder
from ambidex.audit.events import Event
from ambidex.audit.metrics import RegistryOf, observe
from ambidex.stores.base import Store, Tx
from ambidex.stores.clock import Clock

T = TypeVar("T")


def counted(store: Store, registry_of: RegistryOf) -> tuple[Store, Record]:
    """The store to run transactions in, and how to record in them, so that what is recorded is counted."""
    if store.durable:
        counting = CountingStore(store, registry_of)
        return counting, counting.record
    put = recorder(store)

    def record(tx: Tx, events: Sequence[Event]) -> None:
        put(tx, events)
        observe(events, registry_of)

    return store, record


class CountingStore:
    """A durable store that counts the events of a transaction after its commit."""

    durable = True

    def __init__(self, store: Store, registry_of: RegistryOf) -> None:
        self.url = store.url
        self._store = store
        self._put = recorder(store)
        self._registry_of = registry_of
        self._here = local()
        """Of each thread: the events of the transaction that runs in it."""

    @property
    def clock(self) -> Clock:
        """The one that the store's own transactions are dated by."""
        return self._store.clock

    @clock.setter
    def clock(self, clock: Clock) -> None:
        self._store.clock = clock

    def run(self, operation: Callable[[Tx], T], *, lasting: bool = True) -> T:
        recorded: list[Event] = []

        def noting(tx: Tx) -> T:
            recorded.clear()  # a back end may run an operation again
            self._here.recorded = recorded
            try:
                return operation(tx)
            finally:
                self._here.recorded = None

        result = self._store.run(noting, lasting=lasting)
        observe(recorded, self._registry_of)
        return result

    def record(self, tx: Tx, events: Sequence[Event]) -> None:
        self._put(tx, events)
        recorded: list[Event] | None = getattr(self._here, "recorded", None)
        if recorded is None:  # a session's own store, while this one is away: it has no commit that could fail
            observe(events, self._registry_of)
        else:
            recorded.extend(events)

    def close(self) -> None:
        self._store.close()
