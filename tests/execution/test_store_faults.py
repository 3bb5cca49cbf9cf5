"""The store is cut off, or far too slow: before a handler runs, while it runs, and when its end is to be written."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from threading import Event
from typing import Any, TypeVar

import pytest
from tests.support.apps import ANN, Workshop, call, error_of, one, running, talking
from tests.support.waiting import until
from tests.support.workers import Later

from ambidex import Orchestrator
from ambidex.ledger.rows import CallRow, CallState
from ambidex.ledger.spaces import CALLS, DOUBTFUL, OPEN
from ambidex.session.session import Session
from ambidex.stores.base import Tx
from ambidex.stores.sqlite import SqliteStore

T = TypeVar("T")
HELD = """\
import asyncio
from pathlib import Path
from ambidex import ok

async def execute(args, context):
    with Path({path!r}).open("a") as effects:
        effects.write(context.idempotency_key + "\\n")
    while not Path({go!r}).exists():
        await asyncio.sleep(0.002)
    return ok({{"done": args["name"]}})
"""


class SlowStore(SqliteStore):
    """An operation waits at the point that is closed, as it would for a disk that does not answer."""

    def __init__(self, path: Path) -> None:
        super().__init__(path)
        self.closed = ""
        self.opened = Event()

    def run(self, operation: Callable[[Tx], T], *, lasting: bool = True) -> T:
        self._pass("before")
        found = super().run(lambda tx: self._inside(operation(tx)), lasting=lasting)
        self._pass("after")
        return found

    def _inside(self, found: T) -> T:
        self._pass("inside")
        return found

    def _pass(self, point: str) -> None:
        if self.closed == point:
            assert self.opened.wait(30)

    @contextmanager
    def slow(self, point: str) -> Iterator[None]:
        self.opened.clear()
        self.closed = point
        try:
            yield
        finally:
            self.closed = ""
            self.opened.set()


@contextmanager
def cut_off(path: Path) -> Iterator[None]:
    """Somebody else holds the lock and does not let go."""
    other = sqlite3.connect(path, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    try:
        yield
    finally:
        other.execute("ROLLBACK")
        other.close()


@asynccontextmanager
async def _talking(
    folder: Path, shop: Workshop, **options: Any
) -> AsyncIterator[tuple[Orchestrator, Session, SlowStore]]:
    store = SlowStore(folder / "a.db")
    async with talking(shop.build(), store=store, **options) as (app, session, _):
        app._shared.store_seconds = 0.15
        yield app, session, store


def _shop(folder: Path) -> Workshop:
    shop = Workshop(folder).reading("look").gated("send")
    code = HELD.format(path=str(folder / "pay.effects"), go=str(folder / "go"))
    shop.writing("pay", handler=code, timeoutMs=2_000)
    return shop.tool("sum", category="utility", sideEffects="none")


def _rows(store: SqliteStore) -> list[CallRow]:
    return [row for _, row in SqliteStore(store._path).run(lambda tx: tx.scan(CALLS))]


@contextmanager
def _fault(kind: str, folder: Path, store: SlowStore) -> Iterator[None]:
    with cut_off(folder / "a.db") if kind == "cut" else store.slow(kind):
        yield


@pytest.mark.threat("K06")
@pytest.mark.parametrize("kind", ["cut", "before", "inside"])
async def test_without_the_store_writes_and_gated_tools_are_refused_and_can_be_tried_again(
    tmp_path: Path, kind: str
) -> None:
    shop = _shop(tmp_path)
    (tmp_path / "go").touch()
    async with _talking(tmp_path, shop) as (app, session, store):
        with _fault(kind, tmp_path, store):
            refused = [await one(session, name, None, name) for name in ("pay", "send")]
            assert app.healthy is False
        for answer in refused:
            assert answer.error is not None
            assert (error_of(answer), answer.error.retryable) == ("TRANSIENT", True)
            assert answer.error.partial_side_effects is False
        assert not shop.runs("pay")
        await until(lambda: not _rows(store) or _rows(store)[0].state is not CallState.STARTED)
        assert (await one(session, "pay", None, "pay")).ok
        assert app.healthy is True
    assert len(shop.runs("pay")) == 1


@pytest.mark.threat("K06")
@pytest.mark.parametrize("kind", ["cut", "before", "inside", "after"])
async def test_without_the_store_what_only_looks_goes_on_within_its_budgets(tmp_path: Path, kind: str) -> None:
    shop = _shop(tmp_path)
    async with _talking(tmp_path, shop, mode="voice") as (_, session, store):
        assert (await one(session, "look", {"name": "1"}, "c1")).ok
        with _fault(kind, tmp_path, store):
            answers = [await one(session, "look", {"name": str(n)}, f"c{n}") for n in (2, 3)]
            summed = await one(session, "sum", None, "c4")
    assert [error_of(answer) for answer in (*answers, summed)] == ["ok", "BUDGET_EXCEEDED", "ok"]


@pytest.mark.threat("K06")
async def test_a_claim_that_was_written_although_nobody_could_wait_for_it_is_let_go(tmp_path: Path) -> None:
    shop = _shop(tmp_path)
    (tmp_path / "go").touch()
    async with _talking(tmp_path, shop) as (_, session, store):
        with store.slow("after"):
            assert error_of(await one(session, "pay", None, "c1")) == "TRANSIENT"
        await until(lambda: [row.state for row in _rows(store)] == [CallState.RELEASED])
        reader = SqliteStore(store._path)
        assert reader.run(lambda tx: (tx.scan(OPEN), tx.scan(DOUBTFUL))) == ([], [])
        assert not shop.runs("pay")
        assert (await one(session, "pay", None, "c1")).ok
    assert len(shop.runs("pay")) == 1


@pytest.mark.threat("K06")
@pytest.mark.parametrize("kind", ["cut", "before", "inside", "after"])
async def test_an_end_that_cannot_be_written_now_is_written_later(tmp_path: Path, kind: str) -> None:
    shop = _shop(tmp_path)
    async with _talking(tmp_path, shop) as (_, session, store):
        asked = asyncio.ensure_future(one(session, "pay", None, "c1"))
        await until(lambda: bool(shop.runs("pay")))
        with _fault(kind, tmp_path, store):
            (tmp_path / "go").touch()
            answer = await asked
            assert answer.data == {"done": "x"}, "what happened is told, and nobody waits for the store"
        await until(lambda: [row.state for row in _rows(store)] == [CallState.DONE])
        again = await one(session, "pay", None, "c1")
    assert (again.data, again.meta and again.meta.deduplicated) == ({"done": "x"}, True)
    assert len(shop.runs("pay")) == 1


@pytest.mark.threat("K06")
async def test_an_end_that_is_never_written_is_unknown_to_the_next_process(tmp_path: Path) -> None:
    shop = _shop(tmp_path)
    registry = shop.build()
    async with _talking(tmp_path, shop, grace_seconds=0) as (app, session, store):
        asked = asyncio.ensure_future(one(session, "pay", None, "c1"))
        await until(lambda: bool(shop.runs("pay")))
        with store.slow("before"):
            (tmp_path / "go").touch()
            assert (await asked).ok
            await app._shared.finish(0)
    async with running(registry, store=f"sqlite:{tmp_path / 'a.db'}", clock=Later(60)) as app:
        session = await app.attach(session.id, user=ANN)
        assert error_of(await one(session, "pay", None, "c1")) == "OUTCOME_UNKNOWN"
    assert len(shop.runs("pay")) == 1


@pytest.mark.threat("I10")
@pytest.mark.parametrize(("interruptible", "state", "runs"), [(False, "done", 1), (True, "released", 0)])
async def test_when_the_caller_goes_away_during_a_claim_later_calls_of_its_message_are_dropped(
    tmp_path: Path, interruptible: bool, state: str, runs: int
) -> None:
    """The one that was claimed follows the rule of its tool."""
    shop = Workshop(tmp_path).writing("pay", interruptible=interruptible)
    async with _talking(tmp_path, shop) as (app, session, store):
        app._shared.store_seconds = 20.0
        with store.slow("before"):
            asked = asyncio.ensure_future(session.answer([call("pay", {"name": name}, name) for name in "abc"]))
            await until(lambda: bool(app._shared._active))
            asked.cancel()
            await asyncio.gather(asked, return_exceptions=True)
        await until(lambda: not app._shared._active and not app._shared._tasks)
        assert [(row.call_id, row.state) for row in _rows(store)] == [("a", state)]
    assert len(shop.runs("pay")) == runs


@pytest.mark.threat("K06")
async def test_the_store_has_to_answer_within_half_of_the_calls_own_time(tmp_path: Path) -> None:
    shop = Workshop(tmp_path).writing("pay", timeoutMs=300)
    async with _talking(tmp_path, shop) as (app, session, store):
        app._shared.store_seconds = 5.0
        with store.slow("before"):
            async with asyncio.timeout(2):
                assert error_of(await one(session, "pay", None, "c1")) == "TRANSIENT"
