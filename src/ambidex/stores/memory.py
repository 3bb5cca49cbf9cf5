"""The store of one process: dictionaries, and a list of what to put back when an operation fails."""

from __future__ import annotations

from bisect import bisect_left, bisect_right, insort
from collections import defaultdict
from collections.abc import Callable, Iterator
from itertools import islice
from threading import RLock
from typing import Any, TypeVar

import msgspec

from ambidex.stores.base import Late, Space, Tx
from ambidex.stores.clock import Clock, Moment, SystemClock
from ambidex.stores.errors import StoreUnavailable

T = TypeVar("T")


class MemoryStore:
    """Values are kept as they are, never copied or encoded: they are frozen."""

    url = "memory:"
    durable = False

    def __init__(self, clock: Clock | None = None) -> None:
        self.clock = clock or SystemClock()
        self._shelves: defaultdict[str, _Shelf] = defaultdict(_Shelf)
        self.lock = RLock()  # not a plain lock: an operation that runs another gets an error, not a deadlock
        """Held by every operation, and by whoever writes to a shelf."""
        self._running = False
        self._closed = False

    def run(self, operation: Callable[[Tx], T], *, lasting: bool = True) -> T:
        self.lock.acquire()  # by hand, for `with` costs twice as much and every call of a tool passes here
        try:
            if self._running or self._closed:
                raise self._refusal()
            tx = _MemoryTx(self.clock.moment(), self._shelves)
            self._running = True
            try:
                return operation(tx)
            except BaseException:
                tx.undo()
                raise
            finally:
                tx.shelves = _ENDED
                self._running = False
        finally:
            self.lock.release()

    def shelf(self, space: Space[T]) -> _Shelf:
        """The values of a space as they stand. Whoever writes there holds `lock`, for as long as it takes."""
        return self._shelves[space.name]

    def close(self) -> None:
        with self.lock:
            self._closed = True
            for shelf in self._shelves.values():
                shelf.clear()  # also for those who hold one
            self._shelves.clear()

    def _refusal(self) -> Exception:
        if self._closed:
            return StoreUnavailable("the store memory: is closed")
        return RuntimeError("an operation cannot run another operation; give it its own tx")


class _Shelf(dict[str, Any]):
    """The values of one space. Whoever adds or removes a key says so, to keep the order true."""

    __slots__ = ("_order",)

    def __init__(self) -> None:
        super().__init__()
        self._order: list[str] | None = None
        """Its keys, sorted at the first scan and kept so from then on; most spaces are never scanned."""

    def read(self, key: str) -> Any:
        """What is there, made if it was late."""
        found = self.get(key)
        if isinstance(found, Late):
            found = self[key] = found.value()
        return found

    def added(self, key: str) -> None:
        if self._order is not None:
            insort(self._order, key)

    def removed(self, key: str) -> None:
        if self._order is not None:
            del self._order[bisect_left(self._order, key)]

    def keys_from(self, prefix: str, after: str | None) -> Iterator[str]:
        if self._order is None:
            self._order = sorted(self)
        start = bisect_left(self._order, prefix)
        if after is not None:
            start = max(start, bisect_right(self._order, after))
        for place in range(start, len(self._order)):
            if not self._order[place].startswith(prefix):
                return
            yield self._order[place]


class _MemoryTx(msgspec.Struct):  # a struct, for it is made for every run
    now: Moment
    shelves: defaultdict[str, _Shelf]
    writes: list[tuple[_Shelf, str, Any]] = msgspec.field(default_factory=list)
    """What each key held before it was written, None for nothing: no value is None."""

    def get(self, space: Space[T], key: str) -> T | None:
        found = self.shelves[space.name].get(key)
        if isinstance(found, Late):
            found = self.shelves[space.name].read(key)
        return found

    def put(self, space: Space[T], key: str, value: T) -> None:
        if not key.isascii():
            key.encode()  # refuses half of a surrogate pair, as a store on disk must
        shelf = self.shelves[space.name]
        before = shelf.get(key)
        self.writes.append((shelf, key, before))
        shelf[key] = value
        if before is None:
            shelf.added(key)

    def delete(self, space: Space[T], key: str) -> None:
        shelf = self.shelves[space.name]
        before = shelf.pop(key, None)
        if before is not None:
            self.writes.append((shelf, key, before))
            shelf.removed(key)

    def scan(
        self, space: Space[T], prefix: str = "", *, after: str | None = None, limit: int | None = None
    ) -> list[tuple[str, T]]:
        shelf = self.shelves[space.name]
        return [(key, shelf.read(key)) for key in islice(shelf.keys_from(prefix, after), limit)]

    def undo(self) -> None:
        for shelf, key, before in reversed(self.writes):
            if before is None:
                del shelf[key]
                shelf.removed(key)
                continue
            if key not in shelf:
                shelf.added(key)
            shelf[key] = before


class _Ended(defaultdict[str, _Shelf]):
    """The shelves of a transaction whose operation has returned."""

    def __missing__(self, key: str) -> _Shelf:
        raise RuntimeError("this transaction has ended; nothing may keep it beyond its operation")


_ENDED = _Ended()
