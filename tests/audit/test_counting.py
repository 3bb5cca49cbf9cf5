"""An event counts once, and only if what it tells of has happened."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

import pytest
from tests.support.apps import Workshop, error_of, one, talking
from tests.support.waiting import until

from ambidex import Registry
from ambidex.audit.counting import counted
from ambidex.audit.events import Event, EventKind
from ambidex.audit.log import StoreLog
from ambidex.stores.base import Tx
from ambidex.stores.errors import StoreUnavailable
from ambidex.stores.memory import MemoryStore
from ambidex.stores.sqlite import SqliteStore

T = TypeVar("T")
DUPLICATE = Event(event=EventKind.CALL_DUPLICATE, tool="look")


@pytest.fixture
def registry(tmp_path: Path) -> Registry:
    return Workshop(tmp_path).reading("look").build()


def duplicates(registry: Registry) -> int:
    number: int = registry.metrics()["tools"]["look"]["duplicates"]
    return number


class Failing(SqliteStore):
    """Commits fail as the list says, the next one first, after the operation has run to its end."""

    fails: tuple[bool, ...] = ()

    def run(self, operation: Callable[[Tx], T], *, lasting: bool = True) -> T:
        def then(tx: Tx) -> T:
            found = operation(tx)
            fails, self.fails = self.fails[:1], self.fails[1:]
            if any(fails):
                raise StoreUnavailable("the disk is full")
            return found

        return super().run(then, lasting=lasting)


class RunningAgain(SqliteStore):
    """Another process was faster: the operation is run once for nothing, and then again."""

    def run(self, operation: Callable[[Tx], T], *, lasting: bool = True) -> T:
        return super().run(lambda tx: (operation(tx), operation(tx))[1], lasting=lasting)


def test_what_a_durable_store_took_is_counted(registry: Registry, tmp_path: Path) -> None:
    store, record = counted(SqliteStore(tmp_path / "a.db"), lambda _: registry)
    store.run(lambda tx: record(tx, [DUPLICATE, DUPLICATE]))
    store.run(lambda tx: record(tx, [DUPLICATE]))
    assert duplicates(registry) == 3
    assert len(list(StoreLog(store).read())) == 3


def test_what_was_rolled_back_is_not_counted_not_even_later(registry: Registry, tmp_path: Path) -> None:
    failing = Failing(tmp_path / "a.db")
    store, record = counted(failing, lambda _: registry)
    failing.fails = (True, True)
    for _attempt in range(2):
        with pytest.raises(StoreUnavailable):
            store.run(lambda tx: record(tx, [DUPLICATE]))
    assert duplicates(registry) == 0
    store.run(lambda tx: record(tx, [DUPLICATE]))
    assert duplicates(registry) == 1


def test_an_operation_that_is_run_again_is_counted_once(registry: Registry, tmp_path: Path) -> None:
    store, record = counted(RunningAgain(tmp_path / "a.db"), lambda _: registry)
    store.run(lambda tx: record(tx, [DUPLICATE]))
    assert duplicates(registry) == 1


def test_a_store_in_memory_is_used_as_it_is(registry: Registry) -> None:
    memory = MemoryStore()
    store, record = counted(memory, lambda _: registry)
    assert store is memory
    store.run(lambda tx: record(tx, [DUPLICATE]))
    assert duplicates(registry) == 1


def test_what_is_decided_without_the_store_is_counted_at_once(registry: Registry, tmp_path: Path) -> None:
    store, record = counted(SqliteStore(tmp_path / "a.db"), lambda _: registry)
    MemoryStore().run(lambda tx: record(tx, [DUPLICATE]))
    assert duplicates(registry) == 1
    store.run(lambda tx: record(tx, [DUPLICATE]))
    MemoryStore().run(lambda tx: record(tx, [DUPLICATE]))
    assert duplicates(registry) == 3, "in a thread that used the store before, too"


async def test_a_call_whose_claim_could_not_be_written_is_not_counted(tmp_path: Path) -> None:
    registry = Workshop(tmp_path).writing("pay").build()
    store = Failing(tmp_path / "a.db")
    async with talking(registry, store=store) as (_app, session, _):
        store.fails = (True,)
        assert error_of(await one(session, "pay")) == "TRANSIENT"
        assert registry.metrics()["tools"]["pay"]["calls"] == 0
        assert error_of(await one(session, "pay", {"name": "y"})) == "ok"
    assert registry.metrics()["tools"]["pay"]["calls"] == 1


async def test_an_end_that_is_written_at_the_third_try_is_counted_once(tmp_path: Path) -> None:
    registry = Workshop(tmp_path).writing("pay").build()
    store = Failing(tmp_path / "a.db")
    async with talking(registry, store=store) as (_app, session, _):
        store.fails = (False, True, True)
        assert error_of(await one(session, "pay")) == "ok"
        assert registry.metrics()["tools"]["pay"]["calls"] == 0, "it is not written yet"
        await until(lambda: bool(registry.metrics()["tools"]["pay"]["calls"]))
    paid = registry.metrics()["tools"]["pay"]
    assert (paid["calls"], paid["ok"], paid["latency"]["count"]) == (1, 1, 1)
    assert not store.fails, "both failures were met"
