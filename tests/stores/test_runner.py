"""Awaiting a store: the loop goes on, the order stays, and giving up undoes what can be undone."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from tests.stores.backends import NUMBERS

from ambidex.stores.base import Store, Tx
from ambidex.stores.errors import StoreUnavailable
from ambidex.stores.memory import MemoryStore
from ambidex.stores.runner import StoreRunner
from ambidex.stores.sqlite import SqliteStore


class Slow:
    """An operation that writes, then waits until it is let go."""

    def __init__(self) -> None:
        self.began = threading.Event()
        self.let_go = threading.Event()

    def __call__(self, tx: Tx) -> int:
        tx.put(NUMBERS, "slow", 1)
        self.began.set()
        self.let_go.wait()
        return 1


@pytest.fixture
async def runner(tmp_path: Path) -> AsyncIterator[StoreRunner]:
    runner = StoreRunner(SqliteStore(tmp_path / "store.db"))
    yield runner
    await runner.close()


async def number(runner: StoreRunner, key: str) -> int | None:
    return await runner.run(lambda tx: tx.get(NUMBERS, key))


@pytest.mark.parametrize("store", [MemoryStore()])
def test_a_store_in_memory_answers_without_suspending(store: Store) -> None:
    answer = StoreRunner(store).run(lambda tx: "at once", timeout=1)
    with pytest.raises(StopIteration) as stopped:
        answer.send(None)
    assert stopped.value.value == "at once"


async def test_the_loop_goes_on_while_a_durable_store_works(runner: StoreRunner) -> None:
    slow = Slow()
    asked = asyncio.create_task(runner.run(slow))
    await asyncio.to_thread(slow.began.wait)
    assert not asked.done()
    slow.let_go.set()
    assert await asked == 1
    assert await number(runner, "slow") == 1


async def test_operations_run_in_the_order_asked(runner: StoreRunner) -> None:
    ran: list[int] = []
    await asyncio.gather(*(runner.run(lambda tx, n=n: ran.append(n)) for n in range(20)))  # type: ignore[misc]
    assert ran == list(range(20))


async def test_what_an_operation_raises_reaches_the_one_who_asked(runner: StoreRunner) -> None:
    def failing(tx: Tx) -> None:
        tx.put(NUMBERS, "a", 1)
        raise TimeoutError("the operation's own")

    with pytest.raises(TimeoutError, match="the operation's own"):
        await runner.run(failing, timeout=60)
    assert await number(runner, "a") is None


@pytest.mark.threat("K06")
async def test_a_store_that_takes_too_long_is_unavailable_and_the_operation_is_undone(runner: StoreRunner) -> None:
    slow = Slow()
    with pytest.raises(StoreUnavailable, match=r"took longer than 0.01 s; the operation may still have happened"):
        await runner.run(slow, timeout=0.01)
    slow.let_go.set()
    assert await number(runner, "slow") is None


@pytest.mark.threat("K06")
async def test_an_operation_that_timed_out_in_the_queue_never_runs(runner: StoreRunner) -> None:
    slow = Slow()
    first = asyncio.create_task(runner.run(slow))
    await asyncio.to_thread(slow.began.wait)
    with pytest.raises(StoreUnavailable):
        await runner.run(lambda tx: tx.put(NUMBERS, "queued", 1), timeout=0.01)
    slow.let_go.set()
    await first
    assert await number(runner, "queued") is None


@pytest.mark.threat("K06")
async def test_an_operation_that_timed_out_waiting_for_another_process_never_runs(
    runner: StoreRunner, tmp_path: Path
) -> None:
    other, slow = SqliteStore(tmp_path / "store.db"), Slow()
    elsewhere = asyncio.create_task(asyncio.to_thread(other.run, slow))
    await asyncio.to_thread(slow.began.wait)
    ran: list[Tx] = []
    with pytest.raises(StoreUnavailable):
        await runner.run(ran.append, timeout=0.05)
    slow.let_go.set()
    await elsewhere
    assert await number(runner, "slow") == 1
    assert ran == []
    other.close()


async def test_a_cancelled_caller_undoes_what_has_not_been_committed(runner: StoreRunner) -> None:
    slow = Slow()
    asked = asyncio.create_task(runner.run(slow))
    await asyncio.to_thread(slow.began.wait)
    asked.cancel()
    with pytest.raises(asyncio.CancelledError):
        await asked
    slow.let_go.set()
    assert await number(runner, "slow") is None


async def test_closing_waits_for_what_is_under_way_and_refuses_the_rest(tmp_path: Path) -> None:
    runner, slow = StoreRunner(SqliteStore(tmp_path / "store.db")), Slow()
    asked = asyncio.create_task(runner.run(slow))
    await asyncio.to_thread(slow.began.wait)
    closing = asyncio.create_task(runner.close())
    await asyncio.sleep(0)
    with pytest.raises(StoreUnavailable, match="closed"):
        await number(runner, "slow")
    slow.let_go.set()
    await closing
    assert await asked == 1
    again = SqliteStore(tmp_path / "store.db")
    assert again.run(lambda tx: tx.get(NUMBERS, "slow")) == 1
    again.close()
